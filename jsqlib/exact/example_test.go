package exact_test

import (
	"context"
	"fmt"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/exact"
)

func Example() {
	// The gap 1 - load = 2^(-20): one independent sample of the total takes
	// 10^12 mean services, the boundary law a millisecond.
	r, err := exact.Solve(context.Background(), jsqlib.Model{Continuous: true, Servers: 2, Alpha: 20}, exact.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("E Q~ = %.8f\n", r.QtildeMean)
	fmt.Printf("E Q = %.6f\n", r.MeanTotal)
	fmt.Println("within 1e-9:", r.Qtilde.High-r.Qtilde.Low < 2e-9)
	// Output:
	// E Q~ = 0.99999850
	// E Q = 1048575.999999
	// within 1e-9: true
}

func ExampleSolve() {
	// The reference system: Binomial(2, 1/2) arrivals and services, the whole
	// batch of a slot to one shortest queue.
	r, err := exact.Solve(context.Background(), jsqlib.Model{Servers: 2, Alpha: 1}, exact.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("E Q = %.8f\n", r.MeanTotal)
	fmt.Printf("E[U Q+]/E U = %.8f\n", r.BoundaryMean)
	fmt.Printf("E ||q_perp||^2 = %.8f\n", r.PerpSecondMoment)
	// Output:
	// E Q = 0.76849993
	// E[U Q+]/E U = 0.35222263
	// E ||q_perp||^2 = 0.45672063
}
