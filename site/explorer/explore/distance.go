package explore

import (
	"context"

	"jsqlab/jsqlib/record"
	"jsqlab/jsqlib/sim"
)

// Distance answers with the keys of jsq distance --json, without version. Three keys are added: "law",
// the law of Z = N^(-alpha) Q for a picture (see curves); "relaxation", the time in which the total
// forgets, in slots (services in continuous time); and "stopped", true if ctx ended the run before its
// goal. progress is called often, from the goroutine that does the work.
func Distance(ctx context.Context, text []byte, progress func(sim.Progress)) []byte {
	q, s, err := parse(text)
	if err != nil {
		return failure(err)
	}
	if !(q.RelError > 0 && q.RelError < 1) {
		return failure(refuse("rel_error", q.RelError, "0 < rel-error < 1"))
	}
	o := sim.BoundaryOptions{Options: sim.Options{Seed: s.seed, Workers: 1, RelError: q.RelError, Progress: progress}}
	d, err := record.Distance(ctx, s.Model, o)
	stopped := err != nil && ctx.Err() != nil
	if err != nil && !(stopped && d != nil) {
		return failure(err)
	}
	r := record.New(s.Model, s.Constants)
	r.SetBoundary(d)
	r.Command, r.Seed, r.Arrivals, r.Service = q.commandLine(), s.seed, q.Arrivals, q.Service
	out := map[string]any{"relaxation": s.Relaxation(), "stopped": stopped, "law": curves(d.Total)}
	for _, c := range record.Columns("distance") {
		cells, _ := c.Cells(r) // what is not determined is left out
		for _, cell := range cells {
			out[cell.Key] = cell.Value
		}
	}
	return encode(out)
}
