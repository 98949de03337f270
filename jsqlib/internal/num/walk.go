package num

import (
	"errors"
	"math"
)

// Walk is the law of Y = a_j - s_j, the change of the total in a slot by one server's share of the
// arrivals and by its service. The free walk of the total has steps X, the sum of N independent copies:
// E z^X = phi(z)^N with phi(z) = E z^Y.
//
// The mean of Y is -e exactly. Rounding, or a table within the tolerance of the model, may leave a
// remainder. The remainder is moved between Y = 1 and Y = -1.
type Walk struct {
	Gap float64   // e = -E Y
	Min int       // smallest Y
	P   []float64 // P(Y = Min + k)

	Second float64 // E Y^2
	Third  float64 // E Y^3

	// phi(z) - 1 = (z - 1) [ -e + (z - 1) R(z) ] with
	//
	//	R(z) = sum_{k>=0} E(Y-1-k)^+ z^k + sum_{k>=1} E(1-k-Y)^+ z^(-k)
	//
	// (derived, by summing p by parts twice), all coefficients positive: no number near 1 is subtracted
	// from another.
	RMin int
	R    []float64
}

// ErrNoQueue says that arrivals never exceed services, so that there is no queue.
var ErrNoQueue = errors.New("P(a > s) = 0 for one server: want arrivals that can exceed the service, or there is no queue")

// NewWalk returns the law of Y from the laws of a_j and s_j on {0, 1, ...} of at least two entries
// each, with E Y = -gap. It fails with [ErrNoQueue].
func NewWalk(arrivals, service []float64, gap float64) (*Walk, error) {
	smax := len(service) - 1
	s := &Walk{Gap: gap, Min: -smax, P: make([]float64, len(arrivals)+smax)}
	for a, x := range arrivals {
		if x == 0 {
			continue
		}
		for b := smax; b >= 0; b-- {
			s.P[a+smax-b] += x * service[b]
		}
	}
	var mean Sum
	positive := false
	for k, x := range s.P {
		if x < 1e-300 {
			s.P[k] = 0
			continue
		}
		y := float64(s.Min + k)
		mean.Add(y * x)
		positive = positive || y > 0
	}
	if !positive {
		return nil, ErrNoQueue
	}
	miss := -gap - mean.Value()
	if s.light() { // what is rounding beside 1 may be P(Y = 1) many times over
		s.P[-s.Min] += miss
		s.P[-1-s.Min] -= miss
	} else {
		s.P[1-s.Min] += miss / 2
		s.P[-1-s.Min] -= miss / 2
	}

	for k, x := range s.P {
		y := float64(s.Min + k)
		s.Second += y * y * x
		s.Third += y * y * y * x
	}
	s.RMin = s.Min
	s.R = make([]float64, max(len(s.P)-2, smax))
	var tail, excess float64 // P(Y >= k+2), E(Y-1-k)^+
	for k := len(s.P) - 3 - smax; k >= 0; k-- {
		tail += s.P[k+2+smax]
		excess += tail
		s.R[k+smax] = excess
	}
	tail, excess = 0, 0 // P(Y <= -k), E(1-k-Y)^+
	for k := smax; k >= 1; k-- {
		tail += s.P[smax-k]
		excess += tail
		s.R[smax-k] = excess
	}
	return s, nil
}

// light reports whether steps up are rare beside steps down, E Y^+ < 1e-3 e.
func (s *Walk) light() bool {
	up := 0.0
	for y := 1; y < len(s.P)+s.Min; y++ {
		up += float64(y) * s.P[y-s.Min]
	}
	return up < 1e-3*s.Gap
}

// Root returns theta = log z* > 0, the root of phi(e^theta) = 1, to a few ulps for every gap. It solves
//
//	f(theta) = u R(e^theta) = e,   u = e^theta - 1,
//
// by Newton's method, kept in a bracket: f is of the size of e. phi is convex with phi(1) = 1, so f - e
// changes sign once. The bound p_y e^(y theta) <= phi(e^theta) = 1 gives the upper end of the bracket.
//
// Where steps up are rare e^theta is large, and u R(e^theta) - e takes E Y^- from e + E Y^+, which
// cancels. There the iteration is in phi(e^theta) - 1, from the upper end of the bracket: its terms are
// at most of order 1, and their slope is not small.
func (s *Walk) Root() float64 {
	low, high := 0.0, math.Inf(1)
	for k, x := range s.P {
		if y := s.Min + k; y > 0 && x > 0 {
			high = math.Min(high, -math.Log(x)/float64(y))
		}
	}
	sum := 0.0
	for _, x := range s.R {
		sum += x
	}
	t := math.Min(math.Log1p(s.Gap/sum), high)
	light := s.light()
	if light {
		t = high
	}
	for range 200 {
		var r, dr float64
		if light {
			for i, x := range s.P {
				y := float64(s.Min + i)
				r += x * math.Expm1(y*t)
				dr += x * y * math.Exp(y*t)
			}
			next := t - r/dr
			if !(next < t-2e-16*t) { // it falls until rounding takes over
				return t
			}
			t = next
			continue
		}
		for i, x := range s.R {
			if x == 0 {
				continue
			}
			k := float64(s.RMin + i)
			term := x * math.Exp(k*t)
			r += term
			dr += k * term
		}
		u := math.Expm1(t)
		f := u*r - s.Gap
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

// Mean returns E[ Y^power f(Y t) ], a sum over the values of Y.
func (s *Walk) Mean(power int, t float64, f func(float64) float64) float64 {
	total := 0.0
	for k, x := range s.P {
		if x == 0 {
			continue
		}
		y := s.Min + k
		term := x * f(float64(y)*t)
		for range power {
			term *= float64(y)
		}
		total += term
	}
	return total
}

// Variance returns Var Y = (s_a^2 + s_s^2).
func (s *Walk) Variance() float64 { return s.Second - s.Gap*s.Gap }

// ThirdCumulant returns E (Y - E Y)^3.
func (s *Walk) ThirdCumulant() float64 {
	return s.Third + 3*s.Gap*s.Second - 2*s.Gap*s.Gap*s.Gap
}

// Transform returns phi(e^x) - 1.
func (s *Walk) Transform(x float64) float64 {
	r := 0.0
	for i, c := range s.R {
		if c != 0 {
			r += c * math.Exp(float64(s.RMin+i)*x)
		}
	}
	u := math.Expm1(x)
	return u * (u*r - s.Gap)
}
