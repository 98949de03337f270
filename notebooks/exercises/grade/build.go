package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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
	b := &build{root: root, dir: dir, files: map[string]bool{}, rejected: map[string]error{}}
	b.add("doc.go", []byte("package "+packageName+"\n"))
	return b, nil
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
func (b *build) student(name, source string) {
	text, err := extract(source, untrusted)
	if err != nil {
		b.reject(name, fmt.Errorf("%s: %w", strings.TrimSuffix(name, ".go"), err))
		return
	}
	b.files[name] = true
	b.write(name, text)
}

// test adds a test, which is left out when what it calls is missing.
func (b *build) test(name, text string) {
	b.files[name] = true
	b.write(name, []byte(text))
}

func (b *build) reject(name string, why error) {
	delete(b.files, name)
	b.rejected[name] = why
}

var compilerLine = regexp.MustCompile(`(?m)^(?:\S*/)?(([\w-]+\.go):\d+:\d+: .*)$`)

// compile runs go build or go test. Files that do not compile are left out, and
// it is tried again.
func (b *build) compile(ctx context.Context, command ...string) error {
	for {
		overlay := struct{ Replace map[string]string }{map[string]string{}}
		for name := range b.files {
			overlay.Replace[filepath.Join(b.root, virtual, name)] = filepath.Join(b.dir, name)
		}
		text, err := json.Marshal(overlay)
		if err != nil {
			return err
		}
		file := filepath.Join(b.dir, "overlay.json")
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
		args := append(slices.Clone(command), "-overlay", file, "-gcflags=-e", "./"+virtual)
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir = b.root
		// Without cgo the program is static, and runs in any container.
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly -buildvcs=false", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err == nil {
			return nil
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) || ctx.Err() != nil {
			return fmt.Errorf("go %s: %w", command[0], err)
		}
		found := false
		for _, m := range compilerLine.FindAllStringSubmatch(string(out), -1) {
			if b.files[m[2]] {
				found = true
				b.reject(m[2], errors.New(m[1]))
			}
		}
		if !found {
			return fmt.Errorf("go %s: %s", command[0], strings.TrimSpace(string(out)))
		}
	}
}

// why says why a test could not be compiled: what was found wrong with the
// answer cells that it needs, or else what the compiler says of the test.
func (b *build) why(test string, needs []string) string {
	var says []string
	for _, id := range needs {
		if err := b.rejected[id+".go"]; err != nil {
			says = append(says, err.Error())
		}
	}
	if says == nil {
		says = append(says, b.rejected[test].Error())
	}
	return "not yet: " + strings.Join(says, "; ")
}
