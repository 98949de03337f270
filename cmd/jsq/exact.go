package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
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
arrivals, service, routing (dt), policy, limit_mean; wasserstein, mean_total
(E Q), second_moment_total (E Q^2), boundary_mean (E[U Q+]/E U; E[I Q]/E I in
ct), boundary_second (E[U^2]/E U, dt), qtilde_mean (E Q~), perp_second_moment
(E ||q_perp||^2), equal_probability (P(q_1 = ... = q_N)) and pmf (P(Q = 0), ...,
P(Q = 15)), each with an interval KEY_low, KEY_high that holds the numerical
error; certificate_low, certificate_high; mean_unused and mean_unused_exact
(E U = eps = N gap; E I in ct: known exactly), mean_unused_error (what the
solution misses it by, relative: a check), ceiling (highest level of min q in
the chain), states, residual (||pi P - pi||_1), warnings.

wasserstein is W1 between N^(-alpha) Q (dt) or (1 - lambda) Q (ct) and the
exponential of mean limit_mean; certificate_low and certificate_high bound it
from the two boundary terms alone, taken at the ends of their intervals.
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
	const (
		distance = iota
		least
		most
		second
		boundaryMean
		boundarySecond
		pmf // and the next ones
	)
	numbers := func(x exact.Result) ([]float64, error) {
		total, err := k.Total(law.Boundary{Min: x.Boundary.Min, P: x.Boundary.P})
		if err != nil {
			return nil, err
		}
		w, err := total.W1ToLimit()
		if err != nil {
			return nil, err
		}
		c, err := k.Certificate(x.BoundaryMean, x.BoundarySecond)
		if err != nil {
			return nil, err
		}
		v := []float64{w, c.LimitLow, c.LimitHigh, total.SecondMoment(), x.BoundaryMean, x.BoundarySecond}
		for n := range pmfLength {
			v = append(v, max(total.PMF(n), 0))
		}
		return v, nil
	}
	values, err := numbers(x)
	if err != nil {
		return err
	}
	intervals := x.Intervals(func(x exact.Result) []float64 {
		v, err := numbers(x)
		if err != nil { // no interval then
			v = slices.Repeat([]float64{math.NaN()}, len(values))
		}
		return v
	})
	within := func(value float64, i exact.Interval) jsqlib.Estimate {
		return jsqlib.Estimate{Value: value, Low: i.Low, High: i.High}
	}
	estimate := func(i int) jsqlib.Estimate { // of what is not negative
		return within(values[i], exact.Interval{Low: max(intervals[i].Low, 0), High: intervals[i].High})
	}
	r.estimate("wasserstein", "distance to the limit exponential", m.distanceSymbol(), estimate(distance))
	// the lower one is a difference of terms as large as the upper one
	r.digits("certificate_low", "certificate: at least", "", max(intervals[least].Low-1e-15*values[most], 0))
	r.digits("certificate_high", "certificate: at most", "", intervals[most].High)

	shift := x.MeanTotal - x.QtildeMean
	r.estimate("mean_total", "mean total", "E Q", within(x.MeanTotal, exact.Interval{Low: max(x.Qtilde.Low+shift, 0), High: x.Qtilde.High + shift}))
	r.estimate("second_moment_total", "second moment of the total", "E Q^2", estimate(second))
	unused, seen := "unused service", "total seen by an unused service"
	symbolU, symbolB := "E U", "E[U Q+]/E U"
	if m.Continuous {
		unused, seen = "idle servers", "total seen by an idle server"
		symbolU, symbolB = "E I", "E[I Q]/E I"
	}
	r.exact("mean_unused", unused, symbolU, x.MeanUnusedExact)
	r.key("mean_unused_exact", x.MeanUnusedExact)
	r.number("mean_unused_error", "which the solution misses by a relative", "", math.Abs(x.MeanUnused/x.MeanUnusedExact-1))
	r.estimate("boundary_mean", seen, symbolB, estimate(boundaryMean))
	if !m.Continuous {
		r.estimate("boundary_second", "size-biased unused service", "E[U^2]/E U", estimate(boundarySecond))
	}
	r.estimate("qtilde_mean", "boundary part of the total", "E Q~", within(x.QtildeMean, x.Qtilde))
	perp, equal := x.Perp, x.Equal
	perp.Low, equal.Low, equal.High = max(perp.Low, 0), max(equal.Low, 0), min(equal.High, 1)
	r.estimate("perp_second_moment", "distance from equal queues", "E ||q_perp||^2", within(x.PerpSecondMoment, perp))
	r.estimate("equal_probability", "all queues equal", "P(q_1 = ... = q_N)", within(x.EqualProbability, equal))
	// P(Q = n) may move less than its neighbours by chance, and its rounding is relative to itself and to the
	// kernel, of the order of eps
	p, low, high, moved := values[pmf:], make([]float64, pmfLength), make([]float64, pmfLength), 0.0
	for n, i := range intervals[pmf:] {
		moved = max(moved, (i.High-i.Low)/2-1e-13*p[n])
	}
	for n := range p {
		half := moved + 1e-13*p[n] + 1e-15*x.MeanUnusedExact
		low[n], high[n] = max(p[n]-half, 0), min(p[n]+half, 1)
		r.row("", fmt.Sprintf("P(Q = %d)", n), plusMinus(p[n], half))
	}
	r.key("pmf", p)
	r.key("pmf_low", low)
	r.key("pmf_high", high)
	r.text("ceiling", "highest level of min q", "", x.Ceiling)
	r.text("states", "states", "", x.States)
	r.number("residual", "residual", "||pi P - pi||_1", x.Residual)
	return nil
}
