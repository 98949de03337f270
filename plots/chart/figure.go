package chart

import (
	"cmp"
	"fmt"
	"jsqlab/plots/internal/input"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// InputError reports input that cannot be drawn.
type InputError = input.Error

// Figure is a finished figure: one or two panels, a title, a legend and labels, with its size. The zero value is an empty page.
type Figure struct {
	Width, Height float64 // centimetres; 0: DefaultWidth, DefaultHeight
	DPI           int     // resolution of PNG; 0: DefaultDPI

	title, note string
	legend      []legendEntry
	panels      []*panel
}

// panel is one pair of axes.
type panel struct {
	plot  *plot.Plot
	share float64 // part of the height of all panels
	right []edgeLabel
	top   []edgeLabel
	bar   *colorBar
}

// edgeLabel is a text outside of the data area, at a place on the axis along that side.
type edgeLabel struct {
	at    float64
	text  string
	style text.Style
}

// legendEntry is a name and the drawing that stands for it.
type legendEntry struct {
	name  string
	thumb func(c draw.Canvas)
}

func newFigure(title, note string) (*Figure, error) {
	if err := checkText("Title", title); err != nil {
		return nil, err
	}
	if err := checkText("Note", note); err != nil {
		return nil, err
	}
	return &Figure{title: title, note: note}, nil
}

// AltText returns the figure in words: title, axes and names of the series.
func (f *Figure) AltText() string {
	var parts []string
	add := func(s string) {
		if s != "" {
			parts = append(parts, s)
		}
	}
	add(plainWords(f.title))
	for _, p := range f.panels {
		if y := p.plot.Y.Label.Text; y != "" {
			x := f.panels[len(f.panels)-1].plot.X.Label.Text
			add(plainWords(y) + " against " + plainWords(x))
		}
		if p.bar != nil {
			add("colour: " + plainWords(p.bar.scale.label))
		}
	}
	var names []string
	for _, e := range f.legend {
		names = append(names, plainWords(e.name))
	}
	for _, p := range f.panels {
		for _, l := range slices.Concat(p.right, p.top) {
			names = append(names, plainWords(l.text))
		}
	}
	add(strings.Join(names, ", "))
	if len(parts) == 0 {
		return "figure"
	}
	return strings.Join(parts, "; ")
}

// size returns width and height.
func (f *Figure) size() (w, h vg.Length, err error) {
	width, height := f.Width, f.Height
	if width == 0 {
		width = DefaultWidth
	}
	if height == 0 {
		height = DefaultHeight
	}
	for _, v := range []struct {
		what  string
		value float64
	}{{"Width", width}, {"Height", height}} {
		if !(v.value >= 4 && v.value <= 100) {
			return 0, 0, input.Refuse(v.what, v.value, "4 to 100 centimetres")
		}
	}
	return vg.Length(width) * vg.Centimeter, vg.Length(height) * vg.Centimeter, nil
}

const (
	edgeGap  = vg.Length(5)  // between the data area and labels outside of it
	blockGap = vg.Length(5)  // between title, legend and panels
	panelGap = vg.Length(10) // between panels
	thumbLen = vg.Length(24)
)

// frame is the layout of a figure: where the data areas are, and what stands around them.
type frame struct {
	page        draw.Canvas
	data        []vg.Rectangle // of each panel
	levels      [][]int        // of the top labels of each panel
	title, note []string       // in lines
	legendTop   vg.Length
}

func titleStyle() text.Style { return boldStyle(titleSize, inkColor, text.XLeft, text.YTop) }
func noteStyle() text.Style  { return textStyle(noteSize, refColor, text.XLeft, text.YTop) }

// layout places title, legend, panels and note from top to bottom. The data areas of all panels share their left and right ends.
func (f *Figure) layout(page draw.Canvas) (*frame, error) {
	c := draw.Crop(page, 7, -10, 6, -7)
	fr := &frame{page: c}
	left, right := vg.Length(0), vg.Length(0)
	for _, p := range f.panels {
		data := p.plot.DataCanvas(c)
		left = max(left, data.Min.X-c.Min.X)
		right = max(right, c.Max.X-data.Max.X, p.rightWidth())
	}
	x0, x1 := c.Min.X+left, c.Max.X-right
	if least := (c.Max.X - c.Min.X) / 4; x1-x0 < least {
		return nil, input.Refuse("width of the data area (points)", math.Round(float64(x1-x0)),
			fmt.Sprintf("%.0f or more: shorter labels or a wider figure", least))
	}
	y := c.Max.Y
	if f.title != "" {
		fr.title = wrap(titleStyle(), f.title, c.Max.X-x0)
		y -= vg.Length(len(fr.title))*lineHeight(titleStyle()) + blockGap
	}
	fr.legendTop = y
	y -= f.legendHeight(x0, x1)
	bottom := c.Min.Y
	if f.note != "" {
		fr.note = wrap(noteStyle(), f.note, c.Max.X-x0)
		bottom += vg.Length(len(fr.note))*lineHeight(noteStyle()) + blockGap
	}
	// What a panel needs above and below its data area is fixed; the rest is shared out.
	n := len(f.panels)
	above, below := make([]vg.Length, n), make([]vg.Length, n)
	free := y - bottom - panelGap*vg.Length(max(0, n-1))
	for i, p := range f.panels {
		probe := p.plot.DataCanvas(c)
		fr.levels = append(fr.levels, p.topLevels(x0, x1))
		below[i], above[i] = probe.Min.Y-c.Min.Y, c.Max.Y-probe.Max.Y
		if lv := fr.levels[i]; len(lv) > 0 {
			above[i] = max(above[i], vg.Length(slices.Max(lv)+1)*lineHeight(p.top[0].style)+4)
		}
		free -= below[i] + above[i]
	}
	if least := (c.Max.Y - c.Min.Y) / 6; n > 0 && free < least {
		return nil, input.Refuse("height of the data area (points)", math.Round(float64(free)),
			fmt.Sprintf("%.0f or more: fewer series and labels or a higher figure", least))
	}
	for i, p := range f.panels {
		height := free * vg.Length(p.share)
		fr.data = append(fr.data, vg.Rectangle{
			Min: vg.Point{X: x0, Y: y - above[i] - height},
			Max: vg.Point{X: x1, Y: y - above[i]},
		})
		y -= above[i] + height + below[i] + panelGap
	}
	return fr, nil
}

// draw draws the figure on an empty page.
func (f *Figure) draw(page draw.Canvas) error {
	// For this drawing only, short vertical axes have few ticks, labels say what their ticks are counted from, and labels that are longer
	// than their vertical axis are broken into lines.
	for _, p := range f.panels {
		x, y := p.plot.X.Label.Text, p.plot.Y.Label.Text
		defer func() { p.plot.X.Label.Text, p.plot.Y.Label.Text = x, y }()
		if s, ok := p.plot.X.Tick.Marker.(*scale); ok {
			p.plot.X.Label.Text = s.title(x, p.plot.X.Min, p.plot.X.Max)
		}
	}
	labels := make([]string, len(f.panels))
	for i, p := range f.panels {
		labels[i] = p.plot.Y.Label.Text
	}
	fit := func(i int, height vg.Length) {
		axis := &f.panels[i].plot.Y
		label := labels[i]
		if s, ok := axis.Tick.Marker.(*scale); ok {
			s.count = min(max(int(height/24), 2), 6)
			label = s.title(label, axis.Min, axis.Max)
		}
		axis.Label.Text = strings.Join(wrap(axis.Label.TextStyle, label, height), "\n")
	}
	for i, p := range f.panels { // a first guess, then the real height
		fit(i, (page.Max.Y-page.Min.Y)*vg.Length(p.share)/4)
	}
	fr, err := f.layout(page)
	if err != nil {
		return err
	}
	for i, data := range fr.data {
		fit(i, data.Max.Y-data.Min.Y)
	}
	if fr, err = f.layout(page); err != nil {
		return err
	}

	page.SetColor(paperColor)
	page.Fill(page.Rectangle.Path())
	c, left := fr.page, fr.page.Min.X
	if len(fr.data) > 0 {
		left = fr.data[0].Min.X
		f.drawLegend(c, left, fr.data[0].Max.X, fr.legendTop)
	}
	h := lineHeight(titleStyle())
	for i, line := range fr.title {
		drawText(c, titleStyle(), vg.Point{X: left, Y: c.Max.Y - vg.Length(i)*h}, line)
	}
	h = lineHeight(noteStyle())
	for i, line := range fr.note {
		drawText(c, noteStyle(), vg.Point{X: left, Y: c.Min.Y + vg.Length(len(fr.note)-i)*h}, line)
	}
	for i, p := range f.panels {
		p.draw(c, fr.data[i], fr.levels[i])
	}
	return nil
}

// draw draws the panel with its data area exactly on data.
func (p *panel) draw(c draw.Canvas, data vg.Rectangle, levels []int) {
	probe := p.plot.DataCanvas(c)
	crop := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
		Min: vg.Point{X: data.Min.X - (probe.Min.X - c.Min.X), Y: data.Min.Y - (probe.Min.Y - c.Min.Y)},
		Max: vg.Point{X: data.Max.X + (c.Max.X - probe.Max.X), Y: data.Max.Y + (c.Max.Y - probe.Max.Y)},
	}}
	p.plot.Draw(crop)
	area := p.plot.DataCanvas(crop)

	// All leaders first: a label of a lower line covers those that pass.
	for pass := range 2 {
		for i, l := range p.top {
			x := area.X(place(&p.plot.X, l.at))
			if !area.ContainsX(x) {
				continue
			}
			h := lineHeight(l.style)
			base := area.Max.Y + 2 + vg.Length(levels[i])*h
			if pass == 0 {
				area.StrokeLine2(draw.LineStyle{Color: refColor, Width: 0.6}, x, area.Max.Y, x, base)
				continue
			}
			half := l.style.Width(l.text) / 2
			x = min(max(x, c.Min.X+half), c.Max.X-half)
			area.SetColor(paperColor)
			area.Fill(vg.Rectangle{Min: vg.Point{X: x - half, Y: base}, Max: vg.Point{X: x + half, Y: base + h}}.Path())
			drawText(c, l.style, vg.Point{X: x, Y: base + h}, l.text)
		}
	}

	type placed struct {
		y vg.Length
		l edgeLabel
	}
	var labels []placed
	for _, l := range p.right {
		if y := area.Y(place(&p.plot.Y, l.at)); area.ContainsY(y) {
			labels = append(labels, placed{y, l})
		}
	}
	slices.SortStableFunc(labels, func(a, b placed) int { return cmp.Compare(a.y, b.y) })
	ys := make([]vg.Length, len(labels))
	for i, l := range labels {
		ys[i] = l.y
	}
	if len(labels) > 0 {
		h := lineHeight(labels[0].l.style)
		spread(ys, h, area.Min.Y-h/2, area.Max.Y+h/2)
		for i, l := range labels {
			drawText(c, l.l.style, vg.Point{X: area.Max.X + edgeGap, Y: ys[i] + h/2}, l.l.text)
		}
	}
	if p.bar != nil {
		p.bar.draw(area)
	}
}

// rightWidth is what the labels and the colour bar to the right of the data area need.
func (p *panel) rightWidth() vg.Length {
	var w vg.Length
	for _, l := range p.right {
		w = max(w, edgeGap+l.style.Width(l.text))
	}
	if p.bar != nil {
		w = max(w, p.bar.width())
	}
	return w
}

// topLevels places each top label on the lowest line where it meets no other.
func (p *panel) topLevels(left, right vg.Length) []int {
	order := make([]int, len(p.top))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.top[a].at, p.top[b].at) })
	levels := make([]int, len(p.top))
	var ends []vg.Length // of the last label on each line
	for _, i := range order {
		x := left + vg.Length(place(&p.plot.X, p.top[i].at))*(right-left)
		half := p.top[i].style.Width(p.top[i].text) / 2
		level := 0
		for level < len(ends) && x-half < ends[level]+4 {
			level++
		}
		if level == len(ends) {
			ends = append(ends, 0)
		}
		ends[level] = x + half
		levels[i] = level
	}
	return levels
}

// spread moves the sorted places ys apart to at least gap, within lo and hi where they fit.
func spread(ys []vg.Length, gap, lo, hi vg.Length) {
	for round := 0; round < 100; round++ {
		moved := false
		for i := 1; i < len(ys); i++ {
			if lack := gap - (ys[i] - ys[i-1]); lack > 0.01 {
				ys[i-1] -= lack / 2
				ys[i] += lack / 2
				moved = true
			}
		}
		if len(ys) > 0 {
			if low := lo + gap/2 - ys[0]; low > 0.01 {
				ys[0] += low
				moved = true
			}
			if high := ys[len(ys)-1] + gap/2 - hi; high > 0.01 {
				ys[len(ys)-1] -= high
				moved = true
			}
		}
		if !moved {
			return
		}
	}
}

const legendGap = vg.Length(14) // between the entries of a line

func legendStyle() text.Style { return textStyle(legendSize, inkColor, text.XLeft, text.YTop) }

// legendColumns lays the legend out in one line where it fits into the width, else in as few lines as there can be, in
// columns. It returns the number of columns and the width of each entry.
func (f *Figure) legendColumns(width vg.Length) (cols int, widths []vg.Length) {
	widths = make([]vg.Length, len(f.legend))
	var total, widest vg.Length
	for i, e := range f.legend {
		widths[i] = thumbLen + 4 + legendStyle().Width(e.name)
		total += widths[i] + legendGap
		widest = max(widest, widths[i])
	}
	if total-legendGap <= width {
		return len(f.legend), widths
	}
	cols = max(1, int((width+legendGap)/(widest+legendGap)))
	rows := (len(f.legend) + cols - 1) / cols
	return (len(f.legend) + rows - 1) / rows, slices.Repeat([]vg.Length{widest}, len(f.legend))
}

func legendLine() vg.Length { return lineHeight(legendStyle()) + 1 }

func (f *Figure) legendHeight(left, right vg.Length) vg.Length {
	if len(f.legend) == 0 {
		return 0
	}
	cols, _ := f.legendColumns(right - left)
	return vg.Length((len(f.legend)+cols-1)/cols)*legendLine() + blockGap
}

func (f *Figure) drawLegend(c draw.Canvas, left, right, y vg.Length) {
	cols, widths := f.legendColumns(right - left)
	h := legendLine()
	x := left
	for i, e := range f.legend {
		if i%cols == 0 {
			x = left
		}
		top := y - vg.Length(i/cols)*h
		e.thumb(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: top - h + 2}, Max: vg.Point{X: x + thumbLen, Y: top},
		}})
		drawText(c, legendStyle(), vg.Point{X: x + thumbLen + 4, Y: top}, e.name)
		x += widths[i] + legendGap
	}
}

// lineHeight is the height of one line of text.
func lineHeight(s text.Style) vg.Length {
	e := s.FontExtents()
	return (e.Ascent + e.Descent) * 1.05
}

// drawText writes one line with its top at pt.
func drawText(c draw.Canvas, s text.Style, pt vg.Point, line string) {
	s.YAlign = text.YTop
	e := s.FontExtents()
	// The handler puts the baseline of text aligned at the top at Y + size - 2 ascents - descent.
	c.FillText(s, vg.Point{X: pt.X, Y: pt.Y + e.Ascent + e.Descent - s.Font.Size}, line)
}

// wrap breaks a text at spaces into lines of at most the given width.
func wrap(s text.Style, t string, width vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range splitWords(t) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && s.Width(longer) > width {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	return append(lines, line)
}

// splitWords splits at spaces outside of mathematics.
func splitWords(t string) []string {
	math := false
	return strings.FieldsFunc(t, func(r rune) bool {
		if r == '$' {
			math = !math
		}
		return r == ' ' && !math
	})
}

// colorBar is the key of a heat map, to the right of the data area.
type colorBar struct {
	scale    *scale
	contours []float64
}

const (
	barGap   = vg.Length(12)
	barWidth = vg.Length(11)
)

func (b *colorBar) width() vg.Length {
	s := b.tickStyle()
	var w vg.Length
	for _, t := range b.scale.Ticks(b.scale.lo, b.scale.hi) {
		w = max(w, s.Width(t.Label))
	}
	w += barGap + barWidth + 6
	if b.label() != "" {
		w += lineHeight(b.labelStyle()) + 4
	}
	return w
}

func (b *colorBar) label() string { return b.scale.title(b.scale.label, b.scale.lo, b.scale.hi) }

func (b *colorBar) tickStyle() text.Style {
	return textStyle(tickSize, inkColor, text.XLeft, text.YTop)
}

func (b *colorBar) labelStyle() text.Style {
	return textStyle(labelSize, inkColor, text.XCenter, text.YTop)
}

func (b *colorBar) draw(area draw.Canvas) {
	x := area.Max.X + barGap
	const steps = 128
	height := area.Max.Y - area.Min.Y
	for i := 0; i < steps; i++ {
		low := area.Min.Y + height*vg.Length(i)/steps
		area.SetColor(viridis((float64(i) + 0.5) / steps))
		// Each step reaches to the top, so that no seam shows the paper.
		area.Fill(vg.Rectangle{Min: vg.Point{X: x, Y: low}, Max: vg.Point{X: x + barWidth, Y: area.Max.Y}}.Path())
	}
	line := draw.LineStyle{Color: axisColor, Width: 0.6}
	at := func(v float64) vg.Length {
		return area.Min.Y + height*vg.Length((v-b.scale.lo)/(b.scale.hi-b.scale.lo))
	}
	for _, v := range b.contours {
		area.StrokeLine2(contourShade, x, at(v), x+barWidth, at(v))
		area.StrokeLine2(contourStyle, x, at(v), x+barWidth, at(v))
	}
	s := b.tickStyle()
	var widest vg.Length
	for _, t := range b.scale.Ticks(b.scale.lo, b.scale.hi) {
		if t.Label == "" {
			continue
		}
		widest = max(widest, s.Width(t.Label))
		area.StrokeLine2(line, x+barWidth, at(t.Value), x+barWidth+3, at(t.Value))
		drawText(area, s, vg.Point{X: x + barWidth + 5, Y: at(t.Value) + lineHeight(s)/2}, t.Label)
	}
	label := b.label()
	if label == "" {
		return
	}
	ls := b.labelStyle()
	ls.Rotation = math.Pi / 2
	ls.YAlign = text.YCenter
	area.FillText(ls, vg.Point{
		X: x + barWidth + 6 + widest + 4 + lineHeight(b.labelStyle())/2,
		Y: (area.Min.Y + area.Max.Y) / 2,
	}, label)
}
