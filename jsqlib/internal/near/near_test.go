package near

import (
	"math"
	"testing"
)

// recorder is a test that remembers that it failed.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }

func TestNear(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		got, want, tol float64
		abs, rel       bool
	}{
		{1, 1, 0, true, true},
		{0, 0, 0, true, true},
		{1.5, 1, 0.5, true, true},
		{1.5, 1, 0.4, false, false},
		{101, 100, 0.5, false, true},
		{-101, -100, 0.01, false, true},
		{0.02, 0.01, 0.5, true, false},
		{1e-9, 0, 1e-6, true, false},
		{nan, 1, 1, false, false},
		{1, nan, 1, false, false},
		{nan, nan, inf, false, false},
		{inf, inf, 1, false, false},
	} {
		var a, r recorder
		Abs(&a, "x", c.got, c.want, c.tol)
		Rel(&r, "x", c.got, c.want, c.tol)
		if a.failed == c.abs || r.failed == c.rel {
			t.Errorf("%v, want %v within %v: Abs fails %v, Rel fails %v", c.got, c.want, c.tol, a.failed, r.failed)
		}
	}
}
