package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/record"
)

// report is the result of a command, in order.
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

// key adds a key to the JSON object only.
func (r *report) key(key string, value any) { r.keys = append(r.keys, keyed{key, value}) }

// row adds a line to the table only.
func (r *report) row(name, symbol, value string) { r.rows = append(r.rows, row{name, symbol, value}) }

// text adds a word or a count.
func (r *report) text(key, name, symbol string, value any) {
	r.key(key, value)
	r.row(name, symbol, fmt.Sprint(value))
}

// record adds columns of a record to the object and to the table.
func (r *report) record(x *record.Record, columns []record.Column) {
	for _, c := range columns {
		if c.Key == "command" || c.Key == "warnings" { // of every report
			continue
		}
		cells, missing := c.Cells(x)
		for _, cell := range cells {
			r.key(cell.Key, cell.Value)
		}
		if missing != "" {
			r.warn("%s is not determined and left out", missing)
		}
		name, symbol := c.Label(x)
		if len(cells) == 0 || name+symbol == "" {
			continue
		}
		switch value := c.Of(x).(type) {
		case []jsqlib.Estimate:
			for i, e := range value {
				text := plusMinus(e.Value, e.HalfWidth())
				if e.Value == 0 && !(e.HalfWidth() > 0) {
					text = "0 (not seen)"
				}
				r.row(name, fmt.Sprintf(symbol, i), text)
			}
		case jsqlib.Estimate:
			text := plusMinus(value.Value, value.HalfWidth())
			if !c.Interval {
				text = shown(c, value.Value)
			}
			r.row(name, symbol, text)
		default:
			r.row(name, symbol, shown(c, value))
		}
	}
}

// shown is a value as a table has it, with the digits that are known.
func shown(c record.Column, value any) string {
	x, number := value.(float64)
	switch {
	case !number:
		return fmt.Sprint(value)
	case c.Exact:
		return fmt.Sprintf("%.10g (exact)", x)
	}
	return fmt.Sprintf("%.*g", cmp.Or(c.Digits, 5), x)
}

// listed describes the columns of an output for the help of a command.
func listed(title, output string) string {
	var b strings.Builder
	intervals := ""
	for _, c := range record.Columns(output) {
		key, text := c.Key, c.Text()
		if c.Interval {
			key += "+"
			intervals = " (KEY+ comes with its interval, KEY_low and KEY_high)"
		}
		if c.Optional {
			text += " Left out where there is none."
		}
		if unit := c.Unit(); unit != "" && unit != "1" {
			text += " [" + unit + "]"
		}
		line := fmt.Sprintf("  %-23s", key)
		for _, word := range strings.Fields(text) {
			if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > 80 {
				fmt.Fprintln(&b, line)
				line = strings.Repeat(" ", 25)
			}
			line += " " + word
		}
		fmt.Fprintln(&b, line)
	}
	return fmt.Sprintf("\n%s, in this order%s:\n\n%s", title, intervals, b.String())
}

// cut cuts columns behind a key.
func cut(columns []record.Column, key string) (before, after []record.Column) {
	i := slices.IndexFunc(columns, func(c record.Column) bool { return c.Key == key })
	return columns[:i+1], columns[i+1:]
}

func (r *report) warn(format string, args ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
}

// interrupted adds the warning "interrupted" unless there is one.
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

// encode is JSON without the escapes that HTML needs. Values are strings, finite numbers, and lists and
// maps of them.
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
