package law

import (
	"fmt"
	"math"

	"jsqlab/jsqlib"
)

// step is the law of Y = a_j - s_j, the change that one server's share of the
// arrivals and its service make to the total in a slot; X is the sum of N
// independent copies, M(z) = phi(z)^N with phi(z) = E z^Y. Its mean is -e
// exactly: what rounding, or a table within the tolerance of the model, leaves
// over is moved between Y = 1 and Y = -1.
type step struct {
	gap float64   // e = -E Y
	min int       // smallest Y
	p   []float64 // P(Y = min + k)

	second float64 // E Y^2
	third  float64 // E Y^3

	// phi(z) - 1 = (z - 1) [ -e + (z - 1) R(z) ] with
	//
	//	R(z) = sum_{k>=0} E(Y-1-k)^+ z^k + sum_{k>=1} E(1-k-Y)^+ z^(-k)
	//
	// (derived, by summing p by parts twice), all coefficients positive: no
	// number near 1 is subtracted from another.
	rMin int
	r    []float64
}

func newStep(c jsqlib.Constants) (*step, error) {
	if !(c.Gap > 0 && c.Gap < 1) || c.N < 1 || len(c.Arrivals) < 2 || len(c.Service) < 2 {
		return nil, fmt.Errorf("law: constants with N = %d, gap = %v: want those of System.Constants: %w", c.N, c.Gap, ErrConstants)
	}
	smax := len(c.Service) - 1
	reversed := make(jsqlib.PMF, smax+1)
	for k, x := range c.Service {
		reversed[smax-k] = x
	}
	s := &step{gap: c.Gap, min: -smax, p: c.Arrivals.Convolve(reversed)}
	var mean accumulator
	positive := false
	for k, x := range s.p {
		if x < 1e-300 {
			s.p[k] = 0
			continue
		}
		y := float64(s.min + k)
		mean.add(y * x)
		positive = positive || y > 0
	}
	if !positive {
		return nil, fmt.Errorf("law: P(a > s) = 0 for one server: want arrivals that can exceed the service, or there is no queue: %w", ErrConstants)
	}
	miss := -c.Gap - mean.value()
	s.p[1-s.min] += miss / 2
	s.p[-1-s.min] -= miss / 2

	for k, x := range s.p {
		y := float64(s.min + k)
		s.second += y * y * x
		s.third += y * y * y * x
	}
	s.rMin = s.min
	s.r = make([]float64, max(len(s.p)-2, smax))
	var tail, excess float64 // P(Y >= k+2), E(Y-1-k)^+
	for k := len(s.p) - 3 - smax; k >= 0; k-- {
		tail += s.p[k+2+smax]
		excess += tail
		s.r[k+smax] = excess
	}
	tail, excess = 0, 0 // P(Y <= -k), E(1-k-Y)^+
	for k := smax; k >= 1; k-- {
		tail += s.p[smax-k]
		excess += tail
		s.r[smax-k] = excess
	}
	return s, nil
}

// root returns theta = log z* > 0, the root of phi(e^theta) = 1, that is, of
//
//	f(theta) = u R(e^theta) = e,   u = e^theta - 1,
//
// to a few ulps for every gap: Newton's method in u R(e^theta), which is of the
// size of e, kept in a bracket. phi is convex with phi(1) = 1, so that f - e
// changes sign once; and p_y e^(y theta) <= phi(e^theta) = 1 bounds the root.
func (s *step) root() float64 {
	low, high := 0.0, math.Inf(1)
	for k, x := range s.p {
		if y := s.min + k; y > 0 && x > 0 {
			high = math.Min(high, -math.Log(x)/float64(y))
		}
	}
	sum := 0.0
	for _, x := range s.r {
		sum += x
	}
	t := math.Min(math.Log1p(s.gap/sum), high)
	for range 200 {
		var r, dr float64
		for i, x := range s.r {
			if x == 0 {
				continue
			}
			k := float64(s.rMin + i)
			term := x * math.Exp(k*t)
			r += term
			dr += k * term
		}
		u := math.Expm1(t)
		f := u*r - s.gap
		if f > 0 {
			high = t
		} else {
			low = t
		}
		next := t - f/((1+u)*r+u*dr)
		if !(next >= low && next <= high) {
			next = low + (high-low)/2
		}
		if math.Abs(next-t) <= 2e-16*t {
			return next
		}
		t = next
	}
	return t
}

// sum returns sum_y p_y y^power f(y t).
func (s *step) sum(power int, t float64, f func(float64) float64) float64 {
	total := 0.0
	for k, x := range s.p {
		if x == 0 {
			continue
		}
		y := s.min + k
		term := x * f(float64(y)*t)
		for range power {
			term *= float64(y)
		}
		total += term
	}
	return total
}

// variance returns Var Y = (s_a^2 + s_s^2).
func (s *step) variance() float64 { return s.second - s.gap*s.gap }

// thirdCumulant returns E (Y - E Y)^3.
func (s *step) thirdCumulant() float64 {
	return s.third + 3*s.gap*s.second - 2*s.gap*s.gap*s.gap
}
