package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"jsqlab/jsqlib/sim"
)

// progress rewrites one line of a terminal, a few times a second. On a file or a pipe it is silent.
type progress struct {
	w     io.Writer
	tty   bool
	lock  sync.Mutex
	next  time.Time
	shown bool
}

const progressEvery = 250 * time.Millisecond

func newProgress(stderr io.Writer) *progress {
	p := &progress{w: stderr, next: time.Now().Add(progressEvery)}
	if f, ok := stderr.(*os.File); ok {
		info, err := f.Stat()
		p.tty = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// note prints a line that stays.
func (p *progress) note(format string, args ...any) {
	p.clear()
	fmt.Fprintf(p.w, format+"\n", args...)
}

// show replaces the line, unless it has just been replaced. text is called only if it is shown.
func (p *progress) show(text func() string) {
	if !p.tty {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	p.next, p.shown = now.Add(progressEvery), true
	line := text()
	if len(line) > 79 {
		line = line[:79]
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", line)
}

// clear takes the line off the terminal.
func (p *progress) clear() {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// sim is the callback of package sim. unit is slots or steps.
func (p *progress) sim(unit string) func(sim.Progress) {
	return func(s sim.Progress) {
		p.show(func() string {
			line := fmt.Sprintf("%s: %.3g of %.3g %s", s.Phase, float64(s.Slots), float64(s.Planned), unit)
			if s.RelError > 0 && finite(s.RelError) {
				line += fmt.Sprintf(", relative error %.2g", s.RelError)
			}
			return line
		})
	}
}
