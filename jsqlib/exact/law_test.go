package exact_test

import (
	"fmt"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/near"
	"jsqlab/jsqlib/law"
)

// The law of the total that package law builds from the boundary law is the one
// the chain has below the ceiling, and has the mean of the identity. Neither
// shares code with the other.
func TestLawOfTotal(t *testing.T) {
	systems := []jsqlib.Model{
		{Servers: 2, Alpha: 1},
		{Servers: 3, Gap: 0.01},
		{Servers: 3, Gap: 1e-60},
		{Servers: 3, Gap: 0.01, Routing: jsqlib.Job},
		{Servers: 2, Gap: 0.05, Service: jsqlib.PMF{0.5, 0.2, 0.1, 0.2}},
		{Servers: 3, Gap: 0.1, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 2}},
	}
	if testing.Short() {
		systems[5].Gap = 0.5 // seconds at 0.1
	}
	for _, sys := range systems {
		c, err := sys.Constants()
		if err != nil {
			t.Fatal(err)
		}
		r := solve(t, sys, 1e-10)
		total, err := law.New(c, law.Boundary{Min: r.Boundary.Min, P: r.Boundary.P})
		if err != nil {
			t.Fatal(err)
		}
		near.Abs(t, fmt.Sprint(sys, ": E Q"), total.Mean()/r.MeanTotal, 1, 1e-10)
		for n, p := range r.TotalLaw[:3*sys.Servers] {
			near.Abs(t, fmt.Sprintf("%v: P(Q = %d), relative", sys, n), total.PMF(n)/p, 1, 1e-8)
		}
	}
}

// W1 of (1 - lambda) Q against Exp(1), values found by brute force elsewhere.
func TestWassersteinOfLaw(t *testing.T) {
	for _, c := range []struct {
		servers   int
		alpha, w1 float64
	}{{2, 2, 0.1125284}, {3, 2, 0.089949558}, {3, 4.1, 0.012030762}} {
		sys := jsqlib.Model{Continuous: true, Servers: c.servers, Alpha: c.alpha}
		k, err := sys.Constants()
		if err != nil {
			t.Fatal(err)
		}
		r := solve(t, sys, 1e-10)
		total, err := law.New(k, law.Boundary{Min: r.Boundary.Min, P: r.Boundary.P})
		if err != nil {
			t.Fatal(err)
		}
		w, err := total.W1ToLimit()
		if err != nil {
			t.Fatal(err)
		}
		near.Abs(t, fmt.Sprintf("N = %d, alpha = %v: W1", c.servers, c.alpha), w, c.w1, 6e-8)
	}
}
