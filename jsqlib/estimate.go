package jsqlib

import (
	"fmt"
	"math"
	"strconv"
)

// Estimate is a value with its standard error and its 95 % confidence interval. An exact value has no
// error: StdErr is 0 and both ends are the value.
type Estimate struct {
	Value, StdErr, Low, High float64
}

// HalfWidth returns (High - Low)/2.
func (e Estimate) HalfWidth() float64 { return (e.High - e.Low) / 2 }

// RelError returns the half width relative to |Value|. It is +Inf when Value is 0 and the half width is
// not.
func (e Estimate) RelError() float64 {
	h := e.HalfWidth()
	if h == 0 {
		return 0
	}
	return h / math.Abs(e.Value)
}

// Deviation returns how many standard errors x is away from Value.
func (e Estimate) Deviation(x float64) float64 {
	if d := math.Abs(e.Value - x); d > 0 {
		return d / e.StdErr
	}
	return 0
}

// Affine returns the estimate of a x + b.
func (e Estimate) Affine(a, b float64) Estimate {
	out := Estimate{a*e.Value + b, math.Abs(a) * e.StdErr, a*e.Low + b, a*e.High + b}
	if a < 0 {
		out.Low, out.High = out.High, out.Low
	}
	return out
}

// String writes the estimate as value ± half width, by [PlusMinus] with one digit of the half width.
func (e Estimate) String() string { return PlusMinus(e.Value, e.HalfWidth(), 1) }

// PlusMinus writes value ± half, such as 9.11 ± 0.07, with the decimals that show so many digits of
// half. Very small and very large values get a power of ten, such as (9.11 ± 0.07)e-05. A half of the
// size of rounding errors is left out. A half that is not finite is written as an error that is not
// known.
func PlusMinus(value, half float64, digits int) string {
	switch {
	case math.IsNaN(half) || math.IsInf(half, 0):
		return fmt.Sprintf("%.2g (error not known)", value)
	case half <= 1e-13*math.Abs(value): // rounding
		return fmt.Sprintf("%.10g", value)
	}
	top := max(math.Abs(value), half)
	exp := 0
	if top < 1e-3 || top >= 1e7 || half >= 100 {
		exp = int(math.Floor(math.Log10(top)))
	}
	scale := math.Pow10(-exp)
	if exp < -300 { // Pow10 of the negative would overflow
		return fmt.Sprintf("%.3g ± %.2g", value, half)
	}
	decimals := min(max(digits-1-int(math.Floor(math.Log10(half*scale))), 0), 17)
	s := strconv.FormatFloat(value*scale, 'f', decimals, 64) + " ± " + strconv.FormatFloat(half*scale, 'f', decimals, 64)
	if exp != 0 {
		s = fmt.Sprintf("(%s)e%+03d", s, exp)
	}
	return s
}
