package wasserstein

import (
	"fmt"
	"math"
	"slices"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/num"
)

// Sample is a weighted sample. Points need not be sorted, and ties are fine. Nil weights are equal
// weights; only their ratios matter, and some may be 0.
type Sample struct {
	Points  []float64
	Weights []float64 // as many as points, or nil
}

// sample is a checked, sorted sample. x is the caller's slice if it was sorted already: it must not be
// written to.
type sample struct {
	x      []float64
	levels []float64 // P(X <= x[i]); nil for equal weights
}

// level returns P(X <= x[i]), taking the points of a tie one by one.
func (s sample) level(i int) float64 {
	if s.levels != nil {
		return s.levels[i]
	}
	return float64(i+1) / float64(len(s.x))
}

// prepare checks and sorts a sample; name is what error messages call it.
func prepare(name string, given Sample) (sample, error) {
	x, weights := given.Points, given.Weights
	if len(x) == 0 {
		return sample{}, jsqlib.Refuse("wasserstein", name, "no points", "at least one")
	}
	if weights != nil && len(weights) != len(x) {
		return sample{}, jsqlib.Refuse("wasserstein", name, fmt.Sprintf("%d points and %d weights", len(x), len(weights)), "as many, or nil weights")
	}
	sorted, previous := true, math.Inf(-1)
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return sample{}, jsqlib.Refuse("wasserstein", fmt.Sprintf("%s[%d]", name, i), v, "a finite number")
		}
		sorted = sorted && previous <= v
		previous = v
	}
	if weights == nil {
		if !sorted {
			x = sortedCopy(x)
		}
		return sample{x: x}, nil
	}
	var total num.Sum
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return sample{}, jsqlib.Refuse("wasserstein", fmt.Sprintf("weight %d of %s", i, name), w, "0 <= weight < Inf")
		}
		total.Add(w)
	}
	if sum := total.Value(); !(sum > 0) || math.IsInf(sum, 1) {
		return sample{}, jsqlib.Refuse("wasserstein", "sum of the weights of "+name, sum, "0 < sum < Inf")
	}
	if sorted {
		weights = slices.Clone(weights)
	} else {
		x, weights = radixSort(x, weights)
	}
	return sample{x, cumulate(weights, total.Value())}, nil
}

// cumulate turns weights into cumulative probabilities, in place; the last positive weight and all
// after it are at 1.
func cumulate(weights []float64, total float64) []float64 {
	var sum num.Sum
	last := 0
	for i, w := range weights {
		sum.Add(w)
		weights[i] = math.Min(sum.Value()/total, 1)
		if w > 0 {
			last = i
		}
	}
	for i := last; i < len(weights); i++ {
		weights[i] = 1
	}
	return weights
}
