package sim

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"jsqlab/jsqlib"
)

// unlikely is the level of the chi-square tests: seeds are fixed, and a new
// order of random words should not fail a test by bad luck.
const unlikely = 1e-5

// within is how many standard errors a simulated value may miss by.
const within = 4

// rough is how many times wider than in full the errors of a short run may be,
// and those of a run under the race detector.
func rough() float64 {
	switch {
	case raceEnabled:
		return 6
	case testing.Short():
		return 3
	}
	return 1
}

// draws scales the size of a sample.
func draws(n int) int {
	switch {
	case raceEnabled:
		return n / 10
	case testing.Short():
		return n / 4
	}
	return n
}

// loose is the relative error asked of an estimate.
func loose(rel float64) float64 { return min(rough()*rel, 0.5) }

// alone skips, in the short run under the race detector, a test in which no
// memory is shared that others do not share.
func alone(t *testing.T) {
	t.Helper()
	if raceEnabled && testing.Short() {
		t.Skip("no races of its own")
	}
}

func needs[T any](t testing.TB, err error, v T) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func constants(t testing.TB, s jsqlib.Model) *jsqlib.Constants {
	t.Helper()
	c, err := s.Constants()
	return needs(t, err, &c)
}

func constantsCT(t testing.TB, s jsqlib.Model) *jsqlib.Constants {
	t.Helper()
	c, err := s.Constants()
	return needs(t, err, &c)
}

// fits is the p-value of counts under the probabilities p. Cells of small
// expectation are pooled; a count where p = 0 gives 0.
func fits(counts []int, p []float64) float64 {
	n := 0
	for k, c := range counts {
		if c > 0 && (k >= len(p) || p[k] == 0) {
			return 0
		}
		n += c
	}
	stat, cells, restC, restE := 0.0, 0, 0.0, 0.0
	for k, x := range p {
		c, e := 0.0, x*float64(n)
		if k < len(counts) {
			c = float64(counts[k])
		}
		if e < 8 {
			restC += c
			restE += e
			continue
		}
		stat += (c - e) * (c - e) / e
		cells++
	}
	if restE > 1 {
		stat += (restC - restE) * (restC - restE) / restE
		cells++
	} else if restC > 20 { // many where next to none is due
		return 0
	}
	return chiSquared(stat, cells)
}

// sameLaw is the p-value of the hypothesis that two samples of the same size
// have one law. Cells with few counts are pooled.
func sameLaw[K comparable](a, b map[K]int) float64 {
	var stat, restA, restB float64
	cells := 0
	add := func(x, y float64) {
		stat += (x - y) * (x - y) / (x + y)
		cells++
	}
	visit := func(x, y float64) {
		if x+y < 20 {
			restA += x
			restB += y
			return
		}
		add(x, y)
	}
	for k, x := range a {
		visit(float64(x), float64(b[k]))
	}
	for k, y := range b {
		if a[k] == 0 {
			visit(0, float64(y))
		}
	}
	if restA+restB >= 20 {
		add(restA, restB)
	}
	return chiSquared(stat, cells)
}

func chiSquared(stat float64, cells int) float64 {
	if cells < 2 {
		return 1
	}
	return distuv.ChiSquared{K: float64(cells - 1)}.Survival(stat)
}

// TestChiSquareHelpers: the tests of laws can fail, and do not fail too often.
func TestChiSquareHelpers(t *testing.T) {
	alone(t)
	r := rand.New(rand.NewPCG(1, 1))
	p, q := []float64{0.5, 0.3, 0.15, 0.05}, []float64{0.51, 0.29, 0.15, 0.05}
	draw := func(p []float64) int { return jsqlib.PMF(p).Sample(r) }
	low := [2]int{}
	for range 400 {
		counts, a, b := make([]int, 4), map[int]int{}, map[int]int{}
		for range 2000 {
			k := draw(p)
			counts[k]++
			a[k]++
			b[draw(p)]++
		}
		if fits(counts, p) < 0.1 {
			low[0]++
		}
		if sameLaw(a, b) < 0.1 {
			low[1]++
		}
	}
	for i, k := range low { // 40 of 400 expected, standard deviation 6
		if k < 16 || k > 64 {
			t.Errorf("test %d: %d of 400 p-values are below 0.1", i, k)
		}
	}
	counts, a, b := make([]int, 4), map[int]int{}, map[int]int{}
	for range 200_000 {
		k := draw(q)
		counts[k]++
		a[k]++
		b[draw(p)]++
	}
	if v := fits(counts, p); v > unlikely {
		t.Errorf("fits does not see a shift of 1 %%: p-value %g", v)
	}
	if v := sameLaw(a, b); v > unlikely {
		t.Errorf("sameLaw does not see a shift of 1 %%: p-value %g", v)
	}
	if v := fits([]int{0, 1, 0, 0, 3}, append(p, 0)); v != 0 {
		t.Errorf("a count where p = 0 has p-value %g", v)
	}
}

// queues returns the queue lengths of an engine in increasing order. It does
// not change the law of what follows.
func queues(e engine) []int64 {
	var q []int64
	switch e := e.(type) {
	case *lazy:
		e.wake()
		e.look(&tally{})
		q = append(q, e.awake...)
		for _, i := range e.head {
			for ; i >= 0; i = e.sleepers[i].next {
				q = append(q, e.sleepers[i].value)
			}
		}
		for i := range q {
			q[i] -= e.floor
		}
	case *packed:
		if e.wide != nil {
			return queues(e.wide)
		}
		q = e.values()
		for i := range q {
			q[i] -= e.floor
		}
	case *occupancy:
		for l := e.lo; l <= e.hi; l++ {
			for range e.count[l&e.mask] {
				q = append(q, l-e.floor)
			}
		}
	case *dense:
		for _, x := range e.q {
			q = append(q, x-e.floor)
		}
	case *sampled:
		e.look(&tally{})
		for _, x := range e.queues {
			q = append(q, x.value-e.floor)
		}
	case *ctEngine:
		q = slices.Clone(e.q)
	default:
		panic(fmt.Sprintf("no queues in a %T", e))
	}
	slices.Sort(q)
	return q
}

// put sets the queue lengths of an engine.
func put(e engine, q []int64) {
	e.start(0)
	switch e := e.(type) {
	case *lazy:
		e.awake = append(e.awake[:0], q...)
		e.low = slices.Min(q)
	case *packed:
		e.total = jsqlib.Total(q)
		e.pack(q)
	case *occupancy:
		clear(e.count)
		e.lo, e.hi, e.total = slices.Min(q), slices.Max(q), jsqlib.Total(q)
		e.reserve(0, 1)
		for _, x := range q {
			e.count[x&e.mask]++
		}
	case *dense:
		e.floor = 0
		copy(e.q, q)
	case *sampled:
		e.put(q)
	case *ctEngine:
		copy(e.q, q)
		slices.Sort(e.q)
		e.index()
	default:
		panic(fmt.Sprintf("no way to put queues in a %T", e))
	}
}

// near4 fails unless got is within four standard errors of want, and unless
// the error is below precision, so that the test says something; a short run may
// be rougher.
func near4(t *testing.T, what string, got jsqlib.Estimate, want, precision float64) {
	t.Helper()
	if d := got.Deviation(want); !(d <= within) {
		t.Errorf("%s = %.8g +- %.2g, want %.8g: %.1f standard errors", what, got.Value, got.StdErr, want, d)
	}
	if precision *= rough(); !(got.StdErr <= precision) && !raceEnabled {
		t.Errorf("%s = %.8g +- %.2g: want a standard error of at most %.2g", what, got.Value, got.StdErr, precision)
	}
}

// agree fails unless two independent estimates are within four combined
// standard errors.
func agree(t *testing.T, what string, a, b jsqlib.Estimate) {
	t.Helper()
	se := math.Hypot(a.StdErr, b.StdErr)
	if d := math.Abs(a.Value - b.Value); !(d <= within*se) {
		t.Errorf("%s: %.6g +- %.2g and %.6g +- %.2g: %.1f standard errors apart", what, a.Value, a.StdErr, b.Value, b.StdErr, d/se)
	}
}

func quiet(t *testing.T, what string, warnings []string) {
	t.Helper()
	for _, w := range warnings {
		t.Errorf("%s warns: %s", what, w)
	}
}

var background = context.Background()
