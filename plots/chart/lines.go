package chart

import (
	"fmt"
	"jsqlab/plots/internal/input"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Ref is a labelled reference line; a label without a text is left out.
type Ref struct {
	At    float64
	Label string
}

// places checks reference lines and returns where they are on their scale.
func places(name string, refs []Ref, s *scale) ([]float64, error) {
	at := make([]float64, len(refs))
	for i, r := range refs {
		what := fmt.Sprintf("%s[%d]", name, i)
		var err error
		if at[i], err = s.value(what+".At", r.At); err != nil {
			return nil, err
		}
		if err := checkText(what+".Label", r.Label); err != nil {
			return nil, err
		}
	}
	return at, nil
}

// Chart is the input of [Lines].
type Chart struct {
	Title  string // above the figure
	Note   string // below it, in small type: where the data come from, what the intervals are
	X, Y   Axis
	Series []Series
	Across []Ref // horizontal lines at Y = At, labelled at the right end
	Down   []Ref // vertical lines at X = At, labelled above the data area
	Slopes []Slope
	Keys   []Key
}

// Slope is a reference line through the point (X, Y). On two logarithmic axes Y grows along it like X^Slope.
type Slope struct {
	X, Y, Slope float64
	Group       int // the colour is that of the series of this group, lighter
	Dashes      int // 0, 1, ...: which dash pattern
}

// Key names in the legend what is no series of its own: a band, or all slopes of one dash pattern.
type Key struct {
	Name   string
	Band   bool
	Dashes int
}

// slopeDashes are the dash patterns of slopes.
var slopeDashes = [][]vg.Length{{5, 2}, {2.5, 2}, {1, 1.6}, {7, 2, 1, 2}}

func (k Key) thumb(c draw.Canvas) {
	mid := c.Center().Y
	if k.Band {
		c.FillPolygon(fade(refColor, 0.25), []vg.Point{
			{X: c.Min.X, Y: mid - 4}, {X: c.Max.X, Y: mid - 4}, {X: c.Max.X, Y: mid + 4}, {X: c.Min.X, Y: mid + 4}})
		return
	}
	style := draw.LineStyle{Color: refColor, Width: 0.8, Dashes: slopeDashes[k.Dashes%len(slopeDashes)]}
	c.StrokeLine2(style, c.Min.X, mid, c.Max.X, mid)
}

// Lines draws theory against measurement in general: named series with error bars or bands, on linear or logarithmic
// axes, and reference lines. It needs one series at least.
func Lines(ch Chart) (*Figure, error) {
	f, err := newFigure(ch.Title, ch.Note)
	if err != nil {
		return nil, err
	}
	if err := f.addChart(ch, 1); err != nil {
		return nil, err
	}
	return f, nil
}

// Stack draws two charts below one another that share the horizontal axis; share is the part of the upper one in the height. Title, note
// and legend are above and below both, and the label of the axis is that of the lower chart.
func Stack(upper, lower Chart, share float64) (*Figure, error) {
	f, err := newFigure(upper.Title, upper.Note)
	if err != nil {
		return nil, err
	}
	upper.X.Label = ""
	if err := f.addChart(upper, share); err != nil {
		return nil, err
	}
	if err := f.addChart(lower, 1-share); err != nil {
		return nil, err
	}
	a, b := f.panels[0].plot, f.panels[1].plot
	a.X.Min, a.X.Max = min(a.X.Min, b.X.Min), max(a.X.Max, b.X.Max)
	b.X.Min, b.X.Max = a.X.Min, a.X.Max
	a.X.Tick.Marker.(*scale).quiet = true
	return f, nil
}

// addChart adds a panel with the chart, its legend entries and labels.
func (f *Figure) addChart(ch Chart, share float64) error {
	x, err := newScale("X", ch.X)
	if err != nil {
		return err
	}
	y, err := newScale("Y", ch.Y)
	if err != nil {
		return err
	}
	if len(ch.Series) == 0 {
		return input.Refuse("len(Series)", 0, "at least one series")
	}
	strokes := make([]*stroke, len(ch.Series))
	looks := chooseLooks(ch.Series)
	for i, s := range ch.Series {
		if strokes[i], err = newStroke(s, looks[i], x, y); err != nil {
			return err
		}
	}
	var guides []guide
	p := &panel{share: share}
	label := textStyle(legendSize, inkColor, text.XLeft, text.YTop)
	across, err := places("Across", ch.Across, y)
	if err != nil {
		return err
	}
	for i, at := range across {
		r := ch.Across[i]
		y.cover(at)
		guides = append(guides, guide{at: at, style: refStyle})
		if r.Label != "" {
			p.right = append(p.right, edgeLabel{at, r.Label, label})
		}
	}
	down, err := places("Down", ch.Down, x)
	if err != nil {
		return err
	}
	for i, at := range down {
		r := ch.Down[i]
		x.cover(at)
		guides = append(guides, guide{at: at, vertical: true, style: refStyle})
		if r.Label != "" {
			s := label
			s.XAlign = text.XCenter
			p.top = append(p.top, edgeLabel{at, r.Label, s})
		}
	}
	if err := x.close("X", padX(strokes)); err != nil {
		return err
	}
	if err := y.close("Y", 0.05); err != nil {
		return err
	}
	p.plot = newPlot(x, y)
	for _, g := range guides {
		p.plot.Add(g)
	}
	f.addStrokes(p, ch.Series, strokes)
	for i, s := range ch.Slopes {
		if err := addSlope(p, fmt.Sprintf("Slopes[%d]", i), s, x, y); err != nil {
			return err
		}
	}
	for i, k := range ch.Keys {
		if err := checkText(fmt.Sprintf("Keys[%d].Name", i), k.Name); err != nil {
			return err
		}
		if k.Dashes < 0 {
			return input.Refuse(fmt.Sprintf("Keys[%d].Dashes", i), k.Dashes, "0 or more")
		}
		f.legend = append(f.legend, legendEntry{k.Name, k.thumb})
	}
	f.panels = append(f.panels, p)
	return nil
}

// addSlope draws a line through a point over all that is there.
func addSlope(p *panel, what string, s Slope, x, y *scale) error {
	g := guide{sloped: true, slope: s.Slope}
	var err error
	if g.x, err = x.value(what+".X", s.X); err != nil {
		return err
	}
	if g.at, err = y.value(what+".Y", s.Y); err != nil {
		return err
	}
	switch {
	case !input.IsFinite(s.Slope):
		return input.Refuse(what+".Slope", s.Slope, "a finite number")
	case s.Group < 0 || s.Dashes < 0:
		return input.Refuse(what+".Group and Dashes", fmt.Sprint(s.Group, " and ", s.Dashes), "0 or more")
	}
	color := fade(seriesLook(max(0, s.Group-1)).color, 0.75)
	g.style = draw.LineStyle{Color: color, Width: 0.8, Dashes: slopeDashes[s.Dashes%len(slopeDashes)]}
	p.plot.Add(g)
	return nil
}

// addStrokes draws bands under lines, and enters names into the legend or beside the curves.
func (f *Figure) addStrokes(p *panel, series []Series, strokes []*stroke) {
	for _, bands := range []bool{true, false} {
		for _, s := range strokes {
			if (s.low != nil && s.band) == bands {
				p.plot.Add(s)
			}
		}
	}
	for i, s := range series {
		switch {
		case s.Name == "":
		case s.Direct:
			st := strokes[i]
			style := textStyle(legendSize, darken(st.color), text.XLeft, text.YTop)
			p.right = append(p.right, edgeLabel{st.y[len(st.y)-1], s.Name, style})
		default:
			f.legend = append(f.legend, legendEntry{s.Name, strokes[i].thumb})
		}
	}
}

// chooseLooks gives each series its look: that of its group, or the next one that no group has.
func chooseLooks(series []Series) []look {
	used := map[int]bool{}
	for _, s := range series {
		used[s.Group] = true
	}
	out := make([]look, len(series))
	next := 1
	for i, s := range series {
		g := s.Group
		if g <= 0 && s.Mark != Theory {
			for used[next] {
				next++
			}
			g = next
			next++
		}
		out[i] = seriesLook(max(0, g-1))
	}
	return out
}

// padX leaves room beside markers; lines run to the edge.
func padX(strokes []*stroke) float64 {
	for _, s := range strokes {
		if s.mark.hasMarkers() {
			return 0.04
		}
	}
	return 0
}
