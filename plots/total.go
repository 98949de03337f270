package plots

import (
	"fmt"
	"jsqlab/jsqlib/limit"
	"jsqlab/plots/chart"
	"jsqlab/plots/internal/input"
	"math"
)

// Limit is a limit law with its name for the legend.
type Limit struct {
	Name string
	limit.Law
}

// Exp returns the exponential law of mean m, the limit of Z = N^(-alpha) Q: density exp(-x/m)/m.
func Exp(m float64) Limit {
	return Limit{fmt.Sprintf(`limit $\Exp(%g)$`, m), limit.Exponential{Mean: m}}
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
	if len(laws) == 0 {
		return nil, input.Refuse("len(laws)", 0, "at least one law")
	}
	if limit.Law == nil {
		return nil, input.Refuse("Limit.Law", "nil", "a law")
	}
	tail := 0.005
	if o.Survival {
		tail = 1e-6
	}
	xmax, err := rightEnd(o.XMax, limit, tail)
	if err != nil {
		return nil, err
	}
	ch := Chart{Title: o.Title, Note: o.Note, X: Axis{Label: o.XLabel, Range: [2]float64{0, xmax}}}
	if o.XLabel == "" {
		ch.X.Label = scaledTotal
	}
	ch.Y = Axis{Label: `$P(Z \le x)$`, Range: [2]float64{0, 1.02}}
	if o.Survival {
		ch.Y = Axis{Label: `$P(Z > x)$`, Log: true, Range: [2]float64{math.Max(limit.Survival(xmax), 1e-300) / 2, 1}}
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
				return nil, input.Refuse(fmt.Sprintf("laws[%d]", i), l.Name, "some mass above 0 for a survival function")
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
			lim.Y[i] = limit.Survival(x)
		}
		if y := lim.Y[i]; !(y >= 0 && y <= 1) {
			return nil, input.Refuse(fmt.Sprintf("limit law at %g", x), y, "a probability")
		}
	}
	ch.Series = append(ch.Series, lim)
	if o.Difference {
		diff.Across = []Ref{{At: 0}}
		return chart.Stack(ch, diff, 0.62)
	}
	return chart.Lines(ch)
}

// rightEnd is the right end of the axis: what is asked for, or the quantile of the limit law.
func rightEnd(xmax float64, limit Limit, tail float64) (float64, error) {
	if xmax == 0 {
		if xmax = limit.Quantile(1 - tail); !(xmax > 1e-99 && xmax < 1e99) {
			return 0, input.Refuse("limit law", limit.Name, "a law on x >= 0, with a finite and positive scale")
		}
	}
	if !(xmax > 0) || !input.IsFinite(xmax) {
		return 0, input.Refuse("XMax", xmax, "more than 0")
	}
	return xmax, nil
}

// check refuses what is no distribution function on x >= 0.
func (l Law) check(i int) error {
	what := func(field string) string { return fmt.Sprintf("laws[%d].%s", i, field) }
	if err := input.Finite(what("X"), l.X); err != nil {
		return err
	}
	if err := input.Rising(what("X"), l.X); err != nil {
		return err
	}
	if l.X[0] < 0 {
		return input.Refuse(what("X[0]"), l.X[0], "0 or more")
	}
	v, field, sign := l.CDF, "CDF", 1.0
	if l.Survival != nil {
		v, field, sign = l.Survival, "Survival", -1
	}
	if err := input.Len(what(field), len(v), len(l.X), "X"); err != nil {
		return err
	}
	const slack = 1e-9 // of sums of many probabilities
	for k, p := range v {
		if !(p >= -slack && p <= 1+slack) {
			return input.Refuse(fmt.Sprintf("%s[%d]", what(field), k), p, "a probability")
		}
		if k > 0 && sign*(p-v[k-1]) < -slack {
			return input.Refuse(fmt.Sprintf("%s[%d]", what(field), k), p, fmt.Sprintf("a monotone function: it was %g before", v[k-1]))
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
