package wasserstein

import (
	"cmp"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"jsqlab/jsqlib/internal/near"
)

// TestW1LargeSamples holds W1 of many points against the same sum in 200 bits.
// The rounding of 10^5 additions must not add up.
func TestW1LargeSamples(t *testing.T) {
	const n = 100_000
	rng := rand.New(rand.NewPCG(5, 6))
	draw := func(n int, f func() float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = f()
		}
		return x
	}
	x, y := draw(n, rng.ExpFloat64), draw(n, func() float64 { return 1.01 * rng.ExpFloat64() })
	xw, yw := draw(n, rng.Float64), draw(n, rng.Float64)
	for name, c := range map[string]struct{ x, xw, y, yw []float64 }{
		"equal sizes":   {x, nil, y, nil},
		"unequal sizes": {x, nil, y[:n-n/10], nil},
		"weighted":      {x, xw, y, yw},
	} {
		got, err := W1(of(c.x, c.xw), of(c.y, c.yw))
		if err != nil {
			t.Fatal(err)
		}
		near.Rel(t, name, got, w1Big(c.x, c.xw, c.y, c.yw), 1e-12)
	}
}

// w1Big is the definition of W1, summed over the sorted points of both samples.
func w1Big(x, xw, y, yw []float64) float64 {
	exact := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
	type step struct {
		at     float64
		sample int
		weight float64
	}
	var steps []step
	total := [2]*big.Float{exact(0), exact(0)}
	for k, s := range [2]struct{ x, w []float64 }{{x, xw}, {y, yw}} {
		for i, at := range s.x {
			weight := 1.
			if s.w != nil {
				weight = s.w[i]
			}
			steps = append(steps, step{at, k, weight})
			total[k].Add(total[k], exact(weight))
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	level, area, d, other := [2]*big.Float{exact(0), exact(0)}, exact(0), exact(0), exact(0)
	for i, s := range steps[:len(steps)-1] {
		level[s.sample].Add(level[s.sample], exact(s.weight))
		d.Mul(level[0], total[1])
		d.Sub(d, other.Mul(level[1], total[0])).Abs(d)
		area.Add(area, d.Mul(d, other.Sub(exact(steps[i+1].at), exact(s.at))))
	}
	v, _ := area.Quo(area, total[0].Mul(total[0], total[1])).Float64()
	return v
}
