package sim

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"jsqlab/jsqlib"
)

// lazy simulates batch routing to the shortest of all queues, and does not touch every server in every
// slot. A queue far above the minimum sleeps. It loses at most S_max jobs a slot. A queue that held v
// at the start of slot t0 therefore has at least
//
//	v + S_max t0 - S_max t
//
// jobs at the start of slot t. The queue is woken, and its missed services are drawn as one sum, before
// this bound reaches the minimum (the queue might be chosen) or S_max - 1 (it might leave service
// unused). The law of the chain is unchanged; a slot costs O(log N). Servers are exchangeable, so
// queues have no names and ties need no draw.
type lazy struct {
	rng    *rand.PCG
	arrive alias
	svc    *service
	stay   *sojourn
	plan   plan
	n      int64
	slot   int64 // t
	floor  int64 // values below are floor + queue length
	low    int64 // least awake value; far when none is awake

	awake []int64 // values at the start of slot t, in no order

	// sleepers, in a ring of buckets by key = value + S_max * slot asleep since
	sleepers []sleeper
	free     []int32
	head     []int32 // first sleeper of the bucket, or -1
	mask     int64
	next     int64 // all sleepers have keys >= next
	asleep   int64 // how many
	sumValue int64 // sum of their values
	sumSince int64 // sum of the slots since which they sleep
}

type sleeper struct {
	value, since int64
	next         int32
}

// napDepth is how far above the minimum a queue goes to sleep, in units of S_max; measured to be best
// between 2 and 4.
const napDepth = 3

func newLazy(c *jsqlib.Constants, rng *rand.PCG, p plan) *lazy {
	l := &lazy{rng: rng, arrive: batches(c), svc: newService(c), stay: newSojourn(c), plan: p, n: int64(c.N)}
	size := 1 << bits.Len64(uint64(2*c.N*c.AMax+64*c.SMax))
	l.head = make([]int32, size)
	l.mask = int64(size - 1)
	l.sleepers = make([]sleeper, c.N)
	l.free = make([]int32, 0, c.N)
	l.awake = make([]int64, c.N)
	l.start(0)
	return l
}

func (l *lazy) start(q int64) {
	values := make([]int64, l.n)
	spread(values, q)
	l.put(values)
}

// put sets the queues.
func (l *lazy) put(values []int64) {
	l.awake = append(l.awake[:0], values...)
	l.low = slices.Min(values)
	for i := range l.head {
		l.head[i] = -1
	}
	l.free = l.free[:0]
	for i := range l.sleepers {
		l.free = append(l.free, int32(i))
	}
	l.slot, l.floor, l.next = 0, 0, 0
	l.asleep, l.sumValue, l.sumSince = 0, 0, 0
}

// sleep puts a queue that holds v at the start of slot t to sleep. Waking early does no harm, so a key
// beyond the ring goes into its last bucket.
func (l *lazy) sleep(v, t int64) {
	key := v + l.svc.max*t
	if l.asleep == 0 || key < l.next {
		l.next = key
	} else if key > l.next+l.mask {
		key = l.next + l.mask
	}
	i := l.free[len(l.free)-1]
	l.free = l.free[:len(l.free)-1]
	b := key & l.mask
	l.sleepers[i] = sleeper{v, t, l.head[b]}
	l.head[b] = i
	l.asleep++
	l.sumValue += v
	l.sumSince += t
}

// wake brings every queue that may be a minimum, or may leave service unused, up to date at the start
// of slot t.
func (l *lazy) wake() {
	t, smax := l.slot, l.svc.max
	for l.asleep > 0 {
		if len(l.awake) > 0 && l.next > smax*t+max(l.low, l.floor+smax-1) {
			return
		}
		b := l.next & l.mask
		i := l.head[b]
		if i < 0 {
			l.next++
			continue
		}
		s := &l.sleepers[i]
		l.head[b] = s.next
		l.free = append(l.free, i)
		l.asleep--
		l.sumValue -= s.value
		l.sumSince -= s.since
		x := s.value - l.svc.sum(t-s.since, l.rng)
		if x-l.low > napDepth*smax { // low is far when nobody is awake
			l.sleep(x, t)
			continue
		}
		l.awake = append(l.awake, x)
		l.low = min(l.low, x)
	}
}

func (l *lazy) run(n int64, t *tally) {
	nap := napDepth * l.svc.max
	ceiling := far
	if l.plan.ceiling > 0 {
		ceiling = 2 * l.plan.ceiling
	}
	for ; n > 0; n-- {
		l.wake()
		if l.low-l.floor > ceiling {
			l.floor += l.plan.ceiling
		}
		if !l.plan.law && l.slot%l.plan.stride == 0 {
			l.look(t)
		}
		low := l.low
		awake := l.awake

		// the batch joins a shortest queue
		if a := l.arrive.draw(l.rng.Uint64()); a > 0 {
			if !l.plan.law {
				x := low - l.floor
				t.sojourn += l.stay.upTo(x+a) - l.stay.upTo(x)
			}
			for i, x := range awake {
				if x != low {
					continue
				}
				if a > nap {
					last := len(awake) - 1
					awake[i] = awake[last]
					awake = awake[:last]
					l.sleep(low+a, l.slot)
				} else {
					awake[i] = low + a
				}
				break
			}
		}

		// services of the awake
		u, newLow := int64(0), far
		if l.svc.bits {
			w := l.rng.Uint64()
			for i := 0; i < len(awake); i++ {
				if i&31 == 0 && i > 0 {
					w = l.rng.Uint64()
				}
				x := awake[i] - int64(w&1) - int64(w>>1&1)
				w >>= 2
				if x < l.floor {
					u += l.floor - x
					x = l.floor
				}
				awake[i] = x
				newLow = min(newLow, x)
			}
		} else {
			for i := 0; i < len(awake); i++ {
				x := awake[i] - l.svc.one(l.rng)
				if x < l.floor {
					u += l.floor - x
					x = l.floor
				}
				awake[i] = x
				newLow = min(newLow, x)
			}
		}
		l.low = newLow
		l.slot++
		l.awake = awake
		if len(awake) > 8 {
			l.settle()
		}

		t.slots++
		if u > 0 {
			l.unusedSlot(u, t)
		}
	}
}

// settle puts awake queues that are far above the minimum to sleep.
func (l *lazy) settle() {
	awake, nap := l.awake, napDepth*l.svc.max
	for i := 0; i < len(awake); {
		if awake[i]-l.low <= nap {
			i++
			continue
		}
		l.sleep(awake[i], l.slot)
		awake[i] = awake[len(awake)-1]
		awake = awake[:len(awake)-1]
	}
	l.awake = awake
}

// unusedSlot counts a slot that left u > 0 services unused. The missed services of the sleepers do not
// depend on u given what is known, so E[U Q^+] takes their mean, and the law takes one draw of their
// sum.
func (l *lazy) unusedSlot(u int64, t *tally) {
	sum := l.sumValue - l.n*l.floor
	for _, x := range l.awake {
		sum += x
	}
	missed := l.asleep*l.slot - l.sumSince
	t.addUnused(u, sum-missed)
	if l.plan.law {
		t.addBoundary(u, sum-l.svc.sum(missed, l.rng))
	}
}

// look brings every sleeper up to date (its old, lower bound stays in force) and counts Q and
// ||q_perp||^2.
func (l *lazy) look(t *tally) {
	s1, s2 := int64(0), 0.0
	for _, x := range l.awake {
		d := x - l.low
		s1 += d
		s2 += float64(d * d)
	}
	if l.asleep > 0 {
		l.sumValue, l.sumSince = 0, l.asleep*l.slot
		left := l.asleep
		for b := l.next; left > 0; b++ {
			for i := l.head[b&l.mask]; i >= 0; i = l.sleepers[i].next {
				s := &l.sleepers[i]
				s.value -= l.svc.sum(l.slot-s.since, l.rng)
				s.since = l.slot
				l.sumValue += s.value
				d := s.value - l.low
				s1 += d
				s2 += float64(d * d)
				left--
			}
		}
	}
	t.looks++
	t.addTotal(s1 + l.n*(l.low-l.floor))
	t.perp += s2 - float64(s1)*float64(s1)/float64(l.n)
}
