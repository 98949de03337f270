package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExactKeys(t *testing.T) {
	const (
		head = "command version model servers alpha gap arrivals service routing policy limit_mean wasserstein+ certificate_low certificate_high " +
			"mean_total+ second_moment_total+ mean_unused mean_unused_exact mean_unused_error boundary_mean+ boundary_second+ qtilde_mean+ perp_second_moment+ " +
			"equal_probability+ pmf+ ceiling states residual warnings"
	)
	ct := strings.NewReplacer("arrivals service routing ", "", "boundary_second+ ", "").Replace(head)
	for _, c := range []struct{ line, want string }{
		{"exact --servers 2 --alpha 4.5 --json", head},
		{"exact --servers 2 --gap 1e-100 --routing job --arrivals bernoulli --json", head},
		{"exact --servers 1 --load 0.9 --json", strings.Replace(head, " alpha ", " ", 1)},
		{"exact --model ct --servers 3 --load 0.9 --policy pod:2 --json", ct},
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
		documented(t, "exact", keys)
		x := func(key string) float64 { return values[key].(float64) }
		if !(x("certificate_low") <= x("wasserstein")*(1+1e-9) && x("wasserstein") <= x("certificate_high")) {
			t.Errorf("jsq %s: certificate %v <= %v <= %v fails", c.line, x("certificate_low"), x("wasserstein"), x("certificate_high"))
		}
		if x("mean_unused") != x("mean_unused_exact") || !(x("mean_unused_error") <= 1e-4) {
			t.Errorf("jsq %s: mean_unused = %v, exactly %v, the solution misses by a relative %v", c.line, x("mean_unused"), x("mean_unused_exact"), x("mean_unused_error"))
		}
	}
}

func TestExactBadArguments(t *testing.T) {
	checkBadArguments(t, []badArguments{
		{"exact --servers 2 --alpha 1 --tolerance 0", []string{"--tolerance = 0: want"}},
		{"exact --servers 2 --alpha 1 --tolerance 1e-30", []string{"--tolerance = 1e-30: want"}},
		{"exact --servers 2 --alpha 1 --max-states -1", []string{"--max-states = -1"}},
		{"exact --servers 2 --alpha 1 --seed -1", []string{"--seed = -1"}},
		{"exact --servers 2 --alpha 1 --rel-error 0.1", []string{"unknown flag --rel-error"}},
		{"exact --servers 2 --alpha 1 --policy pod:1", []string{"--policy = pod:1: want a rule"}},
		{"exact --servers 100 --alpha 1", []string{"--servers = 100 needs", "jsq distance"}},
		{"exact --model ct --servers 10 --alpha 1 --max-states 50", []string{"--servers = 10 needs", "--max-states = 50"}},
	})
}

// Closed forms: M/M/1; one server with service 1 in each slot,
// E q = (s_a^2 + s_s^2 + eps^2 - eps)/(2 eps); two exponential servers,
// P(q_1 = q_2) = 1/(1 + 2 lambda). E U and E I are known exactly.
func TestExactClosedForms(t *testing.T) {
	e := 0.1
	arrivalVar := (1-e)*(1-e)/2 + e*(1-e) // Binomial(2, 1/2) thinned
	for _, c := range []struct {
		line, key string
		want      float64
	}{
		{"--model ct --servers 1 --load 0.75", "mean_total", 3},
		{"--model ct --servers 1 --load 0.75", "second_moment_total", 21},
		{"--model ct --servers 1 --load 0.75", "wasserstein", 0.25},
		{"--model ct --servers 1 --load 0.75", "mean_unused", 0.25},
		{"--model ct --servers 1 --gap 1e-12", "wasserstein", 1e-12},
		{"--servers 1 --gap 0.1 --service deterministic", "mean_total", (arrivalVar + e*e - e) / (2 * e)},
		{"--servers 1 --gap 0.25", "mean_unused", 0.25},
		{"--servers 2 --load 0.5", "mean_unused", 1},
		{"--model ct --servers 2 --load 0.9", "equal_probability", 1 / 2.8},
		{"--model ct --servers 2 --load 0.25 --tolerance 1e-4", "equal_probability", 1 / 1.5},
		{"--model ct --servers 3 --load 0.9 --tolerance 1e-3", "mean_unused", 0.3},
	} {
		status, stdout, stderr := jsq("exact " + c.line + " --json")
		if status != exitOK {
			t.Errorf("jsq exact %s: status %d, stderr %q", c.line, status, stderr)
			continue
		}
		_, values := object(t, stdout)
		got, low, high := values[c.key].(float64), 0.0, 0.0
		if c.key == "mean_unused" { // exact: no interval
			low, high = got*(1-2e-16), got*(1+2e-16)
		} else {
			low, high = values[c.key+"_low"].(float64), values[c.key+"_high"].(float64)
		}
		if !(low <= c.want && c.want <= high && high-low < 1e-3*c.want) {
			t.Errorf("jsq exact %s: %s = %v in [%v, %v], want %v", c.line, c.key, got, low, high, c.want)
		}
	}
}

// The intervals hold what a finer solution gives.
func TestExactIntervals(t *testing.T) {
	for _, system := range []string{
		"--servers 3 --alpha 4.5",
		"--servers 2 --gap 1e-60",
		"--servers 2 --alpha 1 --routing job",
		"--servers 2 --load 1e-6",
		"--servers 1 --gap 1e-5 --service pmf:0.8,0,0,0,0,0.2",
		"--model ct --servers 2 --load 0.5",
		"--model ct --servers 3 --load 0.9 --policy pod:2",
	} {
		solution := func(tolerance string) map[string]any {
			status, stdout, stderr := jsq("exact " + system + " --tolerance " + tolerance + " --json")
			if status != exitOK {
				t.Fatalf("jsq exact %s: %s", system, stderr)
			}
			_, values := object(t, stdout)
			return values
		}
		fine := solution("1e-12")
		for _, tolerance := range []string{"1e-3", "1e-5", "1e-7", "1e-9"} {
			x := solution(tolerance)
			// held reports whether the two intervals meet
			held := func(of func(values map[string]any, key string) float64, key string) bool {
				return of(x, key+"_low") <= of(fine, key+"_high") && of(fine, key+"_low") <= of(x, key+"_high")
			}
			for key := range fine {
				if _, ok := fine[key+"_low"].(float64); ok && !held(func(v map[string]any, key string) float64 { return v[key].(float64) }, key) {
					t.Errorf("%s, tolerance %s: %s in [%v, %v], want %v", system, tolerance, key, x[key+"_low"], x[key+"_high"], fine[key])
				}
			}
			for n := range fine["pmf"].([]any) {
				if !held(func(v map[string]any, key string) float64 { return v[key].([]any)[n].(float64) }, "pmf") {
					t.Errorf("%s, tolerance %s: P(Q = %d) = %v, want %v", system, tolerance, n, x["pmf"].([]any)[n], fine["pmf"].([]any)[n])
				}
			}
		}
	}
}

// Laws with rare large batches: one server is solved, two are refused before the work begins.
func TestExactBatches(t *testing.T) {
	file := filepath.Join(t.TempDir(), "arrivals.csv")
	if err := os.WriteFile(file, fmt.Appendf(nil, "0,%v\n255,%v\n", 1-1./255, 1./255), 0o666); err != nil {
		t.Fatal(err)
	}
	line := "--gap 0.3 --service deterministic --arrivals file:" + file
	checkBadArguments(t, []badArguments{
		{"exact --servers 2 " + line, []string{"--servers = 2 needs some", "transitions between levels", "jsq distance"}},
		{"exact --servers 2 --gap 0.3 --arrivals file:" + file, []string{"--servers = 2 needs some", "transitions between levels", "jsq distance"}},
	})
	status, stdout, stderr := jsq("exact --servers 1 " + line + " --json")
	if status != exitOK {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	_, values := object(t, stdout)
	e := 0.3
	arrivalVar := (1-e)*(1-e)*254 + e*(1-e) // b^2 = 255 - 1
	want := (arrivalVar + e*e - e) / (2 * e)
	if got := values["mean_total"].(float64); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("E q = %v, want %v", got, want)
	}
}

// The interval of jsq distance holds what jsq exact finds, at four standard
// errors.
func TestExactAgainstDistance(t *testing.T) {
	for _, system := range []string{"--servers 3 --alpha 3", "--model ct --servers 3 --alpha 3"} {
		_, a, _ := jsq("exact " + system + " --json")
		_, b, _ := jsq("distance " + system + " --rel-error 0.01 --json")
		_, x := object(t, a)
		_, y := object(t, b)
		for _, key := range []string{"wasserstein", "mean_total", "second_moment_total", "boundary_mean", "qtilde_mean"} {
			half := (y[key+"_high"].(float64) - y[key+"_low"].(float64)) / 2
			if d := math.Abs(x[key].(float64) - y[key].(float64)); d > 2*half {
				t.Errorf("%s: %s = %v exactly, %v +- %v by simulation", system, key, x[key], y[key], half)
			}
		}
	}
}

func TestExactInterrupt(t *testing.T) {
	status, stdout, stderr := interrupt(t, build(t), os.Interrupt, "exact --model ct --servers 20 --alpha 3 --tolerance 1e-12 --max-states 200000000 --json")
	if status != exitWork || !strings.HasSuffix(stderr, "jsq exact: interrupted\n") {
		t.Errorf("status %d, stderr %q; want status 1, interrupted", status, stderr)
	}
	_, values := object(t, stdout)
	if values["servers"] != 20.0 || !strings.Contains(stdout, "interrupted") {
		t.Errorf("printed\n%s", stdout)
	}
}

// An argument that cannot be used ends with status 2 and one line.
func Example_badArgument() {
	status := run([]string{"simulate", "--servers", "8", "--alpha", "-1"}, os.Stdout, os.Stdout)
	fmt.Println("exit status", status)
	// Output:
	// jsq simulate: --alpha = -1: want alpha > 0
	// exit status 2
}
