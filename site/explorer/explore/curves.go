package explore

import (
	"math"
	"sort"

	"jsqlab/jsqlib/law"
)

// points bounds the length of a curve.
const points = 400

// xy is a curve.
type xy struct {
	X []float64 `json:"x"`
	Y []float64 `json:"y"`
}

func (c *xy) add(x, y float64) {
	c.X = append(c.X, x)
	c.Y = append(c.Y, y)
}

// lawCurves is the law of Z = c Q on a range that holds all but some 0.002 of it.
type lawCurves struct {
	CDF        xy   `json:"cdf"`        // F(z), at lattice points z = c n
	Steps      bool `json:"steps"`      // the points are all of the lattice: F is constant from one to the next
	Density    xy   `json:"density"`    // P(Q in a cell of states)/(its length in z), at its middle
	Difference xy   `json:"difference"` // F(z) - G(z), G = Exp(m); W1 is the area between it and 0
}

// curves tabulates the law. F - G is not a difference of two numbers near each
// other: beyond the boundary region P(Q > n) = A exp(-n theta), so that with
// u = cn/m
//
//	F - G = -e^(-u) (exp(log A - n (theta - c/m)) - 1),
//
// and theta - c/m = (theta - c/m_N) - c (m_N - m)/(m_N m) is known by itself, the
// first part as law.Kernel.RateExcess.
func curves(t *law.Total, m, meanShift float64) lawCurves {
	k, c := t.Kernel(), t.Scale()
	held := t.Lattice()
	_, logA, theta := t.Tail()
	delta := k.RateExcess() - c*meanShift/(t.MeanN()*m)
	logS := func(n float64) float64 { // log P(Q > n)
		switch {
		case n < 0:
			return 0
		case n < float64(held.End()):
			return math.Log1p(-held.F(int(n)))
		}
		return logA - n*theta
	}
	cdf := func(n float64) float64 {
		if n >= 0 && n < float64(held.End()) {
			return held.F(int(n))
		}
		return -math.Expm1(logS(n))
	}
	// at n + x, 0 <= x <= 1
	difference := func(n, x float64) float64 {
		u := c * (n + x) / m
		if n < float64(held.End()) {
			return cdf(n) + math.Expm1(-u)
		}
		return -math.Exp(-u) * math.Expm1(logA-n*delta+x*c/m)
	}

	const enough = -6.2 // log of what may be left out
	last := math.Floor((logA - enough) / theta)
	if last < float64(held.End()) {
		last = float64(sort.Search(held.End(), func(n int) bool { return !(logS(float64(n)) > enough) }))
	}
	step := math.Ceil((last + 1) / points)
	out := lawCurves{Steps: step == 1}
	for i := 0.0; i*step <= last; i++ {
		n := i * step
		out.CDF.add(c*n, cdf(n))
		out.Density.add(c*(n+(step-1)/2), max(cdf(n+step-1)-cdf(n-1), 0)/(c*step))
		if step == 1 {
			parts := math.Ceil(8 * c / m) // G bends within the cell
			for j := 0.0; j <= parts; j++ {
				out.Difference.add(c*(n+j/parts), difference(n, j/parts))
			}
		} else {
			out.Difference.add(c*(n+0.5), difference(n, 0.5))
		}
	}
	return out
}
