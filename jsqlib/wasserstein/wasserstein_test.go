package wasserstein

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/near"
	"jsqlab/jsqlib/limit"
)

// definition is W1 of two weighted samples by its definition: |F - G| on every
// interval between points, each CDF summed anew.
func definition(x, xw, y, yw []float64) float64 {
	cdf := func(t float64, x, w []float64) float64 {
		var at, total float64
		for i, v := range x {
			weight := 1.
			if w != nil {
				weight = w[i]
			}
			total += weight
			if v <= t {
				at += weight
			}
		}
		return at / total
	}
	all := slices.Concat(x, y)
	slices.Sort(all)
	var sum float64
	for i := 1; i < len(all); i++ {
		t := all[i-1]
		sum += math.Abs(cdf(t, x, xw)-cdf(t, y, yw)) * (all[i] - t)
	}
	return sum
}

// refused reports whether the error is a refused input and says text.
func refused(err error, text string) bool {
	var field *jsqlib.Invalid
	return errors.As(err, &field) && strings.Contains(err.Error(), text)
}

// of returns the sample of points and weights.
func of(x, w []float64) Sample { return Sample{x, w} }

// points returns n points with ties, in no order.
func points(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Round(8*rng.NormFloat64()) / 4
		if rng.IntN(2) == 0 {
			x[i] = rng.NormFloat64()
		}
	}
	return x
}

// weights returns nil or n weights, some of them zero.
func weights(rng *rand.Rand, n int) []float64 {
	if rng.IntN(3) == 0 {
		return nil
	}
	w := make([]float64, n)
	for i := range w {
		if rng.IntN(4) > 0 {
			w[i] = 100 * rng.Float64()
		}
	}
	w[rng.IntN(n)] = 1
	return w
}

func must(t *testing.T) func(float64, error) float64 {
	return func(v float64, err error) float64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestW1AgainstDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	check := must(t)
	for range 300 {
		nx, ny := 1+rng.IntN(30), 1+rng.IntN(30)
		if rng.IntN(3) == 0 {
			ny = nx
		}
		x, y := points(rng, nx), points(rng, ny)
		xw, yw := weights(rng, nx), weights(rng, ny)
		want := definition(x, xw, y, yw)
		if got := check(W1(of(x, xw), of(y, yw))); math.Abs(got-want) > 1e-13 {
			t.Fatalf("W1(of(%v, %v), of(%v, %v)) = %v, want %v", x, xw, y, yw, got, want)
		}
		if got := check(Wp(1, of(x, xw), of(y, yw))); math.Abs(got-want) > 1e-13 {
			t.Fatalf("Wp(1, of(%v, %v), of(%v, %v)) = %v, want %v", x, xw, y, yw, got, want)
		}
	}
}

func TestW1Metric(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	check := must(t)
	mean := func(x, w []float64) float64 {
		var sum, total float64
		for i, v := range x {
			weight := 1.
			if w != nil {
				weight = w[i]
			}
			sum, total = sum+weight*v, total+weight
		}
		return sum / total
	}
	mapped := func(x []float64, f func(float64) float64) []float64 {
		y := make([]float64, len(x))
		for i, v := range x {
			y[i] = f(v)
		}
		return y
	}
	const tol = 1e-12
	for range 200 {
		n := 1 + rng.IntN(40)
		x, y, z := points(rng, n), points(rng, 1+rng.IntN(40)), points(rng, 1+rng.IntN(40))
		xw, yw, zw := weights(rng, len(x)), weights(rng, len(y)), weights(rng, len(z))
		p := 1 + 4*rng.Float64()
		w := func(p float64, x, xw, y, yw []float64) float64 {
			if p == 1 {
				return check(W1(of(x, xw), of(y, yw)))
			}
			return check(Wp(p, of(x, xw), of(y, yw)))
		}
		for _, p := range []float64{1, p} {
			xy := w(p, x, xw, y, yw)
			if yx := w(p, y, yw, x, xw); yx != xy {
				t.Errorf("p = %v: not symmetric: %v and %v", p, xy, yx)
			}
			if xx := w(p, x, xw, x, xw); xx != 0 {
				t.Errorf("p = %v: distance to itself = %v", p, xx)
			}
			if xz, zy := w(p, x, xw, z, zw), w(p, z, zw, y, yw); xy > xz+zy+tol {
				t.Errorf("p = %v: triangle inequality: %v > %v + %v", p, xy, xz, zy)
			}
			if d := math.Abs(mean(x, xw) - mean(y, yw)); xy < d-tol {
				t.Errorf("p = %v: %v below the difference of means %v", p, xy, d)
			}
			a := 3 * rng.NormFloat64()
			if got := w(p, x, xw, mapped(x, func(v float64) float64 { return v + a }), xw); math.Abs(got-math.Abs(a)) > tol {
				t.Errorf("p = %v: translation by %v is at distance %v", p, a, got)
			}
			scale := func(v float64) float64 { return a * v }
			if got := w(p, mapped(x, scale), xw, mapped(y, scale), yw); math.Abs(got-math.Abs(a)*xy) > tol {
				t.Errorf("p = %v: scaled by %v: %v, want %v", p, a, got, math.Abs(a)*xy)
			}
		}
		if w1, wp := w(1, x, xw, y, yw), w(p, x, xw, y, yw); wp < w1-tol {
			t.Errorf("Wp decreases in p: W1 = %v, W%v = %v", w1, p, wp)
		}
	}
}

func TestWpClosedForms(t *testing.T) {
	check := must(t)
	// Mass 1/2 moves by 1, mass 1/2 by 3.
	x, y := []float64{2, 0}, []float64{1, 5}
	for _, p := range []float64{1, 1.5, 2, 7, 300} {
		// log-space value of ((1 + 3^p)/2)^(1/p)
		want := 3 * math.Exp((math.Log1p(math.Pow(3, -p))-math.Ln2)/p)
		near.Rel(t, fmt.Sprintf("W%v", p), check(Wp(p, of(x, nil), of(y, nil))), want, 1e-14)
	}
	near.Rel(t, "W200 of far point masses", check(Wp(200, of([]float64{0}, nil), of([]float64{1e300}, nil))), 1e300, 1e-14)
}

func TestW1LawPointMass(t *testing.T) {
	check := must(t)
	for _, m := range []float64{1, 0.5, 1e-20, 1e12} {
		for u := 1e-12; u < 40; u *= 1.7 {
			c := u * m
			// c - m + 2 m e^(-c/m) = m (1 - u + 2 (e^(-u) - 1 + u))
			want := m * (1 - u + 2*(math.Expm1(-u)+u))
			near.Rel(t, fmt.Sprintf("W1(%g, Exp(%g))", c, m), check(W1Law(of([]float64{c}, nil), limit.Exponential{Mean: m})), want, 1e-14)
		}
		// To the left of the support all mass moves the same way.
		near.Rel(t, fmt.Sprintf("W1(%g, Exp(%g))", -3*m, m), check(W1Law(of([]float64{-3 * m}, nil), limit.Exponential{Mean: m})), 4*m, 1e-14)
	}
	// Point mass against Gamma(2, b): E|Z - c| = c - E Z + 2 E (Z - c)^+, and
	// E (Z - c)^+ = e^(-bc) (2 + bc)/b.
	for _, b := range []float64{1, 30} {
		for u := 0.01; u < 30; u *= 1.3 {
			want := (u - 2 + 2*math.Exp(-u)*(2+u)) / b
			if got := check(W1Law(of([]float64{u / b}, nil), limit.Gamma{Shape: 2, Rate: b})); math.Abs(got-want)*b > 1e-13*(1+u) {
				t.Errorf("W1(%g, Gamma(2, %g)) = %v, want %v", u/b, b, got, want)
			}
		}
	}
}

// general hides the type of a law, so that no special case applies.
type general struct{ limit.Law }

func TestW1LawRoutesAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	check := must(t)
	for range 200 {
		n := 1 + rng.IntN(50)
		x, w := points(rng, n), weights(rng, n)
		m := 0.1 + rng.Float64()
		exp := limit.Exponential{Mean: m}
		got := check(W1Law(of(x, w), exp))
		for _, law := range []limit.Law{general{exp}, limit.Gamma{Shape: 1, Rate: 1 / m}} {
			near.Rel(t, fmt.Sprintf("Exp(%v): W1 as a general law (%T)", m, law), check(W1Law(of(x, w), law)), got, 1e-12)
		}
	}
}

// The law replaced by a sample of its quantiles: W1 differs by at most the
// distance of the two.
func TestW1LawAgainstSample(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	check := must(t)
	for _, law := range []limit.Law{limit.Exponential{Mean: 0.5}, limit.Gamma{Shape: 2, Rate: 1}, general{limit.Exponential{Mean: 2}}} {
		const size = 20_000
		fine := make([]float64, size)
		for i := range fine {
			fine[i] = law.Quantile((float64(i) + 0.5) / size)
		}
		slack := check(W1Law(of(fine, nil), law))
		if slack > 1e-3 {
			t.Fatalf("%#v: W1 of its own quantiles = %v", law, slack)
		}
		for range 20 {
			n := 1 + rng.IntN(50)
			x, w := points(rng, n), weights(rng, n)
			got, want := check(W1Law(of(x, w), law)), check(W1(of(x, w), of(fine, nil)))
			if math.Abs(got-want) > slack*(1+1e-9) {
				t.Errorf("%#v: W1 = %v, want %v +- %v", law, got, want, slack)
			}
		}
	}
}

func TestInputsRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	good, two := []float64{1, 2, 3}, []float64{1, 2}
	for _, c := range []struct {
		name string
		x, w []float64
		text string
	}{
		{"nil", nil, nil, "wasserstein: NAME = no points"},
		{"empty", []float64{}, []float64{}, "no points"},
		{"fewer weights", good, two, "3 points and 2 weights"},
		{"no weights", good, []float64{}, "3 points and 0 weights"},
		{"NaN", []float64{1, nan}, nil, "NAME[1] = NaN: want a finite number"},
		{"Inf", []float64{inf, 1}, two, "NAME[0] = +Inf"},
		{"-Inf", []float64{1, -inf}, nil, "NAME[1] = -Inf"},
		{"NaN weight", two, []float64{1, nan}, "weight 1 of NAME = NaN"},
		{"Inf weight", two, []float64{inf, 1}, "weight 0 of NAME = +Inf"},
		{"negative weight", good, []float64{1, 1, -1}, "weight 2 of NAME = -1: want 0 <= weight < Inf"},
		{"zero weights", two, []float64{0, 0}, "sum of the weights of NAME = 0"},
		{"huge weights", two, []float64{math.MaxFloat64, math.MaxFloat64}, "sum of the weights"},
	} {
		law := limit.Exponential{Mean: 1}
		for i, call := range []func() (float64, error){
			func() (float64, error) { return W1(of(c.x, c.w), of(good, nil)) },
			func() (float64, error) { return Wp(2, of(c.x, c.w), of(good, nil)) },
			func() (float64, error) { return W1Law(of(c.x, c.w), law) },
			func() (float64, error) { return W1(of(good, nil), of(c.x, c.w)) },
			func() (float64, error) { return Wp(2, of(good, nil), of(c.x, c.w)) },
		} {
			name := "x"
			if i >= 3 {
				name = "y"
			}
			text := strings.ReplaceAll(c.text, "NAME", name)
			if _, err := call(); !refused(err, text) {
				t.Errorf("%s, call %d: error %v, want %q", c.name, i, err, text)
			}
		}
	}
	for _, p := range []float64{0.5, nan, inf, -1} {
		if _, err := Wp(p, of(good, nil), of(good, nil)); !refused(err, "order p") {
			t.Errorf("p = %v: error %v", p, err)
		}
	}
	far := []float64{-math.MaxFloat64}
	if _, err := W1(of(far, nil), of([]float64{math.MaxFloat64}, nil)); !refused(err, "distance = beyond float64") {
		t.Errorf("overflow: error %v", err)
	}
	if _, err := Wp(2, of(far, nil), of([]float64{math.MaxFloat64}, nil)); !refused(err, "distance = beyond float64") {
		t.Errorf("overflow: error %v", err)
	}
	for _, law := range []limit.Law{nil, limit.Exponential{}, limit.Exponential{Mean: -1}, limit.Exponential{Mean: nan}, limit.Exponential{Mean: inf}} {
		if _, err := W1Law(of(good, nil), law); !refused(err, "law") {
			t.Errorf("law %#v: error %v", law, err)
		}
	}
}

// Errors in large samples, which are prepared at the same time, name the first.
func TestLargeInputsRefused(t *testing.T) {
	x, y := make([]float64, 2*parallelThreshold), make([]float64, 2*parallelThreshold)
	x[5], y[7] = math.NaN(), math.NaN()
	if _, err := W1(of(x, nil), of(y, nil)); !refused(err, "x[5]") {
		t.Errorf("error %v, want one for x[5]", err)
	}
	x[5] = 0
	if _, err := W1(of(x, nil), of(y, nil)); !refused(err, "y[7]") {
		t.Errorf("error %v, want one for y[7]", err)
	}
}

func TestInputsUnchanged(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	check := must(t)
	for _, n := range []int{5, 3 * radixThreshold} {
		for _, sorted := range []bool{false, true} {
			x, y := points(rng, n), points(rng, n+1)
			xw, yw := make([]float64, n), make([]float64, n+1)
			for i := range yw {
				yw[i] = rng.Float64()
			}
			copy(xw, yw)
			if sorted {
				slices.Sort(x)
				slices.Sort(y)
			}
			before := [][]float64{slices.Clone(x), slices.Clone(xw), slices.Clone(y), slices.Clone(yw)}
			check(W1(of(x, nil), of(y, nil)))
			check(W1(of(x, xw), of(y, yw)))
			check(Wp(3, of(x, xw), of(y, nil)))
			check(W1Law(of(x, xw), limit.Exponential{Mean: 1}))
			check(W1Law(of(x, nil), limit.Gamma{Shape: 2, Rate: 1}))
			for i, after := range [][]float64{x, xw, y, yw} {
				if !slices.Equal(before[i], after) {
					t.Errorf("n = %d, sorted = %v: argument %d changed", n, sorted, i)
				}
			}
		}
	}
}

func TestRadixSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, kind := range []string{"normal", "lattice", "extreme", "reverse"} {
		x := make([]float64, 5000)
		w := make([]float64, len(x))
		for i := range x {
			switch kind {
			case "normal":
				x[i] = rng.NormFloat64()
			case "lattice":
				x[i] = float64(rng.IntN(20)) - 10
			case "extreme":
				x[i] = math.Ldexp(rng.NormFloat64(), rng.IntN(2000)-1050)
			case "reverse":
				x[i] = -float64(i)
			}
			w[i] = float64(i)
		}
		want := slices.Clone(x)
		slices.Sort(want)
		got, _ := radixSort(x, nil)
		if !slices.Equal(got, want) {
			t.Errorf("%s: points not sorted", kind)
		}
		got, ws := radixSort(x, w)
		if !slices.Equal(got, want) {
			t.Errorf("%s: points with weights not sorted", kind)
		}
		seen := make([]bool, len(x))
		for i, v := range ws {
			if x[int(v)] != got[i] || seen[int(v)] {
				t.Fatalf("%s: weight %v went to %v", kind, v, got[i])
			}
			seen[int(v)] = true
		}
	}
}

func TestNullMeanAndLaw(t *testing.T) {
	ctx, reps := context.Background(), 400
	if testing.Short() {
		reps = 100
	}
	for _, c := range []struct {
		law  limit.Exponential
		n    int
		rtol float64 // of the asymptotic mean, besides the standard error
	}{
		{limit.Exponential{Mean: 0.5}, 1000, 0.03},
		{limit.Exponential{Mean: 3}, 20_000, 0.01},
	} {
		d, err := Null(ctx, c.n, c.law, NullOptions{Reps: reps, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		want := NoiseFloor(c.n, c.law.Mean)
		if diff := math.Abs(d.Mean - want); diff > 4*d.StdErr+c.rtol*want {
			t.Errorf("%v, n = %d: E W1 = %v +- %v, asymptotically %v", c.law, c.n, d.Mean, d.StdErr, want)
		}
		t.Logf("%v, n = %d: E W1 / (sqrt(pi/2) m n^(-1/2)) = %.4f +- %.4f", c.law, c.n, d.Mean/want, d.StdErr/want)
	}
	// A sample of one point: E W1 = E |Z - Z'| = m.
	d, err := Null(ctx, 1, limit.Exponential{Mean: 2}, NullOptions{Reps: 4000, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(d.Mean-2) > 4*d.StdErr {
		t.Errorf("n = 1: E W1 = %v +- %v, want 2", d.Mean, d.StdErr)
	}
	// Samples that are not generated in order have the same distribution.
	rng := rand.New(rand.NewPCG(1, 1))
	plain := make([]float64, 2000)
	sample := make([]float64, 50)
	for i := range plain {
		for j := range sample {
			sample[j] = rng.ExpFloat64()
		}
		if plain[i], err = W1Law(of(sample, nil), limit.Exponential{Mean: 1}); err != nil {
			t.Fatal(err)
		}
	}
	d, err = Null(ctx, 50, limit.Exponential{Mean: 1}, NullOptions{Reps: 2000, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(plain)
	gap := 0. // Kolmogorov-Smirnov statistic
	for i, v := range plain {
		below, _ := slices.BinarySearch(d.Values, v)
		gap = math.Max(gap, math.Abs(float64(below)/2000-float64(i)/2000))
	}
	if critical := 1.95 * math.Sqrt(2./2000); gap > critical { // level 0.001
		t.Errorf("Kolmogorov-Smirnov distance %v of two null samples: want <= %v", gap, critical)
	}
}

func TestNullReproducible(t *testing.T) {
	run := func(workers int, seed uint64) []float64 {
		last := 0
		d, err := Null(context.Background(), 30, limit.Gamma{Shape: 2, Rate: 1}, NullOptions{
			Reps: 50, Seed: seed, Workers: workers,
			Progress: func(done, total int) {
				if done != last+1 || total != 50 {
					t.Errorf("progress %d of %d after %d", done, total, last)
				}
				last = done
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if last != 50 {
			t.Errorf("progress ended at %d", last)
		}
		return append(d.Values, d.Mean, d.StdErr)
	}
	want := run(1, 7)
	for _, workers := range []int{2, 7} {
		if got := run(workers, 7); !slices.Equal(got, want) {
			t.Errorf("%d workers: not the bits of one worker", workers)
		}
	}
	if slices.Equal(run(1, 8), want) {
		t.Error("seeds 7 and 8 give the same sample")
	}
}

func TestNullQuantile(t *testing.T) {
	d := &NullDistribution{Values: []float64{1, 2, 3, 4}}
	for _, c := range []struct{ p, want float64 }{{0, 1}, {0.25, 1}, {0.26, 2}, {0.5, 2}, {1, 4}} {
		if got := d.Quantile(c.p); got != c.want {
			t.Errorf("Quantile(%v) = %v, want %v", c.p, got, c.want)
		}
	}
	if q := d.Quantile(1.5); !math.IsNaN(q) {
		t.Errorf("Quantile(1.5) = %v, want NaN", q)
	}
	for _, c := range []struct{ w, want float64 }{{0, 1}, {1, 1}, {1.5, 0.8}, {4, 0.4}, {5, 0.2}} {
		if got := d.PValue(c.w); got != c.want {
			t.Errorf("PValue(%v) = %v, want %v", c.w, got, c.want)
		}
	}
}

func TestNullErrors(t *testing.T) {
	law := limit.Exponential{Mean: 1}
	for _, c := range []struct {
		n    int
		law  limit.Law
		opt  NullOptions
		text string
	}{
		{0, law, NullOptions{}, "sample size"},
		{5, law, NullOptions{Reps: -1}, "reps"},
		{5, law, NullOptions{Workers: -1}, "workers"},
		{5, nil, NullOptions{}, "law"},
		{5, limit.Exponential{}, NullOptions{}, "law"},
	} {
		if _, err := Null(context.Background(), c.n, c.law, c.opt); !refused(err, c.text) {
			t.Errorf("Null(%d, %v, %+v): error %v, want %q", c.n, c.law, c.opt, err, c.text)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	opt := NullOptions{Reps: 100, Workers: 1, Progress: func(done, _ int) {
		if done == 3 {
			cancel()
		}
	}}
	if _, err := Null(ctx, 5, law, opt); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "after 3 of 100") {
		t.Errorf("cancelled: error %v", err)
	}
}

// exponentials returns n i.i.d. Exp(1) points.
func exponentials(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.ExpFloat64()
	}
	return x
}

func BenchmarkW1TwoSample1e6(b *testing.B) {
	x, y, w := exponentials(1e6, 1), exponentials(1e6, 2), exponentials(1e6, 3)
	sx, sy := slices.Clone(x), slices.Clone(y)
	slices.Sort(sx)
	slices.Sort(sy)
	for _, c := range []struct {
		name         string
		x, xw, y, yw []float64
	}{
		{"equal", x, nil, y, nil},
		{"unequal-sizes", x, nil, y[1:], nil},
		{"weighted", x, w, y, w},
		{"sorted", sx, nil, sy[1:], nil},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := W1(of(c.x, c.xw), of(c.y, c.yw)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkW1Law(b *testing.B) {
	for _, n := range []int{1e6, 1e7} {
		x, w := exponentials(n, 1), exponentials(n, 3)
		for _, c := range []struct {
			name string
			w    []float64
			law  limit.Law
		}{
			{"exponential", nil, limit.Exponential{Mean: 1}},
			{"exponential-weighted", w, limit.Exponential{Mean: 1}},
			{"gamma", nil, limit.Gamma{Shape: 2, Rate: 1}},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				for b.Loop() {
					if _, err := W1Law(of(x, c.w), c.law); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkWp2TwoSample1e6(b *testing.B) {
	x, y := exponentials(1e6, 1), exponentials(1e6, 2)
	for b.Loop() {
		if _, err := Wp(2, of(x, nil), of(y, nil)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNull1000x1e4(b *testing.B) {
	for b.Loop() {
		if _, err := Null(context.Background(), 10_000, limit.Exponential{Mean: 1}, NullOptions{Reps: 1000}); err != nil {
			b.Fatal(err)
		}
	}
}
