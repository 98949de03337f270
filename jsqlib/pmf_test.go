package jsqlib

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"

	"jsqlab/jsqlib/internal/near"
)

// oneLine fails unless err is a *Invalid of the field in the form
// "jsqlib: field = got: want ...", on one line, that says fragment.
func oneLine(t *testing.T, err error, field, fragment string) {
	t.Helper()
	var fe *Invalid
	if !errors.As(err, &fe) {
		t.Errorf("error %v (%T), want a *Invalid", err, err)
		return
	}
	text := err.Error()
	if fe.What != field || fe.Got == "" || fe.Want == "" {
		t.Errorf("field %q, got %q, want %q: want field %q and the others not empty", fe.What, fe.Got, fe.Want, field)
	}
	if text != fmt.Sprintf("jsqlib: %s = %s: want %s", fe.What, fe.Got, fe.Want) || strings.ContainsAny(text, "\n\r") {
		t.Errorf("error %q is not one line of the form \"jsqlib: field = got: want ...\"", text)
	}
	if !strings.Contains(text, fragment) {
		t.Errorf("error %q does not say %q", text, fragment)
	}
}

// near reports whether |a - b| <= tol, and false for NaN.
// randomPMF is a pmf of mean 1 on {0, ..., top}, top >= 1, with some holes.
func randomPMF(r *rand.Rand, top int) PMF {
	p := make(PMF, top+1)
	sum := 0.0
	for k := range p {
		if r.IntN(4) > 0 {
			p[k] = r.ExpFloat64()
		}
		sum += p[k]
	}
	if sum == 0 {
		p[1], sum = 1, 1
	}
	for k := range p {
		p[k] /= sum
	}
	// mix with the point mass at 0 or at top
	m, at, w := p.Mean(), 0, 0.0
	if m >= 1 {
		w = 1 - 1/m
	} else {
		at, w = top, (1-m)/(float64(top)-m)
	}
	for k := range p {
		p[k] *= 1 - w
	}
	p[at] += w
	return p
}

// chiSquare is the p-value of counts under the probabilities p; cells of
// expectation below 8 are pooled. Counts where p = 0 give 0.
func chiSquare(counts []int, p []float64) float64 {
	n := 0
	for k, c := range counts {
		if c > 0 && p[k] == 0 {
			return 0
		}
		n += c
	}
	stat, cells, restC, restE := 0.0, 0, 0.0, 0.0
	add := func(c, e float64) {
		if e > 0 {
			stat += (c - e) * (c - e) / e
			cells++
		}
	}
	for k, c := range counts {
		if e := p[k] * float64(n); e < 8 {
			restC += float64(c)
			restE += e
		} else {
			add(float64(c), e)
		}
	}
	add(restC, restE)
	if cells < 2 {
		return 1
	}
	return distuv.ChiSquared{K: float64(cells - 1)}.Survival(stat)
}

// unlikely is the level of the chi-square tests here: seeds are fixed, so that
// a failure is a change of the law and not of luck.
const unlikely = 1e-5

func TestParsePMF(t *testing.T) {
	for text, want := range map[string]PMF{
		"binomial:2":          {0.25, 0.5, 0.25},
		"binomial:1":          {0, 1},
		"bernoulli":           {0, 1},
		"deterministic":       {0, 1},
		"pmf:0.25,0.5,0.25":   {0.25, 0.5, 0.25},
		"pmf: 0.5, 0 ,0.5":    {0.5, 0, 0.5},
		"pmf:0.3,0.5,0.1,0.1": {0.3, 0.5, 0.1, 0.1},
		"pmf:0,1,0,0":         {0, 1, 0, 0},
		"pmf:5e-1,0,.5":       {0.5, 0, 0.5},
	} {
		got, err := ParsePMF("service", text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("ParsePMF(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for text, fragment := range map[string]string{
		"":                    "binomial:N, bernoulli, deterministic or pmf:",
		"poisson:1":           "poisson:1: want binomial:N",
		"Binomial:2":          "Binomial:2: want binomial:N",
		"binomial":            "binomial:N",
		"binomial:":           "1 <= N <= 255",
		"binomial:0":          "1 <= N <= 255",
		"binomial:-3":         "1 <= N <= 255",
		"binomial:256":        "1 <= N <= 255",
		"binomial:2.5":        "1 <= N <= 255",
		"binomial:two":        "1 <= N <= 255",
		"bernoulli:1":         "bernoulli:1: want",
		"bernoulli:":          "bernoulli:: want",
		"deterministic:1":     "deterministic:1: want",
		"pmf":                 "want",
		"pmf:":                "numbers separated by commas",
		"pmf:a,b":             "numbers separated by commas",
		"pmf:0.5,,0.5":        "numbers separated by commas",
		"pmf:0.2_5,0.5,0.25":  "numbers separated by commas",
		"binomial:1_0":        "1 <= N <= 255",
		"pmf:0.5;0;0.5":       "numbers separated by commas",
		"pmf:NaN,0.5":         "P(0) = NaN: want probabilities in [0, 1]",
		"pmf:0.5,Inf":         "P(1) = +Inf: want probabilities in [0, 1]",
		"pmf:0.5,-Inf":        "P(1) = -Inf: want probabilities in [0, 1]",
		"pmf:0.6,0.5,-0.1":    "P(2) = -0.1: want probabilities in [0, 1]",
		"pmf:0,2":             "P(1) = 2: want probabilities in [0, 1]",
		"pmf:0.25,0.5,0.2":    "sums to 0.95: want sum 1",
		"pmf:0.25,0.5,0.3":    "sums to 1.05: want sum 1",
		"pmf:0,0":             "sums to 0: want sum 1",
		"pmf:0.5,0.5":         "mean 0.5: want mean 1",
		"pmf:0,0,1":           "mean 2: want mean 1",
		"pmf:1":               "mean 0: want mean 1",
		"pmf:0.5,1e-8,0.5":    "sums to 1.00000001: want sum 1",
		"pmf:1" + zeros(256):  "a pmf of 257 entries: want at most 256",
		"pmf:0,1" + zeros(99): "", // long enough is fine
	} {
		_, err := ParsePMF("arrivals", text)
		if fragment == "" {
			if err != nil {
				t.Errorf("ParsePMF(%.20q) = %v", text, err)
			}
			continue
		}
		oneLine(t, err, "arrivals", fragment)
	}
}

func zeros(n int) string { return strings.Repeat(",0", n) }

// TestPMFRefused: what no text can say, a slice can.
func TestPMFRefused(t *testing.T) {
	for _, c := range []struct {
		p        PMF
		fragment string
	}{
		{PMF{}, "an empty pmf: want at least P(0) and P(1)"},
		{make(PMF, 300), "a pmf of 300 entries: want at most 256"},
		{PMF{math.NaN(), 1}, "P(0) = NaN"},
		{PMF{0, math.Inf(1)}, "P(1) = +Inf"},
		{PMF{-1e-12, 1}, "P(0) = -1e-12"},
		{PMF{0, 1 + 1e-8}, "P(1) = 1.00000001"},
		{PMF{0, 1, 1e-8}, "sums to 1.00000001"},
		{PMF{0.5, 0.5}, "mean 0.5: want mean 1"},
	} {
		_, err := Model{Servers: 2, Gap: 0.1, Arrivals: c.p}.Constants()
		oneLine(t, err, "arrivals", c.fragment)
		_, err = Model{Servers: 2, Gap: 0.1, Service: c.p}.Constants()
		oneLine(t, err, "service", c.fragment)
	}
	// rounding of the entries is no reason to refuse
	third := PMF{0.333333333333, 0.333333333334, 0.333333333333}
	if _, err := (Model{Servers: 2, Gap: 0.1, Service: third}).Constants(); err != nil {
		t.Error(err)
	}
}

func TestBinomial(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 64, MaxSupport} {
		p := Binomial(n)
		if len(p) != n+1 || p.Max() != n && n < 200 {
			t.Errorf("Binomial(%d) has %d entries, Max %d", n, len(p), p.Max())
		}
		if err := p.validate("p"); err != nil {
			t.Errorf("Binomial(%d): %v", n, err)
		}
		near.Abs(t, fmt.Sprintf("variance of Binomial(%d)", n), p.Variance(), 1-1/float64(n), 1e-11)
		for k := 0; k < n && n > 1; k++ { // p[k+1]/p[k] = (n-k)/((k+1)(n-1))
			want := p[k] * float64(n-k) / float64(k+1) / float64(n-1)
			near.Rel(t, fmt.Sprintf("Binomial(%d)[%d]", n, k+1), p[k+1], want, 1e-10)
		}
	}
	for _, n := range []int{-1, 0, MaxSupport + 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Binomial(%d) did not panic", n)
				}
			}()
			Binomial(n)
		}()
	}
}

func TestThin(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 60 {
		p := randomPMF(r, 1+r.IntN(9))
		before := slices.Clone(p)
		for _, e := range []float64{1e-60, 1e-9, 0.3, 0.5, 1 - 1e-7} {
			y := p.Thin(e)
			for k := range y {
				want := 0.0
				for j := k; j < len(p); j++ {
					want += p[j] * float64(combin.Binomial(j, k)) * math.Pow(1-e, float64(k)) * math.Pow(e, float64(j-k))
				}
				near.Abs(t, fmt.Sprintf("%v.Thin(%g)[%d]", p, e, k), y[k], want, 1e-12*want+1e-300)
			}
			near.Abs(t, fmt.Sprintf("mean of %v.Thin(%g)", p, e), y.Mean(), (1-e)*p.Mean(), 1e-12)
			near.Abs(t, fmt.Sprintf("variance of %v.Thin(%g)", p, e), y.Variance(), (1-e)*(1-e)*p.Variance()+e*(1-e)*p.Mean(), 1e-12)
		}
		if !slices.Equal(p, before) {
			t.Fatal("Thin changed its receiver")
		}
	}
}

func TestPower(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		p := append(randomPMF(r, 1+r.IntN(5)), 0, 0) // trailing zeros are cut
		before := slices.Clone(p)
		want := PMF{1}
		for n := range 40 {
			got := p.Power(n)
			if len(got) != n*p.Max()+1 {
				t.Fatalf("Power(%d) has %d entries, want %d", n, len(got), n*p.Max()+1)
			}
			for k := range got {
				near.Rel(t, fmt.Sprintf("%v.Power(%d)[%d]", p, n, k), got[k], want[k], 1e-13)
			}
			want = want.Convolve(p[:p.Max()+1])
		}
		if !slices.Equal(p, before) {
			t.Fatal("Power changed its receiver")
		}
	}
	big := Binomial(2).Power(1000) // = Binomial(2000, 1/2)
	near.Abs(t, "mean of Binomial(2)^1000", big.Mean(), 1000, 1e-9)
	near.Abs(t, "variance of Binomial(2)^1000", big.Variance(), 500, 1e-8)
	if want := math.Ldexp(1, -2000); big[0] != want && big[0] != 0 {
		t.Errorf("Binomial(2)^1000[0] = %v, want %v", big[0], want)
	}
}

func TestConvolve(t *testing.T) {
	got := PMF{0.5, 0, 0.5}.Convolve(PMF{0.25, 0.75})
	if want := (PMF{0.125, 0.375, 0.125, 0.375}); !slices.Equal(got, want) {
		t.Errorf("Convolve = %v, want %v", got, want)
	}
}

func TestPMFMoments(t *testing.T) {
	p := PMF{0.3, 0.5, 0.1, 0.1, 0}
	if p.Max() != 3 {
		t.Errorf("Max of %v is %d", p, p.Max())
	}
	near.Abs(t, "mean", p.Mean(), 1, 1e-15)
	near.Abs(t, "variance", p.Variance(), 0.8, 1e-15)
	if m := (PMF{1, 0, 0}).Max(); m != 0 {
		t.Errorf("Max of the point mass at 0 is %d", m)
	}
}

func TestSample(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for _, p := range []PMF{{0.25, 0.5, 0.25}, {0.5, 0, 0, 0.5}, {0, 1}, {0.3, 0.5, 0.1, 0.1, 0}, randomPMF(r, 9)} {
		counts := make([]int, len(p))
		for range 50_000 {
			counts[p.Sample(r)]++
		}
		if v := chiSquare(counts, p); v < unlikely {
			t.Errorf("samples of %v: counts %v, p-value %g", p, counts, v)
		}
	}
	// a sum just below 1 must not lead past the last possible value
	short := PMF{0.25, 0.5, 0.2, 0}
	for range 1000 {
		if k := short.Sample(r); k > 2 {
			t.Fatalf("drew %d, which has probability 0", k)
		}
	}
}

// TestThinMuch: most of many jobs thinned away, where (1-e)^255 is 0.
func TestThinMuch(t *testing.T) {
	p := make(PMF, 256)
	p[255] = 1
	for _, e := range []float64{0.3, 0.5, 0.95, 0.999} {
		y := p.Thin(e)
		sum := 0.0
		for _, x := range y {
			sum += x
		}
		if math.Abs(sum-1) > 1e-12 || math.Abs(y.Mean()/(255*(1-e))-1) > 1e-12 || math.Abs(y.Variance()/(255*e*(1-e))-1) > 1e-10 {
			t.Errorf("e = %v: sum %v, mean %v, variance %v", e, sum, y.Mean(), y.Variance())
		}
	}
}
