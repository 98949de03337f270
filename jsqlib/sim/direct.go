package sim

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/memory"
	"jsqlab/jsqlib/internal/reps"
)

// Stationary is the result of a direct estimation. Means are over slots (over time in CT), totals in
// jobs.
type Stationary struct {
	MeanTotal        jsqlib.Estimate // E Q
	SecondMoment     jsqlib.Estimate // E Q^2
	MeanUnused       jsqlib.Estimate // E U, E I in CT
	BoundaryMean     jsqlib.Estimate // E[U Q^+]/E U, E[I Q]/E I in CT
	BoundarySecond   jsqlib.Estimate // E[U^2]/E U; zero in CT
	QtildeMean       jsqlib.Estimate // E Q~
	PerpSecondMoment jsqlib.Estimate // E ||q_perp||^2
	Counts           []int64         // Counts[n]: looks that found Q = n
	Looks            int64           // sum of Counts
	Slots            int64           // counted, over all replications; steps in CT
	WarmUp           int64           // discarded, over all replications
	Replications     int
	Relaxation       float64 // 2 v/eps^2, in slots (steps in CT)
	Warnings         []string

	fleet *fleet
}

// Average estimates E f(Q) from the same run and in the same way as MeanTotal. The estimate is NaN
// without f, and for a law that no run made.
func (s *Stationary) Average(f func(q int) float64) jsqlib.Estimate {
	if s.fleet == nil || f == nil {
		return unknown
	}
	return s.fleet.mean(func(t *tally) float64 {
		return sumTotal(t, func(q float64) float64 { return f(int(q)) }) / looks(t)
	})
}

// warmUpRelaxations is how many relaxation times 2 v/eps^2 a replication is warmed up for. A
// replication starts from queues spread evenly over a total drawn from the limit law, which is near the
// truth. The remaining difference falls by e^-1 in each relaxation time: e^-8 = 3e-4 of it is left.
const warmUpRelaxations = 8

// Direct estimates stationary means of the model by plain simulation, until the 95 % half width of E Q
// is at most RelError of E Q.
//
// The replications are independent. Each is warmed up for 8 relaxation times 2 v/eps^2 (from a start
// near the limit law) and for 20 times the time in which the differences of the queues mix, and then
// runs in rounds. A run stops only if a reflected Brownian motion of the same drift and variance would
// be as precise too. Without this second condition a run stops where its spread is small by luck, and
// too few intervals hold E Q (93 instead of 95 % at RelError 0.05).
//
// Direct checks itself by E U = eps, by Little's law and by
//
//	E Q = (v + eps^2)/(2 eps) + E[U Q^+]/E U - E[U^2]/(2 E U).
//
// Warnings lists every check that misses by more than four standard errors.
//
// A run whose expected length is beyond MaxSlots is refused with an error that wraps [ErrUnreachable].
// When ctx ends first, Direct returns the estimates so far, with a warning, and the context's error.
func Direct(ctx context.Context, m jsqlib.Model, o Options) (*Stationary, error) {
	ch, _, err := newChain(m)
	if err != nil {
		return nil, err
	}
	// with batch routing a look at all queues costs what N slots do
	stride := int64(1)
	if !m.Continuous && m.Routing == jsqlib.Batch {
		stride = int64(m.Servers)
	}
	return direct(ctx, ch, o, task("direct", m), stride)
}

// length returns the relaxation time 2 v/eps^2 and the expected number of slots of a direct estimation
// of E Q to a relative error. A reflected Brownian motion of drift -eps and variance v has an
// exponential stationary law of mean v/(2 eps), and a mean over T slots has the relative variance 2
// v/(eps^2 T).
func (c *chain) length(relError float64, replications int) (relaxation, slots float64) {
	relaxation = 2 * c.v / (c.drift * c.drift)
	slots = relaxation * (normal95 / relError) * (normal95 / relError)
	return relaxation, slots + float64(replications)*c.warmUp()
}

// needed is length with at least the slots that see enough jobs wait. At a light load the relative
// variance of a mean is that of the number of these slots.
func (c *chain) needed(relError float64, replications int) (relaxation, slots float64) {
	relaxation, slots = c.length(relError, replications)
	return relaxation, max(slots, (normal95/relError)*(normal95/relError)/c.waits)
}

func (c *chain) warmUp() float64 {
	return warmUpRelaxations*2*c.v/(c.drift*c.drift) + 20*c.mixing
}

// DirectLength tells before a run how long [Direct] will take with these options: the relaxation time 2
// v/eps^2 of the total and the expected number of slots. Within MaxSlots it fails as Direct does where
// its counts do not fit the memory.
func DirectLength(m jsqlib.Model, o Options) (relaxation, slots float64, err error) {
	ch, _, err := newChain(m)
	if err != nil {
		return 0, 0, err
	}
	if o, err = o.withDefaults(DirectBudget); err != nil {
		return 0, 0, err
	}
	relaxation, slots = ch.needed(o.RelError, o.Replications)
	if slots > float64(o.MaxSlots) {
		return relaxation, slots, nil // refused for this
	}
	return relaxation, slots, ch.fitsDirect(o)
}

// fitsDirect refuses counts of totals that do not fit the memory. A total of the limit law passes 8
// times its mean once in 3000.
func (c *chain) fitsDirect(o Options) error {
	if err := o.fits("servers", int64(c.n), func(n float64) float64 { return c.cells(n, 0) }); err != nil {
		return err
	}
	top, gap := 8*c.v/(2*c.drift), c.eps/float64(c.n)
	b := o.bytes(c.cells(float64(c.n), top))
	if memory.Fits(b) {
		return nil
	}
	return jsqlib.Refuse("sim", "gap", fmt.Sprintf("%.3g, at which counts of totals up to %.2g take about %s", gap, top, memory.Text(b)),
		fmt.Sprintf("gap >= %.2g, which fits the limit of %s, or the boundary estimator, whose cost does not depend on the gap", gap*b/memory.Limit, memory.Text(memory.Limit)))
}

func direct(ctx context.Context, ch *chain, o Options, task string, stride int64) (*Stationary, error) {
	if err := reps.Context("sim", ctx); err != nil {
		return nil, err
	}
	o, err := o.withDefaults(DirectBudget)
	if err != nil {
		return nil, err
	}
	if relaxation, needed := ch.needed(o.RelError, o.Replications); needed > float64(o.MaxSlots) {
		return nil, fmt.Errorf("sim: a relative error of %g would take about %.2g slots (one independent sample: %.2g), more than max-slots = %.2g: %w; estimate the boundary law instead",
			o.RelError, needed, relaxation, float64(o.MaxSlots), ErrUnreachable)
	}
	relaxation, expected := ch.length(o.RelError, o.Replications)
	reps := int64(o.Replications)
	mean := ch.v / (2 * ch.drift)
	if err := ch.fitsDirect(o); err != nil {
		return nil, err
	}
	f := newFleet(ch, o, task, plan{stride: stride}, func(r *rand.Rand) int64 {
		return int64(r.ExpFloat64() * mean)
	})
	warm := int64(math.Ceil(ch.warmUp()))
	out := &Stationary{WarmUp: warm * reps, Replications: o.Replications, Relaxation: relaxation, fleet: f}
	if err := f.warm(ctx, warm); err != nil {
		return nil, err
	}
	first := int64(expected/float64(4*reps)) + 10*stride + 100
	reached, err := f.until(ctx, first, max((o.MaxSlots-out.WarmUp)/reps, 1),
		func() float64 {
			// by luck the replications may lie close together; those of a reflected Brownian motion,
			// however, would not yet
			m := f.mean(meanTotal)
			if m.Value == 0 {
				return math.Inf(1) // no job was seen yet
			}
			brownian := normal95 * min(mean/m.Value, 1) * math.Sqrt(relaxation/float64(f.slots*reps))
			return max(m.RelError(), brownian)
		})
	out.summarise(ch)
	switch {
	case err != nil:
		if out.Looks == 0 {
			return nil, err
		}
		out.Warnings = append(out.Warnings, "interrupted before the relative error was reached")
	case !reached && out.MeanTotal.RelError() > o.RelError:
		out.Warnings = append(out.Warnings, fmt.Sprintf("the budget of %d slots ended at relative error %.2g, asked %.2g",
			o.MaxSlots, out.MeanTotal.RelError(), o.RelError))
	}
	return out, err
}

// summarise turns the sums into estimates and checks. Replications that an interruption left without a
// look are dropped.
func (s *Stationary) summarise(ch *chain) {
	f := s.fleet
	f.keep(func(t *tally) bool { return looks(t) > 0 })
	if len(f.tallies) < 2 {
		return
	}
	for _, t := range f.tallies {
		s.Slots += t.slots
		if len(t.total) > len(s.Counts) {
			s.Counts = append(s.Counts, make([]int64, len(t.total)-len(s.Counts))...)
		}
		for q, k := range t.total {
			s.Counts[q] += k
			s.Looks += k
		}
	}
	for len(s.Counts) > 0 && s.Counts[len(s.Counts)-1] == 0 {
		s.Counts = s.Counts[:len(s.Counts)-1]
	}
	slots := func(t *tally) float64 { return float64(t.slots) }
	s.MeanTotal = f.mean(meanTotal)
	s.SecondMoment = f.mean(func(t *tally) float64 {
		return sumTotal(t, func(q float64) float64 { return q * q }) / looks(t)
	})
	s.MeanUnused = f.ratio(unused, slots)
	s.PerpSecondMoment = f.mean(ch.perp)
	s.BoundaryMean, s.BoundarySecond, s.QtildeMean = f.boundaryMoments()
	s.check("E U = eps (unused service)", ch.eps, s.MeanUnused)
	s.check("Little's law", 0, f.mean(func(t *tally) float64 { return meanTotal(t) - ch.little(t) }))
	s.check("E Q by the boundary identity", 0, f.mean(func(t *tally) float64 {
		a, b := ch.gap(t)
		return a - b
	}))
}

// boundaryMoments estimates E[U Q^+]/E U, E[U^2]/E U and E Q~. In continuous time U is I, U^2 is not
// counted and Q~ is Q weighted by I.
func (f *fleet) boundaryMoments() (mean, second, qtilde jsqlib.Estimate) {
	mean = f.ratio(unusedQ, unused)
	if f.chain.service == 0 {
		return mean, jsqlib.Estimate{}, mean
	}
	second = f.ratio(unused2, unused)
	qtilde = f.ratio(func(t *tally) float64 { return t.unusedQ - (unused2(t)-unused(t))/2 }, unused)
	return mean, second, qtilde
}

// tolerated is how many standard errors a self-check may miss by.
const tolerated = 4

func (s *Stationary) check(what string, want float64, got jsqlib.Estimate) {
	switch d := got.Deviation(want); {
	case math.IsInf(d, 1):
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s cannot be checked: all replications have %.6g, want %.6g", what, got.Value, want))
	case d > tolerated:
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s misses by %.1f standard errors: got %.6g, want %.6g",
			what, d, got.Value, want))
	}
}
