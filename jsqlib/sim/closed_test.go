package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/reps"
)

// TestDirectClosedFormOneServer: N = 1 with at most one service a slot has
// E q = (s_a^2 + s_s^2 + eps^2 - eps)/(2 eps), as Q^+ U = 0 and U^2 = U.
func TestDirectClosedFormOneServer(t *testing.T) {
	for _, c := range []struct {
		arrivals jsqlib.PMF
		routing  jsqlib.Routing
		gap      float64
	}{
		{jsqlib.Binomial(3), jsqlib.Batch, 0.1}, {jsqlib.Binomial(3), jsqlib.Job, 0.1}, {bursts, jsqlib.Batch, 0.3},
		{nil, jsqlib.Batch, 0.6}, {rare, jsqlib.Job, 0.2},
	} {
		s := jsqlib.Model{Servers: 1, Gap: c.gap, Arrivals: c.arrivals, Service: fixed, Routing: c.routing}
		k := constants(t, s)
		got, err := Direct(background, s, Options{Seed: 1, RelError: loose(0.01)})
		if err != nil {
			t.Fatal(err)
		}
		want := (k.ArrivalVar + k.ServiceVar + k.Eps*k.Eps - k.Eps) / (2 * k.Eps)
		what := fmt.Sprintf("E q of %+v", c)
		near4(t, what, got.MeanTotal, want, 0.005*want)
		near4(t, "E U", got.MeanUnused, k.Eps, 0.02*k.Eps)
		if got.BoundaryMean.Value != 0 || got.BoundarySecond.Value != 1 || got.QtildeMean.Value != 0 || got.PerpSecondMoment.Value != 0 {
			t.Errorf("%s: E[U Q^+]/E U = %v, E[U^2]/E U = %v, E Q~ = %v, E||q_perp||^2 = %v: want 0, 1, 0, 0",
				what, got.BoundaryMean, got.BoundarySecond, got.QtildeMean, got.PerpSecondMoment)
		}
		quiet(t, what, got.Warnings)
	}
}

// TestDirectReferenceExact: stationary values of the reference system from its
// numerically solved chain, by every engine that can run it.
func TestDirectReferenceExact(t *testing.T) {
	type values struct{ q, perp, boundary, empty float64 }
	for _, c := range []struct {
		n    int
		want values
		rel  float64
	}{
		{2, values{0.7684999279, 0.456720632, 0.3522226263, 0.5313833052}, 0.006},
		{3, values{2.486770646, 2.304449101, math.NaN(), math.NaN()}, 0.008},
	} {
		s := jsqlib.Model{Servers: c.n, Alpha: 1}
		k := constants(t, s)
		for _, name := range []string{"packed", "lazy", "dense"} {
			ch, _, err := newChain(s)
			if err != nil {
				t.Fatal(err)
			}
			ch.engine = map[string]func(*rand.PCG, plan) engine{
				"packed": func(r *rand.PCG, p plan) engine { return newPacked(k, r, p) },
				"lazy":   func(r *rand.PCG, p plan) engine { return newLazy(k, r, p) },
				"dense":  func(r *rand.PCG, p plan) engine { return newDense(&s, k, r, p) },
			}[name]
			got, err := direct(background, ch, Options{Seed: 2, RelError: loose(c.rel)}, "exact "+name, 1)
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("N = %d, %s: ", c.n, name)
			near4(t, name+"E Q", got.MeanTotal, c.want.q, c.rel*c.want.q)
			near4(t, name+"E||q_perp||^2", got.PerpSecondMoment, c.want.perp, 2*c.rel*c.want.perp)
			near4(t, name+"E U", got.MeanUnused, k.Eps, c.rel)
			if !math.IsNaN(c.want.boundary) {
				near4(t, name+"E[U Q^+]/E U", got.BoundaryMean, c.want.boundary, 0.004)
				near4(t, name+"P(Q = 0)", got.Average(isZero), c.want.empty, 0.004)
			}
			// E Q = (v + eps^2)/(2 eps) + E Q~ - 1/2
			near4(t, name+"E Q~", got.QtildeMean, c.want.q-(k.V+k.Eps*k.Eps)/(2*k.Eps)+0.5, 0.01)
			quiet(t, name, got.Warnings)
		}
	}
}

func isZero(q int) float64 {
	if q == 0 {
		return 1
	}
	return 0
}

// TestDirectCTOneServer: M/M/1.
func TestDirectCTOneServer(t *testing.T) {
	for _, load := range []float64{0.3, 0.8} {
		got, err := Direct(background, jsqlib.Model{Continuous: true, Servers: 1, Gap: 1 - load}, Options{Seed: 3, RelError: loose(0.01)})
		if err != nil {
			t.Fatal(err)
		}
		want := load / (1 - load)
		near4(t, "E Q", got.MeanTotal, want, 0.006*want)
		second := load * (1 + load) / (1 - load) / (1 - load)
		near4(t, "E Q^2", got.SecondMoment, second, 0.03*second)
		for n := range 40 {
			want := (1 - load) * math.Pow(load, float64(n))
			if want < 1e-3 {
				break
			}
			got := got.Average(func(q int) float64 { return isZero(q - n) })
			near4(t, fmt.Sprintf("P(Q = %d)", n), got, want, 0.003)
		}
		if got.QtildeMean.Value != 0 || got.BoundaryMean.Value != 0 {
			t.Errorf("E Q~ = %v, E[I Q]/E I = %v, want 0", got.QtildeMean, got.BoundaryMean)
		}
		quiet(t, "M/M/1", got.Warnings)
	}
}

// TestDirectCTExact: E Q of the continuous-time twin from its numerically
// solved chain, and the split E Q = lambda/(1 - lambda) + E Q~.
func TestDirectCTExact(t *testing.T) {
	for _, c := range []struct {
		n               int
		load, want, rel float64
	}{
		{2, 0.5, 1.4263207512, 0.004}, {2, 0.7, 2.9514761835, 0.006}, {2, 0.9, 9.8548430782, 0.01}, {3, 0.9, 10.7525394, 0.01},
	} {
		s := jsqlib.Model{Continuous: true, Servers: c.n, Gap: 1 - c.load}
		got, err := Direct(background, s, Options{Seed: 4, RelError: loose(c.rel)})
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("N = %d, load %g: ", c.n, c.load)
		near4(t, name+"E Q", got.MeanTotal, c.want, c.rel/1.9*c.want)
		near4(t, name+"E I", got.MeanUnused, float64(c.n)*s.Gap, 0.01*float64(c.n))
		near4(t, name+"E Q~", got.QtildeMean, c.want-c.load/(1-c.load), 0.02)
		quiet(t, name, got.Warnings)
	}
}

// TestCTTwoServersEqual: P(q_1 = q_2) = 1/(1 + 2 lambda), from the engine and
// from a sample path of the reference chain. The drift of |q_1 - q_2| is 0 in
// steady state, so with p = P(q_1 = q_2), p_0 = P(Q = 0) and p_1 the probability
// of one idle server
//
//	2 lambda p + 2 (p - p_0) = 2 lambda (1 - p) + p_1,
//
// and E I = 2 p_0 + p_1 = 2 (1 - lambda).
func TestCTTwoServersEqual(t *testing.T) {
	alone(t)
	s := jsqlib.Model{Continuous: true, Servers: 2, Gap: 0.3}
	const want = 1 / (1 + 2*0.7)
	c := constantsCT(t, s)
	var x []float64
	for r := range 24 {
		e := newCT(&s, c, reps.Stream("jsqlab", 5, "equal", r), plan{stride: 1})
		e.run(2000, &tally{})
		n, equal, tl := draws(30_000), 0, &tally{}
		for range n {
			e.run(1, tl)
			if e.q[0] == e.q[1] {
				equal++
			}
		}
		x = append(x, float64(equal)/float64(n))
	}
	near4(t, "P(q_1 = q_2), engine", reps.Mean(x), want, 0.005)

	x = nil
	for r := range 24 {
		p, err := SamplePath(s, PathOptions{Seed: uint64(r), Steps: draws(20_000)})
		if err != nil {
			t.Fatal(err)
		}
		equal := 0
		for k := range p.Time {
			if p.Queues[0][k] == p.Queues[1][k] {
				equal++
			}
		}
		x = append(x, float64(equal)/float64(len(p.Time)))
	}
	near4(t, "P(q_1 = q_2), path", reps.Mean(x), want, 0.006)
}

// TestDirectPoliciesCheckThemselves: no closed form, but E U = eps, Little's
// law and the identity of the boundary hold for every rule and law.
func TestDirectPoliciesCheckThemselves(t *testing.T) {
	for _, s := range []jsqlib.Model{
		{Servers: 5, Gap: 0.2, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 2}},
		{Servers: 5, Gap: 0.2, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 1}, Routing: jsqlib.Job},
		{Servers: 5, Gap: 0.2, Policy: again(1), Service: skewed}, {Servers: 20, Gap: 0.1, Policy: again(3), Arrivals: rare},
		{Servers: 5, Gap: 0.2, Policy: again(5), Routing: jsqlib.Job}, {Servers: 40, Gap: 0.1, Policy: pod(2), Routing: jsqlib.Job, Service: two},
		{Servers: 4, Gap: 0.2, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 3}, Routing: jsqlib.Job, Service: skewed},
		{Servers: 40, Gap: 0.05},
		{Servers: 6, Gap: 0.1, Service: skewed, Arrivals: rare},
		{Servers: 6, Gap: 0.1, Service: fixed, Arrivals: bursts},
		{Servers: 40, Gap: 0.05, Routing: jsqlib.Job, Service: two},
	} {
		o := Options{Seed: 6, RelError: loose(0.05)}
		got, err := Direct(background, s, o)
		if err != nil {
			t.Fatal(err)
		}
		quiet(t, fmt.Sprintf("%+v", s), got.Warnings)
		near4(t, fmt.Sprintf("E U of %+v", s), got.MeanUnused, float64(s.Servers)*s.Gap, 0.05*float64(s.Servers)*s.Gap)
	}
	for _, p := range []jsqlib.Policy{pod(1), pod(2), again(1), again(2), again(6)} {
		got, err := Direct(background, jsqlib.Model{Continuous: true, Servers: 6, Gap: 0.1, Policy: p}, Options{Seed: 6, RelError: loose(0.05)})
		if err != nil {
			t.Fatal(err)
		}
		quiet(t, fmt.Sprintf("CT %v", p), got.Warnings)
		if p.Choices == 1 { // six M/M/1
			near4(t, "CT "+p.String()+", E Q", got.MeanTotal, 6*0.9/0.1, 2)
		}
	}
}
