package sim

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"jsqlab/jsqlib"
)

// packed simulates batch routing to the shortest of at most 32 queues with Binomial(2, 1/2) services,
// four queues to a machine word and one random word for all services of a slot. A lane of 16 bits
// holds, from the top, a guard bit, ten bits of queue length above base, and the five-bit number of the
// server, so that the least lane names its server.
type packed struct {
	rng    *rand.PCG
	arrive alias
	stay   *sojourn
	plan   plan
	n      int64
	slot   int64
	floor  int64 // the values below count from here
	base   int64 // >= floor: lanes count from here
	total  int64 // Q + n floor
	least  uint64
	lanes  [8]uint64
	serve  [8]uint64 // 1<<laneShift in the lanes that hold a queue
	number [8]uint64 // server numbers
	words  int
	mask   uint64 // bits of a random word that serve a queue
	c      *jsqlib.Constants
	wide   *lazy // takes over when the queues are too far apart for ten bits
}

const (
	packedServers = 32
	packedBatch   = 256 // largest batch
	laneShift     = 5
	laneValues    = 1 << 10
	guards        = 0x8000800080008000
	rebase        = 256
)

func packable(c *jsqlib.Constants, svc *service) bool {
	return svc.bits && c.N <= packedServers && c.N*c.AMax <= packedBatch
}

func newPacked(c *jsqlib.Constants, rng *rand.PCG, p plan) *packed {
	e := &packed{c: c, rng: rng, arrive: batches(c), stay: newSojourn(c), plan: p, n: int64(c.N), words: (c.N + 3) / 4}
	for i := range c.N {
		j, at := i/4, 16*(i%4)
		e.serve[j] |= 1 << (at + laneShift)
		e.number[j] |= uint64(i) << at
		e.mask |= 3 << (2*j + at)
	}
	e.start(0)
	return e
}

func (e *packed) start(q int64) {
	values := make([]int64, e.n)
	spread(values, q)
	e.put(values)
}

// put sets queues that differ by rebase at most.
func (e *packed) put(values []int64) {
	e.wide = nil
	e.slot, e.floor, e.total = 0, 0, jsqlib.Total(values)
	e.base = max(slices.Min(values)-rebase, 0)
	e.pack(values)
}

// pack sets the lanes from values >= base.
func (e *packed) pack(values []int64) {
	for j := range e.lanes {
		e.lanes[j] = ^uint64(guards) // no queue: never the least
	}
	e.least = 0x7fff
	for i, v := range values {
		lane := uint64(v-e.base)<<laneShift | uint64(i)
		at := 16 * (i % 4)
		e.lanes[i/4] = e.lanes[i/4]&^(0xffff<<at) | lane<<at
		e.least = min(e.least, lane)
	}
}

// values returns floor + queue lengths.
func (e *packed) values() []int64 {
	v := make([]int64, e.n)
	for i := range v {
		v[i] = e.base + int64(e.lanes[i/4]>>(16*(i%4))&0x7fff>>laneShift)
	}
	return v
}

// lift moves base by d <= 0 jobs, or by d > 0 if no lane is less.
func (e *packed) lift(d int64) {
	e.base += d
	e.least -= uint64(d << laneShift)
	for j := range e.words {
		e.lanes[j] -= e.serve[j] * uint64(d) // modulo 2^64: right for d < 0 too
	}
}

// laneMin returns the lesser of each pair of lanes; guard bits are 0.
func laneMin(a, b uint64) uint64 {
	m := (a | guards) - b&^uint64(guards)
	m &= guards // a >= b
	m -= m >> 15
	return b&m | a&^m
}

func (e *packed) run(n int64, t *tally) {
	ceiling := far
	if e.plan.ceiling > 0 {
		ceiling = 2 * e.plan.ceiling
	}
	looks := !e.plan.law
	for ; n > 0; n-- {
		if e.wide != nil {
			e.wide.run(n, t)
			return
		}
		low := int64(e.least >> laneShift)
		if low < 2 && e.base > e.floor {
			if !e.lower() {
				e.widen()
				n++ // this slot is not done yet
				continue
			}
			low = int64(e.least >> laneShift)
		} else if low > 2*rebase {
			e.lift(rebase)
			low -= rebase
		}
		x := e.base + low - e.floor // the shortest queue
		if x > ceiling {
			e.floor += e.plan.ceiling
			if e.base < e.floor {
				e.lift(e.floor - e.base)
				low = int64(e.least >> laneShift)
			}
			x -= e.plan.ceiling
		}
		if looks && e.slot%e.plan.stride == 0 {
			e.look(t)
		}
		e.slot++

		// low <= 2 rebase and a <= packedBatch: the lane cannot overflow
		a := e.arrive.draw(e.rng.Uint64())
		if looks {
			t.sojourn += e.stay.upTo(x+a) - e.stay.upTo(x)
		}
		i := e.least & (packedServers - 1)
		e.lanes[i/4&7] += uint64(a) << laneShift << (16 * (i % 4))

		w := e.rng.Uint64() & e.mask
		e.total += a - int64(bits.OnesCount64(w))
		t.slots++
		const one = 0x0001000100010001
		if low >= 2 {
			least := ^uint64(guards)
			for j := 0; j < e.words; j++ {
				y := e.lanes[j&7] - (w&one+w>>1&one)<<laneShift
				w >>= 2
				e.lanes[j&7] = y
				least = laneMin(least, y)
			}
			e.least = leastLane(least)
			continue
		}
		// base = floor, and a queue below 2 may leave service unused
		least := ^uint64(guards)
		u := int64(0)
		for j := 0; j < e.words; j++ {
			s := (w&one + w>>1&one) << laneShift
			w >>= 2
			y := (e.lanes[j&7] | guards) - s
			if y&guards != guards {
				y, u = e.drain(j, s, u)
			}
			y &^= guards
			e.lanes[j&7] = y
			least = laneMin(least, y)
		}
		e.least = leastLane(least)
		if u > 0 {
			e.total += u
			q := e.total - e.n*e.floor
			t.addUnused(u, q)
			if e.plan.law {
				t.addBoundary(u, q)
			}
		}
	}
}

// leastLane returns the least of the four lanes of x.
func leastLane(x uint64) uint64 {
	x = laneMin(x, x>>32)
	return laneMin(x, x>>16) & 0x7fff
}

// drain empties the lanes of y = (lanes[j] | guards) - s that services have taken below 0, and adds
// what is unused to u.
func (e *packed) drain(j int, s uint64, u int64) (uint64, int64) {
	var y uint64
	for at := 0; at < 64; at += 16 {
		lane := e.lanes[j] >> at & 0x7fff
		take := s >> at & 0x7fff
		if lane < take {
			u += int64(take>>laneShift) - int64(lane>>laneShift)
			lane = lane & (packedServers - 1)
		} else {
			lane -= take
		}
		y |= (lane | 0x8000) << at
	}
	return y, u
}

// lower moves base down towards floor, and reports whether the lanes have room.
func (e *packed) lower() bool {
	top := int64(0)
	for i := range int(e.n) {
		top = max(top, int64(e.lanes[i/4]>>(16*(i%4))&0x7fff>>laneShift))
	}
	d := min(e.base-e.floor, rebase, laneValues-2-top)
	if d < 2 && d < e.base-e.floor {
		return false
	}
	e.lift(-d)
	return true
}

// widen hands the queues over to the lazy engine.
func (e *packed) widen() {
	e.wide = newLazy(e.c, e.rng, e.plan)
	e.wide.awake = append(e.wide.awake[:0], e.values()...)
	e.wide.floor = e.floor
	e.wide.low = e.base + int64(e.least>>laneShift)
}

func (e *packed) look(t *tally) {
	s1, s2 := int64(0), int64(0)
	for i := range int(e.n) {
		d := int64(e.lanes[i/4] >> (16 * (i % 4)) & 0x7fff >> laneShift)
		s1 += d
		s2 += d * d
	}
	t.looks++
	t.addTotal(e.total - e.n*e.floor)
	t.perp += float64(s2) - float64(s1)*float64(s1)/float64(e.n)
}
