package record

import (
	"context"
	"errors"
	"math"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/near"
	"jsqlab/jsqlib/law"
	"jsqlab/jsqlib/limit"
	"jsqlab/jsqlib/sim"
)

// runs measures the law of Y of one continuous-time system from the boundary and by
// plain simulation.
func runs(t *testing.T, s jsqlib.Model, relError float64, y law.Scaling) (boundary, direct *law.Measured) {
	t.Helper()
	d, err := Distance(context.Background(), s, sim.BoundaryOptions{Options: sim.Options{Seed: 11, RelError: relError}})
	if err != nil {
		t.Fatal(err)
	}
	if boundary, err = Measured(d.Total, d.Boundary, y); err != nil {
		t.Fatal(err)
	}
	st, err := sim.Direct(context.Background(), s, sim.Options{Seed: 12, RelError: relError})
	if err != nil {
		t.Fatal(err)
	}
	if direct, err = MeasuredDirect(st, y); err != nil {
		t.Fatal(err)
	}
	return boundary, direct
}

func must(t *testing.T) func(jsqlib.Estimate, error) jsqlib.Estimate {
	return func(e jsqlib.Estimate, err error) jsqlib.Estimate {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
}

// TestMeasuredRegimes: for alpha <= 1 the two estimators agree on W1 to the limit of the
// regime, and to one another. (At alpha = 3/4 the limit is far at N = 30.)
func TestMeasuredRegimes(t *testing.T) {
	must := must(t)
	for _, c := range []struct {
		s  jsqlib.Model
		y  law.Scaling
		to limit.Law
	}{
		{jsqlib.Model{Continuous: true, Servers: 30, Alpha: 0.75}, law.Scaling{Scale: math.Pow(30, -0.75), Shift: 30}, limit.Gamma{Shape: 2, Rate: 1}},
		{jsqlib.Model{Continuous: true, Servers: 20, Gap: 0.05}, law.Scaling{Scale: 1. / 20, Shift: 0}, limit.NDS{G: 1}},
		{jsqlib.Model{Continuous: true, Servers: 20, Gap: 0.1}, law.Scaling{Scale: 1. / 20, Shift: 0}, limit.NDS{G: 2}},
	} {
		b, d := runs(t, c.s, 0.01, c.y)
		wb, wd := must(b.W1(c.to)), must(d.W1(c.to))
		if diff := math.Abs(wb.Value - wd.Value); diff > 4*math.Hypot(wb.StdErr, wd.StdErr)+d.Noise() {
			t.Errorf("%+v: boundary %v, direct %v, noise %v", c.s, wb, wd, d.Noise())
		}
		for _, w := range []jsqlib.Estimate{wb, wd} {
			if !(w.StdErr > 0 && w.StdErr < w.Value/3 && w.Low < w.Value && w.Value < w.High) {
				t.Errorf("%+v: W1 %+v", c.s, w)
			}
		}
		// the two measured laws are near each other
		if w := must(b.Between(d)); w.Value > 8*(d.Noise()+w.StdErr) {
			t.Errorf("%+v: W1 between the two runs %v, noise %v", c.s, w, d.Noise())
		}
	}
}

// TestMeasuredInterval: the standard error is that of W1 over independent runs.
func TestMeasuredInterval(t *testing.T) {
	must := must(t)
	s, y := jsqlib.Model{Continuous: true, Servers: 8, Gap: 0.125}, law.Scaling{Scale: 1. / 8, Shift: 0}
	to := limit.NDS{G: 1}
	const reps = 24
	var sum, squares, errs [2]float64
	for seed := range uint64(reps) {
		o := sim.Options{Seed: 100 + seed, RelError: 0.1, MaxSlots: 40_000_000}
		bo := sim.BoundaryOptions{Options: o}
		bo.RelError = 0.02
		d, err := Distance(context.Background(), s, bo)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Measured(d.Total, d.Boundary, y)
		if err != nil {
			t.Fatal(err)
		}
		st, err := sim.Direct(context.Background(), s, o)
		if err != nil {
			t.Fatal(err)
		}
		direct, err := MeasuredDirect(st, y)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range []*law.Measured{b, direct} {
			w := must(m.W1(to))
			sum[i] += w.Value
			squares[i] += w.Value * w.Value
			errs[i] += w.StdErr * w.StdErr
		}
	}
	for i, name := range []string{"boundary", "direct"} {
		mean := sum[i] / reps
		spread := math.Sqrt((squares[i]/reps - mean*mean) * reps / (reps - 1))
		stated := math.Sqrt(errs[i] / reps)
		// chi-squared with 23 degrees of freedom: a ratio outside is a matter of 1e-4
		if r := stated / spread; r < 0.6 || r > 1.8 {
			t.Errorf("%s: standard error stated %v, seen %v", name, stated, spread)
		}
	}
}

// TestMeasuredExponential: for Exp(m) at shift 0 the general route gives what the
// special one does.
func TestMeasuredExponential(t *testing.T) {
	must := must(t)
	for _, s := range []jsqlib.Model{{Servers: 4, Gap: 0.05}, {Servers: 6, Gap: 0.1, Routing: jsqlib.Job}} {
		d, err := Distance(context.Background(), s, sim.BoundaryOptions{Options: sim.Options{Seed: 1, RelError: 0.01}})
		if err != nil {
			t.Fatal(err)
		}
		m, err := Measured(d.Total, d.Boundary, law.Scaling{Scale: s.Gap})
		if err != nil {
			t.Fatal(err)
		}
		w := must(m.W1(limit.Exponential{Mean: d.Total.LimitMean()}))
		near.Rel(t, "W1", w.Value, d.W1.Value, 1e-10)
		near.Rel(t, "its standard error", w.StdErr, d.W1.StdErr, 1e-6)

		exact, err := d.Total.Measured(law.Scaling{Scale: s.Gap}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if e := must(exact.W1(limit.Exponential{Mean: d.Total.LimitMean()})); e.Value != w.Value || e.StdErr != 0 || e.Low != e.Value || e.High != e.Value {
			t.Errorf("exact law: %+v, want %v without error", e, w.Value)
		}
		if e := must(m.Between(exact)); e.Value > 1e-14 {
			t.Errorf("a law from itself: %v", e)
		}

		st, err := sim.Direct(context.Background(), s, sim.Options{Seed: 2, RelError: 0.02})
		if err != nil {
			t.Fatal(err)
		}
		want, noise, err := FromDirect(st, s.Gap, d.Total.LimitMean())
		if err != nil {
			t.Fatal(err)
		}
		dm, err := MeasuredDirect(st, law.Scaling{Scale: s.Gap})
		if err != nil {
			t.Fatal(err)
		}
		w = must(dm.W1(limit.Exponential{Mean: d.Total.LimitMean()}))
		near.Rel(t, "direct W1", w.Value, want.Value, 1e-10)
		near.Rel(t, "its standard error", w.StdErr, want.StdErr, 1e-6)
		// one takes the exponential law's spread, the other the measured one
		near.Rel(t, "noise", dm.Noise(), noise, 0.4)
	}
}

func TestMeasuredErrors(t *testing.T) {
	d, err := Distance(context.Background(), jsqlib.Model{Continuous: true, Servers: 2, Gap: 0.2}, sim.BoundaryOptions{Options: sim.Options{RelError: 0.1}})
	if err != nil {
		t.Fatal(err)
	}
	var field *jsqlib.Invalid
	nan, inf := math.NaN(), math.Inf(1)
	for _, y := range []law.Scaling{{}, {Scale: -1}, {Scale: nan}, {Scale: inf}, {Scale: 1, Shift: nan}, {Scale: 1, Shift: inf}} {
		if _, err := Measured(d.Total, d.Boundary, y); !errors.As(err, &field) {
			t.Errorf("%+v: error %v", y, err)
		}
		if _, err := MeasuredDirect(&sim.Stationary{}, y); !errors.As(err, &field) {
			t.Errorf("%+v: error %v", y, err)
		}
	}
	if _, err := Measured(d.Total, &sim.BoundaryLaw{}, law.Scaling{Scale: 1}); !errors.As(err, &field) {
		t.Errorf("another run: error %v", err)
	}
	if _, err := MeasuredDirect(&sim.Stationary{}, law.Scaling{Scale: 1}); err == nil {
		t.Error("a run without counts: no error")
	}
}
