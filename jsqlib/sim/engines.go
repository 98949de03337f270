package sim

import (
	"math"
	"math/rand/v2"

	"jsqlab/jsqlib"
)

// newChain sets up the model for the drivers and picks its engine. Every engine gives the law of the
// reference recursion exactly; they differ in what a slot costs:
//
//	batch, JSQ               lazy, or packed for N <= 32 and Binomial(2, 1/2) services
//	batch, power of d        sampled
//	job, JSQ or d >= 2       occupancy
//	job, one random choice   dense
//	continuous time          ct
func newChain(m jsqlib.Model) (*chain, jsqlib.Constants, error) {
	c, err := m.Constants()
	if err != nil {
		return nil, c, err
	}
	if err := known(m.Policy); err != nil {
		return nil, c, err
	}
	ch := dtChain
	if m.Continuous {
		ch = ctChain
	}
	out := ch(&m, &c)
	// with d choices queues are up to about log N/log d apart, and move towards each other at a rate of 1
	out.recall = out.mixing
	if !m.JSQ() {
		out.recall *= 1 + 4/max(float64(m.Policy.Choices-1), 1)
	}
	return out, c, nil
}

// known refuses a rule that no engine has.
func known(p jsqlib.Policy) error {
	return p.Among("sim", jsqlib.JSQ, jsqlib.Pod, jsqlib.PodReplacement)
}

// dtChain is a chain of slots.
func dtChain(m *jsqlib.Model, c *jsqlib.Constants) *chain {
	n := float64(c.N)
	ch := &chain{n: c.N, eps: c.Eps, v: c.V, drift: c.Eps, service: int64(c.N * c.SMax), cost: 1 + n/16, batch: m.Routing == jsqlib.Batch}
	// a queue that took a batch is back at the minimum after about N slots;
	// single jobs even the queues out in the time of a few services
	ch.mixing, ch.width = n+10, math.Pow(n, 1.5)
	if m.Routing == jsqlib.Job {
		ch.mixing, ch.width = 10+math.Log2(n), n
	}
	// a single job that no server takes at once, or several jobs: at most E A(A-1)/2 of the slots
	base := 2*c.LimitMean - c.ServiceVar
	pairs := (n*(1-c.Gap)*(1-c.Gap)*(base-1) + c.Lambda*c.Lambda) / 2
	ch.waits = min(c.Lambda*c.Service[0]+max(pairs, 0), 1)
	each := 6.0 // numbers that an engine holds for a server
	switch {
	case m.JSQ() && m.Routing == jsqlib.Batch:
		each += 2 * float64(c.AMax) // the ring
		ch.engine = func(r *rand.PCG, p plan) engine { return newLazy(c, r, p) }
		if packable(c, newService(c)) {
			ch.engine = func(r *rand.PCG, p plan) engine { return newPacked(c, r, p) }
		}
	case m.Routing == jsqlib.Job && m.Policy.Choices != 1:
		ch.engine = func(r *rand.PCG, p plan) engine { return newOccupancy(m, c, r, p) }
	case m.Routing == jsqlib.Batch:
		ch.engine = func(r *rand.PCG, p plan) engine { return newSampled(m, c, r, p) }
	default:
		ch.engine = func(r *rand.PCG, p plan) engine { return newDense(m, c, r, p) }
	}
	// counts have room to grow by half, and a table of sojourns is as long as a queue
	ch.cells = func(n, top float64) float64 { return each*n + (1.5+6/n)*top }
	// JSQ counts 1.3 N^1.5 different totals at the boundary (measured); rules and
	// laws with longer queues count more
	ch.spread = func(n, _ float64) float64 { return 2 * n * math.Sqrt(n) }
	if m.Routing == jsqlib.Job {
		ch.spread = func(n, _ float64) float64 { return 2 * n }
	}
	ch.little = func(t *tally) float64 { return t.sojourn / float64(t.slots) }
	ch.perp = func(t *tally) float64 { return t.perp / float64(t.looks) }
	ch.gap = func(t *tally) (a, b float64) {
		return meanTotal(t), (c.V+c.Eps*c.Eps)/(2*c.Eps) + (t.unusedQ-unused2(t)/2)/float64(t.slots)/c.Eps
	}
	return ch
}

// ctChain is continuous time; its slots are steps of the chain uniformised at rate N (1 + lambda).
func ctChain(m *jsqlib.Model, c *jsqlib.Constants) *chain {
	n := float64(c.N)
	ch := &chain{n: c.N, eps: c.Eps, v: 1, cost: 1, drift: c.Gap / (1 + c.Load), waits: c.Load / (1 + c.Load),
		mixing: 2 * n * (10 + math.Log2(n)), width: 2 * n,
		block: func(ceiling int64) int64 { return ctSteps(c.N, ceiling) }}
	ch.engine = func(r *rand.PCG, p plan) engine { return newCT(m, c, r, p) }
	ch.cells = func(n, top float64) float64 { return 3*n + (1.5+4/n)*top }
	ch.spread = func(n, l float64) float64 { return (1.5*n + 4) * 2 * l } // all totals below the ceiling are counted
	// PASTA: a job that joins a queue of x jobs stays x + 1 services on average
	ch.little = func(t *tally) float64 { return n*(1+c.Load)*t.sojourn/float64(t.slots) + c.Load*n }
	ch.perp = func(t *tally) float64 {
		s2 := 0.0
		for q, k := range t.total {
			s2 += float64(q) * float64(q) * float64(k)
		}
		return (t.squares - s2/n) / float64(t.slots)
	}
	ch.gap = func(t *tally) (a, b float64) {
		return meanTotal(t), c.Load/c.Gap + t.unusedQ/float64(t.slots)/ch.eps
	}
	return ch
}

// task names the random streams of an estimation.
func task(what string, m jsqlib.Model) string {
	if m.Continuous {
		return what + " ct " + m.Policy.String()
	}
	return what + " dt " + m.Routing.String() + " " + m.Policy.String()
}
