package study

import (
	"context"
	"fmt"
	"math"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/reps"
	"jsqlab/jsqlib/law"
	"jsqlab/jsqlib/sim"
)

// Row is the result of a task, in the keys of the command line: a line of the
// table. KEY, KEYLow and KEYHigh are an estimate and its 95 % interval. Fields
// of discrete time only are zero, and left out of files, in continuous time.
type Row struct {
	Task
	Version   string  `json:"version"`
	Gap       float64 `json:"gap"`        // e = N^(-alpha)
	LimitMean float64 `json:"limit_mean"` // m, in units of Z

	// W1 between Z = N^(-alpha) Q, (1 - lambda) Q in continuous time, and the
	// exponential of mean m, with the two-sided certificate of package law.
	Wasserstein     float64 `json:"wasserstein"`
	WassersteinLow  float64 `json:"wasserstein_low"`
	WassersteinHigh float64 `json:"wasserstein_high"`
	CertificateLow  float64 `json:"certificate_low"`
	CertificateHigh float64 `json:"certificate_high"`

	MeanTotal          float64 `json:"mean_total"` // E Q, jobs
	MeanTotalLow       float64 `json:"mean_total_low"`
	MeanTotalHigh      float64 `json:"mean_total_high"`
	MeanUnused         float64 `json:"mean_unused"`   // E U = eps, E I = N e in continuous time; exact
	BoundaryMean       float64 `json:"boundary_mean"` // E[U Q^+]/E U, E[I Q]/E I in continuous time; jobs
	BoundaryMeanLow    float64 `json:"boundary_mean_low"`
	BoundaryMeanHigh   float64 `json:"boundary_mean_high"`
	BoundarySecond     float64 `json:"boundary_second,omitempty"` // E[U^2]/E U, dt; jobs
	BoundarySecondLow  float64 `json:"boundary_second_low,omitempty"`
	BoundarySecondHigh float64 `json:"boundary_second_high,omitempty"`
	QtildeMean         float64 `json:"qtilde_mean"` // E Q~, jobs
	QtildeMeanLow      float64 `json:"qtilde_mean_low"`
	QtildeMeanHigh     float64 `json:"qtilde_mean_high"`

	Slots               int64    `json:"slots"`       // counted at the last ceiling; steps in continuous time
	TotalSlots          int64    `json:"total_slots"` // of the whole run
	Ceiling             int64    `json:"ceiling"`     // L
	CeilingShiftInSigma float64  `json:"ceiling_shift_in_sigma"`
	Replications        int      `json:"replications"`
	Warnings            []string `json:"warnings"` // empty when all self-checks hold
}

// W1 returns the distance with its standard error.
func (r Row) W1() jsqlib.Estimate {
	return r.estimate(r.Wasserstein, r.WassersteinLow, r.WassersteinHigh)
}

// Qtilde returns E Q~ with its standard error.
func (r Row) Qtilde() jsqlib.Estimate {
	return r.estimate(r.QtildeMean, r.QtildeMeanLow, r.QtildeMeanHigh)
}

// estimate restores the standard error from the upper end of a Student t
// interval over the replications: the lower end may be clipped at 0.
func (r Row) estimate(value, low, high float64) jsqlib.Estimate {
	return jsqlib.Estimate{Value: value, StdErr: (high - value) / reps.Quantile(float64(r.Replications-1)), Low: low, High: high}
}

// run does a task. The row is nil unless the task is done.
func (t Task) run(ctx context.Context, version string, workers int, progress func(sim.Progress)) (*Row, error) {
	m, c, err := t.model()
	if err != nil {
		return nil, err
	}
	o := sim.BoundaryOptions{Options: sim.Options{Seed: t.TaskSeed, Workers: workers, RelError: t.RelError, MaxSlots: t.MaxSlots, Progress: progress}}
	r := &Row{Task: t, Version: version}
	r.Gap, r.LimitMean, r.MeanUnused = c.Gap, c.LimitMean, c.Eps
	d, err := law.Distance(ctx, m, o)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	b := d.Boundary
	r.Wasserstein, r.WassersteinLow, r.WassersteinHigh = d.W1.Value, d.W1.Low, d.W1.High
	r.CertificateLow, r.CertificateHigh = d.CertificateLow, d.CertificateHigh
	r.MeanTotal, r.MeanTotalLow, r.MeanTotalHigh = d.MeanTotal.Value, d.MeanTotal.Low, d.MeanTotal.High
	r.BoundaryMean, r.BoundaryMeanLow, r.BoundaryMeanHigh = b.BoundaryMean.Value, b.BoundaryMean.Low, b.BoundaryMean.High
	if !m.Continuous {
		r.BoundarySecond, r.BoundarySecondLow, r.BoundarySecondHigh = b.BoundarySecond.Value, b.BoundarySecond.Low, b.BoundarySecond.High
	}
	r.QtildeMean, r.QtildeMeanLow, r.QtildeMeanHigh = b.QtildeMean.Value, b.QtildeMean.Low, b.QtildeMean.High
	r.Slots, r.TotalSlots, r.Ceiling = b.Slots, b.TotalSlots, b.Ceiling
	r.CeilingShiftInSigma, r.Replications = b.ShiftInSigma, b.Replications
	r.Warnings = append([]string{}, b.Warnings...)
	for _, c := range r.columns() {
		if x, ok := c.value.Interface().(float64); ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
			return nil, fmt.Errorf("study: %s = %v: want a finite number (too few slots to estimate it: raise max-slots)", c.name, x)
		}
	}
	return r, nil
}
