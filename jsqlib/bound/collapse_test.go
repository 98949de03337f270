package bound

import (
	"context"
	"math"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/exact"
	"jsqlab/jsqlib/sim"
)

// checkCollapse holds every bin and moment of a run against its bound: none is above
// by more than four standard errors.
func checkCollapse(t *testing.T, s jsqlib.Model, x *sim.Collapse) {
	t.Helper()
	d, bins := mustDrift(t, s), 0
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
		if !(d.Line(b.High) <= b.Line*(1+1e-9)+1e-9 && b.Line <= d.Line(b.Low)*(1+1e-9)+1e-9) {
			t.Errorf("%+v: mean line %g in the bin [%g, %g)", s, b.Line, b.Low, b.High)
		}
		if bound := d.Tail(math.Nextafter(b.Low, 0)); b.Tail.Value > bound+4*b.Tail.StdErr {
			t.Errorf("%+v: P(L >= %g) = %g, bound %g", s, b.Low, b.Tail.Value, bound)
		}
	}
	if bins == 0 {
		t.Errorf("%+v: no bin with 1000 slots", s)
	}
	for _, m := range x.Roots {
		bound, err := d.MomentRoot(m.Order)
		if err != nil {
			t.Fatal(err)
		}
		closed, err := d.LogMomentClosed(m.Order)
		if err != nil {
			t.Fatal(err)
		}
		closed = math.Exp(closed / float64(m.Order))
		if !(m.Root.Value > 0 && m.Root.Value < bound && bound < closed && m.Root.Low <= m.Root.Value && m.Root.Value <= m.Root.High) {
			t.Errorf("%+v: root of order %d: %+v, bound %g, closed form %g", s, m.Order, m.Root, bound, closed)
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
		x, err := sim.MeasureCollapse(context.Background(), s, sim.CollapseOptions{Line: mustDrift(t, s).Line, Seed: uint64(i), Slots: 1 << 16, Saturated: saturated})
		if err != nil {
			t.Fatal(err)
		}
		checkCollapse(t, s, x)
	}
}

// From one long queue the drift is below the line, and negative, beyond
// K_perp/(2 slope).
func TestCollapseFromAfar(t *testing.T) {
	s := jsqlib.Model{Servers: 8, Alpha: 4.5}
	start := []int64{0, 0, 0, 0, 0, 0, 0, 400}
	x, err := sim.MeasureCollapse(context.Background(), s, sim.CollapseOptions{Line: mustDrift(t, s).Line, Seed: 1, Slots: 32 * 400, Replications: 32, Start: start})
	if err != nil {
		t.Fatal(err)
	}
	checkCollapse(t, s, &sim.Collapse{Bins: x.Bins})
	d, negative := mustDrift(t, s), 0
	for _, b := range x.Bins {
		if b.Low > 2*d.Kappa {
			negative++
			if b.Drift.High >= -d.Eta || b.Line >= -d.Eta {
				t.Errorf("drift %+v, line %g at L = %g: want below -eta = %g", b.Drift, b.Line, b.MeanL, -d.Eta)
			}
		}
	}
	if negative < 3 || x.WarmUp != 0 {
		t.Errorf("%d bins beyond 2 kappa = %g, warm-up %d; want 3 or more and 0", negative, 2*d.Kappa, x.WarmUp)
	}
}

// Moments and tails of saturated servers against the exact law, and of two servers
// near the boundary, within four standard errors.
func TestCollapseAgainstExact(t *testing.T) {
	ctx := context.Background()
	rare := make(jsqlib.PMF, 21)
	rare[0], rare[20] = 0.95, 0.05
	for _, s := range []jsqlib.Model{
		{Servers: 2, Gap: 1e-3}, {Servers: 3, Gap: 1e-9}, {Servers: 3, Gap: 0.1, Routing: jsqlib.Job},
		{Servers: 3, Gap: 0.01, Arrivals: jsqlib.PMF{0.4, 0.3, 0.2, 0.1}, Service: jsqlib.PMF{0, 1}},
		{Servers: 2, Gap: 0.01, Arrivals: jsqlib.PMF{0, 1}, Service: rare}, // differences of hundreds
	} {
		saturated, err := exact.NewSaturated(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		x, err := sim.MeasureCollapse(ctx, s, sim.CollapseOptions{Line: mustDrift(t, s).Line, Seed: 5, Slots: 1 << 18, Saturated: true})
		if err != nil {
			t.Fatal(err)
		}
		checkCollapse(t, s, x)
		for _, m := range x.Roots {
			want, err := saturated.MomentRoot(m.Order)
			if err != nil {
				t.Fatal(err)
			}
			if m.Root.Deviation(want) > 4 {
				t.Errorf("%+v: root of order %d is %+v, exactly %g", s, m.Order, m.Root, want)
			}
		}
		for _, b := range x.Bins {
			if want := saturated.Tail(b.Low - 1e-9); b.Low > 0 && math.Abs(b.Tail.Value-want) > 4*b.Tail.StdErr+1e-4 {
				t.Errorf("%+v: P(L >= %g) = %+v, exactly %g", s, b.Low, b.Tail, want)
			}
		}
	}
	s := jsqlib.Model{Servers: 2, Gap: 0.3}
	truth := smallChain(t, s, 40)
	x, err := sim.MeasureCollapse(ctx, s, sim.CollapseOptions{Line: mustDrift(t, s).Line, Seed: 6, Slots: 1 << 18, Orders: []int{2, 6}})
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
		s           jsqlib.Model
		scale, want float64
		tol         float64
	}{
		{jsqlib.Model{Servers: 8, Alpha: 20}, 512, 0.127, 0.001},
		{jsqlib.Model{Servers: 32, Alpha: 20}, 32768, 0.094, 0.001},
		{jsqlib.Model{Servers: 64, Alpha: 20, Routing: jsqlib.Job}, 64, 2.0 / 3, 0.03},
	} {
		x, err := sim.MeasureCollapse(context.Background(), c.s, sim.CollapseOptions{Line: mustDrift(t, c.s).Line, Slots: 1 << 17, Orders: []int{2}, Saturated: true})
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
