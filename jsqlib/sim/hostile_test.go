package sim

import (
	"context"
	"math"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/hostile"
)

func TestHostile(t *testing.T) {
	var none context.Context
	ctx := context.Background()
	dt, ct := jsqlib.Model{Servers: 2, Gap: 0.3}, jsqlib.Model{Continuous: true, Servers: 2, Gap: 0.3}
	nan := math.NaN()
	collapse := func(o CollapseOptions) func() any {
		return func() any { return hostile.Err(MeasureCollapse(ctx, dt, o)) }
	}
	path := func(o PathOptions) func() any { return func() any { return hostile.Err(SamplePath(dt, o)) } }
	b, err := Boundary(ctx, dt, BoundaryOptions{Estimator: Climb, Options: Options{RelError: 0.2}})
	if err != nil {
		t.Fatal(err)
	}
	st, err := Direct(ctx, dt, Options{RelError: 0.2})
	if err != nil {
		t.Fatal(err)
	}
	hostile.Run(t, hostile.Calls{
		{"Boundary without context", func() any { return hostile.Err(Boundary(none, dt, BoundaryOptions{Estimator: Climb})) }, "ctx = nil: want a context"},
		{"Boundary in continuous time without context", func() any { return hostile.Err(Boundary(none, ct, BoundaryOptions{Estimator: Climb})) }, "ctx = nil: want a context"},
		{"Direct without context", func() any { return hostile.Err(Direct(none, dt, Options{})) }, "ctx = nil: want a context"},
		{"Direct in continuous time without context", func() any { return hostile.Err(Direct(none, ct, Options{})) }, "ctx = nil: want a context"},
		{"Boundary of Model{}", func() any { return hostile.Err(Boundary(ctx, jsqlib.Model{}, BoundaryOptions{Estimator: Climb})) }, "servers = 0"},
		{"DirectCT of no servers in continuous time", func() any { return hostile.Err(Direct(ctx, jsqlib.Model{Continuous: true}, Options{})) }, "servers = 0"},
		{"relative error NaN", func() any { return hostile.Err(Direct(ctx, dt, Options{RelError: nan})) }, "rel-error = NaN"},
		{"all replications", func() any { return hostile.Err(Direct(ctx, dt, Options{Replications: math.MaxInt})) }, "replications = "},
		{"workers", func() any { return hostile.Err(Direct(ctx, dt, Options{Workers: -1})) }, "workers = -1"},
		{"ceiling", func() any {
			return hostile.Err(Boundary(ctx, dt, BoundaryOptions{Estimator: Climb, Ceiling: math.MaxInt64}))
		}, "ceiling = "},
		{"length of Model{}", func() any { _, _, err := DirectLength(jsqlib.Model{}, Options{}); return err }, "servers = 0"},
		{"length to NaN", func() any { _, _, err := DirectLength(ct, Options{RelError: nan}); return err }, "rel-error = NaN"},
		{"Average of nothing", func() any { return b.Average(nil).Value }, "NaN"},
		{"Average of a short slice", func() any { return b.Average(make([]float64, len(b.P)-1)).StdErr }, "NaN"},
		{"Average of BoundaryLaw{}", func() any { return new(BoundaryLaw).Average(nil).Value }, "NaN"},
		{"Average of no function", func() any { return st.Average(nil).Value }, "NaN"},
		{"Average of Stationary{}", func() any { return new(Stationary).Average(func(int) float64 { return 1 }).Value }, "NaN"},
		{"path of Model{}", func() any { return hostile.Err(SamplePath(jsqlib.Model{}, PathOptions{})) }, "servers = 0"},
		{"path of no servers in continuous time", func() any { return hostile.Err(SamplePath(jsqlib.Model{Continuous: true}, PathOptions{})) }, "servers = 0"},
		{"path of steps", path(PathOptions{Steps: math.MaxInt}), "steps = "},
		{"path of -1 steps", path(PathOptions{Steps: -1}), "steps = -1"},
		{"path without end", path(PathOptions{Every: math.MaxInt}), "every = "},
		{"short start", path(PathOptions{Start: []int64{1}}), "start = 1"},
		{"negative start", path(PathOptions{Start: []int64{1, -1}}), "start = -1"},
		{"start without end", path(PathOptions{Start: []int64{math.MaxInt64, 0}}), "start = 9223372036854775807"},
		{"MeasureCollapse without context", func() any { return hostile.Err(MeasureCollapse(none, dt, CollapseOptions{})) }, "ctx = nil: want a context"},
		{"MeasureCollapse of Model{}", func() any { return hostile.Err(MeasureCollapse(ctx, jsqlib.Model{}, CollapseOptions{})) }, "servers = 0"},
		{"collapse of short start", collapse(CollapseOptions{Start: []int64{1}}), "Start = 1 queues"},
		{"collapse of order 0", collapse(CollapseOptions{Orders: []int{0}}), "r = 0"},
		{"collapse of slots", collapse(CollapseOptions{Slots: -1}), "Slots = -1"},
	})
}
