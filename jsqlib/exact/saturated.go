package exact

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/reps"
)

// Saturated is the stationary law of L = ||q_perp||_2 while no service is unused, for two or three
// servers. It is the law of L far above the boundary, and the stationary law of L tends to it as
// the gap closes. Every inequality for L holds for it too, because the drift bound does not use
// that service is unused.
type Saturated struct {
	l, p []float64 // values of L, increasing, and their probabilities
}

const (
	maxSaturatedWork   = 100_000_000 // state transitions of a sweep
	maxSaturatedSweeps = 20_000
	saturatedTolerance = 1e-14
)

// NewSaturated returns the law for a system in discrete time under JSQ, to about 1e-13 in total
// variation. It solves the chain of the differences, whose transitions are those of a slot without
// the floor at 0, by iteration from equal queues. Differences above a bound are cut, and the bound
// is doubled until it does not matter. The gap enters through the thinning of the arrivals only.
//
// It fails with [*jsqlib.Invalid] for N other than 2 and 3, a policy other than JSQ and pmfs
// with too many values, as [jsqlib.Model.Constants] does, and with the error of ctx. If only
// thinning breaks the parity of a difference (deterministic arrivals and services of 0 or 2), the
// chain mixes in 1/gap slots and is refused. Below a gap of 1e-15 the parity of equal queues
// lasts, and the law is that of even differences.
func NewSaturated(ctx context.Context, s jsqlib.Model) (*Saturated, error) {
	if err := reps.Context("exact", ctx); err != nil {
		return nil, err
	}
	c, err := slotsOfJSQ(s)
	if err != nil {
		return nil, err
	}
	if c.N < 2 || c.N > 3 {
		return nil, jsqlib.Refuse("exact", "servers", c.N, "2 or 3 servers (sim.MeasureCollapse takes more)")
	}
	batch := c.Arrivals.Power(c.N)
	outcomes := len(batch) * int(math.Pow(float64(len(c.Service)), float64(c.N)))
	for top := 4 * (c.N*c.AMax + c.SMax); ; top *= 2 {
		states := int(math.Pow(float64(top+1), float64(c.N-1)))
		if float64(states)*float64(outcomes) > maxSaturatedWork {
			return nil, jsqlib.Refuse("exact", "arrivals", fmt.Sprintf("pmfs with %d outcomes of a slot", outcomes), "fewer outcomes (sim.MeasureCollapse takes any)")
		}
		chain := &differences{n: c.N, top: int64(top), routing: s.Routing, batch: batch, service: c.Service}
		pi, cut, err := chain.solve(ctx, states)
		if err != nil {
			return nil, err
		}
		if cut < saturatedTolerance {
			return chain.law(pi), nil
		}
	}
}

// differences is the chain of q - min q, sorted from the longest: index d_1 for N = 2 and
// d_1 (top+1) + d_2 for N = 3.
type differences struct {
	n              int
	top            int64
	routing        jsqlib.Routing
	batch, service jsqlib.PMF
}

// solve returns the stationary law and the probability of a cut.
func (d *differences) solve(ctx context.Context, states int) (pi []float64, cut float64, err error) {
	pi = make([]float64, states)
	next := make([]float64, states)
	pi[0] = 1
	q, joined := make([]int64, d.n), make([]int64, d.n)
	for range maxSaturatedSweeps {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		clear(next)
		cut = 0
		for i, mass := range pi {
			if mass < 1e-30 {
				next[i] += mass
				continue
			}
			d.state(i, q)
			for a, p := range d.batch {
				if p == 0 {
					continue
				}
				copy(joined, q)
				d.routing.Join(joined, int64(a))
				cut += d.serve(next, joined, 0, mass*p)
			}
		}
		change, total := 0.0, reps.Total(next)
		for i := range pi {
			x := next[i] / total
			change += math.Abs(x - pi[i])
			pi[i] = (pi[i] + x) / 2 // half a step, for chains with a period
		}
		if change < saturatedTolerance {
			return pi, cut, nil
		}
	}
	return nil, 0, jsqlib.Refuse("exact", "arrivals", "pmfs under which the differences mix too slowly", "laws that do not nearly keep the parity of a difference")
}

// serve adds the mass to the states that follow when servers i, i+1, ... are still to serve.
func (d *differences) serve(next []float64, q []int64, i int, mass float64) (cut float64) {
	if i == d.n {
		at, beyond := d.index(q)
		next[at] += mass
		if beyond {
			return mass
		}
		return 0
	}
	before := q[i]
	for s, p := range d.service {
		if p > 0 {
			q[i] = before - int64(s)
			cut += d.serve(next, q, i+1, mass*p)
		}
	}
	q[i] = before
	return cut
}

// index is the state of the queues, cut at top.
func (d *differences) index(q []int64) (i int, beyond bool) {
	if d.n == 2 {
		x := max(q[0]-q[1], q[1]-q[0])
		return int(min(x, d.top)), x > d.top
	}
	low := min(q[0], q[1], q[2])
	high := max(q[0], q[1], q[2])
	x, y := high-low, q[0]+q[1]+q[2]-high-2*low
	return int(min(x, d.top)*(d.top+1) + min(y, d.top)), x > d.top
}

func (d *differences) state(i int, q []int64) {
	if d.n == 2 {
		q[0], q[1] = int64(i), 0
		return
	}
	q[0], q[1], q[2] = int64(i)/(d.top+1), int64(i)%(d.top+1), 0
}

// law collects the states by L.
func (d *differences) law(pi []float64) *Saturated {
	byNorm := map[int64]float64{} // N L^2, a whole number
	q := make([]int64, d.n)
	for i, p := range pi {
		if p == 0 {
			continue
		}
		d.state(i, q)
		s1, s2 := int64(0), int64(0)
		for _, x := range q {
			s1 += x
			s2 += x * x
		}
		byNorm[int64(d.n)*s2-s1*s1] += p
	}
	out := &Saturated{}
	for _, k := range slices.Sorted(maps.Keys(byNorm)) {
		out.l = append(out.l, math.Sqrt(float64(k)/float64(d.n)))
		out.p = append(out.p, byNorm[k])
	}
	return out
}

// MomentRoot returns (E L^r)^(1/r), in jobs. It fails with [*jsqlib.Invalid] for
// r < 1.
func (s *Saturated) MomentRoot(r int) (float64, error) {
	if r < 1 {
		return 0, jsqlib.Refuse("exact", "r", r, "r >= 1")
	}
	if len(s.l) == 0 {
		return 0, jsqlib.Refuse("exact", "s", "Saturated{}", "the law of NewSaturated")
	}
	top := s.l[len(s.l)-1]
	if top == 0 {
		return 0, nil
	}
	sum := 0.0
	for i, l := range s.l {
		sum += s.p[i] * math.Pow(l/top, float64(r))
	}
	return top * math.Pow(sum, 1/float64(r)), nil
}

// Tail returns P(L > x), to about 1e-13.
func (s *Saturated) Tail(x float64) float64 {
	sum := 0.0
	for i := len(s.l) - 1; i >= 0 && s.l[i] > x; i-- {
		sum += s.p[i]
	}
	return sum
}
