package sim

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"sync"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/memory"
	"jsqlab/jsqlib/internal/reps"
)

// CollapseOptions steer [MeasureCollapse]. The zero value simulates the system as it is, for 2^20 slots
// in 16 replications.
type CollapseOptions struct {
	Seed         uint64
	Workers      int   // 0: one for each core. Never changes a result.
	Slots        int64 // counted, over all replications; 0: 2^20
	Replications int   // independent replications behind the intervals; 0: 16
	Bins         int   // of L; 0: 20
	Orders       []int // orders r >= 1 of the moments; nil: 1, 2, 4, 8

	// Line, if set, is a bound on the drift at L = l, such as [bound.Drift.Line]. Every bin is compared
	// with this bound.
	Line func(l float64) float64

	// Saturated simulates the differences of the queues as if no service were ever unused. The law of
	// the differences is then that far above the boundary, at any load. The stationary law of L tends
	// to this law as the gap closes: the two differ by the share of time near the boundary, about E Q~
	// eps/v. Without Saturated, a gap so small that the total does not mix within the run is refused.
	Saturated bool
	// Start, if set, is the state in which each replication starts. Counting begins at once. The drift
	// then shows the way back from far out; moments and tails are not those of the stationary law.
	Start []int64

	// Progress, if set, is called with the slots done and to do, from one goroutine at a time.
	Progress func(done, total int64)
}

// Collapse holds the drift, the moments and the tail of L = ||q_perp||_2 in a simulation, with 95 %
// intervals over independent replications.
type Collapse struct {
	Bins      []DriftBin
	Roots     []Root
	Slots     int64 // counted, over all replications
	WarmUp    int64 // slots left out, over all replications
	Saturated bool
}

// DriftBin is the drift of L given that L is in a bin. Slots with L = 0 count in Tail only.
type DriftBin struct {
	Low, High float64 // of L, Low <= L < High
	Slots     int64
	MeanL     float64         // mean of L
	Drift     jsqlib.Estimate // E[L^+ - L | L in the bin]
	Line      float64         // mean of Drift.Line(L)
	Excess    jsqlib.Estimate // Drift less Line, over the same slots: <= 0 if the bound holds
	Tail      jsqlib.Estimate // P(L >= Low)
}

// Root is a moment.
type Root struct {
	Order int             // r
	Root  jsqlib.Estimate // (E L^r)^(1/r)
}

const (
	maxCollapseServers = 10_000
	// warmUpSlots: the differences start equal and mix within a few rounds of N batches.
	warmUpRounds = 100
	warmUpSlots  = 1000
)

// MeasureCollapse simulates the slots of the system and returns the drift of L, its moments and its
// tail. It fails with [*jsqlib.Invalid] for options out of range, for N = 1 and more than 10000
// servers, for a policy other than JSQ and for a gap that needs Saturated, and as
// [jsqlib.Model.Constants] does. When ctx ends it returns the context's error.
func MeasureCollapse(ctx context.Context, s jsqlib.Model, o CollapseOptions) (*Collapse, error) {
	if err := reps.Context("sim", ctx); err != nil {
		return nil, err
	}
	c, err := s.Constants()
	if err != nil {
		return nil, err
	}
	if s.Continuous {
		return nil, jsqlib.Refuse("sim", "model", jsqlib.CT, "dt")
	}
	if !s.JSQ() {
		return nil, jsqlib.Refuse("sim", "policy", s.Policy, "jsq")
	}
	if err := o.fill(c); err != nil {
		return nil, err
	}
	plan := collapsePlan{o: o, c: c, routing: s.Routing, slots: o.Slots / int64(o.Replications)}
	if err := plan.setWarmUp(); err != nil {
		return nil, err
	}
	lo, batch := trimmedPower(c.Arrivals, c.N)
	plan.arrivals, plan.service = newInverse(batch), newInverse(c.Service)
	plan.arrivals.min += int64(lo)
	plan.setEdges(ctx)

	counts := make([]*collapseCounts, o.Replications)
	var lock sync.Mutex
	done, total := int64(0), int64(o.Replications)*(plan.slots+plan.warmUp)
	report := func(slots int64) {
		if o.Progress != nil {
			lock.Lock()
			done += slots
			o.Progress(done, total)
			lock.Unlock()
		}
	}
	reps.Pool(o.Workers, len(counts), func(r int) { counts[r] = plan.run(ctx, r, report) })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return plan.result(counts), nil
}

func (o *CollapseOptions) fill(c jsqlib.Constants) error {
	if c.N < 2 || c.N > maxCollapseServers {
		return jsqlib.Refuse("sim", "servers", c.N, fmt.Sprintf("2 <= servers <= %d (q_perp = 0 for one server)", maxCollapseServers))
	}
	if o.Workers < 0 {
		return jsqlib.Refuse("sim", "Workers", o.Workers, "Workers >= 0")
	}
	o.Workers = reps.Workers(o.Workers)
	o.Replications = cmp.Or(o.Replications, 16)
	if o.Replications < 2 || o.Replications > 1<<16 {
		return jsqlib.Refuse("sim", "Replications", o.Replications, "2 <= Replications <= 65536")
	}
	o.Slots = cmp.Or(o.Slots, 1<<20)
	if o.Slots < int64(o.Replications) {
		return jsqlib.Refuse("sim", "Slots", o.Slots, "at least one slot for each replication")
	}
	o.Bins = cmp.Or(o.Bins, 20)
	if o.Bins < 1 || o.Bins > 1<<20 {
		return jsqlib.Refuse("sim", "Bins", o.Bins, "1 <= Bins <= 2^20")
	}
	if o.Orders == nil {
		o.Orders = []int{1, 2, 4, 8}
	}
	for _, r := range o.Orders {
		if r < 1 {
			return jsqlib.Refuse("sim", "r", r, "r >= 1")
		}
	}
	if err := memory.Check("sim", "Bins", int64(o.Bins), func(n float64) float64 {
		return float64(o.Replications) * memory.Word * (4*n + float64(len(o.Orders)))
	}); err != nil {
		return err
	}
	if o.Start == nil {
		return nil
	}
	if len(o.Start) != c.N {
		return jsqlib.Refuse("sim", "Start", fmt.Sprintf("%d queues", len(o.Start)), "one for each server")
	}
	for _, x := range o.Start {
		if x < 0 || x > 1<<30 {
			return jsqlib.Refuse("sim", "Start", fmt.Sprintf("a queue of %d", x), "queues of 0 to 2^30 jobs")
		}
	}
	return nil
}

// collapsePlan is shared by all replications.
type collapsePlan struct {
	o                 CollapseOptions
	c                 jsqlib.Constants
	routing           jsqlib.Routing
	arrivals, service inverse
	slots, warmUp     int64     // of one replication
	edges             []float64 // between bins
	scale             float64   // of L, for moments
}

func (p *collapsePlan) setWarmUp() error {
	if p.o.Start != nil {
		return nil
	}
	warmUp := float64(warmUpRounds*p.c.N + warmUpSlots)
	if !p.o.Saturated {
		// a mean needs some 100 relaxation times
		if t := p.c.Relaxation(); 100*t > float64(p.o.Slots) || t > 1e15 {
			return jsqlib.Refuse("sim", "gap", p.c.Gap, fmt.Sprintf("Saturated, or at least 100 relaxation times 2 v/eps^2 = %.3g in the %d slots", t, p.o.Slots))
		}
		warmUp += 8 * p.c.Relaxation()
	}
	p.warmUp = int64(warmUp)
	return nil
}

// setEdges spaces the bins evenly over the L of a pilot run.
func (p *collapsePlan) setEdges(ctx context.Context) {
	low, high := 0.0, 0.0
	if p.o.Start != nil {
		high = math.Sqrt(jsqlib.PerpNorm2(p.o.Start))
	} else {
		w := p.walker("pilot", 0)
		for k := 0; k < warmUpRounds*p.c.N+warmUpSlots && ctx.Err() == nil; k++ {
			w.step()
		}
		low = math.Inf(1)
		for k := 0; k < 10*p.c.N+1000 && ctx.Err() == nil; k++ {
			if l := w.step(); l > 0 {
				low, high = math.Min(low, l), math.Max(high, l)
			}
		}
	}
	if !(high > low) { // one value of L, or none but 0
		low, high = 0, math.Max(high, 1)
	}
	p.scale = high
	for i := 1; i < p.o.Bins; i++ {
		p.edges = append(p.edges, low+(high-low)*float64(i)/float64(p.o.Bins))
	}
}

// walker is one sample path.
type walker struct {
	*collapsePlan
	q   []int64
	rng *rand.PCG
}

func (p *collapsePlan) walker(task string, replication int) *walker {
	w := &walker{
		collapsePlan: p, q: make([]int64, p.c.N),
		rng: reps.Stream("jsqlab/bound", p.o.Seed, task, replication),
	}
	copy(w.q, p.o.Start)
	return w
}

// step makes one slot and returns L after it.
func (w *walker) step() float64 {
	w.routing.Join(w.q, w.arrivals.draw(w.rng))
	base, s1, s2 := w.q[0], int64(0), int64(0)
	for i, x := range w.q {
		x -= w.service.draw(w.rng)
		if x < 0 && !w.o.Saturated {
			x = 0
		}
		w.q[i] = x
		x -= base
		s1 += x
		s2 += x * x
	}
	// ||q_perp|| from sums over q_i - q_0, which are exact
	return math.Sqrt(math.Max(float64(s2)-float64(s1)*float64(s1)/float64(w.c.N), 0))
}

// collapseCounts are the sums of one replication.
type collapseCounts struct {
	slots, zero       float64
	n, l, drift, line []float64 // by bin
	powers            []float64 // sums of (L/scale)^r
}

const collapseChunk = 1 << 20 // queue updates between looks at the context

func (p *collapsePlan) run(ctx context.Context, replication int, report func(int64)) *collapseCounts {
	w := p.walker("run", replication)
	bins := len(p.edges) + 1
	k := &collapseCounts{
		n: make([]float64, bins), l: make([]float64, bins), drift: make([]float64, bins), line: make([]float64, bins),
		powers: make([]float64, len(p.o.Orders)),
	}
	l := math.Sqrt(jsqlib.PerpNorm2(w.q))
	chunk := int64(max(collapseChunk/p.c.N, 1))
	for at := int64(0); at < p.warmUp+p.slots; {
		if ctx.Err() != nil {
			return k
		}
		end := min(at+chunk, p.warmUp+p.slots)
		report(end - at)
		for ; at < end; at++ {
			before := l
			l = w.step()
			if at < p.warmUp {
				continue
			}
			k.slots++
			for i, r := range p.o.Orders {
				k.powers[i] += math.Pow(before/p.scale, float64(r))
			}
			if before == 0 {
				k.zero++
				continue
			}
			i := sort.Search(len(p.edges), func(i int) bool { return p.edges[i] > before })
			k.n[i]++
			k.l[i] += before
			k.drift[i] += l - before
			if p.o.Line != nil {
				k.line[i] += p.o.Line(before)
			}
		}
	}
	return k
}

// result combines the replications, in their order.
func (p *collapsePlan) result(counts []*collapseCounts) *Collapse {
	out := &Collapse{
		Saturated: p.o.Saturated,
		Slots:     p.slots * int64(p.o.Replications), WarmUp: p.warmUp * int64(p.o.Replications),
	}
	each := func(f func(*collapseCounts) float64) []float64 {
		x := make([]float64, len(counts))
		for i, k := range counts {
			x[i] = f(k)
		}
		return x
	}
	slots := each(func(k *collapseCounts) float64 { return k.slots })
	for i := range len(p.edges) + 1 {
		n := each(func(k *collapseCounts) float64 { return k.n[i] })
		total := reps.Total(n)
		b := DriftBin{Low: 0, High: math.Inf(1), Slots: int64(total)}
		if i > 0 {
			b.Low = p.edges[i-1]
		}
		if i < len(p.edges) {
			b.High = p.edges[i]
		}
		b.Tail = reps.Ratio(each(func(k *collapseCounts) float64 {
			above := reps.Total(k.n[i:])
			if i == 0 {
				above += k.zero
			}
			return above
		}), slots)
		if total == 0 {
			continue
		}
		b.MeanL = reps.Total(each(func(k *collapseCounts) float64 { return k.l[i] })) / total
		b.Line = reps.Total(each(func(k *collapseCounts) float64 { return k.line[i] })) / total
		b.Drift = reps.Ratio(each(func(k *collapseCounts) float64 { return k.drift[i] }), n)
		b.Excess = reps.Ratio(each(func(k *collapseCounts) float64 { return k.drift[i] - k.line[i] }), n)
		out.Bins = append(out.Bins, b)
	}
	for i, r := range p.o.Orders {
		m := reps.Ratio(each(func(k *collapseCounts) float64 { return k.powers[i] }), slots)
		root := func(x float64) float64 { return p.scale * math.Pow(math.Max(x, 0), 1/float64(r)) }
		x := Root{Order: r, Root: jsqlib.Estimate{Value: root(m.Value), Low: root(m.Low), High: root(m.High)}}
		if m.Value > 0 {
			x.Root.StdErr = x.Root.Value * m.StdErr / m.Value / float64(r)
		}
		out.Roots = append(out.Roots, x)
	}
	return out
}

// inverse draws from a pmf by inversion.
type inverse struct {
	min int64
	cum []uint64 // draws k if the word is at most cum[k] and above cum[k-1]
}

func newInverse(p jsqlib.PMF) inverse {
	const negligible = 1e-20 // less than a random word resolves
	lo, hi := 0, len(p)
	for lo < hi-1 && p[lo] < negligible {
		lo++
	}
	for hi-1 > lo && p[hi-1] < negligible {
		hi--
	}
	total, at := reps.Total(p[lo:hi]), 0.0
	v := inverse{min: int64(lo), cum: make([]uint64, hi-lo)}
	for i, x := range p[lo:hi] {
		at += x
		if f := at / total * (1 << 32) * (1 << 32); f < math.MaxUint64 {
			v.cum[i] = uint64(f)
		} else {
			v.cum[i] = math.MaxUint64
		}
	}
	v.cum[len(v.cum)-1] = math.MaxUint64
	return v
}

func (v *inverse) draw(rng *rand.PCG) int64 {
	w := rng.Uint64()
	if len(v.cum) > 8 {
		k, _ := slices.BinarySearch(v.cum, w)
		return v.min + int64(k)
	}
	k := 0
	for w > v.cum[k] {
		k++
	}
	return v.min + int64(k)
}
