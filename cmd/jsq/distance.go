package main

import (
	"math"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/law"
	"jsqlab/jsqlib/sim"
)

func init() {
	register(command{
		name:    "distance",
		summary: "law of the total and its distance to the limit, at any alpha",
		args:    modelArgs,
		help:    distanceHelp,
		flags: func(f *flags) {
			declareModel(f)
			declareRun(f, "1e11")
			f.declare("ceiling", "0", "first ceiling `L` tried; 0: picked")
		},
		run: runDistance,
	})
}

const distanceHelp = `
The law of the total follows from what an unused service (ct: an idle server)
sees, and that is simulated under a shifted ceiling: whenever all queues exceed
2L, L is taken off each. L is doubled until E Q~ moves by less than its error
bar. The cost does not depend on alpha. It needs a rule under which the
differences of the queues are positive recurrent while nobody idles: jsq, or
pod:D or pod:D:replacement with D >= 2. --rel-error is that of wasserstein.

JSON keys: command, version, model, servers, alpha (not for N = 1), gap,
arrivals, service, routing (dt), policy, seed; wasserstein, mean_total (E Q),
second_moment_total (E Q^2), boundary_mean (E[U Q+]/E U; E[I Q]/E I in ct),
boundary_second (E[U^2]/E U, dt), qtilde_mean (E Q~), each with its 95 %
interval KEY_low, KEY_high; certificate_low, certificate_high, limit_mean,
mean_unused (eps = N gap, exact), pmf (P(Q = 0), ..., P(Q = 15)), slots,
total_slots, ceiling, ceiling_shift_in_sigma, replications, warnings.

wasserstein is W1 between N^(-alpha) Q (dt) or (1 - lambda) Q (ct) and the
exponential of mean limit_mean. certificate_low and certificate_high bound it
from the two boundary terms alone, taken at the ends of their intervals; as all
is of one run, certificate_low never exceeds wasserstein. slots are those
counted at the last ceiling, total_slots those of the whole run, and
ceiling_shift_in_sigma is the shift of E Q~ between the last two ceilings in
standard errors.
`

func runDistance(c *call) (*report, error) {
	m, err := c.model()
	if err != nil {
		return nil, err
	}
	var o sim.BoundaryOptions
	if o.Options, err = c.simOptions(); err != nil {
		return nil, err
	}
	if o.Ceiling, err = c.integer("ceiling", 0, math.MaxInt32, "a whole number, ceiling >= 0 (0: picked)"); err != nil {
		return nil, err
	}
	o.Progress = c.progress.sim(m.slots())

	d, err := law.Distance(c.ctx, m.Model, o)
	if err != nil && c.ctx.Err() == nil {
		return nil, err
	}
	r := newReport(c.flags)
	m.head(r)
	r.key("seed", o.Seed)
	r.exact("limit_mean", "mean of the limit exponential", "m", m.c.LimitMean)
	if d != nil {
		m.distance(r, d)
	}
	return r, err
}

// distance adds the result of a boundary estimation.
func (m *model) distance(r *report, d *law.DistanceResult) {
	b, k := d.Boundary, d.Total.Kernel()
	r.warnings = append(r.warnings, b.Warnings...)
	r.estimate("wasserstein", "distance to the limit exponential", m.distanceSymbol(), d.W1)
	r.number("certificate_low", "certificate: at least", "", d.CertificateLow)
	r.number("certificate_high", "certificate: at most", "", d.CertificateHigh)

	r.estimate("mean_total", "mean total", "E Q", d.MeanTotal)
	r.estimate("second_moment_total", "second moment of the total", "E Q^2", d.SecondMoment)
	if m.Continuous {
		r.exact("mean_unused", "idle servers", "E I", m.c.Eps)
	} else {
		r.exact("mean_unused", "unused service", "E U", m.c.Eps)
	}
	m.boundaryRows(r, b.BoundaryMean, b.BoundarySecond, b.QtildeMean)
	// P(Q = n) is linear in the law of Q~, in units of the gap so that squares of errors do not underflow
	gap, values := d.Total.Scale(), make([]float64, len(b.P))
	pmf(r, func(n int) jsqlib.Estimate {
		for i := range values {
			values[i] = k.At(n-b.Min-i) / gap
		}
		e, value := b.Average(values), d.Total.PMF(n)
		h := e.HalfWidth() * gap
		return jsqlib.Estimate{Value: value, StdErr: e.StdErr * gap, Low: value - h, High: value + h}
	})
	r.text("slots", m.slots()+" counted", "", b.Slots)
	r.text("total_slots", m.slots()+" of the whole run", "", b.TotalSlots)
	r.text("ceiling", "ceiling", "L", b.Ceiling)
	if b.ShiftInSigma > 0 || len(b.Warnings) == 0 { // 0 with a warning: not checked
		r.number("ceiling_shift_in_sigma", "shift of E Q~ from L/2 to L, in standard errors", "", b.ShiftInSigma)
	}
	r.text("replications", "replications", "", b.Replications)
}
