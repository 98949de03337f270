// Package near compares numbers in tests.
package near

import (
	"math"
	"testing"
)

// Abs fails the test unless |got - want| <= tol. NaN and infinity are near nothing.
func Abs(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s = %.17g, want %.17g within %.2g (off by %.3g)", what, got, want, tol, got-want)
	}
}

// Rel fails the test unless |got - want| <= tol |want|.
func Rel(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	Abs(t, what, got, want, tol*math.Abs(want))
}
