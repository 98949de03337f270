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
	if x >= int64(len(t.boundary)) {
		t.boundary = append(t.boundary, make([]int64, x+1+x/2-int64(len(t.boundary)))...)
	}
	for ; u > 0; u-- {
		t.boundary[x]++
		x--
	}
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
