package limit

import (
	"math"

	"jsqlab/jsqlib"
)

// NDS is the non-degenerate slowdown limit: the law of X = Q/N as N -> infinity in continuous time with
// 1 - lambda = g/N, so alpha = 1 (V. Gupta and N. Walton, "Load balancing in the nondegenerate slowdown
// regime", Operations Research 67, 2019). It sits on x > 1, with density proportional to
//
//	exp( int^x (2-y)^+/(y-1) dy - g x ),
//
// that is, with t = x - 1, b = 1 + g and D = g + e^(-b) (derived),
//
//	density   (g b^2/D) t e^(-bt)                 for 0 < t <= 1,
//	          (g b^2/D) e^(-1-gt)                 for t >= 1,
//	P(X > x)  (g e^(-bt) (1 + bt) + e^(-b))/D     for 0 <= t <= 1,
//	          (b^2/D) e^(-1-gt)                   for t >= 1.
//
// Near x = 1, where servers idle, X is like 1 + Gamma(2, b), and beyond x = 2, where none does,
// exponential of rate g: g X => Exp(1) as g -> 0, and g (X - 1) => Gamma(2, 1), the limit for 1/2 <
// alpha < 1, as g -> infinity. Its functions have a relative accuracy of about 1e-14 in t.
type NDS struct {
	G float64 // g = N (1 - lambda), 1e-100 <= g <= 1e100
}

// NewNDS returns the law with 1 - lambda = g/N. It fails with [*jsqlib.Invalid] unless
// 1e-100 <= g <= 1e100.
func NewNDS(g float64) (NDS, error) {
	if !(g >= 1e-100 && g <= 1e100) {
		return NDS{}, jsqlib.Refuse("limit", "g", g, "1e-100 <= g <= 1e100")
	}
	return NDS{G: g}, nil
}

// norm returns b = 1 + g, e^(-b) and 1/D.
func (l NDS) norm() (b, eb, inv float64) {
	b = 1 + l.G
	eb = math.Exp(-b)
	return b, eb, 1 / (l.G + eb)
}

// Density returns the density at x; 0 for x <= 1.
func (l NDS) Density(x float64) float64 {
	b, _, inv := l.norm()
	t := x - 1
	switch {
	case t <= 0:
		return 0
	case t <= 1:
		return l.G * inv * b * (b * t) * math.Exp(-b*t)
	}
	return l.G * inv * b * b * math.Exp(-1-l.G*t)
}

// CDF returns P(X <= x), accurate in relative terms near 1.
func (l NDS) CDF(x float64) float64 {
	b, eb, inv := l.norm()
	t := x - 1
	if t <= 1 {
		return l.G * inv * erlang(2, b*t)
	}
	if math.IsInf(t, 1) {
		return 1
	}
	return l.G*inv*erlang(2, b) + b*b*eb*inv*erlang(1, l.G*(t-1))
}

// Survival returns P(X > x), accurate in relative terms in the upper tail.
func (l NDS) Survival(x float64) float64 {
	b, eb, inv := l.norm()
	t := x - 1
	switch {
	case t <= 0:
		return 1
	case t <= 1:
		return inv * (l.G*math.Exp(-b*t)*(1+b*t) + eb)
	}
	return b * b * inv * math.Exp(-1-l.G*t)
}

// PartialMean returns E[X; X <= x]; PartialMean(+Inf) is the mean.
func (l NDS) PartialMean(x float64) float64 { return l.CDF(x) + l.partialExcess(x-1) }

// partialExcess returns E[X - 1; X - 1 <= t], a sum of positive terms.
func (l NDS) partialExcess(t float64) float64 {
	b, eb, inv := l.norm()
	if t <= 1 {
		return 2 * l.G / b * inv * erlang(3, b*t)
	}
	u := l.G * (t - 1)
	if math.IsInf(t, 1) { // for g = 0 as well, whose mean is +Inf
		u = t
	}
	return 2*l.G/b*inv*erlang(3, b) + b*b*eb*inv*(erlang(1, u)+erlang(2, u)/l.G)
}

// Mean returns E X.
func (l NDS) Mean() float64 { return 1 + l.partialExcess(math.Inf(1)) }

// Variance returns Var X.
func (l NDS) Variance() float64 {
	b, eb, inv := l.norm()
	second := 6*l.G*inv*erlang(4, b)/(b*b) + b*b*eb*inv*(1+2/l.G*(1+1/l.G)) // E (X-1)^2
	mean := l.partialExcess(math.Inf(1))
	return second - mean*mean
}

// Quantile returns the x with P(X <= x) = p, and NaN unless 0 <= p <= 1.
func (l NDS) Quantile(p float64) float64 {
	switch {
	case !(p >= 0 && p <= 1):
		return math.NaN()
	case p == 0:
		return 1
	case p == 1:
		return math.Inf(1)
	}
	b, eb, inv := l.norm()
	q := 1 - p
	kink := l.G * inv * erlang(2, b) // P(X <= 2)
	above := b * b * eb * inv        // P(X > 2)
	switch {
	case p <= kink && q >= above:
		// P(2, bt) = p D/g, and 1 - P(2, bt) = (q D - e^(-b))/g
		return 1 + gammaQuantile(2, p*(1+eb/l.G), (q/inv-eb)/l.G)/b
	case p <= 0.5:
		return 2 + math.Log1p((p-kink)/q)/l.G
	}
	return 2 + math.Max(math.Log(above/q), 0)/l.G
}
