package record

import (
	"context"
	"math"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/hostile"
	"jsqlab/jsqlib/law"
	"jsqlab/jsqlib/sim"
)

func TestHostile(t *testing.T) {
	var none context.Context
	ctx, nan, inf := context.Background(), math.NaN(), math.Inf(1)
	c, err := jsqlib.Model{Servers: 2, Gap: 0.3}.Constants()
	if err != nil {
		t.Fatal(err)
	}
	total, err := law.New(c, law.Boundary{P: []float64{0.5, 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	from := func(st *sim.Stationary, gap, mean float64) func() any {
		return func() any { _, _, err := FromDirect(st, gap, mean); return err }
	}
	unit := law.Scaling{Scale: 1}
	hostile.Run(t, hostile.Calls{
		{"Distance without context", func() any {
			return hostile.Err(Distance(none, jsqlib.Model{Servers: 2, Gap: 0.3}, sim.BoundaryOptions{}))
		}, "ctx = nil: want a context"},
		{"Distance in continuous time without context", func() any {
			return hostile.Err(Distance(none, jsqlib.Model{Continuous: true, Servers: 2, Gap: 0.3}, sim.BoundaryOptions{}))
		}, "ctx = nil: want a context"},
		{"Distance of Model{}", func() any { return hostile.Err(Distance(ctx, jsqlib.Model{}, sim.BoundaryOptions{})) }, "servers = 0"},
		{"Measured of no law", func() any { return hostile.Err(Measured(nil, &sim.BoundaryLaw{}, unit)) }, "want the run"},
		{"Measured of no run", func() any { return hostile.Err(Measured(total, nil, unit)) }, "want the run"},
		{"another run", func() any { return hostile.Err(Measured(total, &sim.BoundaryLaw{}, unit)) }, "want the run"},
		{"MeasuredDirect of no run", func() any { return hostile.Err(MeasuredDirect(nil, unit)) }, "st = nil"},
		{"MeasuredDirect of Stationary{}", func() any { return hostile.Err(MeasuredDirect(&sim.Stationary{}, unit)) }, "counts = none"},
		{"FromDirect of no run", from(nil, 0.1, 1), "st = nil"},
		{"FromDirect of Stationary{}", from(&sim.Stationary{}, 0.1, 1), "counts = none"},
		{"FromDirect at NaN", from(&sim.Stationary{Counts: []int64{1, 1}, Looks: 2}, nan, 1), "scale = NaN"},
		{"FromDirect to Inf", from(&sim.Stationary{Counts: []int64{1, 1}, Looks: 2}, 0.1, inf), "mean = +Inf"},
		{"FromDirect of no replications", func() any {
			w, _, _ := FromDirect(&sim.Stationary{Counts: []int64{1, 1}, Looks: 2}, 0.1, 1)
			return w.StdErr
		}, "NaN"},
	})
}
