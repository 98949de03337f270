package jsqlib

import "fmt"

// Invalid says which input cannot be used: a field, an option, an argument or a file. What names the
// input as the command line does ("alpha", "rel-error", "servers"). Got shows the value that was given,
// and Want the values that would do. Got is empty where What says it all. Every refusal of jsqlib wraps
// an Invalid; read it by errors.As.
type Invalid struct{ What, Got, Want string }

// Error gives the one-line form "alpha = -1: want alpha > 0".
func (e *Invalid) Error() string {
	if e.Got == "" {
		return e.What + ": want " + e.Want
	}
	return e.What + " = " + e.Got + ": want " + e.Want
}

// Refuse returns an [*Invalid] under the name of the package that refuses.
func Refuse(where, what string, got any, want string) error {
	return fmt.Errorf("%s: %w", where, &Invalid{what, fmt.Sprint(got), want})
}
