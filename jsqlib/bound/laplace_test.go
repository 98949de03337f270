package bound

import (
	"math"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/near"
	"jsqlab/jsqlib/internal/num"
	"jsqlab/jsqlib/law"
)

func TestLaplaceExact(t *testing.T) {
	for _, truth := range exactLaws(t) {
		c := truth.c
		total, err := law.New(c, truth.boundary)
		if err != nil {
			t.Fatal(err)
		}
		for _, theta := range []float64{0, 1e-6, 0.1, 1, 3, 10} {
			l, err := NewLaplace(c, total, truth.boundary, theta)
			if err != nil {
				t.Fatal(err)
			}
			near.Rel(t, "left side", l.Left, l.Right, 1e-9)
			if theta == 0 {
				if l.Transform != 1 || l.Error != 0 || l.Numerator.Value() != 1 || l.Denominator.Value() != 1 {
					t.Errorf("at theta = 0: %+v", l)
				}
				continue
			}
			s := theta * c.Gap
			// 1 - E e^(-sX) from the moment generating functions
			ma, ms := 0.0, 0.0
			for k, p := range c.Arrivals {
				ma += p * math.Exp(-s*float64(k))
			}
			for k, p := range c.Service {
				ms += p * math.Exp(s*float64(k))
			}
			slot := 1 - math.Pow(ma*ms, float64(c.N))
			near.Rel(t, "1 - E e^(-sX)", l.Left/l.Transform, slot, 1e-9+1e-15/math.Abs(slot))
			near.Rel(t, "denominator", l.Denominator.Value(), l.Left/l.Transform/(-s*c.Eps), 1e-9)
			near.Rel(t, "numerator", l.Numerator.Value(), l.Right/(-s*c.Eps), 1e-9)
			near.Rel(t, "transform", l.Numerator.Value()/l.Denominator.Value(), l.Transform, 1e-9)
			near.Rel(t, "limit", l.Limit, 1/(1+c.LimitMean*theta), 1e-15)
			near.Rel(t, "error", l.Error, l.Transform-l.Limit, 1e-10+1e-15/math.Abs(l.Error))
			near.Rel(t, "first term of the numerator", l.Numerator.First, -s*(truth.mean-truth.second/2), 1e-8)
		}
	}
}

// Moments of X for the terms of the denominator, by definition.
func TestLaplaceDenominator(t *testing.T) {
	s := jsqlib.Model{Servers: 3, Gap: 0.05, Arrivals: jsqlib.PMF{0.4, 0.3, 0.2, 0.1}}
	c := mustConstants(t, s)
	reversed := make(jsqlib.PMF, c.SMax+1)
	for k, p := range c.Service {
		reversed[c.SMax-k] = p
	}
	walk, err := num.NewWalk(c.Arrivals, c.Service, c.Gap)
	if err != nil {
		t.Fatal(err)
	}
	var x2, x3, x4 float64
	for k, p := range c.Arrivals.Convolve(reversed).Power(c.N) {
		x := float64(k - c.N*c.SMax)
		x2 += p * x * x
		x3 += p * x * x * x
		x4 += p * x * x * x * x
	}
	for _, theta := range []float64{1e-4, 0.01, 0.5} {
		u := theta * c.Gap
		d := denominator(c, walk, u)
		near.Rel(t, "mean and drift terms", d.Mean+d.Drift, u*x2/(2*c.Eps), 1e-13)
		near.Rel(t, "third-moment term", d.Third, -u*u*x3/(6*c.Eps), 1e-11)
		// the rest begins with u^3 E X^4/(24 eps)
		near.Rel(t, "rest", d.Rest, u*u*u*x4/(24*c.Eps), 10*u+1e-4)
	}
}

// The terms keep their digits at any gap: relative to c they tend to constants.
func TestLaplaceAtSmallGaps(t *testing.T) {
	_, _, b := estimated(t, jsqlib.Model{Servers: 8, Alpha: 6}, 0.05)
	var first [2]float64
	for i, gap := range []float64{1e-12, 1e-60} {
		c := mustConstants(t, jsqlib.Model{Servers: 8, Gap: gap})
		total, err := law.New(c, b)
		if err != nil {
			t.Fatal(err)
		}
		l, err := NewLaplace(c, total, b, 2)
		if err != nil {
			t.Fatal(err)
		}
		near.Rel(t, "left side", l.Left, l.Right, 1e-9)
		near.Rel(t, "drift term", l.Denominator.Drift/gap, 2*c.Eps/2, 1e-13)
		// (1 + x)/(1 + m theta + y) - 1/(1 + m theta) to first order in x and y
		x := l.Numerator.First + l.Numerator.Rest
		y := l.Denominator.Drift + l.Denominator.Third + l.Denominator.Rest + 2*c.MeanShift
		near.Rel(t, "error", l.Error, x*l.Limit-y*l.Limit*l.Limit, 1e-9)
		first[i] = l.Error / gap
	}
	near.Rel(t, "error over c", first[0], first[1], 1e-7)
}

func TestLaplaceErrors(t *testing.T) {
	c, d, b := estimated(t, jsqlib.Model{Servers: 3, Alpha: 3}, 0.2)
	_, err := NewLaplace(c, nil, b, 1)
	wantArgument(t, err, "t", "law.New(c, b)")
	_, err = NewLaplace(c, d.Total, b, 1e6)
	wantArgument(t, err, "theta", "overflow")
	for _, theta := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := NewLaplace(c, d.Total, b, theta); err == nil {
			t.Errorf("theta = %v: no error", theta)
		}
	}
}
