package explore

import (
	"math"

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

// lawCurves is the law of Z = c Q on a range that holds all of it except a tail of about 0.002.
type lawCurves struct {
	CDF        xy   `json:"cdf"`        // F(z), at lattice points z = c n
	Steps      bool `json:"steps"`      // the points are all of the lattice: F is constant from one to the next
	Density    xy   `json:"density"`    // P(Q in a cell of states)/(its length in z), at its middle
	Difference xy   `json:"difference"` // F(z) - G(z), G = Exp(m); W1 is the area between it and 0
}

// curves tabulates the law.
func curves(t *law.Total) lawCurves {
	c, m, z := t.Scale(), t.LimitMean(), t.Law()
	cdf := func(n float64) float64 { return z.CDF(c * n) }
	last := math.Round(z.Quantile(-math.Expm1(-6.2)) / c)
	step := math.Ceil((last + 1) / points)
	out := lawCurves{Steps: step == 1}
	for i := 0.0; i*step <= last; i++ {
		n := i * step
		out.CDF.add(c*n, cdf(n))
		out.Density.add(c*(n+(step-1)/2), (cdf(n+step-1)-cdf(n-1))/(c*step))
		if step == 1 {
			parts := math.Ceil(8 * c / m) // G bends within the cell
			for j := 0.0; j <= parts; j++ {
				out.Difference.add(c*(n+j/parts), t.LimitDifference(n, j/parts))
			}
		} else {
			out.Difference.add(c*(n+0.5), t.LimitDifference(n, 0.5))
		}
	}
	return out
}
