package jsqlib

import "fmt"

// FieldError says that one field of a description cannot be used. Field is the
// lower-case name of the field ("alpha", "gap", "servers", ...), Got what it
// holds and Want what would do.
type FieldError struct {
	Field string
	Got   string
	Want  string
}

// Error gives the one-line form "jsqlib: alpha = -1: want alpha > 0".
func (e *FieldError) Error() string {
	return fmt.Sprintf("jsqlib: %s = %s: want %s", e.Field, e.Got, e.Want)
}

func fieldErr(field string, got any, want string) error {
	return &FieldError{Field: field, Got: fmt.Sprint(got), Want: want}
}
