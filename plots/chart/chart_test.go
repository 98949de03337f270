package chart

import (
	"bytes"
	"errors"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

var nan, inf = math.NaN(), math.Inf(1)

func one(s Series) (*Figure, error) { return Lines(Chart{Series: []Series{s}}) }

// TestBadInput wants an InputError of one line that names the value, and no figure.
func TestBadInput(t *testing.T) {
	xy := []float64{1, 2}
	logXY := Axis{Log: true}
	good := Map{Xs: xy, Ys: xy, Values: [][]float64{{1, 2}, {3, 4}}}
	gmap := func(change func(*Map)) Map { m := good; change(&m); return m }
	for name, c := range map[string]struct {
		f    func() (*Figure, error)
		want string
	}{
		"no series": {func() (*Figure, error) { return Lines(Chart{}) }, "len(Series) = 0"},
		"empty":     {func() (*Figure, error) { return one(Series{Name: "a"}) }, `series "a": X`},
		"mismatch":  {func() (*Figure, error) { return one(Series{Name: "a", X: xy, Y: xy[:1]}) }, `len(series "a": Y) = 1: want 2`},
		"nan":       {func() (*Figure, error) { return one(Series{Name: "a", X: xy, Y: []float64{1, nan}}) }, `series "a": Y[1] = NaN`},
		"inf":       {func() (*Figure, error) { return one(Series{Name: "a", X: []float64{1, inf}, Y: xy}) }, `series "a": X[1] = +Inf`},
		"only low":  {func() (*Figure, error) { return one(Series{Name: "a", X: xy, Y: xy, Low: xy}) }, `len(series "a": High) = 0`},
		"crossed":   {func() (*Figure, error) { return one(Series{X: xy, Y: xy, Low: []float64{0, 3}, High: []float64{1, 2}}) }, "Low[1] = 3: want at most High[1] = 2"},
		"falling x": {func() (*Figure, error) { return one(Series{X: []float64{2, 1}, Y: xy, Mark: Curve}) }, "X[1] = 1"},
		"mark":      {func() (*Figure, error) { return one(Series{X: xy, Y: xy, Mark: 9}) }, "Mark = 9"},
		"group":     {func() (*Figure, error) { return one(Series{X: xy, Y: xy, Group: -1}) }, "Group = -1"},
		"log zero":  {func() (*Figure, error) { return Lines(Chart{Y: logXY, Series: []Series{{X: xy, Y: []float64{0, 1}}}}) }, "Y[0] = 0: want more than 0 on a logarithmic axis"},
		"log ref": {func() (*Figure, error) {
			return Lines(Chart{X: logXY, Series: []Series{{X: xy, Y: xy}}, Down: []Ref{{-1, ""}}})
		}, "Down[0].At = -1"},
		"range": {func() (*Figure, error) {
			return Lines(Chart{X: Axis{Range: [2]float64{2, 1}}, Series: []Series{{X: xy, Y: xy}}})
		}, "X.Range"},
		"log range": {func() (*Figure, error) {
			return Lines(Chart{X: Axis{Log: true, Range: [2]float64{5, 2}}, Series: []Series{{X: xy, Y: xy}}})
		}, "X.Range = [5 2]: want the lowest value first"},
		"narrow range": {func() (*Figure, error) {
			return Lines(Chart{X: Axis{Log: true, Range: [2]float64{5, 5 + 1e-15}}, Series: []Series{{X: xy, Y: xy}}})
		}, "X.Range = [5 5.000000000000001]: want"},
		"wide range": {func() (*Figure, error) { return one(Series{X: []float64{-1e308, 1e308}, Y: xy}) }, "range of X"},
		"no glyph":   {func() (*Figure, error) { return Lines(Chart{Title: "日", Series: []Series{{X: xy, Y: xy}}}) }, "Title"},
		"line break": {func() (*Figure, error) { return one(Series{Name: "a\nb", X: xy, Y: xy}) }, "Name"},
		"not utf8":   {func() (*Figure, error) { return one(Series{Name: "\xff", X: xy, Y: xy}) }, "UTF-8"},
		"one column": {func() (*Figure, error) { return Heatmap(gmap(func(m *Map) { m.Xs = xy[:1] })) }, "len(Xs) = 1"},
		"no rows":    {func() (*Figure, error) { return Heatmap(gmap(func(m *Map) { m.Values = nil })) }, "len(Values) = 0"},
		"short row":  {func() (*Figure, error) { return Heatmap(gmap(func(m *Map) { m.Values = [][]float64{{1, 2}, {3}} })) }, "len(Values[1]) = 1"},
		"map nan": {func() (*Figure, error) {
			return Heatmap(gmap(func(m *Map) { m.Values = [][]float64{{1, 2}, {3, nan}} }))
		}, "Values[1][1] = NaN"},
		"map order": {func() (*Figure, error) { return Heatmap(gmap(func(m *Map) { m.Ys = []float64{2, 1} })) }, "Ys[1] = 1"},
		"contour":   {func() (*Figure, error) { return Heatmap(gmap(func(m *Map) { m.Contours = []float64{nan} })) }, "Contours[0] = NaN"},
		"slope at 0": {func() (*Figure, error) {
			return Lines(Chart{Y: logXY, Series: []Series{{X: xy, Y: xy}}, Slopes: []Slope{{X: 1, Slope: 2}}})
		}, "Slopes[0].Y = 0"},
		"slope": {func() (*Figure, error) {
			return Lines(Chart{Series: []Series{{X: xy, Y: xy}}, Slopes: []Slope{{Slope: inf}}})
		}, "Slopes[0].Slope = +Inf"},
		"slope dashes": {func() (*Figure, error) {
			return Lines(Chart{Series: []Series{{X: xy, Y: xy}}, Slopes: []Slope{{Dashes: -1}}})
		}, "Slopes[0].Group and Dashes = \"0 and -1\""},
		"key": {func() (*Figure, error) {
			return Lines(Chart{Series: []Series{{X: xy, Y: xy}}, Keys: []Key{{Name: "日"}}})
		}, "Keys[0].Name"},
		"key dashes": {func() (*Figure, error) {
			return Lines(Chart{Series: []Series{{X: xy, Y: xy}}, Keys: []Key{{Dashes: -1}}})
		}, "Keys[0].Dashes = -1"},
		"stack": {func() (*Figure, error) { return Stack(Chart{Series: []Series{{X: xy, Y: xy}}}, Chart{}, 0.5) }, "len(Series) = 0"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := c.f()
			if err == nil || f != nil {
				t.Fatalf("figure %v, error %v: want an error alone", f != nil, err)
			}
			var in *InputError
			if !errors.As(err, &in) {
				t.Errorf("%v is a %T: want an *InputError", err, err)
			}
			if s := err.Error(); !strings.Contains(s, c.want) || !strings.HasPrefix(s, "plots: ") || strings.Contains(s, "\n") {
				t.Errorf("error = %q: want one line with %q", s, c.want)
			}
		})
	}
}

// TestExtremes draws data at the edge of float64, where the tick and scale code of gonum/plot panics or does not end.
func TestExtremes(t *testing.T) {
	log := Axis{Log: true}
	for name, ch := range map[string]Chart{
		"one point":       {Series: []Series{{X: []float64{0}, Y: []float64{0}}}},
		"one point, log":  {X: log, Y: log, Series: []Series{{X: []float64{7}, Y: []float64{1e-60}}}},
		"constant":        {Series: []Series{{X: []float64{1, 2}, Y: []float64{-3, -3}}}},
		"close together":  {Series: []Series{{X: []float64{1e15, 1e15 + 1}, Y: []float64{1, 1 + 1e-15}}}},
		"all decades":     {X: log, Y: log, Series: []Series{{X: []float64{5e-324, 1.7e308}, Y: []float64{1.7e308, 5e-324}}}},
		"tiny and linear": {Series: []Series{{X: []float64{5e-324, 1e-323}, Y: []float64{1e-300, 2e-300}}}},
		"large":           {Series: []Series{{X: []float64{-8e307, 8e307}, Y: []float64{0, 1e300}}}},
		"part of decade":  {Y: log, Series: []Series{{X: []float64{1, 2}, Y: []float64{0.521, 0.529}}}},
		"low below axis":  {Y: log, Series: []Series{{X: []float64{1, 2}, Y: []float64{1, 2}, Low: []float64{-1, 0}, High: []float64{3, 3}}}},
		"far out":         {X: Axis{Range: [2]float64{0, 1e-290}}, Series: []Series{{X: slices.Repeat([]float64{1e300}, 4000), Y: make([]float64, 4000), Mark: Curve}}},
		"out of range":    {X: Axis{Range: [2]float64{10, 20}}, Series: []Series{{X: []float64{1, 2}, Y: []float64{1, 2}}}},
		"many labels": {Series: []Series{{X: []float64{0, 1}, Y: []float64{0, 1}}}, Across: slices.Repeat([]Ref{{0.5, "same"}}, 5),
			Down: slices.Repeat([]Ref{{0.5, "same"}}, 3)},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Lines(ch)
			if err != nil {
				t.Fatal(err)
			}
			f.DPI = 40
			if _, err := f.PNG(); err != nil {
				t.Fatal(err)
			}
			if svg, err := f.SVG(); err != nil || bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
				t.Fatalf("svg has numbers that are not finite, or error %v", err)
			}
		})
	}
}

func TestSize(t *testing.T) {
	f, err := one(Series{Name: "a", X: []float64{1, 2}, Y: []float64{1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	f.Width, f.Height, f.DPI = 10, 6, 100
	data, err := f.PNG()
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != 394 || b.Dy() != 236 {
		t.Errorf("10 cm by 6 cm at 100 dpi = %d by %d pixels: want 394 by 236", b.Dx(), b.Dy())
	}
	for name, change := range map[string]func(){
		"Width":  func() { f.Width = nan },
		"Height": func() { f.Width, f.Height = 10, -1 },
		"DPI":    func() { f.Height, f.DPI = 6, 1e6 },
	} {
		old := *f
		change()
		if _, err := f.PNG(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error = %v: want one that names it", name, err)
		}
		*f = old
	}
	f.Width = 4
	f.title = strings.Repeat("very long title ", 40)
	if _, err := f.PNG(); err == nil || !strings.Contains(err.Error(), "data area") {
		t.Errorf("error = %v: want one that says there is no room", err)
	}
}

func TestParseText(t *testing.T) {
	for in, want := range map[string][]run{
		"plain-text":              {{"plain-text", false, 0}},
		"q_i costs $5":            {{"q_i costs $5", false, 0}},
		"$x$":                     {{"x", true, 0}},
		`$N^{-\alpha} Q$`:         {{"N", true, 0}, {"−", false, 1}, {"α", true, 1}, {" ", false, 0}, {"Q", true, 0}},
		"N⁻ᵅ":                     {{"N", false, 0}, {"−α", false, 1}},
		`$\|q_\perp\|^2$`:         {{"‖", false, 0}, {"q", true, 0}, {"⊥", false, -1}, {"‖", false, 0}, {"2", false, 1}},
		`$\log N \le \mathrm{x}$`: {{"log ", false, 0}, {"N", true, 0}, {" ≤ x", false, 0}},
		"$q'$ of":                 {{"q", true, 0}, {"′ of", false, 0}},
		`$a^{b_c}$`:               {{"a", true, 0}, {"bc", true, 1}},
		"$x^$":                    {{"x", true, 0}, {"^", false, 0}},
		`cost \$5`:                {{"cost $5", false, 0}},
		"${a$":                    {{"a", true, 0}},
		"":                        nil,
	} {
		if got := parseText(in); !slices.Equal(got, want) {
			t.Errorf("%q = %v: want %v", in, got, want)
		}
	}
	if got, want := plainWords(`$N^{-\alpha} Q$ and $q_1$`), "N^(−α) Q and q_1"; got != want {
		t.Errorf("plain words = %q: want %q", got, want)
	}
}

func FuzzParseText(f *testing.F) {
	for _, s := range []string{`$N^{-\alpha}$`, "$^_{$", `\`, `$\`, "${{}$", "q⊥²", `$\mathrm`, "$_^_^a$"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		_, width := handler.layout(s, plainFont(10))
		if width < 0 || math.IsNaN(float64(width)) {
			t.Errorf("width of %q = %v", s, width)
		}
		plainWords(s)
	})
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		log    bool
		lo, hi float64 // of the data
		want   string  // labels
	}{
		{false, 0, 1, "0 0.2 0.4 0.6 0.8 1.0"},
		{false, -20, 45, "-20 -10 0 10 20 30 40"},
		{false, 0, 240000, "0 0.5·10^(5) 1.0·10^(5) 1.5·10^(5) 2.0·10^(5)"},
		{false, 0, 3e-7, "0 0.5·10^(-7) 1.0·10^(-7) 1.5·10^(-7) 2.0·10^(-7) 2.5·10^(-7) 3.0·10^(-7)"},
		{true, 2, 128, "2 5 10 20 50 100"},
		{true, 1, 10000, "1 10 100 1000 10000"},
		{true, 1e-60, 1, "10^(-60) 10^(-50) 10^(-40) 10^(-30) 10^(-20) 10^(-10) 10^(0)"},
		{true, 1e-9, 1e-4, "10^(-9) 10^(-8) 10^(-7) 10^(-6) 10^(-5) 10^(-4)"},
		{true, 0.521, 0.529, "0.522 0.524 0.526 0.528"},
	} {
		s := &scale{log: c.log, count: 6, lo: c.lo, hi: c.hi}
		if c.log {
			s.lo, s.hi = math.Log10(c.lo), math.Log10(c.hi)
		}
		var labels []string
		for _, tick := range s.Ticks(s.lo, s.hi) {
			if tick.Value < s.lo-1e-6 || tick.Value > s.hi+1e-6 {
				t.Errorf("%g to %g: tick at %g is outside", c.lo, c.hi, tick.Value)
			}
			if tick.Label != "" {
				labels = append(labels, strings.NewReplacer("$", "", "{", "(", "}", ")").Replace(tick.Label))
			}
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("log %v, %g to %g: ticks %s: want %s", c.log, c.lo, c.hi, got, c.want)
		}
	}
}

// TestThin: a long path keeps its ends and its extremes.
func TestThin(t *testing.T) {
	pts := make([]vg.Point, 200000)
	for i := range pts {
		pts[i] = vg.Point{X: vg.Length(i) / 500, Y: vg.Length(i % 7)}
	}
	pts[77777].Y, pts[123456].Y = 100, -100
	out := thin(pts)
	if len(out) > 6000 {
		t.Errorf("%d points left: want at most 6000", len(out))
	}
	if out[0] != pts[0] || out[len(out)-1] != pts[len(pts)-1] || !slices.Contains(out, pts[77777]) || !slices.Contains(out, pts[123456]) {
		t.Error("an end or an extreme is lost")
	}
	if !slices.IsSortedFunc(out, func(a, b vg.Point) int { return int(1e6 * (a.X - b.X)) }) {
		t.Error("points out of order")
	}
}

func TestSpread(t *testing.T) {
	ys := []vg.Length{5, 5, 5, 50}
	spread(ys, 10, 0, 60)
	for i := 1; i < len(ys); i++ {
		if ys[i]-ys[i-1] < 9.9 {
			t.Errorf("labels at %v: want them 10 apart", ys)
		}
	}
	if ys[0] < 4.9 || ys[3] > 55.1 {
		t.Errorf("labels at %v: want them within 5 to 55", ys)
	}
}

// Vision with one kind of cone missing, on linear RGB: Machado, Oliveira and Fernandes, IEEE TVCG 15 (2009), severity 1.
var visions = map[string][3][3]float64{
	"normal": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protan": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deutan": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritan": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// lab returns CIE L*a*b* (D65) of a colour as seen with the given vision.
func lab(c color.NRGBA, vision [3][3]float64) (l, a, b float64) {
	lin := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	in := [3]float64{lin(c.R), lin(c.G), lin(c.B)}
	mul := func(m [3][3]float64, v [3]float64) (out [3]float64) {
		for i := range m {
			for j := range v {
				out[i] += m[i][j] * v[j]
			}
			out[i] = math.Max(out[i], 0)
		}
		return out
	}
	xyz := mul([3][3]float64{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}, mul(vision, in))
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x, y, z := f(xyz[0]/0.9505), f(xyz[1]), f(xyz[2]/1.089)
	return 116*y - 16, 500 * (x - y), 200 * (y - z)
}

// TestPalette: the first four series colours differ clearly (by more than 15 in CIE L*a*b*; a just noticeable difference is 2.3) for
// all kinds of vision and all six by more than 8; all are seen on white; and in grey the markers and dashes tell the series apart.
func TestPalette(t *testing.T) {
	for name, v := range visions {
		for i, p := range seriesColors {
			l1, a1, b1 := lab(p, v)
			if l1 > 80 {
				t.Errorf("%s: colour %d has lightness %.0f: want at most 80 on white", name, i, l1)
			}
			for j, q := range seriesColors[:i] {
				l2, a2, b2 := lab(q, v)
				least := 8.0
				if i < 4 {
					least = 15
				}
				if d := math.Sqrt((l1-l2)*(l1-l2) + (a1-a2)*(a1-a2) + (b1-b2)*(b1-b2)); d < least {
					t.Errorf("%s: colours %d and %d differ by %.1f: want %.0f", name, j, i, d, least)
				}
			}
		}
	}
	seen := map[[2]int]bool{}
	for i := range 36 {
		l := seriesLook(i)
		marker, dash := -1, -1
		for k := range markers {
			if slices.Equal(markers[k], l.marker) {
				marker = k
			}
			if slices.Equal(seriesDash[k], l.dashes) {
				dash = k
			}
		}
		key := [2]int{slices.Index(seriesColors, l.color), marker}
		if marker < 0 || marker != dash || seen[key] {
			t.Errorf("series %d looks like one before it", i)
		}
		seen[key] = true
	}
}

// TestViridis: lightness rises evenly, so the order of the colours survives in grey and under every kind of vision.
func TestViridis(t *testing.T) {
	for name, v := range visions {
		last := -1.0
		for i := 0; i <= 100; i++ {
			l, _, _ := lab(viridis(float64(i)/100), v)
			if step := l - last; i > 0 && (step <= 0 || step > 2.2) {
				t.Errorf("%s: lightness rises by %.2f at %d %%: want 0 to 2.2", name, step, i)
			}
			last = l
		}
	}
}
