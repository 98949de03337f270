package plots

import "slices"

// Moments is a moment against N, with an interval for each value or none.
type Moments struct {
	N         []int
	Value     []float64
	Low, High []float64
}

// RoutingContrast draws the second moment E||q_perp||^2 of the distance from equal queues against N, on logarithmic axes, for routing
// by the batch and by the job, with the lines N^3/12 and 2N/3 that the reference system (Binomial(2, 1/2) arrivals and service) is
// measured to approach.
func RoutingContrast(batch, job Moments, o Options) (*Figure, error) {
	f, err := newFigure(o)
	if err != nil {
		return nil, err
	}
	ch := Chart{
		X: Axis{Label: "servers $N$", Log: true},
		Y: Axis{Label: `$E‖q_\perp‖^2$ (jobs$^2$)`, Log: true},
	}
	for _, r := range []struct {
		name, ref string
		m         Moments
		limit     func(n float64) float64
	}{
		{"batch", "$N^3/12$", batch, func(n float64) float64 { return n * n * n / 12 }},
		{"job", "$2N/3$", job, func(n float64) float64 { return 2 * n / 3 }},
	} {
		n, err := floats(r.name+".N", r.m.N)
		if err != nil {
			return nil, err
		}
		if err := checkRising(r.name+".N", n); err != nil {
			return nil, err
		}
		ends := slices.Concat(batch.N, job.N)
		if len(ends) == 0 {
			return nil, inputError("len(N)", 0, "at least one value")
		}
		lo, hi := float64(slices.Min(ends)), float64(slices.Max(ends))
		ch.Series = append(ch.Series,
			Series{Name: r.ref, X: []float64{lo, hi}, Y: []float64{r.limit(lo), r.limit(hi)}, Mark: Theory, Direct: true},
			Series{Name: r.name + " routing", X: n, Y: r.m.Value, Low: r.m.Low, High: r.m.High},
		)
	}
	if err := f.addChart(ch, 1); err != nil {
		return nil, err
	}
	return f, nil
}
