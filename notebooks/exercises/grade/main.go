// Grade grades exercise notebooks outside the Jupyter kernel, so that students'
// code can be run without trusting it.
//
//	go run ./notebooks/exercises/grade [-sandbox docker] [-limit 1m] [-json] NOTEBOOK...
//
// The file name of a notebook says which exercise it is (01-the-model.ipynb).
// Of a submission only the answer cells, and helper functions in the student's
// own cells, are read; texts, outputs and feedback cells are taken from the
// solution in this repository. An answer that could run before the checks or in
// their place is refused when it is parsed: init, main, tests, variables that
// are set by a call, goroutines, compiler directives, and packages that are not
// known to be harmless. What is left is compiled here, within limits of time and
// memory, which runs none of it, and each task runs in a process of its own, in a container without network
// and files and with a time limit. A task has passed when its process exits
// with 0, go tool test2json reports the pass of its test, and the test has
// printed a secret that is drawn for this run and that answers have no way to
// read.
//
// Exit status: 0 everything was graded, whatever the scores; 1 something could
// not be graded; 2 unusable arguments; 130 interrupted.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	signals := []os.Signal{syscall.SIGTERM}
	if !signal.Ignored(os.Interrupt) { // as in the background of a script
		signals = append(signals, os.Interrupt)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("grade", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // its errors come with the whole usage
	var g grader
	flags.StringVar(&g.sandbox.name, "sandbox", "docker", strings.Join(sandboxes, ", ")+"; unshare has no network but sees files, none is for answers you trust")
	flags.StringVar(&g.sandbox.image, "image", "busybox:1.37.0", "container image for docker and podman: any that is there, for the program is static")
	flags.DurationVar(&g.limit, "limit", time.Minute, "time for one task")
	asJSON := flags.Bool("json", false, "one JSON object a line for each task")
	fail := func(status int, err error) int {
		if ctx.Err() != nil {
			status, err = 130, errors.New("interrupted: what has no scores above was not graded")
		}
		fmt.Fprintln(stderr, "grade:", clean(err.Error()))
		return status
	}
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(stdout, "grade [FLAG...] NOTEBOOK...")
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return 0
	} else if err != nil {
		return fail(2, err)
	}
	if flags.NArg() == 0 {
		return fail(2, errors.New("no notebook: want the files of submissions"))
	}
	if g.limit <= 0 {
		return fail(2, fmt.Errorf("-limit = %v: want a positive time", g.limit))
	}
	if err := g.sandbox.check(ctx); err != nil {
		return fail(2, err)
	}
	mod, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "jsqlab").Output()
	if err != nil {
		return fail(2, errors.New("not in the repository: want to be run in one of its folders"))
	}
	g.root = filepath.Clean(strings.TrimSpace(string(mod)))
	if err := g.warmUp(ctx); err != nil {
		return fail(1, err)
	}

	status := 0
	for _, path := range flags.Args() {
		scores, err := g.grade(ctx, path)
		if err != nil {
			if status = fail(1, err); status == 130 {
				return status
			}
			continue
		}
		if err := report(stdout, clean(path), scores, *asJSON); err != nil {
			return fail(1, fmt.Errorf("write the scores: %w", err))
		}
	}
	return status
}

// warmUp compiles what answers may import, so that nothing but the submissions is
// left to be compiled within their limits.
func (g grader) warmUp(ctx context.Context) error {
	warm := exec.CommandContext(ctx, "go", append([]string{"build", "testing", "./notebooks/exercises/check"}, slices.Sorted(maps.Values(allowed))...)...)
	asGroup(warm)
	warm.Dir, warm.Env = g.root, goEnv()
	if out, err := warm.CombinedOutput(); err != nil {
		return fmt.Errorf("the repository does not compile: %w: %s", err, firstLines(string(out)))
	}
	return nil
}

// report writes a line for each task and, unless it is asked for JSON, their sum.
func report(w io.Writer, path string, scores []score, asJSON bool) error {
	out := bufio.NewWriter(w)
	lines := json.NewEncoder(out)
	sum, most := 0., 0.
	for _, s := range scores {
		sum, most = sum+s.Score, most+s.Points
		if !asJSON {
			fmt.Fprintf(out, "%s\t%s\t%g/%g\t%s\n", path, s.Task, s.Score, s.Points, s.Says)
		} else if err := lines.Encode(s); err != nil {
			return err
		}
	}
	if !asJSON {
		fmt.Fprintf(out, "%s\tall\t%g/%g\n", path, sum, most)
	}
	return out.Flush()
}
