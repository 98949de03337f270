package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// score is what one task of a submission is worth.
type score struct {
	Notebook string  `json:"notebook"`
	Task     string  `json:"task"`
	Score    float64 `json:"score"`
	Points   float64 `json:"points"` // at most
	Says     string  `json:"says"`   // "correct", or what is wrong
}

// grader grades submissions against the solutions of a repository.
type grader struct {
	root    string // of the repository
	sandbox sandbox
	limit   time.Duration // for one task
}

// virtual is the folder, below the root, in which submissions are compiled. It
// exists only for the compiler.
const virtual = "notebooks/exercises/" + packageName

var (
	feedbackForm = regexp.MustCompile(`^%test -test\.run=(Task\d) -test\.paniconexit0\n`)
	word         = regexp.MustCompile(`\w+`)
)

// task is what a feedback cell of the solution asks for.
type task struct {
	name   string // Task1
	points float64
	file   string   // of its test
	needs  []string // grade_id of the answer cells that it calls
}

// grade grades the notebook at path.
//
//	submission  answers, helpers ──┐
//	                               ├─ addAnswers ─► compiled ─ addTests ─► compiled ─ score ─► a process for each task
//	solution    given cells ───────┘                              │
//	            feedback cells ───────────────────────────────────┘
//
// The tests are always those of the solution. They are added after the answers
// have compiled without them: an answer that uses a name of a test fails there.
// An answer that is refused or does not compile is left out, and then so are the
// tests that call it.
func (g grader) grade(ctx context.Context, path string) ([]score, error) {
	solution, submission, err := g.read(path)
	if err != nil {
		return nil, err
	}
	b, err := newBuild(g.root)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(b.dir)
	if err := b.addAnswers(solution, submission); err != nil {
		return nil, err
	}
	if err := b.compile(ctx, "build", "-o", os.DevNull); err != nil {
		return nil, err
	}
	tasks, err := b.addTests(solution)
	if err != nil {
		return nil, err
	}
	binary := filepath.Join(b.dir, "submission.test")
	if err := b.compile(ctx, "test", "-c", "-vet=off", "-o", binary); err != nil {
		return nil, err
	}
	var scores []score
	for _, t := range tasks {
		s := score{Notebook: path, Task: t.name, Points: t.points}
		says := b.why(t)
		if says == "" {
			var passed bool
			if passed, says, err = g.run(ctx, binary, t.name); err != nil {
				return nil, err
			}
			if passed {
				s.Score = s.Points
			}
		}
		s.Says = clean(says)
		scores = append(scores, s)
	}
	return scores, nil
}

// read returns the cells of the submission at path and those of its solution,
// which has the same file name.
func (g grader) read(path string) (solution, submission []cell, err error) {
	solutions, err := filepath.Glob(filepath.Join(g.root, "notebooks/exercises/solutions/*.ipynb"))
	if err != nil {
		return nil, nil, err
	}
	var names []string
	for _, s := range solutions {
		names = append(names, filepath.Base(s))
	}
	k := slices.Index(names, filepath.Base(path))
	if k < 0 {
		return nil, nil, fmt.Errorf("%s: not the file name of an exercise: want %s", path, strings.Join(names, ", "))
	}
	if solution, err = readNotebook(solutions[k]); err == nil {
		submission, err = readNotebook(path)
	}
	return solution, submission, err
}

// addAnswers adds the answers and the helper functions of a submission, and the
// given cells of the solution.
func (b *build) addAnswers(solution, submission []cell) error {
	own, submitted := map[string]bool{}, map[string]string{} // names that are declared; answers by grade_id
	for _, c := range submission {
		if c.kind == answer {
			submitted[c.id] = c.source
		}
		if c.kind == answer || c.kind == free {
			for _, name := range namesIn(c.source) {
				own[name] = true
			}
		}
	}
	for k, c := range submission {
		if c.kind == free && !c.command() { // a helper, where it can be one
			b.student(fmt.Sprintf("own%d.go", k), c.source, own)
		}
	}
	var givens strings.Builder
	for _, c := range solution {
		switch source, ok := submitted[c.id]; {
		case c.kind == given && !c.command():
			givens.WriteString(c.source + "\n")
		case c.kind == answer && ok:
			b.student(c.id+".go", source, own)
		case c.kind == answer:
			b.reject(c.id+".go", fmt.Errorf("%s: the answer cell is missing", c.id))
		}
	}
	text, err := extract(givens.String(), trusted, nil)
	if err != nil {
		return fmt.Errorf("the given cells: %w", err)
	}
	b.add("given.go", text)
	return nil
}

// addTests adds the feedback cells of the solution as tests, and returns their
// tasks.
func (b *build) addTests(solution []cell) (tasks []task, err error) {
	b.add("secret_test.go", []byte(secretTest))
	cellOf := map[string]string{} // grade_id of the answer cell that declares a name
	for _, c := range solution {
		if c.kind == answer {
			for _, name := range namesIn(c.source) {
				cellOf[name] = c.id
			}
		}
	}
	for _, c := range solution {
		if c.kind != feedback {
			continue
		}
		form := feedbackForm.FindStringSubmatch(c.source)
		if form == nil {
			return nil, fmt.Errorf("the feedback cell %s does not begin with %%test -test.run=Task, a number, and -test.paniconexit0", c.id)
		}
		t := task{name: form[1], points: c.points, file: c.id + "_test.go"}
		for _, name := range word.FindAllString(c.source, -1) {
			if id := cellOf[name]; id != "" && !slices.Contains(t.needs, id) {
				t.needs = append(t.needs, id)
			}
		}
		b.files[t.file] = true // left out when an answer that it calls is missing
		b.write(t.file, fmt.Appendf(nil, taskTest, t.name, c.source[len(form[0]):]))
		tasks = append(tasks, t)
	}
	return tasks, nil
}

// secretName is the variable of secretTest.
const secretName = "gradedSecret"

// secretTest holds what a test that passed prints: it is unknown before the
// process starts, and answers can neither name it nor read the environment.
const secretTest = "package " + packageName + `

import "os"

var ` + secretName + ` = os.Getenv("JSQLAB_SECRET")
`

// taskTest makes a test of a feedback cell.
const taskTest = "package " + packageName + `

import (
	"fmt"
	"testing"

	"jsqlab/notebooks/exercises/check"
)

func TestGraded%[1]s(t *testing.T) {
	Test%[1]s(t) // does not return when it fails
	if !t.Failed() {
		fmt.Println("\n" + ` + secretName + ` + "%[1]s")
	}
}

%[2]s
`

// run runs one task in the sandbox. It has passed when its process says so, its
// test is reported as passed, and it has printed the secret.
func (g grader) run(ctx context.Context, binary, task string) (passed bool, says string, err error) {
	test, secret := "TestGraded"+task, rand.Text()
	limited, cancel := context.WithTimeout(ctx, g.limit+30*time.Second)
	defer cancel()
	cmd := g.sandbox.command(limited, binary, secret, "-test.v=test2json", "-test.run=^"+test+"$", "-test.timeout="+g.limit.String())
	out := &head{left: 1 << 20}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = time.Second
	failed := cmd.Run()
	if ctx.Err() != nil {
		return false, "", ctx.Err()
	}
	if cmd.ProcessState == nil || !started(out.text, cmd.ProcessState.ExitCode()) {
		return false, "", fmt.Errorf("-sandbox = %s: %s has not started: %v: %s", g.sandbox.name, task, failed, firstLines(string(out.text)))
	}

	convert := exec.Command("go", "tool", "test2json", "-t")
	convert.Stdin = bytes.NewReader(out.text)
	events, err := convert.Output()
	if err != nil {
		return false, "", fmt.Errorf("go tool test2json: %w", err)
	}
	pass, fail, printed := false, false, false
	var lines []string
	for decoder := json.NewDecoder(bytes.NewReader(events)); decoder.More(); {
		var event struct{ Action, Test, Output string }
		if err := decoder.Decode(&event); err != nil {
			return false, "", fmt.Errorf("go tool test2json: %w", err)
		}
		switch event.Action {
		case "pass":
			pass = pass || event.Test == test
		case "fail":
			fail = true
		case "output":
			line := strings.TrimSpace(event.Output)
			printed = printed || line == secret+task
			lines = append(lines, line)
		}
	}
	if failed == nil && pass && !fail && printed {
		return true, "correct", nil
	}
	if out.left == 0 {
		return false, "not yet: your code prints too much", nil
	}
	return false, verdict(lines, limited.Err()), nil
}

// verdict finds in the output of a failed test what to tell the student.
func verdict(lines []string, ended error) string {
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, "not yet: "):
			return line
		case strings.HasPrefix(line, "panic: test timed out"):
			ended = context.DeadlineExceeded
		case strings.HasPrefix(line, "fatal error: "), strings.HasPrefix(line, "panic: "):
			return "not yet: your code ends the program: " + line
		}
	}
	if ended != nil {
		return "not yet: out of time"
	}
	return "not yet: the check did not come to its end"
}

// head keeps the first bytes that are written to it.
type head struct {
	text []byte
	left int
}

func (h *head) Write(p []byte) (int, error) {
	n := min(len(p), h.left)
	h.left -= n
	h.text = append(h.text, p[:n]...)
	return len(p), nil
}

func (h *head) String() string { return string(h.text) }

// firstLines returns the first lines of an output that are not empty, as one.
func firstLines(out string) string {
	lines := strings.FieldsFunc(out, func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.Join(lines[:min(len(lines), 3)], "; ")
}

// clean makes a text that students may have a hand in one short line: what a
// terminal could take for a command is escaped.
func clean(text string) string {
	const most = 600 // characters
	var b strings.Builder
	n := 0
	for _, r := range text {
		if n++; n > most {
			b.WriteString(" ...")
			break
		}
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}
