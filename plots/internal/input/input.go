// Package input refuses what the figures cannot draw.
package input

import (
	"fmt"
	"math"
	"strings"
)

// Error reports input that cannot be drawn: what it is, what was got and what is wanted. It has the fields of jsqlib.Invalid and is a type
// of its own, since figures know nothing of the model and import no jsqlib.
type Error struct {
	What string // the value, such as `series "exact": Y[3]`
	Got  string // what was found there
	Want string // what would do
}

// Error returns one line, such as `plots: series "exact": Y[3] = NaN: want a finite number`.
func (e *Error) Error() string {
	return fmt.Sprintf("plots: %s = %s: want %s", e.What, e.Got, e.Want)
}

// Refuse returns an [*Error].
func Refuse(what string, got any, want string) error {
	text := fmt.Sprint(got)
	if s, ok := got.(string); ok {
		text = fmt.Sprintf("%q", s)
	}
	return &Error{What: strings.ReplaceAll(what, "\n", " "), Got: text, Want: want}
}

// IsFinite reports that v is a number and no infinity.
func IsFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Finite refuses an empty slice and the first entry that is not finite.
func Finite(what string, v []float64) error {
	if len(v) == 0 {
		return Refuse("len("+what+")", 0, "at least one value")
	}
	for i, x := range v {
		if !IsFinite(x) {
			return Refuse(fmt.Sprintf("%s[%d]", what, i), x, "a finite number")
		}
	}
	return nil
}

// Len refuses a slice whose length is not n.
func Len(what string, got, n int, of string) error {
	if got != n {
		return Refuse("len("+what+")", got, fmt.Sprintf("%d, the length of %s", n, of))
	}
	return nil
}

// Rising refuses a slice that is not strictly increasing.
func Rising(what string, v []float64) error {
	for i := 1; i < len(v); i++ {
		if v[i] <= v[i-1] {
			return Refuse(fmt.Sprintf("%s[%d]", what, i), v[i], fmt.Sprintf("more than %g, the value before it", v[i-1]))
		}
	}
	return nil
}

// Servers returns counts of servers as numbers, and refuses those below 1.
func Servers(what string, n []int) ([]float64, error) {
	if len(n) == 0 {
		return nil, Refuse("len("+what+")", 0, "at least one value")
	}
	out := make([]float64, len(n))
	for i, v := range n {
		if v < 1 {
			return nil, Refuse(fmt.Sprintf("%s[%d]", what, i), v, "at least 1 server")
		}
		out[i] = float64(v)
	}
	return out, nil
}
