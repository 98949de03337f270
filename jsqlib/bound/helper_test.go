package bound

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/near"
	"jsqlab/jsqlib/law"
	"jsqlab/jsqlib/record"
	"jsqlab/jsqlib/sim"
)

// randomPMF returns a pmf of mean 1 on {0, ..., top}, top >= 2.
func randomPMF(r *rand.Rand, top int) jsqlib.PMF {
	p := make(jsqlib.PMF, top+1)
	total := 0.0
	for i := range p {
		p[i] = r.ExpFloat64()
		total += p[i]
	}
	for i := range p {
		p[i] /= total
	}
	// mix with the point mass at 0 or at the top
	mean, at := p.Mean(), 0
	if mean < 1 {
		at = top
	}
	w := (1 - float64(at)) / (mean - float64(at))
	for i := range p {
		p[i] *= w
	}
	p[at] += 1 - w
	return p
}

// randomSystem returns a system with N servers, general laws and a gap in
// (10^-6, 0.9).
func randomSystem(r *rand.Rand, servers int) jsqlib.Model {
	return jsqlib.Model{
		Servers: servers, Gap: 0.9 * math.Pow(10, -6*r.Float64()),
		Arrivals: randomPMF(r, 2+r.IntN(3)), Service: randomPMF(r, 2+r.IntN(2)),
		Routing: jsqlib.Routing(r.IntN(2)),
	}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

func mustConstants(t testing.TB, s jsqlib.Model) jsqlib.Constants {
	t.Helper()
	c, err := s.Constants()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustDrift(t testing.TB, s jsqlib.Model) Drift {
	t.Helper()
	d, err := NewDrift(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func wantArgument(t *testing.T, err error, argument, text string) {
	t.Helper()
	var a *jsqlib.Invalid
	if !errors.As(err, &a) || a.What != argument || !strings.Contains(err.Error(), text) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v: want an Invalid for %s with %q", err, argument, text)
	}
}

// estimated returns a boundary estimate of W1 with relative error rel.
func estimated(t testing.TB, s jsqlib.Model, rel float64) (jsqlib.Constants, *record.DistanceResult, law.Boundary) {
	t.Helper()
	d, err := record.Distance(context.Background(), s, sim.BoundaryOptions{Options: sim.Options{Seed: 1, RelError: rel}})
	if err != nil {
		t.Fatal(err)
	}
	return mustConstants(t, s), d, law.Boundary{Min: d.Boundary.Min, P: d.Boundary.P}
}

// smallTruth is the exact stationary law of one or two servers, by iteration of
// the chain with queues up to top.
type smallTruth struct {
	c              jsqlib.Constants
	boundary       law.Boundary
	mean, second   float64 // E[U Q+]/E U, E[U^2]/E U
	norms, weights []float64
}

func smallChain(t testing.TB, s jsqlib.Model, top int) smallTruth {
	t.Helper()
	c := mustConstants(t, s)
	n := c.N
	states := 1
	for range n {
		states *= top + 1
	}
	type outcome struct {
		state, unused, total int
		p                    float64
	}
	moves := make([][]outcome, states)
	batch := c.Arrivals.Power(n)
	q := make([]int64, n)
	decode := func(i int) {
		for k := range q {
			q[k] = int64(i % (top + 1))
			i /= top + 1
		}
	}
	for i := range moves {
		decode(i)
		from := append([]int64(nil), q...)
		for a, pa := range batch {
			joined := append([]int64(nil), from...)
			s.Routing.Join(joined, int64(a))
			var serve func(k int, p float64, code, base, unused, total int)
			serve = func(k int, p float64, code, base, unused, total int) {
				if p == 0 {
					return
				}
				if k == n {
					moves[i] = append(moves[i], outcome{code, unused, total, p})
					return
				}
				for x, px := range c.Service {
					left := int(joined[k]) - x
					u := max(-left, 0)
					left = min(max(left, 0), top)
					serve(k+1, p*px, code+base*left, base*(top+1), unused+u, total+left)
				}
			}
			serve(0, pa, 0, 1, 0, 0)
		}
	}
	pi, next := make([]float64, states), make([]float64, states)
	pi[0] = 1
	for sweep := 0; ; sweep++ {
		clear(next)
		for i, m := range moves {
			if pi[i] > 1e-40 {
				for _, o := range m {
					next[o.state] += pi[i] * o.p
				}
			}
		}
		change := 0.0
		for i := range pi {
			change += math.Abs(next[i] - pi[i])
		}
		pi, next = next, pi
		if change < 1e-15 || sweep > 20000 {
			break
		}
	}
	out := smallTruth{c: c}
	lowest := -n * c.SMax
	p := make([]float64, n*top-lowest+1)
	mass := 0.0
	for i, m := range moves {
		decode(i)
		out.norms = append(out.norms, math.Sqrt(jsqlib.PerpNorm2(q)))
		out.weights = append(out.weights, pi[i])
		for _, o := range m {
			w := pi[i] * o.p
			u := float64(o.unused)
			mass += w * u
			out.mean += w * u * float64(o.total)
			out.second += w * u * u
			for j := range o.unused {
				p[o.total-j-lowest] += w
			}
		}
	}
	near.Rel(t, "E U", mass, c.Eps, 1e-9)
	for i := range p {
		p[i] /= mass
	}
	out.mean /= mass
	out.second /= mass
	out.boundary = law.Boundary{Min: lowest, P: p}
	return out
}
