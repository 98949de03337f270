package bound

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"jsqlab/jsqlib"
)

// checkCollapse holds every bin and moment of a run against its bound: none is above
// by more than four standard errors.
func checkCollapse(t *testing.T, s jsqlib.System, x *Collapse) {
	t.Helper()
	bins := 0
	for _, b := range x.Bins {
		if b.Slots < 1000 {
			continue
		}
		bins++
		if !(b.Excess.Value <= 4*b.Excess.StdErr) {
			t.Errorf("%+v: drift %g at L = %g is above the line %g, standard error %g", s, b.Drift.Value, b.MeanL, b.Line, b.Excess.StdErr)
		}
		if !(b.Low <= b.MeanL*(1+1e-9) && b.MeanL < b.High*(1+1e-9)) { // a sum of many
			t.Errorf("%+v: mean L = %g in the bin [%g, %g)", s, b.MeanL, b.Low, b.High)
		}
		if !(x.Drift.Line(b.High) <= b.Line*(1+1e-9)+1e-9 && b.Line <= x.Drift.Line(b.Low)*(1+1e-9)+1e-9) {
			t.Errorf("%+v: mean line %g in the bin [%g, %g)", s, b.Line, b.Low, b.High)
		}
		if bound := x.Drift.Tail(math.Nextafter(b.Low, 0)); b.Tail.Value > bound+4*b.Tail.StdErr {
			t.Errorf("%+v: P(L >= %g) = %g, bound %g", s, b.Low, b.Tail.Value, bound)
		}
	}
	if bins == 0 {
		t.Errorf("%+v: no bin with 1000 slots", s)
	}
	for _, m := range x.Roots {
		if !(m.Root.Value > 0 && m.Root.Value < m.Bound && m.Bound < m.Closed && m.Root.Low <= m.Root.Value && m.Root.Value <= m.Root.High) {
			t.Errorf("%+v: root of order %d: %+v, bound %g, closed form %g", s, m.Order, m.Root, m.Bound, m.Closed)
		}
	}
}

// Random systems, as they are and saturated, under both routing units.
func TestCollapseBelowBounds(t *testing.T) {
	r := newRand(31)
	for i := range 12 {
		s := randomSystem(r, 2+r.IntN(12))
		saturated := i%2 == 0
		if !saturated {
			s.Gap = 0.3 + 0.5*r.Float64()
		}
		x, err := MeasureCollapse(context.Background(), s, CollapseOptions{Seed: uint64(i), Slots: 1 << 16, Saturated: saturated})
		if err != nil {
			t.Fatal(err)
		}
		checkCollapse(t, s, x)
	}
}

// From one long queue the drift is below the line, and negative, beyond
// K_perp/(2 slope).
func TestCollapseFromAfar(t *testing.T) {
	s := jsqlib.System{Servers: 8, Alpha: 4.5}
	start := []int64{0, 0, 0, 0, 0, 0, 0, 400}
	x, err := MeasureCollapse(context.Background(), s, CollapseOptions{Seed: 1, Slots: 32 * 400, Replications: 32, Start: start})
	if err != nil {
		t.Fatal(err)
	}
	checkCollapse(t, s, &Collapse{Drift: x.Drift, Bins: x.Bins})
	negative := 0
	for _, b := range x.Bins {
		if b.Low > 2*x.Drift.Kappa {
			negative++
			if b.Drift.High >= -x.Drift.Eta || b.Line >= -x.Drift.Eta {
				t.Errorf("drift %+v, line %g at L = %g: want below -eta = %g", b.Drift, b.Line, b.MeanL, -x.Drift.Eta)
			}
		}
	}
	if negative < 3 || x.WarmUp != 0 {
		t.Errorf("%d bins beyond 2 kappa = %g, warm-up %d; want 3 or more and 0", negative, 2*x.Drift.Kappa, x.WarmUp)
	}
}

// Moments and tails of saturated servers against the exact law, and of two servers
// near the boundary, within four standard errors.
func TestCollapseAgainstExact(t *testing.T) {
	ctx := context.Background()
	rare := make(jsqlib.PMF, 21)
	rare[0], rare[20] = 0.95, 0.05
	for _, s := range []jsqlib.System{
		{Servers: 2, Gap: 1e-3}, {Servers: 3, Gap: 1e-9}, {Servers: 3, Gap: 0.1, Routing: jsqlib.Job},
		{Servers: 3, Gap: 0.01, Arrivals: jsqlib.PMF{0.4, 0.3, 0.2, 0.1}, Service: jsqlib.PMF{0, 1}},
		{Servers: 2, Gap: 0.01, Arrivals: jsqlib.PMF{0, 1}, Service: rare}, // differences of hundreds
	} {
		exact, err := NewSaturated(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		x, err := MeasureCollapse(ctx, s, CollapseOptions{Seed: 5, Slots: 1 << 18, Saturated: true})
		if err != nil {
			t.Fatal(err)
		}
		checkCollapse(t, s, x)
		for _, m := range x.Roots {
			want, err := exact.MomentRoot(m.Order)
			if err != nil {
				t.Fatal(err)
			}
			if m.Root.Deviation(want) > 4 {
				t.Errorf("%+v: root of order %d is %+v, exactly %g", s, m.Order, m.Root, want)
			}
		}
		for _, b := range x.Bins {
			if want := exact.Tail(b.Low - 1e-9); b.Low > 0 && math.Abs(b.Tail.Value-want) > 4*b.Tail.StdErr+1e-4 {
				t.Errorf("%+v: P(L >= %g) = %+v, exactly %g", s, b.Low, b.Tail, want)
			}
		}
	}
	s := jsqlib.System{Servers: 2, Gap: 0.3}
	truth := smallChain(t, s, 40)
	x, err := MeasureCollapse(ctx, s, CollapseOptions{Seed: 6, Slots: 1 << 18, Orders: []int{2, 6}})
	if err != nil {
		t.Fatal(err)
	}
	checkCollapse(t, s, x)
	for _, m := range x.Roots {
		want := 0.0
		for i, l := range truth.norms {
			want += truth.weights[i] * math.Pow(l, float64(m.Order))
		}
		if want = math.Pow(want, 1/float64(m.Order)); m.Root.Deviation(want) > 4 {
			t.Errorf("root of order %d is %+v, exactly %g", m.Order, m.Root, want)
		}
	}
}

// The mean square of the reference system for whole batches, E L^2/N^3 = 0.127 at N = 8, and
// towards 2/3 N for single jobs.
func TestCollapseReference(t *testing.T) {
	for _, c := range []struct {
		s           jsqlib.System
		scale, want float64
		tol         float64
	}{
		{jsqlib.System{Servers: 8, Alpha: 20}, 512, 0.127, 0.001},
		{jsqlib.System{Servers: 32, Alpha: 20}, 32768, 0.094, 0.001},
		{jsqlib.System{Servers: 64, Alpha: 20, Routing: jsqlib.Job}, 64, 2.0 / 3, 0.03},
	} {
		x, err := MeasureCollapse(context.Background(), c.s, CollapseOptions{Slots: 1 << 17, Orders: []int{2}, Saturated: true})
		if err != nil {
			t.Fatal(err)
		}
		checkCollapse(t, c.s, x)
		root := x.Roots[0].Root
		got, se := root.Value*root.Value/c.scale, 2*root.Value*root.StdErr/c.scale
		if math.Abs(got-c.want) > c.tol+4*se {
			t.Errorf("%+v: E L^2 = %g +- %g in its unit, want %g", c.s, got, se, c.want)
		}
	}
}

// The same bits for any number of workers, and others for another seed.
func TestCollapseWorkers(t *testing.T) {
	run := func(seed uint64, workers int) *Collapse {
		done, total := int64(0), int64(0)
		x, err := MeasureCollapse(context.Background(), jsqlib.System{Servers: 5, Gap: 0.2}, CollapseOptions{
			Seed: seed, Workers: workers, Slots: 1 << 15, Progress: func(d, n int64) { done, total = d, n },
		})
		if err != nil {
			t.Fatal(err)
		}
		if done != total || total != x.Slots+x.WarmUp {
			t.Errorf("progress ends at %d of %d, slots %d + %d", done, total, x.Slots, x.WarmUp)
		}
		return x
	}
	one := run(1, 1)
	for _, w := range []int{2, 7} {
		if !reflect.DeepEqual(one, run(1, w)) {
			t.Errorf("another result with %d workers", w)
		}
	}
	if reflect.DeepEqual(one, run(2, 1)) {
		t.Error("the same result with another seed")
	}
}

func TestCollapseErrors(t *testing.T) {
	ctx := context.Background()
	s := jsqlib.System{Servers: 4, Gap: 0.3}
	for _, c := range []struct {
		s              jsqlib.System
		o              CollapseOptions
		argument, text string
	}{
		{jsqlib.System{Servers: 1, Gap: 0.3}, CollapseOptions{}, "servers", "servers >= 2"},
		{jsqlib.System{Servers: 10001, Gap: 0.3}, CollapseOptions{}, "servers", "servers <= 10000"},
		{jsqlib.System{Servers: 4, Gap: 0.3, Policy: jsqlib.Policy{Choices: 3}}, CollapseOptions{}, "policy", "jsq"},
		{jsqlib.System{Servers: 8, Alpha: 4.5}, CollapseOptions{}, "gap", "want Saturated"},
		{jsqlib.System{Servers: 8, Gap: 1e-100}, CollapseOptions{}, "gap", "want Saturated"},
		{s, CollapseOptions{Workers: -1}, "Workers", "Workers >= 0"},
		{s, CollapseOptions{Replications: 1}, "Replications", "2 <="},
		{s, CollapseOptions{Slots: 3}, "Slots", "for each replication"},
		{s, CollapseOptions{Slots: -3}, "Slots", "for each replication"},
		{s, CollapseOptions{Bins: -1}, "Bins", "1 <="},
		{s, CollapseOptions{Orders: []int{2, 0}}, "r", "r = 0"},
		{s, CollapseOptions{Start: []int64{1}}, "Start", "one for each server"},
		{s, CollapseOptions{Start: []int64{0, 0, -1, 0}}, "Start", "a queue of -1"},
	} {
		_, err := MeasureCollapse(ctx, c.s, c.o)
		wantArgument(t, err, c.argument, c.text)
	}
	if _, err := MeasureCollapse(ctx, jsqlib.System{Servers: 4}, CollapseOptions{}); err == nil {
		t.Error("no gap: no error")
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, err := MeasureCollapse(stopped, s, CollapseOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

func TestInverse(t *testing.T) {
	r := newRand(32)
	c := mustConstants(t, jsqlib.System{Servers: 2, Gap: 0.1})
	p := &collapsePlan{o: CollapseOptions{Saturated: true}, c: c}
	rng := p.walker("inverse", 0).rng
	for _, law := range []jsqlib.PMF{{0, 1}, {0.25, 0.5, 0.25}, {0, 0, 0.5, 0, 0.5}, randomPMF(r, 20), c.Arrivals.Power(2)} {
		v := newInverse(law)
		const n = 100000
		counts := make([]float64, len(law))
		for range n {
			counts[v.draw(rng)]++
		}
		for k, q := range law {
			if se := math.Sqrt(n * q * (1 - q)); math.Abs(counts[k]-n*q) > 5*se {
				t.Errorf("%v: %g of %d draws are %d, want %g +- %g", law, counts[k], n, k, n*q, se)
			}
		}
	}
}
