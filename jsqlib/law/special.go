package law

import "math"

// tail3 returns (e^x - 1 - x - x^2/2) / x^3 = 1/6 + x/24 + ..., accurate in
// relative terms.
func tail3(x float64) float64 {
	if math.Abs(x) > 1 {
		return (math.Expm1(x) - x - x*x/2) / (x * x * x)
	}
	s := 0.0
	for k := 20; k >= 0; k-- { // sum x^k / (k+3)!, nested
		s = 1 + s*x/float64(k+4)
	}
	return s / 6
}

// tail2 returns (e^x - 1 - x) / x^2 = 1/2 + x/6 + ..., accurate in relative
// terms.
func tail2(x float64) float64 {
	if math.Abs(x) > 1 {
		return (math.Expm1(x) - x) / (x * x)
	}
	return 0.5 + x*tail3(x)
}

// slopeTail returns (x e^x + x - 2 e^x + 2) / x^3 = 1/6 + x/12 + ..., accurate
// in relative terms: the derivative of log M at its root in units of the third
// moments.
func slopeTail(x float64) float64 {
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

// log1pTail2 returns (x - log(1+x)) / x^2 = 1/2 - x/3 + ..., x > -1, accurate in
// relative terms.
func log1pTail2(x float64) float64 {
	if math.Abs(x) > 0.1 {
		return (x - math.Log1p(x)) / (x * x)
	}
	s := 0.0
	for k := 17; k >= 2; k-- {
		s = 1/float64(k) - x*s
	}
	return s
}

// log1pComplex returns the real part of log(1+w) and its imaginary part in
// (-pi, pi], accurate in relative terms near w = 0; the real part is -Inf at
// w = -1.
func log1pComplex(w complex128) (re, im float64) {
	x, y := real(w), imag(w)
	im = math.Atan2(y, 1+x)
	if x < -0.5 {
		return math.Log(math.Hypot(1+x, y)), im
	}
	return 0.5 * math.Log1p(x*(2+x)+y*y), im
}

// expComplex returns e^(x+iy) and e^(x+iy) - 1, both accurate in relative terms.
func expComplex(x, y float64) (e, m1 complex128) {
	if math.IsInf(x, -1) {
		return 0, -1
	}
	sin, cos := math.Sincos(y)
	half, exp := math.Sin(y/2), math.Exp(x)
	return complex(exp*cos, exp*sin), complex(math.Expm1(x)*cos-2*half*half, exp*sin)
}

// accumulator is a compensated sum (Knuth's two-sum).
type accumulator struct{ sum, low float64 }

func (a *accumulator) add(v float64) {
	s := a.sum + v
	b := s - a.sum
	a.low += (a.sum - (s - b)) + (v - b)
	a.sum = s
}

func (a *accumulator) value() float64 { return a.sum + a.low }
