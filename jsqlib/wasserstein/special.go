package wasserstein

import "math"

// expm1x returns e^x - 1 - x >= 0, accurate in relative terms.
func expm1x(x float64) float64 {
	switch ax := math.Abs(x); {
	case ax < 1./1024:
		return x * x * (1./2 + x*(1./6+x*(1./24+x*(1./120+x*(1./720+x*(1./5040))))))
	case ax < 0.5:
		p := invFactorial[0]
		for _, c := range invFactorial[1:] {
			p = p*x + c
		}
		return x * x * p
	}
	return math.Expm1(x) - x
}

// invFactorial holds 1/k! for k = 16, ..., 2; the next term of expm1x is below
// 1e-18 of the first for |x| < 1/2.
var invFactorial = [...]float64{
	1. / 20922789888000, 1. / 1307674368000, 1. / 87178291200, 1. / 6227020800,
	1. / 479001600, 1. / 39916800, 1. / 3628800, 1. / 362880, 1. / 40320,
	1. / 5040, 1. / 720, 1. / 120, 1. / 24, 1. / 6, 1. / 2,
}

// erlang2 returns a(w) = 1 - e^(-w) (1 + w) = e^(-w) (e^w - 1 - w) >= 0, for
// w > 0 the distribution function of Gamma(2, 1), accurate in relative terms.
func erlang2(w float64) float64 {
	if w > 0.5 {
		return -math.Expm1(-w) - w*math.Exp(-w)
	}
	return math.Exp(-w) * expm1x(w)
}

// accumulator is a compensated sum (Knuth's two-sum).
type accumulator struct{ sum, low float64 }

func (a *accumulator) add(v float64) {
	s := a.sum + v
	b := s - a.sum
	a.low += (a.sum - (s - b)) + (v - b)
	a.sum = s
}

func (a *accumulator) value() float64 { return a.sum + a.low }

// expCell returns 1/m times the integral of |S - e^(-x/m)| over an interval of
// length h m on which the survival function S is constant, from the value
// s = e^(-x/m) at its left end and d = S - s. Derived: with y = log(s/S), the
// curve crosses S at distance y m from the left end if 0 < y < h, and
//
//	y <= 0:     h d + s (e^(-h) - 1 + h)
//	y >= h:     s (1 - e^(-h)) - h S
//	otherwise:  s [ a(y) + e^(-y) (e^(-(h-y)) - 1 + (h-y)) ]
//
// where a(y) = 1 - e^(-y) (1+y). No line subtracts nearly equal numbers.
func expCell(d, s, h float64) float64 {
	switch {
	case d >= 0:
		return h*d + s*expm1x(-h)
	case d > s*math.Expm1(-h):
		y := -math.Log1p(d / s)
		return s * (erlang2(y) + math.Exp(-y)*expm1x(-math.Max(h-y, 0)))
	case h > 1:
		return -s*math.Expm1(-h) - h*(s+d)
	}
	return -(h*d + s*expm1x(-h))
}
