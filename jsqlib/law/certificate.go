package law

import (
	"math"

	"jsqlab/jsqlib"
)

// Certificate bounds W1 from both sides, in the unit of Z = c Q. It needs the boundary term E[U Q^+]/E
// U alone.
type Certificate struct {
	Low, High           float64 // of W1(Z, Exp(m_N))
	LimitLow, LimitHigh float64 // of W1(Z, Exp(m)), m the limit mean
}

// Certificate returns lower and upper bounds of W1 from the two numbers
//
//	boundaryMean = E[U Q^+]/E U,   boundarySecond = E[U^2]/E U;
//
// in continuous time the first is E[I Q]/E I and the second is not used. Derived, by Stein's method:
// let f solve
//
//	m f'' - f' = h - E h,   f'(0) = 0,   m = m_N,   h 1-Lipschitz,
//
// so that the second derivative is at most 1 and the third at most 2/m in absolute value. Stationarity
// of f(Z) over one slot gives
//
//	Low  = |E Z - m_N| = c | boundaryMean - boundarySecond/2 + eps/2 |
//	High = c ( boundaryMean + boundarySecond/2 + eps/2 ) + c^2 E|X|^3/(3 m_N eps),
//
// and in continuous time the generator of the total gives
//
//	Low  = e | boundaryMean - 1/2 |
//	High = e ( boundaryMean + 1/2 + 2/3 ).
//
// For the limit mean, LimitLow = |E Z - m| and LimitHigh = High + |m_N - m|. The bounds hold for the
// true law. With estimated moments they are estimates too. Certificate fails with [*jsqlib.Invalid] for
// numbers that cannot be such moments.
func (k *Kernel) Certificate(boundaryMean, boundarySecond float64) (Certificate, error) {
	if !(boundaryMean >= 0) || math.IsInf(boundaryMean, 1) {
		return Certificate{}, jsqlib.Refuse("law", "E[U Q+]/E U", boundaryMean, "0 <= E[U Q+]/E U < Inf")
	}
	half, drift := 0.5, 0.0
	if k.walk != nil {
		if !(boundarySecond >= 1-1e-9) || math.IsInf(boundarySecond, 1) {
			return Certificate{}, jsqlib.Refuse("law", "E[U^2]/E U", boundarySecond, "1 <= E[U^2]/E U < Inf")
		}
		half, drift = boundarySecond/2, k.eps/2
	}
	bias := k.gap * (boundaryMean - half + drift)
	high := k.gap*(boundaryMean+half+drift) + k.remainder
	return Certificate{
		Low: math.Abs(bias), High: high,
		LimitLow: math.Abs(bias + k.meanShift), LimitHigh: high + math.Abs(k.meanShift),
	}, nil
}
