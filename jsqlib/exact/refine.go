package exact

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"jsqlab/jsqlib/internal/memory"
)

// model is a system reduced to what the solver needs.
type model struct {
	n, bottom  int
	tilt       float64 // log z*
	relax      float64 // over-relaxation factor of the sweeps
	unused     float64 // exact E U or E I
	move       mover
	continuous bool
	monotone   bool // jockeying towards balance is known to lower the total
}

const (
	firstPruning = 1e-6
	pruningStep  = 1e-2
	lastPruning  = 1e-20
	maxGroups    = 64
	maxBand      = 1.5e8 // products of one aggregation, some 0.1 s
	maxCeiling   = 200   // levels above those of the boundary, or four times the largest rise
	tiny         = 1e-250
	residualGoal = 2e-15     // about what rounding allows
	maxJumps     = 4_000_000 // transitions between levels where a step can rise by many: a minute
	refuseAbove  = 1e-4      // relative error above which a result is refused
	margin       = 4         // on extrapolated errors: they are right within a factor of 3 (measured)
)

// solution is the chain solved at one pruning and ceiling.
type solution struct {
	*solver
	list     []int32   // phases
	shape    []float64 // far above: pi(ceiling+i, f) = scale ratio^i shape[f]
	scale    float64
	residual float64
	sweeps   int
}

// refine solves for finer and finer prunings until what they leave out is
// within the tolerance, and at each for higher and higher ceilings until the
// next one does not matter.
func (m *model) refine(ctx context.Context, opts Options) (Result, error) {
	ph := newPhases(m)
	ceiling := m.bottom + 1
	goal := max(1e-4*opts.Tolerance, residualGoal)
	relative := func(x float64) float64 { return opts.Tolerance * max(1, math.Abs(x)) }
	var (
		sol         *solution
		r           Result
		q           trend
		dq, dperp   ceilingChange
		trail       []stage
		ceilingDone bool
		full        = "the finest pruning" // what stopped short of the tolerance
		prune       = firstPruning
		step        = pruningStep
	)
	note := func(kind stageKind, r Result) {
		r.TotalLaw = nil
		trail = append(trail, stage{kind, r})
	}
	for {
		ph.limit = opts.MaxStates / (ceiling + 2)
		ph.levels = ceiling + 2
		err := ph.grow(ctx, prune)
		if err == nil && sol == nil && !memory.Fits(3*ph.bytes()) {
			err = errMemory // the next pruning will not fit, and one alone tells no error
		}
		if errors.Is(err, errStates) || errors.Is(err, errMemory) {
			limit := fmt.Sprintf("%d states", opts.MaxStates)
			if full = fmt.Sprintf("MaxStates = %d", opts.MaxStates); errors.Is(err, errMemory) {
				limit = memory.Text(memory.Limit)
				full = limit
			}
			if sol == nil || q.rest > refuseAbove*max(1, math.Abs(r.QtildeMean)) {
				return Result{}, tooLarge(m.n, fmt.Sprintf("more than %s for a relative error of %g", limit, refuseAbove), full)
			}
			break
		}
		if err != nil {
			return Result{}, err
		}
		if sol != nil && len(sol.list) < len(ph.list) {
			sol.release()
		}
		up := ph.highest()
		stride := max(1, up/16)
		if sol == nil {
			ceiling = max(ceiling, 4*(stride-1))
		}
		// A ceiling below the largest rise is not high enough, and each of the levels up to it
		// has transitions of its own, from about half of the others.
		if arcs := float64(up) * float64(ph.steps) / 2; sol == nil && up > maxCeiling/4 && arcs > maxJumps {
			return Result{}, tooLarge(m.n, fmt.Sprintf("some %.2g transitions between levels, as a slot can raise all queues by %d", arcs, up), fmt.Sprint(maxJumps))
		}
		solve := func(ceiling int, from *solution) (*solution, error) {
			return m.solve(ctx, ph, ceiling, goal, from, func(sweeps int, change float64) {
				if opts.Progress != nil {
					opts.Progress(Progress{prune, ceiling, len(ph.list) * (ceiling + 1), sweeps, change})
				}
			})
		}
		if sol, err = solve(ceiling, sol); err != nil {
			return Result{}, err
		}
		r = m.measure(ph, sol)
		note(solved, r)
		for raised := false; !ceilingDone; raised = true {
			higher, err := solve(ceiling+stride, sol)
			if err != nil {
				return Result{}, err
			}
			h := m.measure(ph, higher)
			if raised {
				note(raisedHigher, h)
			} else {
				note(higherUp, h)
			}
			sameQ := dq.add(h.QtildeMean, r.QtildeMean, raised)
			samePerp := dperp.add(h.PerpSecondMoment, r.PerpSecondMoment, raised)
			if dq.rest() <= relative(r.QtildeMean)/2 && dperp.rest() <= 500*relative(r.PerpSecondMoment) && r.missed() <= 1e3*opts.Tolerance {
				// Differences that fit below the ceiling do not feel it: only
				// when larger ones say the same is it high enough.
				ceilingDone = sameQ && samePerp && !raised
				break
			}
			if len(ph.list)*(ceiling+2*stride+1) > opts.MaxStates {
				full = fmt.Sprintf("MaxStates = %d", opts.MaxStates)
				break // the interval tells
			}
			if ceiling += stride; ceiling > m.bottom+max(maxCeiling, 4*up) {
				return Result{}, fmt.Errorf("exact: differences mix too slowly: E Q~ = %g still moves by %.2g at ceiling %d: want a system whose differences forget faster (arrivals and service not both multiples of one number, for instance)",
					r.QtildeMean, dq.change, ceiling)
			}
			sol, r = higher, h
		}
		r.Pruning = prune
		note(pruned, r)
		fall := r.Truncation / q.moved
		q.add(r.QtildeMean, r.Truncation)
		share := relative(r.QtildeMean) / 2
		if q.rest <= share || prune <= lastPruning {
			break
		}
		step = q.finer(share, step, fall)
		prune *= step
	}

	// What a few more sweeps would change is a small multiple of what one does.
	before := r.Pruning
	if _, err := sol.sweep(ctx); err != nil {
		return Result{}, err
	}
	sol.aggregate()
	sol.residual = sol.solver.residual()
	r = m.measure(ph, sol)
	r.Pruning, r.trail = before, trail
	means := r.errors(func(r Result) []float64 {
		return []float64{r.QtildeMean, r.PerpSecondMoment, r.EqualProbability}
	})
	r.Qtilde = means[0].interval(r.QtildeMean, max(1, math.Abs(r.QtildeMean)), m.monotone)
	perp, equal := means[1], means[2]
	r.Perp = perp.interval(r.PerpSecondMoment, max(1, r.PerpSecondMoment), false)
	if r.PerpSecondMoment > 0 {
		// It may hardly move from one ceiling to the next by chance: its share is not known better than that of
		// the other mean over all phases.
		equal.slack = max(equal.slack, perp.slack*r.EqualProbability/r.PerpSecondMoment)
	}
	r.Equal = equal.interval(r.EqualProbability, r.EqualProbability, false)
	if w := (r.Qtilde.High - r.Qtilde.Low) / 2; w > relative(r.QtildeMean) {
		r.Warnings = append(r.Warnings, fmt.Sprintf("tolerance %g not reached: E Q~ = %.15g is within %.2g only (limit: %s)",
			opts.Tolerance, r.QtildeMean, w, full))
	}
	if miss := r.missed(); miss > max(1e4*opts.Tolerance, 1e-10) {
		r.Warnings = append(r.Warnings, fmt.Sprintf("mean unused service misses its exact value by a relative %.2g", miss))
	}
	return r, nil
}

// ceilingChange follows how much a value changes from one ceiling to the next.
type ceilingChange struct {
	change float64
	ratio  float64 // of the last two changes as the ceiling was raised
}

// add takes the value at the next ceiling and at this one, which was raised to
// this since the last call or not. It reports whether the change is still what
// it was.
func (c *ceilingChange) add(next, this float64, raised bool) (same bool) {
	change := math.Abs(next - this)
	if raised && c.change > 0 {
		c.ratio = min(change/c.change, 0.99)
	}
	same = change <= 1.2*c.change+1e-14*max(1, math.Abs(this))
	c.change = change
	return same
}

// rest returns a margin times all the changes that higher ceilings would add,
// taken to fall geometrically, by half if nothing else is known.
func (c *ceilingChange) rest() float64 {
	ratio := c.ratio
	if ratio == 0 {
		ratio = 0.5
	}
	return margin * c.change / (1 - ratio)
}

// trend follows a value as the pruning gets finer. To first order its error
// is the flow of moved jobs, the truncation, times the effect of one move,
// which hardly changes with the pruning and is read from the last gain.
type trend struct {
	value, moved float64 // the last
	effect       float64 // of one move, the largest seen
	rest         float64 // margin times the error left in the value
	seen         bool
	gains        int // how often a finer pruning gave an effect
}

func (t *trend) add(value, moved float64) {
	gain := math.Abs(value - t.value)
	switch {
	case moved == 0:
		t.rest = 0
	case !t.seen:
		t.rest = math.Inf(1)
	case moved < t.moved:
		t.effect = max(t.effect, gain/(t.moved-moved))
		t.gains++
		t.rest = margin * t.effect * moved
	default:
		t.rest = max(t.rest, gain)
	}
	t.value, t.moved, t.seen = value, moved, true
}

// finer returns the factor to the pruning that should do for a rest of goal,
// when step was the last one and the truncation fell by fall with it.
func (t *trend) finer(goal, step, fall float64) float64 {
	if math.IsInf(t.rest, 1) || !(fall < 1) {
		return pruningStep
	}
	least := pruningStep
	if t.gains >= 3 {
		least *= pruningStep // the trend is known well enough for a leap
	}
	power := min(max(math.Log(fall)/math.Log(step), 0.5), 1)
	return min(max(math.Pow(goal/(1.2*t.rest), 1/power), least), 0.2)
}

// highest returns the largest rise of the level in a step from the phases in use.
func (ph *phases) highest() int {
	up := int32(0)
	for _, p := range ph.list {
		for _, e := range ph.edges(ph.bottom, p) {
			up = max(up, e.rise)
		}
	}
	return int(up)
}

// groups numbers the coarse groups of a chain with some levels: the total excess w, and so with
// the level the total Q, up to a limit. Large rises make the band of the coarse chain wide, and
// the groups fewer, such that an aggregation takes at most maxBand products.
func (ph *phases) groups(levels int) (group []int32, groups int) {
	up, down := min(ph.highest()+1, levels), min(ph.bottom+1, levels)
	limit := min(max(int(math.Cbrt(maxBand/float64(levels*up*down))), 1), maxGroups)
	group = make([]int32, len(ph.list))
	for f, p := range ph.list {
		g := min(ph.excess[p], limit-1)
		group[f] = int32(g)
		groups = max(groups, g+1)
	}
	return group, groups
}

// solve solves the chain on the phases in use below a ceiling, from a solution
// on fewer of them, if there is one.
func (m *model) solve(ctx context.Context, ph *phases, ceiling int, goal float64, from *solution, progress func(int, float64)) (*solution, error) {
	group, groups := ph.groups(ceiling + 1)
	free, err := ph.free(ctx)
	if err != nil {
		return nil, err
	}
	far := newSolver(free, 1, group, groups)
	for f, p := range ph.list {
		far.x[f] = ph.mass[p]
	}
	far.aggregate()
	// What the far law is wrong by reaches the boundary much reduced.
	if _, err := far.solve(ctx, 100*goal, func(int, float64) {}); err != nil {
		return nil, err
	}
	shape := far.x
	for f, p := range ph.list {
		ph.mass[p] = shape[f]
		shape[f] *= math.Exp(-m.tilt * float64(ph.excess[p]))
	}

	if ph.chain == nil || ph.chain.phases < len(ph.list) {
		ph.chain = nil
		if ph.chain, err = ph.full(ctx); err != nil {
			return nil, err
		}
	}
	copied := *ph.chain
	full := &copied
	full.levels = ceiling + 1
	logRatio := -m.tilt * float64(m.n)
	flow := full.returns(shape, logRatio)
	s := &solution{solver: newSolver(full, m.relax, group, groups), list: slices.Clone(ph.list), shape: shape}
	for l := range full.levels {
		scale := math.Exp(logRatio * float64(l))
		for f, p := range shape {
			s.at(l)[f] = max(scale*p, tiny) // any positive start will do
		}
	}
	if from != nil {
		s.warm(ph, from)
	}
	s.aggregate()
	if s.sweeps, err = s.solver.solve(ctx, goal, progress); err != nil {
		return nil, err
	}
	s.residual = s.solver.residual()
	s.scale = s.overflow() / flow
	return s, nil
}

// release lets go of all but the law, which is what the next solution starts from.
func (s *solution) release() {
	s.chain, s.into, s.coarse = &chain{levels: s.levels, phases: s.phases}, nil, nil
}

// warm replaces the law by that of an earlier solution where it has one, and
// scales the rest of each level to it.
func (s *solution) warm(ph *phases, from *solution) {
	pos := ph.positions()
	for l := range s.levels {
		x, mass, guess := s.at(l), 0.0, 0.0
		old := from.at(min(l, from.levels-1))
		for f, p := range from.list {
			mass += old[f]
			guess += x[pos[p]]
		}
		if mass > tiny {
			for f := range x {
				x[f] = max(x[f]*(mass/guess), tiny)
			}
		}
		if l < from.levels {
			for f, p := range from.list {
				x[pos[p]] = old[f]
			}
		}
	}
}

// measure reads the result off a solution.
func (m *model) measure(ph *phases, s *solution) Result {
	r := Result{
		Ceiling: s.levels - 1, Residual: s.residual, States: len(s.x), Sweeps: s.sweeps,
		MeanUnusedExact: m.unused,
	}
	// The boundary law, first unnormalised.
	lo, hi := 0, 0
	each := func(do func(o spent, w float64)) {
		for l := range m.bottom {
			for f, x := range s.at(l) {
				for _, o := range ph.idle[l][s.list[f]] {
					do(o, x*o.p)
				}
			}
		}
	}
	each(func(o spent, _ float64) {
		hi = max(hi, int(o.total))
		if !m.continuous {
			lo = min(lo, int(o.total-o.unused)+1)
		}
	})
	law := make([]float64, hi-lo+1)
	var u, uq, uu float64 // E U, E[U Q^+], E[U^2]
	each(func(o spent, w float64) {
		k := float64(o.unused)
		u += w * k
		uq += w * k * float64(o.total)
		uu += w * k * k
		if m.continuous {
			law[int(o.total)-lo] += w * k
			return
		}
		for j := range int(o.unused) {
			law[int(o.total)-j-lo] += w
		}
	})
	for i := range law {
		law[i] /= u
	}
	r.Boundary = Law{lo, law}
	r.BoundaryMean, r.QtildeMean = uq/u, uq/u
	if !m.continuous {
		r.BoundarySecond = uu / u
		r.QtildeMean = r.BoundaryMean - (r.BoundarySecond-1)/2
	}

	// Functions of the phase, and of the total below the ceiling. Levels above
	// it carry scale ratio^i shape, i = 1, 2, ...
	perp, carried := make([]float64, s.phases), make([]bool, len(ph.used))
	for f, p := range s.list {
		perp[f], carried[p] = ph.perp(p), true
	}
	totals := make([]float64, m.n*s.levels)
	var one, perp2, equal, moved float64
	add := func(kind, f int, x float64) {
		one += x
		perp2 += x * perp[f]
		if perp[f] == 0 {
			equal += x
		}
		for _, e := range ph.edges(kind, s.list[f]) {
			if !carried[e.to] {
				moved += x * e.p
			}
		}
	}
	for l := range s.levels {
		for f, x := range s.at(l) {
			add(s.kind(l), f, x)
			if q := m.n*l + ph.excess[s.list[f]]; q < len(totals) {
				totals[q] += x * m.unused / u
			}
		}
	}
	logRatio := -m.tilt * float64(m.n)
	above := s.scale * math.Exp(logRatio) / -math.Expm1(logRatio)
	for f, x := range s.shape {
		add(m.bottom, f, above*x)
	}
	r.PerpSecondMoment = perp2 / one
	r.EqualProbability = equal / one
	r.Truncation = moved / one
	r.MeanUnused = u / one
	r.TotalLaw = totals
	return r
}
