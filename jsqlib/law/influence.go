package law

import (
	"math"
	"slices"

	"jsqlab/jsqlib/internal/num"
)

// influenceOfW1 tells how W1 to Exp(mean) answers to the boundary law. It returns the influence
// function w: w[i] belongs to Q~ = Min + i, on the range of the [Boundary] given, and
//
//	dW1 = sum_i (b'[i] - b[i]) w[i],   sum_i b[i] w[i] = 0,
//
// for boundary laws b' close to b on the same range. W1 is nearly piecewise linear in b. The standard
// error of W1 at the average of independent boundary estimates b_r is therefore that of the average of
// sum_i b_r[i] w[i]. The cost is O(n log n).
func (t *Total) influenceOfW1(mean float64) []float64 {
	k := &t.kernel
	h, last := k.gap/mean, t.last()
	delta := t.excess(mean)
	// In cell n the exponential crosses F at the fraction x(n) = -log S(n)/h - n.
	crossing := func(n, from int, f float64) float64 {
		logS := math.Log1p(-f)
		if from == n {
			logS = t.logSurvival(n)
		}
		return clamp(-logS/h - float64(n))
	}
	// Beyond, x(n) = (n delta - log A)/h.
	tail := meanClamp((float64(last+1)*delta-t.amplitude)/h, delta/h, k.rate)
	return t.influence(k.gap, crossing, tail)
}

// influence returns the influence function of W1 between scale Q, shifted or not, and a law G. In cell
// n the law G passes F at the share crossing(n, from, f); n, from and f are those of clip. tailCrossing
// is the mean of that share at n = last+1+i under i ~ (1-rho) rho^i.
//
// Derived: on cell n, from cn to c(n+1), F is constant and G rises. Hence F > G before the crossing and
// F < G after it:
//
//	                       ..'' G
//	F ----------------..''-------       s(n) = 2 crossing - 1, the share of the cell before
//	            ..''                    the crossing less the share after it
//	      ..''
//	  |     F > G     |   F < G  |      dW1 = int sign(F - G) dF = c sum_n s(n) dF(n)
//	 cn           crossing     c(n+1)
//
// F(n) = sum_j b(j) F_K(n - j) with F_K(n) = sum_{k<=n} K(k), so that at Q~ = j
//
//	w(j) = const + c sum_{n>=0} s(n) F_K(n - j) = const + c sum_k K(k) R(k + j),   R(i) = sum_{n>=i} s(n).
//
// Up to last, R is held and goes through the kernel. Beyond, a mass at j puts e^(theta (j-1-n))/(1 +
// slope) above n, where C/(1-rho) = 1/(1 + slope).
func (t *Total) influence(scale float64, crossing func(n, from int, f float64) float64, tailCrossing float64) []float64 {
	k := &t.kernel
	first, signs, atTail := t.signs(crossing)
	atTail += (2*tailCrossing - 1) / k.tailGap()
	tail := scale * atTail / (1 + k.slope) * math.Exp(-k.rate*float64(t.last()+2))

	w := t.throughKernel(first, signs, scale)
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

// signs returns R(first + i), the sum of s(n) from there to last, and the sum of those s(n) that belong
// to the tail. A clipped cell is credited to the cell whose value it borrows. first is where P(Q = n)
// begins. Above 0 it is the start of the block of the convolution that holds this n.
func (t *Total) signs(crossing func(n, from int, f float64) float64) (first int, sums []float64, atTail float64) {
	first = t.start
	if first > 0 {
		first -= first % blockOf(len(t.kernel.corr))
	}
	sums = make([]float64, t.last()-first+1)
	t.clip(max(first, 0), func(n, from int, f float64) {
		sign := 2*crossing(n, from, f) - 1
		switch {
		case from > t.last():
			atTail += sign
		case from >= 0:
			sums[from-first] += sign
		}
	})
	for i := len(sums) - 2; i >= 0; i-- {
		sums[i] += sums[i+1]
	}
	return first, sums, atTail
}

// throughKernel returns scale sum_k K(k) R(k + j) at Q~ = j = min, min+1, ...: the geometric part of K
// by the recursion g(j) = R(j) + rho g(j+1), the correction by convolution. R(first + i) = signs[i], 0
// beyond.
func (t *Total) throughKernel(first int, signs []float64, scale float64) []float64 {
	k := &t.kernel
	w := make([]float64, len(t.b))
	g, gap, c := 0.0, k.tailGap(), k.amplitude()
	for n := t.last(); n >= t.min; n-- {
		g += signs[n-first] - g*gap
		if i := n - t.min; i < len(w) {
			w[i] = scale * c * g
		}
	}
	if len(k.corr) == 0 { // continuous time
		return w
	}
	reversed := slices.Clone(k.corr)
	slices.Reverse(reversed)
	conv := convolve(max(first, 0), signs, reversed)
	for i := range w {
		if at := t.min + i + k.corrMin - first + len(reversed) - 1; at < len(conv) {
			w[i] += scale * k.eps * conv[at]
		}
	}
	return w
}

func clamp(x float64) float64 { return math.Min(math.Max(x, 0), 1) }

// meanClamp returns E clamp(a + b I) for geometric I, P(I >= i) = e^(-rate i): the increments of the
// clamped line are b between the integers low and high where it is inside (0, 1).
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
