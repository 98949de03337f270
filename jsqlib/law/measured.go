package law

import (
	"fmt"
	"math"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/num"
	"jsqlab/jsqlib/limit"
)

// Measured is the law of Y = Scale (Q - Shift), measured by a run or exact, with distances and their
// intervals. Use it for the regimes alpha <= 1 of continuous time, whose limits are not exponential:
//
//   - 1/2 < alpha < 1: N^(-alpha) (Q - N) against [limit.Gamma] with shape 2, rate 1 (Zhao, Banerjee
//     and Mukherjee, 2021);
//   - alpha = 1, 1 - lambda = g/N: Q/N against [limit.NDS] (Gupta and Walton, 2019);
//   - alpha = 1/2: N^(-1/2) (Q - N) converges to a diffusion (Eschenfeldt and Gamarnik, 2018) whose
//     stationary law has no closed form. What can be measured is the distance between the laws at N and
//     at a larger N', [Measured.Between].
//
// The methods do not change a Measured and are safe for concurrent use.
type Measured struct {
	law *lattice
	// average returns the error of W1 to a law that F passes at the given share of each cell, as an
	// Estimate around 0. It is nil for an exact law.
	average func(crossing func(n int) float64) jsqlib.Estimate
	noise   float64
}

// Measured returns the law of Y from the law of the total. average estimates E f(Q~) over the
// replications of the run that the law is made of, f[k] being the value at Q~ = Min + k; nil for an
// exact boundary law, whose distances have no error. It fails with [*jsqlib.Invalid] for a scaling out
// of range.
func (t *Total) Measured(y Scaling, average func(f []float64) jsqlib.Estimate) (*Measured, error) {
	if err := y.validate(); err != nil {
		return nil, err
	}
	m := &Measured{law: t.scaled(y)}
	if average == nil {
		return m, nil
	}
	m.average = func(crossing func(n int) float64) jsqlib.Estimate {
		// mean of the share over the geometric tail
		gap, p, tail := t.kernel.tailGap(), 1., 0.
		for n := t.last() + 1; p > 1e-17; n++ {
			tail += gap * p * crossing(n)
			p -= p * gap
		}
		return average(t.influence(y.Scale, func(n, _ int, _ float64) float64 { return crossing(n) }, tail))
	}
	return m, nil
}

// FromCounts returns the law of Y where P(Q = n) is proportional to counts[n], a sample without a tail.
// average estimates E f(Q) over the replications that were counted, f[n] being the value at Q = n, and
// independent is how many independent samples the counts are worth. It fails with [*jsqlib.Invalid] for
// a scaling or a count out of range.
func FromCounts(counts []int64, y Scaling, average func(f []float64) jsqlib.Estimate, independent float64) (*Measured, error) {
	if err := y.validate(); err != nil {
		return nil, err
	}
	var total float64
	last := 0
	for n, k := range counts {
		if k < 0 {
			return nil, jsqlib.Refuse("law", fmt.Sprintf("counts[%d]", n), k, "counts >= 0")
		}
		if k > 0 {
			last = n
		}
		total += float64(k)
	}
	if total == 0 {
		return nil, jsqlib.Refuse("law", "counts", "none", "at least one")
	}
	cdf := make([]float64, last+1)
	var sum num.Sum
	spread := 0.0 // int sqrt(F (1 - F))
	for n := range cdf[:last] {
		sum.Add(float64(counts[n]))
		f := math.Min(sum.Value()/total, 1)
		cdf[n] = f
		spread += y.Scale * math.Sqrt(f*(1-f))
	}
	cdf[last] = 1
	m := &Measured{law: newLattice(y, 0, cdf, math.Inf(-1), 0), noise: spread * math.Sqrt(2/(math.Pi*independent))}
	m.average = func(crossing func(n int) float64) jsqlib.Estimate {
		// tail[n]: int of the sign of F - G from the point of n on; beyond the sample F does not depend
		// on it
		tail := make([]float64, len(counts)+1)
		for n := len(counts) - 1; n >= 0; n-- {
			tail[n] = tail[n+1] + y.Scale*(2*crossing(n)-1)
		}
		return average(tail)
	}
	return m, nil
}

// Noise is about the W1 that counts worth n independent samples have from the true law by chance alone,
//
//	sqrt(2/(pi n)) int sqrt(F (1 - F))
//
// (derived: a Brownian bridge). Noise biases a distance upwards: compare each distance with Noise. It
// is 0 for laws from a boundary law; their noise shows in the interval alone.
func (m *Measured) Noise() float64 { return m.noise }

// W1 returns W1 between Y and a law with a finite mean, exactly for the measured law, with the 95 %
// interval of its linearisation in what was measured, over independent replications; an exact law has
// no error. The absolute error is about 1e-16 of the means, and the cost one evaluation of the law for
// each state down to P(Q > n) = 1e-18; more than 2^27 of them are refused. For an exponential law at a
// small gap use [Total.W1].
func (m *Measured) W1(to limit.Law) (jsqlib.Estimate, error) {
	if m.law == nil {
		return jsqlib.Estimate{}, jsqlib.Refuse("law", "m", "Measured{}", "a measured law")
	}
	d, err := m.law.w1(to)
	if err != nil {
		return jsqlib.Estimate{}, err
	}
	e := jsqlib.Estimate{}
	if m.average != nil {
		e = m.average(func(n int) float64 { return m.law.crossing(n, to) })
	}
	return around(d, e.StdErr, e.HalfWidth()), nil
}

// Between returns W1 between two measured laws of one unit, exactly for the laws as measured, with a 95
// % interval from the errors of both, which must come from independent runs (other seeds or systems).
func (m *Measured) Between(other *Measured) (jsqlib.Estimate, error) {
	if other == nil || other.law == nil || m.law == nil {
		return jsqlib.Estimate{}, jsqlib.Refuse("law", "other", "nil or Measured{}", "two measured laws")
	}
	first, err := m.W1(other.law)
	if err != nil {
		return jsqlib.Estimate{}, err
	}
	second, err := other.W1(m.law)
	if err != nil {
		return jsqlib.Estimate{}, err
	}
	half := func(e jsqlib.Estimate) float64 { return e.High - e.Value }
	return around(first.Value, math.Hypot(first.StdErr, second.StdErr), math.Hypot(half(first), half(second))), nil
}
