package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"sync"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/num"
	"jsqlab/jsqlib/internal/reps"
)

// Balance estimates the boundary law of a model in continuous time from the mean number of idle
// servers at each total,
//
//	iota(n) = E[I | Q = n].
//
// The flow of probability over the edge between n and n+1 is balanced (derived, for every rule
// under which a server with a job works):
//
//	lambda N pi(n) = (N - iota(n+1)) pi(n+1),
//
// so that iota gives the whole law of the total, downwards from any level above which
// iota is 0, and P(Q~ = n) = iota(n) pi(n)/E I. Given the total, the differences of the queues mix
// in a time that does not grow with the range of the totals. Therefore many short runs do, which start
// at every total at which servers idle; [Boundary] waits for the total itself to move.
//
// A run starts from even queues. Its first 2 tau steps let the differences mix, and the next 2 tau are
// counted. The law of Q given by the first runs, which start evenly over the totals, is the
// weight of the start of all others: without it the state seen at a total remembers where the run came from.
// tau is doubled until the answer differs from that of the steps tau to 2 tau of the same runs by less than
// its error bar; ShiftInSigma reports that check. Ceiling is L where all queues lose a
// job when the total comes to L N, which is doubled until service goes unused a job per queue lower only.
//
// The options, the stopping rule, the errors and what is returned when ctx ends are those of
// [Boundary]. Slots counts the steps behind the answer, TotalSlots those of the whole
// run. Intervals are those of the linearised answer over the replications.
func Balance(ctx context.Context, m jsqlib.Model, o BoundaryOptions) (*BoundaryLaw, error) {
	ch, c, err := newChain(m)
	if err != nil {
		return nil, err
	}
	if err := m.Policy.Recurrent(m.Servers); err != nil {
		return nil, err
	}
	if !m.Continuous {
		return nil, jsqlib.Refuse("sim", "model", "discrete time", "continuous time: the balance of the total is not there for slots yet")
	}
	return balance(ctx, ch, c, o, task("balance", m))
}

// Of the runs of a balance.
const (
	// balanceRuns each replication does at least, so that the runs overlap.
	balanceRuns = 2
	// balanceChunk is the number of steps between two looks at the context, some 20 ms. It does
	// not depend on the clock, as sums are rounded after each.
	balanceChunk = 1 << 20
	// negligible probability of a total, beside the most likely one
	negligibleTotal = 1e-7
	// and of values of Q~ beyond the reach of the ceiling
	negligibleTail = 1e-5
)

// balancer is the state of a balance at one length of the runs and one ceiling.
type balancer struct {
	ch       *chain
	c        jsqlib.Constants
	o        BoundaryOptions
	phase    string
	n        int64 // N
	low, top int64 // totals low <= Q < top are pooled
	tau      int64
	pilot    bool
	starts   []float64 // P(a run starts at low + k or less)
	weight   []float64 // of such a run
	teams    []*team
}

// team is a replication: a sequence of runs.
type team struct {
	rng    *rand.PCG
	engine engine
	tally  *tally
	offset float64 // of the starts
	runs   int64
	parts  [2]book // steps tau to 2 tau of each run, and 2 tau to 4 tau
}

// book holds what runs saw, by the total above low: how often, and the sum of the idle servers.
type book struct{ visits, idle []float64 }

func newBook(n int64) book { return book{make([]float64, n), make([]float64, n)} }

// add adds the counts of a part of a run.
func (b book) add(t *tally, low int64, weight float64) {
	for i := range b.visits {
		at := low + int64(i)
		if at >= int64(len(t.total)) {
			break
		}
		if k := t.total[at]; k != 0 {
			b.visits[i] += weight * float64(k/ctVisit)
			b.idle[i] += weight * float64(k%ctVisit)
		}
	}
}

func balance(ctx context.Context, ch *chain, c jsqlib.Constants, o BoundaryOptions, task string) (*BoundaryLaw, error) {
	if err := reps.Context("sim", ctx); err != nil {
		return nil, err
	}
	var err error
	if o.Options, err = o.Options.withDefaults(boundaryBudget); err != nil {
		return nil, err
	}
	if most := highest(ch, o.MaxSlots); o.Ceiling < 0 || o.Ceiling > most {
		return nil, jsqlib.Refuse("sim", "ceiling", o.Ceiling, fmt.Sprintf("0 < ceiling <= %d, from which walks end within max-slots", most))
	}
	if o.RelativeError == nil {
		o.RelativeError = qtildeError(ch)
	}
	n := int64(ch.n)
	l := max(o.Ceiling, 2)
	if o.Ceiling == 0 {
		l = 4 + 20/n
	}
	var weights *balanced // of the starts; nil in the pilot
	var best *BoundaryLaw
	tau, spent := firstTau(ch, l), int64(0)
	for {
		b, err := newBalancer(ch, c, o, task, l, tau, weights)
		if err != nil {
			return nil, err
		}
		out, sol, reached, err := b.run(ctx, o.MaxSlots-spent)
		spent += b.steps()
		if out != nil {
			best = out
		}
		if best != nil {
			best.TotalSlots = spent
		}
		switch {
		case errors.As(err, new(*jsqlib.Invalid)) || !reached && best == nil && err != nil:
			return nil, err
		case !reached && best == nil:
			return nil, jsqlib.Refuse("sim", "max-slots", o.MaxSlots, fmt.Sprintf("more: no unused service was seen in %d steps", spent))
		case !reached:
			why := fmt.Sprintf("the budget of %d slots ended", o.MaxSlots)
			if err != nil {
				why = "interrupted"
			}
			best.Warnings = append(best.Warnings, why+" before the relative error was reached and the length of the runs was checked")
			return best, err
		case sol.highest >= b.top-b.n: // servers idle where the ceiling puts the queues
			l, weights = l+l/2, nil
			tau = firstTau(ch, l)
		case weights == nil:
			weights = sol
		case out.ShiftInSigma <= shiftTolerance:
			return out, nil
		default:
			tau, weights = 2*tau, sol
		}
	}
}

// qtildeError is the default stopping rule: the relative error of E Q~ + N.
func qtildeError(ch *chain) func(*BoundaryLaw) float64 {
	return func(b *BoundaryLaw) float64 {
		return b.QtildeMean.HalfWidth() / math.Abs(b.QtildeMean.Value+float64(ch.n))
	}
}

// firstTau is a quarter of the time in which the differences mix, and in a small system what the
// total takes for the whole range.
func firstTau(ch *chain, l int64) int64 {
	span := float64(l * int64(ch.n))
	return int64(max(ch.mixing/4, min(span*span/ch.v, 1<<13)))
}

func newBalancer(ch *chain, c jsqlib.Constants, o BoundaryOptions, task string, l, tau int64, weights *balanced) (*balancer, error) {
	n := int64(ch.n)
	b := &balancer{ch: ch, c: c, o: o, n: n, low: leastTotal(c), top: l * n, tau: tau, pilot: weights == nil}
	b.phase = fmt.Sprintf("%s L=%d tau=%d", task, l, tau)
	if b.pilot {
		b.phase += ", warm-up"
	}
	size := b.top - b.low
	// two parts of visits and idle servers, the counts of the engine, its levels
	if err := o.fits("servers", n, func(x float64) float64 { return (4*float64(size) + 1.5*float64(b.top) + 3*float64(n)) * x / float64(n) }); err != nil {
		return nil, err
	}
	b.plan(weights)
	for r := range o.Replications {
		rng := reps.Stream("jsqlab", o.Seed, b.phase, r)
		b.teams = append(b.teams, &team{
			rng: rng, engine: ch.engine(rng, plan{law: true, pool: true, top: b.top}), tally: &tally{},
			offset: rand.New(rng).Float64(), parts: [2]book{newBook(size), newBook(size)},
		})
	}
	return b, nil
}

// plan chooses the law from which runs start and the weights that make it the stationary one. The
// starts are the law of Q~, that of Q and a flat one in equal parts: where service goes unused
// runs tell most.
func (b *balancer) plan(law *balanced) {
	size := int(b.top - b.low)
	b.weight, b.starts = make([]float64, size), make([]float64, size)
	mix := func(share float64, from, to int, f func(i int) float64) {
		sum := 0.0
		for i := from; i < to; i++ {
			sum += f(i)
		}
		for i := from; i < to; i++ {
			b.starts[i] += share * f(i) / sum
		}
	}
	flat := func(int) float64 { return 1 }
	for i := range b.weight {
		// under the ceiling a flat law falls to 0 over the last job per queue
		b.weight[i] = min(1, float64(size-i)/float64(b.n))
	}
	if law == nil {
		edge := int(min(b.n, int64(b.c.Lambda)) - b.low)
		mix(0.5, 0, min(2*edge+1, size), flat)
		mix(0.5, 0, size, flat)
	} else {
		most := 0.0
		for i := range b.weight {
			b.weight[i] *= law.pi[i]
			most = max(most, b.weight[i])
		}
		from, to := 0, size
		for b.weight[from] < negligibleTotal*most {
			from++
		}
		for b.weight[to-1] < negligibleTotal*most {
			to--
		}
		// runs from above that see no server idle tell nothing
		to = min(to, int(law.highest-b.low)+1+int(4*math.Sqrt(4*float64(b.tau)*b.ch.v)))
		mix(1./3, from, to, func(i int) float64 { return law.weight[i] })
		mix(1./3, from, to, func(i int) float64 { return b.weight[i] })
		mix(1./3, from, to, flat)
	}
	sum := 0.0
	for i, p := range b.starts {
		if p > 0 {
			b.weight[i] /= p
		}
		sum += p
		b.starts[i] = sum
	}
}

// leastTotal is a total below which the law of Q is negligible: from
// iota(n) >= N - n follows pi(n)/pi(n+1) <= (n+1)/(lambda N) for n < N.
func leastTotal(c jsqlib.Constants) int64 {
	n := min(int64(c.N), int64(math.Ceil(c.Lambda)))
	for log := 0.0; n > 0 && log > 2*math.Log(negligibleTotal); n-- {
		log += math.Log(float64(n) / c.Lambda)
	}
	return n
}

func (b *balancer) steps() int64 {
	runs := int64(0)
	for _, t := range b.teams {
		runs += t.runs
	}
	return 4 * b.tau * runs
}

// run does runs until the answer is as precise as asked; in the pilot, which starts evenly over the totals,
// as many as give weights. The law is nil if nothing was counted.
func (b *balancer) run(ctx context.Context, budget int64) (out *BoundaryLaw, sol *balanced, reached bool, err error) {
	count := int64(len(b.teams))
	// one run sees the totals that it comes to; runs should overlap
	least := int64(4*float64(b.top-b.low)/math.Sqrt(2*float64(b.tau)*b.ch.v))/count + balanceRuns
	rel := 0.0
	for runs, k := int64(0), least; ; {
		if left := (budget - b.steps()) / (4 * b.tau * count); k > left {
			k = left
		}
		if k > 0 {
			err = b.advance(ctx, k, rel)
			runs += k
		}
		if err != nil {
			b.teams = slices.DeleteFunc(b.teams, func(t *team) bool { return t.runs == 0 })
		}
		if err != nil && (b.pilot || len(b.teams) < 2) {
			return nil, nil, false, err
		}
		if sol = b.solve(1); sol != nil {
			out = b.law(sol)
		}
		switch {
		case err != nil || k <= 0:
			return out, sol, false, err
		case sol == nil: // no server was idle yet
			k = runs
			continue
		case b.pilot:
			return out, sol, true, nil
		}
		rel = b.o.RelativeError(out)
		if rel <= b.o.RelError {
			return out, sol, true, nil
		}
		// errors fall like 1/sqrt(runs); never more than double, as the error's own estimate is rough
		more := 1.05*(rel/b.o.RelError)*(rel/b.o.RelError) - 1
		k = max(int64(float64(runs)*min(max(more, 0.1), 1)), 1)
		if math.IsNaN(rel) {
			k = runs
		}
	}
}

// advance does k more runs of each replication.
func (b *balancer) advance(ctx context.Context, k int64, relError float64) error {
	done, goal := b.steps(), b.steps()+4*b.tau*k*int64(len(b.teams))
	var lock sync.Mutex
	reps.Pool(b.o.Workers, len(b.teams), func(r int) {
		for range k {
			if !b.once(ctx, b.teams[r]) {
				return
			}
			lock.Lock()
			done += 4 * b.tau
			b.o.Progress(Progress{b.phase, done, goal, relError})
			lock.Unlock()
		}
	})
	return ctx.Err()
}

// once does a run. It counts nothing and returns false if the context ends.
func (b *balancer) once(ctx context.Context, t *team) bool {
	// the multiples of the golden ratio spread any number of starts evenly
	_, at := math.Modf(t.offset + float64(t.runs)*(math.Phi-1))
	start := sort.SearchFloat64s(b.starts, (1-at)*b.starts[len(b.starts)-1])
	t.engine.start(b.low + int64(start))
	weight := b.weight[start]
	for part, steps := range []int64{b.tau, b.tau, 2 * b.tau} {
		for steps > 0 {
			if ctx.Err() != nil {
				return false
			}
			k := min(steps, balanceChunk)
			t.engine.run(k, t.tally)
			steps -= k
			if part > 0 {
				t.parts[part-1].add(t.tally, b.low, weight)
			}
			clear(t.tally.total)
		}
	}
	t.runs++
	return true
}

// balanced is the law of the total that follows from iota.
type balanced struct {
	low     int64
	pooled  book      // over all replications
	pi      []float64 // pi(low + k), in proportion; 0 below the least total seen
	weight  []float64 // iota pi
	sum     float64   // of weight
	first   int       // k of the least total seen
	highest int64     // but for a negligible tail the greatest Q~
}

// solve balances the flows of one part of the runs. It is nil if no server was seen idle.
func (b *balancer) solve(part int) *balanced {
	size := int(b.top - b.low)
	s := &balanced{low: b.low, pooled: newBook(int64(size)), pi: make([]float64, size), weight: make([]float64, size)}
	for _, t := range b.teams {
		for i, x := range t.parts[part].visits {
			s.pooled.visits[i] += x
			s.pooled.idle[i] += t.parts[part].idle[i]
		}
	}
	for s.first < size && s.pooled.visits[s.first] == 0 {
		s.first++
	}
	if s.first == size || reps.Total(s.pooled.idle) == 0 {
		return nil
	}
	// logarithms of pi(n) / pi(top - 1)
	log, most := 0.0, math.Inf(-1)
	load := math.Log1p(-b.c.Gap)
	for i := size - 1; i >= s.first; i-- {
		s.pi[i] = log
		most = max(most, log)
		log += math.Log1p(-s.iota(i)/float64(b.n)) - load
	}
	for i := s.first; i < size; i++ {
		s.pi[i] = math.Exp(s.pi[i] - most)
		s.weight[i] = s.iota(i) * s.pi[i]
		s.sum += s.weight[i]
	}
	top := size - 1
	for tail := s.weight[top]; tail < negligibleTail*s.sum; tail += s.weight[top] {
		top--
	}
	s.highest = b.low + int64(top)
	return s
}

// iota returns E[I | Q = low + i] as seen, 0 where nothing was.
func (s *balanced) iota(i int) float64 {
	if s.pooled.visits[i] == 0 {
		return 0
	}
	return s.pooled.idle[i] / s.pooled.visits[i]
}

// mean returns E f(Q~), f[k] being the value at total low + k.
func (s *balanced) mean(f []float64) float64 {
	var sum num.Sum
	for i, w := range s.weight {
		sum.Add(w * f[i])
	}
	return sum.Value() / s.sum
}

// influence returns the derivative of E f(Q~) in each iota, over the visits of its total: with
// theta = E f(Q~) and d log pi(m)/d iota(n) = -1/(N - iota(n)) for m < n,
//
//	d theta/d iota(n) = [ (f(n) - theta) pi(n) - sum_{m<n} (f(m) - theta) iota(m) pi(m) / (N - iota(n)) ] / sum_m iota(m) pi(m).
func (s *balanced) influence(f []float64, theta, n float64) []float64 {
	h := make([]float64, len(f))
	below := 0.0
	for i := s.first; i < len(f); i++ {
		if s.pooled.visits[i] > 0 {
			h[i] = (f[i] - theta) * s.pi[i] / (s.sum * s.pooled.visits[i])
			if below != 0 { // some total is less, so that a server works
				h[i] -= below / (n - s.iota(i)) / (s.sum * s.pooled.visits[i])
			}
		}
		below += (f[i] - theta) * s.weight[i]
	}
	return h
}

// deviations returns what each replication adds to the linearised error of E f(Q~), from one part of
// the runs.
func (b *balancer) deviations(part int, s *balanced, f []float64, theta float64) []float64 {
	h := s.influence(f, theta, float64(b.n))
	x := make([]float64, len(b.teams))
	for r, t := range b.teams {
		p := t.parts[part]
		for i, visits := range p.visits {
			if visits > 0 {
				x[r] += h[i] * (p.idle[i] - s.iota(i)*visits)
			}
		}
	}
	return x
}

// average returns E f(Q~) by the second part of the runs, f[k] being the value at total low + k.
func (b *balancer) average(s *balanced, f []float64) jsqlib.Estimate {
	theta := s.mean(f)
	return spreadOf(theta, b.deviations(1, s, f, theta))
}

// spreadOf is the estimate theta with the error of the sum of independent deviations.
func spreadOf(theta float64, x []float64) jsqlib.Estimate {
	y := make([]float64, len(x))
	for r := range x {
		y[r] = theta + float64(len(x))*x[r]
	}
	e := reps.Mean(y)
	e.Low, e.High, e.Value = e.Low-e.Value+theta, e.High-e.Value+theta, theta
	return e
}

// law makes the result of what was counted.
func (b *balancer) law(s *balanced) *BoundaryLaw {
	totals := make([]float64, len(s.pi))
	for i := range totals {
		totals[i] = float64(b.low + int64(i))
	}
	out := &BoundaryLaw{Ceiling: b.top / b.n, Replications: len(b.teams), Slots: b.steps() / 2, Estimator: "balance"}
	out.QtildeMean = b.average(s, totals)
	out.BoundaryMean = out.QtildeMean
	first, last := s.first, len(s.weight)-1
	for s.weight[first] == 0 {
		first++
	}
	for s.weight[last] == 0 {
		last--
	}
	out.Min = int(b.low) + first
	out.P = make([]float64, last+1-first)
	for i := range out.P {
		out.P[i] = s.weight[first+i] / s.sum
	}
	out.average = func(f []float64) jsqlib.Estimate {
		values := make([]float64, len(s.pi))
		copy(values[first:], f[:len(out.P)])
		return b.average(s, values)
	}
	if early := b.solve(0); early != nil {
		theta := early.mean(totals)
		x := b.deviations(0, early, totals, theta)
		for r, y := range b.deviations(1, s, totals, out.QtildeMean.Value) {
			x[r] -= y
		}
		if d := math.Abs(theta - out.QtildeMean.Value); d > 0 {
			out.ShiftInSigma = d / spreadOf(0, x).StdErr
		}
	}
	return out
}
