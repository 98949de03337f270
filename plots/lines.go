package plots

import (
	"fmt"

	"gonum.org/v1/plot/text"
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
	Title, Note string // as in Options
	X, Y        Axis
	Series      []Series
	Across      []Ref // horizontal lines at Y = At, labelled at the right end
	Down        []Ref // vertical lines at X = At, labelled above the data area
}

// Lines draws theory against measurement in general: named series with error bars or bands, on linear or logarithmic
// axes, and reference lines. It needs one series at least.
func Lines(ch Chart) (*Figure, error) {
	f, err := newFigure(Options{Title: ch.Title, Note: ch.Note})
	if err != nil {
		return nil, err
	}
	if err := f.addChart(ch, 1); err != nil {
		return nil, err
	}
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
		return inputError("len(Series)", 0, "at least one series")
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
	f.panels = append(f.panels, p)
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
