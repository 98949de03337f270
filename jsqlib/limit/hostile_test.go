package limit

import (
	"math"
	"testing"

	"jsqlab/jsqlib/internal/hostile"
)

func TestHostile(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	gamma := func(shape, rate float64) func() any { return func() any { return hostile.Err(NewGamma(shape, rate)) } }
	hostile.Run(t, hostile.Calls{
		{"shape NaN", gamma(nan, 1), "shape = NaN: want"},
		{"shape 0", gamma(0, 1), "shape = 0: want"},
		{"shape 1e-200", gamma(1e-200, 1), "shape = 1e-200: want"},
		{"shape 1e12", gamma(1e12, 1), "shape = 1e+12: want"},
		{"rate Inf", gamma(1, inf), "rate = +Inf: want"},
		{"rate 1e-300", gamma(1, 1e-300), "rate = 1e-300: want"},
		{"mean NaN", func() any { return hostile.Err(NewExponential(nan)) }, "mean = NaN: want"},
		{"g = -1", func() any { return hostile.Err(NewNDS(-1)) }, "g = -1: want"},
		{"mean of Exponential at Inf", func() any { return Exponential{Mean: inf}.PartialMean(inf) }, "+Inf"},
		{"mean of Gamma of rate 0", func() any { return Gamma{Shape: 2}.PartialMean(inf) }, "+Inf"},
		{"mean of NDS of g = 0", func() any { return NDS{}.PartialMean(inf) }, "+Inf"},
	})
	// whatever is asked of whatever law, there is an answer
	for _, l := range []Law{Exponential{}, Exponential{Mean: nan}, Exponential{Mean: -1}, Gamma{}, Gamma{Shape: -1, Rate: 1}, Gamma{Shape: nan, Rate: nan},
		Gamma{Shape: 1e300, Rate: 1}, NDS{}, NDS{G: -2}, NDS{G: nan}, NDS{G: inf}, Boundary{}} {
		for _, x := range []float64{nan, -inf, -1, 0, 0.3, 0.7, 1, 2, 1e300, inf} {
			l.CDF(x)
			l.Survival(x)
			l.PartialMean(x)
			l.Quantile(x)
		}
	}
}

// TestGammaQuantiles: every gamma law that is made has its quantiles, in order, to 1e-9 of the smaller of p and 1 - p.
func TestGammaQuantiles(t *testing.T) {
	for _, shape := range []float64{1e-100, 1e-20, 1e-6, 1e-3, 0.1, 1, 30, 1e3, 1e4, 1e6, 1e9} {
		for _, rate := range []float64{1e-100, 1, 1e100} {
			g, err := NewGamma(shape, rate)
			if err != nil {
				t.Fatal(err)
			}
			last := 0.0
			for _, p := range []float64{1e-300, 1e-17, 1e-5, 0.1, 0.5, 0.50001, 0.9, 1 - 1e-7, 1 - 1e-10, 1 - 0x1p-53} {
				x := g.Quantile(p)
				off := math.Abs(g.CDF(x)/p - 1)
				if p > 0.5 {
					off = math.Abs(g.Survival(x)/(1-p) - 1)
				}
				if x == 0 && g.Survival(math.Max(0x1p-1022/rate, math.SmallestNonzeroFloat64)) <= 1-p { // below float64
					off = 0
				}
				if !(x >= last && x < math.Inf(1) && off < 1e-9) {
					t.Errorf("shape %g, rate %g: quantile of %g = %g after %g, off by %.2g: want it there to 1e-9", shape, rate, p, x, last, off)
				}
				last = x
			}
		}
	}
}
