package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// withIntervals adds KEY_low and KEY_high after every key that is marked with +.
func withIntervals(keys string) string {
	var out []string
	for _, k := range strings.Fields(keys) {
		if base, ok := strings.CutSuffix(k, "+"); ok {
			out = append(out, base, base+"_low", base+"_high")
			continue
		}
		out = append(out, k)
	}
	return strings.Join(out, " ")
}

func TestSimulateKeys(t *testing.T) {
	const (
		dt = "command version model servers alpha gap arrivals service routing policy seed limit_mean mean_total+ second_moment_total+ mean_unused+ mean_unused_exact " +
			"boundary_mean+ boundary_second+ qtilde_mean+ perp_second_moment+ wasserstein+ wasserstein_noise pmf slots warm_up_slots relaxation replications warnings"
		ct = "command version model servers alpha gap policy seed limit_mean mean_total+ second_moment_total+ mean_unused+ mean_unused_exact " +
			"boundary_mean+ qtilde_mean+ perp_second_moment+ wasserstein+ wasserstein_noise pmf slots warm_up_slots relaxation replications warnings"
	)
	for _, c := range []struct{ line, want string }{
		{"simulate --servers 4 --alpha 0.5 --rel-error 0.05 --json", dt},
		{"simulate --servers 4 --gap 0.3 --arrivals bernoulli --policy pod:2 --routing job --rel-error 0.05 --json", dt},
		{"simulate --servers 1 --gap 0.3 --service bernoulli --rel-error 0.05 --json", strings.Replace(dt, " alpha ", " ", 1)},
		{"simulate --model ct --servers 4 --load 0.7 --rel-error 0.05 --json", ct},
		{"simulate --model ct --servers 4 --load 0.02 --rel-error 0.05 --json", ct},
	} {
		status, stdout, stderr := jsq(c.line)
		if status != exitOK || !strings.Contains(stderr, "relaxation") || strings.Count(stderr, "\n") != 1 {
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
		documented(t, "simulate", keys)
		if n := len(values["pmf"].([]any)); n != 16 {
			t.Errorf("jsq %s: pmf has %d entries, want 16", c.line, n)
		}
		if got, want := values["command"], "jsq "+strings.TrimSuffix(c.line, " --json"); got != want {
			t.Errorf("command %q, want %q", got, want)
		}
	}
}

// One server in continuous time is M/M/1: E Q = lambda/(1-lambda), P(Q = 0) =
// 1 - lambda, and the chance of a miss by 4.5 half widths of a 95 % interval
// is nil.
func TestSimulateMM1(t *testing.T) {
	status, stdout, _ := jsq("simulate --model ct --servers 1 --load 0.6 --rel-error 0.02 --seed 3 --json")
	if status != exitOK {
		t.Fatal(status)
	}
	_, v := object(t, stdout)
	for _, c := range []struct {
		key  string
		want float64
	}{
		{"mean_total", 1.5}, {"second_moment_total", 6}, {"mean_unused", 0.4},
	} {
		x, low, high := v[c.key].(float64), v[c.key+"_low"].(float64), v[c.key+"_high"].(float64)
		if !(low < x && x < high) || math.Abs(x-c.want) > 4.5*(high-low)/2 {
			t.Errorf("%s = %v in [%v, %v], want %v", c.key, x, low, high, c.want)
		}
	}
	p0 := v["pmf"].([]any)[0].(float64)
	if math.Abs(p0-0.4) > 0.02 {
		t.Errorf("P(Q = 0) = %v, want 0.4", p0)
	}
}

func TestSimulateTable(t *testing.T) {
	status, stdout, _ := jsq("simulate --servers 2 --alpha 1 --rel-error 0.1")
	if status != exitOK {
		t.Fatal(status)
	}
	for _, w := range []string{"E Q~", "0.5 (exact)", "+-", "P(Q = 0)"} {
		if !strings.Contains(stdout, w) {
			t.Errorf("no %q in\n%s", w, stdout)
		}
	}
}

func TestSimulateWorkers(t *testing.T) {
	sameForWorkers(t, "simulate --servers 3 --alpha 0.7 --rel-error 0.05 --seed 5")
	sameForWorkers(t, "simulate --model ct --servers 3 --alpha 0.7 --rel-error 0.05 --seed 5 --json")
}

// sameForWorkers checks that a command with seed 5 prints the same bytes for any
// number of workers, and others for another seed.
func sameForWorkers(t *testing.T, line string) {
	t.Helper()
	var first string
	for _, workers := range []string{"1", "2", "7"} {
		status, stdout, _ := jsq(line + " --workers " + workers)
		if status != exitOK {
			t.Fatal(status)
		}
		if first == "" {
			first = stdout
		}
		if stdout != first {
			t.Errorf("jsq %s: workers change the output:\n%s\n%s", line, first, stdout)
		}
	}
	_, other, _ := jsq(strings.Replace(line, "--seed 5", "--seed 6", 1))
	if strings.NewReplacer("--seed 6", "--seed 5", `"seed": 6`, `"seed": 5`).Replace(other) == first {
		t.Errorf("jsq %s: the seed changes nothing", line)
	}
}

// build builds the command once for a test. What the test starts does not ignore an interrupt, also
// where the test itself was started so.
func build(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	if signal.Ignored(os.Interrupt) {
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	}
	bin := filepath.Join(t.TempDir(), "jsq")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// interrupt starts a command, signals it once it works, and returns what it
// printed.
func interrupt(t *testing.T, bin string, sig os.Signal, line string) (status int, stdout, stderr string) {
	t.Helper()
	for delay := time.Second; ; delay *= 4 {
		ctx, cancel := context.WithTimeout(t.Context(), delay+time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, bin, strings.Fields(line)...)
		var out, text bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &text
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(delay) // let it start and count
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		err := cmd.Wait()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		// killed by the signal: it had not come to handle it, on a busy machine
		if cmd.ProcessState.ExitCode() >= 0 || delay > 10*time.Second {
			return cmd.ProcessState.ExitCode(), out.String(), text.String()
		}
	}
}

func TestInterrupt(t *testing.T) {
	bin := build(t)
	for _, c := range []struct {
		sig     os.Signal
		line    string
		counted bool
	}{
		{os.Interrupt, "simulate --servers 2 --alpha 0.5 --rel-error 1e-6 --max-slots 1e15 --workers 2 --json", true},
		{syscall.SIGTERM, "simulate --servers 2 --alpha 15 --max-slots 1e18 --workers 2 --json", false}, // in its warm-up
	} {
		status, stdout, stderr := interrupt(t, bin, c.sig, c.line)
		if status != exitWork || !strings.HasSuffix(stderr, "jsq simulate: interrupted\n") {
			t.Errorf("jsq %s: status %d, stderr %q; want status 1, interrupted", c.line, status, stderr)
		}
		var v struct {
			MeanTotal *float64 `json:"mean_total"`
			Servers   int
			Warnings  []string
		}
		if err := json.Unmarshal([]byte(stdout), &v); err != nil {
			t.Errorf("jsq %s: %v\n%s", c.line, err, stdout)
			continue
		}
		if (v.MeanTotal != nil) != c.counted || v.Servers != 2 {
			t.Errorf("jsq %s: printed\n%s", c.line, stdout)
		}
		if !strings.Contains(strings.Join(v.Warnings, "\n"), "interrupted") {
			t.Errorf("jsq %s: warnings %q, want one that says interrupted", c.line, v.Warnings)
		}
	}
}
