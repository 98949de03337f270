package bound

import (
	"math"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/num"
	"jsqlab/jsqlib/law"
)

// Laplace is the proof by Laplace transforms at one theta >= 0. With s = theta c and Z = c Q the
// balance of e^(-s Q) over one slot is
//
//	E e^(-theta Z) (1 - E e^(-s X)) = E[ e^(-s Q^+) (1 - e^(s U)) ],
//
// whose two sides are Left and Right. Both are of the size s eps; divided by -s eps they are
//
//	(1 - E e^(-sX))/(-s eps)          = 1 + m_N theta + s eps/2 - s^2 E X^3/(6 eps) + rest,
//	E[e^(-sQ^+) (1 - e^(sU))]/(-s eps) = 1 - s ( E[U Q^+]/E U - E[U^2]/(2 E U) ) + rest,
//
// the Denominator and the Numerator of E e^(-theta Z), which tends to 1/(1 + m theta) as all terms but
// m theta vanish. (Derived. s eps/2 comes from E X^2 = v + eps^2.) Use the terms for s E Q~ below 1.
// Beyond, they are large and cancel.
type Laplace struct {
	Theta       float64
	Left, Right float64
	Transform   float64 // E e^(-theta Z)
	Limit       float64 // 1/(1 + m theta)
	Error       float64 // Transform - Limit, without cancellation
	Numerator   Numerator
	Denominator Denominator
}

// Numerator is 1 + First + Rest.
type Numerator struct {
	First float64 // -s ( E[U Q^+]/E U - E[U^2]/(2 E U) ) = s (1/2 - E Q~)
	Rest  float64
}

// Value returns the sum of the terms.
func (n Numerator) Value() float64 { return 1 + n.First + n.Rest }

// Denominator is 1 + Mean + Drift + Third + Rest.
type Denominator struct {
	Mean  float64 // m_N theta
	Drift float64 // s eps/2
	Third float64 // -s^2 E X^3/(6 eps)
	Rest  float64
}

// Value returns the sum of the terms.
func (d Denominator) Value() float64 { return 1 + d.Mean + d.Drift + d.Third + d.Rest }

// NewLaplace returns both sides of the identity and their terms under the law t of the total with
// boundary law b, as [law.New] makes it from c and b.
//
// Left and Right are computed independently. Left is the sum over P(Q = n), n >= 0, times a sum over
// the law of one slot; Right is a sum over b. They agree for an exact b. An estimated b makes P(Q = n)
// nonzero for n < 0, and the sides differ by this noise. Each term is computed on its own scale,
// without cancellation. NewLaplace fails with [*jsqlib.Invalid] when t does not belong to c and b or
// E e^(-s X) overflows, and as [law.Total.Laplace] does.
func NewLaplace(c jsqlib.Constants, t *law.Total, b law.Boundary, theta float64) (Laplace, error) {
	if err := checkLaw(c, t, b); err != nil {
		return Laplace{}, err
	}
	gap, err := t.LaplaceError(theta)
	if err != nil {
		return Laplace{}, err
	}
	s := theta * c.Gap
	l := Laplace{Theta: theta, Limit: 1 / (1 + c.LimitMean*theta), Error: gap}
	if l.Transform, err = t.Laplace(theta); err != nil {
		return Laplace{}, err
	}
	walk, err := num.NewWalk(c.Arrivals, c.Service, c.Gap)
	if err != nil {
		return Laplace{}, err
	}
	// 1 - E e^(-sX) by one server's Y = a_j - s_j: E e^(-sY) - 1 = s e + s^2 E[ Y^2 (e^x - 1 - x)/x^2
	// ], x = -sY, is a sum of positive terms
	slot := -math.Expm1(float64(c.N) * math.Log1p(s*(c.Gap+s*walk.Mean(2, -s, num.Tail2))))
	if math.IsInf(slot, 0) {
		return Laplace{}, jsqlib.Refuse("bound", "theta", theta, "a theta for which E e^(-theta c X) does not overflow")
	}
	l.Left = slot * t.Tilted(-1/theta, 0, 0, math.Inf(1))
	mass, sum, second := 0.0, 0.0, 0.0
	for i, p := range b.P {
		x := s * float64(b.Min+i)
		mass += p
		sum += p * math.Exp(-x)
		second += p * x * x * num.Tail2(-x)
	}
	l.Right = -c.Eps * math.Expm1(s) * sum / mass
	l.Denominator = denominator(c, walk, s)
	l.Numerator = numerator(t.BoundaryMean(), second/mass, s)
	return l, nil
}

// numerator returns the terms of E e^(-s Q~) (e^s - 1)/s, where E e^(-s Q~) = 1 - s mean + second.
func numerator(mean, second, s float64) Numerator {
	step := s * s * num.Tail3(s) // (e^s - 1)/s = 1 + s/2 + step
	return Numerator{
		First: s * (0.5 - mean),
		Rest:  second + (s/2)*(second-s*mean) + step*(1-s*mean+second),
	}
}

// denominator returns the terms of (1 - E e^(-sX))/(-s eps). With w = E e^(-sY) - 1 for one server's
// walk Y = a_j - s_j, X being the sum of N copies, and k = N log(1+w),
//
//	1 - E e^(-sX) = -N w + N (w - log(1+w)) - (e^k - 1 - k).
func denominator(c jsqlib.Constants, walk *num.Walk, s float64) Denominator {
	n := float64(c.N)
	second, third := walk.Second, walk.Third
	fourth := walk.Mean(4, -s, num.Tail4) // E Y^4 (e^x - 1 - x - x^2/2 - x^3/6)/x^4 at x = -sY
	// w = s e + s^2 E Y^2/2 - s^3 E Y^3/6 + s^4 fourth, as E Y = -e
	wOverS := c.Gap + s*second/2 - s*s*third/6 + s*s*s*fourth
	w := s * wOverS
	l := num.LogTail2(w)
	kOverS := n * wOverS * (1 - w*l)
	k := s * kOverS
	// D = N w/(s eps) - N w^2 l/(s eps) + k^2 num.Tail2(k)/(s eps)
	d := Denominator{
		Mean:  c.MeanN * s / c.Gap,
		Drift: s * c.Eps / 2,
	}
	e := c.Gap
	x3 := n*walk.ThirdCumulant() - 3*c.Eps*c.V - c.Eps*c.Eps*c.Eps // E X^3
	d.Third = -s * (s / c.Eps) * x3 / 6
	// N w/(s eps) = 1 + m_N theta + s e/2 - s^2 N E Y^3/(6 eps) + s^3 N fourth/eps; what the sum of the
	// four terms leaves is of higher order
	rest := s*e/2 - s*(s/e)*third/6 + s*s*(s/e)*fourth
	rest += -wOverS/e*w*l + kOverS/c.Eps*k*num.Tail2(k)
	d.Rest = rest - d.Drift - d.Third
	return d
}
