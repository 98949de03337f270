package wasserstein

import (
	"fmt"
	"math"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/num"
	"jsqlab/jsqlib/limit"
)

// W1Law returns W1 between the sample x and a law, in the unit of its points.
//
// Between consecutive points the empirical F is constant and G, the CDF of the law, rises. G crosses F
// at a quantile of the law. The pieces follow from
//
//	int_l^r G = H(r) - H(l),   H(x) = x G(x) - E[Z; Z <= x],
//	int_x^inf (1 - G) = E Z - E[Z; Z <= x] - x P(Z > x).
//
// For [limit.Exponential] the pieces are in closed form, without cancellation. The cost is that of
// sorting, or O(n) for a sorted sample.
//
// It fails as [W1] does, and for a law without a positive finite mean.
func W1Law(x Sample, law limit.Law) (float64, error) {
	if _, err := lawMean(law); err != nil {
		return 0, err
	}
	s, err := prepare("x", x)
	if err != nil {
		return 0, err
	}
	var area float64
	if e, ok := law.(limit.Exponential); ok {
		area = w1Exponential(s, e.Mean)
	} else {
		area = w1Law(s, law)
	}
	if math.IsNaN(area) {
		return 0, jsqlib.Refuse("wasserstein", "law", fmt.Sprintf("a %T that returns NaN", law), "numbers")
	}
	if math.IsInf(area, 0) {
		return 0, errOverflow()
	}
	return area, nil
}

// lawMean returns the mean of a law, positive and finite.
func lawMean(law limit.Law) (float64, error) {
	if law == nil {
		return 0, jsqlib.Refuse("wasserstein", "law", "nil", "a limit.Law")
	}
	mean := law.PartialMean(math.Inf(1))
	if !(mean > 0) || math.IsInf(mean, 1) {
		return 0, jsqlib.Refuse("wasserstein", "mean of the law", mean, "0 < mean < Inf")
	}
	return mean, nil
}

// w1Exponential is W1Law for Exp(m).
func w1Exponential(s sample, m float64) float64 {
	var area num.Sum // in units of m over x > 0, of 1 over x < 0
	var below num.Sum
	left, level, cdf := math.Min(s.x[0], 0), 0., 0. // cdf = 1 - e^(-left/m)
	for i, right := range s.x {
		if left < 0 {
			end := math.Min(right, 0)
			below.Add(level * (end - left))
			left = end
		}
		if right > left {
			area.Add(num.ExpCell(cdf-level, 1-cdf, (right-left)/m))
			left, cdf = right, -math.Expm1(-right/m)
		}
		level = s.level(i)
	}
	if left < 0 {
		below.Add(-left)
		left = 0
	}
	area.Add(math.Exp(-left / m))
	return below.Value() + m*area.Value()
}

// w1Law is W1Law for any law.
func w1Law(s sample, law limit.Law) float64 {
	left := s.x[0]
	cdf := law.CDF(left)
	partial := law.PartialMean(left)
	integral := func(x, cdf, partial float64) float64 { return x*cdf - partial } // H(x)
	var area num.Sum
	area.Add(integral(left, cdf, partial))
	level := s.level(0)
	for i := 1; i < len(s.x); i++ {
		right := s.x[i]
		if right > left {
			cdfRight, partialRight := law.CDF(right), law.PartialMean(right)
			hLeft, hRight := integral(left, cdf, partial), integral(right, cdfRight, partialRight)
			switch {
			case level <= cdf:
				area.Add(hRight - hLeft - level*(right-left))
			case level >= cdfRight:
				area.Add(level*(right-left) - (hRight - hLeft))
			default:
				q := math.Min(math.Max(law.Quantile(level), left), right)
				hq := integral(q, law.CDF(q), law.PartialMean(q))
				area.Add(level*((q-left)-(right-q)) + (hLeft - hq) + (hRight - hq))
			}
			left, cdf, partial = right, cdfRight, partialRight
		}
		level = s.level(i)
	}
	area.Add(law.PartialMean(math.Inf(1)) - partial - left*law.Survival(left))
	return area.Value()
}
