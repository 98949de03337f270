package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/reps"
)

var (
	cheap    = jsqlib.Model{Servers: 3, Gap: 0.3}
	cheapJob = jsqlib.Model{Servers: 3, Gap: 0.3, Routing: jsqlib.Job}
	cheapCT  = jsqlib.Model{Continuous: true, Servers: 3, Gap: 0.3}
)

// estimators runs each of them with the same options.
func estimators(o Options) map[string]func(context.Context) (any, []string, error) {
	return map[string]func(context.Context) (any, []string, error){
		"Direct": func(ctx context.Context) (any, []string, error) {
			r, err := Direct(ctx, cheap, o)
			if r == nil {
				return nil, nil, err
			}
			return r, r.Warnings, err
		},
		"DirectCT": func(ctx context.Context) (any, []string, error) {
			r, err := Direct(ctx, cheapCT, o)
			if r == nil {
				return nil, nil, err
			}
			return r, r.Warnings, err
		},
		"Boundary": func(ctx context.Context) (any, []string, error) {
			r, err := Boundary(ctx, cheap, BoundaryOptions{Estimator: Climb, Options: o})
			if r == nil {
				return nil, nil, err
			}
			return r, r.Warnings, err
		},
		"BoundaryCT": func(ctx context.Context) (any, []string, error) {
			r, err := Boundary(ctx, cheapCT, BoundaryOptions{Estimator: Climb, Options: o})
			if r == nil {
				return nil, nil, err
			}
			return r, r.Warnings, err
		},
		"Balance": func(ctx context.Context) (any, []string, error) {
			r, err := Boundary(ctx, cheapJob, BoundaryOptions{Options: o, Estimator: Balance})
			if r == nil {
				return nil, nil, err
			}
			return r, r.Warnings, err
		},
		"BalanceCT": func(ctx context.Context) (any, []string, error) {
			r, err := Boundary(ctx, cheapCT, BoundaryOptions{Options: o, Estimator: Balance})
			if r == nil {
				return nil, nil, err
			}
			return r, r.Warnings, err
		},
	}
}

// sameNumbers fails unless the exported fields of two results are the same
// bits.
func sameNumbers(t *testing.T, what string, a, b any) {
	t.Helper()
	x, y := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for i := range x.NumField() {
		f := x.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		// %x shows every bit of a float64
		if v, w := fmt.Sprintf("%x", x.Field(i).Interface()), fmt.Sprintf("%x", y.Field(i).Interface()); v != w {
			t.Errorf("%s: %s = %.300s, then %.300s", what, f.Name, v, w)
		}
	}
}

// TestSameBitsForAnyWorkers: the number of workers changes no bit of a result,
// the seed does.
func TestSameBitsForAnyWorkers(t *testing.T) {
	systems := []jsqlib.Model{
		cheap, {Servers: 3, Gap: 0.3, Routing: jsqlib.Job}, {Servers: 40, Gap: 0.2},
		{Servers: 4, Gap: 0.3, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 2}, Service: skewed}, {Servers: 4, Gap: 0.3, Policy: again(2), Routing: jsqlib.Job},
	}
	if raceEnabled {
		systems = []jsqlib.Model{systems[0], systems[1], systems[3]}
	}
	run := map[string]func(Options) (any, error){
		"DirectCT": func(o Options) (any, error) { return Direct(background, cheapCT, o) },
		"BoundaryCT": func(o Options) (any, error) {
			return Boundary(background, cheapCT, BoundaryOptions{Estimator: Climb, Options: o})
		},
		"Balance, batch": func(o Options) (any, error) {
			return Boundary(background, cheap, BoundaryOptions{Options: o, Estimator: Balance})
		},
		"Balance": func(o Options) (any, error) {
			return Boundary(background, cheapJob, BoundaryOptions{Options: o, Estimator: Balance})
		},
		"BalanceCT": func(o Options) (any, error) {
			return Boundary(background, cheapCT, BoundaryOptions{Options: o, Estimator: Balance})
		},
		"DirectCT pod:2": func(o Options) (any, error) {
			return Direct(background, jsqlib.Model{Continuous: true, Servers: 4, Gap: 0.3, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 2}}, o)
		},
	}
	for _, s := range systems {
		run[fmt.Sprintf("Direct %+v", s)] = func(o Options) (any, error) { return Direct(background, s, o) }
		run[fmt.Sprintf("Boundary %+v", s)] = func(o Options) (any, error) {
			return Boundary(background, s, BoundaryOptions{Estimator: Climb, Options: o, Ceiling: 4})
		}
	}
	for name, run := range run {
		o := Options{Seed: 9, RelError: loose(0.1), Replications: 9, MaxSlots: 8_000_000}
		var first any
		for _, o.Workers = range []int{1, 2, 7} {
			got, err := run(o)
			if err != nil {
				t.Fatal(name, err)
			}
			if first == nil {
				first = got
				continue
			}
			sameNumbers(t, fmt.Sprintf("%s, %d workers", name, o.Workers), first, got)
		}
		o.Seed++
		other, err := run(o)
		if err != nil {
			t.Fatal(name, err)
		}
		boundary := func(result any) float64 {
			return reflect.ValueOf(result).Elem().FieldByName("BoundaryMean").FieldByName("Value").Float()
		}
		if boundary(first) == boundary(other) {
			t.Errorf("%s: another seed gives the same numbers", name)
		}
	}
}

// TestCancel: when the context ends, no replication starts another stretch of
// work, and what was counted comes back with a warning and the error.
func TestCancel(t *testing.T) {
	const workers = 3
	for _, warm := range []bool{true, false} {
		var cancel context.CancelFunc
		ended, after := false, 0
		o := Options{RelError: 1e-3, MaxSlots: math.MaxInt64, Workers: workers, Progress: func(p Progress) {
			if ended {
				after++
			} else if strings.HasSuffix(p.Phase, ", warm-up") == warm && p.Slots > p.Planned/3 {
				ended = true
				cancel()
			}
		}}
		for name, run := range estimators(o) {
			ended, after = false, 0
			ctx, stop := context.WithCancel(background)
			cancel = stop
			got, warnings, err := run(ctx)
			stop()
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error %v, want %v", name, err, context.Canceled)
			}
			// each of the other workers may report the stretch it was in
			if !ended || after > workers-1 {
				t.Errorf("%s: ended %v, %d stretches of work done afterwards by %d workers", name, ended, after, workers)
			}
			if warm {
				if got != nil {
					t.Errorf("%s: a result from the warm-up: %+v", name, got)
				}
				continue
			}
			if got == nil {
				t.Errorf("%s: nothing of what was counted", name)
				continue
			}
			if len(warnings) == 0 || !strings.Contains(strings.Join(warnings, "\n"), "interrupted") {
				t.Errorf("%s: no word of the interruption in %q", name, warnings)
			}
			v := reflect.ValueOf(got).Elem()
			q := v.FieldByName("QtildeMean").Interface().(jsqlib.Estimate)
			if !(q.StdErr > 0) || math.IsInf(q.StdErr, 0) || math.IsNaN(q.Value) || v.FieldByName("Slots").Int() <= 0 {
				t.Errorf("%s: E Q~ = %v after %v slots", name, q, v.FieldByName("Slots"))
			}
		}
	}
	// a context that has ended, or a deadline, does no work at all
	ctx, cancel := context.WithCancel(background)
	cancel()
	for name, run := range estimators(Options{Progress: func(p Progress) { t.Errorf("work after the end: %+v", p) }}) {
		if got, _, err := run(ctx); got != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestCancelAtNextCeiling: an interruption in the warm-up of the second ceiling
// leaves the result of the first.
func TestCancelAtNextCeiling(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	b, err := Boundary(ctx, cheap, BoundaryOptions{Estimator: Climb, Ceiling: 3, Options: Options{RelError: 0.1, Progress: func(p Progress) {
		if strings.Contains(p.Phase, "L=6") {
			cancel()
		}
	}}})
	if !errors.Is(err, context.Canceled) || b == nil || b.Ceiling != 3 || b.P == nil || len(b.Warnings) == 0 {
		t.Errorf("%+v, %v: want the law at ceiling 3, a warning and %v", b, err, context.Canceled)
	}
}

// TestCancelKeepsWholeReplications: of an interrupted round, replications with
// nothing counted say nothing about the spread.
func TestCancelKeepsWholeReplications(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	done := 0
	b, err := Boundary(ctx, cheap, BoundaryOptions{Estimator: Climb, Options: Options{Workers: 1, Seed: 1, RelError: 1e-3, Progress: func(p Progress) {
		if !strings.HasSuffix(p.Phase, "warm-up") {
			if done++; done == 3 {
				cancel()
			}
		}
	}}})
	if !errors.Is(err, context.Canceled) || b == nil || b.Replications != 3 {
		t.Fatalf("%+v, %v: want a law of 3 replications", b, err)
	}
	// the 0.975 quantile of Student's t with 2 degrees of freedom
	if w := b.QtildeMean.HalfWidth() / b.QtildeMean.StdErr; math.Abs(w-4.302652729911275) > 1e-9 {
		t.Errorf("half width %v standard errors, want 4.3027 from 3 replications", w)
	}
}

// TestProgress: slots grow within a phase up to what was planned, and phases
// come in order.
func TestProgress(t *testing.T) {
	for _, workers := range []int{1, 4} {
		var phases []string
		var last Progress
		calls := 0
		o := Options{Workers: workers, RelError: 0.1, Replications: 5, Progress: func(p Progress) {
			calls++
			if p.Phase != last.Phase {
				for _, x := range phases {
					if x == p.Phase {
						t.Errorf("phase %q comes back", p.Phase)
					}
				}
				phases = append(phases, p.Phase)
			} else if p.Slots <= last.Slots || p.Planned < last.Planned {
				t.Errorf("%+v after %+v", p, last)
			}
			if p.Slots > p.Planned || p.Slots <= 0 || !(p.RelError >= 0) {
				t.Errorf("%+v", p)
			}
			last = p
		}}
		for name, run := range estimators(o) {
			phases, last, calls = nil, Progress{}, 0
			if _, _, err := run(background); err != nil {
				t.Fatal(name, err)
			}
			if len(phases) < 2 || !strings.HasSuffix(phases[0], ", warm-up") || strings.HasSuffix(phases[1], ", warm-up") || last.Slots != last.Planned {
				t.Errorf("%s: phases %q, last %+v", name, phases, last)
			}
			if strings.HasPrefix(name, "Boundary") && (len(phases) < 4 || !strings.Contains(phases[0], "L=")) {
				t.Errorf("%s: phases %q, want two ceilings at least", name, phases)
			}
			if calls < 4*5-10 {
				t.Errorf("%s: %d calls", name, calls)
			}
		}
	}
}

// TestOptionErrors: what cannot be used is refused in one line that names the
// option.
func TestOptionErrors(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Workers: -1}, "sim: workers = -1: want workers >= 0 (0: one for each core)"},
		{Options{RelError: math.NaN()}, "sim: rel-error = NaN: want 0 < rel-error < 1"},
		{Options{RelError: 1}, "sim: rel-error = 1: want 0 < rel-error < 1"},
		{Options{RelError: math.Inf(1)}, "sim: rel-error = +Inf: want 0 < rel-error < 1"},
		{Options{RelError: -0.1}, "sim: rel-error = -0.1: want 0 < rel-error < 1"},
		{Options{MaxSlots: -1}, "sim: max-slots = -1: want max-slots > 0"},
		{Options{Replications: 1}, "sim: replications = 1: want at least 2"},
		{Options{Replications: -2}, "sim: replications = -2: want at least 2"},
	} {
		for name, run := range estimators(c.o) {
			got, _, err := run(background)
			var oe *jsqlib.Invalid
			if got != nil || !errors.As(err, &oe) || err.Error() != c.want {
				t.Errorf("%s: %v, %v, want %q", name, got, err, c.want)
			}
		}
		for _, err := range []error{third(DirectLength(cheap, c.o)), third(DirectLength(cheapCT, c.o))} {
			if err == nil || err.Error() != c.want {
				t.Errorf("DirectLength: %v, want %q", err, c.want)
			}
		}
	}
	for _, run := range []func(BoundaryOptions) (*BoundaryLaw, error){
		func(o BoundaryOptions) (*BoundaryLaw, error) {
			o.Estimator = Climb
			return Boundary(background, cheap, o)
		},
		func(o BoundaryOptions) (*BoundaryLaw, error) { return Boundary(background, cheapCT, o) },
	} {
		// a tenth of a walk over 2 L N jobs within 10^11 slots: L <= 300,000 or so
		for _, l := range []int64{-1, math.MinInt64, 400_000, 1 << 40, math.MaxInt64} {
			_, err := run(BoundaryOptions{Ceiling: l})
			var oe *jsqlib.Invalid
			if !errors.As(err, &oe) || !strings.HasPrefix(err.Error(), fmt.Sprintf("sim: ceiling = %d: want 0 < ceiling <= ", l)) ||
				!strings.HasSuffix(err.Error(), "from which walks end within max-slots") {
				t.Errorf("ceiling %d: %v", l, err)
			}
		}
		if _, err := run(BoundaryOptions{Ceiling: 16, Options: Options{RelError: 0.2}}); err != nil {
			t.Errorf("ceiling 16: %v", err)
		}
	}
}

func third(_, _ float64, err error) error { return err }

// TestSystemErrors: an unusable description is refused by all of them with the
// error of jsqlib.
func TestSystemErrors(t *testing.T) {
	bad, badCT := jsqlib.Model{Servers: 3, Alpha: -1}, jsqlib.Model{Continuous: true, Servers: 3, Gap: 2}
	_, err1 := Direct(background, bad, Options{})
	_, err2 := Boundary(background, bad, BoundaryOptions{Estimator: Climb})
	_, err3 := SamplePath(bad, PathOptions{})
	_, err4 := Direct(background, badCT, Options{})
	_, err5 := Boundary(background, badCT, BoundaryOptions{Estimator: Climb})
	_, err6 := SamplePath(badCT, PathOptions{})
	for i, err := range []error{err1, err2, err3, third(DirectLength(bad, Options{})), err4, err5, err6, third(DirectLength(badCT, Options{}))} {
		var fe *jsqlib.Invalid
		if want := []string{"alpha", "gap"}[i/4]; !errors.As(err, &fe) || fe.What != want {
			t.Errorf("%d: %v, want a *jsqlib.Invalid of %s", i, err, want)
		}
	}
}

// TestUnreachable: a run that cannot end is refused before it starts, exactly
// where its planned length is beyond the budget.
func TestUnreachable(t *testing.T) {
	for _, s := range []jsqlib.Model{{Servers: 32, Alpha: 4.5}, {Servers: 2, Alpha: 100}, {Servers: 1, Gap: 1e-150}} {
		_, err := Direct(background, s, Options{})
		if !errors.Is(err, ErrUnreachable) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "max-slots = 2e+10") {
			t.Errorf("%+v: %v", s, err)
		}
		_, err = Direct(background, jsqlib.Model{Continuous: true, Servers: s.Servers, Alpha: s.Alpha, Gap: s.Gap}, Options{})
		if !errors.Is(err, ErrUnreachable) {
			t.Errorf("CT, %+v: %v", s, err)
		}
	}
	o := Options{RelError: 0.2, Replications: 4}
	relaxation, slots, err := DirectLength(cheap, o)
	c := constants(t, cheap)
	if err != nil || relaxation != c.Relaxation() || slots < relaxation*1.96*1.96/0.04 {
		t.Errorf("DirectLength = %v, %v, %v", relaxation, slots, err)
	}
	o.MaxSlots = int64(slots) + 1
	if _, err := Direct(background, cheap, o); err != nil {
		t.Errorf("with its planned length as budget: %v", err)
	}
	o.MaxSlots = int64(slots) - 1
	if _, err := Direct(background, cheap, o); !errors.Is(err, ErrUnreachable) {
		t.Errorf("with less than its planned length: %v", err)
	}
}

// TestBudget: a budget that ends first is said in a warning, and is kept.
func TestBudget(t *testing.T) {
	_, slots, err := DirectLength(cheap, Options{RelError: 0.02})
	if err != nil {
		t.Fatal(err)
	}
	warned := 0
	for seed := range uint64(12) {
		o := Options{Seed: seed, RelError: 0.02, MaxSlots: int64(slots) + 1}
		got, err := Direct(background, cheap, o)
		if err != nil {
			t.Fatal(err)
		}
		if got.Slots+got.WarmUp > o.MaxSlots {
			t.Errorf("%d slots of a budget of %d", got.Slots+got.WarmUp, o.MaxSlots)
		}
		short := got.MeanTotal.RelError() > o.RelError
		if says := len(got.Warnings) == 1 && strings.HasPrefix(got.Warnings[0], "the budget of"); says != short {
			t.Errorf("relative error %v, warnings %q", got.MeanTotal.RelError(), got.Warnings)
		}
		if short {
			warned++
		}
	}
	if warned == 0 {
		t.Error("no run was ended by its budget")
	}
	// a budget for part of the first ceiling
	b, err := Boundary(background, cheap, BoundaryOptions{Estimator: Climb, Options: Options{RelError: 1e-3, MaxSlots: 60_000}})
	if err != nil || len(b.Warnings) != 1 || !strings.Contains(b.Warnings[0], "not checked against another one") || b.TotalSlots > 60_000 || b.ShiftInSigma != 0 {
		t.Errorf("%+v, %v: want one warning", b, err)
	}
	// for the first ceiling and part of the second
	first := int64(0)
	b, err = Boundary(background, cheap, BoundaryOptions{Estimator: Climb, Ceiling: 4, Options: Options{RelError: 0.01, MaxSlots: 1 << 40, Progress: func(p Progress) {
		if strings.Contains(p.Phase, "L=4") && !strings.Contains(p.Phase, "warm") {
			first = p.Slots
		}
	}}})
	if err != nil || b.Ceiling < 8 {
		t.Fatalf("%+v, %v", b, err)
	}
	quiet(t, "no budget", b.Warnings)
	warm := int64(50*13) * 32
	for _, c := range []struct {
		budget  int64
		checked bool
	}{{warm + first + 1, false}, {2*warm + first + 64*100, true}} {
		b, err = Boundary(background, cheap, BoundaryOptions{Estimator: Climb, Ceiling: 4, Options: Options{RelError: 0.01, MaxSlots: c.budget}})
		if err != nil || b.Ceiling != 4 || len(b.Warnings) != 1 || !strings.Contains(b.Warnings[0], "before ceiling 8 was as precise as ceiling 4") ||
			b.ShiftInSigma > 0 != c.checked || b.TotalSlots > c.budget || b.P == nil {
			t.Errorf("budget %d: %+v, %v, want ceiling 4 and a warning", c.budget, b, err)
		}
	}
	// for nothing
	for _, budget := range []int64{1, warm, warm + 31} {
		b, err = Boundary(background, cheap, BoundaryOptions{Estimator: Climb, Options: Options{MaxSlots: budget}})
		var oe *jsqlib.Invalid
		if b != nil || !errors.As(err, &oe) || !strings.HasPrefix(err.Error(), fmt.Sprintf("sim: max-slots = %d: want more than %d", budget, warm)) {
			t.Errorf("budget %d: %+v, %v", budget, b, err)
		}
	}
}

// TestNotRecurrent: one random choice leaves the differences null recurrent.
func TestNotRecurrent(t *testing.T) {
	for _, one := range []jsqlib.Policy{pod(1), again(1)} {
		notRecurrent(t, one)
	}
}

func notRecurrent(t *testing.T, one jsqlib.Policy) {
	_, err := Boundary(background, jsqlib.Model{Servers: 4, Gap: 0.1, Policy: one}, BoundaryOptions{Estimator: Climb})
	_, errCT := Boundary(background, jsqlib.Model{Continuous: true, Servers: 4, Gap: 0.1, Policy: one}, BoundaryOptions{Estimator: Climb})
	for _, err := range []error{err, errCT} {
		var nr *jsqlib.Invalid
		if !errors.As(err, &nr) || nr.What != "policy" || !strings.HasPrefix(err.Error(), "jsqlib: policy = "+one.String()+": want") ||
			!strings.Contains(err.Error(), "positive recurrent") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want the reason why %v is refused", err, one)
		}
	}
	// with one server every rule is the same
	o := BoundaryOptions{Options: Options{RelError: 0.1}}
	if _, err := Boundary(background, jsqlib.Model{Servers: 1, Gap: 0.1, Policy: one}, o); err != nil {
		t.Error(err)
	}
	if _, err := Boundary(background, jsqlib.Model{Continuous: true, Servers: 1, Gap: 0.1, Policy: one}, o); err != nil {
		t.Error(err)
	}
}

// TestSelfChecks: each of the three checks finds the constant that is wrong,
// and none finds anything where all is right.
func TestSelfChecks(t *testing.T) {
	alone(t)
	for _, ct := range []bool{false, true} {
		for _, c := range []struct {
			warns  string
			tamper func(*chain)
		}{
			{"", func(*chain) {}},
			{"E U = eps (unused service)", func(ch *chain) { ch.eps *= 1.05 }},
			{"Little's law", func(ch *chain) {
				right := ch.little
				ch.little = func(t *tally) float64 { return 1.05 * right(t) }
			}},
			{"E Q by the boundary identity", func(ch *chain) {
				right := ch.gap
				ch.gap = func(t *tally) (float64, float64) { a, b := right(t); return a, 1.05 * b }
			}},
		} {
			ch, _, err := newChain(cheap)
			if ct {
				ch, _, err = newChain(cheapCT)
			}
			if err != nil {
				t.Fatal(err)
			}
			c.tamper(ch)
			got, err := direct(background, ch, Options{Seed: 5, RelError: 0.005}, "self-check", 1)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case c.warns == "":
				quiet(t, "an untouched chain", got.Warnings)
			case ct && strings.HasPrefix(c.warns, "E U"): // E I is in two of the checks
				if len(got.Warnings) == 0 || !strings.HasPrefix(got.Warnings[0], c.warns+" misses by") {
					t.Errorf("warnings %q, want %q", got.Warnings, c.warns)
				}
			case len(got.Warnings) != 1 || !strings.HasPrefix(got.Warnings[0], c.warns+" misses by"):
				t.Errorf("ct %v: warnings %q, want %q", ct, got.Warnings, c.warns)
			}
		}
	}
}

// TestAverages: the means of functions and the counts agree with what is
// reported.
func TestAverages(t *testing.T) {
	d, err := Direct(background, cheap, Options{RelError: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Average(func(q int) float64 { return float64(q) }); got != d.MeanTotal {
		t.Errorf("Average of Q = %v, MeanTotal %v", got, d.MeanTotal)
	}
	if got := d.Average(func(int) float64 { return 1 }); got.Value != 1 || got.StdErr != 0 {
		t.Errorf("Average of 1 = %v", got)
	}
	looks := int64(0)
	for _, k := range d.Counts {
		looks += k
	}
	if looks != d.Looks || d.Counts[len(d.Counts)-1] == 0 || d.Slots < d.Looks {
		t.Errorf("%d counts, %d looks, %d slots", looks, d.Looks, d.Slots)
	}
	for _, x := range []struct {
		run func() (*BoundaryLaw, error)
		exa bool
	}{
		{func() (*BoundaryLaw, error) {
			return Boundary(background, cheap, BoundaryOptions{Estimator: Climb, Options: Options{RelError: 0.05}})
		}, true},
		{func() (*BoundaryLaw, error) {
			return Boundary(background, cheapCT, BoundaryOptions{Estimator: Climb, Options: Options{RelError: 0.05}})
		}, true},
		// asleep queues: the mean takes expectations where the law takes a draw
		{func() (*BoundaryLaw, error) {
			return Boundary(background, jsqlib.Model{Servers: 40, Gap: 0.1}, BoundaryOptions{Estimator: Climb, Ceiling: 4, Options: Options{RelError: 0.05}})
		}, false},
	} {
		b, err := x.run()
		if err != nil {
			t.Fatal(err)
		}
		sum, f, one := 0.0, make([]float64, len(b.P)), make([]float64, len(b.P))
		for k, p := range b.P {
			sum += p
			f[k], one[k] = float64(b.Min+k), 1
		}
		if math.Abs(sum-1) > 1e-12 || b.P[0] == 0 || b.P[len(b.P)-1] == 0 {
			t.Errorf("P sums to %v, ends with %v and %v", sum, b.P[0], b.P[len(b.P)-1])
		}
		if got := b.Average(one); math.Abs(got.Value-1) > 1e-12 || got.StdErr > 1e-12 {
			t.Errorf("Average of 1 = %v", got)
		}
		got := b.Average(f)
		if d := math.Abs(got.Value - b.QtildeMean.Value); d > 1e-9 && x.exa || d > 0.5*b.QtildeMean.StdErr && d > 1e-9 {
			t.Errorf("Average of Q~ = %v, QtildeMean %v", got, b.QtildeMean)
		}
		if b.TotalSlots <= b.Slots || b.Replications != 32 {
			t.Errorf("%d slots of %d, %d replications", b.Slots, b.TotalSlots, b.Replications)
		}
	}
}

// TestEstimates writes out the intervals of few replications.
func TestEstimates(t *testing.T) {
	e := reps.Mean([]float64{1, 2, 3, 6})
	se := math.Sqrt(14.0 / 3 / 4) // the 0.975 quantile of t with 3 degrees of freedom is 3.182446305284263
	if e.Value != 3 || math.Abs(e.StdErr-se) > 1e-15 || math.Abs(e.HalfWidth()-3.182446305284263*se) > 1e-9 || math.Abs(e.High-3-e.HalfWidth()) > 1e-12 {
		t.Errorf("meanOf = %+v", e)
	}
	if d := e.Deviation(3 + 2*se); math.Abs(d-2) > 1e-12 || e.Deviation(3) != 0 || (jsqlib.Estimate{}).Deviation(1) != math.Inf(1) {
		t.Errorf("Deviation = %v", d)
	}
	if r := e.RelError(); math.Abs(r-e.HalfWidth()/3) > 1e-15 || (jsqlib.Estimate{}).RelError() != 0 || (jsqlib.Estimate{High: 1, Low: -1}).RelError() != math.Inf(1) {
		t.Errorf("RelError = %v", r)
	}
	r := reps.Ratio([]float64{2, 4, 9}, []float64{1, 2, 3}) // 15/6, residuals -1/2, -1, 3/2
	if r.Value != 2.5 || math.Abs(r.StdErr-math.Sqrt(3.5*3/2)/6) > 1e-15 {
		t.Errorf("ratioOf = %+v", r)
	}
	if r = reps.Ratio([]float64{0, 0}, []float64{0, 0}); !math.IsNaN(r.Value) || !math.IsInf(r.StdErr, 1) {
		t.Errorf("0/0 = %+v", r)
	}
}
