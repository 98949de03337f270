package main

import (
	"errors"
	"fmt"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/law"
	"jsqlab/jsqlib/sim"
)

func init() {
	register(command{
		name:    "simulate",
		summary: "stationary means by plain simulation, with warm-up and intervals",
		args:    modelArgs,
		help:    simulateHelp,
		flags:   func(f *flags) { declareModel(f); declareRun(f, "2e10") },
		run:     runSimulate,
	})
}

const simulateHelp = `
Independent replications are warmed up for 8 relaxation times 2 v/eps^2 of the
total and run until the 95 % half width of E Q is at most --rel-error of it.
One relaxation time is of the order N^(2 alpha - 1) slots. It and the expected
number of slots are shown before the run starts; a run that is expected to
exceed --max-slots (default 2e10) is refused with exit status 2: jsq distance
estimates the same law at a cost that does not depend on alpha.

JSON keys: command, version, model, servers, alpha (not for N = 1), gap,
arrivals, service, routing (dt), policy, seed; mean_total (E Q),
second_moment_total (E Q^2), mean_unused (E U; E I in ct), boundary_mean
(E[U Q+]/E U; E[I Q]/E I in ct), boundary_second (E[U^2]/E U, dt), qtilde_mean
(E Q~), perp_second_moment (E ||q_perp||^2), wasserstein, each with its 95 %
interval KEY_low, KEY_high; mean_unused_exact (eps = N gap, a check of
mean_unused), pmf (P(Q = 0), ..., P(Q = 15)), limit_mean, wasserstein_noise,
slots, warm_up_slots, relaxation, replications, warnings.

wasserstein is W1 between the empirical law of N^(-alpha) Q (dt) or
(1 - lambda) Q (ct) and the exponential of mean limit_mean. A sample is at a
positive distance from its own law: wasserstein_noise is what noise alone gives
for a sample of this size, and a warning says when the distance is not clearly
above it.
`

func runSimulate(c *call) (*report, error) {
	m, err := c.model()
	if err != nil {
		return nil, err
	}
	o, err := c.simOptions()
	if err != nil {
		return nil, err
	}
	if o.MaxSlots == 0 {
		o.MaxSlots = sim.DirectBudget
	}
	o.Progress = c.progress.sim(m.slots())

	relaxation, expected, err := sim.DirectLength(m.Model, o)
	if err != nil {
		return nil, err
	}
	if expected > float64(o.MaxSlots) {
		return nil, m.unreachable(o, relaxation, expected)
	}
	c.progress.note("jsq simulate: relaxation 2 v/eps^2 = %.3g %s; expected to take about %.3g %s",
		relaxation, m.slots(), expected, m.slots())

	st, err := sim.Direct(c.ctx, m.Model, o)
	if errors.Is(err, sim.ErrUnreachable) {
		return nil, m.unreachable(o, relaxation, expected)
	}
	if err != nil && c.ctx.Err() == nil {
		return nil, err
	}
	r := newReport(c.flags)
	m.head(r)
	r.key("seed", o.Seed)
	r.exact("limit_mean", "mean of the limit exponential", "m", m.c.LimitMean)
	if st != nil {
		if werr := m.stationary(r, st); werr != nil && err == nil {
			err = werr
		}
	}
	return r, err
}

// unreachable refuses a simulation that cannot end.
func (m *model) unreachable(o sim.Options, relaxation, expected float64) error {
	name := m.gapFlag()
	instead := "jsq distance, whose cost does not depend on alpha"
	if m.Policy.Recurrent(m.Servers) != nil {
		instead = "a larger gap or --max-slots"
	}
	return flagError(name, fmt.Sprintf("%s takes about %.2g %s for a relative error of %g (%.2g for one independent sample), more than --max-slots = %.2g",
		quote(m.text(name)), expected, m.slots(), o.RelError, relaxation, float64(o.MaxSlots)), instead)
}

// stationary adds the result of a direct simulation.
func (m *model) stationary(r *report, st *sim.Stationary) error {
	r.warnings = append(r.warnings, st.Warnings...)
	r.estimate("mean_total", "mean total", "E Q", st.MeanTotal)
	r.estimate("second_moment_total", "second moment of the total", "E Q^2", st.SecondMoment)
	if m.Continuous {
		r.estimate("mean_unused", "idle servers", "E I", st.MeanUnused)
		r.exact("mean_unused_exact", "which should be", "N (1 - lambda)", m.c.Eps)
	} else {
		r.estimate("mean_unused", "unused service", "E U", st.MeanUnused)
		r.exact("mean_unused_exact", "which should be", "eps", m.c.Eps)
	}
	m.boundaryRows(r, st.BoundaryMean, st.BoundarySecond, st.QtildeMean)
	r.estimate("perp_second_moment", "distance from equal queues", "E ||q_perp||^2", st.PerpSecondMoment)
	if err := m.sampleDistance(r, st); err != nil {
		return err
	}
	pmf(r, func(n int) jsqlib.Estimate {
		return st.Average(func(q int) float64 {
			if q == n {
				return 1
			}
			return 0
		})
	})
	r.text("slots", m.slots()+" counted", "", st.Slots)
	r.text("warm_up_slots", m.slots()+" of warm-up", "", st.WarmUp)
	r.number("relaxation", "relaxation time, "+m.slots(), "2 v/eps^2", st.Relaxation)
	r.text("replications", "replications", "", st.Replications)
	return nil
}

// clearlyAbove is how many times the noise floor a distance must be to be told
// from it: under the limit law itself the distance of a sample varies by about
// half of the floor.
const clearlyAbove = 3

// sampleDistance adds the distance of the sample to the limit law.
func (m *model) sampleDistance(r *report, st *sim.Stationary) error {
	w, noise, err := law.FromDirect(st, m.c.Gap, m.c.LimitMean)
	if err != nil {
		return err
	}
	r.estimate("wasserstein", "distance to the limit exponential", m.distanceSymbol(), w)
	r.number("wasserstein_noise", "what noise alone gives", "", noise)
	if w.Value < clearlyAbove*noise {
		remedy := "take a smaller --rel-error"
		if m.Policy.Recurrent(m.Servers) == nil {
			remedy = "jsq distance has no such floor"
		}
		r.warn("wasserstein = %.2g is not clearly above %.2g, what the noise of this sample alone gives: %s", w.Value, noise, remedy)
	}
	return nil
}
