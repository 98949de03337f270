package law

import (
	"fmt"
	"math"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/near"
)

// TestW1Cells holds W1 against the cells summed one by one.
func TestW1Cells(t *testing.T) {
	var laws []*Total
	c, brute := bruteForce(t, jsqlib.Model{Servers: 2, Gap: 0.5}, 40)
	q, err := New(c, brute.boundary)
	if err != nil {
		t.Fatal(err)
	}
	laws = append(laws, q)
	for _, gap := range []float64{0.5, 0.05, 0.004} {
		// services of at most one job: Q~ = 0
		q, err := New(constants(t, jsqlib.Model{Servers: 1, Gap: gap, Service: jsqlib.PMF{0, 1}}), Boundary{P: []float64{1}})
		if err != nil {
			t.Fatal(err)
		}
		laws = append(laws, q)
	}
	for _, q := range laws {
		gap := q.Scale()
		for _, mean := range []float64{q.LimitMean(), q.MeanN(), 0.3, 2} {
			// int |S - e^(-x)| over a cell, S constant, x in units of the mean
			h, sum, s := gap/mean, 0.0, 1.0
			primitive := func(x float64) float64 { return s*x + math.Exp(-x) }
			for n := 0; float64(n) < 40/math.Min(h, q.kernel.rate); n++ {
				s -= q.PMF(n)
				a, b := float64(n)*h, float64(n+1)*h
				cross := b
				if s > 0 {
					cross = math.Min(math.Max(-math.Log(s), a), b)
				}
				sum += primitive(a) - 2*primitive(cross) + primitive(b)
			}
			w, err := q.W1(mean)
			if err != nil {
				t.Fatal(err)
			}
			near.Abs(t, fmt.Sprintf("gap = %v, mean = %v: W1", gap, mean), w, sum*mean, 1e-11)
		}
	}
}

// TestInfluence holds the influence function against differences of W1.
func TestInfluence(t *testing.T) {
	c, brute := bruteForce(t, jsqlib.Model{Servers: 2, Gap: 0.5}, 40)
	k, err := NewKernel(c)
	if err != nil {
		t.Fatal(err)
	}
	b := brute.boundary
	b.P = b.P[:12-b.Min] // the rest is below 1e-12
	sum := 0.0
	for _, p := range b.P {
		sum += p
	}
	for i := range b.P {
		b.P[i] /= sum
	}
	checkInfluence(t, k, b)
	for _, servers := range []int{1, 3, 40, 300} {
		for _, gap := range []float64{0.03, 1e-6, 1e-30} {
			k, err := NewKernel(constants(t, jsqlib.Model{Servers: servers, Gap: gap}))
			if err != nil {
				t.Fatal(err)
			}
			checkInfluence(t, k, spread(-1, 15*servers, 7))
		}
	}
}

func checkInfluence(t *testing.T, k *Kernel, b Boundary) {
	t.Helper()
	q, err := k.Total(b)
	if err != nil {
		t.Fatal(err)
	}
	for _, mean := range []float64{q.LimitMean(), q.MeanN(), 3} {
		w := q.influenceOfW1(mean)
		before, err := q.W1(mean)
		if err != nil {
			t.Fatal(err)
		}
		centre := 0.0
		for i, x := range w {
			centre += b.P[i] * x
		}
		near.Abs(t, "mean influence", centre/before, 0, 1e-10)
		for seed := range uint64(6) {
			d := spread(0, len(b.P)-1, 100+seed).P
			const step = 1e-5
			want := 0.0
			for i := range d {
				d[i] = b.P[i] * (d[i]*float64(len(d)) - 1)
			}
			sum := 0.0
			for _, x := range d {
				sum += x
			}
			for i := range d {
				d[i] -= sum * b.P[i]
				want += d[i] * w[i]
			}
			at := func(step float64) float64 {
				moved := Boundary{b.Min, make([]float64, len(d))}
				for i := range d {
					moved.P[i] = b.P[i] + step*d[i]
				}
				q, err := k.Total(moved)
				if err != nil {
					t.Fatal(err)
				}
				x, err := q.W1(mean)
				if err != nil {
					t.Fatal(err)
				}
				return x
			}
			got := (at(step) - at(-step)) / (2 * step)
			// a crossing that moves adds a term of second order
			near.Abs(t, fmt.Sprintf("N = %.0f, gap = %v, mean = %v: dW1", k.n, k.gap, mean), want, got,
				2e-5*math.Abs(got)+1e-7*before)
		}
	}
}

// TestMeanClamp holds the closed sum over the tail against the sum itself.
func TestMeanClamp(t *testing.T) {
	for _, rate := range []float64{1.5, 0.2, 0.01} {
		for _, a := range []float64{-3, -0.4, 0, 0.3, 1, 2.5} {
			for _, b := range []float64{-2, -0.3, -0.01, 0, 0.004, 0.11, 1, 7} {
				want := 0.0
				for i := range int(60 / rate) {
					want += clamp(a+b*float64(i)) * math.Exp(-rate*float64(i)) * -math.Expm1(-rate)
				}
				near.Abs(t, fmt.Sprintf("a = %v, b = %v, rate = %v", a, b, rate), meanClamp(a, b, rate), want, 1e-12)
			}
		}
	}
	// far too long to sum: the mean of a line from 0 to 1 over 1/b states
	near.Abs(t, "long line", meanClamp(0, 1e-30, 1e-30), -math.Expm1(-1), 1e-12)
	near.Abs(t, "out of reach", meanClamp(-1, 1e-60, 1e-30), 0, 0)
}

// TestNoisyBoundary: a boundary law that is not that of the system still gives
// a law that sums to 1, a distance, and a visible mass below 0.
func TestNoisyBoundary(t *testing.T) {
	c, brute := bruteForce(t, jsqlib.Model{Servers: 2, Gap: 0.5}, 40)
	b := Boundary{Min: brute.boundary.Min, P: append([]float64(nil), brute.boundary.P...)}
	for i := range b.P {
		b.P[i] *= 1 + 0.1*math.Sin(float64(3*i))
	}
	sum := 0.0
	for _, p := range b.P {
		sum += p
	}
	for i := range b.P {
		b.P[i] /= sum
	}
	q, err := New(c, b)
	if err != nil {
		t.Fatal(err)
	}
	if m := q.NegativeMass(); m < 1e-3 || m > 0.1 {
		t.Errorf("mass below 0 = %v, want it to show an error of 10%%", m)
	}
	w, err := q.W1ToLimit()
	if err != nil {
		t.Fatal(err)
	}
	near.Abs(t, "W1", w, 0.1445934554, 0.02)
	last := 0.0
	for _, f := range q.rising {
		if f < last {
			t.Fatalf("the distribution function falls from %v to %v", last, f)
		}
		last = f
	}
}

func BenchmarkInfluenceN1000(b *testing.B) {
	q, err := New(constants(b, jsqlib.Model{Servers: 1000, Gap: 1e-18}), spread(-500, 1_000_000, 1))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		q.influenceOfW1(q.LimitMean())
	}
}

func BenchmarkW1N1000(b *testing.B) {
	q, err := New(constants(b, jsqlib.Model{Servers: 1000, Gap: 1e-18}), spread(-500, 1_000_000, 1))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := q.W1ToLimit(); err != nil {
			b.Fatal(err)
		}
	}
}
