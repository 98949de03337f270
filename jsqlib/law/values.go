package law

import (
	"math"

	"jsqlab/jsqlib/internal/num"
	"jsqlab/jsqlib/limit"
)

// The methods of this file give the law beside the exponential that it tends to, where the two agree to
// all digits of a float64: differences, and sums over the geometric tail, each on its own scale. States
// n are float64 as they go beyond int at tiny gaps.

// Law returns the law of Z = c Q with its distribution function, quantiles and partial means. An
// estimated boundary law may make P(Q <= n) fall or leave [0, 1]. There P(Q <= n) is replaced by its
// running maximum between 0 and the tail's value. [Total.W1] is the distance of this law.
func (t *Total) Law() limit.Law { return t.scaled(Scaling{Scale: t.kernel.gap}) }

func (t *Total) scaled(y Scaling) *lattice {
	return newLattice(y, t.first(), t.rising, t.amplitude, t.kernel.rate)
}

// LimitDifference returns F - G at the share x of cell n, z = c (n + x): F(z) = P(Q <= n) is that of
// [Total.Law] and G the limit Exp(m). The area between it and 0 is [Total.W1ToLimit].
func (t *Total) LimitDifference(n, x float64) float64 {
	k := &t.kernel
	h := k.gap / k.limitMean
	u := h * (n + x)
	switch first := t.first(); {
	case n < float64(first):
		return min(math.Expm1(-u), 0)
	case n <= float64(t.last()):
		return t.rising[int(n)-first] + math.Expm1(-u)
	}
	return -above(u, t.amplitude-n*t.excess(k.limitMean)+x*h)
}

// above returns e^(level - u) - e^(-u).
func above(u, level float64) float64 {
	if level > 1 { // and maybe beyond what e^level can be
		return math.Exp(level-u) - math.Exp(-u)
	}
	return math.Exp(-u) * math.Expm1(level)
}

// LogRatio returns log[ P(Q > n) e^(cn/m_N) ], how far the law is above Exp(m_N) at the left end of the
// cell [cn, c(n+1)): the exponential is below it throughout the cell if it is >= 0, and above it if it
// is <= -c/m_N. It is linear in n beyond the boundary region.
func (t *Total) LogRatio(n float64) float64 {
	if n <= float64(t.last()) {
		return t.logSurvival(int(max(n, -1))) + n*(t.kernel.gap/t.kernel.meanN)
	}
	return t.amplitude - n*t.kernel.excess
}

// IntegratedDifference returns int_x^inf ( P(Z > y) - e^(-y/m_N) ) dy, x >= 0. At 0 it is E Z - m_N.
func (t *Total) IntegratedDifference(x float64) float64 {
	k := &t.kernel
	c, m := k.gap, k.meanN
	n := math.Floor(x / c)
	u := n * c / m
	if math.IsInf(x, 1) {
		return 0
	}
	t.once.Do(t.integrate)
	from, first := 0.0, t.first() // the integral from cn
	switch {
	case n < float64(first): // P(Z > y) = 1 on the way
		return t.integrals[0] + m*(num.Expm1x(-float64(first)*c/m)-num.Expm1x(-math.Max(x, 0)/m))
	case n <= float64(t.last()):
		from = t.integrals[int(n)-first]
	default:
		from = t.tailIntegral(n)
	}
	left := math.Min(x-n*c, c) // rounding of nc may exceed c
	if left <= 0 {
		return from
	}
	// less left P(Q > n) - m (e^(-cn/m) - e^(-x/m))
	h := left / m
	return from - left*(above(u, t.LogRatio(n))+math.Exp(-u)*h*num.Tail2(-h))
}

// integrate sets integrals[i] to the integral from c (first + i), up to last+1.
func (t *Total) integrate() {
	k := &t.kernel
	h := k.gap / k.meanN
	// (1 - e^(-h))/h = 1 - h Tail2(-h)
	density := -h * num.Tail2(-h)
	first, last := t.first(), t.last()
	t.integrals = make([]float64, last+2-first)
	t.integrals[last+1-first] = t.tailIntegral(float64(last + 1))
	for n := last; n >= first; n-- {
		// c P(Q > n) - m (e^(-nh) - e^(-(n+1)h)), as the difference of two numbers that are 1 less
		// something small
		x := float64(n) * h
		cell := math.Expm1(t.logSurvival(n)) - (math.Expm1(-x)*(1+density) + density)
		t.integrals[n-first] = t.integrals[n+1-first] + k.gap*cell
	}
}

// tailIntegral is the integral from cn for n > last: c A e^(-theta n)/(1 - e^(-theta)) - m e^(-cn/m).
func (t *Total) tailIntegral(n float64) float64 {
	k := &t.kernel
	// log[ (c/m)/(1 - e^(-theta)) ]
	offset := math.Log1p(-k.excess/k.rate) - math.Log1p(-k.rate*num.Tail2(-k.rate))
	return k.meanN * above(n*k.gap/k.meanN, t.amplitude-n*k.excess+offset)
}

// Tilted returns E[ e^((Z - at)/mean); from <= Z < to ], where to may be +Inf. States below 0 hold
// noise only and are left out. A mean of +-Inf gives a probability, and a negative one a Laplace
// transform at -1/mean. For a mean of m or m_N the sum is as accurate in the tail, where theta is close
// to c/mean.
func (t *Total) Tilted(mean, at, from, to float64) float64 {
	k := &t.kernel
	state := func(z float64) float64 { return max(math.Ceil(z/k.gap), 0) } // the first at z or above
	n, end, tail := max(state(from), float64(t.start)), state(to), float64(t.last()+1)
	var sum num.Sum
	for ; n < min(end, tail); n++ {
		sum.Add(t.pmf[int(n)-t.start] * math.Exp((k.gap*n-at)/mean))
	}
	if end > n {
		// P(Q = n + j) e^((c(n+j) - at)/m) = A (e^theta - 1) e^(-n delta - at/m) e^(-j delta)
		delta, terms := t.excess(mean), end-n
		ratio := terms
		if delta != 0 {
			ratio = math.Expm1(-delta*terms) / math.Expm1(-delta)
		}
		sum.Add(math.Expm1(k.rate) * ratio * math.Exp(t.amplitude-n*delta-at/mean))
	}
	return sum.Value()
}
