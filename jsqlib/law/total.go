package law

import (
	"fmt"
	"math"
	"sync"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/num"
)

// Boundary is the law of Q~ on a range of integers: P[k] = P(Q~ = Min + k).
//
// In discrete time Q~ = Q^+ - J, where (Q^+, U) has the U-weighted stationary law and J is uniform on
// {0, ..., U-1}: a pair with weight w and unused service u adds w to each of Q^+, Q^+ - 1, ..., Q^+ -
// u + 1. In continuous time P(Q~ = n) = E[I; Q = n]/E I with I the number of idle servers.
type Boundary struct {
	Min int
	P   []float64
}

// sumTolerance bounds |sum P - 1|; the entries are divided by their sum.
const sumTolerance = 1e-9

// Total is the stationary law of the total queue length Q = Q~ + K. P(Q = n) is held up to the end of
// the boundary law and of the kernel's correction; beyond, the law is geometric. The methods do not
// change a Total and are safe for concurrent use.
//
// Every P(Q = n), moment and transform is linear in the boundary law. An estimated boundary law
// therefore gives an estimated law of Q that sums to 1 and has the mean that belongs to the estimate.
// Where P(Q = n) is 0 or nearly so, noise of the order of eps per state is left: see
// [Total.NegativeMass].
type Total struct {
	kernel Kernel
	min    int       // of the boundary law
	b      []float64 // P(Q~ = min + k)

	bMean, bSecond float64 // E Q~, E Q~^2

	start     int       // P(Q = n) is held for n = start, ..., start+len(pmf)-1
	pmf       []float64 // P(Q = start + i)
	cdf       []float64 // P(Q <= start + i), summed from below
	survival  []float64 // P(Q > start + i), summed from the tail
	amplitude float64   // log A: P(Q > n) = exp(log A - n theta) from the last n on
	rising    []float64 // P(Q <= first + i), up to last, made to rise: see Law

	once      sync.Once
	integrals []float64 // see IntegratedDifference
}

// New returns the law of the total of the system with constants c with boundary law b. The cost is O(n
// log n) for n entries of b and of the kernel, at any gap. New fails with [*jsqlib.Invalid] for a b
// that is no law or has mass where Q~ cannot be, and as [NewKernel] does.
func New(c jsqlib.Constants, b Boundary) (*Total, error) {
	k, err := NewKernel(c)
	if err != nil {
		return nil, err
	}
	return k.Total(b)
}

// Total returns the law of the total with boundary law b: New for several boundary laws of one system.
// b is not changed or kept.
func (k *Kernel) Total(b Boundary) (*Total, error) {
	t := &Total{kernel: *k}
	if err := t.setBoundary(b); err != nil {
		return nil, err
	}
	t.setPMF()
	t.amplitude = t.tailAmplitude()
	t.setSums()
	if p := t.tail(t.last() + 1); !(p <= 1) {
		return nil, jsqlib.Refuse("law", "boundary law", fmt.Sprintf("one with P(Q > %d) = %v", t.last()+1, p), "one of this system")
	}
	return t, nil
}

// setBoundary checks b and keeps a copy of it.
func (t *Total) setBoundary(b Boundary) error {
	var sum num.Sum
	for k, p := range b.P {
		if !(p >= 0 && p <= 1+sumTolerance) {
			return jsqlib.Refuse("law", fmt.Sprintf("P(Q~ = %d)", b.Min+k), p, "a probability")
		}
		if p > 0 && b.Min+k < -t.kernel.support {
			return jsqlib.Refuse("law", fmt.Sprintf("P(Q~ = %d)", b.Min+k), p, fmt.Sprintf("Q~ >= %d", -t.kernel.support))
		}
		sum.Add(p)
	}
	if !(math.Abs(sum.Value()-1) <= sumTolerance) {
		return jsqlib.Refuse("law", "boundary law", fmt.Sprintf("one that sums to %.12g", sum.Value()), "a sum of 1")
	}
	t.min = b.Min
	t.b = make([]float64, len(b.P))
	var mean, second num.Sum
	for i, p := range b.P {
		p /= sum.Value()
		j := float64(t.min + i)
		t.b[i] = p
		mean.Add(j * p)
		second.Add(j * j * p)
	}
	t.bMean, t.bSecond = mean.Value(), second.Value()
	return nil
}

// setPMF computes P(Q = n) over the reach of b and the correction. The geometric part, C sum_{j<=n}
// b(j) rho^(n-j), is a recursion of positive terms.
func (t *Total) setPMF() {
	k := &t.kernel
	end := max(t.min+len(t.b)-1+max(k.corrMin+len(k.corr)-1, 0), 0)
	t.start = t.min + min(k.corrMin, 0) // P(Q < start) = 0
	t.pmf = make([]float64, end-t.start+1)
	offset := t.min + k.corrMin - t.start
	for i, x := range convolve(0, t.b, k.corr) {
		t.pmf[offset+i] = k.eps * x
	}
	gap, c, g := k.tailGap(), k.amplitude(), 0.0
	for i := range t.pmf {
		g -= g * gap
		if j := t.start + i - t.min; j >= 0 && j < len(t.b) {
			g += t.b[j]
		}
		t.pmf[i] += c * g
	}
}

// tailAmplitude returns log A = log[ C/(1-rho) ] - theta + log E e^(theta Q~).
func (t *Total) tailAmplitude() float64 {
	k := &t.kernel
	top := math.Max(0, k.rate*float64(t.min+len(t.b)-1))
	var sum num.Sum
	if top < 1 {
		for i, p := range t.b {
			sum.Add(p * math.Expm1(k.rate*float64(t.min+i)))
		}
		return -math.Log1p(k.slope) - k.rate + math.Log1p(sum.Value())
	}
	for i, p := range t.b {
		sum.Add(p * math.Exp(k.rate*float64(t.min+i)-top))
	}
	return -math.Log1p(k.slope) - k.rate + top + math.Log(sum.Value())
}

func (t *Total) setSums() {
	t.cdf = make([]float64, len(t.pmf))
	t.survival = make([]float64, len(t.pmf))
	var sum num.Sum
	for i, p := range t.pmf {
		sum.Add(p)
		t.cdf[i] = sum.Value()
	}
	sum = num.Sum{}
	sum.Add(t.tail(t.last()))
	for i := len(t.pmf) - 1; i >= 0; i-- {
		t.survival[i] = sum.Value()
		sum.Add(t.pmf[i])
	}
	first := t.first()
	t.rising = make([]float64, t.last()+1-first)
	t.clip(first, func(n, _ int, f float64) { t.rising[n-first] = f })
}

// TailStart returns the end of the boundary region: P(Q > n) is geometric from this n on.
func (t *Total) TailStart() int { return t.last() }

// first is the smallest n >= 0 for which P(Q = n) is held; below, it is 0.
func (t *Total) first() int { return max(t.start, 0) }

// last is the largest n for which P(Q = n) is held.
func (t *Total) last() int { return t.start + len(t.pmf) - 1 }

// tail returns P(Q > n) for n >= last.
func (t *Total) tail(n int) float64 { return math.Exp(t.logTail(n)) }

func (t *Total) logTail(n int) float64 { return t.amplitude - float64(n)*t.kernel.rate }

// Kernel returns the kernel of the law.
func (t *Total) Kernel() *Kernel { return &t.kernel }

// Boundary returns the boundary law, divided by its sum. It is not to be changed.
func (t *Total) Boundary() Boundary { return Boundary{t.min, t.b} }

// PMF returns P(Q = n). For n < 0 it is 0 up to the error of the boundary law.
func (t *Total) PMF(n int) float64 {
	switch {
	case n < t.start:
		return 0
	case n <= t.last():
		return t.pmf[n-t.start]
	}
	return t.tail(n) * math.Expm1(t.kernel.rate)
}

// CDF returns P(Q <= n), accurate in relative terms where it is small.
func (t *Total) CDF(n int) float64 {
	below, _ := t.sides(n)
	return below
}

// Survival returns P(Q > n), accurate in relative terms where it is small.
func (t *Total) Survival(n int) float64 {
	_, above := t.sides(n)
	return above
}

// sides returns P(Q <= n) and P(Q > n). The smaller one is a sum from its own end, and the other is 1
// less the smaller.
func (t *Total) sides(n int) (below, above float64) {
	switch {
	case n < t.start:
		return 0, 1
	case n > t.last():
		return -math.Expm1(t.logTail(n)), t.tail(n)
	}
	if f := t.cdf[n-t.start]; f < 0.5 {
		return f, 1 - f
	}
	s := t.survival[n-t.start]
	return 1 - s, s
}

// logSurvival returns log P(Q > n), accurate in relative terms however close to 0 or to -Inf it is: -c
// n/m to first order for n far below m/c, and linear in n, log A - n theta, beyond the boundary region.
func (t *Total) logSurvival(n int) float64 {
	if n > t.last() {
		return t.logTail(n)
	}
	below, above := t.sides(n)
	if below < 0.5 {
		return math.Log1p(-below)
	}
	return math.Log(max(above, 0)) // rounding may leave a zero below 0
}

// NegativeMass returns sum_{n<0} |P(Q = n)|, a check of the boundary law. It is 0 up to rounding for an
// exact one: the kernel's values at n < 0 then cancel. For an estimate it is of the order of eps times
// the relative error of the estimate.
func (t *Total) NegativeMass() float64 {
	sum := 0.0
	for n := t.start; n < 0 && n <= t.last(); n++ {
		sum += math.Abs(t.pmf[n-t.start])
	}
	return sum
}

// Scale returns c = N^(-alpha) = e, the scale of Z = c Q.
func (t *Total) Scale() float64 { return t.kernel.gap }

// LimitMean returns m, the mean of the exponential limit of Z: half the sum of the variances of a_j and
// s_i at e = 0, and 1 in continuous time.
func (t *Total) LimitMean() float64 { return t.kernel.limitMean }

// MeanN returns m_N, the mean of the exponential law closest to that of Z at finite N: v/(2N), and 1 -
// e/2 in continuous time (half the variance of the free total per unit of time, divided by N).
func (t *Total) MeanN() float64 { return t.kernel.meanN }

// BoundaryMean returns E Q~ = E[U Q^+]/E U - E[U^2]/(2 E U) + 1/2.
func (t *Total) BoundaryMean() float64 { return t.bMean }

// Mean returns E Q = (v + eps^2)/(2 eps) - 1/2 + E Q~, in continuous time lambda/(1-lambda) + E Q~
// (derived).
func (t *Total) Mean() float64 { return t.kernel.mean + t.bMean }

// SecondMoment returns E Q^2 = E K^2 + 2 E K E Q~ + E Q~^2, the moments of K being in closed form
// (derived).
func (t *Total) SecondMoment() float64 {
	return t.kernel.second + 2*t.kernel.mean*t.bMean + t.bSecond
}
