package wasserstein

import (
	"fmt"
	"math"

	"jsqlab/jsqlib/internal/num"
	"jsqlab/jsqlib/limit"
)

// Lattice is the law of c (Q - shift), where Q >= 0 is integer with an exactly
// geometric tail: with F(n) = P(Q <= n) and K = Zeros + len(CDF),
//
//	F(n) = 0                                 for n < Zeros,
//	F(n) = CDF[n-Zeros]                      for Zeros <= n < K,
//	P(Q > n) = exp(LogAmplitude - n Rate)    for n >= K.
//
// It is given by small numbers, so that nothing is lost when c is 1e-60: near 0
// by F(n), which is of the order of c n/m there, and in the tail by the logarithm
// of the survival function, which is of the order of c K/m at K. Never compute
// Rate from a ratio rho close to 1: Rate = -log rho = -log1p(-gap) with
// gap = 1 - rho.
//
// [Lattice.W1], against an exponential law, needs shift 0; [Lattice.W1Law], against
// any law, takes any shift and laws without a tail (log A = -Inf).
type Lattice struct {
	Span         float64   // c > 0, in the unit of c Q
	Shift        float64   // of Q, in steps
	Zeros        int       // first n with F(n) > 0, or one below
	CDF          []float64 // F(Zeros), ..., F(K-1); nil when the tail begins at Zeros
	LogAmplitude float64   // log A, any sign; -Inf: no tail, CDF ends at 1 and Rate is not used
	Rate         float64   // theta = -log rho > 0, per step of Q
}

// NewLattice returns the law of span Q with P(Q = n) = pmf[n] for n < K = len(pmf)
// and P(Q = n) proportional to rho^n for n >= K, rho = 1 - gap, 0 < gap < 1:
//
//	P(Q = K + j) = (1 - sum pmf) gap rho^j.
//
// The tail inherits the error of 1 - sum pmf. It fails with [ErrLattice] for
// arguments out of range or a pmf whose sum leaves no tail.
func NewLattice(span float64, pmf []float64, gap float64) (Lattice, error) {
	if !(gap > 0 && gap < 1) {
		return Lattice{}, fmt.Errorf("wasserstein: gap = %v: want 0 < gap < 1: %w", gap, ErrLattice)
	}
	var total num.Sum
	cdf := make([]float64, len(pmf))
	for n, p := range pmf {
		if !(p >= 0 && p <= 1) {
			return Lattice{}, fmt.Errorf("wasserstein: pmf[%d] = %v: want 0 <= pmf <= 1: %w", n, p, ErrLattice)
		}
		total.Add(p)
		cdf[n] = total.Value()
	}
	if !(total.Value() < 1) {
		return Lattice{}, fmt.Errorf("wasserstein: sum of pmf = %v: want < 1, the rest being the tail: %w", total.Value(), ErrLattice)
	}
	rate := -math.Log1p(-gap)
	l := Lattice{
		Span: span,
		CDF:  cdf,
		// P(Q > n) = P(Q >= K) rho^(n-K+1).
		LogAmplitude: math.Log1p(-total.Value()) + float64(len(pmf)-1)*rate,
		Rate:         rate,
	}
	return l, l.validate()
}

// GeometricExcess returns delta = theta - c/m, where theta = -log1p(-gap), from
// gap and from gapExcess = gap - c/m, which is 0 when the span is gap times the mean
// of the exponential. Nothing cancels:
//
//	delta = gapExcess + gap^2/2 + gap^3/3 + ...
//
// and NaN unless 0 < gap < 1.
func GeometricExcess(gap, gapExcess float64) float64 {
	if !(gap > 0 && gap < 1) {
		return math.NaN()
	}
	if gap > 0.1 {
		return gapExcess + (-math.Log1p(-gap) - gap)
	}
	var sum float64
	power := gap * gap
	for k := 2.; power/k > 1e-18*sum; k++ {
		sum += power / k
		power *= gap
	}
	return gapExcess + sum
}

// Excess returns delta = theta - c/m by subtraction, with an error of about 1e-16
// c/m. In [Lattice.W1] it makes an absolute error of about 1e-16 m: good enough
// for distances down to 1e-7 m.
func (l Lattice) Excess(to limit.Exponential) float64 { return l.Rate - l.Span/to.Mean }

// maxShift is the largest shift.
const maxShift = 1 << 50

// maxZeros bounds the steps below the law, each of which [Lattice.W1] looks at. Twice
// the largest system, of 100 000 servers, has as many.
const maxZeros = 1 << 33

// End returns K, where the tail begins.
func (l Lattice) End() int { return l.Zeros + len(l.CDF) }

// F returns F(n) for 0 <= n < K.
func (l Lattice) F(n int) float64 {
	if n < l.Zeros {
		return 0
	}
	return l.CDF[n-l.Zeros]
}

// minSpan is the smallest c/m: its square must be a normal float64.
const minSpan = 1e-153

// W1 returns W1(c Q, Exp(m)), in the unit of c, at a cost of O(K + log(m/c)).
//
// excess is delta = Rate - c/m, the difference between the decay rates of the
// tail and of the exponential. It must come from where the rates come from, not
// from their subtraction, unless [Lattice.Excess] or [GeometricExcess] will do: the
// distance depends on n delta for n up to a few times m/c.
//
// The result is accurate to about 1e-14 in relative terms for the numbers
// given. Errors of the numbers given act additively (derived, from the triangle
// inequality): to first order W1 moves by at most (c/theta) |error of LogAmplitude|,
// (c/theta^2) |error of excess| and c |error of CDF[n]| for each n.
//
// It fails with [ErrLattice] when a field is out of range, CDF is not
// nondecreasing, the tail does not continue it, or Rate, Span and excess
// contradict one another, and with [ErrLaw] when the mean is not positive and
// finite.
//
// Derived, with h = c/m: on the cell [cn, c(n+1)) the survival function S_n is
// constant and the exponential falls from e^(-nh) to e^(-(n+1)h). Let
// L_n = log S_n + nh. The staircase is above the curve throughout the cell if
// L_n >= 0, below it if L_n <= -h, and crossed by it otherwise. In the tail
// L_n = log A - n delta is linear in n, so that each case is an interval of n,
// whose cells are summed in closed form.
func (l Lattice) W1(to limit.Exponential, excess float64) (float64, error) {
	if err := l.validate(); err != nil {
		return 0, err
	}
	if _, err := lawMean(to); err != nil {
		return 0, err
	}
	if l.Shift != 0 || !l.hasTail() {
		return 0, fmt.Errorf("wasserstein: shift = %v, log amplitude = %v: want shift 0 and a tail, or W1Law: %w", l.Shift, l.LogAmplitude, ErrLattice)
	}
	h := l.Span / to.Mean
	if !(h >= minSpan) || math.IsInf(h, 1) {
		return 0, fmt.Errorf("wasserstein: span / mean = %v: want %v <= span / mean < Inf: %w", h, minSpan, ErrLattice)
	}
	if miss := l.Rate - h - excess; !(math.Abs(miss) <= 1e-9*math.Max(l.Rate, h)) {
		return 0, fmt.Errorf("wasserstein: excess = %v: want rate - span / mean = %v: %w", excess, l.Rate-h, ErrLattice)
	}
	var area num.Sum
	for n := range l.End() {
		t, f := float64(n)*h, l.F(n)
		area.Add(expCell(-math.Expm1(-t)-f, math.Exp(-t), h))
	}
	area.Add(latticeTail{h, l.Rate, excess, l.LogAmplitude}.area(float64(l.End())))
	w := to.Mean * area.Value()
	if math.IsInf(w, 0) || math.IsNaN(w) {
		return 0, fmt.Errorf("wasserstein: span / rate = %v: want a mean that float64 can carry: %w", l.Span/l.Rate, ErrLattice)
	}
	return w, nil
}

func (l Lattice) validate() error {
	if !(l.Span > 0) || math.IsInf(l.Span, 1) {
		return fmt.Errorf("wasserstein: span = %v: want 0 < span < Inf: %w", l.Span, ErrLattice)
	}
	if !(math.Abs(l.Shift) <= maxShift) {
		return fmt.Errorf("wasserstein: shift = %v: want a number within 2^50, where steps are told apart: %w", l.Shift, ErrLattice)
	}
	if l.hasTail() && (!(l.Rate > 0) || math.IsInf(l.Rate, 1)) {
		return fmt.Errorf("wasserstein: rate = %v: want 0 < rate < Inf: %w", l.Rate, ErrLattice)
	}
	if math.IsNaN(l.LogAmplitude) || math.IsInf(l.LogAmplitude, 1) {
		return fmt.Errorf("wasserstein: log amplitude = %v: want a finite number, or -Inf for no tail: %w", l.LogAmplitude, ErrLattice)
	}
	if l.Zeros < 0 || l.Zeros > maxZeros {
		return fmt.Errorf("wasserstein: zeros = %d: want 0 <= zeros <= 2^33: %w", l.Zeros, ErrLattice)
	}
	if k := len(l.CDF); !l.hasTail() && (k == 0 || !(l.CDF[k-1] >= 1-1e-9)) {
		return fmt.Errorf("wasserstein: CDF of %d entries without a tail: want the last to be 1: %w", k, ErrLattice)
	}
	// A distribution function from Fourier transforms or simulation may fall
	// by its rounding errors, which are relative to its largest value.
	k := l.End()
	next := 1.
	if l.hasTail() {
		next = -math.Expm1(l.LogAmplitude - float64(k)*l.Rate)
	}
	slack := 1e-9 * next
	last := 0.
	for n, f := range l.CDF {
		if !(f >= last-slack && f <= 1) {
			return fmt.Errorf("wasserstein: P(Q <= %d) = %v: want nondecreasing from %v, at most 1: %w", l.Zeros+n, f, last, ErrLattice)
		}
		last = f
	}
	if !(next >= last*(1-1e-9)) {
		return fmt.Errorf("wasserstein: P(Q <= %d) = %v by the tail: want at least P(Q <= %d) = %v: %w", k, next, k-1, last, ErrLattice)
	}
	return nil
}

// latticeTail integrates |S_n - e^(-x/m)| over the cells of a geometric tail,
// in units of m.
type latticeTail struct {
	h     float64 // c/m, decay rate of the curve per cell
	theta float64 // decay rate of the staircase per cell
	delta float64 // theta - h
	logA  float64
}

// negligible is the exponent beyond which e^(-t) underflows.
const negligible = 745

// area returns the integral over the cells n, n+1, ...
func (t latticeTail) area(n float64) float64 {
	level := t.logA - n*t.delta // L_n
	var sum float64
	// step adds the next count cells, of one kind, and reports whether they
	// were all that matter.
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

// ends returns the curve s = e^(-nh), the staircase S_n = s e^level and their
// difference at the left end of cell n.
func (t latticeTail) ends(n, level float64) (curve, stair, diff float64) {
	curve = math.Exp(-n * t.h)
	stair = math.Exp(t.logA - n*t.theta)
	if level > 1 {
		return curve, stair, stair - curve
	}
	return curve, stair, curve * math.Expm1(level)
}

// above sums count cells with S_n >= e^(-nh), of h (S_n - s) + s (e^(-h) - 1 + h)
// each. S_n - s is summed as below, in the form in which nothing
// cancels: for delta > 0 the excess over the curve decreases, and
//
//	sum (S_n - s) = d sum e^(-j theta) + s sum (e^(-j theta) - e^(-jh))
//
// takes away at most half of the first term, the summand being convex in j; for
// delta < 0 both terms are positive.
func (t latticeTail) above(n, level, count float64) float64 {
	s, _, d := t.ends(n, level)
	g := t.geometric(count)
	return t.h*(d*g.stair+s*g.diff) + s*num.Expm1x(-t.h)*g.curve
}

// below sums count cells with S_n <= e^(-(n+1)h), of
// -h (S_n - s) - s (e^(-h) - 1 + h) = s (1 - e^(-h)) - h S_n each. Here
//
//	sum (S_n - s) = d sum e^(-jh) + S_n sum (e^(-j theta) - e^(-jh))
//
// has two terms of one sign for delta > 0, and for delta < 0 the second takes
// away at most half of the first, the summand being concave in j.
func (t latticeTail) below(n, level, count float64) float64 {
	s, stair, d := t.ends(n, level)
	g := t.geometric(count)
	if t.h > 1 {
		return -s*math.Expm1(-t.h)*g.curve - t.h*stair*g.stair
	}
	return -(t.h*(d*g.curve+stair*g.diff) + s*num.Expm1x(-t.h)*g.curve)
}

// crossed sums count cells that the curve crosses. Derived: with w = -L_n - h/2,
// which runs through (-h/2, h/2), the integral over a cell is
//
//	2 e^(-h/2) s [ 2 sinh^2(h/4) + a(w) ],    a(w) = 1 - e^(-w) (1 + w).
func (t latticeTail) crossed(n, level, count float64) float64 {
	count = math.Min(count, math.Ceil(negligible/t.h))
	s, _, _ := t.ends(n, level)
	if t.h > 1 {
		var sum float64
		for j := range int(count) {
			y := math.Min(math.Max(float64(j)*t.delta-level, 0), t.h)
			sum += math.Exp(-float64(j)*t.h) * (erlang2(y) + math.Exp(-y)*num.Expm1x(y-t.h))
		}
		return s * sum
	}
	w := -(level + t.h/2)
	sinh := math.Sinh(t.h / 4)
	curve := math.Expm1(-count*t.h) / math.Expm1(-t.h)
	return 2 * math.Exp(-t.h/2) * s * (2*sinh*sinh*curve + t.erlang2Sum(w, count))
}

// geometricSums holds sums over j = 0, ..., count-1: curve of e^(-jh), stair of
// e^(-j theta), diff of e^(-j theta) - e^(-jh).
type geometricSums struct{ curve, stair, diff float64 }

// diff returns e^(-j theta) - e^(-jh).
func (t latticeTail) diff(j float64) float64 {
	if t.delta > 0 {
		return math.Exp(-j*t.h) * math.Expm1(-j*t.delta)
	}
	return -math.Exp(-j*t.theta) * math.Expm1(j*t.delta)
}

// geometric returns the sums over count terms; count may be infinite. The sum
// of differences is built by doubling the number of terms c,
//
//	D(2c) = D(c) + (e^(-c theta) - e^(-ch)) T(c) + e^(-ch) D(c),
//
// T(c) = sum of e^(-j theta), where all terms have the same sign.
func (t latticeTail) geometric(count float64) geometricSums {
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

// erlang2Sum returns the sum of e^(-jh) a(w + j delta) over j = 0, ..., count-1.
// Derived: a(w + x) = a(x) + e^(-x) a(w) + x e^(-x) (1 - e^(-w)), so that the sum is
//
//	A + a(w) T + (1 - e^(-w)) B,
//	A = sum e^(-jh) a(j delta), B = sum j delta e^(-j theta), T = sum e^(-j theta),
//
// and A and B are built by doubling, with terms of one sign. For w and
// delta of opposite sign the last sum takes away no more than what a crossed
// cell has in its other, positive term.
func (t latticeTail) erlang2Sum(w, count float64) float64 {
	var stair, a, b float64
	doubling(count, func(c float64) {
		x := c * t.delta
		curveShift, stairShift := math.Exp(-c*t.h), math.Exp(-c*t.theta)
		a += curveShift * (a + erlang2(x)*stair - math.Expm1(-x)*b)
		b += stairShift * (b + x*stair)
		stair += stairShift * stair
	}, func(c float64) {
		x := c * t.delta
		a += math.Exp(-c*t.h) * erlang2(x)
		b += x * math.Exp(-c*t.theta)
		stair += math.Exp(-c * t.theta)
	})
	return a + erlang2(w)*stair - math.Expm1(-w)*b
}

// doubling builds a sum over count terms, an integer >= 0 of any size: double
// takes it from c to 2c terms and next from c to c+1.
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
