package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/reps"
	"jsqlab/jsqlib/sim"
	"jsqlab/jsqlib/study/whole"
)

// Options steer a sweep. The zero value does the whole plan on all cores.
type Options struct {
	Version  string // of the program that computes, kept with every result; "": "devel"
	Shard    Shard
	Workers  int            // goroutines over all tasks; 0: one for each core. Never changes a result.
	Progress func(Progress) // called from one goroutine at a time
}

// Progress says how far a sweep is.
type Progress struct {
	Done, Total int           // tasks of the shard; Done counts those that were done before
	Running     string        // a task that runs, "" when one has just ended
	Left        time.Duration // estimated from the tasks done so far; 0 before the first
}

// Summary says what a sweep did.
type Summary struct {
	Planned int // tasks of the grid
	Shard   int // of these in the shard
	Before  int // of these done before, and verified
	Now     int // done now
}

// Left returns how many tasks of the shard are not done.
func (s Summary) Left() int { return s.Shard - s.Before - s.Now }

// Sweep does the tasks of a grid, or of one shard of it, that have no result in the directory yet. It
// makes the directory if there is none. Every result is written whole or not at all. Sweep may
// therefore be ended at any moment and called again, also by several processes at once on one
// directory. A later grid may add points: results stay. A lost plan file is made again by its grid.
//
// Before anything is computed, a [*FileError] names a file that is damaged, foreign or in conflict with
// the grid, and a [*jsqlib.Invalid] a directory that cannot be made or written to. A task that fails
// does not stop the others; the error then wraps [ErrTask] and names the first. A result that cannot be
// written stops the others, because the next result would be lost as well; the error then wraps
// [ErrStore]. When ctx ends, unfinished tasks leave nothing, and the error is that of the context.
func Sweep(ctx context.Context, dir string, g Grid, o Options) (Summary, error) {
	var sum Summary
	if err := reps.Context("study", ctx); err != nil {
		return sum, err
	}
	g, err := g.withDefaults()
	if err != nil {
		return sum, err
	}
	tasks, err := g.Tasks()
	if err != nil {
		return sum, err
	}
	if err := o.Shard.validate(); err != nil {
		return sum, err
	}
	if o.Workers < 0 {
		return sum, jsqlib.Refuse("study", "workers", o.Workers, "workers >= 0 (0: one for each core)")
	}
	o.Workers = reps.Workers(o.Workers)
	o.Version = cmp.Or(o.Version, "devel")
	p := plan{o.Version, g}
	name, text, err := p.seal()
	if err != nil {
		return sum, err
	}
	const writable = "a directory that can be made and written to"
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return sum, place(dir, writable, err)
	}
	s, err := scan(dir, &p)
	if err != nil {
		return sum, err
	}
	whole.Clean(dir, func(name string) bool { return strings.HasSuffix(name, ".json") })
	known := s.plans[name]
	if !known {
		if err := whole.Write(filepath.Join(dir, name), text); err != nil {
			return sum, place(dir, writable, err)
		}
	}
	mine := o.Shard.of(tasks)
	todo := slices.DeleteFunc(slices.Clone(mine), func(t Task) bool { return s.results[t.Key] != nil })
	sum = Summary{Planned: len(tasks), Shard: len(mine), Before: len(mine) - len(todo)}
	r := &runner{dir: dir, o: o, todo: todo, failed: make([]error, len(todo)), sum: sum, start: time.Now()}
	err = r.run(ctx)
	var unusable *jsqlib.Invalid
	if !known && r.sum.Before+r.sum.Now == 0 && errors.As(err, &unusable) {
		os.Remove(filepath.Join(dir, name)) // it would stand in the way of a better one
	}
	return r.sum, err
}

// runner does a list of tasks.
type runner struct {
	dir   string
	o     Options
	start time.Time

	lock     sync.Mutex
	todo     []Task
	finished float64
	sum      Summary
	failed   []error // by task; nil where it did not fail
	lost     error   // the first result that could not be written
	stop     context.CancelFunc
}

// run starts the workers, each doing one task at a time; the last tasks share the workers that are
// free.
func (r *runner) run(outer context.Context) error {
	ctx, stop := context.WithCancel(outer)
	defer stop()
	r.stop = stop
	reps.Pool(r.o.Workers, len(r.todo), func(i int) {
		if ctx.Err() == nil {
			r.do(ctx, i, max(1, r.o.Workers/(len(r.todo)-i)))
		}
	})
	if r.lost != nil {
		return fmt.Errorf("study: %w: %d of %d tasks not done: %w", ErrStore, r.sum.Left(), r.sum.Shard, r.lost)
	}
	if err := outer.Err(); err != nil && r.sum.Left() > 0 {
		return fmt.Errorf("study: %d of %d tasks not done: %w", r.sum.Left(), r.sum.Shard, err)
	}
	var failed []int
	for i, err := range r.failed {
		if err != nil {
			failed = append(failed, i)
		}
	}
	if len(failed) > 0 {
		first := failed[0]
		return fmt.Errorf("study: %w: %d of %d, first %s: %w", ErrTask, len(failed), r.sum.Shard, r.todo[first].Key, r.failed[first])
	}
	return nil
}

// do does and stores one task.
func (r *runner) do(ctx context.Context, i, workers int) {
	t := r.todo[i]
	row, err := t.run(ctx, r.o.Version, workers, r.progress(t))
	var lost error
	if err == nil {
		err = storeResult(r.dir, row)
		var conflict *FileError // about this task alone
		if !errors.As(err, &conflict) {
			lost = err
		}
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	switch {
	case lost != nil:
		if r.lost == nil {
			r.lost = lost
		}
		r.stop()
	case err == nil:
		r.sum.Now++
		r.finished += t.cost()
		r.report("")
	case ctx.Err() == nil || !errors.Is(err, ctx.Err()):
		r.failed[i] = err
	}
}

// storeResult writes a result, but not over another one.
func storeResult(dir string, row *Row) error {
	text, err := seal(resultFormat, row)
	if err != nil {
		return err
	}
	name := Task(row.Asked).file()
	file := filepath.Join(dir, name)
	switch there, err := (&store{dir: dir}).read(name); {
	case err == nil && string(there) == string(text):
		return nil // another process was as fast
	case err == nil:
		return &FileError{file, errConflict, "it appeared during the sweep and is not the result of " + row.Key, aside}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return whole.Write(file, text)
}

// progress is the callback for one task, nil if nobody listens.
func (r *runner) progress(t Task) func(sim.Progress) {
	if r.o.Progress == nil {
		return nil
	}
	return func(sim.Progress) {
		r.lock.Lock()
		defer r.lock.Unlock()
		r.report(fmt.Sprintf("N = %d, alpha = %g", t.Servers, t.Alpha))
	}
}

// report calls the callback; the lock is held.
func (r *runner) report(running string) {
	if r.o.Progress == nil {
		return
	}
	p := Progress{Done: r.sum.Before + r.sum.Now, Total: r.sum.Shard, Running: running}
	if r.finished > 0 {
		left := -r.finished
		for _, t := range r.todo {
			left += t.cost()
		}
		p.Left = time.Duration(left / r.finished * float64(time.Since(r.start)))
	}
	r.o.Progress(p)
}

// Merge returns the rows of a finished sweep in the order of the table: by model, routing, policy,
// laws, alpha and N, whatever the order of its files. It fails with [ErrNoSweep], with a [*FileError]
// that names the first task that is missing, or as [Sweep] does for files that it cannot use.
func Merge(dir string) ([]Row, error) {
	if info, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, &FileError{dir, ErrNoSweep, "no such directory", "the directory of a sweep"}
	}
	s, err := scan(dir, nil)
	if err != nil {
		return nil, err
	}
	if len(s.plans) == 0 {
		return nil, &FileError{dir, ErrNoSweep, "no plan in it", "the directory of a sweep"}
	}
	var rows []Row
	var missing []string
	for key := range s.tasks {
		if row := s.results[key]; row != nil {
			rows = append(rows, *row)
		} else {
			missing = append(missing, key)
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return nil, &FileError{dir, errIncomplete, fmt.Sprintf("%d of %d tasks have no result, first %s", len(missing), len(s.tasks), missing[0]),
			"all of them (run the sweep, or the missing shards, again)"}
	}
	sortRows(rows)
	return rows, nil
}

func sortRows(rows []Row) {
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(strings.Compare(series(a), series(b)), cmp.Compare(a.Alpha, b.Alpha), cmp.Compare(a.Servers, b.Servers))
	})
}
