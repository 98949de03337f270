package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/exact"
	"jsqlab/jsqlib/internal/near"
	"jsqlab/jsqlib/internal/reps"
)

// solved returns the exact law of Q~ of a small system.
func solved(t *testing.T, m jsqlib.Model) exact.Result {
	t.Helper()
	r, err := exact.Solve(background, m, exact.Options{})
	return needs(t, err, r)
}

// TestBalanceAgainstExact: the law of Q~, its mean and its averages against the solved chain, from light
// loads to a gap of 0.
func TestBalanceAgainstExact(t *testing.T) {
	if raceEnabled { // runs that are six times shorter do not see the rare totals, nor how far they are off
		t.Skip("no races of its own")
	}
	type system struct {
		m   jsqlib.Model
		rel float64
	}
	var systems []system
	for _, n := range []int{1, 2, 4, 8} {
		for _, gap := range []float64{0.9, 0.5, 0.1, 1e-24} {
			if testing.Short() && n == 8 {
				continue
			}
			systems = append(systems, system{jsqlib.Model{Continuous: true, Servers: n, Gap: gap}, 0.004})
		}
	}
	for _, p := range []jsqlib.Policy{pod(2), pod(3), again(2)} {
		systems = append(systems, system{jsqlib.Model{Continuous: true, Servers: 4, Gap: 0.1, Policy: p}, 0.006})
	}
	for _, n := range []int{1, 2, 3, 4, 5} {
		for _, gap := range []float64{0.5, 0.1, 1e-24} {
			if n > 3 && (testing.Short() || gap == 0.5) {
				continue
			}
			systems = append(systems, system{jsqlib.Model{Servers: n, Gap: gap, Routing: jsqlib.Job}, 0.006})
		}
	}
	for _, n := range []int{1, 2, 3, 4} {
		for _, gap := range []float64{0.5, 0.1, 1e-24} {
			if n < 4 || !testing.Short() && gap < 0.5 {
				systems = append(systems, system{jsqlib.Model{Servers: n, Gap: gap}, 0.006})
			}
		}
	}
	systems = append(systems,
		system{jsqlib.Model{Servers: 2, Gap: 0.2, Arrivals: bursts, Service: skewed}, 0.006},
		system{jsqlib.Model{Servers: 3, Gap: 0.1, Routing: jsqlib.Job, Policy: pod(2)}, 0.006},
		system{jsqlib.Model{Servers: 2, Gap: 0.2, Routing: jsqlib.Job, Arrivals: bursts, Service: skewed}, 0.006},
		system{jsqlib.Model{Servers: 3, Gap: 1e-9, Routing: jsqlib.Job, Service: fixed}, 0.006})
	for i, s := range systems {
		what := fmt.Sprintf("%+v", s.m)
		want := solved(t, s.m)
		b, err := Boundary(background, s.m, BoundaryOptions{Options: Options{Seed: uint64(100 + i), RelError: loose(s.rel)}, Estimator: Balance})
		if err != nil {
			t.Fatal(what, err)
		}
		quiet(t, what, b.Warnings)
		n := float64(s.m.Servers)
		if s.m.Servers == 1 && s.m.Continuous { // Q~ = 0
			near.Abs(t, what+": E Q~", b.QtildeMean.Value, 0, 0)
			continue
		}
		near4(t, what+": E Q~", b.QtildeMean, want.QtildeMean, s.rel*(want.QtildeMean+n)/1.9)
		if s.m.Continuous && (b.BoundaryMean != b.QtildeMean || b.BoundarySecond != (jsqlib.Estimate{})) {
			t.Errorf("%s: %+v", what, b)
		}
		near4(t, what+": E[U Q^+]/E U", b.BoundaryMean, want.BoundaryMean, 0.1*n)
		near4(t, what+": E[U^2]/E U", b.BoundarySecond, want.BoundarySecond, 0.1*n)
		if b.Estimator != "balance" || b.ShiftInSigma > shiftTolerance {
			t.Errorf("%s: %+v", what, b)
		}
		// averages of the law and of its estimate: P(Q~ <= x), E Q~^2
		mean := func(f func(x int) float64) {
			values, got := make([]float64, len(b.P)), 0.0
			for k, p := range b.P {
				values[k] = f(b.Min + k)
				got += p * values[k]
			}
			truth := 0.0
			for k, p := range want.Boundary.P {
				truth += p * f(want.Boundary.Min+k)
			}
			e := b.Average(values)
			near.Rel(t, what+": the average of the law", e.Value, got, 1e-12)
			e.StdErr = math.Hypot(e.StdErr, 3/float64(b.Slots)) // of what no run came to see
			near4(t, what+": an average", e, truth, 1)
		}
		mean(func(x int) float64 { return float64(x * x) })
		for _, q := range []int{s.m.Servers - 1, s.m.Servers + 1} {
			mean(func(x int) float64 {
				if x <= q {
					return 1
				}
				return 0
			})
		}
	}
}

// TestBalanceTotals: E Q~ as an independent prototype had it, with its error, and as [Boundary]
// has it in the same test.
func TestBalanceTotals(t *testing.T) {
	alone(t)
	for _, c := range []struct {
		n            int
		value, error float64 // E Q~/N and its half width
		rel          float64
		job          bool
	}{{16, 1.0866252, 0, 0.001, false}, {100, 1.2239, 0.0008, 0.001, false}, {1000, 1.2717, 0.0006, 0.001, false},
		{16, 0.584 + 0.5/16, 0.004, 0.002, true}, {256, 0.8985 + 0.5/256, 0.0018, 0.001, true}, {1024, 0.949 + 0.5/1024, 0.004, 0.002, true}} {
		m := jsqlib.Model{Continuous: !c.job, Servers: c.n, Alpha: 20}
		if c.job {
			m.Routing = jsqlib.Job
		}
		b, err := Boundary(background, m, BoundaryOptions{Options: Options{Seed: 5, RelError: loose(c.rel)}, Estimator: Balance})
		if err != nil {
			t.Fatal(err)
		}
		got := b.QtildeMean.Affine(1/float64(c.n), 0)
		t.Logf("N = %d: E Q~/N = %.5f +- %.5f, want %.5f +- %.5f, %.2g steps", c.n, got.Value, got.HalfWidth(), c.value, c.error, float64(b.TotalSlots))
		agree(t, fmt.Sprintf("N = %d: E Q~/N", c.n), got, jsqlib.Estimate{Value: c.value, StdErr: c.error / normal95})
	}
	// batches: E Q~/N^2 of boundary runs of 3.2e7 and 6.1e7 slots
	for _, c := range []struct {
		n            int
		value, error float64
	}{{100, 0.5260, 0.0010}, {400, 0.5183, 0.0008}} {
		if c.n > 100 && testing.Short() {
			continue
		}
		b, err := Boundary(background, jsqlib.Model{Servers: c.n, Alpha: 20}, BoundaryOptions{Options: Options{Seed: 5, RelError: loose(0.002)}, Estimator: Balance})
		if err != nil {
			t.Fatal(err)
		}
		got := b.QtildeMean.Affine(math.Pow(float64(c.n), -2), 0)
		t.Logf("N = %d, batch: E Q~/N^2 = %.5f +- %.5f, want %.5f +- %.5f, %.2g slots", c.n, got.Value, got.HalfWidth(), c.value, c.error, float64(b.TotalSlots))
		agree(t, fmt.Sprintf("N = %d, batch: E Q~/N^2", c.n), got, jsqlib.Estimate{Value: c.value, StdErr: c.error / normal95})
	}
	if testing.Short() || raceEnabled { // minutes
		return
	}
	for _, m := range []jsqlib.Model{
		{Servers: 64, Alpha: 20}, {Servers: 64, Gap: 0.9}, {Servers: 256, Gap: 0.01}, {Servers: 100, Gap: 0.1, Service: skewed},
		{Continuous: true, Servers: 64, Alpha: 20}, {Continuous: true, Servers: 128, Alpha: 1}, {Continuous: true, Servers: 256, Gap: 0.01},
		{Continuous: true, Servers: 128, Gap: 0.05, Policy: pod(3)},
		{Servers: 64, Alpha: 20, Routing: jsqlib.Job}, {Servers: 500, Gap: 0.001, Routing: jsqlib.Job}, {Servers: 512, Alpha: 4.5, Routing: jsqlib.Job, Service: skewed},
		{Servers: 128, Alpha: 4.5, Routing: jsqlib.Job, Policy: pod(2)},
	} {
		a, err := Boundary(background, m, BoundaryOptions{Options: Options{Seed: 6, RelError: 0.002}, Estimator: Balance})
		if err != nil {
			t.Fatal(err)
		}
		b, err := Boundary(background, m, BoundaryOptions{Options: Options{Seed: 6, RelError: 0.02}, Estimator: Climb})
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("%+v", m)
		quiet(t, what, append(a.Warnings, b.Warnings...))
		t.Logf("%s: %.2f +- %.2f in %.2g steps, Boundary %.2f +- %.2f in %.2g", what, a.QtildeMean.Value, a.QtildeMean.HalfWidth(), float64(a.TotalSlots),
			b.QtildeMean.Value, b.QtildeMean.HalfWidth(), float64(b.TotalSlots))
		agree(t, what+": E Q~", a.QtildeMean, b.QtildeMean)
		// E Q~^2, by the same function
		square := func(l *BoundaryLaw) jsqlib.Estimate {
			values := make([]float64, len(l.P))
			for k := range values {
				values[k] = math.Pow(float64(l.Min+k), 2)
			}
			return l.Average(values)
		}
		agree(t, what+": E Q~^2", square(a), square(b))
		agree(t, what+": E[U^2]/E U", a.BoundarySecond, b.BoundarySecond)
		agree(t, what+": E[U Q^+]/E U", a.BoundaryMean, b.BoundaryMean)
	}
}

// TestBalanceRefuses what Boundary refuses, in the same words.
func TestBalanceRefuses(t *testing.T) {
	for _, m := range []jsqlib.Model{
		{Continuous: true, Servers: 4, Gap: 0.1, Policy: pod(1)}, {Servers: 4, Gap: 0.1, Routing: jsqlib.Job, Policy: pod(1)}, {Continuous: true, Servers: 0, Gap: 0.1},
	} {
		_, want := Boundary(background, m, BoundaryOptions{})
		if _, err := Boundary(background, m, BoundaryOptions{Estimator: Balance}); err == nil || err.Error() != want.Error() {
			t.Errorf("%+v: error %v, want %v", m, err, want)
		}
	}
	for _, o := range []BoundaryOptions{{Ceiling: -1}, {Options: Options{MaxSlots: 1000}}, {Options: Options{Replications: 1}}} {
		if b, err := Boundary(background, cheapCT, o); err == nil || b != nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

// TestBalanceBudget: a budget that ends early leaves what there is, and says so.
func TestBalanceBudget(t *testing.T) {
	b, err := Boundary(background, cheapCT, BoundaryOptions{Options: Options{RelError: 1e-4, MaxSlots: 3_000_000}, Estimator: Balance})
	if err != nil || len(b.Warnings) != 1 || b.TotalSlots > 3_000_000 || !(b.QtildeMean.HalfWidth() > 0) {
		t.Errorf("%+v, %v", b, err)
	}
}

// TestCoverageBalance: intervals hold the exact value as often as they say, through the choice of the
// ceiling and of the length of the runs and the stop at a relative error.
func TestCoverageBalance(t *testing.T) {
	for _, m := range []jsqlib.Model{
		{Continuous: true, Servers: 4, Gap: 1e-12}, {Continuous: true, Servers: 8, Gap: 0.1},
		{Servers: 3, Gap: 1e-12, Routing: jsqlib.Job}, {Servers: 3, Gap: 1e-12},
	} {
		if (testing.Short() || raceEnabled) && m.Servers != 4 {
			continue
		}
		exact := solved(t, m)
		name, what, truths := fmt.Sprintf("Balance, %+v", m), []string{"E Q~", "E[U Q^+]/E U"}, []float64{exact.QtildeMean, exact.BoundaryMean}
		run := func(seed uint64) ([]jsqlib.Estimate, error) {
			b, err := Boundary(background, m, BoundaryOptions{Options: Options{Seed: seed, RelError: 0.01, Workers: 1}, Estimator: Balance})
			if err != nil {
				return nil, err
			}
			return []jsqlib.Estimate{b.QtildeMean, b.BoundaryMean}, nil
		}
		if m.Servers == 4 {
			coverageOf(t, name, what, truths, run)
		} else { // 100 runs only see that intervals are not far too narrow
			coverageIn(t, 100, 0.85, 1, name, what, truths, run)
		}
	}
}

// TestBalanceCancel: batches have no pilot, and keep the whole runs of an interruption.
func TestBalanceCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	done := 0
	b, err := Boundary(ctx, cheap, BoundaryOptions{Options: Options{Workers: 1, RelError: 1e-3, Progress: func(p Progress) {
		if done++; done == 4 {
			cancel()
		}
	}}, Estimator: Balance})
	if !errors.Is(err, context.Canceled) || b == nil || b.Replications != 4 || len(b.Warnings) != 1 || !(b.QtildeMean.StdErr > 0) {
		t.Errorf("%+v, %v: want a law of 4 replications", b, err)
	}
}

// TestBalanceSure: deterministic services leave unused what the total says, so that the error is only what
// no run came to see.
func TestBalanceSure(t *testing.T) {
	for _, n := range []int{40, 300} {
		var e []jsqlib.Estimate
		for seed := range uint64(4) {
			b, err := Boundary(background, jsqlib.Model{Servers: n, Alpha: 2, Routing: jsqlib.Job, Service: fixed}, BoundaryOptions{Options: Options{Seed: seed}, Estimator: Balance})
			if err != nil || len(b.Warnings) > 0 || b.ShiftInSigma != 0 || !(b.QtildeMean.StdErr < 2e-4*float64(n)) || !(b.QtildeMean.Value < 0) {
				t.Fatalf("%+v, %v", b, err)
			}
			e = append(e, b.QtildeMean)
			agree(t, fmt.Sprintf("N = %d: E Q~", n), e[0], b.QtildeMean)
		}
	}
}

// TestBalanceLattice: the law on a lattice is that on all totals but for a small part of the error bar.
func TestBalanceLattice(t *testing.T) {
	c := constants(t, jsqlib.Model{Servers: 40, Gap: 1e-9, Routing: jsqlib.Job})
	var means []float64
	for _, step := range []int64{1, 2} {
		f := newSlotFlow(*c, 4*40)
		near.Abs(t, "mean of X", moment(f, 1), 0, 1e-6)
		if f.step != 1 {
			t.Fatalf("step = %d", f.step)
		}
		if step > 1 {
			f = latticeOf(*c, 4*40, step)
			near.Abs(t, "mean of X on the lattice", moment(f, 1), 0, 1e-6)
			near.Rel(t, "variance of X on the lattice", moment(f, 2), c.V, 0.02)
		}
		e := newOccupancy(&jsqlib.Model{Servers: 40, Routing: jsqlib.Job}, c, reps.Stream("jsqlab", 1, "lattice", 0), plan{law: true, pool: true, top: 4 * 40})
		tally, l := &tally{}, f.ledger()
		e.run(40_000, tally)
		l.add(tally, 1)
		s := f.solve([]ledger{l})
		means = append(means, s.mean(s.totals()))
	}
	near.Abs(t, "E Q~ by two lattices", means[1], means[0], 0.05)
}

func moment(f *slotFlow, power float64) float64 {
	sum := 0.0
	for k, p := range f.x {
		sum += p * math.Pow(float64(int64(k-f.down)*f.step), power)
	}
	return sum
}
