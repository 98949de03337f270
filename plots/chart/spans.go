package chart

import (
	"fmt"
	"jsqlab/plots/internal/input"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Span is one row of [Spans]: the part of the axis from From to To for which something is known.
type Span struct {
	Name string // to the left of the row
	// From and To are the ends, From not in it: it is drawn as a hollow circle. To = +Inf reaches out of the figure. From = To is a
	// single value, a full circle.
	From, To float64
	// Group from 1 on fixes colour and filling: rows of the same kind of knowledge look alike. 0: as 1.
	Group int
}

// SpanOptions are the options of [Spans].
type SpanOptions struct {
	Title, Note string
	X           Axis
	Kinds       []string // Kinds[g-1] names group g in the legend
	Down        []Ref    // vertical lines at X = At, labelled above the data area
}

// spanLooks tell kinds apart without colour: filled, striped, framed.
const spanLooks = 3

// Spans draws intervals of one variable as bars below one another, from the first at the top to the last: what is proved beside what
// is measured.
func Spans(rows []Span, o SpanOptions) (*Figure, error) {
	f, err := newFigure(o.Title, o.Note)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, input.Refuse("len(rows)", 0, "at least one row")
	}
	x, err := newScale("X", o.X)
	if err != nil {
		return nil, err
	}
	y := &scale{lo: 0.4, hi: float64(len(rows)) + 0.6, fixed: true}
	bars := make([]spanBar, len(rows))
	used := make([]bool, len(o.Kinds)+1)
	var names []plot.Tick
	for i, r := range rows {
		if bars[i], err = newSpanBar(i, r, len(o.Kinds), x); err != nil {
			return nil, err
		}
		bars[i].row = float64(len(rows) - i)
		used[bars[i].group-1] = true
		names = append(names, plot.Tick{Value: bars[i].row, Label: r.Name})
	}
	p := &panel{share: 1}
	var guides []guide
	down, err := places("Down", o.Down, x)
	if err != nil {
		return nil, err
	}
	for i, at := range down {
		r := o.Down[i]
		x.cover(at)
		guides = append(guides, guide{at: at, vertical: true, style: refStyle})
		if r.Label != "" {
			p.top = append(p.top, edgeLabel{at, r.Label, textStyle(legendSize, inkColor, text.XCenter, text.YTop)})
		}
	}
	if err := x.close("X", 0.05); err != nil {
		return nil, err
	}
	p.plot = newPlot(x, y)
	p.plot.Y.Tick.Marker = plot.ConstantTicks(names)
	p.plot.Y.Tick.Length = 0
	for _, g := range guides {
		p.plot.Add(g)
	}
	for _, b := range bars {
		p.plot.Add(b)
	}
	f.panels = append(f.panels, p)
	for g, name := range o.Kinds {
		if err := checkText(fmt.Sprintf("Kinds[%d]", g), name); err != nil {
			return nil, err
		}
		if used[g] {
			f.legend = append(f.legend, legendEntry{name, func(c draw.Canvas) {
				mid := c.Center().Y
				spanBar{group: g + 1}.fill(c, c.Min.X, c.Max.X, mid-4, mid+4)
			}})
		}
	}
	return f, nil
}

// spanBar is a row in the places of the axes, ready to draw.
type spanBar struct {
	from, to, row float64
	group         int
}

func newSpanBar(i int, r Span, kinds int, x *scale) (b spanBar, err error) {
	what := func(field string) string { return fmt.Sprintf("rows[%d].%s", i, field) }
	if err := checkText(what("Name"), r.Name); err != nil {
		return b, err
	}
	b.group = max(1, r.Group)
	if r.Group < 0 || b.group > max(1, kinds) {
		return b, input.Refuse(what("Group"), r.Group, fmt.Sprintf("0 to %d, the kinds there are", kinds))
	}
	if b.from, err = x.value(what("From"), r.From); err != nil {
		return b, err
	}
	x.cover(b.from)
	if b.to = math.Inf(1); math.IsInf(r.To, 1) {
		return b, nil
	}
	if b.to, err = x.value(what("To"), r.To); err != nil {
		return b, err
	}
	if b.to < b.from {
		return b, input.Refuse(what("To"), r.To, fmt.Sprintf("%g or more, the value of From", r.From))
	}
	x.cover(b.to)
	return b, nil
}

// Plot implements plot.Plotter.
func (b spanBar) Plot(c draw.Canvas, p *plot.Plot) {
	x0 := c.X(place(&p.X, b.from))
	x1 := c.X(place(&p.X, math.Min(b.to, p.X.Max)))
	y := c.Y(place(&p.Y, b.row))
	half := min((c.Y(place(&p.Y, 1))-c.Y(place(&p.Y, 0)))*0.28, 8)
	look := seriesLook(b.group - 1)
	if b.from > p.X.Max || b.to < p.X.Min {
		return
	}
	if b.from < b.to {
		b.fill(c, max(x0, c.Min.X), x1, y-half, y+half)
		if b.to > p.X.Max { // an arrow: it goes on
			c.FillPolygon(look.color, []vg.Point{{X: x1 - 1, Y: y - 1.5*half}, {X: x1 + 1.2*half, Y: y}, {X: x1 - 1, Y: y + 1.5*half}})
		}
	}
	look.marker, look.hollow = nil, b.from < b.to
	if x0 >= c.Min.X {
		look.drawMarker(c, vg.Point{X: x0, Y: y}, 1.3*markerRadius)
	}
}

// fill draws the bar of the kind: filled, striped or framed.
func (b spanBar) fill(c draw.Canvas, x0, x1, y0, y1 vg.Length) {
	color := seriesLook(b.group - 1).color
	box := []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
	opacity := []float64{0.85, 0.2, 0.06}[(b.group-1)%spanLooks]
	c.FillPolygon(fade(color, opacity), box)
	edge := draw.LineStyle{Color: color, Width: 1}
	c.StrokeLines(edge, append(box, box[0]))
	if (b.group-1)%spanLooks == 1 {
		area := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: box[0], Max: box[2]}}
		for x := x0 - (y1 - y0); x < x1; x += 5 {
			c.StrokeLines(edge, area.ClipLinesXY([]vg.Point{{X: x, Y: y0}, {X: x + y1 - y0, Y: y1}})...)
		}
	}
}
