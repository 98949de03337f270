package chart

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

// axisRanges are pairs of values that axes have to show, from the narrowest to the widest.
func axisRanges() (out [][2]float64) {
	for _, at := range []float64{1, 7, 0.1, 1e11, 123456789, 9.99999e4, 3e-9, 6.5e-280, 1e300} {
		for _, width := range []float64{3e-14, 3e-13, 1e-10, 6e-10, 2e-8, 1e-6, 1e-5, 3e-4, 0.004, 0.05, 0.3, 0.999, 1.7, 4, 16, 49, 300, 1999, 1e5} {
			out = append(out, [2]float64{at, at * (1 + width)}, [2]float64{-at * (1 + width), -at})
			if width < 1 {
				out = append(out, [2]float64{at * (1 - width), at * (1 + width)}, [2]float64{-at, at * width})
			}
		}
	}
	return append(out, [2]float64{0, 1}, [2]float64{-8e307, 8e307}, [2]float64{5e-324, 1.6e308}, [2]float64{0, 1e-299}, [2]float64{99999, 100001},
		[2]float64{-100001, -99999}, [2]float64{2e-8, 4e-7}, [2]float64{1e15, 1e15 + 200}, [2]float64{1 - 1e-12, 1 + 1e-12})
}

// TestAxes: on every axis the labels differ, the ticks are inside, not too few and not too many for its length, and the data fill it.
func TestAxes(t *testing.T) {
	for _, log := range []bool{false, true} {
		for _, r := range axisRanges() {
			if log && r[0] <= 0 {
				continue
			}
			s, err := newScale("X", Axis{Log: log})
			if err != nil {
				t.Fatal(err)
			}
			v, err := s.values("X", r[:])
			if err != nil {
				t.Fatal(err)
			}
			s.cover(v...)
			if err := s.close("X", 0.05); err != nil {
				t.Errorf("log %v, %g to %g: %v", log, r[0], r[1], err)
				continue
			}
			if fill := (v[1] - v[0]) / (s.hi - s.lo); fill < 0.6 && !(log && r[1]/r[0]-1 < 1e-10) {
				t.Errorf("log %v, %g to %g: the data fill %.2g of the axis: want 0.6 or more", log, r[0], r[1], fill)
			}
			for count := 2; count <= 6; count++ {
				s.count = count
				what := fmt.Sprintf("log %v, %.17g to %.17g, %d ticks wanted", log, r[0], r[1], count)
				seen := map[string]bool{}
				last := math.Inf(-1)
				for _, tick := range s.Ticks(s.lo, s.hi) {
					if slack := 0.02 * (s.hi - s.lo); tick.Value < s.lo-slack || tick.Value > s.hi+slack || tick.Value <= last {
						t.Errorf("%s: tick at %.17g after %.17g: want it after that, from %.17g to %.17g", what, tick.Value, last, s.lo, s.hi)
					}
					last = tick.Value
					if tick.Label != "" && seen[tick.Label] {
						t.Errorf("%s: two labels %s", what, tick.Label)
					}
					if n := utf8.RuneCountInString(plainWords(tick.Label)); n > 17 {
						t.Errorf("%s: label %s of %d characters", what, tick.Label, n)
					}
					seen[tick.Label] = true
				}
				delete(seen, "")
				if n := len(seen); n < 2 || n > 2*count+1 {
					t.Errorf("%s: %d labels: want 2 to %d", what, n, 2*count+1)
				}
			}
		}
	}
}

// TestAxisLabels: narrow axes count from a round number, which their label names.
func TestAxisLabels(t *testing.T) {
	for _, c := range []struct {
		log          bool
		lo, hi       float64
		title, ticks string
	}{
		{false, 1e11, 1e11 + 60, "x − 10^(11)", "0 10 20 30 40 50 60"},
		{false, 1e15, 1e15 + 60, "x − 10^(15)", "0 10 20 30 40 50 60"},
		{false, 123456700, 123456760, "x − 1.234567·10^8", "0 10 20 30 40 50 60"},
		{false, -1e9 - 3, -1e9, "x + 10^9", "−3.0 −2.5 −2.0 −1.5 −1.0 −0.5 0"},
		{false, 100000, 100060, "x − 100000", "0 10 20 30 40 50 60"},
		{false, 54321, 54381, "x", "54330 54340 54350 54360 54370 54380"},
		{false, 12345.0001, 12345.0002, "x − 12345", "1.0·10^(−4) 1.2·10^(−4) 1.4·10^(−4) 1.6·10^(−4) 1.8·10^(−4) 2.0·10^(−4)"},
		{true, 7, 7 * (1 + 2e-8), "x − 7", "0 0.2·10^(−7) 0.4·10^(−7) 0.6·10^(−7) 0.8·10^(−7) 1.0·10^(−7) 1.2·10^(−7) 1.4·10^(−7)"},
		{true, 7e-20 * (1 - 1e-9), 7e-20 * (1 + 2e-8), "x − 7·10^(−20)", "0 0.2·10^(−27) 0.4·10^(−27) 0.6·10^(−27) 0.8·10^(−27) 1.0·10^(−27) 1.2·10^(−27) 1.4·10^(−27)"},
		{true, 2e-8, 4e-7, "x", "2·10^(−8) 5·10^(−8) 10^(−7) 2·10^(−7)"},
	} {
		s := &scale{log: c.log, count: 6, lo: c.lo, hi: c.hi}
		if c.log {
			s.lo, s.hi = math.Log10(c.lo), math.Log10(c.hi)
		}
		var labels []string
		for _, tick := range s.Ticks(s.lo, s.hi) {
			if tick.Label != "" {
				labels = append(labels, plainWords(tick.Label))
			}
		}
		if got := strings.Join(labels, " "); got != c.ticks {
			t.Errorf("log %v, %g to %g: ticks %s: want %s", c.log, c.lo, c.hi, got, c.ticks)
		}
		if got := plainWords(s.title("x", s.lo, s.hi)); got != c.title {
			t.Errorf("log %v, %g to %g: label %s: want %s", c.log, c.lo, c.hi, got, c.title)
		}
	}
}
