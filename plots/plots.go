package plots

import "jsqlab/plots/chart"

// The general chart, for what no function of this package draws; package chart describes it.
type (
	Figure      = chart.Figure
	Chart       = chart.Chart
	Axis        = chart.Axis
	Series      = chart.Series
	Mark        = chart.Mark
	Ref         = chart.Ref
	Map         = chart.Map
	Span        = chart.Span
	SpanOptions = chart.SpanOptions
	InputError  = chart.InputError
)

// How a series is drawn.
const (
	Joined = chart.Joined
	Dots   = chart.Dots
	Curve  = chart.Curve
	Steps  = chart.Steps
	Theory = chart.Theory
)

// Lines is [chart.Lines]: named series with error bars or bands, and reference lines.
func Lines(c Chart) (*Figure, error) { return chart.Lines(c) }

// Heatmap is [chart.Heatmap]: a function of two variables in colours.
func Heatmap(m Map) (*Figure, error) { return chart.Heatmap(m) }

// Spans is [chart.Spans]: intervals of one variable as bars below one another.
func Spans(rows []Span, o SpanOptions) (*Figure, error) { return chart.Spans(rows, o) }

// MustShow shows a figure fresh from its function, and panics on an error of either, which stops the notebook:
//
//	plots.MustShow(plots.TotalCDF(laws, plots.Exp(0.5), plots.CDFOptions{}))
func MustShow(f *Figure, err error) {
	if err == nil {
		err = f.Show()
	}
	if err != nil {
		panic(err)
	}
}
