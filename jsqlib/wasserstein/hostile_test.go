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
	null := func(ctx context.Context, n int, law limit.Law, o NullOptions) func() any {
		return func() any { return hostile.Err(Null(ctx, n, law, o)) }
	}
	w1Law := func(law limit.Law) func() any { return func() any { return hostile.Err(W1Law(of(one, nil), law)) } }
	hostile.Run(t, hostile.Calls{
		{"Null without context", null(none, 3, exp, NullOptions{}), "ctx = nil: want a context"},
		{"Null of no points", null(ctx, 0, exp, NullOptions{}), "sample size = 0"},
		{"Null of all points", null(ctx, math.MaxInt, exp, NullOptions{}), "sample size = "},
		{"Null of all samples", null(ctx, 3, exp, NullOptions{Reps: math.MaxInt}), "reps = "},
		{"Null of no law", null(ctx, 3, nil, NullOptions{}), "law = nil"},
		{"Null of a law of NaN", null(ctx, 3, limit.Exponential{Mean: nan}, NullOptions{}), "mean of the law = NaN"},
		{"law of mean Inf", w1Law(limit.Exponential{Mean: inf}), "mean of the law = +Inf"},
		{"gamma law of mean Inf", w1Law(limit.Gamma{Shape: 1}), "mean of the law = +Inf"},
		{"NDS law of mean Inf", w1Law(limit.NDS{}), "mean of the law = +Inf"},
		{"no sample", func() any { return hostile.Err(W1(Sample{}, of(one, nil))) }, "x = no points"},
		{"sample of NaN", func() any { return hostile.Err(W1(of(one, nil), of([]float64{nan}, nil))) }, "y[0] = NaN"},
		{"short weights", func() any { return hostile.Err(W1(of(one, []float64{}), of(one, nil))) }, "1 points and 0 weights"},
		{"order NaN", func() any { return hostile.Err(Wp(nan, of(one, nil), of(one, nil))) }, "order p = NaN"},
		{"order 1/2", func() any { return hostile.Err(Wp(0.5, of(one, nil), of(one, nil))) }, "order p = 0.5"},
		{"PValue of NaN", func() any { return (&NullDistribution{Values: one}).PValue(nan) }, "NaN"},
		{"PValue of no samples", func() any { return new(NullDistribution).PValue(1) }, "NaN"},
		{"Quantile of no samples", func() any { return new(NullDistribution).Quantile(0.5) }, "NaN"},
		{"Quantile of NaN", func() any { return (&NullDistribution{Values: one}).Quantile(nan) }, "NaN"},
		{"NoiseFloor of no points", func() any { return NoiseFloor(0, 1) }, "+Inf"},
	})
}
