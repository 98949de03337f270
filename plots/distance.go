package plots

import (
	"fmt"
	"jsqlab/plots/chart"
	"jsqlab/plots/internal/input"
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

// DistanceVsN draws the Wasserstein distance W1 between the scaled total N^(-alpha) Q and its limit against N, on
// logarithmic axes, one series for each alpha, with reference slopes. W1 may be of any size above 0.
func DistanceVsN(rates []Rate, o DistanceOptions) (*Figure, error) {
	if len(rates) == 0 {
		return nil, input.Refuse("len(rates)", 0, "at least one rate")
	}
	slopes := o.Slopes
	if slopes == nil {
		slopes = []float64{2, 3, 4}
	}
	for i, k := range slopes {
		if !input.IsFinite(k) {
			return nil, input.Refuse(fmt.Sprintf("Slopes[%d]", i), k, "a finite number")
		}
	}
	ch := Chart{Title: o.Title, Note: o.Note, X: Axis{Label: "servers $N$", Log: true}, Y: Axis{Label: o.YLabel, Log: true}}
	if o.YLabel == "" {
		ch.Y.Label = `$W_1(N^{-\alpha} Q$, limit$)$`
	}
	certified := false
	for i, r := range rates {
		if !input.IsFinite(r.Alpha) {
			return nil, input.Refuse(fmt.Sprintf("rates[%d].Alpha", i), r.Alpha, "a finite number")
		}
		n, err := input.Servers(fmt.Sprintf("rates[%d].N", i), r.N)
		if err != nil {
			return nil, err
		}
		if err := input.Rising(fmt.Sprintf("rates[%d].N", i), n); err != nil {
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
		if err := input.Len(fmt.Sprintf("rates[%d].W1", i), len(r.W1), len(n), "N"); err != nil {
			return nil, err
		}
		for j, k := range slopes {
			ch.Slopes = append(ch.Slopes, chart.Slope{X: n[0], Y: r.W1[0], Slope: k - r.Alpha, Group: i + 1, Dashes: j})
		}
	}
	if certified {
		ch.Keys = append(ch.Keys, chart.Key{Name: "certificate", Band: true})
	}
	for j, k := range slopes {
		ch.Keys = append(ch.Keys, chart.Key{Name: fmt.Sprintf(`slope $%g - \alpha$`, k), Dashes: j})
	}
	return chart.Lines(ch)
}
