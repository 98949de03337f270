package law_test

import (
	"fmt"
	"log"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/law"
)

// One server that completes exactly one job per slot, Binomial(2, 1/2) arrivals
// thinned by a gap of 1e-18. Service is unused only in an empty system, so that
// Q~ = 0.
func Example() {
	c, err := jsqlib.Model{Servers: 1, Gap: 1e-18, Service: jsqlib.PMF{0, 1}}.Constants()
	if err != nil {
		log.Fatal(err)
	}
	q, err := law.New(c, law.Boundary{Min: 0, P: []float64{1}})
	if err != nil {
		log.Fatal(err)
	}
	w, err := q.W1ToLimit()
	if err != nil {
		log.Fatal(err)
	}
	cert, err := q.Kernel().Certificate(0, 1) // E[U Q+]/E U = 0, E[U^2]/E U = 1
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("E Z      = %.4f, limit %.4f\n", q.Scale()*q.Mean(), q.LimitMean())
	fmt.Printf("P(Q = 0) = %.4g\n", q.PMF(0))
	fmt.Printf("W1       = %.4g, between %.4g and %.4g\n", w, cert.LimitLow, cert.LimitHigh)
	// Output:
	// E Z      = 0.2500, limit 0.2500
	// P(Q = 0) = 4e-18
	// W1       = 5e-19, between 5e-19 and 1.167e-18
}

func ExampleNew_continuous() {
	c, err := jsqlib.Model{Continuous: true, Servers: 1, Gap: 1e-20}.Constants()
	if err != nil {
		log.Fatal(err)
	}
	q, err := law.New(c, law.Boundary{P: []float64{1}}) // M/M/1
	if err != nil {
		log.Fatal(err)
	}
	w, err := q.W1ToLimit()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("W1((1-rho) Q, Exp(1)) = %.6g\n", w)
	// Output:
	// W1((1-rho) Q, Exp(1)) = 1e-20
}
