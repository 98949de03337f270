package main

import (
	"math"
	"strings"
	"testing"
)

func TestBoundKeys(t *testing.T) {
	const want = "command version model servers alpha gap arrivals service routing policy limit_mean " +
		"r drift_k_perp drift_slope drift_eta drift_kappa jump_bound moment_root moment_root_closed hoelder_boundary stein_bound " +
		"best_r best_eta best_moment_root best_hoelder_boundary best_stein_bound warnings"
	for _, c := range []struct {
		line    string
		r       float64
		vacuous int // warnings
	}{
		{"bound --servers 100 --alpha 4.5 --json", 20, 0},
		{"bound --servers 100 --alpha 4.5 --r 7 --seed 3 --workers 2 --json", 7, 1},
		{"bound --servers 8 --alpha 3 --routing job --json", 6, 2},
		{"bound --servers 70 --alpha 4.5 --json", 20, 1},
		{"bound --servers 2 --gap 1e-100 --arrivals bernoulli --json", 332, 0},
		{"bound --servers 3 --load 0.5 --r 2 --arrivals pmf:0.4,0.3,0.2,0.1 --service binomial:4 --json", 2, 2},
	} {
		status, stdout, stderr := jsq(c.line)
		if status != exitOK || stderr != "" {
			t.Errorf("jsq %s: status %d, stderr %q", c.line, status, stderr)
			continue
		}
		keys, values := object(t, stdout)
		if got := strings.Join(keys, " "); got != want {
			t.Errorf("jsq %s: keys\n%s\nwant\n%s", c.line, got, want)
		}
		documented(t, "bound", keys)
		x := func(key string) float64 { return values[key].(float64) }
		if x("r") != c.r {
			t.Errorf("jsq %s: r = %g, want %g", c.line, x("r"), c.r)
		}
		n, s := x("servers"), 2.0
		if strings.Contains(c.line, "--service binomial:4") {
			s = 4
		}
		// the formulas, from the printed numbers
		for _, f := range []struct {
			key  string
			want float64
		}{
			{"drift_slope", (1 - x("gap")) * math.Sqrt(n/(n-1))},
			{"drift_eta", x("drift_slope") / 2},
			{"drift_kappa", x("drift_k_perp") / (2 * (x("drift_slope") - x("drift_eta")))},
			{"hoelder_boundary", n * x("moment_root") * math.Sqrt(s) * math.Pow(n*x("gap"), -1/x("r"))},
			{"best_hoelder_boundary", n * x("best_moment_root") * math.Sqrt(s) * math.Pow(n*x("gap"), -1/x("best_r"))},
		} {
			if math.Abs(x(f.key)/f.want-1) > 1e-12 {
				t.Errorf("jsq %s: %s = %g, want %g", c.line, f.key, x(f.key), f.want)
			}
		}
		if !(x("moment_root") < x("moment_root_closed") && x("hoelder_boundary")*x("gap") < x("stein_bound") &&
			x("best_hoelder_boundary") <= x("hoelder_boundary") && x("best_stein_bound") <= x("stein_bound")) {
			t.Errorf("jsq %s: bounds out of order in\n%s", c.line, stdout)
		}
		warnings := values["warnings"].([]any)
		vacuous := 0
		for _, key := range []string{"stein_bound", "best_stein_bound"} {
			if x(key) > x("limit_mean") {
				vacuous++
			}
		}
		if len(warnings) != vacuous || vacuous != c.vacuous {
			t.Errorf("jsq %s: warnings %q, want %d", c.line, warnings, c.vacuous)
		}
	}
}

// The bounds hold what jsq distance finds.
func TestBoundAgainstDistance(t *testing.T) {
	for _, system := range []string{"--servers 4 --alpha 3", "--servers 16 --alpha 5 --routing job", "--servers 6 --alpha 4 --service deterministic"} {
		_, stdout, _ := jsq("bound " + system + " --json")
		_, b := object(t, stdout)
		_, stdout, _ = jsq("distance " + system + " --rel-error 0.1 --json")
		_, d := object(t, stdout)
		for _, c := range [][2]string{{"wasserstein_high", "best_stein_bound"}, {"certificate_high", "best_stein_bound"}, {"boundary_mean_high", "best_hoelder_boundary"}} {
			if x, y := d[c[0]].(float64), b[c[1]].(float64); !(x < y) {
				t.Errorf("%s: %s = %g, %s = %g", system, c[0], x, c[1], y)
			}
		}
		if b["limit_mean"] != d["limit_mean"] {
			t.Errorf("%s: limit_mean %v and %v", system, b["limit_mean"], d["limit_mean"])
		}
	}
}

func TestBoundBadArguments(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
	}{
		{"bound --servers 1 --gap 0.1", []string{"--servers = 1: want servers >= 2"}},
		{"bound --servers 10 --alpha 1", []string{"--alpha = 1: want alpha > 1", "--r R"}},
		{"bound --servers 10 --gap 0.2", []string{"--gap = 0.2, alpha = 0.698", "--r R"}},
		{"bound --servers 10 --load 0.9", []string{"--load = 0.9, alpha = 1", "--r R"}},
		{"bound --servers 2 --alpha 2", []string{"--alpha = 2: want alpha > 2 at N = 2"}},
		{"bound --servers 10 --alpha 3 --r 1", []string{"--r = 1: want a whole number, 2 <= r <="}},
		{"bound --servers 10 --alpha 3 --r 0", []string{"--r = 0"}},
		{"bound --servers 10 --alpha 3 --r 2.5", []string{"--r = 2.5"}},
		{"bound --servers 10 --alpha 3 --r nan", []string{"--r = nan"}},
		{"bound --servers 10 --alpha 3 --r 1e9", []string{"--r = 1e9"}},
		{"bound --servers 10 --alpha 3 --r=", []string{`--r = ""`}},
		{"bound --servers 10 --alpha 3 --policy pod:2", []string{"--policy = pod:2: want jsq"}},
		{"bound --model ct --servers 10 --alpha 3", []string{"--model = ct: want dt"}},
		{"bound --servers 10 --alpha 3 --seed -1", []string{"--seed = -1"}},
		{"bound --servers 10 --load 1.5", []string{"--load = 1.5"}},
		{"bound --servers 10000 --gap 0.5 --r 2", []string{"--servers = 10000, --gap = 0.5", "want an X"}},
	} {
		status, stdout, stderr := jsq(c.line)
		if status != exitUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "jsq bound: --") {
			t.Errorf("jsq %s: status %d, stdout %q, stderr %q; want status 2 and one line on stderr", c.line, status, stdout, stderr)
		}
		for _, w := range c.want {
			if !strings.Contains(stderr, w) {
				t.Errorf("jsq %s: stderr %q: want %q in it", c.line, stderr, w)
			}
		}
	}
}

func TestBoundTable(t *testing.T) {
	status, stdout, _ := jsq("bound --servers 8 --alpha 3")
	if status != exitOK {
		t.Fatal(status)
	}
	for _, w := range []string{"W1(N^(-alpha) Q, Exp(m))", "M_r", "kappa", "warning: stein_bound", "vacuous"} {
		if !strings.Contains(stdout, w) {
			t.Errorf("no %q in\n%s", w, stdout)
		}
	}
}
