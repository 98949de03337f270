package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// build compiles a submission in the repository's module without writing to
// the repository: its files are an overlay for the compiler.
type build struct {
	root, dir string
	files     map[string]bool  // by name: whether it may be left out when it does not compile
	rejected  map[string]error // by name of the file: why it was left out
}

func newBuild(root string) (*build, error) {
	dir, err := os.MkdirTemp("", "grade-")
	if err != nil {
		return nil, err
	}
	return &build{root: root, dir: dir, files: map[string]bool{}, rejected: map[string]error{}}, nil
}

func (b *build) add(name string, text []byte) {
	b.files[name] = false
	b.write(name, text)
}

func (b *build) write(name string, text []byte) {
	if err := os.WriteFile(filepath.Join(b.dir, name), text, 0o644); err != nil {
		b.reject(name, err)
	}
}

// student adds the code of a cell of the submission, if it is not refused.
// own are the names that the submission declares.
func (b *build) student(name, source string, own map[string]bool) {
	text, err := extract(source, untrusted, own)
	if err != nil {
		b.reject(name, fmt.Errorf("%s: %w", strings.TrimSuffix(name, ".go"), err))
		return
	}
	b.files[name] = true
	b.write(name, text)
}

func (b *build) reject(name string, why error) {
	delete(b.files, name)
	b.rejected[name] = why
}

var compilerLine = regexp.MustCompile(`(?m)^(?:\S*/)?(([\w-]+\.go):\d+:\d+: .*)$`)

// What a compiler may take for one submission.
const (
	compileTime   = time.Minute
	compileMemory = 4 << 20 // kB of addresses, for each process
)

// compile runs go build or go test. Files that do not compile are left out, and
// it is tried again.
func (b *build) compile(ctx context.Context, command ...string) error {
	for {
		out, err := b.try(ctx, b.files, command...)
		if err == nil {
			return nil
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) || ctx.Err() != nil {
			return fmt.Errorf("go %s: %w", command[0], err)
		}
		blamed := b.blamed(out)
		if len(blamed) == 0 {
			blamed = b.isolate(ctx, command...)
		}
		if len(blamed) == 0 {
			return fmt.Errorf("go %s: %w: %s", command[0], err, firstLines(out))
		}
		for name, why := range blamed {
			b.reject(name, why)
		}
	}
}

// try runs go build or go test on some of the files once, and returns what it
// prints.
func (b *build) try(ctx context.Context, files map[string]bool, command ...string) (string, error) {
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name := range files {
		overlay.Replace[filepath.Join(b.root, virtual, name)] = filepath.Join(b.dir, name)
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	file := filepath.Join(b.dir, "overlay.json")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, compileTime)
	defer cancel()
	limited := fmt.Sprintf(`ulimit -v %d 2>/dev/null; exec go "$@"`, compileMemory) // a lower limit may hold already
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", limited, "go"}, append(command, "-overlay", file, "-gcflags=-e", "./"+virtual)...)...)
	asGroup(cmd)
	cmd.Dir = b.root
	cmd.Env = goEnv()
	out := &head{left: 1 << 20}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	return out.String(), err
}

// goEnv is the environment of the compiler. Without cgo the program is static,
// and runs in any container.
func goEnv() []string {
	return append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly -buildvcs=false", "GOWORK=off")
}

// blamed returns the files that may be left out and of which the compiler's
// output complains, with its first complaint of each.
func (b *build) blamed(out string) map[string]error {
	files := map[string]error{}
	for _, m := range compilerLine.FindAllStringSubmatch(out, -1) {
		if b.files[m[2]] && files[m[2]] == nil {
			files[m[2]] = errors.New(m[1])
		}
	}
	return files
}

// isolate finds the files that the compiler fails on without saying so, as it
// runs out of time or memory: it adds one after another to those that must be
// there. It returns all that may be left out when they fail only together, and
// none when it is not for them that the compiler fails.
func (b *build) isolate(ctx context.Context, command ...string) map[string]error {
	files, optional := map[string]bool{}, []string{}
	for _, name := range slices.Sorted(maps.Keys(b.files)) {
		if b.files[name] {
			optional = append(optional, name)
		} else {
			files[name] = true
		}
	}
	if _, err := b.try(ctx, files, command...); err != nil {
		return nil
	}
	found, all := map[string]error{}, map[string]error{}
	for _, name := range optional {
		why := fmt.Errorf("%s: the compiler fails on it, or needs more than %v or %d GB", strings.TrimSuffix(name, ".go"), compileTime, compileMemory>>20)
		all[name] = why
		files[name] = true
		if out, err := b.try(ctx, files, command...); err != nil && len(b.blamed(out)) == 0 {
			found[name] = why
			delete(files, name)
		}
		if ctx.Err() != nil {
			return nil
		}
	}
	if len(found) == 0 {
		return all
	}
	return found
}

// why says why the test of a task could not be compiled: what was found wrong
// with the answer cells that it needs, or else what the compiler says of the
// test. It is empty when the test was compiled.
func (b *build) why(t task) string {
	if b.rejected[t.file] == nil {
		return ""
	}
	var says []string
	for _, id := range t.needs {
		if err := b.rejected[id+".go"]; err != nil {
			says = append(says, err.Error())
		}
	}
	if says == nil {
		says = append(says, b.rejected[t.file].Error())
	}
	return "not yet: " + strings.Join(says, "; ")
}
