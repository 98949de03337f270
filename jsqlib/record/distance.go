package record

import (
	"context"
	"fmt"
	"math"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/law"
	"jsqlab/jsqlib/limit"
	"jsqlab/jsqlib/sim"
	"jsqlab/jsqlib/wasserstein"
)

// DistanceResult is the Wasserstein distance of Z = c Q to its limit Exp(m) with its certificate, and
// the law and the run behind them.
type DistanceResult struct {
	law.Distance
	Total    *law.Total
	Boundary *sim.BoundaryLaw
}

// Distance estimates W1(Z, Exp(m)) to the relative error that o asks for, with its certificate, at a
// cost that does not depend on alpha. It simulates the boundary law under a shifted ceiling until the
// distance is as precise. When ctx ends first, it returns the estimates so far, if any, and the
// context's error. See [sim.Boundary] for the other errors.
func Distance(ctx context.Context, m jsqlib.Model, o sim.BoundaryOptions) (*DistanceResult, error) {
	c, err := m.Constants()
	if err != nil {
		return nil, err
	}
	k, err := law.NewKernel(c)
	if err != nil {
		return nil, err
	}
	o.RelativeError = func(b *sim.BoundaryLaw) float64 {
		d, err := distanceOf(k, b)
		if err != nil {
			return math.Inf(1) // too little to make a law of: go on
		}
		return d.W1.RelError()
	}
	b, err := sim.Boundary(ctx, m, o)
	if b == nil {
		return nil, err
	}
	d, lawErr := distanceOf(k, b)
	if err == nil && lawErr != nil { // the run's failure, not a refused input
		err = fmt.Errorf("record: no law can be made of what was counted: %v", lawErr)
	}
	return d, err
}

func distanceOf(k *law.Kernel, b *sim.BoundaryLaw) (*DistanceResult, error) {
	t, err := k.Total(law.Boundary{Min: b.Min, P: b.P})
	if err != nil {
		return nil, err
	}
	d, err := t.Distance(law.Estimates{Average: b.Average, Qtilde: b.QtildeMean, BoundaryMean: b.BoundaryMean, BoundarySecond: b.BoundarySecond})
	if err != nil {
		return nil, err
	}
	return &DistanceResult{Distance: d, Total: t, Boundary: b}, nil
}

// Measured returns the law of Y from the law of the total and the boundary run that it comes from. It
// fails with [*jsqlib.Invalid] for another run and for a scaling out of range.
func Measured(t *law.Total, b *sim.BoundaryLaw, y law.Scaling) (*law.Measured, error) {
	if t == nil || b == nil || t.Boundary().Min != b.Min || len(t.Boundary().P) != len(b.P) {
		return nil, jsqlib.Refuse("record", "b", "another run", "the run that the law is made of")
	}
	return t.Measured(y, b.Average)
}

// MeasuredDirect returns the law of Y as a direct simulation found it. It fails with [*jsqlib.Invalid]
// for a scaling out of range and a run without counts.
func MeasuredDirect(st *sim.Stationary, y law.Scaling) (*law.Measured, error) {
	if st == nil {
		return nil, jsqlib.Refuse("record", "st", "nil", "a direct run")
	}
	average := func(f []float64) jsqlib.Estimate { return st.Average(func(q int) float64 { return f[q] }) }
	return law.FromCounts(st.Counts, y, average, independent(st))
}

// independent is the number of independent samples that would know E Q as well as the run does.
func independent(st *sim.Stationary) float64 {
	variance := st.SecondMoment.Value - st.MeanTotal.Value*st.MeanTotal.Value
	return math.Max(variance/(st.MeanTotal.StdErr*st.MeanTotal.StdErr), 1)
}

// FromDirect returns W1 between Z = c Q, c = gap, and Exp(limitMean) with its 95 % interval, exact for
// the empirical law of a direct simulation.
//
// A sample has a positive distance to its own law, so W1 is biased upwards. noise tells about how much:
// sqrt(pi/2) m n^(-1/2), where n independent samples would know E Q as well as the run does.
func FromDirect(st *sim.Stationary, gap, limitMean float64) (w1 jsqlib.Estimate, noise float64, err error) {
	to, err := limit.NewExponential(limitMean)
	if err != nil {
		return jsqlib.Estimate{}, 0, err
	}
	m, err := MeasuredDirect(st, law.Scaling{Scale: gap})
	if err != nil {
		return jsqlib.Estimate{}, 0, err
	}
	if w1, err = m.W1(to); err != nil {
		return jsqlib.Estimate{}, 0, err
	}
	return w1, wasserstein.NoiseFloor(int(math.Min(independent(st), 1e15)), limitMean), nil
}
