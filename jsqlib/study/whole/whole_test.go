package whole

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func put(t *testing.T, file, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, mode); err != nil {
		t.Fatal(err)
	}
}

func holds(t *testing.T, file, text string) {
	t.Helper()
	if got, err := os.ReadFile(file); err != nil || string(got) != text {
		t.Errorf("%s: %q, %v; want %q", file, got, err, text)
	}
}

func unfinished(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, ".*.part"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range names {
		names[i] = filepath.Base(names[i])
	}
	return names
}

// Write leaves the file whole, or as it was, and takes away what killed
// processes left of it and of nothing else.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.json")
	other := []string{".a.json.b.1-0.part", ".b.json.1-0.part", ".x.part"}
	for _, name := range append(other, ".a.json.1-0.part") {
		put(t, filepath.Join(dir, name), "half", 0o666)
	}
	for i := range 3 {
		if err := Write(file, fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
	holds(t, file, "2")
	if left := unfinished(t, dir); fmt.Sprint(left) != fmt.Sprint(other) {
		t.Errorf("%v is left, want %v", left, other)
	}
	// a directory stands where the file is to be
	if err := os.MkdirAll(filepath.Join(dir, "d", "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "d"), nil); err == nil {
		t.Error("a directory was replaced")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".d.*")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

func TestMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	file := filepath.Join(t.TempDir(), "t")
	for _, mode := range []fs.FileMode{0o600, 0o666, 0o444, 0o640} {
		put(t, file, "old", 0o600)
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		if err := Write(file, []byte("new")); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(file); err != nil || info.Mode() != mode {
			t.Errorf("%v, %v; want %v", info.Mode(), err, mode)
		}
	}
}

// The file that a link leads to is written, by way of any links and whether it
// exists or not; the links stay.
func TestLink(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"far/there", "near"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	links := map[string]string{
		"near/there":  "../far/there", // a folder
		"near/a":      "there/../a",   // far/a, not near/a
		"near/b":      "a",
		"near/c":      filepath.Join(dir, "far", "c"),
		"near/loop":   "loop",
		"near/broken": "none/x",
	}
	for name, to := range links {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err) // Windows asks for a privilege
		}
	}
	for i, c := range []struct{ link, file string }{{"near/a", "far/a"}, {"near/b", "far/a"}, {"near/c", "far/c"}, {"near/there/d", "far/there/d"}} {
		if err := Write(filepath.Join(dir, c.link), fmt.Append(nil, i)); err != nil {
			t.Error(err)
		}
		holds(t, filepath.Join(dir, c.file), fmt.Sprint(i))
	}
	for _, name := range []string{"near/loop", "near/broken"} {
		if err := Write(filepath.Join(dir, name), nil); err == nil || !Unusable(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, to := range links {
		if got, err := os.Readlink(filepath.Join(dir, name)); err != nil || got != to {
			t.Errorf("%s leads to %q, %v; want %q", name, got, err, to)
		}
	}
}

// Errors name the file that was asked for, and say whether another would do.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{os.DevNull, filepath.Join(os.DevNull, "x"), filepath.Join(dir, "none", "x"), dir, filepath.Join(dir, strings.Repeat("x", 300)), filepath.Join(dir, "a\x00b")} {
		err := Write(file, []byte("text"))
		var path *fs.PathError
		if !errors.As(err, &path) || path.Path != file || strings.Contains(err.Error(), ".part") || !Unusable(err) {
			t.Errorf("Write(%q): %v", file, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v: want nothing left", entries, err)
	}
}

// A file that a living process is writing stays; that of a killed one goes.
func TestLiving(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, ".a.1-0.part")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	hold(f)
	clean := func() { Clean(dir, func(of string) bool { return of == "a" }) }
	clean()
	if left := unfinished(t, dir); len(left) != 1 {
		t.Error("the file of a living process was removed")
	}
	f.Close()
	clean()
	if left := unfinished(t, dir); len(left) != 0 {
		t.Error("the file of an ended process stays")
	}
}

// Many writers of one file, each of which cleans up, do not disturb one another.
func TestTogether(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 20 {
				if err := Write(file, []byte(strings.Repeat(fmt.Sprint(i), 1000))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	text, err := os.ReadFile(file)
	if err != nil || len(text) != 1000 || strings.Trim(string(text), string(text[:1])) != "" {
		t.Errorf("%.20q, %v", text, err)
	}
	if left := unfinished(t, dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// What does not fit leaves the old file and nothing else.
func TestTooLarge(t *testing.T) {
	const here = "JSQLAB_TEST_WHOLE"
	if file := os.Getenv(here); file != "" {
		err := Write(file, make([]byte, 1<<20))
		fmt.Println(err, Unusable(err))
		return
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "a")
	put(t, file, "old", 0o666)
	cmd := exec.CommandContext(t.Context(), sh, "-c", `ulimit -f 2 && exec "$0" -test.run '^TestTooLarge$'`, self)
	cmd.Env = append(os.Environ(), here+"="+file)
	out, err := cmd.CombinedOutput()
	if want := "write " + file + ": file too large false\n"; err != nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("%q, %v; want %q", out, err, want)
	}
	holds(t, file, "old")
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v: want the old file only", entries, err)
	}
}
