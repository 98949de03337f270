package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/exact"
	"jsqlab/jsqlib/internal/reps"
)

func pod(d int) jsqlib.Policy { return jsqlib.Policy{Rule: jsqlib.Pod, Choices: d} }

// again is pod with replacement.
func again(d int) jsqlib.Policy { return jsqlib.Policy{Rule: jsqlib.PodReplacement, Choices: d} }

// TestPodExact holds direct simulation and the boundary estimator against the
// numerically solved chains of power of d, and the dense engine beside them.
func TestPodExact(t *testing.T) {
	alone(t)
	const tolerance = 1e-5 // far below the errors of the simulations
	systems := []jsqlib.Model{
		{Servers: 3, Gap: 0.2, Policy: pod(2)},
		{Servers: 3, Gap: 0.2, Policy: pod(2), Routing: jsqlib.Job},
		{Servers: 2, Gap: 0.1, Policy: again(2), Routing: jsqlib.Job, Service: skewed},
		// seconds each to solve
		{Servers: 3, Gap: 0.2, Policy: again(2)},
		{Servers: 3, Gap: 0.2, Policy: again(3), Routing: jsqlib.Job},
		{Servers: 2, Gap: 0.1, Policy: again(2), Service: skewed, Arrivals: bursts},
	}
	if testing.Short() {
		systems = systems[:3]
	}
	for _, s := range systems {
		want, err := exact.Solve(background, s, exact.Options{Tolerance: tolerance})
		if err != nil {
			t.Fatal(err)
		}
		ch, c, err := newChain(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"", "dense "} {
			if name != "" {
				ch.engine = func(r *rand.PCG, p plan) engine { return newDense(&s, &c, r, p) }
			}
			got, err := direct(background, ch, Options{Seed: 21, RelError: loose(0.015)}, name+"pod", 1)
			if err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("%s%+v: ", name, s)
			near4(t, what+"E Q", got.MeanTotal, want.MeanTotal, 0.01*want.MeanTotal)
			near4(t, what+"E||q_perp||^2", got.PerpSecondMoment, want.PerpSecondMoment, 0.02*want.PerpSecondMoment)
			near4(t, what+"E Q~", got.QtildeMean, want.QtildeMean, 0.02*want.QtildeMean+0.02)
			near4(t, what+"P(Q = 0)", got.Average(isZero), want.TotalLaw[0], 0.004)
			quiet(t, what, got.Warnings)
		}
		b, err := Boundary(background, s, BoundaryOptions{Estimator: Climb, Options: Options{Seed: 22, RelError: loose(0.01)}})
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("boundary of %+v: ", s)
		near4(t, what+"E Q~", b.QtildeMean, want.QtildeMean, 0.04)
		near4(t, what+"E[U^2]/E U", b.BoundarySecond, want.BoundarySecond, 0.02)
		quiet(t, what, b.Warnings)
	}
	for _, s := range []jsqlib.Model{
		{Continuous: true, Servers: 3, Gap: 0.1, Policy: pod(2)}, {Continuous: true, Servers: 3, Gap: 0.1, Policy: again(2)}, {Continuous: true, Servers: 3, Gap: 0.1, Policy: again(3)},
	} {
		want, err := exact.Solve(background, s, exact.Options{Tolerance: tolerance})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Direct(background, s, Options{Seed: 23, RelError: loose(0.01)})
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("CT %v: ", s.Policy)
		near4(t, what+"E Q", got.MeanTotal, want.MeanTotal, 0.006*want.MeanTotal)
		near4(t, what+"E||q_perp||^2", got.PerpSecondMoment, want.PerpSecondMoment, 0.02*want.PerpSecondMoment)
		quiet(t, what, got.Warnings)
		b, err := Boundary(background, s, BoundaryOptions{Estimator: Climb, Options: Options{Seed: 24, RelError: loose(0.01)}})
		if err != nil {
			t.Fatal(err)
		}
		near4(t, what+"E Q~", b.QtildeMean, want.QtildeMean, 0.03)
		quiet(t, what, b.Warnings)
	}
}

// TestPodEngines holds the fast engines against the dense one where no chain can
// be solved.
func TestPodEngines(t *testing.T) {
	alone(t)
	for _, s := range []jsqlib.Model{
		{Servers: 30, Gap: 0.1, Policy: pod(2)},
		{Servers: 30, Gap: 0.2, Policy: again(20), Service: skewed},
		{Servers: 12, Gap: 0.2, Policy: pod(1), Arrivals: bursts},
		{Servers: 30, Gap: 0.1, Policy: again(2), Routing: jsqlib.Job},
		{Servers: 30, Gap: 0.1, Policy: pod(15), Routing: jsqlib.Job, Service: two},
	} {
		ch, c, err := newChain(s)
		if err != nil {
			t.Fatal(err)
		}
		o, stride := Options{Seed: 25, RelError: loose(0.03)}, int64(s.Servers)
		fast, err := direct(background, ch, o, "fast", stride)
		if err != nil {
			t.Fatal(err)
		}
		ch.engine = func(r *rand.PCG, p plan) engine { return newDense(&s, &c, r, p) }
		slow, err := direct(background, ch, o, "dense", stride)
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("%+v: ", s)
		agree(t, what+"E Q", fast.MeanTotal, slow.MeanTotal)
		agree(t, what+"E Q^2", fast.SecondMoment, slow.SecondMoment)
		agree(t, what+"E||q_perp||^2", fast.PerpSecondMoment, slow.PerpSecondMoment)
		agree(t, what+"E Q~", fast.QtildeMean, slow.QtildeMean)
		agree(t, what+"E[U^2]/E U", fast.BoundarySecond, slow.BoundarySecond)
		quiet(t, what, fast.Warnings)
	}
}

// meanField is the limit of E Q/N as N grows under power of two:
// sum_{i>=1} lambda^(2^i - 1) (Vvedenskaya, Dobrushin, Karpelevich 1996;
// Mitzenmacher 1996).
func meanField(load float64) float64 {
	s := 0.0
	for i := 1; i < 30; i++ {
		s += math.Pow(load, math.Exp2(float64(i))-1)
	}
	return s
}

// TestPodPublished: E Q/N under power of two with replacement in continuous
// time, as simulated by N. Gast (rmf_tool, errors up to 8e-4), and its approach
// to the mean-field limit: from above, with a gap of order 1/N.
func TestPodPublished(t *testing.T) {
	if raceEnabled {
		t.Skip("long, and of one engine that other tests run")
	}
	perServer := func(n int, load, rel float64) jsqlib.Estimate {
		got, err := Direct(background, jsqlib.Model{Continuous: true, Servers: n, Gap: 1 - load, Policy: again(2)}, Options{Seed: 26, RelError: rel})
		if err != nil {
			t.Fatal(err)
		}
		quiet(t, fmt.Sprintf("N = %d, load %g", n, load), got.Warnings)
		return got.MeanTotal.Affine(1/float64(n), 0)
	}
	published := []struct {
		n                    int
		load, want, err, rel float64
	}{
		{10, 0.7, 1.2193, 8e-4, 0.0015}, {20, 0.7, 1.1737, 8e-4, 0.0015},
		{10, 0.9, 2.8003, 8e-4, 0.003}, {20, 0.9, 2.5662, 8e-4, 0.003},
	}
	loads := []struct{ load, rel float64 }{{0.7, 0.002}, {0.9, 0.005}}
	sizes := []int{25, 50, 100}
	if testing.Short() {
		published, loads, sizes = published[:1], loads[:1], sizes[:2]
	}
	for _, c := range published {
		got := perServer(c.n, c.load, c.rel)
		t.Logf("N = %d, load %g: E Q/N = %.5f +- %.5f, published %v", c.n, c.load, got.Value, got.StdErr, c.want)
		if d := math.Abs(got.Value-c.want) / math.Hypot(got.StdErr, c.err); !(d <= within) {
			t.Errorf("N = %d, load %g: E Q/N = %.5f +- %.5f, published %v: %.1f standard errors", c.n, c.load, got.Value, got.StdErr, c.want, d)
		}
	}
	for _, c := range loads {
		limit := meanField(c.load)
		var before jsqlib.Estimate // of N (E Q/N - limit)
		for _, n := range sizes {
			got := perServer(n, c.load, c.rel)
			gap := got.Affine(float64(n), -float64(n)*limit)
			t.Logf("N = %d, load %g: N (E Q/N - %.5f) = %.3f +- %.3f", n, c.load, limit, gap.Value, gap.StdErr)
			if gap.Value < 3*gap.StdErr {
				t.Errorf("N = %d, load %g: E Q/N = %.5f +- %.5f is not above the limit %.5f", n, c.load, got.Value, got.StdErr, limit)
			}
			if before.StdErr > 0 && math.Abs(gap.Value-before.Value) > 0.15*before.Value+within*math.Hypot(gap.StdErr, before.StdErr) {
				t.Errorf("N = %d, load %g: N (E Q/N - limit) = %.3f +- %.3f after %.3f +- %.3f: want the same in the limit", n, c.load, gap.Value, gap.StdErr, before.Value, before.StdErr)
			}
			before = gap
		}
	}
}

// TestSampler: servers are distinct unless they are drawn with replacement, and
// every one is as likely.
func TestSampler(t *testing.T) {
	alone(t)
	const n = 7
	rng := reps.Stream("jsqlab", 27, "sampler", 0)
	for _, p := range []jsqlib.Policy{pod(1), pod(3), pod(7), again(3), again(7)} {
		s := newSampler(p, n)
		counts, uniform := make([]int, n), make([]float64, n)
		for i := range uniform {
			uniform[i] = 1. / n
		}
		for range 20_000 {
			seen := [n]int{}
			for _, i := range s.draw(rng) {
				seen[i]++
				if seen[i] > 1 && p.Rule != jsqlib.PodReplacement {
					t.Fatalf("%v: server %d twice", p, i)
				}
			}
			for i, k := range seen {
				counts[i] += k
			}
		}
		total := 0
		for _, k := range counts {
			total += k
		}
		if total != 20_000*p.Choices {
			t.Errorf("%v: %d servers in 20000 samples", p, total)
		}
		if v := fits(counts, uniform); v < unlikely { // distinct servers vary less
			t.Errorf("%v: servers were drawn %v times, p-value %g", p, counts, v)
		}
	}
}

// TestUnknownRule: a rule that the model takes and no engine knows is refused, not run as JSQ.
func TestUnknownRule(t *testing.T) {
	if err := known(jsqlib.Policy{}); err != nil {
		t.Error(err)
	}
	err := known(jsqlib.Policy{Rule: 7, Choices: 2})
	if err == nil || err.Error() != "sim: policy = Rule(7): want a rule that sim knows" {
		t.Errorf("%v", err)
	}
}
