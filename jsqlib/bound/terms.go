package bound

import (
	"fmt"
	"math"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/law"
)

// Term is one error term with its bound, |Value| <= Bound, in the unit of Z.
type Term struct{ Value, Bound float64 }

// Terms splits the error of one test function,
//
//	E h(Z) - E h(Exp(m_N)) = Drift + Boundary + Remainder,   Z = c Q,
//
// into the terms of Stein's method, f being the solution for h and m = m_N:
//
//	Drift     = -(c eps/2) E f''(Z)                                  |.| <= c eps/2
//	Boundary  = -E[ (f(c Q~) - f(c Q~ - c))/c ]                      |.| <= c E|Q~ - 1/2|
//	Remainder = -E[ f(Z+cX) - f(Z) - cX f'(Z) - (cX)^2 f''(Z)/2 ]/(c eps)
//	                                                        |.| <= c^2 E|X|^3/(3 m eps)
//
// Derived: E f(Z^+) = E f(Z) over one slot, Z^+ = Z + cX + cU, with E X = -eps and E X^2 = v + eps^2;
// Stein's equation; and f(Z^+) - f(Z^+ - cU) is a sum of U increments over c, the mean of which over
// U-weighted (Q^+, U) is that over Q~.
//
// The bound of Boundary is at most c ( E[U Q^+]/E U + E[U^2]/(2 E U) ), the two terms of
// [law.Kernel.Certificate], and closer. Where Q~ >= 1 it is c |E Q~ - 1/2|, the lower certificate
// without its eps/2.
type Terms struct {
	Error     float64 // E h(Z) - E h(Exp(m_N))
	Drift     Term
	Boundary  Term
	Remainder Term
}

// Bound returns the sum of the three bounds, an upper bound of W1(Z, Exp(m_N)) that does not depend on
// h.
func (t Terms) Bound() float64 { return t.Drift.Bound + t.Boundary.Bound + t.Remainder.Bound }

// NewTerms returns the terms for h under the law t of the total with boundary law b, as [law.New] makes
// it from c and b. Error, Drift and Boundary are computed, each on its own scale, to about 1e-12 of c
// E|Q~|. Remainder is Error less the other two. NewTerms fails with [*jsqlib.Invalid] for an h that is
// not [Lipschitz] or when t does not belong to c and b.
//
// For an estimated b the bounds hold up to the noise of b. The bound of Remainder is the first to fail.
func NewTerms(c jsqlib.Constants, t *law.Total, b law.Boundary, h Lipschitz) (Terms, error) {
	if err := checkLaw(c, t, b); err != nil {
		return Terms{}, err
	}
	f, err := NewStein(c.MeanN, h)
	if err != nil {
		return Terms{}, err
	}
	mass, abs, boundary := 0.0, 0.0, 0.0
	for i, p := range b.P {
		if p == 0 {
			continue
		}
		n := float64(b.Min + i)
		mass += p
		abs += p * math.Abs(n-0.5)
		boundary -= p * f.Increment(c.Gap*(n-1), c.Gap*n) / c.Gap
	}
	out := Terms{
		Error:    lawError(t, h),
		Drift:    Term{-c.Gap * c.Eps / 2 * meanSecond(t, f), c.Gap * c.Eps / 2},
		Boundary: Term{boundary / mass, c.Gap * abs / mass},
		Remainder: Term{Bound: c.Gap * (c.Gap / c.Eps) * t.Kernel().AbsThirdMoment() /
			(3 * c.MeanN)},
	}
	out.Remainder.Value = out.Error - out.Drift.Value - out.Boundary.Value
	return out, nil
}

// checkLaw refuses a law t of the total that is not law.New(c, b).
func checkLaw(c jsqlib.Constants, t *law.Total, b law.Boundary) error {
	if t == nil || t.Scale() != c.Gap || t.MeanN() != c.MeanN || len(b.P) == 0 {
		return jsqlib.Refuse("bound", "t", "a law of another system", "that of law.New(c, b)")
	}
	if c.Continuous() {
		return jsqlib.Refuse("bound", "c", "continuous time", "dt (the terms are those of slots)")
	}
	mass, mean := 0.0, 0.0
	for i, p := range b.P {
		mass += p
		mean += p * float64(b.Min+i)
	}
	if want := t.BoundaryMean(); !(math.Abs(mass-1) < 1e-6 && math.Abs(mean-want) <= 1e-6*(1+math.Abs(want))) {
		return jsqlib.Refuse("bound", "b", fmt.Sprintf("a law of mass %v and mean %v", mass, mean), fmt.Sprintf("that of t, of mean %v", want))
	}
	return nil
}

// lawError returns E h(Z) - E h(Exp(m_N)) = int h'(x) ( P(Z > x) - e^(-x/m) ) dx.
func lawError(t *law.Total, h Lipschitz) float64 {
	sum, at := 0.0, t.IntegratedDifference(0)
	for i, d := range h.Slopes {
		next := 0.0
		if i < len(h.Breaks) {
			next = t.IntegratedDifference(h.Breaks[i])
		}
		sum += d * (at - next)
		at = next
	}
	return sum
}

// meanSecond returns the mean of the second derivative of f under Z, piece by piece: see lift.
func meanSecond(t *law.Total, f *Stein) float64 {
	sum := 0.0
	for i, d := range f.slopes {
		lift, b := f.lift(i)
		sum -= d * t.Tilted(math.Inf(1), 0, f.start(i), b)
		if lift != 0 {
			sum += lift * t.Tilted(f.mean, b, f.start(i), b)
		}
	}
	return sum
}
