package plots

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden images of testdata anew")

// samplePaths returns the queues and the total of a small JSQ system with Binomial(2, p) arrivals for each of four
// servers, the whole batch to one shortest queue, and Binomial(2, 1/2) service.
func samplePaths(slots int) (queues [][]int, total []int) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 4
	draw := func(trials int, p float64) (sum int) {
		for range trials {
			if r.Float64() < p {
				sum++
			}
		}
		return sum
	}
	q := make([]int, n)
	queues = make([][]int, n)
	for range slots {
		sum, best := 0, 0
		for i, v := range q {
			queues[i] = append(queues[i], v)
			sum += v
			if v < q[best] {
				best = i
			}
		}
		total = append(total, sum)
		q[best] += draw(2*n, 0.48)
		for i := range q {
			q[i] = max(0, q[i]-draw(2, 0.5))
		}
	}
	return queues, total
}

// geometric returns the law of (1 - rho) Q for Q geometric with ratio rho, as M/M/1 has.
func geometric(name string, rho float64, points int) Law {
	l := Law{Name: name}
	for n := range points {
		l.X = append(l.X, (1-rho)*float64(n))
		l.Survival = append(l.Survival, math.Pow(rho, float64(n+1)))
	}
	return l
}

// rate returns W1 = C N^(2-alpha) (1 - 1/N) with intervals and certificates of a plausible size.
func rate(alpha float64, n ...int) Rate {
	r := Rate{Alpha: alpha, N: n}
	for _, k := range n {
		x := float64(k)
		w := 0.5 * math.Pow(x, 2-alpha) * (1 - 1/x)
		r.W1 = append(r.W1, w)
		r.Low, r.High = append(r.Low, 0.9*w), append(r.High, 1.1*w)
		r.CertificateLow = append(r.CertificateLow, w*(1-0.9/math.Sqrt(x)))
		r.CertificateHigh = append(r.CertificateHigh, w*(1+6/x))
	}
	return r
}

func grid2(f func(n, alpha float64) float64) (alpha []float64, n []int, z [][]float64) {
	for a := 1.5; a < 6.01; a += 0.25 {
		alpha = append(alpha, a)
	}
	for k := 2; k <= 1024; k *= 2 {
		n = append(n, k)
		var row []float64
		for _, a := range alpha {
			row = append(row, f(float64(k), a))
		}
		z = append(z, row)
	}
	return alpha, n, z
}

func curve(lo, hi float64, points int, f func(x float64) float64) (x, y []float64) {
	for i := range points {
		t := lo + (hi-lo)*float64(i)/float64(points-1)
		x, y = append(x, t), append(y, f(t))
	}
	return x, y
}

// gallery is every figure, with data made up to look like the real ones.
var gallery = map[string]func() (*Figure, error){
	"paths": func() (*Figure, error) {
		q, total := samplePaths(240)
		return QueuePaths(q, total, PathOptions{Title: "Sample paths under join the shortest queue", Note: "N = 4, batch routing, load 0.96, seed 1"})
	},
	"paths_single": func() (*Figure, error) {
		q, _ := samplePaths(60)
		return QueuePaths(q[:2], nil, PathOptions{First: 1000, Names: []string{"first", "second"}})
	},
	"cdf": func() (*Figure, error) {
		return TotalCDF([]Law{
			geometric("$N = 2$", 0.5, 40), geometric("$N = 4$", 0.8, 60), geometric("$N = 16$", 0.95, 200),
		}, Exp(1), CDFOptions{Title: "The law of the scaled total nears its limit", Difference: true})
	},
	"survival": func() (*Figure, error) {
		return TotalCDF([]Law{geometric(`$\alpha = 1.5$`, 0.6, 80), geometric(`$\alpha = 2.5$`, 0.9, 300)}, Exp(1),
			CDFOptions{Survival: true, Note: "The tails are geometric with ratio ρ, so each is a straight line."})
	},
	"cdf_thinned": func() (*Figure, error) {
		l := Law{Name: "$N = 1000$", Thinned: true}
		for i := range 60 {
			x := float64(i) / 8
			l.X, l.Survival = append(l.X, x), append(l.Survival, math.Exp(-x/0.5)*(1+0.02*x))
		}
		return TotalCDF([]Law{l}, Exp(0.5), CDFOptions{Difference: true})
	},
	"histogram": func() (*Figure, error) {
		end := -0.5 * math.Log(0.005)
		width, density := end/40, make([]float64, 41)
		r := rand.New(rand.NewPCG(3, 4))
		for range 4000 {
			if bin := int(0.5 * r.ExpFloat64() / width); bin < 40 {
				density[bin] += 1 / (4000 * width)
			}
		}
		density[40] = density[39]
		edges, _ := curve(0, end, 41, math.Exp)
		x, y := curve(0, end, 401, func(x float64) float64 { return 2 * math.Exp(-2*x) })
		return Lines(Chart{
			Title: "Scaled total in steady state", X: Axis{Label: scaledTotal, Range: [2]float64{0, end}}, Y: Axis{Label: "density"},
			Series: []Series{
				{Name: "simulated, $N = 32$", X: edges, Y: density, Low: make([]float64, 41), High: density, Band: true, Mark: Steps},
				{Name: `limit $\Exp(0.5)$`, X: x, Y: y, Mark: Theory},
			},
		})
	},
	"distance": func() (*Figure, error) {
		n := []int{4, 8, 16, 32, 64, 128}
		return DistanceVsN([]Rate{rate(2.5, n...), rate(3, n...), rate(4.5, n...)}, DistanceOptions{
			Title: "Distance to the exponential limit", Note: "Reference system, batch routing; error bars: 95 %; shaded: two-sided certificate",
		})
	},
	"distance_deep": func() (*Figure, error) {
		n := []int{10, 100, 1000, 10000}
		return DistanceVsN([]Rate{rate(2.5, n...), rate(6, n...), rate(17, n...)}, DistanceOptions{})
	},
	"contrast": func() (*Figure, error) {
		n := []float64{8, 16, 32, 128}
		m := func(name string, rel float64, c []float64, power float64) Series {
			s := Series{Name: name, X: n}
			for i, k := range n {
				v := c[i] * math.Pow(k, power)
				s.Y, s.Low, s.High = append(s.Y, v), append(s.Low, v*(1-rel)), append(s.High, v*(1+rel))
			}
			return s
		}
		limit := func(name string, f func(n float64) float64) Series {
			return Series{Name: name, X: []float64{8, 128}, Y: []float64{f(8), f(128)}, Mark: Theory, Direct: true}
		}
		return Lines(Chart{
			Title: "The routing unit decides how unequal the queues are",
			X:     Axis{Label: "servers $N$", Log: true}, Y: Axis{Label: `$E‖q_\perp‖^2$ (jobs$^2$)`, Log: true},
			Series: []Series{
				limit("$N^3/12$", func(n float64) float64 { return n * n * n / 12 }), m("batch routing", 0.05, []float64{0.127, 0.105, 0.094, 0.086}, 3),
				limit("$2N/3$", func(n float64) float64 { return 2 * n / 3 }), m("job routing", 0.05, []float64{0.55, 0.6, 0.64, 0.66}, 1),
			},
		})
	},
	"drift": func() (*Figure, error) {
		x, y := curve(1, 40, 14, func(l float64) float64 { return 3/l - 0.9 + 0.05*math.Sin(3*l) })
		s := Series{Name: "simulated, 95 %", X: x, Y: y, Mark: Dots}
		for i, v := range y {
			e := 0.02 + 0.01*float64(i)
			s.Low, s.High = append(s.Low, v-e), append(s.High, v+e)
		}
		bx, by := curve(1, 40, 200, func(l float64) float64 { return 6/l - 0.85 })
		return Lines(Chart{
			Title:  "Drift towards equal queues",
			X:      Axis{Label: `$‖q_\perp‖$ (jobs)`},
			Y:      Axis{Label: "mean drift (jobs per slot)"},
			Series: []Series{s, {Name: `bound $K_\perp/(2L) - \lambda/\sqrt{N(N-1)}$`, X: bx, Y: by, Mark: Theory}},
			Across: []Ref{{At: 0, Label: ""}, {At: -0.45, Label: `$-\eta$`}}, Down: []Ref{{At: 14.9, Label: `$\kappa$`}},
		})
	},
	"hoelder": func() (*Figure, error) {
		var series []Series
		for _, alpha := range []float64{2.5, 4.5, 6} {
			x, y := curve(2, 60, 200, func(r float64) float64 { return 3 * r * math.Pow(100, (alpha-1)/r) })
			series = append(series, Series{Name: "$\\alpha = " + map[float64]string{2.5: "2.5", 4.5: "4.5", 6: "6"}[alpha] + "$", X: x, Y: y, Mark: Curve})
		}
		series = append(series, Series{Name: "minimum", X: []float64{16.1}, Y: []float64{131.3}, Mark: Dots, Group: 2})
		return Lines(Chart{
			X: Axis{Label: "Hölder exponent $r$"}, Y: Axis{Label: `bound on $E[U Q^+]/E U$ (jobs)`, Log: true},
			Series: series, Down: []Ref{{At: 16.1, Label: "minimum"}, {At: 20, Label: "$r = \\lceil\\alpha-1\\rceil\\lceil\\log N\\rceil$"}},
		})
	},
	"laplace": func() (*Figure, error) {
		var series []Series
		for i, c := range []float64{1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14} {
			x, y := curve(-2, 2, 41, func(t float64) float64 {
				th := math.Pow(10, t)
				return c * th / (1 + th/2) / (1 + th/2)
			})
			for k := range x {
				x[k] = math.Pow(10, x[k])
			}
			series = append(series, Series{Name: "$N = " + []string{"4", "8", "16", "32", "64", "128", "256"}[i] + "$", X: x, Y: y, Mark: Curve})
		}
		return Lines(Chart{
			Title: "Error of the Laplace transform", Note: `$\alpha = 4.5$, from the boundary law`,
			X: Axis{Label: `$\theta$`, Log: true}, Y: Axis{Label: `$|E e^{-\theta Z} - 1/(1+m\theta)|$`, Log: true},
			Series: series,
		})
	},
	"alphamap": func() (*Figure, error) {
		alpha, n, z := grid2(func(n, a float64) float64 { return 0.5 * math.Pow(n, 2-a) * (1 - 0.5/n) })
		return AlphaMap(alpha, n, z, AlphaMapOptions{
			Title: "Where the exponential limit sets in",
			Down:  []Ref{{At: 2, Label: `measured, $\alpha > 2$`}, {At: 4, Label: `arXiv:2004.04826v3, $\alpha > 4$`}},
		})
	},
	"heatmap": func() (*Figure, error) {
		m := Map{X: Axis{Label: "$x$"}, Y: Axis{Label: "$y$"}, Z: Axis{Label: "$x y$"}, Contours: []float64{1, 2, 4}}
		for i := range 9 {
			m.Xs, m.Ys = append(m.Xs, float64(i)/2), append(m.Ys, float64(i)/4)
		}
		for _, y := range m.Ys {
			var row []float64
			for _, x := range m.Xs {
				row = append(row, x*y)
			}
			m.Values = append(m.Values, row)
		}
		return Heatmap(m)
	},
	"spans": func() (*Figure, error) {
		return Spans([]Span{
			{Name: "first theorem", From: 4, To: inf}, {Name: "a bound", From: 3, To: inf, Group: 2}, {Name: "seen", From: 2, To: inf, Group: 3},
			{Name: "second theorem", From: 1, To: 2}, {Name: "one value", From: 1, To: 1, Group: 3},
		}, SpanOptions{Title: "Proved and measured", Note: "open circles: the end is not in it", X: Axis{Label: `$\alpha$`, Range: [2]float64{0, 6}},
			Kinds: []string{"proved", "derived", "measured"}, Down: []Ref{{At: 2, Label: "2"}, {At: 4, Label: "4"}}})
	},
}

// goldenDPI keeps the golden images small; it is below that of any figure shown.
const goldenDPI = 60

func decode(t *testing.T, data []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// meanDifference is the mean absolute difference of the channels, of 255.
func meanDifference(a, b image.Image) float64 {
	sum := 0.0
	r := a.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			p := color.NRGBAModel.Convert(a.At(x, y)).(color.NRGBA)
			q := color.NRGBAModel.Convert(b.At(x, y)).(color.NRGBA)
			sum += math.Abs(float64(p.R)-float64(q.R)) + math.Abs(float64(p.G)-float64(q.G)) + math.Abs(float64(p.B)-float64(q.B))
		}
	}
	return sum / 3 / float64(r.Dx()*r.Dy())
}

// tolerance is the largest mean difference that passes. TestGoldenTolerance shows what it sees.
const tolerance = 0.01

// TestGolden holds every figure against its image: a changed pixel here and there (other rounding on another platform) passes, a missing
// label does not.
func TestGolden(t *testing.T) {
	for name, make := range gallery {
		t.Run(name, func(t *testing.T) {
			f, err := make()
			if err != nil {
				t.Fatal(err)
			}
			f.DPI = goldenDPI
			got, err := f.PNG()
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", name+".png")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			a, b := decode(t, got), decode(t, want)
			if a.Bounds() != b.Bounds() {
				t.Fatalf("size = %v: want %v", a.Bounds(), b.Bounds())
			}
			if d := meanDifference(a, b); d > tolerance {
				t.Errorf("mean difference to %s = %.3f of 255: want at most %g (run with -update after a wanted change)", path, d, tolerance)
			}
		})
	}
}

// TestGoldenTolerance: one wrong letter in a label of nine points is more than the tolerance.
func TestGoldenTolerance(t *testing.T) {
	render := func(label string) image.Image {
		f, err := Lines(Chart{X: Axis{Label: label}, Series: []Series{{X: []float64{0, 1}, Y: []float64{0, 1}}}})
		if err != nil {
			t.Fatal(err)
		}
		f.DPI = goldenDPI
		data, err := f.PNG()
		if err != nil {
			t.Fatal(err)
		}
		return decode(t, data)
	}
	if d := meanDifference(render("slots N"), render("slots H")); d <= tolerance {
		t.Errorf("a wrong letter makes a difference of %.4f: want more than %g", d, tolerance)
	}
}
