package study

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/study/whole"
)

// column is one field of a row under its key.
type column struct {
	name     string
	optional bool // empty when zero
	value    reflect.Value
}

// columns lists the fields of the row in the order of the table.
func (r *Row) columns() []column { return columnsOf(reflect.ValueOf(r).Elem()) }

func columnsOf(v reflect.Value) []column {
	var out []column
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			out = append(out, columnsOf(v.Field(i))...)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		out = append(out, column{name, options == "omitempty", v.Field(i)})
	}
	return out
}

// warningSeparator stands between the warnings of one cell.
const warningSeparator = " | "

func (c column) text() string {
	if c.optional && c.value.IsZero() {
		return ""
	}
	switch x := c.value.Interface().(type) {
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case []string:
		return strings.Join(x, warningSeparator)
	default:
		return fmt.Sprint(x)
	}
}

func (c column) set(text string) (err error) {
	if c.optional && text == "" {
		return nil
	}
	switch p := c.value.Addr().Interface().(type) {
	case *string:
		*p = text
	case *float64:
		*p, err = jsqlib.ParseFloat(text)
		if err == nil && *p-*p != 0 {
			err = errors.New("not finite")
		}
	case *int:
		*p, err = strconv.Atoi(text)
	case *int64:
		*p, err = strconv.ParseInt(text, 10, 64)
	case *uint64:
		*p, err = strconv.ParseUint(text, 10, 64)
	case *[]string:
		*p = []string{}
		if text != "" {
			*p = strings.Split(text, warningSeparator)
		}
	default:
		err = fmt.Errorf("no column of type %T", p)
	}
	return err
}

// Columns returns the header of the table.
func Columns() []string {
	var names []string
	for _, c := range new(Row).columns() {
		names = append(names, c.name)
	}
	return names
}

// EncodeCSV returns the rows as a CSV table with a header, numbers with full
// precision, and an empty cell for what a model does not have.
func EncodeCSV(rows []Row) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write(Columns()) // errors of a bytes.Buffer: none
	for i := range rows {
		var cells []string
		for _, c := range rows[i].columns() {
			cells = append(cells, c.text())
		}
		w.Write(cells)
	}
	w.Flush()
	return b.Bytes()
}

// WriteCSV writes the table whole or not at all, as [whole.Write] does. A file
// that cannot be written is a [*jsqlib.Invalid]; a full disk is not.
func WriteCSV(file string, rows []Row) error {
	return place(file, "a file that can be written", whole.Write(file, EncodeCSV(rows)))
}

// place makes an error about a file or directory to be written a [*jsqlib.Invalid],
// if another place would do.
func place(out, want string, err error) error {
	if !whole.Unusable(err) {
		return err
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return jsqlib.Refuse("study", "out", out, fmt.Sprintf("%s (%v)", want, err))
}

// needed are the columns without which a table says nothing about rates.
var needed = []string{"model", "servers", "alpha", "wasserstein", "wasserstein_low", "wasserstein_high"}

// maxTable bounds the bytes of a table: a device or a wrong file must not fill
// the memory. A row takes about 1 KiB, and more than maxTableRow none.
const (
	maxTable    = 64 << 20
	maxTableRow = 1 << 20
)

// ReadCSV reads a table as [WriteCSV] writes it. Columns are found by name;
// unknown ones are ignored and those that rates do not need may be missing. The
// error is a [*FileError] of kind [ErrTable] that names the line, or that of
// the operating system.
func ReadCSV(file string) ([]Row, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unusable := func(got, want string) error { return &FileError{file, ErrTable, got, want} }
	limited := &io.LimitedReader{R: f, N: maxTable}
	limitedRow := &io.LimitedReader{R: limited}
	in := csv.NewReader(limitedRow)
	read := func(end string) ([]string, error) {
		limitedRow.N = maxTableRow
		cells, err := in.Read()
		switch {
		case limited.N == 0:
			return nil, unusable("more than 64 MiB", "a table of jsq merge")
		case limitedRow.N == 0:
			return nil, unusable("a row of more than 1 MiB", "a table of jsq merge")
		case err != nil && (err != io.EOF || end != ""):
			return nil, unusable(tableProblem(err, end), "a table of jsq merge")
		}
		return cells, err
	}
	header, err := read("no header")
	if err != nil {
		return nil, err
	}
	for _, name := range needed {
		if !slices.Contains(header, name) {
			return nil, unusable("no column "+name, "the columns "+strings.Join(needed, ", "))
		}
	}
	for i, name := range header {
		if slices.Contains(header[:i], name) {
			return nil, unusable("column "+strconv.Quote(name)+" twice", "each once")
		}
	}
	var rows []Row
	for {
		cells, err := read("")
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		row := Row{Warnings: []string{}}
		for _, c := range row.columns() {
			i := slices.Index(header, c.name)
			if i < 0 {
				continue
			}
			if err := c.set(cells[i]); err != nil {
				line, _ := in.FieldPos(i)
				return nil, unusable(fmt.Sprintf("line %d, %s = %q", line, c.name, cells[i]), "a finite number of its kind")
			}
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, unusable("no rows", "at least one")
	}
	return rows, nil
}

func tableProblem(err error, end string) string {
	if err == io.EOF {
		return end
	}
	return err.Error()
}
