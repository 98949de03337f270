package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/reps"
)

// system begins the lists of all but the table.
const system = "command version model servers alpha?:10 gap:10 arrivals service routing policy "

// outputs lists the keys of each output in their order. A mark behind a key says how the output has it:
//
//	KEY+   with its interval, KEY_low and KEY_high
//	KEY=   exact
//	KEY:8  with 8 digits in a table instead of 5
//	KEY?   left out without a word where it is not known
var outputs = map[string]string{
	"distance": system + "seed limit_mean= wasserstein+ certificate_low certificate_high mean_total+ second_moment_total+ mean_unused= " +
		"boundary_mean+ boundary_second+ qtilde_mean+ pmf slots total_slots estimator ceiling ceiling_shift_in_sigma? replications warnings",
	"simulate": system + "seed limit_mean= mean_total+ second_moment_total+ mean_unused+ mean_unused_exact= boundary_mean+ boundary_second+ qtilde_mean+ " +
		"perp_second_moment+ wasserstein+ wasserstein_noise pmf slots warm_up_slots relaxation replications warnings",
	"exact": system + "limit_mean= wasserstein+ certificate_low:8 certificate_high:8 mean_total+ second_moment_total+ mean_unused= mean_unused_exact= mean_unused_error " +
		"boundary_mean+ boundary_second+ qtilde_mean+ perp_second_moment+ equal_probability+ pmf+ ceiling states residual warnings",
	"bound": system + "limit_mean= r drift_k_perp:8 drift_slope:8 drift_eta:8 drift_kappa:8 jump_bound:8 moment_root:8 moment_root_closed:8 " +
		"hoelder_boundary:8 stein_bound:8 best_r best_eta:8 best_moment_root:8 best_hoelder_boundary:8 best_stein_bound:8 warnings",
	// a row of the table of a sweep, and of its result files
	"table": "key model routing policy arrivals service servers alpha rel_error max_slots seed task_seed version gap limit_mean " +
		"wasserstein+ certificate_low certificate_high mean_total+ mean_unused boundary_mean+ boundary_second+ qtilde_mean+ " +
		"slots total_slots estimator ceiling ceiling_shift_in_sigma replications warnings",
}

// Column is a field of a [Record] as one output has it.
type Column struct {
	Key      string
	Interval bool // KEY_low and KEY_high come with it
	Exact    bool
	Digits   int  // shown in a table; 0: as the value is
	Optional bool // left out where there is none, without a word
	output   string
	only     string // the model that has it, "" for both
	field    reflect.StructField
}

var columns = map[string][]Column{}

func init() {
	fields := map[string]reflect.StructField{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Record]()) {
		fields[f.Tag.Get("key")] = f
	}
	for output, list := range outputs {
		for _, word := range strings.Fields(list) {
			word, digits, _ := strings.Cut(word, ":")
			c := Column{Key: strings.TrimRight(word, "+=?"), output: output}
			c.field = fields[c.Key]
			c.only = c.tag("only")
			c.Interval, c.Exact, c.Optional = strings.Contains(word, "+"), strings.Contains(word, "="), strings.Contains(word, "?")
			c.Digits, _ = strconv.Atoi(digits)
			columns[output] = append(columns[output], c)
		}
	}
}

// Columns returns the columns of an output in their order. The outputs are the commands distance,
// simulate, exact and bound, and table, a row of a sweep.
func Columns(output string) []Column { return columns[output] }

// Keys returns the keys of an output in their order, with those of intervals.
func Keys(output string) (keys []string) {
	for _, c := range columns[output] {
		keys = append(keys, c.keys()...)
	}
	return keys
}

func (c Column) keys() []string {
	if c.Interval {
		return []string{c.Key, c.Key + "_low", c.Key + "_high"}
	}
	return []string{c.Key}
}

// tag returns a tag of the field, that of the output if it has its own.
func (c Column) tag(name string) string {
	if s, ok := c.field.Tag.Lookup(c.output + "." + name); ok {
		return s
	}
	return c.field.Tag.Get(name)
}

// Text is a sentence that says what the column is.
func (c Column) Text() string { return c.tag("text") + "." }

// Unit is the unit of the column, "" for words.
func (c Column) Unit() string { return c.tag("unit") }

// Label returns what names the column of the record in a table; both are empty if it has no line there.
func (c Column) Label(r *Record) (name, symbol string) {
	of := func(tag string) string {
		dt, ct, both := strings.Cut(c.tag(tag), "; ct: ")
		if both && r.Model == jsqlib.CT {
			return ct
		}
		return dt
	}
	return of("name"), of("symbol")
}

func (c Column) value(r *Record) reflect.Value {
	return reflect.ValueOf(r).Elem().FieldByIndex(c.field.Index)
}

// Of returns the value of the column in a record, nil if its model does not have it, or for an empty
// word.
func (c Column) Of(r *Record) any {
	if c.only != "" && c.only != r.Model {
		return nil
	}
	value := c.value(r).Interface()
	if value == "" {
		return nil
	}
	return value
}

// Cell is a key with its value: a word, a count, a finite number or a list of such.
type Cell struct {
	Key   string
	Value any
}

// Cells returns the cells of the column in a record. A value that is not finite is left out, and
// missing names it.
func (c Column) Cells(r *Record) (cells []Cell, missing string) {
	var values []any
	switch x := c.Of(r).(type) {
	case nil:
		return nil, ""
	case jsqlib.Estimate:
		values = []any{x.Value, x.Low, x.High}
	case []jsqlib.Estimate: // of probabilities
		var list [3][]float64
		for _, e := range x {
			for i, p := range []float64{e.Value, max(e.Low, 0), min(e.High, 1)} {
				list[i] = append(list[i], p)
			}
		}
		values = []any{list[0], list[1], list[2]}
	default:
		values = []any{x}
	}
	keys := c.keys()
	switch {
	case !finite(values[0]) && c.Optional:
		return nil, ""
	case !finite(values[0]):
		return nil, c.Key
	case c.Interval && !(finite(values[1]) && finite(values[2])):
		keys, missing = keys[:1], "the interval of "+c.Key
	}
	for i, key := range keys {
		cells = append(cells, Cell{key, values[i]})
	}
	return cells, missing
}

// finite says whether a value has no number that is not finite.
func finite(value any) bool {
	list, ok := value.([]float64)
	if x, single := value.(float64); single {
		list, ok = []float64{x}, true
	}
	return !ok || !slices.ContainsFunc(list, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// Scan fills the record by a function that reads the value of a key into a pointer, as the keys of an
// output come, and restores standard errors from intervals. optional says that a model may not have the
// key.
func (r *Record) Scan(output string, read func(key string, to any, optional bool) error) error {
	for _, c := range columns[output] {
		to := []any{c.value(r).Addr().Interface()}
		if e, ok := to[0].(*jsqlib.Estimate); ok {
			to = []any{&e.Value, &e.Low, &e.High}
		}
		for i, key := range c.keys() {
			if err := read(key, to[i], c.only != ""); err != nil {
				return err
			}
		}
	}
	half := reps.Quantile(float64(r.Replications - 1)) // of a Student t interval, in standard errors
	for _, c := range columns[output] {
		if e, ok := c.value(r).Addr().Interface().(*jsqlib.Estimate); ok && c.Interval {
			e.StdErr = (e.High - e.Value) / half // the lower end may be clipped at 0
		} else if ok {
			*e = within(e.Value, e.Value, e.Value)
		}
	}
	return nil
}

// MarshalJSON writes the record as a row of the table.
func (r Record) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, c := range columns["table"] {
		cells, missing := c.Cells(&r)
		if missing != "" {
			return nil, fmt.Errorf("record: %s is not determined", missing)
		}
		for _, cell := range cells {
			fmt.Fprintf(&b, ",%q:", cell.Key)
			if err := e.Encode(cell.Value); err != nil {
				return nil, err
			}
		}
	}
	return append(append([]byte("{"), b.Bytes()[1:]...), '}'), nil
}

// UnmarshalJSON reads what [Record.MarshalJSON] writes.
func (r *Record) UnmarshalJSON(text []byte) error {
	var cells map[string]json.RawMessage
	if err := json.Unmarshal(text, &cells); err != nil {
		return err
	}
	return r.Scan("table", func(key string, to any, optional bool) error {
		if cells[key] == nil {
			return nil
		}
		return json.Unmarshal(cells[key], to)
	})
}

// Field describes a key of the table, in the words of a Frictionless table schema.
type Field struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
	Unit        string `json:"unit,omitempty"`
	Constraints struct {
		Required bool            `json:"required"`
		Minimum  json.RawMessage `json:"minimum,omitempty"`
		Maximum  json.RawMessage `json:"maximum,omitempty"`
		Enum     []string        `json:"enum,omitempty"`
		Unique   bool            `json:"unique,omitempty"`
	} `json:"constraints"`
}

// Fields describes the keys of the table in their order.
func Fields() (fields []Field) {
	for _, c := range columns["table"] {
		f := Field{Type: "number", Unit: c.Unit()}
		switch c.field.Type.Kind() {
		case reflect.String, reflect.Slice:
			f.Type = "string"
		case reflect.Int, reflect.Int64, reflect.Uint64:
			f.Type = "integer"
		}
		f.Constraints.Required = c.only == "" && c.field.Type.Kind() != reflect.Slice
		f.Constraints.Minimum, f.Constraints.Maximum = json.RawMessage(c.tag("min")), json.RawMessage(c.tag("max"))
		if enum := c.tag("enum"); enum != "" {
			f.Constraints.Enum = strings.Split(enum, ",")
		}
		f.Constraints.Unique = c.tag("unique") != ""
		for i, key := range c.keys() {
			f.Name, f.Description = key, c.tag("text")+[]string{".", " (lower end of the 95 % interval).", " (upper end of the 95 % interval)."}[i]
			fields = append(fields, f)
		}
	}
	return fields
}
