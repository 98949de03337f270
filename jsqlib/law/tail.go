package law

import (
	"math"

	"jsqlab/jsqlib/internal/num"
)

// geometricTail integrates |S_n - e^(-x/m)| over the cells of the tail, S_n = P(Q > n) = A e^(-n
// theta), in units of m.
//
// Derived, with h = c/m: on the cell [cn, c(n+1)) the staircase S_n is constant and the exponential
// falls from e^(-nh) to e^(-(n+1)h). Let L_n = log S_n + nh = log A - n delta. The staircase is above
// the curve throughout the cell if L_n >= 0, below it if L_n <= -h, and crossed by it otherwise. L_n is
// linear in n, so that each case is an interval of n, whose cells are summed in closed form.
type geometricTail struct {
	h     float64 // c/m, decay rate of the curve per cell
	theta float64 // decay rate of the staircase per cell
	delta float64 // theta - h
	logA  float64
}

// negligible is the exponent beyond which e^(-t) underflows.
const negligible = 745

// area returns the integral over the cells n, n+1, ...
func (t geometricTail) area(n float64) float64 {
	level := t.logA - n*t.delta // L_n
	var sum float64
	// step adds the next count cells, of one kind, and reports whether they were all that matter.
	step := func(count float64, area func(n, level, count float64) float64) bool {
		if !(count*t.h <= negligible) {
			count = math.Inf(1)
		}
		sum += area(n, level, count)
		n += count
		level = math.FMA(-count, t.delta, level)
		return math.IsInf(count, 1)
	}
	switch {
	case t.delta > 0:
		if level >= 0 && step(math.Floor(level/t.delta)+1, t.above) {
			return sum
		}
		level = math.Min(level, 0)
		if level > -t.h && step(math.Ceil((level+t.h)/t.delta), t.crossed) {
			return sum
		}
		level = math.Min(level, -t.h)
		return sum + t.below(n, level, math.Inf(1))
	case t.delta < 0:
		if level <= -t.h && step(math.Floor((level+t.h)/t.delta)+1, t.below) {
			return sum
		}
		level = math.Max(level, -t.h)
		if level < 0 && step(math.Ceil(level/t.delta), t.crossed) {
			return sum
		}
		level = math.Max(level, 0)
		return sum + t.above(n, level, math.Inf(1))
	case level >= 0:
		return t.above(n, level, math.Inf(1))
	case level <= -t.h:
		return t.below(n, level, math.Inf(1))
	}
	return t.crossed(n, level, math.Inf(1))
}

// ends returns the curve s = e^(-nh), the staircase S_n = s e^level and their difference at the left
// end of cell n.
func (t geometricTail) ends(n, level float64) (curve, stair, diff float64) {
	curve = math.Exp(-n * t.h)
	stair = math.Exp(t.logA - n*t.theta)
	if level > 1 {
		return curve, stair, stair - curve
	}
	return curve, stair, curve * math.Expm1(level)
}

// above sums count cells with S_n >= e^(-nh), of h (S_n - s) + s (e^(-h) - 1 + h) each. S_n - s is
// summed as below, in the form in which nothing cancels: for delta > 0 the excess over the curve
// decreases, and
//
//	sum (S_n - s) = d sum e^(-j theta) + s sum (e^(-j theta) - e^(-jh))
//
// takes away at most half of the first term, the summand being convex in j; for delta < 0 both terms
// are positive.
func (t geometricTail) above(n, level, count float64) float64 {
	s, _, d := t.ends(n, level)
	g := t.geometric(count)
	return t.h*(d*g.stair+s*g.diff) + s*num.Expm1x(-t.h)*g.curve
}

// below sums count cells with S_n <= e^(-(n+1)h), of -h (S_n - s) - s (e^(-h) - 1 + h) = s (1 -
// e^(-h)) - h S_n each. Here
//
//	sum (S_n - s) = d sum e^(-jh) + S_n sum (e^(-j theta) - e^(-jh))
//
// has two terms of one sign for delta > 0, and for delta < 0 the second takes away at most half of the
// first, the summand being concave in j.
func (t geometricTail) below(n, level, count float64) float64 {
	s, stair, d := t.ends(n, level)
	g := t.geometric(count)
	if t.h > 1 {
		return -s*math.Expm1(-t.h)*g.curve - t.h*stair*g.stair
	}
	return -(t.h*(d*g.curve+stair*g.diff) + s*num.Expm1x(-t.h)*g.curve)
}

// crossed sums count cells that the curve crosses. Derived: with w = -L_n - h/2, which runs through
// (-h/2, h/2), the integral over a cell is
//
//	2 e^(-h/2) s [ 2 sinh^2(h/4) + a(w) ],    a(w) = 1 - e^(-w) (1 + w).
func (t geometricTail) crossed(n, level, count float64) float64 {
	count = math.Min(count, math.Ceil(negligible/t.h))
	s, _, _ := t.ends(n, level)
	if t.h > 1 {
		var sum float64
		for j := range int(count) {
			y := math.Min(math.Max(float64(j)*t.delta-level, 0), t.h)
			sum += math.Exp(-float64(j)*t.h) * (num.Erlang2(y) + math.Exp(-y)*num.Expm1x(y-t.h))
		}
		return s * sum
	}
	w := -(level + t.h/2)
	sinh := math.Sinh(t.h / 4)
	curve := math.Expm1(-count*t.h) / math.Expm1(-t.h)
	return 2 * math.Exp(-t.h/2) * s * (2*sinh*sinh*curve + t.erlang2Sum(w, count))
}

// geometricSums holds sums over j = 0, ..., count-1: curve of e^(-jh), stair of e^(-j theta), diff of
// e^(-j theta) - e^(-jh).
type geometricSums struct{ curve, stair, diff float64 }

// diff returns e^(-j theta) - e^(-jh).
func (t geometricTail) diff(j float64) float64 {
	if t.delta > 0 {
		return math.Exp(-j*t.h) * math.Expm1(-j*t.delta)
	}
	return -math.Exp(-j*t.theta) * math.Expm1(j*t.delta)
}

// geometric returns the sums over count terms; count may be infinite. The sum of differences is built
// by doubling the number of terms c,
//
//	D(2c) = D(c) + (e^(-c theta) - e^(-ch)) T(c) + e^(-ch) D(c),
//
// T(c) = sum of e^(-j theta), where all terms have the same sign.
func (t geometricTail) geometric(count float64) geometricSums {
	if math.IsInf(count, 1) {
		curve, stair := -1/math.Expm1(-t.h), -1/math.Expm1(-t.theta)
		return geometricSums{curve, stair, (t.diff(1) * curve) * stair}
	}
	var stair, diff float64
	doubling(count, func(c float64) {
		diff += t.diff(c)*stair + math.Exp(-c*t.h)*diff
		stair += math.Exp(-c*t.theta) * stair
	}, func(c float64) {
		diff += t.diff(c)
		stair += math.Exp(-c * t.theta)
	})
	return geometricSums{math.Expm1(-count*t.h) / math.Expm1(-t.h), stair, diff}
}

// erlang2Sum returns the sum of e^(-jh) a(w + j delta) over j = 0, ..., count-1. Derived: a(w +
// x) = a(x) + e^(-x) a(w) + x e^(-x) (1 - e^(-w)), so that the sum is
//
//	A + a(w) T + (1 - e^(-w)) B,
//	A = sum e^(-jh) a(j delta), B = sum j delta e^(-j theta), T = sum e^(-j theta),
//
// and A and B are built by doubling, with terms of one sign. For w and delta of opposite sign the last
// sum takes away no more than what a crossed cell has in its other, positive term.
func (t geometricTail) erlang2Sum(w, count float64) float64 {
	var stair, a, b float64
	doubling(count, func(c float64) {
		x := c * t.delta
		curveShift, stairShift := math.Exp(-c*t.h), math.Exp(-c*t.theta)
		a += curveShift * (a + num.Erlang2(x)*stair - math.Expm1(-x)*b)
		b += stairShift * (b + x*stair)
		stair += stairShift * stair
	}, func(c float64) {
		x := c * t.delta
		a += math.Exp(-c*t.h) * num.Erlang2(x)
		b += x * math.Exp(-c*t.theta)
		stair += math.Exp(-c * t.theta)
	})
	return a + num.Erlang2(w)*stair - math.Expm1(-w)*b
}

// doubling builds a sum over count terms, an integer >= 0 of any size: double takes it from c to 2c
// terms and next from c to c+1.
func doubling(count float64, double, next func(c float64)) {
	frac, exp := math.Frexp(count)
	bits := uint64(frac * (1 << 53))
	c := 0.
	for i := 1; i <= exp; i++ {
		double(c)
		c *= 2
		if i <= 53 && bits>>(53-i)&1 == 1 {
			next(c)
			c++
		}
	}
}
