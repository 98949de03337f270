package jsqlib

import "math"

// Estimate is a value with its standard error and its 95 % confidence interval. An exact value has
// no error: StdErr is 0 and both ends are the value.
type Estimate struct {
	Value, StdErr, Low, High float64
}

// HalfWidth returns (High - Low)/2.
func (e Estimate) HalfWidth() float64 { return (e.High - e.Low) / 2 }

// RelError returns the half width relative to |Value|. It is +Inf when Value is 0 and the half
// width is not.
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
