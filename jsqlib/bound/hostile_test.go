package bound

import (
	"math"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/hostile"
	"jsqlab/jsqlib/law"
)

func TestHostile(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	s := jsqlib.Model{Servers: 2, Gap: 0.3}
	c := mustConstants(t, s)
	d := mustDrift(t, s)
	b := law.Boundary{P: []float64{0.5, 0.5}}
	total, err := law.New(c, b)
	if err != nil {
		t.Fatal(err)
	}
	stein, err := NewStein(1, Distance(1))
	if err != nil {
		t.Fatal(err)
	}
	far := law.Boundary{Min: 1 << 40, P: []float64{0.5, 0.5}}
	farTotal, err := law.New(c, far)
	if err != nil {
		t.Fatal(err)
	}
	ct := mustConstants(t, jsqlib.Model{Continuous: true, Servers: 2, Gap: 0.3})
	ctTotal, err := law.New(ct, b)
	if err != nil {
		t.Fatal(err)
	}
	hostile.Run(t, hostile.Calls{
		{"NewTerms of continuous time", func() any { return hostile.Err(NewTerms(ct, ctTotal, b, Identity())) }, "continuous time"},
		{"NewLaplace of continuous time", func() any { return hostile.Err(NewLaplace(ct, ctTotal, b, 1)) }, "continuous time"},
		{"NewTerms far out", func() any {
			x, err := NewTerms(c, farTotal, far, Distance(1)) // E |Z - 1| is about c 2^40
			return []any{math.Round(x.Error / c.Gap / (1 << 30)), err}
		}, "[1024 <nil>]"},
		{"Model{}", func() any { return hostile.Err(New(jsqlib.Model{})) }, "servers = 0"},
		{"NewDrift of Model{}", func() any { return hostile.Err(NewDrift(jsqlib.Model{})) }, "servers = 0"},
		{"Drift{}.MomentRoot", func() any { return hostile.Err(Drift{}.MomentRoot(2)) }, "d = {"},
		{"Drift{}.LogMoment", func() any { return hostile.Err(Drift{}.LogMoment(2)) }, "d = {"},
		{"Drift{}.LogMomentClosed", func() any { return hostile.Err(Drift{}.LogMomentClosed(2)) }, "d = {"},
		{"Drift{}.Optimised", func() any { return hostile.Err(Drift{}.Optimised(2)) }, "d = {"},
		{"Drift{}.WithEta", func() any { return hostile.Err(Drift{}.WithEta(1)) }, "eta = 1"},
		{"Drift{}.Tail", func() any { return Drift{}.Tail(1) }, "NaN"},
		{"Drift{}.Line", func() any { return Drift{}.Line(0) }, "NaN"},
		{"drift of NaN", func() any { d := d; d.Kappa = nan; return hostile.Err(d.MomentRoot(2)) }, "d = {"},
		{"drift of Inf", func() any { d := d; d.KPerp = inf; return hostile.Err(d.Optimised(2)) }, "d = {"},
		{"order 0", func() any { return hostile.Err(d.MomentRoot(0)) }, "r = 0"},
		{"eta NaN", func() any { return hostile.Err(d.WithEta(nan)) }, "eta = NaN"},
		{"Tail at NaN", func() any { return d.Tail(nan) }, "NaN"},
		{"BestR of Constants{}", func() any { _, _, err := BestR(jsqlib.Constants{}, d, true); return err }, "N = 0"},
		{"BestR of Drift{}", func() any { _, _, err := BestR(c, Drift{}, true); return err }, "d = {"},
		{"BestR of eps NaN", func() any { c := c; c.Eps = nan; _, _, err := BestR(c, d, true); return err }, "eps = NaN"},
		{"Hoelder of Constants{}", func() any { return hostile.Err(Hoelder(jsqlib.Constants{}, 1, 2)) }, "N = 0"},
		{"Hoelder of NaN", func() any { return hostile.Err(Hoelder(c, nan, 2)) }, "momentRoot = NaN"},
		{"Hoelder of Inf", func() any { return hostile.Err(Hoelder(c, inf, 2)) }, "momentRoot = +Inf"},
		{"PaperR of no server", func() any { return hostile.Err(PaperR(0, 2)) }, "servers = 0"},
		{"PaperR of alpha NaN", func() any { return hostile.Err(PaperR(10, nan)) }, "alpha = NaN"},
		{"PaperExponent of p NaN", func() any { return hostile.Err(PaperExponent(2, nan)) }, "p = NaN"},
		{"PaperRelativeExponent of alpha Inf", func() any { x, err := PaperRelativeExponent(inf, 2); return []any{x, err} }, "[0 bound: alpha = +Inf"},
		{"Conjugate of NaN", func() any { return Conjugate(nan) }, "NaN"},
		{"Argument{}.At", func() any { return hostile.Err(new(Argument).At(2, d)) }, "an Argument without a system"},
		{"Argument{}.Best", func() any { return hostile.Err(new(Argument).Best()) }, "N = 0"},
		{"Argument{}.Paper", func() any { return hostile.Err(new(Argument).Paper()) }, "servers = 0"},
		{"Bounds{}", func() any { return Bounds{}.Vacuous() }, "false"},
		{"NewStein of NaN", func() any { return hostile.Err(NewStein(nan, Identity())) }, "mean = NaN"},
		{"Lipschitz{}", func() any { return hostile.Err(NewStein(1, Lipschitz{})) }, "0 slopes and 0 breaks"},
		{"Distance from NaN", func() any { return hostile.Err(NewStein(1, Distance(nan))) }, "break NaN"},
		{"Capped at Inf", func() any { return hostile.Err(NewStein(1, Capped(inf))) }, "break +Inf"},
		{"Increment to NaN", func() any { return stein.Increment(0, nan) }, "NaN"},
		{"Increment back", func() any { return stein.Increment(2, 0.5) + stein.Increment(0.5, 2) }, "0"},
		{"Increment back from below 0", func() any { return stein.Increment(2, -1) + stein.Increment(-1, 2) }, "0"},
		{"Second at NaN", func() any { return stein.Second(nan) }, "NaN"},
		{"Prime at NaN", func() any { return stein.Prime(nan) }, "NaN"},
		{"Third at NaN", func() any { return stein.Third(nan) }, "NaN"},
		{"Stein{}", func() any {
			return []float64{new(Stein).Second(1), new(Stein).Prime(-1), new(Stein).Third(1), new(Stein).Increment(-1, 1)}
		}, "[NaN NaN NaN NaN]"},
		{"Witness of nothing", func() any { return hostile.Err(Witness(nil)) }, "t = nil or Total{}"},
		{"Witness of Total{}", func() any { return hostile.Err(Witness(new(law.Total))) }, "t = nil or Total{}"},
		{"NewTerms of nothing", func() any { return hostile.Err(NewTerms(c, nil, b, Identity())) }, "t = "},
		{"NewTerms of zero values", func() any { return hostile.Err(NewTerms(jsqlib.Constants{}, new(law.Total), b, Identity())) }, "want"},
		{"NewTerms of another b", func() any { return hostile.Err(NewTerms(c, total, law.Boundary{P: []float64{nan}}, Identity())) }, "b = "},
		{"NewLaplace of nothing", func() any { return hostile.Err(NewLaplace(c, nil, b, 1)) }, "t = "},
		{"NewLaplace of another b", func() any { return hostile.Err(NewLaplace(c, total, law.Boundary{P: []float64{nan}}, 1)) }, "b = "},
		{"NewLaplace at NaN", func() any { return hostile.Err(NewLaplace(c, total, b, nan)) }, "theta = NaN"},
		{"Terms{}", func() any { return Terms{}.Bound() + Numerator{}.Value() + Denominator{}.Value() }, "2"},
	})
}
