// Package hostile tests functions against calls that no one should make. A function must answer and not
// panic, and an error must take one line.
package hostile

import (
	"fmt"
	"strings"
	"testing"
)

// Calls are calls with their expected answers.
type Calls []struct {
	Name string
	Do   func() any // returns what is to be looked at: a value or an error
	Want string     // is in the answer as fmt prints it
}

// Run makes the calls, each as a test of its own.
func Run(t *testing.T, calls Calls) {
	t.Helper()
	for _, c := range calls {
		t.Run(c.Name, func(t *testing.T) {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("panic: %v: want %q", r, c.Want)
				}
			}()
			if got := fmt.Sprint(c.Do()); !strings.Contains(got, c.Want) || strings.Contains(got, "\n") {
				t.Errorf("got %q: want one line with %q", got, c.Want)
			}
		})
	}
}

// Err returns the error of a call with two results.
func Err[T any](_ T, err error) any { return err }
