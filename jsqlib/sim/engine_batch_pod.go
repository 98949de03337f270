package sim

import (
	"math/bits"
	"math/rand/v2"

	"jsqlab/jsqlib"
)

// sampled simulates batch routing to the shortest of d sampled queues, and does not touch every server
// in every slot. A queue that cannot leave service unused sleeps: with x jobs at the start of slot t0,
// it cannot do so before slot t0 + x/S_max. Its missed services are drawn as one sum at one of three
// times:
//
//   - when that slot comes;
//   - when the queue is sampled and its lower bound does not rule it out;
//   - when all queues are looked at.
//
// The law of the chain is unchanged. A slot costs O(d), O(log N) and the queues near 0. Servers are
// exchangeable, so ties need no draw.
type sampled struct {
	rng    *rand.PCG
	arrive alias
	svc    *service
	stay   *sojourn
	pick   *sampler
	plan   plan
	n      int64
	slot   int64 // t
	floor  int64 // values below are floor + queue length
	queues []queue

	near []int32 // awake: queues of which values are those at the start of slot t

	// of the sleepers: an alarm each, in a ring of lists by slot
	head     []int32 // first of the slot, or -1
	mask     int64
	sumValue int64
	sumSince int64
}

type queue struct {
	value, since int64 // value at the start of slot since
	next         int32 // asleep: the next with the same alarm, or -1
	place        int32 // in near, or -1: asleep
}

// nearDepth is from how many jobs on a queue sleeps, in units of S_max; measured to be best between 3
// and 6.
const nearDepth = 4

func newSampled(s *jsqlib.Model, c *jsqlib.Constants, rng *rand.PCG, p plan) *sampled {
	e := &sampled{rng: rng, arrive: batches(c), svc: newService(c), stay: newSojourn(c), pick: newSampler(s.Policy, c.N),
		plan: p, n: int64(c.N), queues: make([]queue, c.N), near: make([]int32, 0, c.N)}
	e.head = make([]int32, 1<<bits.Len64(uint64(min(2*c.N*c.AMax/c.SMax+64, 1<<16))))
	e.mask = int64(len(e.head) - 1)
	e.start(0)
	return e
}

func (e *sampled) start(q int64) {
	values := make([]int64, e.n)
	spread(values, q)
	e.put(values)
}

// put sets the queues.
func (e *sampled) put(values []int64) {
	e.slot, e.floor = 0, 0
	for i, v := range values {
		e.queues[i] = queue{value: v}
	}
	e.index()
}

// index parts the queues, all of which are up to date, into sleepers and near ones.
func (e *sampled) index() {
	for i := range e.head {
		e.head[i] = -1
	}
	e.near, e.sumValue, e.sumSince = e.near[:0], 0, 0
	for i := range e.queues {
		q := &e.queues[i]
		if q.value-e.floor < nearDepth*e.svc.max {
			q.place = int32(len(e.near))
			e.near = append(e.near, int32(i))
			continue
		}
		e.sumValue += q.value
		e.sumSince += q.since
		q.place = -1
		e.alarm(int32(i))
	}
}

// due is the first slot in which a queue might leave service unused.
func (e *sampled) due(q *queue) int64 { return q.since + (q.value-e.floor)/e.svc.max }

// alarm sets the alarm of a sleeper that is due after slot t. An early one does no harm.
func (e *sampled) alarm(i int32) {
	q := &e.queues[i]
	b := min(e.due(q), e.slot+e.mask) & e.mask
	q.next = e.head[b]
	e.head[b] = i
}

// update brings a sleeper up to date at the start of slot t.
func (e *sampled) update(q *queue) {
	k := e.slot - q.since
	if k == 0 {
		return
	}
	s := e.svc.sum(k, e.rng)
	q.value -= s
	q.since = e.slot
	e.sumValue -= s
	e.sumSince += k
}

// wake goes through the alarms of slot t.
func (e *sampled) wake() {
	i := e.head[e.slot&e.mask]
	e.head[e.slot&e.mask] = -1
	for i >= 0 {
		q := &e.queues[i]
		next := q.next
		if e.due(q) <= e.slot {
			e.update(q)
		}
		if q.value-e.floor < nearDepth*e.svc.max && q.since == e.slot {
			e.sumValue -= q.value
			e.sumSince -= q.since
			q.place = int32(len(e.near))
			e.near = append(e.near, i)
		} else {
			e.alarm(i)
		}
		i = next
	}
}

// join sends a jobs to the shortest of the sampled queues.
func (e *sampled) join(a int64, t *tally) {
	best, low := int32(0), far
	for _, i := range e.pick.draw(e.rng) {
		q := &e.queues[i]
		if q.place < 0 {
			if q.value-e.svc.max*(e.slot-q.since) >= low {
				continue
			}
			e.update(q)
		}
		if q.value < low {
			best, low = i, q.value
		}
	}
	if !e.plan.law {
		x := low - e.floor
		t.sojourn += e.stay.upTo(x+a) - e.stay.upTo(x)
	}
	q := &e.queues[best]
	q.value += a
	switch {
	case q.place < 0:
		e.sumValue += a
	case q.value-e.floor >= nearDepth*e.svc.max:
		last := e.near[len(e.near)-1]
		e.near[q.place] = last
		e.queues[last].place = q.place
		e.near = e.near[:len(e.near)-1]
		q.place, q.since = -1, e.slot
		e.sumValue += q.value
		e.sumSince += e.slot
		e.alarm(best)
	}
}

func (e *sampled) run(n int64, t *tally) {
	for ; n > 0; n-- {
		// a look at the ceiling costs what N slots do
		if e.plan.ceiling > 0 && e.slot%e.n == 0 {
			e.shift()
		}
		if !e.plan.law && e.slot%e.plan.stride == 0 {
			e.look(t)
		}
		if a := e.arrive.draw(e.rng.Uint64()); a > 0 {
			e.join(a, t)
		}
		u, sum, w := int64(0), int64(0), uint64(0)
		for k, i := range e.near {
			s := int64(0)
			if e.svc.bits {
				if k&31 == 0 {
					w = e.rng.Uint64()
				}
				s = int64(w&1) + int64(w>>1&1)
				w >>= 2
			} else {
				s = e.svc.one(e.rng)
			}
			q := &e.queues[i]
			x := q.value - s
			if x < e.floor {
				u += e.floor - x
				x = e.floor
			}
			q.value = x
			sum += x
		}
		e.slot++
		t.slots++
		if u > 0 {
			e.unusedSlot(u, sum, t)
		}
		e.wake()
	}
}

// unusedSlot counts a slot that left u > 0 services unused, as the lazy engine does: sum is that of the
// near values.
func (e *sampled) unusedSlot(u, sum int64, t *tally) {
	sum += e.sumValue - e.n*e.floor
	missed := (e.n-int64(len(e.near)))*e.slot - e.sumSince
	t.addUnused(u, sum-missed)
	if !e.plan.law {
		return
	}
	// a sum of very many services is drawn in parts of 2^maxPower
	if missed > max(1<<20, e.n<<9) {
		for i := range e.queues {
			if q := &e.queues[i]; q.place < 0 {
				was := q.value
				e.update(q)
				sum -= was - q.value
			}
		}
		missed = 0
	}
	t.addBoundary(u, sum-e.svc.sum(missed, e.rng))
}

// shift takes the ceiling L off every queue if all exceed 2L.
func (e *sampled) shift() {
	low := e.floor + 2*e.plan.ceiling
	for i := range e.queues {
		q := &e.queues[i]
		if q.place < 0 && q.value > low {
			e.update(q)
		}
		if q.value <= low {
			return
		}
	}
	for _, i := range e.near {
		e.queues[i].since = e.slot
	}
	e.floor += e.plan.ceiling
	e.index()
}

// look brings every sleeper up to date and counts Q and ||q_perp||^2.
func (e *sampled) look(t *tally) {
	s1, s2 := int64(0), 0.0
	base := e.queues[0].value
	for i := range e.queues {
		q := &e.queues[i]
		if q.place < 0 {
			e.update(q)
		}
		d := q.value - base
		s1 += d
		s2 += float64(d * d)
	}
	t.looks++
	t.addTotal(s1 + e.n*(base-e.floor))
	t.perp += s2 - float64(s1)*float64(s1)/float64(e.n)
}
