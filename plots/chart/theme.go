package chart

import (
	"image/color"
	"math"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Size and resolution of a figure that asks for nothing else.
const (
	DefaultWidth  = 16.0 // cm
	DefaultHeight = 9.5  // cm
	DefaultDPI    = 150  // dots per inch of a PNG
)

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

// seriesColors is the palette of M. Okabe and K. Ito (Color Universal Design, 2002) without black, which is for theory, and
// without yellow, which is lost on white paper; in an order in which neighbours differ in lightness as well.
var seriesColors = []color.NRGBA{
	rgb(0x0072B2), // blue
	rgb(0xD55E00), // vermillion
	rgb(0x009E73), // bluish green
	rgb(0xCC79A7), // reddish purple
	rgb(0xE69F00), // orange
	rgb(0x56B4E9), // sky blue
}

var (
	inkColor    = rgb(0x222222) // text, limit laws, theory
	axisColor   = rgb(0x555555)
	gridColor   = rgb(0xE6E6E6)
	refColor    = rgb(0x777777) // reference lines
	paperColor  = rgb(0xFFFFFF)
	seriesDash  = [][]vg.Length{nil, {6, 2.5}, {1.5, 2}, {7, 2, 1.5, 2}, {11, 3}, {4, 2, 1.5, 2, 1.5, 2}}
	limitDash   = []vg.Length{5, 2.5}
	seriesWidth = vg.Length(1.3)
)

const (
	titleSize  = vg.Length(11.5)
	labelSize  = vg.Length(10.5)
	tickSize   = vg.Length(9)
	legendSize = vg.Length(9.5)
	noteSize   = vg.Length(8.5)
)

func plainFont(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

func textStyle(size vg.Length, col color.Color, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{Color: col, Font: plainFont(size), XAlign: x, YAlign: y, Handler: handler}
}

func boldStyle(size vg.Length, col color.Color, x text.XAlignment, y text.YAlignment) text.Style {
	s := textStyle(size, col, x, y)
	s.Font.Weight = stdfont.WeightBold
	return s
}

// look is how one series is drawn.
type look struct {
	color  color.NRGBA
	dashes []vg.Length
	marker marker
	hollow bool
}

// seriesLook returns the look number i = 0, 1, ...; the first 36 differ in colour, marker or dashes, and of
// those the first six in all three.
func seriesLook(i int) look {
	n := len(seriesColors)
	shift := i / n
	return look{
		color:  seriesColors[i%n],
		dashes: seriesDash[(i+shift)%n],
		marker: markers[(i+shift)%n],
		hollow: shift%2 == 1,
	}
}

// fade returns the colour with an opacity in 0..1.
func fade(c color.NRGBA, opacity float64) color.NRGBA {
	c.A = uint8(math.Round(255 * opacity))
	return c
}

// darken returns the colour nearer to black, for text.
func darken(c color.NRGBA) color.NRGBA {
	f := func(v uint8) uint8 { return uint8(0.75 * float64(v)) }
	return color.NRGBA{f(c.R), f(c.G), f(c.B), c.A}
}

// marker is a polygon in the unit circle, by its corners; the circle has none.
type marker []vg.Point

var markers = []marker{
	nil, // circle
	regular(4, math.Pi/4, 1.15),
	regular(3, math.Pi/2, 1.25),
	regular(4, math.Pi/2, 1.2),
	regular(3, -math.Pi/2, 1.25),
	cross(),
}

func regular(n int, start, radius float64) marker {
	m := make(marker, n)
	for i := range m {
		s, c := math.Sincos(start + 2*math.Pi*float64(i)/float64(n))
		m[i] = vg.Point{X: vg.Length(radius * c), Y: vg.Length(radius * s)}
	}
	return m
}

// cross is a fat X.
func cross() marker {
	const a, b = 0.32, 1.1
	plus := []vg.Point{
		{X: a, Y: a}, {X: a, Y: b}, {X: -a, Y: b}, {X: -a, Y: a}, {X: -b, Y: a}, {X: -b, Y: -a},
		{X: -a, Y: -a}, {X: -a, Y: -b}, {X: a, Y: -b}, {X: a, Y: -a}, {X: b, Y: -a}, {X: b, Y: a},
	}
	m := make(marker, len(plus))
	for i, p := range plus {
		m[i] = vg.Point{X: (p.X - p.Y) * math.Sqrt2 / 2, Y: (p.X + p.Y) * math.Sqrt2 / 2}
	}
	return m
}

const markerRadius = vg.Length(2.8)

// draw fills the marker at pt, with a white rim that keeps it apart from what is under it.
func (l look) drawMarker(c draw.Canvas, pt vg.Point, radius vg.Length) {
	var p vg.Path
	if l.marker == nil {
		p.Move(vg.Point{X: pt.X + radius, Y: pt.Y})
		p.Arc(pt, radius, 0, 2*math.Pi)
	}
	for i, v := range l.marker {
		q := pt.Add(v.Scale(radius))
		if i == 0 {
			p.Move(q)
		} else {
			p.Line(q)
		}
	}
	p.Close()
	fill, rim, width := l.color, paperColor, vg.Length(0.6)
	if l.hollow {
		fill, rim, width = paperColor, l.color, 1.1
	}
	c.SetColor(fill)
	c.Fill(p)
	c.SetLineStyle(draw.LineStyle{Color: rim, Width: width})
	c.Stroke(p)
}

// newPlot returns an empty plot in the theme; x and y are the axes of its data.
func newPlot(x, y *scale) *plot.Plot {
	p := plot.New()
	p.TextHandler = handler
	p.BackgroundColor = nil
	p.Title.TextStyle.Handler = handler
	p.Legend.TextStyle = textStyle(legendSize, inkColor, text.XLeft, text.YBottom)
	for _, a := range []struct {
		axis  *plot.Axis
		scale *scale
	}{{&p.X, x}, {&p.Y, y}} {
		a.axis.Min, a.axis.Max = a.scale.lo, a.scale.hi
		a.axis.Label.Text = a.scale.label
		a.axis.Label.TextStyle = textStyle(labelSize, inkColor, text.XCenter, text.YBottom)
		a.axis.Label.Padding = 3
		a.axis.LineStyle = draw.LineStyle{Color: axisColor, Width: 0.8}
		a.axis.Tick.LineStyle = draw.LineStyle{Color: axisColor, Width: 0.6}
		a.axis.Tick.Length = 4
		a.axis.Tick.Label.Font, a.axis.Tick.Label.Handler = plainFont(tickSize), handler
		a.axis.Tick.Label.Color = inkColor
		a.axis.Tick.Marker = a.scale
		a.axis.Padding = 0
	}
	p.Add(gridLines{x, y})
	return p
}

// gridLines are light lines at the labelled ticks.
type gridLines struct{ x, y *scale }

// Plot implements plot.Plotter.
func (g gridLines) Plot(c draw.Canvas, p *plot.Plot) {
	style := draw.LineStyle{Color: gridColor, Width: 0.6}
	for _, t := range g.x.ticks(p.X.Min, p.X.Max) {
		if x := c.X(place(&p.X, t.Value)); !t.IsMinor() && c.ContainsX(x) {
			c.StrokeLine2(style, x, c.Min.Y, x, c.Max.Y)
		}
	}
	for _, t := range g.y.ticks(p.Y.Min, p.Y.Max) {
		if y := c.Y(place(&p.Y, t.Value)); !t.IsMinor() && c.ContainsY(y) {
			c.StrokeLine2(style, c.Min.X, y, c.Max.X, y)
		}
	}
}
