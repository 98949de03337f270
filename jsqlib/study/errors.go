package study

import (
	"errors"
	"fmt"

	"jsqlab/jsqlib"
)

// Errors to test for with errors.Is. Arguments that are refused are a [*jsqlib.Invalid], files that are
// refused a [*FileError].
var (
	// ErrNoSweep: the directory does not exist or holds no plan.
	ErrNoSweep = errors.New("no sweep")
	// ErrTask: a task could not be done.
	ErrTask = errors.New("task failed")
	// ErrStore: a result could not be written.
	ErrStore = errors.New("cannot store results")
	// ErrTable: a CSV file cannot be used.
	ErrTable = errors.New("unusable table")
)

// Other kinds of a FileError.
var (
	errDamaged    = errors.New("damaged file")     // cut, changed or not readable
	errForeign    = errors.New("foreign file")     // of another sweep, of another version, or of none
	errConflict   = errors.New("conflict")         // two plans or results contradict each other
	errDuplicate  = errors.New("duplicate task")   // one task has two result files
	errIncomplete = errors.New("incomplete sweep") // tasks of a plan have no result yet
)

// FileError says why one file or directory cannot be used.
type FileError struct {
	File string
	Kind error // shown, and what the error wraps
	Got  string
	Want string
}

// Error gives one line, "study: FILE: damaged file: what: want what would do".
func (e *FileError) Error() string {
	return fmt.Sprintf("study: %s: %v: %s: want %s", e.File, e.Kind, e.Got, e.Want)
}

// Unwrap returns the kind.
func (e *FileError) Unwrap() error { return e.Kind }

// refusePoints refuses points that cannot be fitted.
func refusePoints(got, want string) error { return jsqlib.Refuse("study", "points", got, want) }
