package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/memory"
	"jsqlab/jsqlib/internal/reps"
)

// Options steer an estimation. The zero value asks for a relative error of 1 %
// on all cores with seed 0.
type Options struct {
	Seed         uint64
	Workers      int     // 0: one for each core. Never changes a result.
	RelError     float64 // stop when the 95 % half width is at most this share of the value; 0: 0.01
	MaxSlots     int64   // of all replications, in slots (steps in CT); 0: DirectBudget, at the boundary 1e11
	Replications int     // independent replications behind the intervals; 0: 32
	Progress     func(Progress)
}

// Progress is reported, from one goroutine at a time, a few times a second at
// most.
type Progress struct {
	Phase    string  // "direct", or "boundary L=16"
	Slots    int64   // done so far in this phase, over all replications
	Planned  int64   // what this round will reach
	RelError float64 // after the last round; 0 before the first
}

// ErrUnreachable is wrapped by the error of a direct estimation whose expected
// length is beyond its budget.
var ErrUnreachable = errors.New("beyond the budget of direct simulation")

// Budgets in slots (steps in CT) where Options.MaxSlots is 0.
const (
	DirectBudget   = int64(2e10)
	boundaryBudget = int64(1e11)
)

const (
	defaultReplications = 32
	maxReplications     = 1 << 16
	// confidence behind the planning of run lengths
	normal95 = 1.959963984540054
)

func (o Options) withDefaults(budget int64) (Options, error) {
	switch {
	case o.Workers < 0:
		return o, jsqlib.Refuse("sim", "workers", o.Workers, "workers >= 0 (0: one for each core)")
	case math.IsNaN(o.RelError) || o.RelError < 0 || o.RelError >= 1:
		return o, jsqlib.Refuse("sim", "rel-error", o.RelError, "0 < rel-error < 1")
	case o.MaxSlots < 0:
		return o, jsqlib.Refuse("sim", "max-slots", o.MaxSlots, "max-slots > 0")
	case o.Replications < 0 || o.Replications == 1:
		return o, jsqlib.Refuse("sim", "replications", o.Replications, "at least 2")
	case o.Replications > maxReplications:
		return o, jsqlib.Refuse("sim", "replications", o.Replications, fmt.Sprintf("at most %d", maxReplications))
	}
	o.Workers = reps.Workers(o.Workers)
	if o.RelError == 0 {
		o.RelError = 0.01
	}
	if o.MaxSlots == 0 {
		o.MaxSlots = budget
	}
	if o.Replications == 0 {
		o.Replications = defaultReplications
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	return o, nil
}

// chain is one of the two models, as the drivers see it.
type chain struct {
	n       int
	eps     float64                       // E U per slot, E I in CT
	v       float64                       // variance of the free walk per slot (step in CT)
	drift   float64                       // its mean loss per slot (step in CT)
	mixing  float64                       // slots (steps) in which the differences mix
	recall  float64                       // and in which they do from even queues, for rules that let them spread
	cost    float64                       // of a slot (step in CT), in steps of continuous time
	batch   bool                          // all arrivals of a slot join one queue
	waits   float64                       // at most this share of the slots (steps) that find no job leaves one
	width   float64                       // of the totals at which service goes unused
	service int64                         // largest unused service of a slot, over all servers
	cells   func(n, top float64) float64  // numbers that a replication of n servers holds when the total reaches top
	spread  func(n, l float64) float64    // and those of its law at the boundary under ceiling l
	block   func(ceiling int64) int64     // slots between two looks of the engine at its ceiling; nil: 1
	engine  func(*rand.PCG, plan) engine  // a new replication
	little  func(t *tally) float64        // right side of Little's law, per look
	perp    func(t *tally) float64        // mean of ||q_perp||^2
	gap     func(t *tally) (a, b float64) // E Q and its value by the identity of the boundary
}

// fleet is a set of replications that advance together.
type fleet struct {
	opt     Options
	chain   *chain
	engines []engine
	tallies []*tally
	slots   int64   // done by each replication, after warm-up
	block   int64   // slots between two looks of the engine at its ceiling
	chunk   []int64 // slots between two looks at the context, in blocks times a power of 2
	phase   string
}

// segment slots of a replication run as one: blocks (see block) start anew after
// it.
const segment = 5_000_000

// pace sets the slots between two looks at the context by what the last ones
// took: some 20 ms. A slot may cost nanoseconds or seconds. Chunks are whole
// blocks, so that how slots are cut into chunks does not change a path.
func (f *fleet) pace(r int64, took time.Duration) {
	switch {
	case took < 10*time.Millisecond:
		f.chunk[r] = min(2*f.chunk[r], 1<<40)
	case took > 40*time.Millisecond && f.chunk[r] >= 2*f.block:
		f.chunk[r] /= 2
	}
}

func newFleet(c *chain, o Options, task string, p plan, start func(*rand.Rand) int64) *fleet {
	f := &fleet{opt: o, chain: c, phase: task, block: 1}
	if c.block != nil {
		f.block = c.block(p.ceiling)
	}
	for r := range o.Replications {
		rng := reps.Stream("jsqlab", o.Seed, task, r)
		e := c.engine(rng, p)
		e.start(start(rand.New(rng)))
		f.engines = append(f.engines, e)
		f.tallies = append(f.tallies, f.newTally())
		f.chunk = append(f.chunk, f.block)
	}
	return f
}

func (f *fleet) newTally() *tally {
	return &tally{most: memory.Limit / memory.Word / int64(f.opt.Replications)}
}

// fits refuses an option = n that takes cells(n) numbers in each replication, if
// they do not fit the memory.
func (o Options) fits(option string, n int64, cells func(n float64) float64) error {
	return memory.Check("sim", option, n, func(n float64) float64 { return o.bytes(cells(n)) })
}

// bytes returns what the replications take with so many numbers each.
func (o Options) bytes(cells float64) float64 {
	return float64(o.Replications) * memory.Word * cells
}

// errFull is the refusal of a law that turns out wider than estimated.
func (f *fleet) errFull() error {
	return jsqlib.Refuse("sim", "servers", fmt.Sprintf("%d, at which the totals counted in one of %d replications span more than %d values", f.chain.n, f.opt.Replications, f.newTally().most),
		fmt.Sprintf("fewer servers, laws of less variance or a larger gap, whose counts fit the limit of %s", memory.Text(memory.Limit)))
}

// turns is how many turns each replication takes in a round, so that an
// interruption finds all of them about as far.
const turns = 8

// advance runs every replication for n slots more. It returns early, with the
// context's error, when the context ends; what was counted until then stays.
func (f *fleet) advance(ctx context.Context, n int64, relError float64) error {
	count := int64(len(f.engines))
	var (
		lock sync.Mutex
		done = f.slots * count
		goal = (f.slots + n) * count
		busy = make([]sync.Mutex, count)
		left = make([]int64, count)
		full atomic.Bool
	)
	for r := range left {
		left[r] = n
	}
	// turn runs the next part of one replication: its parts are the same
	// whoever runs them
	turn := func(r int64) {
		busy[r].Lock()
		defer busy[r].Unlock()
		part := min((n+turns-1)/turns, left[r])
		for at := int64(0); at < part && ctx.Err() == nil && !full.Load(); {
			k := min(part-at, f.chunk[r], segment-at%segment)
			begin := time.Now()
			f.engines[r].run(k, f.tallies[r])
			if f.tallies[r].full {
				full.Store(true)
			}
			f.pace(r, time.Since(begin))
			at += k
			left[r] -= k
			lock.Lock()
			done += k
			f.opt.Progress(Progress{f.phase, done, goal, relError})
			lock.Unlock()
		}
	}
	reps.Pool(f.opt.Workers, turns*int(count), func(t int) { turn(int64(t) % count) })
	if full.Load() {
		return f.errFull()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	f.slots += n
	return nil
}

// warm advances by n slots and forgets what was counted.
func (f *fleet) warm(ctx context.Context, n int64) error {
	phase := f.phase
	f.phase += ", warm-up"
	for _, t := range f.tallies {
		t.blind = true
	}
	err := f.advance(ctx, n, 0)
	f.phase, f.slots = phase, 0
	for r := range f.tallies {
		f.tallies[r] = f.newTally()
	}
	return err
}

// until advances in rounds until relError() is at most the wanted one or the
// budget, in slots of one replication, is used up.
func (f *fleet) until(ctx context.Context, first, budget int64, relError func() float64) (reached bool, err error) {
	rel := 0.0
	for n := min(first, budget); ; {
		if err := f.advance(ctx, n, rel); err != nil {
			return false, err
		}
		rel = relError()
		if math.IsNaN(rel) {
			rel = math.Inf(1) // not determined yet
		}
		if rel <= f.opt.RelError {
			return true, nil
		}
		// errors fall like 1/sqrt(slots); never more than double, as the
		// error's own estimate is rough
		more := 1.05*(rel/f.opt.RelError)*(rel/f.opt.RelError) - 1
		n = int64(float64(f.slots) * min(max(more, 0.1), 1))
		if left := budget - f.slots; n > left {
			n = left
		}
		if n <= 0 {
			return false, nil
		}
	}
}

// keep drops the replications without the property, as an interruption leaves
// some with nothing to say.
func (f *fleet) keep(has func(*tally) bool) {
	kept := f.tallies[:0]
	for _, t := range f.tallies {
		if has(t) {
			kept = append(kept, t)
		}
	}
	f.tallies = kept
}

// each maps the tallies to one number for each replication.
func (f *fleet) each(fn func(*tally) float64) []float64 {
	x := make([]float64, len(f.tallies))
	for r, t := range f.tallies {
		x[r] = fn(t)
	}
	return x
}

// effective returns (sum x)^2 / sum x^2 over replications: how many of them
// share the sum of x.
func (f *fleet) effective(x func(*tally) float64) float64 { return reps.Effective(f.each(x)) }

// ratio estimates E fn(x) / E fn(y).
func (f *fleet) ratio(x, y func(*tally) float64) jsqlib.Estimate {
	return reps.Ratio(f.each(x), f.each(y))
}

func (f *fleet) mean(fn func(*tally) float64) jsqlib.Estimate { return reps.Mean(f.each(fn)) }

func unused(t *tally) float64  { return float64(t.unused) }
func unused2(t *tally) float64 { return float64(t.unused2) }
func unusedQ(t *tally) float64 { return t.unusedQ }

func looks(t *tally) float64 {
	k := int64(0)
	for _, x := range t.total {
		k += x
	}
	return float64(k)
}

func sumTotal(t *tally, f func(q float64) float64) float64 {
	s := 0.0
	for q, k := range t.total {
		if k > 0 {
			s += f(float64(q)) * float64(k)
		}
	}
	return s
}

func meanTotal(t *tally) float64 {
	return sumTotal(t, func(q float64) float64 { return q }) / looks(t)
}
