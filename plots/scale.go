package plots

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// Axis describes one axis. The zero value is a linear axis without a label, over the range of the data.
type Axis struct {
	Label string     // with the unit, such as "queue length (jobs)"
	Log   bool       // logarithmic; every value on it must be positive
	Range [2]float64 // lowest and highest value shown; both 0: the range of the data
}

// scale places data on an axis. A logarithmic axis is drawn as a linear one over log10 of the data, so that
// no value, however small, is too much for it.
type scale struct {
	label  string
	log    bool
	fixed  bool
	quiet  bool // ticks without labels: another panel has them
	count  int  // labelled ticks wanted, about
	lo, hi float64
}

func newScale(what string, a Axis) (*scale, error) {
	s := &scale{label: a.Label, log: a.Log, count: 6, lo: math.Inf(1), hi: math.Inf(-1)}
	if err := checkText(what+".Label", a.Label); err != nil {
		return nil, err
	}
	if a.Range == [2]float64{} {
		return s, nil
	}
	for i, v := range a.Range {
		t, err := s.value(fmt.Sprintf("%s.Range[%d]", what, i), v)
		if err != nil {
			return nil, err
		}
		a.Range[i] = t
	}
	if a.Range[0] >= a.Range[1] {
		return nil, inputError(what+".Range", a.Range, "the lowest value first")
	}
	s.lo, s.hi, s.fixed = a.Range[0], a.Range[1], true
	return s, nil
}

// value checks one value and returns its place.
func (s *scale) value(what string, v float64) (float64, error) {
	if !isFinite(v) {
		return 0, inputError(what, v, "a finite number")
	}
	if !s.log {
		return v, nil
	}
	if v <= 0 {
		return 0, inputError(what, v, "more than 0 on a logarithmic axis")
	}
	return math.Log10(v), nil
}

// values checks a slice and returns the places.
func (s *scale) values(what string, v []float64) ([]float64, error) {
	if err := checkFinite(what, v); err != nil {
		return nil, err
	}
	out := make([]float64, len(v))
	for i, x := range v {
		t, err := s.value(fmt.Sprintf("%s[%d]", what, i), x)
		if err != nil {
			return nil, err
		}
		out[i] = t
	}
	return out, nil
}

// cover widens a range that is not fixed to hold the places t.
func (s *scale) cover(t ...float64) {
	if s.fixed {
		return
	}
	for _, v := range t {
		if isFinite(v) {
			s.lo, s.hi = math.Min(s.lo, v), math.Max(s.hi, v)
		}
	}
}

// close ends the collection of data: it leaves some room at both ends (pad is a part of the range), starts a
// linear axis of data that come near 0 at 0, and refuses a range that float64 cannot divide.
func (s *scale) close(what string, pad float64) error {
	if !s.fixed {
		if s.lo > s.hi { // no data
			s.lo, s.hi = 0, 1
		}
		mag := math.Max(math.Abs(s.lo), math.Abs(s.hi))
		if s.hi-s.lo <= 1e-9*mag || s.lo == s.hi { // one value
			half := 0.3
			if !s.log {
				half = math.Max(0.1*mag, 1e-300)
				if mag == 0 {
					half = 1
				}
			}
			s.lo, s.hi = s.lo-half, s.hi+half
		}
		room := pad * (s.hi - s.lo)
		low, high := s.lo-room, s.hi+room
		if !s.log {
			if s.lo >= 0 && s.lo <= 0.3*s.hi {
				low = 0
			}
			if s.hi <= 0 && s.hi >= 0.3*s.lo {
				high = 0
			}
		}
		s.lo, s.hi = low, high
	}
	if span := s.hi - s.lo; !isFinite(span) || span <= 1e-12*math.Max(math.Abs(s.lo), math.Abs(s.hi)) {
		return inputError("range of "+what, fmt.Sprintf("%g to %g", s.lo, s.hi), "a range that float64 can divide")
	}
	return nil
}

// Ticks implements plot.Ticker.
func (s *scale) Ticks(lo, hi float64) []plot.Tick {
	t := s.ticks(lo, hi)
	for i := range t {
		if s.quiet {
			t[i].Label = ""
		}
	}
	return t
}

func (s *scale) ticks(lo, hi float64) []plot.Tick {
	if s.log {
		return logTicks(lo, hi, s.count)
	}
	return linearTicks(lo, hi, s.count)
}

// niceStep returns 1, 2 or 5 times a power of ten near span/count.
func niceStep(span float64, count int) float64 {
	raw := span / float64(count)
	mag := math.Pow(10, math.Floor(math.Log10(raw)))
	switch f := raw / mag; {
	case f < 1.5:
		return mag
	case f < 3.2:
		return 2 * mag
	case f < 7:
		return 5 * mag
	}
	return 10 * mag
}

func linearTicks(lo, hi float64, count int) []plot.Tick {
	step := niceStep(hi-lo, count)
	largest := math.Max(math.Abs(lo), math.Abs(hi))
	var ticks []plot.Tick
	for k := math.Ceil(lo/step - 1e-9); k <= hi/step+1e-9 && len(ticks) < 100; k++ {
		ticks = append(ticks, plot.Tick{Value: k * step, Label: formatTick(k*step, step, largest)})
	}
	return ticks
}

// formatTick writes a multiple of step, as a plain decimal where that is short and with a power of ten where it is not.
func formatTick(v, step, largest float64) string {
	if v == 0 {
		return "0"
	}
	place := int(math.Floor(math.Log10(step) + 1e-9)) // of the last digit that counts
	exp := int(math.Floor(math.Log10(largest)))
	if exp >= 5 || place < -4 {
		return fmt.Sprintf("$%s·10^{%d}$", strconv.FormatFloat(v/math.Pow(10, float64(exp)), 'f', max(0, exp-place), 64), exp)
	}
	return "$" + strconv.FormatFloat(v, 'f', max(0, -place), 64) + "$"
}

// logTicks returns the ticks of a logarithmic axis from 10^lo to 10^hi, at log10 of their values.
func logTicks(lo, hi float64, count int) []plot.Tick {
	span := hi - lo
	first, last := int(math.Floor(lo)), int(math.Ceil(hi))
	inside := func(t float64) bool { return t >= lo-1e-9 && t <= hi+1e-9 }
	var ticks []plot.Tick
	if span > 3.3 {
		stride := 1
		for _, n := range []int{1, 2, 3, 5, 10, 20, 50, 100} {
			if stride = n; span/float64(n) <= float64(count+1) {
				break
			}
		}
		minor := 1
		if stride >= 10 {
			minor = stride / 2
		}
		plain := first >= -3 && last <= 4
		for k := first; k <= last; k++ {
			if inside(float64(k)) && k%minor == 0 {
				t := plot.Tick{Value: float64(k)}
				if k%stride == 0 {
					t.Label = formatPower(1, k, plain)
				}
				ticks = append(ticks, t)
			}
			for d := 2; d <= 9 && span < 7; d++ {
				if t := float64(k) + math.Log10(float64(d)); inside(t) {
					ticks = append(ticks, plot.Tick{Value: t})
				}
			}
		}
		return ticks
	}
	// Few decades: 1, 2 and 5 have labels.
	labelled := map[int]bool{1: true, 2: true, 5: true}
	majors := 0
	for k := first; k <= last; k++ {
		for d := 1; d <= 9; d++ {
			if labelled[d] && inside(float64(k)+math.Log10(float64(d))) {
				majors++
			}
		}
	}
	if majors < 2 {
		return fineLogTicks(lo, hi)
	}
	plain := first >= -4 && last <= 5
	for k := first; k <= last; k++ {
		for d := 1; d <= 9; d++ {
			t := plot.Tick{Value: float64(k) + math.Log10(float64(d))}
			if !inside(t.Value) {
				continue
			}
			if labelled[d] && (plain || d == 1 || span < 1.2) {
				t.Label = formatPower(d, k, plain)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// fineLogTicks are for an axis of a fraction of a decade: equal steps of the value.
func fineLogTicks(lo, hi float64) []plot.Tick {
	exp := math.Floor(lo)
	var ticks []plot.Tick
	low, high := math.Pow(10, lo-exp), math.Pow(10, hi-exp)
	for _, t := range linearTicks(low, high, 5) {
		if t.Value <= 0 {
			continue
		}
		if t.Label != "" {
			t.Label = fmt.Sprintf("$%s·10^{%d}$", strconv.FormatFloat(t.Value, 'g', 6, 64), int(exp))
			if exp >= -3 && exp <= 3 {
				t.Label = strconv.FormatFloat(t.Value*math.Pow(10, exp), 'g', 6, 64)
			}
		}
		t.Value = math.Log10(t.Value) + exp
		ticks = append(ticks, t)
	}
	return ticks
}

func formatPower(d, k int, plain bool) string {
	switch {
	case plain && k >= 0:
		return strconv.FormatFloat(float64(d)*math.Pow(10, float64(k)), 'f', 0, 64)
	case plain:
		return strconv.FormatFloat(float64(d)*math.Pow(10, float64(k)), 'f', -k, 64)
	case d == 1:
		return fmt.Sprintf("$10^{%d}$", k)
	}
	return fmt.Sprintf("$%d·10^{%d}$", d, k)
}
