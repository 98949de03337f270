package jsqlib

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// iid draws a trace of independent counts.
func iid(rng *rand.Rand, p PMF, n int) []int {
	counts := make([]int, n)
	for i := range counts {
		counts[i] = p.Sample(rng)
	}
	return counts
}

// modulated draws counts whose mean is high or low by turns: a two-state Markov chain
// that stays with probability stay, Binomial(4, 0.4) in one state and Binomial(4, 0.1)
// in the other. The mean is 1 and lag h has covariance 0.36 (2 stay - 1)^h.
func modulated(rng *rand.Rand, stay float64, n int) []int {
	counts := make([]int, n)
	high := rng.IntN(2) == 0
	for i := range counts {
		if rng.Float64() > stay {
			high = !high
		}
		p := 0.1
		if high {
			p = 0.4
		}
		for range 4 {
			if rng.Float64() < p {
				counts[i]++
			}
		}
	}
	return counts
}

func TestFromTraceIID(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		law        PMF
		pool       int
		keep, want float64 // variance of the law
	}{
		{Binomial(2), 1, 1, 0.5},
		{PMF{0.5, 0, 0, 0.5}, 1, 1 / 1.5, 1 + 1./3},                     // mean 1.5: keep^2 s^2 + (1-keep) keep mean
		{PMF{0.6, 0.4}, 2, 1, 2.5*0.24 + 0.25*0.16},                     // two or three slots
		{PMF{0, 0, 1}, 1, 0.5, 0.5},                                     // constant 2: Binomial(2, 1/2)
		{PMF{0, 1}, 1, 1, 0},                                            // constant 1
		{PMF{0.98, 0.02}, 50, 1, 50 * 0.02 * 0.98},                      // pooled to about 1
		{PMF{0.1, 0.2, 0.3, 0.2, 0.2}, 1, 1 / 2.2, 1.56/4.84 + 1.2/2.2}, // no special shape
	} {
		counts := iid(rng, c.law, 40000)
		p, r, err := FromTrace("arrivals", counts)
		if err != nil {
			t.Fatalf("%v: %v", c.law, err)
		}
		if err := p.validate("arrivals"); err != nil {
			t.Errorf("%v: %v", c.law, err)
		}
		if math.Abs(p.Mean()-1) > 1e-13 {
			t.Errorf("%v: mean %v", c.law, p.Mean())
		}
		// 0.02 is known to 4 %: 48 to 52 slots
		if r.Pool < c.pool-3 || r.Pool > c.pool+3 || (c.pool < 10 && r.Pool != c.pool) || math.Abs(r.Keep-c.keep) > 0.05 {
			t.Errorf("%v: %d slots pooled, %v kept; want %d, %v", c.law, r.Pool, r.Keep, c.pool, c.keep)
		}
		if math.Abs(r.LawVariance-c.want) > 0.02+6*c.want*math.Sqrt(float64(c.pool)/40000) || r.LawVariance != p.Variance() {
			t.Errorf("%v: variance %v, want %v", c.law, r.LawVariance, c.want)
		}
		if d := math.Abs(r.Variance - c.law.Variance()); d > 4*r.VarianceStdErr {
			t.Errorf("%v: variance of the counts %v +- %v, want %v", c.law, r.Variance, r.VarianceStdErr, c.law.Variance())
		}
		if d := math.Abs(r.LimitMeanShift()); d > 0.35*c.want+1e-12 {
			t.Errorf("%v: the long-run variance moves m by %v", c.law, d)
		}
		if r.Slots != 40000 || r.Extra > 0 && r.Keep < 1 {
			t.Errorf("%v: %d slots, %v of one more, %v kept", c.law, r.Slots, r.Extra, r.Keep)
		}
	}
}

// TestTraceFalseAlarms: an i.i.d. trace gets a warning of one of the three tests with
// a probability of about 3 x 0.001.
func TestTraceFalseAlarms(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	bursty := PMF{0.9, 0.02, 0.02, 0.02, 0, 0, 0, 0, 0, 0, 0, 0.04} // mean 0.56, kurtosis 16
	const runs = 1500
	alarms := 0
	for i := range runs {
		law, n := Binomial(2), 1000
		if i%3 == 1 {
			law = bursty
		}
		if i%3 == 2 {
			law, n = Binomial(255), 3000
		}
		_, r, err := FromTrace("arrivals", iid(rng, law, n))
		if err != nil {
			t.Fatal(err)
		}
		if min(r.WhitePValue, r.DispersionPValue, r.TrendPValue) < traceLevel {
			alarms++
		}
	}
	t.Logf("%d alarms in %d i.i.d. traces", alarms, runs)
	// 4.5 expected; more than 15 has probability 2e-5
	if alarms > 15 {
		t.Errorf("%d alarms in %d i.i.d. traces, want about %v", alarms, runs, 3*traceLevel*runs)
	}
}

// TestTraceAlarms: Markov-modulated counts and a trend are seen, and the long-run
// variance is estimated.
func TestTraceAlarms(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		counts := modulated(rng, 0.9, 4000)
		_, r, err := FromTrace("arrivals", counts)
		if err != nil {
			t.Fatal(err)
		}
		if r.WhitePValue > traceLevel || r.DispersionPValue > traceLevel {
			t.Errorf("modulated: p = %v and %v, want alarms", r.WhitePValue, r.DispersionPValue)
		}
		text := strings.Join(r.Warnings(), "\n")
		for _, want := range []string{"correlated", "long-run", "limit mean m would move by +"} {
			if !strings.Contains(text, want) {
				t.Errorf("warnings %q do not say %q", text, want)
			}
		}
	}
	// mean 1.6 or 0.4, variance 0.96 or 0.36: in the long run 0.66 + 0.36 (1 + 2 sum 0.8^h),
	counts := modulated(rng, 0.9, 400_000)
	_, r, err := FromTrace("arrivals", counts)
	if err != nil {
		t.Fatal(err)
	}
	// and thinned by the little that the mean is above 1; 64 windows give it to 18 %
	want := 0.66 + 0.36 + 2*0.36*0.8/(1-0.8)
	if r.Pool == 1 && math.Abs(r.LongRunVariance-want) > 0.7*want {
		t.Errorf("long-run variance %v, want %v", r.LongRunVariance, want)
	}
	last := r.Dispersion[len(r.Dispersion)-1]
	if math.Abs(last.Variance-want) > 4*last.StdErr || last.Index != last.Variance/r.Mean {
		t.Errorf("window %d: variance %v +- %v per slot, want %v", last.Window, last.Variance, last.StdErr, want)
	}
	for h := range 3 {
		want := 0.36 * math.Pow(0.8, float64(h+1)) / r.Variance
		if math.Abs(r.Autocorrelation[h]-want) > 0.02 {
			t.Errorf("autocorrelation at lag %d = %v, want %v", h+1, r.Autocorrelation[h], want)
		}
	}

	trend := iid(rng, PMF{0.55, 0.45}, 3000)
	trend = append(trend, iid(rng, PMF{0.4, 0.6}, 3000)...)
	_, r, err = FromTrace("arrivals", trend)
	if err != nil {
		t.Fatal(err)
	}
	if r.TrendPValue > traceLevel || !strings.Contains(strings.Join(r.Warnings(), "\n"), "not steady") {
		t.Errorf("means %v and %v: p = %v, warnings %q", r.FirstMean, r.SecondMean, r.TrendPValue, r.Warnings())
	}
}

// TestTracePeriodic: counts that alternate have a long-run variance of 0.
func TestTracePeriodic(t *testing.T) {
	counts := make([]int, 6400)
	for i := range counts {
		counts[i] = 2 * (i % 2)
	}
	_, r, err := FromTrace("arrivals", counts)
	if err != nil {
		t.Fatal(err)
	}
	if r.WhitePValue > traceLevel || r.DispersionPValue > traceLevel || r.TrendPValue != 1 {
		t.Errorf("p = %v, %v, %v, want 0, 0, 1", r.WhitePValue, r.DispersionPValue, r.TrendPValue)
	}
	if r.LongRunVariance != 0 || math.Abs(r.LimitMeanShift()+0.5) > 1e-12 {
		t.Errorf("long-run variance %v, shift %v, want 0 and -1/2", r.LongRunVariance, r.LimitMeanShift())
	}
}

func TestTraceRefused(t *testing.T) {
	with := func(n, value, at int) []int {
		counts := make([]int, n)
		for i := range counts {
			counts[i] = 1
		}
		if at >= 0 {
			counts[at] = value
		}
		return counts
	}
	rare := make([]int, 5000)
	rare[100] = 1
	piled := make([]int, 4000) // mean 19
	for i := range 300 {
		piled[i] = 255
	}
	pooledHigh := make([]int, 1000)
	pooledHigh[0], pooledHigh[1] = 250, 250
	for _, c := range []struct {
		counts   []int
		fragment string
	}{
		{nil, "a trace of 0 slots: want at least 100"},
		{with(99, 1, -1), "a trace of 99 slots: want at least 100"},
		{with(200, -1, 7), "a trace with count -1 in slot 8: want 0 <= count <= 255"},
		{with(200, 256, 0), "a trace with count 256 in slot 1"},
		{with(200, math.MaxInt, 0), "a trace with count 9223372036854775807 in slot 1"},
		{make([]int, 500), "a trace of mean 0: want counts above 0"},
		{rare, "a trace of 5000 slots of mean 0.0002: want at least 100 slots once pooled"},
		{pooledHigh, "a trace with 500 in 2 pooled slots: want at most 255"},
	} {
		_, _, err := FromTrace("service", c.counts)
		oneLine(t, err, "service", c.fragment)
	}
	if p, _, err := FromTrace("service", piled); err != nil || math.Abs(p.Mean()-1) > 1e-12 {
		t.Errorf("large counts, of which 1 in 19 is kept: %v, mean %v", err, p.Mean())
	}
}

// TestTraceCounts: bytes give the bits that ints give.
func TestTraceCounts(t *testing.T) {
	counts := iid(rand.New(rand.NewPCG(9, 10)), PMF{0.3, 0.3, 0, 0.4}, 3000)
	bytes := make([]uint8, len(counts))
	for i, c := range counts {
		bytes[i] = uint8(c)
	}
	p, r, err := FromTrace("arrivals", counts)
	if err != nil {
		t.Fatal(err)
	}
	q, s, err := FromTrace("arrivals", bytes)
	if err != nil || !slices.Equal(p, q) || !reflect.DeepEqual(r, s) {
		t.Errorf("%v %+v, %v; want %v %+v", q, s, err, p, r)
	}
}

// TestTraceNothing: a report of no law has no warnings.
func TestTraceNothing(t *testing.T) {
	_, refused, err := FromTrace("arrivals", make([]int, 500))
	if err == nil {
		t.Fatal("a trace of mean 0 is taken")
	}
	for _, r := range []TraceReport{{}, refused} {
		if w := r.Warnings(); w != nil {
			t.Errorf("%+v: %q", r, w)
		}
	}
}

func TestParseLaws(t *testing.T) {
	if a, s, err := parseLaws("binomial:2", "bernoulli"); err != nil || a.Variance() != 0.5 || s.Variance() != 0 {
		t.Errorf("%v, %v, %v", a, s, err)
	}
	for _, c := range []struct{ arrivals, service, field, fragment string }{
		{"x", "y", "arrivals", "x: want binomial:N"},
		{"binomial:2", "y", "service", "y: want binomial:N"},
		{"bernoulli", "binomial:1", "service", "binomial:1, with bernoulli arrivals: want variance"},
	} {
		_, _, err := parseLaws(c.arrivals, c.service)
		oneLine(t, err, c.field, c.fragment)
	}
}

func TestCommonPMF(t *testing.T) {
	a := PMF{0.25, 0.5, 0.25}
	if p, err := CommonPMF("service", a, PMF{0.25, 0.5, 0.25, 0}, a); err != nil || p.Mean() != 1 {
		t.Errorf("equal laws: %v, %v", p, err)
	}
	if p, err := ParsePMF("service", "pmf:0.25,0.5,0.25;pmf:0.25,0.5,0.25"); err != nil || p.Mean() != 1 {
		t.Errorf("equal laws: %v, %v", p, err)
	}
	for text, fragment := range map[string]string{
		"pmf:0.25,0.5,0.25;pmf:0,1":        "P(0) = 0.25 for server 1 and 0 for server 2: want one law for every server",
		"pmf:0,1;pmf:0.5,0,0,0.5":          "laws of mean 1 for server 1 and 1.5 for server 2: want one law of mean 1",
		"pmf:0.5,0,0,0.5;pmf:0.5,0,0,0.5":  "a pmf of mean 1.5: want mean 1",
		"pmf:0,1;pmf:0,0.5":                "sums to 0.5: want sum 1",
		"pmf:0,1;pmf:":                     "numbers separated by commas",
		"pmf:0,1;binomial:2":               "numbers separated by commas",
		"pmf:0,1;pmf:0.5,0,0.5;pmf:0.5,.5": "P(0) = 0 for server 1 and 0.5 for server 2",
	} {
		_, err := ParsePMF("service", text)
		oneLine(t, err, "service", fragment)
	}
	_, err := CommonPMF("service")
	oneLine(t, err, "service", "no pmf: want at least one")

	for _, p := range []PMF{Binomial(2), Binomial(7), {0.3, 0.5, 0.1, 0.1, 0}} {
		if q, err := ParsePMF("arrivals", p.Text()); err != nil || q.Text() != p.Text() || len(q) != p.Max()+1 {
			t.Errorf("%v: read back as %v, %v", p, q, err)
		}
	}
}
