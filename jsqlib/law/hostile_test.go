package law

import (
	"math"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/hostile"
	"jsqlab/jsqlib/limit"
)

func TestHostile(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	c, err := jsqlib.Model{Servers: 2, Gap: 0.3}.Constants()
	if err != nil {
		t.Fatal(err)
	}
	total, err := New(c, Boundary{P: []float64{0.5, 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	k := total.Kernel()
	with := func(change func(*jsqlib.Constants)) func() any {
		return func() any { c := c; change(&c); return hostile.Err(NewKernel(c)) }
	}
	boundary := func(b Boundary) func() any { return func() any { return hostile.Err(k.Total(b)) } }
	hostile.Run(t, hostile.Calls{
		{"Constants{}", func() any { return hostile.Err(NewKernel(jsqlib.Constants{})) }, "N = 0"},
		{"Constants{} in continuous time", func() any { return hostile.Err(NewKernel(jsqlib.Constants{})) }, "N = 0"},
		{"gap NaN", with(func(c *jsqlib.Constants) { c.Gap = nan }), "gap = NaN"},
		{"arrivals of NaN", with(func(c *jsqlib.Constants) { c.Arrivals = jsqlib.PMF{nan, nan} }), "a probability NaN"},
		{"limit mean NaN", with(func(c *jsqlib.Constants) { c.LimitMean = nan }), "limit mean = NaN"},
		{"mean Inf", with(func(c *jsqlib.Constants) { c.MeanN = inf }), "mean = +Inf"},
		{"mean shift NaN", with(func(c *jsqlib.Constants) { c.MeanShift = nan }), "shift NaN"},
		{"no boundary law", boundary(Boundary{}), "sums to 0"},
		{"boundary law of NaN", boundary(Boundary{P: []float64{nan}}), "P(Q~ = 0) = NaN"},
		{"boundary law below", boundary(Boundary{Min: -1000, P: []float64{1}}), "P(Q~ = -1000) = 1"},
		{"Distance of no run", func() any {
			return hostile.Err(total.Distance(Estimates{BoundaryMean: jsqlib.Estimate{High: nan}}))
		}, "= NaN"},
		{"Certificate of NaN", func() any { return hostile.Err(k.Certificate(nan, 1)) }, "= NaN"},
		{"Certificate of Inf", func() any { return hostile.Err(k.Certificate(1, inf)) }, "= +Inf"},
		{"Laplace at NaN", func() any { return hostile.Err(total.Laplace(nan)) }, "theta = NaN"},
		{"LaplaceError at -1", func() any { return hostile.Err(total.LaplaceError(-1)) }, "theta = -1"},
		{"W1 to NaN", func() any { return hostile.Err(total.W1(nan)) }, "= NaN"},
		{"scaling by NaN", func() any { return hostile.Err(total.Measured(Scaling{Scale: nan}, nil)) }, "scale = NaN"},
		{"shift of 1e300", func() any { return hostile.Err(total.Measured(Scaling{Scale: 1, Shift: 1e300}, nil)) }, "shift = 1e+300"},
		{"Measured{}", func() any { return hostile.Err(new(Measured).W1(limit.Exponential{Mean: 1})) }, "m = Measured{}"},
		{"Measured to no law", func() any {
			m, err := total.Measured(Scaling{Scale: 1}, nil)
			if err != nil {
				return err
			}
			return hostile.Err(m.W1(nil))
		}, "law = nil"},
		{"between no laws", func() any { return hostile.Err(new(Measured).Between(nil)) }, "other = nil"},
	})
	// Far from everything, and of zero values, there is an answer too.
	for _, z := range []*Total{total, {}} {
		for _, n := range []int{math.MinInt, -1, 0, 1, math.MaxInt} {
			z.PMF(n)
			z.CDF(n)
			z.Survival(n)
			z.LogRatio(float64(n))
			z.LimitDifference(float64(n), 0.5)
			z.Kernel().At(n)
		}
		for _, x := range []float64{nan, -inf, -1, 0, 1, 1e300, inf} {
			z.LogRatio(x)
			z.LimitDifference(x, x)
			z.IntegratedDifference(x)
			z.Tilted(x, x, x, x)
			z.Tilted(-1, 0, 0, x)
			z.Law().CDF(x)
			z.Law().Survival(x)
			z.Law().PartialMean(x)
			z.Law().Quantile(x)
		}
		z.TailStart()
		z.Boundary()
		z.NegativeMass()
		z.Laplace(1)
		z.LaplaceError(1)
		z.W1ToLimit()
		z.Measured(Scaling{Scale: 1}, nil)
		z.Kernel().Certificate(1, 1)
		z.Kernel().Total(Boundary{P: []float64{1}})
	}
	if m := new(Total).Mean() + new(Total).SecondMoment(); m != 0 {
		t.Errorf("Total{} has moments %v: want 0", m)
	}
}
