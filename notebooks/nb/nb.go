// Package nb has what every notebook needs. [Must] and [OK] stop the notebook on an error, and [Check] stops it when a claim does not hold.
// [PM] writes a value with its half width. [Slots] runs the model. [Exact], [Direct], [Boundary] and [Distance] are the library's answers
// with the options that notebooks change: the tolerance, or the seed and the relative error, where 0 is the default.
package nb

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/exact"
	"jsqlab/jsqlib/record"
	"jsqlab/jsqlib/sim"
)

// Must returns v. It stops the notebook on an error:
//
//	c := nb.Must(system.Constants())
func Must[T any](v T, err error) T {
	OK(err)
	return v
}

// OK stops the notebook on an error.
func OK(err error) {
	if err != nil {
		panic(err)
	}
}

// Check prints the claim when it holds, and stops the notebook when it does not.
func Check(ok bool, claim string) {
	if !ok {
		panic("does not hold: " + claim)
	}
	fmt.Println("holds:", claim)
}

// PM writes value ± half with the decimals that half supports, as [jsqlib.Estimate] prints itself.
func PM(value, half float64) string { return jsqlib.PlusMinus(value, half, 1) }

// Slots runs the system from empty queues for count slots. It stops the notebook when there is no such system.
func Slots(system jsqlib.Model, count int, seed uint64) iter.Seq[jsqlib.Slot] {
	c := Must(system.Constants())
	return func(yield func(jsqlib.Slot) bool) {
		r, q := rand.New(rand.NewPCG(2021, seed)), make([]int64, system.Servers)
		for range count {
			slot := system.Step(c, q, r)
			if !yield(slot) {
				return
			}
			q = slot.After
		}
	}
}

// Exact is [exact.Solve]: the law of a few servers, numerically exact to the tolerance.
func Exact(system jsqlib.Model, tolerance float64) exact.Result {
	return Must(exact.Solve(context.Background(), system, exact.Options{Tolerance: tolerance}))
}

// Direct is [sim.Direct]: plain simulation, with the mean of the total within relError.
func Direct(system jsqlib.Model, seed uint64, relError float64) *sim.Stationary {
	return Must(sim.Direct(context.Background(), system, sim.Options{Seed: seed, RelError: relError}))
}

// Boundary is [sim.Boundary]: the total at the moments of unused service, with its mean within relError.
func Boundary(system jsqlib.Model, seed uint64, relError float64) *sim.BoundaryLaw {
	return Must(sim.Boundary(context.Background(), system, boundary(seed, relError)))
}

// Distance is [record.Distance]: W1 to the limit within relError, with its certificate.
func Distance(system jsqlib.Model, seed uint64, relError float64) *record.DistanceResult {
	return Must(record.Distance(context.Background(), system, boundary(seed, relError)))
}

func boundary(seed uint64, relError float64) sim.BoundaryOptions {
	return sim.BoundaryOptions{Options: sim.Options{Seed: seed, RelError: relError}}
}
