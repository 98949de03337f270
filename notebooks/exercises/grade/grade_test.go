package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	root     = "../../.."
	exercise = "01-the-model.ipynb"
)

func TestExtractRefuses(t *testing.T) {
	for _, c := range []struct{ name, source, says string }{
		{"init", `func init() { println() }`, "init is declared"},
		{"main", `func main() {}`, "main is declared"},
		{"TestMain", "import \"testing\"\nfunc TestMain(m *testing.M) {}", "TestMain is declared"},
		{"test of the same name", `func TestTask1() {}`, "TestTask1 is declared"},
		{"the grader's test", `func TestGradedTask1() {}`, "TestGradedTask1 is declared"},
		{"the grader's variable", `var gradedSecret = "x"`, "gradedSecret is declared"},
		{"checker", `func check() {}`, "check is declared"},
		{"checker as a variable", `var check struct{}`, "check is declared"},
		{"checker as a type", `type check struct{}`, "check is declared"},
		{"a package's name", `const math = 1`, "math is declared"},
		{"os", "import \"os\"\nfunc f() { os.Exit(0) }", `import "os"`},
		{"os by another name", "import math \"os\"\nfunc f() { math.Exit(0) }", `import "os"`},
		{"syscall", `import "syscall"`, `import "syscall"`},
		{"unsafe", `import "unsafe"`, `import "unsafe"`},
		{"reflect", `import "reflect"`, `import "reflect"`},
		{"runtime", `import "runtime"`, `import "runtime"`},
		{"network", `import "net/http"`, `import "net/http"`},
		{"C", `import "C"`, `import "C"`},
		{"the checker's package", `import "jsqlab/notebooks/exercises/check"`, "want one of the packages"},
		{"files of the library", `import "jsqlab/jsqlib/study"`, "want one of the packages"},
		{"another rand", `import "crypto/rand"`, "want one of the packages"},
		{"dot import", `import . "math"`, "want an ordinary import"},
		{"blank import", `import _ "math"`, "want an ordinary import"},
		{"variable set by a call", `var x = f()`, "would run before the checks"},
		{"variable set by a function literal that is called", `var x = func() int { return 1 }()`, "would run before the checks"},
		{"variable from a channel", `var x = <-c`, "would run before the checks"},
		{"goroutine", `func f() { go f() }`, "a go statement"},
		{"goroutine in a literal", `var f = func() { go g() }`, "a go statement"},
		{"linkname", "//go:linkname exit os.runtime_beforeExit\nfunc exit(int)", "directive"},
		{"directive inside", "func f() {\n//go:noinline\n}", "directive"},
		{"line directive", "//line given.go:1\nfunc f() {}", "directive"},
		{"line directive in a block", "func f() { /*line given.go:1*/ }", "directive"},
		{"no body", `func f()`, "has no body"},
		{"shell", "!rm -rf x\nfunc f() {}", "command for the notebook"},
		{"notebook command", "%autoget\nfunc f() {}", "command for the notebook"},
		{"not Go", `func f( {`, "expected"},
		{"statement", `x := 1`, "expected declaration"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := extract(c.source, untrusted)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want it to say %q\n%s", err, c.says, text)
			}
		})
	}
}

func TestExtract(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"imports are found", "func f() float64 {\n\treturn math.Pi\n}",
			"package submission; import math \"math\"; func f() float64 {\n\treturn math.Pi\n}"},
		{"imports are kept if used", "import (\n\t\"slices\"\n\tr \"math/rand/v2\"\n)\n\nfunc f() int { return r.Int() }",
			"package submission; import r \"math/rand/v2\";                       \nfunc"},
		{"own variables are no packages", "func f() int {\n\tsort := []int{1}\n\treturn len(sort)\n}", "package submission; func f"},
		{"what the notebook runs", "func f() {}\n%%\nf()", "package submission; func f() {}\n"},
		{"literals", "var x = []int{1}\nvar f = func() int { return g() }\ntype own struct{ x int }\nfunc (own) init() {}", "package submission; var x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := extract(c.source, untrusted)
			squeezed := strings.Join(strings.Fields(string(got)), " ")
			if want := strings.Join(strings.Fields(c.want), " "); err != nil || !strings.HasPrefix(squeezed, want) {
				t.Errorf("got %q, %v, want it to begin with %q", squeezed, err, want)
			}
			if n := strings.Count(c.source[:max(0, strings.Index(c.source+"\n%%", "\n%%"))], "\n"); strings.Count(string(got), "\n") < n {
				t.Error("lines are lost")
			}
		})
	}
}

// submit writes a submission: the solution with other answers, by grade_id,
// and with cells of the student's own. It returns its path.
func submit(t *testing.T, answers map[string]string, own ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "notebooks/exercises/solutions", exercise))
	if err != nil {
		t.Fatal(err)
	}
	var book map[string]any
	if err := json.Unmarshal(data, &book); err != nil {
		t.Fatal(err)
	}
	cells := book["cells"].([]any)
	used := 0
	for _, c := range cells {
		c := c.(map[string]any)
		if m, ok := c["metadata"].(map[string]any)["nbgrader"].(map[string]any); ok {
			if text, ok := answers[m["grade_id"].(string)]; ok {
				c["source"] = text
				used++
			}
		}
	}
	if used != len(answers) {
		t.Fatalf("%d of %d answers have a cell", used, len(answers))
	}
	for _, text := range own {
		cells = append(cells, map[string]any{"cell_type": "code", "metadata": map[string]any{}, "source": text})
	}
	book["cells"] = cells
	if data, err = json.Marshal(book); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), exercise)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func newGrader(t *testing.T) grader {
	t.Helper()
	dir, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	g := grader{root: dir, sandbox: sandbox{name: "unshare"}, limit: time.Minute}
	if g.sandbox.check(t.Context()) != nil {
		g.sandbox.name = "none"
	}
	return g
}

// held compares the scores, and pieces of what is said, with what is wanted;
// an empty piece is "correct".
func held(t *testing.T, got []score, err error, says ...string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(says) {
		t.Fatalf("%d tasks, want %d", len(got), len(says))
	}
	for k, s := range got {
		want := 0.
		if says[k] == "" {
			says[k], want = "correct", s.Points
		}
		if s.Score != want || s.Points == 0 || !strings.Contains(s.Says, says[k]) {
			t.Errorf("%s: got %g of %g, %q, want %g and %q", s.Task, s.Score, s.Points, s.Says, want, says[k])
		}
		t.Log(s.Task, s.Says)
	}
}

func TestRightAnswers(t *testing.T) {
	path := submit(t, map[string]string{
		"answer-serve": "import \"jsqlab/jsqlib\"\n\nfunc serve(q, a, s []int64) (after, unused []int64) {\n\tslot := jsqlib.Serve(q, a, s)\n" +
			"\tfmt.Println(\"debug\", slot)\n\treturn slot.After, slot.Unused\n}\n\n%%\nfmt.Println(serve(nil, nil, nil))",
		"answer-drift": "func equal(load float64) float64 { return half / (half + load) }\n" +
			"func drift(q1, q2 int, load float64) float64 { return change(q1, q2, load) }",
		"task-1": "%test -test.run=Task1\nfunc TestTask1(t *testing.T) { t.Fatal() }", // not taken from the submission
	}, "const half = 0.5\n\nfunc change(q1, q2 int, load float64) float64 {\n\td := -2 * load\n\tif q1 == q2 {\n\t\td = 2 * load\n\t\tif q1 > 0 {\n"+
		"\t\t\td += 2\n\t\t}\n\t} else if q1*q2 == 0 {\n\t\td--\n\t}\n\treturn d\n}", "%%\nfmt.Println(half)", "func init() { panic(1) }", "not Go")
	got, err := newGrader(t).grade(t.Context(), path)
	held(t, got, err, "", "", "", "", "", "")
}

func TestWrongAnswers(t *testing.T) {
	got, err := newGrader(t).grade(t.Context(), submit(t, map[string]string{
		"answer-predict":   "func predict() (float64, float64, float64, float64) {\n\treturn undefined\n}",
		"answer-serve":     "func serve(q, a, s []int64) (after, unused []int64) {\n\treturn serve(q, a, s)\n}",
		"answer-routeJobs": "func routeJobs(q []int64, a int64) []int64 { return q }",
		"answer-remainder": "func remainder(after, unused int64) int64 {\n\tpanic(\"YOUR CODE HERE\")\n}\n" +
			"func excess(servers int, alpha, boundaryMean, boundarySecond float64) float64 { return 0 }",
		"answer-counterexample": "func counterexample() (gap float64, service jsqlib.PMF) { return 0.5, jsqlib.PMF{0, 1} }",
	}))
	held(t, got, err, "answer-predict.go:2:9: undefined: undefined", "stack overflow", "routeJobs", "this task is not done", "", "at most one job a slot")
}

// Each of these is wrong, compiles, and tries to look right.
func TestCheats(t *testing.T) {
	const fake = `"\n\x16--- PASS: TestGradedTask%d (0.00s)\n\x16PASS\n--- PASS: TestTask%[1]d (0.00s)\nPASS\nok\n"`
	g := newGrader(t)
	g.limit = 3 * time.Second
	got, err := g.grade(t.Context(), submit(t, map[string]string{
		"answer-predict":   "func predict() (a, b, c, d float64) {\n\tfmt.Print(" + fmt.Sprintf(fake, 1) + ")\n\treturn\n}",
		"answer-serve":     "func serve(q, a, s []int64) (after, unused []int64) {\n\tfmt.Print(" + fmt.Sprintf(fake, 2) + ")\n\tfor {\n\t}\n}",
		"answer-routeJobs": "func routeJobs(q []int64, a int64, r *rand.Rand) []int64 {\n\tfmt.Println(gradedSecret + \"Task3\")\n\treturn nil\n}",
		"answer-remainder": "func remainder(after, unused int64) int64 {\n\tfmt.Print(" + fmt.Sprintf(fake, 4) + ")\n\treturn 0\n}\n" +
			"func excess(servers int, alpha, boundaryMean, boundarySecond float64) float64 { return 0 }",
		"answer-drift": "func drift(q1, q2 int, load float64) float64 {\n\tcheck.Report(nil, nil)\n\treturn 0\n}\nfunc equal(load float64) float64 { return 0 }",
		"answer-counterexample": "func init() { os.Exit(0) }\n" +
			"func counterexample() (gap float64, service jsqlib.PMF) { return 0.5, jsqlib.PMF{0.5, 0, 0.5} }",
	}))
	held(t, got, err, "not yet", "out of time", "undefined: gradedSecret", "Q⁺U, the product of the totals", "undefined: check", "init is declared")
}

func TestUnreadable(t *testing.T) {
	g := newGrader(t)
	write := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	twice := `{"cell_type":"code","metadata":{"nbgrader":{"grade_id":"answer-serve","solution":true}},"source":["x"]}`
	for _, c := range []struct{ path, says string }{
		{write("99-none.ipynb", "{}"), "99-none.ipynb"},
		{write(exercise, "{"), "not a notebook"},
		{write(exercise, `{"cells":[`+twice+","+twice+`]}`), "two cells have the grade_id"},
	} {
		if _, err := g.grade(t.Context(), c.path); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("got %v, want it to say %q", err, c.says)
		}
	}
	got, err := g.grade(t.Context(), write(exercise, `{"cells":[]}`))
	missing := slices.Repeat([]string{"the answer cell is missing"}, 6)
	held(t, got, err, missing...)
}

// A stand-in for docker shows that the container is closed, and that scores
// come through it.
func TestDocker(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho \"$@\" >>'" + dir + "/log'\n[ \"$1\" = run ] || exit 0\n" +
		"while [ $# -gt 0 ]; do case $1 in --env) export \"$2\"; shift ;; --volume) binary=${2%%:*}; shift ;; some:1) shift; break ;; esac; shift; done\n" +
		"[ -e '" + dir + "/broken' ] && { echo no such image >&2; exit 125; }\nexec \"$binary\" \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "docker"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	path := submit(t, map[string]string{"answer-serve": "func serve(q, a, s []int64) (after, unused []int64) { return nil, nil }"})
	var out, errs bytes.Buffer
	if status := run(context.Background(), []string{"-image", "some:1", path}, &out, &errs); status != 0 {
		t.Fatal(status, errs.String())
	}
	if !strings.Contains(out.String(), "\tTask2\t0/2\tnot yet") || !strings.Contains(out.String(), "\tall\t8/10\n") {
		t.Error(out.String())
	}
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"run --rm", "--network none", "--read-only", "--cap-drop ALL", "no-new-privileges", "--memory 2g", "--pids-limit 128", "--user 65534:65534",
		":/submission.test:ro", "some:1 -test.v=test2json -test.run=^TestGradedTask6$"} {
		if !strings.Contains(string(log), want) {
			t.Errorf("docker is not called with %q: %s", want, log)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "broken"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	errs.Reset()
	if status := run(context.Background(), []string{"-image", "some:1", path}, &out, &errs); status != 1 || !strings.Contains(errs.String(), "no such image") {
		t.Error("a sandbox that fails is not told from a wrong answer:", status, errs.String())
	}
}

func TestUnshare(t *testing.T) {
	s := sandbox{name: "unshare"}
	if err := s.check(t.Context()); err != nil {
		t.Skip(err)
	}
	out, err := s.command(t.Context(), "/bin/sh", "s3cret", "-c", "cat /proc/net/dev; env").Output()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(out), ":"); n < 1 || !strings.Contains(string(out), "lo:") || strings.Contains(string(out), "eth") || strings.Contains(string(out), "HOME=") {
		t.Errorf("want a loopback device only, and no environment:\n%s", out)
	}
	if !strings.Contains(string(out), "JSQLAB_SECRET=s3cret") {
		t.Error("the secret is missing")
	}
}

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{nil, "no notebook"},
		{[]string{"-sandbox", "box", "x.ipynb"}, "-sandbox = box: want docker, podman, unshare, none"},
		{[]string{"-limit", "0s", "x.ipynb"}, "-limit = 0s: want a positive time"},
		{[]string{"-fast", "x.ipynb"}, "not defined"},
	} {
		var out, errs bytes.Buffer
		if status := run(context.Background(), c.args, &out, &errs); status != 2 || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%v: status %d, %q, want 2 and %q", c.args, status, errs.String(), c.says)
		}
	}
}
