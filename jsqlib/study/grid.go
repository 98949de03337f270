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
	"jsqlab/jsqlib/sim"
)

// Models.
const (
	DT = "dt" // discrete time, [jsqlib.System]
	CT = "ct" // continuous time, [jsqlib.CT]
)

// Grid is the product of numbers of servers and exponents for one model, with
// the accuracy and the seed of the estimates. Words are those of the command
// line and of result files. The zero values of all but Servers and Alpha have a
// meaning, given below.
type Grid struct {
	Model    string    `json:"model"`              // DT or CT; "": DT
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

// Task is one point of a grid: what identifies its result.
type Task struct {
	Key      string  `json:"key"` // names the system: model, rule, laws, N and alpha
	Model    string  `json:"model"`
	Routing  string  `json:"routing,omitempty"`
	Policy   string  `json:"policy"`
	Arrivals string  `json:"arrivals,omitempty"`
	Service  string  `json:"service,omitempty"`
	Servers  int     `json:"servers"`
	Alpha    float64 `json:"alpha"`
	RelError float64 `json:"rel_error"`
	MaxSlots int64   `json:"max_slots"`
	Seed     uint64  `json:"seed"`      // of the sweep
	TaskSeed uint64  `json:"task_seed"` // of the task: a hash of seed and key, below 2^53
}

// withDefaults returns the grid with every word said and its lists copied and
// sorted, so that equal grids are equal.
func (g Grid) withDefaults() (Grid, error) {
	set := func(s *string, def string) {
		if *s == "" {
			*s = def
		}
		*s = strings.Join(strings.Fields(*s), "")
	}
	set(&g.Model, DT)
	set(&g.Policy, "jsq")
	switch g.Model {
	case DT:
		set(&g.Routing, jsqlib.Batch.String())
		set(&g.Arrivals, "binomial:2")
		set(&g.Service, "binomial:2")
	case CT:
		for _, f := range []struct{ name, text string }{{"routing", g.Routing}, {"arrivals", g.Arrivals}, {"service", g.Service}} {
			if f.text != "" {
				return g, &FieldError{f.name, f.text, "it with model dt only"}
			}
		}
	default:
		return g, &FieldError{"model", strconv.Quote(g.Model), "dt or ct"}
	}
	if g.RelError == 0 {
		g.RelError = 0.01
	}
	if !(g.RelError > 0 && g.RelError < 1) {
		return g, &FieldError{"rel-error", fmt.Sprint(g.RelError), "0 < rel-error < 1"}
	}
	if g.MaxSlots < 0 {
		return g, &FieldError{"max-slots", fmt.Sprint(g.MaxSlots), "max-slots >= 0 (0: the default)"}
	}
	var err error
	if g.Servers, err = sorted("servers", g.Servers); err != nil {
		return g, err
	}
	g.Alpha, err = sorted("alpha", g.Alpha)
	return g, err
}

// sorted returns a sorted copy of a list that must not be empty and must not
// hold a value twice.
func sorted[T cmp.Ordered](field string, list []T) ([]T, error) {
	if len(list) == 0 {
		return nil, &FieldError{field, "nothing", "at least one"}
	}
	list = slices.Clone(list)
	slices.Sort(list)
	for i, x := range list[1:] {
		if x == list[i] {
			return nil, &FieldError{field, fmt.Sprintf("%v twice", x), "each once"}
		}
	}
	return list, nil
}

// Tasks returns the points of the grid as tasks, the expected longest first.
// The order is that of shards: it depends on the grid alone. Errors are of the
// types [*FieldError], [*jsqlib.FieldError] and [*sim.NotRecurrentError]; g is
// not changed.
func (g Grid) Tasks() ([]Task, error) {
	g, err := g.withDefaults()
	if err != nil {
		return nil, err
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
			if _, err := t.system(); err != nil {
				return nil, err
			}
			tasks = append(tasks, t)
		}
	}
	slices.SortStableFunc(tasks, func(a, b Task) int { return cmp.Compare(b.cost(), a.cost()) })
	return tasks, nil
}

// key names the system of a task.
func (t Task) key() string {
	words := []string{t.Model}
	if t.Model == DT {
		words = append(words, t.Routing)
	}
	words = append(words, t.Policy)
	if t.Model == DT {
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
	words := []string{t.Model}
	if t.Model == DT {
		words = append(words, t.Routing)
	}
	h := sha256.Sum256([]byte(t.Key))
	words = append(words, strings.ReplaceAll(t.Policy, ":", ""), "N"+strconv.Itoa(t.Servers),
		"alpha"+strconv.FormatFloat(t.Alpha, 'g', -1, 64), fmt.Sprintf("%x", h[:5]))
	return strings.Join(words, "-") + ".json"
}

// cost is the relative length of a task, from measured times: about N^1.25, as
// no engine looks at every server in every slot.
func (t Task) cost() float64 {
	return math.Pow(float64(t.Servers)+10, 1.25) / (t.RelError * t.RelError)
}

// system is what a task estimates, one of the two.
type system struct {
	isCT bool
	dt   jsqlib.System
	ct   jsqlib.CT
}

// system reads and checks the words of a task.
func (t Task) system() (s system, err error) {
	policy, err := jsqlib.ParsePolicy(t.Policy)
	if err != nil {
		return s, &FieldError{"policy", t.Policy, "jsq, or pod:D or pod:D:replacement with D >= 2"}
	}
	if policy.Choices == 1 && t.Servers > 1 {
		return s, &sim.NotRecurrentError{Policy: policy}
	}
	if t.Model == CT {
		s = system{isCT: true, ct: jsqlib.CT{Servers: t.Servers, Alpha: t.Alpha, Policy: policy}}
		_, err = s.ct.Constants()
		return s, err
	}
	s.dt = jsqlib.System{Servers: t.Servers, Alpha: t.Alpha, Policy: policy}
	switch t.Routing {
	case jsqlib.Batch.String():
	case jsqlib.Job.String():
		s.dt.Routing = jsqlib.Job
	default:
		return s, &FieldError{"routing", strconv.Quote(t.Routing), "batch or job"}
	}
	if s.dt.Arrivals, s.dt.Service, err = jsqlib.ParseLaws(t.Arrivals, t.Service); err != nil {
		return s, err
	}
	_, err = s.dt.Constants()
	return s, err
}

// CheckBudget refuses a budget that ends in the warm-up, with which the task is sure to
// fail. The error is a [*sim.OptionError].
func (t Task) CheckBudget() error {
	if t.MaxSlots == 0 {
		return nil // the default, which is enough for any system
	}
	s, err := t.system()
	if err != nil {
		return err
	}
	o := sim.Options{MaxSlots: t.MaxSlots}
	if s.isCT {
		return sim.CheckBudgetCT(s.ct, o)
	}
	return sim.CheckBudget(s.dt, o)
}

// Shard is a part of a plan: the tasks whose place in it is Index modulo Count.
// The zero value is the whole plan. As places are taken modulo Count, 0, ...,
// Count-1 and 1, ..., Count are both all shards.
type Shard struct{ Index, Count int }

// ParseShard reads "I/N", 0 <= I <= N, N >= 1; I = N is I = 0.
func ParseShard(text string) (Shard, error) {
	const want = "I/N with whole numbers 0 <= I <= N and N >= 1 (N/N is 0/N)"
	i, n, ok := strings.Cut(text, "/")
	index, err1 := strconv.ParseUint(i, 10, 31)
	count, err2 := strconv.ParseUint(n, 10, 31)
	if !ok || err1 != nil || err2 != nil || count < 1 || index > count {
		return Shard{}, &FieldError{"shard", strconv.Quote(text), want}
	}
	return Shard{int(index % count), int(count)}, nil
}

func (s Shard) validate() error {
	if s != (Shard{}) && (s.Count < 1 || s.Index < 0 || s.Index > s.Count) {
		return &FieldError{"shard", fmt.Sprintf("%d/%d", s.Index, s.Count), "0 <= I <= N and N >= 1"}
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
