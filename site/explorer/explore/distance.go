package explore

import (
	"context"
	"math"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/law"
	"jsqlab/jsqlib/sim"
)

// Distance answers with the keys of jsq distance --json (but second_moment_total
// and pmf) and, in "law", the law of Z = N^(-alpha) Q for a picture (see curves).
// Also: relaxation, the time in which the total forgets, in slots (services in
// continuous time); and stopped, true if ctx ended the run before its goal.
// progress gets the JSON of phase, slots, planned and, when known, rel_error; it is
// called often and from the goroutine that does the work.
func Distance(ctx context.Context, text []byte, progress func(sim.Progress)) []byte {
	q, s, err := parse(text)
	if err != nil {
		return failure(err)
	}
	if !(q.RelError > 0 && q.RelError < 1) {
		return failure(refuse("rel_error", q.RelError, "0 < rel-error < 1"))
	}
	o := sim.BoundaryOptions{Options: sim.Options{Seed: s.seed, Workers: 1, RelError: q.RelError, Progress: progress}}
	d, err := law.Distance(ctx, s.Model, o)
	stopped := err != nil && ctx.Err() != nil
	if err != nil && !(stopped && d != nil) {
		return failure(err)
	}
	out := result{
		"command": q.commandLine(), "model": q.Model, "servers": s.N, "alpha": s.Constants.Alpha, "gap": s.Constants.Gap,
		"policy": q.Policy, "seed": s.seed, "limit_mean": s.LimitMean, "mean_unused": s.Eps,
		"relaxation": s.Relaxation(), "stopped": stopped,
	}
	if !s.Model.Continuous {
		out["arrivals"], out["service"], out["routing"] = q.Arrivals, q.Service, q.Routing
	}
	b := d.Boundary
	out["warnings"] = append([]string{}, b.Warnings...)
	out.estimate("wasserstein", d.W1)
	out.number("certificate_low", d.CertificateLow)
	out.number("certificate_high", d.CertificateHigh)
	out.estimate("mean_total", d.MeanTotal)
	out.estimate("boundary_mean", b.BoundaryMean)
	if !s.Model.Continuous {
		out.estimate("boundary_second", b.BoundarySecond)
	}
	out.estimate("qtilde_mean", b.QtildeMean)
	out["slots"], out["total_slots"], out["replications"] = b.Slots, b.TotalSlots, b.Replications
	out["ceiling"] = b.Ceiling
	if b.ShiftInSigma > 0 || len(b.Warnings) == 0 { // 0 with a warning: not checked
		out.number("ceiling_shift_in_sigma", b.ShiftInSigma)
	}
	out["law"] = curves(d.Total, s.LimitMean, s.MeanShift)
	return encode(out)
}

// result is a JSON object of finite numbers.
type result map[string]any

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// number leaves out what is not determined.
func (r result) number(key string, x float64) {
	if finite(x) {
		r[key] = x
	}
}

// estimate adds key, key_low and key_high.
func (r result) estimate(key string, e jsqlib.Estimate) {
	r.number(key, e.Value)
	if finite(e.Low) && finite(e.High) {
		r[key+"_low"], r[key+"_high"] = e.Low, e.High
	}
}
