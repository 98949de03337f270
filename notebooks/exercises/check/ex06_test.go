package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestEx06Predict(t *testing.T) {
	at := func(floor, rate float64) func() error {
		return func() error { return Ex06Predict(func() (float64, float64) { return floor, rate }) }
	}
	answers{
		{"formula", at(0.00627, 0), ""}, {"one over root n", at(0.005, 0), ""},
		{"mean 1", at(0.0125, 0), "scales with the mean"}, {"1/n", at(0.0000627, 0), "not like 1/n"},
		{"zero", at(0, 0), "never negative"}, {"large", at(0.1, 0), "too large"}, {"half", at(0.00627, 0.5), "which of them changes"},
		{"not done", func() error { return Ex06Predict(func() (float64, float64) { panic(Stub) }) }, "not done"},
	}.run(t)
}

func TestEx06Distance(t *testing.T) {
	at := func(f func(x []float64, m float64) float64) func() error {
		return func() error { return Ex06Distance(f) }
	}
	answers{
		{"pieces", at(func(x []float64, m float64) float64 { return ex06W1(ex06Sample{x, m}) }), ""},
		{"quantiles", at(func(x []float64, m float64) float64 {
			slices.Sort(x)
			const k = 20000
			sum := 0.0
			for i := range k * len(x) {
				sum += math.Abs(x[i/k] + m*math.Log(1-(float64(i)+0.5)/float64(k*len(x))))
			}
			return sum / float64(k*len(x))
		}), ""},
		{"no ties", at(func(x []float64, m float64) float64 {
			slices.Sort(x)
			if len(slices.Compact(slices.Clone(x))) < len(x) {
				return 0
			}
			return ex06W1(ex06Sample{x, m})
		}), "values may be equal"},
		{"up to ten values", at(func(x []float64, m float64) float64 { return ex06W1(ex06Sample{x[:min(len(x), 10)], m}) }), "want"},
		{"grid", at(func(x []float64, m float64) (sum float64) {
			const cells = 2000
			top := slices.Max(x) + 20*m
			for i := range cells {
				t, below := top*(float64(i)+0.5)/cells, 0.0
				for _, v := range x {
					if v <= t {
						below++
					}
				}
				sum += math.Abs(below/float64(len(x))-1+math.Exp(-t/m)) * top / cells
			}
			return sum
		}), "a grid has an error"},
		{"means", at(func(x []float64, m float64) float64 { return math.Abs(ex06Mean(x) - m) }), "lower bound"},
		{"rate", at(func(x []float64, m float64) float64 { return ex06W1(ex06Sample{x, 1 / m}) }), "not the rate"},
		{"no tail", at(func(x []float64, m float64) float64 {
			return ex06W1(ex06Sample{x, m}) - m*math.Exp(-slices.Max(x)/m)
		}), "tail beyond"},
		{"from the smallest value on", at(func(x []float64, m float64) float64 {
			return ex06W1(ex06Sample{x, m}) - slices.Min(x) + m*(1-math.Exp(-slices.Min(x)/m))
		}), "below the smallest value"},
		{"steps not cut", at(func(x []float64, m float64) float64 { return ex06Uncut(ex06Sample{x, m}) }), "do not cancel"},
		{"not sorted", at(func(x []float64, m float64) float64 {
			sum, from := 0.0, 0.0
			for i, to := range x {
				tail := 1 - float64(i)/float64(len(x))
				sum += math.Abs(tail*(to-from) - m*(math.Exp(-from/m)-math.Exp(-to/m)))
				from = to
			}
			return sum + m*math.Exp(-from/m)
		}), "sort"},
		{"one quantile each", at(func(x []float64, m float64) (sum float64) {
			slices.Sort(x)
			for i, v := range x {
				sum += math.Abs(v+m*math.Log(1-(float64(i)+0.5)/float64(len(x)))) / float64(len(x))
			}
			return sum
		}), "one quantile for each value"},
		{"zero", at(func(x []float64, m float64) float64 { return 0 }), "integrate"},
		{"not done", at(func(x []float64, m float64) float64 { panic(Stub) }), "not done"},
	}.run(t)
}

func TestEx06Closed(t *testing.T) {
	point := func(c, m float64) float64 { return c - m + 2*m*math.Exp(-c/m) }
	queue := func(rho float64) float64 { return 1 - rho }
	at := func(p func(c, m float64) float64, q func(float64) float64) func() error {
		return func() error { return Ex06Closed(p, q) }
	}
	answers{
		{"closed", at(point, queue), ""},
		{"by the sample's W1", at(func(c, m float64) float64 { return ex06W1(ex06Sample{[]float64{c}, m}) }, queue), ""},
		{"means", at(func(c, m float64) float64 { return math.Abs(c - m) }, queue), "difference of the means"},
		{"below", at(func(c, m float64) float64 { return c - m + m*math.Exp(-c/m) }, queue), "above c is missing"},
		{"above", at(func(c, m float64) float64 { return m * math.Exp(-c/m) }, queue), "below c is missing"},
		{"rho", at(point, func(r float64) float64 { return r }), "mean of (1-ρ)q"},
		{"the load is shown as rho", at(point, func(r float64) float64 { return r }), "ρ = 0."},
		{"zero", at(point, func(r float64) float64 { return 0 }), "not the same"},
		{"not done", at(func(c, m float64) float64 { panic(Stub) }, queue), "not done"},
	}.run(t)
	// The queue's W1 once more, from |F - G| summed on a grid.
	rho, sum := 0.6, 0.0
	for i := range 400000 {
		x := (float64(i) + 0.5) * 1e-4
		sum += 1e-4 * math.Abs(math.Exp(-x)-math.Pow(rho, math.Floor(x/(1-rho))+1))
	}
	if math.Abs(sum-(1-rho)) > 1e-3 {
		t.Errorf("W1 on a grid = %g, want %g", sum, 1-rho)
	}
}

func TestEx06Fit(t *testing.T) {
	at := func(f func(d ex06Data) (float64, float64)) func() error {
		return func() error {
			return Ex06Fit(func(n, w, se []float64) (float64, float64) { return f(ex06Data{n, w, se}) })
		}
	}
	right := func(d ex06Data) (float64, float64) { return ex06Fit(d.logs()) }
	answers{
		{"right", at(right), ""},
		{"normal equations", at(func(d ex06Data) (float64, float64) {
			u, v, s := d.logs()
			var a, b, c, e, f float64
			for i := range u {
				w := 1 / (s[i] * s[i])
				a, b, c, e, f = a+w, b+w*u[i], c+w*u[i]*u[i], e+w*v[i], f+w*u[i]*v[i]
			}
			det := a*c - b*b
			return (b*e - a*f) / det, 1.96 * math.Sqrt(a/det)
		}), ""},
		{"sign", at(func(d ex06Data) (float64, float64) { k, h := right(d); return -k, h }), "minus the slope"},
		{"no weights", at(func(d ex06Data) (float64, float64) {
			u, v, _ := d.logs()
			return ex06Fit(u, v, []float64{1, 1, 1, 1, 1, 1})
		}), "weigh them"},
		{"se of W1", at(func(d ex06Data) (float64, float64) { u, v, _ := d.logs(); return ex06Fit(u, v, d.se) }), "se/W1"},
		{"chord", at(func(d ex06Data) (float64, float64) { u, v, _ := d.logs(); return (v[0] - v[5]) / (u[5] - u[0]), 1 }), "chord"},
		{"one error", at(func(d ex06Data) (float64, float64) { k, h := right(d); return k, h / 1.96 }), "one standard error"},
		{"two errors", at(func(d ex06Data) (float64, float64) { k, h := right(d); return k, 2 * h / 1.96 }), "1.96 standard errors, not 2"},
		{"Student", at(func(d ex06Data) (float64, float64) { k, h := right(d); return k, 2.776 * h / 1.96 }), "normal law's 1.96"},
		{"whole width", at(func(d ex06Data) (float64, float64) { k, h := right(d); return k, 2 * h }), "whole width"},
		{"width from se of W1", at(func(d ex06Data) (float64, float64) {
			u, v, _ := d.logs()
			k, _ := right(d)
			_, h := ex06Fit(u, v, d.se)
			return k, h
		}), "that of log W1"},
		{"scatter", at(func(d ex06Data) (float64, float64) {
			u, v, s := d.logs()
			k, h := right(d)
			var w, wu, wv, chi float64
			for i := range u {
				w, wu, wv = w+1/(s[i]*s[i]), wu+u[i]/(s[i]*s[i]), wv+v[i]/(s[i]*s[i])
			}
			for i := range u {
				chi += math.Pow((v[i]-wv/w+k*(u[i]-wu/w))/s[i], 2)
			}
			return k, h * math.Sqrt(chi/4)
		}), "take them as they are"},
		{"not done", at(func(d ex06Data) (float64, float64) { panic(Stub) }), "not done"},
	}.run(t)
}

func TestEx06Break(t *testing.T) {
	at := func(one func(i int, last float64, r *rand.Rand) float64) func() error {
		return func() error {
			return Ex06Break(func(n int, r *rand.Rand) []float64 {
				x, last := make([]float64, n), r.ExpFloat64()
				for i := range x {
					last = one(i, last, r)
					x[i] = last
				}
				return x
			})
		}
	}
	blocks := func(size int) func() error {
		return at(func(i int, last float64, r *rand.Rand) float64 {
			if i%size == 0 {
				return r.ExpFloat64()
			}
			return last
		})
	}
	common := func(one func(r *rand.Rand) float64) func() error {
		return func() error {
			return Ex06Break(func(n int, r *rand.Rand) []float64 { return slices.Repeat([]float64{one(r)}, n) })
		}
	}
	only := func(right func(i, n int) bool) func() error { // one exponential value at some places
		return func() error {
			return Ex06Break(func(n int, r *rand.Rand) []float64 {
				x, v := make([]float64, n), r.ExpFloat64()
				for i := range x {
					if x[i] = 9; right(i, n) {
						x[i] = v
					}
				}
				return x
			})
		}
	}
	answers{
		{"by inversion", common(func(r *rand.Rand) float64 { return -math.Log1p(-r.Float64()) }), ""},
		{"half a chi-square with two degrees", common(func(r *rand.Rand) float64 {
			x, y := r.NormFloat64(), r.NormFloat64()
			return (x*x + y*y) / 2
		}), ""},
		{"antithetic blocks", func() error {
			return Ex06Break(func(n int, r *rand.Rand) []float64 {
				x, u := make([]float64, n), 0.0
				for i := range x {
					if i%40 == 0 {
						u = r.Float64()
					}
					if x[i] = -math.Log1p(-u); i%2 == 1 {
						x[i] = -math.Log(max(u, 1e-300))
					}
				}
				return x
			})
		}, ""},
		{"half a normal law with mean 1", common(func(r *rand.Rand) float64 { return 1.253 * math.Abs(r.NormFloat64()) }), "draw number 0 is not Exp(1)"},
		{"mean 1.2", common(func(r *rand.Rand) float64 { return 1.2 * r.ExpFloat64() }), "draw number 0 is not Exp(1)"},
		{"power 1.2", common(func(r *rand.Rand) float64 { return math.Pow(r.ExpFloat64(), 1.2) }), "draw number 0 is not Exp(1)"},
		{"some places", only(func(i, n int) bool { return i == 0 || i == 1 || i == n/2 || i == n-1 }), "draw number 2 is not Exp(1)"},
		{"all but one place", only(func(i, n int) bool { return i != 137 }), "draw number 137 is not Exp(1)"},
		{"one draw", at(func(i int, last float64, r *rand.Rand) float64 { return last }), ""},
		{"blocks of 20", blocks(20), ""},
		{"blocks of 10, just above", blocks(10), ""},
		{"last draw kept, often", at(func(i int, last float64, r *rand.Rand) float64 {
			if r.Float64() < 0.04 {
				return r.ExpFloat64()
			}
			return last
		}), ""},
		{"smallest of two, which is Exp(1) again", func() error {
			return Ex06Break(func(n int, r *rand.Rand) []float64 {
				common, x := 2*r.ExpFloat64(), make([]float64, n)
				for i := range x {
					x[i] = min(common, 2*r.ExpFloat64())
				}
				return x
			})
		}, ""},
		{"autoregressive", func() error {
			return Ex06Break(func(n int, r *rand.Rand) []float64 {
				x, g := make([]float64, n), r.NormFloat64()
				for i := range x {
					x[i] = -math.Log(0.5 * math.Erfc(g/math.Sqrt2))
					g = 0.97*g + math.Sqrt(1-0.97*0.97)*r.NormFloat64()
				}
				return x
			})
		}, ""},
		{"independent", blocks(1), "the claim is true"},
		{"pairs", blocks(2), "more dependent"},
		{"blocks of 9, just below", blocks(9), "more dependent"},
		{"wrong mean", at(func(i int, last float64, r *rand.Rand) float64 { return 2 * r.ExpFloat64() }), "is not Exp(1)"},
		{"constant", at(func(i int, last float64, r *rand.Rand) float64 { return 1 }), "is not Exp(1)"},
		{"starts at the mean", at(func(i int, last float64, r *rand.Rand) float64 {
			if i == 0 {
				return 1
			}
			return last
		}), "draw number 0 is not"},
		{"sorted", func() error {
			return Ex06Break(func(n int, r *rand.Rand) []float64 {
				x := make([]float64, n)
				for i := range x {
					x[i] = r.ExpFloat64()
				}
				slices.Sort(x)
				return x
			})
		}, "is not Exp(1)"},
		{"too many", func() error {
			return Ex06Break(func(n int, r *rand.Rand) []float64 { return make([]float64, n+1) })
		}, "401 values"},
		{"negative", at(func(i int, last float64, r *rand.Rand) float64 { return -1 }), "cannot come"},
		{"not done", at(func(i int, last float64, r *rand.Rand) float64 { panic(Stub) }), "not done"},
	}.some().run(t)
}
