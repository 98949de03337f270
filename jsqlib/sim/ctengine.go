package sim

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"jsqlab/jsqlib"
)

// ctEngine simulates the uniformised continuous-time twin in O(1) a step with
// one random word (two for power of d). q holds the queue lengths in increasing
// order and below[l] how many of them are less than l. A departure from a
// uniformly chosen server, of level l say, is one from the first of its level;
// an arrival at level l joins the last of its level. Either changes one entry
// of q and one of below.
type ctEngine struct {
	rng     *rand.PCG
	plan    plan
	q       []int64
	below   []int64
	total   int64
	squares int64 // sum of q_i^2
	// of a random word times N, the high half is a server and the low half,
	// uniform given it, an arrival if below cut
	cut   uint64
	words [256]uint64
	pick  *alias // power of d: rank of the shortest server sampled
}

func newCT(s *jsqlib.CT, c *jsqlib.CTConstants, rng *rand.PCG, p plan) *ctEngine {
	e := &ctEngine{rng: rng, plan: p, q: make([]int64, c.N)}
	// lambda/(1+lambda) = 1/2 - e/(2(2-e)), in units of 2^-64
	e.cut = 1<<63 - uint64(math.Ldexp(c.Gap/(2-c.Gap), 63))
	if !s.JSQ() {
		e.pick = ranks(s.Policy, c.N)
	}
	e.start(0)
	return e
}

// ranks tabulates the rank of the shortest server sampled.
func ranks(p jsqlib.Policy, servers int) *alias {
	a := newAlias(0, p.Ranks(servers))
	return &a
}

func (e *ctEngine) start(total int64) {
	spread(e.q, total)
	n := len(e.q)
	for i := range n / 2 { // spread puts the longer queues first
		e.q[i], e.q[n-1-i] = e.q[n-1-i], e.q[i]
	}
	e.index()
}

// index recomputes what is derived from q, with room for block more levels.
func (e *ctEngine) index() {
	n := int64(len(e.q))
	top := e.q[n-1] + ctBlock + 2
	if int64(len(e.below)) < top+1 {
		e.below = make([]int64, 2*top)
	}
	e.total, e.squares = 0, 0
	i := int64(0)
	for l := range e.below {
		for i < n && e.q[i] < int64(l) {
			i++
		}
		e.below[l] = i
	}
	for _, x := range e.q {
		e.total += x
		e.squares += x * x
	}
}

// ctBlock steps pass at most between two checks that the levels fit.
const ctBlock = 4096

// ctSteps is how many steps pass between two looks at the ceiling L: N L/2 at most,
// as the minimum takes about N to rise by one. Ceiling 0 is none.
func ctSteps(servers int, ceiling int64) int64 {
	if ceiling == 0 {
		return ctBlock
	}
	return min(ctBlock, max(int64(servers)*ceiling/2, 1))
}

func (e *ctEngine) run(n int64, t *tally) {
	for n > 0 {
		steps := min(n, ctSteps(len(e.q), e.plan.ceiling))
		if e.q[len(e.q)-1]+steps+2 >= int64(len(e.below)) {
			e.index()
		}
		if e.plan.ceiling > 0 && e.q[0] > 2*e.plan.ceiling {
			for i := range e.q {
				e.q[i] -= e.plan.ceiling
			}
			e.index()
		}
		e.steps(steps, t)
		n -= steps
	}
}

// steps advances by n transitions. Sums are local, so that they stay in
// registers.
func (e *ctEngine) steps(n int64, t *tally) {
	if room := e.total + n; room >= int64(len(t.total)) {
		t.total = append(t.total, make([]int64, room+1+room/2-int64(len(t.total)))...)
	}
	t.slots += n
	if e.pick != nil {
		e.podSteps(n, t)
		return
	}
	q, below, hist, rng := e.q, e.below, t.total, e.rng
	cut, servers := e.cut, uint64(len(q))
	total, squares := e.total, e.squares
	law := e.plan.law
	_ = q[0]
	var idle, idleQ, sumSquares, joined int64
	for n > 0 {
		// words first: a call in the loop below would spill its sums
		words := e.words[:min(n, int64(len(e.words)))]
		for i := range words {
			words[i] = rng.Uint64()
		}
		n -= int64(len(words))
		for _, word := range words {
			i := below[1]
			if law {
				hist[total] += i
			} else {
				hist[total]++
			}
			idle += i
			idleQ += i * total
			sumSquares += squares

			server, w := bits.Mul64(word, servers)
			low := q[0]
			arrive := int64(0)
			if w < cut {
				arrive = 1
			}
			if w < cut {
				server = 0
			}
			level := q[server] + arrive
			delta := 2*arrive - 1
			if level == 0 {
				delta = 0
			}
			p := below[level] - arrive
			x := q[p]
			q[p] = x + delta
			below[level] -= delta
			total += delta
			squares += delta * (2*x + delta)
			joined += arrive * low
		}
	}
	e.total, e.squares = total, squares
	t.addSteps(idle, idleQ, sumSquares, joined)
}

// podSteps is steps for power of d.
func (e *ctEngine) podSteps(n int64, t *tally) {
	var idle, idleQ, sumSquares, joined int64
	for ; n > 0; n-- {
		i := e.below[1]
		if e.plan.law {
			t.total[e.total] += i
		} else {
			t.total[e.total]++
		}
		idle += i
		idleQ += i * e.total
		sumSquares += e.squares

		server, w := bits.Mul64(e.rng.Uint64(), uint64(len(e.q)))
		if w < e.cut {
			x := e.q[e.pick.draw(e.rng.Uint64())]
			e.below[x+1]--
			e.q[e.below[x+1]] = x + 1
			e.total++
			e.squares += 2*x + 1
			joined += x
			continue
		}
		x := e.q[server]
		if x == 0 {
			continue
		}
		e.q[e.below[x]] = x - 1
		e.below[x]++
		e.total--
		e.squares -= 2*x - 1
	}
	t.addSteps(idle, idleQ, sumSquares, joined)
}

// addSteps adds the sums of a block of steps.
func (t *tally) addSteps(idle, idleQ, squares, joined int64) {
	t.unused += idle
	t.unusedQ += float64(idleQ)
	t.squares += float64(squares)
	t.sojourn += float64(joined)
}
