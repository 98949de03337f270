package study

import (
	"errors"
	"fmt"
)

// Kinds of a [*FileError], and other errors to test for with errors.Is.
var (
	// ErrDamaged: a file of a sweep was cut, changed or is not readable as one.
	ErrDamaged = errors.New("damaged file")
	// ErrForeign: a file belongs to another sweep, to another version, or to no
	// sweep at all.
	ErrForeign = errors.New("foreign file")
	// ErrConflict: two plans or results of one directory contradict each other.
	ErrConflict = errors.New("conflict")
	// ErrDuplicate: one task has two result files.
	ErrDuplicate = errors.New("duplicate task")
	// ErrIncomplete: tasks of a plan have no result yet.
	ErrIncomplete = errors.New("incomplete sweep")
	// ErrNoSweep: the directory does not exist or holds no plan.
	ErrNoSweep = errors.New("no sweep")
	// ErrTask: a task could not be done.
	ErrTask = errors.New("task failed")
	// ErrStore: a result could not be written.
	ErrStore = errors.New("cannot store results")
	// ErrTable: a CSV file cannot be used.
	ErrTable = errors.New("unusable table")
	// ErrPoints: too few points, or values that cannot be fitted.
	ErrPoints = errors.New("unusable points")
)

// FileError says what is wrong with one file or directory.
type FileError struct {
	File string
	Kind error // one of the errors of this package
	Got  string
	Want string
}

// Error gives one line, "study: FILE: damaged file: what: want what would do".
func (e *FileError) Error() string {
	return fmt.Sprintf("study: %s: %v: %s: want %s", e.File, e.Kind, e.Got, e.Want)
}

// Unwrap returns the kind.
func (e *FileError) Unwrap() error { return e.Kind }

func pointsErr(got, want string) error {
	return fmt.Errorf("study: %w: %s: want %s", ErrPoints, got, want)
}
