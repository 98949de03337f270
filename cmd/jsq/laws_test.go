package main

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the files of data/examples anew")

const examples = "../../data/examples"

// exampleFiles makes the files of data/examples, all from one seed.
func exampleFiles() map[string]string {
	rng := rand.New(rand.NewPCG(2004, 4826))
	var arrivals, service strings.Builder
	arrivals.WriteString("slot,arrivals\n")
	service.WriteString("jobs\n")
	// Binomial(4, p) with p = 0.4 or 0.1 by turns of 10 slots on average; Binomial(2, 1/2)
	high := true
	for slot := range 2000 {
		if rng.IntN(10) == 0 {
			high = !high
		}
		p, a, s := 0.1, 0, 0
		if high {
			p = 0.4
		}
		for range 4 {
			if rng.Float64() < p {
				a++
			}
		}
		for range 2 {
			s += rng.IntN(2)
		}
		fmt.Fprintf(&arrivals, "%d,%d\n", slot, a)
		fmt.Fprintf(&service, "%d\n", s)
	}
	return map[string]string{
		"arrivals-trace.csv": arrivals.String(),
		"service-trace.csv":  service.String(),
		"arrivals-pmf.csv":   "value,probability\n0,0.5\n1,0.25\n2,0.125\n4,0.125\n",
	}
}

// TestExampleFiles: the files of data/examples are those that their seed makes, and
// the command line takes them.
func TestExampleFiles(t *testing.T) {
	for name, want := range exampleFiles() {
		path := filepath.Join(examples, name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is not what its seed makes (%v): go test ./cmd/jsq -run ExampleFiles -update", path, err)
		}
	}
	const pmf = "pmf:0.5,0.25,0.125,0,0.125"
	line := "bound --servers 10 --alpha 4.5 --json --arrivals "
	status, out, errs := jsq(line + "file:" + examples + "/arrivals-pmf.csv")
	if status != 0 || errs != "" {
		t.Fatalf("exit status %d: %s", status, errs)
	}
	_, values := object(t, out)
	if values["arrivals"] != pmf || strings.Contains(out, "file:") {
		t.Errorf("arrivals = %v, want %s and no path", values["arrivals"], pmf)
	}
	if _, again, _ := jsq(line + pmf); again != out {
		t.Errorf("the law by its file gives\n%s\nand by its numbers\n%s", out, again)
	}

	// a trace: warnings on stderr and in the result, which says the law
	status, out, errs = jsq(line + "trace:" + examples + "/arrivals-trace.csv:arrivals --service trace:" + examples + "/service-trace.csv")
	if status != 0 {
		t.Fatalf("exit status %d: %s", status, errs)
	}
	_, values = object(t, out)
	for _, key := range []string{"arrivals", "service", "command"} {
		if text := values[key].(string); !strings.Contains(text, "pmf:") || strings.Contains(text, "trace:") {
			t.Errorf("%s = %v, want the law", key, text)
		}
	}
	warnings := fmt.Sprint(values["warnings"])
	for _, want := range []string{"--arrivals from", "made 1 (the unit of time is one mean service)", "correlated", "limit mean m would move"} {
		if !strings.Contains(warnings, want) || !strings.Contains(errs, want) {
			t.Errorf("warnings %s\nand stderr %s\nwant %q in both", warnings, errs, want)
		}
	}
	_, table, _ := jsq(strings.Replace(line, " --json", "", 1) + "trace:" + examples + "/arrivals-trace.csv:arrivals")
	if !strings.Contains(table, "\nwarning: --arrivals from") {
		t.Errorf("no warning in the table:\n%s", table)
	}
	// the command that the result gives makes the same numbers
	command := strings.TrimPrefix(values["command"].(string), "jsq ")
	status, again, errs := jsq(command + " --json")
	if status != 0 || errs != "" {
		t.Fatalf("jsq %s: exit status %d: %s", command, status, errs)
	}
	_, other := object(t, again)
	if other["stein_bound"] != values["stein_bound"] || other["limit_mean"] != values["limit_mean"] {
		t.Errorf("jsq %s gives other numbers", command)
	}
}

// write puts a file in a new folder and returns its path.
func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLawFiles(t *testing.T) {
	for _, content := range []string{
		"0,0.25\n1,0.5\n2,0.25\n",
		"value,probability\n0,0.25\n1,0.5\n2,0.25\n",
		"\xef\xbb\xbfvalue,probability\r\n2,0.25\r\n\r\n1,0.5\r\n0,0.25",
		"\xef\xbb\xbf0.0, 0.25\n1,5e-1\n 2 ,.25\n3,0\n",
		"value,server1,server2\n0,0.25,0.25\n1,0.5,0.5\n2,0.25,0.25\n",
		"Probability, Value\n0.25,0\n0.5,1\n0.25,2\n",
		"server1,value,server2\n0.25,0,0.25\n0.5,1,0.5\n0.25,2,0.25\n",
	} {
		status, out, errs := jsq("bound --servers 4 --alpha 4.5 --json --service file:" + write(t, content))
		if status != 0 || errs != "" {
			t.Errorf("%q: exit status %d: %s", content, status, errs)
			continue
		}
		if _, values := object(t, out); values["service"] != "pmf:0.25,0.5,0.25" {
			t.Errorf("%q: service %v", content, values["service"])
		}
	}
	checkLawFiles(t, "file:", map[string]string{
		"":                                             "no rows: want a CSV file with at least one line of numbers",
		"value,probability\n":                          "no rows",
		"1\n":                                          "1 column: want lines value,probability",
		"p,x\n0.25,0\n0.5,1\n0.25,2\n":                 "columns p, x: want value,probability (or value and a name for each server)",
		"x,probability\n0,0\n1,1\n":                    "columns x, probability: want value,probability",
		"value,share\n0,0\n1,1\n":                      "columns value, share: want value,probability",
		"value,value,s\n0,0,0\n1,1,1\n":                "columns value, value, s: want value,probability",
		",value,probability\n0,0,0\n1,1,1\n":           "columns \"\", value, probability: want value,probability",
		"0,0.5\n1,0.5\n":                               "a pmf of mean 0.5: want mean 1",
		"0,0.5\n1,0.2\n2,0.2\n":                        "a pmf that sums to 0.9: want sum 1",
		"0,0.5\n2,0.5\n0,0\n":                          "line 3, value 0 twice: want each once",
		"0,0.5\n2\n":                                   "line 2, 1 columns: want 2 as in the first line",
		"0,0.5\n2.5,0.5\n":                             "line 2, 2.5: want a whole number",
		"-1,0.5\n3,0.5\n":                              "line 1, -1: want a whole number, 0 <= count <= 255",
		"0,0.5\n256,0.5\n":                             "line 2, 256: want",
		"0,NaN\n1,1\n":                                 "line 1, NaN: want a probability in [0, 1]",
		"0,-0.5\n1,1.5\n":                              "line 1, -0.5: want a probability",
		"0,x\n1,1\n":                                   "line 1, x: want a probability",
		"0,\"0.5\n":                                    "line 1: ",
		"0,0.5\n1_0,0.5\n":                             "line 2, 1_0: want a whole number",
		"0,0.5\n2,0.5_0\n":                             "line 2, 0.5_0: want a probability",
		"0,0." + strings.Repeat("5", 2000):             "line 1, a cell of 2002 bytes: want at most 1000",
		strings.Repeat(",", 200_000):                   "200001 columns: want at most 100001",
		strings.Repeat(",", 3<<20):                     "a row of more than 2 MiB: want a CSV file",
		"0,0.5\n\"" + strings.Repeat("\n", 3<<20):      "a row of more than 2 MiB: want a CSV file",
		"value,s1,s2\n0,0.25,0\n1,0.5,1\n2,0.25,0\n":   "P(0) = 0.25 for server 1 and 0 for server 2: want one law for every server: equal means are enough for the split",
		"value,s1,s2\n0,0.25,0\n1,0.5,0.5\n2,0.25,0.5": "laws of mean 1 for server 1 and 1.5 for server 2: want one law of mean 1 for every server",
	})
	checkBadArguments(t, []badArguments{
		{"bound --servers 4 --alpha 4.5 --service file:", []string{"--service", "no path"}},
		{"bound --servers 4 --alpha 4.5 --service file:nowhere.csv", []string{"--service = file:nowhere.csv: no such file"}},
		{"bound --servers 4 --alpha 4.5 --arrivals file:.", []string{"--arrivals = file:.: a directory"}},
		{"bound --servers 4 --alpha 4.5 --service pmf:0,1;pmf:0.5,0,0.5", []string{"--service", "one law for every server"}},
		{"bound --model ct --servers 4 --alpha 4.5 --arrivals file:x", []string{"--arrivals = file:x", "--model dt only"}},
		{"sweep --servers 4 --alpha 4.5 --out x --arrivals trace:nowhere.csv", []string{"--arrivals = trace:nowhere.csv: no such file"}},
	})
}

func TestTraceFiles(t *testing.T) {
	ones := strings.Repeat("1\n", 200)
	for _, content := range []string{
		ones, "count\n" + ones, "\xef\xbb\xbfcount\r\n" + strings.ReplaceAll(ones, "\n", "\r\n"),
		strings.Repeat("1.0\n", 200), strings.Repeat("1\n\n", 200), strings.Repeat("1e0\n", 200),
	} {
		status, out, errs := jsq("bound --servers 4 --alpha 4.5 --json --service trace:" + write(t, content))
		if status != 0 || errs != "" {
			t.Errorf("%.20q: exit status %d: %s", content, status, errs)
			continue
		}
		if _, values := object(t, out); values["service"] != "pmf:0,1" {
			t.Errorf("%.20q: service %v", content, values["service"])
		}
	}
	two := "time,jobs\n" + strings.Repeat("5,1\n", 200)
	if status, _, errs := jsq("bound --servers 4 --alpha 4.5 --service trace:" + write(t, two) + ":jobs"); status != 0 {
		t.Errorf("a named column: exit status %d: %s", status, errs)
	}
	checkLawFiles(t, "trace:", map[string]string{
		"":                         "no rows",
		"count\n":                  "no rows",
		"1\n1\n1\n":                "a trace of 3 slots: want at least 100",
		"-1\n" + ones:              "line 1, -1: want a whole number",
		ones + "2.5\n":             "line 201, 2.5: want a whole number",
		ones + "NaN\n":             "line 201, NaN: want a whole number",
		ones + "Inf\n":             "line 201, Inf: want a whole number",
		ones + "1e300\n":           "line 201, 1e300: want a whole number, 0 <= count <= 255",
		ones + "1e999\n":           "line 201, 1e999: want",
		ones + "many\n":            "line 201, many: want a whole number",
		"1_0\n" + ones:             "line 1, 1_0: want a whole number",
		ones + "1_0\n":             "line 201, 1_0: want a whole number",
		strings.Repeat("0\n", 200): "a trace of mean 0: want counts above 0",
		two:                        "2 columns: want trace:PATH:COLUMN with one of time, jobs",
		strings.Repeat("5,1\n", 9): "2 columns: want trace:PATH:COLUMN with one of the columns of a header line",
	})
	path := write(t, two)
	checkBadArguments(t, []badArguments{
		{"bound --servers 4 --alpha 4.5 --arrivals trace:" + path + ":work", []string{"no column work: want one of time, jobs"}},
		{"bound --servers 4 --alpha 4.5 --arrivals trace:", []string{"no path"}},
		{"bound --servers 4 --alpha 4.5 --arrivals trace:" + write(t, "a,b, a\n"+strings.Repeat("1,1,2\n", 200)) + ":a", []string{"more than one column a: want a name that one column has"}},
		{"bound --servers 4 --alpha 4.5 --arrivals trace:" + write(t, "c"+strings.Repeat(",c", 99)+"\n1"+strings.Repeat(",1", 99)), []string{"100 columns", "c, and 80 more"}},
	})
}

// TestTraceMemory: a slot takes a few bytes, not its line.
func TestTraceMemory(t *testing.T) {
	const slots = 500_000
	path := write(t, "time,jobs\n"+strings.Repeat("12345678,0\n12345679,2\n", slots/2))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	status, _, errs := jsq("bound --servers 4 --alpha 4.5 --arrivals trace:" + path + ":jobs")
	runtime.ReadMemStats(&after)
	if status != 0 || !strings.Contains(errs, "correlated") {
		t.Fatalf("exit status %d: %s", status, errs)
	}
	// all that was ever allocated: a line is held once, as is each step of the growing counts
	if got := (after.TotalAlloc - before.TotalAlloc) / slots; got > 40 {
		t.Errorf("%d bytes a slot", got)
	}
}

// TestReadInterrupt: a signal ends a command that reads, or waits for a file.
func TestReadInterrupt(t *testing.T) {
	bin := build(t)
	pipe := func() string {
		path := filepath.Join(t.TempDir(), "pipe")
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	// a writer that says nothing more
	silent := func(text string) string {
		path := pipe()
		w, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { w.Close() })
		if _, err := w.WriteString(text); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, line := range map[string]string{
		"no writer":     "bound --servers 4 --alpha 4.5 --arrivals trace:" + pipe(),
		"silent writer": "sweep --servers 4 --alpha 4.5 --out " + t.TempDir() + " --service file:" + silent("value,probability\n0,0.5\n"),
		"long file":     "simulate --servers 4 --alpha 1 --service trace:" + write(t, strings.Repeat("1\n", 33_000_000)),
		"rates":         "rates " + pipe(),
		"silent rates":  "rates " + silent("model,servers,alpha,wasserstein,wasserstein_low,wasserstein_high\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
				status, stdout, stderr := interrupt(t, bin, sig, line)
				if status != exitWork || stdout != "" || !strings.HasSuffix(stderr, ": interrupted\n") || strings.Count(stderr, "\n") != 1 {
					t.Errorf("jsq %s: status %d, stdout %q, stderr %q; want status 1, interrupted", line, status, stdout, stderr)
				}
			}
		})
	}
}

// TestIgnoredInterrupt: a program that is started with SIGINT ignored goes on ignoring it.
func TestIgnoredInterrupt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `trap '' INT; exec "$@"`, "sh", build(t),
		"bound", "--servers", "4", "--alpha", "4.5", "--arrivals", "file:"+path)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile(path, os.O_WRONLY, 0) // once the program reads
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond) // one that is not ignored would have come
	if _, err := pipe.WriteString("0,0.5\n2,0.5\n"); err != nil {
		t.Error(err)
	}
	pipe.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, errs.String())
	}
}

// checkLawFiles holds the error for each content against a part of it.
func checkLawFiles(t *testing.T, kind string, cases map[string]string) {
	t.Helper()
	var all []badArguments
	for content, fragment := range cases {
		path := write(t, content)
		all = append(all, badArguments{"bound --servers 4 --alpha 4.5 --service " + kind + path, []string{"--service = " + kind + path + ": ", fragment}})
	}
	slices.SortFunc(all, func(a, b badArguments) int { return strings.Compare(a.line, b.line) })
	checkBadArguments(t, all)
}

// TestSweepLawFile: the table of a sweep says the law, and a sweep with the law by its
// numbers finds the results of one with the law by its file.
func TestSweepLawFile(t *testing.T) {
	dir := t.TempDir()
	line := "sweep --servers 2 --alpha 3 --rel-error 0.2 --json --out " + filepath.Join(dir, "s") + " --arrivals "
	status, out, errs := jsq(line + "file:" + examples + "/arrivals-pmf.csv")
	if status != 0 {
		t.Fatalf("exit status %d: %s", status, errs)
	}
	if _, values := object(t, out); values["done_now"] != 1. {
		t.Errorf("done_now = %v, want 1", values["done_now"])
	}
	if _, out, _ = jsq(line + "pmf:0.5,0.25,0.125,0,0.125"); !strings.Contains(out, `"done_before": 1`) {
		t.Errorf("the law by its numbers is not the law by its file:\n%s", out)
	}
	file := filepath.Join(dir, "t.csv")
	if status, _, errs := jsq("merge " + filepath.Join(dir, "s") + " --out " + file); status != 0 {
		t.Fatalf("merge: exit status %d: %s", status, errs)
	}
	table, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(table), `"pmf:0.5,0.25,0.125,0,0.125"`) || strings.Contains(string(table), "file:") {
		t.Errorf("the table does not say the law:\n%s", table)
	}
}
