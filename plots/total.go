package plots

import (
	"fmt"
	"math"
)

// Limit is a limit law by its functions on x >= 0.
type Limit struct {
	Name     string                  // for the legend
	CDF      func(x float64) float64 // P(limit <= x)
	Survival func(x float64) float64 // P(limit > x); nil: 1 - CDF
	Density  func(x float64) float64 // used by TotalHistogram alone
}

// Exp returns the exponential law of mean m, the limit of Z = N^(-alpha) Q: density exp(-x/m)/m.
func Exp(m float64) Limit {
	return Limit{
		Name:     fmt.Sprintf(`limit $\Exp(%g)$`, m),
		CDF:      func(x float64) float64 { return -math.Expm1(-x / m) },
		Survival: func(x float64) float64 { return math.Exp(-x / m) },
		Density:  func(x float64) float64 { return math.Exp(-x/m) / m },
	}
}

// survival returns P(limit > x).
func (l Limit) survival(x float64) float64 {
	if l.Survival != nil {
		return l.Survival(x)
	}
	return 1 - l.CDF(x)
}

// quantile returns an x with P(limit > x) = tail.
func (l Limit) quantile(tail float64) (float64, error) {
	hi := 1.0
	for l.survival(hi) > tail {
		if hi *= 2; hi > 1e100 {
			break
		}
	}
	lo := 0.0
	for range 100 {
		mid := (lo + hi) / 2
		if l.survival(mid) > tail {
			lo = mid
		} else {
			hi = mid
		}
	}
	if s := l.survival(hi); !isFinite(hi) || hi > 1e99 || hi < 1e-99 || !(s >= 0 && s <= 1) {
		return 0, inputError("limit law", l.Name, "a distribution function on x >= 0, with a finite and positive scale")
	}
	return hi, nil
}

// Law is a distribution function in its points of increase.
type Law struct {
	Name string
	X    []float64 // strictly increasing; for the law of Z: n N^(-alpha), n = 0, 1, ...
	CDF  []float64 // P(Z <= X[i]), kept from X[i] to X[i+1]
	// Survival is P(Z > X[i]). Give it in place of CDF where the far tail matters: 1 - CDF has lost it below 1e-16.
	Survival []float64
	// Thinned says that X are only some of the points of increase: they are joined by straight lines and not by steps.
	Thinned bool
}

// CDFOptions are the options of [TotalCDF].
type CDFOptions struct {
	Title, Note string
	XLabel      string  // empty: "scaled total Z = N^(-alpha) Q"; another one says what Z is
	XMax        float64 // right end; 0: where the limit law has 0.5 % left, or with Survival 1e-6
	Survival    bool    // P(Z > x) on a logarithmic axis in place of P(Z <= x)
	Difference  bool    // a second panel with P(Z <= x) - P(limit <= x); the area between it and 0 is W1
}

const scaledTotal = `scaled total $Z = N^{-\alpha} Q$`

// TotalCDF draws the distribution function of the scaled total Z = N^(-alpha) Q for one or several systems
// against that of the limit law.
func TotalCDF(laws []Law, limit Limit, o CDFOptions) (*Figure, error) {
	f, err := newFigure(Options{o.Title, o.Note})
	if err != nil {
		return nil, err
	}
	if len(laws) == 0 {
		return nil, inputError("len(laws)", 0, "at least one law")
	}
	if limit.CDF == nil {
		return nil, inputError("Limit.CDF", "nil", "a function")
	}
	tail := 0.005
	if o.Survival {
		tail = 1e-6
	}
	xmax, err := rightEnd(o.XMax, limit, tail)
	if err != nil {
		return nil, err
	}
	ch := Chart{X: Axis{Label: o.XLabel, Range: [2]float64{0, xmax}}}
	if o.XLabel == "" {
		ch.X.Label = scaledTotal
	}
	ch.Y = Axis{Label: `$P(Z \le x)$`, Range: [2]float64{0, 1.02}}
	if o.Survival {
		ch.Y = Axis{Label: `$P(Z > x)$`, Log: true, Range: [2]float64{math.Max(limit.survival(xmax), 1e-300) / 2, 1}}
	}
	grid := make([]float64, 401)
	for i := range grid {
		grid[i] = xmax * float64(i) / float64(len(grid)-1)
	}
	diff := Chart{X: ch.X, Y: Axis{Label: "difference to limit"}}
	for i, l := range laws {
		if err := l.check(i); err != nil {
			return nil, err
		}
		x, cdf, sf := l.within(xmax)
		s := Series{Name: l.Name, X: x, Y: cdf, Mark: Steps, Group: i + 1}
		if l.Thinned {
			s.Mark = Curve
		}
		if o.Survival {
			for len(sf) > 1 && sf[len(sf)-1] <= 0 {
				sf = sf[:len(sf)-1]
			}
			if sf[0] <= 0 {
				return nil, inputError(fmt.Sprintf("laws[%d]", i), l.Name, "some mass above 0 for a survival function")
			}
			s.X, s.Y = x[:len(sf)], sf
		}
		ch.Series = append(ch.Series, s)
		if o.Difference {
			d := Series{Mark: Curve, Group: i + 1}
			if l.Thinned {
				d.X = x
				for k := range x {
					d.Y = append(d.Y, cdf[k]-limit.CDF(x[k]))
				}
			} else {
				d.X, d.Y = difference(x, cdf, grid, limit)
			}
			diff.Series = append(diff.Series, d)
		}
	}
	lim := Series{Name: limit.Name, X: grid, Y: make([]float64, len(grid)), Mark: Theory}
	for i, x := range grid {
		lim.Y[i] = limit.CDF(x)
		if o.Survival {
			lim.Y[i] = limit.survival(x)
		}
		if y := lim.Y[i]; !(y >= 0 && y <= 1) {
			return nil, inputError(fmt.Sprintf("limit law at %g", x), y, "a probability")
		}
	}
	ch.Series = append(ch.Series, lim)
	if o.Difference {
		ch.X.Label = ""
		diff.Across = []Ref{{At: 0}}
		err = f.addStack(ch, diff, 0.62)
	} else {
		err = f.addChart(ch, 1)
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// rightEnd is the right end of the axis: what is asked for, or the quantile of the limit law.
func rightEnd(xmax float64, limit Limit, tail float64) (float64, error) {
	if xmax == 0 {
		return limit.quantile(tail)
	}
	if !(xmax > 0) || !isFinite(xmax) {
		return 0, inputError("XMax", xmax, "more than 0")
	}
	return xmax, nil
}

// check refuses what is no distribution function on x >= 0.
func (l Law) check(i int) error {
	what := func(field string) string { return fmt.Sprintf("laws[%d].%s", i, field) }
	if err := checkFinite(what("X"), l.X); err != nil {
		return err
	}
	if err := checkRising(what("X"), l.X); err != nil {
		return err
	}
	if l.X[0] < 0 {
		return inputError(what("X[0]"), l.X[0], "0 or more")
	}
	v, field, sign := l.CDF, "CDF", 1.0
	if l.Survival != nil {
		v, field, sign = l.Survival, "Survival", -1
	}
	if err := checkLen(what(field), len(v), len(l.X), "X"); err != nil {
		return err
	}
	const slack = 1e-9 // of sums of many probabilities
	for k, p := range v {
		if !(p >= -slack && p <= 1+slack) {
			return inputError(fmt.Sprintf("%s[%d]", what(field), k), p, "a probability")
		}
		if k > 0 && sign*(p-v[k-1]) < -slack {
			return inputError(fmt.Sprintf("%s[%d]", what(field), k), p, fmt.Sprintf("a monotone function: it was %g before", v[k-1]))
		}
	}
	return nil
}

// within returns the law from 0 to xmax: as steps its points there, with one at 0 and one at xmax; thinned its points as
// far as the first one beyond xmax.
func (l Law) within(xmax float64) (x, cdf, survival []float64) {
	c, s := 0.0, 1.0
	add := func(at float64) { x, cdf, survival = append(x, at), append(cdf, c), append(survival, s) }
	if !l.Thinned && l.X[0] > 0 {
		add(0)
	}
	for i, at := range l.X {
		if at > xmax && !l.Thinned {
			break
		}
		if l.Survival != nil {
			c, s = 1-l.Survival[i], l.Survival[i]
		} else {
			c, s = l.CDF[i], 1-l.CDF[i]
		}
		add(at)
		if at > xmax {
			break
		}
	}
	if !l.Thinned && x[len(x)-1] < xmax {
		add(xmax)
	}
	return x, cdf, survival
}

// difference returns F - G on both sides of each step of F and on the grid.
func difference(x, cdf, grid []float64, limit Limit) (dx, dy []float64) {
	add := func(at, f float64) {
		dx, dy = append(dx, at), append(dy, f-limit.CDF(at))
	}
	k := 0
	for i, at := range x {
		for ; k < len(grid) && grid[k] < at; k++ {
			if i > 0 && grid[k] > x[i-1] {
				add(grid[k], cdf[i-1])
			}
		}
		if i > 0 {
			add(at, cdf[i-1])
		}
		add(at, cdf[i])
	}
	return dx, dy
}

// Sample is a weighted sample: values of Z, or the points of a law with their probabilities.
type Sample struct {
	Name   string
	X      []float64
	Weight []float64 // nil: equal weights; of any sum
}

// HistogramOptions are the options of [TotalHistogram].
type HistogramOptions struct {
	Title, Note string
	XLabel      string  // empty: "scaled total Z = N^(-alpha) Q"; another one says what Z is
	XMax        float64 // right end; 0: where the limit law has 0.5 % left
	// BinWidth is the width of the bins, the first of which starts at 0; 0: XMax/40. For a law on the multiples of N^(-alpha), a whole
	// multiple of N^(-alpha) gives every bin the same number of points.
	BinWidth float64
}

// TotalHistogram draws the histogram density of the scaled total Z = N^(-alpha) Q against the density of the limit law. The
// density is of the whole sample, with what lies beyond XMax.
func TotalHistogram(samples []Sample, limit Limit, o HistogramOptions) (*Figure, error) {
	f, err := newFigure(Options{o.Title, o.Note})
	if err != nil {
		return nil, err
	}
	if len(samples) == 0 {
		return nil, inputError("len(samples)", 0, "at least one sample")
	}
	if limit.CDF == nil || limit.Density == nil {
		return nil, inputError("Limit.CDF or Limit.Density", "nil", "functions")
	}
	xmax, err := rightEnd(o.XMax, limit, 0.005)
	if err != nil {
		return nil, err
	}
	width := o.BinWidth
	if width == 0 {
		width = xmax / 40
	}
	if !(width > 0 && width <= xmax && xmax/width <= 10000) {
		return nil, inputError("BinWidth", width, fmt.Sprintf("more than XMax/10000 and at most XMax = %g", xmax))
	}
	ch := Chart{X: Axis{Label: o.XLabel, Range: [2]float64{0, xmax}}, Y: Axis{Label: "density"}}
	if o.XLabel == "" {
		ch.X.Label = scaledTotal
	}
	for i, s := range samples {
		edges, density, err := s.histogram(i, width, xmax)
		if err != nil {
			return nil, err
		}
		ser := Series{Name: s.Name, X: edges, Y: density, Mark: Steps, Group: i + 1}
		if len(samples) == 1 { // one histogram is filled
			ser.Low, ser.High, ser.Band = make([]float64, len(edges)), density, true
		}
		ch.Series = append(ch.Series, ser)
	}
	lim := Series{Name: limit.Name, Mark: Theory}
	for i := 0; i <= 400; i++ {
		x := xmax * float64(i) / 400
		lim.X, lim.Y = append(lim.X, x), append(lim.Y, limit.Density(x))
	}
	ch.Series = append(ch.Series, lim)
	if err := f.addChart(ch, 1); err != nil {
		return nil, err
	}
	return f, nil
}

// histogram returns the left edges of the bins, ending with the right end, and the density on each.
func (s Sample) histogram(i int, width, xmax float64) (edges, density []float64, err error) {
	what := fmt.Sprintf("samples[%d]", i)
	if err := checkFinite(what+".X", s.X); err != nil {
		return nil, nil, err
	}
	if s.Weight != nil {
		if err := checkLen(what+".Weight", len(s.Weight), len(s.X), "X"); err != nil {
			return nil, nil, err
		}
	}
	bins := int(math.Ceil(xmax/width - 1e-9))
	mass := make([]float64, bins)
	sum := 0.0
	for k, x := range s.X {
		w := 1.0
		if s.Weight != nil {
			w = s.Weight[k]
		}
		if !(w >= 0) || !isFinite(w) {
			return nil, nil, inputError(fmt.Sprintf("%s.Weight[%d]", what, k), w, "0 or more")
		}
		if x < 0 {
			return nil, nil, inputError(fmt.Sprintf("%s.X[%d]", what, k), x, "0 or more")
		}
		sum += w
		if b := x/width + 1e-9; b < float64(bins) { // a multiple of width opens its bin
			mass[int(b)] += w
		}
	}
	if !(sum > 0) || !isFinite(sum) {
		return nil, nil, inputError("sum of "+what+".Weight", sum, "more than 0")
	}
	for b, m := range mass {
		edges = append(edges, float64(b)*width)
		density = append(density, m/sum/width)
	}
	edges = append(edges, float64(bins)*width)
	density = append(density, density[bins-1])
	return edges, density, nil
}
