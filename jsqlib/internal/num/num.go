// Package num holds the numerics that several packages of jsqlib share: a compensated sum, e^x and
// log(1+x) without their first terms, and the free walk of the total with its root.
//
// The textbook forms of these functions cancel. At a gap of 1e-60 the numbers that matter are
// differences of numbers that agree in all digits of a float64.
package num

import "math"

// Sum is a compensated sum (Knuth's two-sum): its error does not grow with the number of terms.
type Sum struct{ sum, low float64 }

// Add adds v.
func (s *Sum) Add(v float64) {
	t := s.sum + v
	b := t - s.sum
	s.low += (s.sum - (t - b)) + (v - b)
	s.sum = t
}

// Value returns the sum.
func (s *Sum) Value() float64 { return s.sum + s.low }

// Expm1x returns e^x - 1 - x >= 0, accurate in relative terms.
func Expm1x(x float64) float64 {
	switch ax := math.Abs(x); {
	case ax < 1./1024:
		return x * x * (1./2 + x*(1./6+x*(1./24+x*(1./120+x*(1./720+x*(1./5040))))))
	case ax < 0.5:
		p := invFactorial[0]
		for _, c := range invFactorial[1:] {
			p = p*x + c
		}
		return x * x * p
	}
	return math.Expm1(x) - x
}

// invFactorial holds 1/k! for k = 16, ..., 2. The next term of Expm1x is below 1e-18 of the first for
// |x| < 1/2.
var invFactorial = [...]float64{
	1. / 20922789888000, 1. / 1307674368000, 1. / 87178291200, 1. / 6227020800,
	1. / 479001600, 1. / 39916800, 1. / 3628800, 1. / 362880, 1. / 40320,
	1. / 5040, 1. / 720, 1. / 120, 1. / 24, 1. / 6, 1. / 2,
}

// Tail2 returns (e^x - 1 - x)/x^2 = 1/2 + x/6 + ..., accurate in relative terms.
func Tail2(x float64) float64 {
	if math.Abs(x) > 1 {
		return (math.Expm1(x) - x) / (x * x)
	}
	return 0.5 + x*Tail3(x)
}

// Tail3 returns (e^x - 1 - x - x^2/2)/x^3 = 1/6 + x/24 + ..., accurate in relative terms.
func Tail3(x float64) float64 {
	if math.Abs(x) > 1 {
		return (math.Expm1(x) - x - x*x/2) / (x * x * x)
	}
	s := 0.0
	for k := 20; k >= 0; k-- { // sum x^k/(k+3)!, nested
		s = 1 + s*x/float64(k+4)
	}
	return s / 6
}

// Tail4 returns (e^x - 1 - x - x^2/2 - x^3/6)/x^4 = 1/24 + x/120 + ..., accurate in relative terms.
func Tail4(x float64) float64 {
	if math.Abs(x) > 1 {
		return (Tail3(x) - 1.0/6) / x
	}
	s := 0.0
	for k := 20; k >= 0; k-- { // sum x^k/(k+4)!, nested
		s = 1 + s*x/float64(k+5)
	}
	return s / 24
}

// SlopeTail returns (x e^x + x - 2 e^x + 2)/x^3 = 1/6 + x/12 + ..., accurate in relative terms: the
// derivative of log E e^(xX) at its root in units of the third moments.
func SlopeTail(x float64) float64 {
	if math.Abs(x) > 1 {
		return (x*(math.Exp(x)+1) - 2*math.Expm1(x)) / (x * x * x)
	}
	// sum x^k (1/(k+2)! - 2/(k+3)!) = sum x^k (k+1)/(k+3)!
	s, term := 0.0, 1.0/6
	for k := 0; k <= 20; k++ {
		s += float64(k+1) * term
		term *= x / float64(k+4)
	}
	return s
}

// LogTail2 returns (x - log(1+x))/x^2 = 1/2 - x/3 + ..., x > -1, accurate in relative terms.
func LogTail2(x float64) float64 {
	if math.Abs(x) > 0.1 {
		return (x - math.Log1p(x)) / (x * x)
	}
	s := 0.0
	for k := 17; k >= 2; k-- {
		s = 1/float64(k) - x*s
	}
	return s
}
