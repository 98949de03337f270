package main

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/record"
	"jsqlab/jsqlib/sim"
)

func TestPlusMinus(t *testing.T) {
	for _, c := range []struct {
		x, h float64
		want string
	}{
		{5.26123, 0.0502, "5.261 +- 0.050"},
		{1.23456e-9, 2.5e-12, "(1.2346 +- 0.0025)e-09"},
		{3.14159, math.Inf(1), "3.1 (error not known)"},
	} {
		if got := plusMinus(c.x, c.h); got != c.want {
			t.Errorf("plusMinus(%v, %v) = %q, want %q", c.x, c.h, got, c.want)
		}
	}
}

// What is not finite is left out, and a warning says so.
func TestReportNotFinite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	r := newReport(newFlags(commands["version"]))
	known, lost := jsqlib.Estimate{Value: 1, StdErr: 0.1, Low: 0.8, High: 1.2}, jsqlib.Estimate{Value: nan, StdErr: inf, Low: -inf, High: inf}
	x := &record.Record{LimitMean: nan, WassersteinNoise: inf, PMF: []jsqlib.Estimate{known, lost}, MeanTotal: lost,
		SecondMomentTotal: jsqlib.Estimate{Value: 1, StdErr: inf, Low: -inf, High: inf}, MeanUnused: known}
	for _, c := range record.Columns("simulate") {
		if slices.Contains(strings.Fields("limit_mean wasserstein_noise pmf mean_total second_moment_total mean_unused"), c.Key) {
			r.record(x, []record.Column{c})
		}
	}
	var b bytes.Buffer
	r.writeJSON(&b)
	keys, values := object(t, b.String())
	if got, want := strings.Join(keys, " "), "command second_moment_total mean_unused mean_unused_low mean_unused_high warnings"; got != want {
		t.Errorf("keys %q, want %q", got, want)
	}
	if w := values["warnings"].([]any); len(w) != 5 {
		t.Errorf("warnings %q, want 5", w)
	}
	r.writeTable(&b)
	if notFinite.MatchString(b.String()) {
		t.Errorf("NaN or Inf in\n%s", b.String())
	}
}

func TestProgress(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&b)
	p.next = time.Time{}
	show := p.sim("slots")
	show(sim.Progress{Phase: "direct", Slots: 1, Planned: 2})
	if b.Len() > 0 {
		t.Errorf("%q on what is no terminal, want nothing", b.String())
	}
	p.tty = true
	show(sim.Progress{Phase: "direct", Slots: 1, Planned: 2, RelError: math.Inf(1)})
	p.next = time.Now().Add(time.Hour)
	show(sim.Progress{Phase: "direct", Slots: 2, Planned: 2})
	p.clear()
	if got, want := b.String(), "\r\x1b[Kdirect: 1 of 2 slots\r\x1b[K"; got != want {
		t.Errorf("progress %q, want %q", got, want)
	}
}

func TestCommandLine(t *testing.T) {
	f := newFlags(commands["simulate"])
	if _, err := f.parse([]string{"--json", "--workers", "3", "--alpha", "1", "--service", "pmf:0.5, 0, 0.5", "--servers", "2"}); err != nil {
		t.Fatal(err)
	}
	if got, want := f.commandLine(), "jsq simulate --servers 2 --alpha 1 --service 'pmf:0.5, 0, 0.5'"; got != want {
		t.Errorf("command %q, want %q", got, want)
	}
}
