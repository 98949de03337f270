package study

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"jsqlab/jsqlib"
)

// Results that are kept depend on keys, seeds and names: they must not change.
func TestTaskNames(t *testing.T) {
	for _, c := range []struct {
		grid      Grid
		key, file string
		seed      uint64
	}{
		{Grid{Servers: []int{8}, Alpha: []float64{3}, Seed: 1},
			"dt batch jsq arrivals=binomial:2 service=binomial:2 servers=8 alpha=3", "dt-batch-jsq-N8-alpha3-790bdde73b.json", 6966144746669687},
		{Grid{Model: jsqlib.CT, Policy: "pod:2", Servers: []int{100}, Alpha: []float64{1.25}, Seed: 1},
			"ct pod:2 servers=100 alpha=1.25", "ct-pod2-N100-alpha1.25-", 0},
		{Grid{Model: jsqlib.CT, Policy: "pod:2:replacement", Servers: []int{100}, Alpha: []float64{1.25}, Seed: 1},
			"ct pod:2:replacement servers=100 alpha=1.25", "ct-pod2replacement-N100-alpha1.25-", 0},
		{Grid{Routing: "job", Service: "pmf:0.5, 0, 0.5", Servers: []int{8}, Alpha: []float64{3}},
			"dt job jsq arrivals=binomial:2 service=pmf:0.5,0,0.5 servers=8 alpha=3", "dt-job-jsq-N8-alpha3-", 0},
	} {
		tasks, err := c.grid.Tasks()
		if err != nil || len(tasks) != 1 {
			t.Fatal(tasks, err)
		}
		x := tasks[0]
		if x.Key != c.key || !strings.HasPrefix(x.file(), c.file) || c.seed != 0 && x.TaskSeed != c.seed {
			t.Errorf("key %q, file %q, seed %d; want %q, %q, %d", x.Key, x.file(), x.TaskSeed, c.key, c.file, c.seed)
		}
	}
}

func TestTasks(t *testing.T) {
	g := Grid{Servers: []int{64, 8, 16}, Alpha: []float64{4, 2.5}}
	tasks, err := g.Tasks()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(g, Grid{Servers: []int{64, 8, 16}, Alpha: []float64{4, 2.5}}) {
		t.Error("the grid was changed")
	}
	var order []string
	seeds := map[uint64]bool{}
	for _, x := range tasks {
		order = append(order, fmt.Sprintf("%d:%g", x.Servers, x.Alpha))
		if x.TaskSeed >= 1<<53 || seeds[x.TaskSeed] {
			t.Errorf("seed %d: want another below 2^53 for each task", x.TaskSeed)
		}
		seeds[x.TaskSeed] = true
		if x.RelError != 0.01 {
			t.Errorf("relative error %v, want 0.01", x.RelError)
		}
	}
	if got, want := strings.Join(order, " "), "64:2.5 64:4 16:2.5 16:4 8:2.5 8:4"; got != want {
		t.Errorf("order %s, want the longest first: %s", got, want)
	}
	// another seed, other streams; the same point in another grid, the same
	other, err := Grid{Servers: []int{8, 9}, Alpha: []float64{2.5}}.Tasks()
	if err != nil {
		t.Fatal(err)
	}
	if other[1] != tasks[4] {
		t.Errorf("%+v, want %+v", other[1], tasks[4])
	}
	g.Seed = 2
	if other, err = g.Tasks(); err != nil || other[0].TaskSeed == tasks[0].TaskSeed {
		t.Error("the seed does not matter", err)
	}
}

func TestTasksRefused(t *testing.T) {
	n, a := []int{8}, []float64{3}
	for _, c := range []struct {
		grid Grid
		want string
	}{
		{Grid{Alpha: a}, "study: servers = nothing: want at least one"},
		{Grid{Servers: n}, "study: alpha = nothing"},
		{Grid{Servers: []int{8, 4, 8}, Alpha: a}, "study: servers = 8 twice"},
		{Grid{Servers: n, Alpha: []float64{3, 3}}, "study: alpha = 3 twice"},
		{Grid{Servers: n, Alpha: a, Model: "mm"}, `jsqlib: model = "mm": want dt or ct`},
		{Grid{Servers: n, Alpha: a, Model: jsqlib.CT, Routing: "job"}, "jsqlib: routing = job: want it with --model dt only"},
		{Grid{Servers: n, Alpha: a, Model: jsqlib.CT, Service: "deterministic"}, "jsqlib: service"},
		{Grid{Servers: n, Alpha: a, Routing: "slot"}, `jsqlib: routing = "slot"`},
		{Grid{Servers: n, Alpha: a, Policy: "random"}, `jsqlib: policy = "random"`},
		{Grid{Servers: n, Alpha: a, Policy: "pod:x"}, `jsqlib: policy = "pod:x"`},
		{Grid{Servers: n, Alpha: a, Policy: "pod:2:again"}, `jsqlib: policy = "pod:2:again"`},
		{Grid{Servers: n, Alpha: a, RelError: 1}, "study: rel-error = 1"},
		{Grid{Servers: n, Alpha: a, RelError: -0.1}, "study: rel-error = -0.1"},
		{Grid{Servers: n, Alpha: a, MaxSlots: -1}, "study: max-slots = -1"},
	} {
		_, err := c.grid.Tasks()
		var field *jsqlib.Invalid
		if !errors.As(err, &field) || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want %s", c.grid, err, c.want)
		}
	}
	for _, c := range []struct {
		grid  Grid
		field string
	}{
		{Grid{Servers: []int{1}, Alpha: a}, "alpha"},
		{Grid{Servers: []int{0}, Alpha: a}, "servers"},
		{Grid{Servers: n, Alpha: []float64{-1}}, "alpha"},
		{Grid{Servers: n, Alpha: []float64{1000}}, "alpha"},
		{Grid{Servers: n, Alpha: a, Arrivals: "poisson"}, "arrivals"},
		{Grid{Servers: n, Alpha: a, Policy: "pod:9"}, "policy"},
		{Grid{Servers: n, Alpha: a, Policy: "pod:1"}, "policy"},
		{Grid{Servers: n, Alpha: a, Policy: "pod:9:replacement"}, "policy"},
	} {
		_, err := c.grid.Tasks()
		var field *jsqlib.Invalid
		if !errors.As(err, &field) || field.What != c.field {
			t.Errorf("%+v: %v, want an error about %s", c.grid, err, c.field)
		}
	}
}

// Shards are disjoint and make up the plan, counted from 0 or from 1.
func TestShards(t *testing.T) {
	tasks, err := Grid{Servers: []int{2, 3, 4, 5, 6}, Alpha: []float64{2, 3, 4}}.Tasks()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 2, 7, 15, 40} {
		for first := range 2 {
			seen := map[string]int{}
			for i := first; i < n+first; i++ {
				s, err := ParseShard(fmt.Sprintf("%d/%d", i, n))
				if err != nil {
					t.Fatal(err)
				}
				for _, x := range s.of(tasks) {
					seen[x.Key]++
				}
			}
			for _, x := range tasks {
				if seen[x.Key] != 1 {
					t.Errorf("%d shards from %d: %s in %d of them", n, first, x.Key, seen[x.Key])
				}
			}
		}
	}
	for _, text := range []string{"", "1", "/", "1/", "/2", "3/2", "-1/2", "0/0", "1/2/3", "a/b", "1.0/2", "+1/2", "1/99999999999"} {
		var field *jsqlib.Invalid
		if s, err := ParseShard(text); !errors.As(err, &field) || field.What != "shard" {
			t.Errorf("shard %q: %v, %v", text, s, err)
		}
	}
	for _, s := range []Shard{{1, 0}, {-1, 2}, {3, 2}, {0, -1}} {
		if _, err := Sweep(t.Context(), t.TempDir(), quick(), Options{Shard: s}); err == nil {
			t.Errorf("shard %+v was taken", s)
		}
	}
}

// TestGridMemory: a grid of more tasks than fit the memory is refused before they are made.
func TestGridMemory(t *testing.T) {
	g := Grid{}
	for i := range 2000 {
		g.Servers, g.Alpha = append(g.Servers, i+2), append(g.Alpha, 1+float64(i)/1000)
	}
	_, err := g.Tasks()
	var refused *jsqlib.Invalid
	if !errors.As(err, &refused) || refused.What != "alpha" || !strings.Contains(refused.Want, "at most 2097152 tasks") {
		t.Errorf("4 million tasks: %v, want a refusal", err)
	}
}
