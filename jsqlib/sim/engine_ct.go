package sim

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"jsqlab/jsqlib"
)

// ctEngine simulates the uniformised continuous-time model in O(1) a step with half a random word (two
// words for power of d). q holds the queue lengths in increasing order, and below[l] counts the queues
// below l. Two rules keep the order:
//
//   - a departure from a uniformly chosen server, of level l say, is one from the first of its level;
//   - an arrival at level l joins the last of its level.
//
// Either changes one entry of q and one of below.
type ctEngine struct {
	rng     *rand.PCG
	plan    plan
	q       []int64
	below   []int64
	total   int64
	squares int64 // sum of q_i^2
	// of a uniform number times N, the integer part is a server and the fraction, uniform given it, an
	// arrival if below cut 2^-64
	cut    uint64
	events [256]int64 // of the next steps: see draw
	pick   *alias     // power of d: rank of the shortest server sampled
	// a step at total n with i idle servers adds idle i + visit to the count of n
	idle, visit int64
}

// ctVisit is the unit in which a pooled count holds the visits of a total. What is below it is the sum
// of the idle servers. Both fit for 2^23 steps: 2^23 MaxServers < ctVisit = 2^63/2^23.
const ctVisit = 1 << 40

func newCT(s *jsqlib.Model, c *jsqlib.Constants, rng *rand.PCG, p plan) *ctEngine {
	e := &ctEngine{rng: rng, plan: p, q: make([]int64, c.N)}
	// lambda/(1+lambda) = 1/2 - e/(2(2-e)), in units of 2^-64
	e.cut = 1<<63 - uint64(math.Ldexp(c.Gap/(2-c.Gap), 63))
	switch {
	case p.pool:
		e.idle, e.visit = 1, ctVisit
	case p.law:
		e.idle = 1
	default:
		e.visit = 1
	}
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

// ctSteps is how many steps pass between two looks at the ceiling L: at most N L/2, because the minimum
// takes about N steps to rise by one. Ceiling 0 is none.
func ctSteps(servers int, ceiling int64) int64 {
	if ceiling == 0 {
		return ctBlock
	}
	return min(ctBlock, max(int64(servers)*ceiling/2, 1))
}

// ctTopSteps is how many steps pass between two looks at the highest total: it is passed by the square
// root of that.
func ctTopSteps(servers int) int64 { return min(ctBlock, 8*int64(servers)) }

func (e *ctEngine) run(n int64, t *tally) {
	for n > 0 {
		steps := min(n, ctSteps(len(e.q), e.plan.ceiling))
		if e.plan.top > 0 {
			steps = min(steps, ctTopSteps(len(e.q)))
		}
		for e.plan.top > 0 && e.total >= e.plan.top && e.q[0] > 0 {
			for i := range e.q {
				e.q[i]--
			}
			e.index()
		}
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

// arrival is the event of an arriving job; the others are the server that offers a service.
const arrival = -1

// draw fills the events of the next steps, two from a random word.
func (e *ctEngine) draw(events []int64) {
	rng, servers, cut := e.rng, uint64(len(e.q)), uint32(e.cut>>32)
	for ; len(events) > 0; events = events[min(2, len(events)):] {
		word := rng.Uint64()
		first, sure := decide(word>>32, servers, cut)
		if !sure {
			first = decideLong(word>>32, rng.Uint64(), servers, e.cut)
		}
		events[0] = first
		if len(events) == 1 {
			return
		}
		second, sure := decide(word&math.MaxUint32, servers, cut)
		if !sure {
			second = decideLong(word&math.MaxUint32, rng.Uint64(), servers, e.cut)
		}
		events[1] = second
	}
}

// decide returns the event of the uniform number u 2^-32, and whether it is that of all numbers with
// these first 32 bits, which is not so for two in 2^32/N.
func decide(u, servers uint64, cut uint32) (event int64, sure bool) {
	x := u * servers
	fraction, n := uint32(x), uint32(servers)
	event = int64(x >> 32)
	if fraction < cut {
		event = arrival
	}
	return event, cut-fraction >= n && -fraction >= n
}

// decideLong is decide for the number u 2^-32 + v 2^-96.
func decideLong(u, v, servers, cut uint64) int64 {
	hi, lo := bits.Mul64(v, servers)
	hi += u * servers
	if hi<<32|lo>>32 < cut {
		return arrival
	}
	return int64(hi >> 32)
}

// steps advances by n transitions. Sums are local, so that they stay in registers.
func (e *ctEngine) steps(n int64, t *tally) {
	if room := e.total + n; room >= int64(len(t.total)) && !t.lengthen(room+1) {
		return
	}
	t.slots += n
	if e.pick != nil {
		e.podSteps(n, t)
		return
	}
	q, below, hist := e.q, e.below, t.total
	total, squares := e.total, e.squares
	weight, visit := e.idle, e.visit
	_ = q[0]
	var idle, idleQ, sumSquares, joined int64
	for n > 0 {
		// events first: a call in the loop below would spill its sums
		events := e.events[:min(n, int64(len(e.events)))]
		e.draw(events)
		n -= int64(len(events))
		for _, event := range events {
			i := below[1]
			hist[total] += weight*i + visit
			idle += i
			idleQ += i * total
			sumSquares += squares

			low := q[0]
			arrive := int64(uint64(event) >> 63)
			level := q[event&^(event>>63)] + arrive // of server 0, the shortest, for an arrival
			delta := 2*arrive - 1
			if level == 0 {
				delta = 0
			}
			p := below[level] - arrive
			x := level - arrive // = q[p]
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
		t.total[e.total] += e.idle*i + e.visit
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
