package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// jsq runs a command line given as one string of words.
func jsq(line string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(strings.Fields(line), &out, &err)
	return status, out.String(), err.String()
}

// object decodes one JSON object and returns its keys in order.
func object(t *testing.T, text string) (keys []string, values map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		t.Fatalf("not one JSON object: %v\n%s", err, text)
	}
	d := json.NewDecoder(strings.NewReader(text))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key.(string))
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := values["warnings"].([]any); !ok {
		t.Errorf("warnings = %v, want a list", values["warnings"])
	}
	return keys, values
}

var notFinite = regexp.MustCompile(`(?i)\b(nan|[+-]?inf)\b`)

func TestBadArguments(t *testing.T) {
	checkBadArguments(t, []badArguments{
		{"simulate", []string{"--servers = nothing", "1 <= servers <= 100000"}},
		{"nonsense", []string{"jsq: command nonsense: want one of", "simulate", "version"}},
		{"--servers 2", []string{"command --servers"}},
		{"help nonsense", []string{"command nonsense"}},
		{"help version extra", []string{"argument extra: want one command"}},
		{"version extra", []string{"argument extra"}},
		{"version --seed 1", []string{"unknown flag --seed", "--json"}},
		{"simulate --servers 2 --alpha 1 garbage", []string{"argument garbage: want flags only"}},
		{"simulate garbage --servers 2 --alpha 1", []string{"argument garbage"}},
		{"simulate --servers 2 --alpha 1 -- --json", []string{"argument --json"}},
		{"simulate --servers 2 --alpha 1 --colour", []string{"unknown flag --colour: want one of --model"}},
		{"simulate ---servers 2", []string{"argument ---servers"}},
		{"simulate --servers", []string{"--servers = nothing"}},
		{"simulate --servers 2 --alpha 1 --json=perhaps", []string{"--json = perhaps: want true or false"}},
		{"simulate --alpha 1", []string{"--servers = nothing"}},
		{"simulate --servers 0 --alpha 1", []string{"--servers = 0: want 1 <="}},
		{"simulate --servers -3 --alpha 1", []string{"--servers = -3"}},
		{"simulate --servers 2.5 --alpha 1", []string{"--servers = 2.5"}},
		{"simulate --servers two --alpha 1", []string{"--servers = two"}},
		{"simulate --servers 99999999999999999999 --alpha 1", []string{"--servers = 99999999999999999999"}},
		{"simulate --servers 100001 --alpha 1", []string{"--servers = 100001"}},
		{"simulate --servers 2 --servers 3 --alpha 1", []string{"--servers = 3, given 2 times"}},
		{"simulate --servers 2", []string{"--alpha = nothing", "exactly one of --alpha, --gap and --load"}},
		{"simulate --servers 2 --alpha 1 --gap 0.5", []string{"--alpha = 1 and --gap = 0.5", "exactly one"}},
		{"simulate --servers 2 --gap 0.5 --load 0.5", []string{"--gap = 0.5 and --load = 0.5"}},
		{"simulate --servers 2 --alpha 0 --gap 0.5", []string{"--alpha = 0 and --gap"}},
		{"simulate --servers 2 --alpha 1 --alpha 1", []string{"--alpha = 1, given 2 times"}},
		{"simulate --servers 2 --alpha -1", []string{"jsq simulate: --alpha = -1: want alpha > 0"}},
		{"simulate --servers 2 --alpha 0", []string{"--alpha = 0: want alpha > 0"}},
		{"simulate --servers 2 --alpha nan", []string{"--alpha = nan: want alpha > 0"}},
		{"simulate --servers 2 --alpha inf", []string{"--alpha = inf"}},
		{"simulate --servers 2 --alpha 1e400", []string{"--alpha = 1e400"}},
		{"simulate --servers 2 --alpha one", []string{"--alpha = one"}},
		{"simulate --servers 2 --alpha=", []string{`--alpha = ""`}},
		{"simulate --servers 2 --alpha 1_0", []string{"--alpha = 1_0: want alpha > 0"}},
		{"simulate --servers 2 --alpha 0x1p1", []string{"--alpha = 0x1p1: want alpha > 0"}},
		{"simulate --servers 1_0 --alpha 1", []string{"--servers = 1_0: want 1 <="}},
		{"simulate --servers 2 --gap 0.0_1", []string{"--gap = 0.0_1: want 0 < gap < 1"}},
		{"simulate --servers 2 --load 0.9_9", []string{"--load = 0.9_9: want 0 < load < 1"}},
		{"simulate --servers 2 --alpha 1 --rel-error 0.0_1", []string{"--rel-error = 0.0_1"}},
		{"simulate --servers 2 --alpha 1 --max-slots 1_000", []string{"--max-slots = 1_000"}},
		{"simulate --servers 2 --alpha 1 --seed 1_0", []string{"--seed = 1_0"}},
		{"simulate --servers 2 --alpha 1 --workers 1_0", []string{"--workers = 1_0"}},
		{"distance --servers 2 --alpha 1 --ceiling 1_0", []string{"--ceiling = 1_0"}},
		{"bound --servers 2 --alpha 1 --r 1_0", []string{"--r = 1_0"}},
		{"simulate --servers 2 --alpha 1000", []string{"--alpha = 1000", "1e-150"}},
		{"simulate --servers 2 --alpha 1e-300", []string{"--alpha = 1e-300"}},
		{"simulate --servers 1 --alpha 2", []string{"--alpha = 2 with servers = 1: want gap"}},
		{"simulate --servers 2 --gap 0", []string{"--gap = 0: want 0 < gap < 1"}},
		{"simulate --servers 2 --gap 1", []string{"--gap = 1: want 0 < gap < 1"}},
		{"simulate --servers 2 --gap -0.1", []string{"--gap = -0.1"}},
		{"simulate --servers 2 --gap NaN", []string{"--gap = NaN"}},
		{"simulate --servers 2 --gap 1e-200", []string{"--gap = 1e-200", "1e-150"}},
		{"simulate --servers 2 --load 1", []string{"--load = 1: want 0 < load < 1"}},
		{"simulate --servers 2 --load 1.2", []string{"--load = 1.2: want 0 < load < 1"}},
		{"simulate --servers 2 --load 0", []string{"--load = 0"}},
		{"simulate --servers 2 --load -0.5", []string{"--load = -0.5"}},
		{"simulate --servers 2 --load NaN", []string{"--load = NaN"}},
		{"simulate --servers 2 --load +Inf", []string{"--load = +Inf"}},
		{"simulate --servers 2 --load 1e-99999999", []string{"--load = 1e-99999999"}},
		{"simulate --servers 2 --load 1e-30", []string{"--load = 1e-30"}},
		{"simulate --servers 2 --load 0." + strings.Repeat("9", 151), []string{"--load = 0.999", "1 - load >= 1e-150"}},
		{"simulate --model mm --servers 2 --alpha 1", []string{"--model = mm: want dt or ct"}},
		{"simulate --model ct --servers 2 --alpha 1 --arrivals binomial:2", []string{"--arrivals = binomial:2", "dt only"}},
		{"simulate --model ct --servers 2 --alpha 1 --service binomial:2", []string{"--service = binomial:2", "dt only"}},
		{"simulate --model ct --servers 2 --alpha 1 --routing batch", []string{"--routing = batch", "dt only"}},
		{"simulate --servers 2 --alpha 1 --arrivals poisson", []string{"--arrivals = poisson: want binomial:N"}},
		{"simulate --servers 2 --alpha 1 --arrivals binomial:0", []string{"--arrivals = binomial:0"}},
		{"simulate --servers 2 --alpha 1 --arrivals pmf:0.5,0.4", []string{"--arrivals = a pmf that sums to 0.9: want sum 1"}},
		{"simulate --servers 2 --alpha 1 --service pmf:0.5,0.5", []string{"--service = a pmf of mean 0.5: want mean 1"}},
		{"simulate --servers 2 --alpha 1 --service pmf:0.5,x", []string{"--service = pmf:0.5,x"}},
		{"simulate --servers 2 --alpha 1 --service pmf:-0.5,2,-0.5", []string{"--service = a pmf with P(0) = -0.5"}},
		{"simulate --servers 2 --alpha 1 --arrivals pmf:nan,1", []string{"--arrivals = a pmf with P(0) = NaN"}},
		{"simulate --servers 2 --alpha 1 --service deterministic --arrivals deterministic", []string{"--service = deterministic", "variance"}},
		{"simulate --servers 2 --alpha 1 --service bernoulli --arrivals deterministic", []string{"--service = bernoulli, with deterministic arrivals: want variance"}},
		{"exact --servers 2 --alpha 1 --service deterministic --arrivals binomial:1", []string{"--service = deterministic, with binomial:1 arrivals: want variance"}},
		{"sweep --servers 2 --alpha 1 --out x --service pmf:0,1 --arrivals bernoulli", []string{"--service = pmf:0,1, with bernoulli arrivals: want variance"}},
		{"simulate --servers 2 --alpha 1 --policy random", []string{"--policy = random: want jsq, pod:D or pod:D:replacement with 1 <= D"}},
		{"simulate --servers 2 --alpha 1 --policy pod:0", []string{"--policy = pod:0"}},
		{"simulate --servers 2 --alpha 1 --policy pod:3", []string{"--policy = pod:3", "servers = 2"}},
		{"simulate --servers 2 --alpha 1 --policy pod:-1", []string{"--policy = pod:-1"}},
		{"simulate --servers 2 --alpha 1 --policy pod:3:replacement", []string{"--policy = pod:3:replacement", "servers = 2"}},
		{"simulate --servers 2 --alpha 1 --policy jsq:replacement", []string{"--policy = jsq:replacement: want jsq, pod:D"}},
		{"simulate --servers 2 --alpha 1 --routing slot", []string{"--routing = slot: want batch or job"}},
		{"simulate --servers 2 --alpha 1 --seed -1", []string{"--seed = -1: want a whole number"}},
		{"simulate --servers 2 --alpha 1 --seed 1.5", []string{"--seed = 1.5"}},
		{"simulate --servers 2 --alpha 1 --workers -1", []string{"--workers = -1: want workers >= 0"}},
		{"simulate --servers 2 --alpha 1 --workers many", []string{"--workers = many"}},
		{"simulate --servers 2 --alpha 1 --rel-error 0", []string{"--rel-error = 0: want 0 < rel-error < 1"}},
		{"simulate --servers 2 --alpha 1 --rel-error 1", []string{"--rel-error = 1"}},
		{"simulate --servers 2 --alpha 1 --rel-error nan", []string{"--rel-error = nan"}},
		{"simulate --servers 2 --alpha 1 --max-slots -1", []string{"--max-slots = -1"}},
		{"simulate --servers 2 --alpha 1 --max-slots 1e99", []string{"--max-slots = 1e99"}},
		{"simulate --servers 2 --alpha 1 --max-slots 0.5", []string{"--max-slots = 0.5"}},
		// cannot end
		{"simulate --servers 100 --alpha 4.5", []string{"--alpha = 4.5 takes about", "more than --max-slots = 2e+10: want jsq distance"}},
		{"simulate --model ct --servers 100 --load 0.999999999", []string{"--load = 0.999999999 takes about", "steps", "jsq distance"}},
		{"simulate --servers 2 --gap 0.1 --max-slots 10", []string{"--gap = 0.1 takes about", "--max-slots = 10"}},
		{"simulate --servers 100 --alpha 4.5 --policy pod:1", []string{"--alpha = 4.5 takes about", "want a larger gap or --max-slots"}},
	})
}

type badArguments struct {
	line string
	want []string // all in the one line on stderr
}

func checkBadArguments(t *testing.T, cases []badArguments) {
	t.Helper()
	for _, c := range cases {
		status, stdout, stderr := jsq(c.line)
		if status != exitUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, "\n") {
			t.Errorf("jsq %s: status %d, stdout %q, stderr %q; want status 2 and one line on stderr", c.line, status, stdout, stderr)
			continue
		}
		if !strings.HasPrefix(stderr, "jsq") || !strings.Contains(stderr, ": want ") {
			t.Errorf("jsq %s: stderr %q: want the command and what is wanted", c.line, stderr)
		}
		for _, w := range c.want {
			if !strings.Contains(stderr, w) {
				t.Errorf("jsq %s: stderr %q: want %q in it", c.line, stderr, w)
			}
		}
	}
}

// Every command that takes a system refuses the same loads, in both models, and names the smallest.
func TestSmallestLoad(t *testing.T) {
	var cases []badArguments
	for _, command := range []string{"distance", "exact", "simulate", "bound"} {
		for _, model := range []string{"dt", "ct"} {
			line := command + " --model " + model + " --servers 2 "
			cases = append(cases,
				badArguments{line + "--load 7e-13", []string{"--load = 7e-13: want load >= 1e-09"}},
				badArguments{line + "--load 1e-17", []string{"--load = 1e-17: want load >= 1e-09"}},
				badArguments{line + "--gap 0.9999999999999999", []string{"--gap = 0.9999999999999999: want 1 - gap >= 1e-09"}},
				badArguments{line + "--alpha 1e-12", []string{"--alpha = 1e-12: want 1 - N^(-alpha) >= 1e-09"}})
			if command == "bound" {
				break // of slots only
			}
		}
	}
	out := filepath.Join(t.TempDir(), "sweep")
	cases = append(cases, badArguments{"sweep --servers 2 --alpha 1e-12 --out " + out, []string{"--alpha = 1e-12: want 1 - N^(-alpha) >= 1e-09"}})
	checkBadArguments(t, cases)
}

// Light loads end with a result, W1 being m - c E Q there, or with one line.
func TestLightLoad(t *testing.T) {
	for _, c := range []struct {
		system string
		mean   float64 // of the limit
	}{
		{"--servers 2 --load 1e-9", 0.5},
		{"--servers 1 --load 3e-5 --service deterministic", 0.25},
		{"--servers 1 --load 1e-4 --arrivals binomial:5 --service bernoulli", 0.4},
		{"--servers 2 --load 1e-6 --service binomial:30", (0.5 + 29./30) / 2},
		{"--model ct --servers 2 --load 1e-9", 1},
	} {
		for _, command := range []string{"exact", "distance"} {
			status, stdout, stderr := jsq(command + " " + c.system + " --json")
			if status != exitOK {
				t.Errorf("jsq %s %s: status %d, stderr %q", command, c.system, status, stderr)
				continue
			}
			_, values := object(t, stdout)
			if w := values["wasserstein"].(float64); math.Abs(w/c.mean-1) > 1e-3 {
				t.Errorf("jsq %s %s: wasserstein = %v, want %v", command, c.system, w, c.mean)
			}
		}
	}
	checkBadArguments(t, []badArguments{
		{"simulate --servers 2 --load 1e-8", []string{"--load = 1e-8 takes about 7.7e+12 slots", "jsq distance"}},
		{"simulate --model ct --servers 2 --load 1e-8", []string{"--load = 1e-8 takes about 3.8e+12 steps", "jsq distance"}},
		{"exact --servers 2 --load 1e-9 --service deterministic", []string{"--load = 1e-9", "want an X"}},
	})
}

// Control characters in an argument must not break the one line.
func TestOneLine(t *testing.T) {
	for _, args := range [][]string{
		{"simulate", "--servers", "2\n3", "--alpha", "1"},
		{"simulate", "--servers", "2", "--alpha", "1", "--arrivals", "pmf:\n\x1b[31m"},
		{"simulate", "--servers", "2", "--alpha", "1", "--x\ny"},
		{"simul\nate"},
		{"simulate", "a\nb"},
	} {
		var out, err bytes.Buffer
		if status := run(args, &out, &err); status != exitUsage || strings.Count(err.String(), "\n") != 1 || strings.Contains(err.String(), "\x1b") {
			t.Errorf("%q: status %d, stderr %q; want status 2 and one clean line", args, status, err.String())
		}
	}
}

func TestHelp(t *testing.T) {
	for _, line := range []string{"help", "-h", "--help"} {
		status, stdout, stderr := jsq(line)
		if status != exitOK || stderr != "" {
			t.Errorf("jsq %s: status %d, stderr %q", line, status, stderr)
		}
		for name := range commands {
			if !strings.Contains(stdout, name) {
				t.Errorf("jsq %s does not name %s", line, name)
			}
		}
	}
	if status, stdout, stderr := jsq(""); status != exitUsage || stdout != "" || !strings.Contains(stderr, "Usage: jsq COMMAND") {
		t.Errorf("jsq: status %d, stdout %q, stderr %q; want status 2 and the usage on stderr", status, stdout, stderr)
	}
	// the defaults are those of the command, whatever stands before -h
	_, want, _ := jsq("help simulate")
	if _, stdout, _ := jsq("simulate --seed 5 --servers 0 -h"); stdout != want {
		t.Errorf("jsq simulate --seed 5 --servers 0 -h:\n%s\nwant\n%s", stdout, want)
	}
	for name, cmd := range commands {
		f := newFlags(cmd)
		for _, line := range []string{"help " + name, name + " -h", name + " --help", name + " --json -h"} {
			status, stdout, stderr := jsq(line)
			if status != exitOK || stderr != "" {
				t.Errorf("jsq %s: status %d, stderr %q", line, status, stderr)
			}
			for _, flag := range f.names() {
				if !strings.Contains(stdout, flag) {
					t.Errorf("jsq %s does not name %s", line, flag)
				}
			}
		}
	}
}

// Every key that a command prints is in its help.
func documented(t *testing.T, command string, keys []string) {
	t.Helper()
	_, stdout, _ := jsq("help " + command)
	for _, key := range keys {
		if strings.HasSuffix(key, "_low") || strings.HasSuffix(key, "_high") {
			continue
		}
		if !regexp.MustCompile(`\b` + key + `\b`).MatchString(stdout) {
			t.Errorf("jsq help %s does not name the key %s", command, key)
		}
	}
}

func TestGapOfLoad(t *testing.T) {
	for _, c := range []struct {
		load string
		want float64
	}{
		{"0.9", 0.1},
		{"0.999999", 1e-6},
		{"0.999999999999999999", 1e-18},
		{"1e-3", 0.999},
		{"0." + strings.Repeat("9", 100), 1e-100},
		{".5", 0.5},
	} {
		var m *model
		f := newFlags(command{setup: func(f *flags) func() (*report, error) { m = declareModel(f); return nil }})
		if _, err := f.parse([]string{"--model", "ct", "--servers", "2", "--load", c.load}); err != nil {
			t.Fatal(err)
		}
		if err := m.read(); err != nil {
			t.Fatal(err)
		}
		if m.c.Gap != c.want {
			t.Errorf("gap of --load %s = %v, want %v", c.load, m.c.Gap, c.want)
		}
	}
}

func TestVersion(t *testing.T) {
	status, stdout, stderr := jsq("version --json")
	if status != exitOK || stderr != "" {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	keys, values := object(t, stdout)
	for _, key := range []string{"version", "go_version", "modules"} {
		if !slices.Contains(keys, key) {
			t.Errorf("no key %s in %v", key, keys)
		}
	}
	if values["version"] != version {
		t.Errorf("version = %v, want %v", values["version"], version)
	}
	if status, stdout, _ := jsq("version"); status != exitOK || !strings.Contains(stdout, version) || !strings.Contains(stdout, runtime.Version()) {
		t.Errorf("jsq version: status %d\n%s", status, stdout)
	}
}

// The citation names the version that the program names.
func TestCitation(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "CITATION.cff"))
	if err != nil {
		t.Skip(err)
	}
	m := regexp.MustCompile(`(?m)^version: *"?([^"\n]+)"?$`).FindSubmatch(text)
	if m == nil || string(m[1]) != version {
		t.Errorf("CITATION.cff has version %q, want %q", m, version)
	}
}

// errWriter fails at some of its writes.
type errWriter struct {
	fails func(write int) bool
	n     int
}

func (w *errWriter) Write(b []byte) (int, error) {
	w.n++
	if w.fails(w.n) {
		return 0, syscall.ENOSPC
	}
	return len(b), nil
}

// Every command that cannot write what it has to say has failed, and says so in
// one line.
func TestWriteError(t *testing.T) {
	dir := t.TempDir()
	out, table := filepath.Join(dir, "sweep"), filepath.Join(dir, "t.csv")
	sweep, merge := quickSweep+out, "merge "+out+" --out "+table
	for _, line := range []string{sweep, merge} {
		if status, _, stderr := jsq(line); status != exitOK {
			t.Fatal(stderr)
		}
	}
	work := map[string]string{
		"bound":    "bound --servers 4 --alpha 2",
		"distance": "distance --servers 2 --alpha 2 --rel-error 0.2",
		"exact":    "exact --model ct --servers 2 --load 0.5",
		"merge":    merge,
		"rates":    "rates " + table,
		"simulate": "simulate --model ct --servers 1 --load 0.5 --rel-error 0.2",
		"sweep":    sweep,
		"version":  "version",
	}
	lines := []string{"help", "-h"}
	for name := range commands {
		if work[name] == "" {
			t.Errorf("no line for jsq %s", name)
		}
		lines = append(lines, work[name], work[name]+" --json", "help "+name, name+" -h")
	}
	first := func(n int) bool { return n == 1 }
	for _, line := range lines {
		var err bytes.Buffer
		status := run(strings.Fields(line), &errWriter{fails: first}, &err)
		said := strings.SplitAfter(err.String(), "\n")
		if len(said) > 1 && strings.HasPrefix(line, "simulate --model") {
			said = said[1:] // what to expect
		}
		if status != exitWork || len(said) != 2 || !strings.HasPrefix(said[0], "jsq "+strings.Fields(line)[0]+": write the result: ") {
			t.Errorf("jsq %s: status %d, stderr %q; want status 1 and one line", line, status, err.String())
		}
	}

	closed, err := os.Create(filepath.Join(dir, "closed"))
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	reading, err := os.Open(closed.Name())
	if err != nil {
		t.Fatal(err)
	}
	writers := map[string]io.Writer{
		"the last write":  &errWriter{fails: func(n int) bool { return n > 3 }},
		"a closed file":   closed,
		"a read-only one": reading,
	}
	if full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0); err == nil {
		writers["a full disk"] = full
	}
	for what, w := range writers {
		var err bytes.Buffer
		if status := run([]string{"help"}, w, &err); status != exitWork || strings.Count(err.String(), "\n") != 1 {
			t.Errorf("%s: status %d, stderr %q; want status 1 and one line", what, status, err.String())
		}
	}
	// other errors come first
	var text bytes.Buffer
	if status := run([]string{"help", "nonsense"}, &errWriter{fails: first}, &text); status != exitUsage {
		t.Errorf("status %d, stderr %q; want status 2", status, text.String())
	}
}
