package sliders

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/comms"
	"github.com/janpfeifer/gonb/gonbui/dom"
	"github.com/janpfeifer/gonb/gonbui/widgets"

	"jsqlab/jsqlib"
)

// errNoBrowser: the front end did not answer.
var errNoBrowser = errors.New("sliders: no browser answered")

// greeting bounds the time in which the browser has to answer, and again is the time between two calls to it.
const (
	greeting = 30 * time.Second
	again    = 2 * time.Second
)

// panel are the controls in the browser, and the place below them.
type panel struct {
	id      string
	board   *board
	dismiss context.CancelFunc
}

// live shows the controls and follows them until they are dismissed.
func live(ctx context.Context, s jsqlib.Model) error {
	if !gonbui.IsNotebook {
		return errNoBrowser
	}
	ctx, dismiss := context.WithCancel(ctx)
	defer dismiss()
	p := &panel{id: "jsqlab-" + gonbui.UniqueId(), board: newBoard(s), dismiss: dismiss}
	built := make(chan struct{})
	go func() {
		defer close(built)
		if p.greet(ctx) {
			p.build()
		}
	}()
	select {
	case <-built:
	case <-time.After(greeting):
		gonbui.UpdateHTML(p.id, "")
		return errNoBrowser
	case <-ctx.Done():
		return nil
	}
	var last string // the figure
	follow(ctx, p.board, patience, func(s jsqlib.Model, a *Answer, err error) {
		text := describe(s) + "\ncomputing ...\n"
		if err != nil {
			text, last = describe(s)+"\n"+err.Error()+"\n", ""
		}
		if a != nil {
			text = a.Text()
			last, err = a.drawing()
			if err != nil {
				text, last = text+err.Error()+"\n", ""
			}
		}
		p.result(text, last)
	})
	gonbui.UpdateHTML(p.id, "")
	gonbui.Sync()
	return nil
}

// result shows text and figure below the controls.
func (p *panel) result(text, figure string) {
	gonbui.UpdateHTML(p.id+"-result", fmt.Sprintf(`<pre role="status" class="jsqlab-answer">%s</pre>%s`, html.EscapeString(text), figure))
	gonbui.Sync()
}

// drawing returns the figure as HTML.
func (a *Answer) drawing() (string, error) {
	f, err := a.Figure()
	if err != nil {
		return "", err
	}
	svg, err := f.SVG()
	if err != nil {
		return "", err
	}
	if i := bytes.Index(svg, []byte("<svg")); i > 0 {
		svg = svg[i:] // what stands before it is for files
	}
	return string(svg), nil
}

// greet returns true once the browser has answered, false if ctx ends before. A first connection may be a dead end: the
// kernel's acknowledgement can pass before the browser, which waits for it half a second only, hears what the kernel
// publishes; and a script may be erased before it has run. Whatever waits for an answer then would wait for ever.
func (p *panel) greet(ctx context.Context) bool {
	hello := "/" + p.id + "/hello"
	answered := make(chan struct{}, 1)
	comms.Subscribe(hello, func(string, int) {
		select {
		case answered <- struct{}{}:
		default:
		}
	})
	for {
		comms.Start() // connects anew if the connection is dead
		dom.TransientJavascript(fmt.Sprintf(`globalThis.gonb_comm?.send("%s", 1);`, hello))
		select {
		case <-answered:
			return true
		case <-time.After(again):
		case <-ctx.Done():
			return false
		}
	}
}

// label is the text beside each control.
var label = [nControls]string{"servers N", "exponent α", "arrivals", "routing", "policy"}

// build shows the controls to a browser that answers, and returns once it has done so for all of them.
func (p *panel) build() {
	var rows strings.Builder
	for i, text := range label {
		fmt.Fprintf(&rows, `<tr><td style="text-align:right"><label for="%[1]s-%[2]d">%[3]s</label></td><td id="%[1]s-cell-%[2]d" style="text-align:left"></td></tr>`,
			p.id, i, text)
	}
	gonbui.UpdateHTML(p.id, fmt.Sprintf(`<div class="jsqlab-sliders"><table>%s</table><div id="%s-end"></div></div>`, rows.String(), p.id))

	pressed := "/" + p.id + "/done"
	comms.Subscribe(pressed, func(_ string, count int) {
		if count > 0 { // a new button says 0
			p.dismiss()
		}
	})
	ids := make([]string, nControls)
	for i, place := range places(p.board.system()) {
		ids[i] = fmt.Sprintf("%s-%d", p.id, i)
		cell := fmt.Sprintf("%s-cell-%d", p.id, i)
		if names := choices(i); names != nil {
			widgets.Select(names).SetDefault(place).WithHtmlId(ids[i]).AppendTo(cell).Done()
		} else {
			widgets.Slider(limits[i][0], limits[i][1], place).WithHtmlId(ids[i]).AppendTo(cell).Done()
		}
	}
	widgets.Button("done").WithHtmlId(p.id + "-done").WithAddress(pressed).AppendTo(p.id + "-end").Done()

	settled := "/" + p.id + "/settled"
	comms.Subscribe(settled, func(_ string, text string) { p.board.set(text) })
	dom.TransientJavascript(fmt.Sprintf(settle, strings.Join(ids, ","), settled))
}

// settle reports the places of all controls once none has moved for a fifth of a second. The values that the widgets
// themselves send may overtake each other on their way through the kernel; these are too far apart for that. The attribute
// keeps JupyterLab from taking the arrow keys for itself.
const settle = `
(() => {
	const controls = "%s".split(",").map((id) => document.getElementById(id));
	let timer;
	const send = () => globalThis.gonb_comm?.send("%s", controls.map((control) => control.value).join(","));
	for (const control of controls) {
		control.setAttribute("data-lm-suppress-shortcuts", "true");
		control.addEventListener("input", () => {
			clearTimeout(timer);
			timer = setTimeout(send, 200);
		});
	}
})();`

// choices are the names in a list; nil for a slider.
func choices(control int) (names []string) {
	switch control {
	case nArrivals:
		for _, a := range arrivals {
			names = append(names, a.name)
		}
	case nRouting:
		for _, r := range routings {
			names = append(names, r.String())
		}
	case nPolicy:
		for _, p := range policies {
			names = append(names, p.String())
		}
	}
	return names
}
