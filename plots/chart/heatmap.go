package chart

import (
	"fmt"
	"image/color"
	"jsqlab/plots/internal/input"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Map is the input of [Heatmap].
type Map struct {
	Title, Note string // as in Chart
	X, Y        Axis
	Z           Axis        // the colours; its label stands beside the colour bar
	Xs, Ys      []float64   // strictly increasing, two or more of each
	Values      [][]float64 // Values[i][j] at Ys[i], Xs[j]
	Contours    []float64   // values of Z at which contour lines are drawn
	Down        []Ref       // vertical lines at X = At, labelled above the data area
}

// Heatmap draws a function of two variables in colours, each value in a cell around its point, with contour lines and a colour bar.
func Heatmap(m Map) (*Figure, error) {
	f, err := newFigure(m.Title, m.Note)
	if err != nil {
		return nil, err
	}
	x, err := newScale("X", m.X)
	if err != nil {
		return nil, err
	}
	y, err := newScale("Y", m.Y)
	if err != nil {
		return nil, err
	}
	z, err := newScale("Z", m.Z)
	if err != nil {
		return nil, err
	}
	g := &grid{z: z}
	if g.x, g.xEdge, err = cells("Xs", m.Xs, x); err != nil {
		return nil, err
	}
	if g.y, g.yEdge, err = cells("Ys", m.Ys, y); err != nil {
		return nil, err
	}
	if err := input.Len("Values", len(m.Values), len(m.Ys), "Ys"); err != nil {
		return nil, err
	}
	for i, row := range m.Values {
		what := fmt.Sprintf("Values[%d]", i)
		if err := input.Len(what, len(row), len(m.Xs), "Xs"); err != nil {
			return nil, err
		}
		places, err := z.values(what, row)
		if err != nil {
			return nil, err
		}
		z.cover(places...)
		g.values = append(g.values, places)
	}
	z.tight = true
	for i, s := range []*scale{x, y, z} {
		if err := s.close("XYZ"[i:i+1], 0); err != nil {
			return nil, err
		}
	}
	for i, c := range m.Contours {
		t, err := z.value(fmt.Sprintf("Contours[%d]", i), c)
		if err != nil {
			return nil, err
		}
		g.contours = append(g.contours, t)
		g.labels = append(g.labels, contourLabel(c, z.log))
	}
	p := &panel{share: 1, plot: newPlot(x, y), bar: &colorBar{z, g.contours}}
	p.plot.Add(g)
	down, err := places("Down", m.Down, x)
	if err != nil {
		return nil, err
	}
	for i, at := range down {
		r := m.Down[i]
		g.marked = append(g.marked, at)
		p.plot.Add(guide{at: at, vertical: true, style: draw.LineStyle{Color: paperColor, Width: 2.2}})
		p.plot.Add(guide{at: at, vertical: true, style: draw.LineStyle{Color: inkColor, Width: 1, Dashes: []vg.Length{3, 2}}})
		if r.Label != "" {
			p.top = append(p.top, edgeLabel{at, r.Label, textStyle(legendSize, inkColor, text.XCenter, text.YTop)})
		}
	}
	f.panels = append(f.panels, p)
	return f, nil
}

func contourLabel(v float64, log bool) string {
	if k := math.Log10(v); log && math.Abs(k-math.Round(k)) < 1e-9 {
		return fmt.Sprintf("$10^{%d}$", int(math.Round(k)))
	}
	return fmt.Sprintf("$%g$", v)
}

// cells returns the places of the values and the edges of the cells around them, halfway on the axis.
func cells(what string, v []float64, s *scale) (at, edge []float64, err error) {
	if at, err = s.values(what, v); err != nil {
		return nil, nil, err
	}
	if len(at) < 2 {
		return nil, nil, input.Refuse("len("+what+")", len(at), "two or more")
	}
	if err := input.Rising(what, v); err != nil {
		return nil, nil, err
	}
	n := len(at)
	edge = append(edge, at[0]-(at[1]-at[0])/2)
	for i := 1; i < n; i++ {
		edge = append(edge, (at[i-1]+at[i])/2)
	}
	edge = append(edge, at[n-1]+(at[n-1]-at[n-2])/2)
	if !s.fixed {
		s.lo, s.hi, s.fixed = edge[0], edge[n], true
	}
	return at, edge, nil
}

// grid draws the cells and contour lines.
type grid struct {
	x, y, xEdge, yEdge []float64
	values             [][]float64
	z                  *scale
	contours           []float64
	labels             []string
	marked             []float64
}

// A contour line is white on a dark shade, so that it is seen on every colour.
var (
	contourStyle = draw.LineStyle{Color: paperColor, Width: 1}
	contourShade = draw.LineStyle{Color: fade(inkColor, 0.35), Width: 2}
)

// Plot implements plot.Plotter.
func (g *grid) Plot(c draw.Canvas, p *plot.Plot) {
	X := func(v float64) vg.Length { return c.X(place(&p.X, v)) }
	Y := func(v float64) vg.Length { return c.Y(place(&p.Y, v)) }
	for i, row := range g.values {
		for j, v := range row {
			// Each cell reaches a little under its neighbours that are still to come, so that no seam shows the paper.
			const under = vg.Length(0.4)
			x0, x1 := X(g.xEdge[j]), X(g.xEdge[j+1])
			y0, y1 := Y(g.yEdge[i]), Y(g.yEdge[i+1])
			if j+1 < len(row) {
				x1 += under
			}
			if i+1 < len(g.values) {
				y1 += under
			}
			cell := c.ClipPolygonXY([]vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
			c.FillPolygon(viridis((v-g.z.lo)/(g.z.hi-g.z.lo)), cell)
		}
	}
	label := textStyle(tickSize, inkColor, text.XCenter, text.YTop)
	var taken []vg.Rectangle // by labels and marked values
	for _, v := range g.marked {
		taken = append(taken, vg.Rectangle{Min: vg.Point{X: X(v) - 2, Y: c.Min.Y}, Max: vg.Point{X: X(v) + 2, Y: c.Max.Y}})
	}
	for k, level := range g.contours {
		lines := g.contour(level, X, Y)
		lines = c.ClipLinesXY(lines...)
		c.StrokeLines(contourShade, lines...)
		c.StrokeLines(contourStyle, lines...)
		if box, ok := placeLabel(c, lines, label.Width(g.labels[k]), lineHeight(label), taken); ok {
			taken = append(taken, box)
			c.SetColor(fade(paperColor, 0.85))
			c.Fill(box.Path())
			drawText(c, label, vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: box.Max.Y}, g.labels[k])
		}
	}
}

// placeLabel finds a place on the contour for a label of the given size, near the middle of the width and off the labels before it.
func placeLabel(c draw.Canvas, lines [][]vg.Point, w, h vg.Length, taken []vg.Rectangle) (vg.Rectangle, bool) {
	const margin = vg.Length(2)
	best, found := vg.Rectangle{}, false
	nearest := vg.Length(math.Inf(1))
	for _, l := range lines {
		at := l[0].Add(l[1]).Scale(0.5)
		box := vg.Rectangle{
			Min: vg.Point{X: at.X - w/2 - margin, Y: at.Y - h/2},
			Max: vg.Point{X: at.X + w/2 + margin, Y: at.Y + h/2},
		}
		if !c.Contains(box.Min) || !c.Contains(box.Max) ||
			slices.ContainsFunc(taken, func(t vg.Rectangle) bool {
				return box.Min.X < t.Max.X+margin && t.Min.X < box.Max.X+margin &&
					box.Min.Y < t.Max.Y+margin && t.Min.Y < box.Max.Y+margin
			}) {
			continue
		}
		off := at.X - c.Center().X
		if off = max(off, -off); off < nearest {
			best, found, nearest = box, true, off
		}
	}
	return best, found
}

// contour returns the pieces of the contour line at one level, linear on the four triangles
// between each square of four points and its mean.
func (g *grid) contour(level float64, X, Y func(float64) vg.Length) [][]vg.Point {
	type corner struct{ x, y, z float64 }
	var lines [][]vg.Point
	triangle := func(t [3]corner) {
		var ends []vg.Point
		for i := range t {
			a, b := t[i], t[(i+1)%3]
			if (a.z < level) == (b.z < level) {
				continue
			}
			f := (level - a.z) / (b.z - a.z)
			ends = append(ends, vg.Point{X: X(a.x + f*(b.x-a.x)), Y: Y(a.y + f*(b.y-a.y))})
		}
		if len(ends) == 2 {
			lines = append(lines, ends)
		}
	}
	at := func(i, j int) corner { return corner{g.x[j], g.y[i], g.values[i][j]} }
	for i := 0; i+1 < len(g.y); i++ {
		for j := 0; j+1 < len(g.x); j++ {
			a, b, d, e := at(i, j), at(i, j+1), at(i+1, j), at(i+1, j+1)
			mid := corner{(a.x + e.x) / 2, (a.y + e.y) / 2, (a.z + b.z + d.z + e.z) / 4}
			triangle([3]corner{a, b, mid})
			triangle([3]corner{b, e, mid})
			triangle([3]corner{e, d, mid})
			triangle([3]corner{d, a, mid})
		}
	}
	return lines
}

// viridisStops are ten evenly spaced colours of viridis (S. van der Walt and N. Smith, 2015, CC0).
var viridisStops = []color.NRGBA{
	rgb(0x440154), rgb(0x482878), rgb(0x3E4A89), rgb(0x31688E), rgb(0x26828E),
	rgb(0x1F9E89), rgb(0x35B779), rgb(0x6ECE58), rgb(0xB5DE2B), rgb(0xFDE725),
}

// viridis returns the colour at t in 0..1; t beyond these is the colour of the end.
func viridis(t float64) color.NRGBA {
	t = math.Min(math.Max(t, 0), 1) * float64(len(viridisStops)-1)
	i := min(int(t), len(viridisStops)-2)
	f := t - float64(i)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + f*(float64(b)-float64(a)))) }
	a, b := viridisStops[i], viridisStops[i+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}
