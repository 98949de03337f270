package law

import (
	"fmt"
	"math"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/near"
)

// TestValuesSums holds what the law says beside the exponential against sums over P(Q = n), within
// the boundary region, across its end and in the tail.
func TestValuesSums(t *testing.T) {
	c, brute := bruteForce(t, jsqlib.Model{Servers: 2, Gap: 0.5}, 40)
	q, err := New(c, brute.boundary)
	if err != nil {
		t.Fatal(err)
	}
	z, mean, m := q.Law(), q.MeanN(), q.LimitMean()
	survival := func(n int) float64 { // from above
		sum := 0.0
		for i := len(brute.pmf) - 1; i > n; i-- {
			sum += brute.pmf[i]
		}
		return sum
	}
	for n := range 25 {
		x := c.Gap * float64(n)
		near.Abs(t, fmt.Sprintf("F at %v", x), z.CDF(x+c.Gap/2), 1-survival(n), 1e-12)
		near.Abs(t, fmt.Sprintf("log ratio at %d", n), q.LogRatio(float64(n)), math.Log(survival(n))+x/mean, 1e-13/survival(n))
		for _, share := range []float64{0, 0.3, 1} {
			at := c.Gap * (float64(n) + share)
			near.Abs(t, fmt.Sprintf("F - G at %v", at), q.LimitDifference(float64(n), share), 1-survival(n)+math.Expm1(-at/m), 1e-12)
			want := (survival(n))*(c.Gap*(1-share)) - mean*math.Exp(-at/mean) // the integral from at
			for i := n + 1; i < 80; i++ {
				want += c.Gap * survival(i)
			}
			near.Abs(t, fmt.Sprintf("integrated difference from %v", at), q.IntegratedDifference(at), want, 1e-12)
		}
		for _, to := range []float64{x, x + 2, math.Inf(1)} {
			for _, mean := range []float64{mean, m, 3, -1, math.Inf(1), math.Inf(-1)} {
				want := 0.0
				for i := n; i < len(brute.pmf) && c.Gap*float64(i) < to; i++ {
					want += brute.pmf[i] * math.Exp((c.Gap*float64(i)-1)/mean)
				}
				if math.IsInf(to, 1) && mean > 0 && mean < 1 { // sums too slowly for the brute force
					continue
				}
				near.Abs(t, fmt.Sprintf("tilted by %v from %v to %v", mean, x, to), q.Tilted(mean, 1, x, to), want, 1e-12*math.Exp(max(0, (x+2)/mean)))
			}
		}
	}
}

// TestValuesSmallGap: for M/M/1 the differences have closed forms, to first order in the gap, where the law and its
// limit agree in all digits.
func TestValuesSmallGap(t *testing.T) {
	const gap = 1e-60
	q, err := New(constants(t, jsqlib.Model{Continuous: true, Servers: 1, Gap: gap}), Boundary{P: []float64{1}})
	if err != nil {
		t.Fatal(err)
	}
	near.Rel(t, "E Z - m_N", q.IntegratedDifference(0), -gap/2, 1e-12)
	z := q.Law()
	for _, s := range []float64{0.01, 1, 5} {
		n := s / gap
		near.Rel(t, fmt.Sprintf("F(%v)", s), z.CDF(s), -math.Expm1(-s), 1e-12)
		near.Rel(t, "its quantile", z.Quantile(z.CDF(s)), s, 1e-12)
		// P(Q > n) = (1-gap)^(n+1), and -log(1-gap) = gap + gap^2/2 + ...
		for _, x := range []float64{0, 0.5, 1} {
			near.Rel(t, fmt.Sprintf("(F - G)/gap at %v, share %v", s, x), q.LimitDifference(n, x)/gap, math.Exp(-s)*(s/2+1-x), 1e-12)
		}
		near.Rel(t, "log ratio / gap", q.LogRatio(n)/gap, -1, 1e-12)
		near.Rel(t, "integrated difference", q.IntegratedDifference(s)/gap, -math.Exp(-s)/2, 1e-3)
		near.Rel(t, fmt.Sprintf("E[e^(Z - %v); Z < %v]", s, s), q.Tilted(q.LimitMean(), s, 0, s), s*math.Exp(-s), 1e-12)
		near.Rel(t, fmt.Sprintf("P(Z >= %v)", s), q.Tilted(math.Inf(1), 0, s, math.Inf(1)), math.Exp(-s), 1e-12)
	}
}

// TestValuesFar holds the same for a law that begins far above 0.
func TestValuesFar(t *testing.T) {
	c := constants(t, jsqlib.Model{Servers: 4, Gap: 0.1})
	b, sum := Boundary{300, make([]float64, 200)}, 0.0
	for i := range b.P { // wide enough that no P(Q = n) is negative
		b.P[i] = math.Exp(-math.Pow(float64(i-100)/12, 2) / 2)
		sum += b.P[i]
	}
	for i := range b.P {
		b.P[i] /= sum
	}
	q, err := New(c, b)
	if err != nil {
		t.Fatal(err)
	}
	if q.first() < 200 {
		t.Fatalf("the law begins at %d", q.first())
	}
	mean, m := q.MeanN(), q.LimitMean()
	near.Rel(t, "E Z - m_N", q.IntegratedDifference(0), c.Gap*q.Mean()-mean, 1e-12)
	survival := 1.0
	integral := q.IntegratedDifference(0)
	for n := range 700 {
		x := c.Gap * float64(n)
		near.Abs(t, fmt.Sprintf("integrated difference from %v", x), q.IntegratedDifference(x), integral, 1e-11)
		survival -= q.PMF(n)
		near.Abs(t, fmt.Sprintf("F - G at %d", n), q.LimitDifference(float64(n), 0.5), 1-survival+math.Expm1(-(x+c.Gap/2)/m), 1e-12)
		near.Abs(t, fmt.Sprintf("log ratio at %d", n), q.LogRatio(float64(n)), math.Log(survival)+x/mean, 1e-12/survival)
		near.Abs(t, fmt.Sprintf("F at %d", n), q.Law().CDF(x+c.Gap/2), 1-survival, 1e-12)
		near.Abs(t, fmt.Sprintf("P(Z < %v)", x), q.Tilted(math.Inf(1), 0, 0, x-c.Gap/2), 1-survival-q.PMF(n), 1e-12)
		integral -= c.Gap*survival - mean*(math.Exp(-x/mean)-math.Exp(-(x+c.Gap)/mean))
	}
}
