package law

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/near"
	"jsqlab/jsqlib/limit"
	"jsqlab/jsqlib/wasserstein"
)

// fineSum is int |F - G| by the midpoint rule on [low, high].
func fineSum(f, g limit.Law, low, high float64, n int) float64 {
	h := (high - low) / float64(n)
	var sum float64
	for i := range n {
		x := low + (float64(i)+0.5)*h
		sum += math.Abs(f.CDF(x) - g.CDF(x))
	}
	return sum * h
}

// geometricLattice is the law of span (Q - shift), P(Q > n) = rho^(n+1).
func geometricLattice(span, shift, gap float64) *lattice {
	theta := -math.Log1p(-gap)
	return newLattice(Scaling{span, shift}, 0, nil, -theta, theta)
}

func countsLattice(t *testing.T, span, shift float64, counts []int64) *lattice {
	t.Helper()
	m, err := FromCounts(counts, Scaling{span, shift}, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	return m.law
}

// moved returns the law at another shift.
func moved(l *lattice, shift float64) *lattice {
	return newLattice(Scaling{l.Scale, shift}, l.first, l.cdf, l.logA, l.theta)
}

// testLattices are laws with and without a tail, shifted and not.
func testLattices(t *testing.T) []*lattice {
	cdf, tail := headed(0.25, []float64{0.05, 0, 0.3, 0.1, 0.2}, 0.2)
	return []*lattice{
		geometricLattice(0.1, 0, 0.1), geometricLattice(1, 10, 0.3), geometricLattice(0.01, -120, 0.02),
		newLattice(Scaling{0.25, 3}, 0, cdf, tail.logA, tail.theta),
		countsLattice(t, 0.4, -2.5, []int64{0, 3, 1, 0, 4, 2, 0}),
	}
}

func distance(t *testing.T) func(w float64, err error) float64 {
	return func(w float64, err error) float64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
}

func TestW1LawAgainstFineSum(t *testing.T) {
	laws := []limit.Law{
		limit.Gamma{Shape: 2, Rate: 1}, limit.NDS{G: 1}, limit.NDS{G: 20}, limit.Boundary{},
		limit.Exponential{Mean: 0.5},
	}
	for _, l := range testLattices(t) {
		laws = append(laws, l)
	}
	must := distance(t)
	low, high, n := -12., 45., 1_000_000.
	if testing.Short() {
		n /= 20
	}
	for i, f := range testLattices(t) {
		for _, g := range laws {
			got := must(f.w1(g))
			// each step of F or G is missed by at most its height times half a
			// step; beyond the range is less than e^-20
			if want := fineSum(f, g, low, high, int(n)); math.Abs(got-want) > 3*(high-low)/n {
				t.Errorf("lattice %d against %T: %v, fine sum %v", i, g, got, want)
			}
		}
	}
}

func TestW1LawClosedForms(t *testing.T) {
	must := distance(t)
	// a point mass at c against Exp(m): c - m + 2 m e^(-c/m)
	for _, c := range []float64{0.01, 0.3, 1, 7} {
		for _, m := range []float64{0.5, 2} {
			l := countsLattice(t, 0.5, 4-2*c, []int64{0, 0, 0, 0, 5, 0})
			want := c - m + 2*m*math.Exp(-c/m)
			if got := must(l.w1(limit.Exponential{Mean: m})); math.Abs(got-want) > 1e-14 {
				t.Errorf("point mass at %v against Exp(%v): %v, want %v", c, m, got, want)
			}
		}
	}
	// far below or above the law: the difference of the means
	for _, to := range []interface {
		limit.Law
		Mean() float64
	}{limit.Gamma{Shape: 2, Rate: 1}, limit.NDS{G: 1}, limit.Boundary{}} {
		l := countsLattice(t, 1, 10, []int64{1, 1})
		if got, want := must(l.w1(to)), to.Mean()+9.5; math.Abs(got-want) > 1e-14 {
			t.Errorf("far below %T: %v, want %v", to, got, want)
		}
		l = moved(l, -1000)
		if got, want := must(l.w1(to)), 1000.5-to.Mean(); math.Abs(got-want) > 1e-12 {
			t.Errorf("far above %T: %v, want %v", to, got, want)
		}
	}
	// the two routes to an exponential law
	for _, gap := range []float64{0.5, 0.1, 1e-3} {
		l := geometricLattice(gap, 0, gap)
		to := limit.Exponential{Mean: 1}
		if a, b := must(l.w1(to)), area(nil, geometricTail{gap, l.theta, l.theta - gap, l.logA}); math.Abs(a-b) > 1e-13 {
			t.Errorf("gap %v: w1 %v, staircaseArea %v", gap, a, b)
		}
	}
}

func TestTwoLattices(t *testing.T) {
	must := distance(t)
	all := testLattices(t)
	for i, a := range all {
		if got := must(a.w1(a)); got > 1e-14 {
			t.Errorf("lattice %d against itself: %v", i, got)
		}
		near.Rel(t, fmt.Sprintf("lattice %d moved by 3.25 spans", i), must(moved(a, a.Shift-3.25).w1(a)), 3.25*a.Scale, 1e-13)
		for j, b := range all {
			ab, ba := must(a.w1(b)), must(b.w1(a))
			if math.Abs(ab-ba) > 1e-13*(1+ab) {
				t.Errorf("lattices %d, %d: W1 = %v one way, %v the other", i, j, ab, ba)
			}
		}
	}
	// geometric laws are ordered, so that W1 is the difference of the means
	a, b := geometricLattice(0.5, 2, 0.1), geometricLattice(0.5, 2, 0.25)
	near.Rel(t, "W1 of two geometric laws", must(a.w1(b)), 0.5*(9-3), 1e-13)
}

// TestLatticeLaw holds the view of a lattice law as a limit.Law against sums over
// its points.
func TestLatticeLaw(t *testing.T) {
	for i, w := range testLattices(t) {
		var cdf, partial float64
		for n := range 2000 {
			x := w.at(float64(n))
			p := w.upper(float64(n-1)) - w.upper(float64(n))
			if p > 0 && cdf+p < 1-1e-9 {
				if q := w.Quantile(cdf + p/2); q != x {
					t.Errorf("lattice %d: Quantile(%v) = %v, want %v", i, cdf+p/2, q, x)
				}
			}
			cdf += p
			partial += p * x
			for _, y := range []float64{x, x + w.Scale/2} {
				if math.Abs(w.CDF(y)-cdf) > 1e-12 || math.Abs(w.Survival(y)-(1-cdf)) > 1e-12 || math.Abs(w.PartialMean(y)-partial) > 1e-11 {
					t.Fatalf("lattice %d at %v: %v, %v, %v, want %v, %v, %v", i, y, w.CDF(y), w.Survival(y), w.PartialMean(y), cdf, 1-cdf, partial)
				}
			}
			if got := w.CDF(math.Nextafter(x, math.Inf(-1))); math.Abs(got-(cdf-p)) > 1e-12 {
				t.Fatalf("lattice %d just below %v: CDF %v, want %v", i, x, got, cdf-p)
			}
		}
		inf := math.Inf(1)
		if w.CDF(-inf) != 0 || w.CDF(inf) != 1 || math.Abs(w.PartialMean(inf)-partial) > 1e-11 {
			t.Errorf("lattice %d at infinity: %v, %v, %v, want 0, 1, %v", i, w.CDF(-inf), w.CDF(inf), w.PartialMean(inf), partial)
		}
		for _, p := range []float64{-0.1, 1.1, math.NaN()} {
			if q := w.Quantile(p); !math.IsNaN(q) {
				t.Errorf("lattice %d: Quantile(%v) = %v, want NaN", i, p, q)
			}
		}
		if w.Quantile(0) > w.at(1) || w.Quantile(1) < w.Quantile(0.999) {
			t.Errorf("lattice %d: quantiles %v to %v", i, w.Quantile(0), w.Quantile(1))
		}
	}
}

// TestLatticeOfCountsAgainstSample: a law of counts, a weighted sample and a sample
// of repeated points give one distance.
func TestLatticeOfCountsAgainstSample(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	counts := make([]int64, 60)
	to := limit.NDS{G: 1}
	var points []float64
	const span, shift = 0.125, -1.
	for range 2000 {
		n := min(int(math.Round((to.Quantile(rng.Float64()))/span+shift)), 59)
		counts[n]++
		points = append(points, span*(float64(n)-shift))
	}
	l := countsLattice(t, span, shift, counts)
	sample := wasserstein.Sample{Points: points}
	must := distance(t)
	got, want := must(l.w1(to)), must(wasserstein.W1Law(sample, to))
	if math.Abs(got-want) > 1e-13 {
		t.Errorf("law of counts %v, sample %v", got, want)
	}
	other := moved(testLattices(t)[1], -1)
	got, want = must(l.w1(other)), must(wasserstein.W1Law(sample, other))
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("against a lattice law: law of counts %v, sample %v", got, want)
	}
}

// TestCrossing: the crossings are where the distance changes sign.
func TestCrossing(t *testing.T) {
	to := limit.Gamma{Shape: 2, Rate: 1}
	f := geometricLattice(0.5, 1, 0.2)
	inside := 0
	for n := range 60 {
		c := f.crossing(n, to)
		left := f.at(float64(n))
		if c > 0 && !(f.CDF(left+0.5*f.Scale*c) > to.CDF(left+0.5*f.Scale*c)) {
			t.Errorf("cell %d: F <= G before the crossing %v", n, c)
		}
		if x := left + f.Scale*(c+1)/2; c < 1 && f.CDF(x) > to.CDF(x)+1e-15 {
			t.Errorf("cell %d: F > G after the crossing %v", n, c)
		}
		if c > 0 && c < 1 {
			inside++
		}
	}
	if inside == 0 {
		t.Error("no cell is crossed")
	}
}

// noMean is a law without a mean.
type noMean struct{ limit.Exponential }

func (noMean) PartialMean(float64) float64 { return math.Inf(1) }

// refused reports whether the error is a refused input of that name.
func refused(err error, what string) bool {
	var field *jsqlib.Invalid
	return errors.As(err, &field) && field.What == what
}

func TestLatticeErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	good := geometricLattice(0.1, 0, 0.1)
	if _, err := good.w1(nil); !refused(err, "law") {
		t.Errorf("nil law: error %v", err)
	}
	if _, err := good.w1(noMean{}); !refused(err, "mean of the law") {
		t.Errorf("no mean: error %v", err)
	}
	if _, err := geometricLattice(1e300, -1e15, 1e-9).w1(limit.Boundary{}); !refused(err, "mean of the law") {
		t.Errorf("infinite mean: error %v", err)
	}
	if _, err := geometricLattice(1e-9, 0, 1e-9).w1(limit.Boundary{}); !refused(err, "decay rate of P(Q > n)") {
		t.Errorf("4e10 cells: error %v", err)
	}
	for _, counts := range [][]int64{nil, {0, 0}, {1, -1}} {
		if _, err := FromCounts(counts, Scaling{Scale: 1}, nil, 1); err == nil {
			t.Errorf("counts %v: no error", counts)
		}
	}
	for _, y := range []Scaling{{}, {Scale: -1}, {Scale: nan}, {Scale: inf}} {
		if _, err := FromCounts([]int64{1}, y, nil, 1); !refused(err, "scale") {
			t.Errorf("%+v: error %v", y, err)
		}
	}
	for _, shift := range []float64{nan, inf, -inf, 1e300} {
		if _, err := FromCounts([]int64{1}, Scaling{1, shift}, nil, 1); !refused(err, "shift") {
			t.Errorf("shift %v: error %v", shift, err)
		}
	}
}

func BenchmarkLatticeGamma1e5Cells(b *testing.B) {
	l := geometricLattice(1e-3, 10, 42e-5)
	b.ReportAllocs()
	for range b.N {
		if _, err := l.w1(limit.Gamma{Shape: 2, Rate: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
