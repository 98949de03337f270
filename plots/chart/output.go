package chart

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"jsqlab/jsqlib/study/whole"
	"jsqlab/plots/internal/input"

	xfont "golang.org/x/image/font"
)

// PNG returns the figure as a PNG image of DPI dots per inch.
func (f *Figure) PNG() ([]byte, error) {
	w, h, err := f.size()
	if err != nil {
		return nil, err
	}
	dpi := f.DPI
	if dpi == 0 {
		dpi = DefaultDPI
	}
	if dpi < 30 || dpi > 1200 {
		return nil, input.Refuse("DPI", dpi, "30 to 1200 dots per inch")
	}
	c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dpi))
	if err := f.draw(draw.New(c)); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	if err := enc.Encode(&buf, reduce(c.Image())); err != nil {
		return nil, fmt.Errorf("plots: png: %w", err)
	}
	return buf.Bytes(), nil
}

// greys are kept free in a full palette: a heat map has more than enough colours to tint the edges of grey letters.
const greys = 32

// reduce returns the image in 256 colours, the most frequent ones and some greys, all others replaced by the nearest of them. A figure
// has few colours but for the edges of its lines, so nothing is seen of it, and the file is half as large.
func reduce(img image.Image) *image.Paletted {
	b := img.Bounds()
	count := map[color.NRGBA]int{}
	at := func(x, y int) color.NRGBA { return color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA) }
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	order := slices.SortedFunc(maps.Keys(count), func(p, q color.NRGBA) int {
		key := func(c color.NRGBA) uint32 { return uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B) }
		return cmp.Or(cmp.Compare(count[q], count[p]), cmp.Compare(key(p), key(q)))
	})
	var palette color.Palette
	if len(order) > 256 {
		for i := range greys {
			v := uint8(255 * i / (greys - 1))
			palette = append(palette, color.NRGBA{v, v, v, 255})
		}
	}
	for _, c := range order[:min(256-len(palette), len(order))] {
		palette = append(palette, c)
	}
	index := make(map[color.NRGBA]uint8, len(order))
	for _, c := range order {
		index[c] = uint8(palette.Index(c))
	}
	out := image.NewPaletted(b, palette)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			out.SetColorIndex(x, y, index[at(x, y)])
		}
	}
	return out
}

// SVG returns the figure as an SVG document. Its text stays text, in Liberation Sans or, where that is missing, in a
// font of the same widths; the figure in words is its title element.
func (f *Figure) SVG() ([]byte, error) {
	w, h, err := f.size()
	if err != nil {
		return nil, err
	}
	c := vgsvg.New(w, h)
	if err := f.draw(draw.New(c)); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	if _, err := c.WriteTo(&buf); err != nil {
		return nil, fmt.Errorf("plots: svg: %w", err)
	}
	out := bytes.ReplaceAll(buf.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
	head, body, found := bytes.Cut(out, []byte(`xmlns:xlink="http://www.w3.org/1999/xlink">`))
	if !found {
		return nil, errors.New("plots: svg: unexpected head of the document")
	}
	return slices.Concat(head, []byte(`xmlns:xlink="http://www.w3.org/1999/xlink" role="img">`+"\n<title>"+
		html.EscapeString(f.AltText())+"</title>"), body), nil
}

var pdfDate = regexp.MustCompile(`/(CreationDate|ModDate) \(D:\d{14}\)`)

// PDF returns the figure as a PDF document. Text is drawn as outlines, so that every symbol is there and no font
// is needed; the dates in it are fixed, so that the same figure gives the same bytes.
func (f *Figure) PDF() ([]byte, error) {
	w, h, err := f.size()
	if err != nil {
		return nil, err
	}
	c := vgpdf.New(w, h)
	if err := f.draw(draw.NewCanvas(outlines{c}, w, h)); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	if _, err := c.WriteTo(&buf); err != nil {
		return nil, fmt.Errorf("plots: pdf: %w", err)
	}
	return pdfDate.ReplaceAll(buf.Bytes(), []byte("/$1 (D:20000101000000)")), nil
}

// outlines draws text as filled outlines: the fonts of a PDF canvas reach no further than Latin.
type outlines struct{ vg.Canvas }

// SetColor passes a colour on with its channels as they are: the PDF canvas takes them so, and would darken a
// translucent colour by its opacity.
func (o outlines) SetColor(c color.Color) {
	if c != nil {
		c = straight(color.NRGBAModel.Convert(c).(color.NRGBA))
	}
	o.Canvas.SetColor(c)
}

// straight is a colour whose channels are not multiplied by its opacity.
type straight color.NRGBA

func (s straight) RGBA() (r, g, b, a uint32) {
	return uint32(s.R) * 0x101, uint32(s.G) * 0x101, uint32(s.B) * 0x101, uint32(s.A) * 0x101
}

func (o outlines) FillString(face font.Face, pt vg.Point, s string) {
	var (
		buf  sfnt.Buffer
		path vg.Path
		prev sfnt.GlyphIndex
		ppem = fixed.Int26_6(face.Face.UnitsPerEm())
		unit = face.Font.Size / vg.Length(ppem)
		pen  fixed.Int26_6
	)
	for i, r := range s {
		idx, err := face.Face.GlyphIndex(&buf, r)
		if err != nil {
			continue
		}
		if i > 0 {
			if k, err := face.Face.Kern(&buf, prev, idx, ppem, xfont.HintingNone); err == nil {
				pen += k
			}
		}
		prev = idx
		at := func(p fixed.Point26_6) vg.Point {
			return vg.Point{X: pt.X + vg.Length(pen+p.X)*unit, Y: pt.Y - vg.Length(p.Y)*unit}
		}
		segments, err := face.Face.LoadGlyph(&buf, idx, ppem, nil)
		if err == nil {
			path = appendGlyph(path, segments, at)
		}
		if adv, err := face.Face.GlyphAdvance(&buf, idx, ppem, xfont.HintingNone); err == nil {
			pen += adv
		}
	}
	if len(path) > 0 {
		o.Fill(path)
	}
}

func appendGlyph(path vg.Path, segments sfnt.Segments, at func(fixed.Point26_6) vg.Point) vg.Path {
	var cur vg.Point
	for i, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if i > 0 {
				path.Close()
			}
			cur = at(s.Args[0])
			path.Move(cur)
		case sfnt.SegmentOpLineTo:
			cur = at(s.Args[0])
			path.Line(cur)
		case sfnt.SegmentOpQuadTo: // as the cubic that is the same curve
			q, end := at(s.Args[0]), at(s.Args[1])
			path.CubeTo(cur.Add(q.Sub(cur).Scale(2.0/3)), end.Add(q.Sub(end).Scale(2.0/3)), end)
			cur = end
		case sfnt.SegmentOpCubeTo:
			end := at(s.Args[2])
			path.CubeTo(at(s.Args[0]), at(s.Args[1]), end)
			cur = end
		}
	}
	if len(segments) > 0 {
		path.Close()
	}
	return path
}

// Save writes the figure to a file whose name ends in .png, .svg or .pdf. The file appears whole or not at all, as
// [whole.Write] writes it.
func (f *Figure) Save(path string) (err error) {
	var data []byte
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".png":
		data, err = f.PNG()
	case ".svg":
		data, err = f.SVG()
	case ".pdf":
		data, err = f.PDF()
	default:
		return input.Refuse("extension of the file", ext, ".png, .svg or .pdf")
	}
	if err != nil {
		return err
	}
	if err := whole.Write(path, data); err != nil {
		return fmt.Errorf("plots: save: %w", err)
	}
	return nil
}

// inlineScale is the width of an inline figure in CSS pixels for one pixel at 96 per inch.
const inlineScale = 1.2

// Show displays the figure below the running notebook cell as a PNG image, which the notebook front ends, nbconvert and
// code hosting sites all render, with the figure in words for readers without images. Outside of a GoNB notebook it does nothing.
func (f *Figure) Show() error {
	if !gonbui.IsNotebook {
		return nil
	}
	data, err := f.PNG()
	if err != nil {
		return err
	}
	w, h, err := f.size()
	if err != nil {
		return err
	}
	css := func(l vg.Length) int { return int(float64(l/vg.Inch)*96*inlineScale + 0.5) }
	gonbui.SendData(&protocol.DisplayData{
		Data:     map[protocol.MIMEType]any{protocol.MIMEImagePNG: data, protocol.MIMETextPlain: f.AltText()},
		Metadata: map[string]any{string(protocol.MIMEImagePNG): map[string]int{"width": css(w), "height": css(h)}, "alt": f.AltText()},
	})
	gonbui.Sync()
	if err := gonbui.Error(); err != nil {
		return fmt.Errorf("plots: show: %w", err)
	}
	return nil
}
