package law

import (
	"math"

	"jsqlab/jsqlib"
)

// Distance is the Wasserstein distance of Z = c Q to its limit Exp(m) under an estimated boundary law,
// with its certificate and the moments. All values are of the same law and agree with one another.
// Intervals are 95 %.
type Distance struct {
	W1 jsqlib.Estimate // W1(Z, Exp(m))
	// MeanBias is E Z - m, MeanTotal E Q and SecondMoment E Q^2. The estimates are linear in the
	// boundary law, before the clipping that W1 needs (see Total.W1). Their intervals hold the moments
	// before and after clipping.
	MeanBias, MeanTotal, SecondMoment jsqlib.Estimate
	// CertificateLow and CertificateHigh bound W1(Z, Exp(m)) by the boundary terms alone (see
	// Kernel.Certificate). Each term is taken at the end of its 95 % interval that makes the bound
	// wider. CertificateLow never exceeds W1.
	CertificateLow, CertificateHigh float64
}

// Estimates are the errors of an estimated boundary law, from the run that estimated it.
type Estimates struct {
	// Average estimates E f(Q~) over independent replications, f[k] being the value at Q~ = Min + k.
	Average                              func(f []float64) jsqlib.Estimate
	Qtilde, BoundaryMean, BoundarySecond jsqlib.Estimate // E Q~, E[U Q^+]/E U, E[U^2]/E U
}

// Distance returns the distance of the law to its limit, with a 95 % interval. The distance is exact
// for the law t. The interval is that of the distance linearised in the boundary law.
func (t *Total) Distance(run Estimates) (d Distance, err error) {
	w, err := t.W1ToLimit()
	if err != nil {
		return d, err
	}
	k := &t.kernel
	upper, err := k.Certificate(run.BoundaryMean.High, run.BoundarySecond.High)
	if err != nil {
		return d, err
	}
	e := run.Average(t.influenceOfW1(k.limitMean))
	d.W1 = around(w, e.StdErr, e.HalfWidth())

	clipped := t.clipped(func(int) float64 { return 1 })
	d.MeanBias = holding(k.meanBias(run.Qtilde), k.gap*clipped)
	d.MeanTotal = nonNegative(holding(around(t.Mean(), run.Qtilde.StdErr, run.Qtilde.HalfWidth()), clipped))
	// E Q^2 = E K^2 + 2 E K E Q~ + E Q~^2, in units of 1/c^2 so that squares of errors do not overflow
	values := make([]float64, len(t.b))
	for i := range values {
		x := float64(t.min + i)
		values[i] = x * (2*k.gap*k.mean + k.gap*x)
	}
	second := run.Average(values)
	d.SecondMoment = nonNegative(holding(around(t.SecondMoment(), second.StdErr/k.gap, second.HalfWidth()/k.gap),
		t.clipped(func(n int) float64 { return float64(2*n + 1) })))

	switch {
	case d.MeanBias.Low > 0:
		d.CertificateLow = d.MeanBias.Low
	case d.MeanBias.High < 0:
		d.CertificateLow = -d.MeanBias.High
	}
	d.CertificateLow = min(d.CertificateLow, w) // |E Z - m| <= W1 holds for each law; rounding does not deny it
	d.CertificateHigh = upper.LimitHigh
	return d, nil
}

// around is an estimate of a quantity that is not negative, with its half width.
func around(d, stdErr, half float64) jsqlib.Estimate {
	return jsqlib.Estimate{Value: d, StdErr: stdErr, Low: math.Max(d-half, 0), High: d + half}
}

// holding widens the interval so that it holds Value + shift.
func holding(e jsqlib.Estimate, shift float64) jsqlib.Estimate {
	e.Low, e.High = min(e.Low, e.Value+shift), max(e.High, e.Value+shift)
	return e
}

// nonNegative cuts an estimate of a quantity that cannot be negative at 0.
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
