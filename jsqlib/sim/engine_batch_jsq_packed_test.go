package sim

import (
	"context"
	"math"
	"slices"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/reps"
)

// TestPackedAgainstLazy: two engines of the same chain agree in every estimate,
// with and without a ceiling, at N that fill words and that do not.
func TestPackedAgainstLazy(t *testing.T) {
	alone(t)
	for _, n := range []int{1, 3, 8, 21, 32} {
		for _, ceiling := range []int64{0, 3, 700} {
			s := jsqlib.Model{Servers: n, Gap: 0.08}
			c, err := s.Constants()
			if err != nil {
				t.Fatal(err)
			}
			p := plan{stride: 1, ceiling: ceiling, law: ceiling > 0}
			var got [2][]jsqlib.Estimate
			for k := range 2 {
				var f fleet
				f.chain = &chain{service: 2 * int64(n)}
				for r := range 24 {
					var e engine = newLazy(&c, reps.Stream("jsqlab", uint64(k), "packed", r), p)
					if k == 1 {
						e = newPacked(&c, reps.Stream("jsqlab", uint64(k), "packed", r), p)
					}
					e.start(int64(n) * ceiling) // 700: far from the floor, so that base moves
					f.tallies = append(f.tallies, &tally{})
					e.run(int64(draws(40_000)), f.tallies[r])
				}
				slots := func(t *tally) float64 { return float64(t.slots) }
				got[k] = []jsqlib.Estimate{f.ratio(unused, slots), f.ratio(unused2, slots), f.ratio(unusedQ, slots)}
				if !p.law {
					got[k] = append(got[k], f.mean(meanTotal), f.mean(func(t *tally) float64 { return t.perp / float64(t.looks) }),
						f.mean(func(t *tally) float64 { return t.sojourn / float64(t.slots) }))
				}
			}
			for i, a := range got[0] {
				b := got[1][i]
				if d := math.Abs(a.Value - b.Value); d > 4*math.Hypot(a.StdErr, b.StdErr) {
					t.Errorf("N = %d, ceiling %d, estimate %d: lazy %v, packed %v", n, ceiling, i, a, b)
				}
			}
		}
	}
}

// TestPackedKeepsItsBooks: lanes, total, least lane and base agree after every
// slot, through moves of base and of the floor.
func TestPackedKeepsItsBooks(t *testing.T) {
	alone(t)
	s := jsqlib.Model{Servers: 7, Gap: 1e-9}
	c, err := s.Constants()
	if err != nil {
		t.Fatal(err)
	}
	e := newPacked(&c, reps.Stream("jsqlab", 1, "books", 0), plan{ceiling: 400, law: true})
	tl := &tally{}
	e.start(7 * 799)
	bases := map[int64]bool{}
	for k := range 400_000 {
		if k%100_000 == 50_000 {
			e.start(int64(7 * 300 * (k / 100_000)))
		}
		e.run(1, tl)
		v := e.values()
		if jsqlib.Total(v) != e.total {
			t.Fatalf("slot %d: lanes sum to %d, total %d", k, jsqlib.Total(v), e.total)
		}
		if low := slices.Min(v); low != e.base+int64(e.least>>laneShift) || low < e.floor || e.base < e.floor {
			t.Fatalf("slot %d: min %d, least %d, base %d, floor %d", k, low, e.least>>laneShift, e.base, e.floor)
		}
		bases[e.base] = true
	}
	if len(bases) < 4 {
		t.Errorf("base took the values %v only: the test does not reach what it is for", bases)
	}
}

// TestPackedWidens: queues too far apart for ten bits go on in the lazy engine
// without a job lost.
func TestPackedWidens(t *testing.T) {
	alone(t)
	s := jsqlib.Model{Servers: 2, Gap: 1e-9}
	c, err := s.Constants()
	if err != nil {
		t.Fatal(err)
	}
	e := newPacked(&c, reps.Stream("jsqlab", 1, "wide", 0), plan{stride: 1})
	e.base, e.total = 5000, 5000+6022
	e.pack([]int64{5000, 6022})
	tl := &tally{}
	e.run(100_000, tl)
	if e.wide == nil {
		t.Fatal("did not widen")
	}
	if tl.slots != 100_000 || tl.looks != 100_000 {
		t.Fatalf("%d slots, %d looks, want 100000", tl.slots, tl.looks)
	}
	d, err := Direct(context.Background(), jsqlib.Model{Servers: 2, Gap: 0.5}, Options{Seed: 3, RelError: 0.004})
	if err != nil {
		t.Fatal(err)
	}
	if d.MeanTotal.Deviation(0.7684999279) > 4 {
		t.Errorf("E Q = %v, want 0.7684999279", d.MeanTotal)
	}
}
