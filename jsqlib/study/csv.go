package study

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/record"
	"jsqlab/jsqlib/study/whole"
)

// warningSeparator stands between the warnings of one cell.
const warningSeparator = " | "

// text is a cell of the table.
func text(value any) string {
	switch x := value.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case []string:
		return strings.Join(x, warningSeparator)
	}
	return fmt.Sprint(value)
}

// set reads a cell of the table.
func set(to any, text string) (err error) {
	switch p := to.(type) {
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
		if text != "" {
			*p = strings.Split(text, warningSeparator)
		}
	default:
		err = fmt.Errorf("no column of type %T", p)
	}
	return err
}

// EncodeCSV returns the rows as a CSV table with a header, numbers with full precision, and an empty
// cell for what a model does not have.
func EncodeCSV(rows []Row) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	keys := record.Keys("table")
	w.Write(keys) // errors of a bytes.Buffer: none
	for i := range rows {
		values := map[string]any{}
		for _, c := range record.Columns("table") {
			cells, _ := c.Cells(&rows[i])
			for _, cell := range cells {
				values[cell.Key] = cell.Value
			}
		}
		var line []string
		for _, key := range keys {
			line = append(line, text(values[key]))
		}
		w.Write(line)
	}
	w.Flush()
	return b.Bytes()
}

// WriteCSV writes the table whole or not at all, as [whole.Write] does. A file that cannot be written
// is a [*jsqlib.Invalid]; a full disk is not.
func WriteCSV(file string, rows []Row) error {
	return place(file, "a file that can be written", whole.Write(file, EncodeCSV(rows)))
}

// place makes an error about a file or directory to be written a [*jsqlib.Invalid], if another place
// would do.
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

// maxTable bounds the bytes of a table: a device or a wrong file must not fill the memory. A row takes
// about 1 KiB, and more than maxTableRow none.
const (
	maxTable    = 64 << 20
	maxTableRow = 1 << 20
)

// ReadCSV reads a table as [WriteCSV] writes it. Columns are found by name; unknown ones are ignored
// and those that rates do not need may be missing. The error is a [*FileError] of kind [ErrTable] that
// names the line, or that of the operating system.
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
		case err == io.EOF && end != "":
			return nil, unusable(end, "a table of jsq merge")
		case err != nil && err != io.EOF:
			return nil, unusable(err.Error(), "a table of jsq merge")
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
		err = row.Scan("table", func(key string, to any, optional bool) error {
			i := slices.Index(header, key)
			if i < 0 || optional && cells[i] == "" {
				return nil
			}
			if err := set(to, cells[i]); err != nil {
				line, _ := in.FieldPos(i)
				return unusable(fmt.Sprintf("line %d, %s = %q", line, key, cells[i]), "a finite number of its kind")
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, unusable("no rows", "at least one")
	}
	return rows, nil
}
