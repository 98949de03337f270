package sim

import (
	"context"
	"math"
	"testing"

	"jsqlab/jsqlib"

	"gonum.org/v1/gonum/mat"
)

// extrapolate fits y = a + b N^(-1/2) + c/N by weighted least squares and
// returns a with its standard error and chi^2 over the degrees of freedom.
func extrapolate(t *testing.T, n []int, y []jsqlib.Estimate) (jsqlib.Estimate, float64) {
	t.Helper()
	x := mat.NewDense(len(n), 3, nil)
	v := mat.NewVecDense(len(n), nil)
	for i := range n {
		w := 1 / y[i].StdErr
		r := 1 / math.Sqrt(float64(n[i]))
		x.SetRow(i, []float64{w, w * r, w * r * r})
		v.SetVec(i, w*y[i].Value)
	}
	var normal, inverse mat.Dense
	normal.Mul(x.T(), x)
	if err := inverse.Inverse(&normal); err != nil {
		t.Fatal(err)
	}
	var right, fit, back mat.VecDense
	right.MulVec(x.T(), v)
	fit.MulVec(&inverse, &right)
	back.MulVec(x, &fit)
	back.SubVec(v, &back)
	se := math.Sqrt(inverse.At(0, 0))
	return jsqlib.Estimate{Value: fit.AtVec(0), StdErr: se}, mat.Dot(&back, &back) / float64(len(n)-3)
}

// TestBoundaryLimits: as N grows, E Q~/N tends to 4 - e in continuous time and
// E Q~/N^2 to 1/2 in discrete time with batches, up to terms in N^(-1/2) and
// 1/N: both limits are heuristic, so this is evidence with an error bar.
func TestBoundaryLimits(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("long")
	}
	servers := []int{25, 50, 100, 200, 400, 1000}
	var y []jsqlib.Estimate
	for _, n := range servers {
		b, err := Boundary(context.Background(), jsqlib.Model{Continuous: true, Servers: n, Gap: 1e-30},
			BoundaryOptions{Estimator: Climb, Options: Options{Seed: 1, RelError: 0.01 * math.Max(1, float64(n)/400)}})
		if err != nil {
			t.Fatal(err)
		}
		y = append(y, b.QtildeMean.Affine(1/float64(n), 0))
	}
	a, chi := extrapolate(t, servers, y)
	t.Logf("CT: E Q~/N = %.4f -> %.4f(%.4f), 4 - e = %.4f, chi^2 = %.1f", y[len(y)-1].Value, a.Value, a.StdErr, 4-math.E, chi)
	if a.Deviation(4-math.E) > 4 || a.StdErr > 0.06 {
		t.Errorf("CT: limit of E Q~/N = %v, want 4 - e", a)
	}

	servers, y = []int{16, 32, 64, 100, 144, 256}, nil
	for _, n := range servers {
		b, err := Boundary(context.Background(), jsqlib.Model{Servers: n, Gap: 1e-30},
			BoundaryOptions{Estimator: Climb, Options: Options{Seed: 1, RelError: 0.004}})
		if err != nil {
			t.Fatal(err)
		}
		y = append(y, b.QtildeMean.Affine(1/float64(n*n), 0))
	}
	a, chi = extrapolate(t, servers, y)
	t.Logf("DT: E Q~/N^2 = %.4f -> %.4f(%.4f), chi^2 = %.1f", y[len(y)-1].Value, a.Value, a.StdErr, chi)
	if a.Deviation(0.5) > 4 || a.StdErr > 0.02 {
		t.Errorf("DT: limit of E Q~/N^2 = %v, want 1/2", a)
	}
}
