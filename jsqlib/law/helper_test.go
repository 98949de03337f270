package law

import (
	"math"
	"testing"

	"jsqlab/jsqlib"
)

// chain is what brute force says about a system of one or two queues: the
// stationary law of the truncated chain by power iteration.
type chain struct {
	pmf            []float64 // P(Q = n)
	boundary       Boundary
	boundaryMean   float64 // E[U Q^+]/E U
	boundarySecond float64 // E[U^2]/E U
	joint          map[[2]int]float64
}

// bruteForce iterates the one-slot recursion of one or two queues, each cut at
// size, until the law moves by less than 1e-17 in total.
func bruteForce(t *testing.T, s jsqlib.Model, size int) (jsqlib.Constants, chain) {
	t.Helper()
	c, err := s.Constants()
	if err != nil {
		t.Fatal(err)
	}
	if c.N > 2 || s.Routing != jsqlib.Batch {
		t.Fatalf("brute force of N = %d, %v: want at most 2 queues, batch", c.N, s.Routing)
	}
	type move struct {
		to   int
		q, u int // Q^+, U
		p    float64
	}
	m := size + 1
	index := func(x, y int) int { return x*m + y }
	ysize := size
	if c.N == 1 {
		ysize = 0
		m = 1
	}
	arrivals := c.Arrivals.Power(c.N)
	moves := make([][]move, (size+1)*m)
	for x := 0; x <= size; x++ {
		for y := 0; y <= ysize; y++ {
			for a, pa := range arrivals {
				joins := [][2]int{{a, 0}}
				if c.N == 2 && x == y {
					joins = append(joins, [2]int{0, a})
				} else if c.N == 2 && y < x {
					joins = [][2]int{{0, a}}
				}
				for _, j := range joins {
					for s1, p1 := range c.Service {
						for s2, p2 := range c.Service {
							if c.N == 1 {
								if s2 > 0 {
									break
								}
								p2 = 1
							}
							x1, y1 := x+j[0]-s1, y+j[1]-s2
							if c.N == 1 {
								y1 = 0
							}
							x2, y2 := max(x1, 0), max(y1, 0)
							u := x2 - x1 + y2 - y1
							x2, y2 = min(x2, size), min(y2, ysize)
							moves[index(x, y)] = append(moves[index(x, y)],
								move{index(x2, y2), x2 + y2, u, pa * p1 * p2 / float64(len(joins))})
						}
					}
				}
			}
		}
	}
	now, next := make([]float64, len(moves)), make([]float64, len(moves))
	now[0] = 1
	for range 3000 {
		clear(next)
		for i, p := range now {
			if p > 0 {
				for _, v := range moves[i] {
					next[v.to] += p * v.p
				}
			}
		}
		sum, diff := 0.0, 0.0
		for _, p := range next {
			sum += p
		}
		for i := range next {
			next[i] /= sum
			diff += math.Abs(next[i] - now[i])
		}
		now, next = next, now
		if diff < 1e-17 {
			break
		}
	}
	out := chain{pmf: make([]float64, 2*size+1), joint: map[[2]int]float64{}}
	for i, p := range now {
		out.pmf[i/m+i%m] += p
		for _, v := range moves[i] {
			out.joint[[2]int{v.q, v.u}] += p * v.p
		}
	}
	eu, low, high := 0.0, 0, 0
	for k, p := range out.joint {
		if q, u := k[0], k[1]; u > 0 {
			eu += p * float64(u)
			low, high = min(low, q-u+1), max(high, q)
		}
	}
	b := Boundary{Min: low, P: make([]float64, high-low+1)}
	for k, p := range out.joint {
		q, u := k[0], k[1]
		out.boundaryMean += p * float64(u*q) / eu
		out.boundarySecond += p * float64(u*u) / eu
		for j := range u {
			b.P[q-j-low] += p / eu
		}
	}
	out.boundary = b
	if math.Abs(eu-c.Eps) > 1e-12 {
		t.Fatalf("E U = %.15g, want eps = %v", eu, c.Eps)
	}
	return c, out
}

func constants(t testing.TB, s jsqlib.Model) jsqlib.Constants {
	t.Helper()
	c, err := s.Constants()
	if err != nil {
		t.Fatal(err)
	}
	return c
}
