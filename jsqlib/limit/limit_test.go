package limit_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/near"
	"jsqlab/jsqlib/limit"
)

var (
	_ limit.Law = limit.Exponential{}
	_ limit.Law = limit.Gamma{}
)

func refused(err error) bool {
	var field *jsqlib.Invalid
	return errors.As(err, &field)
}

func TestConstructorsRefuse(t *testing.T) {
	bad := []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1)}
	for _, v := range bad {
		if _, err := limit.NewExponential(v); !refused(err) {
			t.Errorf("NewExponential(%v): error %v, want a refused input", v, err)
		}
		if _, err := limit.NewGamma(v, 1); !refused(err) {
			t.Errorf("NewGamma(%v, 1): error %v, want a refused input", v, err)
		}
		if _, err := limit.NewGamma(2, v); !refused(err) {
			t.Errorf("NewGamma(2, %v): error %v, want a refused input", v, err)
		}
	}
	if e, err := limit.NewExponential(0.5); err != nil || e != (limit.Exponential{Mean: 0.5}) {
		t.Errorf("NewExponential(0.5) = %v, %v", e, err)
	}
	if g, err := limit.NewGamma(2, 3); err != nil || g != (limit.Gamma{Shape: 2, Rate: 3}) {
		t.Errorf("NewGamma(2, 3) = %v, %v", g, err)
	}
}

// tail returns e^(-u) sum_{k >= k0} u^k/k!, summed from terms of one sign.
func tail(u float64, k0 int) float64 {
	term, sum := 1., 0.
	for k := 1; k < 400; k++ {
		term *= u / float64(k)
		if k >= k0 {
			sum += term
		}
	}
	return math.Exp(-u) * sum
}

func TestClosedForms(t *testing.T) {
	exp, gamma := limit.Exponential{Mean: 2.5}, limit.Gamma{Shape: 2, Rate: 0.4}
	for u := 1e-40; u < 60; u *= 1.37 {
		x := 2.5 * u
		// exp(-u) amplifies the rounding of u, and Gamma's u^a = exp(a log u)
		// that of log u.
		tol := 4e-16 * (4 + u)
		tolGamma := tol + 1e-15*math.Abs(math.Log(u))
		for _, c := range []struct {
			name           string
			got, want, tol float64
		}{
			{"Exponential.CDF", exp.CDF(x), tail(u, 1), tol},
			{"Exponential.Survival", exp.Survival(x), math.Exp(-u), tol},
			{"Exponential.PartialMean", exp.PartialMean(x), 2.5 * tail(u, 2), tol},
			{"Gamma.CDF", gamma.CDF(x), tail(u, 2), tolGamma},
			{"Gamma.Survival", gamma.Survival(x), math.Exp(-u) * (1 + u), tolGamma},
			{"Gamma.PartialMean", gamma.PartialMean(x), 5 * tail(u, 3), tolGamma},
		} {
			near.Rel(t, fmt.Sprintf("%s at u = %g", c.name, u), c.got, c.want, c.tol)
		}
	}
}

func TestQuantileInvertsCDF(t *testing.T) {
	laws := []limit.Law{
		limit.Exponential{Mean: 0.5}, limit.Gamma{Shape: 2, Rate: 1}, limit.Gamma{Shape: 2, Rate: 30},
		limit.Gamma{Shape: 0.3, Rate: 1}, limit.Gamma{Shape: 1, Rate: 2}, limit.Gamma{Shape: 150, Rate: 1},
	}
	for _, l := range laws {
		for p := 1e-18; p < 0.5; p *= 3.1 {
			near.Rel(t, fmt.Sprintf("%#v: CDF(Quantile(%g))", l, p), l.CDF(l.Quantile(p)), p, 1e-12)
			// 1 - (1-q) is the survival that the rounded argument stands for.
			if q := p; q > 1e-16 {
				near.Rel(t, fmt.Sprintf("%#v: Survival(Quantile(1 - %g))", l, q), l.Survival(l.Quantile(1-q)), 1-(1-q), 1e-12)
			}
		}
	}
}

func TestEdges(t *testing.T) {
	inf := math.Inf(1)
	for _, l := range []limit.Law{limit.Exponential{Mean: 3}, limit.Gamma{Shape: 2, Rate: 2. / 3}} {
		for _, x := range []float64{-inf, -1, 0} {
			if l.CDF(x) != 0 || l.Survival(x) != 1 || l.PartialMean(x) != 0 {
				t.Errorf("%#v: CDF, Survival, PartialMean at %v = %v, %v, %v, want 0, 1, 0",
					l, x, l.CDF(x), l.Survival(x), l.PartialMean(x))
			}
		}
		if l.CDF(inf) != 1 || l.Survival(inf) != 0 {
			t.Errorf("%#v: CDF, Survival at +Inf = %v, %v, want 1, 0", l, l.CDF(inf), l.Survival(inf))
		}
		near.Rel(t, fmt.Sprintf("%#v: PartialMean at +Inf", l), l.PartialMean(inf), 3, 1e-15)
		if l.Quantile(0) != 0 || l.Quantile(1) != inf {
			t.Errorf("%#v: Quantile(0), Quantile(1) = %v, %v", l, l.Quantile(0), l.Quantile(1))
		}
		for _, p := range []float64{-0.1, 1.1, math.NaN()} {
			if q := l.Quantile(p); !math.IsNaN(q) {
				t.Errorf("%#v: Quantile(%v) = %v, want NaN", l, p, q)
			}
		}
		if nan := math.NaN(); !math.IsNaN(l.CDF(nan)) || !math.IsNaN(l.Survival(nan)) || !math.IsNaN(l.PartialMean(nan)) {
			t.Errorf("%#v: NaN argument not returned as NaN", l)
		}
	}
	if m := (limit.Gamma{Shape: 2, Rate: 4}).Mean(); m != 0.5 {
		t.Errorf("Gamma(2, 4).Mean() = %v, want 0.5", m)
	}
}

func BenchmarkGammaQuantile(b *testing.B) {
	g := limit.Gamma{Shape: 2, Rate: 1}
	for i := range b.N {
		g.Quantile(float64(i%1000) / 1000)
	}
}
