package chart

import (
	"fmt"
	"jsqlab/plots/internal/input"
	"math"
	"strconv"
	"strings"

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
	tight  bool // spans the data and no more
	quiet  bool // ticks without labels: another panel has them
	count  int  // labelled ticks wanted, about; 0: none
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
	ends, err := s.values(what+".Range", a.Range[:])
	if err != nil {
		return nil, err
	}
	if a.Range[0] >= a.Range[1] {
		return nil, input.Refuse(what+".Range", a.Range, "the lowest value first")
	}
	s.lo, s.hi, s.fixed = ends[0], ends[1], true
	if span := s.hi - s.lo; s.single() || !input.IsFinite(span) {
		return nil, input.Refuse(what+".Range", a.Range, divisible)
	}
	return s, nil
}

// value checks one value and returns its place.
func (s *scale) value(what string, v float64) (float64, error) {
	if !input.IsFinite(v) {
		return 0, input.Refuse(what, v, "a finite number")
	}
	if !s.log {
		return v, nil
	}
	if v <= 0 {
		return 0, input.Refuse(what, v, "more than 0 on a logarithmic axis")
	}
	return math.Log10(v), nil
}

// values checks a slice and returns the places.
func (s *scale) values(what string, v []float64) ([]float64, error) {
	if err := input.Finite(what, v); err != nil {
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
		if input.IsFinite(v) {
			s.lo, s.hi = math.Min(s.lo, v), math.Max(s.hi, v)
		}
	}
}

const divisible = "a range that float64 can divide"

// single reports that float64 cannot divide the range: all of it is one value.
func (s *scale) single() bool {
	mag := math.Max(math.Abs(s.lo), math.Abs(s.hi))
	least := 0x1p-46 * mag // 64 numbers, whose rounding moves no tick by more than a hundredth of the axis
	if s.log {
		least = 1e-13 * math.Max(mag, 1) // log10 of values near 1 is no finer than the values
	}
	return s.hi-s.lo <= math.Max(least, 1e-300)
}

// close ends the collection of data: it leaves some room at both ends (pad is a part of the range), starts a
// linear axis of data that come near 0 at 0 unless it is tight, and refuses a range that float64 cannot divide.
func (s *scale) close(what string, pad float64) error {
	if !s.fixed {
		if s.lo > s.hi { // no data
			s.lo, s.hi = 0, 1
		}
		if s.single() {
			half := 0.3
			if !s.log {
				mag := math.Max(math.Abs(s.lo), math.Abs(s.hi))
				half = math.Max(0.1*mag, 1e-300)
				if mag == 0 {
					half = 1
				}
			}
			s.lo, s.hi = s.lo-half, s.hi+half
		}
		room := pad * (s.hi - s.lo)
		low, high := s.lo-room, s.hi+room
		if !s.log && !s.tight {
			if s.lo >= 0 && s.lo <= 0.3*s.hi {
				low = 0
			}
			if s.hi <= 0 && s.hi >= 0.3*s.lo {
				high = 0
			}
		}
		s.lo, s.hi = low, high
	}
	if !input.IsFinite(s.hi-s.lo) || s.single() {
		return input.Refuse("range of "+what, fmt.Sprintf("%g to %g", s.lo, s.hi), divisible)
	}
	return nil
}

// place returns the place of v on an axis from 0 to 1. What is far outside stays within what a page can be drawn on.
func place(a *plot.Axis, v float64) float64 { return math.Min(math.Max(a.Norm(v), -1e4), 1e4) }

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
	if s.count == 0 {
		return nil
	}
	st, exp, ok := s.steps(lo, hi)
	if !ok {
		return logTicks(lo, hi, s.count)
	}
	t := st.ticks(exp)
	if s.log {
		for i := range t {
			t[i].Value = math.Log10(t[i].Value) + float64(exp)
		}
	}
	return t
}

// steps are ticks at equal steps: first, first + step, ..., last, in units of 10^place. They are whole numbers, so that neighbours differ
// and labels are exact however narrow the range is.
type steps struct {
	first, last, step int64 // the step is 1, 2 or 5 units
	place             int
}

// newSteps returns about count steps from lo to hi, and two at least.
func newSteps(lo, hi float64, count int) steps {
	for ; ; count++ {
		raw := (hi - lo) / float64(count)
		s := steps{step: 1, place: int(math.Floor(math.Log10(raw)))}
		switch f := raw / math.Pow10(s.place); {
		case f < 1.5:
		case f < 3.2:
			s.step = 2
		case f < 7:
			s.step = 5
		default:
			s.place++
		}
		size := decimal(s.step, s.place)
		s.first = int64(math.Ceil(lo/size-1e-9)) * s.step
		s.last = int64(math.Floor(hi/size+1e-9)) * s.step
		if s.first < s.last {
			return s
		}
	}
}

// decimal returns j·10^place, rounded once.
func decimal(j int64, place int) float64 {
	if place < 0 {
		return float64(j) / math.Pow10(-place)
	}
	return float64(j) * math.Pow10(place)
}

// offset returns the number that labels are counted from: 0, or the roundest number nearby where they would have more than five digits,
// or more than four and a power of ten.
func (s steps) offset(exp int) int64 {
	if s.last < 0 {
		return -steps{first: -s.last, last: -s.first, place: s.place}.offset(exp)
	}
	if s.last < 1e4 || s.last < 1e5 && !s.powers(s.last, exp) {
		return 0
	}
	for round := int64(1e15); ; round /= 10 {
		if at := s.last / round * round; at >= s.first-10*(s.last-s.first) {
			return at
		}
	}
}

// lead returns the place of the first digit of j > 0 units.
func (s steps) lead(j int64) int { return len(strconv.FormatInt(j, 10)) - 1 + s.place }

// powers reports that labels up to j units times 10^exp are written with a power of ten, as plain decimals are not short.
func (s steps) powers(j int64, exp int) bool { return s.lead(j)+exp >= 5 || s.place+exp < -4 }

// ticks returns the ticks with their values times 10^exp in the labels.
func (s steps) ticks(exp int) []plot.Tick {
	offset := s.offset(exp)
	largest := max(s.last-offset, offset-s.first)
	lead, powers := s.lead(largest), s.powers(largest, exp)
	var ticks []plot.Tick
	for j := s.first; j <= s.last; j += s.step {
		t := plot.Tick{Value: decimal(j, s.place), Label: "0"}
		switch k := j - offset; {
		case k == 0:
		case powers:
			t.Label = fmt.Sprintf("$%s·10^{%d}$", strconv.FormatFloat(decimal(k, s.place-lead), 'f', lead-s.place, 64), lead+exp)
		default:
			t.Label = "$" + strconv.FormatFloat(decimal(k, s.place+exp), 'f', max(0, -s.place-exp), 64) + "$"
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// title completes the label of the axis from lo to hi: where the ticks are counted from an offset, it says so: "slot k − 10^11".
func (s *scale) title(label string, lo, hi float64) string {
	if s.quiet || s.count == 0 {
		return label
	}
	st, exp, ok := s.steps(lo, hi)
	offset := st.offset(exp)
	if !ok || offset == 0 {
		return label
	}
	sign := "−"
	if label == "" {
		label = "value"
	}
	if offset < 0 {
		offset, sign = -offset, "+"
	}
	digits := strings.TrimRight(strconv.FormatInt(offset, 10), "0")
	lead := st.lead(offset) + exp
	number := fmt.Sprintf("%s·10^{%d}", strings.TrimSuffix(digits[:1]+"."+digits[1:], "."), lead)
	switch {
	case lead >= -4 && lead < 6:
		number = strconv.FormatFloat(decimal(offset, st.place+exp), 'f', -1, 64)
	case digits == "1":
		number = fmt.Sprintf("10^{%d}", lead)
	}
	return fmt.Sprintf("%s %s $%s$", label, sign, number)
}

// steps returns the equal steps of the axis from lo to hi, times 10^exp. A logarithmic axis has them where it is too short for 1, 2 and 5.
func (s *scale) steps(lo, hi float64) (st steps, exp int, ok bool) {
	if !s.log {
		return newSteps(lo, hi, s.count), 0, true
	}
	majors := 0
	for k := math.Floor(lo); k <= hi && majors < 2; k++ {
		for _, d := range []float64{1, 2, 5} {
			if t := k + math.Log10(d); onAxis(t, lo, hi) {
				majors++
			}
		}
	}
	if majors >= 2 {
		return st, 0, false
	}
	exp = int(math.Floor(lo))
	return newSteps(math.Pow(10, lo-float64(exp)), math.Pow(10, hi-float64(exp)), min(s.count, 5)), exp, true
}

func onAxis(t, lo, hi float64) bool { return t >= lo-1e-9*(hi-lo) && t <= hi+1e-9*(hi-lo) }

// logTicks returns the ticks of a logarithmic axis from 10^lo to 10^hi, at log10 of their values.
func logTicks(lo, hi float64, count int) []plot.Tick {
	span := hi - lo
	first, last := int(math.Floor(lo)), int(math.Ceil(hi))
	inside := func(t float64) bool { return onAxis(t, lo, hi) }
	var ticks []plot.Tick
	if span > 3.3 {
		stride := 1
		for _, n := range []int{1, 2, 3, 5, 10, 20, 50, 100, 200} {
			if math.Floor(hi/float64(n)) <= math.Ceil(lo/float64(n)) { // one label
				break
			}
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
	// Few decades: 1, 2 and 5 have labels, or 1 alone where there are enough of it.
	plain := first >= -4 && last <= 5
	labels, ones := 0, 0
	for k := first; k <= last; k++ {
		for _, d := range []int{1, 2, 5} {
			if inside(float64(k) + math.Log10(float64(d))) {
				labels++
				if d == 1 {
					ones++
				}
			}
		}
	}
	few := ones >= 2 && (labels > 2*count || !plain && span >= 1.2)
	for k := first; k <= last; k++ {
		for d := 1; d <= 9; d++ {
			t := plot.Tick{Value: float64(k) + math.Log10(float64(d))}
			if !inside(t.Value) {
				continue
			}
			if d == 1 || !few && (d == 2 || d == 5) {
				t.Label = formatPower(d, k, plain)
			}
			ticks = append(ticks, t)
		}
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
