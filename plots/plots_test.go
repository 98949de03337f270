package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui"
)

var nan, inf = math.NaN(), math.Inf(1)

func one(s Series) (*Figure, error) { return Lines(Chart{Series: []Series{s}}) }

// TestBadInput wants an InputError of one line that names the value, and no figure.
func TestBadInput(t *testing.T) {
	xy := []float64{1, 2}
	law := Law{Name: "a", X: xy, CDF: []float64{0.5, 1}}
	ok := Rate{Alpha: 3, N: []int{2, 4}, W1: []float64{0.2, 0.1}}
	with := func(change func(*Rate)) []Rate { r := ok; change(&r); return []Rate{r} }
	for name, c := range map[string]struct {
		f    func() (*Figure, error)
		want string
	}{
		"no queues":      {func() (*Figure, error) { return QueuePaths[int](nil, nil, PathOptions{}) }, "len(queues) = 0"},
		"empty queue":    {func() (*Figure, error) { return QueuePaths([][]int{{}}, nil, PathOptions{}) }, "X) = 0"},
		"short total":    {func() (*Figure, error) { return QueuePaths([][]int{{1, 2}}, []int{1}, PathOptions{}) }, "len(total) = 1"},
		"negative queue": {func() (*Figure, error) { return QueuePaths([][]int{{1, -2}}, nil, PathOptions{}) }, "queues[0][1] = -2"},
		"stride":         {func() (*Figure, error) { return QueuePaths([][]int{{1, 2}}, nil, PathOptions{Every: nan}) }, "Every = NaN"},
		"no laws":        {func() (*Figure, error) { return TotalCDF(nil, Exp(1), CDFOptions{}) }, "len(laws) = 0"},
		"no limit":       {func() (*Figure, error) { return TotalCDF([]Law{law}, Limit{}, CDFOptions{}) }, "Limit.Law"},
		"limit mean":     {func() (*Figure, error) { return TotalCDF([]Law{law}, Exp(-1), CDFOptions{}) }, "limit law"},
		"limit nan":      {func() (*Figure, error) { return TotalCDF([]Law{law}, Exp(nan), CDFOptions{XMax: 1}) }, "limit law"},
		"xmax":           {func() (*Figure, error) { return TotalCDF([]Law{law}, Exp(1), CDFOptions{XMax: -1}) }, "XMax = -1"},
		"no function":    {func() (*Figure, error) { return TotalCDF([]Law{{X: xy}}, Exp(1), CDFOptions{}) }, "len(laws[0].CDF) = 0"},
		"falling cdf":    {func() (*Figure, error) { return TotalCDF([]Law{{X: xy, CDF: []float64{1, 0.5}}}, Exp(1), CDFOptions{}) }, "laws[0].CDF[1] = 0.5"},
		"not a cdf":      {func() (*Figure, error) { return TotalCDF([]Law{{X: xy, CDF: []float64{0, 2}}}, Exp(1), CDFOptions{}) }, "laws[0].CDF[1] = 2"},
		"cdf nan":        {func() (*Figure, error) { return TotalCDF([]Law{{X: xy, CDF: []float64{0, nan}}}, Exp(1), CDFOptions{}) }, "laws[0].CDF[1] = NaN"},
		"cdf order":      {func() (*Figure, error) { return TotalCDF([]Law{{X: []float64{2, 2}, CDF: xy}}, Exp(1), CDFOptions{}) }, "laws[0].X[1] = 2"},
		"no tail": {func() (*Figure, error) {
			return TotalCDF([]Law{{X: []float64{0}, CDF: []float64{1}}}, Exp(1), CDFOptions{Survival: true})
		}, "laws[0]"},
		"no rates":   {func() (*Figure, error) { return DistanceVsN(nil, DistanceOptions{}) }, "len(rates) = 0"},
		"alpha nan":  {func() (*Figure, error) { return DistanceVsN(with(func(r *Rate) { r.Alpha = nan }), DistanceOptions{}) }, "rates[0].Alpha = NaN"},
		"no servers": {func() (*Figure, error) { return DistanceVsN(with(func(r *Rate) { r.N = nil }), DistanceOptions{}) }, "len(rates[0].N) = 0"},
		"servers": {func() (*Figure, error) {
			return DistanceVsN(with(func(r *Rate) { r.N = []int{0, 4} }), DistanceOptions{})
		}, "rates[0].N[0] = 0"},
		"servers order": {func() (*Figure, error) {
			return DistanceVsN(with(func(r *Rate) { r.N = []int{4, 2} }), DistanceOptions{})
		}, "rates[0].N[1] = 2"},
		"distance zero": {func() (*Figure, error) {
			return DistanceVsN(with(func(r *Rate) { r.W1 = []float64{1, 0} }), DistanceOptions{})
		}, "Y[1] = 0"},
		"slope": {func() (*Figure, error) { return DistanceVsN([]Rate{ok}, DistanceOptions{Slopes: []float64{inf}}) }, "Slopes[0] = +Inf"},
		"map log": {func() (*Figure, error) {
			return AlphaMap(xy, []int{1, 2}, [][]float64{{1, 2}, {0, 1}}, AlphaMapOptions{})
		}, "Values[1][0] = 0"},
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

// svgText returns all text of an SVG document, which it checks to be well-formed.
func svgText(t *testing.T, data []byte) string {
	t.Helper()
	var b strings.Builder
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return b.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := tok.(xml.CharData); ok {
			b.Write(c)
			b.WriteByte(' ')
		}
	}
}

func TestSVGHasLabels(t *testing.T) {
	for name, want := range map[string][]string{
		"paths":     {"Sample paths under join the shortest queue", "slot", "total", "(jobs)", "seed 1"},
		"cdf":       {"scaled total", "difference", "limit Exp(1)", "= 16"},
		"survival":  {"straight line"},
		"histogram": {"density", "simulated,", "limit Exp(0.5)"},
		"distance":  {"servers", "= 2.5", "slope 4 −", "certificate", "error bars: 95 %"},
		"contrast":  {"batch routing", "job routing", "/12", "/3"},
		"hoelder":   {"Hölder exponent", "minimum"},
		"alphamap":  {"servers", "arXiv:2004.04826v3,", "1000", "α"},
	} {
		f, err := gallery[name]()
		if err != nil {
			t.Fatal(err)
		}
		data, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		text := svgText(t, data)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: SVG without %q", name, w)
			}
		}
		if !bytes.Contains(data, []byte("<title>")) || !bytes.Contains(data, []byte("sans-serif")) {
			t.Errorf("%s: SVG without title or font family", name)
		}
	}
}

// TestSameBytes: the same input gives the same bytes, in every format.
func TestSameBytes(t *testing.T) {
	for _, name := range []string{"distance", "alphamap"} {
		a, err := gallery[name]()
		if err != nil {
			t.Fatal(err)
		}
		b, err := gallery[name]()
		if err != nil {
			t.Fatal(err)
		}
		for format, render := range map[string]func(*Figure) ([]byte, error){"png": (*Figure).PNG, "svg": (*Figure).SVG, "pdf": (*Figure).PDF} {
			p, err := render(a)
			if err != nil {
				t.Fatal(err)
			}
			q, err := render(b)
			if err != nil {
				t.Fatal(err)
			}
			if again, _ := render(a); !bytes.Equal(p, q) || !bytes.Equal(p, again) {
				t.Errorf("%s: %s differs from one rendering to the next", name, format)
			}
			if format == "png" && len(p) > 80<<10 {
				t.Errorf("%s: png has %d bytes: want at most 80 kB", name, len(p))
			}
			if format == "pdf" && bytes.Count(p, []byte("(D:20000101000000)")) != 2 {
				t.Errorf("%s: pdf without the fixed dates", name)
			}
		}
	}
}

func TestSave(t *testing.T) {
	f, err := gallery["histogram"]()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := func() (names []string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	for ext, magic := range map[string]string{".png": "\x89PNG", ".svg": "<?xml", ".PDF": "%PDF"} {
		path := filepath.Join(dir, "figure"+ext)
		if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := f.Save(path); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(data), magic) {
			t.Errorf("%s begins with %.8q (error %v): want %q", path, data, err, magic)
		}
	}
	if got := files(); len(got) != 3 {
		t.Errorf("files = %v: want the three figures alone", got)
	}

	// What fails leaves the old file as it was, and nothing beside it.
	old := filepath.Join(dir, "figure.png")
	before, _ := os.ReadFile(old)
	broken := *f
	broken.Width = -1
	if err := broken.Save(old); err == nil {
		t.Error("Save of a figure of no size: want an error")
	}
	if after, _ := os.ReadFile(old); !bytes.Equal(before, after) {
		t.Error("a failed Save changed the file")
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.png"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := f.Save(filepath.Join(dir, "folder.png")); err == nil {
		t.Error("Save over a folder: want an error")
	}
	if err := f.Save(filepath.Join(dir, "none", "figure.png")); err == nil {
		t.Error("Save into a folder that is not there: want an error")
	}
	var in *InputError
	if err := f.Save(filepath.Join(dir, "figure.gif")); !errors.As(err, &in) {
		t.Errorf("Save as .gif: error = %v: want an *InputError", err)
	}
	if got := files(); len(got) != 4 {
		t.Errorf("files = %v: want three figures and the folder", got)
	}
}

func TestShowOutsideNotebook(t *testing.T) {
	if gonbui.IsNotebook {
		t.Skip("inside a notebook")
	}
	f, err := gallery["contrast"]()
	if err != nil {
		t.Fatal(err)
	}
	f.Width = -1 // nothing is rendered, so this does not matter
	if err := f.Show(); err != nil {
		t.Error(err)
	}
	MustShow(f, nil)
}

func TestMustShow(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("MustShow of an error: want a panic")
		}
	}()
	MustShow(Lines(Chart{}))
}

// TestDifference: F - G of a point mass at 1 against Exp(1) is e^-x - 1 before 1 and e^-x from 1 on.
func TestDifference(t *testing.T) {
	x, cdf, _ := Law{X: []float64{1}, CDF: []float64{1}}.within(3)
	dx, dy := difference(x, cdf, []float64{0.5, 2}, Exp(1))
	want := map[float64][]float64{0: {0}, 0.5: {math.Exp(-0.5) - 1}, 1: {math.Exp(-1) - 1, math.Exp(-1)}, 2: {math.Exp(-2)}, 3: {math.Exp(-3), math.Exp(-3)}}
	got := map[float64][]float64{}
	for i := range dx {
		got[dx[i]] = append(got[dx[i]], dy[i])
	}
	for at, w := range want {
		if !slices.EqualFunc(got[at], w, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("difference at %g = %v: want %v", at, got[at], w)
		}
	}
}

// TestNarrowFigure: the label of an axis names its offset in the drawing, on both axes and the colour bar, and nowhere else.
func TestNarrowFigure(t *testing.T) {
	x := []float64{1e11, 1e11 + 60}
	f, err := QueuePaths([][]int64{{5e6, 5e6 + 12}}, []int64{5e6, 5e6 + 12}, PathOptions{First: 1e11, Every: 60})
	if err != nil {
		t.Fatal(err)
	}
	m, err := Heatmap(Map{X: Axis{Label: "slot"}, Y: Axis{Label: "y"}, Z: Axis{Label: "height"}, Xs: x, Ys: []float64{0, 1},
		Values: [][]float64{{1e9, 1e9 + 1}, {1e9 + 2, 1e9 + 3}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		f    *Figure
		want []string
	}{{f, []string{"− 10 11 ", "(jobs) − 5·10 6 "}}, {m, []string{"slot − 10 11 ", "height − 10 9 "}}} {
		words := c.f.AltText()
		svg, err := c.f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(svgText(t, svg)), " ") + " "
		for _, w := range c.want {
			if !strings.Contains(text, w) {
				t.Errorf("SVG without %q: %s", w, text)
			}
		}
		if got := c.f.AltText(); got != words || strings.Contains(got, "10^") {
			t.Errorf("words = %q, %q before: want them without offsets", got, words)
		}
	}
}
