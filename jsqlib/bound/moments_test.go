package bound

import (
	"context"
	"math"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/exact"
	"jsqlab/jsqlib/internal/near"
)

// The tail sum by its definition, in log space.
func bruteLogMoment(d Drift, r int) float64 {
	x := float64(r)
	decay := -math.Log(d.Jump / (d.Jump + d.Eta))
	logs := []float64{x * math.Log(d.Kappa)}
	top := logs[0]
	for j := 0; ; j++ {
		a, b := math.Log(d.Kappa+2*d.Jump*float64(j)), math.Log(d.Kappa+2*d.Jump*float64(j+1))
		v := -float64(j+1)*decay + x*b + math.Log(-math.Expm1(x*(a-b)))
		logs = append(logs, v)
		top = math.Max(top, v)
		if v < top-45 && float64(j)*decay > x {
			break
		}
	}
	sum := 0.0
	for _, v := range logs {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}

func TestLogMomentIsTheTailSum(t *testing.T) {
	r := newRand(4)
	for range 12 {
		d := mustDrift(t, randomSystem(r, 2+r.IntN(15)))
		d, err := d.WithEta(d.Slope * math.Pow(r.Float64(), 2))
		if err != nil {
			t.Fatal(err)
		}
		for _, order := range []int{1, 2, 3, 7, 20, 60} {
			got, err := d.LogMoment(order)
			if err != nil {
				t.Fatal(err)
			}
			// rounding of 10^4 terms and of exponents up to 10^3
			if want := bruteLogMoment(d, order); math.Abs(got-want) > 1e-9 {
				t.Errorf("%+v r = %d: log moment %.14g, summed %.14g", d, order, got, want)
			}
			closed, err := d.LogMomentClosed(order)
			if err != nil {
				t.Fatal(err)
			}
			if closed < got+math.Ln2-1e-12 {
				t.Errorf("%+v r = %d: closed form e^%g below twice the tail sum e^%g", d, order, closed, got)
			}
		}
	}
}

// Kappa far above 2D/mu, so that the largest term of the sum is not the first.
func TestLogMomentWithLargeKappa(t *testing.T) {
	d := mustDrift(t, jsqlib.Model{Servers: 16, Gap: 0.01})
	for _, share := range []float64{0.9, 0.999, 1 - 1e-7} {
		x, err := d.WithEta(d.Slope * share)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []int{1, 5, 50, 200} {
			got, err := x.LogMoment(r)
			if err != nil {
				t.Fatal(err)
			}
			if want := bruteLogMoment(x, r); math.Abs(got-want) > 1e-9*math.Abs(want) {
				t.Errorf("eta = %g slope, r = %d: %.14g, summed %.14g", share, r, got, want)
			}
		}
	}
}

func TestFirstMoment(t *testing.T) {
	d := mustDrift(t, jsqlib.Model{Servers: 7, Gap: 0.2})
	got, err := d.MomentRoot(1)
	if err != nil {
		t.Fatal(err)
	}
	near.Rel(t, "M_1", got, d.Kappa+2*d.Jump*d.Jump/d.Eta, 1e-14) // E G = D/eta
}

// No overflow at any order, roots increase with r, and M_r grows like r in the end.
func TestMomentsOfHighOrder(t *testing.T) {
	for _, n := range []int{2, 100, 100000} {
		d := mustDrift(t, jsqlib.Model{Servers: n, Gap: 1e-9})
		before := 0.0
		for _, r := range []int{1, 2, 10, 100, 300, 1000, 5000, MaxOrder} {
			root, err := d.MomentRoot(r)
			if err != nil {
				t.Fatal(err)
			}
			log, err := d.LogMomentClosed(r)
			if err != nil {
				t.Fatal(err)
			}
			if closed := math.Exp(log / float64(r)); !(root > before && root < closed && !math.IsInf(closed, 0)) {
				t.Errorf("N = %d, r = %d: root %g after %g, closed form %g", n, r, root, before, closed)
			}
			before = root
		}
		// Stirling: M_r = (2D/mu) r/e (2 pi r)^(1/(2r)) (1 + O(1/r)), up to constant^(1/r)
		near.Rel(t, "M_r/r", before/MaxOrder, 2*d.Jump/d.decay()/math.E, 0.01)
	}
}

func TestMomentErrors(t *testing.T) {
	d := mustDrift(t, jsqlib.Model{Servers: 4, Gap: 0.1})
	for _, r := range []int{-1, 0, MaxOrder + 1} {
		_, err := d.LogMoment(r)
		wantArgument(t, err, "r", "want 1 <= r")
		_, err = d.LogMomentClosed(r)
		wantArgument(t, err, "r", "want 1 <= r")
		_, err = d.MomentRoot(r)
		wantArgument(t, err, "r", "want 1 <= r")
	}
	if d.Tail(d.Kappa-1e-9) != 1 || d.Tail(-1) != 1 || !math.IsNaN(d.Tail(math.NaN())) || d.Tail(math.Inf(1)) != 0 {
		t.Error("tail outside its range")
	}
	near.Rel(t, "tail at kappa", d.Tail(d.Kappa), d.Jump/(d.Jump+d.Eta), 1e-14)
	near.Rel(t, "tail at kappa + 4D", d.Tail(d.Kappa+4.0001*d.Jump), math.Pow(d.Jump/(d.Jump+d.Eta), 3), 1e-14)
}

// Golden sections find the eta that a fine grid finds, and the moment falls and
// then rises in eta.
func TestOptimised(t *testing.T) {
	r := newRand(5)
	for range 8 {
		d := mustDrift(t, randomSystem(r, 2+r.IntN(60)))
		for _, order := range []int{1, 2, 9, 40} {
			best, err := d.Optimised(order)
			if err != nil {
				t.Fatal(err)
			}
			got, err := best.LogMoment(order)
			if err != nil {
				t.Fatal(err)
			}
			lowest, turns, before, falling := math.Inf(1), 0, math.Inf(1), true
			for i := 1; i < 500; i++ {
				v, _ := d.withEta(d.Slope*float64(i)/500).logMoment(order, nil)
				if falling != (v < before) {
					turns++
					falling = !falling
				}
				before = v
				lowest = math.Min(lowest, v)
			}
			if turns != 1 {
				t.Errorf("%+v r = %d: the moment turns %d times in eta, want 1", d, order, turns)
			}
			if got > lowest+1e-9 {
				t.Errorf("%+v r = %d: log moment %g at the optimum, %g on the grid", d, order, got, lowest)
			}
			if textbook, _ := d.LogMoment(order); got > textbook {
				t.Errorf("r = %d: optimised %g above textbook %g", order, got, textbook)
			}
		}
	}
}

// The lemma against the exact law of two and three saturated servers and of two
// servers near the boundary: moments and tail, for several eta.
func TestMomentsBoundTheTruth(t *testing.T) {
	r, systems := newRand(6), 6
	if testing.Short() {
		systems = 2
	}
	for i := range systems {
		s := randomSystem(r, 2+i%2)
		saturated, err := exact.NewSaturated(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		d := mustDrift(t, s)
		for _, share := range []float64{0.1, 0.5, 0.9} {
			d, err := d.WithEta(share * d.Slope)
			if err != nil {
				t.Fatal(err)
			}
			for _, order := range []int{1, 2, 4, 10} {
				truth, err := saturated.MomentRoot(order)
				if err != nil {
					t.Fatal(err)
				}
				bound, err := d.MomentRoot(order)
				if err != nil {
					t.Fatal(err)
				}
				if !(truth > 0 && truth < bound) {
					t.Errorf("%+v: root of order %d is %g, bound %g", s, order, truth, bound)
				}
			}
			for x := 0.0; x < 3*d.Kappa; x += d.Kappa / 4 {
				if p := saturated.Tail(x); p > d.Tail(x)+1e-12 {
					t.Errorf("%+v: P(L > %g) = %g, bound %g", s, x, p, d.Tail(x))
				}
			}
		}
	}
	truth := smallChain(t, jsqlib.Model{Servers: 2, Gap: 0.3}, 40)
	d := mustDrift(t, jsqlib.Model{Servers: 2, Gap: 0.3})
	for _, order := range []int{1, 2, 4, 8} {
		m := 0.0
		for i, l := range truth.norms {
			m += truth.weights[i] * math.Pow(l, float64(order))
		}
		bound, _ := d.MomentRoot(order)
		if root := math.Pow(m, 1/float64(order)); !(root > 0 && root < bound) {
			t.Errorf("order %d: %g, bound %g", order, root, bound)
		}
	}
}
