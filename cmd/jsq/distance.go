package main

import (
	"math"

	"jsqlab/jsqlib/record"
	"jsqlab/jsqlib/sim"
)

func init() {
	register(command{
		name:    "distance",
		summary: "law of the total and its distance to the limit, at any alpha",
		args:    modelArgs,
		help:    distanceHelp + listed("JSON keys", "distance"),
		setup: func(f *flags) func() (*report, error) {
			m, o := declareModel(f), declareRun(f, "1e11")
			var ceiling int64
			add(f, &ceiling, "ceiling", "0", "first ceiling `L` tried; 0: picked", "a whole number, 0 <= ceiling < 2^31 (0: picked)", integer(int64(0), math.MaxInt32))
			return func() (*report, error) { return m.distance(sim.BoundaryOptions{Options: *o, Ceiling: ceiling}) }
		},
	})
}

const distanceHelp = `
The law of the total follows from what an unused service (ct: an idle server)
sees, and that is simulated under a shifted ceiling: whenever all queues exceed
2L, L is taken off each. L is doubled until E Q~ moves by less than its error
bar. The cost does not depend on alpha. It needs a rule under which the
differences of the queues are positive recurrent while nobody idles: jsq, or
pod:D or pod:D:replacement with D >= 2. --rel-error is that of wasserstein. The
certificate is of the two boundary terms alone, taken at the ends of their
intervals; as all is of one run, certificate_low never exceeds wasserstein.
Intervals are 95 %.
`

func (m *model) distance(o sim.BoundaryOptions) (*report, error) {
	if err := m.read(); err != nil {
		return nil, err
	}
	o.Progress = m.progress.sim(m.slots())

	d, err := record.Distance(m.ctx, m.Model, o)
	if err != nil && m.ctx.Err() == nil {
		return nil, err
	}
	head, result := cut(record.Columns("distance"), "limit_mean")
	r, x := newReport(m.flags), m.record()
	x.Seed = o.Seed
	r.record(x, head)
	if d != nil {
		x.SetBoundary(d)
		r.warnings = append(r.warnings, x.Warnings...)
		r.record(x, result)
	}
	return r, err
}
