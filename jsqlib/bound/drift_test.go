package bound

import (
	"math"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/exact"
	"jsqlab/jsqlib/internal/near"
)

func TestDriftConstants(t *testing.T) {
	// the reference system at N = 4, e = 1/4: s_a^2 = (9/16)/2 + 3/16 = 15/32, lam = 3
	d := mustDrift(t, jsqlib.Model{Servers: 4, Gap: 0.25})
	near.Rel(t, "K_perp", d.KPerp, 0.75*(4*15.0/32+9+4*0.5), 1e-15)
	near.Rel(t, "slope", d.Slope, 3/math.Sqrt(12), 1e-15)
	near.Rel(t, "D", d.Jump, 2*math.Sqrt(12)+2, 1e-15)
	near.Rel(t, "eta", d.Eta, d.Slope/2, 1e-15)
	near.Rel(t, "kappa", d.Kappa, d.KPerp/d.Slope, 1e-15)
	if got := d.Line(d.Kappa) + d.Eta; math.Abs(got) > 1e-15 {
		t.Errorf("line at kappa + eta = %g, want 0", got)
	}
	x, err := d.WithEta(d.Slope / 4)
	if err != nil {
		t.Fatal(err)
	}
	near.Rel(t, "line at kappa", x.Line(x.Kappa), -d.Slope/4, 1e-14)
}

func TestDriftErrors(t *testing.T) {
	_, err := NewDrift(jsqlib.Model{Servers: 1, Gap: 0.1})
	wantArgument(t, err, "servers", "servers = 1: want servers >= 2")
	_, err = NewDrift(jsqlib.Model{Servers: 4, Gap: 0.1, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 2}})
	wantArgument(t, err, "policy", "pod:2")
	for _, gap := range []float64{-0.1, 0, 1, 1.5, math.NaN(), math.Inf(1)} { // unstable or no number
		if _, err := NewDrift(jsqlib.Model{Servers: 4, Gap: gap}); err == nil {
			t.Errorf("gap %v: no error", gap)
		}
	}
	d := mustDrift(t, jsqlib.Model{Servers: 4, Gap: 0.1})
	for _, eta := range []float64{0, -1, d.Slope, 2 * d.Slope, math.NaN()} {
		_, err := d.WithEta(eta)
		wantArgument(t, err, "eta", "want 0 < eta")
	}
	_, err = d.Optimised(0)
	wantArgument(t, err, "r", "r = 0")

}

// The exact drift is below the line in every state, at the boundary and above it,
// for random systems of two and three servers under both routing units.
func TestMeanDriftBelowLine(t *testing.T) {
	r := newRand(1)
	positive := 0
	for range 24 {
		s := randomSystem(r, 2+r.IntN(2))
		d := mustDrift(t, s)
		for range 60 {
			q := make([]int64, s.Servers)
			for i := range q {
				q[i] = int64(r.IntN(4)) * int64(r.IntN(12))
			}
			l := math.Sqrt(jsqlib.PerpNorm2(q))
			drift, err := exact.MeanDrift(s, q)
			if err != nil {
				t.Fatal(err)
			}
			if drift > d.Line(l)+1e-12 {
				t.Fatalf("%+v, q = %v: drift %g above the line %g", s, q, drift, d.Line(l))
			}
			if drift > 0 {
				positive++
			}
		}
	}
	if positive == 0 {
		t.Error("no state with positive drift seen")
	}
}

// The line is the truth to first order in 1/L where the inequality for Q/N - q_min is an
// equality: one long queue and N-1 equal short ones, far above the boundary, and
// N = 2, where L is |q_1 - q_2|/sqrt(2) and the second-order term of L^+ vanishes.
func TestLineIsSharp(t *testing.T) {
	s := jsqlib.Model{Servers: 2, Gap: 0.01}
	d := mustDrift(t, s)
	drift, err := exact.MeanDrift(s, []int64{1000, 2000})
	if err != nil {
		t.Fatal(err)
	}
	near.Rel(t, "drift at a difference of 1000", drift, -d.Slope, 1e-12)

	s.Servers = 3
	d = mustDrift(t, s)
	for _, far := range []int64{1000, 10000} {
		drift, err := exact.MeanDrift(s, []int64{1000, 1000, 1000 + far})
		if err != nil {
			t.Fatal(err)
		}
		l := float64(far) * math.Sqrt(2.0/3)
		if rest := (drift + d.Slope) * l / d.KPerp; !(rest > 0 && rest < 0.5) {
			t.Errorf("L = %g: drift + slope = %g K_perp/L, want between 0 and 1/2", l, rest)
		}
	}
}

// MeanDrift is the mean of the reference recursion within five standard errors,
// and no slot moves L by more than D.
func TestMeanDriftAgainstSteps(t *testing.T) {
	r := newRand(2)
	for range 12 {
		s := randomSystem(r, 2+r.IntN(3))
		c, d := mustConstants(t, s), mustDrift(t, s)
		q := make([]int64, s.Servers)
		for i := range q {
			q[i] = int64(r.IntN(6))
		}
		l := math.Sqrt(jsqlib.PerpNorm2(q))
		want, err := exact.MeanDrift(s, q)
		if err != nil {
			t.Fatal(err)
		}
		const n = 20000
		s1, s2 := 0.0, 0.0
		for range n {
			x := math.Sqrt(jsqlib.PerpNorm2(s.Step(c, q, r).After)) - l
			if math.Abs(x) > d.Jump {
				t.Fatalf("%+v: L moved by %g, D = %g", s, x, d.Jump)
			}
			s1 += x
			s2 += x * x
		}
		mean := s1 / n
		if se := math.Sqrt((s2/n - mean*mean) / n); math.Abs(mean-want) > 5*se {
			t.Errorf("%+v, q = %v: mean drift %g, simulated %g +- %g", s, q, want, mean, se)
		}
	}
}

// The largest jump is within 15 % of D: all arrivals at their largest into one queue
// while half of the servers offer nothing.
func TestJumpIsNearlyReached(t *testing.T) {
	d := mustDrift(t, jsqlib.Model{Servers: 8, Gap: 0.1})
	q := []int64{100, 100, 100, 100, 100, 100, 100, 100}
	served := []int64{0, 0, 0, 0, 2, 2, 2, 2}
	a := []int64{16, 0, 0, 0, 0, 0, 0, 0}
	x := math.Sqrt(jsqlib.PerpNorm2(jsqlib.Serve(q, a, served).After))
	if x > d.Jump || x < 0.85*d.Jump {
		t.Errorf("jump %g, D = %g", x, d.Jump)
	}
}
