package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"jsqlab/jsqlib/sim"
)

func answer(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("not one JSON object: %v\n%s", err, text)
	}
	return out
}

func distance(t *testing.T, request string) map[string]any {
	t.Helper()
	return answer(t, Distance(context.Background(), []byte(request), nil))
}

// The numbers of the page are those of the command, bit for bit, and the command
// that the page shows is one that gives them.
func TestDistanceIsTheCommand(t *testing.T) {
	jsq := filepath.Join(t.TempDir(), "jsq")
	if out, err := exec.Command("go", "build", "-o", jsq, "jsqlab/cmd/jsq").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, request := range []string{
		`{"servers": 50, "alpha": 4.5, "rel_error": 0.05}`,
		`{"servers": 8, "alpha": 1.25, "routing": "job", "seed": "7", "rel_error": 0.05}`,
		`{"servers": 12, "alpha": 3, "policy": "pod:3", "arrivals": "pmf:0.5, 0, 0.5", "service": "bernoulli", "rel_error": 0.1}`,
		`{"model": "ct", "servers": 10, "alpha": 2.1, "policy": "pod:2:replacement", "seed": "18446744073709551615", "rel_error": 0.1}`,
	} {
		got := distance(t, request)
		line, _ := got["command"].(string)
		words := strings.Fields(line)
		if len(words) < 2 {
			t.Errorf("%s: %v", request, got)
			continue
		}
		out, err := exec.Command(jsq, append(words[1:], "--json")...).Output()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		want := answer(t, out)
		same := 0
		for key, w := range want {
			g, ok := got[key]
			switch {
			case key == "version": // that of the page
			case key == "command":
				if w != g {
					t.Errorf("command %q, the command itself says %q", g, w)
				}
			case key == "arrivals" || key == "service": // as typed
			case !ok:
				t.Errorf("%s: no %s", line, key)
			case fmt.Sprint(g) != fmt.Sprint(w):
				t.Errorf("%s: %s = %v, the command says %v", line, key, g, w)
			default:
				same++
			}
		}
		if same < 20 {
			t.Errorf("%s: only %d keys are as those of the command", line, same)
		}
	}
}

// What the page shows of an answer is in it.
func TestPageKeys(t *testing.T) {
	page, err := os.ReadFile("../explorer.js")
	if err != nil {
		t.Fatal(err)
	}
	got := distance(t, `{"servers": 4, "alpha": 3, "rel_error": 0.1}`)
	keys := regexp.MustCompile(`\b(?:d|result)\.([a-z_]+)|plusMinus\(d, "([a-z_]+)"`).FindAllStringSubmatch(string(page), -1)
	for _, key := range keys {
		if name := key[1] + key[2]; got[name] == nil {
			t.Errorf("explorer.js reads %s, which no answer has", name)
		}
	}
	if len(keys) < 20 {
		t.Errorf("%d keys found in explorer.js, want at least 20", len(keys))
	}
}

func floats(t *testing.T, v any) []float64 {
	t.Helper()
	list := v.([]any)
	out := make([]float64, len(list))
	for i := range list {
		out[i] = list[i].(float64)
	}
	return out
}

// The area between F - G and 0 is W1, F is a distribution function and the density
// its derivative, however small the gap.
func TestCurves(t *testing.T) {
	for _, c := range []struct {
		request string
		steps   bool
	}{
		{`{"servers": 50, "alpha": 4.5, "rel_error": 0.05}`, false},
		{`{"servers": 50, "alpha": 60, "rel_error": 0.05}`, false},
		{`{"servers": 50, "alpha": 1.1, "rel_error": 0.05}`, false},
		{`{"servers": 4, "alpha": 2, "routing": "job", "rel_error": 0.05}`, true},
		{`{"servers": 2, "alpha": 0.5, "rel_error": 0.05}`, true},
		{`{"model": "ct", "servers": 50, "alpha": 0.5, "rel_error": 0.05}`, true},
		{`{"model": "ct", "servers": 20, "alpha": 12, "rel_error": 0.05}`, false},
		{`{"servers": 10, "alpha": 3, "arrivals": "pmf:0.8,0,0,0,0,0.2", "rel_error": 0.05}`, false},
	} {
		d := distance(t, c.request)
		if d["error"] != nil {
			t.Errorf("%s: %v", c.request, d["error"])
			continue
		}
		curve := func(name string) (x, y []float64) {
			m := d["law"].(map[string]any)[name].(map[string]any)
			x, y = floats(t, m["x"]), floats(t, m["y"])
			if len(x) != len(y) || len(x) > 2*points || !slices.IsSorted(x) {
				t.Errorf("%s: %s has %d and %d points", c.request, name, len(x), len(y))
			}
			return x, y
		}
		// of the line through the points, from 0
		area := func(x, y []float64) float64 {
			a := 0.0
			for i := 1; i < len(x); i++ {
				p, q := math.Abs(y[i-1]), math.Abs(y[i])
				mean := (p + q) / 2
				if y[i-1]*y[i] < 0 {
					mean = (p*p + q*q) / (2 * (p + q))
				}
				a += (x[i] - x[i-1]) * mean
			}
			return a
		}
		z, cdf := curve("cdf")
		if steps := d["law"].(map[string]any)["steps"]; steps != c.steps {
			t.Errorf("%s: steps = %v, want %v", c.request, steps, c.steps)
		}
		if !slices.IsSorted(cdf) || cdf[0] < 0 || cdf[len(cdf)-1] > 1 || cdf[len(cdf)-1] < 0.98 {
			t.Errorf("%s: F from %v to %v, want increasing to nearly 1", c.request, cdf[0], cdf[len(cdf)-1])
		}
		x, f := curve("density")
		inside := 0.0 // a sum over cells
		for i := range f {
			inside += f[i]
		}
		inside *= x[1] - x[0]
		if math.Abs(inside-0.998) > 0.006 {
			t.Errorf("%s: the density integrates to %v, want 0.998", c.request, inside)
		}
		x, y := curve("difference")
		// what lies beyond the range is some 0.002 of the excess over it
		if w, a := d["wasserstein"].(float64), area(x, y); math.Abs(a/w-1) > 0.03 {
			t.Errorf("%s: the area of F - G is %v, want W1 = %v", c.request, a, w)
		}
		if m := d["limit_mean"].(float64); z[len(z)-1] < 4*m {
			t.Errorf("%s: the curves end at z = %v", c.request, z[len(z)-1])
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ request, field, want string }{
		{`{"servers": 50, "alpha": 3, "policy": "pod:1", "rel_error": 0.05}`, "policy", "pod:1: want a rule"},
		{`{"servers": 50, "alpha": 3, "policy": "pod:51", "rel_error": 0.05}`, "policy", "pod:51: want jsq"},
		{`{"servers": 50, "alpha": 3, "policy": "random", "rel_error": 0.05}`, "policy", `"random": want jsq`},
		{`{"servers": 1, "alpha": 3, "rel_error": 0.05}`, "servers", "servers = 1: want a whole number from 2"},
		{`{"servers": 2.5, "alpha": 3, "rel_error": 0.05}`, "servers", "servers = 2.5"},
		{`{"servers": 5000, "alpha": 3, "rel_error": 0.05}`, "servers", "to 1000 here"},
		{`{"servers": 5, "alpha": null, "rel_error": 0.05}`, "alpha", "alpha = 0: want alpha > 0"},
		{`{"servers": 5, "alpha": 500, "rel_error": 0.05}`, "alpha", "1e-150"},
		{`{"servers": 5, "alpha": 3, "model": "both", "rel_error": 0.05}`, "model", "dt or ct"},
		{`{"servers": 5, "alpha": 3, "routing": "slot", "rel_error": 0.05}`, "routing", "batch or job"},
		{`{"servers": 5, "alpha": 3, "seed": "-1", "rel_error": 0.05}`, "seed", "0 <= seed"},
		{`{"servers": 5, "alpha": 3, "arrivals": "pmf:1", "rel_error": 0.05}`, "arrivals", "mean 1"},
		{`{"servers": 5, "alpha": 3, "service": "poisson", "rel_error": 0.05}`, "service", "binomial:N"},
		{`{"servers": 5, "alpha": 3, "arrivals": "bernoulli", "service": "bernoulli", "rel_error": 0.05}`, "service", "service = bernoulli, with bernoulli arrivals: want variance"},
		{`{"servers": 5, "alpha": 3, "arrivals": "pmf:0.2_5,0.5,0.25", "rel_error": 0.05}`, "arrivals", "numbers separated by commas"},
		{`{"servers": 5, "alpha": 3}`, "rel_error", "rel-error"},
		{`{"servers": 2, "alpha": 30, "arrivals": "deterministic", "service": "pmf:0.5,0,0.5", "rel_error": 0.05}`, "servers", "want an X"},
		{`{"servers": "many"}`, "", "cannot be read"},
	} {
		d := distance(t, c.request)
		text, _ := d["error"].(string)
		field, _ := d["field"].(string)
		if field != c.field || !strings.Contains(text, c.want) || strings.Contains(text, "\n") || strings.HasPrefix(text, "sim:") {
			t.Errorf("%s: error %q, field %q; want %q, %q", c.request, text, field, c.want, c.field)
		}
	}
}

// A run that is stopped tells what it has found.
func TestStop(t *testing.T) {
	request := []byte(`{"servers": 16, "alpha": 5, "rel_error": 1e-6}`)
	ctx, cancel := context.WithCancel(context.Background())
	d := answer(t, Distance(ctx, request, func(p sim.Progress) {
		if p.RelError > 0 && !math.IsInf(p.RelError, 1) {
			cancel()
		}
	}))
	warnings := fmt.Sprint(d["warnings"])
	if d["stopped"] != true || !(d["wasserstein"].(float64) > 0) || !strings.Contains(warnings, "interrupted") {
		t.Errorf("stopped = %v, W1 = %v, warnings %s", d["stopped"], d["wasserstein"], warnings)
	}
	cancel()
	d = answer(t, Distance(ctx, request, nil))
	if d["error"] != "stopped before there was a result" {
		t.Errorf("error %v", d["error"])
	}
}

func TestPath(t *testing.T) {
	for _, c := range []struct {
		request string
		points  int
		last    float64 // time
	}{
		{`{"servers": 3, "alpha": 2, "steps": 200, "every": 1, "start": [5, 0, 1]}`, 201, 200},
		{`{"servers": 3, "alpha": 2, "steps": 20, "every": 10, "start": [5, 0, 1]}`, 21, 200},
		{`{"servers": 3, "alpha": 2, "routing": "job", "policy": "pod:1", "steps": 20, "every": 1, "start": [5, 0, 1]}`, 21, 20},
		{`{"model": "ct", "servers": 3, "alpha": 2, "steps": 100, "every": 1, "start": [5, 0, 1]}`, 101, 0},
		{`{"servers": 1000, "alpha": 2, "routing": "job", "steps": 600, "every": 1}`, 61, 60},
	} {
		p := answer(t, Path([]byte(c.request)))
		if p["error"] != nil {
			t.Errorf("%s: %v", c.request, p["error"])
			continue
		}
		time, total := floats(t, p["time"]), floats(t, p["total"])
		low, high, queues := floats(t, p["low"]), floats(t, p["high"]), floats(t, p["queues"])
		end := len(time) - 1
		if len(time) != c.points || c.last > 0 && time[end] != c.last {
			t.Errorf("%s: %d points to time %v; want %d to %v", c.request, len(time), time[end], c.points, c.last)
		}
		sum := 0.0
		for _, x := range queues {
			sum += x
		}
		if sum != total[end] || slices.Min(queues) != low[end] || slices.Max(queues) != high[end] {
			t.Errorf("%s: ends in %v with Q = %v in [%v, %v]", c.request, queues, total[end], low[end], high[end])
		}
		if strings.Contains(c.request, "start") && (total[0] != 6 || low[0] != 0 || high[0] != 5) {
			t.Errorf("%s: starts with Q = %v in [%v, %v]", c.request, total[0], low[0], high[0])
		}
	}
	for _, c := range []struct{ request, want string }{
		{`{"servers": 3, "alpha": 2, "steps": 5, "every": 0}`, "every = 0"},
		{`{"servers": 3, "alpha": 2, "steps": 5, "every": 1, "start": [1]}`, "start = 1: want one queue"},
		{`{"servers": 0, "alpha": 2, "steps": 5, "every": 1}`, "servers = 0"},
	} {
		if text, _ := answer(t, Path([]byte(c.request)))["error"].(string); !strings.Contains(text, c.want) {
			t.Errorf("%s: error %q; want %q", c.request, text, c.want)
		}
	}
}

func Example() {
	out := Path([]byte(`{"servers": 2, "alpha": 1, "steps": 3, "every": 1}`))
	fmt.Println(strings.HasPrefix(string(out), `{"time":[0,1,2,3],"total":[0,`))
	fmt.Println(string(Path([]byte(`{"servers": 2, "alpha": -1}`))))
	// Output:
	// true
	// {"error":"alpha = -1: want alpha \u003e 0","field":"alpha"}
}
