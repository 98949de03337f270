package limit

import (
	"math"

	"jsqlab/jsqlib"
)

// Exponential is the exponential law Exp(m) with density e^(-x/m)/m on x > 0.
type Exponential struct {
	Mean float64 // m > 0
}

// NewExponential returns Exp(mean). It fails with [*jsqlib.Invalid] unless mean is positive and finite.
func NewExponential(mean float64) (Exponential, error) {
	if !(mean > 0) || math.IsInf(mean, 1) {
		return Exponential{}, jsqlib.Refuse("limit", "mean", mean, "0 < mean < Inf")
	}
	return Exponential{Mean: mean}, nil
}

// CDF returns P(Z <= x) = 1 - e^(-x/m), accurate in relative terms near 0.
func (e Exponential) CDF(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return -math.Expm1(-x / e.Mean)
}

// Survival returns P(Z > x) = e^(-x/m).
func (e Exponential) Survival(x float64) float64 {
	if x <= 0 {
		return 1
	}
	return math.Exp(-x / e.Mean)
}

// Quantile returns -m log(1 - p), and NaN unless 0 <= p <= 1.
func (e Exponential) Quantile(p float64) float64 {
	switch {
	case p == 0:
		return 0
	case p < 0:
		return math.NaN()
	}
	return -e.Mean * math.Log1p(-p)
}

// PartialMean returns E[Z; Z <= x] = m (1 - e^(-u) (1 + u)), u = x/m, accurate in relative terms
// however small x is. PartialMean(+Inf) = m.
func (e Exponential) PartialMean(x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case math.IsInf(x, 1):
		return e.Mean
	}
	return e.Mean * erlang(2, x/e.Mean)
}
