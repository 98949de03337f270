package chart

import (
	"jsqlab/plots/internal/input"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	stdfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// drawn are the symbols that the Liberation fonts do not have, as rectangles {x0, y0, x1, y1} in em on the baseline.
var drawn = map[rune]struct {
	width float64
	bars  [][4]float64
}{
	'⊥': {0.66, [][4]float64{{0.05, 0, 0.61, 0.06}, {0.30, 0.06, 0.36, 0.62}}},
	'⌈': {0.36, [][4]float64{{0.10, -0.15, 0.16, 0.74}, {0.16, 0.68, 0.34, 0.74}}},
	'⌉': {0.36, [][4]float64{{0.20, -0.15, 0.26, 0.74}, {0.02, 0.68, 0.20, 0.74}}},
	'⌊': {0.36, [][4]float64{{0.10, -0.15, 0.16, 0.74}, {0.16, -0.15, 0.34, -0.09}}},
	'⌋': {0.36, [][4]float64{{0.20, -0.15, 0.26, 0.74}, {0.02, -0.15, 0.20, -0.09}}},
}

func isDrawn(r rune) bool { _, ok := drawn[r]; return ok }

// symbols are the TeX names that stand for one character.
var symbols = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "eta": "η", "theta": "θ",
	"kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "pi": "π", "rho": "ρ", "sigma": "σ", "phi": "φ", "psi": "ψ",
	"Delta": "Δ", "Sigma": "Σ", "Phi": "Φ", "perp": "⊥", "parallel": "‖", "|": "‖", "le": "≤", "ge": "≥", "approx": "≈",
	"sim": "~", "infty": "∞", "times": "×", "cdot": "·", "to": "→", "pm": "±", "int": "∫", "sum": "∑", "sqrt": "√",
	"ell": "ℓ", "lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "ldots": "…", "prime": "′", ",": "\u2009", " ": " ", "{": "{", "}": "}", "$": "$",
}

// scripts are the superscript and subscript characters of Unicode.
var scripts = map[rune]struct {
	base  rune
	level int
}{}

func init() {
	pairs := func(from, to string, level int) {
		base := []rune(to)
		for i, r := range []rune(from) {
			scripts[r] = struct {
				base  rune
				level int
			}{base[i], level}
		}
	}
	pairs("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿᵅᵝ", "0123456789+−()nαβ", +1)
	pairs("₀₁₂₃₄₅₆₇₈₉₊₋₍₎ₐₑₙₖᵢⱼₛ", "0123456789+−()aenkijs", -1)
}

// run is a piece of text in one style.
type run struct {
	text   string
	italic bool
	level  int // +1 superscript, -1 subscript
}

// mathParser splits a text into runs.
type mathParser struct {
	in   []rune
	i    int
	math bool
	out  []run
}

func parseText(s string) []run {
	p := mathParser{in: []rune(s)}
	if strings.Count(strings.ReplaceAll(s, `\$`, ""), "$")%2 == 1 {
		return []run{{text: s}} // an unpaired dollar sign is a dollar sign
	}
	for p.i < len(p.in) {
		p.atom(0, false)
	}
	return p.out
}

func (p *mathParser) emit(s string, italic bool, level int) {
	if n := len(p.out); n > 0 && p.out[n-1].italic == italic && p.out[n-1].level == level {
		p.out[n-1].text += s
		return
	}
	p.out = append(p.out, run{s, italic, level})
}

// atom consumes one symbol, command or group.
func (p *mathParser) atom(level int, upright bool) {
	r := p.in[p.i]
	p.i++
	switch {
	case r == '\\' && p.i < len(p.in) && (p.math || p.in[p.i] == '$'):
		p.command(level, upright)
	case r == '$':
		p.math = !p.math
	case p.math && r == '{':
		for p.i < len(p.in) && p.in[p.i] != '}' && p.in[p.i] != '$' {
			p.atom(level, upright)
		}
		if p.i < len(p.in) && p.in[p.i] == '}' {
			p.i++
		}
	case p.math && (r == '^' || r == '_') && p.i < len(p.in) && p.in[p.i] != '$':
		if level == 0 { // a script of a script stays on the level of the first
			level = map[rune]int{'^': +1, '_': -1}[r]
		}
		p.atom(level, upright)
	case p.math && r == '-':
		p.emit("−", false, level)
	case p.math && r == '\'':
		p.emit("′", false, level)
	default:
		if s, ok := scripts[r]; ok {
			r = s.base
			if level == 0 {
				level = s.level
			}
		}
		p.emit(string(r), p.math && !upright && unicode.IsLetter(r), level)
	}
}

func (p *mathParser) command(level int, upright bool) {
	start := p.i
	for p.i < len(p.in) && (unicode.IsLetter(p.in[p.i]) && p.in[p.i] < utf8.RuneSelf) {
		p.i++
	}
	if p.i == start {
		p.i++
	}
	name := string(p.in[start:p.i])
	switch s, ok := symbols[name]; {
	case ok:
		first, _ := utf8.DecodeRuneInString(s)
		p.emit(s, !upright && unicode.IsLower(first) && first != 'ℓ', level)
	case (name == "mathrm" || name == "text") && p.i < len(p.in):
		p.atom(level, true)
	default:
		p.emit(name, false, level) // \log, \max, \Exp: upright
	}
}

// mathText is the text handler of every figure.
type mathText struct{ fonts *font.Cache }

var (
	handler              = mathText{font.NewCache(liberation.Collection())}
	_       text.Handler = mathText{}
)

const (
	scriptSize = 0.72  // size of a script, of the size of the text
	superShift = 0.36  // of an em
	subShift   = -0.16 // of an em
	scriptPad  = 0.05  // before and after a script, of an em
)

// item is a run in its place; shape is drawn instead of the text where it is not nil.
type item struct {
	face  font.Face
	at    vg.Point
	text  string
	shape []vg.Rectangle
}

func (h mathText) layout(s string, fnt font.Font) (items []item, width vg.Length) {
	runs := parseText(s)
	var pen vg.Length
	block := func(i int, pen vg.Length) (int, vg.Length) { // all runs of one level
		level := runs[i].level
		if level != 0 {
			pen += scriptPad * fnt.Size
		}
		for ; i < len(runs) && runs[i].level == level; i++ {
			items, pen = h.run(items, runs[i], fnt, pen)
		}
		if level != 0 {
			pen += scriptPad * fnt.Size
		}
		return i, pen
	}
	for i := 0; i < len(runs); {
		start, level := pen, runs[i].level
		i, pen = block(i, start)
		// A subscript and a superscript on the same symbol share their start.
		if level != 0 && i < len(runs) && runs[i].level == -level {
			var end vg.Length
			i, end = block(i, start)
			pen = max(pen, end)
		}
	}
	return items, pen
}

// run places one run at pen and returns the new pen.
func (h mathText) run(items []item, r run, fnt font.Font, pen vg.Length) ([]item, vg.Length) {
	f := fnt
	var y vg.Length
	switch r.level {
	case +1:
		f.Size, y = scriptSize*fnt.Size, superShift*fnt.Size
	case -1:
		f.Size, y = scriptSize*fnt.Size, subShift*fnt.Size
	}
	if r.italic {
		f.Style = stdfont.StyleItalic
	}
	face := h.fonts.Lookup(f, f.Size)
	for rest := r.text; rest != ""; {
		piece := rest
		if i := strings.IndexFunc(rest, isDrawn); i >= 0 {
			piece = rest[:i]
		}
		if piece != "" {
			// Spaces at the ends are places, not text: SVG would drop them.
			word := strings.TrimLeft(piece, " ")
			at := vg.Point{X: pen + face.Width(piece[:len(piece)-len(word)]), Y: y}
			if word = strings.TrimRight(word, " "); word != "" {
				items = append(items, item{face: face, at: at, text: word})
			}
			pen += face.Width(piece)
			rest = rest[len(piece):]
			continue
		}
		symbol, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
		it := item{at: vg.Point{X: pen, Y: y}}
		for _, b := range drawn[symbol].bars {
			it.shape = append(it.shape, vg.Rectangle{
				Min: vg.Point{X: vg.Length(b[0]), Y: vg.Length(b[1])}.Scale(f.Size),
				Max: vg.Point{X: vg.Length(b[2]), Y: vg.Length(b[3])}.Scale(f.Size),
			})
		}
		items = append(items, it)
		pen += vg.Length(drawn[symbol].width) * f.Size
	}
	return items, pen
}

func (h mathText) Cache() *font.Cache { return h.fonts }

func (h mathText) Extents(fnt font.Font) font.Extents {
	face := h.fonts.Lookup(fnt, fnt.Size)
	return face.Extents()
}

func (h mathText) Lines(s string) []string { return strings.Split(strings.TrimRight(s, "\n"), "\n") }

func (h mathText) Box(s string, fnt font.Font) (width, height, depth vg.Length) {
	_, width = h.layout(s, fnt)
	e := h.Extents(fnt)
	return width, e.Ascent, e.Descent
}

// Draw places text as the plain handler of gonum/plot does.
func (h mathText) Draw(c vg.Canvas, s string, sty text.Style, pt vg.Point) {
	if s == "" {
		return
	}
	c.SetColor(sty.Color)
	if sty.Rotation != 0 {
		c.Push()
		defer c.Pop()
		c.Rotate(sty.Rotation)
	}
	sin, cos := math.Sincos(sty.Rotation)
	pt.X, pt.Y = pt.Y*vg.Length(sin)+pt.X*vg.Length(cos), pt.Y*vg.Length(cos)-pt.X*vg.Length(sin)
	pt.Y += sty.Height(s)*vg.Length(sty.YAlign) - h.Extents(sty.Font).Ascent
	lines := h.Lines(s)
	for i, line := range lines {
		items, width := h.layout(line, sty.Font)
		origin := pt.Add(vg.Point{X: vg.Length(sty.XAlign) * width, Y: vg.Length(len(lines)-i) * sty.Font.Size})
		for _, it := range items {
			at := origin.Add(it.at)
			if it.shape == nil {
				c.FillString(it.face, at, it.text)
				continue
			}
			for _, r := range it.shape {
				c.Fill(vg.Rectangle{Min: r.Min.Add(at), Max: r.Max.Add(at)}.Path())
			}
		}
	}
}

// checkText refuses text that the fonts cannot draw.
func checkText(what, s string) error {
	if !utf8.ValidString(s) {
		return input.Refuse(what, s, "text in UTF-8")
	}
	var buf sfnt.Buffer
	for _, r := range parseText(s) {
		f := plainFont(0)
		if r.italic {
			f.Style = stdfont.StyleItalic
		}
		face := handler.fonts.Lookup(f, 0)
		for _, c := range r.text {
			if isDrawn(c) {
				continue
			}
			if i, err := face.Face.GlyphIndex(&buf, c); i == 0 || err != nil || unicode.IsControl(c) {
				return input.Refuse(what, s, "characters that the fonts have: not "+strconv.QuoteRune(c))
			}
		}
	}
	return nil
}

// plainWords returns the text without markup, for alternative text.
func plainWords(s string) string {
	var b strings.Builder
	runs := parseText(s)
	for i := 0; i < len(runs); i++ {
		level, t := runs[i].level, runs[i].text
		for i+1 < len(runs) && runs[i+1].level == level {
			i++
			t += runs[i].text
		}
		mark := map[int]string{+1: "^", -1: "_"}[level]
		if level != 0 && utf8.RuneCountInString(t) > 1 {
			t = "(" + t + ")"
		}
		b.WriteString(mark + t)
	}
	return b.String()
}
