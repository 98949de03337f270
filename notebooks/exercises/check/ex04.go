package check

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"jsqlab/jsqlib"
)

// Ex04Predict checks three predictions: the limit of E e^(-2 Z) for arrivals of
// variance 1/2 and services of variance 1 per source and server, 1/(1 + 2m) with m =
// 3/4, within 2 %; and, for the reference system at alpha = 5, the powers of N of
// the error of the transform, 2 - alpha (measured in notebook 04), and of either
// side of the identity, 1 - 2 alpha, within a quarter.
func Ex04Predict(predict func() (limit, errorPower, sidesPower float64)) error {
	return call(func(*rand.Rand) error {
		limit, errorPower, sidesPower := predict()
		return errors.Join(
			ex04Value("limit", limit, 0.4, 0.02*0.4, []string{"2/5", "1/(1 + 2*3/4)", "1/(1 + 3/2)", "2/(2 + 3)"}, "what is the transform of Exp(m), and what is m for these two variances?",
				ex04Guess{0.25, "the two variances add up, but what is the mean of a reflected walk with drift -ε and variance v? There is a 2 in it"},
				ex04Guess{0.5, "that is for variances of 1/2 each, or with the services alone: here the services are more variable than in the reference system"},
				ex04Guess{2. / 3, "that is with the arrivals alone: services are random, too"},
				ex04Guess{1 / (1 + 2*(math.Sqrt(0.5)+1)/2), "those are standard deviations: it is variances that add up"},
				ex04Guess{1 / (1 + 2/0.75), "m is the mean, not the rate"},
				ex04Guess{math.Exp(-1.5), "that is the transform of a constant: Z stays random in the limit"},
				ex04Guess{0, "Z has been scaled: it does not run away to infinity"},
				ex04Guess{1, "Z does not vanish in the limit"}),
			ex04Value("errorPower", errorPower, -3, 0.25, nil, "the error is s = θN^(-α) times the work in the hall when a service is lost: which power of N is that, with whole batches?",
				ex04Guess{3, "the error falls with N: what sign has the power?"},
				ex04Guess{-2, "that is what the a-priori bound is good for, N^(3-α); it loses a power of N. Asked is the error itself"},
				ex04Guess{-1, "the relative size of the error term of the paper is a bound. Asked is the error itself"},
				ex04Guess{-4, "so it is when each job is routed by itself: then the hall holds about N jobs when a service is lost"},
				ex04Guess{-5, "that is one job: how many jobs are in the hall when a service is lost?"},
				ex04Guess{-4.5, "that is the bound on the rest of the denominator, which is not the largest term"},
				ex04Guess{-9, "that is what the denominator has beyond 1 + mθ, which is not the largest term"}),
			ex04Value("sidesPower", sidesPower, -9, 0.25, nil, "E e^(-θZ) is of the order 1; and 1 - E e^(-sX), with s = θN^(-α) and E X = -N^(1-α)?",
				ex04Guess{9, "both sides vanish: what sign has the power?"},
				ex04Guess{-4, "that is ε = N^(1-α), the mean of X alone: it is multiplied by s"},
				ex04Guess{-5, "that is s alone: it is multiplied by the mean of X"},
				ex04Guess{-10, "s times the gap of one server: there are N of them"},
				ex04Guess{0, "that is the transform; it is multiplied by a number that vanishes"},
				ex04Guess{-3, "that is the error of the transform; asked are the sides before anything is divided"}),
		)
	})
}

// ex04Guess is a predicted number and the mistake that leads to it.
type ex04Guess struct {
	gives float64
	says  string
}

// ex04Value compares a predicted number with what is wanted, which may be spelled so.
func ex04Value(name string, got, want, tol float64, spelled []string, otherwise string, guesses ...ex04Guess) error {
	if math.Abs(got-want) <= tol {
		return nil
	}
	for _, g := range guesses {
		if math.Abs(got-g.gives) <= tol {
			return fmt.Errorf("%s = %.4g: %s", name, got, both(g.says, divided(got, spelled...)))
		}
	}
	side := "too large"
	switch {
	case math.IsNaN(got) || math.IsInf(got, 0):
		side = "no number"
	case got < want:
		side = "too small"
	}
	return fmt.Errorf("%s = %.4g is %s: %s", name, got, side, otherwise)
}

// ex04Slot is what is left and lost in a slot, and s = theta N^(-alpha).
type ex04Slot struct {
	after, unused []int64
	s             float64
}

func (x ex04Slot) String() string {
	return fmt.Sprintf("q⁺ = %v, u = %v, s = %.3g", x.after, x.unused, x.s)
}

// drawEx04Slot draws slots with lost service, most of them with jobs left over.
func drawEx04Slot(r *rand.Rand) ex04Slot {
	for {
		x := drawEx02Slot(r)
		if jsqlib.Total(x.unused) > 0 {
			return ex04Slot{x.after, x.unused, 0.05 + 0.6*r.Float64()}
		}
	}
}

func (x ex04Slot) jobs() float64 { return float64(jsqlib.Total(x.after)) }
func (x ex04Slot) lost() float64 { return float64(jsqlib.Total(x.unused)) }

// left is 1 - e^(-sQ^+), gain is e^(sU) - 1.
func (x ex04Slot) left() float64 { return -math.Expm1(-x.s * x.jobs()) }
func (x ex04Slot) gain() float64 { return math.Expm1(x.s * x.lost()) }

// Ex04Rest checks the remainder of e^(-sQ^+) (1 - e^(sU)) = (1 - e^(sU)) + rest on
// random slots: rest = (1 - e^(-sQ^+)) (e^(sU) - 1).
func Ex04Rest(rest func(after, unused []int64, s float64) float64) error {
	type step = mistake[ex04Slot]
	right := func(x ex04Slot) float64 { return x.left() * x.gain() }
	return function(300, drawEx04Slot, "rest",
		func(x ex04Slot) float64 { return rest(slices.Clone(x.after), slices.Clone(x.unused), x.s) },
		right, 1e-6,
		slips("q u", func(x ex04Slot) map[string]float64 {
			return map[string]float64{"q": x.jobs(), "u": x.lost(), "s": x.s}
		}, "(1 - exp(-s*q))*(exp(s*u) - 1)", "exp(-s*q)*(1 - exp(s*u)) - (1 - exp(s*u))"),
		looped(right, places, func(x ex04Slot, f func([]int64) []int64) ex04Slot {
			x.after, x.unused = f(x.after), f(x.unused)
			return x
		}),
		looped(right, places, func(x ex04Slot, f func([]int64) []int64) ex04Slot { x.unused = f(x.unused); return x }),
		looped(right, places, func(x ex04Slot, f func([]int64) []int64) ex04Slot { x.after = f(x.after); return x }),
		step{func(ex04Slot) float64 { return 0 }, "q_i⁺u_i = 0 for each server does not make Q⁺U zero: one server may lose service while another one has jobs"},
		step{func(x ex04Slot) float64 { return -x.left() * x.gain() }, "the factor e^(-sQ⁺) makes a negative number smaller in size"},
		step{func(x ex04Slot) float64 { return -(1 - x.left()) * x.gain() }, "that is the whole left side: take 1 - e^(sU) off"},
		step{func(x ex04Slot) float64 { return (1 - x.left()) * x.gain() }, "e^(-sQ⁺) in place of 1 - e^(-sQ⁺): the rest must vanish when no jobs are left"},
		step{func(x ex04Slot) float64 { return x.s * x.s * x.jobs() * x.lost() }, "that is its leading order for small s; here the equality is exact"},
		step{func(x ex04Slot) float64 { return x.s * x.jobs() * x.gain() }, "1 - e^(-sQ⁺) has been replaced by sQ⁺, which is larger; here the equality is exact"},
		step{func(x ex04Slot) float64 { return x.s * x.lost() * x.left() }, "e^(sU) - 1 has been replaced by sU, which is smaller; here the equality is exact"},
		step{func(x ex04Slot) float64 { return x.left() * -math.Expm1(-x.s*x.lost()) }, "u pulls the other way: e^(sU) has a plus in its exponent"},
		step{func(x ex04Slot) float64 {
			return -math.Expm1(-x.s*x.jobs()/float64(len(x.after))) * x.gain()
		}, "Q⁺ is the sum of the queues, not their average"},
		step{func(x ex04Slot) float64 {
			sum := 0.0
			for _, u := range x.unused {
				sum += math.Expm1(x.s * float64(u))
			}
			return x.left() * sum
		}, "the exponential of a sum is no sum of exponentials"},
		step{func(x ex04Slot) float64 {
			sum := 0.0
			for _, u := range x.unused {
				sum -= math.Expm1(x.s * float64(u))
			}
			return sum + x.gain()
		}, "the left side has the totals in it; a sum over servers of their own terms is something else"},
		step{says: "write e^(-sQ⁺) = 1 - (1 - e^(-sQ⁺)) and multiply out"},
	)
}

// ex04Law is the law of one slot without queues: N sources and servers, s = theta gap.
type ex04Law struct {
	n                 int
	arrivals, service jsqlib.PMF
	gap, s            float64
}

func (l ex04Law) String() string {
	return fmt.Sprintf("N = %d, arrivals %.4v, service %.4v, s = %.3g (E s_i - E a_j = %.3g)", l.n, []float64(l.arrivals), []float64(l.service), l.s, l.gap)
}

// drawEx04Law draws a gap from 10^low to 10^high, and laws of a source and of a server
// whose means differ by it. All probabilities are multiples of 2^-45: they add up to 1
// without rounding, so that the number asked for is that of the laws as they are given.
func drawEx04Law(low, high float64) func(r *rand.Rand) ex04Law {
	return func(r *rand.Rand) ex04Law {
		service := make(jsqlib.PMF, 4+r.IntN(2))
		for range 64 {
			service[r.IntN(4)] += 1. / 64 // the last may have none
		}
		arrivals := append(slices.Clone(service), 0, 0)
		for range 64 { // moves that keep the mean: two apart, or two together
			k, d := 1+r.IntN(len(service)-1), float64(1-2*r.IntN(2))/128
			if arrivals[k-1]+d >= 0 && arrivals[k]-2*d >= 0 && arrivals[k+1]+d >= 0 {
				arrivals[k-1], arrivals[k], arrivals[k+1] = arrivals[k-1]+d, arrivals[k]-2*d, arrivals[k+1]+d
			}
		}
		gap := math.Ldexp(math.Round(math.Ldexp(math.Pow(10, low+(high-low)*r.Float64()), 45)), -45)
		for left := gap; left > 0; { // one job less
			k := 1 + r.IntN(len(arrivals)-1)
			d := min(arrivals[k], left)
			arrivals[k-1], arrivals[k], left = arrivals[k-1]+d, arrivals[k]-d, left-d
		}
		return ex04Law{3 + r.IntN(14), arrivals, service, gap, gap * (0.5 + 3*r.Float64())}
	}
}

// excess is E e^(-sY) - 1 for one server's Y = a_j - s_j. Its mean -gap is taken out
// first, and what is left is a sum of positive terms, so that nothing cancels.
func (l ex04Law) excess(s float64) float64 {
	sum := s * l.gap
	for a, p := range l.arrivals {
		for b, q := range l.service {
			sum += p * q * ex04Beyond(-s*float64(a-b))
		}
	}
	return sum
}

// ex04Beyond is e^x - 1 - x.
func ex04Beyond(x float64) float64 {
	if math.Abs(x) > 0.5 {
		return math.Expm1(x) - x
	}
	sum, term := 0.0, x
	for k := 2.0; k < 20; k++ {
		term *= x / k
		sum += term
	}
	return sum
}

// power is E e^(-sX) - 1, X the sum of N independent copies of Y.
func (l ex04Law) power() float64 {
	return math.Expm1(float64(l.n) * math.Log1p(l.excess(l.s)))
}

func (l ex04Law) eps() float64 { return float64(l.n) * l.gap }
func (l ex04Law) v() float64 {
	return float64(l.n) * (l.arrivals.Variance() + l.service.Variance())
}

// Ex04Vanish checks 1 - E e^(-sX), X = a - sum s_i, also where the gap is 1e-8.
func Ex04Vanish(vanish func(arrivals, service []float64, n int, s float64) float64) error {
	of := func(l ex04Law) float64 { return vanish(slices.Clone(l.arrivals), slices.Clone(l.service), l.n, l.s) }
	right := func(l ex04Law) float64 { return -l.power() }
	mean := func(p jsqlib.PMF, s float64) (sum float64) { // E e^(-s a)
		for k, p := range p {
			sum += p * math.Exp(-s*float64(k))
		}
		return sum
	}
	type wrong = mistake[ex04Law]
	naive := func(l ex04Law) float64 { // as the sum over both laws, which may have lost an entry
		w := 0.0
		for a, p := range l.arrivals {
			for b, q := range l.service {
				w += p * q * math.Expm1(-l.s*float64(a-b))
			}
		}
		return -math.Expm1(float64(l.n) * math.Log1p(w))
	}
	power := func(l ex04Law) float64 { // the same, with E e^(-sX) as a power
		return 1 - math.Pow(mean(l.arrivals, l.s)*mean(l.service, -l.s), float64(l.n))
	}
	none := func(int) float64 { return 0 }
	sources := func(l ex04Law, f func([]float64) []float64) ex04Law { l.arrivals = f(l.arrivals); return l }
	servers := func(l ex04Law, f func([]float64) []float64) ex04Law { l.service = f(l.service); return l }
	each := func(l ex04Law, f func([]float64) []float64) ex04Law { return servers(sources(l, f), f) }
	err := function(60, drawEx04Law(-2, -1), "1 - E e^(-sX)", of, right, 1e-6,
		slips("n", func(l ex04Law) map[string]float64 {
			return map[string]float64{"n": float64(l.n), "w": l.excess(l.s)}
		}, "1 - pow(1 + w, n)", "-expm1(n*log1p(w))", "1 - exp(n*log(1 + w))"),
		looped(naive, none, each), looped(naive, none, sources), looped(naive, none, servers),
		looped(power, none, each), looped(power, none, sources), looped(power, none, servers),
		wrong{func(l ex04Law) float64 { // E s_i = 1 for granted
			l.gap = 1 - l.arrivals.Mean()
			return -l.power()
		}, "the mean service need not be 1 here: take it from the law that is given"},
		wrong{func(l ex04Law) float64 { return l.power() }, "the mean of X is negative, so E e^(-sX) is above 1"},
		wrong{func(l ex04Law) float64 { return 1 + l.power() }, "that is E e^(-sX): take it from 1"},
		wrong{func(l ex04Law) float64 { return -math.Expm1(float64(l.n) * math.Log1p(l.excess(-l.s))) }, "that is 1 - E e^(sX): arrivals count with a minus in the exponent, services with a plus"},
		wrong{func(l ex04Law) float64 { return -l.excess(l.s) }, "that is for one source and one server: there are N of each"},
		wrong{func(l ex04Law) float64 { return -float64(l.n) * l.excess(l.s) }, "transforms of independent variables multiply: N times the number of one server is the first order only"},
		wrong{func(l ex04Law) float64 { return 1 - math.Pow(mean(l.arrivals, l.s), float64(l.n)) }, "those are the arrivals alone: X = a - Σs_i"},
		wrong{func(l ex04Law) float64 { return 1 - math.Pow(mean(l.service, -l.s), float64(l.n)) }, "those are the services alone: X = a - Σs_i"},
		wrong{func(l ex04Law) float64 {
			return 1 - math.Pow(mean(l.arrivals, l.s)*mean(l.service, l.s), float64(l.n))
		}, "services leave: X = a - Σs_i, with a minus"},
		wrong{func(l ex04Law) float64 {
			return 1 - mean(l.arrivals, l.s)*math.Pow(mean(l.service, -l.s), float64(l.n))
		}, "the law of the arrivals is that of one source: there are N sources, too"},
		wrong{func(l ex04Law) float64 { return -l.s * l.eps() }, "that is the first term of the expansion: s is of the order of the gap, so that the second term is as large"},
		wrong{func(l ex04Law) float64 { return -math.Expm1(l.s * l.eps()) }, "that is 1 - e^(-s E X): the mean of an exponential is not the exponential of the mean"},
		wrong{func(l ex04Law) float64 { return -l.s*l.eps() - l.s*l.s*(l.v()+l.eps()*l.eps())/2 }, "those are two terms of the expansion: the number itself is asked for"},
		wrong{func(l ex04Law) float64 { return -l.s*l.eps() - l.s*l.s*l.v()/2 }, "those are two terms of the expansion, and the second one without ε²: the number itself is asked for"},
		wrong{says: "E e^(-sX) is the N-th power of E e^(-s a_j) E e^(s s_j)"},
	)
	if err != nil {
		return err
	}
	square := func(f func(ex04Law) float64) func(ex04Law) float64 { // of the order 1
		return func(l ex04Law) float64 { return f(l) / (l.s * l.s) }
	}
	return function(60, drawEx04Law(-8, -6), "(1 - E e^(-sX))/s²", square(of), square(right), 1e-6,
		wrong{func(l ex04Law) float64 { return 0 }, "E e^(-sX) is so near 1 that it is rounded to 1: never form it"},
		wrong{says: "right where the number is large, but here it is below the last digit of 1. If 1 is added and taken off again on the way, or stands for a sum of probabilities, its digits are lost: sum up math.Expm1, and take the power with math.Log1p and math.Expm1"},
	)
}

type ex04Moments struct {
	n           int
	c, v, theta float64
}

func (x ex04Moments) String() string {
	return fmt.Sprintf("N = %d, c = %.4g, ε = %.4g, v = %.4g, θ = %.4g", x.n, x.c, x.eps(), x.v, x.theta)
}

func drawEx04Moments(r *rand.Rand) ex04Moments {
	n := 2 + r.IntN(8)
	return ex04Moments{n, 0.03 + 0.3*r.Float64(), float64(n) * (0.3 + r.Float64()), 0.3 + 3*r.Float64()}
}

func (x ex04Moments) eps() float64   { return float64(x.n) * x.c }
func (x ex04Moments) mean() float64  { return x.theta * x.v / (2 * float64(x.n)) } // m_N theta
func (x ex04Moments) drift() float64 { return x.theta * x.c * x.eps() / 2 }        // s eps/2
func (x ex04Moments) values() map[string]float64 {
	return map[string]float64{"n": float64(x.n), "c": x.c, "eps": x.eps(), "v": x.v, "theta": x.theta}
}
func (x ex04Moments) second() float64 { return (x.v + x.eps()*x.eps()) / 2 }

// Ex04Denominator checks E e^(-sX) = 1 + first s + second s^2 + ..., with first = eps
// and second = (v + eps^2)/2, and what it makes of the denominator, 1 + m_N theta +
// s eps/2, with s = theta c, eps = N c, m_N = v/(2N).
func Ex04Denominator(coefficients func(eps, v float64) (first, second float64), denominator func(n int, c, v, theta float64) float64) error {
	type m = mistake[ex04Moments]
	firstOf := func(x ex04Moments) float64 { first, _ := coefficients(x.eps(), x.v); return first }
	secondOf := func(x ex04Moments) float64 { _, second := coefficients(x.eps(), x.v); return second }
	if err := function(60, drawEx04Moments, "first", firstOf, ex04Moments.eps, 1e-6,
		m{func(x ex04Moments) float64 { return -x.eps() }, "E X = -ε, and the exponent is -sX"},
		m{func(x ex04Moments) float64 { return x.v / 2 }, "the variance belongs to s²"},
		m{nil, "the coefficient of s is the mean of -X"},
	); err != nil {
		return err
	}
	if err := function(60, drawEx04Moments, "second", secondOf, ex04Moments.second, 1e-6,
		slips("", ex04Moments.values, "(v + sq(eps))/2", "v/2 + sq(eps)/2"),
		m{func(x ex04Moments) float64 { return x.v / 2 }, "v is a variance, but the expansion has the second moment in it: X is not centred"},
		m{func(x ex04Moments) float64 { return (x.v - x.eps()*x.eps()) / 2 }, "E X² is larger than the variance, not smaller"},
		m{func(x ex04Moments) float64 { return 2 * x.second() }, "that is E X²: the exponential series has a factorial"},
		m{func(x ex04Moments) float64 { return -x.second() }, "the square of -sX has a plus"},
		m{func(x ex04Moments) float64 { return x.v }, "that is the variance: where is the factorial, and is X centred?"},
		m{func(x ex04Moments) float64 { return x.v/2 + x.eps()*x.eps() }, "the half is for both parts of E X²"},
		m{func(x ex04Moments) float64 { return (x.v + x.eps()) / 2 }, "E X² = Var X + (E X)²: the mean is squared"},
		m{func(x ex04Moments) float64 { return (math.Sqrt(x.v) + x.eps()*x.eps()) / 2 }, "v is the variance, it has no root"},
		m{nil, "the coefficient of s² is E X²/2"},
	); err != nil {
		return err
	}
	return function(60, drawEx04Moments, "𝒟 without the rest",
		func(x ex04Moments) float64 { return denominator(x.n, x.c, x.v, x.theta) },
		func(x ex04Moments) float64 { return 1 + x.mean() + x.drift() }, 1e-6,
		slips("n", ex04Moments.values, "1 + theta*v/(2*n) + theta*c*eps/2", "1 + theta*c*(v + eps*eps)/(2*eps)", "1 + theta*v/n/2 + n*theta*c*c/2"),
		m{func(x ex04Moments) float64 { return 1 + x.mean() }, "that is the limit: at finite N, E X² = v + ε² leaves a third term"},
		m{func(x ex04Moments) float64 { return 1 + x.drift() }, "the variance is missing: it is all that stays in the limit"},
		m{func(x ex04Moments) float64 { return 1 + 2*x.mean() + 2*x.drift() }, "the half of the second order is missing"},
		m{func(x ex04Moments) float64 { return 1 + 2*x.mean() + x.drift() }, "the half in front of the variance is missing"},
		m{func(x ex04Moments) float64 { return 1 + x.mean() + 2*x.drift() }, "the half in front of ε² is missing"},
		m{func(x ex04Moments) float64 { return 1 + x.mean() - x.drift() }, "E X² = v + ε², with a plus"},
		m{func(x ex04Moments) float64 { return -(1 + x.mean() + x.drift()) }, "1 - E e^(-sX) is divided by -sε, not by sε"},
		m{func(x ex04Moments) float64 { return 1 / (1 + x.mean() + x.drift()) }, "that is the transform if the numerator is 1; asked is the denominator"},
		m{func(x ex04Moments) float64 { return 1 + (x.mean()+x.drift())/x.c }, "s = θc: the scaling is missing"},
		m{func(x ex04Moments) float64 { return 1 + x.mean()*float64(x.n) + x.drift() }, "v is the variance of the whole slot, of the order N: it is divided by ε = Nc"},
		m{func(x ex04Moments) float64 { return 1 + x.mean()*float64(x.n) + x.drift()*float64(x.n) }, "X is that of the whole slot: divide by sε with ε = Nc, not by sc"},
		m{func(x ex04Moments) float64 { return 1 + x.mean() + x.drift()/x.c }, "s = θc: the scaling is missing in the third term"},
		m{func(x ex04Moments) float64 { return (1 + x.mean() + x.drift()) * x.theta * x.c * x.eps() }, "divide by sε: 0 = 0 says nothing"},
		m{func(x ex04Moments) float64 { return 1 + x.theta*x.c*x.second() }, "divide by ε, too"},
		m{nil, "divide the two terms of 1 - E e^(-sX) by -sε, and put s = θc and ε = Nc"},
	)
}

// ex04Case is a changed assumption, the line of the proof that fails first (0 for
// none), and what is said to each other line.
type ex04Case struct {
	name  string
	got   int
	line  int
	says  map[int]string
	other string
}

// Ex04Lines checks which of the four lines of the proof is the first to fail: 1 the
// identity, 2 D - 1 - m_N theta -> 0, 3 m_N -> m, 4 N -> 1; 0 for none. At alpha = 5:
//
//   - random routing: 4, as E[UQ^+]/E U is about N^(alpha+2)/2;
//   - load 1 - 1/10 and c = 1/10 for all N: 2, as D >= (e^(s eps)-1)/(s eps) and s eps
//     = theta N/100;
//   - arrivals that depend on those of the slot before: 1, X is not independent of Q;
//   - another service law for odd N: 3;
//   - the shorter of two different queues: 0, as the drift line of JSQ holds and the
//     boundary term is at most of the order N^3 log N (notebooks 02, 03 and exercise 02).
func Ex04Lines(lines func() (random, constant, modulated, mixed, pairs int)) error {
	return call(func(*rand.Rand) error {
		random, constant, modulated, mixed, pairs := lines()
		var wrong []error
		for _, c := range []ex04Case{
			{"random", random, 4, map[int]string{
				0: "every queue is then a single-server queue that gets batches of N jobs: when one of them is empty, how long are the others?",
				1: "the identity has no routing rule in it, as long as there is a steady state",
			}, "that line is about one slot without queues, and does not see where jobs go"},
			{"constant", constant, 2, map[int]string{
				0: "s = θc does not tend to 0 any more: which of the sizes of step 2 do?",
				1: "the identity holds at each N, α and s",
				3: "the variances still have limits",
				4: "it fails, too, but an earlier line has failed before: how large is sε now?",
			}, "compare the sizes of sε and of k"},
			{"modulated", modulated, 1, map[int]string{
				0: "after a slot with many jobs the queues are longer, and more jobs come: which of the three reasons for the identity uses that this is not so?",
				2: "an earlier line has failed before: when is the mean of a product the product of the means?",
				3: "the variance of one slot still has its limit, but it is no longer what counts; an earlier line has failed before",
				4: "an earlier line has failed before: when is the mean of a product the product of the means?",
			}, "look at the three reasons for the identity"},
			{"mixed", mixed, 3, map[int]string{
				0: "what is m for even N, and for odd N?",
				1: "the identity holds at each N by itself",
				2: "line 2 has m_N in it, at each N its own: it holds",
				4: "at α = 5 the boundary term is small for each of the two laws; does anything converge before that?",
			}, "compare even and odd N"},
			{"pairs", pairs, 0, map[int]string{
				1: "the identity has no routing rule in it, as long as there is a steady state",
				4: "exercise 02, at its end: the drift line of JSQ holds for two different queues as it stands. What follows for the moments of ‖q_⊥‖, and for the boundary term by Hölder's inequality?",
			}, "that line is about one slot without queues, and does not see where jobs go"},
		} {
			switch says, ok := c.says[c.got]; {
			case c.got == c.line:
			case c.got < 0 || c.got > 4:
				wrong = append(wrong, fmt.Errorf("%s = %d: want a line from 1 to 4, or 0 for none", c.name, c.got))
			case ok:
				wrong = append(wrong, fmt.Errorf("%s = %d: %s", c.name, c.got, says))
			default:
				wrong = append(wrong, fmt.Errorf("%s = %d: %s", c.name, c.got, c.other))
			}
		}
		return errors.Join(wrong...)
	})
}

// ex04Denominator is D for n reference sources and servers at s = theta n^(-alpha).
func ex04Denominator(n int, alpha, theta float64) float64 {
	gap := math.Pow(float64(n), -alpha)
	l := ex04Law{n, jsqlib.Binomial(2).Thin(gap), jsqlib.Binomial(2), gap, theta * gap}
	return l.power() / (l.s * l.eps())
}

// Ex04Break checks a counterexample to D -> 1 + m theta for the reference laws at all
// alpha > 0. Derived: log E e^(-sX) = s eps (1 + m_N theta) + O(N s^3), so with y = s
// eps (1 + m theta) and s eps = theta N^(1-2alpha), D is near (1 + m theta) (e^y-1)/y: it
// tends to 1 + m theta for alpha > 1/2, to (e^(theta(1+m theta)) - 1)/theta for alpha =
// 1/2, and to infinity below.
func Ex04Break(counterexample func() (alpha, theta float64)) error {
	return call(func(*rand.Rand) error {
		alpha, theta := counterexample()
		if alpha == 0 || theta == 0 {
			return fmt.Errorf("α = %v, θ = %v: want 0 < α <= 10 and 0 < θ <= 10: %s", alpha, theta, slipDivision)
		}
		if !(alpha > 0 && alpha <= 10) || !(theta > 0 && theta <= 10) {
			return fmt.Errorf("α = %v, θ = %v: want 0 < α <= 10 and 0 < θ <= 10", alpha, theta)
		}
		const small, large = 10_000, 1_000_000
		gap := func(n int) float64 { return ex04Denominator(n, alpha, theta) - 1 - theta/2 }
		seen := fmt.Sprintf("α = %v, θ = %v: 𝒟 - 1 - mθ is %.3g at %d servers and %.3g at %d", alpha, theta, gap(small), small, gap(large), large)
		switch {
		case alpha >= 1:
			return fmt.Errorf("%s: there the bound on the rest vanishes, so that the claim is proved", seen)
		case alpha > 0.5:
			return fmt.Errorf("%s. The bound of the proof says nothing here, as k = θS_maxN^(1-α) grows; but the truth still falls with N, if slowly. A bound that fails is no counterexample: what is the size of sε?", seen)
		case gap(large) < 0.01*(1+theta/2):
			return fmt.Errorf("%s: true, but hardly to be seen: take a larger θ", seen)
		}
		return nil
	})
}
