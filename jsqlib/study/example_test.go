package study_test

import (
	"context"
	"fmt"
	"math"
	"os"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/study"
)

// A sweep in two shards, its table, and the rate.
func Example() {
	dir, err := os.MkdirTemp("", "sweep")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	g := study.Grid{Servers: []int{8, 16, 32}, Alpha: []float64{3}, RelError: 0.05, Seed: 1}
	for i := range 2 {
		sum, err := study.Sweep(context.Background(), dir, g, study.Options{Shard: study.Shard{Index: i, Count: 2}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("shard %d: %d of %d tasks\n", i, sum.Now, sum.Planned)
	}
	rows, err := study.Merge(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range rows {
		fmt.Printf("N = %2d: W1 = %.2f\n", r.Servers, r.Wasserstein.Value)
	}
	series, err := study.Rates(rows)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("slope %.1f, to compare with %s = %g\n", series[0].Top.Slope.Value, series[0].Lines[0].Name, series[0].Lines[0].Slope)
	// Output:
	// shard 0: 2 of 3 tasks
	// shard 1: 1 of 3 tasks
	// N =  8: W1 = 0.06
	// N = 16: W1 = 0.03
	// N = 32: W1 = 0.02
	// slope -1.0, to compare with 2 - alpha = -1
}

func ExampleFitRate() {
	var points []study.Point
	for _, n := range []int{10, 100, 1000} {
		w := 0.5 / float64(n)
		points = append(points, study.Point{N: n, Y: jsqlib.Estimate{Value: w, StdErr: 0.01 * w}})
	}
	r, err := study.FitRate(points)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("slope %.3f +- %.3f, constant %.3f\n", r.Slope.Value, r.Slope.HalfWidth(), math.Exp(r.Intercept.Value))
	// Output:
	// slope -1.000 +- 0.006, constant 0.500
}

func ExampleExtrapolate() {
	var points []study.Point
	for _, n := range []int{25, 100, 400, 1600} {
		y := 1.28 - 1/math.Sqrt(float64(n)) + 0.5/float64(n)
		points = append(points, study.Point{N: n, Y: jsqlib.Estimate{Value: y, StdErr: 0.001}})
	}
	e, err := study.Extrapolate(points)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("at N = 1600: %.3f, limit %.3f +- %.3f\n", points[3].Y.Value, e.Limit.Value, e.Limit.HalfWidth())
	// Output:
	// at N = 1600: 1.255, limit 1.280 +- 0.003
}

func ExampleMerge() {
	_, err := study.Merge("nowhere")
	fmt.Println(err)
	// Output:
	// study: nowhere: no sweep: no such directory: want the directory of a sweep
}
