package main

import (
	"errors"
	"fmt"

	"jsqlab/jsqlib/record"
	"jsqlab/jsqlib/sim"
)

func init() {
	register(command{
		name:    "simulate",
		summary: "stationary means by plain simulation, with warm-up and intervals",
		args:    modelArgs,
		help:    simulateHelp + listed("JSON keys", "simulate"),
		setup: func(f *flags) func() (*report, error) {
			m, o := declareModel(f), declareRun(f, "2e10")
			return func() (*report, error) { return m.simulate(*o) }
		},
	})
}

const simulateHelp = `
Independent replications are warmed up for 8 relaxation times 2 v/eps^2 of the
total and run until the 95 % half width of E Q is at most --rel-error of it.
One relaxation time is of the order N^(2 alpha - 1) slots. It and the expected
number of slots are shown before the run starts; a run that is expected to
exceed --max-slots (default 2e10) is refused with exit status 2: jsq distance
estimates the same law at a cost that does not depend on alpha.

wasserstein is that of the empirical law. A sample is at a positive distance from
its own law: wasserstein_noise is what noise alone gives for a sample of this
size, and a warning says when the distance is not clearly above it. Intervals
are 95 %.
`

func (m *model) simulate(o sim.Options) (*report, error) {
	if err := m.read(); err != nil {
		return nil, err
	}
	if o.MaxSlots == 0 {
		o.MaxSlots = sim.DirectBudget
	}
	o.Progress = m.progress.sim(m.slots())

	relaxation, expected, err := sim.DirectLength(m.Model, o)
	if err != nil {
		return nil, err
	}
	if expected > float64(o.MaxSlots) {
		return nil, m.unreachable(o, relaxation, expected)
	}
	m.progress.note("jsq simulate: relaxation 2 v/eps^2 = %.3g %s; expected to take about %.3g %s",
		relaxation, m.slots(), expected, m.slots())

	st, err := sim.Direct(m.ctx, m.Model, o)
	if errors.Is(err, sim.ErrUnreachable) {
		return nil, m.unreachable(o, relaxation, expected)
	}
	if err != nil && m.ctx.Err() == nil {
		return nil, err
	}
	head, result := cut(record.Columns("simulate"), "limit_mean")
	r, x := newReport(m.flags), m.record()
	x.Seed = o.Seed
	r.record(x, head)
	if st == nil {
		return r, err
	}
	if err := x.SetDirect(st); err != nil {
		return r, err
	}
	r.warnings = append(r.warnings, x.Warnings...)
	r.record(x, result)
	if w, noise := x.Wasserstein.Value, x.WassersteinNoise; w < clearlyAbove*noise {
		remedy := "take a smaller --rel-error"
		if m.Policy.Recurrent(m.Servers) == nil {
			remedy = "jsq distance has no such floor"
		}
		r.warn("wasserstein = %.2g is not clearly above %.2g, what the noise of this sample alone gives: %s", w, noise, remedy)
	}
	return r, err
}

// clearlyAbove is the multiple of the noise floor from which a distance is more than noise. Under the
// limit law itself the distance of a sample varies by about half of the floor.
const clearlyAbove = 3

// unreachable refuses a simulation that cannot end.
func (m *model) unreachable(o sim.Options, relaxation, expected float64) error {
	name := m.gapFlag()
	instead := "jsq distance, whose cost does not depend on alpha"
	if m.Policy.Recurrent(m.Servers) != nil {
		instead = "a larger gap or --max-slots"
	}
	return invalid(name, fmt.Sprintf("%s takes about %.2g %s for a relative error of %g (%.2g for one independent sample), more than --max-slots = %.2g",
		quote(m.text(name)), expected, m.slots(), o.RelError, relaxation, float64(o.MaxSlots)), instead)
}
