package study

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// plan is the contents of a plan file.
type plan struct {
	Version string `json:"version"`
	Grid    Grid   `json:"grid"` // with its defaults said
}

func (p plan) seal() (name string, text []byte, err error) {
	if text, err = seal(planFormat, p); err != nil {
		return "", nil, err
	}
	h := sha256.Sum256(text)
	return fmt.Sprintf("%s%x.json", planPrefix, h[:8]), text, nil
}

const planPrefix = "plan-"

// store is the contents of a directory, all of it verified.
type store struct {
	dir     string
	version string
	plans   map[string]bool   // by file name
	tasks   map[string]Task   // all planned, by key
	source  map[string]string // key -> a plan file that has it
	results map[string]*Row   // by key
}

// scan reads and verifies every .json file of a directory. A result must belong to one of the plans
// there or to the plan asked for, if any: the file of that plan may be lost. The plan asked for must
// not contradict the directory. The error is the first in the order plans, asked, results, and of
// names, and is a [*FileError] if one file is at fault.
func scan(dir string, asked *plan) (*store, error) {
	s, err := scanOnce(dir, asked)
	if errors.Is(err, errForeign) {
		// a plan and its first results may have come between the names and now
		s, err = scanOnce(dir, asked)
	}
	return s, err
}

func scanOnce(dir string, asked *plan) (*store, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	s := &store{dir: dir, plans: map[string]bool{}, tasks: map[string]Task{}, source: map[string]string{}, results: map[string]*Row{}}
	each := func(plans bool, add func(name string, text []byte) error) error {
		for _, e := range entries {
			name := e.Name()
			if !strings.HasSuffix(name, ".json") || strings.HasPrefix(name, ".") {
				continue
			}
			if info, err := os.Stat(filepath.Join(dir, name)); err == nil && !info.Mode().IsRegular() {
				return s.fault(name, errForeign, "no regular file", aside) // to read a pipe might not end
			}
			if strings.HasPrefix(name, planPrefix) != plans {
				continue
			}
			text, err := s.read(name)
			if err == nil {
				err = add(name, text)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	// plans first: they say which results there can be
	if err := each(true, s.addPlan); err != nil {
		return nil, err
	}
	if asked != nil {
		if err := s.ask(*asked); err != nil {
			return nil, err
		}
	}
	return s, each(false, s.addResult)
}

// maxFile bounds the bytes of a plan or a result: a wrong file must not fill the memory. A result takes
// about 2 KiB, a plan of the largest grid some megabytes.
const maxFile = 64 << 20

// read returns a file of the sweep.
func (s *store) read(name string) ([]byte, error) {
	f, err := os.Open(filepath.Join(s.dir, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > maxFile {
		return nil, s.fault(name, errForeign, "more than 64 MiB", aside)
	}
	return io.ReadAll(io.LimitReader(f, maxFile))
}

// ask adds the tasks of a plan that may have no file.
func (s *store) ask(p plan) error {
	name, _, err := p.seal()
	if err != nil || s.plans[name] {
		return err
	}
	tasks, err := p.Grid.Tasks()
	if err != nil {
		return err
	}
	return s.join(name, "", p.Version, tasks)
}

func (s *store) fault(name string, kind error, got, want string) error {
	return &FileError{filepath.Join(s.dir, name), kind, got, want}
}

const aside = "it moved away and the sweep run again"

// addPlan verifies a plan file and adds its tasks.
func (s *store) addPlan(name string, text []byte) error {
	var p plan
	if err := unseal(text, planFormat, &p); err != nil {
		return s.fault(name, errDamaged, err.Error(), aside)
	}
	own, _, err := p.seal()
	if err == nil && own != name {
		err = fmt.Errorf("its contents belong under the name %s", own)
	}
	var tasks []Task
	if err == nil {
		tasks, err = p.Grid.Tasks()
	}
	if err != nil {
		return s.fault(name, errForeign, err.Error(), aside)
	}
	s.plans[name] = true
	return s.join(name, name, p.Version, tasks)
}

// join adds the tasks of a plan, unless they contradict those that are there; where names the file, or
// "" the directory, in the error.
func (s *store) join(name, where, version string, tasks []Task) error {
	if s.version != "" && version != s.version {
		return s.fault(where, errConflict, "version "+version, "version "+s.version+", that of the other plans here, or another directory")
	}
	for _, t := range tasks {
		switch old, ok := s.tasks[t.Key]; {
		case !ok:
			s.tasks[t.Key], s.source[t.Key] = t, name
		case old != t:
			return s.fault(where, errConflict, fmt.Sprintf("%s with %s", t.Key, t.settings()),
				fmt.Sprintf("%s as in %s, or another directory", old.settings(), s.source[t.Key]))
		}
	}
	s.version = version
	return nil
}

// settings shows the part of a task that is not in its key.
func (t Task) settings() string {
	return fmt.Sprintf("rel-error %g, max-slots %d, seed %d", t.RelError, t.MaxSlots, t.Seed)
}

// addResult verifies a result file and adds its row.
func (s *store) addResult(name string, text []byte) error {
	row, err := s.readResult(name, text)
	if err != nil {
		return err
	}
	if own := Task(row.Asked).file(); own != name {
		other, err := s.read(own)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return s.fault(name, errForeign, "the result of "+row.Key, "it under the name "+own)
		case err != nil:
			return err
		case string(other) == string(text):
			return s.fault(name, errDuplicate, "the same bytes as "+own, "one file for each task")
		}
		return s.fault(name, errConflict, "another result of "+row.Key+" than "+own, "one file for each task")
	}
	s.results[row.Key] = row
	return nil
}

// readResult returns the row of a result file that belongs here.
func (s *store) readResult(name string, text []byte) (*Row, error) {
	row := new(Row)
	if err := unseal(text, resultFormat, row); err != nil {
		ours := formatOf(text) == resultFormat
		for _, t := range s.tasks {
			ours = ours || t.file() == name
		}
		kind := errForeign
		if ours {
			kind = errDamaged
		}
		return nil, s.fault(name, kind, err.Error(), aside)
	}
	t := Task(row.Asked)
	if t.Key != t.key() || t.TaskSeed != t.taskSeed() {
		return nil, s.fault(name, errForeign, "its key or its seed is not that of its system", aside)
	}
	planned, ok := s.tasks[t.Key]
	if !ok {
		return nil, s.fault(name, errForeign, "no plan of this directory has "+t.Key, "it moved away or, if its plan file is lost, its sweep run here again")
	}
	asked := !s.plans[s.source[t.Key]] // the plan is asked for and has no file: it is the one to change
	switch {
	case planned != t && asked:
		return nil, s.fault("", errConflict, fmt.Sprintf("%s with %s", t.Key, planned.settings()),
			fmt.Sprintf("%s as in %s, or another directory", t.settings(), name))
	case planned != t:
		return nil, s.fault(name, errConflict, fmt.Sprintf("%s with %s, but planned with %s", t.Key, t.settings(), planned.settings()), aside)
	case row.Version != s.version && asked:
		return nil, s.fault("", errConflict, "version "+s.version, "version "+row.Version+", that of "+name+", or another directory")
	case row.Version != s.version:
		return nil, s.fault(name, errConflict, fmt.Sprintf("made by version %s, but planned by %s", row.Version, s.version), aside)
	}
	return row, nil
}
