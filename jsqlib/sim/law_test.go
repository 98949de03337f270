package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/reps"
)

// The laws of services and arrivals the engines are tried with.
var (
	skewed = jsqlib.PMF{0.3, 0.5, 0.1, 0.1}  // variance 0.8
	two    = jsqlib.PMF{0.5, 0, 0.5}         // no service or two
	fixed  = jsqlib.PMF{0, 1}                // deterministic
	bursts = jsqlib.PMF{0.75, 0, 0, 0, 0.25} // P(0) > 0, big batches
	rare   = jsqlib.PMF{0.9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.1}
)

// slotOf is what one slot does to the exchangeable queues.
type slotOf struct {
	queues string // sorted
	unused int64
}

// horizon is a number of slots and how many samples of the state after it.
type horizon struct{ slots, samples int }

// TestTransitions holds every engine against the reference recursion
// System.Step: from the same queues, the law of the sorted queues and the
// unused services after a few slots, and of Q, min q, max q and ||q_perp||^2
// after more of them.
func TestTransitions(t *testing.T) {
	alone(t)
	isLazy := func(_ *jsqlib.Model, c *jsqlib.Constants, rng *rand.PCG, p plan) engine { return newLazy(c, rng, p) }
	isPacked := func(_ *jsqlib.Model, c *jsqlib.Constants, rng *rand.PCG, p plan) engine { return newPacked(c, rng, p) }
	isOccupancy := func(s *jsqlib.Model, c *jsqlib.Constants, rng *rand.PCG, p plan) engine {
		return newOccupancy(s, c, rng, p)
	}
	isDense := func(s *jsqlib.Model, c *jsqlib.Constants, rng *rand.PCG, p plan) engine {
		return newDense(s, c, rng, p)
	}
	isSampled := func(s *jsqlib.Model, c *jsqlib.Constants, rng *rand.PCG, p plan) engine {
		return newSampled(s, c, rng, p)
	}
	short := []horizon{{1, 30_000}, {2, 12_000}, {7, 6_000}}
	long := []horizon{{1, 15_000}, {12, 4_000}, {60, 1_500}}
	far12 := []int64{0, 0, 1, 1, 2, 3, 8, 20, 21, 30, 50, 60}
	for _, c := range []struct {
		name string
		make func(*jsqlib.Model, *jsqlib.Constants, *rand.PCG, plan) engine
		s    jsqlib.Model
		from []int64
		at   []horizon
	}{
		{"packed", isPacked, jsqlib.Model{Gap: 0.1}, []int64{0, 1, 4}, short},
		{"packed, far apart", isPacked, jsqlib.Model{Gap: 0.05}, far12, long},
		{"packed, bursts", isPacked, jsqlib.Model{Gap: 0.3, Arrivals: bursts}, []int64{0, 0, 1, 2, 30}, short},
		{"packed, wide", isPacked, jsqlib.Model{Gap: 0.3}, []int64{0, 1, 1020}, short[:2]},
		{"lazy", isLazy, jsqlib.Model{Gap: 0.1}, []int64{0, 1, 4}, short},
		{"lazy, far apart", isLazy, jsqlib.Model{Gap: 0.05}, far12, long},
		{"lazy, skewed", isLazy, jsqlib.Model{Gap: 0.2, Service: skewed}, []int64{1, 2, 12}, short},
		{"lazy, skewed, far apart", isLazy, jsqlib.Model{Gap: 0.2, Service: skewed, Arrivals: rare}, far12, long},
		{"lazy, fixed", isLazy, jsqlib.Model{Gap: 0.2, Service: fixed, Arrivals: bursts}, []int64{0, 1, 1, 7}, short},
		{"lazy, fixed, far apart", isLazy, jsqlib.Model{Gap: 0.2, Service: fixed}, far12, long},
		{"lazy, two", isLazy, jsqlib.Model{Gap: 0.2, Service: two, Arrivals: rare}, []int64{0, 3, 9}, short},
		{"lazy, 40 queues", isLazy, jsqlib.Model{Gap: 0.05}, make([]int64, 40), []horizon{{1, 3_000}, {40, 600}}},
		{"occupancy", isOccupancy, jsqlib.Model{Gap: 0.1, Routing: jsqlib.Job}, []int64{0, 1, 4}, short},
		{"occupancy, skewed", isOccupancy, jsqlib.Model{Gap: 0.2, Routing: jsqlib.Job, Service: skewed}, []int64{1, 2, 12}, short},
		{"occupancy, fixed", isOccupancy, jsqlib.Model{Gap: 0.2, Routing: jsqlib.Job, Service: fixed, Arrivals: bursts}, []int64{0, 1, 1, 7}, short},
		{"occupancy, two", isOccupancy, jsqlib.Model{Gap: 0.2, Routing: jsqlib.Job, Service: two, Arrivals: rare}, []int64{0, 3, 9}, short},
		{"occupancy, far apart", isOccupancy, jsqlib.Model{Gap: 0.05, Routing: jsqlib.Job}, append([]int64{200}, far12...), long},
		{"occupancy, 40 queues", isOccupancy, jsqlib.Model{Gap: 0.05, Routing: jsqlib.Job}, make([]int64, 40), []horizon{{1, 3_000}, {40, 600}}},
		{"occupancy, pod:2", isOccupancy, jsqlib.Model{Gap: 0.1, Routing: jsqlib.Job, Policy: pod(2)}, []int64{0, 1, 1, 4}, short},
		{"occupancy, pod:2:replacement", isOccupancy, jsqlib.Model{Gap: 0.1, Routing: jsqlib.Job, Policy: again(2)}, []int64{0, 1, 1, 4}, short},
		{"occupancy, pod:1", isOccupancy, jsqlib.Model{Gap: 0.2, Routing: jsqlib.Job, Policy: pod(1), Service: skewed}, []int64{0, 0, 2}, short},
		{"occupancy, pod:3, skewed", isOccupancy, jsqlib.Model{Gap: 0.2, Routing: jsqlib.Job, Service: skewed, Policy: pod(3)}, []int64{1, 2, 12, 70}, short},
		{"occupancy, pod:3:replacement, far apart", isOccupancy, jsqlib.Model{Gap: 0.05, Routing: jsqlib.Job, Policy: again(3)}, append([]int64{200}, far12...), long},
		{"occupancy, pod:5, 40 queues", isOccupancy, jsqlib.Model{Gap: 0.05, Routing: jsqlib.Job, Policy: pod(5)}, make([]int64, 40), []horizon{{1, 3_000}, {40, 600}}},
		{"sampled, pod:2", isSampled, jsqlib.Model{Gap: 0.1, Policy: pod(2)}, []int64{0, 1, 1, 4}, short},
		{"sampled, pod:2, far apart", isSampled, jsqlib.Model{Gap: 0.05, Policy: pod(2)}, far12, long},
		{"sampled, pod:3:replacement, far apart", isSampled, jsqlib.Model{Gap: 0.05, Policy: again(3)}, far12, long},
		{"sampled, pod:1, far apart", isSampled, jsqlib.Model{Gap: 0.2, Policy: pod(1), Arrivals: rare}, far12, long},
		{"sampled, pod:11, far apart", isSampled, jsqlib.Model{Gap: 0.05, Policy: pod(11)}, far12, long},
		{"sampled, skewed, far apart", isSampled, jsqlib.Model{Gap: 0.2, Policy: pod(2), Service: skewed, Arrivals: rare}, far12, long},
		{"sampled, fixed", isSampled, jsqlib.Model{Gap: 0.2, Policy: pod(2), Service: fixed, Arrivals: bursts}, []int64{0, 1, 1, 7}, short},
		{"sampled, two", isSampled, jsqlib.Model{Gap: 0.2, Policy: again(2), Service: two, Arrivals: rare}, []int64{0, 3, 9, 40, 90}, short},
		{"sampled, 40 queues", isSampled, jsqlib.Model{Gap: 0.05, Policy: pod(3)}, make([]int64, 40), []horizon{{1, 3_000}, {40, 600}}},
		{"dense", isDense, jsqlib.Model{Gap: 0.1}, []int64{0, 1, 4}, short},
		{"dense, skewed", isDense, jsqlib.Model{Gap: 0.2, Service: skewed, Arrivals: bursts}, []int64{0, 1, 1, 4}, short},
		{"dense, job", isDense, jsqlib.Model{Gap: 0.1, Routing: jsqlib.Job}, []int64{0, 1, 4}, short},
		{"dense, pod:1", isDense, jsqlib.Model{Gap: 0.2, Policy: pod(1), Service: fixed}, []int64{0, 0, 2}, short},
		{"dense, pod:1, job", isDense, jsqlib.Model{Gap: 0.2, Policy: pod(1), Routing: jsqlib.Job}, []int64{0, 0, 2}, short},
		{"dense, pod:2", isDense, jsqlib.Model{Gap: 0.1, Policy: pod(2), Service: two}, []int64{0, 1, 1, 3}, short},
		{"dense, pod:2:replacement", isDense, jsqlib.Model{Gap: 0.1, Policy: again(2), Service: two}, []int64{0, 1, 1, 3}, short},
		{"dense, pod:3:replacement, job", isDense, jsqlib.Model{Gap: 0.1, Policy: again(3), Routing: jsqlib.Job}, []int64{0, 0, 0, 5}, short},
		{"dense, pod:2, job", isDense, jsqlib.Model{Gap: 0.1, Policy: pod(2), Service: skewed}, []int64{0, 1, 1, 3}, short},
		{"dense, pod:3, job", isDense, jsqlib.Model{Gap: 0.1, Policy: pod(3), Routing: jsqlib.Job}, []int64{0, 0, 0, 5}, short},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.s.Servers = len(c.from)
			k := constants(t, c.s)
			e := c.make(&c.s, k, reps.Stream("jsqlab", 7, "transitions "+c.name, 0), plan{stride: 1 << 40})
			r := rand.New(rand.NewPCG(7, 7))
			for _, h := range c.at {
				var got, want sample
				for range draws(h.samples) {
					put(e, c.from)
					tl := &tally{}
					e.run(int64(h.slots), tl)
					got.add(queues(e), tl.unused)
					q, u := c.from, int64(0)
					for range h.slots {
						slot := c.s.Step(*k, q, r)
						q, u = slot.After, u+jsqlib.Total(slot.Unused)
					}
					q = slices.Clone(q)
					slices.Sort(q)
					want.add(q, u)
				}
				got.compare(t, fmt.Sprintf("after %d slots", h.slots), &want)
			}
		})
	}
}

// TestTransitionsCT is TestTransitions for the uniformised continuous-time
// chain.
func TestTransitionsCT(t *testing.T) {
	alone(t)
	for _, c := range []struct {
		d    int // negative: with replacement
		gap  float64
		from []int64
	}{
		{0, 0.1, []int64{0, 0, 2}},
		{0, 0.4, []int64{0, 1, 1, 1, 6}},
		{0, 1e-20, []int64{3, 0, 1}},
		{3, 0.2, []int64{0, 0, 2}},
		{1, 0.2, []int64{0, 0, 2, 5}},
		{2, 0.1, []int64{0, 1, 1, 2, 9}},
		{4, 0.1, []int64{0, 0, 0, 2, 9}},
		{0, 0.3, []int64{0}},
		{-2, 0.1, []int64{0, 1, 1, 2, 9}},
		{-4, 0.2, []int64{0, 0, 3, 5}},
	} {
		s := jsqlib.Model{Continuous: true, Servers: len(c.from), Gap: c.gap}
		switch {
		case c.d > 0:
			s.Policy = pod(c.d)
		case c.d < 0:
			s.Policy = again(-c.d)
		}
		t.Run(fmt.Sprintf("N=%d,d=%d,gap=%g", s.Servers, c.d, c.gap), func(t *testing.T) {
			k := constantsCT(t, s)
			e := newCT(&s, k, reps.Stream("jsqlab", 8, t.Name(), 0), plan{stride: 1})
			r := rand.New(rand.NewPCG(8, 8))
			for _, h := range []horizon{{1, 15_000}, {2, 12_000}, {9, 6_000}, {80, 1_000}} {
				var got, want sample
				tl := &tally{}
				for range draws(h.samples) {
					put(e, c.from)
					e.run(int64(h.slots), tl)
					got.add(queues(e), 0)
					q := c.from
					for range h.slots {
						q, _, _ = s.Tick(*k, q, r)
					}
					q = slices.Clone(q)
					slices.Sort(q)
					want.add(q, 0)
				}
				got.compare(t, fmt.Sprintf("after %d steps", h.slots), &want)
			}
		})
	}
}

// sample counts what is known of the state after some slots.
type sample struct {
	all                          map[slotOf]int
	total, low, high, perp, used map[int64]int
}

func (s *sample) add(q []int64, u int64) {
	if s.all == nil {
		s.all = map[slotOf]int{}
		s.total, s.low, s.high, s.perp, s.used = map[int64]int{}, map[int64]int{}, map[int64]int{}, map[int64]int{}, map[int64]int{}
	}
	s.all[slotOf{fmt.Sprint(q), u}]++
	s.total[jsqlib.Total(q)]++
	s.low[q[0]]++
	s.high[q[len(q)-1]]++
	squares := int64(0)
	for _, x := range q {
		squares += x * x
	}
	s.perp[int64(len(q))*squares-jsqlib.Total(q)*jsqlib.Total(q)]++ // N ||q_perp||^2
	s.used[u]++
}

func (s *sample) compare(t *testing.T, when string, want *sample) {
	t.Helper()
	if p := sameLaw(s.all, want.all); p < unlikely {
		t.Errorf("%s: the queues and unused services have another law, p-value %g", when, p)
	}
	for _, x := range []struct {
		what string
		a, b map[int64]int
	}{
		{"Q", s.total, want.total}, {"min q", s.low, want.low}, {"max q", s.high, want.high},
		{"||q_perp||^2", s.perp, want.perp}, {"U", s.used, want.used},
	} {
		if p := sameLaw(x.a, x.b); p < unlikely {
			t.Errorf("%s: %s has another law, p-value %g", when, x.what, p)
		}
	}
}
