package main

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/exact"
	"jsqlab/jsqlib/law"
)

func init() {
	register(command{
		name:    "exact",
		summary: "stationary law of a few servers, numerically exact, at any alpha",
		args:    modelArgs,
		help:    exactHelp,
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

JSON keys: command, version, model, servers, alpha (not for N = 1), gap,
arrivals, service, routing (dt), policy, limit_mean; mean_total (E Q),
qtilde_mean (E Q~), perp_second_moment (E ||q_perp||^2), each with an interval
KEY_low, KEY_high that holds the numerical error; second_moment_total (E Q^2),
wasserstein, certificate_low, certificate_high, mean_unused (E U; E I in ct),
mean_unused_exact (eps = N gap, a check of mean_unused), boundary_mean
(E[U Q+]/E U; E[I Q]/E I in ct), boundary_second (E[U^2]/E U, dt),
equal_probability (P(q_1 = ... = q_N)), pmf (P(Q = 0), ..., P(Q = 15)),
ceiling (highest level of min q in the chain), states, residual
(||pi P - pi||_1), warnings.

wasserstein is W1 between N^(-alpha) Q (dt) or (1 - lambda) Q (ct) and the
exponential of mean limit_mean; certificate_low and certificate_high bound it
from the two boundary terms alone.
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
	x, err := exact.Solve(c.ctx, m.Model, o)
	if err != nil && c.ctx.Err() == nil {
		return nil, m.exactError(err)
	}
	r := newReport(c.flags)
	m.head(r)
	r.exact("limit_mean", "mean of the limit exponential", "m", m.c.LimitMean)
	if err == nil {
		err = m.exact(r, k, x)
	}
	return r, err
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

// exact adds a numerically exact result.
func (m *model) exact(r *report, k *law.Kernel, x exact.Result) error {
	r.warnings = append(r.warnings, x.Warnings...)
	total, err := k.Total(law.Boundary{Min: x.Boundary.Min, P: x.Boundary.P})
	if err != nil {
		return err
	}
	w, err := total.W1ToLimit()
	if err != nil {
		return err
	}
	certificate, err := k.Certificate(x.BoundaryMean, x.BoundarySecond)
	if err != nil {
		return err
	}
	r.digits("wasserstein", "distance to the limit exponential", m.distanceSymbol(), w)
	r.digits("certificate_low", "certificate: at least", "", certificate.LimitLow)
	r.digits("certificate_high", "certificate: at most", "", certificate.LimitHigh)

	within := func(value float64, i exact.Interval) jsqlib.Estimate {
		return jsqlib.Estimate{Value: value, Low: i.Low, High: i.High}
	}
	shift := x.MeanTotal - x.QtildeMean
	r.estimate("mean_total", "mean total", "E Q", within(x.MeanTotal, exact.Interval{Low: x.Qtilde.Low + shift, High: x.Qtilde.High + shift}))
	r.digits("second_moment_total", "second moment of the total", "E Q^2", total.SecondMoment())
	unused, seen := "unused service", "total seen by an unused service"
	symbolU, symbolB := "E U", "E[U Q+]/E U"
	if m.Continuous {
		unused, seen = "idle servers", "total seen by an idle server"
		symbolU, symbolB = "E I", "E[I Q]/E I"
	}
	r.number("mean_unused", unused+" of the solution", symbolU, x.MeanUnused)
	r.exact("mean_unused_exact", "which should be", "N e", x.MeanUnusedExact)
	r.digits("boundary_mean", seen, symbolB, x.BoundaryMean)
	if !m.Continuous {
		r.digits("boundary_second", "size-biased unused service", "E[U^2]/E U", x.BoundarySecond)
	}
	r.estimate("qtilde_mean", "boundary part of the total", "E Q~", within(x.QtildeMean, x.Qtilde))
	r.estimate("perp_second_moment", "distance from equal queues", "E ||q_perp||^2", within(x.PerpSecondMoment, x.Perp))
	r.digits("equal_probability", "all queues equal", "P(q_1 = ... = q_N)", x.EqualProbability)
	p := make([]float64, pmfLength)
	for n := range p {
		p[n] = max(total.PMF(n), 0)
		r.row("", fmt.Sprintf("P(Q = %d)", n), fmt.Sprintf("%.8g", p[n]))
	}
	r.key("pmf", p)
	r.row("numbers without a bar", "", "of the same solution; their error is not bounded on its own")
	r.text("ceiling", "highest level of min q", "", x.Ceiling)
	r.text("states", "states", "", x.States)
	r.number("residual", "residual", "||pi P - pi||_1", x.Residual)
	return nil
}
