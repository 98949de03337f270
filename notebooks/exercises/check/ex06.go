package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Ex06Predict checks, for n = 10^4 independent draws of Exp with mean 1/2, the
// mean W1 to that law, sqrt(pi/2) m n^(-1/2) within 25 %, and the rate in N that
// a fit sees at fixed n when all that is measured is this noise: 0.
func Ex06Predict(predict func() (floor, rate float64)) error {
	return call(func(*rand.Rand) error {
		floor, rate := predict()
		want := math.Sqrt(math.Pi/2) * 0.5 / 100
		switch {
		case agrees(floor, want, 0.25):
		case agrees(floor, 2*want, 0.25):
			return fmt.Errorf("floor = %g: that is for mean 1, W1 scales with the mean", floor)
		case agrees(floor, want/100, 0.25):
			return fmt.Errorf("floor = %g: noise falls like n^(-1/2), not like 1/n", floor)
		case floor == 0:
			return fmt.Errorf("floor = 0: a sample of the very law is still not the law, W1 is never negative and its mean is positive; if that is not it: %s", slipDivision)
		case floor < want:
			return fmt.Errorf("floor = %g is too small: how large is the error of a mean of n draws?", floor)
		default:
			return fmt.Errorf("floor = %g is too large, or no number: how large is the error of a mean of n draws?", floor)
		}
		if !(math.Abs(rate) <= 0.05) {
			return fmt.Errorf("rate = %g: the noise depends on n and m; which of them changes with N here?", rate)
		}
		return nil
	})
}

type ex06Sample struct {
	x []float64
	m float64
}

func (s ex06Sample) String() string { return fmt.Sprintf("x = %.3f, m = %.3f", s.x, s.m) }

func drawEx06Sample(r *rand.Rand) ex06Sample {
	n := 1 + r.IntN(6)
	if r.IntN(4) == 0 {
		n = 7 + r.IntN(34)
	}
	s := ex06Sample{make([]float64, n), 0.3 + 2*r.Float64()}
	for i := range s.x {
		s.x[i] = 2 * s.m * r.ExpFloat64()
	}
	if r.IntN(4) == 0 { // ties, and zeros: queue lengths have both
		for i := range s.x {
			s.x[i] = math.Floor(s.x[i])
		}
	}
	return s
}

// ex06W1 is the integral of |F_n - F| over x >= 0, piece by piece.
func ex06W1(s ex06Sample) float64 {
	x := slices.Sorted(slices.Values(s.x))
	return ex06Steps(s, x, func(i int) float64 { return 1 - float64(i)/float64(len(x)) })
}

// ex06Steps is the integral with 1 - F_n = tail(i) from x[i-1] to x[i], and 0 beyond.
func ex06Steps(s ex06Sample, x []float64, tail func(i int) float64) float64 {
	sum, from := 0.0, 0.0
	for i, to := range x {
		tail := tail(i)
		zero := min(max(-s.m*math.Log(tail), from), to) // where F = i/n
		part := func(a, b float64) float64 {
			return math.Abs(tail*(b-a) - s.m*(math.Exp(-a/s.m)-math.Exp(-b/s.m)))
		}
		sum += part(from, zero) + part(zero, to)
		from = to
	}
	return sum + s.m*math.Exp(-from/s.m)
}

// ex06Uncut takes the absolute value of the integral over each step as a whole.
func ex06Uncut(s ex06Sample) float64 {
	x := slices.Sorted(slices.Values(s.x))
	sum, from := 0.0, 0.0
	for i, to := range x {
		tail := 1 - float64(i)/float64(len(x))
		sum += math.Abs(tail*(to-from) - s.m*(math.Exp(-from/s.m)-math.Exp(-to/s.m)))
		from = to
	}
	return sum + s.m*math.Exp(-from/s.m)
}

func ex06Mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// Ex06Distance checks the exact W1 of a sample (unsorted, values >= 0) to the
// exponential law with mean m.
func Ex06Distance(distance func(x []float64, m float64) float64) error {
	type wrong = mistake[ex06Sample]
	return function(100, drawEx06Sample, "W1",
		func(s ex06Sample) float64 { return distance(slices.Clone(s.x), s.m) }, ex06W1, 1e-4,
		wrong{func(s ex06Sample) float64 { // float64(i/n)
			return ex06Steps(s, slices.Sorted(slices.Values(s.x)), func(int) float64 { return 1 })
		}, slipDivision},
		wrong{func(s ex06Sample) float64 {
			x := make([]float64, len(s.x))
			for i := range x {
				x[i] = float64(i)
			}
			return ex06W1(ex06Sample{x, s.m})
		}, slipPlace},
		wrong{func(s ex06Sample) float64 { return ex06W1(ex06Sample{append(make([]float64, len(s.x)), s.x...), s.m}) }, slipGrown},
		wrong{func(s ex06Sample) float64 { return ex06W1(ex06Sample{slices.Sorted(slices.Values(s.x))[1:], s.m}) }, slipFirst},
		wrong{func(s ex06Sample) float64 {
			return ex06W1(ex06Sample{slices.Sorted(slices.Values(s.x))[:len(s.x)-1], s.m})
		}, slipLast},
		wrong{func(s ex06Sample) float64 {
			x := slices.Sorted(slices.Values(s.x))
			return ex06Steps(s, x, func(i int) float64 { return 1 - float64(i+1)/float64(len(x)) })
		}, "before the value number i, from 0 on, i values are smaller, not i+1"},
		wrong{func(s ex06Sample) float64 {
			return ex06Steps(s, s.x, func(i int) float64 { return 1 - float64(i)/float64(len(s.x)) })
		}, "the values have to be sorted"},
		wrong{func(s ex06Sample) float64 { return math.Abs(ex06Mean(s.x) - s.m) }, "that is the difference of the means, only a lower bound: the laws cross"},
		wrong{func(s ex06Sample) float64 { return ex06W1(ex06Sample{s.x, 1 / s.m}) }, "m is the mean, not the rate"},
		wrong{func(s ex06Sample) float64 { return ex06W1(s) - s.m*math.Exp(-slices.Max(s.x)/s.m) }, "the tail beyond the largest value is missing"},
		wrong{func(s ex06Sample) float64 {
			least := slices.Min(s.x)
			return ex06W1(s) - least - s.m*math.Expm1(-least/s.m)
		}, "the part below the smallest value is missing: F_n is 0 there, and F is not"},
		wrong{ex06Uncut, "F crosses some of the steps: there the parts on both sides count, and do not cancel"},
		wrong{func(s ex06Sample) float64 {
			sum := 0.0
			for i, v := range slices.Sorted(slices.Values(s.x)) {
				sum += math.Abs(v + s.m*math.Log(1-(float64(i)+0.5)/float64(len(s.x))))
			}
			return sum / float64(len(s.x))
		}, "one quantile for each value is an approximation: integrate over the whole step"},
		wrong{says: "integrate |F_n(x) - F(x)| over all x ≥ 0: sort, cut each step where F crosses it, and do not forget the tail; values may be equal, and a grid has an error at each of them"},
	)
}

type ex06Point struct{ c, m float64 }

func (p ex06Point) String() string { return fmt.Sprintf("c = %.3f, m = %.3f", p.c, p.m) }

// Ex06Closed checks two closed forms: W1 of a point mass at c to Exp with mean m,
// c - m + 2 m e^(-c/m), and of (1 - rho) q of M/M/1 to Exp(1), 1 - rho.
func Ex06Closed(point func(c, m float64) float64, queue func(rho float64) float64) error {
	type wrong = mistake[ex06Point]
	err := function(50, func(r *rand.Rand) ex06Point { return ex06Point{3 * r.Float64(), 0.3 + 2*r.Float64()} }, "W1",
		func(p ex06Point) float64 { return point(p.c, p.m) },
		func(p ex06Point) float64 { return p.c - p.m + 2*p.m*math.Exp(-p.c/p.m) }, 1e-6,
		slips("", func(p ex06Point) map[string]float64 { return map[string]float64{"c": p.c, "m": p.m} },
			"c - m + 2*m*exp(-c/m)", "c - m*(1 - exp(-c/m)) + m*exp(-c/m)", "c + m*(2*exp(-c/m) - 1)"),
		wrong{func(p ex06Point) float64 { return math.Abs(p.c - p.m) }, "that is the difference of the means: |E - c| has a mean larger than that"},
		wrong{func(p ex06Point) float64 { return p.c - p.m + p.m*math.Exp(-p.c/p.m) }, "that is the part below c; the part above c is missing"},
		wrong{func(p ex06Point) float64 { return p.m * math.Exp(-p.c/p.m) }, "that is the part above c; the part below c is missing"},
		wrong{says: "there is only one way to move all the mass to c: integrate F up to c, and 1 - F beyond"},
	)
	if err != nil {
		return err
	}
	type load = mistake[ex06Load]
	return function(10, func(r *rand.Rand) ex06Load { return ex06Load(0.2 + 0.75*r.Float64()) }, "W1",
		func(l ex06Load) float64 { return queue(float64(l)) },
		func(l ex06Load) float64 { return float64(1 - l) }, 1e-6,
		slips("", func(l ex06Load) map[string]float64 { return map[string]float64{"rho": float64(l)} }, "1 - rho", "1 - (1 - rho)*rho/(1 - rho)", "1 - (1 - rho)*(rho/(1 - rho))"),
		load{func(l ex06Load) float64 { return float64(l) }, "that is the mean of (1-ρ)q: W1 is the difference of the two means"},
		load{func(l ex06Load) float64 { return float64(1 - l*l) }, "E q = ρ/(1-ρ), not ρ"},
		load{func(l ex06Load) float64 { return 0 }, "the means of (1-ρ)q and of Exp(1) are not the same"},
		load{says: "if one of two laws is below the other everywhere, |F - G| has one sign: which mean has (1-ρ)q?"},
	)
}

// ex06Load is a load rho.
type ex06Load float64

func (l ex06Load) String() string { return fmt.Sprintf("ρ = %.3f", float64(l)) }

type ex06Data struct{ n, w, se []float64 }

func (d ex06Data) String() string { return fmt.Sprintf("N = %v, W1 = %.3g, se = %.2g", d.n, d.w, d.se) }

// ex06Fit returns the rate -slope and its 95 % half width, for points (u, v)
// with standard deviations s.
func ex06Fit(u, v, s []float64) (rate, half float64) {
	var w, wu, wv, uu, uv float64
	for i := range u {
		k := 1 / (s[i] * s[i])
		w, wu, wv = w+k, wu+k*u[i], wv+k*v[i]
	}
	for i := range u {
		k, d := 1/(s[i]*s[i]), u[i]-wu/w
		uu, uv = uu+k*d*d, uv+k*d*(v[i]-wv/w)
	}
	return -uv / uu, 1.96 / math.Sqrt(uu)
}

func (d ex06Data) logs() (u, v, s []float64) {
	for i := range d.n {
		u, v, s = append(u, math.Log(d.n[i])), append(v, math.Log(d.w[i])), append(s, d.se[i]/d.w[i])
	}
	return u, v, s
}

// Ex06Fit checks the weighted least squares fit of log W1 on log N, with known
// standard errors se of W1: the rate k in W1 ~ N^(-k) and the half width of its
// 95 % interval.
func Ex06Fit(fit func(n, w, se []float64) (rate, half float64)) error {
	draw := func(r *rand.Rand) ex06Data {
		var d ex06Data
		k := 0.5 + 2*r.Float64()
		for n := 2.0; n <= 64; n *= 2 {
			w := math.Pow(n, -k) * (1 + r.Float64())
			d.n, d.w, d.se = append(d.n, n), append(d.w, w), append(d.se, w*(0.01+0.2*r.Float64()))
		}
		return d
	}
	run := func(d ex06Data) (float64, float64) {
		return fit(slices.Clone(d.n), slices.Clone(d.w), slices.Clone(d.se))
	}
	type wrong = mistake[ex06Data]
	ones := []float64{1, 1, 1, 1, 1, 1}
	right := func(d ex06Data) float64 { k, _ := ex06Fit(d.logs()); return k }
	width := func(d ex06Data) float64 { _, h := ex06Fit(d.logs()); return h }
	// without is f without the first or the last point, with the points as numbers, or with other logarithms.
	without := func(f func(d ex06Data) float64) mistakes[ex06Data] {
		cut := func(from, to int) func(d ex06Data) float64 {
			return func(d ex06Data) float64 { return f(ex06Data{d.n[from:to], d.w[from:to], d.se[from:to]}) }
		}
		return mistakes[ex06Data]{{cut(1, 6), slipFirst}, {cut(0, 5), slipLast}}
	}
	err := function(20, draw, "rate", func(d ex06Data) float64 { k, _ := run(d); return k }, right, 1e-6, without(right),
		wrong{func(d ex06Data) float64 { return math.Ln10 * right(d) }, slipLog},
		wrong{func(d ex06Data) float64 { return right(d) / math.Ln10 }, slipLog},
		wrong{func(d ex06Data) float64 { return math.Ln2 * right(d) }, slipLog},
		wrong{func(d ex06Data) float64 { return right(d) / math.Ln2 }, slipLog},
		wrong{func(d ex06Data) float64 { return -right(d) }, "the rate is minus the slope"},
		wrong{func(d ex06Data) float64 { u, v, _ := d.logs(); k, _ := ex06Fit(u, v, ones); return k }, "all points count the same: weigh them"},
		wrong{func(d ex06Data) float64 { u, v, _ := d.logs(); k, _ := ex06Fit(u, v, d.se); return k }, "se is the error of W1; that of log W1 is se/W1"},
		wrong{func(d ex06Data) float64 { u, v, _ := d.logs(); return (v[0] - v[5]) / (u[5] - u[0]) }, "that is the chord from end to end, not a fit"},
		wrong{says: "weights are 1/variance of log W1, and both means are weighted"},
	)
	if err != nil {
		return err
	}
	return function(20, draw, "half width", func(d ex06Data) float64 { _, h := run(d); return h }, width, 0.005, without(width),
		wrong{func(d ex06Data) float64 { return math.Ln10 * width(d) }, slipLog},
		wrong{func(d ex06Data) float64 { return math.Ln2 * width(d) }, slipLog},
		wrong{func(d ex06Data) float64 { return 1.96 }, slipDivision},            // math.Pow(x, 1/2)
		wrong{func(d ex06Data) float64 { return width(d) / 1.96 }, slipDivision}, // 196/100
		wrong{func(d ex06Data) float64 { return width(d) / 1.96 }, "that is one standard error: 95 % takes 1.96 of them"},
		wrong{func(d ex06Data) float64 { return 2 / 1.96 * width(d) }, "95 % takes 1.96 standard errors, not 2"},
		wrong{func(d ex06Data) float64 { return 2.776 / 1.96 * width(d) }, "that is Student's quantile, for errors taken from the scatter; these are known, so that it is the normal law's 1.96"},
		wrong{func(d ex06Data) float64 { return 2 * width(d) }, "that is the whole width"},
		wrong{func(d ex06Data) float64 { u, v, _ := d.logs(); _, h := ex06Fit(u, v, d.se); return h }, "se is the error of W1; that of log W1 is se/W1"},
		wrong{func(d ex06Data) float64 {
			u, v, s := d.logs()
			_, h := ex06Fit(u, v, s)
			k := right(d)
			var rest, a, b, c float64 // the standard errors are known: the scatter about the line does not enter
			for i := range u {
				w := 1 / (s[i] * s[i])
				a, b, c = a+w, b+w*u[i], c+w*v[i]
			}
			for i := range u {
				y := v[i] - c/a + k*(u[i]-b/a)
				rest += y * y / (s[i] * s[i])
			}
			return h * math.Sqrt(rest/float64(len(u)-2))
		}, "that rescales the errors by the scatter about the line, but they are known: take them as they are"},
		wrong{says: "the variance of the slope is 1/Σ w (u - ū)², with w = 1/variance of log W1"},
	)
}

// ex06Runs is how often a sample is drawn to test its laws. At 16000 the limit of the
// test is 0.026, and Exp(1) and other laws with mean 1 that might be taken for it differ
// by more: half a normal law by 0.08, the power 1.2 of Exp(1) by 0.05.
const ex06Runs = 16_000

// Ex06Break checks a counterexample to: n draws, each of them exactly Exp(1), have
// a mean W1 to Exp(1) below 3 sqrt(pi/(2n)). Independence has been dropped. sample
// is called for n = 400: 16 000 times, in which the law of each draw is tested, and on
// until the mean is six standard errors away from what is claimed, 80 000 times at
// most.
func Ex06Break(sample func(n int, r *rand.Rand) []float64) error {
	return call(func(r *rand.Rand) error {
		const n, batch, most = 400, 1000, 5 * ex06Runs
		places := make([]ex06Counts, n)
		floor := math.Sqrt(math.Pi / 2 / n)
		var sum, squares float64 // of W1 in units of the floor
		var verdict error
		decided := false
		for runs := 1; runs <= most; runs++ {
			x := sample(n, own(r))
			if len(x) != n {
				return fmt.Errorf("%d values, want n = %d%s", len(x), n, grown(len(x), n))
			}
			for i, v := range x {
				if !(v >= 0) || math.IsInf(v, 0) {
					return fmt.Errorf("the value %g cannot come from Exp(1)", v)
				}
				if runs <= ex06Runs {
					places[i].add(v)
				}
			}
			if !decided {
				w := ex06W1(ex06Sample{x, 1}) / floor
				sum, squares = sum+w, squares+w*w
				if runs%batch == 0 {
					verdict, decided = ex06Verdict(sum/float64(runs), squares/float64(runs), floor, runs, runs == most)
				}
			}
			if runs == ex06Runs {
				for i := range places {
					if err := places[i].exponential(n); err != nil {
						return fmt.Errorf("draw number %d is not Exp(1): %w. Every single draw must have the right law; only their independence may go", i, err)
					}
				}
			}
			if decided && runs >= ex06Runs {
				return verdict
			}
		}
		return verdict
	})
}

// ex06Verdict says whether the mean of W1, in units of the floor, is known to be above 3
// or below it after these runs, and what to say then.
func ex06Verdict(mean, square, floor float64, runs int, last bool) (verdict error, decided bool) {
	sigma := math.Sqrt(max(square-mean*mean, 0) / float64(runs))
	err := fmt.Errorf("the mean W1 is %.4f, %.2f times the floor of independent draws", mean*floor, mean)
	switch {
	case mean-3 > 6*sigma:
		return nil, true
	case mean < 1.1:
		return fmt.Errorf("%w: that is as good as independent draws, for which the claim is true: let the draws depend on each other", err), true
	case 3-mean > 6*sigma:
		return fmt.Errorf("%w, want more than 3: make the draws more dependent, so that they are worth fewer than n/9 independent ones", err), true
	case last:
		return fmt.Errorf("%w, which is too near to 3 to be told from it by %d samples: make the draws more dependent", err, runs), true
	}
	return nil, false
}

// ex06Counts counts values v by 1 - e^(-v), which is uniform for Exp(1).
type ex06Counts [128]int32

func (c *ex06Counts) add(v float64) {
	c[min(int(-math.Expm1(-v)*float64(len(c))), len(c)-1)]++
}

// exponential holds independent values against Exp(1), by the largest difference of
// the distribution functions at the ends of the bins. It exceeds x/sqrt(values) with a
// probability of at most 2e^(-2x^2) (Massart 1990); with as many tests as said, it is
// 10^-6 for all of them.
func (c *ex06Counts) exponential(tests int) error {
	values := 0.0
	for _, k := range c {
		values += float64(k)
	}
	limit := math.Sqrt(math.Log(2*float64(tests)/1e-6) / 2 / values)
	below, worst, at := 0.0, 0.0, 0.0
	for i, k := range c {
		below += float64(k)
		if share := float64(i+1) / float64(len(c)); math.Abs(below/values-share) > math.Abs(worst) {
			worst, at = below/values-share, share
		}
	}
	if math.Abs(worst) <= limit {
		return nil
	}
	return fmt.Errorf("in %.0f runs %.1f %% of its values are up to %.3g, want %.1f %%", values, 100*(at+worst), -math.Log1p(-at), 100*at)
}
