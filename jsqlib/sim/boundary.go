package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/reps"
)

// BoundaryLaw is the result of [Boundary]: the law of the total that a typical unused service sees.
//
// Discrete time: with (Q^+, U) under the U-weighted stationary law and J uniform on {0, ..., U-1}, Q~ =
// Q^+ - J. Continuous time: P(Q~ = n) = E[I; Q = n]/E I.
type BoundaryLaw struct {
	Min            int             // least value of Q~ seen
	P              []float64       // P[k] estimates P(Q~ = Min + k)
	BoundaryMean   jsqlib.Estimate // E[U Q^+]/E U, E[I Q]/E I in CT
	BoundarySecond jsqlib.Estimate // E[U^2]/E U; zero in CT
	QtildeMean     jsqlib.Estimate // E Q~
	Slots          int64           // behind the answer, over all replications; steps in CT
	TotalSlots     int64           // of the whole run: shorter runs, other ceilings and warm-up included
	// Ceiling is L. Balance: a job is taken off every queue when the total comes to L N; with batches runs
	// start from least queues below L. Climb: L is taken off every queue when the minimum exceeds 2L.
	Ceiling int64
	// ShiftInSigma is the difference of E Q~, in standard errors, between the slots of the runs and
	// those before them (Balance), or between the ceilings L and L/2 (Climb).
	ShiftInSigma float64
	Replications int
	Estimator    string // Balance or Climb
	Warnings     []string

	average func(f []float64) jsqlib.Estimate
}

// Average estimates E f(Q~) from the counts behind P. f[k] is the value at Q~ = Min + k, for each entry
// of P. The error is taken over replications: of a ratio of sums (Climb), or of the linearised
// answer (Balance). The estimate is NaN for a shorter f, and for a law that no run made.
func (b *BoundaryLaw) Average(f []float64) jsqlib.Estimate {
	if b.average == nil || len(f) < len(b.P) {
		return unknown
	}
	return b.average(f)
}

// unknown is the average where nothing was measured.
var unknown = jsqlib.Estimate{Value: math.NaN(), StdErr: math.NaN(), Low: math.NaN(), High: math.NaN()}

// visits calls f for each value x of Q~ that was counted, with its count, in the order of x.
func (t *tally) visits(f func(x, count int64)) {
	first, counts := t.boundaryMin, t.boundary
	if counts == nil { // continuous time: Q~ is Q
		first, counts = 0, t.total
	}
	for i, k := range counts {
		if k > 0 {
			f(first+int64(i), k)
		}
	}
}

// The two estimators of the boundary law. They share no random stream, and tests compare them.
const (
	Balance = "balance" // many short runs at the totals at which service goes unused
	Climb   = "climb"   // long runs in which the total moves by itself
)

// BoundaryOptions steer [Boundary].
type BoundaryOptions struct {
	Options
	// Ceiling is the first L tried, at least S_max; 0 picks one. It grows until E Q~ moves by less than
	// its error bar.
	Ceiling int64
	// RelativeError, if set, replaces the relative error of E Q~ + N in the stopping rule. It is called
	// after each round with the law so far.
	RelativeError func(*BoundaryLaw) float64
	// Estimator is Balance, Climb, or empty: the faster one. Climb is as fast with batches to fewer than
	// 64 servers, and the only one for batches under power of d and for batches with a Ceiling.
	Estimator string
}

// Boundary estimates the boundary law of the model at a cost that does not depend on alpha. The caller
// asks for a relative error of E Q~ (of E Q~ + N, to keep the rule meaningful where E Q~ is near 0) or
// gives a rule of their own. In continuous time slots are steps of the uniformised chain.
//
// Balance does not wait for the total to move: see balance. Climb waits for that, under a
// ceiling: see climb. Either checks the answer against one from shorter runs or a lower ceiling, and
// goes on until both agree. ShiftInSigma reports this check.
//
// When ctx ends first, Boundary returns what was counted, with a warning, and the context's error. The
// law is then nil only if nothing was counted.
func Boundary(ctx context.Context, m jsqlib.Model, o BoundaryOptions) (*BoundaryLaw, error) {
	ch, c, err := newChain(m)
	if err != nil {
		return nil, err
	}
	if err := m.Policy.Recurrent(m.Servers); err != nil {
		return nil, err
	}
	which, err := estimator(ch, m, o)
	if err != nil {
		return nil, err
	}
	if which == Balance {
		return balance(ctx, ch, c, o, task("balance", m))
	}
	return climb(ctx, ch, o, task("boundary", m), firstCeiling(m))
}

// estimator returns the one that o asks for, or the faster one.
func estimator(ch *chain, m jsqlib.Model, o BoundaryOptions) (string, error) {
	can := !ch.batch || m.JSQ() && o.Ceiling == 0
	switch {
	case o.Estimator == "" && can && (!ch.batch || ch.n >= 64):
		return Balance, nil
	case o.Estimator == Balance && !can:
		return "", jsqlib.Refuse("sim", "estimator", Balance, Climb+", for batches under power of d or with a ceiling")
	case o.Estimator == "" || o.Estimator == Climb:
		return Climb, nil
	case o.Estimator == Balance:
		return Balance, nil
	}
	return "", jsqlib.Refuse("sim", "estimator", o.Estimator, Balance+" or "+Climb)
}

func firstCeiling(m jsqlib.Model) int64 {
	root := math.Sqrt(float64(m.Servers))
	switch {
	case m.Continuous:
		return int64(max(math.Ceil(16/root), 1))
	case m.Routing == jsqlib.Job:
		return 4
	}
	return int64(max(math.Ceil(root), 2))
}

// CheckBudget returns the error with which [Boundary] refuses a budget that ends in the warm-up, before
// anything is run.
func CheckBudget(m jsqlib.Model, o Options) error {
	ch, _, err := newChain(m)
	if err != nil {
		return err
	}
	if which, _ := estimator(ch, m, BoundaryOptions{}); which == Climb {
		return checkBudget(ch, o)
	}
	if o, err = o.withDefaults(boundaryBudget); err != nil {
		return err
	}
	return checkRun(ch, o)
}

func checkBudget(ch *chain, o Options) error {
	o, err := o.withDefaults(boundaryBudget)
	if count := int64(o.Replications); err == nil && o.MaxSlots < leastAt(ch, o) {
		err = jsqlib.Refuse("sim", "max-slots", o.MaxSlots, fmt.Sprintf("more than %d, which the warm-up at N = %d takes, by at least %d", warmUpAt(ch)*count, ch.n, count))
	}
	return err
}

// leastAt is the least budget at a ceiling: a slot after the warm-up.
func leastAt(ch *chain, o Options) int64 { return (warmUpAt(ch) + 1) * int64(o.Replications) }

// highest bounds the first ceiling tried: a tenth of a walk over its range must fit the budget. The
// bound holds the counts of levels down as well, whose number grows with the range.
func highest(ch *chain, budget int64) int64 {
	const most = 1 << 30
	l := math.Sqrt(10*float64(budget)*ch.v) / float64(2*ch.n)
	return max(int64(min(l, most)), ch.service/int64(ch.n), 1)
}

// shiftTolerance is the largest shift between two ceilings, in standard errors of the difference, that
// counts as none.
const shiftTolerance = 2

// climb estimates the boundary law by long runs under a shifted ceiling: whenever min_i q_i exceeds 2L, L is
// taken off every queue. Above the boundary the routing depends on the differences q - min q alone. The
// shift changes the law of the boundary states only by the dependence that the differences keep over
// the climb, which falls off fast in L. L is doubled until the answer moves by less than its error bar.
// The stopping rule holds at each ceiling.
func climb(ctx context.Context, ch *chain, o BoundaryOptions, task string, first int64) (*BoundaryLaw, error) {
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
	if err := checkBudget(ch, o.Options); err != nil {
		return nil, err
	}
	if err := o.fits("servers", int64(ch.n), func(n float64) float64 { return ch.cells(n, 0) + ch.spread(n, 0) }); err != nil {
		return nil, err
	}
	n := float64(ch.n)
	if err := o.fits("ceiling", o.Ceiling, func(l float64) float64 { return ch.cells(n, 0) + ch.spread(n, l) }); err != nil {
		return nil, err
	}
	if o.Ceiling > 0 {
		first = o.Ceiling
	}
	// after a shift the minimum exceeds L, and no queue must be able to idle in the slot that shifts:
	// the engines rely on it
	first = max(first, ch.service/int64(ch.n))
	if o.RelativeError == nil {
		o.RelativeError = qtildeError(ch)
	}
	budget, spent := o.MaxSlots, int64(0)
	var last *BoundaryLaw
	for l := first; ; l *= 2 {
		b, used, reached, err := climbAt(ctx, ch, o, task, l, budget-spent)
		spent += used
		if errors.As(err, new(*jsqlib.Invalid)) {
			return nil, err
		}
		if b == nil && last == nil { // nothing counted at all
			if err == nil {
				err = jsqlib.Refuse("sim", "max-slots", budget, fmt.Sprintf("more: no unused service was seen in %d slots at ceiling L = %d", used, l))
			}
			return nil, err
		}
		shift := 0.0
		if b != nil && last != nil {
			if d := math.Abs(b.QtildeMean.Value - last.QtildeMean.Value); d > 0 {
				shift = d / math.Hypot(b.QtildeMean.StdErr, last.QtildeMean.StdErr)
			}
		}
		if !reached { // at this ceiling: what was reached at the one before is worth more
			why := fmt.Sprintf("the budget of %d slots ended", budget)
			if err != nil {
				why = "interrupted"
			}
			what := "the relative error was reached; the ceiling is not checked against another one"
			if last != nil {
				what = fmt.Sprintf("ceiling %d was as precise as ceiling %d: its check is no better than that", l, last.Ceiling)
				b = last
			}
			b.ShiftInSigma, b.TotalSlots = shift, spent
			b.Warnings = append(b.Warnings, why+" before "+what)
			return b, err
		}
		b.ShiftInSigma, b.TotalSlots = shift, spent
		if last != nil && b.ShiftInSigma <= shiftTolerance {
			return b, nil
		}
		last = b
	}
}

// warmUpAt returns the warm-up of a replication under a ceiling: 50 times the time in which the
// differences mix.
func warmUpAt(ch *chain) int64 { return int64(50 * ch.mixing) }

// climbAt estimates at one ceiling. The replications start from queues that are spread evenly over a
// total, and are warmed up. The total is drawn from the law of a driftless walk under the ceiling,
// which is flat up to L and falls to 0 at 2L. The law is nil if nothing was counted; the error is that
// of the context.
func climbAt(ctx context.Context, ch *chain, o BoundaryOptions, task string, l, budget int64) (b *BoundaryLaw, used int64, reached bool, err error) {
	n, reps := float64(ch.n), int64(o.Replications)
	warm := warmUpAt(ch)
	if budget < leastAt(ch, o.Options) {
		return nil, 0, false, nil
	}
	f := newFleet(ch, o.Options, fmt.Sprintf("%s L=%d", task, l), plan{ceiling: l, law: true}, func(r *rand.Rand) int64 {
		x := 1 - math.Sqrt(r.Float64())
		if r.Float64() < 2.0/3 {
			x = r.Float64() - 1
		}
		return int64((1 + x) * float64(l) * n)
	})
	if err := f.warm(ctx, warm); err != nil {
		return nil, 0, false, err
	}
	// a tenth of the time of a walk over the whole range (the replications together make a few, and
	// start from its law), and that of a walk over the totals at which service goes unused
	climb := 2 * float64(l) * n
	round := int64((0.1*climb*climb+ch.width*ch.width)/ch.v + 10*ch.mixing)
	reached, err = f.until(ctx, round, budget/reps-warm, func() float64 {
		// a few replications that happen to see most of the unused service would agree with themselves
		if f.effective(unused) < min(8, 0.75*float64(reps)) {
			return math.Inf(1)
		}
		return o.RelativeError(f.boundaryLaw(l))
	})
	used = warm * reps
	for _, t := range f.tallies {
		used += t.slots
	}
	if err != nil {
		f.keep(func(t *tally) bool { return t.unused > 0 })
	}
	if len(f.tallies) < 2 {
		return nil, used, false, err
	}
	if b = f.boundaryLaw(l); b.P == nil {
		return nil, used, false, err
	}
	return b, used, reached, err
}

func (f *fleet) boundaryLaw(l int64) *BoundaryLaw {
	b := &BoundaryLaw{Ceiling: l, Replications: len(f.tallies), Estimator: Climb}
	b.average = func(values []float64) jsqlib.Estimate {
		x := f.each(func(t *tally) float64 {
			s := 0.0
			t.visits(func(x, k int64) { s += float64(k) * values[int(x)-b.Min] })
			return s
		})
		return reps.Ratio(x, f.each(unused))
	}
	lo, hi := far, -far
	for _, t := range f.tallies {
		b.Slots += t.slots
		t.visits(func(x, _ int64) { lo, hi = min(lo, x), max(hi, x) })
	}
	b.BoundaryMean, b.BoundarySecond, b.QtildeMean = f.boundaryMoments()
	if lo > hi {
		b.BoundaryMean.StdErr, b.QtildeMean.StdErr = math.Inf(1), math.Inf(1)
		return b
	}
	b.Min = int(lo)
	total := make([]int64, hi-lo+1)
	sum := int64(0)
	for _, t := range f.tallies {
		t.visits(func(x, k int64) {
			total[x-lo] += k
			sum += k
		})
	}
	b.P = make([]float64, len(total))
	for i, k := range total {
		b.P[i] = float64(k) / float64(sum)
	}
	return b
}
