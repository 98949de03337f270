package plots

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// constant is a law whose functions have one value.
type constant float64

func (c constant) CDF(float64) float64         { return float64(c) }
func (c constant) Survival(float64) float64    { return float64(c) }
func (c constant) Quantile(float64) float64    { return float64(c) }
func (c constant) PartialMean(float64) float64 { return float64(c) }

// TestHostile: zero values and odd numbers give a figure or an *InputError, and never a panic.
func TestHostile(t *testing.T) {
	inf, big := math.Inf(1), math.MaxFloat64
	xy, law := []float64{1, 2}, Law{X: []float64{0, 1}, CDF: []float64{0.5, 1}}
	cdf := func(l Limit, o CDFOptions) func() (*Figure, error) {
		return func() (*Figure, error) { return TotalCDF([]Law{law}, l, o) }
	}
	for name, make := range map[string]func() (*Figure, error){
		"Figure{}":        func() (*Figure, error) { return new(Figure), nil },
		"Chart{}":         func() (*Figure, error) { return Lines(Chart{}) },
		"Series{}":        func() (*Figure, error) { return one(Series{}) },
		"largest numbers": func() (*Figure, error) { return one(Series{X: []float64{0, big}, Y: []float64{0, big}}) },
		"largest and log": func() (*Figure, error) {
			return Lines(Chart{Y: Axis{Log: true}, Series: []Series{{X: xy, Y: []float64{5e-324, big}}}})
		},
		"smallest numbers": func() (*Figure, error) { return one(Series{X: []float64{-5e-324, 5e-324}, Y: xy}) },
		"half a range": func() (*Figure, error) {
			return Lines(Chart{X: Axis{Range: [2]float64{0, inf}}, Series: []Series{{X: xy, Y: xy}}})
		},
		"range of NaN": func() (*Figure, error) {
			return Lines(Chart{X: Axis{Range: [2]float64{nan, 1}}, Series: []Series{{X: xy, Y: xy}}})
		},
		"range of one value": func() (*Figure, error) {
			return Lines(Chart{X: Axis{Range: [2]float64{1, 1}}, Series: []Series{{X: xy, Y: xy}}})
		},
		"range of a point": func() (*Figure, error) {
			return Lines(Chart{X: Axis{Range: [2]float64{1, 1 + 1e-14}}, Series: []Series{{X: xy, Y: xy}}})
		},
		"reference at Inf": func() (*Figure, error) {
			return Lines(Chart{Series: []Series{{X: xy, Y: xy}}, Across: []Ref{{At: inf}}})
		},
		"paths of nothing":   func() (*Figure, error) { return QueuePaths([][]float64{nil}, nil, PathOptions{}) },
		"paths from NaN":     func() (*Figure, error) { return QueuePaths([][]float64{xy}, xy, PathOptions{First: nan}) },
		"paths to Inf":       func() (*Figure, error) { return QueuePaths([][]float64{xy}, xy, PathOptions{Every: big}) },
		"paths of NaN":       func() (*Figure, error) { return QueuePaths([][]float64{{nan, 1}}, xy, PathOptions{}) },
		"paths, short times": func() (*Figure, error) { return QueuePaths([][]float64{xy}, xy, PathOptions{Times: xy[:1]}) },
		"paths far out":      func() (*Figure, error) { return QueuePaths([][]float64{xy}, xy, PathOptions{First: 1e300}) },
		"Law{}":              func() (*Figure, error) { return TotalCDF([]Law{{}}, Exp(1), CDFOptions{}) },
		"Limit{}":            cdf(Limit{}, CDFOptions{}),
		"Exp of 0":           cdf(Exp(0), CDFOptions{}),
		"Exp of Inf":         cdf(Exp(inf), CDFOptions{}),
		"Exp of 5e-324":      cdf(Exp(5e-324), CDFOptions{XMax: 1, Survival: true}),
		"largest XMax":       cdf(Exp(1), CDFOptions{XMax: big, Difference: true}),
		"smallest XMax":      cdf(Exp(1), CDFOptions{XMax: 5e-324, Difference: true}),
		"limit of NaN":       cdf(Limit{Law: constant(nan)}, CDFOptions{Difference: true}),
		"limit of 2":         cdf(Limit{Law: constant(2)}, CDFOptions{Survival: true}),
		"no points of Law":   func() (*Figure, error) { return TotalCDF([]Law{{Survival: []float64{}}}, Exp(1), CDFOptions{}) },
		"law beyond the end": func() (*Figure, error) {
			return TotalCDF([]Law{{X: []float64{9}, CDF: []float64{1}, Thinned: true}}, Exp(1), CDFOptions{XMax: 1, Difference: true})
		},
		"Rate{}":     func() (*Figure, error) { return DistanceVsN([]Rate{{}}, DistanceOptions{}) },
		"short rate": func() (*Figure, error) { return DistanceVsN([]Rate{{N: []int{1}}}, DistanceOptions{}) },
		"steepest slope": func() (*Figure, error) {
			return DistanceVsN([]Rate{{N: []int{1, 9}, W1: xy}}, DistanceOptions{Slopes: []float64{big}})
		},
		"Map{}": func() (*Figure, error) { return Heatmap(Map{}) },
		"map of one value": func() (*Figure, error) {
			return Heatmap(Map{Xs: xy, Ys: xy, Values: [][]float64{{1, 1}, {1, math.Nextafter(1, 2)}}, Contours: []float64{1}})
		},
		"map of few places": func() (*Figure, error) {
			return Heatmap(Map{X: Axis{Log: true}, Xs: []float64{1e300, math.Nextafter(1e300, inf)}, Ys: xy, Values: [][]float64{{1, 2}, {1, 2}}})
		},
		"largest map": func() (*Figure, error) {
			return Heatmap(Map{Xs: []float64{-big, big}, Ys: xy, Values: [][]float64{{1, 2}, {1, big}}})
		},
		"largest values":   func() (*Figure, error) { return Heatmap(Map{Xs: xy, Ys: xy, Values: [][]float64{{-big, 2}, {1, big}}}) },
		"alpha map":        func() (*Figure, error) { return AlphaMap(nil, nil, nil, AlphaMapOptions{}) },
		"ragged alpha map": func() (*Figure, error) { return AlphaMap(xy, []int{1, 2}, [][]float64{{1}}, AlphaMapOptions{}) },
		"Span{}":           func() (*Figure, error) { return Spans([]Span{{}}, SpanOptions{}) },
		"span of Inf":      func() (*Figure, error) { return Spans([]Span{{From: -inf, To: inf}}, SpanOptions{}) },
		"span to -Inf":     func() (*Figure, error) { return Spans([]Span{{To: -inf}}, SpanOptions{}) },
		"spans out of range": func() (*Figure, error) {
			return Spans([]Span{{From: 1, To: 2}, {From: 8, To: inf}}, SpanOptions{X: Axis{Range: [2]float64{3, 4}}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("panic: %v", r)
				}
			}()
			f, err := make()
			if err == nil {
				f.DPI = 40
				f.AltText()
				if _, err = f.PNG(); err == nil {
					var svg []byte
					if svg, err = f.SVG(); strings.Contains(string(svg), "NaN") || strings.Contains(string(svg), "Inf") {
						t.Error("the drawing has numbers that are not finite")
					}
				}
			}
			var in *InputError
			if err != nil && (!errors.As(err, &in) || strings.Contains(fmt.Sprint(err), "\n")) {
				t.Errorf("error %v: want an *InputError of one line", err)
			}
		})
	}
	for _, path := range []string{"", ".", filepath.Join(t.TempDir(), "none", "a.png")} {
		if err := new(Figure).Save(path); err == nil {
			t.Errorf("Save(%q): want an error", path)
		}
	}
}
