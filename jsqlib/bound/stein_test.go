package bound

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/near"
	"jsqlab/jsqlib/law"
)

// randomLipschitz returns an h with breaks in (0, 3).
func randomLipschitz(r *rand.Rand, breaks int) Lipschitz {
	h := Lipschitz{Name: "random"}
	for range breaks {
		h.Breaks = append(h.Breaks, 1e-3+3*r.Float64())
	}
	sort.Float64s(h.Breaks)
	for range breaks + 1 {
		h.Slopes = append(h.Slopes, 2*r.Float64()-1)
	}
	return h
}

func (h Lipschitz) slope(x float64) float64 {
	return h.Slopes[sort.Search(len(h.Breaks), func(i int) bool { return h.Breaks[i] > x })]
}

// value is h(x) - h(0).
func (h Lipschitz) value(x float64) float64 {
	v, at := 0.0, 0.0
	for i, b := range h.Breaks {
		if b >= x {
			return v + h.Slopes[i]*(x-at)
		}
		v += h.Slopes[i] * (b - at)
		at = b
	}
	return v + h.Slopes[len(h.Breaks)]*(x-at)
}

// f and its derivatives against the integral, by Simpson's rule between breaks.
func TestSteinSolution(t *testing.T) {
	r := newRand(21)
	for range 40 {
		m := 0.1 + 2*r.Float64()
		h := randomLipschitz(r, r.IntN(5))
		f, err := NewStein(m, h)
		if err != nil {
			t.Fatal(err)
		}
		integral := func(from float64) float64 { // -(1/m) int h'(y) e^(-(y-from)/m) dy
			ends := append([]float64{from}, h.Breaks...)
			ends = append(ends, from+45*m)
			sum := 0.0
			for i := 1; i < len(ends); i++ {
				a, b := math.Max(ends[i-1], from), ends[i]
				if b <= a {
					continue
				}
				const n = 2000
				d := h.slope((a + b) / 2)
				for k := range n + 1 {
					w := 4.0
					if k == 0 || k == n {
						w = 1
					} else if k%2 == 0 {
						w = 2
					}
					sum -= w * (b - a) / n / 3 * d * math.Exp(-(a+(b-a)*float64(k)/n-from)/m) / m
				}
			}
			return sum
		}
		mean := -m * f.Second(0) // E h - h(0)
		for range 20 {
			x := 4 * r.Float64()
			if got, want := f.Second(x), integral(x); math.Abs(got-want) > 1e-7 {
				t.Fatalf("%+v m = %g: f''(%g) = %.12g, want %.12g", h, m, x, got, want)
			}
			// the equation itself
			if left, right := m*f.Second(x)-f.Prime(x), h.value(x)-mean; math.Abs(left-right) > 1e-13 {
				t.Fatalf("%+v m = %g: m f'' - f' = %.15g at %g, h - E h = %.15g", h, m, left, x, right)
			}
			y := x + r.Float64()*math.Pow(10, -4*r.Float64())
			want := 0.0
			const n = 2000
			for k := range n { // midpoints
				want += f.Prime(x+(y-x)*(float64(k)+0.5)/n) * (y - x) / n
			}
			if got := f.Increment(x, y); math.Abs(got-want) > 1e-6*math.Abs(want)+1e-9 {
				t.Fatalf("f(%g) - f(%g) = %.12g, want %.12g", y, x, got, want)
			}
		}
	}
}

// |f”| <= 1 and |f”'| <= 2/m, and both constants are reached: by h = x, and by a slope
// that turns from 1 to -1.
func TestSteinNorms(t *testing.T) {
	r := newRand(22)
	for range 200 {
		m := math.Pow(10, 2*r.Float64()-1)
		h := randomLipschitz(r, r.IntN(6))
		f, err := NewStein(m, h)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range append([]float64{-1, 0, 1e-12, 5, 1e3, 1e300}, h.Breaks...) {
			for _, y := range []float64{x, math.Nextafter(x, -1), x * r.Float64()} {
				if s := f.Second(y); !(math.Abs(s) <= 1+1e-15) {
					t.Fatalf("%+v m = %g: f''(%g) = %g", h, m, y, s)
				}
				if s := f.Third(y); !(math.Abs(s) <= 2/m*(1+1e-15)) {
					t.Fatalf("%+v m = %g: f'''(%g) = %g, 2/m = %g", h, m, y, s, 2/m)
				}
				if s := f.Prime(y); !(math.Abs(s) <= math.Abs(y)*(1+1e-13)) {
					t.Fatalf("%+v m = %g: f'(%g) = %g", h, m, y, s)
				}
			}
		}
	}
	f, err := NewStein(3, Identity())
	if err != nil {
		t.Fatal(err)
	}
	if f.Second(7) != -1 || f.Third(7) != 0 || f.Prime(2) != -2 || f.Increment(1, 3) != -4 || f.Prime(-2) != 2 || f.Increment(-2, 0) != 2 {
		t.Error("h = x: want f = -x^2/2")
	}
	f, err = NewStein(1, Lipschitz{Breaks: []float64{40}, Slopes: []float64{1, -1}})
	if err != nil {
		t.Fatal(err)
	}
	near.Rel(t, "f'' beyond the turn", f.Second(40), 1, 1e-15)
	near.Rel(t, "f''' before the turn", f.Third(math.Nextafter(40, 0)), 2, 1e-12)
}

func TestNamedFunctions(t *testing.T) {
	for _, c := range []struct {
		h    Lipschitz
		x    float64
		want float64 // h(x) - h(0)
	}{
		{Identity(), 3, 3}, {Distance(2), 1, -1}, {Distance(2), 5, 1}, {Distance(0), 5, 5}, {Distance(-1), 5, 5},
		{Capped(2), 1, 1}, {Capped(2), 5, 2}, {Capped(0), 5, 0}, {Capped(-1), 5, 0},
	} {
		if got := c.h.value(c.x); got != c.want {
			t.Errorf("%s at %g: %g above its value at 0, want %g", c.h.Name, c.x, got, c.want)
		}
		// E h - h(0) = -m f''(0)
		f, err := NewStein(2, c.h)
		if err != nil {
			t.Fatal(err)
		}
		want := c.h.Slopes[len(c.h.Slopes)-1] * 2
		if len(c.h.Breaks) == 1 {
			e := math.Exp(-c.h.Breaks[0] / 2)
			want = c.h.Slopes[0]*2*(1-e) + c.h.Slopes[1]*2*e
		}
		if got := -2 * f.Second(0); math.Abs(got-want) > 1e-14 {
			t.Errorf("%s: E h - h(0) = %g, want %g", c.h.Name, got, want)
		}
	}
}

func TestSteinErrors(t *testing.T) {
	for _, m := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		_, err := NewStein(m, Identity())
		wantArgument(t, err, "mean", "0 < mean")
	}
	for _, h := range []Lipschitz{
		{}, {Slopes: []float64{1.1}}, {Slopes: []float64{math.NaN()}}, {Slopes: []float64{1, 1}},
		{Breaks: []float64{0}, Slopes: []float64{1, 1}}, {Breaks: []float64{2, 1}, Slopes: []float64{1, 1, 1}},
		{Breaks: []float64{math.Inf(1)}, Slopes: []float64{1, 1}}, Distance(math.NaN()), Capped(math.Inf(1)),
	} {
		_, err := NewStein(1, h)
		wantArgument(t, err, "h", "want")
	}
	_, err := Witness(nil)
	wantArgument(t, err, "t", "nil")
}

// exactLaws are laws that nothing is estimated in.
func exactLaws(t *testing.T) []smallTruth {
	return []smallTruth{
		smallChain(t, jsqlib.Model{Servers: 1, Gap: 0.1}, 200),
		smallChain(t, jsqlib.Model{Servers: 2, Gap: 0.3}, 40),
		smallChain(t, jsqlib.Model{Servers: 2, Gap: 0.2, Routing: jsqlib.Job, Arrivals: jsqlib.PMF{0.4, 0.3, 0.2, 0.1}}, 45),
	}
}

// Each term against its definition, summed over states and arrivals, with no
// closed form and no identity.
func TestTermsByDefinition(t *testing.T) {
	r := newRand(23)
	for _, truth := range exactLaws(t) {
		c := truth.c
		total, err := law.New(c, truth.boundary)
		if err != nil {
			t.Fatal(err)
		}
		witness, err := Witness(total)
		if err != nil {
			t.Fatal(err)
		}
		service := make(jsqlib.PMF, c.SMax+1)
		for k, p := range c.Service {
			service[c.SMax-k] = p
		}
		step := c.Arrivals.Convolve(service).Power(c.N) // P(X = k - N S_max)
		for _, h := range []Lipschitz{Identity(), Distance(c.MeanN), Capped(0.7), randomLipschitz(r, 4), witness} {
			got, err := NewTerms(c, total, truth.boundary, h)
			if err != nil {
				t.Fatal(err)
			}
			f, err := NewStein(c.MeanN, h)
			if err != nil {
				t.Fatal(err)
			}
			var want, drift, remainder float64
			for n := 0; n*int(1e6*c.Gap) < 60e6; n++ { // e^(-60) beyond
				p, x := total.PMF(n), c.Gap*float64(n)
				want += p * h.value(x)
				drift -= c.Gap * c.Eps / 2 * p * f.Second(x)
				for k, q := range step {
					y := c.Gap * float64(k-c.N*c.SMax)
					rise := f.Increment(x, x+y)
					if y < 0 {
						rise = -f.Increment(x+y, x)
					}
					remainder -= p * q * (rise - y*f.Prime(x) - y*y/2*f.Second(x)) / (c.Gap * c.Eps)
				}
			}
			want -= -c.MeanN * f.Second(0) // E h(Exp) - h(0)
			scale := got.Bound()
			for _, x := range []struct {
				what      string
				got, want float64
			}{
				{"error", got.Error, want}, {"drift", got.Drift.Value, drift}, {"remainder", got.Remainder.Value, remainder},
			} {
				if math.Abs(x.got-x.want) > 1e-8*scale {
					t.Errorf("N = %d, %s: %s = %.12g, by definition %.12g", c.N, h.Name, x.what, x.got, x.want)
				}
			}
			for _, x := range []Term{got.Drift, got.Boundary, got.Remainder} {
				if math.Abs(x.Value) > x.Bound*(1+1e-9) {
					t.Errorf("N = %d, %s: a term is above its bound: %+v", c.N, h.Name, got)
				}
			}
			// between the two certificates
			certificate, err := total.Kernel().Certificate(truth.mean, truth.second)
			if err != nil {
				t.Fatal(err)
			}
			if got.Bound() > certificate.High*(1+1e-12) || got.Bound() < certificate.Low {
				t.Errorf("N = %d: bound %g, certificate %g to %g", c.N, got.Bound(), certificate.Low, certificate.High)
			}
		}
		// h = x has no remainder, and its error is the lower certificate
		x, err := NewTerms(c, total, truth.boundary, Identity())
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(x.Remainder.Value) > 1e-10*x.Bound() {
			t.Errorf("N = %d: h = x has remainder %g", c.N, x.Remainder.Value)
		}
		near.Rel(t, "E Z - m_N", x.Error, c.Gap*(truth.mean-truth.second/2+c.Eps/2), 1e-8)
		// the witness attains W1
		w, err := total.W1(c.MeanN)
		if err != nil {
			t.Fatal(err)
		}
		x, err = NewTerms(c, total, truth.boundary, witness)
		if err != nil {
			t.Fatal(err)
		}
		near.Rel(t, "E h(Z) - E h(Exp) of the witness", x.Error, w, 1e-8)
	}
}

// At gaps down to 1e-40 the terms keep their digits: the identity for h = x, the bounds,
// and the witness against W1.
func TestTermsAtSmallGaps(t *testing.T) {
	for _, s := range []jsqlib.Model{
		{Servers: 4, Alpha: 3}, {Servers: 8, Alpha: 4.5}, {Servers: 16, Alpha: 12}, {Servers: 8, Gap: 1e-40}, {Servers: 6, Alpha: 5, Routing: jsqlib.Job},
	} {
		c, d, b := estimated(t, s, 0.05)
		witness, err := Witness(d.Total)
		if err != nil {
			t.Fatal(err)
		}
		w, err := d.Total.W1(c.MeanN)
		if err != nil {
			t.Fatal(err)
		}
		noise := d.Total.NegativeMass() / c.Eps // of the estimate, relative to the boundary terms
		for _, h := range []Lipschitz{Identity(), Distance(c.MeanN), Capped(0.3), witness} {
			x, err := NewTerms(c, d.Total, b, h)
			if err != nil {
				t.Fatal(err)
			}
			tol := (1e-10 + noise) * x.Bound()
			clipped := tol + 1e-5*w // W1 is that of the law with what noise makes negative cut off
			if math.Abs(x.Error) > w+clipped {
				t.Errorf("%+v, %s: error %g above W1 = %g", s, h.Name, x.Error, w)
			}
			for _, y := range []Term{x.Drift, x.Boundary, x.Remainder} {
				if math.Abs(y.Value) > y.Bound+tol {
					t.Errorf("%+v, %s: a term is above its bound: %+v", s, h.Name, x)
				}
			}
			switch h.Name {
			case "x":
				if math.Abs(x.Remainder.Value) > tol {
					t.Errorf("%+v: h = x has remainder %g of %g", s, x.Remainder.Value, x.Error)
				}
			case witness.Name:
				if math.Abs(x.Error-w) > clipped {
					t.Errorf("%+v: witness %.10g, W1 = %.10g, noise %g", s, x.Error, w, noise)
				}
			}
		}
	}
}

func TestTermsErrors(t *testing.T) {
	c, d, b := estimated(t, jsqlib.Model{Servers: 3, Alpha: 3}, 0.2)
	_, err := NewTerms(c, nil, b, Identity())
	wantArgument(t, err, "t", "law.New(c, b)")
	_, err = NewTerms(mustConstants(t, jsqlib.Model{Servers: 3, Alpha: 4}), d.Total, b, Identity())
	wantArgument(t, err, "t", "law.New(c, b)")
	_, err = NewTerms(c, d.Total, law.Boundary{Min: b.Min + 1, P: b.P}, Identity())
	wantArgument(t, err, "b", "want that of t")
	_, err = NewTerms(c, d.Total, b, Lipschitz{Slopes: []float64{2}})
	wantArgument(t, err, "h", "slopes in [-1, 1]")
}
