package sim

import (
	"math/rand/v2"

	"jsqlab/jsqlib"
)

// dense touches every server in every slot, for any policy, routing and pmf. The other engines are
// tested against it. Random routing job by job (Choices = 1) has no other engine: it leaves queues on
// as many levels as there are.
type dense struct {
	rng    *rand.PCG
	arrive alias
	svc    *service
	stay   *sojourn
	q      []int64 // floor + queue length
	floor  int64
	pick   *sampler // servers for each routing decision; nil: all
	job    bool
	plan   plan
	slot   int64
}

func newDense(s *jsqlib.Model, c *jsqlib.Constants, rng *rand.PCG, p plan) *dense {
	d := &dense{rng: rng, arrive: batches(c), svc: newService(c), stay: newSojourn(c),
		q: make([]int64, c.N), job: s.Routing == jsqlib.Job, plan: p}
	if !s.JSQ() {
		d.pick = newSampler(s.Policy, c.N)
	}
	return d
}

func (d *dense) start(q int64) { spread(d.q, q) }

func spread(q []int64, total int64) {
	n := int64(len(q))
	for i := range q {
		q[i] = total / n
		if int64(i) < total%n {
			q[i]++
		}
	}
}

// choose returns a server of least queue among all or among the sampled ones, ties uniform.
func (d *dense) choose() int {
	best, ties := -1, 0
	consider := func(i int) {
		switch {
		case best < 0 || d.q[i] < d.q[best]:
			best, ties = i, 1
		case d.q[i] == d.q[best]:
			if ties++; below(ties, d.rng) == 0 {
				best = i
			}
		}
	}
	if d.pick == nil {
		for i := range d.q {
			consider(i)
		}
		return best
	}
	for _, i := range d.pick.draw(d.rng) {
		consider(int(i))
	}
	return best
}

func (d *dense) run(n int64, t *tally) {
	for ; n > 0; n-- {
		if !d.plan.law {
			if d.slot++; d.slot%d.plan.stride == 0 {
				d.look(t)
			}
		}
		a := d.arrive.draw(d.rng.Uint64())
		if !d.job && a > 0 {
			i := d.choose()
			if !d.plan.law {
				x := d.q[i] - d.floor
				t.sojourn += d.stay.upTo(x+a) - d.stay.upTo(x)
			}
			d.q[i] += a
		} else {
			for ; a > 0; a-- {
				i := d.choose()
				d.q[i]++
				if !d.plan.law {
					x := d.q[i] - d.floor
					t.sojourn += d.stay.upTo(x) - d.stay.upTo(x-1)
				}
			}
		}
		u, sum, low := int64(0), int64(0), far
		for i, x := range d.q {
			x -= d.svc.one(d.rng)
			if x < d.floor {
				u += d.floor - x
				x = d.floor
			}
			d.q[i] = x
			sum += x - d.floor
			low = min(low, x)
		}
		t.slots++
		if u > 0 {
			t.addUnused(u, sum)
			if d.plan.law {
				t.addBoundary(u, sum)
			}
		}
		if d.plan.ceiling > 0 && low-d.floor > 2*d.plan.ceiling {
			d.floor += d.plan.ceiling
		}
	}
}

func (d *dense) look(t *tally) {
	t.looks++
	t.addTotal(jsqlib.Total(d.q) - int64(len(d.q))*d.floor)
	t.perp += jsqlib.PerpNorm2(d.q)
}
