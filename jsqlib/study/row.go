package study

import (
	"context"
	"fmt"
	"math"

	"jsqlab/jsqlib/record"
	"jsqlab/jsqlib/sim"
)

// Row is the result of a task, a line of the table, with the columns of [record.Columns] for the table.
type Row = record.Record

// run does a task. The row is nil unless the task is done.
func (t Task) run(ctx context.Context, version string, workers int, progress func(sim.Progress)) (*Row, error) {
	m, c, err := t.model()
	if err != nil {
		return nil, err
	}
	o := sim.BoundaryOptions{Options: sim.Options{Seed: t.TaskSeed, Workers: workers, RelError: t.RelError, MaxSlots: t.MaxSlots, Progress: progress}}
	d, err := record.Distance(ctx, m, o)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	r := record.New(m, c)
	r.SetBoundary(d)
	r.Asked, r.Version = record.Asked(t), version
	if math.IsNaN(r.CeilingShiftInSigma) {
		r.CeilingShiftInSigma = 0 // not checked, as a warning says
	}
	for _, c := range record.Columns("table") {
		if _, missing := c.Cells(r); missing != "" {
			return nil, fmt.Errorf("study: %s is not determined: want a finite number (too few slots to estimate it: raise max-slots)", missing)
		}
	}
	return r, nil
}
