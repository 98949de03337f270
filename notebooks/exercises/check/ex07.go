package check

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
)

// Ex07Predict checks four predictions from W1 ~ N^(-alpha) E Q~: the powers of N
// in E Q~ when a batch travels together (2) and when each job travels by itself (1),
// the factor of W1 with batches at alpha = 2.5 when N is quadrupled (1/2), and
// where alpha + beta > 3 begins for d = N^(1/2) (2.5).
func Ex07Predict(predict func() (batch, job, factor, proved float64)) error {
	return call(func(*rand.Rand) error {
		batch, job, factor, proved := predict()
		guess := func(name string, got, want float64, hint string, known map[float64]string, spelled ...string) error {
			if agrees(got, want, 0.02) {
				return nil
			}
			for value, says := range known {
				if agrees(got, value, 0.02) {
					return fmt.Errorf("%s = %.4g: %s", name, got, both(says, divided(got, spelled...)))
				}
			}
			if hint := divided(got, spelled...); hint != "" {
				return fmt.Errorf("%s = %.4g: %s", name, got, hint)
			}
			side := "not a number"
			switch {
			case got > want:
				side = "too large"
			case got < want:
				side = "too small"
			}
			return fmt.Errorf("%s = %.4g is %s: %s", name, got, side, hint)
		}
		return errors.Join(
			guess("batch", batch, 2, "how many queues are there, and how high are they, when the first of them runs empty?", map[float64]string{
				1: "that is the height of a queue; there are N of them",
				3: "that is the power in E‖q_⊥‖², a sum of squares; here the heights themselves are added",
				4: "that is where the theorem for this model begins, not what is seen at the boundary",
			}),
			guess("job", job, 1, "how high are the queues when an arrival can fill a gap at once?", map[float64]string{
				2: "that is as with batches: but no queue gets a whole batch now, and the gaps are filled at once",
				0: "that is the height of a queue; there are N of them",
			}),
			guess("factor", factor, 0.5, "which power of N is left in N^(-α) E Q~, and what does 4 to this power give?", map[float64]string{
				2:             "too large: at α = 2.5 the distance falls; mind the sign of the exponent",
				1.0 / 8:       "too small: that is with the power of single jobs",
				1.0 / 32:      "too small: E Q~ grows as well",
				math.Sqrt(.5): "that is what twice as many servers give",
				-0.5:          "that is the slope; what is asked for is a factor",
				8:             "too large: that is how the bound grows whose rate is 4-α, not the distance",
			}, "1/2", "pow(4, -1/2)", "pow(4, 2 - 5/2)"),
			guess("proved", proved, 2.5, "d = N^β to leading order; put your β into α + β > 3", map[float64]string{
				2: "that is for d = N, all queues",
				3: "that is for a fixed d",
				4: "that is the theorem in discrete time",
			}, "5/2", "3 - 1/2"),
		)
	})
}

// ex07Spread is a slot without randomness: n jobs in n/b batches of b.
type ex07Spread struct{ n, b int }

func (s ex07Spread) String() string { return fmt.Sprintf("N = %d, b = %d", s.n, s.b) }

func (s ex07Spread) total() float64 { return float64(s.n) * float64(s.b-1) / 2 }

func (s ex07Spread) square() float64 { return float64(s.n) * (float64(s.b*s.b) - 1) / 12 }

// Ex07Even checks the even spread: N/b queues at each height from 0 to b-1 have
// Q = N(b-1)/2 and ||q_perp||^2 = N(b^2-1)/12.
func Ex07Even(even func(n, b int) (total, square float64)) error {
	draw := func(r *rand.Rand) ex07Spread {
		b := 1 + r.IntN(12)
		return ex07Spread{max(2, b*(1+r.IntN(8))), b}
	}
	type m = mistake[ex07Spread]
	values := func(s ex07Spread) map[string]float64 { return map[string]float64{"n": float64(s.n), "b": float64(s.b)} }
	n := func(s ex07Spread) float64 { return float64(s.n) }
	b := func(s ex07Spread) float64 { return float64(s.b) }
	return errors.Join(
		function(150, draw, "total", func(s ex07Spread) float64 { q, _ := even(s.n, s.b); return q }, ex07Spread.total, 1e-9,
			m{func(s ex07Spread) float64 { return n(s) * (b(s) + 1) / 2 }, "that is between the arrivals and the service of a slot; the state is seen after the service"},
			m{func(s ex07Spread) float64 { return n(s) * b(s) / 2 }, "that is right as b grows; heights are whole numbers, and which is the highest?"},
			m{func(s ex07Spread) float64 { return n(s) * (n(s) - 1) / 2 }, "that is for one batch a slot: here a batch has b jobs"},
			m{func(s ex07Spread) float64 { return b(s) * (b(s) - 1) / 2 }, "that is one queue at each height: N/b batches a slot make N/b queues at each"},
			m{func(s ex07Spread) float64 { return (b(s) - 1) / 2 }, "that is the mean height, want the sum over all queues"},
			slips("n b", values, "n*(b - 1)/2", "n/b*b*(b - 1)/2"),
			m{nil, "a queue gets b jobs, then loses one a slot. How many queues get a batch in a slot, and at which heights are they afterwards?"}),
		function(150, draw, "square", func(s ex07Spread) float64 { _, d := even(s.n, s.b); return d }, ex07Spread.square, 1e-9,
			m{func(s ex07Spread) float64 { return n(s) * b(s) * b(s) / 12 }, "that is right as b grows: the variance of a uniform law on whole numbers is a bit smaller"},
			m{func(s ex07Spread) float64 { return n(s) * (b(s) - 1) * (2*b(s) - 1) / 6 }, "that is ‖q‖²: take the mean off each queue"},
			m{func(s ex07Spread) float64 { return s.square() / n(s) }, "that is for each queue, want the sum over all queues"},
			m{func(s ex07Spread) float64 { return s.square() * n(s) / (n(s) - 1) }, "that is N times the variance of a sample, which divides by N-1; here it is the sum of squares itself"},
			m{func(s ex07Spread) float64 { return s.square() / (n(s) - 1) }, "that is the variance of a sample; here it is the sum of squares itself"},
			slips("n b", values, "n*(sq(b) - 1)/12", "n*(b - 1)*(b + 1)/12", "(n*(b*b - 1))/12", "n*((b - 1)*(2*b - 1)/6 - sq(b - 1)/4)"),
			m{func(s ex07Spread) float64 { return math.Sqrt(s.square()) }, "that is the norm, want its square"},
			m{func(s ex07Spread) float64 { return n(s) * (n(s)*n(s) - 1) / 12 }, "that is for one batch a slot: here a batch has b jobs"},
			m{nil, "it is N times the variance of the height of a queue chosen at random"}),
	)
}

// ex07Place is a place x = Q/N > 1 and the lost capacity g = N(1 - lambda).
type ex07Place struct{ x, g float64 }

func (p ex07Place) String() string { return fmt.Sprintf("x = %.4f, g = %.4f", p.x, p.g) }

func (p ex07Place) values() map[string]float64 { return map[string]float64{"x": p.x, "g": p.g} }

func (p ex07Place) idle() float64 {
	if p.x >= 2 {
		return 0
	}
	return (2 - p.x) / (p.x - 1)
}

// log is log p(x)/p(2), the integral of idle - g from 2 to x, without g.
func (p ex07Place) log() float64 {
	if p.x >= 2 {
		return 0
	}
	return math.Log(p.x-1) + 2 - p.x
}

// Ex07Boundary checks the mean number of idle servers at 1 < x = Q/N < 2,
// (2-x)/(x-1), and the density of x relative to that at 2, exp(int_2^x (idle - g)),
// for x > 1 (Gupta and Walton 2019, with lambda = 1 - g/N).
func Ex07Boundary(idle func(x float64) float64, density func(x, g float64) float64) error {
	below := func(r *rand.Rand) ex07Place { return ex07Place{1.02 + 0.96*r.Float64(), 4 * r.Float64()} }
	above := func(r *rand.Rand) ex07Place { return ex07Place{2 + 2*r.Float64(), 4 * r.Float64()} }
	type m = mistake[ex07Place]
	err := function(40, below, "idle", func(p ex07Place) float64 { return idle(p.x) }, ex07Place.idle, 1e-6,
		slips("", ex07Place.values, "(2 - x)/(x - 1)", "(2 - x)/(1 - (2 - x))", "1/(x - 1) - 1"),
		m{func(p ex07Place) float64 { return 2 - p.x }, "that is the fraction of servers with one job, and the probability that somebody is idle; want the mean number"},
		m{func(p ex07Place) float64 { return (p.x - 1) / (2 - p.x) }, "it is a server with one job that can fall idle, not one with two: near x = 2 there is hardly any"},
		m{func(p ex07Place) float64 { return 1 / (p.x - 1) }, "that is the mean of a geometric law which begins at 1; there may be no idle server at all"},
		m{nil, "up at rate N(2-x), down at rate N while somebody is idle: a geometric law from 0 on. Which ratio, which mean?"})
	if err != nil {
		return err
	}
	at := func(p ex07Place) float64 { return density(p.x, p.g) }
	right := func(p ex07Place) float64 { return math.Exp(p.log() - p.g*(p.x-2)) }
	wrong := mistakes[ex07Place]{
		{func(p ex07Place) float64 { return math.Exp(p.log() + p.g*(p.x-2)) }, "the sign of g: the spare capacity drives the total down"},
		{func(p ex07Place) float64 { return math.Exp(-p.log() - p.g*(p.x-2)) }, "the sign of the idle servers: they drive the total up"},
		{func(p ex07Place) float64 { return math.Exp(p.log()) }, "g is missing: the drift of Q is idle - g"},
		{func(p ex07Place) float64 { return math.Exp(2 * (p.log() - p.g*(p.x-2))) }, "too steep by a square: 2·drift/variance, and the variance is 2/N, arrivals and departures"},
		{func(p ex07Place) float64 { return math.Exp((p.log() - p.g*(p.x-2)) / 2) }, "not steep enough: the exponent is 2·drift/variance, integrated"},
		{func(p ex07Place) float64 { return math.Exp(p.log() - 2 - p.g*p.x) }, "right up to a constant: divide by the value at 2"},
		{func(p ex07Place) float64 { return (p.x - 1) * math.Exp(2-p.x-p.g*(p.x-2)) }, "beyond x = 2 nobody is idle: idle = 0 there"},
		{func(p ex07Place) float64 { return p.idle() - p.g }, "that is the drift; the density is the exponential of its integral"},
		{nil, "for a diffusion with drift μ and variance σ² the density is exp(∫2μ/σ²)/σ²; integrate idle(x) - g from 2 to x"},
	}
	mixed := func(r *rand.Rand) ex07Place {
		if r.IntN(2) == 0 {
			return above(r)
		}
		return below(r)
	}
	return function(60, mixed, "density", at, right, 1e-4, wrong,
		slips("", ex07Place.values, "iff(x < 2, (x - 1)*exp((1 + g)*(2 - x)), exp(-g*(x - 2)))", "iff(x < 2, (x - 1)*exp(2 - x - g*(x - 2)), exp(-g*(x - 2)))", "iff(x < 2, exp(log(x - 1) - (1 + g)*(x - 2)), exp(-g*(x - 2)))"))
}

type ex07Gap float64

func (g ex07Gap) String() string { return fmt.Sprintf("g = %.4f", float64(g)) }

// ex07Mean is the mean of t on (0, 1) with weight t^a (1-t)^b e^(-ct),
// by the midpoint rule.
func ex07Mean(a, b, c float64) float64 {
	const n = 20000
	sum, mean := 0.0, 0.0
	for i := range n {
		t := (float64(i) + 0.5) / n
		w := math.Pow(t, a) * math.Pow(1-t, b) * math.Exp(-c*t)
		sum, mean = sum+w, mean+w*t
	}
	return mean / sum
}

// ex07Seen is 1 + the mean of t with weight (1-t) e^(-ct) on (0, 1), c = 1 + g:
// 4 - e at g = 0.
func ex07Seen(g ex07Gap) float64 {
	c := 1 + float64(g)
	return 1 + (c-2+(c+2)*math.Exp(-c))/(c*(c-1+math.Exp(-c)))
}

// drawEx07Gap draws g from 10^-3 to 20, mostly of the order 1.
func drawEx07Gap(r *rand.Rand) ex07Gap {
	switch r.IntN(4) {
	case 0:
		return ex07Gap(3 + 17*r.Float64())
	case 1:
		return ex07Gap(math.Pow(10, -1-2*r.Float64()))
	}
	return ex07Gap(0.1 + 3*r.Float64())
}

// Ex07Seen checks E Q~/N for lambda = 1 - g/N, the mean of x = Q/N with weight
// idle(x) density(x, g), to four digits, for g from 10^-3 to 20 and for g = 0.
func Ex07Seen(seen func(g float64) float64) error {
	const tol = 5e-4
	type m = mistake[ex07Gap]
	err := function(40, drawEx07Gap, "seen", func(g ex07Gap) float64 { return seen(float64(g)) }, ex07Seen, tol,
		m{func(g ex07Gap) float64 { return 1 }, slipDivision}, // x = 1 + i/n
		m{func(g ex07Gap) float64 { return ex07Seen(g - ex07Gap(float64(g)-math.Trunc(float64(g)))) }, slipInt},
		slips("", func(g ex07Gap) map[string]float64 { return map[string]float64{"c": 1 + float64(g), "g": float64(g)} },
			"1 + (c - 2 + (c + 2)*exp(-c))/(c*(c - 1 + exp(-c)))"),
		m{func(g ex07Gap) float64 { return ex07Seen(g) - 1 }, "that is the mean of x - 1: every server has at least about one job"},
		m{func(g ex07Gap) float64 { return 4 - math.E }, "that is the value at g = 0"},
		m{func(g ex07Gap) float64 { return ex07Seen(-g) }, "the sign of g: more spare capacity, less work"},
		m{func(g ex07Gap) float64 { return ex07Seen(g - 1) }, "the density has its own e^(-x), besides e^(-gx)"},
		m{func(g ex07Gap) float64 { return 1 + ex07Mean(1, 0, 1+float64(g)) }, "that is a mean over time on 1 < x < 2: unused service is lost at the rate idle(x), so weigh with it"},
		m{func(g ex07Gap) float64 {
			c := float64(g)
			in := (1 - math.Exp(-1-c)*(2+c)) / ((1 + c) * (1 + c))
			out := math.Exp(-1-c) / c
			return (in*(1+ex07Mean(1, 0, 1+c)) + out*(2+1/c)) / (in + out)
		}, "that is the mean of Q/N over time: unused service is lost at the rate idle(x), so weigh with it"},
		m{func(g ex07Gap) float64 { return 1 + ex07Mean(1, 1, 1+float64(g)) }, "idle(x) is not 2 - x: that is only the fraction with one job"},
		m{nil, "on 1 < x < 2 the weight idle(x)·density(x, g) is (2-x) times an exponential; return the mean of x, not its integral"})
	if err != nil {
		return err
	}
	return function(1, func(*rand.Rand) ex07Gap { return 0 }, "seen", func(g ex07Gap) float64 { return seen(float64(g)) }, ex07Seen, tol,
		m{nil, "right for g > 0, but g = 0 is asked for, too, and nothing special happens there: it needs no division by g"})
}

// ex07Three is a distance at N, 4N and 16N servers.
type ex07Three struct {
	n        int
	k, alpha float64
	w        [3]float64
}

func (d ex07Three) String() string {
	return fmt.Sprintf("N = %d, k = %g, α = %.3f, W1 = %.6g", d.n, d.k, d.alpha, d.w)
}

// scaled returns N^(alpha-k) W1 at the three N.
func (d ex07Three) scaled() (y [3]float64) {
	for i, w := range d.w {
		y[i] = w * math.Pow(float64(d.n)*math.Pow(4, float64(i)), d.alpha-d.k)
	}
	return y
}

func (d ex07Three) factor() float64 {
	y := d.scaled()
	return (y[0] - 6*y[1] + 8*y[2]) / 3
}

// Ex07Factor checks the factor C from W1 at N, 4N and 16N servers, when
// N^(alpha-k) W1 = C + a N^(-1/2) + c/N exactly.
func Ex07Factor(factor func(n int, k, alpha float64, w [3]float64) float64) error {
	draw := func(r *rand.Rand) ex07Three {
		d := ex07Three{n: 8 + r.IntN(60), k: float64(1 + r.IntN(2)), alpha: 1 + 4*r.Float64()}
		c, a, b := 0.6+r.Float64(), 2*r.Float64()-1, 3*r.Float64()-1.5 // W1 > 0
		for i := range d.w {
			n := float64(d.n) * math.Pow(4, float64(i))
			d.w[i] = math.Pow(n, d.k-d.alpha) * (c + a/math.Sqrt(n) + b/n)
		}
		return d
	}
	type m = mistake[ex07Three]
	return function(40, draw, "C", func(d ex07Three) float64 { return factor(d.n, d.k, d.alpha, d.w) }, ex07Three.factor, 1e-6,
		slips("", func(d ex07Three) map[string]float64 {
			y := d.scaled()
			return map[string]float64{"y0": y[0], "y1": y[1], "y2": y[2]}
		}, "(y0 - 6*y1 + 8*y2)/3", "(4*(2*y2 - y1) - (2*y1 - y0))/3", "8/3*y2 - 2*y1 + 1/3*y0", "4/3*(2*y2 - y1) - 1/3*(2*y1 - y0)"),
		m{func(d ex07Three) float64 { // 4^i
			for i := range d.w {
				d.w[i] *= math.Pow(float64(4^i)/math.Pow(4, float64(i)), d.alpha-d.k)
			}
			return d.factor()
		}, slipXor},
		m{func(d ex07Three) float64 { // n*4^i
			for i := range d.w {
				d.w[i] *= math.Pow(float64(d.n*4^i)/(float64(d.n)*math.Pow(4, float64(i))), d.alpha-d.k)
			}
			return d.factor()
		}, slipXor},
		m{func(d ex07Three) float64 {
			for i := range d.w {
				d.w[i] *= math.Pow(float64(d.n)*math.Pow(4, float64(i)), math.Trunc(d.alpha-d.k)-(d.alpha-d.k))
			}
			return d.factor()
		}, slipInt},
		m{func(d ex07Three) float64 { return d.scaled()[2] }, "that is the value at 16N, not the limit"},
		m{func(d ex07Three) float64 { y := d.scaled(); return 2*y[2] - y[1] }, "that removes the term with N^(-1/2), the one with 1/N is left: use all three"},
		m{func(d ex07Three) float64 { y := d.scaled(); return (4*y[2] - y[1]) / 3 }, "that removes the term with 1/N; the larger one, with N^(-1/2), is left"},
		m{func(d ex07Three) float64 { y := d.scaled(); return (y[0] - 20*y[1] + 64*y[2]) / 45 }, "that is for terms with 1/N and 1/N²"},
		m{func(d ex07Three) float64 { y := d.scaled(); return y[2] - (y[2]-y[1])*(y[2]-y[1])/(y[2]-2*y[1]+y[0]) }, "Aitken's rule is for one geometric term; here are two, and their ratios are known"},
		m{func(d ex07Three) float64 {
			s := math.Log(d.w[2]/d.w[0]) / math.Log(16)
			return d.w[2] / math.Pow(16*float64(d.n), s)
		}, "that takes the slope over these N for the exponent: it is k - α only in the limit"},
		m{func(d ex07Three) float64 {
			s := math.Log(d.w[2]/d.w[1]) / math.Log(4)
			return d.w[2] / math.Pow(16*float64(d.n), s)
		}, "that takes the last local slope for the exponent: it is k - α only in the limit"},
		m{func(d ex07Three) float64 { return ex07Three{d.n, d.alpha, d.k, d.w}.factor() }, "multiply W1 by N^(α-k), not by N^(k-α)"},
		m{func(d ex07Three) float64 { return ex07Three{d.n, 0, 0, d.w}.factor() }, "that is the limit of W1 itself; W1 has to be multiplied by N^(α-k) first"},
		m{nil, "three values y of N^(α-k) W1, three unknowns: from N to 4N, N^(-1/2) is halved and 1/N is quartered"})
}

// ex07Fair returns the number of heads in n fair tosses.
func ex07Fair(r *rand.Rand, n int) (heads int) {
	for ; n >= 64; n -= 64 {
		heads += bits.OnesCount64(r.Uint64())
	}
	return heads + bits.OnesCount64(r.Uint64()&(1<<n-1))
}

// ex07Excess simulates n queues at alpha = infinity, Binomial(2, 1/2) arrivals and
// services, the jobs of a slot in batches of b (the last may be smaller), each to the
// then shortest queue. It returns E Q~ = E[U Q^+]/E U - (E U^2/E U - 1)/2.
// Queues are counted by their heights. Whenever all are 2*ceiling high, ceiling
// comes off each of them: differences of queues mix before the boundary is met
// again. It runs until service was lost in as many slots as losses says, for the
// climbs between them take very different times.
func ex07Excess(n, b, ceiling, losses int, r *rand.Rand) float64 {
	at := make([]int, 1024) // number of queues by height
	reserve := func(height int) {
		for height >= len(at) {
			at = append(at, make([]int, len(at))...)
		}
	}
	at[0] = n
	low, high, total := 0, 0, 0
	var u1, u2, uq float64
	for slot := 0; losses > 0; slot++ {
		for a := ex07Fair(r, 2*n); a > 0; {
			size := min(a, b)
			a -= size
			for at[low] == 0 {
				low++
			}
			reserve(low + size)
			at[low]--
			at[low+size]++
			high, total = max(high, low+size), total+size
		}
		for at[low] == 0 {
			low++
		}
		unused := 0
		for h := low; h <= high; h++ {
			one, two := 0, 0
			for c := at[h]; c > 0; c -= 64 {
				mask := uint64(math.MaxUint64)
				if c < 64 {
					mask = 1<<c - 1
				}
				p, q := r.Uint64()&mask, r.Uint64()&mask
				one, two = one+bits.OnesCount64(p^q), two+bits.OnesCount64(p&q)
			}
			at[h] -= one + two
			at[max(h-1, 0)] += one
			at[max(h-2, 0)] += two
			lost := max(1-h, 0)*one + max(2-h, 0)*two
			unused, total = unused+lost, total-one-2*two+lost
		}
		low = max(low-2, 0)
		for at[low] == 0 {
			low++
		}
		for at[high] == 0 {
			high--
		}
		if unused > 0 && slot > 50*n { // by then the queues have spread
			losses--
			u := float64(unused)
			u1, u2, uq = u1+u, u2+u*u, uq+u*float64(total)
		}
		if low >= 2*ceiling {
			copy(at[low-ceiling:], at[low:high+1])
			clear(at[high-ceiling+1 : high+1])
			low, high, total = low-ceiling, high-ceiling, total-n*ceiling
		}
	}
	return uq/u1 - (u2/u1-1)/2
}

// Ex07Break checks a counterexample to: in discrete time, the exponential limit
// sets in at a whole number alpha. batch(n) is the number of jobs that travel
// together, from 1 to 2n. As E Q~ is about N b/2, the onset is 1 + p if batch grows
// like n^p. p is read off at 2^16, 2^24 and 2^32 servers and has to be from 0.2 to
// 0.85, within 0.03 for sizes that are rounded to whole jobs, and the same in both
// steps within 0.05: a factor log n is worth 0.02. Then 64 and 256 servers are
// simulated, and the power k of E Q~ between them is to be from 1.2 to 1.95.
func Ex07Break(batch func(n int) int) error {
	return call(func(r *rand.Rand) error {
		sizes := []int{64, 256, 1 << 16, 1 << 24, 1 << 32}
		b := make([]int, len(sizes))
		for i, n := range sizes {
			if b[i] = batch(n); b[i] < 1 || b[i] > 2*n {
				return fmt.Errorf("batch(%d) = %d: want from 1 to %d jobs in a batch, for every n", n, b[i], 2*n)
			}
		}
		power := func(i int) float64 { return math.Log(float64(b[i+1])/float64(b[i])) / math.Log(256) }
		first, second := power(2), power(3)
		err := fmt.Errorf("batches of %d, %d and %d jobs at N = 2^16, 2^24 and 2^32 grow like N^%.2f, then like N^%.2f, want one power from 0.2 to 0.85", b[2], b[3], b[4], first, second)
		switch low, high := min(first, second), max(first, second); {
		case b[2] == 1 && b[4] == 1:
			return fmt.Errorf("%w: that is job by job; if that is not it: %s", err, slipDivision)
		case b[2] == 2<<16 && b[4] == 2<<32:
			return fmt.Errorf("%w: those are whole batches", err)
		case b[2] == 1<<16 && b[4] == 1<<32:
			return fmt.Errorf("%w: the heights grow nearly like N; if that is not it: %s", err, slipXor)
		case b[2] == b[4]:
			return fmt.Errorf("%w: batches of a fixed size count as single jobs in the limit; let them grow with N", err)
		case low < 0:
			return fmt.Errorf("%w: your batches get smaller as N grows", err)
		case high > 0.88 && low > 0.5:
			return fmt.Errorf("%w: the heights grow nearly like N, a logarithm does not change the onset; use smaller batches at large N", err)
		case high-low > 0.05:
			return fmt.Errorf("%w: that is no power that lasts, and the onset is a matter of large N; let batch(n) be one power of n for all n", err)
		case low < 0.17:
			return fmt.Errorf("%w: the heights hardly grow, and no power of N is left in the limit; use larger batches at large N", err)
		}
		var q [2]float64
		for i, n := range sizes[:2] {
			q[i] = ex07Excess(n, b[i], max(8, min(n, b[i])/16), 8000, r)
		}
		k := math.Log(q[1]/q[0]) / math.Log(4)
		if k >= 1.2 && k <= 1.95 {
			return nil
		}
		err = fmt.Errorf("batches of %d at N = 64 and %d at N = 256: simulated, E Q~ = %.4g and %.4g, so k = %.2f between them, want from 1.2 to 1.95", b[0], b[1], q[0], q[1], k)
		if k > 1.95 {
			return fmt.Errorf("%w: the power is right for large N, but these batches are nearly whole ones; take a smaller factor", err)
		}
		return fmt.Errorf("%w: the power is right for large N, but these batches are nearly single jobs; take a larger factor", err)
	})
}
