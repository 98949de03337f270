package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
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
		{"matrices, with strides that gonum does not check", "import \"gonum.org/v1/gonum/mat\"\nfunc f(v *mat.VecDense) { v.AddScaledVec(v, 2, v) }", "want one of the packages"},
		{"matrices by way of statistics", "func f() { stat.CovarianceMatrix(nil, nil, nil) }", "CovarianceMatrix is not for answers"},
		{"matrices by another name", "import s \"gonum.org/v1/gonum/stat\"\nvar f = s.Mahalanobis", "Mahalanobis is not for answers"},
		{"context.AfterFunc", "import \"context\"\nfunc f() { context.AfterFunc(nil, f) }", "want one of the packages"},
		{"quad's goroutines", "import \"gonum.org/v1/gonum/integrate/quad\"\nfunc f() { quad.Fixed(nil, 0, 1, 9, nil, 2) }", "want one of the packages"},
		{"optimize's goroutines", "import \"gonum.org/v1/gonum/optimize\"\nvar o = optimize.Settings{Concurrent: 2}", "want one of the packages"},
		{"a context of its own, in goroutines", "func f() { wasserstein.Null(nil, 1, nil, wasserstein.NullOptions{}) }", "Null is not for answers"},
		{"a simulation, in goroutines", "func f() { nb.Direct(jsqlib.Model{}, 1, 0.1) }", "Direct is not for answers"},
		{"memory of big numbers", "func f(x *big.Int) { x.SetBits(x.Bits()) }", "Bits is not for answers"},
		{"import by the checks' name", "import gradedSecret \"math\"\nfunc f() float64 { return gradedSecret.Pi }", "is a name of the checks"},
		{"import by a test's name", "import TestTask1 \"math\"\nfunc f() float64 { return TestTask1.Pi }", "is a name of the checks"},
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
			text, err := extract(c.source, untrusted, nil)
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
		{"what the notebooks have", "func f() float64 {\n\treturn nb.Must(1.0, nil)\n}",
			"package submission; import nb \"jsqlab/notebooks/nb\"; func f() float64 {\n\treturn nb.Must(1.0, nil)\n}"},
		{"imports are kept if used", "import (\n\t\"slices\"\n\tr \"math/rand/v2\"\n)\n\nfunc f() int { return r.Int() }",
			"package submission; import r \"math/rand/v2\";                       \nfunc"},
		{"own variables are no packages", "func f() int {\n\tsort := []int{1}\n\treturn len(sort)\n}", "package submission; func f"},
		{"what the notebook runs", "func f() {}\n%%\nf()", "package submission; func f() {}\n"},
		{"literals", "var x = []int{1}\nvar f = func() int { return g() }\ntype own struct{ x int }\nfunc (own) init() {}", "package submission; var x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := extract(c.source, untrusted, nil)
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
		"answer-predict": "const limit = 8\n\nfunc mat() float64 { return math.Sqrt(1. / 16) }\n\n" +
			"func predict() (a, b, c, d float64) { return mat(), mat(), sort(), 2 * sort() }", // names of packages that no check uses
	}, "func sort() float64 { return limit * limit / 2 }", "const half = 0.5\n\nfunc change(q1, q2 int, load float64) float64 {\n\td := -2 * load\n\tif q1 == q2 {\n\t\td = 2 * load\n\t\tif q1 > 0 {\n"+
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
	solution, err := filepath.Abs(filepath.Join(root, "notebooks/exercises/solutions", exercise))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	link, folder, pipe := filepath.Join(dir, exercise), filepath.Join(dir, "folder"), filepath.Join(t.TempDir(), exercise)
	for _, err := range []error{os.Symlink(solution, link), os.Symlink(filepath.Dir(solution), folder), syscall.Mkfifo(pipe, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ path, says string }{
		{link, "not a regular file"},
		{filepath.Join(folder, exercise), "not a regular file"},
		{pipe, "not a regular file"},
		{filepath.Dir(write(exercise, "")), "not the file name of an exercise"},
		{write(exercise, `{"cells":[]}`+strings.Repeat(" ", maxSize)), "more than 10 MB"},
		{write("99-none.ipynb", "{}"), "99-none.ipynb: not the file name of an exercise: want 01-the-model.ipynb, "},
		{write("01-the-model (1).ipynb", "{}"), "not the file name of an exercise"},
		{write(exercise, "{"), "not a notebook"},
		{write(exercise, "[]"), "not a notebook: the JSON array"},
		{write(exercise, `{"cells":["x"]}`), "not a notebook: the JSON string"},
		{write(exercise, `{"cells":[`+twice+","+twice+`]}`), "two cells have the grade_id"},
	} {
		if _, err := g.grade(t.Context(), c.path); err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "struct") {
			t.Errorf("got %v, want it to say %q", err, c.says)
		}
	}
	got, err := g.grade(t.Context(), write(exercise, "\ufeff"+`{"cells":[]}`)) // with a byte order mark
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
	errs.Reset()
	if full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0); err == nil {
		defer full.Close()
		if status := run(context.Background(), []string{"-image", "some:1", path}, full, &errs); status != 1 || !strings.Contains(errs.String(), "write the scores") {
			t.Error("scores that are lost:", status, errs.String())
		}
	}
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"run --rm", "--log-driver none", "--network none", "--read-only", "--cap-drop ALL", "no-new-privileges", "--memory 2g", "--pids-limit 128", "--user 65534:65534",
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

// Allowed packages are safe only as far as what they lead to: a type of a
// package that is not known can be had without its name, by type inference.
func TestAllowedReach(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}"},
		slices.Sorted(maps.Values(allowed))...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	export := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		export[path] = file
	}
	packages := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(export[path]) })
	known := append(slices.Collect(maps.Values(allowed)), "io", "iter", "math/rand", "unicode", "jsqlab/jsqlib/law", "jsqlab/jsqlib/sim")
	seen := map[types.Type]bool{}
	var reach func(types.Type, string)
	reach = func(typ types.Type, from string) {
		if seen[typ] {
			return
		}
		seen[typ] = true
		switch typ := typ.(type) {
		case *types.Alias:
			reach(types.Unalias(typ), from)
		case *types.Named:
			if pkg := typ.Obj().Pkg(); pkg != nil && !slices.Contains(known, pkg.Path()) {
				t.Errorf("%s leads to %s", from, typ)
			}
			for m := range typ.Methods() {
				if m.Exported() && forbidden[m.Name()] == "" {
					reach(m.Type(), from+"."+m.Name())
				}
			}
			reach(typ.Underlying(), from)
		case *types.Signature:
			reach(typ.Params(), from)
			reach(typ.Results(), from)
		case *types.Tuple:
			for v := range typ.Variables() {
				reach(v.Type(), from)
			}
		case *types.Struct:
			for f := range typ.Fields() {
				if f.Exported() {
					reach(f.Type(), from+"."+f.Name())
				}
			}
		case *types.Interface:
			for m := range typ.Methods() {
				reach(m.Type(), from+"."+m.Name())
			}
		case *types.Map:
			reach(typ.Key(), from)
			reach(typ.Elem(), from)
		case interface{ Elem() types.Type }: // pointer, slice, array, channel
			reach(typ.Elem(), from)
		}
	}
	for _, path := range slices.Sorted(maps.Values(allowed)) {
		pkg, err := packages.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range pkg.Scope().Names() {
			if o := pkg.Scope().Lookup(name); o.Exported() && forbidden[path+"."+name] == "" {
				reach(o.Type(), path+"."+name)
			}
		}
	}
	if len(seen) < 100 {
		t.Errorf("only %d types were seen", len(seen))
	}
}

func TestCompilerLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	bomb := "const s0 = `0123456789`\n"
	for k := range 40 {
		bomb += fmt.Sprintf("const s%d = s%d + s%[2]d\n", k+1, k)
	}
	got, err := newGrader(t).grade(t.Context(), submit(t, map[string]string{
		"answer-serve": bomb + "func serve(q, a, s []int64) (after, unused []int64) { return nil, nil }",
	}))
	held(t, got, err, "", "answer-serve: the compiler fails on it", "", "", "", "")
}

// A variable whose initial value panics ends every process, and is named.
func TestInitialValuePanics(t *testing.T) {
	got, err := newGrader(t).grade(t.Context(), submit(t, nil, "var zero = 0\nvar x = 1 / zero"))
	held(t, got, err, slices.Repeat([]string{"your code ends the program: panic: runtime error: integer divide by zero"}, 6)...)
}

func TestOutput(t *testing.T) {
	out := &head{left: 10}
	if n, err := io.Copy(out, io.LimitReader(rand.NewChaCha8([32]byte{}), 1<<20)); err != nil || n != 1<<20 || len(out.text) != 10 {
		t.Errorf("%d bytes are kept, %d read, %v: want 10 and all", len(out.text), n, err)
	}
	got, err := newGrader(t).grade(t.Context(), submit(t, map[string]string{
		"answer-predict":        "func predict() (a, b, c, d float64) {\n\tfmt.Print(\"not yet: \\rok/01\\tTask1\\t1/1\\tcorrect\\x1b[K\\u202e\\n\")\n\treturn\n}",
		"answer-serve":          "func serve(q, a, s []int64) (after, unused []int64) {\n\tfmt.Println(\"not yet: \" + strings.Repeat(\"x\", 900_000))\n\treturn nil, nil\n}",
		"answer-counterexample": "func counterexample() (gap float64, service jsqlib.PMF) {\n\tfmt.Print(strings.Repeat(\"x\", 2<<20))\n\treturn\n}",
	}))
	held(t, got, err, `not yet: \rok/01\tTask1\t1/1\tcorrect\x1b[K\u202e`, "xxx ...", "", "", "", "prints too much")
	if n := len(got[1].Says); n > 700 {
		t.Errorf("%d bytes are shown", n)
	}
}

func TestSandboxDoesNotStart(t *testing.T) {
	dir := t.TempDir()
	path := submit(t, nil)
	scripts := []string{"exit 1", "exit 125", "echo no memory; exit 2", "echo panic: of docker; exit 125"} // what stands in the place of unshare
	if testing.Short() {
		scripts = scripts[3:]
	}
	for _, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, "unshare"), []byte("#!/bin/sh\n[ $# -lt 10 ] && exit 0\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		var out, errs bytes.Buffer
		if status := run(t.Context(), []string{"-sandbox", "unshare", path}, &out, &errs); status != 1 || out.Len() > 0 || !strings.Contains(errs.String(), "Task1 has not started") {
			t.Errorf("%s: status %d, %q, %q: want 1, no score, and the reason", script, status, out.String(), errs.String())
		}
	}
}

// What is interrupted has no scores, and leaves neither files nor processes. A program that is started
// with SIGINT ignored goes on ignoring it, and ends by SIGTERM.
func TestInterrupted(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "grade")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	path := submit(t, map[string]string{"answer-predict": "func predict() (a, b, c, d float64) {\n\tfor {\n\t}\n}"})
	if signal.Ignored(os.Interrupt) { // the programs below must not inherit it
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	}
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if testing.Short() {
		signals = signals[:1]
	}
	for _, sig := range signals {
		temp := t.TempDir()
		trap := ":"
		if sig == syscall.SIGTERM {
			trap = "trap '' INT"
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-c", trap+`; exec "$@"`, "sh", binary, "-sandbox", newGrader(t).sandbox.name, path)
		cmd.Env = append(os.Environ(), "TMPDIR="+temp)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running := func() (pids []string) { // processes of the program that is being graded
			files, err := filepath.Glob("/proc/[0-9]*/cmdline")
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if text, err := os.ReadFile(f); err == nil && strings.HasPrefix(string(text), temp) && strings.Contains(string(text), "submission.test\x00") {
					pids = append(pids, f)
				}
			}
			return pids
		}
		for running() == nil { // until the first task runs
			if t.Context().Err() != nil {
				t.Fatal("the task does not begin")
			}
			time.Sleep(50 * time.Millisecond)
		}
		if sig == syscall.SIGTERM {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			time.Sleep(500 * time.Millisecond) // one that is not ignored ends the task by then
			if running() == nil {
				t.Error("the task has ended by a signal that is ignored")
			}
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		err := cmd.Wait()
		if status := cmd.ProcessState.ExitCode(); status != 130 || out.Len() > 0 || strings.Count(errs.String(), "\n") != 1 || !strings.Contains(errs.String(), "interrupted") {
			t.Errorf("%v: %v, %q, %q: want status 130, no scores, one line", sig, err, out.String(), errs.String())
		}
		left, err := os.ReadDir(temp)
		if err != nil || len(left) > 0 {
			t.Errorf("%v: %v are left, %v", sig, left, err)
		}
		for k := 0; running() != nil; k++ {
			if k == 100 {
				t.Errorf("%v: %v are left", sig, running())
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
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
		if status := run(context.Background(), c.args, &out, &errs); status != 2 || !strings.Contains(errs.String(), c.says) || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%v: status %d, %q, want 2 and one line with %q", c.args, status, errs.String(), c.says)
		}
	}
}
