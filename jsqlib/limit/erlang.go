package limit

import "math"

// erlang returns P(k, u) = 1 - e^(-u) (1 + u + ... + u^(k-1)/(k-1)!), the distribution function of the
// sum of k independent Exp(1) at u, for small k >= 1: accurate in relative terms however small u is,
// and 0 for u <= 0.
func erlang(k int, u float64) float64 {
	switch {
	case u <= 0:
		return 0
	case u < float64(k):
		// e^(-u) sum_{j>=k} u^j/j!: terms of one sign.
		term := 1.
		for j := 1; j <= k; j++ {
			term *= u / float64(j)
		}
		var sum float64
		for j := float64(k + 1); term > 1e-17*sum; j++ {
			sum += term
			term *= u / j
		}
		return math.Exp(-u) * sum
	case u > 800:
		return 1
	}
	term, sum := 1., 1.
	for j := 1; j < k; j++ {
		term *= u / float64(j)
		sum += term
	}
	return 1 - math.Exp(-u)*sum
}
