package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// cell is a code cell of a notebook with nbgrader's metadata.
type cell struct {
	id     string // nbgrader's grade_id; empty for a cell without
	kind   kind
	points float64
	source string
}

// command says whether the cell begins with a command for the notebook.
func (c cell) command() bool { return strings.HasPrefix(c.source, "%") }

type kind int

const (
	free     kind = iota // no metadata: a cell of the student's own
	given                // read only
	answer               // for the student's code
	feedback             // read only, graded
)

const maxSize = 10 << 20 // bytes of a notebook

// readRegular reads a file that is no link, nor in a folder that is one: a
// submission must not lead to another file.
func readRegular(path string) ([]byte, error) {
	for _, p := range []string{path, filepath.Dir(path)} {
		info, err := os.Lstat(p)
		if err != nil {
			return nil, err
		}
		if info.Mode()&os.ModeSymlink != 0 || p == path && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s: not a regular file, but %s: want the notebook itself", p, info.Mode().Type())
		}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	if err == nil && len(data) > maxSize {
		err = fmt.Errorf("%s: more than %d MB: want a notebook without large outputs", path, maxSize>>20)
	}
	return data, err
}

// readNotebook returns the code cells of a notebook file. It is an error when
// two of them have the same grade_id.
func readNotebook(path string) ([]cell, error) {
	data, err := readRegular(path)
	if err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var book struct {
		Cells []struct {
			Type     string `json:"cell_type"`
			Source   text   `json:"source"`
			Metadata struct {
				Nbgrader *struct {
					ID       string  `json:"grade_id"`
					Grade    bool    `json:"grade"`
					Solution bool    `json:"solution"`
					Points   float64 `json:"points"`
				} `json:"nbgrader"`
			} `json:"metadata"`
		} `json:"cells"`
	}
	err = json.Unmarshal(data, &book)
	if form := (*json.UnmarshalTypeError)(nil); errors.As(err, &form) {
		return nil, fmt.Errorf("%s: not a notebook: the JSON %s in it is not what a notebook has there", path, form.Value)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: not a notebook: %w", path, err)
	}
	var cells []cell
	seen := map[string]bool{}
	for _, c := range book.Cells {
		if c.Type != "code" {
			continue
		}
		made := cell{source: string(c.Source)}
		if m := c.Metadata.Nbgrader; m != nil {
			made.id, made.kind, made.points = m.ID, given, m.Points
			switch {
			case m.Solution:
				made.kind = answer
			case m.Grade:
				made.kind = feedback
			}
			if seen[m.ID] {
				return nil, fmt.Errorf("%s: two cells have the grade_id %q: want one, as in the notebook that was given out", path, m.ID)
			}
			seen[m.ID] = true
		}
		cells = append(cells, made)
	}
	return cells, nil
}

// text is a notebook's multi-line string: one string, or a list of lines.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	var lines []string
	if err := json.Unmarshal(data, &lines); err == nil {
		*t = text(strings.Join(lines, ""))
		return nil
	}
	return json.Unmarshal(data, (*string)(t))
}
