package law

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/near"
	"jsqlab/jsqlib/internal/num"
	"jsqlab/jsqlib/limit"
	"jsqlab/jsqlib/wasserstein"
)

// headed returns the staircase P(Q <= n) of pmf and, beyond, P(Q = n) proportional to rho^n, rho = 1 - gap,
// in cells of width h; the excess theta - h by subtraction is good to about 1e-16 of the mean.
func headed(h float64, pmf []float64, gap float64) ([]float64, geometricTail) {
	var total num.Sum
	cdf := make([]float64, len(pmf))
	for n, p := range pmf {
		total.Add(p)
		cdf[n] = total.Value()
	}
	theta := -math.Log1p(-gap)
	// P(Q > n) = P(Q >= K) rho^(n-K+1)
	return cdf, geometricTail{h, theta, theta - h, math.Log1p(-total.Value()) + float64(len(pmf)-1)*theta}
}

func area(cdf []float64, tail geometricTail) float64 { return staircaseArea(0, cdf, tail) }

// M/M/1: P(Q = n) = gap (1-gap)^n, and W1(gap Q, Exp(1)) = gap.
func TestStaircaseMM1(t *testing.T) {
	for _, gap := range []float64{0.9, 0.5, 0.3, 0.1, 0.01, 1e-3, 1e-6, 1e-12, 1e-15, 1e-18, 1e-30, 1e-60, 1e-120, jsqlib.MinGap} {
		q, err := New(constants(t, jsqlib.Model{Continuous: true, Servers: 1, Gap: gap}), Boundary{P: []float64{1}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := q.W1(1)
		if err != nil {
			t.Fatal(err)
		}
		near.Rel(t, fmt.Sprintf("gap %g: W1", gap), got, gap, 1e-14)
	}
}

// The same law with its first K terms in the near part.
func TestStaircaseNearPart(t *testing.T) {
	for _, gap := range []float64{0.9, 0.5, 0.1, 1e-3, 1e-6} {
		for _, k := range []int{0, 1, 2, 7, 1000} {
			if k*int(gap*1000) > 30_000 { // all of the mass is in the near part
				continue
			}
			pmf := make([]float64, k)
			for n := range pmf {
				pmf[n] = gap * math.Pow(1-gap, float64(n))
			}
			if got := area(headed(gap, pmf, gap)); math.Abs(got-gap) > 1e-14 {
				t.Errorf("gap %g, K = %d: W1 = %v, want %v", gap, k, got, gap)
			}
		}
	}
}

// Equal decay rates, for which every cell of the tail is of one kind.
func TestStaircaseEqualRates(t *testing.T) {
	for _, h := range []float64{1e-100, 1e-40, 1e-9, 0.01, 0.7, 1, 3, 50} {
		sinh := math.Sinh(h / 4)
		for _, c := range []struct {
			logA, want float64
		}{
			// Below the curve throughout: W1 = m - c E Q = m - c/(e^h - 1).
			{-h, num.Expm1x(h) / math.Expm1(h)},
			// S_n is the curve in the middle of the cell.
			{-h / 2, 4 * math.Exp(-h/2) * sinh * sinh / -math.Expm1(-h)},
			// Above the curve throughout: W1 = c E Q - m with E Q = 1/(1 - e^(-h)).
			{0, num.Expm1x(-h) / -math.Expm1(-h)},
		} {
			got := area(nil, geometricTail{h: h, theta: h, logA: c.logA})
			near.Rel(t, fmt.Sprintf("h = %g, log A = %g: W1", h, c.logA), got, c.want, 1e-14)
		}
	}
}

// exact is W1(c Q, Exp(1)) by the textbook formulas, in 1400-bit arithmetic,
// where their cancellation does no harm.
func exact(cdf []float64, l geometricTail) float64 {
	h := sub(flt(l.theta), flt(l.delta))
	logA, theta, delta := flt(l.logA), flt(l.theta), flt(l.delta)
	one := flt(1)
	total := flt(0)
	for n, f := range cdf {
		left := exp(neg(mul(flt(float64(n)), h)))
		right := exp(neg(mul(flt(float64(n+1)), h)))
		s := sub(one, flt(f))
		switch {
		case s.Cmp(left) >= 0:
			total = add(total, sub(mul(h, s), sub(left, right)))
		case s.Cmp(right) <= 0:
			total = add(total, sub(sub(left, right), mul(h, s)))
		default:
			// S (x_n + x_(n+1) - 2 x*) + e^(-x_n) + e^(-x_(n+1)) - 2 S, where
			// e^(-x*) = S: Newton's method for x*.
			x := flt(-math.Log1p(-f))
			for range 8 {
				x = add(x, sub(one, mul(s, exp(x))))
			}
			width := sub(mul(flt(float64(2*n+1)), h), mul(flt(2), x))
			total = add(total, add(mul(s, sub(width, flt(2))), add(left, right)))
		}
	}
	// Zones of n in the tail: L_n = log A - n delta against 0 and -h.
	k := flt(float64(len(cdf)))
	inf := flt(math.Inf(1))
	zero, minusH := inf, inf // first n beyond which L_n has passed 0, -h
	if l.delta != 0 {
		zero = maxF(ceil(quo(logA, delta)), k)
		minusH = maxF(ceil(quo(add(logA, h), delta)), k)
	}
	above := func(a, b *big.Float) *big.Float {
		return sub(mul(h, geometric(logA, theta, a, b)), mul(sub(one, exp(neg(h))), geometric(flt(0), h, a, b)))
	}
	crossed := func(a, b *big.Float) *big.Float {
		// sum S_n ((2n+1) h - 2 (n theta - log A) - 2) + e^(-nh) (1 + e^(-h))
		slope := mul(flt(-2), delta)
		constant := sub(add(mul(flt(2), logA), h), flt(2))
		return add(add(mul(slope, arithmeticGeometric(logA, theta, a, b)), mul(constant, geometric(logA, theta, a, b))),
			mul(add(one, exp(neg(h))), geometric(flt(0), h, a, b)))
	}
	switch level := sub(logA, mul(k, delta)); {
	case l.delta > 0:
		total = add(total, above(k, zero))
		total = add(total, crossed(zero, minusH))
		total = sub(total, above(minusH, inf))
	case l.delta < 0:
		total = sub(total, above(k, minusH))
		total = add(total, crossed(minusH, zero))
		total = add(total, above(zero, inf))
	case level.Sign() >= 0:
		total = add(total, above(k, inf))
	case add(level, h).Sign() <= 0:
		total = sub(total, above(k, inf))
	default:
		total = add(total, crossed(k, inf))
	}
	v, _ := total.Float64()
	return v
}

const prec = 1400

func flt(v float64) *big.Float        { return new(big.Float).SetPrec(prec).SetFloat64(v) }
func add(a, b *big.Float) *big.Float  { return flt(0).Add(a, b) }
func sub(a, b *big.Float) *big.Float  { return flt(0).Sub(a, b) }
func mul(a, b *big.Float) *big.Float  { return flt(0).Mul(a, b) }
func quo(a, b *big.Float) *big.Float  { return flt(0).Quo(a, b) }
func neg(a *big.Float) *big.Float     { return flt(0).Neg(a) }
func maxF(a, b *big.Float) *big.Float { return map[bool]*big.Float{true: a, false: b}[a.Cmp(b) > 0] }

func ceil(a *big.Float) *big.Float {
	i, _ := a.Int(nil)
	f := flt(0).SetInt(i)
	if f.Cmp(a) < 0 {
		f = add(f, flt(1))
	}
	return f
}

// exp returns e^x; 0 below e^-1000, which no test can see.
func exp(x *big.Float) *big.Float {
	if x.Cmp(flt(-1000)) < 0 {
		return flt(0)
	}
	const halvings = 40
	x = flt(0).SetMantExp(x, -halvings)
	sum, term := flt(1), flt(1)
	for k := 1.; term.Sign() != 0 && term.MantExp(nil) > -prec-20; k++ {
		term = quo(mul(term, x), flt(k))
		sum = add(sum, term)
	}
	for range halvings {
		sum = mul(sum, sum)
	}
	return sum
}

// geometric returns the sum of e^(logA - n rate) over a <= n < b.
func geometric(logA, rate, a, b *big.Float) *big.Float {
	if a.IsInf() {
		return flt(0)
	}
	sum := exp(sub(logA, mul(a, rate)))
	if !b.IsInf() {
		sum = sub(sum, exp(sub(logA, mul(b, rate))))
	}
	return quo(sum, sub(flt(1), exp(neg(rate))))
}

// arithmeticGeometric returns the sum of n e^(logA - n rate) over a <= n < b.
func arithmeticGeometric(logA, rate, a, b *big.Float) *big.Float {
	r := exp(neg(rate))
	gap := sub(flt(1), r)
	from := func(n *big.Float) *big.Float { // sum over m >= n
		if n.IsInf() {
			return flt(0)
		}
		return mul(exp(sub(logA, mul(n, rate))), add(quo(n, gap), quo(r, mul(gap, gap))))
	}
	return sub(from(a), from(b))
}

func TestStaircaseAgainstExactArithmetic(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	signed := func() float64 {
		switch rng.IntN(8) {
		case 0:
			return 0
		case 1, 2, 3:
			return -1
		}
		return 1
	}
	kinds := map[string]int{}
	worst := 0.
	trials := 1500
	if testing.Short() {
		trials = 200
	}
	for range trials {
		h := math.Pow(10, -62+64*rng.Float64())
		if rng.IntN(10) == 0 {
			h = 1.1e-153
		}
		if rng.IntN(3) == 0 {
			h = math.Pow(10, -3+5*rng.Float64())
		}
		delta := signed() * h * math.Pow(10, -1-rng.Float64()*rng.Float64()*70)
		switch rng.IntN(10) {
		case 0:
			delta = h * 30 * rng.Float64()
		case 1:
			delta = -h * (1 - math.Pow(10, -3*rng.Float64()))
		}
		theta := h + delta
		k := rng.IntN(6)
		// Level at K: of the order of h, of order 1, or in between.
		scale := h
		switch rng.IntN(4) {
		case 0:
			scale = math.Min(1, h*math.Pow(10, 60*rng.Float64()))
		case 1:
			scale = math.Min(1, h*10)
		case 2:
			scale = 100
		}
		level := signed() * scale * rng.Float64()
		logA := level + float64(k)*delta
		if sK := logA - float64(k)*theta; sK > 0 {
			logA = float64(k) * theta
		}
		tail := geometricTail{h, theta, delta, logA}
		f := -math.Expm1(logA - float64(k)*theta)
		var cdf []float64
		for range k {
			cdf = append(cdf, f*rng.Float64())
		}
		slices.Sort(cdf)
		got, want := area(cdf, tail), exact(cdf, tail)
		worst = math.Max(worst, math.Abs(got/want-1))
		near.Rel(t, fmt.Sprintf("%v, %+v: W1", cdf, tail), got, want, 1e-12)
		switch {
		case want < 1e-30:
			kinds["tiny"]++
		case want < 1e-4:
			kinds["small"]++
		default:
			kinds["large"]++
		}
	}
	t.Logf("worst relative error %.1e over %v", worst, kinds)
}

// A crude midpoint rule, to check the exact sums against the definition.
func TestStaircaseAgainstQuadrature(t *testing.T) {
	for _, c := range []struct {
		h, delta, logA float64
		cdf            []float64
	}{
		{0.3, 0.1, 0.25, []float64{0, 0.02}},
		{0.3, 0.02, -0.1, []float64{0, 0.5}},
		{0.3, -0.05, -0.5, []float64{0.3, 0.45, 0.6}},
		{0.3, 0, -0.15, nil},
		{2.5, -1, -3, nil},
	} {
		l := geometricTail{c.h, c.h + c.delta, c.delta, c.logA}
		got := area(c.cdf, l)
		const steps = 2000
		want, dx := 0., c.h/steps
		for n := range int(60 / math.Min(l.theta, c.h)) {
			s := math.Exp(c.logA - float64(n)*l.theta)
			if n < len(c.cdf) {
				s = 1 - c.cdf[n]
			}
			for i := range steps {
				want += dx * math.Abs(s-math.Exp(-(float64(n)*c.h+(float64(i)+0.5)*dx)))
			}
		}
		near.Rel(t, fmt.Sprintf("%+v: W1 by quadrature", c), got, want, 1e-6)
	}
}

// The sample route gives the same for a staircase cut off where nothing is left.
func TestStaircaseAgainstSample(t *testing.T) {
	const span, mean = 0.1, 1.3
	cdf, l := headed(span/mean, []float64{0.02, 0.05, 0.1, 0.08}, 0.09)
	got := mean * area(cdf, l)
	var x wasserstein.Sample
	last := 1.
	for n := range 500 {
		s := math.Exp(l.logA - float64(n)*l.theta)
		if n < len(cdf) {
			s = 1 - cdf[n]
		}
		x.Points, x.Weights = append(x.Points, float64(n)*span), append(x.Weights, last-s)
		last = s
	}
	want, err := wasserstein.W1Law(x, limit.Exponential{Mean: mean})
	if err != nil {
		t.Fatal(err)
	}
	near.Rel(t, "W1 as a sample", got, want, 1e-12)
}

// TestExcess: theta - c/m, as the law knows it for M/M/1 and mean 1, is gap^2/2 + gap^3/3 + ...
func TestExcess(t *testing.T) {
	for gap := 1e-80; gap < 0.99; gap *= 1.9 {
		g := flt(gap)
		sum, power := flt(0), mul(g, g)
		for k := 2.; k < 4000; k++ {
			sum = add(sum, quo(power, flt(k)))
			power = mul(power, g)
			if power.MantExp(nil) < sum.MantExp(nil)-80 {
				break
			}
		}
		want, _ := sum.Float64()
		q, err := New(constants(t, jsqlib.Model{Continuous: true, Servers: 1, Gap: gap}), Boundary{P: []float64{1}})
		if err != nil {
			t.Fatal(err)
		}
		near.Rel(t, fmt.Sprintf("excess at gap %g", gap), q.excess(1), want, 3e-14)
	}
}

func BenchmarkStaircaseGap1e60(b *testing.B) {
	cdf := make([]float64, 1000)
	for n := range cdf {
		cdf[n] = 4e-61 * float64(n)
	}
	tail := geometricTail{1e-60, 1e-60, 5e-121, 5e-58}
	for b.Loop() {
		area(cdf, tail)
	}
}

// TestFirst: steps below the law that are not held are as good as zeros that are: to the last bit for its values, and to
// rounding for its distances.
func TestFirst(t *testing.T) {
	cdf := make([]float64, 60)
	for n := 50; n < 60; n++ {
		cdf[n] = 0.01 * float64(n-49)
	}
	logA, theta, y := math.Log(0.9)+59*0.011, 0.011, Scaling{Scale: 0.01}
	held, short := newLattice(y, 0, cdf, logA, theta), newLattice(y, 50, cdf[50:], logA, theta)
	to := limit.Exponential{Mean: 1}
	values := func(l *lattice) (out []float64) {
		for _, x := range []float64{-1, 0, 0.3, 0.495, 0.5, 0.555, 0.6, 1, 5, math.Inf(1)} {
			out = append(out, l.CDF(x), l.Survival(x), l.PartialMean(x))
		}
		for _, p := range []float64{0, 0.005, 0.05, 0.1, 0.5, 0.99} {
			out = append(out, l.Quantile(p))
		}
		for n := range 70 {
			out = append(out, l.crossing(n, to))
		}
		return append(out, float64(l.end()))
	}
	want := values(held)
	for i, x := range values(short) {
		if x != want[i] {
			t.Errorf("number %d: %v, want %v", i, x, want[i])
		}
	}
	w1 := distance(t)
	near.Rel(t, "W1 to a law", w1(short.w1(to)), w1(held.w1(to)), 1e-14)
	near.Abs(t, "W1 of the two", w1(held.w1(short)), 0, 1e-15)
	tail := geometricTail{0.01, theta, theta - 0.01, logA}
	near.Rel(t, "W1 to the exponential", staircaseArea(50, cdf[50:], tail), area(cdf, tail), 1e-14)
}
