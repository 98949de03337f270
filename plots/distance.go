package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Rate is W1 against N for one alpha.
type Rate struct {
	Alpha float64
	N     []int
	W1    []float64
	// Low and High are the ends of the interval of each W1 (error bars), CertificateLow and CertificateHigh those of the two-sided
	// certificate (a band); both of a pair or none.
	Low, High                       []float64
	CertificateLow, CertificateHigh []float64
	Name                            string // empty: "alpha = ..."
}

// DistanceOptions are the options of [DistanceVsN].
type DistanceOptions struct {
	Title, Note string
	YLabel      string // empty: "W1(N^(-alpha) Q, limit)"
	// Slopes are the numbers k of the reference lines of slope k - alpha through the first point of each series; nil: 2, 3, 4, which are
	// the measured rate with batch routing, the rate of the bound derived by Hölder's inequality, and that of arXiv:2004.04826v3;
	// empty: none.
	Slopes []float64
}

// slopeDashes tell the reference lines apart in order of Slopes.
var slopeDashes = [][]vg.Length{{5, 2}, {2.5, 2}, {1, 1.6}, {7, 2, 1, 2}}

// DistanceVsN draws the Wasserstein distance W1 between the scaled total N^(-alpha) Q and its limit against N, on
// logarithmic axes, one series for each alpha, with reference slopes. W1 may be of any size above 0.
func DistanceVsN(rates []Rate, o DistanceOptions) (*Figure, error) {
	f, err := newFigure(Options{o.Title, o.Note})
	if err != nil {
		return nil, err
	}
	if len(rates) == 0 {
		return nil, inputError("len(rates)", 0, "at least one rate")
	}
	slopes := o.Slopes
	if slopes == nil {
		slopes = []float64{2, 3, 4}
	}
	for i, k := range slopes {
		if !isFinite(k) {
			return nil, inputError(fmt.Sprintf("Slopes[%d]", i), k, "a finite number")
		}
	}
	ch := Chart{X: Axis{Label: "servers $N$", Log: true}, Y: Axis{Label: o.YLabel, Log: true}}
	if o.YLabel == "" {
		ch.Y.Label = `$W_1(N^{-\alpha} Q$, limit$)$`
	}
	certified := false
	for i, r := range rates {
		if !isFinite(r.Alpha) {
			return nil, inputError(fmt.Sprintf("rates[%d].Alpha", i), r.Alpha, "a finite number")
		}
		n, err := floats(fmt.Sprintf("rates[%d].N", i), r.N)
		if err != nil {
			return nil, err
		}
		if err := checkRising(fmt.Sprintf("rates[%d].N", i), n); err != nil {
			return nil, err
		}
		name := r.Name
		if name == "" {
			name = fmt.Sprintf(`$\alpha = %g$`, r.Alpha)
		}
		if r.CertificateLow != nil || r.CertificateHigh != nil {
			certified = true
			ch.Series = append(ch.Series, Series{
				X: n, Y: r.W1, Low: r.CertificateLow, High: r.CertificateHigh, Band: true, Mark: Joined, Group: i + 1,
			})
		}
		ch.Series = append(ch.Series, Series{Name: name, X: n, Y: r.W1, Low: r.Low, High: r.High, Mark: Joined, Group: i + 1})
	}
	if err := f.addChart(ch, 1); err != nil {
		return nil, err
	}
	p := f.panels[0].plot
	for i, r := range rates {
		for j, k := range slopes {
			p.Add(guide{
				sloped: true, x: math.Log10(float64(r.N[0])), at: math.Log10(r.W1[0]), slope: k - r.Alpha,
				style: draw.LineStyle{Color: fade(seriesLook(i).color, 0.75), Width: 0.8, Dashes: slopeDashes[j%len(slopeDashes)]},
			})
		}
	}
	if certified {
		f.legend = append(f.legend, legendEntry{"certificate", func(c draw.Canvas) {
			mid := c.Center().Y
			c.FillPolygon(fade(refColor, 0.25), []vg.Point{
				{X: c.Min.X, Y: mid - 4}, {X: c.Max.X, Y: mid - 4}, {X: c.Max.X, Y: mid + 4}, {X: c.Min.X, Y: mid + 4}})
		}})
	}
	for j, k := range slopes {
		style := draw.LineStyle{Color: refColor, Width: 0.8, Dashes: slopeDashes[j%len(slopeDashes)]}
		f.legend = append(f.legend, legendEntry{fmt.Sprintf(`slope $%g - \alpha$`, k), func(c draw.Canvas) {
			c.StrokeLine2(style, c.Min.X, c.Center().Y, c.Max.X, c.Center().Y)
		}})
	}
	return f, nil
}
