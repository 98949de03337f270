package limit_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"jsqlab/jsqlib/internal/near"
	"jsqlab/jsqlib/limit"

	"gonum.org/v1/gonum/integrate/quad"
)

var (
	_ limit.Law = limit.NDS{}
	_ limit.Law = limit.Boundary{}
)

func TestNDSRefuses(t *testing.T) {
	for _, g := range []float64{0, -1, 1e-101, 1e101, math.NaN(), math.Inf(1)} {
		if _, err := limit.NewNDS(g); !refused(err) {
			t.Errorf("NewNDS(%v): error %v, want a refused input", g, err)
		}
	}
	if l, err := limit.NewNDS(2); err != nil || l.G != 2 {
		t.Errorf("NewNDS(2) = %v, %v", l, err)
	}
}

// TestNDSMean holds the mean against values by quadrature of Gupta and Walton's
// density, to the digits they have.
func TestNDSMean(t *testing.T) {
	for g, want := range map[float64]float64{0.5: 3.25901797, 1: 2.23840584, 2: 1.70310001} {
		if got := (limit.NDS{G: g}).Mean(); math.Abs(got-want) > 5e-9 {
			t.Errorf("g = %v: mean %.10f, want %.8f", g, got, want)
		}
	}
}

// TestNDSExtremes: g X is Exp(1) to first order as g -> 0, g (X - 1) is
// Gamma(2, 1) as g -> infinity.
func TestNDSExtremes(t *testing.T) {
	small, large := limit.NDS{G: 1e-6}, limit.NDS{G: 1e6}
	// E X = 1/g + O(1): the correction is that of the boundary part, 4 - e
	near.Abs(t, "g = 1e-6: E X - 1/g", small.Mean()-1e6, 4-math.E, 1e-5)
	near.Abs(t, "g = 1e-6: g^2 Var X", small.Variance()*1e-12, 1, 1e-10)
	exp, gamma := limit.Exponential{Mean: 1}, limit.Gamma{Shape: 2, Rate: 1}
	for _, u := range []float64{1e-3, 0.1, 1, 3, 20} {
		near.Rel(t, fmt.Sprintf("g = 1e-6: P(gX > %v)", u), small.Survival(u*1e6), exp.Survival(u), 3e-6)
		near.Rel(t, fmt.Sprintf("g = 1e6: P(g(X-1) <= %v)", u), large.CDF(1+u*1e-6), gamma.CDF(u), 1e-5)
	}
	near.Abs(t, "g = 1e6: g (E X - 1)", (large.Mean()-1)*1e6, 2, 1e-5)
	near.Abs(t, "g = 1e6: g^2 Var X", large.Variance()*1e12, 2, 1e-5)
	near.Rel(t, "g = 1e-100: mean", limit.NDS{G: 1e-100}.Mean(), 1e100, 1e-14)
	if got := (limit.NDS{G: 1e100}).Mean(); got != 1 {
		t.Errorf("g = 1e100: mean %v, want 1", got)
	}
}

type density interface {
	limit.Law
	Density(x float64) float64
	Mean() float64
	Variance() float64
}

// TestDensityIntegrates holds CDF, Survival, PartialMean and the moments against
// Gauss-Legendre integrals of the density on pieces where it is smooth.
func TestDensityIntegrates(t *testing.T) {
	type target struct {
		law density
		far float64 // P(X > far) is below 1e-20
	}
	laws := []target{{limit.Boundary{}, 2}}
	for _, g := range []float64{1e-6, 1e-3, 0.5, 1, 2, 30, 1e3, 1e6} {
		laws = append(laws, target{limit.NDS{G: g}, 2 + 50/g})
	}
	for _, c := range laws {
		unit := 1.
		if l, ok := c.law.(limit.NDS); ok {
			unit = 1 / (1 + l.G)
		}
		var mass, mean, second float64
		left := 1.
		edges := []float64{1 + 1e-9*unit, 1 + 1e-4*unit, 1 + 0.1*unit, 1 + unit/2, 1 + unit, 1 + 0.999, 2}
		for x := 2.; x < c.far; {
			x = math.Min(x*1.3, c.far)
			edges = append(edges, x)
		}
		for k := 2.; k < 60 && k*unit < 1; k++ {
			edges = append(edges, 1+k*unit)
		}
		slices.Sort(edges)
		for _, right := range edges {
			if right <= left {
				continue
			}
			integral := func(power float64) float64 {
				return quad.Fixed(func(x float64) float64 {
					return c.law.Density(x) * math.Pow(x, power)
				}, left, right, 40, quad.Legendre{}, 0)
			}
			mass += integral(0)
			mean += integral(1)
			second += quad.Fixed(func(x float64) float64 {
				d := x - c.law.Mean()
				return c.law.Density(x) * d * d
			}, left, right, 40, quad.Legendre{}, 0)
			left = right
			// x - 1 has lost digits when x was rounded
			tol := 1e-12 + 4e-16/(right-1)
			near.Rel(t, fmt.Sprintf("%#v: CDF(%v)", c.law, right), c.law.CDF(right), mass, tol)
			near.Abs(t, fmt.Sprintf("%#v: Survival(%v)", c.law, right), c.law.Survival(right), 1-mass, 1e-12)
			near.Rel(t, fmt.Sprintf("%#v: PartialMean(%v)", c.law, right), c.law.PartialMean(right), mean, tol)
		}
		near.Rel(t, fmt.Sprintf("%#v: mean", c.law), c.law.Mean(), mean, 1e-11)
		near.Rel(t, fmt.Sprintf("%#v: variance", c.law), c.law.Variance(), second, 1e-9)
		near.Rel(t, fmt.Sprintf("%#v: PartialMean(Inf)", c.law), c.law.PartialMean(math.Inf(1)), c.law.Mean(), 1e-14)
	}
}

func TestShiftedQuantiles(t *testing.T) {
	laws := []density{limit.Boundary{}}
	for _, g := range []float64{1e-100, 1e-6, 1e-3, 0.5, 1, 2, 30, 1e3, 1e6} {
		laws = append(laws, limit.NDS{G: g})
	}
	for _, l := range laws {
		for p := 1e-12; p < 0.5; p *= 2.7 {
			// rounding of x near 1 moves the distribution function by density * ulp
			x := l.Quantile(p)
			if got := l.CDF(x); math.Abs(got-p) > 1e-12*p+4e-16*x*l.Density(x) {
				t.Errorf("%#v: CDF(Quantile(%g)) = %g", l, p, got)
			}
			q := 1 - (1 - p)
			x = l.Quantile(1 - p)
			if got := l.Survival(x); math.Abs(got-q) > 1e-12*q+4e-16*x*l.Density(x) {
				t.Errorf("%#v: Survival(Quantile(1 - %g)) = %g", l, q, got)
			}
		}
		// either side of the kink at 2
		if n, ok := l.(limit.NDS); ok {
			at := n.CDF(2)
			for _, p := range []float64{math.Nextafter(at, 0), at, math.Nextafter(at, 1)} {
				if p < 1 && p > 0 && n.Density(2) > 1e-9 && math.Abs(n.Quantile(p)-2)*n.Density(2) > 1e-15 {
					t.Errorf("%#v: Quantile(%v) = %v, want 2", l, p, n.Quantile(p))
				}
			}
		}
		if l.Quantile(0) != 1 {
			t.Errorf("%#v: Quantile(0) = %v, want 1", l, l.Quantile(0))
		}
		for _, p := range []float64{-0.1, 1.1, math.NaN()} {
			if q := l.Quantile(p); !math.IsNaN(q) {
				t.Errorf("%#v: Quantile(%v) = %v, want NaN", l, p, q)
			}
		}
		if l.Quantile(1) < l.Quantile(0.999999) {
			t.Errorf("%#v: Quantile(1) = %v", l, l.Quantile(1))
		}
	}
}

func TestShiftedEdges(t *testing.T) {
	inf := math.Inf(1)
	for _, l := range []density{limit.Boundary{}, limit.NDS{G: 1}, limit.NDS{G: 1e-6}, limit.NDS{G: 1e6}} {
		for _, x := range []float64{-inf, -1, 0, 1} {
			if l.CDF(x) != 0 || l.Survival(x) != 1 || l.PartialMean(x) != 0 || l.Density(x) != 0 {
				t.Errorf("%#v at %v: %v, %v, %v, %v, want 0, 1, 0, 0", l, x, l.CDF(x), l.Survival(x), l.PartialMean(x), l.Density(x))
			}
		}
		if math.Abs(l.CDF(inf)-1) > 1e-15 || l.Survival(inf) != 0 || l.Density(inf) != 0 {
			t.Errorf("%#v at Inf: %v, %v, %v, want 1, 0, 0", l, l.CDF(inf), l.Survival(inf), l.Density(inf))
		}
		nan := math.NaN()
		for _, v := range []float64{l.CDF(nan), l.Survival(nan), l.PartialMean(nan), l.Density(nan)} {
			if !math.IsNaN(v) {
				t.Errorf("%#v: NaN argument not returned as NaN", l)
			}
		}
	}
	if l := (limit.Boundary{}); l.Survival(2-1e-9) < 0.49e-18 || l.Survival(2-1e-9) > 0.51e-18 {
		t.Errorf("P(Q~/N > 2 - 1e-9) = %v, want s^2/2", l.Survival(2-1e-9))
	}
	near.Rel(t, "mean of the boundary law, 4 - e", limit.Boundary{}.Mean(), 1.2817181715409548, 1e-15)
}

func BenchmarkNDSQuantile(b *testing.B) {
	l := limit.NDS{G: 1}
	for i := range b.N {
		l.Quantile(float64(i%1000) / 1000)
	}
}
