package sliders

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/record"
	"jsqlab/jsqlib/sim"
)

func TestSolveIsLawDistance(t *testing.T) {
	s := jsqlib.Model{Servers: 8, Alpha: 3, Routing: jsqlib.Job}
	a, err := Solve(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	want, err := record.Distance(context.Background(), s, sim.BoundaryOptions{Options: sim.Options{Seed: 1, RelError: RelError}})
	if err != nil {
		t.Fatal(err)
	}
	if a.Stopped || a.Distance.W1 != want.W1 || a.Distance.CertificateHigh != want.CertificateHigh {
		t.Errorf("W1 = %v, stopped %v; want %v", a.Distance.W1, a.Stopped, want.W1)
	}
	if text := a.Text(); !strings.HasPrefix(text, "N = 8, α = 3, job routing, jsq\nW1 = ") {
		t.Errorf("text %q", text)
	}
}

func TestSolveFails(t *testing.T) {
	var field *jsqlib.Invalid
	if _, err := Solve(context.Background(), jsqlib.Model{Servers: 8, Alpha: -1}); !errors.As(err, &field) || field.What != "alpha" {
		t.Errorf("alpha = -1: error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if a, err := Solve(ctx, jsqlib.Model{Servers: 8, Alpha: 3}); a != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before it began: %v, %v", a, err)
	}
}

// TestHostile: no context and no answer are errors.
func TestHostile(t *testing.T) {
	var none context.Context
	if _, err := Solve(none, jsqlib.Model{Servers: 2, Gap: 0.3}); err == nil || !strings.Contains(err.Error(), "ctx = nil: want a context") {
		t.Errorf("Solve without context: error %v: want one that says so", err)
	}
	for _, a := range []*Answer{{}, {Distance: &record.DistanceResult{}}} {
		if text := a.Text(); !strings.Contains(text, "nothing computed") {
			t.Errorf("text of %+v = %q: want one that says so", a, text)
		}
		if _, err := a.Figure(); err == nil {
			t.Errorf("figure of %+v: want an error", a)
		}
	}
}

// The figure is there at both ends of the sliders, where the lattice of Z is coarse and where it has 10^18 points.
func TestFigure(t *testing.T) {
	for _, s := range []jsqlib.Model{{Servers: 2, Alpha: 0.5}, {Servers: 128, Alpha: 6}} {
		a, err := Solve(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		drawing, err := a.drawing()
		if err != nil {
			t.Fatalf("%s: %v", describe(s), err)
		}
		if !strings.HasPrefix(drawing, "<svg") || !strings.Contains(drawing, describe(s)) {
			t.Errorf("%s: drawing starts %.60q, or does not name the system", describe(s), drawing)
		}
		for d := xml.NewDecoder(bytes.NewReader([]byte(drawing))); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", describe(s), err)
			}
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		x         float64
		low, high string
	}{
		{9.4012e-05, "9.40e-05", "9.41e-05"}, {0.08765, "0.0876", "0.0877"}, {0, "0", "0"}, {math.Inf(1), "+Inf", "+Inf"},
	} {
		if low, high := outward(c.x, math.Floor), outward(c.x, math.Ceil); low != c.low || high != c.high {
			t.Errorf("%v is within %s and %s, want %s and %s", c.x, low, high, c.low, c.high)
		}
	}
}

// What can be set is a system that can be used, and is set again by its own places.
func TestBoard(t *testing.T) {
	b := newBoard(jsqlib.Model{Servers: 32, Alpha: 4.5})
	if got := describe(b.system()); got != "N = 32, α = 4.5, batch routing, jsq" {
		t.Errorf("starts at %s", got)
	}
	b.set("8,45,0,0,0")
	if len(b.changed) != 0 {
		t.Error("no move is a change")
	}
	b.set("0,25,3,1,1")
	s := b.system()
	if got, want := describe(s), "N = 2, α = 2.5, job routing, pod:2, arrivals pmf:0.75,0,0,0,0.25"; got != want || len(b.changed) != 1 {
		t.Errorf("set to %s, %d changes; want %s, 1", got, len(b.changed), want)
	}
	for _, bad := range []string{"", "0", "0,25,3,1,2", "-1,25,3,1,1", "13,25,3,1,1", "0,4,3,1,1", "0,61,3,1,1", "0,2.5,3,1,1", "0,25,3,1,1,0", "0,25,4,1,1"} {
		if b.set(bad); describe(b.system()) != describe(s) {
			t.Errorf("%q is taken for a place", bad)
		}
	}
	for i, a := range arrivals {
		for _, alpha := range []float64{0.5, 6} {
			for _, n := range servers {
				s := jsqlib.Model{Servers: n, Alpha: alpha, Arrivals: a.law}
				if _, err := s.Constants(); err != nil {
					t.Errorf("%s: %v", describe(s), err)
				}
				if places(s)[nArrivals] != i {
					t.Errorf("%s: arrivals at %d, want %d", describe(s), places(s)[nArrivals], i)
				}
			}
		}
		if a.law != nil {
			if p, err := jsqlib.ParsePMF("arrivals", a.name); err != nil || !same(p, a.law) {
				t.Errorf("%s is %v, here %v (%v)", a.name, p, a.law, err)
			}
		}
	}
}

// A change ends what is under way, and only what the controls say at last stays.
func TestFollow(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	b := newBoard(jsqlib.Model{Servers: 32, Alpha: 3, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 2}})
	var seen []string
	follow(ctx, b, time.Hour, func(s jsqlib.Model, a *Answer, err error) {
		what := "computing"
		switch {
		case err != nil:
			what = err.Error()
		case a != nil:
			what = "answer"
		}
		seen = append(seen, describe(s)+": "+what)
		switch {
		case a != nil:
			cancel()
		case len(seen) == 1:
			b.set("4,30,0,1,0")
		}
	})
	got := strings.Join(seen, "\n")
	want := "N = 32, α = 3, batch routing, pod:2: computing\nN = 8, α = 3, job routing, jsq: computing\nN = 8, α = 3, job routing, jsq: answer"
	if got != want {
		t.Errorf("shown:\n%s\nwant:\n%s", got, want)
	}
}

// Outside of a notebook, and so without a browser, Run answers and returns, whatever the switch says.
func TestRunWithoutBrowser(t *testing.T) {
	t.Setenv(Switch, "on")
	if err := Run(jsqlib.Model{Servers: 4, Alpha: 3}); err != nil {
		t.Error(err)
	}
	if err := Run(jsqlib.Model{Servers: 4}); err == nil {
		t.Error("a system without alpha is no error")
	}
}
