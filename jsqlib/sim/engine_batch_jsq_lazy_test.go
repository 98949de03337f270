package sim

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/reps"
)

// books fails unless the sums, lists and bounds of the lazy engine agree. It
// draws nothing.
func books(t *testing.T, l *lazy) {
	t.Helper()
	smax := l.svc.max
	var count, sumValue, sumSince int64
	seen := map[int32]bool{}
	for b, first := range l.head {
		for i := first; i >= 0; i = l.sleepers[i].next {
			s := l.sleepers[i]
			if seen[i] {
				t.Fatalf("slot %d: sleeper %d is in two buckets", l.slot, i)
			}
			seen[i] = true
			count++
			sumValue += s.value
			sumSince += s.since
			if s.since > l.slot {
				t.Fatalf("slot %d: a queue sleeps since slot %d", l.slot, s.since)
			}
			// waking early does no harm, waking late does: walking the ring
			// from next, its bucket comes no later than its key
			key := s.value + smax*s.since
			if wait := (int64(b) - l.next) & l.mask; l.next+wait > key {
				t.Fatalf("slot %d: the sleeper with key %d is found at %d only (next %d)", l.slot, key, l.next+wait, l.next)
			}
			// the least it can have fallen to by now is not below zero: no
			// service of a sleeper is ever unused
			if bound := key - smax*l.slot; bound < l.floor {
				t.Fatalf("slot %d: a sleeper may be at %d, below the floor %d", l.slot, bound, l.floor)
			}
		}
	}
	for _, i := range l.free {
		if seen[i] {
			t.Fatalf("slot %d: sleeper %d is free and in use", l.slot, i)
		}
		seen[i] = true
	}
	if count != l.asleep || sumValue != l.sumValue || sumSince != l.sumSince {
		t.Fatalf("slot %d: %d sleepers of value %d since %d, counted %d, %d, %d", l.slot, count, sumValue, sumSince, l.asleep, l.sumValue, l.sumSince)
	}
	if int64(len(l.awake))+l.asleep != l.n || int64(len(seen)) != l.n {
		t.Fatalf("slot %d: %d awake, %d asleep, %d places, want %d queues", l.slot, len(l.awake), l.asleep, len(seen), l.n)
	}
	low := far
	for _, x := range l.awake {
		if x < l.floor {
			t.Fatalf("slot %d: an awake queue is at %d, below the floor %d", l.slot, x, l.floor)
		}
		low = min(low, x)
	}
	if low != l.low {
		t.Fatalf("slot %d: least awake queue %d, low %d", l.slot, low, l.low)
	}
}

// TestLazyBooks checks the lazy engine before and after every slot of random
// systems, with and without looks and ceilings.
func TestLazyBooks(t *testing.T) {
	alone(t)
	r := rand.New(rand.NewPCG(4, 1))
	most := int64(0) // asleep, over all
	for k := range draws(250) {
		s := jsqlib.Model{Servers: 1 + r.IntN(40), Gap: math.Exp(-6 * r.Float64()),
			Arrivals: []jsqlib.PMF{nil, skewed, bursts, rare}[r.IntN(4)],
			Service:  []jsqlib.PMF{nil, skewed, two, fixed, rare}[r.IntN(5)]}
		c := constants(t, s)
		p := plan{stride: 1 + int64(r.IntN(30))}
		if k%3 == 0 {
			p = plan{law: true, ceiling: int64(c.SMax + r.IntN(12))}
		}
		l := newLazy(c, reps.Stream("jsqlab", 4, "books", k), p)
		l.start(int64(r.IntN(300)))
		tl := &tally{}
		var unused, total int64
		for range 300 {
			l.run(1, tl)
			books(t, l)
			most = max(most, l.asleep)
			// what the next slot will see: nobody asleep may be a least queue
			l.wake()
			books(t, l)
			for _, x := range sleeping(l) {
				if x <= max(l.low, l.floor+l.svc.max-1) {
					t.Fatalf("%+v, slot %d: a sleeper may be at %d, low %d, floor %d", s, l.slot, x, l.low, l.floor)
				}
			}
		}
		if tl.slots != 300 {
			t.Fatalf("%d slots counted, want 300", tl.slots)
		}
		for _, x := range tl.boundary {
			total += x
		}
		if unused = tl.unused; p.law && total != unused {
			t.Fatalf("%+v: the boundary law has %d counts, %d services were unused", s, total, unused)
		}
		if q := queues(l); len(q) != s.Servers || q[0] < 0 {
			t.Fatalf("%+v: queues %v", s, q)
		}
	}
	if most < 20 {
		t.Errorf("at most %d queues slept: the test does not reach what it is for", most)
	}
}

// sleeping returns the lower bounds of the sleepers at the start of the slot.
func sleeping(l *lazy) []int64 {
	var b []int64
	for _, i := range l.head {
		for ; i >= 0; i = l.sleepers[i].next {
			b = append(b, l.sleepers[i].value+l.svc.max*(l.sleepers[i].since-l.slot))
		}
	}
	return b
}

// TestLazyTruncatesNoSleeper: the least ceiling, S_max, does not lift the floor
// to a sleeper's bound; 1 did, so the boundary estimator never goes below S_max.
func TestLazyTruncatesNoSleeper(t *testing.T) {
	alone(t)
	s := jsqlib.Model{Servers: 12, Gap: 0.01, Service: rare, Arrivals: rare}
	l := newLazy(constants(t, s), reps.Stream("jsqlab", 4, "low ceiling", 0), plan{law: true, ceiling: 10})
	l.start(400)
	tl := &tally{}
	for range 20_000 {
		l.run(1, tl)
		books(t, l)
	}
	b, err := Boundary(background, s, BoundaryOptions{Estimator: Climb, Ceiling: 1, Options: Options{MaxSlots: 400_000, Replications: 2, RelError: 0.5}})
	if err != nil || b.Ceiling < 10 {
		t.Errorf("ceiling %d with S_max = 10, error %v", b.Ceiling, err)
	}
}

// TestLazyLookKeepsTotal: bringing the sleepers up to date moves the jobs
// counted as missed into the values, and a second look finds the same state.
func TestLazyLookKeepsTotal(t *testing.T) {
	alone(t)
	s := jsqlib.Model{Servers: 30, Gap: 0.01, Service: skewed}
	l := newLazy(constants(t, s), reps.Stream("jsqlab", 4, "look", 0), plan{stride: 1 << 40})
	l.start(900)
	for range 200 {
		l.run(20, &tally{})
		q := queues(l)
		if l.sumSince != l.asleep*l.slot {
			t.Fatalf("slot %d: a look leaves services missed", l.slot)
		}
		again, tl := queues(l), &tally{}
		l.look(tl)
		if !slices.Equal(q, again) || tl.looks != 1 || tl.total[jsqlib.Total(q)] != 1 {
			t.Fatalf("slot %d: queues %v, then %v", l.slot, q, again)
		}
		if want := jsqlib.PerpNorm2(q); math.Abs(tl.perp-want) > 1e-9*want+1e-9 {
			t.Fatalf("slot %d: ||q_perp||^2 = %v, want %v", l.slot, tl.perp, want)
		}
	}
}

// TestOneSlotCounts: in the engines that touch every server, the sums of one
// slot are those of its unused services and the queues after it.
func TestOneSlotCounts(t *testing.T) {
	alone(t)
	for _, s := range []jsqlib.Model{
		{}, {Routing: jsqlib.Job},
		{Routing: jsqlib.Job, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 2}}, {Routing: jsqlib.Job, Policy: jsqlib.Policy{Rule: jsqlib.PodReplacement, Choices: 3}},
	} {
		s.Servers, s.Gap = 4, 0.2
		c := constants(t, s)
		for _, law := range []bool{false, true} {
			p := plan{stride: 1, law: law}
			engines := []engine{newDense(&s, c, reps.Stream("jsqlab", 5, "one slot", 0), p)}
			if s.Routing == jsqlib.Job {
				engines = append(engines, newOccupancy(&s, c, reps.Stream("jsqlab", 5, "one slot", 1), p))
			} else {
				engines = append(engines, newPacked(c, reps.Stream("jsqlab", 5, "one slot", 2), p))
			}
			for _, e := range engines {
				for range 3000 {
					before := queues(e)
					tl := &tally{}
					e.run(1, tl)
					q := jsqlib.Total(queues(e))
					u := tl.unused
					if tl.slots != 1 || tl.unused2 != u*u || tl.unusedQ != float64(u*q) || u < 0 || u > 8 {
						t.Fatalf("%T: %+v after a slot that left U = %d, Q = %d", e, tl, u, q)
					}
					if law {
						for x, k := range tl.boundary {
							at := int64(x) + tl.boundaryMin
							if want := at > q-u && at <= q; (k == 1) != want || k > 1 {
								t.Fatalf("%T: U = %d, Q^+ = %d: Q~ = %d counted %d times", e, u, q, at, k)
							}
						}
						if u > 0 && tl.boundary == nil || tl.looks != 0 {
							t.Fatalf("%T: %+v", e, tl)
						}
						continue
					}
					if tl.looks != 1 || tl.total[jsqlib.Total(before)] != 1 || math.Abs(tl.perp-jsqlib.PerpNorm2(before)) > 1e-9 {
						t.Fatalf("%T: a look at %v gives %+v", e, before, tl)
					}
				}
			}
		}
	}
}

// TestOneStepCounts: the sums of one step of the continuous-time engine are
// those of the state the step starts from.
func TestOneStepCounts(t *testing.T) {
	alone(t)
	for _, s := range []jsqlib.Model{
		{Continuous: true, Servers: 4, Gap: 0.2}, {Continuous: true, Servers: 4, Gap: 0.2, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 2}},
		{Continuous: true, Servers: 4, Gap: 0.2, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 1}}, {Continuous: true, Servers: 4, Gap: 0.2, Policy: again(3)}, {Continuous: true, Servers: 1, Gap: 0.2},
	} {
		c := constantsCT(t, s)
		for _, law := range []bool{false, true} {
			e := newCT(&s, c, reps.Stream("jsqlab", 5, "one step", 0), plan{stride: 1, law: law})
			for range 3000 {
				q := queues(e)
				total, idle, squares := jsqlib.Total(q), int64(0), int64(0)
				for _, x := range q {
					squares += x * x
					if x == 0 {
						idle++
					}
				}
				tl := &tally{}
				e.run(1, tl)
				after := queues(e)
				joined, arrivals := int64(0), jsqlib.Total(after)-total
				for i := range q {
					if after[i] > q[i] {
						joined = q[i]
					}
				}
				weight := int64(1)
				if law {
					weight = idle
				}
				if tl.slots != 1 || tl.unused != idle || tl.unusedQ != float64(idle*total) || tl.squares != float64(squares) ||
					tl.sojourn != float64(joined) || tl.total[total] != weight || jsqlib.Total(tl.total) != weight {
					t.Fatalf("%+v: from %v to %v: %+v", s, q, after, tl)
				}
				if arrivals < -1 || arrivals > 1 || s.JSQ() && joined > q[0] {
					t.Fatalf("%+v: from %v to %v", s, q, after)
				}
			}
		}
	}
}

// TestCeiling: when the least queue exceeds 2L, and only then, L is taken off
// every queue.
func TestCeiling(t *testing.T) {
	alone(t)
	const ceiling = 5
	batch, job := jsqlib.Model{Servers: 6, Gap: 1e-9}, jsqlib.Model{Servers: 6, Gap: 1e-9, Routing: jsqlib.Job}
	pod := jsqlib.Model{Servers: 6, Gap: 1e-9, Routing: jsqlib.Job, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 2}}
	c, p := constants(t, batch), plan{law: true, ceiling: ceiling}
	for _, e := range []engine{
		newLazy(c, reps.Stream("jsqlab", 5, "ceiling", 0), p), newPacked(c, reps.Stream("jsqlab", 5, "ceiling", 1), p),
		newOccupancy(&job, c, reps.Stream("jsqlab", 5, "ceiling", 2), p), newOccupancy(&pod, c, reps.Stream("jsqlab", 5, "ceiling", 5), p), newDense(&batch, c, reps.Stream("jsqlab", 5, "ceiling", 3), p), newDense(&job, c, reps.Stream("jsqlab", 5, "ceiling", 4), p),
	} {
		floor := func() int64 {
			switch e := e.(type) {
			case *lazy:
				return e.floor
			case *packed:
				return e.floor
			case *occupancy:
				return e.floor
			}
			return e.(*dense).floor
		}
		e.start(6 * 8)
		shifts, tl := 0, &tally{}
		for range 60_000 {
			f, low := floor(), queues(e)[0] // the lazy and the packed engine shift when a slot begins
			e.run(1, tl)
			d, after := floor()-f, queues(e)[0]
			switch e.(type) {
			case *occupancy, *dense: // when it ends
				low = after + d
			}
			if d != 0 && d != ceiling || (d == ceiling) != (low > 2*ceiling) {
				t.Fatalf("%T: the floor moved by %d at a least queue of %d", e, d, low)
			}
			if d > 0 {
				shifts++
			}
		}
		if shifts < 20 {
			t.Errorf("%T: %d shifts", e, shifts)
		}
	}
	// in continuous time, where blocks of steps end
	s := jsqlib.Model{Continuous: true, Servers: 6, Gap: 1e-9}
	e := newCT(&s, constantsCT(t, s), reps.Stream("jsqlab", 5, "ceiling", 5), p)
	e.start(6 * 8)
	shifts, tl := 0, &tally{}
	for range 300_000 {
		before := queues(e)
		e.run(1, tl)
		after := queues(e)
		d := jsqlib.Total(before) - jsqlib.Total(after)
		if shifted := d > 6; shifted != (before[0] > 2*ceiling) || shifted && (d < 6*ceiling-1 || d > 6*ceiling+1) {
			t.Fatalf("from %v to %v", before, after)
		} else if shifted {
			shifts++
		}
	}
	if shifts < 20 {
		t.Errorf("CT: %d shifts", shifts)
	}
}
