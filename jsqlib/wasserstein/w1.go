package wasserstein

import (
	"cmp"
	"math"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/num"
)

// parallelThreshold is the number of points from which two samples are sorted at the same time.
const parallelThreshold = 10_000

// W1 returns the Wasserstein distance of order 1 between two weighted samples,
//
//	W1 = int |F(t) - G(t)| dt,
//
// in the unit of the points. W1(x, y) and W1(y, x) have the same bits. The cost is that of sorting, or
// linear for sorted samples. W1 fails with [*jsqlib.Invalid] for a malformed [Sample], and for points
// whose distance overflows.
func W1(x, y Sample) (float64, error) {
	a, b, err := prepareBoth(x, y)
	if err != nil {
		return 0, err
	}
	var area float64
	switch {
	case a.levels != nil || b.levels != nil:
		area = w1Weighted(a, b)
	case len(a.x) == len(b.x):
		area = w1Paired(a.x, b.x)
	default:
		area = w1Equal(a.x, b.x)
	}
	if math.IsInf(area, 0) || math.IsNaN(area) {
		return 0, errOverflow()
	}
	return area, nil
}

// Wp returns the Wasserstein distance of order p, 1 <= p < Inf,
//
//	Wp = ( int_0^1 |F^(-1)(u) - G^(-1)(u)|^p du )^(1/p),
//
// between two weighted samples, in the unit of the points. On the line the quantile coupling is optimal
// for every p >= 1. Wp fails as [W1] does, and for a p out of range.
func Wp(p float64, x, y Sample) (float64, error) {
	if !(p >= 1) || math.IsInf(p, 1) {
		return 0, jsqlib.Refuse("wasserstein", "order p", p, "1 <= p < Inf")
	}
	a, b, err := prepareBoth(x, y)
	if err != nil {
		return 0, err
	}
	// Powers of |difference| / largest neither overflow nor vanish all together.
	largest := 0.
	couple(a, b, func(_, difference float64) { largest = math.Max(largest, difference) })
	if math.IsInf(largest, 0) {
		return 0, errOverflow()
	}
	if largest == 0 {
		return 0, nil
	}
	var sum num.Sum
	switch p {
	case 1:
		couple(a, b, func(mass, difference float64) { sum.Add(mass * (difference / largest)) })
	case 2:
		couple(a, b, func(mass, difference float64) {
			ratio := difference / largest
			sum.Add(mass * ratio * ratio)
		})
	default:
		couple(a, b, func(mass, difference float64) { sum.Add(mass * math.Pow(difference/largest, p)) })
	}
	return largest * math.Pow(sum.Value(), 1/p), nil
}

func errOverflow() error {
	return jsqlib.Refuse("wasserstein", "distance", "beyond float64", "points within float64 of each other")
}

// prepareBoth checks and sorts two samples, large ones at the same time.
func prepareBoth(x, y Sample) (a, b sample, err error) {
	prepareY := func() (err error) { b, err = prepare("y", y); return err }
	if len(x.Points) < parallelThreshold || len(y.Points) < parallelThreshold {
		if a, err = prepare("x", x); err == nil {
			err = prepareY()
		}
		return a, b, err
	}
	done := make(chan error, 1)
	go func() { done <- prepareY() }()
	a, err = prepare("x", x)
	errY := <-done
	return a, b, cmp.Or(err, errY)
}

// w1Paired is W1 for sorted samples of equal size and weights: the mean of |x_(i) - y_(i)|.
func w1Paired(x, y []float64) float64 {
	var sum num.Sum
	scale := 1 / float64(len(x))
	for i, v := range x {
		sum.Add(scale * math.Abs(v-y[i]))
	}
	return sum.Value()
}

// w1Equal is W1 for sorted samples with equal weights within each.
func w1Equal(x, y []float64) float64 {
	nx, ny := len(x), len(y)
	scale := 1 / (float64(nx) * float64(ny))
	var area num.Sum
	i, j := 0, 0
	diff := 0 // nx ny (F - G), an integer
	last := math.Min(x[0], y[0])
	for i < nx || j < ny {
		weight := math.Abs(float64(diff)) * scale
		var t float64
		if j == ny || (i < nx && x[i] <= y[j]) {
			t = x[i]
			i++
			diff += ny
		} else {
			t = y[j]
			j++
			diff -= nx
		}
		area.Add(weight * (t - last))
		last = t
	}
	return area.Value()
}

// w1Weighted is W1 for sorted samples.
func w1Weighted(a, b sample) float64 {
	nx, ny := len(a.x), len(b.x)
	var area num.Sum
	i, j := 0, 0
	f, g := 0., 0.
	last := math.Min(a.x[0], b.x[0])
	for i < nx || j < ny {
		weight := math.Abs(f - g)
		var t float64
		if j == ny || (i < nx && a.x[i] <= b.x[j]) {
			t = a.x[i]
			f = a.level(i)
			i++
		} else {
			t = b.x[j]
			g = b.level(j)
			j++
		}
		area.Add(weight * (t - last))
		last = t
	}
	return area.Value()
}

// couple calls f with the mass and |F^(-1) - G^(-1)| of each piece of the quantile coupling.
func couple(a, b sample, f func(mass, difference float64)) {
	last := 0.
	for i, j := 0, 0; i < len(a.x) && j < len(b.x); {
		p, q := a.level(i), b.level(j)
		level := math.Min(p, q)
		if level > last {
			f(level-last, math.Abs(a.x[i]-b.x[j]))
			last = level
		}
		if p <= level {
			i++
		}
		if q <= level {
			j++
		}
	}
}
