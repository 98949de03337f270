package check

import (
	"math"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/bound"
	"jsqlab/jsqlib/law"
)

func TestEx05Predict(t *testing.T) {
	say := func(a, b, k float64) func() error {
		return func() error { return Ex05Predict(func() (float64, float64, float64) { return a, b, k }) }
	}
	answers{
		{"right", say(-1, 0, -2.5), ""},
		{"from a fit", say(-1, 0, -2.4), ""},
		{"sign", say(1, 0, -2.5), "the sign is wrong"},
		{"zero", say(0, 0, -2.5), "plus a constant"},
		{"bound", say(-1, 4, -2.5), "f is a parabola"},
		{"grows", say(-1, 0, 2.5), "falls with N"},
		{"a priori", say(-1, 0, -1.5), "a-priori bound"},
		{"remainder", say(-1, 0, -4), "bound on the remainder"},
		{"drift", say(-1, 0, -8), "the drift term"},
		{"guess", say(-1, 0, math.NaN()), "is not it"},
		{"not done", func() error { return Ex05Predict(func() (float64, float64, float64) { panic(Stub) }) }, "not done"},
	}.run(t)
}

func TestEx05Stein(t *testing.T) {
	type f = func(m, b, x float64) float64
	first := func(m, b, x float64) float64 { return ex05Point{m, b, x}.first() }
	second := func(m, b, x float64) float64 { return ex05Point{m, b, x}.second() }
	stein := func(m, b float64) *bound.Stein {
		s, err := bound.NewStein(m, bound.Lipschitz{Name: "distance", Breaks: []float64{b}, Slopes: []float64{-1, 1}})
		if err != nil {
			t.Error(err)
		}
		return s
	}
	pair := func(a, b f) func() error { return func() error { return Ex05Stein(a, b) } }
	answers{
		{"closed form", pair(first, second), ""},
		{"library", pair(func(m, b, x float64) float64 { return stein(m, b).Prime(x) }, func(m, b, x float64) float64 { return stein(m, b).Second(x) }), ""},
		{"sign", pair(first, func(m, b, x float64) float64 { return -second(m, b, x) }), "minus in front"},
		{"no 1/m", pair(first, func(m, b, x float64) float64 { return m * second(m, b, x) }), "1/m is missing"},
		{"one case", pair(first, func(m, b, x float64) float64 { return 1 - 2*math.Exp((x-b)/m) }), "all the way"},
		{"m for b", pair(first, func(m, b, x float64) float64 { return second(m, m, x) }), "at the kink"},
		{"slope 0", pair(first, func(m, b, x float64) float64 { return 1 - math.Exp(min(x-b, 0)/m) }), "not 0"},
		{"constant", pair(first, func(m, b, x float64) float64 { return -1 }), "at the kink"},
		{"no mean", pair(func(m, b, x float64) float64 { return m*second(m, b, x) - math.Abs(x-b) }, second), "E h(Y) is missing"},
		{"f' sign", pair(func(m, b, x float64) float64 { return -first(m, b, x) }, second), "the sign is wrong"},
		{"h of the mean", pair(func(m, b, x float64) float64 { return m*second(m, b, x) - math.Abs(x-b) + math.Abs(m-b) }, second), "not h(E Y)"},
		{"not done", pair(first, func(m, b, x float64) float64 { panic(Stub) }), "not done"},
	}.run(t)
}

func TestEx05Third(t *testing.T) {
	try := func(f func(m, second, slope float64) float64) func() error {
		return func() error { return Ex05Third(f) }
	}
	answers{
		{"right", try(func(m, s, h float64) float64 { return (s + h) / m }), ""},
		{"two parts", try(func(m, s, h float64) float64 { return s/m + h/m }), ""},
		{"sign", try(func(m, s, h float64) float64 { return (h - s) / m }), "changes sides"},
		{"no m", try(func(m, s, h float64) float64 { return h + s }), "divide by m"},
		{"f'' forgotten", try(func(m, s, h float64) float64 { return h / m }), "derivative, too"},
		{"bound", try(func(m, s, h float64) float64 { return 2 / m }), "that is the bound"},
		{"not done", try(func(m, s, h float64) float64 { panic(Stub) }), "not done"},
	}.run(t)
}

func TestEx05Certificate(t *testing.T) {
	type side = func(c, eps, m, mean, second, cube float64) float64
	of := func(f func(ex05Terms) float64) side {
		return func(c, eps, m, mean, second, cube float64) float64 {
			return f(ex05Terms{c, eps, m, mean, second, cube})
		}
	}
	low := func(f func(ex05Terms) float64) func() error {
		return func() error { return Ex05Certificate(of(f), of(ex05Terms.high)) }
	}
	high := func(f func(ex05Terms) float64) func() error {
		return func() error { return Ex05Certificate(of(ex05Terms.low), of(f)) }
	}
	answers{
		{"right", low(ex05Terms.low), ""},
		{"no absolute value", low(func(t ex05Terms) float64 { return t.c * (t.mean - t.second/2 + t.eps/2) }), "absolute value"},
		{"plus", low(func(t ex05Terms) float64 { return t.c * (t.mean + t.second/2 + t.eps/2) }), "has a minus"},
		{"jobs", low(func(t ex05Terms) float64 { return t.low() / t.c }), "in jobs"},
		{"sign of the drift", low(func(t ex05Terms) float64 { return t.c * math.Abs(t.mean-t.second/2-t.eps/2) }), "the drift term is positive"},
		{"no drift below", low(func(t ex05Terms) float64 { return t.c * math.Abs(t.mean-t.second/2) }), "small, not zero"},
		{"no ½", low(func(t ex05Terms) float64 { return t.c * math.Abs(t.mean-t.second/2+0.5+t.eps/2) }), "difference of two squares"},
		{"zero", low(func(t ex05Terms) float64 { return 0 }), "keep the signs"},
		{"second moment", high(func(t ex05Terms) float64 { return t.c*(t.mean+t.second+t.eps/2) + t.rest() }), "the mean of J"},
		{"no second moment", high(func(t ex05Terms) float64 { return t.c*(t.mean+t.eps/2) + t.rest() }), "the larger of the two"},
		{"no boundary", high(func(t ex05Terms) float64 { return t.c*t.eps/2 + t.rest() }), "boundary term is missing"},
		{"no remainder", high(func(t ex05Terms) float64 { return t.c * (t.mean + t.second/2 + t.eps/2) }), "remainder is missing"},
		{"no drift", high(func(t ex05Terms) float64 { return t.c*(t.mean+t.second/2) + t.rest() }), "drift term is missing"},
		{"minus", high(func(t ex05Terms) float64 { return t.c*(t.mean-t.second/2+t.eps/2) + t.rest() }), "no minus"},
		{"1/m", high(func(t ex05Terms) float64 { return t.c*(t.mean+t.second/2+t.eps/2) + t.rest()/2 }), "not 1/m"},
		{"not done", high(func(ex05Terms) float64 { panic(Stub) }), "not done"},
	}.run(t)
}

func TestEx05Rung(t *testing.T) {
	tells := func(w, m float64) bool { return w < m }
	of := func(f func(x ex05Rung) float64) func(n, sMax int, c, eps, meanN, m, boundary, cube float64) float64 {
		return func(n, sMax int, c, eps, meanN, m, boundary, cube float64) float64 {
			return f(ex05Rung{n, sMax, c, eps, meanN, m, boundary, cube})
		}
	}
	rung := func(f func(x ex05Rung) float64) func() error { return func() error { return Ex05Rung(of(f), tells) } }
	// terms puts the parts together by hand, from a bound on E[U^2]/E U, the mean in the remainder and what is added at the end.
	terms := func(second, mean, last func(x ex05Rung) float64) func() error {
		return rung(func(x ex05Rung) float64 {
			return x.c*(x.boundary+second(x)/2+x.eps/2) + x.c*x.c*x.cube/(3*mean(x)*x.eps) + last(x)
		})
	}
	total := func(x ex05Rung) float64 { return float64(x.n * x.sMax) }
	meanN := func(x ex05Rung) float64 { return x.meanN }
	shift := func(x ex05Rung) float64 { return max(x.meanN-x.m, x.m-x.meanN) }
	none := func(ex05Rung) float64 { return 0 }
	right := terms(total, meanN, shift)
	say := func(tells func(w, m float64) bool) func() error {
		return func() error { return Ex05Rung(of(ex05Rung.bound), tells) }
	}
	answers{
		{"by hand", right, ""},
		{"not larger", say(func(w, m float64) bool { return w <= m }), ""},
		{"relative", say(func(w, m float64) bool { return w/m < 1 }), ""},
		{"Exp(m_N)", terms(total, meanN, none), "how far is it from there"},
		{"signed", terms(total, meanN, func(x ex05Rung) float64 { return x.m - x.meanN }), "whichever of the two"},
		{"signed, other way", terms(total, meanN, func(x ex05Rung) float64 { return x.meanN - x.m }), "whichever of the two"},
		{"m in the remainder", terms(total, func(x ex05Rung) float64 { return x.m }, shift), "still that of Exp(m_N)"},
		{"m only", terms(total, func(x ex05Rung) float64 { return x.m }, none), "brings forth m_N"},
		{"one server", terms(func(x ex05Rung) float64 { return float64(x.sMax) }, meanN, shift), "the total over all N"},
		{"squared", terms(func(x ex05Rung) float64 { return total(x) * total(x) }, meanN, shift), "divided out"},
		{"not halved", terms(func(x ex05Rung) float64 { return 2 * total(x) }, meanN, shift), "takes half"},
		{"least", terms(func(ex05Rung) float64 { return 1 }, meanN, shift), "the other side"},
		{"no second moment", terms(none, meanN, shift), "second moment of U is missing"},
		{"minus", terms(func(x ex05Rung) float64 { return -total(x) }, meanN, shift), "no minus"},
		{"no remainder", rung(func(x ex05Rung) float64 { return x.c*(x.boundary+total(x)/2+x.eps/2) + shift(x) }), "remainder is missing"},
		{"no drift", rung(func(x ex05Rung) float64 { return x.bound() - x.c*x.eps/2 }), "drift term is missing"},
		{"Hölder only", rung(func(x ex05Rung) float64 { return x.c * x.boundary }), "triangle inequality"},
		{"not done", rung(func(ex05Rung) float64 { panic(Stub) }), "not done"},

		{"reversed", say(func(w, m float64) bool { return w > m }), "a smaller bound says more"},
		{"below 1", say(func(w, m float64) bool { return w < 1 }), "has a unit"},
		{"twice the mean", say(func(w, m float64) bool { return w < 2*m }), "move all the mass"},
		{"always", say(func(w, m float64) bool { return true }), "may say nothing"},
		{"never", say(func(w, m float64) bool { return false }), "rules it out"},
		{"half the mean", say(func(w, m float64) bool { return w < m/2 }), "how far is the variable"},
		{"tells not done", say(func(w, m float64) bool { panic(Stub) }), "not done"},
	}.run(t)
}

// The rung is the bound of the library, and the point mass at 0 is at the distance m.
func TestEx05RungLibrary(t *testing.T) {
	a, err := bound.New(jsqlib.Model{Servers: 16, Alpha: 4.5})
	if err != nil {
		t.Fatal(err)
	}
	b, err := a.Paper()
	if err != nil {
		t.Fatal(err)
	}
	c := a.Constants
	k, err := law.NewKernel(c)
	if err != nil {
		t.Fatal(err)
	}
	x := ex05Rung{c.N, c.SMax, c.Gap, c.Eps, c.MeanN, c.LimitMean, b.HoelderBoundary, k.AbsThirdMoment()}
	if !agrees(x.bound(), b.LimitStein, 1e-9) {
		t.Errorf("rung %v, and the library has %v", x.bound(), b.LimitStein)
	}
	if w := ex06W1(ex06Sample{[]float64{0}, 0.7}); !agrees(w, 0.7, 1e-12) {
		t.Errorf("W1(0, Exp(0.7)) = %v", w)
	}
}

func TestEx05Break(t *testing.T) {
	give := func(kink, slope float64) func() error {
		return func() error { return Ex05Break(func() (float64, float64) { return kink, slope }) }
	}
	answers{
		{"steep and late", give(1, 5), ""},
		{"down", give(2, -20), ""},
		{"Lipschitz", give(1, 1), "1-Lipschitz"},
		{"too early", give(0, 3), "E|h'(Y)|"},
		{"not enough", give(1, 1.5), "more than 2"},
		{"no number", give(1, math.NaN()), "finite slope"},
		{"before zero", give(-1, 3), "from 0 to 20"},
		{"not done", func() error { return Ex05Break(func() (float64, float64) { panic(Stub) }) }, "not done"},
	}.run(t)
}
