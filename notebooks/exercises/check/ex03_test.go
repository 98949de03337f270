package check

import (
	"math"
	"slices"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/bound"
)

func TestEx03Predict(t *testing.T) {
	p := func(a, b, c, d float64) func() error {
		return func() error {
			return Ex03Predict(func() (float64, float64, float64, float64) { return a, b, c, d })
		}
	}
	answers{
		{"right", p(2, 2, 4.75, 3), ""},
		{"moment bounded", p(1, 2, 4.75, 3), "r-th root of r!"},
		{"best squared", p(2, 4, 4.75, 3), "where is their sum least"},
		{"no root", p(2, 2, 6.5, 3), "add the powers"},
		{"no N", p(2, 2, 4.75, 2), "which powers of N remain"},
		{"not a number", p(math.NaN(), 2, 4.75, 3), "can be right"},
		{"not done", func() error { return Ex03Predict(func() (a, b, c, d float64) { panic(Stub) }) }, "this task is not done"},
	}.run(t)
}

func TestEx03Moment(t *testing.T) {
	of := func(f func(m ex03Moment) float64) func() error {
		return func() error {
			return Ex03Moment(func(r int, kappa, jump, eta float64) float64 { return f(ex03Moment{r, kappa, jump, eta}) })
		}
	}
	answers{
		{"Lgamma", of(func(m ex03Moment) float64 { return m.log(2, 4, m.factorial()) }), ""},
		{"sum of logarithms, scaled by the second term", of(func(m ex03Moment) float64 {
			b, f := 4*m.jump*(m.jump+m.eta)/m.eta, 0.0
			for k := 2; k <= m.r; k++ {
				f += math.Log(float64(k))
			}
			r := float64(m.r)
			b = math.Log(b) + f/r
			return b + math.Log1p(math.Exp(r*(math.Log(2*m.kappa)-b)))/r
		}), ""},
		{"direct", of(func(m ex03Moment) float64 {
			r := float64(m.r)
			return math.Log(math.Pow(2*m.kappa, r)+math.Pow(4*m.jump*(m.jump+m.eta)/m.eta, r)*math.Gamma(r+1)) / r
		}), "right for small r, but here a number on the way is larger than a float64"},
		{"math.Gamma", of(func(m ex03Moment) float64 { return m.log(2, 4, math.Log(math.Gamma(float64(m.r)+1))) }), "right for small r"},
		{"a factorial in an int", of(func(m ex03Moment) float64 {
			f := 1
			for k := range m.r {
				f *= k + 1
			}
			return m.log(2, 4, math.Log(float64(f)))
		}), "than an int, as 21! is"},
		{"Γ(r)", of(func(m ex03Moment) float64 { f, _ := math.Lgamma(float64(m.r)); return m.log(2, 4, f) }), "(r-1)! in the place of r!"},
		{"Stirling", of(func(m ex03Moment) float64 { r := float64(m.r); return m.log(2, 4, r*math.Log(r)-r) }), "Stirling's formula"},
		{"log10 throughout", of(func(m ex03Moment) float64 { return m.log(2, 4, m.factorial()) / math.Ln10 }), "another base"},
		{"M_r itself", of(func(m ex03Moment) float64 { return math.Exp(m.log(2, 4, m.factorial())) }), "its logarithm is asked for"},
		{"larger term", of(func(m ex03Moment) float64 {
			return max(math.Log(2*m.kappa), math.Log(4*m.jump*(m.jump+m.eta)/m.eta)+m.factorial()/float64(m.r))
		}), "the larger of the two terms alone"},
		{"something else", of(func(m ex03Moment) float64 { return 7 * m.kappa }), "take the logarithm of both terms of M_r^r"},
		{"no root", of(func(m ex03Moment) float64 { return float64(m.r) * m.log(2, 4, m.factorial()) }), "the r-th root"},
		{"no factorial", of(func(m ex03Moment) float64 { return m.log(2, 4, 0) }), "the factorial is missing"},
		{"kappa once", of(func(m ex03Moment) float64 { return m.log(1, 4, m.factorial()) }), "κ enters doubled"},
		{"2D", of(func(m ex03Moment) float64 { return m.log(2, 2, m.factorial()) }), "D enters four times"},
		{"not done", of(func(ex03Moment) float64 { panic(Stub) }), "this task is not done"},
	}.run(t)
}

func ex03Product(n, sMax, r int, moment, eps float64) float64 {
	return ex03Step{n: n, sMax: sMax, r: r, moment: moment, eps: eps}.with(1 - 1/float64(r))
}

func ex03Rare(n int, alpha float64, r int) float64 {
	return math.Exp((alpha - 1) * math.Log(float64(n)) / float64(r))
}

func TestEx03Hoelder(t *testing.T) {
	product := func(f func(s ex03Step) float64) func() error {
		return func() error {
			return Ex03Hoelder(func(n, sMax, r int, moment, eps float64) float64 {
				return f(ex03Step{n: n, sMax: sMax, r: r, moment: moment, eps: eps})
			}, ex03Rare)
		}
	}
	rare := func(f func(n, alpha, r float64) float64) func() error {
		return func() error {
			return Ex03Hoelder(ex03Product, func(n int, alpha float64, r int) float64 { return f(float64(n), alpha, float64(r)) })
		}
	}
	answers{
		{"right", func() error { return Ex03Hoelder(ex03Product, ex03Rare) }, ""},
		{"through p", product(func(s ex03Step) float64 { return s.with(float64(s.r-1) / float64(s.r)) }), ""},
		{"1/r", product(func(s ex03Step) float64 { return s.with(1 / float64(s.r)) }), "not 1/r"},
		{"no root", product(func(s ex03Step) float64 { return s.with(1) }), "p-th root of E U"},
		{"no N", product(func(s ex03Step) float64 { return ex03Product(1, s.sMax, s.r, s.moment, s.eps) }), "the N is missing"},
		{"no S_max", product(func(s ex03Step) float64 { return ex03Product(s.n, 1, s.r, s.moment, s.eps) }), "not U"},
		{"S_max", product(func(s ex03Step) float64 { return ex03Product(s.n, s.sMax*s.sMax, s.r, s.moment, s.eps) }), "a norm is its root"},
		{"sign", rare(func(n, a, r float64) float64 { return math.Pow(n, (1-a)/r) }), "the sign"},
		{"alpha", rare(func(n, a, r float64) float64 { return math.Pow(n, a/r) }), "spare capacity"},
		{"not divided", rare(func(n, a, r float64) float64 { return math.Pow(n, (1-a)*(1-1/r)) }), "divide by"},
		{"not done", rare(func(n, a, r float64) float64 { panic(Stub) }), "this task is not done"},
	}.run(t)
}

func TestEx03Order(t *testing.T) {
	paper := func(n int, alpha float64) int { return int(math.Ceil(alpha-1) * math.Ceil(math.Log(float64(n)))) }
	least := func(n int, alpha, kappa, jump, eta float64) int {
		return int(ex03Size{n, alpha, ex03Moment{kappa: kappa, jump: jump, eta: eta}}.best(2, alpha-1))
	}
	of := func(f func(n, alpha float64) float64) func() error {
		return func() error {
			return Ex03Order(func(n int, alpha float64) int { return int(f(float64(n), alpha)) }, least)
		}
	}
	best := func(f func(s ex03Size) float64) func() error {
		return func() error {
			return Ex03Order(paper, func(n int, alpha, kappa, jump, eta float64) int {
				return int(f(ex03Size{n, alpha, ex03Moment{kappa: kappa, jump: jump, eta: eta}}))
			})
		}
	}
	root := func(s ex03Size) float64 { return (s.alpha - 1) * s.log() }
	answers{
		{"right", func() error { return Ex03Order(paper, least) }, ""},
		{"until it rises, with the factorial as a sum", best(func(s ex03Size) float64 {
			last, b := math.Inf(1), math.Log(4*s.jump*(s.jump+s.eta)/s.eta)
			for r, f := 2.0, math.Log(2); ; r++ {
				first := r * (math.Log(2*s.kappa) - b - f/r) // log of the ratio of the two terms
				h := b + f/r + math.Log1p(math.Exp(first))/r + (s.alpha-1)*s.log()/r
				if h > last {
					return r - 1
				}
				last, f = h, f+math.Log(r+1)
			}
		}), ""},
		{"product", of(func(n, a float64) float64 { return math.Ceil((a - 1) * math.Log(n)) }), "not their product"},
		{"binary", of(func(n, a float64) float64 { return math.Ceil(a-1) * math.Ceil(math.Log2(n)) }), "natural one"},
		{"decimal", of(func(n, a float64) float64 { return math.Ceil(a-1) * math.Ceil(math.Log10(n)) }), "natural one"},
		{"down", of(func(n, a float64) float64 { return math.Floor(a-1) * math.Floor(math.Log(n)) }), "up, not down"},
		{"alpha", of(func(n, a float64) float64 { return math.Ceil(a) * math.Ceil(math.Log(n)) }), "not α"},
		{"fixed", of(func(n, a float64) float64 { return 2 }), "each by itself"},
		{"the paper's again", best(func(s ex03Size) float64 { return float64(paper(s.n, s.alpha)) }), "asked is the minimiser"},
		{"moment only", best(func(s ex03Size) float64 { return s.best(2, 0) }), "without the factor"},
		{"power of N^α", best(func(s ex03Size) float64 { return s.best(2, s.alpha) }), "not of N^α"},
		{"Stirling", best(func(s ex03Size) float64 { return math.Round(root(s)) }), "r by r"},
		{"Stirling, down", best(func(s ex03Size) float64 { return math.Floor(root(s)) }), "r by r"},
		{"Stirling, up", best(func(s ex03Size) float64 { return math.Ceil(root(s)) }), "r by r"},
		{"from the other end", best(func(s ex03Size) float64 {
			at, smallest := 0.0, math.Inf(1)
			for r := 300.0; r >= 2; r-- {
				f, _ := math.Lgamma(r + 1)
				m := max(math.Log(2*s.kappa), math.Log(s.base())+f/r) // the larger term, out of the sum
				h := m + math.Log(math.Pow(2*s.kappa/math.Exp(m), r)+math.Exp(r*(math.Log(s.base())-m)+f))/r + root(s)/r
				if h < smallest {
					at, smallest = r, h
				}
			}
			return at
		}), ""},
		{"from 1 on", best(func(s ex03Size) float64 { return s.best(1, s.alpha-1) }), "r ≥ 2 is asked for"},
		{"no kappa", best(func(s ex03Size) float64 { s.kappa = 1e-9; return s.best(2, s.alpha-1) }), "κ does not enter"},
		{"no eta", best(func(s ex03Size) float64 {
			s.jump, s.eta = s.jump/2, s.jump/2 // (4D)^r r! without the factor
			return s.best(2, s.alpha-1)
		}), "η does not enter"},
		{"eta of order 1", best(func(s ex03Size) float64 { s.eta = 1; return s.best(2, s.alpha-1) }), "r = 2, 3, …"},
		{"up to 10", best(func(s ex03Size) float64 { return min(s.best(2, s.alpha-1), 10) }), "far enough"},
		{"not done", best(func(ex03Size) float64 { panic(Stub) }), "this task is not done"},
	}.run(t)
}

// The best r is that of the library for the same constants.
func TestEx03Best(t *testing.T) {
	for _, n := range []int{4, 32, 1024} {
		s := jsqlib.Model{Servers: n, Alpha: 4.5}
		c, err := s.Constants()
		if err != nil {
			t.Fatal(err)
		}
		d, err := bound.NewDrift(s)
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := bound.BestR(c, d, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := (ex03Size{n, 4.5, ex03Moment{kappa: d.Kappa, jump: d.Jump, eta: d.Eta}}).best(2, 3.5); got != float64(want) {
			t.Errorf("N = %d: r = %v, and the library has %v", n, got, want)
		}
	}
}

func TestEx03Break(t *testing.T) {
	give := func(p, r float64, x, y []float64) func() error {
		return func() error {
			return Ex03Break(func() (float64, float64, []float64, []float64) { return p, r, x, y })
		}
	}
	one := []float64{1, 0, 0, 0}
	answers{
		{"rare", give(1, 1, one, one), ""},
		{"other", give(1.2, 1.5, []float64{5, 0, 0, 0, 0, 0, 0, 0}, []float64{2, 0, 0, 0, 0, 0, 0, 0}), ""},
		{"conjugate", give(2, 2, one, one), "conjugate"},
		{"conjugate, with powers below the smallest number", give(2, 2, slices.Repeat([]float64{1}, 1000),
			append([]float64{1.1 * math.Sqrt(1000*math.SmallestNonzeroFloat64)}, slices.Repeat([]float64{math.Sqrt(0.49 * 1000 * math.SmallestNonzeroFloat64)}, 999)...)), "conjugate"},
		{"other side, with powers below the smallest number", give(10, 10, slices.Repeat([]float64{1}, 1000), slices.Repeat([]float64{1e-32}, 1000)), "other side"},
		{"tiny values", give(1, 10, []float64{1e-200, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, []float64{1e-32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}), "rarer"},
		{"tiny values, p = r = 1", give(1, 1, []float64{1e-100, 0, 0, 0}, []float64{1e-100, 0, 0, 0}), ""},
		{"zero", give(1, 1, []float64{0, 0}, []float64{1, 1}), "not all zero"},
		{"other side", give(3, 3, one, one), "other side"},
		{"constant", give(1, 1, []float64{1}, []float64{1}), "rarely"},
		{"too little", give(1.6, 1.6, one, one), "rarer"},
		{"lengths", give(1, 1, one, nil), "as many"},
		{"negative", give(1, 1, []float64{-1}, []float64{1}), "from 0"},
		{"exponent", give(0.5, 1, one, one), "from 1"},
	}.run(t)
}
