package sim_test

import (
	"context"
	"errors"
	"fmt"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/sim"
)

// At alpha > 4 plain simulation would take 10^16 slots, and says so; the
// boundary law, which is all the law of the total needs, does not depend on
// alpha.
func Example() {
	s := jsqlib.Model{Servers: 8, Alpha: 4.5}
	ctx := context.Background()
	_, err := sim.Direct(ctx, s, sim.Options{})
	fmt.Println(errors.Is(err, sim.ErrUnreachable))
	b, err := sim.Boundary(ctx, s, sim.BoundaryOptions{Options: sim.Options{Seed: 1, RelError: 0.01}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("E Q~ / N^2 is about %.1f\n", b.QtildeMean.Value/64)
	// Output:
	// true
	// E Q~ / N^2 is about 0.5
}

// Eight servers at 90 % load, whole batches to the shortest queue.
func ExampleDirect() {
	s := jsqlib.Model{Servers: 8, Gap: 0.1}
	d, err := sim.Direct(context.Background(), s, sim.Options{Seed: 1, RelError: 0.005})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("E Q is about %.0f\n", d.MeanTotal.Value)
	fmt.Printf("E U is about %.1f jobs a slot, eps = 0.8\n", d.MeanUnused.Value)
	fmt.Println("warnings:", d.Warnings)
	// Output:
	// E Q is about 29
	// E U is about 0.8 jobs a slot, eps = 0.8
	// warnings: []
}

// The M/M/1 queue at 80 % load has E Q = 4.
func ExampleDirect_continuous() {
	d, err := sim.Direct(context.Background(), jsqlib.Model{Continuous: true, Servers: 1, Gap: 0.2}, sim.Options{Seed: 1, RelError: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("E Q is about %.1f\n", d.MeanTotal.Value)
	// Output:
	// E Q is about 4.0
}

// With job routing E Q~ grows like N, with batches like N^2.
func ExampleBoundary() {
	for _, routing := range []jsqlib.Routing{jsqlib.Batch, jsqlib.Job} {
		b, err := sim.Boundary(context.Background(), jsqlib.Model{Servers: 16, Alpha: 20, Routing: routing},
			sim.BoundaryOptions{Options: sim.Options{Seed: 1, RelError: 0.01}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: E Q~ / N is about %.1g\n", routing, b.QtildeMean.Value/16)
	}
	// Output:
	// batch: E Q~ / N is about 8
	// job: E Q~ / N is about 0.6
}

// Two servers at alpha = 20: E Q~ is 1.
func ExampleBoundary_continuous() {
	b, err := sim.Boundary(context.Background(), jsqlib.Model{Continuous: true, Servers: 2, Alpha: 20}, sim.BoundaryOptions{Options: sim.Options{Seed: 1, RelError: 0.005}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("E Q~ is about %.1f\n", b.QtildeMean.Value)
	// Output:
	// E Q~ is about 1.0
}

func ExampleDirectLength() {
	relaxation, slots, err := sim.DirectLength(jsqlib.Model{Servers: 32, Alpha: 4.5}, sim.Options{RelError: 0.01})
	fmt.Printf("one independent sample: %.1e slots, 1 %%: %.1e slots, %v\n", relaxation, slots, err)
	// Output:
	// one independent sample: 2.2e+12 slots, 1 %: 8.5e+16 slots, <nil>
}

func ExampleSamplePath() {
	p, err := sim.SamplePath(jsqlib.Model{Servers: 3, Gap: 0.1}, sim.PathOptions{Seed: 1, Start: []int64{6, 1, 0}, Steps: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	for k := range p.Time {
		fmt.Printf("slot %g: queues %d %d %d, Q = %d, U = %d\n", p.Time[k], p.Queues[0][k], p.Queues[1][k], p.Queues[2][k], p.Total[k], p.Unused[k])
	}
	// Output:
	// slot 0: queues 6 1 0, Q = 7, U = 0
	// slot 1: queues 4 0 3, Q = 7, U = 1
	// slot 2: queues 3 0 1, Q = 4, U = 1
	// slot 3: queues 3 2 0, Q = 5, U = 0
	// slot 4: queues 2 0 2, Q = 4, U = 0
}
