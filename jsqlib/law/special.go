package law

import "math"

// log1pComplex returns the real part of log(1+w) and its imaginary part in (-pi, pi], accurate in
// relative terms near w = 0; the real part is -Inf at w = -1.
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
