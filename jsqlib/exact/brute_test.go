package exact_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/near"
)

// brute is the unreduced chain on {0, ..., top}^N, queues in order, solved as
// one dense linear system. Jobs beyond top are dropped, so that it is good when
// queues hardly ever get there.
type brute struct {
	servers, top int
	pi           []float64
}

func (b *brute) states() int {
	n := 1
	for range b.servers {
		n *= b.top + 1
	}
	return n
}

func (b *brute) queues(state int) []int64 {
	q := make([]int64, b.servers)
	for i := range q {
		q[i] = int64(state % (b.top + 1))
		state /= b.top + 1
	}
	return q
}

func (b *brute) state(q []int64) int {
	s := 0
	for i := len(q) - 1; i >= 0; i-- {
		s = s*(b.top+1) + int(min(q[i], int64(b.top)))
	}
	return s
}

// solve sets pi from step, which calls move with the states after q and their
// probabilities.
func (b *brute) solve(t *testing.T, step func(q []int64, move func(next []int64, p float64))) {
	t.Helper()
	n := b.states()
	a := mat.NewDense(n, n, nil)
	for i := range n {
		a.Set(i, i, a.At(i, i)-1)
		step(b.queues(i), func(next []int64, p float64) {
			j := b.state(next)
			a.Set(j, i, a.At(j, i)+p)
		})
	}
	rhs := mat.NewVecDense(n, nil)
	for j := range n {
		a.Set(0, j, 1)
	}
	rhs.SetVec(0, 1)
	var x mat.VecDense
	if err := x.SolveVec(a, rhs); err != nil {
		t.Fatal(err)
	}
	b.pi = x.RawVector().Data
}

func (b *brute) mean(f func(q []int64) float64) float64 {
	m := 0.0
	for i, p := range b.pi {
		m += p * f(b.queues(i))
	}
	return m
}

// shortest calls do with each server a job may join under power of d and its
// probability: d of the servers sampled, ties at random.
func shortest(q []int64, p jsqlib.Policy, do func(server int, p float64)) {
	n, d := len(q), p.Choices
	if d == 0 {
		d = n
	}
	// all d-tuples of servers, those with a server twice only with replacement
	subsets := [][]int{nil}
	for range d {
		var longer [][]int
		for _, s := range subsets {
			for i := range n {
				if p.Rule == jsqlib.PodReplacement || !slices.Contains(s, i) {
					longer = append(longer, append(slices.Clone(s), i))
				}
			}
		}
		subsets = longer
	}
	for _, s := range subsets {
		var best []int
		for _, i := range s {
			if len(best) == 0 || q[i] < q[best[0]] {
				best = []int{i}
			} else if q[i] == q[best[0]] {
				best = append(best, i)
			}
		}
		for _, i := range best {
			do(i, 1/float64(len(subsets)*len(best)))
		}
	}
}

func with(q []int64, i int, d int64) []int64 {
	x := append([]int64(nil), q...)
	x[i] += d
	return x
}

func TestBruteForceCT(t *testing.T) {
	for _, c := range []struct {
		sys jsqlib.Model
		top int
	}{
		{jsqlib.Model{Continuous: true, Servers: 2, Gap: 0.6}, 20},
		{jsqlib.Model{Continuous: true, Servers: 3, Gap: 0.8}, 8},
		{jsqlib.Model{Continuous: true, Servers: 3, Gap: 0.9, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 2}}, 8},
		{jsqlib.Model{Continuous: true, Servers: 2, Gap: 0.7, Policy: jsqlib.Policy{Rule: jsqlib.PodReplacement, Choices: 2}}, 20},
		{jsqlib.Model{Continuous: true, Servers: 3, Gap: 0.9, Policy: jsqlib.Policy{Rule: jsqlib.PodReplacement, Choices: 3}}, 8},
	} {
		n, load := c.sys.Servers, 1-c.sys.Gap
		b := &brute{servers: n, top: c.top}
		b.solve(t, func(q []int64, move func([]int64, float64)) {
			shortest(q, c.sys.Policy, func(i int, p float64) { move(with(q, i, 1), p*load/(1+load)) })
			for i, x := range q {
				move(with(q, i, -min(x, 1)), 1/(1+load)/float64(n))
			}
		})
		r := solve(t, c.sys, 1e-11)
		idle := func(q []int64) float64 {
			k := 0.0
			for _, x := range q {
				if x == 0 {
					k++
				}
			}
			return k
		}
		total := func(q []int64) float64 { return float64(jsqlib.Total(q)) }
		ei := b.mean(idle)
		near.Abs(t, fmt.Sprint(c.sys, ": E I"), ei, float64(n)*c.sys.Gap, 1e-9)
		near.Abs(t, fmt.Sprint(c.sys, ": E Q"), r.MeanTotal, b.mean(total), 2e-9)
		near.Abs(t, fmt.Sprint(c.sys, ": E Q~"), r.QtildeMean, b.mean(func(q []int64) float64 { return idle(q) * total(q) })/ei, 2e-9)
		near.Abs(t, fmt.Sprint(c.sys, ": E ||q_perp||^2"), r.PerpSecondMoment, b.mean(jsqlib.PerpNorm2), 2e-9)
		for k := range n + 2 {
			at := func(q []int64) float64 { return b2f(jsqlib.Total(q) == int64(k)) }
			near.Abs(t, fmt.Sprint(c.sys, ": P(Q = ", k, ")"), r.TotalLaw[k], b.mean(at), 1e-10)
			near.Abs(t, fmt.Sprint(c.sys, ": P(Q~ = ", k, ")"), r.Boundary.P[k], b.mean(func(q []int64) float64 { return idle(q) * at(q) })/ei, 1e-9)
		}
	}
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func TestBruteForceDT(t *testing.T) {
	type small struct {
		sys jsqlib.Model
		top int
	}
	all := []small{
		{jsqlib.Model{Servers: 2, Gap: 0.5}, 26},
		{jsqlib.Model{Servers: 2, Gap: 0.5, Routing: jsqlib.Job}, 22},
		{jsqlib.Model{Servers: 3, Gap: 0.85}, 9},
		{jsqlib.Model{Servers: 3, Gap: 0.85, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 2}}, 9},
		{jsqlib.Model{Servers: 2, Gap: 0.6, Policy: jsqlib.Policy{Rule: jsqlib.PodReplacement, Choices: 2}}, 24},
		{jsqlib.Model{Servers: 2, Gap: 0.6, Service: jsqlib.PMF{0, 1}}, 24},
		{jsqlib.Model{Servers: 2, Gap: 0.6, Arrivals: jsqlib.PMF{0, 1}, Service: jsqlib.PMF{0.5, 0.2, 0.1, 0.2}}, 24},
		{jsqlib.Model{Servers: 2, Gap: 0.7, Routing: jsqlib.Job, Policy: jsqlib.Policy{Rule: jsqlib.PodReplacement, Choices: 2}}, 18},
	}
	if !testing.Short() { // seconds each
		all = append(all,
			small{jsqlib.Model{Servers: 3, Gap: 0.8, Arrivals: jsqlib.PMF{0, 1}, Routing: jsqlib.Job, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 2}}, 8},
			small{jsqlib.Model{Servers: 3, Gap: 0.85, Arrivals: jsqlib.PMF{0, 1}, Routing: jsqlib.Job, Policy: jsqlib.Policy{Rule: jsqlib.PodReplacement, Choices: 2}}, 8})
	}
	for _, c := range all {
		n := c.sys.Servers
		k, err := c.sys.Constants()
		if err != nil {
			t.Fatal(err)
		}
		batch := k.Arrivals.Power(n)
		// outcomes lists every slot from q.
		var route func(q, in []int64, left int, p float64, do func(in []int64, p float64))
		route = func(q, in []int64, left int, p float64, do func([]int64, float64)) {
			if left == 0 {
				do(in, p)
				return
			}
			jobs := left
			if c.sys.Routing == jsqlib.Job {
				jobs = 1
			}
			seen := make([]int64, n)
			for i := range seen {
				seen[i] = q[i] + in[i]
			}
			shortest(seen, c.sys.Policy, func(i int, pi float64) { route(q, with(in, i, int64(jobs)), left-jobs, p*pi, do) })
		}
		outcomes := func(q []int64, do func(s jsqlib.Slot, p float64)) {
			for a, pa := range batch {
				route(q, make([]int64, n), a, pa, func(in []int64, p float64) {
					service := make([]int64, n)
					var serve func(i int, p float64)
					serve = func(i int, p float64) {
						if i == n {
							do(jsqlib.Serve(q, in, service), p)
							return
						}
						for x, px := range k.Service {
							if px > 0 {
								service[i] = int64(x)
								serve(i+1, p*px)
							}
						}
					}
					serve(0, p)
				})
			}
		}
		b := &brute{servers: n, top: c.top}
		b.solve(t, func(q []int64, move func([]int64, float64)) {
			outcomes(q, func(s jsqlib.Slot, p float64) { move(s.After, p) })
		})
		var u, uq, uu float64
		qtilde := map[int]float64{}
		for i, pi := range b.pi {
			if pi < 1e-16 {
				continue
			}
			outcomes(b.queues(i), func(s jsqlib.Slot, p float64) {
				x := jsqlib.Total(s.Unused)
				if x == 0 {
					return
				}
				q := jsqlib.Total(s.After)
				w := pi * p
				u += w * float64(x)
				uq += w * float64(x*q)
				uu += w * float64(x*x)
				for j := range x {
					qtilde[int(q-j)] += w
				}
			})
		}
		r := solve(t, c.sys, 1e-11)
		name := fmt.Sprint(c.sys)
		near.Abs(t, name+": E U", u, k.Eps, 1e-8)
		near.Abs(t, name+": E Q", r.MeanTotal, b.mean(func(q []int64) float64 { return float64(jsqlib.Total(q)) }), 1e-8)
		near.Abs(t, name+": E[U Q+]/E U", r.BoundaryMean, uq/u, 1e-8)
		near.Abs(t, name+": E[U^2]/E U", r.BoundarySecond, uu/u, 1e-8)
		near.Abs(t, name+": E ||q_perp||^2", r.PerpSecondMoment, b.mean(jsqlib.PerpNorm2), 1e-8)
		near.Abs(t, name+": P(all equal)", r.EqualProbability, b.mean(func(q []int64) float64 { return b2f(jsqlib.PerpNorm2(q) == 0) }), 1e-8)
		for m := range 2 * n {
			near.Abs(t, fmt.Sprintf("%s: P(Q = %d)", name, m), r.TotalLaw[m],
				b.mean(func(q []int64) float64 { return b2f(jsqlib.Total(q) == int64(m)) }), 1e-9)
		}
		for m, p := range r.Boundary.P {
			if p > 1e-6 || math.Abs(qtilde[m+r.Boundary.Min]/u) > 1e-6 {
				near.Abs(t, fmt.Sprintf("%s: P(Q~ = %d)", name, m+r.Boundary.Min), p, qtilde[m+r.Boundary.Min]/u, 1e-8)
			}
		}
	}
}
