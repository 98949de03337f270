package main

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"jsqlab/jsqlib/exact"
	"jsqlab/jsqlib/law"
	"jsqlab/jsqlib/record"
)

func init() {
	register(command{
		name:    "exact",
		summary: "stationary law of a few servers, numerically exact, at any alpha",
		args:    modelArgs,
		help:    exactHelp + listed("JSON keys", "exact"),
		flags: func(f *flags) {
			declareModel(f)
			f.declare("tolerance", "1e-9", "half width `X` wanted for the interval of E Q~, relative to max(1, E Q~)")
			f.declare("max-states", "0", "bound `K` on the states of the chain; 0: 2e6")
			declareStreams(f)
		},
		run: runExact,
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

func runExact(c *call) (*report, error) {
	m, err := c.model()
	if err != nil {
		return nil, err
	}
	if _, _, err := c.streams(); err != nil {
		return nil, err
	}
	var o exact.Options
	if o.Tolerance, err = c.number("tolerance", "0 < tolerance < 1", func(x float64) bool { return x > 0 && x < 1 }); err != nil {
		return nil, err
	}
	states, err := c.integer("max-states", 0, math.MaxInt32, "a whole number, max-states >= 0 (0: the default)")
	if err != nil {
		return nil, err
	}
	o.MaxStates = int(states)
	o.Progress = func(p exact.Progress) {
		c.progress.show(func() string {
			return fmt.Sprintf("exact: ceiling %d, %d states, sweep %d, residual %.1e", p.Ceiling, p.States, p.Sweeps, p.Residual)
		})
	}
	k, err := law.NewKernel(m.c)
	if err != nil {
		return nil, m.translate(err)
	}
	solution, err := exact.Solve(c.ctx, m.Model, o)
	if err != nil && c.ctx.Err() == nil {
		return nil, m.exactError(err)
	}
	head, result := cut(record.Columns("exact"), "limit_mean")
	r, x := newReport(c.flags), m.record()
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

// exactError names the flag where package exact names its option.
func (m *model) exactError(err error) error {
	var size *exact.SizeError
	var option *exact.OptionError
	switch {
	case errors.As(err, &option):
		return flagError(strings.ReplaceAll(option.Option, " ", "-"), option.Got, option.Want)
	case errors.As(err, &size):
		return &usageError{fmt.Sprintf("--%s needs %s", size.What, size.Need),
			fmt.Sprintf("at most %s (jsq distance takes more servers)", strings.Replace(size.Want, "MaxStates", "--max-states", 1))}
	}
	return err
}
