package study

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/memory"
	"jsqlab/jsqlib/record"
	"jsqlab/jsqlib/sim"
)

// Grid is the product of numbers of servers and exponents for one model, with the accuracy and the seed
// of the estimates. Words are those of the command line and of result files. The zero values of all but
// Servers and Alpha have a meaning, given below.
type Grid struct {
	Model    string    `json:"model"`              // dt or ct; "": dt
	Routing  string    `json:"routing,omitempty"`  // dt only: "batch" or "job"; "": batch
	Policy   string    `json:"policy"`             // as jsqlib.ParsePolicy; "": jsq
	Arrivals string    `json:"arrivals,omitempty"` // dt only, as jsqlib.ParsePMF; "": binomial:2
	Service  string    `json:"service,omitempty"`  // dt only; "": binomial:2
	Servers  []int     `json:"servers"`            // N >= 2, each once
	Alpha    []float64 `json:"alpha"`              // alpha > 0, each once
	RelError float64   `json:"rel_error"`          // 95 % half width of W1 over W1; 0: 0.01
	MaxSlots int64     `json:"max_slots"`          // budget of a task as in sim.Options; 0: its default
	Seed     uint64    `json:"seed"`
}

// Task is one point of a grid, with everything that identifies its result. TaskSeed is a hash of Seed
// and Key, below 2^53.
type Task record.Asked

// withDefaults returns the grid with every word said and its lists copied and sorted, so that equal
// grids are equal.
func (g Grid) withDefaults() (Grid, error) {
	for _, word := range []*string{&g.Model, &g.Routing, &g.Policy, &g.Arrivals, &g.Service} {
		*word = strings.Join(strings.Fields(*word), "")
	}
	s := jsqlib.Spec{Model: g.Model, Arrivals: g.Arrivals, Service: g.Service, Routing: g.Routing, Policy: g.Policy}.Filled()
	g.Model, g.Routing, g.Policy, g.Arrivals, g.Service = s.Model, s.Routing, s.Policy, s.Arrivals, s.Service
	g.RelError = cmp.Or(g.RelError, 0.01)
	if !(g.RelError > 0 && g.RelError < 1) {
		return g, jsqlib.Refuse("study", "rel-error", g.RelError, "0 < rel-error < 1")
	}
	if g.MaxSlots < 0 {
		return g, jsqlib.Refuse("study", "max-slots", g.MaxSlots, "max-slots >= 0 (0: the default)")
	}
	var err error
	if g.Servers, err = sorted("servers", g.Servers); err != nil {
		return g, err
	}
	g.Alpha, err = sorted("alpha", g.Alpha)
	return g, err
}

// sorted returns a sorted copy of a list that must not be empty and must not hold a value twice.
func sorted[T cmp.Ordered](field string, list []T) ([]T, error) {
	if len(list) == 0 {
		return nil, jsqlib.Refuse("study", field, "nothing", "at least one")
	}
	list = slices.Clone(list)
	slices.Sort(list)
	for i, x := range list[1:] {
		if x == list[i] {
			return nil, jsqlib.Refuse("study", field, fmt.Sprintf("%v twice", x), "each once")
		}
	}
	return list, nil
}

// taskBytes is about what a task takes with its key, in the lists and maps of a sweep.
const taskBytes = 1 << 10

// Tasks returns the points of the grid as tasks, the expected longest first. The order is that of
// shards: it depends on the grid alone. The error wraps a [*jsqlib.Invalid]; g is not changed.
func (g Grid) Tasks() ([]Task, error) {
	g, err := g.withDefaults()
	if err != nil {
		return nil, err
	}
	if b := taskBytes * float64(len(g.Servers)) * float64(len(g.Alpha)); !memory.Fits(b) {
		return nil, jsqlib.Refuse("study", "alpha", fmt.Sprintf("%d exponents for each of %d numbers of servers, tasks that take about %s", len(g.Alpha), len(g.Servers), memory.Text(b)),
			fmt.Sprintf("a grid of at most %d tasks, which fits the limit of %s", int(memory.Limit/taskBytes), memory.Text(memory.Limit)))
	}
	var tasks []Task
	for _, n := range g.Servers {
		for _, alpha := range g.Alpha {
			t := Task{
				Model: g.Model, Routing: g.Routing, Policy: g.Policy, Arrivals: g.Arrivals, Service: g.Service,
				Servers: n, Alpha: alpha, RelError: g.RelError, MaxSlots: g.MaxSlots, Seed: g.Seed,
			}
			t.Key = t.key()
			t.TaskSeed = t.taskSeed()
			if _, _, err := t.model(); err != nil {
				return nil, err
			}
			tasks = append(tasks, t)
		}
	}
	slices.SortStableFunc(tasks, func(a, b Task) int { return cmp.Compare(b.cost(), a.cost()) })
	return tasks, nil
}

// rule returns the words of model, routing and policy. In continuous time there is no routing.
func (t Task) rule() []string { return strings.Fields(t.Model + " " + t.Routing + " " + t.Policy) }

// key names the system of a task.
func (t Task) key() string {
	words := t.rule()
	if t.Model == jsqlib.DT {
		words = append(words, "arrivals="+t.Arrivals, "service="+t.Service)
	}
	words = append(words, "servers="+strconv.Itoa(t.Servers), "alpha="+strconv.FormatFloat(t.Alpha, 'g', -1, 64))
	return strings.Join(words, " ")
}

// taskSeed returns 53 bits, which JSON readers that have float64 only can hold.
func (t Task) taskSeed() uint64 {
	h := sha256.Sum256(fmt.Appendf(nil, "jsqlab sweep\nseed=%d\n%s", t.Seed, t.Key))
	return binary.BigEndian.Uint64(h[:8]) >> 11
}

// file returns the name of the result.
func (t Task) file() string {
	h := sha256.Sum256([]byte(t.Key))
	words := append(t.rule(), "N"+strconv.Itoa(t.Servers), "alpha"+strconv.FormatFloat(t.Alpha, 'g', -1, 64), fmt.Sprintf("%x", h[:5]))
	return strings.ReplaceAll(strings.Join(words, "-"), ":", "") + ".json"
}

// cost is the relative length of a task, from measured times: about N^1.25, as no engine looks at every
// server in every slot.
func (t Task) cost() float64 {
	return math.Pow(float64(t.Servers)+10, 1.25) / (t.RelError * t.RelError)
}

// model reads and checks the words of a task.
func (t Task) model() (jsqlib.Model, jsqlib.Constants, error) {
	m, c, err := jsqlib.Spec{Model: t.Model, Servers: t.Servers, Alpha: t.Alpha,
		Arrivals: t.Arrivals, Service: t.Service, Routing: t.Routing, Policy: t.Policy}.Parse()
	if err == nil {
		err = m.Policy.Recurrent(m.Servers)
	}
	return m, c, err
}

// CheckBudget refuses a budget that ends in the warm-up, with which the task is sure to fail. The error
// wraps a [*jsqlib.Invalid].
func (t Task) CheckBudget() error {
	if t.MaxSlots == 0 {
		return nil // the default, which is enough for any system
	}
	m, _, err := t.model()
	if err != nil {
		return err
	}
	return sim.CheckBudget(m, sim.Options{MaxSlots: t.MaxSlots})
}

// Shard is a part of a plan: the tasks whose place in it is Index modulo Count. The zero value is the
// whole plan. As places are taken modulo Count, 0, ..., Count-1 and 1, ..., Count are both all shards.
type Shard struct{ Index, Count int }

// ParseShard reads "I/N", 0 <= I <= N, N >= 1; I = N is I = 0.
func ParseShard(text string) (Shard, error) {
	const want = "I/N with whole numbers 0 <= I <= N and N >= 1 (N/N is 0/N)"
	i, n, ok := strings.Cut(text, "/")
	index, err1 := strconv.ParseUint(i, 10, 31)
	count, err2 := strconv.ParseUint(n, 10, 31)
	if !ok || err1 != nil || err2 != nil || count < 1 || index > count {
		return Shard{}, jsqlib.Refuse("study", "shard", strconv.Quote(text), want)
	}
	return Shard{int(index % count), int(count)}, nil
}

func (s Shard) validate() error {
	if s != (Shard{}) && (s.Count < 1 || s.Index < 0 || s.Index > s.Count) {
		return jsqlib.Refuse("study", "shard", fmt.Sprintf("%d/%d", s.Index, s.Count), "0 <= I <= N and N >= 1")
	}
	return nil
}

// of returns the tasks of the shard.
func (s Shard) of(tasks []Task) []Task {
	if s.Count <= 1 {
		return tasks
	}
	var mine []Task
	for i, t := range tasks {
		if i%s.Count == s.Index%s.Count {
			mine = append(mine, t)
		}
	}
	return mine
}
