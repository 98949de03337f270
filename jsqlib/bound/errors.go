package bound

import "fmt"

// ArgumentError says that an argument cannot be used.
type ArgumentError struct {
	Argument string // "r", "servers", "alpha", ...
	Got      string
	Want     string
}

// Error gives the one-line form "bound: r = 1: want r >= 2".
func (e *ArgumentError) Error() string {
	return fmt.Sprintf("bound: %s = %s: want %s", e.Argument, e.Got, e.Want)
}

func argErr(argument string, got any, want string) error {
	return &ArgumentError{Argument: argument, Got: fmt.Sprint(got), Want: want}
}
