package plots

import (
	"math"

	"jsqlab/plots/chart"
	"jsqlab/plots/internal/input"
)

// AlphaMapOptions are the options of [AlphaMap].
type AlphaMapOptions struct {
	Title, Note string
	Down        []Ref     // marked values of alpha, such as those of theorems
	Contours    []float64 // values of W1; nil: powers of ten, about six of them
}

// AlphaMap draws W1 of the scaled total to its limit, in colours by log10 W1, over alpha (across) and N (up, logarithmic):
// w1[i][j] belongs to servers[i] and alpha[j].
func AlphaMap(alpha []float64, servers []int, w1 [][]float64, o AlphaMapOptions) (*Figure, error) {
	n, err := input.Servers("servers", servers)
	if err != nil {
		return nil, err
	}
	m := Map{
		Title: o.Title, Note: o.Note,
		X:  Axis{Label: `$\alpha$`},
		Y:  Axis{Label: "servers $N$", Log: true},
		Z:  Axis{Label: "$W_1$", Log: true},
		Xs: alpha, Ys: n, Values: w1, Contours: o.Contours, Down: o.Down,
	}
	if m.Contours == nil {
		m.Contours = decades(w1, 6)
	}
	return chart.Heatmap(m)
}

// decades returns about count powers of ten within the values.
func decades(values [][]float64, count int) []float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, row := range values {
		for _, v := range row {
			if v > 0 && input.IsFinite(v) {
				lo, hi = math.Min(lo, math.Log10(v)), math.Max(hi, math.Log10(v))
			}
		}
	}
	stride := math.Max(1, math.Round((hi-lo)/float64(count)))
	out := []float64{}
	for k := math.Ceil(lo / stride); k*stride < hi; k++ {
		out = append(out, math.Pow(10, k*stride))
	}
	return out
}
