package exact

import "math"

// stage is what the solver found on its way: the law below one ceiling and with one pruning.
type stage struct {
	kind stageKind
	at   Result // without TotalLaw
}

type stageKind int

const (
	solved       stageKind = iota // the first ceiling of a pruning
	higherUp                      // the next ceiling, for comparison
	raisedHigher                  // the next ceiling again, after the last one took its turn
	pruned                        // the end of a pruning
)

// numericalError is what a value misses by: rest for what pruning leaves out, slack for the
// ceiling and the sweeps.
type numericalError struct{ rest, slack float64 }

// errors returns the errors of the functions f of the solution, from how they moved on the way.
func (r Result) errors(f func(Result) []float64) []numericalError {
	now := f(r)
	var (
		n       = len(now)
		prune   = make([]trend, n)
		ceiling = make([]ceilingChange, n)
		here    = make([]float64, n)
		next    []float64
	)
	for _, s := range r.trail {
		switch s.kind {
		case solved:
			here = f(s.at)
		case higherUp, raisedHigher:
			if s.kind == raisedHigher {
				here = next
			}
			next = f(s.at)
			for i := range ceiling {
				ceiling[i].add(next[i], here[i], s.kind == raisedHigher)
			}
		case pruned:
			for i := range prune {
				prune[i].add(here[i], s.at.Truncation)
			}
		}
	}
	out := make([]numericalError, n)
	for i := range out {
		out[i] = numericalError{prune[i].rest, ceiling[i].rest() + 10*math.Abs(now[i]-here[i])}
	}
	return out
}

// interval returns where a value is, with rounding relative to size. Jockeying towards balance
// lowers the total of a work-conserving JSQ system, so there rest is on one side.
func (e numericalError) interval(x, size float64, lower bool) Interval {
	slack := e.slack + 1e-13*size
	i := Interval{x - slack, x + slack + e.rest}
	if !lower {
		i.Low -= e.rest
	}
	return i
}

// Intervals returns, for each of the numbers that f makes of the boundary law, an interval that
// holds it: its numerical error follows from how it moved from one ceiling and one pruning to the
// next, as that of E Q~ does. f is called for each of them and may use Boundary, BoundaryMean,
// BoundarySecond and QtildeMean. It must return the same count of numbers each time.
func (r Result) Intervals(f func(Result) []float64) []Interval {
	x := f(r)
	out := make([]Interval, len(x))
	for i, e := range r.errors(f) {
		out[i] = e.interval(x[i], math.Abs(x[i]), false)
	}
	return out
}
