package limit

import "math"

// Boundary is the law of Q~/N as N -> infinity in continuous time for alpha > 1. Q~ is the total that a
// typical unused service sees, P(Q~ = n) = E[I; Q = n]/E I. JSQ keeps this part of the total on the
// scale N for every load.
//
// Derived heuristically, not proved: near the boundary x = Q/N has density proportional to (x-1)
// e^(-x), the limit of [NDS] as g -> 0, and I = (2-x)/(x-1) servers idle, on 1 < x < 2. The I-weighted
// density is, with t = x - 1,
//
//	density (1-t) e^(1-t),   P(Q~/N <= x) = t e^(1-t),   0 < t < 1,
//
// of mean 4 - e and variance 2 + 2e - e^2 (e = 2.718...), so that W1 of (1 - lambda) Q from Exp(1) is
// (4 - e) N^(1-alpha) to first order.
type Boundary struct{}

// Density returns the density at x; 0 outside (1, 2).
func (Boundary) Density(x float64) float64 {
	t := x - 1
	if t <= 0 || t >= 1 {
		return 0
	}
	return (1 - t) * math.Exp(1-t)
}

// CDF returns P(Q~/N <= x), accurate in relative terms near 1.
func (Boundary) CDF(x float64) float64 {
	t := x - 1
	switch {
	case t <= 0:
		return 0
	case t >= 1:
		return 1
	}
	return t * math.Exp(1-t)
}

// Survival returns P(Q~/N > x), accurate in relative terms near 2.
func (Boundary) Survival(x float64) float64 {
	switch {
	case x <= 1:
		return 1
	case x >= 2:
		return 0
	}
	return boundaryTail(2 - x)
}

// boundaryTail returns 1 - (1-s) e^s = sum_{k>=2} (k-1) s^k/k!, terms of one sign.
func boundaryTail(s float64) float64 {
	power, sum := s, 0. // s^(k-1)/(k-1)!
	for k := 2.; ; k++ {
		power *= s / k
		term := (k - 1) * power
		sum += term
		if !(term > 1e-17*sum) {
			return sum
		}
	}
}

// PartialMean returns E[Q~/N; Q~/N <= x]; PartialMean(+Inf) = 4 - e.
func (b Boundary) PartialMean(x float64) float64 {
	t := math.Min(x-1, 1)
	return b.CDF(x) + math.E*(erlang(2, t)-2*erlang(3, t))
}

// Mean returns 4 - e.
func (Boundary) Mean() float64 { return 4 - math.E }

// Variance returns 2 + 2e - e^2.
func (Boundary) Variance() float64 { return 2 + 2*math.E - math.E*math.E }

// Quantile returns the x with t e^(1-t) = p, t = x - 1, and NaN unless 0 <= p <= 1.
func (Boundary) Quantile(p float64) float64 {
	switch {
	case !(p >= 0 && p <= 1):
		return math.NaN()
	case p == 0:
		return 1
	case p == 1:
		return 2
	case p <= 0.5:
		// log t + 1 - t = log p: the left side is concave, so that Newton's iterates from below
		// increase to the root.
		t := p / math.E
		for range maxNewton {
			step := (math.Log(p/t) - 1 + t) * t / (1 - t)
			t += step
			if math.Abs(step) < 1e-15*t {
				break
			}
		}
		return 1 + t
	}
	// The tail is convex in s = 2 - x and at least s^2/2: Newton's iterates decrease to the root.
	q := 1 - p
	s := math.Min(math.Sqrt(2*q), 1)
	for range maxNewton {
		step := (boundaryTail(s) - q) / (s * math.Exp(s))
		s -= step
		if math.Abs(step) < 1e-15*s {
			break
		}
	}
	return 2 - s
}
