package check

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/bound"
	"jsqlab/jsqlib/law"
	"jsqlab/jsqlib/sim"
)

func TestEx04Predict(t *testing.T) {
	say := func(limit, errorPower, sidesPower float64) func() error {
		return func() error {
			return Ex04Predict(func() (float64, float64, float64) { return limit, errorPower, sidesPower })
		}
	}
	answers{
		{"right", say(0.4, -3, -9), ""},
		{"from a fit", say(0.4, -2.9, -9.01), ""},
		{"no half", say(0.25, -3, -9), "a 2 in it"},
		{"reference", say(0.5, -3, -9), "more variable"},
		{"arrivals", say(2./3, -3, -9), "services are random"},
		{"deviations", say(0.3695, -3, -9), "standard deviations"},
		{"rate", say(0.2727, -3, -9), "not the rate"},
		{"constant", say(math.Exp(-1.5), -3, -9), "transform of a constant"},
		{"runs away", say(0, -3, -9), "has been scaled"},
		{"vanishes", say(1, -3, -9), "does not vanish"},
		{"large", say(0.9, -3, -9), "too large"},
		{"no number", say(math.NaN(), -3, -9), "no number"},
		{"grows", say(0.4, 3, -9), "what sign has the power"},
		{"a priori", say(0.4, -2, -9), "a-priori bound"},
		{"the paper's", say(0.4, -1, -9), "error term of the paper"},
		{"job routing", say(0.4, -4, -9), "each job is routed by itself"},
		{"one job", say(0.4, -5, -9), "that is one job"},
		{"rest", say(0.4, -4.5, -9), "the rest of the denominator"},
		{"drift", say(0.4, -9, -9), "beyond 1 + mθ"},
		{"steep", say(0.4, -7, -9), "too small"},
		{"sides grow", say(0.4, -3, 9), "both sides vanish"},
		{"eps", say(0.4, -3, -4), "the mean of X alone"},
		{"s", say(0.4, -3, -5), "that is s alone"},
		{"one server", say(0.4, -3, -10), "there are N of them"},
		{"sides do not vanish", say(0.4, -3, 0), "that is the transform"},
		{"sides as the error", say(0.4, -3, -3), "before anything is divided"},
		{"not done", func() error { return Ex04Predict(func() (float64, float64, float64) { panic(Stub) }) }, "not done"},
	}.run(t)
}

// The predicted numbers, from the boundary law.
func TestEx04Measured(t *testing.T) {
	errorAt := func(n int, s jsqlib.Model) (gap, side float64) {
		c, err := s.Constants()
		if err != nil {
			t.Fatal(err)
		}
		r, err := sim.Boundary(context.Background(), s, sim.BoundaryOptions{Options: sim.Options{Seed: 4, RelError: 0.05}})
		if err != nil {
			t.Fatal(err)
		}
		b := law.Boundary{Min: r.Min, P: r.P}
		total, err := law.New(c, b)
		if err != nil {
			t.Fatal(err)
		}
		l, err := bound.NewLaplace(c, total, b, 2)
		if err != nil {
			t.Fatal(err)
		}
		return math.Abs(l.Error), math.Abs(l.Right)
	}
	gap8, side8 := errorAt(8, jsqlib.Model{Servers: 8, Alpha: 5})
	gap32, side32 := errorAt(32, jsqlib.Model{Servers: 32, Alpha: 5})

	if k := math.Log(gap32/gap8) / math.Log(4); math.Abs(k+3) > 0.25 {
		t.Errorf("the error goes like N^%.3f", k)
	}
	if k := math.Log(side32/side8) / math.Log(4); math.Abs(k+9) > 0.02 {
		t.Errorf("the sides go like N^%.3f", k)
	}
	c, err := jsqlib.Model{Servers: 8, Alpha: 5, Service: jsqlib.PMF{0.5, 0, 0.5}}.Constants()
	if err != nil || !agrees(1/(1+2*c.LimitMean), 0.4, 1e-12) {
		t.Errorf("m = %v, %v", c.LimitMean, err)
	}
}

func TestEx04Rest(t *testing.T) {
	of := func(f func(x ex04Slot) float64) func() error {
		return func() error {
			return Ex04Rest(func(after, unused []int64, s float64) float64 { return f(ex04Slot{after, unused, s}) })
		}
	}
	sum := func(x ex04Slot, f func(q, u float64) float64) (sum float64) {
		for i := range x.after {
			sum += f(float64(x.after[i]), float64(x.unused[i]))
		}
		return sum
	}
	answers{
		{"product", of(func(x ex04Slot) float64 { return x.left() * x.gain() }), ""},
		{"difference of the sides", of(func(x ex04Slot) float64 {
			e, g := math.Exp(-x.s*x.jobs()), math.Exp(x.s*x.lost())
			return e*(1-g) - (1 - g)
		}), ""},
		{"pairs of servers", of(func(x ex04Slot) float64 { // telescoping over the queues, from 0 to Q
			before, rest := 0.0, 0.0
			for _, q := range x.after {
				rest += math.Exp(-x.s*before) * -math.Expm1(-x.s*float64(q))
				before += float64(q)
			}
			return rest * x.gain()
		}), ""},

		{"zero", of(func(ex04Slot) float64 { return 0 }), "one server may lose service"},
		{"server by server", of(func(x ex04Slot) float64 {
			return sum(x, func(q, u float64) float64 { return -math.Expm1(-x.s*q) * math.Expm1(x.s*u) })
		}), "one server may lose service"},
		{"sign", of(func(x ex04Slot) float64 { return -x.left() * x.gain() }), "the sign is wrong"},
		{"whole side", of(func(x ex04Slot) float64 { return math.Exp(-x.s*x.jobs()) * -x.gain() }), "the whole left side"},
		{"without 1", of(func(x ex04Slot) float64 { return math.Exp(-x.s*x.jobs()) * x.gain() }), "when no jobs are left"},
		{"leading order", of(func(x ex04Slot) float64 { return x.s * x.s * x.jobs() * x.lost() }), "its leading order"},
		{"sQ", of(func(x ex04Slot) float64 { return x.s * x.jobs() * x.gain() }), "replaced by sQ⁺"},
		{"sU", of(func(x ex04Slot) float64 { return x.s * x.lost() * x.left() }), "replaced by sU"},
		{"e^(-sU)", of(func(x ex04Slot) float64 { return x.left() * -math.Expm1(-x.s*x.lost()) }), "a plus in its exponent"},
		{"average", of(func(x ex04Slot) float64 { return -math.Expm1(-x.s*x.jobs()/float64(len(x.after))) * x.gain() }), "not their average"},
		{"sum of exponentials", of(func(x ex04Slot) float64 {
			return x.left() * sum(x, func(_, u float64) float64 { return math.Expm1(x.s * u) })
		}), "no sum of exponentials"},
		{"sum of left sides", of(func(x ex04Slot) float64 {
			return sum(x, func(q, u float64) float64 { return -math.Exp(-x.s*q) * math.Expm1(x.s*u) }) + x.gain()
		}), "a sum over servers"},
		{"something", of(func(x ex04Slot) float64 { return 1 + x.left()*x.gain() }), "multiply out"},
		{"not done", of(func(ex04Slot) float64 { panic(Stub) }), "not done"},
	}.run(t)
}

// ex04Sum is the sum of f(-s (a - b)) over the laws of a source and a server.
func ex04Sum(arrivals, service []float64, s float64, f func(float64) float64) (sum float64) {
	for a, p := range arrivals {
		for b, q := range service {
			sum += p * q * f(-s*float64(a-b))
		}
	}
	return sum
}

func TestEx04Vanish(t *testing.T) {
	try := func(f func(arrivals, service []float64, n, s float64) float64) func() error {
		return func() error {
			return Ex04Vanish(func(a, b []float64, n int, s float64) float64 { return f(a, b, float64(n), s) })
		}
	}
	moment := func(p []float64, power float64) (sum float64) {
		for k, p := range p {
			sum += p * math.Pow(float64(k), power)
		}
		return sum
	}
	point := []float64{1}
	answers{
		{"expm1 and log1p", try(func(a, b []float64, n, s float64) float64 {
			return -math.Expm1(n * math.Log1p(ex04Sum(a, b, s, math.Expm1)))
		}), ""},
		{"law of the slot", func() error {
			return Ex04Vanish(func(a, b []float64, n int, s float64) float64 {
				return -ex04Sum(jsqlib.PMF(a).Power(n), jsqlib.PMF(b).Power(n), s, math.Expm1)
			})
		}, ""},
		{"mean first", try(func(a, b []float64, n, s float64) float64 {
			w := s*(moment(b, 1)-moment(a, 1)) + ex04Sum(a, b, s, ex04Beyond)
			return -math.Expm1(n * math.Log1p(w))
		}), ""},
		{"product of two", try(func(a, b []float64, n, s float64) float64 {
			x, y := ex04Sum(a, point, s, math.Expm1), ex04Sum(point, b, s, math.Expm1)
			return -math.Expm1(n * math.Log1p(x+y+x*y))
		}), ""},
		{"server after server", try(func(a, b []float64, n, s float64) float64 {
			w, sum := ex04Sum(a, b, s, math.Expm1), 0.0
			for range int(n) {
				sum += w + w*sum
			}
			return -sum
		}), ""},
		{"200 bits", func() error { return Ex04Vanish(ex04Long) }, ""},

		{"mean service 1", try(func(a, b []float64, n, s float64) float64 {
			w := s*(1-moment(a, 1)) + ex04Sum(a, b, s, ex04Beyond)
			return -math.Expm1(n * math.Log1p(w))
		}), "need not be 1"},
		{"normal law", try(func(a, b []float64, n, s float64) float64 {
			v := jsqlib.PMF(a).Variance() + jsqlib.PMF(b).Variance()
			return -math.Expm1(n * (s*(moment(b, 1)-moment(a, 1)) + s*s*v/2))
		}), "N-th power"},
		{"subtract", try(func(a, b []float64, n, s float64) float64 { return 1 - math.Pow(ex04Sum(a, b, s, math.Exp), n) }), "1 is added and taken off again"},
		{"expm1 without log1p", try(func(a, b []float64, n, s float64) float64 {
			return 1 - math.Pow(1+ex04Sum(a, b, s, math.Expm1), n)
		}), "1 is added and taken off again"},
		{"expm1 of a logarithm", try(func(a, b []float64, n, s float64) float64 {
			return -math.Expm1(n * math.Log(ex04Sum(a, b, s, math.Exp)))
		}), "1 is added and taken off again"},
		{"rounded", try(func(a, b []float64, n, s float64) float64 {
			return 1 - float64(float32(math.Pow(ex04Sum(a, b, s, math.Exp), n)))
		}), "want"},
		{"zero when small", try(func(a, b []float64, n, s float64) float64 {
			if x := -math.Expm1(n * math.Log1p(ex04Sum(a, b, s, math.Expm1))); math.Abs(x) > 1e-7 {
				return x
			}
			return 0
		}), "rounded to 1"},
		{"sign", try(func(a, b []float64, n, s float64) float64 {
			return math.Expm1(n * math.Log1p(ex04Sum(a, b, s, math.Expm1)))
		}), "the sign is wrong"},
		{"not taken from 1", try(func(a, b []float64, n, s float64) float64 { return math.Pow(ex04Sum(a, b, s, math.Exp), n) }), "take it from 1"},
		{"e^(sX)", try(func(a, b []float64, n, s float64) float64 { return 1 - math.Pow(ex04Sum(a, b, -s, math.Exp), n) }), "1 - E e^(sX)"},
		{"one server", try(func(a, b []float64, n, s float64) float64 { return -ex04Sum(a, b, s, math.Expm1) }), "there are N of each"},
		{"N times", try(func(a, b []float64, n, s float64) float64 { return -n * ex04Sum(a, b, s, math.Expm1) }), "variables multiply"},
		{"arrivals", try(func(a, b []float64, n, s float64) float64 { return 1 - math.Pow(ex04Sum(a, point, s, math.Exp), n) }), "the arrivals alone"},
		{"services", try(func(a, b []float64, n, s float64) float64 { return 1 - math.Pow(ex04Sum(point, b, s, math.Exp), n) }), "the services alone"},
		{"services arrive", try(func(a, b []float64, n, s float64) float64 {
			return 1 - math.Pow(ex04Sum(a, point, s, math.Exp)*ex04Sum(point, b, -s, math.Exp), n)
		}), "services leave"},
		{"one source", try(func(a, b []float64, n, s float64) float64 {
			return 1 - ex04Sum(a, point, s, math.Exp)*math.Pow(ex04Sum(point, b, s, math.Exp), n)
		}), "there are N sources"},
		{"first term", try(func(a, b []float64, n, s float64) float64 { return s * n * (moment(a, 1) - moment(b, 1)) }), "the first term"},
		{"mean in the exponent", try(func(a, b []float64, n, s float64) float64 {
			return -math.Expm1(s * n * (moment(b, 1) - moment(a, 1)))
		}), "the exponential of the mean"},
		{"two terms", try(func(a, b []float64, n, s float64) float64 {
			eps := n * (moment(b, 1) - moment(a, 1))
			v := n * (jsqlib.PMF(a).Variance() + jsqlib.PMF(b).Variance())
			return -s*eps - s*s*(v+eps*eps)/2
		}), "two terms of the expansion"},
		{"two terms, centred", try(func(a, b []float64, n, s float64) float64 {
			v := n * (jsqlib.PMF(a).Variance() + jsqlib.PMF(b).Variance())
			return -s*n*(moment(b, 1)-moment(a, 1)) - s*s*v/2
		}), "without ε²"},
		{"something", try(func(a, b []float64, n, s float64) float64 { return s }), "N-th power"},
		{"no number", try(func(a, b []float64, n, s float64) float64 { return math.NaN() }), "division by zero"},
		{"not done", try(func(a, b []float64, n, s float64) float64 { panic(Stub) }), "not done"},
	}.run(t)
}

// ex04Long is 1 - E e^(-sX) as it stands, with 200 bits.
func ex04Long(arrivals, service []float64, n int, s float64) float64 {
	long := func(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }
	sum := long(0)
	for a, p := range arrivals {
		for b, q := range service {
			e, term := long(1), long(1)
			x := new(big.Float).Mul(long(-s), long(float64(a-b)))
			for k := 1; k < 50; k++ {
				term.Quo(term.Mul(term, x), long(float64(k)))
				e.Add(e, term)
			}
			sum.Add(sum, e.Mul(e, new(big.Float).Mul(long(p), long(q))))
		}
	}
	power := long(1)
	for range n {
		power.Mul(power, sum)
	}
	got, _ := power.Sub(long(1), power).Float64()
	return got
}

// ex04Denominators is D of the reference system, which knows nothing of queues.
func ex04Denominators(t *testing.T, n int, alpha, theta float64) bound.Denominator {
	c, err := jsqlib.Model{Servers: n, Alpha: alpha}.Constants()
	if err != nil {
		t.Fatal(err)
	}
	b := law.Boundary{P: []float64{1}}
	total, err := law.New(c, b)
	if err != nil {
		t.Fatal(err)
	}
	l, err := bound.NewLaplace(c, total, b, theta)
	if err != nil {
		t.Fatal(err)
	}
	return l.Denominator
}

// The numbers of the checks are those of the library.
func TestEx04Library(t *testing.T) {
	for _, x := range []struct {
		n            int
		alpha, theta float64
	}{{4, 0.5, 1}, {64, 0.5, 1}, {64, 0.75, 3}, {16, 1.5, 2}, {16, 4.5, 2}, {60, 5, 0.01}} {
		d := ex04Denominators(t, x.n, x.alpha, x.theta)
		if got := ex04Denominator(x.n, x.alpha, x.theta); !agrees(got, d.Value(), 1e-11) {
			t.Errorf("%v: D = %v, and the library has %v", x, got, d.Value())
		}
	}
}

// The denominator has no terms beyond the two but for s^2 e^k E|X|^3/(6 eps).
func TestEx04Expansion(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		l := drawEx04Law(-4, -2)(r)
		x := ex04Moments{l.n, l.gap, l.v(), l.s / l.gap}
		a, b := l.arrivals.Power(l.n), l.service.Power(l.n)
		x3 := ex04Sum(a, b, 1, func(x float64) float64 { return math.Abs(x * x * x) })
		k := l.s * float64(l.n) * float64(len(l.service)-1)
		rest := l.s * l.s * math.Exp(k) * x3 / (6 * l.eps())
		if got, want := 1+x.mean()+x.drift(), l.power()/(l.s*l.eps()); math.Abs(got-want) > rest+1e-9 {
			t.Fatalf("%v: two terms %v, D = %v, bound %v", l, got, want, rest)
		}
	}
}

func TestEx04Denominator(t *testing.T) {
	coefficients := func(eps, v float64) (float64, float64) { return eps, (v + eps*eps) / 2 }
	type moments = func(eps, v float64) (float64, float64)
	first := func(f moments) func() error {
		return func() error {
			return Ex04Denominator(f, func(n int, c, v, theta float64) float64 {
				x := ex04Moments{n, c, v, theta}
				return 1 + x.mean() + x.drift()
			})
		}
	}
	second := func(f func(eps, v float64) float64) func() error {
		return first(func(eps, v float64) (float64, float64) { return eps, f(eps, v) })
	}
	d := func(f func(mean, drift float64, x ex04Moments) float64) func() error {
		return func() error {
			return Ex04Denominator(coefficients, func(n int, c, v, theta float64) float64 {
				x := ex04Moments{n, c, v, theta}
				return f(x.mean(), x.drift(), x)
			})
		}
	}
	answers{
		{"right", first(coefficients), ""},
		{"differences", func() error {
			law := func(eps, v float64) func(s float64) float64 { // a law of two points with these moments
				w := math.Sqrt(v)
				return func(s float64) float64 { return (math.Exp(s*(eps+w)) + math.Exp(s*(eps-w))) / 2 }
			}
			return Ex04Denominator(func(eps, v float64) (float64, float64) {
				f, h := law(eps, v), 1e-3
				slope := func(h float64) float64 { return (f(h) - f(-h)) / (2 * h) }
				bend := func(h float64) float64 { return (f(h) - 2 + f(-h)) / (2 * h * h) }
				return (4*slope(h) - slope(2*h)) / 3, (4*bend(h) - bend(2*h)) / 3
			}, func(n int, c, v, theta float64) float64 {
				eps := float64(n) * c
				first, second := coefficients(eps, v)
				return (first + second*theta*c) / eps
			})
		}, ""},

		{"sign", first(func(eps, v float64) (float64, float64) { return -eps, (v + eps*eps) / 2 }), "the exponent is -sX"},
		{"order", first(func(eps, v float64) (float64, float64) { return v / 2, (v + eps*eps) / 2 }), "belongs to s²"},
		{"centred", second(func(eps, v float64) float64 { return v / 2 }), "X is not centred"},
		{"minus eps²", second(func(eps, v float64) float64 { return (v - eps*eps) / 2 }), "larger than the variance"},
		{"no half", second(func(eps, v float64) float64 { return v + eps*eps }), "a factorial"},
		{"second sign", second(func(eps, v float64) float64 { return -(v + eps*eps) / 2 }), "has a plus"},
		{"variance", second(func(eps, v float64) float64 { return v }), "is X centred"},
		{"half of one", second(func(eps, v float64) float64 { return v/2 + eps*eps }), "for both parts"},
		{"mean not squared", second(func(eps, v float64) float64 { return (v + eps) / 2 }), "the mean is squared"},
		{"root", second(func(eps, v float64) float64 { return (math.Sqrt(v) + eps*eps) / 2 }), "it has no root"},
		{"something", second(func(eps, v float64) float64 { return 1 }), "E X²/2"},
		{"coefficients not done", second(func(eps, v float64) float64 { panic(Stub) }), "not done"},

		{"limit", d(func(mean, drift float64, x ex04Moments) float64 { return 1 + mean }), "a third term"},
		{"no variance", d(func(mean, drift float64, x ex04Moments) float64 { return 1 + drift }), "the variance is missing"},
		{"no halves", d(func(mean, drift float64, x ex04Moments) float64 { return 1 + 2*mean + 2*drift }), "the half of the second order"},
		{"2 m", d(func(mean, drift float64, x ex04Moments) float64 { return 1 + 2*mean + drift }), "in front of the variance"},
		{"2 drifts", d(func(mean, drift float64, x ex04Moments) float64 { return 1 + mean + 2*drift }), "in front of ε²"},
		{"minus", d(func(mean, drift float64, x ex04Moments) float64 { return 1 + mean - drift }), "with a plus"},
		{"negative", d(func(mean, drift float64, x ex04Moments) float64 { return -1 - mean - drift }), "divided by -sε"},
		{"inverse", d(func(mean, drift float64, x ex04Moments) float64 { return 1 / (1 + mean + drift) }), "asked is the denominator"},
		{"not scaled", d(func(mean, drift float64, x ex04Moments) float64 { return 1 + (mean+drift)/x.c }), "scaling is missing"},
		{"half scaled", d(func(mean, drift float64, x ex04Moments) float64 { return 1 + mean + drift/x.c }), "in the third term"},
		{"one server", d(func(mean, drift float64, x ex04Moments) float64 { return 1 + mean*float64(x.n) + drift }), "of the order N"},
		{"divided by sc", d(func(mean, drift float64, x ex04Moments) float64 { return 1 + (mean+drift)*float64(x.n) }), "not by sc"},
		{"not divided", d(func(mean, drift float64, x ex04Moments) float64 { return x.theta * x.c * x.eps() * (1 + mean + drift) }), "0 = 0"},
		{"divided by s", d(func(mean, drift float64, x ex04Moments) float64 { return 1 + x.eps()*(mean+drift) }), "divide by ε, too"},
		{"something else", d(func(mean, drift float64, x ex04Moments) float64 { return 7 }), "put s = θc"},
		{"denominator not done", d(func(mean, drift float64, x ex04Moments) float64 { panic(Stub) }), "not done"},
	}.run(t)
}

func TestEx04Lines(t *testing.T) {
	say := func(random, constant, modulated, mixed, pairs int) func() error {
		return func() error {
			return Ex04Lines(func() (int, int, int, int, int) { return random, constant, modulated, mixed, pairs })
		}
	}
	answers{
		{"right", say(4, 2, 1, 3, 0), ""},
		{"random: none", say(0, 2, 1, 3, 0), "how long are the others"},
		{"random: identity", say(1, 2, 1, 3, 0), "no routing rule in it"},
		{"random: denominator", say(2, 2, 1, 3, 0), "does not see where jobs go"},
		{"constant: none", say(4, 0, 1, 3, 0), "does not tend to 0"},
		{"constant: identity", say(4, 1, 1, 3, 0), "at each N, α and s"},
		{"constant: mean", say(4, 3, 1, 3, 0), "still have limits"},
		{"constant: numerator", say(4, 4, 1, 3, 0), "how large is sε"},
		{"modulated: none", say(4, 2, 0, 3, 0), "more jobs come"},
		{"modulated: denominator", say(4, 2, 2, 3, 0), "the product of the means"},
		{"modulated: mean", say(4, 2, 3, 3, 0), "no longer what counts"},
		{"modulated: numerator", say(4, 2, 4, 3, 0), "the product of the means"},
		{"mixed: none", say(4, 2, 1, 0, 0), "for even N, and for odd N"},
		{"mixed: identity", say(4, 2, 1, 1, 0), "at each N by itself"},
		{"mixed: denominator", say(4, 2, 1, 2, 0), "at each N its own"},
		{"mixed: numerator", say(4, 2, 1, 4, 0), "does anything converge"},
		{"pairs: identity", say(4, 2, 1, 3, 1), "no routing rule in it"},
		{"pairs: mean", say(4, 2, 1, 3, 3), "does not see where jobs go"},
		{"pairs: numerator", say(4, 2, 1, 3, 4), "Hölder"},
		{"no line", say(4, 2, 1, 5, 0), "from 1 to 4"},
		{"not done", func() error { return Ex04Lines(func() (int, int, int, int, int) { panic(Stub) }) }, "not done"},
	}.run(t)
}

func TestEx04Break(t *testing.T) {
	give := func(alpha, theta float64) func() error {
		return func() error { return Ex04Break(func() (float64, float64) { return alpha, theta }) }
	}
	answers{
		{"Halfin-Whitt", give(0.5, 1), ""},
		{"below", give(0.25, 0.1), ""},
		{"far below", give(0.01, 10), ""},
		{"theorem", give(4.5, 1), "the claim is proved"},
		{"one", give(1, 2), "the claim is proved"},
		{"ten", give(10, 1), "the claim is proved"},
		{"bound grows", give(0.75, 1), "A bound that fails is no counterexample"},
		{"slow", give(0.51, 10), "A bound that fails is no counterexample"},
		{"tiny", give(0.5, 1e-3), "hardly to be seen"},
		{"zero", give(0, 1), "want 0 < α"},
		{"negative", give(0.5, -1), "want 0 < α"},
		{"no number", give(math.NaN(), 1), "want 0 < α"},
		{"not done", func() error { return Ex04Break(func() (float64, float64) { panic(Stub) }) }, "not done"},
	}.run(t)
}

// D - 1 - m theta falls with N for alpha > 1/2, as far as the messages say so, and
// tends to its closed form for alpha = 1/2.
func TestEx04Half(t *testing.T) {
	for _, theta := range []float64{0.1, 1, 10} {
		at := func(n int, alpha float64) float64 { return ex04Denominator(n, alpha, theta) - 1 - theta/2 }
		for _, alpha := range []float64{0.51, 0.6, 0.75, 0.99} {
			if a, b := at(10_000, alpha), at(1_000_000, alpha); !(b < a) {
				t.Errorf("α = %v, θ = %v: %v and then %v", alpha, theta, a, b)
			}
		}
		want := math.Expm1(theta*(1+theta/2))/theta - 1 - theta/2
		if got := at(100_000_000, 0.5); !agrees(got, want, 1e-2) {
			t.Errorf("θ = %v: %v at α = 1/2, want %v", theta, got, want)
		}
	}
}
