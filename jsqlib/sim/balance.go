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

// balance estimates the boundary law of a model from what service goes unused at each total of the
// queues, by many short runs, where climb waits for the total itself to move.
//
// In continuous time iota(n) = E[I | Q = n], the mean number of idle servers, is measured. The flow of
// probability over the edge between n and n+1 is balanced (derived, for every rule under which a
// server with a job works),
//
//	lambda N pi(n) = (N - iota(n+1)) pi(n+1),
//
// so that iota gives the whole law of the total, downwards from any level above which
// iota is 0, and P(Q~ = n) = iota(n) pi(n)/E I. In discrete time with single jobs the law of the unused
// service given the total takes the place of iota (see slotFlow). Given the total the differences of the
// queues mix in a time that does not grow with the range of the totals, so that short runs do, which start
// at every total at which service goes unused.
//
// Such a run starts from even queues. Its first 2 tau slots let the differences mix, and the next 2 tau are
// counted. The first runs start evenly over the totals. All others have the law of Q that the first ones give
// as the weight of their start: without it the state seen at a total remembers where the run came from.
// Ceiling is L where all queues lose a job when the total comes to L N; it
// grows until next to no service goes unused from a job per queue below it on.
//
// With batches the differences do not mix given the total. There the runs start near stationarity, and
// the law is the mean over the unused services (see lossMean).
//
// tau is doubled until the answer differs from that of the slots tau to 2 tau of the same runs by less than
// its error bar; ShiftInSigma reports that check. Slots counts those behind the answer, TotalSlots those of the
// whole run. Intervals are those of the linearised answer over the replications, widened by what no run may
// have seen. Totals of a probability below 1e-12 of the most likely one are left out.
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
	l := max(o.Ceiling, 2, ch.service/n)
	if o.Ceiling == 0 {
		l = 4 + 20/n
	}
	if err := checkRun(ch, o.Options); err != nil {
		return nil, err
	}
	var weights *balanced // of the starts; nil in the pilot
	var best *BoundaryLaw
	tau, spent := firstTau(ch, o.RelError), int64(0)
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
		case !b.batch && sol.highest >= b.top-b.n: // servers idle where the ceiling puts the queues
			l, weights = l+l/2, nil
			tau = firstTau(ch, o.RelError)
		case b.pilot:
			weights = sol
		case out.ShiftInSigma <= shiftTolerance:
			return out, nil
		default:
			tau, weights = 2*tau, sol
		}
	}
}

// Of the runs of a balance.
const (
	// balanceRuns each replication does at least, so that the runs overlap.
	balanceRuns = 2
	// A run has balanceTaus times tau steps: two of warm-up, all others counted.
	balanceTaus = 4
	// balanceChunk is the number of steps between two looks at the context, some 20 ms. It does
	// not depend on the clock, as sums are rounded after each.
	balanceChunk = 1 << 20
	// negligible probability of a total, beside the most likely one
	negligibleTotal = 1e-12
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
	scheme   scheme
	low, top int64 // totals low <= Q < top are pooled
	step     int64 // lattice of the totals
	tau      int64
	pilot    bool
	batch    bool
	ceiling  int64     // L
	chunk    int64     // steps between two looks at the context
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
	parts  [2]ledger // steps tau to 2 tau of each run, and those from 2 tau on
}

// A scheme is how the law follows from what was seen. Totals are on the lattice low + k step.
type scheme interface {
	ledger() ledger
	solve(l []ledger) *balanced // nil if no unused service was seen
}

// A ledger holds what runs saw.
type ledger interface {
	add(t *tally, weight float64)
}

// balanced is the law of the total that follows. Cell k of Q~ is the step values from zero + k step on.
type balanced struct {
	zero, step int64
	pi         []float64 // P(Q near low + k step), in proportion; 0 below the least total seen
	weight     []float64 // of cell k in the law of Q~, in proportion
	sum        float64   // of weight
	stretch    float64   // of intervals, where few replications saw most
	bias       float64   // which the start may have left in a mean, relative
	first      int       // k of the least total seen
	highest    int64     // but for a negligible tail the greatest Q~
	rough      bool      // few replications saw most of the unused service, and would agree with themselves
	// deviations returns what each ledger adds to the linearised error of theta = E f(Q~), where f adds up
	// to values[k] in cell k
	deviations func(l []ledger, values []float64, theta float64) []float64
	// moments estimates E[U Q^+]/E U and E[U^2]/E U; nil in continuous time
	moments func(l []ledger, b *BoundaryLaw)
}

// find sets sum, first and highest.
func (s *balanced) find() {
	s.sum = reps.Total(s.weight)
	top := len(s.weight) - 1
	for tail := s.weight[top]; tail < negligibleTail*s.sum; tail += s.weight[top] {
		top--
	}
	s.highest = s.zero + int64(top+1)*s.step - 1
}

// totals returns the values of f(x) = x, added up in each cell.
func (s *balanced) totals() []float64 {
	h, totals := float64(s.step), make([]float64, len(s.weight))
	for i := range totals {
		totals[i] = h * (float64(s.zero+int64(i)*s.step) + (h-1)/2)
	}
	return totals
}

// mean returns E f(Q~).
func (s *balanced) mean(values []float64) float64 {
	var sum num.Sum
	for i, w := range s.weight {
		sum.Add(w * values[i])
	}
	return sum.Value() / (s.sum * float64(s.step))
}

// checkRun refuses a budget that ends in the first runs.
func checkRun(ch *chain, o Options) error {
	if least := balanceTaus * firstTau(ch, o.RelError) * int64(o.Replications); o.MaxSlots < least {
		return jsqlib.Refuse("sim", "max-slots", o.MaxSlots, fmt.Sprintf("at least %d, which a run of each of %d replications takes", least, o.Replications))
	}
	return nil
}

// qtildeError is the default stopping rule: the relative error of E Q~ + N.
func qtildeError(ch *chain) func(*BoundaryLaw) float64 {
	return func(b *BoundaryLaw) float64 {
		return b.QtildeMean.HalfWidth() / math.Abs(b.QtildeMean.Value+float64(ch.n))
	}
}

// firstTau is the first length of the runs: a quarter of the time in which the differences mix, and in a
// small system long enough to see rare queues.
func firstTau(ch *chain, relError float64) int64 {
	if ch.batch {
		// from tau on less than the error asked for is left of the start
		return int64(max(0.25, 0.9*math.Log(2*startBias(ch)/relError))*relaxation(ch)) + 1
	}
	return int64(max(ch.recall/4, 1<<13/ch.cost, 1))
}

func newBalancer(ch *chain, c jsqlib.Constants, o BoundaryOptions, task string, l, tau int64, weights *balanced) (*balancer, error) {
	n := int64(ch.n)
	b := &balancer{ch: ch, c: c, o: o, n: n, top: l * n, step: 1, tau: tau, chunk: balanceChunk, pilot: weights == nil, batch: ch.batch, ceiling: l}
	numbers := 0.0 // of a replication
	switch {
	case b.batch:
		// counted are the steps 2 tau to balanceTaus tau
		from, to := 2*float64(tau)/relaxation(ch), balanceTaus*float64(tau)/relaxation(ch)
		b.scheme = &lossMean{max(int64(math.Sqrt(c.V)/4), 1), startBias(ch) * (math.Exp(-from) - math.Exp(-to)) / (to - from)}
		b.pilot = false
		b.chunk = balanceChunk / 8
		numbers = 20*float64(n) + 4*ch.spread(float64(n), 0)
	case c.Continuous():
		b.low = leastTotal(c)
		b.scheme = &ctFlow{float64(n), c.Gap, b.low, b.top}
		// two parts of visits and idle servers, the counts of the engine and its levels
		numbers = 4*float64(b.top-b.low) + 1.5*float64(b.top) + 3*float64(n)
	default:
		f := newSlotFlow(c, b.top)
		b.low, b.step, b.scheme = f.low, f.step, f
		b.chunk = max(balanceChunk/(n+64), 16)
		numbers = 2*(float64(f.rows)*4+1e5) + 2*float64(b.chunk)
	}
	what, size := "servers", n
	if o.Ceiling > 0 {
		what, size = "ceiling", o.Ceiling
	}
	if err := o.fits(what, size, func(x float64) float64 { return numbers * x / float64(size) }); err != nil {
		return nil, err
	}
	b.phase = fmt.Sprintf("%s L=%d tau=%d", task, l, tau)
	if b.pilot {
		b.phase += ", warm-up"
	}
	how := plan{law: true, pool: true, top: b.top}
	if b.batch {
		how = plan{law: true}
		b.levels()
	} else {
		b.plan(weights)
	}
	for r := range o.Replications {
		rng := reps.Stream("jsqlab", o.Seed, b.phase, r)
		b.teams = append(b.teams, &team{
			rng: rng, engine: ch.engine(rng, how), tally: &tally{},
			offset: (float64(r) + rand.New(rng).Float64()) / float64(o.Replications), parts: [2]ledger{b.scheme.ledger(), b.scheme.ledger()},
		})
	}
	return b, nil
}

// plan chooses the law from which runs start and the weights that make it the stationary one. The
// starts are the law of Q~, that of Q and a flat one in equal parts: where service goes unused
// runs tell most.
func (b *balancer) plan(law *balanced) {
	size := int((b.top-b.low-1)/b.step) + 1
	b.weight, b.starts = make([]float64, size), make([]float64, size)
	mix := func(share float64, from, to int, f func(i int) float64) {
		sum := 0.0
		for i := from; i < to; i++ {
			sum += f(i)
		}
		if sum == 0 { // Q~ has no value in this range
			return
		}
		for i := from; i < to; i++ {
			b.starts[i] += share * f(i) / sum
		}
	}
	flat := func(int) float64 { return 1 }
	for i := range b.weight {
		// under the ceiling a flat law falls to 0 over the last job per queue
		b.weight[i] = min(1, float64(int64(size-i)*b.step)/float64(b.n))
	}
	if law == nil {
		least := max(int(-b.low/b.step), 0) // no total is negative
		mix(0.5, least, size, flat)
		if b.c.Continuous() { // the lower edge of the law
			edge := int(min(b.n, int64(b.c.Lambda)) - b.low)
			mix(0.5, 0, min(2*edge+1, size), flat)
		}
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
		to = min(to, int((law.highest-b.low+int64(4*math.Sqrt(balanceTaus*float64(b.tau)*b.ch.v)))/b.step)+2)
		mix(1./3, from, to, func(i int) float64 { return law.weight[i] })
		mix(1./3, from, to, func(i int) float64 { return b.weight[i] })
		mix(1./3, from, to, flat)
	}
	b.index()
}

// index turns the law of the starts into sums, and the law that they stand for into weights.
func (b *balancer) index() {
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
	return balanceTaus * b.tau * runs
}

// run does runs until the answer is as precise as asked; in the pilot, which starts evenly over the totals,
// as many as give weights. The law is nil if nothing was counted.
func (b *balancer) run(ctx context.Context, budget int64) (out *BoundaryLaw, sol *balanced, reached bool, err error) {
	count := int64(len(b.teams))
	// one run sees the totals that it comes to; runs should overlap
	least := int64(1)
	if !b.batch {
		least = int64(4*float64(b.top-b.low)/math.Sqrt((balanceTaus-2)*float64(b.tau)*b.ch.v))/count + balanceRuns
	}
	rel := 0.0
	for runs, k := int64(0), least; ; {
		if left := (budget - b.steps()) / (balanceTaus * b.tau * count); k > left {
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
		if sol = b.scheme.solve(b.books(1)); sol != nil {
			out = b.law(sol)
		}
		switch {
		case err != nil || k <= 0:
			return out, sol, false, err
		case sol == nil || sol.rough: // too little was seen
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
		k = max(int64(float64(runs)*min(max(more, 0.5), 1)), 1)
		if math.IsNaN(rel) {
			k = runs
		}
	}
}

// advance does k more runs of each replication.
func (b *balancer) advance(ctx context.Context, k int64, relError float64) error {
	done, goal := b.steps(), b.steps()+balanceTaus*b.tau*k*int64(len(b.teams))
	var lock sync.Mutex
	reps.Pool(b.o.Workers, len(b.teams), func(r int) {
		for range k {
			if !b.once(ctx, b.teams[r]) {
				return
			}
			lock.Lock()
			done += balanceTaus * b.tau
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
	weight := b.weight[start]
	if b.batch {
		t.engine.(placed).put(b.phases(start, t.rng))
	} else {
		total := b.low + int64(start)*b.step
		if b.step > 1 {
			total += int64(below(int(b.step), t.rng)) - b.step/2
		}
		t.engine.start(max(total, 0))
	}
	for part, steps := range []int64{b.tau, b.tau, (balanceTaus - 2) * b.tau} {
		for steps > 0 {
			if ctx.Err() != nil {
				return false
			}
			k := min(steps, b.chunk)
			t.engine.run(k, t.tally)
			steps -= k
			if part > 0 {
				t.parts[part-1].add(t.tally, weight)
			}
			t.tally.forget()
		}
	}
	t.runs++
	return true
}

// ctFlow balances the flow over each edge of the totals: continuous time.
type ctFlow struct {
	n, gap   float64
	low, top int64
}

// ctLedger holds, by the total above low, how often it was seen, and the sum of the idle servers.
type ctLedger struct {
	low          int64
	visits, idle []float64
}

func (c *ctFlow) ledger() ledger { return c.empty() }

func (c *ctFlow) empty() *ctLedger {
	return &ctLedger{c.low, make([]float64, c.top-c.low), make([]float64, c.top-c.low)}
}

func (l *ctLedger) add(t *tally, weight float64) {
	for i := range min(len(l.visits), len(t.total)-int(l.low)) {
		if k := t.total[int(l.low)+i]; k != 0 {
			l.visits[i] += weight * float64(k/ctVisit)
			l.idle[i] += weight * float64(k%ctVisit)
		}
	}
}

// means returns E[I | Q = low + i] as seen, on a line between the neighbours where no run came to.
func (l *ctLedger) means() []float64 {
	iota, last := make([]float64, len(l.visits)), -1
	for i, v := range l.visits {
		if v == 0 {
			continue
		}
		iota[i] = l.idle[i] / v
		for k := last + 1; last >= 0 && k < i; k++ {
			iota[k] = iota[last] + (iota[i]-iota[last])*float64(k-last)/float64(i-last)
		}
		last = i
	}
	return iota
}

func (c *ctFlow) solve(books []ledger) *balanced {
	all := c.empty()
	for _, l := range books {
		for i, x := range l.(*ctLedger).visits {
			all.visits[i] += x
			all.idle[i] += l.(*ctLedger).idle[i]
		}
	}
	iota, s := c.balance(all)
	if s == nil {
		return nil
	}
	c.unbias(s, all, books)
	s.find()
	s.deviations = func(books []ledger, f []float64, theta float64) []float64 {
		h := c.influence(s, all, iota, f, theta)
		x := make([]float64, len(books))
		for r, l := range books {
			l := l.(*ctLedger)
			for i, visits := range l.visits {
				if visits > 0 {
					x[r] += h[i] * (l.idle[i] - iota[i]*visits)
				}
			}
		}
		return x
	}
	return s
}

// balance returns iota(n) = E[I | Q = n] and the law that follows, or nil if no idle server was seen.
func (c *ctFlow) balance(all *ctLedger) ([]float64, *balanced) {
	size := int(c.top - c.low)
	s := &balanced{zero: c.low, step: 1, pi: make([]float64, size), weight: make([]float64, size)}
	for s.first < size && all.visits[s.first] == 0 {
		s.first++
	}
	if s.first == size || reps.Total(all.idle) == 0 {
		return nil, nil
	}
	iota := all.means()
	// logarithms of pi(n) / pi(top - 1)
	log, most := 0.0, math.Inf(-1)
	load := math.Log1p(-c.gap)
	for i := size - 1; i >= s.first; i-- {
		s.pi[i] = log
		most = max(most, log)
		log += math.Log1p(-iota[i]/c.n) - load
	}
	for i := s.first; i < size; i++ {
		s.pi[i] = math.Exp(s.pi[i] - most)
		s.weight[i] = iota[i] * s.pi[i]
	}
	return iota, s
}

// unbias takes out the bias of order 1/runs by the jackknife: few runs come to a total, and where one started
// has to do with what it saw there. Each replication is left out in turn.
func (c *ctFlow) unbias(s *balanced, all *ctLedger, books []ledger) {
	if len(books) < 3 {
		return
	}
	n, sum := float64(len(books)), reps.Total(s.weight)
	mean := make([]float64, len(s.weight))
	for _, l := range books {
		_, out := c.balance(all.without(l.(*ctLedger)))
		if out == nil {
			return
		}
		total := reps.Total(out.weight)
		for i, w := range out.weight {
			mean[i] += w / total / n
		}
	}
	for i, m := range mean {
		s.weight[i] = max(n*s.weight[i]-(n-1)*m*sum, 0)
	}
}

// without returns what all ledgers but one saw.
func (l *ctLedger) without(one *ctLedger) *ctLedger {
	rest := &ctLedger{l.low, slices.Clone(l.visits), slices.Clone(l.idle)}
	for i, v := range one.visits {
		rest.visits[i] -= v
		rest.idle[i] = max(rest.idle[i]-one.idle[i], 0)
		if rest.visits[i] < 1e-9*v { // nothing but rounding
			rest.visits[i], rest.idle[i] = 0, 0
		}
	}
	return rest
}

// influence returns the derivative of E f(Q~) in each iota, over the visits of its total: with
// theta = E f(Q~) and d log pi(m)/d iota(n) = -1/(N - iota(n)) for m < n,
//
//	d theta/d iota(n) = [ (f(n) - theta) pi(n) - sum_{m<n} (f(m) - theta) iota(m) pi(m) / (N - iota(n)) ] / sum_m iota(m) pi(m).
func (c *ctFlow) influence(s *balanced, all *ctLedger, iota, f []float64, theta float64) []float64 {
	h := make([]float64, len(f))
	below := 0.0
	for i := s.first; i < len(f); i++ {
		if all.visits[i] > 0 {
			h[i] = (f[i] - theta) * s.pi[i] / (s.sum * all.visits[i])
			if below != 0 { // some total is less, so that a server works
				h[i] -= below / (c.n - iota[i]) / (s.sum * all.visits[i])
			}
		}
		below += (f[i] - theta) * s.weight[i]
	}
	return h
}

// books returns one part of the runs of each replication.
func (b *balancer) books(part int) []ledger {
	l := make([]ledger, len(b.teams))
	for r, t := range b.teams {
		l[r] = t.parts[part]
	}
	return l
}

// average returns E f(Q~) by the runs in l.
func (s *balanced) average(l []ledger, values []float64, slots int64) jsqlib.Estimate {
	theta := s.mean(values)
	low, high := math.Inf(1), math.Inf(-1)
	for i, w := range s.weight {
		if w > 0 {
			low, high = min(low, values[i]), max(high, values[i])
		}
	}
	return s.doubt(unseen(spreadOf(theta, s.deviations(l, values, theta)), (high-low)/float64(s.step), slots))
}

// unseen adds to the error what 3/slots of the slots might do, which may be in no sample (the rule of three), to the
// mean of what varies by span.
func unseen(e jsqlib.Estimate, span float64, slots int64) jsqlib.Estimate {
	return widen(e, 3/float64(slots)*span)
}

// doubt widens the interval of a mean by what the start may have left in it, and takes Student's t of as many
// replications as saw most.
func (s *balanced) doubt(e jsqlib.Estimate) jsqlib.Estimate {
	e = widen(e, s.bias*math.Abs(e.Value))
	if s.stretch > 0 {
		e.Low, e.High = e.Value-(e.Value-e.Low)*s.stretch, e.Value+(e.High-e.Value)*s.stretch
	}
	return e
}

// widen adds an independent error to that of e.
func widen(e jsqlib.Estimate, by float64) jsqlib.Estimate {
	se := math.Hypot(e.StdErr, by)
	half := normal95 * se
	if e.StdErr > 0 {
		half = e.HalfWidth() * se / e.StdErr
	}
	return jsqlib.Estimate{Value: e.Value, StdErr: se, Low: e.Value - half, High: e.Value + half}
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
	out := &BoundaryLaw{Ceiling: b.ceiling, Replications: len(b.teams), Slots: b.steps() / balanceTaus * (balanceTaus - 2), Estimator: Balance}
	late, h, totals := b.books(1), float64(s.step), s.totals()
	out.QtildeMean = s.average(late, totals, out.Slots)
	out.BoundaryMean = out.QtildeMean
	if s.moments != nil {
		s.moments(late, out)
	}
	first, last := 0, len(s.weight)-1
	for s.weight[first] == 0 {
		first++
	}
	for s.weight[last] == 0 {
		last--
	}
	out.Min = int(s.zero + int64(first)*s.step)
	out.P = make([]float64, (last+1-first)*int(s.step))
	for i := range out.P {
		out.P[i] = s.weight[first+i/int(s.step)] / (s.sum * h)
	}
	out.average = func(f []float64) jsqlib.Estimate {
		values := make([]float64, len(s.weight))
		for i := range out.P {
			values[first+i/int(s.step)] += f[i]
		}
		return s.average(late, values, out.Slots)
	}
	if early := b.scheme.solve(b.books(0)); early != nil {
		before, after := early.mean(early.totals()), s.mean(totals)
		x := early.deviations(b.books(0), early.totals(), before)
		for r, y := range s.deviations(late, totals, after) {
			x[r] -= y
		}
		// a hundredth of the error asked for is none: where the total decides what goes unused, both parts
		// differ by totals that none of their runs came to, and no replication is off
		if d := math.Abs(before - after); d > 0.01*b.o.RelError*(math.Abs(after)+float64(b.n)) {
			out.ShiftInSigma = d / widen(spreadOf(0, x), s.bias*math.Abs(after)).StdErr
		}
	}
	return out
}
