package chart

import (
	"fmt"
	"jsqlab/plots/internal/input"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Mark is how a series is drawn.
type Mark int

// The marks.
const (
	Joined Mark = iota // a marker at each point, joined by a thin line: measured or computed at chosen points
	Dots               // a marker at each point
	Curve              // a line in the dash pattern of the series: a function known everywhere
	Steps              // a line that keeps its value until the next point: a sample path, a distribution function
	Theory             // a dark grey dashed line: a limit or a reference, not one of the series
)

func (m Mark) hasMarkers() bool { return m == Joined || m == Dots }

// Series is one curve or set of points with an optional interval at each point.
type Series struct {
	Name string    // for the legend; empty: none
	X, Y []float64 // of equal length; for Curve, Steps and Theory in rising order of X

	// Low and High are the ends of an interval at each X, drawn as error bars, or as a shaded band where Band is set; both or none.
	// On a logarithmic axis a Low of 0 or less reaches down to the end of the axis.
	Low, High []float64
	Band      bool

	Mark Mark
	// Group from 1 on fixes colour, marker and dashes: series of the same group look alike, so that theory and measurement of the same
	// system can share a colour. 0: the next one that is free. It does not apply to Theory.
	Group int
	// Direct writes the name beside the right end of the curve and not into the legend.
	Direct bool

	// Ink draws in the colour of text: a series that is none among others.
	Ink bool
}

// stroke is a series in the places of the axes, ready to draw.
type stroke struct {
	x, y, low, high []float64
	mark            Mark
	band            bool
	width           vg.Length
	look
}

// newStroke checks a series against its axes and widens them.
func newStroke(s Series, l look, x, y *scale) (*stroke, error) {
	what := func(field string) string {
		if s.Name == "" {
			return "series without a name: " + field
		}
		return fmt.Sprintf("series %q: %s", s.Name, field)
	}
	if err := checkText(what("Name"), s.Name); err != nil {
		return nil, err
	}
	if s.Mark < Joined || s.Mark > Theory {
		return nil, input.Refuse(what("Mark"), int(s.Mark), "Joined, Dots, Curve, Steps or Theory")
	}
	if s.Group < 0 {
		return nil, input.Refuse(what("Group"), s.Group, "0 or more")
	}
	if err := input.Len(what("Y"), len(s.Y), len(s.X), "X"); err != nil {
		return nil, err
	}
	out := &stroke{mark: s.Mark, band: s.Band, look: l, width: seriesWidth}
	var err error
	if out.x, err = x.values(what("X"), s.X); err != nil {
		return nil, err
	}
	if out.y, err = y.values(what("Y"), s.Y); err != nil {
		return nil, err
	}
	if !s.Mark.hasMarkers() {
		for i := 1; i < len(s.X); i++ {
			if s.X[i] < s.X[i-1] {
				return nil, input.Refuse(what(fmt.Sprintf("X[%d]", i)), s.X[i], fmt.Sprintf("%g or more, the X before it", s.X[i-1]))
			}
		}
	}
	if s.Mark == Theory {
		out.look = look{color: inkColor, dashes: limitDash}
		out.width = 1.1
	}
	if s.Ink {
		out.look = look{color: inkColor}
	}
	if s.Mark == Steps {
		out.width = 1.1
	}
	x.cover(out.x...)
	y.cover(out.y...)
	if s.Low == nil && s.High == nil {
		return out, nil
	}
	if err := input.Len(what("Low"), len(s.Low), len(s.X), "X"); err != nil {
		return nil, err
	}
	if err := input.Len(what("High"), len(s.High), len(s.X), "X"); err != nil {
		return nil, err
	}
	if out.high, err = y.values(what("High"), s.High); err != nil {
		return nil, err
	}
	out.low = make([]float64, len(s.Low))
	for i, v := range s.Low {
		switch {
		case !input.IsFinite(v):
			return nil, input.Refuse(what(fmt.Sprintf("Low[%d]", i)), v, "a finite number")
		case v > s.High[i]:
			return nil, input.Refuse(what(fmt.Sprintf("Low[%d]", i)), v, fmt.Sprintf("at most High[%d] = %g", i, s.High[i]))
		case y.log && v <= 0:
			out.low[i] = math.Inf(-1)
		case y.log:
			out.low[i] = math.Log10(v)
		default:
			out.low[i] = v
		}
	}
	y.cover(out.low...)
	y.cover(out.high...)
	return out, nil
}

// Plot implements plot.Plotter.
func (s *stroke) Plot(c draw.Canvas, p *plot.Plot) {
	X := func(v float64) vg.Length { return c.X(place(&p.X, v)) }
	Y := func(v float64) vg.Length {
		if math.IsInf(v, -1) {
			return c.Min.Y
		}
		return c.Y(place(&p.Y, v))
	}
	if s.low != nil {
		s.drawInterval(c, X, Y)
	}
	if s.mark != Dots {
		c.StrokeLines(s.line(), c.ClipLinesXY(s.points(s.y, X, Y))...)
	}
	if s.mark.hasMarkers() {
		for i := range s.x {
			if pt := (vg.Point{X: X(s.x[i]), Y: Y(s.y[i])}); c.Contains(pt) {
				s.drawMarker(c, pt, markerRadius)
			}
		}
	}
}

func (s *stroke) line() draw.LineStyle {
	l := draw.LineStyle{Color: s.color, Width: s.width, Dashes: s.dashes}
	if s.mark == Joined {
		l.Dashes = nil // the markers tell the series apart
		l.Width = 1
	}
	return l
}

// points returns the polyline through the values v at X, thinned to what the page can show.
func (s *stroke) points(v []float64, X, Y func(float64) vg.Length) []vg.Point {
	pts := make([]vg.Point, 0, len(s.x))
	for i := range s.x {
		pt := vg.Point{X: X(s.x[i]), Y: Y(v[i])}
		if s.mark == Steps && i > 0 {
			pts = append(pts, vg.Point{X: pt.X, Y: pts[len(pts)-1].Y})
		}
		pts = append(pts, pt)
	}
	return thin(pts)
}

// thin keeps of a long polyline with rising X, in each column 0.3 points wide, the first and last point and the lowest and highest.
func thin(pts []vg.Point) []vg.Point {
	const column = vg.Length(0.3)
	if len(pts) < 3000 {
		return pts
	}
	out := make([]vg.Point, 0, 3000)
	for i := 0; i < len(pts); {
		j, lo, hi := i, i, i
		for ; j < len(pts) && pts[j].X < pts[i].X+column; j++ {
			if pts[j].Y < pts[lo].Y {
				lo = j
			}
			if pts[j].Y > pts[hi].Y {
				hi = j
			}
		}
		last := -1
		for _, k := range []int{i, min(lo, hi), max(lo, hi), j - 1} {
			if k > last {
				out = append(out, pts[k])
				last = k
			}
		}
		i = j
	}
	return out
}

func (s *stroke) drawInterval(c draw.Canvas, X, Y func(float64) vg.Length) {
	if s.band {
		poly, low := s.points(s.high, X, Y), s.points(s.low, X, Y)
		slices.Reverse(low)
		poly = append(poly, low...)
		c.FillPolygon(fade(s.color, 0.18), c.ClipPolygonXY(poly))
		return
	}
	const cap = vg.Length(2.5)
	style := draw.LineStyle{Color: s.color, Width: 0.9}
	for i := range s.x {
		x, lo, hi := X(s.x[i]), Y(s.low[i]), Y(s.high[i])
		c.StrokeLines(style, c.ClipLinesXY(
			[]vg.Point{{X: x, Y: lo}, {X: x, Y: hi}},
			[]vg.Point{{X: x - cap, Y: hi}, {X: x + cap, Y: hi}},
		)...)
		if !math.IsInf(s.low[i], -1) {
			c.StrokeLines(style, c.ClipLinesXY([]vg.Point{{X: x - cap, Y: lo}, {X: x + cap, Y: lo}})...)
		}
	}
}

// thumb draws the series for the legend.
func (s *stroke) thumb(c draw.Canvas) {
	mid := c.Center()
	if s.low != nil && s.band {
		c.FillPolygon(fade(s.color, 0.18), []vg.Point{
			{X: c.Min.X, Y: mid.Y - 4}, {X: c.Max.X, Y: mid.Y - 4}, {X: c.Max.X, Y: mid.Y + 4}, {X: c.Min.X, Y: mid.Y + 4}})
	}
	if s.mark != Dots {
		c.StrokeLine2(s.line(), c.Min.X, mid.Y, c.Max.X, mid.Y)
	}
	if s.mark.hasMarkers() {
		s.drawMarker(c, mid, markerRadius)
	}
}

// guide is a straight reference line: horizontal or vertical over the whole data area, or of a slope through a point.
type guide struct {
	at       float64
	vertical bool
	sloped   bool
	x, slope float64 // the point is (x, at)
	style    draw.LineStyle
}

// Plot implements plot.Plotter.
func (g guide) Plot(c draw.Canvas, p *plot.Plot) {
	x0, x1, y0, y1 := p.X.Min, p.X.Max, g.at, g.at
	switch {
	case g.vertical:
		x0, x1, y0, y1 = g.at, g.at, p.Y.Min, p.Y.Max
	case g.sloped:
		y0, y1 = g.at+g.slope*(x0-g.x), g.at+g.slope*(x1-g.x)
	}
	tr := func(x, y float64) vg.Point { return vg.Point{X: c.X(place(&p.X, x)), Y: c.Y(place(&p.Y, y))} }
	c.StrokeLines(g.style, c.ClipLinesXY([]vg.Point{tr(x0, y0), tr(x1, y1)})...)
}

var refStyle = draw.LineStyle{Color: refColor, Width: 0.9, Dashes: []vg.Length{3, 2}}
