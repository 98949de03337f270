package jsqlib

import (
	"math"
	"math/rand/v2"
	"testing"

	"jsqlab/jsqlib/internal/hostile"
)

func TestHostile(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	r := rand.New(rand.NewPCG(1, 2))
	pod := Policy{Pod, 3}
	constants := func(s Model) func() any { return func() any { return hostile.Err(s.Constants()) } }
	hostile.Run(t, hostile.Calls{
		{"Ranks of no server", func() any { return Policy{}.Ranks(0) }, "[]"},
		{"Ranks of -1 servers", func() any { return Policy{Pod, 2}.Ranks(-1) }, "[]"},
		{"Ranks of fewer servers than choices", func() any { return pod.Ranks(2) }, "[]"},
		{"Ranks of negative choices", func() any { return Policy{PodReplacement, -2}.Ranks(3) }, "[]"},
		{"Ranks of too many servers", func() any { return Policy{Pod, 2}.Ranks(math.MaxInt) }, "[]"},
		{"Recurrent of a rule of none", func() any { return Policy{Rule: 9}.Recurrent(3) }, "policy = Rule(9)"},
		{"Model{}", constants(Model{}), "servers = 0"},
		{"alpha NaN", constants(Model{Servers: 2, Alpha: nan}), "alpha = NaN"},
		{"alpha Inf", constants(Model{Servers: 2, Alpha: inf}), "alpha = +Inf"},
		{"gap NaN", constants(Model{Servers: 2, Gap: nan}), "gap = NaN"},
		{"empty law", constants(Model{Servers: 2, Gap: 0.1, Arrivals: PMF{}}), "arrivals = an empty pmf"},
		{"law of NaN", constants(Model{Servers: 2, Gap: 0.1, Service: PMF{0, nan}}), "service = a pmf with P(1) = NaN"},
		{"routing", constants(Model{Servers: 2, Gap: 0.1, Routing: 7}), "routing = 7"},
		{"continuous time", constants(Model{Continuous: true}), "servers = 0"},
		{"continuous time by batches", constants(Model{Continuous: true, Servers: 2, Gap: 0.1, Routing: Job}), "model = "},
		{"a rule of none", constants(Model{Servers: 2, Gap: 0.1, Policy: Policy{Rule: 9}}), "policy = Rule(9)"},
		{"Constants{}", func() any { return Constants{}.Relaxation() }, "NaN"},
		{"Route of no queues", func() any { return Model{}.Route(nil, 3, r) }, "[]"},
		{"Route of too many choices", func() any { return Model{Policy: pod}.Route([]int64{1, 2}, 3, r) }, "[]"},
		{"Route by no unit", func() any { return Model{Routing: 9}.Route([]int64{1, 2}, 3, r) }, "[]"},
		{"Route without servers in the system", func() any { return Total(Model{}.Route([]int64{0, 5}, 2, r)) }, "2"},
		{"Step of nothing", func() any { return Model{}.Step(Constants{}, nil, r).Check() }, "<nil>"},
		{"Step of too many choices", func() any { return Model{Policy: pod}.Step(Constants{}, []int64{1, 2}, r).Check() }, "vector of length 0, want 2"},
		{"Tick of no queues", func() any { _, _, i := Model{}.Tick(Constants{}, nil, r); return i }, "-1"},
		{"Tick of too many choices", func() any { _, _, i := Model{Policy: pod}.Tick(Constants{Load: 0.9}, []int64{0, 0}, r); return i }, "-1"},
		{"Serve of short vectors", func() any { return Serve([]int64{1, 2}, []int64{1}, nil).Check() }, "vector of length 1, want 2"},
		{"Check of a short slot", func() any { return Slot{Before: []int64{1}}.Check() }, "vector of length 0, want 1"},
		{"Join of no queues", func() any { Batch.Join(nil, 3); Job.Join(nil, 3); return "nothing" }, "nothing"},
		{"Parallel of no queues", func() any { return Parallel(nil) }, "0"},
		{"Perp of no queues", func() any { return Perp(nil) }, "[]"},
		{"PerpNorm2 of no queues", func() any { return PerpNorm2(nil) }, "0"},
		{"Text of no law", func() any { return PMF(nil).Text() }, "pmf:0"},
		{"Thin of no law", func() any { return PMF(nil).Thin(0.3) }, "[0]"},
		{"Thin of no law by most", func() any { return PMF(nil).Thin(0.9) }, "[0]"},
		{"Convolve of no laws", func() any { return PMF(nil).Convolve(nil) }, "[]"},
		{"Convolve with no law", func() any { return PMF{1}.Convolve(nil) }, "[]"},
		{"Power of no law", func() any { return PMF(nil).Power(3) }, "[]"},
		{"Power -1", func() any { return PMF{0.5, 0.5}.Power(-1) }, "[1]"},
		{"Power of more than memory holds", func() any { return PMF{0.5, 0.5}.Power(1 << 40) }, "[]"},
		{"Power of more than an int holds", func() any { return PMF{0.5, 0, 0, 0.5}.Power(math.MaxInt) }, "[]"},
		{"Power of 0 jobs", func() any { return PMF{1, 0}.Power(1 << 40) }, "[1]"},
		{"Sample of no law", func() any { return PMF(nil).Sample(r) }, "0"},
		{"CommonPMF of none", func() any { return hostile.Err(CommonPMF("service")) }, "service = no pmf"},
		{"CommonPMF of an empty law", func() any { return hostile.Err(CommonPMF("service", PMF{0, 1}, nil)) }, "an empty pmf"},
		{"FromTrace of nothing", func() any { _, _, err := FromTrace[int]("arrivals", nil); return err }, "a trace of 0 slots"},
		{"Estimate{}", func() any { return Estimate{}.RelError() + Estimate{}.Deviation(0) }, "0"},
	})
}
