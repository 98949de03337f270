package sim

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
}

func (t *tally) addTotal(q int64) {
	if q >= int64(len(t.total)) {
		t.total = append(t.total, make([]int64, q+1+q/2-int64(len(t.total)))...)
	}
	t.total[q]++
}

// addBoundary counts Q^+ - j for j = 0, ..., u-1.
func (t *tally) addBoundary(u, q int64) {
	x := q - t.boundaryMin
	if x-u+1 < 0 || x >= int64(len(t.boundary)) {
		t.widen(q-u+1, q)
		x = q - t.boundaryMin
	}
	for ; u > 0; u-- {
		t.boundary[x]++
		x--
	}
}

// widen makes room for the counts of lo, ..., hi. With batches Q~ is near N^2/2
// give or take N^1.5, so that counts from the least value possible would waste
// gigabytes at large N.
func (t *tally) widen(lo, hi int64) {
	if t.boundary != nil {
		lo, hi = min(lo, t.boundaryMin), max(hi, t.boundaryMin+int64(len(t.boundary))-1)
	}
	room := (hi-lo)/2 + 32
	wider := make([]int64, hi-lo+1+2*room)
	if t.boundary != nil {
		copy(wider[t.boundaryMin-lo+room:], t.boundary)
	}
	t.boundary, t.boundaryMin = wider, lo-room
}

// plan says what an engine counts.
type plan struct {
	ceiling int64 // L >= S_max: take L off every queue when the minimum exceeds 2L
	law     bool  // count the boundary law Q~ (else the law of Q)
	stride  int64 // without law: look at Q and q_perp every stride slots
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
