package limit

// Law is a law on the line with a finite mean. A distance needs its distribution function and its
// partial means. The mean is PartialMean(+Inf).
type Law interface {
	// CDF returns G(x) = P(Z <= x).
	CDF(x float64) float64
	// Survival returns P(Z > x), accurate in relative terms in the upper tail.
	Survival(x float64) float64
	// Quantile returns the smallest x with G(x) >= p, and NaN unless 0 <= p <= 1.
	Quantile(p float64) float64
	// PartialMean returns E[Z; Z <= x], in the unit of Z.
	PartialMean(x float64) float64
}
