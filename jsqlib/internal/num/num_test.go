package num_test

import (
	"math"
	"math/big"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/num"
)

// series sums coeff(k) x^k over k = 0, 1, ... exactly enough.
func series(x float64, coeff func(k int64) *big.Float) float64 {
	big0 := func(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }
	sum, power, bx := big0(0), big0(1), big0(x)
	for k := int64(0); k < 250; k++ {
		sum.Add(sum, new(big.Float).Mul(power, coeff(k)))
		power.Mul(power, bx)
	}
	v, _ := sum.Float64()
	return v
}

func ratio(a, b *big.Int) *big.Float {
	return new(big.Float).SetPrec(400).SetRat(new(big.Rat).SetFrac(a, b))
}

func factorial(n int64) *big.Int { return new(big.Int).MulRange(1, n) }

// What is left of an exponential is right to a few ulps on both sides of each change of formula.
func TestTails(t *testing.T) {
	tail := func(n int64) func(int64) *big.Float {
		return func(k int64) *big.Float { return ratio(big.NewInt(1), factorial(k+n)) }
	}
	for _, f := range []struct {
		name  string
		got   func(float64) float64
		coeff func(k int64) *big.Float
	}{
		{"Tail2", num.Tail2, tail(2)}, {"Tail3", num.Tail3, tail(3)}, {"Tail4", num.Tail4, tail(4)},
		{"Expm1x/x^2", func(x float64) float64 { return num.Expm1x(x) / x / x }, tail(2)},
		{"SlopeTail", num.SlopeTail, func(k int64) *big.Float { return ratio(big.NewInt(k+1), factorial(k+3)) }},
	} {
		for _, x := range []float64{-40, -3, -1.0001, -1, -0.9999, -0.51, -0.49, -0.1, -1e-3, -9e-4, -1e-9, 1e-100, 1e-9, 9e-4, 1e-3, 0.1, 0.49, 0.51, 0.9999, 1, 1.0001, 3, 40} {
			want := series(x, f.coeff)
			if got := f.got(x); !(math.Abs(got/want-1) < 3e-14) {
				t.Errorf("%s(%v) = %v, want %v", f.name, x, got, want)
			}
		}
	}
	for _, x := range []float64{-0.11, -0.1, -0.09, -1e-8, 1e-200, 1e-8, 0.09, 0.1, 0.11} {
		want := series(x, func(k int64) *big.Float { return ratio(big.NewInt(1-2*(k%2)), big.NewInt(k+2)) })
		if got := num.LogTail2(x); !(math.Abs(got/want-1) < 1e-14) {
			t.Errorf("LogTail2(%v) = %v, want %v", x, got, want)
		}
	}
}

// A compensated sum keeps what a plain one loses.
func TestSum(t *testing.T) {
	var s num.Sum
	s.Add(1)
	for range 1000 {
		s.Add(1e-17)
	}
	s.Add(-1)
	if got := s.Value(); math.Abs(got/1e-14-1) > 1e-12 {
		t.Errorf("1 + 1000 times 1e-17 - 1 = %v", got)
	}
}

// phi(e^theta) = 1 at the root, at any gap.
func TestRoot(t *testing.T) {
	for _, sys := range []jsqlib.Model{
		{Servers: 1, Gap: 0.9},
		{Servers: 3, Gap: 0.3},
		{Servers: 2, Gap: 1e-3, Service: jsqlib.PMF{0.8, 0, 0, 0, 0, 0.2}},
		{Servers: 2, Gap: 0.2, Service: jsqlib.PMF{0, 1}},
		{Servers: 2, Gap: 0.2, Arrivals: jsqlib.PMF{0, 1}},
	} {
		c, err := sys.Constants()
		if err != nil {
			t.Fatal(err)
		}
		tt, ea, es := root(t, c), 0.0, 0.0
		for k, p := range c.Arrivals {
			ea += p * math.Exp(tt*float64(k))
		}
		for k, p := range c.Service {
			es += p * math.Exp(-tt*float64(k))
		}
		if tt <= 0 || math.Abs(ea*es-1) > 1e-14*ea {
			t.Errorf("%v: t = %g, E z^X = %.16g", sys, tt, ea*es)
		}
	}
	// At a light load e^theta is large, and so few steps lead up that rounding is large beside them.
	for _, sys := range []jsqlib.Model{
		{Servers: 1, Gap: 1 - jsqlib.MinLoad},
		{Servers: 1, Gap: 1 - 1e-5, Service: jsqlib.PMF{0, 1}},
		{Servers: 1, Gap: 1 - 1e-4, Service: jsqlib.Binomial(30)},
	} {
		c, err := sys.Constants()
		if err != nil {
			t.Fatal(err)
		}
		tt, sum, size := root(t, c), 0.0, 0.0
		for a, p := range c.Arrivals {
			for s, q := range c.Service {
				term := p * q * math.Expm1(tt*float64(a-s))
				sum += term
				size += math.Abs(term)
			}
		}
		if !(math.Abs(sum) < 1e-13*size) {
			t.Errorf("%v: t = %v, E z^X - 1 = %v of terms of %v", sys, tt, sum, size)
		}
	}
	// t = 2 eps/v + O(eps^2), at any gap.
	for _, gap := range []float64{1e-6, 1e-30, 1e-150} {
		c, err := jsqlib.Model{Servers: 4, Gap: gap}.Constants()
		if err != nil {
			t.Fatal(err)
		}
		if got := root(t, c) / (2 * c.Eps / c.V); math.Abs(got-1) > 10*gap+1e-15 {
			t.Errorf("gap %g: t v/(2 eps) = %.16g", gap, got)
		}
	}
}

func root(t testing.TB, c jsqlib.Constants) float64 {
	t.Helper()
	w, err := num.NewWalk(c.Arrivals, c.Service, c.Gap)
	if err != nil {
		t.Fatal(err)
	}
	return w.Root()
}
