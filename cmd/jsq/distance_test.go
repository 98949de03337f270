package main

import (
	"math"
	"os"
	"strings"
	"testing"
)

func TestDistanceKeys(t *testing.T) {
	const (
		dt = "command version model servers alpha gap arrivals service routing policy seed limit_mean wasserstein+ certificate_low certificate_high " +
			"mean_total+ second_moment_total+ mean_unused boundary_mean+ boundary_second+ qtilde_mean+ pmf " +
			"slots total_slots estimator ceiling ceiling_shift_in_sigma replications warnings"
		ct = "command version model servers alpha gap policy seed limit_mean wasserstein+ certificate_low certificate_high " +
			"mean_total+ second_moment_total+ mean_unused boundary_mean+ qtilde_mean+ pmf " +
			"slots total_slots estimator ceiling ceiling_shift_in_sigma replications warnings"
	)
	for _, c := range []struct{ line, want string }{
		{"distance --servers 4 --alpha 4.5 --rel-error 0.1 --json", dt},
		{"distance --servers 4 --alpha 4.5 --routing job --rel-error 0.1 --ceiling 4 --json", dt},
		{"distance --servers 4 --gap 1e-100 --arrivals bernoulli --policy pod:2 --rel-error 0.1 --json", dt},
		{"distance --servers 1 --gap 1e-6 --rel-error 0.1 --json", strings.Replace(dt, " alpha ", " ", 1)},
		{"distance --model ct --servers 4 --load 0.999999 --rel-error 0.1 --json", ct},
	} {
		status, stdout, stderr := jsq(c.line)
		if status != exitOK || stderr != "" {
			t.Errorf("jsq %s: status %d, stderr %q", c.line, status, stderr)
			continue
		}
		if notFinite.MatchString(stdout) {
			t.Errorf("jsq %s: NaN or Inf in\n%s", c.line, stdout)
		}
		keys, values := object(t, stdout)
		if got, want := strings.Join(keys, " "), withIntervals(c.want); got != want {
			t.Errorf("jsq %s: keys\n%s\nwant\n%s", c.line, got, want)
		}
		documented(t, "distance", keys)
		x := func(key string) float64 { return values[key].(float64) }
		if !(x("certificate_low") <= x("wasserstein") && x("wasserstein") <= x("certificate_high")) {
			t.Errorf("jsq %s: certificate %v <= %v <= %v fails", c.line, x("certificate_low"), x("wasserstein"), x("certificate_high"))
		}
		if !(0 <= x("wasserstein_low") && x("wasserstein_low") < x("wasserstein") && x("wasserstein") < x("wasserstein_high")) {
			t.Errorf("jsq %s: wasserstein %v in [%v, %v]", c.line, x("wasserstein"), x("wasserstein_low"), x("wasserstein_high"))
		}
		for n, p := range values["pmf"].([]any) {
			if p := p.(float64); p < 0 || p > 1 {
				t.Errorf("jsq %s: P(Q = %d) = %v", c.line, n, p)
			}
		}
	}
}

func TestDistanceBadArguments(t *testing.T) {
	checkBadArguments(t, []badArguments{
		{"distance --servers 2 --alpha 1 --ceiling -1", []string{"--ceiling = -1: want a whole number"}},
		{"distance --servers 2 --alpha 1 --max-slots 10", []string{"--max-slots = 10: want more than"}},
		{"distance --model ct --servers 2 --alpha 1 --max-slots 10", []string{"--max-slots = 10: want at least", "which a run of each of 32 replications takes"}},
		{"distance --servers 50 --gap 1e-9 --max-slots 96032", []string{"--max-slots = 96032: want more: no unused service was seen"}},
		{"distance --servers 2 --alpha 1 --policy pod:1", []string{"--policy = pod:1: want a rule"}},
		{"distance --model ct --servers 2 --alpha 1 --policy pod:1", []string{"--policy = pod:1: want a rule"}},
		{"distance --servers 10000 --gap 0.5", []string{"--servers = 10000, --gap = 0.5", "want an X"}},
		// do not fit the memory
		{"distance --servers 100000 --alpha 2", []string{"--servers = 100000, which takes about", "GiB: want servers <= ", "fits the limit of 2 GiB"}},
		{"distance --servers 100000 --alpha 2 --policy pod:2", []string{"--servers = 100000, which takes about"}},
		{"distance --model ct --servers 2 --gap 0.1 --ceiling 1e9 --max-slots 9e18", []string{"--ceiling = 1000000000, which takes about", "want ceiling <= "}},
		{"simulate --servers 2 --gap 1e-8 --max-slots 9e18 --rel-error 0.99", []string{"--gap = 1e-08, at which counts of totals up to", "want gap >= "}},
		{"simulate --servers 100000 --gap 0.1 --arrivals pmf:0.99" + strings.Repeat(",0", 99) + ",0.01", []string{"--servers = 100000, which takes about"}},
		{"distance --servers 2 --load 0.5 --seed -1", []string{"jsq distance: --seed = -1"}},
	})
}

// Plain simulation and the boundary estimator agree within four standard errors
// of the difference.
func TestDistanceAgainstSimulate(t *testing.T) {
	for _, system := range []string{
		"--servers 4 --gap 0.1",
		"--model ct --servers 2 --load 0.9",
	} {
		_, direct, _ := jsq("simulate " + system + " --rel-error 0.01 --json")
		_, boundary, _ := jsq("distance " + system + " --rel-error 0.01 --seed 2 --json")
		_, x := object(t, direct)
		_, y := object(t, boundary)
		for _, key := range []string{"mean_total", "second_moment_total", "boundary_mean", "qtilde_mean", "wasserstein"} {
			half := func(v map[string]any) float64 { return (v[key+"_high"].(float64) - v[key+"_low"].(float64)) / 2 }
			if d := math.Abs(x[key].(float64) - y[key].(float64)); d > 2*math.Hypot(half(x), half(y)) {
				t.Errorf("%s: %s = %v by simulation, %v by the boundary: want half widths %v and %v to hold the difference",
					system, key, x[key], y[key], half(x), half(y))
			}
		}
		if unused := x["mean_unused_exact"]; unused != y["mean_unused"] {
			t.Errorf("%s: E U = %v and %v", system, unused, y["mean_unused"])
		}
	}
}

// A sample that is too small to show the distance says so.
func TestSimulateNoise(t *testing.T) {
	const warning = "not clearly above"
	if _, stdout, _ := jsq("simulate --servers 2 --gap 0.02 --rel-error 0.1 --json"); !strings.Contains(stdout, warning) || !strings.Contains(stdout, "jsq distance") {
		t.Errorf("no warning %q in\n%s", warning, stdout)
	}
	if _, stdout, _ := jsq("simulate --servers 4 --gap 0.2 --rel-error 0.01 --json"); strings.Contains(stdout, warning) {
		t.Errorf("a warning %q in\n%s", warning, stdout)
	}
}

func TestDistanceTable(t *testing.T) {
	status, stdout, _ := jsq("distance --model ct --servers 2 --alpha 20 --rel-error 0.05")
	if status != exitOK {
		t.Fatal(status)
	}
	for _, w := range []string{"W1((1 - lambda) Q, Exp(1))", "(exact)", "+-", "P(Q = 15)"} {
		if !strings.Contains(stdout, w) {
			t.Errorf("no %q in\n%s", w, stdout)
		}
	}
}

func TestDistanceWorkers(t *testing.T) {
	sameForWorkers(t, "distance --servers 3 --alpha 5 --rel-error 0.1 --seed 5 --json")
	sameForWorkers(t, "distance --model ct --servers 3 --alpha 5 --rel-error 0.1 --seed 5")
}

func TestDistanceInterrupt(t *testing.T) {
	bin := build(t)
	status, stdout, stderr := interrupt(t, bin, os.Interrupt, "distance --servers 16 --alpha 5 --rel-error 1e-6 --max-slots 1e15 --workers 2 --json")
	if status != exitWork || !strings.HasSuffix(stderr, "jsq distance: interrupted\n") {
		t.Errorf("status %d, stderr %q; want status 1, interrupted", status, stderr)
	}
	_, values := object(t, stdout)
	if values["servers"] != 16.0 || !strings.Contains(stdout, "interrupted") {
		t.Errorf("printed\n%s", stdout)
	}
}
