package wasserstein

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"jsqlab/jsqlib/internal/near"
	"jsqlab/jsqlib/internal/num"
	"jsqlab/jsqlib/limit"
)

// M/M/1: P(Q = n) = gap (1-gap)^n, and W1(gap Q, Exp(1)) = gap.
func TestLatticeMM1(t *testing.T) {
	gaps := []float64{0.9, 0.5, 0.3, 0.1, 0.01, 1e-3, 1e-6, 1e-12, 1e-15, 1e-18, 1e-30, 1e-60, 1e-120, 1e-150}
	for _, gap := range gaps {
		for _, mean := range []float64{1, 0.5, 1e-20, 3e10} {
			l, err := NewLattice(gap*mean, nil, gap)
			if err != nil {
				t.Fatal(err)
			}
			got, err := l.W1(limit.Exponential{Mean: mean}, GeometricExcess(gap, 0))
			if err != nil {
				t.Fatal(err)
			}
			near.Rel(t, fmt.Sprintf("gap %g, mean %g: W1", gap, mean), got, gap*mean, 1e-14)
		}
	}
}

// The same law with its first K terms in the near part, and the excess by
// subtraction, which is good to about 1e-16 of the mean.
func TestLatticeNearPart(t *testing.T) {
	for _, gap := range []float64{0.9, 0.5, 0.1, 1e-3, 1e-6} {
		for _, k := range []int{0, 1, 2, 7, 1000} {
			pmf := make([]float64, k)
			for n := range pmf {
				pmf[n] = gap * math.Pow(1-gap, float64(n))
			}
			l, err := NewLattice(gap, pmf, gap)
			if err != nil {
				if k*int(gap*1000) > 30_000 { // all of the mass is in the near part
					continue
				}
				t.Fatalf("gap %g, K = %d: %v", gap, k, err)
			}
			to := limit.Exponential{Mean: 1}
			got, err := l.W1(to, l.Excess(to))
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got-gap) > 1e-14 {
				t.Errorf("gap %g, K = %d: W1 = %v, want %v", gap, k, got, gap)
			}
		}
	}
}

// Equal decay rates, for which every cell of the tail is of one kind.
func TestLatticeEqualRates(t *testing.T) {
	to := limit.Exponential{Mean: 1}
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
			l := Lattice{Span: h, LogAmplitude: c.logA, Rate: h}
			got, err := l.W1(to, 0)
			if err != nil {
				t.Fatal(err)
			}
			near.Rel(t, fmt.Sprintf("h = %g, log A = %g: W1", h, c.logA), got, c.want, 1e-14)
		}
	}
}

// exact is W1(c Q, Exp(1)) by the textbook formulas, in 1400-bit arithmetic,
// where their cancellation does no harm.
func exact(l Lattice, excess float64) float64 {
	h := sub(flt(l.Rate), flt(excess))
	logA, theta, delta := flt(l.LogAmplitude), flt(l.Rate), flt(excess)
	one := flt(1)
	total := flt(0)
	for n, f := range l.CDF {
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
	k := flt(float64(len(l.CDF)))
	inf := flt(math.Inf(1))
	zero, minusH := inf, inf // first n beyond which L_n has passed 0, -h
	if excess != 0 {
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
	case excess > 0:
		total = add(total, above(k, zero))
		total = add(total, crossed(zero, minusH))
		total = sub(total, above(minusH, inf))
	case excess < 0:
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

func TestLatticeAgainstExactArithmetic(t *testing.T) {
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
		l := Lattice{Span: h, Rate: theta, LogAmplitude: logA}
		f := -math.Expm1(logA - float64(k)*theta)
		for range k {
			l.CDF = append(l.CDF, f*rng.Float64())
		}
		slices.Sort(l.CDF)
		got, err := l.W1(limit.Exponential{Mean: 1}, delta)
		if err != nil {
			t.Fatalf("%+v, excess %g: %v", l, delta, err)
		}
		want := exact(l, delta)
		worst = math.Max(worst, math.Abs(got/want-1))
		near.Rel(t, fmt.Sprintf("%+v, excess %g: W1", l, delta), got, want, 1e-12)
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
func TestLatticeAgainstQuadrature(t *testing.T) {
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
		l := Lattice{Span: c.h, CDF: c.cdf, LogAmplitude: c.logA, Rate: c.h + c.delta}
		got, err := l.W1(limit.Exponential{Mean: 1}, c.delta)
		if err != nil {
			t.Fatal(err)
		}
		const steps = 2000
		want, dx := 0., c.h/steps
		for n := range int(60 / math.Min(l.Rate, c.h)) {
			s := math.Exp(c.logA - float64(n)*l.Rate)
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

// W1(lambda c Q, Exp(lambda m)) = lambda W1(c Q, Exp(m)), and the sample route gives
// the same for a lattice cut off where nothing is left.
func TestLatticeAgainstSample(t *testing.T) {
	pmf := []float64{0.02, 0.05, 0.1, 0.08}
	l, err := NewLattice(0.1, pmf, 0.09)
	if err != nil {
		t.Fatal(err)
	}
	to := limit.Exponential{Mean: 1.3}
	got, err := l.W1(to, l.Excess(to))
	if err != nil {
		t.Fatal(err)
	}
	var x, w []float64
	last := 1.
	for n := range 500 {
		s := math.Exp(l.LogAmplitude - float64(n)*l.Rate)
		if n < len(l.CDF) {
			s = 1 - l.CDF[n]
		}
		x, w = append(x, float64(n)*l.Span), append(w, last-s)
		last = s
	}
	want, err := W1Law(x, w, to)
	if err != nil {
		t.Fatal(err)
	}
	near.Rel(t, "W1 as a sample", got, want, 1e-12)
	big := Lattice{Span: l.Span * 0x1p-130, CDF: l.CDF, LogAmplitude: l.LogAmplitude, Rate: l.Rate}
	scaled, err := big.W1(limit.Exponential{Mean: 1.3 * 0x1p-130}, l.Excess(to))
	if err != nil {
		t.Fatal(err)
	}
	if scaled != got*0x1p-130 {
		t.Errorf("scaled by 2^-130: W1 = %v, want %v", scaled, got*0x1p-130)
	}
}

func TestLatticeErrors(t *testing.T) {
	to := limit.Exponential{Mean: 1}
	good := Lattice{Span: 0.1, CDF: []float64{0.01, 0.05}, LogAmplitude: 0.1, Rate: 0.1}
	if _, err := good.W1(to, 0); err != nil {
		t.Fatal(err)
	}
	nan, inf := math.NaN(), math.Inf(1)
	for name, edit := range map[string]func(*Lattice){
		"span 0":             func(l *Lattice) { l.Span = 0 },
		"span NaN":           func(l *Lattice) { l.Span = nan },
		"span Inf":           func(l *Lattice) { l.Span = inf },
		"span tiny":          func(l *Lattice) { l.Span = 1e-200 },
		"rate 0":             func(l *Lattice) { l.Rate = 0 },
		"rate NaN":           func(l *Lattice) { l.Rate = nan },
		"rate Inf":           func(l *Lattice) { l.Rate = inf },
		"amplitude NaN":      func(l *Lattice) { l.LogAmplitude = nan },
		"amplitude Inf":      func(l *Lattice) { l.LogAmplitude = -inf },
		"survival above 1":   func(l *Lattice) { l.LogAmplitude = 1 },
		"cdf NaN":            func(l *Lattice) { l.CDF = []float64{nan} },
		"cdf negative":       func(l *Lattice) { l.CDF = []float64{-0.1} },
		"cdf decreasing":     func(l *Lattice) { l.CDF = []float64{0.05, 0.01} },
		"cdf above the tail": func(l *Lattice) { l.CDF = []float64{0.01, 0.5} },
		"rate off excess":    func(l *Lattice) { l.Rate = 0.11 },
	} {
		l := good
		edit(&l)
		if _, err := l.W1(to, 0); !errors.Is(err, ErrLattice) {
			t.Errorf("%s: error %v, want ErrLattice", name, err)
		}
	}
	for _, mean := range []float64{0, -1, nan, inf} {
		if _, err := good.W1(limit.Exponential{Mean: mean}, 0); !errors.Is(err, ErrLaw) {
			t.Errorf("mean %v: error %v, want ErrLaw", mean, err)
		}
	}
	if _, err := good.W1(to, nan); !errors.Is(err, ErrLattice) {
		t.Errorf("excess NaN: error %v, want ErrLattice", err)
	}
	far := Lattice{Span: 1e300, Rate: 1e-300} // of mean 1e600
	if _, err := far.W1(to, -1e300); !errors.Is(err, ErrLattice) || !strings.Contains(err.Error(), "float64 can carry") {
		t.Errorf("infinite mean: error %v, want ErrLattice", err)
	}
	for _, gap := range []float64{0, 1, -0.1, nan} {
		if _, err := NewLattice(1, nil, gap); !errors.Is(err, ErrLattice) {
			t.Errorf("gap %v: error %v, want ErrLattice", gap, err)
		}
	}
	for _, pmf := range [][]float64{{nan}, {-0.1}, {0.5, 0.5}, {0.7, 0.7}} {
		if _, err := NewLattice(1, pmf, 0.1); !errors.Is(err, ErrLattice) {
			t.Errorf("pmf %v: error %v, want ErrLattice", pmf, err)
		}
	}
}

func TestGeometricExcess(t *testing.T) {
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
		near.Rel(t, fmt.Sprintf("GeometricExcess(%g, 0)", gap), GeometricExcess(gap, 0), want, 3e-14)
		near.Rel(t, fmt.Sprintf("GeometricExcess(%g, %g)", gap, 3*gap), GeometricExcess(gap, 3*gap), 3*gap+want, 1e-15)
	}
}

func BenchmarkLatticeW1Gap1e60(b *testing.B) {
	cdf := make([]float64, 1000)
	for n := range cdf {
		cdf[n] = 4e-61 * float64(n)
	}
	l := Lattice{Span: 1e-60, CDF: cdf, LogAmplitude: 5e-58, Rate: 1e-60}
	for b.Loop() {
		if _, err := l.W1(limit.Exponential{Mean: 1}, 5e-121); err != nil {
			b.Fatal(err)
		}
	}
}

// TestLatticeZeros: steps below the law that are not held are as good, to the last bit, as
// zeros that are.
func TestLatticeZeros(t *testing.T) {
	cdf := make([]float64, 60)
	for n := 50; n < 60; n++ {
		cdf[n] = 0.01 * float64(n-49)
	}
	held := Lattice{Span: 0.01, CDF: cdf, LogAmplitude: math.Log(0.9) + 59*0.011, Rate: 0.011}
	short := held
	short.Zeros, short.CDF = 50, cdf[50:]
	to := limit.Exponential{Mean: 1}
	measure := func(l Lattice) (out []float64) {
		add := func(x float64, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, x)
		}
		add(l.W1(to, 0.001))
		add(l.W1Law(to))
		law, err := l.Law()
		add(law.PartialMean(math.Inf(1)), err)
		add(held.W1Law(law))
		for _, x := range []float64{-1, 0, 0.3, 0.495, 0.5, 0.555, 0.6, 1, 5} {
			out = append(out, law.CDF(x), law.Survival(x), law.PartialMean(x))
		}
		for _, p := range []float64{0, 0.005, 0.05, 0.1, 0.5, 0.99} {
			out = append(out, law.Quantile(p))
		}
		for n := range 70 {
			out = append(out, l.Crossing(n, to))
		}
		return append(out, float64(l.End()))
	}
	want := measure(held)
	for i, x := range measure(short) {
		if x != want[i] {
			t.Errorf("number %d: %v, want %v", i, x, want[i])
		}
	}
	for _, zeros := range []int{-1, 1 << 40} {
		short.Zeros = zeros
		if _, err := short.W1(to, 0.001); !errors.Is(err, ErrLattice) {
			t.Errorf("zeros = %d: %v, want %v", zeros, err, ErrLattice)
		}
	}
}
