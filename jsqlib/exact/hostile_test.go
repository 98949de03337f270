package exact

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
	hostile.Run(t, hostile.Calls{
		{"Solve without context", func() any { return hostile.Err(Solve(none, dt, Options{})) }, "ctx = nil: want a context"},
		{"Solve in continuous time without context", func() any { return hostile.Err(Solve(none, ct, Options{})) }, "ctx = nil: want a context"},
		{"Model{}", func() any { return hostile.Err(Solve(ctx, jsqlib.Model{}, Options{})) }, "servers = 0"},
		{"no servers in continuous time", func() any { return hostile.Err(Solve(ctx, jsqlib.Model{Continuous: true}, Options{})) }, "servers = 0"},
		{"tolerance NaN", func() any { return hostile.Err(Solve(ctx, dt, Options{Tolerance: math.NaN()})) }, "tolerance = NaN"},
		{"tolerance Inf", func() any { return hostile.Err(Solve(ctx, ct, Options{Tolerance: math.Inf(1)})) }, "tolerance = +Inf"},
		{"states", func() any { return hostile.Err(Solve(ctx, dt, Options{MaxStates: -1})) }, "max-states = -1"},
		{"NewSaturated without context", func() any { return hostile.Err(NewSaturated(none, dt)) }, "ctx = nil: want a context"},
		{"NewSaturated of Model{}", func() any { return hostile.Err(NewSaturated(ctx, jsqlib.Model{})) }, "servers = 0"},
		{"Saturated{}.MomentRoot", func() any { return hostile.Err(new(Saturated).MomentRoot(2)) }, "exact: s = Saturated{}"},
		{"Saturated{}.Tail", func() any { return new(Saturated).Tail(math.NaN()) }, "0"},
		{"MeanDrift of no queues", func() any { return hostile.Err(MeanDrift(dt, nil)) }, "q = []"},
	})
}
