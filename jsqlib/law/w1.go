package law

import (
	"math"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/num"
)

// minSpan is the smallest c/mean: its square must be a normal float64.
const minSpan = 1e-153

// W1 returns the Wasserstein distance between the law of Z = c Q and Exp(mean), in the unit of Z, to
// about 1e-14 in relative terms. The difference between theta and c/mean decides the distance. For the
// means [Total.LimitMean] and [Total.MeanN] this difference is exact at any gap. For another mean it
// carries the rounding of mean. W1 fails with [*jsqlib.Invalid] for a mean that is not positive and
// finite, or not within float64 of c.
//
// For an estimated boundary law the distance is that of [Total.Law]. Its mean differs from [Total.Mean]
// by the noise that was clipped. W1 may then be below |c E Q - mean|, by a share of the order of
// [Total.NegativeMass].
func (t *Total) W1(mean float64) (float64, error) {
	k := &t.kernel
	h := k.gap / mean
	if !(mean > 0) || math.IsInf(mean, 1) || !(h >= minSpan) || math.IsInf(h, 1) {
		return 0, refuseMean(mean)
	}
	w := mean * staircaseArea(t.first(), t.rising, geometricTail{h, k.rate, t.excess(mean), t.amplitude})
	if math.IsInf(w, 0) || math.IsNaN(w) {
		return 0, refuseMean(mean)
	}
	return w, nil
}

func refuseMean(mean float64) error {
	return jsqlib.Refuse("law", "mean", mean, "0 < mean < Inf, at most 1e153 c")
}

// staircaseArea returns int |F - G| in units of the mean of the exponential law G, for F = 0 below cell
// first, cdf[i] on cell first+i, and the tail beyond.
func staircaseArea(first int, cdf []float64, tail geometricTail) float64 {
	var sum num.Sum
	sum.Add(num.Expm1x(-float64(first) * tail.h))
	for i, f := range cdf {
		x := float64(first+i) * tail.h
		sum.Add(num.ExpCell(-math.Expm1(-x)-f, math.Exp(-x), tail.h))
	}
	sum.Add(tail.area(float64(first + len(cdf))))
	return sum.Value()
}

// W1ToLimit returns W1 between Z and its limit Exp(m); see [Total.W1].
func (t *Total) W1ToLimit() (float64, error) { return t.W1(t.LimitMean()) }

// clip calls visit for n = first, ..., last with the clipped P(Q <= n) and with from, the n whose
// P(Q <= n) this value is. from is -1 for the value 0, and last+1 for the value of the tail.
// 0 <= first, and P(Q < first) is 0.
func (t *Total) clip(first int, visit func(n, from int, f float64)) {
	last := t.last()
	top := t.CDF(last + 1)
	f, from := 0.0, -1
	for n := first; n <= last; n++ {
		if g := t.CDF(n); g >= f {
			f, from = g, n
			if f > top {
				f, from = top, last+1
			}
		}
		visit(n, from, f)
	}
}

// clipped returns what clipping adds to sum_n weight(n) P(Q > n), the sum over n < 0 taken of
// -P(Q <= n): to E Q with weight 1, to E Q^2 with weight 2n + 1. The sum is 0 for an exact boundary
// law: only noise is clipped.
func (t *Total) clipped(weight func(n int) float64) float64 {
	sum := 0.0
	for n := t.start; n < 0; n++ {
		sum += weight(n) * t.CDF(n)
	}
	t.clip(t.first(), func(n, from int, f float64) {
		if from != n {
			sum += weight(n) * (t.CDF(n) - f)
		}
	})
	return sum
}

// excess returns theta - c/mean. It subtracts where the difference is not small, as at a light load:
// there the terms of the other formula can be large beside it.
func (t *Total) excess(mean float64) float64 {
	k := &t.kernel
	h := k.gap / mean
	if d := k.rate - h; math.Abs(d) > max(k.rate, h)/2 {
		return d
	}
	shift := mean - k.meanN
	if mean == k.limitMean {
		shift = -k.meanShift
	}
	return k.excess + k.gap*shift/(k.meanN*mean)
}
