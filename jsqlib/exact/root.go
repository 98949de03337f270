package exact

import (
	"math"

	"jsqlab/jsqlib"
)

// decay returns t = log z* > 0, where z* > 1 is the root next to 1 of
// E z^X = 1, X = A - S: far above the boundary P(Q = n) falls like exp(-t n).
//
// Both factors of E z^X = (E z^a E z^-s)^N are N-th powers, so z* solves
// E e^(ta) E e^(-ts) = 1. With E a = 1 - e, E s = 1,
//
//	E e^(ta) = 1 + (1-e) t + t^2 x(t),   E e^(-ts) = 1 - t + t^2 y(t),
//
// and division by t^2 gives e/t = h(t) := x + y - (1-e) + t ((1-e) y - x) + t^2 x y,
// in which e does not cancel: h(0) = (s_a^2 + s_s^2 + e^2)/2 (derived).
func decay(c jsqlib.Constants) float64 {
	h := func(t float64) float64 {
		x, y := 0.0, 0.0
		for k, p := range c.Arrivals {
			x += p * float64(k*k) * quadratic(t*float64(k))
		}
		for k, p := range c.Service {
			y += p * float64(k*k) * quadratic(-t*float64(k))
		}
		return x + y - (1 - c.Gap) + t*((1-c.Gap)*y-x) + t*t*x*y
	}
	// f(t) = t h(t) - e = (E e^(tX_1) - 1)/t, X_1 one server's share, is
	// negative exactly on (0, t*).
	f := func(t float64) float64 { return t*h(t) - c.Gap }
	hi := c.Gap / c.MeanN
	for f(hi) < 0 {
		hi *= 2
	}
	lo := hi / 2
	for f(lo) >= 0 {
		lo /= 2
	}
	for range 200 {
		t := lo + (hi-lo)/2
		if t <= lo || t >= hi {
			break
		}
		if f(t) < 0 {
			lo = t
		} else {
			hi = t
		}
	}
	return lo + (hi-lo)/2
}

// quadratic returns (e^x - 1 - x)/x^2.
func quadratic(x float64) float64 {
	if math.Abs(x) > 0.5 {
		return (math.Expm1(x) - x) / (x * x)
	}
	sum, term := 0.0, 0.5
	for k := 3.0; math.Abs(term) > 1e-18; k++ {
		sum += term
		term *= x / k
	}
	return sum
}
