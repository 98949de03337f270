package law

import (
	"fmt"
	"math"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/near"
	"jsqlab/jsqlib/internal/num"
)

var pmfs = map[string]struct{ arrivals, service jsqlib.PMF }{
	"reference":             {nil, nil},
	"deterministic service": {nil, jsqlib.PMF{0, 1}},
	"bernoulli arrivals":    {jsqlib.PMF{0, 1}, jsqlib.PMF{0.5, 0, 0.5}},
	"skew":                  {jsqlib.PMF{0.7, 0.1, 0, 0.1, 0, 0, 0.1}, jsqlib.PMF{0.3, 0.5, 0.1, 0.1}},
	"wide":                  {jsqlib.Binomial(40), jsqlib.Binomial(7)},
}

// sumOf returns the sum of all K(n) as they are held, C/(1-rho) + eps sum r.
func sumOf(k *Kernel) float64 {
	var sum num.Sum
	for _, r := range k.corr {
		sum.Add(r)
	}
	return 1/(1+k.slope) + k.eps*sum.Value()
}

// TestKernelPotential holds the kernel against eps (g(n) - g(n+1)) with the
// potential kernel g summed from the laws of the walk itself.
func TestKernelPotential(t *testing.T) {
	for name, p := range pmfs {
		for _, n := range []int{1, 2, 4} {
			c := constants(t, jsqlib.Model{Servers: n, Gap: 0.3, Arrivals: p.arrivals, Service: p.service})
			k, err := NewKernel(c)
			if err != nil {
				t.Fatal(err)
			}
			x := c.Arrivals.Power(n)
			s := c.Service.Power(n)
			reversed := make(jsqlib.PMF, len(s))
			for i, v := range s {
				reversed[len(s)-1-i] = v
			}
			step, shift := x.Convolve(reversed), len(s)-1
			const low, high = -40, 60
			g := make([]float64, high-low+2)
			walk, at := jsqlib.PMF{1}, 0 // P(S_k = i - at)
			for range 4000 {
				for i := range g {
					if j := low + i + at; j >= 0 && j < len(walk) {
						g[i] += walk[j]
					}
				}
				walk = walk.Convolve(step)
				at += shift
				// states that cannot come back above low with probability 1e-18
				first, last := 0, len(walk)-1
				for first < last && walk[first] < 1e-22 {
					first++
				}
				for last > first && walk[last] < 1e-22 {
					last--
				}
				walk, at = walk[first:last+1], at-first
				if len(walk)-1-at < low {
					break
				}
			}
			for i := range g[:len(g)-1] {
				near.Abs(t, fmt.Sprintf("%s, N = %d: K(%d)", name, n, low+i), k.At(low+i), c.Eps*(g[i]-g[i+1]), 1e-12)
			}
			near.Abs(t, "sum", sumOf(k), 1, 1e-14)
		}
	}
}

// TestKernelMoments holds the closed moments against sums.
func TestKernelMoments(t *testing.T) {
	for name, p := range pmfs {
		for _, n := range []int{1, 2, 9} {
			for _, gap := range []float64{0.5, 0.05} {
				c := constants(t, jsqlib.Model{Servers: n, Gap: gap, Arrivals: p.arrivals, Service: p.service})
				k, err := NewKernel(c)
				if err != nil {
					t.Fatal(err)
				}
				low, r := k.corrMin, k.corr
				var m1, m2, sum num.Sum
				for i := low; i < max(low+len(r), int(45/k.rate)); i++ {
					x := k.At(i)
					sum.Add(x)
					m1.Add(float64(i) * x)
					m2.Add(float64(i) * float64(i) * x)
				}
				what := fmt.Sprintf("%s, N = %d, gap = %v: ", name, n, gap)
				near.Abs(t, what+"sum K", sum.Value(), 1, 1e-12)
				near.Rel(t, what+"E K", k.mean, m1.Value(), 1e-11)
				near.Rel(t, what+"E K^2", k.second, m2.Value(), 1e-11)
				near.Rel(t, what+"E K against v", k.mean, (c.V+c.Eps*c.Eps)/(2*c.Eps)-0.5, 1e-12)
			}
		}
	}
}

// TestKernelSmallGap: K(n)/eps has a limit, approached at rate e, and is the
// same to rounding at 1e-18, 1e-60 and the smallest gap.
func TestKernelSmallGap(t *testing.T) {
	for name, p := range pmfs {
		if name == "bernoulli arrivals" {
			continue // even but for thinned jobs: TestKernelErrors
		}
		for _, n := range []int{1, 2, 10, 1000} {
			kernel := func(gap float64) *Kernel {
				k, err := NewKernel(constants(t, jsqlib.Model{Servers: n, Gap: gap, Arrivals: p.arrivals, Service: p.service}))
				if err != nil {
					t.Fatal(err)
				}
				near.Abs(t, "sum", sumOf(k), 1, 1e-15)
				return k
			}
			limit := kernel(1e-60)
			scale := limit.amplitude() / limit.eps
			for gap, tol := range map[float64]float64{1e-9: 1e-5, 1e-12: 1e-8, 1e-18: 1e-12, jsqlib.MinGap: 1e-12} {
				k := kernel(gap)
				for i := -60; i <= 60; i++ {
					near.Abs(t, fmt.Sprintf("%s, N = %d, gap = %v: K(%d)/eps", name, n, gap, i),
						k.At(i)/k.eps, limit.At(i)/limit.eps, tol*max(scale, math.Abs(limit.At(i)/limit.eps)))
				}
			}
		}
	}
}

// TestRate holds theta, its excess over c/m_N, C/eps and the shift of the mean
// against values computed independently with 200 digits, for Binomial(3)
// arrivals and Binomial(2) services, N = 3.
func TestRate(t *testing.T) {
	for _, x := range []struct{ gap, rate, excess, lead float64 }{
		{0.5, 2.0163418178120503, -0.330952728012263041, 0.401346871799941567},
		{0.1, 1.74885873431563738, -0.210527701091413784, 0.529048555496058775},
		{1e-4, 1.71431603899032821, -0.186611849187983388, 0.571383481977578872},
		{1e-20, 1.71428571428571429, -0.186588921282798834, 0.571428571428571429},
		{1e-60, 1.71428571428571429, -0.186588921282798834, 0.571428571428571429},
	} {
		c := constants(t, jsqlib.Model{Servers: 3, Gap: x.gap, Arrivals: jsqlib.Binomial(3)})
		k, err := NewKernel(c)
		if err != nil {
			t.Fatal(err)
		}
		near.Rel(t, "theta/e", k.rate/x.gap, x.rate, 1e-15)
		near.Rel(t, "(theta - e/m_N)/e^2", k.excess/x.gap/x.gap, x.excess, 1e-14)
		near.Rel(t, "C/eps", k.amplitude()/c.Eps, x.lead, 1e-15)
		near.Abs(t, "excess by subtraction", k.rate-x.gap/c.MeanN, k.excess, 4e-16*k.rate)
	}
	for _, gap := range []float64{1e-60, 1e-6, 0.1, 0.2, 0.9} {
		c, err := jsqlib.Model{Continuous: true, Servers: 3, Gap: gap}.Constants()
		if err != nil {
			t.Fatal(err)
		}
		k, err := NewKernel(c)
		if err != nil {
			t.Fatal(err)
		}
		near.Abs(t, "CT excess by subtraction", k.rate-gap/(1-gap/2), k.excess, 4e-16*k.rate)
		// 2 artanh(s) - 2 s with s = e/(2 - e), from the first terms
		if s := gap / (2 - gap); gap < 0.01 {
			near.Rel(t, "CT excess", k.excess, 2*s*s*s/3*(1+0.6*s*s), 1e-12)
		}
	}
}

// TestAbsThirdMoment holds E|X|^3 against the convolved laws.
func TestAbsThirdMoment(t *testing.T) {
	for name, p := range pmfs {
		for _, n := range []int{1, 2, 30} {
			for _, gap := range []float64{0.6, 1e-3} {
				c := constants(t, jsqlib.Model{Servers: n, Gap: gap, Arrivals: p.arrivals, Service: p.service})
				k, err := NewKernel(c)
				if err != nil {
					t.Fatal(err)
				}
				want := 0.0
				services := c.Service.Power(n)
				for a, pa := range c.Arrivals.Power(n) {
					for s, ps := range services {
						d := math.Abs(float64(a - s))
						want += pa * ps * d * d * d
					}
				}
				near.Rel(t, fmt.Sprintf("%s, N = %d, gap = %v: E|X|^3", name, n, gap), k.AbsThirdMoment(), want, 1e-10)
			}
		}
	}
}

func TestKernelErrors(t *testing.T) {
	if _, err := NewKernel(jsqlib.Constants{}); !refused(err, "system") {
		t.Errorf("zero constants: %v", err)
	}
	if _, err := NewKernel(jsqlib.Constants{}); !refused(err, "system") {
		t.Errorf("zero CT constants: %v", err)
	}
	// Even but for one job in 10 000: the parity of Q lasts over a hundred
	// states, which is still within reach; at a gap of 1e-60 it is not.
	even := jsqlib.Model{Servers: 2, Gap: 1e-4, Arrivals: jsqlib.PMF{0, 1}, Service: jsqlib.PMF{0.5, 0, 0.5}}
	k, err := NewKernel(constants(t, even))
	if err != nil {
		t.Fatal(err)
	}
	near.Abs(t, "sum", sumOf(k), 1, 1e-12)
	if low, r := k.corrMin, k.corr; low > -500 || low+len(r) < 500 {
		t.Errorf("nearly even X: reach %d..%d, want beyond +-500", low, low+len(r)-1)
	}
	even.Gap = 1e-60
	if _, err := NewKernel(constants(t, even)); !refused(err, "system") {
		t.Errorf("even X: %v", err)
	}
	if _, err := NewKernel(constants(t, jsqlib.Model{Servers: 10_000, Gap: 0.5})); !refused(err, "system") {
		t.Errorf("nearly constant X: %v", err)
	}
}

func BenchmarkKernelN1000(b *testing.B)   { benchmarkKernel(b, 1000) }
func BenchmarkKernelN100000(b *testing.B) { benchmarkKernel(b, 100_000) }

func benchmarkKernel(b *testing.B, n int) {
	c := constants(b, jsqlib.Model{Servers: n, Gap: 1e-18})
	for b.Loop() {
		if _, err := NewKernel(c); err != nil {
			b.Fatal(err)
		}
	}
}
