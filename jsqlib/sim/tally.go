package sim

import (
	"cmp"

	"jsqlab/jsqlib/internal/memory"
)

// tally holds the sums of one replication. Sums of integers stay integers, so
// that nothing depends on the order in which replications are combined.
type tally struct {
	slots   int64 // slots (steps in continuous time)
	looks   int64 // slots at which Q and ||q_perp||^2 were looked at
	total   []int64
	perp    float64 // sum of ||q_perp||^2 over looks
	squares float64 // sum of sum_i q_i^2 over steps (continuous time)
	sojourn float64 // sum over arriving jobs of their expected sojourn, in slots

	unused  int64   // sum of U (of I in continuous time)
	unused2 int64   // sum of U^2
	unusedQ float64 // sum of U Q^+ (of I Q)

	// boundary law: boundary[x - boundaryMin] counts Q~ = x
	boundary    []int64
	boundaryMin int64

	seen []slotSeen // of a pooled run in discrete time: its slots

	blind bool  // of a warm-up: the boundary law is not counted
	most  int64 // numbers that a law may take; 0: all that memory has
	full  bool  // more were needed: the law misses some
}

// slotSeen is a slot: the total as the free walk would have it, Q + A - S, and the unused service.
type slotSeen struct{ free, unused int64 }

// forget drops what was pooled.
func (t *tally) forget() {
	clear(t.total)
	t.seen = t.seen[:0]
	t.unused, t.unused2, t.unusedQ, t.boundary = 0, 0, 0, nil
}

// addTotal counts Q = q.
func (t *tally) addTotal(q int64) {
	if q >= int64(len(t.total)) && !t.lengthen(q+1) {
		return
	}
	t.total[q]++
}

func (t *tally) limit() int64 { return cmp.Or(t.most, memory.Limit/memory.Word) }

// lengthen makes room for the counts of 0, ..., n-1, and for half as many beyond. It
// reports whether they are within the limit.
func (t *tally) lengthen(n int64) bool {
	if n > t.limit() {
		t.full = true
		return false
	}
	t.total = append(t.total, make([]int64, min(n+n/2, t.limit())-int64(len(t.total)))...)
	return true
}

// addUnused counts a slot that leaves u services unused and q = Q^+ jobs.
func (t *tally) addUnused(u, q int64) {
	t.unused += u
	t.unused2 += u * u
	t.unusedQ += float64(u * q)
}

// addBoundary counts Q^+ - j for j = 0, ..., u-1.
func (t *tally) addBoundary(u, q int64) {
	x := q - t.boundaryMin
	if x-u+1 < 0 || x >= int64(len(t.boundary)) {
		if !t.widen(q-u+1, q) {
			return
		}
		x = q - t.boundaryMin
	}
	for ; u > 0; u-- {
		t.boundary[x]++
		x--
	}
}

// widen makes room for the counts of lo, ..., hi, and for half as many beyond
// where they were not enough. It reports whether they are counted. With batches Q~
// is near N^2/2 give or take N^1.5: counts from the least value possible, or on
// the way there in a warm-up, would waste gigabytes at large N.
func (t *tally) widen(lo, hi int64) bool {
	if t.blind {
		return false
	}
	end := t.boundaryMin + int64(len(t.boundary)) // of the counts that are there
	if t.boundary == nil {
		t.boundaryMin, end = hi, hi
	}
	from, to := t.boundaryMin, end
	room := max(hi+1-from, to-lo)/2 + 32
	if lo < from {
		from = lo - room
	}
	if hi >= to {
		to = hi + 1 + room
	}
	if to-from > t.limit() {
		t.full = true
		return false
	}
	wider := make([]int64, to-from)
	copy(wider[t.boundaryMin-from:], t.boundary)
	t.boundary, t.boundaryMin = wider, from
	return true
}

// plan says what an engine counts.
type plan struct {
	ceiling int64 // L >= S_max: take L off every queue when the minimum exceeds 2L
	law     bool  // count the boundary law Q~ (else the law of Q)
	stride  int64 // without law: look at Q and q_perp every stride slots
	pool    bool  // count visits and unused service by the total
	top     int64 // with pool: take a job off every queue when the total is top or more; 0: never
}

// engine advances one replication of a chain.
type engine interface {
	// run advances by n slots, counting into t.
	run(n int64, t *tally)
	// start puts the queues to total q, spread as evenly as can be.
	start(q int64)
}

// far is a level no queue reaches.
const far = int64(1) << 62
