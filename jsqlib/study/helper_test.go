package study

import (
	"context"
	"errors"
	"jsqlab/jsqlib"
	"os"
	"path/filepath"
	"testing"
)

// quick is a grid of nine tasks of a few milliseconds each.
func quick() Grid {
	return Grid{Servers: []int{2, 3, 4}, Alpha: []float64{2, 3, 4.5}, RelError: 0.1, Seed: 7}
}

func sweep(t *testing.T, dir string, g Grid, o Options) Summary {
	t.Helper()
	sum, err := Sweep(context.Background(), dir, g, o)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func merge(t *testing.T, dir string) []byte {
	t.Helper()
	rows, err := Merge(dir)
	if err != nil {
		t.Fatal(err)
	}
	return EncodeCSV(rows)
}

// files returns the contents of the .json files of a directory.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(name)] = string(text)
	}
	return out
}

// lay writes files into a new directory.
func lay(t *testing.T, contents map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range contents {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// refused says whether the error is that of a refused input.
func refused(err error) bool {
	var bad *jsqlib.Invalid
	return errors.As(err, &bad)
}
