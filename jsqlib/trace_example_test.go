package jsqlib_test

import (
	"fmt"
	"math/rand/v2"

	"jsqlab/jsqlib"
)

// Arrivals that come in bursts: over many slots they vary more than independent
// counts would, and heavy traffic sees that.
func ExampleFromTrace() {
	rng := rand.New(rand.NewPCG(1, 1))
	counts := make([]int, 5000)
	burst := false
	for i := range counts {
		if rng.IntN(20) == 0 {
			burst = !burst
		}
		if burst {
			counts[i] = rng.IntN(4)
		}
	}
	p, r, err := jsqlib.FromTrace("arrivals", counts)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d or %d slots pooled: mean %.3f, variance %.2f\n", r.Pool, r.Pool+1, p.Mean(), p.Variance())
	fmt.Printf("correlation %.2f at lag 1; long-run variance %.1f\n", r.Autocorrelation[0], r.LongRunVariance)
	fmt.Println(len(r.Warnings()), "warnings")
	// Output:
	// 1 or 2 slots pooled: mean 1.000, variance 1.86
	// correlation 0.40 at lag 1; long-run variance 12.5
	// 3 warnings
}
