package study

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/near"
	"jsqlab/jsqlib/internal/reps"
	"jsqlab/jsqlib/record"
)

// exactly returns points of y(N) with a relative standard error.
func exactly(servers []int, rel float64, y func(n float64) float64) []Point {
	var out []Point
	for _, n := range servers {
		v := y(float64(n))
		out = append(out, Point{N: n, Y: jsqlib.Estimate{Value: v, StdErr: rel * math.Abs(v)}})
	}
	return out
}

// Closed forms: two points with errors s1, s2 have slope error
// hypot(s1, s2)/log(N2/N1).
func TestFitRate(t *testing.T) {
	p := exactly([]int{4, 8, 16, 64, 1000}, 0.01, func(n float64) float64 { return 3 * math.Pow(n, -1.5) })
	r, err := FitRate(p)
	if err != nil {
		t.Fatal(err)
	}
	near.Abs(t, "slope", r.Slope.Value, -1.5, 1e-12)
	near.Abs(t, "intercept", r.Intercept.Value, math.Log(3), 1e-12)
	near.Abs(t, "chi^2", r.ChiSquared, 0, 1e-18)
	if r.Freedom != 3 || r.Scale != 1 {
		t.Errorf("%+v", r.Fit)
	}
	near.Abs(t, "half width", r.Slope.HalfWidth(), 1.959963984540054*r.Slope.StdErr, 1e-12)

	two := []Point{{8, jsqlib.Estimate{Value: 2, StdErr: 0.02}, 31}, {32, jsqlib.Estimate{Value: 1, StdErr: 0.03}, 31}}
	if r, err = FitRate(two); err != nil {
		t.Fatal(err)
	}
	se := math.Hypot(0.01, 0.03) / math.Log(4)
	near.Abs(t, "slope of two", r.Slope.Value, -0.5, 1e-12)
	near.Abs(t, "error of two", r.Slope.StdErr, se, 1e-12)
	near.Abs(t, "log at N = 8", r.Intercept.Value+r.Slope.Value*math.Log(8), math.Log(2), 1e-12)
	// v = (1, 9)/10: nu = 31 * 100/82
	near.Abs(t, "half width of two", r.Slope.HalfWidth(), reps.Quantile(31*100.0/82)*se, 1e-12)
	if r.Freedom != 0 || r.ChiSquared != 0 || r.Scale != 1 {
		t.Errorf("%+v", r.Fit)
	}

	// equal errors s: the slope is that of ordinary least squares with error
	// s/sqrt(sum (x - mean)^2), and a bend widens it by sqrt(chi^2/freedom)
	bent := exactly([]int{10, 100, 1000}, 0.1, func(float64) float64 { return 1 })
	bent[1].Y.Value, bent[1].Y.StdErr = math.Exp(0.6), 0.1*math.Exp(0.6)
	if r, err = FitRate(bent); err != nil {
		t.Fatal(err)
	}
	// residuals (-0.2, 0.4, -0.2)/0.1
	near.Abs(t, "chi^2 of a bend", r.ChiSquared, 24, 1e-9)
	near.Abs(t, "slope of a bend", r.Slope.Value, 0, 1e-12)
	near.Abs(t, "error of a bend", r.Slope.StdErr, math.Sqrt(24)*0.1/(math.Sqrt2*math.Log(10)), 1e-12)
	near.Abs(t, "scale of a bend", r.Scale, math.Sqrt(24), 1e-9)

	// the order of points does not matter, and they are not changed
	q := slices.Clone(p)
	slices.Reverse(q)
	before := slices.Clone(q)
	r2, err := FitRate(q)
	if err != nil {
		t.Fatal(err)
	}
	near.Abs(t, "reversed slope", r2.Slope.Value, -1.5, 1e-12)
	if !slices.Equal(q, before) {
		t.Error("points were changed")
	}
}

func TestLocalSlopes(t *testing.T) {
	p := exactly([]int{100, 10, 1000}, 0.01, func(n float64) float64 { return n + 100 })
	before := slices.Clone(p)
	s, err := LocalSlopes(p)
	if err != nil || len(s) != 2 {
		t.Fatal(s, err)
	}
	if s[0].From != 10 || s[0].To != 100 || s[1].From != 100 || s[1].To != 1000 || !slices.Equal(p, before) {
		t.Errorf("%+v", s)
	}
	near.Abs(t, "slope 10..100", s[0].Slope.Value, math.Log10(200.0/110), 1e-12)
	near.Abs(t, "slope 100..1000", s[1].Slope.Value, math.Log10(1100.0/200), 1e-12)
	near.Abs(t, "error", s[1].Slope.StdErr, 0.01*math.Sqrt2/math.Log(10), 1e-12)
}

func TestExtrapolate(t *testing.T) {
	p := exactly([]int{4, 25, 100, 400, 1000}, 0.001, func(n float64) float64 { return 1.28 - 2/math.Sqrt(n) + 0.7/n })
	e, err := Extrapolate(p)
	if err != nil {
		t.Fatal(err)
	}
	near.Abs(t, "limit", e.Limit.Value, 1.28, 1e-12)
	near.Abs(t, "chi^2", e.ChiSquared, 0, 1e-15)
	if e.Freedom != 2 || e.Scale != 1 {
		t.Errorf("%+v", e)
	}
}

func TestPointsRefused(t *testing.T) {
	ok := exactly([]int{4, 8, 16, 32}, 0.01, func(n float64) float64 { return n })
	for what, change := range map[string]func(p []Point) []Point{
		"one":      func(p []Point) []Point { return p[:1] },
		"none":     func(p []Point) []Point { return nil },
		"twice":    func(p []Point) []Point { p[1].N = 4; return p },
		"zero":     func(p []Point) []Point { p[0].Y.Value = 0; return p },
		"negative": func(p []Point) []Point { p[0].Y.Value = -1; return p },
		"NaN":      func(p []Point) []Point { p[0].Y.Value = math.NaN(); return p },
		"Inf":      func(p []Point) []Point { p[0].Y.Value = math.Inf(1); return p },
		"no error": func(p []Point) []Point { p[0].Y.StdErr = 0; return p },
		"noise":    func(p []Point) []Point { p[0].Y.StdErr = p[0].Y.Value; return p },
		"N = 0":    func(p []Point) []Point { p[0].N = 0; return p },
	} {
		if _, err := FitRate(change(slices.Clone(ok))); !refused(err) {
			t.Errorf("%s: FitRate %v", what, err)
		}
		if _, err := LocalSlopes(change(slices.Clone(ok))); !refused(err) {
			t.Errorf("%s: LocalSlopes %v", what, err)
		}
	}
	for what, change := range map[string]func(p []Point) []Point{
		"three":    func(p []Point) []Point { return p[:3] },
		"twice":    func(p []Point) []Point { p[1].N = 4; return p },
		"NaN":      func(p []Point) []Point { p[0].Y.Value = math.NaN(); return p },
		"no error": func(p []Point) []Point { p[0].Y.StdErr = 0; return p },
	} {
		if _, err := Extrapolate(change(slices.Clone(ok))); !refused(err) {
			t.Errorf("%s: Extrapolate %v", what, err)
		}
	}
}

// sample is the mean of reps normal values around y, with its estimated error,
// as the estimators give it.
func sample(r *rand.Rand, n int, y, rel float64, reps int) Point {
	sum, squares := 0.0, 0.0
	for range reps {
		x := y * (1 + rel*math.Sqrt(float64(reps))*r.NormFloat64())
		sum += x
		squares += x * x
	}
	mean := sum / float64(reps)
	variance := (squares - sum*mean) / float64(reps-1)
	return Point{n, jsqlib.Estimate{Value: mean, StdErr: math.Sqrt(variance / float64(reps))}, float64(reps - 1)}
}

// Intervals hold the truth in about 95 of 100 data sets that obey the model. The
// widening where chi^2 is above its mean makes that a few more. 2000 data sets
// tell shares apart that differ by 1.5 %.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	const sets, reps = 2000, 32
	r := rand.New(rand.NewPCG(2, 7))
	for _, servers := range [][]int{{8, 32}, {8, 16, 32}, {4, 8, 16, 32, 64}, {4, 8, 16, 32, 64, 128, 256, 512}} {
		slope, intercept, limit := 0, 0, 0
		for range sets {
			var line, curve []Point
			for i, n := range servers {
				rel := 0.005 * float64(1+i%3)
				line = append(line, sample(r, n, 0.5*math.Pow(float64(n), -1), rel, reps))
				curve = append(curve, sample(r, n, 0.5+0.3/math.Sqrt(float64(n))-1/float64(n), rel, reps))
			}
			f, err := FitRate(line)
			if err != nil {
				t.Fatal(err)
			}
			if f.Slope.Low <= -1 && -1 <= f.Slope.High {
				slope++
			}
			if f.Intercept.Low <= math.Log(0.5) && math.Log(0.5) <= f.Intercept.High {
				intercept++
			}
			if len(servers) >= 4 {
				e, err := Extrapolate(curve)
				if err != nil {
					t.Fatal(err)
				}
				if e.Limit.Low <= 0.5 && 0.5 <= e.Limit.High {
					limit++
				}
			}
		}
		share := func(k int) float64 { return float64(k) / sets }
		t.Logf("%d points: slope %.3f, intercept %.3f, limit %.3f", len(servers), share(slope), share(intercept), share(limit))
		for what, k := range map[string]int{"slope": slope, "intercept": intercept, "limit": limit} {
			if what == "limit" && len(servers) < 4 {
				continue
			}
			if share(k) < 0.935 || share(k) > 0.985 {
				t.Errorf("%d points: the interval of the %s holds it in %.3f of the data sets", len(servers), what, share(k))
			}
		}
	}
}

func TestLines(t *testing.T) {
	if got := linesTo(orderOf(jsqlib.DT, "batch"), 3); !slices.Equal(got, []Line{{"2 - alpha", -1}, {"3 - alpha", 0}, {"4 - alpha", 1}}) {
		t.Errorf("%v", got)
	}
	if got := linesTo(orderOf(jsqlib.CT, ""), 3); len(got) != 4 || got[0] != (Line{"1 - alpha", -2}) {
		t.Errorf("%v", got)
	}
	if orderOf(jsqlib.DT, "job") != 1 {
		t.Error("job routing is of order N")
	}
}

// synthetic returns rows with W1 = C N^(-s) and intervals as of 32 replications.
func synthetic(alpha, s float64, servers ...int) []Row {
	var rows []Row
	for _, n := range servers {
		w := 0.5 * math.Pow(float64(n), -s)
		se := 0.01 * w
		h := se * reps.Quantile(31)
		q := 0.5 * float64(n) * float64(n)
		rows = append(rows, Row{Asked: record.Asked{Model: jsqlib.DT, Routing: "batch", Policy: "jsq", Servers: n, Alpha: alpha},
			Wasserstein: jsqlib.Estimate{Value: w, StdErr: se, Low: w - h, High: w + h},
			QtildeMean:  jsqlib.Estimate{Value: q, StdErr: 0.02 * q / reps.Quantile(31), Low: 0.98 * q, High: 1.02 * q}, Replications: 32})
	}
	return rows
}

func TestRates(t *testing.T) {
	rows := append(synthetic(3, 1, 32, 4, 16, 8, 64), synthetic(2.5, 0.5, 4, 8)...)
	rows = append(rows, synthetic(6, 4, 8)...)
	rows[0].Warnings = []string{"look here"}
	before := slices.Clone(rows)
	list, err := Rates(rows)
	if err != nil || len(list) != 3 {
		t.Fatal(len(list), err)
	}
	for i := range rows {
		if rows[i].Servers != before[i].Servers {
			t.Fatal("rows were moved")
		}
	}
	a, b, c := list[0], list[1], list[2]
	if a.Alpha != 2.5 || b.Alpha != 3 || c.Alpha != 6 {
		t.Fatalf("order %v %v %v", a.Alpha, b.Alpha, c.Alpha)
	}
	near.Abs(t, "slope", b.Rate.Slope.Value, -1, 1e-12)
	near.Abs(t, "error at N = 4", b.Points[0].Y.StdErr, 0.01*0.5/4, 1e-12)
	near.Abs(t, "top", b.Top.Slope.Value, -1, 1e-12)
	if b.TopFrom != 16 || len(b.Local) != 4 || b.Top.Freedom != 1 || a.TopFrom != 4 {
		t.Errorf("top from %d and %d, %d local slopes", b.TopFrom, a.TopFrom, len(b.Local))
	}
	near.Abs(t, "constant", b.Constant.Limit.Value, 0.5, 1e-9)
	near.Abs(t, "boundary constant", b.Boundary.Limit.Value, 0.5, 1e-9)
	if b.LimitFrom != 8 {
		t.Errorf("constants from N = %d, want the last four points", b.LimitFrom)
	}
	if a.Constant != nil || a.Boundary != nil {
		t.Error("two points have no extrapolation")
	}
	if len(b.Warnings) != 1 || b.Warnings[0] != "N = 32: look here" || len(a.Warnings) != 0 {
		t.Errorf("warnings %q, %q", a.Warnings, b.Warnings)
	}
	if len(c.Warnings) != 1 || c.Rate != (Rate{}) {
		t.Errorf("one point: %+v", c)
	}
	// a bend is told
	bent := synthetic(3, 1, 4, 8, 16, 32)
	bent[1].Wasserstein = bent[1].Wasserstein.Affine(1.2, 0)
	if list, err = Rates(bent); err != nil || !strings.Contains(strings.Join(list[0].Warnings, "\n"), "interval widened by") {
		t.Errorf("%q, %v", list[0].Warnings, err)
	}
	if _, err := Rates(append(rows, rows[1])); !refused(err) || !strings.Contains(err.Error(), "N = 4 twice") || !strings.Contains(err.Error(), "alpha = 3") {
		t.Errorf("a row twice: %v", err)
	}
	rows[2].Wasserstein.Value = 0
	if _, err := Rates(rows); !refused(err) {
		t.Errorf("W1 = 0: %v", err)
	}
	if list, err := Rates(nil); err != nil || len(list) != 0 {
		t.Errorf("no rows: %v, %v", list, err)
	}
}

// A small real sweep in continuous time: W1 ~ C_N N^(1-alpha), with C_N rising
// towards its limit at these N, so that local slopes fall from -1.3 (N = 4..8) to
// -1.93 (32..64) towards -2 (measured).
func TestRatesOfSweep(t *testing.T) {
	servers, rel, tol := []int{4, 8, 16, 32, 64}, 0.02, 0.1
	if testing.Short() {
		servers, rel, tol = servers[:4], 0.05, 0.2
	}
	dir := t.TempDir()
	sweep(t, dir, Grid{Model: jsqlib.CT, Servers: servers, Alpha: []float64{3}, RelError: rel, Seed: 1}, Options{})
	rows, err := Merge(dir)
	if err != nil {
		t.Fatal(err)
	}
	list, err := Rates(rows)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	s := list[0]
	t.Logf("slope %+v, top %+v, local %+v", s.Rate.Slope, s.Top.Slope, s.Local)
	near.Abs(t, "slope", s.Rate.Slope.Value, -2, 0.45)
	for i := 1; i < len(s.Local); i++ {
		if a, b := s.Local[i-1].Slope, s.Local[i].Slope; b.Low > a.High {
			t.Errorf("local slopes %+v: want them to fall", s.Local)
		}
	}
	near.Abs(t, "slope of the top half", s.Top.Slope.Value, -2, tol+s.Top.Slope.HalfWidth())
	if s.Lines[0] != (Line{"1 - alpha", -2}) {
		t.Errorf("%v", s.Lines)
	}
}

func BenchmarkFitRate8Points(b *testing.B) {
	p := exactly([]int{4, 8, 16, 32, 64, 128, 256, 512}, 0.01, func(n float64) float64 { return 1 / n })
	for b.Loop() {
		if _, err := FitRate(p); err != nil {
			b.Fatal(err)
		}
	}
}

// TestRatesMemory: a fit takes what its points do, not their number squared.
func TestRatesMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	points := make([]Point, 5000)
	for i := range points {
		n := float64(i + 2)
		points[i] = Point{N: i + 2, Y: jsqlib.Estimate{Value: math.Pow(n, -1.5) * (1 + 0.01*rng.NormFloat64()), StdErr: 0.01 * math.Pow(n, -1.5)}}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := FitRate(points)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if r.Slope.Deviation(-1.5) > 4 {
		t.Errorf("slope %+v, want -1.5", r.Slope)
	}
	if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > 20 {
		t.Errorf("%d MiB allocated for 5000 points, want at most 20", got)
	}
}
