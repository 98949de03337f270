package study

import (
	"context"
	"errors"
	"io/fs"
	"jsqlab/jsqlib"
	"jsqlab/jsqlib/record"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The files and the table are the same bits for one run and for shards, for any
// number of workers, in any order.
func TestSameBits(t *testing.T) {
	one := t.TempDir()
	if sum := sweep(t, one, quick(), Options{Workers: 1}); sum != (Summary{9, 9, 0, 9}) {
		t.Errorf("%+v", sum)
	}
	want, table := files(t, one), string(merge(t, one))
	if len(want) != 10 || strings.Count(table, "\n") != 10 {
		t.Fatalf("%d files, table\n%s", len(want), table)
	}
	r := rand.New(rand.NewPCG(1, 2))
	counts := []int{1, 2, 7}
	if testing.Short() {
		counts = counts[2:]
	}
	for _, workers := range counts {
		dir := t.TempDir()
		for _, i := range r.Perm(12) {
			sweep(t, dir, quick(), Options{Workers: workers, Shard: Shard{i, 12}})
		}
		if got := files(t, dir); !maps.Equal(got, want) {
			t.Errorf("%d workers, 12 shards: other files", workers)
		}
		if got := string(merge(t, dir)); got != table {
			t.Errorf("%d workers, 12 shards: table\n%s\nwant\n%s", workers, got, table)
		}
	}
	// more workers than tasks share them
	dir := t.TempDir()
	sweep(t, dir, quick(), Options{Workers: 30})
	if got := files(t, dir); !maps.Equal(got, want) {
		t.Error("30 workers: other files")
	}
	g := quick()
	g.Seed++
	sweep(t, t.TempDir(), g, Options{})
	dir = t.TempDir()
	sweep(t, dir, g, Options{})
	if string(merge(t, dir)) == table {
		t.Error("the seed changes nothing")
	}
}

// What is done stays as it is, in a repeated run and when points are added.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	small := quick()
	small.Alpha = small.Alpha[:2]
	sweep(t, dir, small, Options{})
	before := files(t, dir)
	infos := map[string]os.FileInfo{}
	for name := range before {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		infos[name] = info
	}
	if sum := sweep(t, dir, small, Options{}); sum != (Summary{6, 6, 6, 0}) {
		t.Errorf("second run: %+v", sum)
	}
	if sum := sweep(t, dir, quick(), Options{}); sum != (Summary{9, 9, 6, 3}) {
		t.Errorf("more points: %+v", sum)
	}
	after := files(t, dir)
	if len(after) != len(before)+4 {
		t.Errorf("%d files, want %d and a plan and 3 results", len(after), len(before))
	}
	for name, info := range infos {
		now, err := os.Stat(filepath.Join(dir, name))
		if err != nil || after[name] != before[name] || !os.SameFile(now, info) {
			t.Errorf("%s was written again (%v)", name, err)
		}
	}
	fresh := t.TempDir()
	sweep(t, fresh, quick(), Options{})
	if string(merge(t, dir)) != string(merge(t, fresh)) {
		t.Error("a sweep in two steps differs from one in one step")
	}
	// a grid that is part of what is there is complete at once
	if sum := sweep(t, dir, small, Options{}); sum.Now != 0 {
		t.Errorf("%+v", sum)
	}
}

// Files that cannot be used are named, not used, and not touched.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	sweep(t, dir, quick(), Options{})
	good := files(t, dir)
	victim := quick()
	tasks, err := victim.Tasks()
	if err != nil {
		t.Fatal(err)
	}
	name, other := tasks[0].file(), tasks[1].file()
	planName := ""
	for n := range good {
		if strings.HasPrefix(n, planPrefix) {
			planName = n
		}
	}
	check := func(what, names string, kind error, change func(map[string]string)) {
		t.Helper()
		contents := maps.Clone(good)
		change(contents)
		dir := lay(t, contents)
		_, mergeErr := Merge(dir)
		_, sweepErr := Sweep(t.Context(), dir, quick(), Options{})
		for _, err := range []error{mergeErr, sweepErr} {
			var file *FileError
			if !errors.As(err, &file) || !errors.Is(err, kind) || filepath.Base(file.File) != names || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v, want %v about %s", what, err, kind, names)
			}
		}
		if !maps.Equal(files(t, dir), contents) {
			t.Errorf("%s: the directory was changed", what)
		}
	}
	set := func(name, text string) func(map[string]string) {
		return func(c map[string]string) { c[name] = text }
	}
	check("empty", name, errDamaged, set(name, ""))
	check("zeros", name, errDamaged, set(name, strings.Repeat("\x00", len(good[name]))))
	check("cut", name, errDamaged, set(name, good[name][:len(good[name])/2]))
	check("last byte cut", name, errDamaged, set(name, strings.TrimSuffix(good[name], "\n")))
	check("longer", name, errDamaged, set(name, good[name]+"{}"))
	check("twice", name, errDamaged, set(name, good[name]+good[name]))
	check("digit", name, errDamaged, set(name, strings.Replace(good[name], `"wasserstein": 0.`, `"wasserstein": 0.0`, 1)))
	check("key added", name, errDamaged, set(name, strings.Replace(good[name], `"data": {`, `"more": 1, "data": {`, 1)))
	check("plan cut", planName, errDamaged, set(planName, good[planName][:40]))
	check("plan renamed", planPrefix+"0.json", errForeign, func(c map[string]string) { c[planPrefix+"0.json"] = c[planName]; delete(c, planName) })
	check("notes", "notes.json", errForeign, set("notes.json", `{"a": 1}`))
	check("result of another name", "copy.json", errDuplicate, set("copy.json", good[name]))
	check("renamed", "copy.json", errForeign, func(c map[string]string) { c["copy.json"] = c[name]; delete(c, name) })
	check("swapped", min(name, other), errConflict, func(c map[string]string) { c[name], c[other] = c[other], c[name] })

	// a pipe, which is not read
	withPipe := lay(t, good)
	if err := syscall.Mkfifo(filepath.Join(withPipe, "pipe.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Merge(withPipe); !errors.Is(err, errForeign) || !strings.Contains(err.Error(), "pipe.json: foreign file: no regular file") {
		t.Errorf("a pipe: %v", err)
	}

	// a file far larger than any result, which is not read: it has no blocks on the disk
	withLarge := lay(t, good)
	large := filepath.Join(withLarge, "large.json")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 20<<30); err != nil {
		t.Fatal(err)
	}
	if _, err := Merge(withLarge); !errors.Is(err, errForeign) || !strings.Contains(err.Error(), "large.json: foreign file: more than 64 MiB") {
		t.Errorf("a large file: %v", err)
	}

	// sound results of other sweeps
	foreign := func(g Grid, o Options) map[string]string {
		dir := t.TempDir()
		sweep(t, dir, g, o)
		return files(t, dir)
	}
	g := Grid{Servers: []int{5}, Alpha: []float64{2}, RelError: 0.1}
	for n, text := range foreign(g, Options{}) {
		if !strings.HasPrefix(n, planPrefix) {
			check("no plan", n, errForeign, set(n, text))
		}
	}
	g = quick()
	g.Seed++
	reseeded := foreign(g, Options{})
	check("another seed", name, errConflict, set(name, reseeded[name]))
	for n, text := range reseeded {
		if strings.HasPrefix(n, planPrefix) {
			check("plan of another seed", max(n, planName), errConflict, set(n, text))
		}
	}
	check("another version", name, errConflict, set(name, foreign(quick(), Options{Version: "0.0.1"})[name]))
	check("conflicting copy", "copy.json", errConflict, func(c map[string]string) {
		row := new(Row)
		if err := unseal([]byte(good[name]), resultFormat, row); err != nil {
			t.Fatal(err)
		}
		row.Slots++
		text, err := seal(resultFormat, row)
		if err != nil {
			t.Fatal(err)
		}
		c["copy.json"] = string(text)
	})
	check("no key of its system", name, errForeign, func(c map[string]string) {
		row := new(Row)
		if err := unseal([]byte(good[name]), resultFormat, row); err != nil {
			t.Fatal(err)
		}
		row.TaskSeed++
		text, err := seal(resultFormat, row)
		if err != nil {
			t.Fatal(err)
		}
		c[name] = string(text)
	})

	// other files do not matter
	contents := maps.Clone(good)
	contents["notes.txt"], contents[".x.part"] = "notes", "partial"
	dir = lay(t, contents)
	if string(merge(t, dir)) != string(merge(t, lay(t, good))) {
		t.Error("other files change the table")
	}
}

// No change of one byte, anywhere in a file, goes unnoticed.
func TestEveryByteCounts(t *testing.T) {
	dir := t.TempDir()
	g := Grid{Servers: []int{2}, Alpha: []float64{2}, RelError: 0.2}
	sweep(t, dir, g, Options{})
	step := 1
	if testing.Short() {
		step = 19
	}
	for name, text := range files(t, dir) {
		for i := 0; i < len(text); i += step {
			b := []byte(text)
			b[i] ^= 1 << (i % 7)
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
				t.Fatal(err)
			}
			if _, err := Merge(dir); !errors.Is(err, errDamaged) && !errors.Is(err, errForeign) {
				t.Fatalf("%s, byte %d of %q changed to %q: %v", name, i, text[max(0, i-10):min(len(text), i+10)], b[i], err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	merge(t, dir)
}

func TestSweepConflicts(t *testing.T) {
	dir := t.TempDir()
	sweep(t, dir, quick(), Options{})
	before := files(t, dir)
	for what, change := range map[string]func(*Grid, *Options){
		"seed":      func(g *Grid, _ *Options) { g.Seed++ },
		"rel-error": func(g *Grid, _ *Options) { g.RelError = 0.2 },
		"max-slots": func(g *Grid, _ *Options) { g.MaxSlots = 1e9 },
		"version":   func(_ *Grid, o *Options) { o.Version = "2" },
	} {
		g, o := quick(), Options{}
		change(&g, &o)
		_, err := Sweep(t.Context(), dir, g, o)
		if !errors.Is(err, errConflict) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	// other points may have other settings
	g := quick()
	g.Servers, g.RelError = []int{5}, 0.2
	if !maps.Equal(files(t, dir), before) {
		t.Error("a refused sweep left something")
	}
	sweep(t, dir, g, Options{})
	if rows, err := Merge(dir); err != nil || len(rows) != 12 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

func TestMergeIncomplete(t *testing.T) {
	dir := t.TempDir()
	sweep(t, dir, quick(), Options{Shard: Shard{1, 3}})
	_, err := Merge(dir)
	if !errors.Is(err, errIncomplete) || !strings.Contains(err.Error(), "6 of 9 tasks have no result, first dt batch jsq") {
		t.Errorf("%v", err)
	}
	for _, dir := range []string{t.TempDir(), filepath.Join(dir, "nowhere")} {
		if _, err := Merge(dir); !errors.Is(err, ErrNoSweep) {
			t.Errorf("%v, want ErrNoSweep", err)
		}
	}
}

// A sweep that is stopped keeps what is done, whole.
func TestCancel(t *testing.T) {
	g := quick()
	g.Servers = append(g.Servers, 32) // long, and first
	g.RelError = 0.002
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sum, err := Sweep(ctx, dir, g, Options{Workers: 2, Progress: func(p Progress) {
		if p.Running != "" {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || sum.Left() == 0 {
		t.Errorf("%+v, %v", sum, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1+sum.Now {
		t.Errorf("%d files after %d tasks (%v)", len(entries), sum.Now, err)
	}
	if _, err := scan(dir, nil); err != nil {
		t.Error(err)
	}
}

// A task that fails does not stop the others, and is tried again.
func TestTaskFails(t *testing.T) {
	g := quick()
	g.MaxSlots = 1000 // less than the warm-up
	g.Servers = []int{2, 3}
	dir := t.TempDir()
	sum, err := Sweep(t.Context(), dir, g, Options{})
	if !errors.Is(err, ErrTask) || sum.Now != 0 || !strings.Contains(err.Error(), "6 of 6, first dt batch jsq arrivals=binomial:2 service=binomial:2 servers=3 alpha=2") {
		t.Errorf("%+v, %v", sum, err)
	}
	// nothing could be done: the plan does not stand in the way of a better one
	if _, err := Merge(dir); !errors.Is(err, ErrNoSweep) {
		t.Error(err)
	}
	// a directory that cannot be written to
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Sweep(t.Context(), file, quick(), Options{}); err == nil {
		t.Error("a file was taken for a directory")
	}
}

func TestWorkersRefused(t *testing.T) {
	if _, err := Sweep(t.Context(), t.TempDir(), quick(), Options{Workers: -1}); err == nil {
		t.Error("-1 workers were taken")
	}
}

// Progress counts every task once and has a time left after the first.
func TestProgress(t *testing.T) {
	last, left := Progress{}, 0
	sweep(t, t.TempDir(), quick(), Options{Workers: 3, Progress: func(p Progress) {
		if p.Done < last.Done || p.Done > p.Total || p.Total != 9 || p.Left < 0 {
			t.Errorf("%+v after %+v", p, last)
		}
		if p.Left > 0 {
			left++
		}
		last = p
	}})
	if last.Done != 9 || last.Left != 0 || left == 0 {
		t.Errorf("%+v at the end, %d times left", last, left)
	}
}

// A continuous-time sweep leaves the columns of discrete time empty.
func TestSweepCT(t *testing.T) {
	dir := t.TempDir()
	sweep(t, dir, Grid{Model: jsqlib.CT, Servers: []int{4, 8}, Alpha: []float64{2}, RelError: 0.1}, Options{})
	rows, err := Merge(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Routing != "" || r.Service != "" || r.BoundarySecond.Value != 0 || r.LimitMean != 1 {
			t.Errorf("%+v", r)
		}
		if w := r.Wasserstein; !(w.Low <= w.Value && w.Value <= w.High && r.CertificateLow < w.High && w.Low < r.CertificateHigh) {
			t.Errorf("%+v", r)
		}
		if r.MeanTotal.Value < 1/r.Gap || r.MeanUnused.Value != float64(r.Servers)*r.Gap {
			t.Errorf("%+v", r)
		}
	}
	for name, text := range files(t, dir) {
		if strings.Contains(text, "boundary_second") || strings.Contains(text, "routing") {
			t.Errorf("%s names discrete time:\n%s", name, text)
		}
	}
}

// A result that appears under a task's name while it runs is not written over.
func TestStoreResult(t *testing.T) {
	dir := t.TempDir()
	sweep(t, dir, quick(), Options{})
	rows, err := Merge(dir)
	if err != nil {
		t.Fatal(err)
	}
	row := rows[0]
	if err := storeResult(dir, &row); err != nil {
		t.Errorf("the same result: %v", err)
	}
	row.Slots++
	if err := storeResult(dir, &row); !errors.Is(err, errConflict) {
		t.Errorf("another result: %v", err)
	}
	merge(t, dir)
}

// A sweep removes what killed ones left of its files, though their tasks are
// done, and nothing else.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	sweep(t, dir, quick(), Options{})
	var result string
	for name := range files(t, dir) {
		result = name
	}
	left := "." + result + ".1-0.part"
	for _, name := range []string{left, ".t.csv.1-0.part", ".x.part"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	sweep(t, dir, quick(), Options{})
	hidden, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(hidden) != 2 {
		t.Errorf("%v, %v: want all but %s", hidden, err, left)
	}
}

// A sweep whose plan file is lost takes its results for its own and writes the
// plan again. No other grid does, and the error says what to do.
func TestLostPlan(t *testing.T) {
	whole := t.TempDir()
	sweep(t, whole, quick(), Options{})
	good := files(t, whole)
	lost := maps.Clone(good)
	for name := range good {
		if strings.HasPrefix(name, planPrefix) {
			delete(lost, name)
		}
	}
	dir := lay(t, lost)
	refused := func(err, kind error, words string) {
		t.Helper()
		if !errors.Is(err, kind) || !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: want %v and %q", err, kind, words)
		}
		if !maps.Equal(files(t, dir), lost) {
			t.Error("the directory was changed")
		}
	}
	_, err := Merge(dir)
	refused(err, errForeign, "if its plan file is lost, its sweep run here again")
	for what, change := range map[string]func(*Grid, *Options){
		"seed 8: want":        func(g *Grid, _ *Options) { g.Seed++ },
		"rel-error 0.2, max":  func(g *Grid, _ *Options) { g.RelError = 0.2 },
		"version 2: want ver": func(_ *Grid, o *Options) { o.Version = "2" },
	} {
		g, o := quick(), Options{}
		change(&g, &o)
		_, err := Sweep(t.Context(), dir, g, o)
		refused(err, errConflict, what)
	}
	g := quick()
	g.Servers = g.Servers[:2]
	_, err = Sweep(t.Context(), dir, g, Options{})
	refused(err, errForeign, "if its plan file is lost, its sweep run here again")

	if sum := sweep(t, dir, quick(), Options{}); sum != (Summary{9, 9, 9, 0}) {
		t.Errorf("%+v", sum)
	}
	if !maps.Equal(files(t, dir), good) {
		t.Error("other files than before the loss")
	}
	// nor does it take a part of the plan: more points are more points
	dir = lay(t, lost)
	g = quick()
	g.Servers = append(g.Servers, 5)
	if sum := sweep(t, dir, g, Options{}); sum != (Summary{12, 12, 9, 3}) {
		t.Errorf("%+v", sum)
	}
}

// The first result that cannot be written ends the sweep: no other task is
// begun, for its result would be lost too.
func TestStoreFails(t *testing.T) {
	for _, workers := range []int{1, 3} {
		dir := filepath.Join(t.TempDir(), "d")
		gone := false
		begun := map[string]bool{}
		sum, err := Sweep(t.Context(), dir, quick(), Options{Workers: workers, Progress: func(p Progress) {
			if p.Running == "" && !gone {
				gone = true
				if err := os.Rename(dir, dir+" away"); err != nil { // at once, whatever writes there
					t.Error(err)
				}
			} else if gone {
				begun[p.Running] = true
			}
		}})
		var path *fs.PathError
		if !errors.Is(err, ErrStore) || errors.Is(err, ErrTask) || !errors.As(err, &path) || filepath.Dir(path.Path) != dir ||
			strings.Contains(err.Error(), ".part") || sum.Left() == 0 {
			t.Errorf("%+v, %v", sum, err)
		}
		// those that ran, and one each until they see that it is over
		if len(begun) > 2*workers {
			t.Errorf("%d workers began %d tasks after the last result that was kept", workers, len(begun))
		}
	}
}

// A name that cannot be written to is the caller's to change.
func TestPlace(t *testing.T) {
	_, err := Sweep(t.Context(), filepath.Join(os.DevNull, "x"), quick(), Options{})
	var field *jsqlib.Invalid
	if !errors.As(err, &field) || field.What != "out" || strings.Contains(err.Error(), ".part") {
		t.Errorf("%v", err)
	}
	if err := WriteCSV(filepath.Join(t.TempDir(), "none", "t.csv"), nil); !errors.As(err, &field) || field.What != "out" || strings.Contains(err.Error(), ".part") {
		t.Errorf("%v", err)
	}
}

func BenchmarkScan1000Results(b *testing.B) {
	dir := b.TempDir()
	g := Grid{Servers: []int{2, 3}, Alpha: []float64{2}, RelError: 0.2}
	if _, err := Sweep(b.Context(), dir, g, Options{}); err != nil {
		b.Fatal(err)
	}
	rows, err := Merge(dir)
	if err != nil {
		b.Fatal(err)
	}
	g.Alpha = nil
	for i := range 500 {
		g.Alpha = append(g.Alpha, 2+float64(i+1)/512)
	}
	tasks, err := g.Tasks()
	if err != nil {
		b.Fatal(err)
	}
	full, err := g.withDefaults()
	if err != nil {
		b.Fatal(err)
	}
	name, text, err := plan{"devel", full}.seal()
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
		b.Fatal(err)
	}
	for _, t := range tasks {
		row := rows[0]
		row.Asked = record.Asked(t)
		text, err := seal(resultFormat, row)
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, t.file()), text, 0o666); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if rows, err := Merge(dir); err != nil || len(rows) != 1002 {
			b.Fatal(len(rows), err)
		}
	}
}
