package wasserstein

import (
	"context"
	"math"
	"testing"

	"jsqlab/jsqlib/internal/hostile"
	"jsqlab/jsqlib/limit"
)

func TestHostile(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	ctx, one, exp := context.Background(), []float64{1}, limit.Exponential{Mean: 1}
	var none context.Context
	lattice := Lattice{Span: 1, CDF: one, LogAmplitude: math.Inf(-1)}
	null := func(ctx context.Context, n int, law limit.Law, o NullOptions) func() any {
		return func() any { return hostile.Err(Null(ctx, n, law, o)) }
	}
	w1Law := func(law limit.Law) func() any { return func() any { return hostile.Err(W1Law(one, nil, law)) } }
	hostile.Run(t, hostile.Calls{
		{"Null without context", null(none, 3, exp, NullOptions{}), "ctx = nil: want a context"},
		{"Null of no points", null(ctx, 0, exp, NullOptions{}), "sample size = 0"},
		{"Null of all points", null(ctx, math.MaxInt, exp, NullOptions{}), "sample size = "},
		{"Null of all samples", null(ctx, 3, exp, NullOptions{Reps: math.MaxInt}), "reps = "},
		{"Null of no law", null(ctx, 3, nil, NullOptions{}), "law is nil"},
		{"Null of a law of NaN", null(ctx, 3, limit.Exponential{Mean: nan}, NullOptions{}), "mean of the law = NaN"},
		{"law of mean Inf", w1Law(limit.Exponential{Mean: inf}), "mean of the law = +Inf"},
		{"gamma law of mean Inf", w1Law(limit.Gamma{Shape: 1}), "mean of the law = +Inf"},
		{"NDS law of mean Inf", w1Law(limit.NDS{}), "mean of the law = +Inf"},
		{"no sample", func() any { return hostile.Err(W1(nil, nil, one, nil)) }, "x has no points"},
		{"sample of NaN", func() any { return hostile.Err(W1(one, nil, []float64{nan}, nil)) }, "y[0] = NaN"},
		{"short weights", func() any { return hostile.Err(W1(one, []float64{}, one, nil)) }, "1 points and 0 weights"},
		{"order NaN", func() any { return hostile.Err(Wp(nan, one, nil, one, nil)) }, "order p = NaN"},
		{"order 1/2", func() any { return hostile.Err(Wp(0.5, one, nil, one, nil)) }, "order p = 0.5"},
		{"PValue of NaN", func() any { return (&NullDistribution{Values: one}).PValue(nan) }, "NaN"},
		{"PValue of no samples", func() any { return new(NullDistribution).PValue(1) }, "NaN"},
		{"Quantile of no samples", func() any { return new(NullDistribution).Quantile(0.5) }, "NaN"},
		{"Quantile of NaN", func() any { return (&NullDistribution{Values: one}).Quantile(nan) }, "NaN"},
		{"NoiseFloor of no points", func() any { return NoiseFloor(0, 1) }, "+Inf"},
		{"GeometricExcess of NaN", func() any { return GeometricExcess(nan, 0) }, "NaN"},
		{"GeometricExcess beyond 1", func() any { return GeometricExcess(2, 0) }, "NaN"},
		{"NewLattice of NaN", func() any { return hostile.Err(NewLattice(1, []float64{nan}, 0.5)) }, "pmf[0] = NaN"},
		{"NewLattice of a span", func() any { return hostile.Err(NewLattice(inf, nil, 0.5)) }, "span = +Inf"},
		{"NewLattice of a gap", func() any { return hostile.Err(NewLattice(1, nil, nan)) }, "gap = NaN"},
		{"no counts", func() any { return hostile.Err(NewLatticeOfCounts(1, 0, nil)) }, "counts sum to 0"},
		{"negative counts", func() any { return hostile.Err(NewLatticeOfCounts(1, 0, []int64{-1})) }, "counts[0] = -1"},
		{"a shift of 1e300", func() any { return hostile.Err(NewLatticeOfCounts(1, 1e300, []int64{1, 1})) }, "shift = 1e+300"},
		{"Lattice{}.W1", func() any { return hostile.Err(Lattice{}.W1(exp, 0)) }, "span = 0"},
		{"Lattice{}.W1Law", func() any { return hostile.Err(Lattice{}.W1Law(exp)) }, "span = 0"},
		{"Lattice{}.Law", func() any { return hostile.Err(Lattice{}.Law()) }, "span = 0"},
		{"Lattice{}.Crossing", func() any { return Lattice{}.Crossing(-3, exp) }, "0"},
		{"Crossing of no law", func() any { return lattice.Crossing(0, nil) }, "NaN"},
		{"W1Law of no law", func() any { return hostile.Err(lattice.W1Law(nil)) }, "law is nil"},
		{"W1Law of a law of NaN", func() any { return hostile.Err(lattice.W1Law(limit.Gamma{})) }, "mean of the law = NaN"},
		{"Excess of Exponential{}", func() any { return Lattice{}.Excess(limit.Exponential{}) }, "NaN"},
	})
}
