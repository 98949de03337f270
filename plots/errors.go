package plots

import (
	"fmt"
	"math"
	"strings"
)

// InputError reports input that cannot be drawn: what it is, what was got and what is wanted.
type InputError struct {
	What string // the value, such as `series "exact": Y[3]`
	Got  string // what was found there
	Want string // what would do
}

// Error returns one line, such as `plots: series "exact": Y[3] = NaN: want a finite number`.
func (e *InputError) Error() string {
	return fmt.Sprintf("plots: %s = %s: want %s", e.What, e.Got, e.Want)
}

func inputError(what string, got any, want string) error {
	text := fmt.Sprint(got)
	if s, ok := got.(string); ok {
		text = fmt.Sprintf("%q", s)
	}
	return &InputError{What: strings.ReplaceAll(what, "\n", " "), Got: text, Want: want}
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// checkFinite refuses an empty slice and the first entry that is not finite.
func checkFinite(what string, v []float64) error {
	if len(v) == 0 {
		return inputError("len("+what+")", 0, "at least one value")
	}
	for i, x := range v {
		if !isFinite(x) {
			return inputError(fmt.Sprintf("%s[%d]", what, i), x, "a finite number")
		}
	}
	return nil
}

// checkLen refuses a slice whose length is not n.
func checkLen(what string, got, n int, of string) error {
	if got != n {
		return inputError("len("+what+")", got, fmt.Sprintf("%d, the length of %s", n, of))
	}
	return nil
}

// checkRising refuses a slice that is not strictly increasing.
func checkRising(what string, v []float64) error {
	for i := 1; i < len(v); i++ {
		if v[i] <= v[i-1] {
			return inputError(fmt.Sprintf("%s[%d]", what, i), v[i], fmt.Sprintf("more than %g, the value before it", v[i-1]))
		}
	}
	return nil
}

// floats converts counts of servers and refuses those below 1.
func floats(what string, n []int) ([]float64, error) {
	if len(n) == 0 {
		return nil, inputError("len("+what+")", 0, "at least one value")
	}
	out := make([]float64, len(n))
	for i, v := range n {
		if v < 1 {
			return nil, inputError(fmt.Sprintf("%s[%d]", what, i), v, "at least 1 server")
		}
		out[i] = float64(v)
	}
	return out, nil
}
