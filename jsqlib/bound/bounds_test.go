package bound

import (
	"context"
	"math"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/near"
	"jsqlab/jsqlib/law"
	"jsqlab/jsqlib/record"
	"jsqlab/jsqlib/sim"
)

func TestPaperR(t *testing.T) {
	for _, c := range []struct {
		n     int
		alpha float64
		want  int
	}{
		{100, 4.5, 4 * 5}, {2, 2.5, 2}, {3, 1.5, 2}, {8, 5, 4 * 3}, {20, 2, 3}, {21, 2, 4}, {100000, 10.25, 10 * 12},
		{100, 1 + 1e-9, 5},
		{100, 3.0000000000000004, 10}, // from a gap of 1e-6 by logarithms
	} {
		got, err := PaperR(c.n, c.alpha)
		if err != nil || got != c.want {
			t.Errorf("PaperR(%d, %v) = %d, %v; want %d", c.n, c.alpha, got, err, c.want)
		}
	}
	for _, c := range []struct {
		n              int
		alpha          float64
		argument, text string
	}{
		{1, 5, "servers", "servers = 1: want 2 <="},
		{0, 5, "servers", "servers = 0"},
		{jsqlib.MaxServers + 1, 5, "servers", "servers <= 100000"},
		{10, 1, "alpha", "alpha = 1: want alpha > 1"},
		{10, 0.5, "alpha", "alpha > 1"},
		{10, -3, "alpha", "alpha > 1"},
		{10, math.NaN(), "alpha", "alpha > 1"},
		{10, math.Inf(1), "alpha", "alpha > 1"},
		{2, 2, "alpha", "below 2"},
		{2, 1.01, "alpha", "below 2"},
		{100, 1e5, "alpha", "<= 10000"},
	} {
		_, err := PaperR(c.n, c.alpha)
		wantArgument(t, err, c.argument, c.text)
	}
}

func TestHoelder(t *testing.T) {
	c := mustConstants(t, jsqlib.Model{Servers: 100, Alpha: 4.5})
	got, err := Hoelder(c, 7, 20)
	if err != nil {
		t.Fatal(err)
	}
	near.Rel(t, "Hölder", got, 100*7*math.Sqrt(2)*math.Pow(100, 3.5/20), 1e-14)
	// a gap given directly, eps = 20
	c = mustConstants(t, jsqlib.Model{Servers: 100, Gap: 0.2})
	if got, err = Hoelder(c, 7, 2); err != nil {
		t.Fatal(err)
	}
	near.Rel(t, "Hölder at eps = 20", got, 700*math.Sqrt(2)/math.Sqrt(20), 1e-14)
	for _, r := range []int{-1, 0, 1, MaxOrder + 1} {
		_, err := Hoelder(c, 7, r)
		wantArgument(t, err, "r", "want 2 <= r")
	}
	for _, m := range []float64{-1, math.NaN()} {
		_, err := Hoelder(c, m, 2)
		wantArgument(t, err, "momentRoot", "momentRoot >= 0")
	}
}

// With the paper's r the gap costs a factor e at most.
func TestPaperRCostsE(t *testing.T) {
	r := newRand(11)
	for range 300 {
		s := randomSystem(r, 3+r.IntN(1000))
		s.Gap, s.Alpha = 0, 1.01+8*r.Float64()
		a, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		b, err := a.Paper()
		if err != nil {
			t.Fatal(err)
		}
		limit := math.E * math.Sqrt(float64(a.Constants.SMax)) * float64(s.Servers) * b.MomentRoot
		if b.HoelderBoundary > limit*(1+1e-12) {
			t.Fatalf("%+v: Hölder bound %g above e sqrt(S_max) N M_r = %g", s, b.HoelderBoundary, limit)
		}
	}
}

// The search finds what a look at every r finds, with the textbook eta and with
// the best one.
func TestBestR(t *testing.T) {
	r := newRand(12)
	for i := range 40 {
		s := randomSystem(r, 2+r.IntN(300))
		s.Gap = math.Pow(10, -60*math.Pow(r.Float64(), 2)) * 0.9
		c, d := mustConstants(t, s), mustDrift(t, s)
		for _, optimise := range []bool{false, true} {
			if optimise && i%8 > 0 {
				continue
			}
			got, x, err := BestR(c, d, optimise)
			if err != nil {
				t.Fatal(err)
			}
			at := func(r int) float64 {
				y := d
				if optimise {
					y, _ = d.Optimised(r)
				}
				m, err := y.MomentRoot(r)
				if err != nil {
					t.Fatal(err)
				}
				h, err := Hoelder(c, m, r)
				if err != nil {
					t.Fatal(err)
				}
				return h
			}
			best := 2
			for r := 3; r < 400; r++ {
				if at(r) < at(best) {
					best = r
				}
			}
			if got != best && !(math.Abs(at(got)/at(best)-1) < 1e-9) {
				t.Errorf("%+v: best r = %d (%g), want %d (%g)", s, got, at(got), best, at(best))
			}
			m, err := x.MomentRoot(got)
			if err != nil {
				t.Fatal(err)
			}
			h, err := Hoelder(c, m, got)
			if err != nil {
				t.Fatal(err)
			}
			near.Rel(t, "bound of the drift returned", h, at(got), 1e-14)
			if !optimise && x != d {
				t.Errorf("drift %+v returned for %+v", x, d)
			}
		}
	}
	_, _, err := BestR(mustConstants(t, jsqlib.Model{Servers: 3, Gap: 0.1}), Drift{}, true)
	wantArgument(t, err, "d", "NewDrift")
	_, _, err = BestR(mustConstants(t, jsqlib.Model{Servers: 3, Gap: 0.1}), mustDrift(t, jsqlib.Model{Servers: 4, Gap: 0.1}), true)
	wantArgument(t, err, "d", "same system")
}

func TestArgumentErrors(t *testing.T) {
	_, err := New(jsqlib.Model{Servers: 1, Gap: 0.1})
	wantArgument(t, err, "servers", "servers >= 2")
	_, err = New(jsqlib.Model{Servers: 3, Gap: 0.1, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 1}})
	wantArgument(t, err, "policy", "jsq")
	for _, s := range []jsqlib.Model{{Servers: 3}, {Servers: 3, Gap: 1.1}, {Servers: 3, Alpha: -1}, {Servers: 0, Gap: 0.1}} {
		if _, err := New(s); err == nil {
			t.Errorf("%+v: no error", s)
		}
	}
	a, err := New(jsqlib.Model{Servers: 4, Alpha: 0.9})
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Paper()
	wantArgument(t, err, "alpha", "alpha > 1")
	_, err = a.At(1, a.Drift)
	wantArgument(t, err, "r", "r = 1: want 2 <= r")
	if b, err := a.At(2, a.Drift); err != nil || !(b.LimitStein > 0) {
		t.Errorf("alpha = 0.9 with r = 2: %+v, %v", b, err)
	}
}

// For every r the bounds fall in alpha, and so do the best bounds.
func TestBoundsDecreaseInAlpha(t *testing.T) {
	r := newRand(13)
	for range 20 {
		s := randomSystem(r, 2+r.IntN(200))
		s.Gap = 0
		order := 2 + r.IntN(40)
		fixed, best := math.Inf(1), math.Inf(1)
		for alpha := 1.5; alpha < 12; alpha += 0.25 {
			s.Alpha = alpha
			a, err := New(s)
			if err != nil {
				t.Fatal(err)
			}
			b, err := a.At(order, a.Drift)
			if err != nil {
				t.Fatal(err)
			}
			c, err := a.Best()
			if err != nil {
				t.Fatal(err)
			}
			if !(b.LimitStein < fixed && c.LimitStein < best && c.Stein <= b.Stein*(1+1e-12)) {
				t.Fatalf("%+v r = %d: bound %g after %g, best %g after %g", s, order, b.LimitStein, fixed, c.LimitStein, best)
			}
			fixed, best = b.LimitStein, c.LimitStein
		}
	}
}

// Relative to m the paper's choice is vacuous at small N, and at alpha = 4.5 it is not
// from some N on; at alpha = 3 it always is.
func TestVacuous(t *testing.T) {
	at := func(n int, alpha float64) Bounds {
		a, err := New(jsqlib.Model{Servers: n, Alpha: alpha})
		if err != nil {
			t.Fatal(err)
		}
		b, err := a.Paper()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, c := range []struct {
		n       int
		alpha   float64
		vacuous bool
	}{{8, 4.5, true}, {64, 3, true}, {10000, 3, true}, {10000, 4.5, false}, {64, 6, false}} {
		if b := at(c.n, c.alpha); b.Vacuous() != c.vacuous {
			t.Errorf("N = %d, alpha = %g: bound %g, m = %g: want vacuous %v", c.n, c.alpha, b.LimitStein, b.LimitMean, c.vacuous)
		}
	}
	// the order N^(3-alpha) log N: a factor 10 in N at alpha = 4.5, r from 20 to 28
	ratio := at(10000, 4.5).Stein / at(1000, 4.5).Stein
	near.Rel(t, "ratio of bounds", ratio, math.Pow(10, -1.5)*40/28, 0.15)
}

// The ladder: lower certificate <= W1 <= Stein with the measured boundary term <= Stein with
// the Hölder step and SSC constants, at every point. The first three move with the same
// estimate; N = 2, 3, where one slot is a large step, have loose certificates.
func TestLadder(t *testing.T) {
	servers := []int{2, 3, 4, 8, 16, 64, 256}
	if testing.Short() {
		servers = servers[:5]
	}
	for _, n := range servers {
		relError, replications := 0.05, 0
		if n > 100 { // what warms up the replications is most of the work
			relError, replications = 0.2, 8
		}
		for _, alpha := range []float64{2.5, 3, 4, 4.5, 6} {
			s := jsqlib.Model{Servers: n, Alpha: alpha}
			d, err := record.Distance(context.Background(), s, sim.BoundaryOptions{Options: sim.Options{Seed: 3, RelError: relError, Replications: replications}})
			if err != nil {
				t.Fatal(err)
			}
			a, err := New(s)
			if err != nil {
				t.Fatal(err)
			}
			paper, err := a.Paper()
			if err != nil {
				t.Fatal(err)
			}
			best, err := a.Best()
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("N = %3d, alpha = %3.1f: %9.3g <= %9.3g <= %9.3g <= best %9.3g (r = %2d) <= paper %9.3g (r = %2d); E[U Q+]/E U = %9.4g <= %9.3g <= %9.3g",
				n, alpha, d.CertificateLow, d.W1.Value, d.CertificateHigh, best.LimitStein, best.R, paper.LimitStein, paper.R,
				d.Boundary.BoundaryMean.Value, best.HoelderBoundary, paper.HoelderBoundary)
			if !(0 <= d.CertificateLow && d.CertificateLow <= d.W1.Value && d.W1.Value <= d.CertificateHigh &&
				d.CertificateHigh <= best.LimitStein && best.LimitStein <= paper.LimitStein) {
				t.Errorf("N = %d, alpha = %g: the ladder is out of order", n, alpha)
			}
			if !(d.Boundary.BoundaryMean.High < best.HoelderBoundary && d.Boundary.BoundarySecond.High < best.BoundarySecond) {
				t.Errorf("N = %d, alpha = %g: a boundary bound is below the boundary", n, alpha)
			}
			// at the estimates themselves, not the ends of their intervals
			certificate, err := d.Total.Kernel().Certificate(d.Boundary.BoundaryMean.Value, d.Boundary.BoundarySecond.Value)
			if err != nil {
				t.Fatal(err)
			}
			if ratio := certificate.LimitHigh / d.W1.Value; n >= 64 && alpha >= 3 && ratio > 1.1 {
				t.Errorf("N = %d, alpha = %g: the Stein bound is %.3g W1, want within 10 %%", n, alpha, ratio)
			}
		}
	}
}

// The ladder against the exact law of two servers, where nothing is estimated.
func TestLadderExact(t *testing.T) {
	for _, s := range []jsqlib.Model{
		{Servers: 2, Gap: 0.3}, {Servers: 2, Gap: 0.2, Routing: jsqlib.Job},
		{Servers: 2, Gap: 0.25, Arrivals: jsqlib.PMF{0.4, 0.3, 0.2, 0.1}, Service: jsqlib.PMF{0, 1}},
	} {
		truth := smallChain(t, s, 45)
		total, err := law.New(truth.c, truth.boundary)
		if err != nil {
			t.Fatal(err)
		}
		w, err := total.W1ToLimit()
		if err != nil {
			t.Fatal(err)
		}
		certificate, err := total.Kernel().Certificate(truth.mean, truth.second)
		if err != nil {
			t.Fatal(err)
		}
		a, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		best, err := a.Best()
		if err != nil {
			t.Fatal(err)
		}
		if !(certificate.LimitLow <= w && w <= certificate.LimitHigh && certificate.LimitHigh <= best.LimitStein) {
			t.Errorf("%+v: %g <= %g <= %g <= %g fails", s, certificate.LimitLow, w, certificate.LimitHigh, best.LimitStein)
		}
		if !(truth.mean <= best.HoelderBoundary && truth.second <= best.BoundarySecond) {
			t.Errorf("%+v: boundary %g, %g above %g, %g", s, truth.mean, truth.second, best.HoelderBoundary, best.BoundarySecond)
		}
	}
}

// The bound against Exp(m) is longer than that against Exp(m_N) by |m_N - m|.
func TestLimitStein(t *testing.T) {
	a, err := New(jsqlib.Model{Servers: 4, Gap: 0.5, Arrivals: jsqlib.PMF{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := a.At(3, a.Drift)
	if err != nil {
		t.Fatal(err)
	}
	c := a.Constants
	near.Rel(t, "m_N - m", b.LimitStein-b.Stein, math.Abs(c.MeanN-c.LimitMean), 1e-9)
	near.Rel(t, "Stein bound", b.Stein, c.Gap*(b.HoelderBoundary+8.0/2+c.Eps/2)+c.Gap*c.Gap*a.kernel.AbsThirdMoment()/(3*c.MeanN*c.Eps), 1e-12)
}

func TestExponent(t *testing.T) {
	x, err := PaperExponent(4.5, 1.25)
	if err != nil || math.Abs(x-(4-9-3.5/1.25)) > 1e-14 {
		t.Errorf("exponent %v, %v", x, err)
	}
	x, err = PaperRelativeExponent(4.5, 1)
	if err != nil || math.Abs(x+0.5) > 1e-14 {
		t.Errorf("relative exponent at p = 1: %v, %v; want 4 - alpha", x, err)
	}
	// below 0 for p near 1 exactly when alpha > 4
	for _, alpha := range []float64{3.9, 4, 4.1} {
		x, err := PaperRelativeExponent(alpha, Conjugate(1e6))
		if err != nil || (x < 0) != (alpha > 4) {
			t.Errorf("alpha = %g: relative exponent %g, %v", alpha, x, err)
		}
	}
	if p := Conjugate(20); math.Abs(1/p+1.0/20-1) > 1e-15 || Conjugate(math.Inf(1)) != 1 || !math.IsNaN(Conjugate(1)) || !math.IsNaN(Conjugate(math.NaN())) {
		t.Errorf("conjugate of 20: %v", p)
	}
	for _, alpha := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		_, err := PaperExponent(alpha, 1)
		wantArgument(t, err, "alpha", "alpha > 0")
	}
	for _, p := range []float64{0.9, math.NaN()} {
		_, err := PaperRelativeExponent(4, p)
		wantArgument(t, err, "p", "p >= 1")
	}
}
