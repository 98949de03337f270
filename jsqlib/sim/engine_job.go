package sim

import (
	"math/bits"
	"math/rand/v2"

	"jsqlab/jsqlib"
)

// occupancy simulates job-by-job routing to the shortest of all queues, or of
// the sampled ones, on the numbers of servers at each level: servers are
// exchangeable, and job routing keeps them on a few levels, so a slot costs the
// number of levels and, for Binomial(2, 1/2) services, one random word for 32
// servers. Power of d costs one word and O(1) more for each job.
type occupancy struct {
	rng    *rand.PCG
	arrive alias
	svc    *service
	stay   *sojourn
	plan   plan
	n      int64
	slot   int64
	floor  int64
	lo, hi int64   // least and greatest occupied level
	count  []int64 // servers at a level, a ring
	mask   int64
	total  int64 // Q + n floor

	// power of d
	rank   *alias  // of the shortest server sampled; nil: JSQ
	level  []int32 // of the queue of each rank, above lo at the start of the slot
	before []int64 // queues below a level, a ring like count
}

func newOccupancy(s *jsqlib.Model, c *jsqlib.Constants, rng *rand.PCG, p plan) *occupancy {
	o := &occupancy{rng: rng, arrive: batches(c), svc: newService(c), stay: newSojourn(c), plan: p, n: int64(c.N)}
	o.count = make([]int64, 64)
	o.mask = 63
	if !s.JSQ() {
		o.rank = ranks(s.Policy, c.N)
		o.level = make([]int32, c.N)
	}
	o.start(0)
	return o
}

func (o *occupancy) start(q int64) {
	clear(o.count)
	o.floor, o.lo, o.hi, o.total = 0, q/o.n, q/o.n, q
	o.count[o.lo&o.mask] = o.n - q%o.n
	if q%o.n > 0 {
		o.hi++
		o.count[o.hi&o.mask] = q % o.n
	}
}

// reserve makes room for levels lo-down .. hi+up.
func (o *occupancy) reserve(down, up int64) {
	if o.hi-o.lo+down+up+2 <= int64(len(o.count)) {
		return
	}
	next := make([]int64, 1<<bits.Len64(uint64(2*(o.hi-o.lo+down+up+2))))
	for l := o.lo; l <= o.hi; l++ {
		next[l&int64(len(next)-1)] = o.count[l&o.mask]
	}
	o.count, o.mask = next, int64(len(next)-1)
}

func (o *occupancy) run(n int64, t *tally) {
	for ; n > 0; n-- {
		if !o.plan.law && o.slot%o.plan.stride == 0 {
			o.look(t)
		}
		o.slot++

		a := o.arrive.draw(o.rng.Uint64())
		o.total += a
		if o.rank != nil && a > 0 {
			o.sample(a, t)
			a = 0
		}
		// each job joins a level of least queue: the levels fill up like a vessel
		for a > 0 {
			o.reserve(o.svc.max, 1)
			c := o.count[o.lo&o.mask]
			up := min(a, c)
			if !o.plan.law {
				x := o.lo - o.floor
				t.sojourn += float64(up) * (o.stay.upTo(x+1) - o.stay.upTo(x))
			}
			o.count[o.lo&o.mask] = c - up
			o.count[(o.lo+1)&o.mask] += up
			o.hi = max(o.hi, o.lo+1)
			if up == c {
				o.lo++
			}
			a -= up
		}

		// services, from the lowest level up
		o.reserve(o.svc.max, 1)
		u := int64(0)
		for l, top := o.lo, o.hi; l <= top; l++ {
			c := o.count[l&o.mask]
			if c == 0 {
				continue
			}
			o.count[l&o.mask] = 0
			u += o.serve(l, c)
		}
		for o.count[o.hi&o.mask] == 0 {
			o.hi--
		}
		low := max(o.lo-o.svc.max, o.floor)
		for o.count[low&o.mask] == 0 {
			low++
		}
		o.lo = low
		if o.plan.pool {
			t.seen = append(t.seen, slotSeen{o.total - o.n*o.floor, u})
			if o.total+u-o.n*o.floor >= o.plan.top && low > o.floor {
				o.floor++
			}
		}
		o.total += u
		t.slots++
		if u > 0 {
			q := o.total - o.n*o.floor
			t.unused += u
			t.unused2 += u * u
			t.unusedQ += float64(u * q)
			if o.plan.law && !o.plan.pool {
				t.addBoundary(u, q)
			}
		}
		if o.plan.ceiling > 0 && low-o.floor > 2*o.plan.ceiling {
			o.floor += o.plan.ceiling
		}
	}
}

// sample sends a jobs to queues of random rank, one after the other. Of equal
// queues a job joins the last, which moves up to the next level, as in
// continuous time: one entry of level and one of before change.
func (o *occupancy) sample(a int64, t *tally) {
	o.reserve(o.svc.max, 1)
	if len(o.before) < len(o.count) {
		o.before = make([]int64, len(o.count))
	}
	lo, k := o.lo, int64(0)
	for l := lo; l <= o.hi; l++ {
		o.before[l&o.mask] = k
		for end := k + o.count[l&o.mask]; k < end; k++ {
			o.level[k] = int32(l - lo)
		}
	}
	top := o.hi + 1 // queues below it: all
	o.before[top&o.mask] = o.n
	for ; a > 0; a-- {
		x := lo + int64(o.level[o.rank.draw(o.rng.Uint64())]) + 1
		if x == top {
			o.hi = top
			o.reserve(o.svc.max, 1)
			if len(o.before) < len(o.count) {
				wider := make([]int64, len(o.count))
				for l := lo; l <= top; l++ {
					wider[l&o.mask] = o.before[l&int64(len(o.before)-1)]
				}
				o.before = wider
			}
			top++
			o.before[top&o.mask] = o.n
		}
		o.before[x&o.mask]--
		o.level[o.before[x&o.mask]] = int32(x - lo)
	}
	was := o.n // queues below level l + 1 when the slot began
	for l := o.hi; l >= lo; l-- {
		if !o.plan.law && l > lo { // jobs that rose from level l - 1 to l
			if rose := was - o.count[l&o.mask] - o.before[l&o.mask]; rose > 0 {
				x := l - o.floor
				t.sojourn += float64(rose) * (o.stay.upTo(x) - o.stay.upTo(x-1))
			}
		}
		was -= o.count[l&o.mask]
		o.count[l&o.mask] = o.before[(l+1)&o.mask] - o.before[l&o.mask]
	}
	for o.count[o.lo&o.mask] == 0 {
		o.lo++
	}
}

// serve moves the c servers of level l down by their services and returns what
// they leave unused. The caller adds it to the total.
func (o *occupancy) serve(l, c int64) (unused int64) {
	move := func(s, k int64) {
		o.total -= s * k
		to := l - s
		if to < o.floor {
			unused += k * (o.floor - to)
			to = o.floor
		}
		o.count[to&o.mask] += k
	}
	switch {
	case o.svc.fixed:
		move(1, c)
	case o.svc.bits:
		n1, n2 := int64(0), int64(0)
		for left := c; left > 0; left -= 32 {
			w := o.rng.Uint64()
			if left < 32 {
				w &= 1<<uint(2*left) - 1
			}
			both := w & (w >> 1) & 0x5555555555555555
			k2 := bits.OnesCount64(both)
			n2 += int64(k2)
			n1 += int64(bits.OnesCount64(w) - 2*k2)
		}
		move(0, c-n1-n2)
		move(1, n1)
		move(2, n2)
	default:
		for ; c > 0; c-- {
			move(o.svc.pow[0].draw(o.rng.Uint64()), 1)
		}
	}
	return unused
}

func (o *occupancy) look(t *tally) {
	s1, s2 := int64(0), 0.0
	for l := o.lo; l <= o.hi; l++ {
		d := l - o.lo
		c := o.count[l&o.mask]
		s1 += c * d
		s2 += float64(c * d * d)
	}
	t.looks++
	t.addTotal(o.total - o.n*o.floor)
	t.perp += s2 - float64(s1)*float64(s1)/float64(o.n)
}
