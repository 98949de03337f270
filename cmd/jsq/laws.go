package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"jsqlab/jsqlib"
)

// lawUsage lists the forms of --arrivals and --service.
const lawUsage = "binomial:n, bernoulli, deterministic,\n" +
	"pmf:p0,p1,...; file:PATH, a CSV file of value,probability; or trace:PATH[:COLUMN],\n" +
	"a CSV file of counts per slot, pooled and thinned to mean 1"

// maxLawFile bounds the bytes of a file of --arrivals or --service.
const maxLawFile = 64 << 20

// law reads --arrivals or --service. What comes from a file takes the place of
// the text of the flag in the notation pmf:p0,p1,..., so that all that is printed or
// stored says the law itself and not where it was found; what a trace loses becomes a
// note.
func (f *flags) law(name string) (jsqlib.PMF, error) {
	text := f.text(name)
	kind, arg, _ := strings.Cut(text, ":")
	var p jsqlib.PMF
	var err error
	switch kind {
	case "file":
		p, err = f.lawFile(name, arg)
	case "trace":
		p, err = f.lawTrace(name, arg)
	default:
		p, err = jsqlib.ParsePMF(name, text)
		return p, f.translate(err)
	}
	if err != nil {
		return nil, f.translate(err)
	}
	f.values[name].text = p.Text()
	return p, nil
}

// lawFile reads the columns value, probability, ..., one probability for each law.
func (f *flags) lawFile(name, path string) (jsqlib.PMF, error) {
	const want = "lines value,probability (for service also one probability for each server)"
	t, err := f.readTable(name, path)
	if err != nil {
		return nil, err
	}
	width := len(t.rows[0].cells)
	if width < 2 {
		return nil, t.refuse("1 column", want)
	}
	laws := make([]jsqlib.PMF, width-1)
	for i := range laws {
		laws[i] = make(jsqlib.PMF, 1)
	}
	seen := map[int]bool{}
	for _, row := range t.rows {
		value, err := t.count(row, 0)
		if err != nil {
			return nil, err
		}
		if seen[value] {
			return nil, t.refuse(fmt.Sprintf("line %d, value %d twice", row.line, value), "each once")
		}
		seen[value] = true
		for i := range laws {
			x, err := strconv.ParseFloat(row.cells[i+1], 64)
			if err != nil || !(x >= 0 && x <= 1) {
				return nil, t.refuse(fmt.Sprintf("line %d, %s", row.line, quote(row.cells[i+1])), "a probability in [0, 1]")
			}
			for len(laws[i]) <= value {
				laws[i] = append(laws[i], 0)
			}
			laws[i][value] = x
		}
	}
	p, err := jsqlib.CommonPMF(name, laws...)
	var field *jsqlib.FieldError
	if errors.As(err, &field) {
		return nil, t.refuse(field.Got, field.Want)
	}
	return p, err
}

// lawTrace reads counts per slot from a column.
func (f *flags) lawTrace(name, arg string) (jsqlib.PMF, error) {
	path, column := arg, ""
	if i := strings.LastIndex(arg, ":"); i >= 0 {
		if _, err := os.Stat(arg); errors.Is(err, fs.ErrNotExist) {
			path, column = arg[:i], arg[i+1:]
		}
	}
	t, err := f.readTable(name, path)
	if err != nil {
		return nil, err
	}
	at := 0
	switch {
	case column != "":
		if at = slices.Index(t.header, column); at < 0 {
			return nil, t.refuse("no column "+quote(column), "one of "+strings.Join(t.names(), ", "))
		}
	case len(t.rows[0].cells) > 1:
		return nil, t.refuse(fmt.Sprintf("%d columns", len(t.rows[0].cells)), "trace:PATH:COLUMN with one of "+strings.Join(t.names(), ", "))
	}
	counts := make([]int, len(t.rows))
	for i, row := range t.rows {
		if counts[i], err = t.count(row, at); err != nil {
			return nil, err
		}
	}
	p, r, err := jsqlib.FromTrace(name, counts)
	var field *jsqlib.FieldError
	if errors.As(err, &field) {
		return nil, t.refuse(field.Got, field.Want)
	}
	for _, w := range r.Warnings() {
		f.notes = append(f.notes, fmt.Sprintf("--%s from %s: %s", name, path, w))
	}
	return p, err
}

// table is a CSV file of a law.
type table struct {
	flag   string
	text   string   // of the flag
	header []string // nil when the first line holds numbers
	rows   []tableRow
}

type tableRow struct {
	line  int
	cells []string
}

func (t *table) refuse(got, want string) error {
	return &usageError{"--" + t.flag + " = " + quote(t.text) + ": " + got, want}
}

// names lists the columns; without a header there is nothing to name them by.
func (t *table) names() []string {
	if t.header == nil {
		return []string{"the columns of a header line, which is missing"}
	}
	var out []string
	for _, h := range t.header {
		out = append(out, quote(h))
	}
	return out
}

// count reads a whole number in [0, MaxSupport]; 3.0 is one too.
func (t *table) count(row tableRow, column int) (int, error) {
	cell := row.cells[column]
	x, err := strconv.ParseFloat(cell, 64)
	if err != nil || x != math.Trunc(x) || !(x >= 0 && x <= jsqlib.MaxSupport) {
		return 0, t.refuse(fmt.Sprintf("line %d, %s", row.line, quote(cell)), fmt.Sprintf("a whole number, 0 <= count <= %d", jsqlib.MaxSupport))
	}
	return int(x), nil
}

// readTable reads a CSV file with rows of one width and an optional header; a byte order
// mark, CRLF and blank lines are fine.
func (f *flags) readTable(name, path string) (*table, error) {
	t := &table{flag: name, text: f.text(name)}
	if path == "" {
		return nil, t.refuse("no path", "the path of a CSV file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, t.refuse(reason(err), "a CSV file that can be read")
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, t.refuse("a directory", "a CSV file")
	}
	data, err := io.ReadAll(io.LimitReader(file, maxLawFile+1))
	if err != nil {
		return nil, t.refuse(reason(err), "a CSV file that can be read")
	}
	if len(data) > maxLawFile {
		return nil, t.refuse("more than 64 MiB", "a smaller file")
	}
	in := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	in.FieldsPerRecord = -1
	in.TrimLeadingSpace = true
	first, width := true, 0
	for {
		cells, err := in.Read()
		if err == io.EOF {
			break
		}
		var parse *csv.ParseError
		if errors.As(err, &parse) {
			return nil, t.refuse(fmt.Sprintf("line %d: %v", parse.Line, parse.Err), "a CSV file")
		} else if err != nil {
			return nil, err
		}
		line, _ := in.FieldPos(0)
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) == 1 && cells[0] == "" {
			continue
		}
		if first {
			first, width = false, len(cells)
			if isHeader(cells) {
				t.header = cells
				continue
			}
		}
		if len(cells) != width {
			return nil, t.refuse(fmt.Sprintf("line %d, %d columns", line, len(cells)), fmt.Sprintf("%d as in the first line", width))
		}
		t.rows = append(t.rows, tableRow{line, cells})
	}
	if len(t.rows) == 0 {
		return nil, t.refuse("no rows", "a CSV file with at least one line of numbers")
	}
	return t, nil
}

// isHeader reports whether no cell is a number; NaN and Inf are.
func isHeader(cells []string) bool {
	for _, c := range cells {
		if _, err := strconv.ParseFloat(c, 64); err == nil || errors.Is(err, strconv.ErrRange) {
			return false
		}
	}
	return true
}

// reason is the error of the operating system without operation and path.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
