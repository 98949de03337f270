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
		case agrees(second, 1, 1e-9):
			return fmt.Errorf("f'' = 1: the sign is wrong: try a parabola in m f'' - f' = x - m")
		case !agrees(second, -1, 1e-9):
			return fmt.Errorf("f'' = %.4g is not it: f' must be -x plus a constant, and f'(0) = 0", second)
		case !agrees(third, 0, 1e-9):
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
		if hint := divided(k, "-5/2", "2 - 9/2"); hint != "" {
			return fmt.Errorf("exponent %.4g is not it: %s", k, hint)
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

func (p ex05Point) values() map[string]float64 {
	return map[string]float64{"m": p.m, "b": p.b, "x": p.x, "second": p.second()}
}
func (p ex05Point) second() float64 { return 1 - 2*math.Exp(min(p.x-p.b, 0)/p.m) }
func (p ex05Point) mean() float64   { return p.b - p.m + 2*p.m*math.Exp(-p.b/p.m) }
func (p ex05Point) h() float64      { return math.Abs(p.x - p.b) }
func (p ex05Point) first() float64  { return p.m*p.second() - p.h() + p.mean() }

// Ex05Stein checks the first and second derivative of f for h(x) = |x - b|.
func Ex05Stein(first, second func(m, b, x float64) float64) error {
	err := function(60, drawEx05Point, "f''", func(p ex05Point) float64 { return second(p.m, p.b, p.x) }, ex05Point.second, 1e-6,
		slips("", ex05Point.values, "1 - 2*exp(min(x - b, 0)/m)", "1 - 2*exp(min((x - b)/m, 0))", "iff(x < b, 1 - 2*exp((x - b)/m), -1)", "iff(x < b, 1 - 2*exp(-(b - x)/m), -1)"),
		mistake[ex05Point]{func(p ex05Point) float64 { return -p.second() }, "the integral has a minus in front"},
		mistake[ex05Point]{func(p ex05Point) float64 { return p.m * p.second() }, "the factor 1/m is missing"},
		mistake[ex05Point]{func(p ex05Point) float64 { return 1 - 2*math.Exp((p.x-p.b)/p.m) }, "beyond the kink the slope is 1 all the way"},
		mistake[ex05Point]{func(p ex05Point) float64 { return 1 - math.Exp(min(p.x-p.b, 0)/p.m) }, "beyond the kink the slope is 1, not 0"},
		mistake[ex05Point]{nil, "split the integral of h' at the kink b"})
	if err != nil {
		return err
	}
	return function(60, drawEx05Point, "f'", func(p ex05Point) float64 { return first(p.m, p.b, p.x) }, ex05Point.first, 1e-6,
		slips("", ex05Point.values, "m*second - abs(x - b) + b - m + 2*m*exp(-b/m)", "m*second - abs(x - b) + (b - m + 2*m*exp(-b/m))", "m*(1 - 2*exp(min(x - b, 0)/m)) - abs(x - b) + b - m + 2*m*exp(-b/m)", "m*second - (abs(x - b) - (b - m + 2*m*exp(-b/m)))"),
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
		slips("", func(s ex05Slot) map[string]float64 {
			return map[string]float64{"m": s.m, "second": s.second, "slope": s.slope}
		}, "(second + slope)/m", "1/m*(second + slope)"),
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

func (t ex05Terms) values() map[string]float64 {
	return map[string]float64{"c": t.c, "eps": t.eps, "m": t.m, "mean": t.mean, "second": t.second, "cube": t.cube}
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
		slips("", ex05Terms.values, "c*abs(mean - second/2 + eps/2)", "c*abs(mean - (second - eps)/2)", "c*abs(2*mean - second + eps)/2", "abs(c*mean - c*second/2 + c*eps/2)"),
		mistake[ex05Terms]{func(t ex05Terms) float64 { return t.c * (t.mean - t.second/2 + t.eps/2) }, "a distance is not negative: take the absolute value"},
		mistake[ex05Terms]{func(t ex05Terms) float64 { return t.c * (t.mean + t.second/2 + t.eps/2) }, "h(x) = x gives an equality, in which the second moment has a minus"},
		mistake[ex05Terms]{func(t ex05Terms) float64 { return t.low() / t.c }, "that is in jobs: scale it"},
		mistake[ex05Terms]{func(t ex05Terms) float64 { return t.c * math.Abs(t.mean-t.second/2-t.eps/2) }, "f'' = -1, so that the drift term is positive, as is the boundary term of a large E[UQ⁺]/E U"},
		mistake[ex05Terms]{func(t ex05Terms) float64 { return t.c * math.Abs(t.mean-t.second/2) }, "the drift term is missing: it is small, not zero"},
		mistake[ex05Terms]{func(t ex05Terms) float64 { return t.c * math.Abs(t.mean-t.second/2+t.eps/2+0.5) }, "c (Q̃ - ½), not c Q̃: the difference of two squares"},
		mistake[ex05Terms]{nil, "take h(x) = x, whose f is -x²/2, and keep the signs of all terms"})
	if err != nil {
		return err
	}
	return function(60, drawEx05Terms, "upper side", of(high), ex05Terms.high, 1e-6,
		slips("", ex05Terms.values, "c*(mean + second/2 + eps/2) + c*c*cube/(3*m*eps)", "c*(mean + (second + eps)/2) + c*c*cube/(3*m*eps)", "c*eps/2 + c*(mean + second/2) + 2/m*c*c*cube/(6*eps)", "c*eps/2 + c*(mean + second/2) + c*c*c/6*(2/m)*cube/(c*eps)"),
		mistake[ex05Terms]{func(t ex05Terms) float64 { return t.c*t.eps/2 + t.rest() }, "the boundary term is missing, the largest of the three"},
		mistake[ex05Terms]{func(t ex05Terms) float64 { return t.high() - t.rest() }, "the remainder is missing: only h(x) = x has none"},
		mistake[ex05Terms]{func(t ex05Terms) float64 { return t.high() - t.c*t.eps/2 }, "the drift term is missing"},
		mistake[ex05Terms]{func(t ex05Terms) float64 { return t.high() - t.c*t.second }, "in a bound the sizes of the terms add up: no minus"},
		mistake[ex05Terms]{func(t ex05Terms) float64 { return t.high() + t.c*t.second/2 }, "the mean of J + ½ is E[U²]/(2 E U)"},
		mistake[ex05Terms]{func(t ex05Terms) float64 { return t.high() - t.c*t.second/2 }, "the second moment of U is missing: Q̃ - ½ is Q⁺ less something that may be the larger of the two"},
		mistake[ex05Terms]{func(t ex05Terms) float64 { return t.high() - t.rest()/2 }, "f''' may be as large as 2/m, not 1/m"},
		mistake[ex05Terms]{nil, "add the bounds of drift, boundary and remainder, each divided by cε"})
}

// ex05Rung is what is known of a system without a measurement: boundary bounds
// E[U Q^+]/E U, and m is the limit mean.
type ex05Rung struct {
	n, sMax                          int
	c, eps, meanN, m, boundary, cube float64
}

func (x ex05Rung) String() string {
	return fmt.Sprintf("N = %d, S_max = %d, c = %.4g, ε = %.4g, m_N = %.4g, m = %.4g, H = %.4g, E|X|³ = %.4g", x.n, x.sMax, x.c, x.eps, x.meanN, x.m, x.boundary, x.cube)
}

func drawEx05Rung(r *rand.Rand) ex05Rung {
	n, c, m := 2+r.IntN(8), 0.01+0.2*r.Float64(), 0.3+r.Float64()
	size := float64(n)
	return ex05Rung{n, 2 + r.IntN(4), c, size * c, m * (0.7 + 0.6*r.Float64()), m, size * size * (0.1 + r.Float64()), size * (1 + r.Float64())}
}

// with is the bound with a bound second on E[U^2]/E U.
func (x ex05Rung) with(second float64) float64 {
	return ex05Terms{x.c, x.eps, x.meanN, x.boundary, second, x.cube}.high() + math.Abs(x.meanN-x.m)
}
func (x ex05Rung) most() float64  { return float64(x.n * x.sMax) } // of U
func (x ex05Rung) bound() float64 { return x.with(x.most()) }
func (x ex05Rung) rest() float64  { return x.c * x.c * x.cube / (3 * x.eps) }

// ex05Bound is a bound w on a distance to Exp with mean m.
type ex05Bound struct{ w, m float64 }

func (b ex05Bound) String() string { return fmt.Sprintf("w = %.4g, m = %.4g", b.w, b.m) }

// Ex05Rung checks the rung of the ladder above the certificate: with boundary >=
// E[U Q^+]/E U and U <= N S_max,
//
//	W1(Z, Exp(m)) <= c (boundary + N S_max/2 + eps/2) + c^2 E|X|^3/(3 m_N eps) + |m_N - m|,
//
// and that such a bound w tells Z from 0 when w < m = W1(0, Exp(m)).
func Ex05Rung(rung func(n, sMax int, c, eps, meanN, m, boundary, cube float64) float64, tells func(w, m float64) bool) error {
	type wrong = mistake[ex05Rung]
	shift := func(x ex05Rung) float64 { return math.Abs(x.meanN - x.m) }
	err := function(60, drawEx05Rung, "the rung",
		func(x ex05Rung) float64 { return rung(x.n, x.sMax, x.c, x.eps, x.meanN, x.m, x.boundary, x.cube) },
		ex05Rung.bound, 1e-6,
		slips("n sMax", func(x ex05Rung) map[string]float64 {
			return map[string]float64{"n": float64(x.n), "sMax": float64(x.sMax), "c": x.c, "eps": x.eps, "meanN": x.meanN, "m": x.m, "boundary": x.boundary, "cube": x.cube}
		}, "c*(boundary + n*sMax/2 + eps/2) + c*c*cube/(3*meanN*eps) + abs(meanN - m)", "c*(boundary + (n*sMax + eps)/2) + c*c*cube/(3*meanN*eps) + abs(meanN - m)"),
		wrong{func(x ex05Rung) float64 { return x.bound() - shift(x) }, "that bounds the distance to Exp(m_N): how far is it from there to Exp(m)?"},
		wrong{func(x ex05Rung) float64 { return x.bound() - shift(x) + x.meanN - x.m }, "the way from Exp(m_N) to Exp(m) is added, whichever of the two means is larger"},
		wrong{func(x ex05Rung) float64 { return x.bound() - shift(x) + x.m - x.meanN }, "the way from Exp(m_N) to Exp(m) is added, whichever of the two means is larger"},
		wrong{func(x ex05Rung) float64 { return x.bound() + x.rest()*(1/x.m-1/x.meanN) }, "Stein's equation is still that of Exp(m_N), and so is the bound on f'''"},
		wrong{func(x ex05Rung) float64 {
			return ex05Terms{x.c, x.eps, x.m, x.boundary, x.most(), x.cube}.high()
		}, "the free move brings forth m_N, not m: bound the distance to Exp(m_N), then go from there to Exp(m)"},
		wrong{func(x ex05Rung) float64 { return x.with(float64(x.sMax)) }, "S_max is the most that one server can lose, and U is the total over all N"},
		wrong{func(x ex05Rung) float64 { return x.with(x.most() * x.most()) }, "U² is at most N S_max times U: one of the factors is divided out"},
		wrong{func(x ex05Rung) float64 { return x.with(2 * x.most()) }, "of the second moment the certificate takes half"},
		wrong{func(x ex05Rung) float64 { return x.with(1) }, "E[U²]/E U is at least 1, as U is a whole number; an upper bound needs the other side"},
		wrong{func(x ex05Rung) float64 { return x.with(0) }, "the second moment of U is missing"},
		wrong{func(x ex05Rung) float64 { return x.with(-x.most()) }, "in a bound the sizes of the terms add up: no minus"},
		wrong{func(x ex05Rung) float64 { return x.bound() - x.rest()/x.meanN }, "the remainder is missing: no bound on the boundary term makes up for it"},
		wrong{func(x ex05Rung) float64 { return x.bound() - x.c*x.eps/2 }, "the drift term is missing"},
		wrong{says: "take the upper side of the certificate, put a bound in the place of each of the two boundary moments, and go on to Exp(m) by the triangle inequality"},
	)
	if err != nil {
		return err
	}
	of := func(f func(w, m float64) bool) func(ex05Bound) float64 {
		return func(b ex05Bound) float64 {
			if f(b.w, b.m) {
				return 1
			}
			return 0
		}
	}
	type claim = mistake[ex05Bound]
	return function(100, func(r *rand.Rand) ex05Bound {
		m := 0.3 + 2*r.Float64()
		return ex05Bound{m * (0.1 + 2.9*r.Float64()), m}
	}, "tells (1 is true)", of(tells), of(func(w, m float64) bool { return w < m }), 1e-9,
		claim{of(func(w, m float64) bool { return w > m }), "a smaller bound says more than a larger one"},
		claim{of(func(w, m float64) bool { return w < 1 }), "W1 has a unit: what is small depends on m"},
		claim{of(func(w, m float64) bool { return w < 2*m }), "Exp(m) against the variable that is always 0: move all the mass, how far on average?"},
		claim{of(func(w, m float64) bool { return true }), "a bound that is true may say nothing: how far is the variable that is always 0 from Exp(m)?"},
		claim{of(func(w, m float64) bool { return false }), "a bound below the distance of the variable that is always 0 rules it out"},
		claim{says: "how far is the variable that is always 0 from Exp(m)? A bound has to be below that to rule it out"},
	)
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
