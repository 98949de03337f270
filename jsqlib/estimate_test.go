package jsqlib

import (
	"math"
	"testing"
)

func TestPlusMinus(t *testing.T) {
	for _, c := range []struct {
		value, half float64
		digits      int
		want        string
	}{
		{5.26123, 0.0502, 2, "5.261 ± 0.050"},
		{5.26123, 0.0502, 1, "5.26 ± 0.05"},
		{9.083e-05, 1.7e-06, 1, "(9.1 ± 0.2)e-05"},
		{0.0932, 0.0018, 1, "0.093 ± 0.002"},
		{12.34, 0.5, 1, "12.3 ± 0.5"},
		{-1234.5, 60, 1, "-1234 ± 60"},
		{123456.7, 1234, 2, "(1.235 ± 0.012)e+05"},
		{0, 2.5e-5, 2, "(0.0 ± 2.5)e-05"},
		{0.001, 2, 2, "0.0 ± 2.0"},
		{0.5, 0, 1, "0.5"},
		{3.14159, math.Inf(1), 1, "3.1 (error not known)"},
		{1e-305, 1e-307, 1, "1e-305 ± 1e-307"},
	} {
		if got := PlusMinus(c.value, c.half, c.digits); got != c.want {
			t.Errorf("PlusMinus(%v, %v, %d) = %q, want %q", c.value, c.half, c.digits, got, c.want)
		}
	}
	if got, want := (Estimate{Value: 0.0932, Low: 0.0914, High: 0.095}).String(), "0.093 ± 0.002"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
}
