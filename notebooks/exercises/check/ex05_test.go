package check

import (
	"math"
	"testing"

	"jsqlab/jsqlib/bound"
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
		{"no boundary", high(func(t ex05Terms) float64 { return t.c*t.eps/2 + t.rest() }), "boundary term is missing"},
		{"no remainder", high(func(t ex05Terms) float64 { return t.c * (t.mean + t.second/2 + t.eps/2) }), "remainder is missing"},
		{"no drift", high(func(t ex05Terms) float64 { return t.c*(t.mean+t.second/2) + t.rest() }), "drift term is missing"},
		{"minus", high(func(t ex05Terms) float64 { return t.c*(t.mean-t.second/2+t.eps/2) + t.rest() }), "no minus"},
		{"1/m", high(func(t ex05Terms) float64 { return t.c*(t.mean+t.second/2+t.eps/2) + t.rest()/2 }), "not 1/m"},
		{"not done", high(func(ex05Terms) float64 { panic(Stub) }), "not done"},
	}.run(t)
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
