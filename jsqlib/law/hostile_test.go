package law

import (
	"context"
	"math"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/hostile"
	"jsqlab/jsqlib/limit"
	"jsqlab/jsqlib/sim"
)

func TestHostile(t *testing.T) {
	var none context.Context
	ctx, nan, inf := context.Background(), math.NaN(), math.Inf(1)
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
	from := func(st *sim.Stationary, gap, mean float64) func() any {
		return func() any { _, _, err := FromDirect(st, gap, mean); return err }
	}
	hostile.Run(t, hostile.Calls{
		{"Distance without context", func() any {
			return hostile.Err(Distance(none, jsqlib.Model{Servers: 2, Gap: 0.3}, sim.BoundaryOptions{}))
		}, "ctx = nil: want a context"},
		{"Distance in continuous time without context", func() any {
			return hostile.Err(Distance(none, jsqlib.Model{Continuous: true, Servers: 2, Gap: 0.3}, sim.BoundaryOptions{}))
		}, "ctx = nil: want a context"},
		{"Distance of Model{}", func() any { return hostile.Err(Distance(ctx, jsqlib.Model{}, sim.BoundaryOptions{})) }, "servers = 0"},
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
		{"Certificate of NaN", func() any { return hostile.Err(k.Certificate(nan, 1)) }, "= NaN"},
		{"Certificate of Inf", func() any { return hostile.Err(k.Certificate(1, inf)) }, "= +Inf"},
		{"Laplace at NaN", func() any { return hostile.Err(total.Laplace(nan)) }, "theta = NaN"},
		{"LaplaceError at -1", func() any { return hostile.Err(total.LaplaceError(-1)) }, "theta = -1"},
		{"W1 to NaN", func() any { return hostile.Err(total.W1(nan)) }, "= NaN"},
		{"influence at NaN", func() any { return hostile.Err(total.WassersteinInfluence(nan)) }, "mean = NaN"},
		{"scaling by NaN", func() any { return hostile.Err(total.Measured(nil, Scaling{Scale: nan})) }, "scale = NaN"},
		{"shift of 1e300", func() any {
			m, err := total.Measured(nil, Scaling{Scale: 1, Shift: 1e300})
			if err != nil {
				return err
			}
			return hostile.Err(m.W1(limit.Exponential{Mean: 1}))
		}, "shift = 1e+300"},
		{"another run", func() any { return hostile.Err(total.Measured(&sim.BoundaryLaw{}, Scaling{Scale: 1})) }, "want the run"},
		{"MeasuredDirect of no run", func() any { return hostile.Err(MeasuredDirect(nil, Scaling{Scale: 1})) }, "st = nil"},
		{"MeasuredDirect of Stationary{}", func() any { return hostile.Err(MeasuredDirect(&sim.Stationary{}, Scaling{Scale: 1})) }, "counts sum to 0"},
		{"Measured{}", func() any { return hostile.Err(new(Measured).W1(limit.Exponential{Mean: 1})) }, "span = 0"},
		{"Measured to no law", func() any {
			m, err := total.Measured(nil, Scaling{Scale: 1})
			if err != nil {
				return err
			}
			return hostile.Err(m.W1(nil))
		}, "law is nil"},
		{"between no laws", func() any { return hostile.Err(new(Measured).Between(nil)) }, "other = nil"},
		{"FromDirect of no run", from(nil, 0.1, 1), "st = nil"},
		{"FromDirect of Stationary{}", from(&sim.Stationary{}, 0.1, 1), "no points"},
		{"FromDirect at NaN", from(&sim.Stationary{Counts: []int64{1, 1}, Looks: 2}, nan, 1), "x[0] = NaN"},
		{"FromDirect to Inf", from(&sim.Stationary{Counts: []int64{1, 1}, Looks: 2}, 0.1, inf), "mean = +Inf"},
		{"FromDirect of no replications", func() any {
			w, _, _ := FromDirect(&sim.Stationary{Counts: []int64{1, 1}, Looks: 2}, 0.1, 1)
			return w.StdErr
		}, "NaN"},
	})
	// Far from everything, and of zero values, there is an answer too.
	for _, z := range []*Total{total, {}} {
		for _, n := range []int{math.MinInt, -1, 0, 1, math.MaxInt} {
			z.PMF(n)
			z.CDF(n)
			z.Survival(n)
			z.LogSurvival(n)
			z.Kernel().At(n)
		}
		z.Tail()
		z.Lattice()
		z.NegativeMass()
		z.Laplace(1)
		z.LaplaceError(1)
		z.W1ToLimit()
		z.WassersteinInfluence(1)
		z.Measured(nil, Scaling{Scale: 1})
		z.Kernel().Certificate(1, 1)
		z.Kernel().Correction()
		z.Kernel().Total(Boundary{P: []float64{1}})
	}
	if m := new(Total).Mean() + new(Total).SecondMoment(); m != 0 {
		t.Errorf("Total{} has moments %v: want 0", m)
	}
}
