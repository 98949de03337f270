package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"jsqlab/jsqlib/study"
	"jsqlab/jsqlib/study/whole"
)

func init() {
	register(command{
		name:    "merge",
		summary: "one CSV table of the results of a sweep",
		args:    "DIR --out FILE.csv [flags]",
		operand: "in",
		help:    mergeHelp + listed("Columns", "table"),
		setup: func(f *flags) func() (*report, error) {
			var dir, out string
			f.word(&dir, "in", "", "or `DIR` this way: the directory of a sweep")
			f.word(&out, "out", "", "the table `FILE.csv`; an old one is replaced and keeps its mode")
			return func() (*report, error) { return merge(f, dir, out) }
		},
	})
}

const mergeHelp = `
The table has a line for each task, ordered by model, routing, policy, laws, alpha
and N, and is the same bytes whatever machines and shards made the results and in
whatever order. It is written whole or not at all, and only when every task of
every plan in DIR has its result: one that is missing, damaged, foreign, there
twice or in conflict is named, with exit status 1. A row is what jsq distance
gives with task_seed for its --seed. A cell is empty for what a model does not
have.

JSON keys: command, version, rows, with_warnings (rows that have any), sha256 (of
the table), in, out, warnings.
`

func merge(f *flags, dir, out string) (*report, error) {
	if dir == "" {
		return nil, invalid("no directory", "", "jsq merge DIR --out FILE.csv")
	}
	if out == "" {
		return nil, invalid("out", "nothing", "a file for the table")
	}
	if info, err := os.Stat(out); err == nil && !info.Mode().IsRegular() {
		return nil, invalid("out", quote(out), "a regular file")
	}
	if among(dir, out) {
		return nil, invalid("out", quote(out), "a file that is not among the results (.json in "+quote(dir)+")")
	}
	rows, err := await(f.ctx, func() ([]study.Row, error) { return study.Merge(dir) })
	if errors.Is(err, study.ErrNoSweep) {
		return nil, invalid("directory "+quote(dir), "", "the directory of a sweep (no plan there)")
	}
	if err != nil {
		return nil, err
	}
	table := study.EncodeCSV(rows)
	if err := study.WriteCSV(out, rows); err != nil {
		return nil, err
	}
	r := newReport(f)
	r.key("version", version)
	r.text("rows", "rows", "", len(rows))
	n := 0
	for _, row := range rows {
		if len(row.Warnings) > 0 {
			n++
		}
	}
	r.text("with_warnings", "rows with warnings", "", n)
	r.text("sha256", "SHA-256 of the table", "", fmt.Sprintf("%x", sha256.Sum256(table)))
	r.text("in", "results from", "", dir)
	r.text("out", "table in", "", out)
	return r, nil
}

// among says whether out, or the file that it is a link to, is a .json file in dir. Folders are
// compared as the system knows them: they may have many names.
func among(dir, out string) bool {
	results, err := os.Stat(dir)
	if err != nil {
		return false
	}
	files := []string{out}
	if target, err := whole.Resolve(out); err == nil {
		files = append(files, target)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		folder, err := os.Stat(filepath.Dir(file))
		return err == nil && os.SameFile(folder, results) && filepath.Ext(file) == ".json"
	})
}
