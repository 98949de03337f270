package check

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Ex05Predict checks the second and third derivative of Stein's solution for h(x) = x, and the
// exponent of W1 with batch routing at alpha = 4.5, which is 2 - alpha, measured
// in notebook 05; within a quarter.
func Ex05Predict(predict func() (second, third, exponent float64)) error {
	return call(func(*rand.Rand) error {
		second, third, k := predict()
		switch {
		case near(second, 1, 1e-9):
			return fmt.Errorf("f'' = 1: the sign is wrong: try a parabola in m f'' - f' = x - m")
		case !near(second, -1, 1e-9):
			return fmt.Errorf("f'' = %.4g is not it: f' must be -x plus a constant, and f'(0) = 0", second)
		case !near(third, 0, 1e-9):
			return fmt.Errorf("f''' = %.4g: 2/m is a bound, and here f is a parabola", third)
		case math.Abs(k+2.5) <= 0.25:
			return nil
		case math.Abs(k-2.5) <= 0.25:
			return fmt.Errorf("exponent %.4g: the distance falls with N: the sign is wrong", k)
		case math.Abs(k+1.5) <= 0.25:
			return fmt.Errorf("exponent %.4g: that is the a-priori bound, which loses a power of N; asked is the distance", k)
		case math.Abs(k+4) <= 0.25:
			return fmt.Errorf("exponent %.4g: that is the bound on the remainder, which is not the largest term", k)
		case math.Abs(k+8) <= 0.25:
			return fmt.Errorf("exponent %.4g: that is the drift term, the smallest of the three", k)
		}
		return fmt.Errorf("exponent %.4g is not it: what is the order of E[UQ⁺]/E U in jobs, and what scales it?", k)
	})
}

type ex05Point struct{ m, b, x float64 }

func (p ex05Point) String() string { return fmt.Sprintf("m = %.4g, b = %.4g, x = %.4g", p.m, p.b, p.x) }

func drawEx05Point(r *rand.Rand) ex05Point {
	m := 0.2 + r.Float64()
	return ex05Point{m, m * (0.2 + 2*r.Float64()), m * 3 * r.Float64()}
}

func (p ex05Point) second() float64 { return 1 - 2*math.Exp(min(p.x-p.b, 0)/p.m) }
func (p ex05Point) mean() float64   { return p.b - p.m + 2*p.m*math.Exp(-p.b/p.m) }
func (p ex05Point) h() float64      { return math.Abs(p.x - p.b) }
func (p ex05Point) first() float64  { return p.m*p.second() - p.h() + p.mean() }

// Ex05Stein checks the first and second derivative of f for h(x) = |x - b|.
func Ex05Stein(first, second func(m, b, x float64) float64) error {
	err := function(60, drawEx05Point, "f''", func(p ex05Point) float64 { return second(p.m, p.b, p.x) }, ex05Point.second, 1e-6,
		mistake[ex05Point]{func(p ex05Point) float64 { return -p.second() }, "the integral has a minus in front"},
		mistake[ex05Point]{func(p ex05Point) float64 { return p.m * p.second() }, "the factor 1/m is missing"},
		mistake[ex05Point]{func(p ex05Point) float64 { return 1 - 2*math.Exp((p.x-p.b)/p.m) }, "beyond the kink the slope is 1 all the way"},
		mistake[ex05Point]{func(p ex05Point) float64 { return 1 - math.Exp(min(p.x-p.b, 0)/p.m) }, "beyond the kink the slope is 1, not 0"},
		mistake[ex05Point]{nil, "split the integral of h' at the kink b"})
	if err != nil {
		return err
	}
	return function(60, drawEx05Point, "f'", func(p ex05Point) float64 { return first(p.m, p.b, p.x) }, ex05Point.first, 1e-6,
		mistake[ex05Point]{func(p ex05Point) float64 { return p.m*p.second() - p.h() }, "E h(Y) is missing, so that f'(0) is not 0"},
		mistake[ex05Point]{func(p ex05Point) float64 { return -p.first() }, "the sign is wrong: solve the equation for f'"},
		mistake[ex05Point]{func(p ex05Point) float64 { return p.m*p.second() - p.h() + math.Abs(p.m-p.b) }, "E h(Y) is not h(E Y)"},
		mistake[ex05Point]{nil, "put f'' into Stein's equation; is f'(0) = 0?"})
}

type ex05Slot struct{ m, second, slope float64 }

func (s ex05Slot) String() string {
	return fmt.Sprintf("m = %.4g, f'' = %.4g, h' = %.4g", s.m, s.second, s.slope)
}

// Ex05Third checks the third derivative of f, (second + slope of h)/m.
func Ex05Third(third func(m, second, slope float64) float64) error {
	return function(60, func(r *rand.Rand) ex05Slot { return ex05Slot{0.2 + r.Float64(), 2*r.Float64() - 1, 2*r.Float64() - 1} },
		"f'''", func(s ex05Slot) float64 { return third(s.m, s.second, s.slope) }, func(s ex05Slot) float64 { return (s.second + s.slope) / s.m }, 1e-6,
		mistake[ex05Slot]{func(s ex05Slot) float64 { return (s.slope - s.second) / s.m }, "f'' changes sides, and its sign"},
		mistake[ex05Slot]{func(s ex05Slot) float64 { return s.second + s.slope }, "divide by m"},
		mistake[ex05Slot]{func(s ex05Slot) float64 { return s.slope / s.m }, "f' has a derivative, too"},
		mistake[ex05Slot]{func(s ex05Slot) float64 { return 2 / s.m }, "that is the bound; asked is the value it comes from"},
		mistake[ex05Slot]{nil, "differentiate Stein's equation; E h(Y) is a constant"})
}

type ex05Terms struct{ c, eps, m, mean, second, cube float64 }

func (t ex05Terms) String() string {
	return fmt.Sprintf("c = %.4g, ε = %.4g, m_N = %.4g, E[UQ⁺]/E U = %.4g, E[U²]/E U = %.4g, E|X|³ = %.4g", t.c, t.eps, t.m, t.mean, t.second, t.cube)
}

func drawEx05Terms(r *rand.Rand) ex05Terms {
	c, n := 0.01+0.2*r.Float64(), float64(2+r.IntN(8))
	mean := n * n * r.Float64()
	if r.IntN(2) == 0 {
		mean = 0 // as for a single server: the mean of Z is then below m_N
	}
	return ex05Terms{c, n * c, 0.3 + r.Float64(), mean, 1 + (n-1)*r.Float64(), n * (1 + r.Float64())}
}

func (t ex05Terms) rest() float64 { return t.c * t.c * t.cube / (3 * t.m * t.eps) }
func (t ex05Terms) low() float64  { return t.c * math.Abs(t.mean-t.second/2+t.eps/2) }
func (t ex05Terms) high() float64 { return t.c*(t.mean+t.second/2+t.eps/2) + t.rest() }

// Ex05Certificate checks both sides of the certificate of W1(Z, Exp(m_N)).
func Ex05Certificate(low, high func(c, eps, m, mean, second, cube float64) float64) error {
	of := func(f func(c, eps, m, mean, second, cube float64) float64) func(ex05Terms) float64 {
		return func(t ex05Terms) float64 { return f(t.c, t.eps, t.m, t.mean, t.second, t.cube) }
	}
	err := function(60, drawEx05Terms, "lower side", of(low), ex05Terms.low, 1e-6,
		mistake[ex05Terms]{func(t ex05Terms) float64 { return t.c * (t.mean - t.second/2 + t.eps/2) }, "a distance is not negative: take the absolute value"},
		mistake[ex05Terms]{func(t ex05Terms) float64 { return t.c * (t.mean + t.second/2 + t.eps/2) }, "h(x) = x gives an equality, in which the second moment has a minus"},
		mistake[ex05Terms]{func(t ex05Terms) float64 { return t.low() / t.c }, "that is in jobs: scale it"},
		mistake[ex05Terms]{nil, "take h(x) = x, whose f is -x²/2, and keep the signs of all terms"})
	if err != nil {
		return err
	}
	return function(60, drawEx05Terms, "upper side", of(high), ex05Terms.high, 1e-6,
		mistake[ex05Terms]{func(t ex05Terms) float64 { return t.c*t.eps/2 + t.rest() }, "the boundary term is missing, the largest of the three"},
		mistake[ex05Terms]{func(t ex05Terms) float64 { return t.high() - t.rest() }, "the remainder is missing: only h(x) = x has none"},
		mistake[ex05Terms]{func(t ex05Terms) float64 { return t.high() - t.c*t.eps/2 }, "the drift term is missing"},
		mistake[ex05Terms]{func(t ex05Terms) float64 { return t.high() - t.c*t.second }, "in a bound the sizes of the terms add up: no minus"},
		mistake[ex05Terms]{func(t ex05Terms) float64 { return t.high() - t.rest()/2 }, "f''' may be as large as 2/m, not 1/m"},
		mistake[ex05Terms]{nil, "add the bounds of drift, boundary and remainder, each divided by cε"})
}

// Ex05Break checks h(x) = slope max(x - kink, 0) and m = 1/2: its slope is at most
// 1 in the mean of Exp(m), yet the second derivative, at most |slope|, exceeds 2.
func Ex05Break(counterexample func() (kink, slope float64)) error {
	return call(func(*rand.Rand) error {
		kink, slope := counterexample()
		if !(kink >= 0 && kink <= 20) || math.IsNaN(slope) || math.IsInf(slope, 0) {
			return fmt.Errorf("kink = %.4g, slope = %.4g: want a kink from 0 to 20 and a finite slope", kink, slope)
		}
		if mean := math.Abs(slope) * math.Exp(-2*kink); mean > 1+1e-9 {
			return fmt.Errorf("E|h'(Y)| = %.4g: the claim asks for 1 at most: move the kink to where Y is rarely, or lower the slope", mean)
		}
		if math.Abs(slope) <= 1 {
			return fmt.Errorf("the largest |f''| is %.4g: this h is 1-Lipschitz, and for those the bound is a theorem", math.Abs(slope))
		}
		if math.Abs(slope) <= 2 {
			return fmt.Errorf("the largest |f''| is %.4g: want more than 2: be bolder with the slope, and move the kink", math.Abs(slope))
		}
		return nil
	})
}
