package law

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/near"
	"jsqlab/jsqlib/internal/num"
)

// checkLaw holds every number that a law gives against sums over its own PMF
// and against the brute-force chain.
func checkLaw(t *testing.T, what string, q *Total, want []float64, tol float64) {
	t.Helper()
	var mean, second, sum num.Sum
	for n, p := range want {
		near.Abs(t, fmt.Sprintf("%s: P(Q = %d)", what, n), q.PMF(n), p, tol)
		sum.Add(p)
		mean.Add(float64(n) * p)
		second.Add(float64(n) * float64(n) * p)
		near.Abs(t, fmt.Sprintf("%s: P(Q <= %d)", what, n), q.CDF(n), sum.Value(), tol)
		near.Abs(t, fmt.Sprintf("%s: P(Q > %d)", what, n), q.Survival(n), 1-sum.Value(), tol)
	}
	near.Abs(t, what+": E Q", q.Mean(), mean.Value(), tol*1e2)
	near.Abs(t, what+": E Q^2", q.SecondMoment(), second.Value(), tol*1e4)
	near.Abs(t, what+": mass below 0", q.NegativeMass(), 0, tol)
	from, logA, rate := q.TailStart(), q.amplitude, q.kernel.rate
	for n := from; n < from+4; n++ {
		near.Rel(t, fmt.Sprintf("%s: tail P(Q > %d)", what, n), q.Survival(n), math.Exp(logA-float64(n)*rate), 1e-13)
		near.Rel(t, fmt.Sprintf("%s: ratio at %d", what, n), q.PMF(n+2)/q.PMF(n+1), math.Exp(-rate), 1e-13)
		near.Abs(t, what+": log survival", q.logSurvival(n), logA-float64(n)*rate, 1e-12)
	}
	near.Abs(t, what+": P(Q <= last) from below and above", q.cdf[len(q.cdf)-1], 1-q.survival[len(q.cdf)-1], 1e-13)
}

// TestReferenceN2 is the reference system with N = 2, alpha = 1.
func TestReferenceN2(t *testing.T) {
	c, brute := bruteForce(t, jsqlib.Model{Servers: 2, Alpha: 1}, 40)
	q, err := New(c, brute.boundary)
	if err != nil {
		t.Fatal(err)
	}
	checkLaw(t, "N = 2", q, brute.pmf, 1e-13)
	near.Abs(t, "E Q", q.Mean(), 0.7684999279, 1e-10)
	near.Abs(t, "E[U Q+]/E U", brute.boundaryMean, 0.3522226263, 1e-10)
	near.Abs(t, "P(Q = 0)", q.PMF(0), 0.5313833052, 1e-10)
	near.Abs(t, "E Q~", q.BoundaryMean(), brute.boundaryMean-brute.boundarySecond/2+0.5, 1e-13)
	w, err := q.W1ToLimit()
	if err != nil {
		t.Fatal(err)
	}
	near.Abs(t, "W1", w, 0.1445934554, 1e-10)
	if q.LimitMean() != 0.5 || q.Scale() != 0.5 {
		t.Errorf("m = %v, c = %v, want 0.5 and 0.5", q.LimitMean(), q.Scale())
	}
}

func TestBruteForce(t *testing.T) {
	for name, p := range pmfs {
		for n := 1; n <= 2; n++ {
			if n == 2 && (name == "wide" || name == "skew" && testing.Short()) {
				continue // slow
			}
			c, brute := bruteForce(t, jsqlib.Model{Servers: n, Gap: 0.6, Arrivals: p.arrivals, Service: p.service}, 300/(n*n*n))
			q, err := New(c, brute.boundary)
			if err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("%s, N = %d", name, n)
			checkLaw(t, what, q, brute.pmf, 1e-12)
			checkIdentity(t, what, c, q, brute)
			checkCertificate(t, what, q, brute.boundaryMean, brute.boundarySecond)
		}
	}
}

// checkIdentity holds the transform against the one-sided identity
// E e^(-theta Z) (1 - E e^(-theta c X)) = E[e^(-theta c Q^+) (1 - e^(theta c U))],
// both expectations from the brute-force laws.
func checkIdentity(t *testing.T, what string, c jsqlib.Constants, q *Total, brute chain) {
	t.Helper()
	for _, theta := range []float64{1e-3, 0.3, 1, 7} {
		x, sum := -theta*c.Gap, 0.0
		for n, p := range brute.pmf {
			sum += p * math.Exp(x*float64(n))
		}
		laplace, err := q.Laplace(theta)
		if err != nil {
			t.Fatal(err)
		}
		near.Abs(t, fmt.Sprintf("%s: E e^(-%v Z)", what, theta), laplace, sum, 1e-12)
		right := 0.0
		for k, p := range brute.joint {
			right -= p * math.Exp(x*float64(k[0])) * math.Expm1(-x*float64(k[1]))
		}
		var m float64
		for a, pa := range c.Arrivals.Power(c.N) {
			for s, ps := range c.Service.Power(c.N) {
				m += pa * ps * math.Expm1(x*float64(a-s))
			}
		}
		near.Abs(t, fmt.Sprintf("%s: identity at theta = %v", what, theta), -laplace*m, right, 1e-12*math.Max(1, math.Abs(m)))
		diff, err := q.LaplaceError(theta)
		if err != nil {
			t.Fatal(err)
		}
		near.Abs(t, fmt.Sprintf("%s: error at theta = %v", what, theta), diff, sum-1/(1+q.LimitMean()*theta), 1e-12)
	}
}

func checkCertificate(t *testing.T, what string, q *Total, boundaryMean, boundarySecond float64) {
	t.Helper()
	cert, err := q.Kernel().Certificate(boundaryMean, boundarySecond)
	if err != nil {
		t.Fatal(err)
	}
	w, err := q.W1(q.MeanN())
	if err != nil {
		t.Fatal(err)
	}
	limit, err := q.W1ToLimit()
	if err != nil {
		t.Fatal(err)
	}
	slack := 1e-9 * w
	if !(cert.Low <= w+slack && w <= cert.High+slack && cert.LimitLow <= limit+slack && limit <= cert.LimitHigh+slack) {
		t.Errorf("%s: certificate %+v does not hold W1 = %v, to the limit %v", what, cert, w, limit)
	}
	bias := q.Scale()*q.Mean() - q.MeanN()
	near.Abs(t, what+": lower certificate |E Z - m_N|", cert.Low, math.Abs(bias), 1e-12*q.Scale()*q.Mean())
	near.Abs(t, what+": lower certificate |E Z - m|", cert.LimitLow, math.Abs(q.Scale()*q.Mean()-q.LimitMean()), 1e-12*q.Scale()*q.Mean())
}

// TestBernoulliService: with one server and services of at most one job U = 1
// only when the queue is empty, so Q~ = 0 and P(Q = n) = K(n).
func TestBernoulliService(t *testing.T) {
	for _, gap := range []float64{0.5, 0.05, 1e-3, 1e-20} {
		s := jsqlib.Model{Servers: 1, Gap: gap, Arrivals: jsqlib.Binomial(4), Service: jsqlib.PMF{0, 1}}
		c := constants(t, s)
		q, err := New(c, Boundary{P: []float64{1}})
		if err != nil {
			t.Fatal(err)
		}
		near.Rel(t, "E q", q.Mean(), (c.ArrivalVar+c.ServiceVar+c.Eps*c.Eps-c.Eps)/(2*c.Eps), 1e-13)
		near.Abs(t, "mass below 0", q.NegativeMass()/c.Eps, 0, 1e-13)
		if gap == 0.5 {
			_, brute := bruteForce(t, s, 80)
			checkLaw(t, "N = 1", q, brute.pmf, 1e-14)
		}
		checkCertificate(t, fmt.Sprintf("N = 1, gap = %v", gap), q, 0, 1)
	}
}

// TestCT holds the continuous-time law against M/M/1 and against the chain of
// two queues, iterated at its jump times.
func TestCT(t *testing.T) {
	for _, gap := range []float64{0.4, 1e-5, 1e-60} {
		c, err := jsqlib.Model{Continuous: true, Servers: 1, Gap: gap}.Constants()
		if err != nil {
			t.Fatal(err)
		}
		q, err := New(c, Boundary{P: []float64{1}})
		if err != nil {
			t.Fatal(err)
		}
		w, err := q.W1ToLimit()
		if err != nil {
			t.Fatal(err)
		}
		near.Rel(t, "M/M/1: W1((1-rho) Q, Exp(1))", w, gap, 1e-12)
		near.Rel(t, "M/M/1: P(Q = 3)", q.PMF(3), gap*math.Pow(1-gap, 3), 1e-14)
		near.Rel(t, "M/M/1: E Q", q.Mean(), (1-gap)/gap, 1e-14)
		near.Rel(t, "M/M/1: E Q^2", q.SecondMoment(), (1-gap)*(2-gap)/gap/gap, 1e-14)
		checkCertificate(t, "M/M/1", q, 0, 0)
	}

	const size, gap = 90, 0.4
	c, err := jsqlib.Model{Continuous: true, Servers: 2, Gap: gap}.Constants()
	if err != nil {
		t.Fatal(err)
	}
	// states (x, y) with x <= y; the uniformised chain has rate 2 (1 + lambda)
	at := func(x, y int) int { return min(x, y)*(size+1) + max(x, y) }
	now := make([]float64, (size+1)*(size+1))
	now[0] = 1
	up := c.Load / (1 + c.Load)
	down := (1 - up) / 2
	for range 4000 {
		next := make([]float64, len(now))
		for x := 0; x <= size; x++ {
			for y := x; y <= size; y++ {
				p := now[at(x, y)]
				next[at(min(x+1, size), y)] += p * up
				next[at(max(x-1, 0), y)] += p * down
				next[at(x, max(y-1, 0))] += p * down
			}
		}
		now = next
	}
	pmf := make([]float64, 2*size+1)
	b := make([]float64, 2*size+1)
	same, idle := 0.0, 0.0
	for x := 0; x <= size; x++ {
		for y := x; y <= size; y++ {
			p := now[at(x, y)]
			pmf[x+y] += p
			if x == y {
				same += p
			}
			if x == 0 {
				i := p
				if y == 0 {
					i = 2 * p
				}
				b[y] += i
				idle += i
			}
		}
	}
	near.Abs(t, "P(q1 = q2)", same, 1/(1+2*c.Load), 1e-12)
	near.Abs(t, "E I", idle, 2*gap, 1e-12)
	mean := 0.0
	for n := range b {
		b[n] /= idle
		mean += float64(n) * b[n]
	}
	q, err := New(c, Boundary{P: b})
	if err != nil {
		t.Fatal(err)
	}
	checkLaw(t, "CT N = 2", q, pmf, 1e-12)
	checkCertificate(t, "CT N = 2", q, mean, 0)
	for _, theta := range []float64{0.2, 3} {
		sum := 0.0
		for n, p := range pmf {
			sum += p * math.Exp(-theta*gap*float64(n))
		}
		got, err := q.Laplace(theta)
		if err != nil {
			t.Fatal(err)
		}
		near.Abs(t, "CT transform", got, sum, 1e-12)
	}
}

// TestLaplace holds the transform and its distance from the limit against
// values computed independently with 200 digits: Binomial(3) arrivals,
// Binomial(2) services, N = 3, and P(Q~ = -1, 0, 2, 7) = 1/8, 1/8, 1/4, 1/2.
func TestLaplace(t *testing.T) {
	b := Boundary{Min: -1, P: []float64{0.125, 0.125, 0, 0.25, 0, 0, 0, 0, 0.5}}
	for _, x := range []struct{ gap, theta, laplace, diff float64 }{
		{0.5, 0.001, 0.997483607677814587, -0.0019333990682502089},
		{0.5, 0.3, 0.525785491963985375, -0.325278337823248667},
		{0.5, 1, 0.220870510765652213, -0.41070843660276884},
		{0.1, 0.001, 0.999083129285677575, -0.000333877460387221008},
		{0.1, 0.3, 0.772654879344755259, -0.0784089504424787832},
		{0.1, 1, 0.471385317419764893, -0.16019362994865616},
		{0.1, 20, 0.00554510427493887999, -0.0734022641461137516},
		{1e-4, 0.001, 0.999416686080533922, -3.20665530873890984e-7},
		{1e-4, 0.3, 0.850981526545219796, -0.0000823032420142462716},
		{1e-4, 1, 0.631373968105704117, -0.000204979262716935476},
		{1e-4, 20, 0.0784288962561594835, -0.000518472164893148103},
		{1e-20, 0.001, 0.999417006746064796, -3.20652301167415165e-23},
		{1e-20, 0.3, 0.851063829787234043, -8.23072280066395051e-21},
		{1e-20, 20, 0.0789473684210526315, -5.21583564173591874e-20},
		{1e-60, 0.3, 0.851063829787234043, -8.23072280066395051e-61},
		{1e-60, 20, 0.0789473684210526316, -5.21583564173591874e-60},
	} {
		q, err := New(constants(t, jsqlib.Model{Servers: 3, Gap: x.gap, Arrivals: jsqlib.Binomial(3)}), b)
		if err != nil {
			t.Fatal(err)
		}
		laplace, err := q.Laplace(x.theta)
		if err != nil {
			t.Fatal(err)
		}
		near.Rel(t, fmt.Sprintf("gap = %v: E e^(-%v Z)", x.gap, x.theta), laplace, x.laplace, 1e-14)
		diff, err := q.LaplaceError(x.theta)
		if err != nil {
			t.Fatal(err)
		}
		near.Rel(t, fmt.Sprintf("gap = %v: error at %v", x.gap, x.theta), diff, x.diff, 1e-13)
	}

	// CT: E e^(-theta Z) = E e^(t Q~) / (1 + lambda (1 - e^t)/e), t = -theta e
	c, err := jsqlib.Model{Continuous: true, Servers: 3, Gap: 0.05}.Constants()
	if err != nil {
		t.Fatal(err)
	}
	q, err := New(c, Boundary{P: []float64{0.25, 0.25, 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	for _, theta := range []float64{0, 1e-3, 1, 1.9, 2.1, 100} {
		z := math.Exp(-theta * 0.05)
		want := (0.25 + 0.25*z + 0.5*z*z) * 0.05 / (1 - 0.95*z)
		got, err := q.Laplace(theta)
		if err != nil {
			t.Fatal(err)
		}
		near.Rel(t, "CT transform", got, want, 1e-13)
		if got, err = q.LaplaceError(theta); err != nil {
			t.Fatal(err)
		}
		near.Abs(t, "CT transform error", got, want-1/(1+theta), 1e-14)
	}
	for _, theta := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := q.Laplace(theta); !refused(err, "theta") {
			t.Errorf("Laplace(%v): %v", theta, err)
		}
		if _, err := q.LaplaceError(theta); !refused(err, "theta") {
			t.Errorf("LaplaceError(%v): %v", theta, err)
		}
	}
}

// spread is a made-up boundary law on low, ..., high with all entries positive.
func spread(low, high int, seed uint64) Boundary {
	r := rand.New(rand.NewPCG(seed, 1))
	b := Boundary{Min: low, P: make([]float64, high-low+1)}
	sum := 0.0
	for i := range b.P {
		b.P[i] = 0.5 + r.Float64()
		sum += b.P[i]
	}
	for i := range b.P {
		b.P[i] /= sum
	}
	return b
}

// TestSmallGap: everything divided by its power of the gap has a limit, which
// is reached to rounding at 1e-18 and kept at 1e-60 and beyond.
func TestSmallGap(t *testing.T) {
	b := spread(-3, 200, 2)
	law := func(gap float64) *Total {
		q, err := New(constants(t, jsqlib.Model{Servers: 20, Gap: gap}), b)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	numbers := func(q *Total) map[string]float64 {
		c := q.Scale()
		w, err := q.W1ToLimit()
		if err != nil {
			t.Fatal(err)
		}
		wn, err := q.W1(q.MeanN())
		if err != nil {
			t.Fatal(err)
		}
		l, err := q.LaplaceError(1)
		if err != nil {
			t.Fatal(err)
		}
		logA, rate := q.amplitude, q.kernel.rate
		return map[string]float64{
			"P(Q = 5)/e": q.PMF(5) / c, "P(Q <= 100)/e": q.CDF(100) / c,
			"log P(Q > 150)/e": q.logSurvival(150) / c, "log A/e": logA / c,
			"theta/e": rate / c, "W1/e": w / c, "W1 to m_N/e": wn / c,
			"Laplace error/e": l / c, "E Z": q.Mean() * c, "E Z^2": q.SecondMoment() * c * c,
		}
	}
	limit := numbers(law(1e-60))
	for gap, tol := range map[float64]float64{1e-5: 1e-1, 1e-8: 1e-4, 1e-12: 1e-8, 1e-18: 1e-12, jsqlib.MinGap: 1e-12} {
		for what, x := range numbers(law(gap)) {
			near.Rel(t, fmt.Sprintf("gap = %v: %s", gap, what), x, limit[what], tol)
		}
	}
	// First order: W1 to Exp(m_N) is c (E Q~ - 1/2) when Z is stochastically
	// larger, up to the two crossings near 0, which are second order.
	near.Rel(t, "W1 to m_N/e", limit["W1 to m_N/e"], law(1e-60).BoundaryMean()-0.5, 1e-12)
}

// TestLongBoundary: the law with blocks of Fourier transforms agrees with the
// one summed directly, in relative terms over the whole range.
func TestLongBoundary(t *testing.T) {
	c := constants(t, jsqlib.Model{Servers: 200, Gap: 1e-7})
	b := spread(-50, 20_000, 3)
	for i := range b.P { // falls over 20 decades
		b.P[i] *= math.Exp(-0.0023 * float64(i))
	}
	sum := 0.0
	for _, p := range b.P {
		sum += p
	}
	for i := range b.P {
		b.P[i] /= sum
	}
	q, err := New(c, b)
	if err != nil {
		t.Fatal(err)
	}
	k := q.Kernel()
	low, r := k.corrMin, k.corr
	if len(b.P)*len(r) <= directLimit {
		t.Fatalf("%d products are summed directly", len(b.P)*len(r))
	}
	for n := -500; n < 20_500; n += 37 {
		want := 0.0
		for i, p := range b.P {
			if d := n - b.Min - i; d >= low {
				want += p * k.At(d)
			}
		}
		near.Abs(t, fmt.Sprintf("P(Q = %d)", n), q.PMF(n), want, 1e-12*c.Eps/c.V)
	}
	sum = 0
	for n := q.start; n <= q.last(); n++ {
		sum += q.PMF(n)
	}
	near.Abs(t, "P(Q <= last)", sum, -math.Expm1(q.logTail(q.last())), 1e-12*sum)
}

func TestBoundaryErrors(t *testing.T) {
	k, err := NewKernel(constants(t, jsqlib.Model{Servers: 2, Gap: 0.5}))
	if err != nil {
		t.Fatal(err)
	}
	c, err := jsqlib.Model{Continuous: true, Servers: 2, Gap: 0.5}.Constants()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []Boundary{
		{}, {P: []float64{0}}, {P: []float64{0.5, 0.4}}, {P: []float64{-0.5, 1.5}},
		{P: []float64{math.NaN()}}, {P: []float64{math.Inf(1)}}, {Min: -4, P: []float64{1}},
	} {
		var field *jsqlib.Invalid
		if _, err := k.Total(b); !errors.As(err, &field) {
			t.Errorf("%v: %v", b, err)
		}
	}
	if _, err := New(c, Boundary{Min: -1, P: []float64{0.5, 0.5}}); !refused(err, "P(Q~ = -1)") {
		t.Errorf("CT, Q~ = -1: %v", err)
	}
	if _, err := New(jsqlib.Constants{}, Boundary{P: []float64{1}}); !refused(err, "system") {
		t.Errorf("no constants: %v", err)
	}
	b := Boundary{Min: -5, P: []float64{0, 0, 0.5, 0, 0, 0.5}}
	q, err := k.Total(b) // Q~ >= -3 = -(N S_max - 1)
	if err != nil {
		t.Fatal(err)
	}
	near.Abs(t, "E Q~", q.BoundaryMean(), -1.5, 0)
	if b.P[2] != 0.5 {
		t.Error("the boundary law was changed")
	}
	for _, x := range [][2]float64{{-1, 1}, {math.NaN(), 1}, {1, 0.5}, {1, math.Inf(1)}} {
		if _, err := k.Certificate(x[0], x[1]); err == nil {
			t.Errorf("Certificate(%v): %v", x, err)
		}
	}
	for _, mean := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := q.W1(mean); !refused(err, "mean") {
			t.Errorf("W1(%v): %v", mean, err)
		}
	}
}

func BenchmarkTotalN1000(b *testing.B) {
	k, err := NewKernel(constants(b, jsqlib.Model{Servers: 1000, Gap: 1e-18}))
	if err != nil {
		b.Fatal(err)
	}
	boundary := spread(-500, 1_000_000, 1)
	for b.Loop() {
		if _, err := k.Total(boundary); err != nil {
			b.Fatal(err)
		}
	}
}

// TestFarBoundary: what a law takes does not grow with the totals that it is far above,
// nor does what its distance takes.
func TestFarBoundary(t *testing.T) {
	c, err := jsqlib.Model{Servers: 4, Alpha: 40}.Constants()
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := NewKernel(c)
	if err != nil {
		t.Fatal(err)
	}
	close, err := kernel.Total(Boundary{0, []float64{0.5, 0, 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	const far = 1 << 40
	total, err := kernel.Total(Boundary{far, []float64{0.5, 0, 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	for n := -40; n < 40; n++ {
		if got, want := total.PMF(far+n), close.PMF(n); math.Abs(got-want) > 1e-9*math.Abs(close.PMF(0)) {
			t.Errorf("P(Q = 2^40%+d) = %v, want %v", n, got, want)
		}
	}
	if p := total.PMF(far - 1000); p != 0 {
		t.Errorf("P(Q = 2^40 - 1000) = %v, want 0", p)
	}
	w, err := total.W1ToLimit()
	if err != nil {
		t.Fatal(err)
	}
	near.Rel(t, "W1", w, c.Gap*(far+0.5+c.Eps/2)+c.MeanShift, 1e-9) // E Z - m
	if w := total.influenceOfW1(c.LimitMean); len(w) != 3 {
		t.Errorf("influence %v, want 3 numbers", w)
	}
}

// TestConvolveSkip: a start at a later block changes no bit of what it does not miss.
func TestConvolveSkip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = r.Float64()
		}
		return x
	}
	for _, n := range []int{100, 600} { // direct, and by transforms
		a, b := draw(10_000), draw(n)
		skip := 2 * blockOf(n)
		whole, part := convolve(0, a, b), convolve(skip, a[skip:], b)
		for i := n - 1; i < len(part); i++ {
			if part[i] != whole[skip+i] {
				t.Fatalf("n = %d: entry %d = %v, want %v", n, i, part[i], whole[skip+i])
			}
		}
	}
}
