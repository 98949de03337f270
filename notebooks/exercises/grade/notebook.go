package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// cell is a code cell of a notebook with nbgrader's metadata.
type cell struct {
	id     string // nbgrader's grade_id; empty for a cell without
	kind   kind
	points float64
	source string
}

type kind int

const (
	free     kind = iota // no metadata: a cell of the student's own
	given                // read only
	answer               // for the student's code
	feedback             // read only, graded
)

// readNotebook returns the code cells of a notebook file. It is an error when
// two of them have the same grade_id.
func readNotebook(path string) ([]cell, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
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
	if err := json.Unmarshal(data, &book); err != nil {
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
