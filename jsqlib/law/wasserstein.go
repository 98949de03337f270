package law

import (
	"math"

	"jsqlab/jsqlib/internal/num"
	"jsqlab/jsqlib/limit"
	"jsqlab/jsqlib/wasserstein"
)

// W1 returns the Wasserstein distance between the law of Z = c Q and Exp(mean), in
// the unit of Z. Means equal to [Total.LimitMean] and [Total.MeanN] are
// recognised, so that the difference between theta and c/mean, which decides the
// distance, is exact for them at any gap; for other means it carries the
// rounding of mean. The error, if any, comes from package wasserstein: the
// mean is not positive and finite.
//
// For an estimated boundary law the distance is that of the law of [Total.Lattice],
// whose mean differs from [Total.Mean] by the noise that was clipped: W1 may then be
// below |c E Q - mean| by a share of itself of the order of [Total.NegativeMass].
func (t *Total) W1(mean float64) (float64, error) {
	return t.Lattice().W1(limit.Exponential{Mean: mean}, t.excess(mean))
}

// W1ToLimit returns W1 between Z and its limit Exp(m); see [Total.W1].
func (t *Total) W1ToLimit() (float64, error) { return t.W1(t.LimitMean()) }

// Lattice returns the law of Z = c Q as package wasserstein takes it. Where an
// estimated boundary law makes P(Q <= n) fall or leave [0, 1], it is replaced by its
// running maximum between 0 and the tail's value.
func (t *Total) Lattice() wasserstein.Lattice {
	zeros := max(t.start, 0)
	cdf := make([]float64, t.last()+1-zeros)
	t.clip(zeros, func(n, from int, f float64) { cdf[n-zeros] = f })
	return wasserstein.Lattice{Span: t.kernel.gap, Zeros: zeros, CDF: cdf, LogAmplitude: t.amplitude, Rate: t.kernel.rate}
}

// clip calls visit for n = first, ..., last with the clipped P(Q <= n) and the n it is
// taken from: -1 for 0 and last+1 for the tail. 0 <= first, and P(Q < first) is 0.
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
// -P(Q <= n): to E Q with weight 1, to E Q^2 with weight 2n + 1. It is 0 but for the noise of the
// boundary law.
func (t *Total) clipped(weight func(n int) float64) float64 {
	sum := 0.0
	for n := t.start; n < 0; n++ {
		sum += weight(n) * t.CDF(n)
	}
	t.clip(max(t.start, 0), func(n, from int, f float64) {
		if from != n {
			sum += weight(n) * (t.CDF(n) - f)
		}
	})
	return sum
}

// excess returns theta - c/mean: by subtraction where that is no small difference, as at a
// light load, where the other terms can be large beside it.
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

// WassersteinInfluence returns the influence function w of W1 to Exp(mean) on the
// boundary law: w[i] belongs to Q~ = Min + i, on the range of the [Boundary] given, and
//
//	dW1 = sum_i (b'[i] - b[i]) w[i],   sum_i b[i] w[i] = 0,
//
// for boundary laws b' close to b on the same range. As W1 is nearly piecewise linear
// in b, the standard error of W1 at the average of independent boundary estimates
// b_r is that of the average of sum_i b_r[i] w[i].
// It costs O(n log n). The mean must be positive and finite ([ErrArgument]).
//
// Derived: dW1 = int sign(F - G) dF. With s(n) the average of the sign over the
// cell [cn, c(n+1)) and S_K(n) = sum_{k>n} K(k), w = const - c sum_{n>=0} s(n) S_K(n-j)
// at Q~ = j.
func (t *Total) WassersteinInfluence(mean float64) ([]float64, error) {
	if err := checkMean(mean); err != nil {
		return nil, err
	}
	k := &t.kernel
	h, last := k.gap/mean, t.last()
	delta := t.excess(mean)
	// In cell n the exponential crosses F at the fraction x(n) = -log S(n)/h - n
	// of the cell, with F > G before and F < G after it.
	crossing := func(n, from int, f float64) float64 {
		logS := math.Log1p(-f)
		if from == n {
			logS = t.LogSurvival(n)
		}
		return clamp(-logS/h - float64(n))
	}
	// Beyond, x(n) = (n delta - log A)/h.
	tail := meanClamp((float64(last+1)*delta-t.amplitude)/h, delta/h, k.rate)
	return t.influence(k.gap, crossing, tail), nil
}

// influence returns the influence function of W1 between scale Q, shifted or not, and a
// law whose distribution function passes F at the share crossing(n, from, f) of cell n,
// F > G before and F < G after it; tail is the mean of that share at n = last+1+i
// under i ~ (1-rho) rho^i. The arguments n, from and f are those of clip.
func (t *Total) influence(scale float64, crossing func(n, from int, f float64) float64, tailCrossing float64) []float64 {
	k, last := &t.kernel, t.last()
	// A clipped cell counts where its value is taken from: signs[i] holds s(n) at
	// n = first+i, and then its sum from there to the last n.
	// Those below the law are not needed, but for blocks of the convolution.
	first, skip := t.start, 0
	if first > 0 {
		first -= first % blockOf(len(k.corr))
		skip = first
	}
	signs := make([]float64, last-first+1)
	clipped := 0.0 // at the tail's value
	t.clip(max(first, 0), func(n, from int, f float64) {
		sign := 2*crossing(n, from, f) - 1
		switch {
		case from > last:
			clipped += sign
		case from >= 0:
			signs[from-first] += sign
		}
	})
	for i := len(signs) - 2; i >= 0; i-- {
		signs[i] += signs[i+1]
	}
	tail := scale * ((2*tailCrossing-1)/k.TailGap() + clipped) / (1 + k.slope) * math.Exp(-k.rate*float64(last+2))

	// c sum_{0<=n<=last} s(n) F_K(n-j) = c sum_k K(k) signs(k+j): the geometric part of
	// K by recursion, the correction by convolution.
	w := make([]float64, len(t.b))
	g, gap, c := 0.0, k.TailGap(), k.Amplitude()
	for n := last; n >= t.min; n-- {
		g += signs[n-first] - g*gap
		if i := n - t.min; i < len(w) {
			w[i] = scale * c * g
		}
	}
	if len(k.corr) > 0 {
		reversed := make([]float64, len(k.corr))
		for i, r := range k.corr {
			reversed[len(reversed)-1-i] = r
		}
		conv := convolve(skip, signs, reversed)
		for i := range w {
			// sum_k r(k) signs(k + j); signs is 0 beyond last
			if at := t.min + i + k.corrMin - first + len(reversed) - 1; at < len(conv) {
				w[i] += scale * k.eps * conv[at]
			}
		}
	}
	var centre num.Sum
	for i := range w {
		w[i] -= tail * math.Expm1(k.rate*float64(t.min+i))
		centre.Add(t.b[i] * w[i])
	}
	for i := range w {
		w[i] -= centre.Value()
	}
	return w
}

func clamp(x float64) float64 { return math.Min(math.Max(x, 0), 1) }

// meanClamp returns E clamp(a + b I) for geometric I, P(I >= i) = e^(-rate i): the
// increments of the clamped line are b between the integers low and high where
// it is inside (0, 1).
func meanClamp(a, b, rate float64) float64 {
	switch {
	case b == 0:
		return clamp(a)
	case b < 0:
		return 1 - meanClamp(1-a, -b, rate)
	}
	low := math.Max(math.Ceil(-a/b), 0)
	high := math.Floor((1 - a) / b)
	if !(rate*low < 800) {
		return 0
	}
	if high < low { // from 0 to 1 in one step
		return math.Exp(-rate * low)
	}
	mean := (a + b*low) * math.Exp(-rate*low)
	if rate*(high-low) > 800 {
		return mean + b*math.Exp(-rate*(low+1))/-math.Expm1(-rate)
	}
	mean += b * math.Exp(-rate*(low+1)) * math.Expm1(-rate*(high-low)) / math.Expm1(-rate)
	return mean + (1-a-b*high)*math.Exp(-rate*(high+1))
}
