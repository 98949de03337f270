package main

import (
	"fmt"
	"math"

	"jsqlab/jsqlib/exact"
	"jsqlab/jsqlib/law"
	"jsqlab/jsqlib/record"
	"jsqlab/jsqlib/sim"
)

func init() {
	register(command{
		name:    "exact",
		summary: "stationary law of a few servers, numerically exact, at any alpha",
		args:    modelArgs,
		help:    exactHelp + listed("JSON keys", "exact"),
		setup: func(f *flags) func() (*report, error) {
			m, o := declareModel(f), new(exact.Options)
			add(f, &o.Tolerance, "tolerance", "1e-9", "half width `X` wanted for the interval of E Q~, relative to max(1, E Q~)", "0 < tolerance < 1", number(0, 1))
			add(f, &o.MaxStates, "max-states", "0", "bound `K` on the states of the chain; 0: 2e6",
				"a whole number, 0 <= max-states < 2^31 (0: the default)", integer(0, math.MaxInt32))
			declareStreams(f, new(sim.Options))
			return func() (*report, error) { return m.exact(*o) }
		},
	})
}

const exactHelp = `
The chain of the queues near the boundary is solved numerically, and the law of
the total follows from it at any gap. It is for a few servers: what does not fit
is refused with exit status 2. It needs a rule under which the differences of
the queues are positive recurrent while nobody idles: jsq, or pod:D or
pod:D:replacement with D >= 2.
Nothing is random: --seed and --workers are taken and do not matter.
Intervals hold the numerical error. The certificate is of the two boundary terms
alone, taken at the ends of their intervals.
`

func (m *model) exact(o exact.Options) (*report, error) {
	if err := m.read(); err != nil {
		return nil, err
	}
	o.Progress = func(p exact.Progress) {
		m.progress.show(func() string {
			return fmt.Sprintf("exact: ceiling %d, %d states, sweep %d, residual %.1e", p.Ceiling, p.States, p.Sweeps, p.Residual)
		})
	}
	k, err := law.NewKernel(m.c)
	if err != nil {
		return nil, err
	}
	solution, err := exact.Solve(m.ctx, m.Model, o)
	if err != nil && m.ctx.Err() == nil {
		return nil, err
	}
	head, result := cut(record.Columns("exact"), "limit_mean")
	r, x := newReport(m.flags), m.record()
	r.record(x, head)
	if err != nil {
		return r, err
	}
	if err := x.SetExact(k, solution); err != nil {
		return r, err
	}
	r.warnings = append(r.warnings, x.Warnings...)
	r.record(x, result)
	return r, nil
}
