package main

import (
	"errors"
	"fmt"
	"math"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/bound"
	"jsqlab/jsqlib/record"
	"jsqlab/jsqlib/sim"
)

func init() {
	register(command{
		name:    "bound",
		summary: "bound on the distance to the limit, from drift, moments, Hölder and Stein",
		args:    modelArgs,
		help:    boundHelp + listed("JSON keys", "bound"),
		setup: func(f *flags) func() (*report, error) {
			m, order := declareModel(f), 0
			add(f, &order, "r", "", "order `R` >= 2 of the moment of ||q_perp||; as in the paper if not given:\nceil(alpha-1) ceil(log N)",
				fmt.Sprintf("a whole number, 2 <= r <= %d", bound.MaxOrder), integer(2, bound.MaxOrder))
			declareStreams(f, new(sim.Options))
			return func() (*report, error) {
				r, err := m.bound(order)
				return r, m.boundError(err)
			}
		},
	})
}

const boundHelp = `
Everything is computed from the description of the system, nothing is simulated:
--seed and --workers are taken and do not matter. It is for --model dt with two
or more servers under --policy jsq, with either routing unit. With L = ||q_perp||,

  E[L^+ - L | q] <= K/(2L) - slope, |L^+ - L| <= D       drift in a slot
  (E L^r)^(1/r) <= M_r                                   moment lemma
  E[U Q+]/E U <= N M_r sqrt(S_max) eps^(-1/r)            Hölder
  W1(N^(-alpha) Q, Exp(m)) <= stein_bound                Stein

--r defaults to the rule of arXiv:2004.04826v3, which needs alpha > 1 (alpha > 2
for two servers); eta is half the slope, the textbook choice. The keys best_...
are for the r and the eta that make the bound smallest.

A stein_bound above limit_mean is vacuous, as the point mass at 0 is within
limit_mean of the limit, and a warning says so. jsq distance estimates the
distance itself.
`

func (m *model) bound(order int) (*report, error) {
	if err := m.read(); err != nil {
		return nil, err
	}
	a, err := bound.New(m.Model)
	if err != nil {
		return nil, err
	}
	var b bound.Bounds
	if order > 0 {
		b, err = a.At(order, a.Drift)
	} else {
		b, err = a.Paper()
	}
	if err != nil {
		return nil, err
	}
	best, err := a.Best()
	if err != nil {
		return nil, err
	}
	closed, err := b.Drift.LogMomentClosed(b.R)
	if err != nil {
		return nil, err
	}
	x := m.record()
	x.R, x.MomentRoot, x.MomentRootClosed, x.HoelderBoundary, x.SteinBound = b.R, b.MomentRoot, math.Exp(closed/float64(b.R)), b.HoelderBoundary, b.LimitStein
	x.DriftKPerp, x.DriftSlope, x.DriftEta, x.DriftKappa, x.JumpBound = b.Drift.KPerp, b.Drift.Slope, b.Drift.Eta, b.Drift.Kappa, b.Drift.Jump
	x.BestR, x.BestEta, x.BestMomentRoot, x.BestHoelderBoundary, x.BestSteinBound = best.R, best.Drift.Eta, best.MomentRoot, best.HoelderBoundary, best.LimitStein
	r := newReport(m.flags)
	r.record(x, record.Columns("bound"))
	for _, x := range []struct {
		key string
		b   bound.Bounds
	}{{"stein_bound", b}, {"best_stein_bound", best}} {
		if x.b.Vacuous() {
			r.warn("%s = %.3g is vacuous: it is above limit_mean = %.3g, within which the point mass at 0 is", x.key, x.b.LimitStein, x.b.LimitMean)
		}
	}
	return r, nil
}

// boundError names the flag that gave the gap where package bound names alpha, and --r.
func (m *model) boundError(err error) error {
	var refused *jsqlib.Invalid
	if !errors.As(err, &refused) {
		return err
	}
	x := *refused
	if m.c.N > 0 && x.What == "alpha" && m.gapFlag() != "alpha" {
		x.What, x.Got = m.gapFlag(), fmt.Sprintf("%s, alpha = %.10g", m.text(m.gapFlag()), m.c.Alpha)
	}
	return &x
}
