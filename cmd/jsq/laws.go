package main

import (
	"bufio"
	"context"
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

// Bounds on a file of --arrivals or --service. A wrong file or a device cannot fill the memory.
const (
	maxRow     = 2 << 20               // bytes; room for a law of every server
	maxColumns = jsqlib.MaxServers + 1 // a value, and a probability for each server
	maxCell    = 1000                  // bytes
	maxTrace   = 1 << 25               // slots
)

// laws reads the files that --arrivals and --service name. A law from a file replaces the text of the
// flag, in the notation pmf:p0,p1,...: outputs show the law itself, not its place. A trace that lost
// something gets a note.
func (f *flags) laws(s *jsqlib.Spec) error {
	if s.Filled().Model != jsqlib.DT {
		return nil
	}
	for i, law := range []*string{&s.Arrivals, &s.Service} {
		name := []string{"arrivals", "service"}[i]
		kind, arg, _ := strings.Cut(*law, ":")
		read := map[string]func(t *table, arg string) (jsqlib.PMF, []string, error){"file": lawFile, "trace": lawTrace}[kind]
		if read == nil {
			continue
		}
		t := &table{ctx: f.ctx, flag: name, text: *law}
		var notes []string
		p, err := await(f.ctx, func() (p jsqlib.PMF, err error) {
			p, notes, err = read(t, arg)
			return p, err
		})
		if err != nil {
			return err
		}
		f.notes = append(f.notes, notes...)
		*law = p.Text()
		f.values[name].text = *law
	}
	return nil
}

// await calls a function that may block for ever, such as opening a pipe that nobody writes to. It
// returns when ctx ends all the same. The blocked call is left behind: the process is about to end.
func await[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := do()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// lawFile reads the columns value, probability, ..., one probability for each law.
func lawFile(t *table, path string) (jsqlib.PMF, []string, error) {
	var laws []jsqlib.PMF
	at := 0
	seen := map[int]bool{}
	err := t.read(path, func(line int, cells []string) error {
		if len(cells) < 2 {
			return t.refuse("1 column", "lines value,probability (for service also one probability for each server)")
		}
		if laws == nil {
			laws = make([]jsqlib.PMF, len(cells)-1)
			var err error
			if at, err = t.valueColumn(); err != nil {
				return err
			}
		}
		value, err := t.count(line, cells[at])
		if err != nil {
			return err
		}
		if seen[value] {
			return t.refuse(fmt.Sprintf("line %d, value %d twice", line, value), "each once")
		}
		seen[value] = true
		for i, cell := range slices.Delete(cells, at, at+1) {
			x, err := jsqlib.ParseFloat(cell)
			if err != nil || !(x >= 0 && x <= 1) {
				return t.refuse(fmt.Sprintf("line %d, %s", line, quote(cell)), "a probability in [0, 1]")
			}
			for len(laws[i]) <= value {
				laws[i] = append(laws[i], 0)
			}
			laws[i][value] = x
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	p, err := jsqlib.CommonPMF(t.flag, laws...)
	return p, nil, t.about(err)
}

// lawTrace reads counts per slot from a column.
func lawTrace(t *table, arg string) (jsqlib.PMF, []string, error) {
	path, column := arg, ""
	if i := strings.LastIndex(arg, ":"); i >= 0 {
		if _, err := os.Stat(arg); errors.Is(err, fs.ErrNotExist) {
			path, column = arg[:i], arg[i+1:]
		}
	}
	at := -1
	var counts []uint8 // each is at most jsqlib.MaxSupport
	err := t.read(path, func(line int, cells []string) (err error) {
		if at < 0 {
			if at, err = t.column(column, len(cells)); err != nil {
				return err
			}
		}
		if len(counts) == maxTrace {
			return t.refuse(fmt.Sprintf("more than %d slots", maxTrace), "a shorter trace")
		}
		c, err := t.count(line, cells[at])
		counts = append(counts, uint8(c))
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	p, r, err := jsqlib.FromTrace(t.flag, counts)
	var notes []string
	for _, w := range r.Warnings() {
		notes = append(notes, fmt.Sprintf("--%s from %s: %s", t.flag, path, w))
	}
	return p, notes, t.about(err)
}

// table is a CSV file of a law.
type table struct {
	ctx    context.Context
	flag   string
	text   string   // of the flag
	header []string // nil when the first line holds numbers
}

func (t *table) refuse(got, want string) error {
	return invalid(t.flag, quote(t.text)+": "+got, want)
}

// about names the file where the library names the law.
func (t *table) about(err error) error {
	var refused *jsqlib.Invalid
	if errors.As(err, &refused) {
		return t.refuse(refused.Got, refused.Want)
	}
	return err
}

// names lists the columns; without a header there is nothing to name them by.
func (t *table) names() string {
	if t.header == nil {
		return "the columns of a header line, which is missing"
	}
	const most = 20
	var out []string
	for _, h := range t.header[:min(len(t.header), most)] {
		out = append(out, quote(h))
	}
	if more := len(t.header) - most; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}

// column returns the place of the column of that name, of the only one for "".
func (t *table) column(name string, width int) (int, error) {
	if name == "" && width > 1 {
		return 0, t.refuse(fmt.Sprintf("%d columns", width), "trace:PATH:COLUMN with one of "+t.names())
	}
	if name == "" {
		return 0, nil
	}
	at := slices.Index(t.header, name)
	if at < 0 {
		return 0, t.refuse("no column "+quote(name), "one of "+t.names())
	}
	if slices.Contains(t.header[at+1:], name) {
		return 0, t.refuse("more than one column "+quote(name), "a name that one column has alone")
	}
	return at, nil
}

// valueColumn returns the place of the values in a law: the first without a header, else where the
// header says. Names in another order are followed, and others are refused: they may mean other things.
func (t *table) valueColumn() (int, error) {
	if t.header == nil {
		return 0, nil
	}
	places := func(name string) (at []int) {
		for i, h := range t.header {
			if strings.EqualFold(h, name) {
				at = append(at, i)
			}
		}
		return at
	}
	at := places("value")
	if len(at) != 1 || (len(places("probability")) > 0) != (len(t.header) == 2) {
		return 0, t.refuse("columns "+t.names(), "value,probability (or value and a name for each server)")
	}
	return at[0], nil
}

// count reads a whole number in [0, MaxSupport]; 3.0 is one too.
func (t *table) count(line int, cell string) (int, error) {
	x, err := jsqlib.ParseFloat(cell)
	if err != nil || x != math.Trunc(x) || !(x >= 0 && x <= jsqlib.MaxSupport) {
		return 0, t.refuse(fmt.Sprintf("line %d, %s", line, quote(cell)), fmt.Sprintf("a whole number, 0 <= count <= %d", jsqlib.MaxSupport))
	}
	return int(x), nil
}

// reader reads until its context ends.
type reader struct {
	io.Reader
	ctx context.Context
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// read calls do for the rows of a CSV file with rows of one width and an optional header; a byte order
// mark, CRLF and blank lines are fine. cells are valid during the call only.
func (t *table) read(path string, do func(line int, cells []string) error) error {
	const want = "a CSV file that can be read"
	if path == "" {
		return t.refuse("no path", "the path of a CSV file")
	}
	file, err := os.Open(path)
	if err != nil {
		return t.refuse(reason(err), want)
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return t.refuse("a directory", "a CSV file")
	}
	row := &io.LimitedReader{R: reader{file, t.ctx}, N: maxRow}
	buffer := bufio.NewReader(row)
	if mark, _ := buffer.Peek(3); string(mark) == "\xef\xbb\xbf" {
		buffer.Discard(len(mark))
	}
	in := csv.NewReader(buffer)
	in.FieldsPerRecord = -1
	in.TrimLeadingSpace = true
	in.ReuseRecord = true
	width, rows := 0, 0
	for ; ; row.N = maxRow {
		cells, err := in.Read()
		line := 0
		if len(cells) > 0 {
			line, _ = in.FieldPos(0)
		}
		var parse *csv.ParseError
		switch {
		case t.ctx.Err() != nil:
			return t.ctx.Err()
		case row.N == 0: // the reader saw the end of the file there
			return t.refuse(fmt.Sprintf("a row of more than %d MiB", maxRow>>20), "a CSV file")
		case err == io.EOF && rows == 0:
			return t.refuse("no rows", "a CSV file with at least one line of numbers")
		case err == io.EOF:
			return nil
		case errors.As(err, &parse):
			return t.refuse(fmt.Sprintf("line %d: %v", parse.Line, parse.Err), "a CSV file")
		case err != nil:
			return t.refuse(reason(err), want)
		}
		for i, cell := range cells {
			if len(cell) > maxCell {
				return t.refuse(fmt.Sprintf("line %d, a cell of %d bytes", line, len(cell)), fmt.Sprintf("at most %d", maxCell))
			}
			cells[i] = strings.TrimSpace(cell)
		}
		if len(cells) == 1 && cells[0] == "" {
			continue
		}
		if width == 0 {
			if width = len(cells); width > maxColumns {
				return t.refuse(fmt.Sprintf("%d columns", width), fmt.Sprintf("at most %d", maxColumns))
			}
			if isHeader(cells) {
				t.header = slices.Clone(cells)
				continue
			}
		}
		if len(cells) != width {
			return t.refuse(fmt.Sprintf("line %d, %d columns", line, len(cells)), fmt.Sprintf("%d as in the first line", width))
		}
		rows++
		if err := do(line, cells); err != nil {
			return err
		}
	}
}

// isHeader reports whether no cell is a number. NaN, Inf and 1_0 count as numbers, although 1_0 is
// refused.
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
