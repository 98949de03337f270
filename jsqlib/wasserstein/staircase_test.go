package wasserstein

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"jsqlab/jsqlib/internal/near"
	"jsqlab/jsqlib/limit"
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

// geometric returns the law of span (Q - shift), P(Q > n) = rho^(n+1).
func geometricLattice(span, shift, gap float64) Lattice {
	rate := -math.Log1p(-gap)
	return Lattice{Span: span, Shift: shift, LogAmplitude: -rate, Rate: rate}
}

func lawOf(t *testing.T, l Lattice) limit.Law {
	t.Helper()
	law, err := l.Law()
	if err != nil {
		t.Fatal(err)
	}
	return law
}

// testLattices are laws with and without a tail, shifted and not.
func testLattices(t *testing.T) []Lattice {
	bumps, err := NewLattice(0.25, []float64{0.05, 0, 0.3, 0.1, 0.2}, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	bumps.Shift = 3
	counts, err := NewLatticeOfCounts(0.4, -2.5, []int64{0, 3, 1, 0, 4, 2, 0})
	if err != nil {
		t.Fatal(err)
	}
	return []Lattice{
		geometricLattice(0.1, 0, 0.1), geometricLattice(1, 10, 0.3), geometricLattice(0.01, -120, 0.02),
		bumps, counts,
	}
}

func TestW1LawAgainstFineSum(t *testing.T) {
	laws := []limit.Law{
		limit.Gamma{Shape: 2, Rate: 1}, limit.NDS{G: 1}, limit.NDS{G: 20}, limit.Boundary{},
		limit.Exponential{Mean: 0.5},
	}
	for _, l := range testLattices(t) {
		laws = append(laws, lawOf(t, l))
	}
	must := must(t)
	low, high, n := -12., 45., 1_000_000.
	if testing.Short() {
		n /= 20
	}
	for i, l := range testLattices(t) {
		f := lawOf(t, l)
		for _, g := range laws {
			got := must(l.W1Law(g))
			// each step of F or G is missed by at most its height times half a
			// step; beyond the range is less than e^-20
			if want := fineSum(f, g, low, high, int(n)); math.Abs(got-want) > 3*(high-low)/n {
				t.Errorf("lattice %d against %T: %v, fine sum %v", i, g, got, want)
			}
		}
	}
}

func TestW1LawClosedForms(t *testing.T) {
	must := must(t)
	// a point mass at c against Exp(m): c - m + 2 m e^(-c/m)
	for _, c := range []float64{0.01, 0.3, 1, 7} {
		for _, m := range []float64{0.5, 2} {
			l, err := NewLatticeOfCounts(0.5, 4-2*c, []int64{0, 0, 0, 0, 5, 0})
			if err != nil {
				t.Fatal(err)
			}
			want := c - m + 2*m*math.Exp(-c/m)
			if got := must(l.W1Law(limit.Exponential{Mean: m})); math.Abs(got-want) > 1e-14 {
				t.Errorf("point mass at %v against Exp(%v): %v, want %v", c, m, got, want)
			}
		}
	}
	// far below or above the law: the difference of the means
	for _, to := range []interface {
		limit.Law
		Mean() float64
	}{limit.Gamma{Shape: 2, Rate: 1}, limit.NDS{G: 1}, limit.Boundary{}} {
		l, err := NewLatticeOfCounts(1, 10, []int64{1, 1})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := must(l.W1Law(to)), to.Mean()+9.5; math.Abs(got-want) > 1e-14 {
			t.Errorf("far below %T: %v, want %v", to, got, want)
		}
		l.Shift = -1000
		if got, want := must(l.W1Law(to)), 1000.5-to.Mean(); math.Abs(got-want) > 1e-12 {
			t.Errorf("far above %T: %v, want %v", to, got, want)
		}
	}
	// the two routes to an exponential law
	for _, gap := range []float64{0.5, 0.1, 1e-3} {
		l := geometricLattice(gap, 0, gap)
		to := limit.Exponential{Mean: 1}
		if a, b := must(l.W1Law(to)), must(l.W1(to, l.Excess(to))); math.Abs(a-b) > 1e-13 {
			t.Errorf("gap %v: W1Law %v, W1 %v", gap, a, b)
		}
	}
}

func TestTwoLattices(t *testing.T) {
	must := must(t)
	all := testLattices(t)
	for i, a := range all {
		la := lawOf(t, a)
		if got := must(a.W1Law(la)); got > 1e-14 {
			t.Errorf("lattice %d against itself: %v", i, got)
		}
		moved := a
		moved.Shift -= 3.25
		near.Rel(t, fmt.Sprintf("lattice %d moved by 3.25 spans", i), must(moved.W1Law(la)), 3.25*a.Span, 1e-13)
		for j, b := range all {
			ab, ba := must(a.W1Law(lawOf(t, b))), must(b.W1Law(la))
			if math.Abs(ab-ba) > 1e-13*(1+ab) {
				t.Errorf("lattices %d, %d: W1 = %v one way, %v the other", i, j, ab, ba)
			}
		}
	}
	// geometric laws are ordered, so that W1 is the difference of the means
	a, b := geometricLattice(0.5, 2, 0.1), geometricLattice(0.5, 2, 0.25)
	near.Rel(t, "W1 of two geometric laws", must(a.W1Law(lawOf(t, b))), 0.5*(9-3), 1e-13)
}

// TestLatticeLaw holds the view of a lattice law as a limit.Law against sums over
// its points.
func TestLatticeLaw(t *testing.T) {
	for i, l := range testLattices(t) {
		w := lawOf(t, l)
		var cdf, partial float64
		for n := range 2000 {
			x := l.at(n)
			p := l.upper(n-1) - l.upper(n)
			if p > 0 && cdf+p < 1-1e-9 {
				if q := w.Quantile(cdf + p/2); q != x {
					t.Errorf("lattice %d: Quantile(%v) = %v, want %v", i, cdf+p/2, q, x)
				}
			}
			cdf += p
			partial += p * x
			for _, y := range []float64{x, x + l.Span/2} {
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
		if w.Quantile(0) > l.at(1) || w.Quantile(1) < w.Quantile(0.999) {
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
	l, err := NewLatticeOfCounts(span, shift, counts)
	if err != nil {
		t.Fatal(err)
	}
	must := must(t)
	got, want := must(l.W1Law(to)), must(W1Law(points, nil, to))
	if math.Abs(got-want) > 1e-13 {
		t.Errorf("law of counts %v, sample %v", got, want)
	}
	other := testLattices(t)[1]
	got, want = must(l.W1Law(lawOf(t, other))), must(W1Law(points, nil, lawOf(t, other)))
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("against a lattice law: law of counts %v, sample %v", got, want)
	}
}

// TestCrossing: the crossings are where the distance changes sign.
func TestCrossing(t *testing.T) {
	to := limit.Gamma{Shape: 2, Rate: 1}
	l := geometricLattice(0.5, 1, 0.2)
	f := lawOf(t, l)
	inside := 0
	for n := range 60 {
		c := l.Crossing(n, to)
		left := l.at(n)
		if c > 0 && !(f.CDF(left+0.5*l.Span*c) > to.CDF(left+0.5*l.Span*c)) {
			t.Errorf("cell %d: F <= G before the crossing %v", n, c)
		}
		if x := left + l.Span*(c+1)/2; c < 1 && f.CDF(x) > to.CDF(x)+1e-15 {
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

func TestStaircaseErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	good := geometricLattice(0.1, 0, 0.1)
	if _, err := good.W1Law(nil); !errors.Is(err, ErrLaw) {
		t.Errorf("nil law: error %v, want ErrLaw", err)
	}
	if _, err := good.W1Law(noMean{}); !errors.Is(err, ErrLaw) {
		t.Errorf("no mean: error %v, want ErrLaw", err)
	}
	noTail := Lattice{Span: 1, CDF: []float64{0.5, 1}, LogAmplitude: -inf}
	for name, l := range map[string]Lattice{
		"shift NaN":      {Span: 0.1, Shift: nan, Rate: 1, LogAmplitude: -1},
		"shift Inf":      {Span: 0.1, Shift: inf, Rate: 1, LogAmplitude: -1},
		"span 0":         {Rate: 1, LogAmplitude: -1},
		"no tail, 0.5":   {Span: 1, CDF: []float64{0.5}, LogAmplitude: -inf},
		"nothing at all": {Span: 1, LogAmplitude: -inf},
	} {
		if _, err := l.W1Law(limit.Boundary{}); !errors.Is(err, ErrLattice) {
			t.Errorf("%s: W1Law error %v, want ErrLattice", name, err)
		}
		if _, err := l.Law(); !errors.Is(err, ErrLattice) {
			t.Errorf("%s: Law error %v, want ErrLattice", name, err)
		}
	}
	if _, err := geometricLattice(1e-9, 0, 1e-9).W1Law(limit.Boundary{}); !errors.Is(err, ErrLattice) {
		t.Errorf("4e10 cells: error %v, want ErrLattice", err)
	}
	shifted := good
	shifted.Shift = 1
	for _, l := range []Lattice{noTail, shifted} {
		if _, err := l.W1(limit.Exponential{Mean: 1}, 0); !errors.Is(err, ErrLattice) {
			t.Errorf("W1 of %+v: error %v, want ErrLattice", l, err)
		}
	}
	for _, counts := range [][]int64{nil, {0, 0}, {1, -1}} {
		if _, err := NewLatticeOfCounts(1, 0, counts); !errors.Is(err, ErrLattice) {
			t.Errorf("counts %v: error %v, want ErrLattice", counts, err)
		}
	}
	if _, err := NewLatticeOfCounts(nan, 0, []int64{1}); !errors.Is(err, ErrLattice) {
		t.Errorf("span NaN: error %v, want ErrLattice", err)
	}
}

func BenchmarkLatticeW1LawGamma1e5Cells(b *testing.B) {
	l := geometricLattice(1e-3, 10, 42e-5)
	b.ReportAllocs()
	for range b.N {
		if _, err := l.W1Law(limit.Gamma{Shape: 2, Rate: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
