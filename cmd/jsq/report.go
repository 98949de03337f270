package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"jsqlab/jsqlib"
)

// report is what a command has to say, in order.
type report struct {
	title    string
	keys     []keyed // the JSON object, but for the warnings
	rows     []row   // the table
	warnings []string
}

type keyed struct {
	key   string
	value any
}

type row struct{ name, symbol, value string }

func newReport(f *flags) *report {
	r := &report{title: f.commandLine(), warnings: slices.Clone(f.notes)}
	r.key("command", r.title)
	return r
}

// key adds a key to the JSON object only. Numbers that are not finite, and lists
// with one, are left out, with a warning.
func (r *report) key(key string, value any) {
	list, ok := value.([]float64)
	if x, single := value.(float64); single {
		list, ok = []float64{x}, true
	}
	if ok && slices.ContainsFunc(list, func(x float64) bool { return !finite(x) }) {
		r.warn("%s is not determined and left out", key)
		return
	}
	r.keys = append(r.keys, keyed{key, value})
}

// row adds a line to the table only.
func (r *report) row(name, symbol, value string) { r.rows = append(r.rows, row{name, symbol, value}) }

// text adds a word or a count.
func (r *report) text(key, name, symbol string, value any) {
	r.key(key, value)
	r.row(name, symbol, fmt.Sprint(value))
}

// exact adds a number that is known up to rounding.
func (r *report) exact(key, name, symbol string, x float64) {
	r.key(key, x)
	if finite(x) {
		r.row(name, symbol, fmt.Sprintf("%.10g (exact)", x))
	}
}

// digits adds a number whose error is far below its digits.
func (r *report) digits(key, name, symbol string, x float64) {
	r.key(key, x)
	if finite(x) {
		r.row(name, symbol, fmt.Sprintf("%.8g", x))
	}
}

// number adds a number that is neither exact nor has an error.
func (r *report) number(key, name, symbol string, x float64) {
	r.key(key, x)
	if finite(x) {
		r.row(name, symbol, fmt.Sprintf("%.5g", x))
	}
}

// estimate adds key, key_low and key_high: a value and its 95 % interval.
func (r *report) estimate(key, name, symbol string, e jsqlib.Estimate) {
	if !finite(e.Value) {
		r.key(key, e.Value)
		return
	}
	r.key(key, e.Value)
	if finite(e.Low) && finite(e.High) {
		r.key(key+"_low", e.Low)
		r.key(key+"_high", e.High)
	} else {
		r.warn("the interval of %s is not determined and left out", key)
	}
	r.row(name, symbol, plusMinus(e.Value, e.HalfWidth()))
}

func (r *report) warn(format string, args ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
}

// interrupted makes sure that a warning says so.
func (r *report) interrupted() {
	for _, w := range r.warnings {
		if strings.HasPrefix(w, "interrupted") {
			return
		}
	}
	r.warn("interrupted before there was a result")
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// writeJSON writes one object, a key a line, with the warnings last.
func (r *report) writeJSON(w *bytes.Buffer) {
	w.WriteString("{\n")
	for _, k := range r.keys {
		fmt.Fprintf(w, "  %s: %s,\n", encode(k.key), encode(k.value))
	}
	warnings := r.warnings
	if warnings == nil {
		warnings = []string{}
	}
	fmt.Fprintf(w, "  \"warnings\": %s\n}\n", encode(warnings))
}

// encode is JSON without the escapes that HTML needs. Values are strings,
// finite numbers, and lists and maps of them.
func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // a value that key should have refused
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// writeTable writes the rows in aligned columns, then the warnings.
func (r *report) writeTable(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n", r.title)
	name, symbol := 0, 0
	for _, x := range r.rows {
		name = max(name, utf8.RuneCountInString(x.name))
		symbol = max(symbol, utf8.RuneCountInString(x.symbol))
	}
	for _, x := range r.rows {
		line := fmt.Sprintf("  %-*s  ", name, x.name)
		if symbol > 0 {
			line += fmt.Sprintf("%-*s  ", symbol, x.symbol)
		}
		fmt.Fprintln(w, strings.TrimRight(line+x.value, " "))
	}
	for i, x := range r.warnings {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "warning: %s\n", oneLine(x))
	}
}

// plusMinus writes x +- h in ASCII, with two digits of h.
func plusMinus(x, h float64) string {
	return strings.Replace(jsqlib.PlusMinus(x, h, 2), "±", "+-", 1)
}
