package law

import (
	"fmt"
	"math"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/limit"
	"jsqlab/jsqlib/sim"
	"jsqlab/jsqlib/wasserstein"
)

// Scaling is the map from the total to Y = Scale (Q - Shift): Scale N^(-alpha) and
// Shift N where the limit is that of N^(-alpha) (Q - N), Scale 1/N and Shift 0 for Q/N.
type Scaling struct {
	Scale float64 // > 0, unit of Y per job
	Shift float64 // jobs
}

// Measured is the law of Y = Scale (Q - Shift) as a run measured it, or as it is known
// exactly, with what is needed for the interval of a distance. It is what the regimes
// alpha <= 1 need, whose limits are not exponential (continuous time):
//
//   - 1/2 < alpha < 1: N^(-alpha) (Q - N) against [limit.Gamma] with shape 2, rate 1
//     (Zhao, Banerjee and Mukherjee, 2021);
//   - alpha = 1, 1 - lambda = g/N: Q/N against [limit.NDS] (Gupta and Walton, 2019);
//   - alpha = 1/2: N^(-1/2) (Q - N) converges to a diffusion (Eschenfeldt and Gamarnik,
//     2018) whose stationary law has no closed form. What can be measured is the
//     distance between the laws at N and at a larger N', [Measured.Between].
//
// A Measured is not changed by its methods, which are safe for concurrent use.
type Measured struct {
	lattice wasserstein.Lattice
	// average returns the error of W1 to a law that F passes at the given share of
	// each cell, as an Estimate of mean 0 or so; nil for an exact law.
	average func(crossing func(n int) float64) jsqlib.Estimate
	noise   float64
}

// Measured returns the law of Y from the law of the total and the boundary run that
// it comes from, b; nil for an exact boundary law, whose distances have no error.
// It fails with [ErrArgument] for a scaling out of range.
func (t *Total) Measured(b *sim.BoundaryLaw, y Scaling) (*Measured, error) {
	if err := y.validate(); err != nil {
		return nil, err
	}
	m := &Measured{lattice: t.Lattice()}
	m.lattice.Span, m.lattice.Shift = y.Scale, y.Shift
	if b == nil {
		return m, nil
	}
	if b.Min != t.min || len(b.P) != len(t.b) {
		return nil, fmt.Errorf("law: boundary run on %d..%d: want the run that the law is made of, on %d..%d: %w",
			b.Min, b.Min+len(b.P)-1, t.min, t.min+len(t.b)-1, ErrBoundary)
	}
	m.average = func(crossing func(n int) float64) jsqlib.Estimate {
		// mean of the share over the geometric tail
		gap, p, tail := t.kernel.TailGap(), 1., 0.
		for n := t.last() + 1; p > 1e-17; n++ {
			tail += gap * p * crossing(n)
			p -= p * gap
		}
		return b.Average(t.influence(y.Scale, func(n, _ int, _ float64) float64 { return crossing(n) }, tail))
	}
	return m, nil
}

// MeasuredDirect returns the law of Y as a direct simulation found it. It fails
// with [ErrArgument] for a scaling out of range and without a run, and as wasserstein does for a run
// without counts.
func MeasuredDirect(st *sim.Stationary, y Scaling) (*Measured, error) {
	if err := y.validate(); err != nil {
		return nil, err
	}
	if st == nil {
		return nil, fmt.Errorf("law: st = nil: want a direct run: %w", ErrArgument)
	}
	lattice, err := wasserstein.NewLatticeOfCounts(y.Scale, y.Shift, st.Counts)
	if err != nil {
		return nil, err
	}
	m := &Measured{lattice: lattice}
	m.average = func(crossing func(n int) float64) jsqlib.Estimate {
		// tail[n]: int of the sign of F - G from the point of n on; beyond the sample
		// F does not depend on it
		tail := make([]float64, len(st.Counts)+1)
		for n := len(st.Counts) - 1; n >= 0; n-- {
			tail[n] = tail[n+1] + y.Scale*(2*crossing(n)-1)
		}
		return st.Average(func(q int) float64 { return tail[q] })
	}
	// E W1 of n independent points from their own law: sqrt(2/(pi n)) int sqrt(F (1-F))
	var spread float64
	for _, f := range lattice.CDF {
		spread += y.Scale * math.Sqrt(f*(1-f))
	}
	variance := st.SecondMoment.Value - st.MeanTotal.Value*st.MeanTotal.Value
	size := math.Max(variance/(st.MeanTotal.StdErr*st.MeanTotal.StdErr), 1)
	m.noise = spread * math.Sqrt(2/(math.Pi*size))
	return m, nil
}

// Lattice returns the law of Y as package wasserstein takes it.
func (m *Measured) Lattice() wasserstein.Lattice { return m.lattice }

// Noise is about the W1 that a direct run has from the true law by chance alone,
//
//	sqrt(2/(pi n)) int sqrt(F (1 - F)),
//
// n being the number of independent samples that would know E Q as well as the run
// does (derived: a Brownian bridge). It biases distances upwards; hold them against it.
// It is 0 for laws from a boundary law, whose noise is in the interval alone.
func (m *Measured) Noise() float64 { return m.noise }

// W1 returns W1 between Y and a law, exactly for the measured law, with the 95 %
// interval of its linearisation in what was measured, over independent replications
// as in [Distance]; an exact law has no error. The cost is that of
// [wasserstein.Lattice.W1Law], whose errors it returns.
func (m *Measured) W1(to limit.Law) (jsqlib.Estimate, error) {
	d, err := m.lattice.W1Law(to)
	if err != nil {
		return jsqlib.Estimate{}, err
	}
	e := jsqlib.Estimate{}
	if m.average != nil {
		e = m.average(func(n int) float64 { return m.lattice.Crossing(n, to) })
	}
	return around(d, e.StdErr, e.HalfWidth()), nil
}

// Between returns W1 between two measured laws of one unit, exactly for the laws as
// measured, with a 95 % interval from the errors of both, which must come from
// independent runs (other seeds or systems).
func (m *Measured) Between(other *Measured) (jsqlib.Estimate, error) {
	if other == nil {
		return jsqlib.Estimate{}, fmt.Errorf("law: other = nil: want a measured law: %w", ErrArgument)
	}
	a, err := m.lattice.Law()
	if err != nil {
		return jsqlib.Estimate{}, err
	}
	b, err := other.lattice.Law()
	if err != nil {
		return jsqlib.Estimate{}, err
	}
	first, err := m.W1(b)
	if err != nil {
		return jsqlib.Estimate{}, err
	}
	second, err := other.W1(a)
	if err != nil {
		return jsqlib.Estimate{}, err
	}
	half := func(e jsqlib.Estimate) float64 { return e.High - e.Value }
	return around(first.Value, math.Hypot(first.StdErr, second.StdErr), math.Hypot(half(first), half(second))), nil
}

// around is an estimate of what is not negative, with its half width.
func around(d, stdErr, half float64) jsqlib.Estimate {
	return jsqlib.Estimate{Value: d, StdErr: stdErr, Low: math.Max(d-half, 0), High: d + half}
}

func (y Scaling) validate() error {
	if !(y.Scale > 0) || math.IsInf(y.Scale, 1) {
		return fmt.Errorf("law: scale = %v: want 0 < scale < Inf: %w", y.Scale, ErrArgument)
	}
	if math.IsNaN(y.Shift) || math.IsInf(y.Shift, 0) {
		return fmt.Errorf("law: shift = %v: want a finite number: %w", y.Shift, ErrArgument)
	}
	return nil
}
