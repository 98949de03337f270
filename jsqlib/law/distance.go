package law

import (
	"context"
	"fmt"
	"math"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/limit"
	"jsqlab/jsqlib/sim"
	"jsqlab/jsqlib/wasserstein"
)

// DistanceResult is the Wasserstein distance of Z = c Q to its limit Exp(m), from a
// boundary law, with a certificate from both sides. Intervals are 95 %.
type DistanceResult struct {
	Total    *Total
	Boundary *sim.BoundaryLaw
	W1       jsqlib.Estimate // W1(Z, Exp(m))
	// MeanBias is E Z - m, MeanTotal E Q and SecondMoment E Q^2, of the law that
	// W1 is of or of one without its clipping (see Total.W1): the estimates are
	// linear in the boundary law, and their intervals hold the moments of both.
	MeanBias, MeanTotal, SecondMoment jsqlib.Estimate
	// CertificateLow and CertificateHigh bound W1(Z, Exp(m)) by the boundary
	// terms alone (see Kernel.Certificate), taken at the ends of their 95 %
	// intervals that make the bounds wider. CertificateLow never exceeds W1.
	CertificateLow, CertificateHigh float64
}

// Distance estimates the boundary law of the system under a
// shifted ceiling until W1(Z, Exp(m)) has the relative error that o asks for,
// and returns the distance with its certificate. The cost does not depend on
// alpha. When ctx ends first it returns what there is, if anything, and the
// context's error; see [sim.Boundary] for the other errors.
//
// W1 is the distance of the estimated law, computed exactly. Its interval is
// that of its linearisation in the boundary law, over independent replications.
func Distance(ctx context.Context, m jsqlib.Model, o sim.BoundaryOptions) (*DistanceResult, error) {
	c, err := m.Constants()
	if err != nil {
		return nil, err
	}
	k, err := NewKernel(c)
	if err != nil {
		return nil, err
	}
	o.RelativeError = func(b *sim.BoundaryLaw) float64 {
		d, err := distanceOf(k, b)
		if err != nil {
			return math.Inf(1) // too little to make a law of: go on
		}
		return d.W1.RelError()
	}
	b, err := sim.Boundary(ctx, m, o)
	if b == nil {
		return nil, err
	}
	d, lawErr := distanceOf(k, b)
	if err == nil {
		err = lawErr
	}
	return d, err
}

func distanceOf(k *Kernel, b *sim.BoundaryLaw) (*DistanceResult, error) {
	t, err := k.Total(Boundary{Min: b.Min, P: b.P})
	if err != nil {
		return nil, err
	}
	m := t.LimitMean()
	w, err := t.W1(m)
	if err != nil {
		return nil, err
	}
	influence, err := t.WassersteinInfluence(m)
	if err != nil {
		return nil, err
	}
	d := &DistanceResult{Total: t, Boundary: b, W1: b.Average(influence)}
	h := d.W1.HalfWidth()
	d.W1.Value, d.W1.Low, d.W1.High = w, math.Max(w-h, 0), w+h
	clipped := t.clipped(func(int) float64 { return 1 })
	d.MeanBias = holding(k.meanBias(b.QtildeMean), k.gap*clipped)
	d.MeanTotal = nonNegative(holding(around(t.Mean(), b.QtildeMean.StdErr, b.QtildeMean.HalfWidth()), clipped))
	// E Q^2 = E K^2 + 2 E K E Q~ + E Q~^2, in units of 1/c^2 so that squares of errors do not overflow
	values := make([]float64, len(b.P))
	for i := range values {
		x := float64(b.Min + i)
		values[i] = x * (2*k.gap*k.mean + k.gap*x)
	}
	second := b.Average(values)
	d.SecondMoment = nonNegative(holding(around(t.SecondMoment(), second.StdErr/k.gap, second.HalfWidth()/k.gap), t.clipped(func(n int) float64 { return float64(2*n + 1) })))
	switch {
	case d.MeanBias.Low > 0:
		d.CertificateLow = d.MeanBias.Low
	case d.MeanBias.High < 0:
		d.CertificateLow = -d.MeanBias.High
	}
	d.CertificateLow = min(d.CertificateLow, w) // |E Z - m| <= W1 holds for each law; rounding does not deny it
	upper, err := k.Certificate(b.BoundaryMean.High, b.BoundarySecond.High)
	if err != nil {
		return nil, err
	}
	d.CertificateHigh = upper.LimitHigh
	return d, nil
}

// holding widens the interval so that it holds Value + shift.
func holding(e jsqlib.Estimate, shift float64) jsqlib.Estimate {
	e.Low, e.High = min(e.Low, e.Value+shift), max(e.High, e.Value+shift)
	return e
}

// nonNegative is the estimate of what cannot be negative.
func nonNegative(e jsqlib.Estimate) jsqlib.Estimate {
	e.Value, e.Low, e.High = max(e.Value, 0), max(e.Low, 0), max(e.High, 0)
	return e
}

// meanBias maps the estimate of E Q~ to that of
//
//	E Z - m = c ( E Q~ - 1/2 + eps/2 ) + m_N - m,
//
// without the eps/2 in continuous time.
func (k *Kernel) meanBias(q jsqlib.Estimate) jsqlib.Estimate {
	at := func(x float64) float64 {
		x -= 0.5
		if k.walk != nil {
			x += k.eps / 2
		}
		return k.gap*x + k.meanShift
	}
	return jsqlib.Estimate{Value: at(q.Value), StdErr: k.gap * q.StdErr, Low: at(q.Low), High: at(q.High)}
}

// FromDirect returns W1 between Z = c Q, c = gap, as a direct simulation found
// it, and Exp(limitMean), exactly for the empirical law, and its 95 % interval:
// with s the sign of F - G, W1 = int s (F - G) is linear in F while s holds, so
// that its error is that of the mean of int_{cQ}^inf s(x) dx.
//
// A sample has a positive distance to its own law, so W1 is biased upwards.
// noise is about that distance, sqrt(pi/2) m n^(-1/2) for the number n of
// independent samples that would know E Q as well as the run does.
func FromDirect(st *sim.Stationary, gap, limitMean float64) (w1 jsqlib.Estimate, noise float64, err error) {
	if st == nil {
		return jsqlib.Estimate{}, 0, fmt.Errorf("law: st = nil: want a direct run: %w", ErrArgument)
	}
	x := make([]float64, len(st.Counts))
	w := make([]float64, len(st.Counts))
	for n, k := range st.Counts {
		x[n] = gap * float64(n)
		w[n] = float64(k)
	}
	to, err := limit.NewExponential(limitMean)
	if err != nil {
		return jsqlib.Estimate{}, 0, err
	}
	d, err := wasserstein.W1Law(x, w, to)
	if err != nil {
		return jsqlib.Estimate{}, 0, err
	}
	// tail[n] = int_{cn}^{c len} s(x) dx; beyond the sample s is 1 and F does
	// not depend on it
	tail := make([]float64, len(x)+1)
	below := st.Looks
	for n := len(x) - 1; n >= 0; n-- {
		left, right := x[n], gap*float64(n+1)
		// on the cell F = below/Looks; G crosses it where G = F
		cross := right
		if below < st.Looks {
			cross = min(max(to.Quantile(float64(below)/float64(st.Looks)), left), right)
		}
		tail[n] = tail[n+1] + (cross - left) - (right - cross)
		below -= st.Counts[n]
	}
	w1 = st.Average(func(q int) float64 { return tail[q] })
	h := w1.HalfWidth()
	w1.Value, w1.Low, w1.High = d, max(d-h, 0), d+h
	variance := st.SecondMoment.Value - st.MeanTotal.Value*st.MeanTotal.Value
	size := variance / (st.MeanTotal.StdErr * st.MeanTotal.StdErr)
	return w1, wasserstein.NoiseFloor(max(int(min(size, 1e15)), 1), limitMean), nil
}
