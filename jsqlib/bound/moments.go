package bound

import (
	"cmp"
	"fmt"
	"math"

	"jsqlab/jsqlib"
)

// MaxOrder is the largest order r of a moment bound.
const MaxOrder = 10_000

func checkOrder(r int) error {
	if r < 1 || r > MaxOrder {
		return jsqlib.Refuse("bound", "r", r, fmt.Sprintf("1 <= r <= %d", MaxOrder))
	}
	return nil
}

// Tail returns a bound on P(L > x), L = ||q_perp||_2 in steady state:
//
//	P(L > kappa + 2 D j) <= (D/(D+eta))^(j+1),   j = 0, 1, ...,
//
// and 1 for x < kappa. Bertsimas, Gamarnik and Tsitsiklis (2001): the bound holds for every function
// that moves by at most D a step and has drift at most -eta above kappa.
func (d Drift) Tail(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	if x < d.Kappa {
		return 1
	}
	j := math.Floor((x - d.Kappa) / (2 * d.Jump))
	return math.Exp(-(j + 1) * d.decay())
}

// decay returns mu = -log beta, beta = D/(D+eta).
func (d Drift) decay() float64 { return math.Log1p(d.Eta / d.Jump) }

// LogMoment returns the logarithm of the bound on E L^r that follows from [Drift.Tail] summed over j,
// the tail sum
//
//	E L^r <= kappa^r + sum_{j>=0} beta^(j+1) [ (kappa+2D(j+1))^r - (kappa+2Dj)^r ],
//
// beta = D/(D+eta). It does not overflow, and costs O(r). It fails with [*jsqlib.Invalid] unless
// 1 <= r <= [MaxOrder] and d is a bound of [NewDrift].
//
// Derived: the sum is E (kappa + 2 D G)^r for a geometric G, P(G >= j) = beta^j. With mu = -log beta
// and f_k = mu^k E G^k/k!, which is in [0, 1] and tends to (1-beta)/mu,
//
//	sum = r! (2D/mu)^r sum_i (y^i/i!) f_(r-i),   y = kappa mu/(2D),
//	f_k = (D/eta) sum_{j=1}^k f_(k-j) mu^j/j!,   f_0 = 1,
//
// the second from E G^k = beta E (1+G)^k: sums of positive terms, and no j to sum over.
func (d Drift) LogMoment(r int) (float64, error) {
	if err := cmp.Or(checkOrder(r), d.check()); err != nil {
		return 0, err
	}
	log, _ := d.logMoment(r, nil)
	return log, nil
}

// logMoment is LogMoment with a buffer to use and to return.
func (d Drift) logMoment(r int, buffer []float64) (float64, []float64) {
	mu := d.decay()
	odds := d.Jump / d.Eta // beta/(1-beta)
	var weight [64]float64 // odds mu^j/j!, j >= 1, as far as it counts
	terms := 0
	for w := odds; terms < len(weight); terms++ {
		w *= mu / float64(terms+1)
		if weight[terms] = w; w < 1e-18 {
			break
		}
	}
	f := append(buffer[:0], 1)
	for k := 1; k <= r; k++ {
		sum := 0.0
		for j := 1; j <= min(k, terms); j++ {
			sum += f[k-j] * weight[j-1]
		}
		f = append(f, sum)
	}
	// from the largest term y^i/i! both ways
	y := d.Kappa * mu / (2 * d.Jump)
	top := int(math.Min(float64(r), y))
	sum, w := f[r-top], 1.0
	for i := top; i > 0 && w > 1e-18; i-- {
		w *= float64(i) / y
		sum += w * f[r-i+1]
	}
	w = 1
	for i := top + 1; i <= r && w > 1e-18; i++ {
		w *= y / float64(i)
		sum += w * f[r-i]
	}
	return logFactorial(r) + float64(r)*math.Log(2*d.Jump/mu) +
		float64(top)*math.Log(y) - logFactorial(top) + math.Log(sum), f
}

func logFactorial(n int) float64 {
	x, _ := math.Lgamma(float64(n) + 1)
	return x
}

// LogMomentClosed returns the logarithm of the closed form
//
//	E L^r <= (2 kappa)^r + (4 D)^r ((D+eta)/eta)^r r!,
//
// which is at least twice the tail sum of [Drift.LogMoment] (derived: the tail sum is E (kappa + 2 D
// G)^r <= 2^(r-1) (kappa^r + (2D)^r E G^r), and E G^r <= r! (1-beta)^(-r), by the Eulerian numbers). It
// fails as [Drift.LogMoment] does.
func (d Drift) LogMomentClosed(r int) (float64, error) {
	if err := cmp.Or(checkOrder(r), d.check()); err != nil {
		return 0, err
	}
	n := float64(r)
	x := n * math.Log(2*d.Kappa)
	y := n*(math.Log(4*d.Jump)+math.Log1p(d.Jump/d.Eta)) + logFactorial(r)
	return math.Max(x, y) + math.Log1p(math.Exp(-math.Abs(x-y))), nil
}

// MomentRoot returns M_r, a bound on (E L^r)^(1/r), in jobs: the r-th root of the tail sum. It fails as
// [Drift.LogMoment] does.
func (d Drift) MomentRoot(r int) (float64, error) {
	log, err := d.LogMoment(r)
	if err != nil {
		return 0, err
	}
	return math.Exp(log / float64(r)), nil
}
