package bound

import (
	"fmt"
	"math"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/memory"
	"jsqlab/jsqlib/internal/num"
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
// Derived: E f(Z^+) = E f(Z) over one slot, Z^+ = Z + cX + cU, with E X = -eps and
// E X^2 = v + eps^2; Stein's equation; and f(Z^+) - f(Z^+ - cU) is a sum of U increments
// over c, the mean of which over U-weighted (Q^+, U) is that over Q~.
//
// The bound of Boundary is at most c ( E[U Q^+]/E U + E[U^2]/(2 E U) ), the two terms of
// [law.Kernel.Certificate], and closer: where Q~ >= 1 it is c |E Q~ - 1/2|, the lower
// certificate but for eps/2.
type Terms struct {
	Error     float64 // E h(Z) - E h(Exp(m_N))
	Drift     Term
	Boundary  Term
	Remainder Term
}

// Bound returns the sum of the three bounds, an upper bound of W1(Z, Exp(m_N)) that does
// not depend on h.
func (t Terms) Bound() float64 { return t.Drift.Bound + t.Boundary.Bound + t.Remainder.Bound }

// NewTerms returns the terms for h under the law t of the total with boundary law b, as
// [law.New] makes it from c and b. Error, Drift and Boundary are computed, each on its
// own scale, to about 1e-12 of c E|Q~|, and Remainder is what they leave. It fails with
// [*jsqlib.Invalid] for an h that is not [Lipschitz] or when t does not belong to c and b.
//
// For an estimated b the bounds hold up to its noise; that of Remainder first.
func NewTerms(c jsqlib.Constants, t *law.Total, b law.Boundary, h Lipschitz) (Terms, error) {
	if err := checkLaw(c, t, b); err != nil {
		return Terms{}, err
	}
	last, _, _ := t.Tail()
	if err := memory.Check("bound", "largest total of t", int64(last), func(n float64) float64 { return memory.Word * n }); err != nil {
		return Terms{}, err // see tailGap
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
	g := newTailGap(t)
	sum, at := 0.0, g.from(0)
	for i, d := range h.Slopes {
		next := 0.0
		if i < len(h.Breaks) {
			next = g.from(h.Breaks[i])
		}
		sum += d * (at - next)
		at = next
	}
	return sum
}

// tailGap knows int_x^inf ( P(Z > y) - e^(-y/m) ) dy, m = m_N.
type tailGap struct {
	t       *law.Total
	c, m    float64
	last    int
	logA    float64
	excess  float64   // theta - c/m
	offset  float64   // log[ (c/m)/(1 - e^(-theta)) ]
	integ   []float64 // from cn, n = 0, ..., last+1
	density float64   // (1 - e^(-c/m))/(c/m) - 1
}

func newTailGap(t *law.Total) *tailGap {
	last, logA, theta := t.Tail()
	g := &tailGap{t: t, c: t.Scale(), m: t.MeanN(), last: last, logA: logA, excess: t.Kernel().RateExcess()}
	h := g.c / g.m
	// (1 - e^(-x))/x = 1 - x num.Tail2(-x)
	g.density = -h * num.Tail2(-h)
	g.offset = math.Log1p(-g.excess/theta) - math.Log1p(-theta*num.Tail2(-theta))
	g.integ = make([]float64, last+2)
	g.integ[last+1] = g.fromTail(float64(last + 1))
	for n := last; n >= 0; n-- {
		// c P(Q > n) - m (e^(-nh) - e^(-(n+1)h)), as the difference of two numbers
		// that are 1 less something small
		x := float64(n) * h
		cell := math.Expm1(t.LogSurvival(n)) - (math.Expm1(-x)*(1+g.density) + g.density)
		g.integ[n] = g.integ[n+1] + g.c*cell
	}
	return g
}

// fromTail is the integral from cn for n > last: c A e^(-theta n)/(1 - e^(-theta)) - m e^(-cn/m).
func (g *tailGap) fromTail(n float64) float64 {
	return g.m * math.Exp(-n*g.c/g.m) * math.Expm1(g.logA-n*g.excess+g.offset)
}

// from is the integral from x >= 0.
func (g *tailGap) from(x float64) float64 {
	n := math.Floor(x / g.c)
	if n*g.c/g.m > 745 {
		return 0
	}
	u := n * g.c / g.m
	at, above := 0.0, g.logA-n*g.excess // above = log P(Q > n) + u
	if n <= float64(g.last) {
		at, above = g.integ[int(n)], g.t.LogSurvival(int(n))+u
	} else {
		at = g.fromTail(n)
	}
	left := x - n*g.c
	if left <= 0 {
		return at
	}
	// less left P(Q > n) - m (e^(-cn/m) - e^(-x/m))
	h := left / g.m
	return at - left*math.Exp(-u)*(math.Expm1(above)+h*num.Tail2(-h))
}

// meanSecond returns the mean of the second derivative of f under Z.
func meanSecond(t *law.Total, f *Stein) float64 {
	c, m := t.Scale(), t.MeanN()
	last, logA, theta := t.Tail()
	sum := 0.0
	for n := 0; n <= last; n++ {
		sum += t.PMF(n) * f.Second(c*float64(n))
	}
	excess := t.Kernel().RateExcess()
	n := float64(last + 1)
	for i := f.piece(c * n); ; i++ {
		lift, b := f.lift(i)
		end := math.Inf(1)
		if i < len(f.breaks) {
			end = math.Max(math.Ceil(b/c), n)
		}
		// P(Q = k) = A e^(-theta k) (e^theta - 1) over n <= k < end
		sum -= f.slopes[i] * math.Exp(logA-theta*(n-1)) * -math.Expm1(-theta*(end-n))
		if lift != 0 && end > n {
			// sum of e^(-theta k) e^(-(b - ck)/m) = e^(-b/m) sum of e^(-excess k)
			k := end - n
			ratio := k
			if excess != 0 {
				ratio = math.Expm1(-excess*k) / math.Expm1(-excess)
			}
			sum += lift * math.Expm1(theta) * ratio * math.Exp(logA-excess*n-b/m)
		}
		if i == len(f.breaks) {
			return sum
		}
		n = end
	}
}
