package exact

import (
	"context"
	"fmt"
	"math"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/num"
	"jsqlab/jsqlib/internal/reps"
)

// Options control [Solve]. The zero value is useful.
type Options struct {
	// Tolerance is the half-width that you want for the interval around E Q~,
	// relative to max(1, E Q~): 1e-12 <= Tolerance < 1, 0 means 1e-9.
	Tolerance float64
	// MaxStates is the largest chain that you allow, 0 means 2,000,000 states. A
	// state takes about 300 bytes in continuous time. In discrete time its
	// transitions take more. No solution takes more than 2 GiB.
	MaxStates int
	// Progress, if set, is called after each sweep.
	Progress func(Progress)
}

// Progress says how far the solver is.
type Progress struct {
	Ceiling  int // highest level
	States   int
	Sweeps   int     // at this ceiling
	Residual float64 // about ||pi P - pi||_1
}

const (
	defaultTolerance = 1e-9
	minTolerance     = 1e-12
	defaultMaxStates = 2_000_000
	maxServers       = 64
	maxOutcomes      = 50_000 // of one slot, from one state
)

// tooLarge refuses a number of servers with what it needs and the most there is of that.
func tooLarge(servers int, needs, most string) error {
	return jsqlib.Refuse("exact", "servers", fmt.Sprintf("%d needs %s", servers, needs), fmt.Sprintf("at most %s (law.Distance takes more servers)", most))
}

func (o Options) complete() (Options, error) {
	switch {
	case o.Tolerance == 0:
		o.Tolerance = defaultTolerance
	case !(o.Tolerance >= minTolerance && o.Tolerance < 1):
		return o, jsqlib.Refuse("exact", "tolerance", o.Tolerance, fmt.Sprintf("%g <= tolerance < 1, or 0 for %g", minTolerance, defaultTolerance))
	}
	switch {
	case o.MaxStates == 0:
		o.MaxStates = defaultMaxStates
	case o.MaxStates < 0:
		return o, jsqlib.Refuse("exact", "max-states", o.MaxStates, fmt.Sprintf("max-states > 0, or 0 for %d", defaultMaxStates))
	}
	return o, nil
}

// Law is a probability mass function on integers: P[k] = P(. = Min + k).
type Law struct {
	Min int
	P   []float64
}

// Interval is a closed interval.
type Interval struct{ Low, High float64 }

// Result is what [Solve] finds of a stationary law, with an interval for each number that is
// not exact: the intervals of three means here, those of other numbers by [Result.Intervals].
// Totals are in jobs. Warnings lists every self-check that failed.
type Result struct {
	// Boundary is the law of Q~, the total that a typical unused service sees.
	// Discrete time: Q~ = Q^+ - J, where (Q^+, U) has the stationary law weighted
	// by U, and J is uniform on {0, ..., U-1}. Continuous time: P(Q~ = n) =
	// E[I; Q = n]/E I.
	Boundary       Law
	BoundaryMean   float64  // E[U Q^+]/E U; continuous time E[I Q]/E I
	BoundarySecond float64  // E[U^2]/E U; continuous time 0, not needed
	QtildeMean     float64  // E Q~
	Qtilde         Interval // holds E Q~
	MeanTotal      float64  // E Q, by the identity of [Solve]

	PerpSecondMoment float64  // E ||q_perp||^2
	Perp             Interval // holds E ||q_perp||^2
	EqualProbability float64  // P(q_1 = ... = q_N)
	Equal            Interval // holds P(q_1 = ... = q_N)
	// TotalLaw is P(Q = n) for n = 0, 1, ... below the ceiling. It is read off the
	// chain and not made of Boundary.
	TotalLaw []float64
	// MeanUnused is E U (E I in continuous time) of the law solved, and
	// MeanUnusedExact is its exact value eps (N e): a check of the whole.
	MeanUnused, MeanUnusedExact float64

	Ceiling    int     // levels min q = 0..Ceiling are solved, and product form holds above
	Truncation float64 // probability per slot (event) that a job was moved for it
	Residual   float64 // ||pi P - pi||_1
	States     int
	Warnings   []string

	trail trail // behind the intervals
}

// missed returns |MeanUnused/MeanUnusedExact - 1|.
func (r Result) missed() float64 { return math.Abs(r.MeanUnused/r.MeanUnusedExact - 1) }

// Solve returns the stationary law of a system of a few servers, to the tolerance of the options
// or with a warning. The mean total is
//
//	E Q = (v + eps^2)/(2 eps) + E[U Q^+]/E U - E[U^2]/(2 E U)
//
// in discrete time and E Q = lambda/(1 - lambda) + E[I Q]/E I in continuous time (derived from
// the balance of z^Q).
//
// A system or an option that cannot be used is a [*jsqlib.Invalid], and so is a system that is too
// large. Solve also fails with the error of ctx, and if the differences q - min q forget their
// past so slowly that no ceiling is high enough.
func Solve(ctx context.Context, sys jsqlib.Model, opts Options) (Result, error) {
	if err := reps.Context("exact", ctx); err != nil {
		return Result{}, err
	}
	c, err := sys.Constants()
	if err != nil {
		return Result{}, err
	}
	opts, err = opts.complete()
	if err != nil {
		return Result{}, err
	}
	m, err := newModel(sys, c)
	if err != nil {
		return Result{}, err
	}
	r, err := m.refine(ctx, opts)
	if err != nil {
		return Result{}, err
	}
	if sys.Continuous {
		r.MeanTotal = c.Load/c.Gap + r.QtildeMean
		return r, nil
	}
	r.MeanTotal = (c.V+c.Eps*c.Eps)/(2*c.Eps) + r.BoundaryMean - r.BoundarySecond/2
	return r, nil
}

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

// newModel sets up the chain of the system.
func newModel(sys jsqlib.Model, c jsqlib.Constants) (*model, error) {
	join, err := policy(c.N, sys.Policy)
	if err != nil {
		return nil, err
	}
	if sys.Continuous {
		return &model{
			n: c.N, bottom: 1, tilt: -math.Log1p(-c.Gap), relax: 1.5, unused: c.Eps,
			move: newEvents(c.N, c.Load, join), continuous: true, monotone: sys.JSQ(),
		}, nil
	}
	n := float64(c.N)
	outcomes := math.Pow(float64(c.SMax+1), n)
	if sys.Routing == jsqlib.Job {
		paths := 1.0
		for range c.N * c.AMax {
			paths = 1 + paths*float64(len(join))
		}
		outcomes *= paths
	} else {
		outcomes *= 1 + n*float64(c.AMax)*float64(len(join))
	}
	if outcomes > maxOutcomes {
		return nil, tooLarge(c.N, fmt.Sprintf("%.3g outcomes of a slot from each state", outcomes), fmt.Sprint(maxOutcomes))
	}
	walk, err := num.NewWalk(c.Arrivals, c.Service, c.Gap)
	if err != nil {
		return nil, fmt.Errorf("exact: %w", err)
	}
	return &model{
		n: c.N, bottom: c.SMax, tilt: walk.Root(), relax: 1, unused: c.Eps,
		move: newSlots(c.N, c.Arrivals.Power(c.N), c.Service, join, sys.Routing == jsqlib.Job),
	}, nil
}

// policy returns the probability that a job joins the server of each rank.
func policy(n int, p jsqlib.Policy) ([]float64, error) {
	if err := p.Among("exact", jsqlib.JSQ, jsqlib.Pod, jsqlib.PodReplacement); err != nil {
		return nil, err
	}
	if err := p.Recurrent(n); err != nil {
		return nil, err
	}
	if n > maxServers {
		// Phases with differences of at most 5: fewer phases give no digit.
		states := 1.0
		for i := 1; i <= 5; i++ {
			states *= float64(n-1+i) / float64(i)
		}
		return nil, tooLarge(n, fmt.Sprintf("some %.2g phases with differences up to 5", states), fmt.Sprintf("servers = %d", maxServers))
	}
	return p.Ranks(n), nil
}
