package record

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/exact"
	"jsqlab/jsqlib/law"
	"jsqlab/jsqlib/sim"
)

// Every field says what it is and is in an output, and every key of an output is that of a field.
func TestFields(t *testing.T) {
	used, known := map[string]bool{}, map[string]bool{}
	for output, list := range outputs {
		for i, c := range Columns(output) {
			used[c.Key] = true
			if c.field.Name == "" {
				t.Errorf("%s has %s, which is no field", output, c.Key)
			}
			if slices.ContainsFunc(Columns(output)[:i], func(d Column) bool { return d.Key == c.Key }) {
				t.Errorf("%s has %s twice", output, c.Key)
			}
		}
		if got := len(strings.Fields(list)); got != len(Columns(output)) {
			t.Errorf("%s has %d columns, want %d", output, len(Columns(output)), got)
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Record]()) {
		if f.Anonymous {
			continue
		}
		key, unit, text := f.Tag.Get("key"), f.Tag.Get("unit"), f.Tag.Get("text")
		words := f.Type.Kind() == reflect.String || f.Type == reflect.TypeFor[[]string]() || strings.HasSuffix(key, "seed")
		if key == "" || known[key] || text == "" || strings.HasSuffix(text, ".") || (unit == "") != words {
			t.Errorf("%s: key %q, unit %q, text %q: want a key of its own, a unit unless it is a word, and a sentence without its full stop", f.Name, key, unit, text)
		}
		if !used[key] {
			t.Errorf("%s is in no output", key)
		}
		known[key] = true
	}
}

// A new key of a run is in the table of a sweep, too. What is not, is named here.
func TestTableHasAll(t *testing.T) {
	for _, key := range Keys("distance") {
		left := key == "command" || key == "pmf" || strings.HasPrefix(key, "second_moment_total")
		if slices.Contains(Keys("table"), key) == left {
			t.Errorf("%s: in the table %v, want %v", key, left, !left)
		}
	}
}

// Every key of an output gets a value, but for those that are of the caller or may be nothing.
func TestValues(t *testing.T) {
	ctx, m := context.Background(), jsqlib.Model{Servers: 2, Gap: 0.2}
	c, err := m.Constants()
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]func(r *Record) error{
		"distance": func(r *Record) error {
			d, err := Distance(ctx, m, sim.BoundaryOptions{Options: sim.Options{Seed: 1, RelError: 0.1}})
			if err == nil {
				r.SetBoundary(d)
			}
			return err
		},
		"simulate": func(r *Record) error {
			st, err := sim.Direct(ctx, m, sim.Options{Seed: 1, RelError: 0.1})
			if err != nil {
				return err
			}
			return r.SetDirect(st)
		},
		"exact": func(r *Record) error {
			k, err := law.NewKernel(c)
			if err != nil {
				return err
			}
			x, err := exact.Solve(ctx, m, exact.Options{})
			if err != nil {
				return err
			}
			return r.SetExact(k, x)
		},
	}
	for output, set := range set {
		r := New(m, c)
		if err := set(r); err != nil {
			t.Fatal(err)
		}
		for _, c := range Columns(output) {
			if c.value(r).IsZero() && !slices.Contains(strings.Fields("command version arrivals service seed warnings"), c.Key) {
				t.Errorf("%s: %s has no value", output, c.Key)
			}
		}
	}
}

// A row is the same after it was written and read, but for standard errors, which its intervals
// restore, and what it does not have is left out.
func TestRow(t *testing.T) {
	for _, m := range []jsqlib.Model{{Servers: 3, Gap: 0.1}, {Continuous: true, Servers: 3, Gap: 0.1}} {
		c, err := m.Constants()
		if err != nil {
			t.Fatal(err)
		}
		r := New(m, c)
		r.Replications, r.Warnings = 32, []string{"a | b", "<c>"}
		r.Wasserstein = jsqlib.Estimate{Value: 2, StdErr: 0.5, Low: 0, High: 2 + 0.5*2.0395134464}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(string(text), "boundary_second"); has == m.Continuous {
			t.Errorf("continuous %v: boundary_second %v", m.Continuous, has)
		}
		var back Record
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(back)
		if err != nil || string(again) != string(text) {
			t.Errorf("%s, %v, want %s", again, err, text)
		}
		if math.Abs(back.Wasserstein.StdErr-0.5) > 1e-9 || !reflect.DeepEqual(back.Warnings, r.Warnings) {
			t.Errorf("%+v", back)
		}
	}
	if _, err := json.Marshal(Record{MeanTotal: jsqlib.Estimate{Value: math.NaN()}}); err == nil {
		t.Error("NaN in a row: no error")
	}
}

// A column knows its names, and its cells in a record.
func ExampleColumns() {
	r := New(jsqlib.Model{Continuous: true, Servers: 2, Gap: 0.25}, jsqlib.Constants{N: 2, Gap: 0.25, Eps: 0.5})
	for _, c := range Columns("distance") {
		if c.Key == "mean_unused" {
			name, symbol := c.Label(r)
			cells, _ := c.Cells(r)
			fmt.Println(name, symbol, cells, c.Unit())
		}
	}
	// Output: idle servers E I [{mean_unused 0.5}] jobs per slot
}
