package law

import (
	"math"
	"testing"

	"jsqlab/jsqlib"
)

// TestLaplaceFar: far beyond 1/c, where e^(-theta c Q~) would overflow for
// Q~ < 0, the transform is P(Q = 0) and what little comes after it.
func TestLaplaceFar(t *testing.T) {
	c, err := jsqlib.Model{Servers: 2, Alpha: 1}.Constants()
	if err != nil {
		t.Fatal(err)
	}
	b := Boundary{Min: -3, P: []float64{0.01, 0.09, 0.3, 0.4, 0.2}}
	q, err := New(c, b)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []float64{300, 1e4, 1e300} {
		theta := s / c.Gap
		l, err := q.Laplace(theta)
		if err != nil {
			t.Fatal(err)
		}
		want := q.PMF(0) + q.PMF(1)*math.Exp(-s)
		if math.Abs(l-want) > 1e-15 {
			t.Errorf("transform at s = %g: %v, want %v", s, l, want)
		}
		e, err := q.LaplaceError(theta)
		if err != nil || math.Abs(e-(want-1/(1+c.LimitMean*theta))) > 1e-15 {
			t.Errorf("error at s = %g: %v, %v", s, e, err)
		}
	}
}
