package num

import "math"

// Erlang2 returns a(w) = 1 - e^(-w) (1 + w) = e^(-w) (e^w - 1 - w) >= 0, for w > 0 the distribution
// function of Gamma(2, 1), accurate in relative terms.
func Erlang2(w float64) float64 {
	if w > 0.5 {
		return -math.Expm1(-w) - w*math.Exp(-w)
	}
	return math.Exp(-w) * Expm1x(w)
}

// ExpCell returns 1/m times the integral of |S - e^(-x/m)| over an interval of length h m on which the
// survival function S is constant, from the value s = e^(-x/m) at its left end and d = S - s. Derived:
// with y = log(s/S), the curve crosses S at distance y m from the left end if 0 < y < h, and
//
//	y <= 0:     h d + s (e^(-h) - 1 + h)
//	y >= h:     s (1 - e^(-h)) - h S
//	otherwise:  s [ a(y) + e^(-y) (e^(-(h-y)) - 1 + (h-y)) ]
//
// where a(y) = 1 - e^(-y) (1+y). No line subtracts nearly equal numbers.
func ExpCell(d, s, h float64) float64 {
	switch {
	case d >= 0:
		return h*d + s*Expm1x(-h)
	case d > s*math.Expm1(-h):
		y := -math.Log1p(d / s)
		return s * (Erlang2(y) + math.Exp(-y)*Expm1x(-math.Max(h-y, 0)))
	case h > 1:
		return -s*math.Expm1(-h) - h*(s+d)
	}
	return -(h*d + s*Expm1x(-h))
}
