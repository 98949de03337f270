package reps_test

import (
	"math"
	"sync"
	"testing"

	"jsqlab/jsqlib/internal/near"
	"jsqlab/jsqlib/internal/reps"
)

func TestRatio(t *testing.T) {
	// 1, 2, 6 out of 2, 2, 2: mean 1.5, standard error of the mean of 0.5, 1, 3
	e := reps.Ratio([]float64{1, 2, 6}, []float64{2, 2, 2})
	se := math.Sqrt((1 + 0.25 + 2.25) / 2 / 3)
	near.Abs(t, "ratio", e.Value, 1.5, 1e-15)
	near.Abs(t, "standard error", e.StdErr, se, 1e-14)
	near.Abs(t, "upper end", e.High, 1.5+4.302652729911275*se, 1e-9) // Student's t of 2 degrees
	near.Abs(t, "lower end", e.Low, 1.5-4.302652729911275*se, 1e-9)
}

// Every index is done once, by any number of workers.
func TestPool(t *testing.T) {
	for _, workers := range []int{1, 2, 7, 100} {
		var lock sync.Mutex
		seen := make([]int, 50)
		reps.Pool(workers, len(seen), func(i int) {
			lock.Lock()
			seen[i]++
			lock.Unlock()
		})
		for i, n := range seen {
			if n != 1 {
				t.Errorf("%d workers: index %d done %d times", workers, i, n)
			}
		}
	}
	reps.Pool(3, 0, func(int) { t.Error("nothing to do, and it was done") })
}

// A stream depends on each of its four words, and on nothing else.
func TestStream(t *testing.T) {
	first := reps.Stream("a", 1, "b", 2).Uint64()
	if again := reps.Stream("a", 1, "b", 2).Uint64(); again != first {
		t.Errorf("one stream begins with %d and %d", first, again)
	}
	for name, other := range map[string]uint64{
		"program":     reps.Stream("c", 1, "b", 2).Uint64(),
		"seed":        reps.Stream("a", 2, "b", 2).Uint64(),
		"task":        reps.Stream("a", 1, "c", 2).Uint64(),
		"replication": reps.Stream("a", 1, "b", 3).Uint64(),
	} {
		if other == first {
			t.Errorf("another %s has the same stream", name)
		}
	}
}
