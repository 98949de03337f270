package main

import (
	"bufio"
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
	functionForm = regexp.MustCompile(`(?m)^func (\w+)`)
	feedbackForm = regexp.MustCompile(`^%test -test\.run=(Task\d) -test\.paniconexit0\n`)
	word         = regexp.MustCompile(`\w+`)
)

// grade extracts the answers of the notebook at path, compiles them with the
// feedback cells of the solution (never with those of the submission), and runs
// each task in a process of its own.
func (g grader) grade(ctx context.Context, path string) ([]score, error) {
	solutions, err := filepath.Glob(filepath.Join(g.root, "notebooks/exercises/solutions/*.ipynb"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, s := range solutions {
		names = append(names, filepath.Base(s))
	}
	if !slices.Contains(names, filepath.Base(path)) {
		return nil, fmt.Errorf("%s: not the file name of an exercise: want %s", path, strings.Join(names, ", "))
	}
	solution, err := readNotebook(filepath.Join(g.root, "notebooks/exercises/solutions", filepath.Base(path)))
	if err != nil {
		return nil, err
	}
	submission, err := readNotebook(path)
	if err != nil {
		return nil, err
	}
	b, err := newBuild(g.root)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(b.dir)
	own := map[string]bool{}
	for _, c := range submission {
		if c.kind == answer || c.kind == free {
			for _, name := range namesIn(c.source) {
				own[name] = true
			}
		}
	}
	submitted := map[string]string{}
	for k, c := range submission {
		switch {
		case c.kind == answer:
			submitted[c.id] = c.source
		case c.kind == free && !strings.HasPrefix(c.source, "%"): // a helper, where it can be one
			b.student(fmt.Sprintf("own%d.go", k), c.source, own)
		}
	}
	var givens strings.Builder
	functions := map[string]string{} // of the solution, with the grade_id of their cell
	for _, c := range solution {
		switch {
		case c.kind == given && !strings.HasPrefix(c.source, "%"):
			givens.WriteString(c.source + "\n")
		case c.kind == answer:
			for _, f := range functionForm.FindAllStringSubmatch(c.source, -1) {
				functions[f[1]] = c.id
			}
			source, ok := submitted[c.id]
			if !ok {
				b.reject(c.id+".go", fmt.Errorf("%s: the answer cell is missing", c.id))
				break
			}
			b.student(c.id+".go", source, own)
		}
	}
	text, err := extract(givens.String(), trusted, nil)
	if err != nil {
		return nil, fmt.Errorf("the given cells: %w", err)
	}
	b.add("given.go", text)
	if err := b.compile(ctx, "build", "-o", os.DevNull); err != nil { // before there are tests whose names an answer could use
		return nil, err
	}
	b.add("secret_test.go", []byte(secretTest))
	var tasks []score
	var tests []string // their files
	var needs [][]string
	for _, c := range solution {
		if c.kind != feedback {
			continue
		}
		form := feedbackForm.FindStringSubmatch(c.source)
		if form == nil {
			return nil, fmt.Errorf("the feedback cell %s does not begin with %%test -test.run=Task, a number, and -test.paniconexit0", c.id)
		}
		tests = append(tests, c.id+"_test.go")
		var ids []string
		for _, name := range word.FindAllString(c.source, -1) {
			if id := functions[name]; id != "" && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		needs = append(needs, ids)
		b.test(c.id+"_test.go", fmt.Sprintf(taskTest, form[1], c.source[len(form[0]):]))
		tasks = append(tasks, score{Notebook: path, Task: form[1], Points: c.points})
	}
	binary := filepath.Join(b.dir, "submission.test")
	if err := b.compile(ctx, "test", "-c", "-vet=off", "-o", binary); err != nil {
		return nil, err
	}
	for k := range tasks {
		t := &tasks[k]
		if b.rejected[tests[k]] != nil {
			t.Says = clean(b.why(tests[k], needs[k]))
			continue
		}
		passed, says, err := g.run(ctx, binary, t.Task)
		if err != nil {
			return nil, err
		}
		if t.Says = clean(says); passed {
			t.Score = t.Points
		}
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
	scanner := bufio.NewScanner(bytes.NewReader(events))
	scanner.Buffer(nil, 1<<21)
	for scanner.Scan() {
		var event struct{ Action, Test, Output string }
		if err := json.Unmarshal(scanner.Bytes(), &event); err != nil {
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
