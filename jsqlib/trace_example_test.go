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
	fmt.Printf("%d slots pooled, %.3f kept: mean %.3f, variance %.2f\n", r.Pool, r.Keep, p.Mean(), p.Variance())
	fmt.Printf("correlation %.2f at lag 1; long-run variance %.1f\n", r.Autocorrelation[0], r.LongRunVariance)
	fmt.Println(len(r.Warnings()), "warnings")
	// Output:
	// 2 slots pooled, 0.623 kept: mean 1.000, variance 1.68
	// correlation 0.40 at lag 1; long-run variance 8.1
	// 3 warnings
}
