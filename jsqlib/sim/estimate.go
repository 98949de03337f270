package sim

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Estimate is a value with its standard error and 95 % confidence interval.
type Estimate struct {
	Value, StdErr, Low, High float64
}

// HalfWidth returns (High - Low)/2.
func (e Estimate) HalfWidth() float64 { return (e.High - e.Low) / 2 }

// RelError returns the half width relative to |Value|, +Inf when Value is 0
// and the half width is not.
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

// scale returns the estimate of a x + b.
func (e Estimate) affine(a, b float64) Estimate {
	out := Estimate{a*e.Value + b, math.Abs(a) * e.StdErr, a*e.Low + b, a*e.High + b}
	if a < 0 {
		out.Low, out.High = out.High, out.Low
	}
	return out
}

// meanOf is the mean of independent, identically distributed replications with
// its Student t interval.
func meanOf(x []float64) Estimate {
	n := float64(len(x))
	m := 0.0
	for _, v := range x {
		m += v
	}
	m /= n
	ss := 0.0
	for _, v := range x {
		ss += (v - m) * (v - m)
	}
	return interval(m, math.Sqrt(ss/(n-1)/n), len(x))
}

// ratioOf estimates E X / E Y from replications (x_r, y_r) by the ratio of
// sums, with the delta-method error from the residuals x_r - ratio y_r.
func ratioOf(x, y []float64) Estimate {
	n := float64(len(x))
	sx, sy := 0.0, 0.0
	for i := range x {
		sx += x[i]
		sy += y[i]
	}
	if sy == 0 {
		return Estimate{math.NaN(), math.Inf(1), math.Inf(-1), math.Inf(1)}
	}
	ratio := sx / sy
	ss := 0.0
	for i := range x {
		d := x[i] - ratio*y[i]
		ss += d * d
	}
	return interval(ratio, math.Sqrt(ss*n/(n-1))/sy, len(x))
}

func interval(m, se float64, n int) Estimate {
	h := se * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(0.975)
	return Estimate{m, se, m - h, m + h}
}
