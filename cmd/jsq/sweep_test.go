package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"jsqlab/jsqlib/record"
	"jsqlab/jsqlib/study"
)

// quickSweep is a sweep of four tasks of a few milliseconds each.
const quickSweep = "sweep --servers 2,3 --alpha 2,3 --rel-error 0.1 --seed 5 --out "

func TestSweepMergeRates(t *testing.T) {
	dir := t.TempDir()
	out, table := filepath.Join(dir, "out"), filepath.Join(dir, "t.csv")
	for _, shard := range []string{"2/2", "1/2"} {
		status, stdout, stderr := jsq(quickSweep + out + " --json --shard " + shard)
		if status != exitOK || stderr != "" {
			t.Fatalf("status %d, stderr %q", status, stderr)
		}
		keys, values := object(t, stdout)
		if got, want := strings.Join(keys, " "), "command version model servers alpha arrivals service routing policy seed rel_error tasks shard_tasks done_before done_now tasks_left out warnings"; got != want {
			t.Errorf("keys\n%s\nwant\n%s", got, want)
		}
		documented(t, "sweep", keys)
		if values["tasks"] != 4.0 || values["done_now"] != 2.0 || values["tasks_left"] != 0.0 {
			t.Errorf("shard %s: %v", shard, values)
		}
		if shard == "2/2" {
			if status, stdout, stderr := jsq("merge --in " + out + " --out " + table); status != exitWork || stdout != "" ||
				strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "2 of 4 tasks have no result") {
				t.Errorf("merge of half a sweep: status %d, %q, %q", status, stdout, stderr)
			}
			if _, err := os.Stat(table); err == nil {
				t.Error("half a sweep has a table")
			}
		}
	}
	status, stdout, stderr := jsq("merge --in " + out + " --out " + table + " --json")
	if status != exitOK || stderr != "" {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	keys, values := object(t, stdout)
	documented(t, "merge", append(keys, record.Keys("table")...))
	if values["rows"] != 4.0 || values["with_warnings"] != 0.0 {
		t.Errorf("%v", values)
	}
	rows, err := study.ReadCSV(table)
	if err != nil || len(rows) != 4 || rows[0].Version != version {
		t.Fatal(rows, err)
	}

	status, stdout, stderr = jsq("rates --in " + table + " --json")
	if status != exitOK || stderr != "" {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	keys, values = object(t, stdout)
	series := values["series"].([]any)
	first := series[0].(map[string]any)
	for key := range first {
		keys = append(keys, key)
	}
	documented(t, "rates", keys)
	if len(series) != 2 || first["alpha"] != 2.0 || first["lines"].(map[string]any)["2-alpha"] != 0.0 || len(first["local"].([]any)) != 1 {
		t.Errorf("%s", stdout)
	}
	if !(first["slope_low"].(float64) < first["slope"].(float64) && first["slope"].(float64) < first["slope_high"].(float64)) {
		t.Errorf("%s", stdout)
	}
	if notFinite.MatchString(stdout) {
		t.Errorf("NaN or Inf in\n%s", stdout)
	}
	if status, stdout, _ := jsq("rates --in " + table); status != exitOK || !strings.Contains(stdout, "2 - alpha = -1") || notFinite.MatchString(stdout) {
		t.Errorf("status %d\n%s", status, stdout)
	}

	// a row is jsq distance with its seed
	_, stdout, _ = jsq("distance --servers 3 --alpha 2 --rel-error 0.1 --json --seed " + jsonText(rows[1].TaskSeed))
	_, values = object(t, stdout)
	text, err := json.Marshal(rows[1])
	if err != nil {
		t.Fatal(err)
	}
	var row map[string]any
	if err := json.Unmarshal(text, &row); err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.Fields(withIntervals("servers alpha gap limit_mean wasserstein+ certificate_low certificate_high mean_total+ mean_unused boundary_mean+ boundary_second+ qtilde_mean+ slots total_slots ceiling ceiling_shift_in_sigma replications version")) {
		if values[key] == nil || values[key] != row[key] {
			t.Errorf("%s = %v in the table, %v from jsq distance", key, row[key], values[key])
		}
	}

	// a damaged result is named and stays
	names, err := filepath.Glob(filepath.Join(out, "dt-*.json"))
	if err != nil || len(names) != 4 {
		t.Fatal(names, err)
	}
	if err := os.WriteFile(names[2], []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{quickSweep + out, "merge --in " + out + " --out " + table} {
		status, stdout, stderr := jsq(line)
		if status != exitWork || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, names[2]) {
			t.Errorf("jsq %s: status %d, %q, %q", line, status, stdout, stderr)
		}
	}
	if again, err := study.ReadCSV(table); err != nil || len(again) != 4 {
		t.Errorf("the old table is gone: %v", err)
	}
}

func jsonText(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func TestSweepCT(t *testing.T) {
	dir := t.TempDir()
	line := "sweep --model ct --policy pod:2 --servers 2,4 --alpha 1.5 --rel-error 0.1 --out " + dir
	status, stdout, stderr := jsq(line + " --json")
	if status != exitOK || stderr != "" {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	if _, values := object(t, stdout); values["routing"] != nil || values["policy"] != "pod:2" {
		t.Errorf("%v", values)
	}
	if status, stdout, _ := jsq(line); status != exitOK || !strings.Contains(stdout, "done before") {
		t.Errorf("status %d\n%s", status, stdout)
	}
}

func TestSweepBadArguments(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("a,b\n1,2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	twice := filepath.Join(t.TempDir(), "twice.csv")
	row := "ct,8,2.5,1,0.9,1.1,5\n"
	if err := os.WriteFile(twice, []byte("model,servers,alpha,wasserstein,wasserstein_low,wasserstein_high,replications\n"+row+row), 0o666); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	ok := " --out " + filepath.Join(t.TempDir(), "never")
	checkBadArguments(t, []badArguments{
		{"sweep", []string{"--out = nothing"}},
		{"sweep --alpha 2" + ok, []string{"--servers = nothing"}},
		{"sweep --servers 2" + ok, []string{"--alpha = nothing"}},
		{"sweep --servers 2,x --alpha 2" + ok, []string{"--servers = 2,x: want whole numbers"}},
		{"sweep --servers 2, --alpha 2" + ok, []string{"--servers = 2,"}},
		{"sweep --servers 1 --alpha 2" + ok, []string{"--servers = 1"}},
		{"sweep --servers 2,100001 --alpha 2" + ok, []string{"--servers = 2,100001"}},
		{"sweep --servers 2,2 --alpha 2" + ok, []string{"--servers = 2 twice"}},
		{"sweep --servers 2,1_0 --alpha 2" + ok, []string{"--servers = 2,1_0"}},
		{"sweep --servers 2 --alpha 2,1_0" + ok, []string{"--alpha = 2,1_0"}},
		{"sweep --servers 2 --alpha 2 --shard 0_0/1" + ok, []string{"--shard"}},
		{"sweep --servers 2,10 --alpha 1 --max-slots 10" + ok, []string{"jsq sweep: --max-slots = 10: want more than 32000, which the warm-up at N = 10"}},
		{"sweep --servers 2,10 --alpha 1 --max-slots 20000" + ok, []string{"--max-slots = 20000: want more than 32000"}},
		{"sweep --model ct --servers 2 --alpha 1 --max-slots 10" + ok, []string{"--max-slots = 10: want at least"}},
		{"sweep --servers 2 --alpha 2,-1" + ok, []string{"--alpha = 2,-1"}},
		{"sweep --servers 2 --alpha 2,nan" + ok, []string{"--alpha = 2,nan"}},
		{"sweep --servers 2 --alpha 2,2.0" + ok, []string{"--alpha = 2 twice"}},
		{"sweep --servers 2,3 --alpha 1000" + ok, []string{"--alpha = 1000", "1e-150"}},
		{"sweep --servers 2 --alpha 2 --model mm" + ok, []string{"--model = mm"}},
		{"sweep --servers 2 --alpha 2 --model ct --routing job" + ok, []string{"--routing = job", "dt only"}},
		{"sweep --servers 2 --alpha 2 --routing slot" + ok, []string{"--routing ="}},
		{"sweep --servers 2 --alpha 2 --policy pod:1" + ok, []string{"--policy = pod:1", "D >= 2"}},
		{"sweep --servers 2 --alpha 2 --policy pod:3" + ok, []string{"--policy = pod:3"}},
		{"sweep --servers 2 --alpha 2 --service pmf:0.5,0.5" + ok, []string{"--service = a pmf of mean 0.5"}},
		{"sweep --servers 2 --alpha 2 --shard 3/2" + ok, []string{"--shard = 3/2: want I/N"}},
		{"sweep --servers 2 --alpha 2 --shard two" + ok, []string{"--shard = "}},
		{"sweep --servers 2 --alpha 2 --rel-error 2" + ok, []string{"--rel-error = 2"}},
		{"sweep --servers 2 --alpha 2 --seed -2" + ok, []string{"--seed = -2"}},
		{"sweep --servers 2 --alpha 2 --out " + file, []string{"--out = " + file + ": want a directory"}},
		{quickSweep + filepath.Join(os.DevNull, "x"), []string{"--out = " + filepath.Join(os.DevNull, "x") + ": want a directory that can be made"}},
		{quickSweep + filepath.Join(file, "x"), []string{"--out = "}},
		{"merge", []string{"no directory"}},
		{"merge --in " + empty, []string{"--out = nothing"}},
		{"merge --in " + empty + ok, []string{"no plan there"}},
		{"merge --in " + filepath.Join(empty, "x") + ok, []string{"no plan there"}},
		{"merge --in " + file + ok, []string{"no plan there"}},
		{"merge --in " + empty + " --out " + empty, []string{"a regular file"}},
		{"rates", []string{"no file"}},
		{"rates --in " + filepath.Join(empty, "x.csv"), []string{"there is no such file"}},
		{"rates --in " + file, []string{"no column model"}},
		{"rates --in " + twice, []string{"file " + twice + ": ct, alpha = 2.5: N = 8 twice: want each N once"}},
		{"rates --in a.csv b.csv --in", []string{"jsq rates"}},
	})
	if _, err := os.Stat(strings.Fields(ok)[1]); err == nil {
		t.Error("a refused sweep made its directory")
	}
}

// However its folder is named, and whatever links lead there, the table does not
// get among the results.
func TestMergeAmong(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := jsq(quickSweep + "real"); status != exitOK {
		t.Fatal(stderr)
	}
	for link, to := range map[string]string{"dir": "real", "far.csv": "real/far.json", "far.json": "dir/near.json"} {
		if err := os.Symlink(to, link); err != nil {
			t.Skip(err)
		}
	}
	var cases []badArguments
	for _, in := range []string{"real", "dir", "./real/", filepath.Join(here, "real"), filepath.Join(here, "dir"), "real/../dir"} {
		for _, out := range []string{"real/t.json", "dir/t.json", filepath.Join(here, "real", "t.json"), filepath.Join(here, "dir", "t.json"), "real/../dir/./t.json", "far.json"} {
			cases = append(cases, badArguments{"merge --in " + in + " --out " + out, []string{"--out = " + out, "not among the results"}})
		}
	}
	cases = append(cases,
		badArguments{"merge real --out none/t.csv", []string{"--out = none/t.csv: want a file that can be written (no such file or directory)"}},
		badArguments{"merge real --out " + filepath.Join(os.DevNull, "t.csv"), []string{"--out = "}})
	checkBadArguments(t, cases)
	if err := os.Symlink("../t.csv", "real/out.json"); err != nil {
		t.Fatal(err)
	}
	checkBadArguments(t, []badArguments{{"merge dir --out real/out.json", []string{"not among the results"}}})
	if err := os.Remove("real/out.json"); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{"t.json", "real/t.csv", "dir/t.csv"} {
		if status, _, stderr := jsq("merge dir --out " + out); status != exitOK {
			t.Errorf("%s: %s", out, stderr)
		}
	}
}

// A table keeps its mode, and is written through a link.
func TestMergeOver(t *testing.T) {
	dir := t.TempDir()
	table, link := filepath.Join(dir, "t.csv"), filepath.Join(dir, "link.csv")
	if err := os.WriteFile(table, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("t.csv", link); err != nil {
		t.Skip(err)
	}
	for _, line := range []string{quickSweep + filepath.Join(dir, "out"), "merge " + filepath.Join(dir, "out") + " --out " + link} {
		if status, _, stderr := jsq(line); status != exitOK {
			t.Fatal(stderr)
		}
	}
	if rows, err := study.ReadCSV(table); err != nil || len(rows) != 4 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if info, err := os.Stat(table); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v; want mode 600", info.Mode(), err)
	}
	if to, err := os.Readlink(link); err != nil || to != "t.csv" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
}

// A sweep ends at the first result that there is no room for.
func TestSweepNoRoom(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	dir := filepath.Join(t.TempDir(), "out")
	// a plan is below 512 bytes, a result above 1024
	cmd := exec.CommandContext(t.Context(), sh, append([]string{"-c", `ulimit -f 1 && exec "$@"`, sh, build(t)}, strings.Fields(quickSweep+dir+" --workers 1 --json")...)...)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Run()
	if status := cmd.ProcessState.ExitCode(); status != exitWork || strings.Count(stderr.String(), "\n") != 1 ||
		!strings.Contains(stderr.String(), "cannot store results: 4 of 4 tasks not done: write "+dir) || strings.Contains(stderr.String(), ".part") {
		t.Errorf("status %d, stderr %q", status, stderr.String())
	}
	if _, values := object(t, stdout.String()); values["tasks_left"] != 4.0 || len(values["warnings"].([]any)) != 1 {
		t.Errorf("%v", values)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v: want the plan alone", entries, err)
	}
	if status, _, stderr := jsq(quickSweep + dir); status != exitOK {
		t.Error(stderr)
	}
}

// A task that was tried and failed is failed work, with the report of what was done.
func TestSweepTaskFails(t *testing.T) {
	// more memory than there is
	status, stdout, stderr := jsq("sweep --servers 100000 --alpha 3 --policy pod:2 --json --out " + t.TempDir())
	if status != exitWork || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "task failed: 1 of 1") || !strings.Contains(stderr, "which takes about") {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	if _, values := object(t, stdout); values["tasks_left"] != 1.0 {
		t.Errorf("%s", stdout)
	}
}

// An interrupted sweep ends at once, keeps what is done, and goes on.
func TestSweepInterrupt(t *testing.T) {
	bin := build(t)
	dir := t.TempDir()
	status, stdout, stderr := interrupt(t, bin, os.Interrupt, "sweep --servers 2,3,100 --alpha 3,4 --rel-error 1e-5 --max-slots 1e15 --workers 2 --json --out "+dir)
	if status != exitWork || stderr != "jsq sweep: interrupted\n" {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	_, values := object(t, stdout)
	if w := values["warnings"].([]any); len(w) != 1 || !strings.Contains(w[0].(string), "interrupted: 6 tasks are not done") {
		t.Errorf("warnings %v", w)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("%v, %v: want the plan only", left, err)
	}
}

// jsq merge DIR is jsq merge --in DIR, wherever DIR stands.
func TestOperand(t *testing.T) {
	const help = "help"
	for _, c := range []struct{ line, want string }{
		{"merge d --out f", "--in d --out f"},
		{"merge --out f d --json", "--in d --out f --json true"},
		{"merge --json d --out=f", "--in d --out f --json true"},
		{"merge --out f -- -d", "--in -d --out f"},
		{"merge --out f -- --", "--in -- --out f"},
		{"merge --out -- d", "--in d --out --"},
		{"merge d e", "--in = e, given 2 times: want it once"},
		{"merge -out f d", "--in d --out f"},
		{"merge d --out", "--out = nothing: want a value after it"},
		{"merge d -h", help},
		{"merge d --x -h", "unknown flag --x: want one of --in, --out, --json"},
		{"merge d --=x", "argument --=x: want --FLAG VALUE"},
		{"rates - --json", "--in - --json true"},
		{"rates --json=false x=y", "--in x=y --json false"},
		{"sweep d --out f", "argument d: want flags only, as jsq help sweep lists them"},
	} {
		words := strings.Fields(c.line)
		f := newFlags(commands[words[0]])
		asked, err := f.parse(words[1:])
		var got []string
		for _, v := range f.order {
			if v.set > 0 {
				got = append(got, "--"+v.name, v.text)
			}
		}
		switch {
		case asked:
			got = []string{help}
		case err != nil:
			got = []string{f.translate(err).Error()}
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("jsq %s: %s, want %s", c.line, got, c.want)
		}
	}
}

func TestSweepProgress(t *testing.T) {
	p := newProgress(os.Stderr)
	p.tty = false
	p.sweep()(study.Progress{Done: 1, Total: 2}) // silent on what is no terminal
	var b strings.Builder
	p = &progress{w: &b, tty: true}
	p.sweep()(study.Progress{Done: 1, Total: 4, Left: 95e9, Running: "N = 8, alpha = 3, boundary L=8"})
	if got, want := b.String(), "\r\x1b[K[#####...............] 1 of 4, about 1m35s left; N = 8, alpha = 3, boundary L=8"[:4+79]; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
