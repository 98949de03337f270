package bound_test

import (
	"context"
	"fmt"
	"log"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/bound"
	"jsqlab/jsqlib/exact"
	"jsqlab/jsqlib/law"
	"jsqlab/jsqlib/record"
	"jsqlab/jsqlib/sim"
)

// The ladder: lower certificate <= W1 <= Stein with the measured boundary term <= Stein with
// the Hölder step and explicit constants.
func Example() {
	s := jsqlib.Model{Servers: 64, Alpha: 6}
	d, err := record.Distance(context.Background(), s, sim.BoundaryOptions{Options: sim.Options{RelError: 0.02}})
	if err != nil {
		log.Fatal(err)
	}
	a, err := bound.New(s)
	if err != nil {
		log.Fatal(err)
	}
	best, err := a.Best()
	if err != nil {
		log.Fatal(err)
	}
	paper, err := a.Paper()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.CertificateLow <= d.W1.Value, d.W1.Value <= d.CertificateHigh,
		d.CertificateHigh <= best.LimitStein, best.LimitStein <= paper.LimitStein)
	fmt.Printf("W1 is about %.1g, the bounds are %.2g (r = %d) and %.2g (r = %d)\n",
		d.W1.Value, best.LimitStein, best.R, paper.LimitStein, paper.R)
	fmt.Println("above m, and so without content:", paper.Vacuous())
	// Output:
	// true true true true
	// W1 is about 3e-08, the bounds are 0.0012 (r = 24) and 0.0022 (r = 25)
	// above m, and so without content: false
}

func ExampleDrift_Line() {
	s := jsqlib.Model{Servers: 2, Gap: 0.1}
	d, err := bound.NewDrift(s)
	if err != nil {
		log.Fatal(err)
	}
	for _, q := range [][]int64{{0, 3}, {9, 12}, {0, 100}} {
		drift, err := exact.MeanDrift(s, q)
		if err != nil {
			log.Fatal(err)
		}
		l := float64(q[1]-q[0]) / 1.4142135623730951
		fmt.Printf("q = %v: drift %.3f <= %.3f\n", q, drift, d.Line(l))
	}
	// Output:
	// q = [0 3]: drift -1.190 <= -0.656
	// q = [9 12]: drift -1.072 <= -0.656
	// q = [0 100]: drift -1.390 <= -1.254
}

func ExampleDrift_MomentRoot() {
	d, err := bound.NewDrift(jsqlib.Model{Servers: 3, Alpha: 5})
	if err != nil {
		log.Fatal(err)
	}
	saturated, err := exact.NewSaturated(context.Background(), jsqlib.Model{Servers: 3, Alpha: 5})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range []int{2, 8} {
		m, err := d.MomentRoot(r)
		if err != nil {
			log.Fatal(err)
		}
		best, err := d.Optimised(r)
		if err != nil {
			log.Fatal(err)
		}
		b, err := best.MomentRoot(r)
		if err != nil {
			log.Fatal(err)
		}
		truth, err := saturated.MomentRoot(r)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("r = %d: %.3f <= %.1f (eta optimised) <= %.1f (textbook)\n", r, truth, b, m)
	}
	// Output:
	// r = 2: 2.287 <= 140.0 (eta optimised) <= 213.1 (textbook)
	// r = 8: 3.224 <= 335.5 (eta optimised) <= 567.4 (textbook)
}

// Each error term of Stein's method beside its bound.
func ExampleNewTerms() {
	s := jsqlib.Model{Servers: 1, Gap: 1e-6, Service: jsqlib.PMF{0, 1}}
	c, err := s.Constants()
	if err != nil {
		log.Fatal(err)
	}
	b := law.Boundary{P: []float64{1}} // one server of one job a slot: Q~ = 0
	t, err := law.New(c, b)
	if err != nil {
		log.Fatal(err)
	}
	x, err := bound.NewTerms(c, t, b, bound.Distance(c.MeanN))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("error %.3g\n", x.Error)
	fmt.Printf("drift %.3g, at most %.3g\n", x.Drift.Value, x.Drift.Bound)
	fmt.Printf("boundary %.3g, at most %.3g\n", x.Boundary.Value, x.Boundary.Bound)
	fmt.Printf("remainder %.3g, at most %.3g\n", x.Remainder.Value, x.Remainder.Bound)
	// Output:
	// error 1.32e-07
	// drift 2.36e-13, at most 5e-13
	// boundary 1.32e-07, at most 5e-07
	// remainder -2.45e-13, at most 6.67e-07
}

func ExampleNewStein() {
	f, err := bound.NewStein(0.5, bound.Capped(1))
	if err != nil {
		log.Fatal(err)
	}
	for _, x := range []float64{0.25, 0.5, 1} {
		fmt.Printf("x = %.2f: f' = %.4f, f'' = %.4f, f''' = %.4f\n", x, f.Prime(x), f.Second(x), f.Third(x))
	}
	// Output:
	// x = 0.25: f' = -0.2061, f'' = -0.7769, f''' = 0.4463
	// x = 0.50: f' = -0.3837, f'' = -0.6321, f''' = 0.7358
	// x = 1.00: f' = -0.5677, f'' = 0.0000, f''' = 0.0000
}

func ExampleNewLaplace() {
	s := jsqlib.Model{Servers: 1, Gap: 1e-9, Service: jsqlib.PMF{0, 1}}
	c, err := s.Constants()
	if err != nil {
		log.Fatal(err)
	}
	b := law.Boundary{P: []float64{1}}
	t, err := law.New(c, b)
	if err != nil {
		log.Fatal(err)
	}
	l, err := bound.NewLaplace(c, t, b, 4)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("sides %.6g, %.6g\n", l.Left, l.Right)
	fmt.Printf("E e^(-theta Z) = %.6f, limit %.6f, error %.3g\n", l.Transform, l.Limit, l.Error)
	// Output:
	// sides -4e-18, -4e-18
	// E e^(-theta Z) = 0.500000, limit 0.500000, error 1e-09
}
