package limit_test

import (
	"fmt"

	"jsqlab/jsqlib/limit"
)

// The limit of N^(-alpha) Q for Binomial(2, 1/2) arrivals and services: m = 1/2.
func Example() {
	z, err := limit.NewExponential(0.5)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("P(Z > 1) = %.6f\n", z.Survival(1))
	fmt.Printf("median   = %.6f\n", z.Quantile(0.5))
	fmt.Printf("E[Z; Z <= 1e-9] = %.6g\n", z.PartialMean(1e-9))
	// Output:
	// P(Z > 1) = 0.135335
	// median   = 0.346574
	// E[Z; Z <= 1e-9] = 1e-18
}

// The limit of N^(-alpha) (Q - N) for 1/2 < alpha < 1 in continuous time.
func ExampleGamma() {
	z := limit.Gamma{Shape: 2, Rate: 1}
	fmt.Printf("mean %.0f, median %.6f\n", z.Mean(), z.Quantile(0.5))
	// Output:
	// mean 2, median 1.678347
}

// The limit of Q/N in continuous time with 1 - lambda = 1/N.
func ExampleNDS() {
	z, err := limit.NewNDS(1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mean %.6f, median %.6f, P(X < 2) = %.6f\n", z.Mean(), z.Quantile(0.5), z.CDF(2))
	// Output:
	// mean 2.238406, median 1.952495, P(X < 2) = 0.523188
}
