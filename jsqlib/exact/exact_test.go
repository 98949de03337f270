package exact_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/exact"
	"jsqlab/jsqlib/internal/near"
)

func solve(t *testing.T, sys jsqlib.Model, tol float64) exact.Result {
	t.Helper()
	r, err := exact.Solve(context.Background(), sys, exact.Options{Tolerance: tol})
	if err != nil {
		t.Fatal(err)
	}
	check(t, r)
	return r
}

// check holds a result against what is true of every one.
func check(t *testing.T, r exact.Result) {
	t.Helper()
	if len(r.Warnings) > 0 {
		t.Errorf("warnings: %q", r.Warnings)
	}
	sum, mean := 0.0, 0.0
	for n, p := range r.Boundary.P {
		if !(p >= 0) {
			t.Errorf("P(Q~ = %d) = %v", r.Boundary.Min+n, p)
		}
		sum += p
		mean += float64(r.Boundary.Min+n) * p
	}
	near.Abs(t, "sum of the boundary law", sum, 1, 1e-13)
	near.Abs(t, "mean of the boundary law", mean, r.QtildeMean, 1e-12*max(1, r.QtildeMean))
	if !within(r.Qtilde, r.QtildeMean) || !within(r.Perp, r.PerpSecondMoment) {
		t.Errorf("intervals %v, %v without their values %v, %v", r.Qtilde, r.Perp, r.QtildeMean, r.PerpSecondMoment)
	}
}

// within reports whether x is in the interval.
func within(i exact.Interval, x float64) bool { return i.Low <= x && x <= i.High }

// The reference system, values found by brute force elsewhere.
func TestReferenceDT(t *testing.T) {
	r := solve(t, jsqlib.Model{Servers: 2, Alpha: 1}, 1e-10)
	near.Abs(t, "E Q", r.MeanTotal, 0.7684999279, 1e-10)
	near.Abs(t, "E ||q_perp||^2", r.PerpSecondMoment, 0.456720632, 1e-9)
	near.Abs(t, "E[U Q+]/E U", r.BoundaryMean, 0.3522226263, 1e-10)
	near.Abs(t, "P(Q = 0)", r.TotalLaw[0], 0.5313833052, 1e-10)

	r = solve(t, jsqlib.Model{Servers: 3, Alpha: 1}, 1e-10)
	near.Abs(t, "E Q", r.MeanTotal, 2.486770646, 1e-9)
	near.Abs(t, "E ||q_perp||^2", r.PerpSecondMoment, 2.304449101, 1e-9)
}

func TestReferenceCT(t *testing.T) {
	for _, c := range []struct {
		servers   int
		gap, mean float64
		tol       float64
	}{
		{2, 0.5, 1.4263207512, 1e-10},
		{2, 0.3, 2.9514761835, 1e-10},
		{2, 0.1, 9.8548430782, 1e-10},
		{3, 0.1, 10.7525394, 5e-8},
	} {
		r := solve(t, jsqlib.Model{Continuous: true, Servers: c.servers, Gap: c.gap}, 1e-11)
		near.Abs(t, fmt.Sprintf("N = %d, gap %v: E Q", c.servers, c.gap), r.MeanTotal, c.mean, c.tol)
	}
}

// N = 2: P(q_1 = q_2) = 1/(1 + 2 lambda), at any gap.
func TestEqualQueuesClosedForm(t *testing.T) {
	for _, gap := range []float64{0.999, 0.7, 0.5, 0.1, 1e-3, 1e-8, 1e-60, 1e-150} {
		r := solve(t, jsqlib.Model{Continuous: true, Servers: 2, Gap: gap}, 1e-11)
		near.Abs(t, fmt.Sprintf("gap %g: P(q1 = q2)", gap), r.EqualProbability, 1/(1+2*(1-gap)), 1e-10)
	}
}

func TestSingleServer(t *testing.T) {
	// M/M/1: Q~ = 0.
	r := solve(t, jsqlib.Model{Continuous: true, Servers: 1, Gap: 1e-3}, 0)
	near.Abs(t, "M/M/1: E Q", r.MeanTotal, 999, 1e-9)
	near.Abs(t, "M/M/1: P(Q~ = 0)", r.Boundary.P[0], 1, 1e-15)
	// Bernoulli service, here of rate 1: E q = (s_a^2 + s_s^2 + eps^2 - eps)/(2 eps).
	for _, gap := range []float64{0.5, 1e-2, 1e-60} {
		sys := jsqlib.Model{Servers: 1, Gap: gap, Service: jsqlib.PMF{0, 1}}
		k, err := sys.Constants()
		if err != nil {
			t.Fatal(err)
		}
		want := (k.ArrivalVar + k.ServiceVar + gap*gap - gap) / (2 * gap)
		near.Abs(t, fmt.Sprintf("gap %g: E q", gap), solve(t, sys, 0).MeanTotal, want, 1e-11*want)
	}
}

// The limits of E Q~ as the gap vanishes do not depend on it any more. For
// N = 2 in continuous time the limit is 1. In discrete time E Q~ - 1/2 =
// E[U Q+]/E U - E[U^2]/(2 E U), simulated to 0.1047(5) N^2 and 0.3765(5) N^2.
func TestVanishingGap(t *testing.T) {
	r := solve(t, jsqlib.Model{Continuous: true, Servers: 2, Alpha: 400}, 1e-11)
	near.Abs(t, "CT N = 2: E Q~", r.QtildeMean, 1, 1e-10)
	near.Abs(t, "CT N = 2: E ||q_perp||^2", r.PerpSecondMoment, 1, 1e-9)

	a := solve(t, jsqlib.Model{Servers: 2, Alpha: 200}, 1e-11)
	b := solve(t, jsqlib.Model{Servers: 2, Alpha: 400}, 1e-11)
	near.Abs(t, "DT N = 2: E Q~, two gaps", a.QtildeMean, b.QtildeMean, 1e-11)
	near.Abs(t, "DT N = 2: (E Q~ - 1/2)/N^2", (a.QtildeMean-0.5)/4, 0.1047, 2*0.0005)
	c := solve(t, jsqlib.Model{Servers: 4, Alpha: 20}, 1e-7)
	near.Abs(t, "DT N = 4: (E Q~ - 1/2)/N^2", (c.QtildeMean-0.5)/16, 0.3765, 2*0.0005)
}

// The interval of a coarse run holds the value of a fine one.
func TestIntervals(t *testing.T) {
	type run func(tol float64) (exact.Result, error)
	of := func(c jsqlib.Model) run {
		return func(tol float64) (exact.Result, error) {
			return exact.Solve(context.Background(), c, exact.Options{Tolerance: tol})
		}
	}
	pod := jsqlib.Policy{Rule: jsqlib.Pod, Choices: 2}
	runs := map[string]run{
		"CT 2":                    of(jsqlib.Model{Continuous: true, Servers: 2, Gap: 0.1}),
		"CT 2, no gap":            of(jsqlib.Model{Continuous: true, Servers: 2, Gap: 1e-60}),
		"CT 3":                    of(jsqlib.Model{Continuous: true, Servers: 3, Gap: 0.3}),
		"CT 5":                    of(jsqlib.Model{Continuous: true, Servers: 5, Gap: 0.01}),
		"CT 5, low load":          of(jsqlib.Model{Continuous: true, Servers: 5, Gap: 0.9}),
		"CT 3, pod:2":             of(jsqlib.Model{Continuous: true, Servers: 3, Gap: 0.1, Policy: pod}),
		"DT 2":                    of(jsqlib.Model{Servers: 2, Gap: 0.1}),
		"DT 2, no gap":            of(jsqlib.Model{Servers: 2, Gap: 1e-60}),
		"DT 3":                    of(jsqlib.Model{Servers: 3, Gap: 0.01}),
		"DT 3, job":               of(jsqlib.Model{Servers: 3, Gap: 0.01, Routing: jsqlib.Job}),
		"DT 2, pod:2:replacement": of(jsqlib.Model{Servers: 2, Gap: 0.3, Policy: jsqlib.Policy{Rule: jsqlib.PodReplacement, Choices: 2}}),
	}
	if !testing.Short() { // seconds
		runs["DT 3, pod:2"] = of(jsqlib.Model{Servers: 3, Gap: 0.1, Policy: pod})
	}
	for name, f := range runs {
		fine, err := f(1e-10)
		if err != nil {
			t.Fatal(err)
		}
		for _, tol := range []float64{1e-3, 1e-5, 1e-7, 1e-8} {
			r, err := f(tol)
			if err != nil {
				t.Fatal(err)
			}
			if !within(r.Qtilde, fine.QtildeMean) {
				t.Errorf("%s, tolerance %g: E Q~ = %.13g not in %v", name, tol, fine.QtildeMean, r.Qtilde)
			}
			if !within(r.Perp, fine.PerpSecondMoment) {
				t.Errorf("%s, tolerance %g: E ||q_perp||^2 = %.13g not in %v", name, tol, fine.PerpSecondMoment, r.Perp)
			}
			if !within(r.Equal, fine.EqualProbability) {
				t.Errorf("%s, tolerance %g: P(q_1 = ... = q_N) = %.13g not in %v", name, tol, fine.EqualProbability, r.Equal)
			}
			second := func(r exact.Result) []float64 { return []float64{r.BoundaryMean, r.BoundarySecond} }
			for i, in := range r.Intervals(second) {
				if x := second(fine)[i]; !within(in, x) {
					t.Errorf("%s, tolerance %g: number %d = %.13g not in %v", name, tol, i, x, in)
				}
			}
			if w := (r.Qtilde.High - r.Qtilde.Low) / 2; w > tol*max(1, r.QtildeMean) && len(r.Warnings) == 0 {
				t.Errorf("%s, tolerance %g: half-width %g and no warning", name, tol, w)
			}
			near.Abs(t, name+": mean unused, relative", r.MeanUnused/r.MeanUnusedExact, 1, 1e4*tol)
		}
	}
}

// The law of the total that the chain has below the ceiling is the boundary
// law convolved with the geometric law.
func TestTotalLaw(t *testing.T) {
	for _, sys := range []jsqlib.Model{{Continuous: true, Servers: 2, Gap: 0.2}, {Continuous: true, Servers: 4, Gap: 0.01}, {Continuous: true, Servers: 3, Gap: 1e-80}} {
		r := solve(t, sys, 1e-11)
		p := 0.0
		for n, got := range r.TotalLaw[:2*sys.Servers] {
			p = p*(1-sys.Gap) + sys.Gap*r.Boundary.P[n]
			near.Abs(t, fmt.Sprintf("%v: P(Q = %d)/P", sys, n), got/p, 1, 1e-9)
		}
	}
}

func TestRepeatable(t *testing.T) {
	a := solve(t, jsqlib.Model{Servers: 3, Gap: 0.01}, 0)
	b := solve(t, jsqlib.Model{Servers: 3, Gap: 0.01}, 0)
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("two runs differ:\n%v\n%v", a, b)
	}
}

func TestRefusals(t *testing.T) {
	ctx := context.Background()
	lattice := jsqlib.PMF{0.5, 0, 0.5}
	batches := make(jsqlib.PMF, 256)
	batches[0], batches[255] = 254./255, 1./255
	for _, c := range []struct {
		name string
		do   func() error
		what string // refused by name; "" for failed work
		has  string
	}{
		{"random routing", func() error {
			_, err := exact.Solve(ctx, jsqlib.Model{Continuous: true, Servers: 3, Gap: 0.1, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 1}}, exact.Options{})
			return err
		}, "policy", "pod:1"},
		{"many servers", func() error {
			_, err := exact.Solve(ctx, jsqlib.Model{Continuous: true, Servers: 1000, Gap: 0.1}, exact.Options{})
			return err
		}, "servers", "servers = 1000"},
		{"few states", func() error {
			_, err := exact.Solve(ctx, jsqlib.Model{Continuous: true, Servers: 12, Gap: 0.01}, exact.Options{MaxStates: 1000})
			return err
		}, "servers", "more than 1000 states for a relative error of 0.0001: want at most MaxStates = 1000"},
		{"many outcomes", func() error {
			_, err := exact.Solve(ctx, jsqlib.Model{Servers: 20, Gap: 0.1}, exact.Options{})
			return err
		}, "servers", "outcomes"},
		{"large batches", func() error {
			_, err := exact.Solve(ctx, jsqlib.Model{Servers: 2, Gap: 0.3, Arrivals: batches}, exact.Options{})
			return err
		}, "servers", "transitions between levels"},
		{"lattice", func() error {
			_, err := exact.Solve(ctx, jsqlib.Model{Servers: 2, Gap: 1e-60, Arrivals: lattice, Service: lattice}, exact.Options{})
			return err
		}, "", "differences mix too slowly: E Q~ ... at ceiling"},
		{"tolerance", func() error {
			_, err := exact.Solve(ctx, jsqlib.Model{Servers: 2, Gap: 0.1}, exact.Options{Tolerance: math.NaN()})
			return err
		}, "tolerance", "tolerance = NaN"},
		{"max states", func() error {
			_, err := exact.Solve(ctx, jsqlib.Model{Continuous: true, Servers: 2, Gap: 0.1}, exact.Options{MaxStates: -1})
			return err
		}, "max-states", "max-states = -1"},
		{"system", func() error {
			_, err := exact.Solve(ctx, jsqlib.Model{Servers: 2, Alpha: -1}, exact.Options{})
			return err
		}, "alpha", "alpha = -1"},
	} {
		err := c.do()
		var field jsqlib.Invalid
		if refused := (*jsqlib.Invalid)(nil); errors.As(err, &refused) {
			field = *refused
		}
		for _, has := range strings.Split(c.has, " ... ") {
			if err == nil || field.What != c.what || !strings.Contains(err.Error(), has) {
				t.Errorf("%s: error %v", c.name, err)
			}
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error of several lines: %q", c.name, err)
		}
	}
}

// A run that hits MaxStates says what it has and warns.
func TestWarning(t *testing.T) {
	sys := jsqlib.Model{Continuous: true, Servers: 5, Gap: 0.1}
	r, err := exact.Solve(context.Background(), sys, exact.Options{MaxStates: 5000, Tolerance: 1e-11})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0], "tolerance 1e-11 not reached") {
		t.Errorf("warnings %q", r.Warnings)
	}
	if r.States > 5000 || r.Truncation == 0 {
		t.Errorf("%d states, truncation %g", r.States, r.Truncation)
	}
	fine := solve(t, sys, 1e-9)
	if !within(r.Qtilde, fine.QtildeMean) {
		t.Errorf("E Q~ = %.12g not in %v", fine.QtildeMean, r.Qtilde)
	}
}

// A cancelled context ends the work wherever it is.
func TestCancel(t *testing.T) {
	for _, calls := range []int{0, 1, 60, 200} {
		ctx, cancel := context.WithCancel(context.Background())
		if calls == 0 {
			cancel()
		}
		n := 0
		_, err := exact.Solve(ctx, jsqlib.Model{Continuous: true, Servers: 8, Gap: 0.01}, exact.Options{Progress: func(p exact.Progress) {
			if n++; n == calls {
				cancel()
			}
			if n > calls {
				t.Fatalf("still at work after the context was cancelled: %+v", p)
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("after %d sweeps: error %v", calls, err)
		}
		cancel()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := exact.Solve(ctx, jsqlib.Model{Servers: 7, Gap: 0.01}, exact.Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}
