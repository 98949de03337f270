package check

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Ex03Predict checks four predictions about H_r = N M_r R_r, with M_r of the order
// r N^2 and R_r = N^((alpha-1)/r), which the text leaves to task 3: the factor of M_r when a large r is doubled (2), that of the
// best r when N becomes N^2 (2), and the powers of N at alpha = 4.5 for r = 2
// (4.75) and, up to logarithms, for the best r (3).
func Ex03Predict(predict func() (moment, best, fixed, growing float64)) error {
	return call(func(*rand.Rand) error {
		moment, best, fixed, growing := predict()
		return errors.Join(
			ex03Guess("moment", moment, 2, "the r-th root of r! is of the order r (Stirling)"),
			ex03Guess("best", best, 2, "in log H_r there is log r, and a term in proportion to (log N)/r: where is their sum least, and how does that place depend on log N?"),
			ex03Guess("fixed", fixed, 4.75, "add the powers of N in N, in M_2 and in R_2: for r = 2 also p = 2, and R_2 is the square root of an order ε, divided by ε",
				"19/4", "1 + 2 + 7/4", "1 + 2 + (9/2 - 1)/2"),
			ex03Guess("growing", growing, 3, "with r in proportion to log N, R_r is a constant: which powers of N remain?"),
		)
	})
}

func ex03Guess(name string, got, want float64, hint string, spelled ...string) error {
	if agrees(got, want, 0.02) {
		return nil
	}
	side := "not a number that can be right"
	switch {
	case got > want:
		side = "too large"
	case got < want:
		side = "too small"
	}
	return fmt.Errorf("%s = %.4g is %s: %s", name, got, side, both(hint, divided(got, spelled...)))
}

type ex03Moment struct {
	r                int
	kappa, jump, eta float64
}

func (m ex03Moment) String() string {
	return fmt.Sprintf("r = %d, κ = %.4g, D = %.4g, η = %.4g", m.r, m.kappa, m.jump, m.eta)
}

// log is log M_r by the closed form, with c the logarithm of the second base
// and f that of the factorial.
func (m ex03Moment) log(two, four float64, f float64) float64 {
	r := float64(m.r)
	a := r * math.Log(two*m.kappa)
	b := r*math.Log(four*m.jump*(m.jump+m.eta)/m.eta) + f
	return (max(a, b) + math.Log1p(math.Exp(-math.Abs(a-b)))) / r
}

func (m ex03Moment) factorial() float64 {
	f, _ := math.Lgamma(float64(m.r) + 1)
	return f
}

// Ex03Moment checks log M_r, M_r^r = (2 kappa)^r + (4D)^r ((D+eta)/eta)^r r!,
// also where M_r^r is not a float64.
func Ex03Moment(logMoment func(r int, kappa, jump, eta float64) float64) error {
	draw := func(least, most int) func(r *rand.Rand) ex03Moment {
		return func(r *rand.Rand) ex03Moment {
			return ex03Moment{least + r.IntN(most-least), 1 + 500*r.Float64(), 1 + 2*r.Float64(), 0.3 + 0.5*r.Float64()}
		}
	}
	type m = mistake[ex03Moment]
	of := func(x ex03Moment) float64 { return logMoment(x.r, x.kappa, x.jump, x.eta) }
	right := func(x ex03Moment) float64 { return x.log(2, 4, x.factorial()) }
	with := func(factorial func(r float64) float64) func(x ex03Moment) float64 {
		return func(x ex03Moment) float64 { return x.log(2, 4, factorial(float64(x.r))) }
	}
	err := function(60, draw(2, 9), "log M_r", of, right, 1e-9, // where nothing is large
		slips("r", func(x ex03Moment) map[string]float64 {
			return map[string]float64{"r": float64(x.r), "kappa": x.kappa, "jump": x.jump, "eta": x.eta,
				"a": float64(x.r) * math.Log(2*x.kappa), "b": float64(x.r)*math.Log(4*x.jump*(x.jump+x.eta)/x.eta) + x.factorial()}
		}, "log(pow(2*kappa, r) + pow(4*jump, r)*pow((jump + eta)/eta, r)*factorial(r))/r", "log(pow(2*kappa, r) + pow(4*jump*((jump + eta)/eta), r)*factorial(r))/r",
			"log(pow(2*kappa, r) + pow(4*jump*(jump + eta)/eta, r)*factorial(r))/r", "(max(a, b) + log1p(exp(-abs(a - b))))/r", "(max(a, b) + log(1 + exp(-abs(a - b))))/r",
			"(max(r*log(2*kappa), r*log(4*jump*(jump + eta)/eta) + lgamma(r + 1)) + log1p(exp(-abs(r*log(2*kappa) - (r*log(4*jump*(jump + eta)/eta) + lgamma(r + 1))))))/r",
			"(max(r*log(2*kappa), r*log(4*jump) + r*log((jump + eta)/eta) + lgamma(r + 1)) + log1p(exp(-abs(r*log(2*kappa) - (r*log(4*jump) + r*log((jump + eta)/eta) + lgamma(r + 1))))))/r"),
		m{func(x ex03Moment) float64 { return float64(x.r) * right(x) }, "the r-th root is missing"},
		m{func(x ex03Moment) float64 { return math.Exp(right(x)) }, "that is M_r: its logarithm is asked for"},
		m{with(func(float64) float64 { return 0 }), "the factorial is missing"},
		m{with(func(r float64) float64 { f, _ := math.Lgamma(r); return f }), "that has (r-1)! in the place of r!, which is Γ(r+1)"},
		m{with(func(r float64) float64 { f, _ := math.Lgamma(r + 2); return f }), "that has (r+1)! in the place of r!, which is Γ(r+1)"},
		m{with(func(r float64) float64 { f, _ := math.Lgamma(r + 1); return f / math.Ln10 }), slipLog},
		m{with(func(r float64) float64 { return r*math.Log(r) - r }), "Stirling's formula in its simplest form is too rough: take the factorial itself"},
		m{with(func(r float64) float64 { return r*math.Log(r) - r + math.Log(2*math.Pi*r)/2 }), "Stirling's formula is an approximation: take the factorial itself"},
		m{func(x ex03Moment) float64 {
			return math.Log(2*x.kappa + 4*x.jump*(x.jump+x.eta)/x.eta*math.Exp(x.factorial()/float64(x.r)))
		}, "the root of a sum is no sum of roots"},
		m{func(x ex03Moment) float64 {
			return max(math.Log(2*x.kappa), math.Log(4*x.jump*(x.jump+x.eta)/x.eta)+x.factorial()/float64(x.r))
		}, "that is the larger of the two terms alone"},
		m{func(x ex03Moment) float64 { return x.log(1, 4, x.factorial()) }, "κ enters doubled, as (a+b)^r is at most (2a)^r + (2b)^r"},
		m{func(x ex03Moment) float64 { return x.log(2, 2, x.factorial()) }, "D enters four times: steps of 2D, and the 2 of (2a)^r + (2b)^r"},
		m{func(x ex03Moment) float64 {
			x.jump, x.eta = x.jump/2, x.jump/2 // (4D)^r r! without the factor
			return x.log(2, 4, x.factorial())
		}, "the factor (D+η)/η is missing"},
		m{nil, "take the logarithm of both terms of M_r^r, put the sum together, and then divide by r"})
	if err != nil {
		return err
	}
	return function(60, draw(100, 300), "log M_r", of, right, 1e-9,
		m{nil, "right for small r, but here a number on the way is larger than a float64 can be, 1.8e308, or than an int, as 21! is. Take the logarithm of both terms first, the larger one out of the sum, and then divide by r"})
}

type ex03Step struct {
	n, sMax, r         int
	moment, eps, alpha float64
}

func (s ex03Step) String() string {
	return fmt.Sprintf("N = %d, S_max = %d, r = %d, M_r = %.4g, ε = %.4g, α = %.3g", s.n, s.sMax, s.r, s.moment, s.eps, s.alpha)
}

func (s ex03Step) with(power float64) float64 {
	return float64(s.n) * s.moment * math.Sqrt(float64(s.sMax)) * math.Pow(s.eps, power)
}

func drawEx03Step(r *rand.Rand) ex03Step {
	n, alpha := 2+r.IntN(60), 1.5+4*r.Float64()
	return ex03Step{n, 2 + r.IntN(4), 3 + r.IntN(12), 1 + 99*r.Float64(), math.Pow(float64(n), 1-alpha), alpha}
}

// Ex03Hoelder checks E[Q^+ U] <= N M_r sqrt(S_max) eps^(1/p), 1/p + 1/r = 1, and
// the factor N^((alpha-1)/r) that is left after division by E U = eps.
func Ex03Hoelder(product func(n, sMax, r int, moment, eps float64) float64, rare func(n int, alpha float64, r int) float64) error {
	root := func(s ex03Step) float64 { return 1 / float64(s.r) }
	type m = mistake[ex03Step]
	return errors.Join(
		function(40, drawEx03Step, "product", func(s ex03Step) float64 { return product(s.n, s.sMax, s.r, s.moment, s.eps) },
			func(s ex03Step) float64 { return s.with(1 - root(s)) }, 1e-9,
			slips("n sMax r", func(s ex03Step) map[string]float64 {
				return map[string]float64{"n": float64(s.n), "sMax": float64(s.sMax), "r": float64(s.r), "moment": s.moment, "eps": s.eps}
			}, "n*moment*sqrt(sMax)*pow(eps, 1 - 1/r)", "n*moment*sqrt(sMax)*pow(eps, (r - 1)/r)", "n*moment*sqrt(sMax)*pow(eps, 1/(r/(r - 1)))", "n*moment*pow(pow(sMax, r/(r - 1)/2)*eps, 1 - 1/r)"),
			m{func(s ex03Step) float64 { return s.with(root(s)) }, "ε has the power 1/p, with p the exponent of ‖u‖, not 1/r"},
			m{func(s ex03Step) float64 { return s.with(1) }, "Hölder's inequality takes the p-th root of E U"},
			m{func(s ex03Step) float64 { return s.with(1-root(s)) / float64(s.n) }, "the inner product is Q⁺U/N: the N is missing"},
			m{func(s ex03Step) float64 { return s.with(1-root(s)) / math.Sqrt(float64(s.sMax)) }, "‖u‖² is at most S_max U, not U"},
			m{func(s ex03Step) float64 { return s.with(1-root(s)) * math.Sqrt(float64(s.sMax)) }, "true, but weaker: ‖u‖² is at most S_max U, and a norm is its root"},
			m{nil, "bound the moment of q_⊥ by M_r, ‖u‖^p by S_max^(p/2) U, and take the p-th root"}),
		function(40, drawEx03Step, "rare", func(s ex03Step) float64 { return rare(s.n, s.alpha, s.r) },
			func(s ex03Step) float64 { return math.Pow(float64(s.n), (s.alpha-1)*root(s)) }, 1e-9,
			slips("n r", func(s ex03Step) map[string]float64 {
				return map[string]float64{"n": float64(s.n), "r": float64(s.r), "alpha": s.alpha}
			}, "pow(n, (alpha - 1)/r)", "pow(pow(n, alpha - 1), 1/r)", "pow(pow(n, 1 - alpha), 1 - 1/r)/pow(n, 1 - alpha)", "exp((alpha - 1)/r*log(n))"),
			m{func(s ex03Step) float64 { return math.Pow(float64(s.n), (1-s.alpha)*root(s)) }, "the sign of the exponent: ε is small and is divided by"},
			m{func(s ex03Step) float64 { return math.Pow(float64(s.n), s.alpha*root(s)) }, "ε = N·N^(-α), the whole spare capacity"},
			m{func(s ex03Step) float64 { return math.Pow(float64(s.n), (1-s.alpha)*(1-root(s))) }, "divide by E U = ε"},
			m{nil, "what is ε^(1/p)/ε when 1/p = 1 - 1/r?"}),
	)
}

// ex03Size is a system, with the constants of its drift bound.
type ex03Size struct {
	n     int
	alpha float64
	ex03Moment
}

func (s ex03Size) String() string {
	return fmt.Sprintf("N = %d, α = %.3g, κ = %.4g, D = %.4g, η = %.4g", s.n, s.alpha, s.kappa, s.jump, s.eta)
}

// base is what r! is multiplied with in M_r^r, the r-th root: it is compared with 2 kappa.
func (s ex03Size) base() float64 { return 4 * s.jump * (s.jump + s.eta) / s.eta }

func (s ex03Size) log() float64 { return math.Log(float64(s.n)) }

func drawEx03Size(r *rand.Rand) ex03Size {
	s := ex03Size{n: 3 + r.IntN(4998), alpha: 1.5 + 4*r.Float64()}
	small := r.IntN(4) == 0 // then the factor of lost service hardly counts
	if small {
		s.n, s.alpha = 3+r.IntN(6), 1.05+0.1*r.Float64()
	}
	n := float64(s.n)
	s.ex03Moment = ex03Moment{jump: n * (1 + r.Float64()), eta: 0.1 + 0.4*r.Float64()}
	s.kappa = s.base() * math.Pow(10, 1.5*r.Float64()-0.8)
	if small {
		s.kappa /= 10
	}
	return s
}

// best is the whole number r >= least at which log M_r + power (log N)/r is smallest.
func (s ex03Size) best(least int, power float64) float64 {
	best, smallest := 0, math.Inf(1)
	for r := least; r <= 200; r++ {
		m := s.ex03Moment
		m.r = r
		if h := m.log(2, 4, m.factorial()) + power*s.log()/float64(r); h < smallest {
			best, smallest = r, h
		}
	}
	return float64(best)
}

// Ex03Order checks the paper's r = ceil(alpha-1) ceil(log N), and the r >= 2 that
// makes M_r N^((alpha-1)/r) smallest, for N in 3, ..., 5000 and alpha in (1.05, 5.5). Small
// N and alpha have their minimum at r = 1 if that is let in. kappa is drawn from
// a part to five times of what it competes with, so that neither it nor eta can be left out.
func Ex03Order(order func(n int, alpha float64) int, best func(n int, alpha, kappa, jump, eta float64) int) error {
	type m = mistake[ex03Size]
	err := function(80, drawEx03Size, "the paper's r", func(s ex03Size) float64 { return float64(order(s.n, s.alpha)) },
		func(s ex03Size) float64 { return math.Ceil(s.alpha-1) * math.Ceil(s.log()) }, 1e-12,
		slips("n", func(s ex03Size) map[string]float64 {
			return map[string]float64{"n": float64(s.n), "alpha": s.alpha}
		}, "ceil(alpha - 1)*ceil(log(n))"),
		m{func(s ex03Size) float64 { return math.Ceil((s.alpha - 1) * s.log()) }, "both factors are rounded up, not their product"},
		m{func(s ex03Size) float64 { return math.Ceil(s.alpha-1) * math.Ceil(math.Log2(float64(s.n))) }, "the logarithm is the natural one"},
		m{func(s ex03Size) float64 { return math.Ceil(s.alpha-1) * math.Ceil(math.Log10(float64(s.n))) }, "the logarithm is the natural one"},
		m{func(s ex03Size) float64 { return math.Floor(s.alpha-1) * math.Floor(s.log()) }, "up, not down: r must not be below (α-1) log N"},
		m{func(s ex03Size) float64 { return math.Ceil(s.alpha) * math.Ceil(s.log()) }, "α-1 is the exponent of 1/ε, not α"},
		m{nil, "round α-1 and the natural logarithm of N up, each by itself"})
	if err != nil {
		return err
	}
	return function(200, drawEx03Size, "the best r", func(s ex03Size) float64 { return float64(best(s.n, s.alpha, s.kappa, s.jump, s.eta)) },
		func(s ex03Size) float64 { return s.best(2, s.alpha-1) }, 1e-12,
		m{func(s ex03Size) float64 { return math.Ceil(s.alpha-1) * math.Ceil(s.log()) }, "that is the paper's r again, a choice that is good enough for a limit; asked is the minimiser"},
		m{func(s ex03Size) float64 { return s.best(1, s.alpha-1) }, "r = 1 would be p = ∞: r ≥ 2 is asked for, since ‖u‖^p is bounded for p ≤ 2 only"},
		m{func(s ex03Size) float64 { s.kappa = 1e-9 * s.base(); return s.best(2, s.alpha-1) }, "κ does not enter: where it is large, M_r is flat in r at first, and a larger r costs less"},
		m{func(s ex03Size) float64 { s.jump, s.eta = s.jump/2, s.jump/2; return s.best(2, s.alpha-1) }, "η does not enter: it is in M_r, next to κ"},
		m{func(s ex03Size) float64 { return s.best(2, 0) }, slipDivision}, // 1/r
		m{func(s ex03Size) float64 { return s.best(2, math.Trunc(s.alpha-1)) }, slipInt},
		m{func(s ex03Size) float64 { return s.best(2, math.Trunc(s.alpha)) }, slipInt},
		m{func(s ex03Size) float64 { return s.best(2, (s.alpha-1)/math.Ln10) }, slipLog},
		m{func(s ex03Size) float64 { return s.best(2, (s.alpha-1)/math.Ln2) }, slipLog},
		m{func(s ex03Size) float64 { return s.best(2, s.alpha-1) - 2 }, "that is the place in a list that begins with r = 2"},
		m{func(s ex03Size) float64 { return s.best(2, s.alpha-1) - 1 }, "that is one less: which r belongs to the smallest value?"},
		m{func(s ex03Size) float64 { return s.best(2, s.alpha-1) + 1 }, "that is one more: which r belongs to the smallest value?"},
		m{func(s ex03Size) float64 { return s.best(2, 0) }, "that makes M_r smallest, without the factor of lost service"},
		m{func(s ex03Size) float64 { return s.best(2, s.alpha) }, "the factor of lost service is a power of 1/ε = N^(α-1), not of N^α"},
		m{func(s ex03Size) float64 { return math.Round((s.alpha - 1) * s.log()) }, "near it, by Stirling's formula in its simplest form: compare the bounds themselves, r by r"},
		m{func(s ex03Size) float64 { return math.Ceil((s.alpha - 1) * s.log()) }, "near it, by Stirling's formula in its simplest form: compare the bounds themselves, r by r"},
		m{func(s ex03Size) float64 { return math.Floor((s.alpha - 1) * s.log()) }, "near it, by Stirling's formula in its simplest form: compare the bounds themselves, r by r"},
		m{nil, "go through r = 2, 3, … and keep the r with the smallest log M_r plus logarithm of the factor; go far enough, the best r may be as large as 60"})
}

// Ex03Break checks a counterexample to E[XY] <= (E X^r)^(1/r) (E Y^p)^(1/p) for
// exponents that are not conjugate: (X, Y) takes the values (x[i], y[i]) with equal
// probability. The left side is to be at least twice the right one.
func Ex03Break(example func() (p, r float64, x, y []float64)) error {
	return call(func(*rand.Rand) error {
		p, r, x, y := example()
		if !(p >= 1 && p <= 10 && r >= 1 && r <= 10) {
			return fmt.Errorf("p = %v, r = %v: want both from 1 to 10", p, r)
		}
		if len(x) != len(y) || len(x) == 0 || len(x) > 1000 {
			return fmt.Errorf("%d values of X and %d of Y: want as many of both, 1 to 1000", len(x), len(y))
		}
		for i := range x {
			if !(x[i] >= 0 && x[i] <= 1000 && y[i] >= 0 && y[i] <= 1000) {
				return fmt.Errorf("X = %v, Y = %v: want values from 0 to 1000", x[i], y[i])
			}
		}
		// Both sides are in proportion to X and to Y. With a largest value of 1 no power is lost.
		mx, my := slices.Max(x), slices.Max(y)
		if mx == 0 || my == 0 {
			return errors.New("E[XY] = 0, and the right side is 0: take values that are not all zero")
		}
		var xy, xr, yp float64
		for i := range x {
			w := 1 / float64(len(x))
			xy, xr, yp = xy+w*(x[i]/mx)*(y[i]/my), xr+w*math.Pow(x[i]/mx, r), yp+w*math.Pow(y[i]/my, p)
		}
		right := math.Pow(xr, 1/r) * math.Pow(yp, 1/p)
		if xy >= 2*right*(1-1e-9) {
			return nil
		}
		err := fmt.Errorf("E[XY] = %.4g, and the right side is %.4g", mx*my*xy, mx*my*right)
		switch sum := 1/p + 1/r; {
		case agrees(sum, 1, 1e-9):
			return fmt.Errorf("%w: your exponents are conjugate, and that is Hölder's inequality itself", err)
		case sum < 1:
			return fmt.Errorf("%w: with 1/p + 1/r < 1 the claim is true, since (E Y^p)^(1/p) rises with p; go to the other side", err)
		case xy > right:
			return fmt.Errorf("%w: the claim fails, but not by a factor of 2: make both rarer", err)
		}
		return fmt.Errorf("%w: the exponents are well chosen; which X and Y are large together, and rarely?", err)
	})
}
