package wasserstein_test

import (
	"context"
	"fmt"
	"math"

	"jsqlab/jsqlib/limit"
	"jsqlab/jsqlib/wasserstein"
)

func Example() {
	x := wasserstein.Sample{Points: []float64{3, 0, 1}}
	y := wasserstein.Sample{Points: []float64{5, 6, 8}}
	d, err := wasserstein.W1(x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", d)
	x.Weights = []float64{1, 1, -1}
	_, err = wasserstein.W1(x, y)
	fmt.Println(err)
	// Output:
	// 5.0000
	// wasserstein: weight 2 of x = -1: want 0 <= weight < Inf
}

// A point mass at c: W1(c, Exp(m)) = c - m + 2 m e^(-c/m).
func ExampleW1Law() {
	c, m := 0.3, 0.5
	d, err := wasserstein.W1Law(wasserstein.Sample{Points: []float64{c}}, limit.Exponential{Mean: m})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.10f\n%.10f\n", d, c-m+2*m*math.Exp(-c/m))
	// Output:
	// 0.3488116361
	// 0.3488116361
}

func ExampleWp() {
	d, err := wasserstein.Wp(2, wasserstein.Sample{Points: []float64{0, 2}}, wasserstein.Sample{Points: []float64{5, 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.6f\n", d) // sqrt((1 + 9)/2)
	// Output:
	// 2.236068
}

// How far 1000 independent points of Exp(1/2) are from Exp(1/2).
func ExampleNull() {
	law := limit.Exponential{Mean: 0.5}
	d, err := wasserstein.Null(context.Background(), 1000, law, wasserstein.NullOptions{Reps: 2000, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("E W1 = %.3f, asymptotically %.3f\n", d.Mean, wasserstein.NoiseFloor(1000, 0.5))
	fmt.Printf("W1 = 0.1 is noise: p = %.4f\n", d.PValue(0.1))
	// Output:
	// E W1 = 0.020, asymptotically 0.020
	// W1 = 0.1 is noise: p = 0.0005
}
