package law

import (
	"math"
	"sort"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/num"
	"jsqlab/jsqlib/limit"
)

// Scaling is the map from the total to Y = Scale (Q - Shift): Scale N^(-alpha) and Shift N where the
// limit is that of N^(-alpha) (Q - N), Scale 1/N and Shift 0 for Q/N.
type Scaling struct {
	Scale float64 // > 0, unit of Y per job
	Shift float64 // jobs
}

// maxShift is the largest shift, beyond which steps cannot be told apart.
const maxShift = 1 << 50

func (y Scaling) validate() error {
	if !(y.Scale > 0) || math.IsInf(y.Scale, 1) {
		return jsqlib.Refuse("law", "scale", y.Scale, "0 < scale < Inf")
	}
	if !(math.Abs(y.Shift) <= maxShift) {
		return jsqlib.Refuse("law", "shift", y.Shift, "a number within 2^50, where steps are told apart")
	}
	return nil
}

// at returns the point of n jobs.
func (y Scaling) at(n float64) float64 { return y.Scale * (n - y.Shift) }

// lattice is the law of Y = Scale (Q - Shift) as a [limit.Law]: with F(n) = P(Q <= n) and K = first +
// len(cdf),
//
//	F(n) = 0                         for n < first,
//	F(n) = cdf[n-first]              for n < K,
//	P(Q > n) = exp(logA - n theta)   for n >= K; 0 when log A = -Inf.
//
// Steps n are float64 as they go beyond int at tiny gaps. P(Q > n) is accurate in relative terms beyond
// K only.
type lattice struct {
	Scaling
	first       int
	cdf         []float64
	logA, theta float64
	partial     []float64 // E[Y; Q <= first + i]
	mean        float64
}

// newLattice keeps cdf.
func newLattice(y Scaling, first int, cdf []float64, logA, theta float64) *lattice {
	l := &lattice{Scaling: y, first: first, cdf: cdf, logA: logA, theta: theta, partial: make([]float64, len(cdf))}
	var sum num.Sum
	last := 0.
	for i, f := range cdf {
		sum.Add(l.at(float64(first+i)) * (f - last))
		l.partial[i], last = sum.Value(), f
	}
	l.mean = sum.Value()
	if l.hasTail() {
		// E[Q - K; Q >= K] = sum_{n>=K} P(Q > n)
		k := float64(l.end())
		l.mean += l.at(k)*(1-last) + y.Scale*l.upper(k)/-math.Expm1(-theta)
	}
	return l
}

// end returns K, where the tail begins.
func (l *lattice) end() int { return l.first + len(l.cdf) }

// hasTail reports whether there is anything beyond cdf.
func (l *lattice) hasTail() bool { return !math.IsInf(l.logA, -1) }

// upper returns P(Q > n).
func (l *lattice) upper(n float64) float64 {
	switch {
	case n < float64(l.first):
		return 1
	case n < float64(l.end()):
		return 1 - l.cdf[int(n)-l.first]
	case !l.hasTail():
		return 0
	}
	return math.Min(math.Exp(l.logA-n*l.theta), 1)
}

// lower returns P(Q <= n).
func (l *lattice) lower(n float64) float64 {
	switch {
	case n < float64(l.first):
		return 0
	case n < float64(l.end()):
		return l.cdf[int(n)-l.first]
	case !l.hasTail():
		return 1
	}
	return math.Max(-math.Expm1(l.logA-n*l.theta), 0)
}

// step returns the largest n >= -1 with at(n) <= x, -1 if there is none.
func (l *lattice) step(x float64) float64 {
	n := math.Floor(x/l.Scale + l.Shift)
	if !(n >= -1) {
		return -1
	}
	if n >= maxShift {
		return n
	}
	for l.at(n) > x {
		n--
	}
	for l.at(n+1) <= x {
		n++
	}
	return n
}

func (l *lattice) CDF(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	return l.lower(l.step(x))
}

func (l *lattice) Survival(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	return l.upper(l.step(x))
}

func (l *lattice) PartialMean(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	n := l.step(x)
	switch {
	case n < float64(l.first):
		return 0
	case n < float64(l.end()):
		return l.partial[int(n)-l.first]
	}
	s := l.upper(n)
	if s == 0 {
		return l.mean
	}
	// E[Q; Q > n] = (n+1) P(Q > n) + sum_{j>n} P(Q > j)
	return l.mean - s*(l.at(n+1)+l.Scale/math.Expm1(l.theta))
}

func (l *lattice) Quantile(p float64) float64 {
	k := len(l.cdf)
	switch {
	case !(p >= 0 && p <= 1):
		return math.NaN()
	case p == 0:
		return l.at(0)
	case k > 0 && p <= l.cdf[k-1]:
		return l.at(float64(l.first + sort.Search(k-1, func(i int) bool { return l.cdf[i] >= p })))
	case !l.hasTail():
		return l.at(float64(max(l.end()-1, 0)))
	case p == 1:
		return math.Inf(1)
	}
	end := float64(l.end())
	n := math.Max(math.Ceil((l.logA-math.Log1p(-p))/l.theta), end)
	switch { // rounding
	case n > end && l.lower(n-1) >= p:
		n--
	case l.lower(n) < p:
		n++
	}
	return l.at(n)
}

// maxCells bounds the cells that lattice.w1 looks at.
const maxCells = 1 << 27

// cells returns the number of cells from first to where P(Q > n) < 1e-18.
func (l *lattice) cells() float64 {
	k := float64(len(l.cdf))
	if !l.hasTail() {
		return k
	}
	return math.Max(k, math.Ceil((l.logA+42)/l.theta)-float64(l.first))
}

// w1 returns W1 between the law and any law with a finite mean, such as another lattice.
//
// On the cell from at(n) to at(n+1) the survival function S_n is constant and that of the law falls
// from S_G(left) to S_G(right): the two cross at most once, at the quantile G^-1(1 - S_n). Between
// crossings
//
//	int_l^r |S - S_G| = | sum S_n (width in [l, r]) - (T(l) - T(r)) |,
//	T(x) = int_x^inf S_G = E Z - E[Z; Z <= x] - x S_G(x),
//
// and the last piece ends where P(Q > n) < 1e-18, beyond which the law's is T. The absolute error is
// about 1e-16 (E|Z| + |x|) at each crossing x. The cost is one evaluation of the law for each cell:
// O(K + 42/theta), whatever the law.
func (l *lattice) w1(to limit.Law) (float64, error) {
	if to == nil {
		return 0, jsqlib.Refuse("law", "law", "nil", "a limit.Law")
	}
	mean := to.PartialMean(math.Inf(1))
	for _, m := range []float64{mean, l.mean} {
		if math.IsNaN(m) || math.IsInf(m, 0) {
			return 0, jsqlib.Refuse("law", "mean of the law", m, "a finite number")
		}
	}
	if !(l.cells() <= maxCells) {
		return 0, jsqlib.Refuse("law", "decay rate of P(Q > n)", l.theta, "a tail of at most 2^27 steps down to 1e-18")
	}
	rest := func(x float64) float64 { return mean - to.PartialMean(x) - x*to.Survival(x) } // T(x)

	var area num.Sum
	left := l.at(float64(l.first))
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
	for i := range int(l.cells()) {
		n := float64(l.first + i)
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
		return 0, jsqlib.Refuse("law", "W1", w, "laws that return numbers and a scale within float64")
	}
	return w, nil
}

// crossing returns where in cell n, from at(n) to at(n+1), F passes the distribution function G of a
// law: F > G in the share [0, crossing) of the cell and F <= G in the rest.
func (l *lattice) crossing(n int, to limit.Law) float64 {
	s, left, right := l.upper(float64(n)), l.at(float64(n)), l.at(float64(n+1))
	switch {
	case s >= to.Survival(left):
		return 0
	case s <= to.Survival(right):
		return 1
	}
	return clamp((to.Quantile(1-s) - left) / (right - left))
}
