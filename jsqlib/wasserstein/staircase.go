package wasserstein

import (
	"fmt"
	"math"
	"sort"

	"jsqlab/jsqlib/internal/num"
	"jsqlab/jsqlib/limit"
)

// maxCells bounds the cells that [Lattice.W1Law] looks at.
const maxCells = 1 << 27

// NewLatticeOfCounts returns the law of span (Q - shift) where P(Q = n) is
// proportional to counts[n]: a sample of integers, without a tail. It fails with
// [ErrLattice] for a span, shift or count out of range.
func NewLatticeOfCounts(span, shift float64, counts []int64) (Lattice, error) {
	var total float64
	for n, k := range counts {
		if k < 0 {
			return Lattice{}, fmt.Errorf("wasserstein: counts[%d] = %d: want counts >= 0: %w", n, k, ErrLattice)
		}
		total += float64(k)
	}
	if total == 0 {
		return Lattice{}, fmt.Errorf("wasserstein: counts sum to 0: want at least one: %w", ErrLattice)
	}
	cdf := make([]float64, len(counts))
	var sum num.Sum
	for n, k := range counts {
		sum.Add(float64(k))
		cdf[n] = math.Min(sum.Value()/total, 1)
	}
	for n := len(cdf) - 1; n >= 0 && counts[n] == 0; n-- {
		cdf[n] = 1
	}
	cdf[len(cdf)-1] = 1
	l := Lattice{Span: span, Shift: shift, CDF: cdf, LogAmplitude: math.Inf(-1)}
	return l, l.validate()
}

// at returns the point of step n.
func (l Lattice) at(n int) float64 { return l.Span * (float64(n) - l.Shift) }

// hasTail reports whether there is anything beyond CDF.
func (l Lattice) hasTail() bool { return !math.IsInf(l.LogAmplitude, -1) }

// upper returns P(Q > n).
func (l Lattice) upper(n int) float64 {
	switch {
	case n < 0:
		return 1
	case n < l.End():
		return 1 - l.F(n)
	case !l.hasTail():
		return 0
	}
	return math.Min(math.Exp(l.LogAmplitude-float64(n)*l.Rate), 1)
}

// cells returns the number of cells up to where P(Q > n) < 1e-18.
func (l Lattice) cells() float64 {
	k := float64(l.End())
	if !l.hasTail() {
		return k
	}
	return math.Max(k, math.Ceil((l.LogAmplitude+42)/l.Rate))
}

// W1Law returns W1 between the lattice law and any law with a finite mean, in the
// unit of the span. The law may be that of another lattice, see [Lattice.Law].
//
// On the cell from c (n - shift) to c (n + 1 - shift) the survival function S_n
// is constant and that of the law falls from S_G(left) to S_G(right): the two cross
// at most once, at the quantile G^-1(1 - S_n). Between crossings
//
//	int_l^r |S - S_G| = | sum S_n (width in [l, r]) - (T(l) - T(r)) |,
//	T(x) = int_x^inf S_G = E Z - E[Z; Z <= x] - x S_G(x),
//
// and the last piece ends where P(Q > n) < 1e-18, beyond which the law's is T. The
// absolute error is about 1e-16 (E|Z| + |x|) at each crossing x. The cost is one
// evaluation of the law for each cell: O(K + 42/Rate), whatever the law. For an
// exponential law at a small gap use [Lattice.W1], whose relative accuracy and cost
// depend on neither.
//
// It fails with [ErrLattice] for a lattice law out of range or of more than 2^27
// cells, and with [ErrLaw] for a law without finite mean.
func (l Lattice) W1Law(to limit.Law) (float64, error) {
	if err := l.validate(); err != nil {
		return 0, err
	}
	if to == nil {
		return 0, fmt.Errorf("wasserstein: law is nil: want a limit.Law: %w", ErrLaw)
	}
	mean := to.PartialMean(math.Inf(1))
	if math.IsNaN(mean) || math.IsInf(mean, 0) {
		return 0, fmt.Errorf("wasserstein: mean of the law = %v: want a finite number: %w", mean, ErrLaw)
	}
	if !(l.cells() <= maxCells) {
		return 0, fmt.Errorf("wasserstein: rate = %v: want a tail of at most 2^27 steps down to 1e-18: %w", l.Rate, ErrLattice)
	}
	rest := func(x float64) float64 { return mean - to.PartialMean(x) - x*to.Survival(x) } // T(x)

	var area num.Sum
	left := l.at(0)
	area.Add(left*to.CDF(left) - to.PartialMean(left)) // int_{-inf}^left G
	var run num.Sum                                    // of S_n since the last crossing
	restStart, sign := rest(left), 0.
	turn := func(x, next float64) {
		if next == sign {
			return
		}
		restEnd := rest(x)
		area.Add(sign * (run.Value() - (restStart - restEnd)))
		run, restStart, sign = num.Sum{}, restEnd, next
	}
	level := to.Survival(left)
	for n := range int(l.cells()) {
		right := l.at(n + 1)
		s, next := l.upper(n), to.Survival(right)
		switch {
		case s >= level:
			turn(left, 1)
		case s <= next:
			turn(left, -1)
		default:
			q := math.Min(math.Max(to.Quantile(1-s), left), right)
			turn(left, -1)
			run.Add(s * (q - left))
			turn(q, 1)
			run.Add(s * (right - q))
			left, level = right, next
			continue
		}
		run.Add(s * (right - left))
		left, level = right, next
	}
	turn(left, -2) // any other sign
	area.Add(restStart)
	w := math.Max(area.Value(), 0)
	if math.IsNaN(w) || math.IsInf(w, 0) {
		return 0, fmt.Errorf("wasserstein: W1 to law %T = %v: want laws that return numbers and a span within float64: %w", to, w, ErrLaw)
	}
	return w, nil
}

// Crossing returns where in cell n, from c (n - shift) to the next point, F passes
// the distribution function G of a law: F > G in the share [0, Crossing) of the cell
// and F <= G in the rest. It is NaN without a law.
func (l Lattice) Crossing(n int, to limit.Law) float64 {
	if to == nil {
		return math.NaN()
	}
	s, left, right := l.upper(n), l.at(n), l.at(n+1)
	switch {
	case s >= to.Survival(left):
		return 0
	case s <= to.Survival(right):
		return 1
	}
	return math.Min(math.Max((to.Quantile(1-s)-left)/(right-left), 0), 1)
}

// Law returns the lattice law as a [limit.Law], so that it can be compared with
// another lattice law or a sample, exactly. It fails with [ErrLattice] for a law out
// of range. The CDF is not copied. P(Q > n) is accurate in relative terms
// beyond CDF only.
func (l Lattice) Law() (limit.Law, error) {
	if err := l.validate(); err != nil {
		return nil, err
	}
	law := &latticeLaw{l: l, partial: make([]float64, len(l.CDF))}
	var sum num.Sum
	last := 0.
	for i, f := range l.CDF {
		sum.Add(l.at(l.Zeros+i) * (f - last))
		law.partial[i], last = sum.Value(), f
	}
	k := l.End()
	law.mean = sum.Value()
	if l.hasTail() {
		// E[Q - K; Q >= K] = sum_{n>=K} P(Q > n)
		law.mean += l.at(k)*(1-last) + l.Span*l.upper(k)/-math.Expm1(-l.Rate)
	}
	if math.IsNaN(law.mean) || math.IsInf(law.mean, 0) {
		return nil, fmt.Errorf("wasserstein: mean of the lattice law = %v: want a finite number: %w", law.mean, ErrLattice)
	}
	return law, nil
}

// latticeLaw is a lattice law as a limit.Law.
type latticeLaw struct {
	l       Lattice
	partial []float64 // E[Y; Q <= Zeros + i]
	mean    float64
}

// step returns the largest n with at(n) <= x.
func (w *latticeLaw) step(x float64) int {
	at := math.Floor(x/w.l.Span + w.l.Shift)
	if !(at >= -1) {
		return -1
	}
	n := int(math.Min(at, 1<<62))
	if at >= 1<<50 {
		return n
	}
	for w.l.at(n) > x {
		n--
	}
	for w.l.at(n+1) <= x {
		n++
	}
	return n
}

func (w *latticeLaw) CDF(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	return w.cdf(w.step(x))
}

func (w *latticeLaw) cdf(n int) float64 {
	switch {
	case n < 0:
		return 0
	case n < w.l.End():
		return w.l.F(n)
	case !w.l.hasTail():
		return 1
	}
	return math.Max(-math.Expm1(w.l.LogAmplitude-float64(n)*w.l.Rate), 0)
}

func (w *latticeLaw) Survival(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	return w.l.upper(w.step(x))
}

func (w *latticeLaw) PartialMean(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	n := w.step(x)
	switch {
	case n < w.l.Zeros:
		return 0
	case n < w.l.End():
		return w.partial[n-w.l.Zeros]
	}
	s := w.l.upper(n)
	if s == 0 {
		return w.mean
	}
	// E[Q; Q > n] = (n+1) P(Q > n) + sum_{j>n} P(Q > j)
	return w.mean - s*(w.l.at(n+1)+w.l.Span/math.Expm1(w.l.Rate))
}

func (w *latticeLaw) Quantile(p float64) float64 {
	k := w.l.End()
	switch {
	case !(p >= 0 && p <= 1):
		return math.NaN()
	case k > 0 && p <= w.l.F(k-1):
		return w.l.at(sort.Search(k-1, func(n int) bool { return w.l.F(n) >= p }))
	case !w.l.hasTail():
		return w.l.at(max(k-1, 0))
	case p == 1:
		return math.Inf(1)
	}
	n := max(int(math.Min(math.Ceil((w.l.LogAmplitude-math.Log1p(-p))/w.l.Rate), 1<<62)), k)
	switch { // rounding
	case n > k && w.cdf(n-1) >= p:
		n--
	case w.cdf(n) < p:
		n++
	}
	return w.l.at(n)
}
