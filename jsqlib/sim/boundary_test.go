package sim

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/reps"
)

// TestBoundaryAgreesWithDirect: at moderate load the boundary moments of the
// chain under a ceiling are those of the chain itself.
func TestBoundaryAgreesWithDirect(t *testing.T) {
	const rel = 0.025
	pod2 := jsqlib.Policy{Rule: jsqlib.Pod, Choices: 2}
	for _, s := range []jsqlib.Model{
		{Servers: 4, Gap: 0.1},
		{Servers: 4, Gap: 0.1, Routing: jsqlib.Job},
		{Servers: 4, Gap: 0.1, Policy: pod2},
		{Servers: 4, Gap: 0.1, Policy: pod2, Routing: jsqlib.Job},
		{Servers: 4, Gap: 0.1, Arrivals: bursts, Service: skewed},
		{Servers: 36, Gap: 0.1},
	} {
		o := Options{Seed: 11, RelError: loose(rel)}
		d, err := Direct(background, s, o)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Boundary(background, s, BoundaryOptions{Estimator: Climb, Options: o})
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("%+v", s)
		agree(t, what+": E Q~", d.QtildeMean, b.QtildeMean)
		agree(t, what+": E[U Q^+]/E U", d.BoundaryMean, b.BoundaryMean)
		agree(t, what+": E[U^2]/E U", d.BoundarySecond, b.BoundarySecond)
		// E Q = (v + eps^2)/(2 eps) + E Q~ - 1/2, from the boundary law
		c := constants(t, s)
		agree(t, what+": E Q", d.MeanTotal, b.QtildeMean.Affine(1, (c.V+c.Eps*c.Eps)/(2*c.Eps)-0.5))
		quiet(t, what, append(d.Warnings, b.Warnings...))
		if n := float64(s.Servers); b.QtildeMean.HalfWidth() > loose(rel)*(b.QtildeMean.Value+n) || b.ShiftInSigma > shiftTolerance || b.ShiftInSigma == 0 {
			t.Errorf("%s: E Q~ = %v, shift %v", what, b.QtildeMean, b.ShiftInSigma)
		}
	}
	for _, s := range []jsqlib.Model{{Continuous: true, Servers: 5, Gap: 0.05}, {Continuous: true, Servers: 5, Gap: 0.05, Policy: pod2}} {
		o := Options{Seed: 12, RelError: loose(rel)}
		d, err := Direct(background, s, o)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Boundary(background, s, BoundaryOptions{Estimator: Climb, Options: o})
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("CT %+v", s)
		agree(t, what+": E Q~", d.QtildeMean, b.QtildeMean)
		agree(t, what+": E Q", d.MeanTotal, b.QtildeMean.Affine(1, (1-s.Gap)/s.Gap))
		quiet(t, what, append(d.Warnings, b.Warnings...))
	}
}

// TestBoundaryMeasured: E[U Q^+]/E U - E[U^2]/(2 E U) = E Q~ - 1/2 at alpha = 20
// against figures measured by an independent prototype, with their errors.
func TestBoundaryMeasured(t *testing.T) {
	figure := func(value, err float64) jsqlib.Estimate { return jsqlib.Estimate{Value: value, StdErr: err} }
	for _, c := range []struct {
		n       int
		routing jsqlib.Routing
		want    jsqlib.Estimate // over N^2 for batches, over N for jobs
		rel     float64
	}{
		{2, jsqlib.Batch, figure(0.1047, 0.0005), 0.003},
		{4, jsqlib.Batch, figure(0.3765, 0.0005), 0.005},
		{8, jsqlib.Batch, figure(0.4800, 0.0006), 0.008},
		{16, jsqlib.Batch, figure(0.5150, 0.0006), 0.01},
		{32, jsqlib.Batch, figure(0.526, 0.001), 0.015},
		{4, jsqlib.Job, figure(0.162, 0.002), 0.005},
		{8, jsqlib.Job, figure(0.4045, 0.0025), 0.005},
		{16, jsqlib.Job, figure(0.584, 0.002), 0.01},
		{64, jsqlib.Job, figure(0.799, 0.001), 0.01},
	} {
		if raceEnabled && c.n > 8 {
			continue
		}
		what := fmt.Sprintf("N = %d, %v", c.n, c.routing)
		b, err := Boundary(background, jsqlib.Model{Servers: c.n, Alpha: 20, Routing: c.routing},
			BoundaryOptions{Estimator: Climb, Options: Options{Seed: 13, RelError: loose(c.rel)}})
		if err != nil {
			t.Fatal(err)
		}
		quiet(t, what, b.Warnings)
		scale := 1 / float64(c.n)
		if c.routing == jsqlib.Batch {
			scale *= scale
		}
		got := b.QtildeMean.Affine(scale, -scale/2)
		t.Logf("%s: %.5f +- %.5f, prototype %.5f +- %.5f, L = %d, %.2g slots", what, got.Value, got.StdErr, c.want.Value, c.want.StdErr, b.Ceiling, float64(b.TotalSlots))
		agree(t, what+": (E Q~ - 1/2) in units of N or N^2", got, c.want)
		if d := b.BoundaryMean.Value - b.BoundarySecond.Value/2 - (b.QtildeMean.Value - 0.5); math.Abs(d) > 1e-9*b.BoundaryMean.Value {
			t.Errorf("%s: E[U Q^+]/E U - E[U^2]/(2 E U) is off E Q~ - 1/2 by %v", what, d)
		}
		// the mean of the law is E Q~, half a job more: for few servers far
		// from the figure
		mean := 0.0
		for k, p := range b.P {
			mean += p * float64(b.Min+k)
		}
		if se := math.Hypot(b.QtildeMean.StdErr, c.want.StdErr/scale); se < 0.1 && math.Abs(mean-c.want.Value/scale) < 5*se {
			t.Errorf("%s: the law has mean %v, which is the figure %v and not half a job more", what, mean, c.want.Value/scale)
		}
		if b.Min < -(2*c.n - 1) { // U = N S_max, Q^+ = 0
			t.Errorf("%s: the law starts at %d", what, b.Min)
		}
	}
	for _, c := range []struct {
		n    int
		want jsqlib.Estimate
		rel  float64
	}{{2, figure(0.500, 0.001), 0.003}, {10, figure(1.016, 0.001), 0.005}, {100, figure(1.220, 0.003), 0.01}} {
		if raceEnabled && c.n != 10 {
			continue
		}
		b, err := Boundary(background, jsqlib.Model{Continuous: true, Servers: c.n, Alpha: 20}, BoundaryOptions{Estimator: Climb, Options: Options{Seed: 14, RelError: loose(c.rel)}})
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("CT N = %d", c.n)
		quiet(t, what, b.Warnings)
		got := b.QtildeMean.Affine(1/float64(c.n), 0)
		t.Logf("%s: %.5f +- %.5f, prototype %.5f +- %.5f, L = %d, %.2g steps", what, got.Value, got.StdErr, c.want.Value, c.want.StdErr, b.Ceiling, float64(b.TotalSlots))
		agree(t, what+": E Q~/N", got, c.want)
		if b.Min < 0 || b.BoundarySecond != (jsqlib.Estimate{}) || b.BoundaryMean != b.QtildeMean {
			t.Errorf("%s: least %d, E[U^2]/E U %v, E[I Q]/E I %v", what, b.Min, b.BoundarySecond, b.BoundaryMean)
		}
	}
}

// TestBoundaryLawAgainstReference: the law of Q~, not its mean alone, against
// the reference recursion under the same ceiling, for each engine.
func TestBoundaryLawAgainstReference(t *testing.T) {
	alone(t)
	for _, c := range []struct {
		name string
		s    jsqlib.Model
		make func(*jsqlib.Model, *jsqlib.Constants, *rand.PCG, plan) engine
	}{
		{"packed", jsqlib.Model{Servers: 3, Gap: 1e-9}, func(_ *jsqlib.Model, c *jsqlib.Constants, r *rand.PCG, p plan) engine { return newPacked(c, r, p) }},
		{"lazy", jsqlib.Model{Servers: 3, Gap: 1e-9}, func(_ *jsqlib.Model, c *jsqlib.Constants, r *rand.PCG, p plan) engine { return newLazy(c, r, p) }},
		{"lazy, skewed", jsqlib.Model{Servers: 4, Gap: 1e-9, Service: skewed, Arrivals: bursts}, func(_ *jsqlib.Model, c *jsqlib.Constants, r *rand.PCG, p plan) engine { return newLazy(c, r, p) }},
		{"dense", jsqlib.Model{Servers: 3, Gap: 1e-9, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 2}}, func(s *jsqlib.Model, c *jsqlib.Constants, r *rand.PCG, p plan) engine { return newDense(s, c, r, p) }},
		{"occupancy", jsqlib.Model{Servers: 4, Gap: 1e-9, Routing: jsqlib.Job}, func(s *jsqlib.Model, c *jsqlib.Constants, r *rand.PCG, p plan) engine {
			return newOccupancy(s, c, r, p)
		}},
		{"sampled", jsqlib.Model{Servers: 3, Gap: 1e-9, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 2}}, func(s *jsqlib.Model, c *jsqlib.Constants, r *rand.PCG, p plan) engine { return newSampled(s, c, r, p) }},
		{"occupancy, pod", jsqlib.Model{Servers: 4, Gap: 1e-9, Routing: jsqlib.Job, Policy: jsqlib.Policy{Rule: jsqlib.PodReplacement, Choices: 2}}, func(s *jsqlib.Model, c *jsqlib.Constants, r *rand.PCG, p plan) engine {
			return newOccupancy(s, c, r, p)
		}},
	} {
		const ceiling = 3
		k := constants(t, c.s)
		every := 1 // slots between two looks at the ceiling
		if c.name == "sampled" {
			every = c.s.Servers
		}
		// means of indicators and powers over replications, by both
		count := func(run func(r int, t *tally)) *fleet {
			f := &fleet{chain: &chain{service: int64(c.s.Servers * k.SMax)}}
			for r := range 16 {
				f.tallies = append(f.tallies, &tally{})
				run(r, f.tallies[r])
			}
			return f
		}
		slots := draws(12_000)
		got := count(func(r int, t *tally) {
			e := c.make(&c.s, k, reps.Stream("jsqlab", 15, c.name, r), plan{ceiling: ceiling, law: true})
			e.run(1000, &tally{})
			e.run(int64(10*slots), t)
		})
		want := count(func(r int, t *tally) {
			rng := rand.New(reps.Stream("jsqlab", 16, c.name, r))
			q := make([]int64, c.s.Servers)
			for n := range 1000 + slots {
				slot := c.s.Step(*k, q, rng)
				q = slot.After
				if u, total := jsqlib.Total(slot.Unused), jsqlib.Total(q); u > 0 && n >= 1000 {
					t.unused += u
					t.unused2 += u * u
					t.unusedQ += float64(u * total)
					t.addBoundary(u, total)
				}
				low := q[0]
				for _, x := range q {
					low = min(low, x)
				}
				if low > 2*ceiling && (n+1)%every == 0 {
					for i := range q {
						q[i] -= ceiling
					}
				}
				if n >= 1000 {
					t.slots++
				}
			}
		})
		perSlot := func(t *tally) float64 { return float64(t.slots) }
		agree(t, c.name+": E U", got.ratio(unused, perSlot), want.ratio(unused, perSlot))
		agree(t, c.name+": E[U^2]/E U", got.ratio(unused2, unused), want.ratio(unused2, unused))
		agree(t, c.name+": E[U Q^+]/E U", got.ratio(unusedQ, unused), want.ratio(unusedQ, unused))
		for _, x := range []int64{-2, -1, 0, 1, 2, 4, 8} {
			at := func(t *tally) float64 { // P(Q~ <= x)
				s := 0.0
				for i, k := range t.boundary {
					if int64(i)+t.boundaryMin <= x {
						s += float64(k)
					}
				}
				return s
			}
			agree(t, fmt.Sprintf("%s: P(Q~ <= %d)", c.name, x), got.ratio(at, unused), want.ratio(at, unused))
		}
	}
}

// TestBoundaryTrivial: laws that are a point mass end at once.
func TestBoundaryTrivial(t *testing.T) {
	b, err := Boundary(background, jsqlib.Model{Continuous: true, Servers: 1, Gap: 1e-9}, BoundaryOptions{Estimator: Climb})
	if err != nil || b.Min != 0 || len(b.P) != 1 || b.P[0] != 1 || b.QtildeMean.Value != 0 || b.ShiftInSigma != 0 {
		t.Errorf("M/M/1: %+v, %v", b, err)
	}
	b, err = Boundary(background, jsqlib.Model{Servers: 1, Gap: 1e-9, Service: fixed}, BoundaryOptions{Estimator: Climb})
	if err != nil || b.Min != 0 || len(b.P) != 1 || b.BoundarySecond.Value != 1 || b.QtildeMean.Value != 0 {
		t.Errorf("one deterministic server: %+v, %v", b, err)
	}
	// N = 1, S_max = 2: Q^+ = 0 whenever U > 0, so Q~ is 0 or -1
	b, err = Boundary(background, jsqlib.Model{Servers: 1, Gap: 1e-9}, BoundaryOptions{Estimator: Climb, Options: Options{RelError: 0.02}})
	if err != nil || b.Min != -1 || len(b.P) != 2 || b.BoundaryMean.Value != 0 {
		t.Fatalf("one server: %+v, %v", b, err)
	}
	// E Q~ = -(E[U^2]/E U - 1)/2
	if d := b.QtildeMean.Value + (b.BoundarySecond.Value-1)/2; math.Abs(d) > 1e-12 || math.Abs(b.QtildeMean.Value+b.P[0]) > 1e-12 {
		t.Errorf("one server: E Q~ = %v, E[U^2]/E U = %v, P = %v", b.QtildeMean, b.BoundarySecond, b.P)
	}
}

// TestRelativeError: the caller's own rule takes the place of the default one,
// and sees the law so far.
func TestRelativeError(t *testing.T) {
	calls := 0
	b, err := Boundary(background, cheap, BoundaryOptions{Estimator: Climb, Options: Options{RelError: 0.5}, RelativeError: func(b *BoundaryLaw) float64 {
		calls++
		if b.P == nil || b.Replications != 32 || !(b.QtildeMean.StdErr > 0) {
			t.Errorf("call %d: %+v", calls, b)
		}
		if calls < 4 {
			return 1
		}
		return 0.1
	}})
	if err != nil || calls < 5 || len(b.Warnings) > 0 {
		t.Errorf("%d calls, %+v, %v", calls, b, err)
	}
}

// TestHuge: the ends of the range run.
func TestHuge(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine at a time")
	}
	small := Options{Replications: 2, RelError: 0.5, MaxSlots: 250_000}
	for _, s := range []jsqlib.Model{
		{Servers: 1000, Alpha: 20}, {Servers: 1000, Alpha: 20, Service: skewed},
		{Servers: 1000, Alpha: 20, Routing: jsqlib.Job}, {Servers: 200, Alpha: 20, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 2}},
		{Servers: 2, Alpha: 400}, {Servers: 1, Gap: 1e-150},
	} {
		o := small
		b, err := Boundary(background, s, BoundaryOptions{Estimator: Climb, Options: o})
		if err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
		for _, x := range []float64{b.QtildeMean.Value, b.QtildeMean.StdErr, b.BoundaryMean.Value, b.BoundarySecond.Value} {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Errorf("%+v: %+v", s, b)
			}
		}
		if n := float64(s.Servers); b.QtildeMean.Value > 4*n*n || b.BoundarySecond.Value < 1 || b.BoundarySecond.Value > 2*n+1 {
			t.Errorf("%+v: E Q~ = %v, E[U^2]/E U = %v", s, b.QtildeMean, b.BoundarySecond)
		}
	}
	b, err := Boundary(background, jsqlib.Model{Continuous: true, Servers: 500, Alpha: 20}, BoundaryOptions{Estimator: Climb, Options: Options{Replications: 8, RelError: 0.2, MaxSlots: 40_000_000}})
	if err != nil || !(math.Abs(b.QtildeMean.Value-640) < 200) { // (4 - e) N = 641 in the limit
		t.Errorf("CT: E Q~ = %v, %v", b.QtildeMean, err)
	}
	// the largest N, for a few slots of each engine
	s := jsqlib.Model{Servers: jsqlib.MaxServers, Alpha: 1.5}
	c := constants(t, s)
	half, two := s, s // of the servers are sampled for each job or batch
	half.Policy, two.Policy = pod(s.Servers/2), again(2)
	for _, e := range []engine{
		newLazy(c, reps.Stream("jsqlab", 17, "huge", 0), plan{stride: 10}), newOccupancy(&s, c, reps.Stream("jsqlab", 17, "huge", 1), plan{stride: 1}),
		newOccupancy(&half, c, reps.Stream("jsqlab", 17, "huge", 2), plan{stride: 1}), newOccupancy(&two, c, reps.Stream("jsqlab", 17, "huge", 3), plan{stride: 1}),
		newSampled(&half, c, reps.Stream("jsqlab", 17, "huge", 4), plan{stride: 10}), newSampled(&two, c, reps.Stream("jsqlab", 17, "huge", 5), plan{stride: 10}),
	} {
		e.start(int64(100 * s.Servers)) // nobody idles in 30 slots
		tl := &tally{}
		e.run(30, tl)
		if q := jsqlib.Total(queues(e)); math.Abs(float64(q-int64(100*s.Servers))+30*c.Eps) > 5*math.Sqrt(30*c.V) || tl.slots != 30 || tl.unused != 0 {
			t.Errorf("%T: Q = %d after %d slots, started at %d", e, q, tl.slots, 100*s.Servers)
		}
	}
}

// TestNoAllocation: once the tables have grown, a slot allocates nothing.
func TestNoAllocation(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine at a time")
	}
	pod2 := jsqlib.Policy{Rule: jsqlib.Pod, Choices: 2}
	for _, p := range []plan{{stride: 1}, {stride: 40}, {ceiling: 4, law: true}} {
		var engines []engine
		for _, s := range []jsqlib.Model{
			{Servers: 5, Gap: 0.3}, {Servers: 40, Gap: 0.3, Service: skewed}, {Servers: 5, Gap: 0.3, Routing: jsqlib.Job},
			{Servers: 40, Gap: 0.3, Routing: jsqlib.Job, Service: skewed}, {Servers: 5, Gap: 0.3, Policy: pod2, Service: fixed, Arrivals: bursts},
			{Servers: 5, Gap: 0.3, Policy: pod2, Routing: jsqlib.Job}, {Servers: 40, Gap: 0.3, Policy: again(3), Routing: jsqlib.Job, Service: skewed},
			{Servers: 40, Gap: 0.3, Policy: again(3)}, {Servers: 5, Gap: 0.3, Policy: pod(1), Routing: jsqlib.Job},
		} {
			ch, _, err := newChain(s)
			if err != nil {
				t.Fatal(err)
			}
			engines = append(engines, ch.engine(reps.Stream("jsqlab", 18, "alloc", len(engines)), p))
		}
		lz := jsqlib.Model{Servers: 5, Gap: 0.3}
		engines = append(engines, newLazy(constants(t, lz), reps.Stream("jsqlab", 18, "alloc lazy", 0), p))
		for _, s := range []jsqlib.Model{{Continuous: true, Servers: 5, Gap: 0.3}, {Continuous: true, Servers: 5, Gap: 0.3, Policy: pod2}} {
			engines = append(engines, newCT(&s, constantsCT(t, s), reps.Stream("jsqlab", 18, "alloc ct", len(engines)), p))
		}
		for _, e := range engines {
			tl := &tally{}
			e.run(20_000, tl)
			if n := testing.AllocsPerRun(5, func() { e.run(3000, tl) }); n != 0 {
				t.Errorf("%T, plan %+v: %v allocations in 3000 slots", e, p, n)
			}
		}
	}
}

// TestBoundaryCounts: counts of Q~ survive every widening, and take room for
// the values seen, not for all that are possible.
func TestBoundaryCounts(t *testing.T) {
	alone(t)
	r := rand.New(rand.NewPCG(19, 1))
	tl, want := &tally{}, map[int64]int64{}
	for range 20_000 {
		q, u := int64(5_000_000_000+1000*r.NormFloat64()), 1+r.Int64N(5)
		tl.addBoundary(u, q)
		for j := range u {
			want[q-j]++
		}
	}
	lo, counts := tl.boundaryMin, tl.boundary
	sum, wanted := int64(0), int64(0)
	for i, k := range counts {
		if sum += k; k != want[lo+int64(i)] {
			t.Fatalf("%d counts of %d, want %d", k, lo+int64(i), want[lo+int64(i)])
		}
	}
	for _, k := range want {
		wanted += k
	}
	if sum != wanted || len(counts) > 50_000 {
		t.Errorf("%d counts of %d in %d cells", sum, wanted, len(counts))
	}
}

// TestTallyLimit: counts beyond the limit are refused, and those of a warm-up are
// not made.
func TestTallyLimit(t *testing.T) {
	tl := &tally{most: 1000}
	tl.addBoundary(2, 1e9)
	tl.addTotal(500)
	if tl.full || len(tl.total) > 1000 {
		t.Fatalf("full = %v at %d cells, want room for 1000", tl.full, len(tl.total))
	}
	for _, add := range []func(*tally){
		func(tl *tally) { tl.addBoundary(1, 1e9+2000) },
		func(tl *tally) { tl.addBoundary(1, 1e9-2000) },
		func(tl *tally) { tl.addTotal(1000) },
	} {
		again := *tl
		if add(&again); !again.full || len(again.boundary) > 1000 || len(again.total) > 1000 {
			t.Errorf("full = %v at %d and %d cells, want it to be, within 1000", again.full, len(again.boundary), len(again.total))
		}
	}
	blind := &tally{blind: true}
	if blind.addBoundary(1, 1e9); blind.boundary != nil || blind.full {
		t.Errorf("warm-up: %d cells, full = %v, want none", len(blind.boundary), blind.full)
	}

	ch, _, err := newChain(jsqlib.Model{Continuous: true, Servers: 3, Gap: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	o, err := Options{MaxSlots: 1e6}.withDefaults(1e6)
	if err != nil {
		t.Fatal(err)
	}
	f := newFleet(ch, o, "test", plan{stride: 1}, func(*rand.Rand) int64 { return 30 })
	f.tallies[5].most = 20
	var refused *jsqlib.Invalid
	if err := f.advance(t.Context(), 1000, 0); !errors.As(err, &refused) || refused.What != "servers" {
		t.Errorf("a law beyond the limit: %v, want a refusal", err)
	}
}
