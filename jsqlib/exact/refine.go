package exact

import (
	"context"
	"fmt"
	"math"

	"jsqlab/jsqlib/internal/memory"
)

const (
	firstPruning = 1e-6
	pruningStep  = 1e-2
	lastPruning  = 1e-20
	maxCeiling   = 200       // levels above those of the boundary, or four times the largest rise
	residualGoal = 2e-15     // about what rounding allows
	maxJumps     = 4_000_000 // transitions between levels where a step can rise by many: a minute
	refuseAbove  = 1e-4      // relative error above which a result is refused
)

// search is the way to a pruning and a ceiling that are good enough for the options.
type search struct {
	ph      *phases
	opts    Options
	ceiling int
	stride  int       // from one ceiling to the next
	settled bool      // the ceiling is high enough for all prunings
	sol     *solution // at the ceiling, nil before the first
	now     Result    // of sol
	trail   trail     // all results so far
	limit   string    // what stops the search short of the tolerance
}

// refine searches in stages. [search.grow] takes phases into use down to a pruning.
// [search.raise] solves on them, for higher and higher ceilings until the next one does not
// matter. The pruning is lowered, and both are done again, until what is left out is within the
// tolerance. [search.conclude] makes the intervals from how the numbers moved on the way.
func (m *model) refine(ctx context.Context, opts Options) (Result, error) {
	s := &search{ph: newPhases(m), opts: opts, ceiling: m.bottom + 1, limit: "the finest pruning"}
	step := pruningStep
	for prune := firstPruning; ; prune *= step {
		fits, err := s.grow(ctx, prune)
		if err == nil && fits {
			err = s.raise(ctx)
		}
		if err != nil {
			return Result{}, err
		}
		q, _ := s.moves()
		share := s.tolerance(s.now.QtildeMean) / 2
		if !fits || q.pruning.rest <= share || prune <= lastPruning {
			return s.conclude(ctx)
		}
		step = q.pruning.finer(share, step)
	}
}

// tolerance is the half-width wanted for the interval of a number.
func (s *search) tolerance(x float64) float64 { return s.opts.Tolerance * max(1, math.Abs(x)) }

// states is the option as a limit.
func (s *search) states() string { return fmt.Sprintf("MaxStates = %d", s.opts.MaxStates) }

// grow takes phases into use down to the pruning and reports whether they fit. If not, the last
// solution has to do. A system for which that is too coarse is refused.
func (s *search) grow(ctx context.Context, prune float64) (fits bool, err error) {
	s.ph.levels = s.ceiling + 2
	s.ph.limit = s.opts.MaxStates / s.ph.levels
	err = s.ph.grow(ctx, prune)
	if err == nil && s.sol == nil && !memory.Fits(3*s.ph.bytes()) {
		err = errMemory // the next pruning will not fit, and one alone tells no error
	}
	var needs string
	switch err {
	case errStates:
		needs, s.limit = fmt.Sprintf("%d states", s.opts.MaxStates), s.states()
	case errMemory:
		needs = memory.Text(memory.Limit)
		s.limit = needs
	default:
		return err == nil, err
	}
	if s.sol != nil {
		if q, _ := s.moves(); q.pruning.rest <= refuseAbove*max(1, math.Abs(s.now.QtildeMean)) {
			return false, nil
		}
	}
	return false, tooLarge(s.ph.n, fmt.Sprintf("more than %s for a relative error of %g", needs, refuseAbove), s.limit)
}

// raise solves on the phases in use, and raises the ceiling until the next one does not matter.
// It fails if none is high enough.
func (s *search) raise(ctx context.Context) error {
	up := s.ph.highest()
	s.stride = max(1, up/16)
	if s.sol == nil {
		if err := s.start(up); err != nil {
			return err
		}
	} else if len(s.sol.list) < len(s.ph.list) {
		s.sol.release()
	}
	var err error
	if s.sol, err = s.solve(ctx, s.ceiling); err != nil {
		return err
	}
	s.trail = append(s.trail, nil)
	s.now = s.measure(s.sol)
	for raised := false; !s.settled; raised = true {
		higher, err := s.solve(ctx, s.ceiling+s.stride)
		if err != nil {
			return err
		}
		next := s.measure(higher)
		q, perp := s.moves()
		if q.ceiling.rest() <= s.tolerance(s.now.QtildeMean)/2 && perp.ceiling.rest() <= 500*s.tolerance(s.now.PerpSecondMoment) &&
			s.now.missed() <= 1e3*s.opts.Tolerance {
			// Differences that fit below the ceiling do not feel it: only
			// when larger ones say the same is it high enough.
			s.settled = q.ceiling.same && perp.ceiling.same && !raised
			return nil
		}
		if len(s.ph.list)*(s.ceiling+2*s.stride+1) > s.opts.MaxStates {
			s.limit = s.states()
			return nil // the interval tells
		}
		if s.ceiling += s.stride; s.ceiling > s.ph.bottom+max(maxCeiling, 4*up) {
			return fmt.Errorf("exact: differences mix too slowly: E Q~ = %g still moves by %.2g at ceiling %d: want a system whose differences forget faster (arrivals and service not both multiples of one number, for instance)",
				s.now.QtildeMean, q.ceiling.change, s.ceiling)
		}
		s.sol, s.now = higher, next
	}
	return nil
}

// start sets the first ceiling, for steps that rise by up at most. A ceiling below that is not
// high enough, and each of the levels up to it has transitions of its own, from about half of
// the others: a system with too many of them is refused.
func (s *search) start(up int) error {
	s.ceiling = max(s.ceiling, 4*(s.stride-1))
	if arcs := float64(up) * float64(s.ph.steps) / 2; up > maxCeiling/4 && arcs > maxJumps {
		return tooLarge(s.ph.n, fmt.Sprintf("some %.2g transitions between levels, as a slot can raise all queues by %d", arcs, up), fmt.Sprint(maxJumps))
	}
	return nil
}

// solve solves on the phases in use below the ceiling.
func (s *search) solve(ctx context.Context, ceiling int) (*solution, error) {
	return s.ph.solve(ctx, ceiling, max(1e-4*s.opts.Tolerance, residualGoal), s.sol, func(sweeps int, change float64) {
		if s.opts.Progress != nil {
			s.opts.Progress(Progress{ceiling, len(s.ph.list) * (ceiling + 1), sweeps, change})
		}
	})
}

// measure reads the result off a solution and puts it on the trail.
func (s *search) measure(sol *solution) Result {
	r := s.ph.measure(sol)
	last := &s.trail[len(s.trail)-1]
	*last = append(*last, r)
	(*last)[len(*last)-1].TotalLaw = nil
	return r
}

// moves returns how the two means moved that the search goes by, E Q~ and E ||q_perp||^2.
func (s *search) moves() (q, perp moves) {
	m := s.trail.moves(2, func(r Result) []float64 { return []float64{r.QtildeMean, r.PerpSecondMoment} })
	return m[0], m[1]
}

// conclude returns the last solution after one more sweep, with its intervals and warnings. What
// a few more sweeps would change is a small multiple of what that one does.
func (s *search) conclude(ctx context.Context) (Result, error) {
	if _, err := s.sol.sweep(ctx); err != nil {
		return Result{}, err
	}
	s.sol.aggregate()
	r := s.ph.measure(s.sol)
	r.trail = s.trail
	misses := r.misses(func(r Result) []float64 {
		return []float64{r.QtildeMean, r.PerpSecondMoment, r.EqualProbability}
	})
	q, perp, equal := misses[0], misses[1], misses[2]
	r.Qtilde = q.interval(r.QtildeMean, max(1, math.Abs(r.QtildeMean)), s.ph.monotone)
	r.Perp = perp.interval(r.PerpSecondMoment, max(1, r.PerpSecondMoment), false)
	if r.PerpSecondMoment > 0 {
		// P(q_1 = ... = q_N) may hardly move from one ceiling to the next by chance. It is not known better, in
		// relative terms, than the other mean over all phases.
		equal.slack = max(equal.slack, perp.slack*r.EqualProbability/r.PerpSecondMoment)
	}
	r.Equal = equal.interval(r.EqualProbability, r.EqualProbability, false)
	if w := (r.Qtilde.High - r.Qtilde.Low) / 2; w > s.tolerance(r.QtildeMean) {
		r.Warnings = append(r.Warnings, fmt.Sprintf("tolerance %g not reached: E Q~ = %.15g is within %.2g only (limit: %s)",
			s.opts.Tolerance, r.QtildeMean, w, s.limit))
	}
	if miss := r.missed(); miss > max(1e4*s.opts.Tolerance, 1e-10) {
		r.Warnings = append(r.Warnings, fmt.Sprintf("mean unused service misses its exact value by a relative %.2g", miss))
	}
	return r, nil
}
