package study

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// The test binary is the sweep that is killed when this is set.
const sweepHere = "JSQLAB_TEST_SWEEP"

func TestMain(m *testing.M) {
	if dir := os.Getenv(sweepHere); dir != "" {
		if _, err := Sweep(context.Background(), dir, many(), Options{Workers: 2}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// many is a grid that outlives most of the kills.
func many() Grid {
	return Grid{Servers: []int{2, 3, 4, 5, 6, 7, 8}, Alpha: []float64{2, 2.5, 3, 3.5, 4, 4.5, 5}, RelError: 0.04, Seed: 3}
}

// A sweep that is killed at random moments, and started again each time, loses
// no result, does none twice, and ends with the bits of an undisturbed one.
func TestKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no SIGKILL")
	}
	if testing.Short() {
		t.Skip("long")
	}
	const kills = 20
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	start := func(dir string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env = append(os.Environ(), sweepHere+"="+dir)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	whole := t.TempDir()
	begin := time.Now()
	if err := start(whole).Wait(); err != nil {
		t.Fatal(err)
	}
	length := time.Since(begin)

	want, table := files(t, whole), string(merge(t, whole))

	r := rand.New(rand.NewPCG(4, 9))
	for killed := 0; killed < kills; {
		dir := t.TempDir()
		done := map[string]os.FileInfo{}
		for ended := false; !ended; {
			cmd := start(dir)
			if killed < kills {
				time.Sleep(time.Duration(r.Float64() * 0.1 * float64(length)))
				if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
					t.Fatal(err)
				}
			}
			err := cmd.Wait()
			switch {
			case err == nil:
				ended = true
			case cmd.ProcessState.ExitCode() >= 0 || killed == kills:
				t.Fatalf("the sweep failed: %v", err)
			default:
				killed++
			}
			names, err := filepath.Glob(filepath.Join(dir, "*.json"))
			if err != nil {
				t.Fatal(err)
			}
			now := map[string]os.FileInfo{}
			for _, name := range names {
				if now[name], err = os.Stat(name); err != nil {
					t.Fatal(err)
				}
			}
			for name, info := range done {
				if now[name] == nil || !os.SameFile(now[name], info) || !now[name].ModTime().Equal(info.ModTime()) {
					t.Errorf("%s was lost or done again", name)
				}
			}
			done = now
			if _, err := scan(dir, nil); err != nil {
				t.Errorf("after a kill: %v", err)
			}
			t.Logf("kill %d: %d files", killed, len(done))
		}
		if !maps.Equal(files(t, dir), want) || string(merge(t, dir)) != table {
			t.Error("other files or another table than of an undisturbed sweep")
		}
	}
}
