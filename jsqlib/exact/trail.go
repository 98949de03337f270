package exact

import "math"

// margin multiplies extrapolated errors, which are right within a factor of 3 (measured).
const margin = 4

// trail holds the results on the way, without TotalLaw: trail[k] those of the k-th pruning, at
// one ceiling after the other. The last of several only tells how good the one before is, which
// is kept. A single one has a ceiling that is known to be high enough.
type trail [][]Result

// moves is how a number moved along a trail.
type moves struct {
	kept    float64 // what it is at the last pruning
	ceiling ceilingTrend
	pruning pruningTrend
}

// moves returns how the n numbers moved that f makes of a result.
func (t trail) moves(n int, f func(Result) []float64) []moves {
	out := make([]moves, n)
	for _, ceilings := range t {
		values := make([][]float64, len(ceilings))
		for i, r := range ceilings {
			values[i] = f(r)
		}
		kept := max(0, len(ceilings)-2)
		for j := range out {
			m := &out[j]
			for i := 1; i < len(ceilings); i++ {
				m.ceiling.add(values[i][j], values[i-1][j], i > 1)
			}
			m.kept = values[kept][j]
			m.pruning.add(m.kept, ceilings[kept].Truncation)
		}
	}
	return out
}

// ceilingTrend follows how much a number changes from one ceiling to the next.
type ceilingTrend struct {
	change float64
	ratio  float64 // of the last two changes as the ceiling was raised, 0 if not known
	same   bool    // the last change is no more than the one before
}

// add takes the number at the next ceiling and at this one, which was raised to
// this since the last call or not.
func (c *ceilingTrend) add(next, this float64, raised bool) {
	change := math.Abs(next - this)
	if raised && c.change > 0 {
		c.ratio = min(change/c.change, 0.99)
	}
	c.same = change <= 1.2*c.change+1e-14*max(1, math.Abs(this))
	c.change = change
}

// rest returns a margin times all the changes that higher ceilings would add,
// taken to fall geometrically, by half if nothing else is known.
func (c ceilingTrend) rest() float64 {
	ratio := c.ratio
	if ratio == 0 {
		ratio = 0.5
	}
	return margin * c.change / (1 - ratio)
}

// pruningTrend follows a number as the pruning gets finer. To first order its error
// is the flow of moved jobs, the truncation, times the effect of one move,
// which hardly changes with the pruning and is read from the last gain.
type pruningTrend struct {
	value, moved float64 // the last
	fall         float64 // of moved, with the last pruning
	effect       float64 // of one move, the largest seen
	rest         float64 // margin times the error left in the value
	seen         bool
	gains        int // how often a finer pruning gave an effect
}

func (t *pruningTrend) add(value, moved float64) {
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
	t.fall = moved / t.moved
	t.value, t.moved, t.seen = value, moved, true
}

// finer returns the factor to the pruning that should do for a rest of goal,
// when step was the last one.
func (t pruningTrend) finer(goal, step float64) float64 {
	if math.IsInf(t.rest, 1) || !(t.fall < 1) {
		return pruningStep
	}
	least := pruningStep
	if t.gains >= 3 {
		least *= pruningStep // the trend is known well enough for a leap
	}
	power := min(max(math.Log(t.fall)/math.Log(step), 0.5), 1)
	return min(max(math.Pow(goal/(1.2*t.rest), 1/power), least), 0.2)
}

// miss is what a number may be wrong by: rest for what pruning leaves out, slack for the
// ceiling and the sweeps.
type miss struct{ rest, slack float64 }

// misses returns what each of the numbers that f makes of the result may be wrong by.
func (r Result) misses(f func(Result) []float64) []miss {
	now := f(r)
	out := make([]miss, len(now))
	for i, m := range r.trail.moves(len(now), f) {
		out[i] = miss{m.pruning.rest, m.ceiling.rest() + 10*math.Abs(now[i]-m.kept)}
	}
	return out
}

// interval returns where the number is that x stands for, with rounding relative to size. If x is
// known to be lower than the number but for slack, rest counts on one side.
func (e miss) interval(x, size float64, lower bool) Interval {
	slack := e.slack + 1e-13*size
	i := Interval{x - slack, x + slack + e.rest}
	if !lower {
		i.Low -= e.rest
	}
	return i
}

// Intervals returns an interval for each number that you make of the boundary law. It holds the
// exact number. Its width follows from how the number moved from one ceiling and one pruning to the
// next, as that of E Q~ does. f may use Boundary, BoundaryMean, BoundarySecond and QtildeMean. It
// is called for every solution on the way and must return the same count of numbers each time.
func (r Result) Intervals(f func(Result) []float64) []Interval {
	x := f(r)
	out := make([]Interval, len(x))
	for i, e := range r.misses(f) {
		out[i] = e.interval(x[i], math.Abs(x[i]), false)
	}
	return out
}
