package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestEx07Predict(t *testing.T) {
	at := func(batch, job, factor, proved float64) func() error {
		return func() error {
			return Ex07Predict(func() (float64, float64, float64, float64) { return batch, job, factor, proved })
		}
	}
	answers{
		{"right", at(2, 1, 0.5, 2.5), ""},
		{"by a power", at(2, 1, math.Pow(4, -0.5), 3-0.5), ""},
		{"one queue", at(1, 1, 0.5, 2.5), "there are N of them"},
		{"squares", at(3, 1, 0.5, 2.5), "sum of squares"},
		{"the theorem", at(4, 1, 0.5, 2.5), "not what is seen"},
		{"another power", at(1.5, 1, 0.5, 2.5), "batch = 1.5 is too small"},
		{"no difference", at(2, 2, 0.5, 2.5), "no queue gets a whole batch"},
		{"height", at(2, 0, 0.5, 2.5), "height of a queue"},
		{"rises", at(2, 1, 2, 2.5), "mind the sign"},
		{"job's factor", at(2, 1, 0.125, 2.5), "power of single jobs"},
		{"scaling alone", at(2, 1, 1.0/32, 2.5), "E Q~ grows as well"},
		{"doubled", at(2, 1, math.Sqrt(0.5), 2.5), "twice as many"},
		{"slope", at(2, 1, -0.5, 2.5), "that is the slope"},
		{"all queues", at(2, 1, 0.5, 2), "d = N"},
		{"fixed d", at(2, 1, 0.5, 3), "fixed d"},
		{"discrete time", at(2, 1, 0.5, 4), "in discrete time"},
		{"no number", at(2, 1, 0.5, math.NaN()), "not a number"},
		{"not done", func() error { return Ex07Predict(func() (a, b, c, d float64) { panic(Stub) }) }, "not done"},
	}.run(t)
}

// ex07Heights has N/b queues at each height from 0 to b-1.
func ex07Heights(s ex07Spread) (q []int) {
	for i := range s.n {
		q = append(q, i%s.b)
	}
	slices.Sort(q)
	return q
}

func TestEx07Even(t *testing.T) {
	at := func(f func(s ex07Spread) (float64, float64)) func() error {
		return func() error { return Ex07Even(func(n, b int) (float64, float64) { return f(ex07Spread{n, b}) }) }
	}
	n := func(s ex07Spread) float64 { return float64(s.n) }
	b := func(s ex07Spread) float64 { return float64(s.b) }
	total := func(f func(s ex07Spread) float64) func() error {
		return at(func(s ex07Spread) (float64, float64) { return f(s), s.square() })
	}
	square := func(f func(s ex07Spread) float64) func() error {
		return at(func(s ex07Spread) (float64, float64) { return s.total(), f(s) })
	}
	answers{
		{"closed", at(func(s ex07Spread) (float64, float64) { return s.total(), s.square() }), ""},
		{"summed", at(func(s ex07Spread) (sum, square float64) {
			q := ex07Heights(s)
			for _, x := range q {
				sum += float64(x)
			}
			for _, x := range q {
				square += (float64(x) - sum/n(s)) * (float64(x) - sum/n(s))
			}
			return sum, square
		}), ""},
		{"before the service", total(func(s ex07Spread) float64 { return n(s) * (b(s) + 1) / 2 }), "after the service"},
		{"continuous", total(func(s ex07Spread) float64 { return n(s) * b(s) / 2 }), "whole numbers"},
		{"one batch", total(func(s ex07Spread) float64 { return n(s) * (n(s) - 1) / 2 }), "one batch a slot"},
		{"one group", total(func(s ex07Spread) float64 { return b(s) * (b(s) - 1) / 2 }), "one queue at each height"},
		{"mean", total(func(s ex07Spread) float64 { return (b(s) - 1) / 2 }), "mean height"},
		{"other", total(func(s ex07Spread) float64 { return n(s) }), "How many queues"},
		{"continuous square", square(func(s ex07Spread) float64 { return n(s) * b(s) * b(s) / 12 }), "a bit smaller"},
		{"mean left", square(func(s ex07Spread) float64 { return n(s) * (b(s) - 1) * (2*b(s) - 1) / 6 }), "take the mean off"},
		{"variance", square(func(s ex07Spread) float64 { return (b(s)*b(s) - 1) / 12 }), "for each queue"},
		{"sample variance", square(func(s ex07Spread) float64 { return s.square() * n(s) / (n(s) - 1) }), "divides by N-1"},
		{"sample variance of a queue", square(func(s ex07Spread) float64 { return s.square() / (n(s) - 1) }), "variance of a sample"},
		{"whole numbers", total(func(s ex07Spread) float64 { return float64(s.n * (s.b - 1) / 2) }), ""}, // n (b - 1) is even
		{"half of a whole number", total(func(s ex07Spread) float64 { return float64(s.n / 2 * (s.b - 1)) }), "convert to float64"},
		{"whole squares", square(func(s ex07Spread) float64 { return float64(s.n * (s.b*s.b - 1) / 12) }), "convert to float64"},
		{"norm", square(func(s ex07Spread) float64 { return math.Sqrt(s.square()) }), "want its square"},
		{"one batch's square", square(func(s ex07Spread) float64 { return n(s) * (n(s)*n(s) - 1) / 12 }), "one batch a slot"},
		{"other square", square(func(s ex07Spread) float64 { return 0 }), "variance of the height"},
		{"not done", at(func(s ex07Spread) (float64, float64) { panic(Stub) }), "not done"},
	}.run(t)
}

// Of all states of up to six queues that a slot without randomness repeats up to
// the order, without lost service, the even spread has the fewest jobs.
func TestEx07EvenIsLeast(t *testing.T) {
	repeats := func(q []int, b int) bool {
		p := slices.Clone(q)
		for range len(q) / b {
			p[slices.Index(p, slices.Min(p))] += b
		}
		for i := range p {
			if p[i]--; p[i] < 0 {
				return false
			}
		}
		slices.Sort(p)
		return slices.Equal(p, q)
	}
	for _, s := range []ex07Spread{{2, 1}, {3, 3}, {4, 2}, {4, 4}, {5, 5}, {6, 2}, {6, 3}, {6, 6}} {
		least := math.Inf(1)
		var try func(q []int, sum int)
		try = func(q []int, sum int) {
			if len(q) == s.n {
				if float64(sum) < least && repeats(q, s.b) {
					least = float64(sum)
				}
				return
			}
			from := 0
			if len(q) > 0 {
				from = q[len(q)-1]
			}
			for h := from; h <= s.n+1; h++ {
				try(append(slices.Clone(q), h), sum+h)
			}
		}
		try(nil, 0)
		if least != s.total() || !repeats(ex07Heights(s), s.b) {
			t.Errorf("%v: the fewest jobs are %g, want %g", s, least, s.total())
		}
	}
}

func TestEx07Boundary(t *testing.T) {
	idle := func(x float64) float64 { return ex07Place{x: x}.idle() }
	density := func(x, g float64) float64 {
		if x >= 2 {
			return math.Exp(-g * (x - 2))
		}
		return (x - 1) * math.Exp((1+g)*(2-x))
	}
	at := func(i func(float64) float64, d func(x, g float64) float64) func() error {
		return func() error { return Ex07Boundary(i, d) }
	}
	power := func(f func(x, g float64) float64) func() error { return at(idle, f) }
	answers{
		{"closed", at(idle, density), ""},
		{"sum and integral", at(func(x float64) float64 {
			sum, p := 0.0, x-1
			for k := range 5000 {
				sum += float64(k) * p
				p *= 2 - x
			}
			return sum
		}, func(x, g float64) float64 {
			const n = 20000
			sum := 0.0
			for i := range n {
				sum += (idle(2+(x-2)*(float64(i)+0.5)/n) - g) * (x - 2) / n
			}
			return math.Exp(sum)
		}), ""},
		{"probability", at(func(x float64) float64 { return 2 - x }, density), "the probability that somebody is idle"},
		{"upside down", at(func(x float64) float64 { return (x - 1) / (2 - x) }, density), "not one with two"},
		{"from 1", at(func(x float64) float64 { return 1 / (x - 1) }, density), "begins at 1"},
		{"none", at(func(x float64) float64 { return 0 }, density), "geometric law from 0 on"},
		{"sign of g", power(func(x, g float64) float64 { return density(x, -g) }), "sign of g"},
		{"sign of idle", power(func(x, g float64) float64 { return 1 / density(x, -g) }), "sign of the idle"},
		{"no g", power(func(x, g float64) float64 { return density(x, 0) }), "g is missing"},
		{"squared", power(func(x, g float64) float64 { return density(x, g) * density(x, g) }), "by a square"},
		{"root", power(func(x, g float64) float64 { return math.Sqrt(density(x, g)) }), "not steep enough"},
		{"not normalised", power(func(x, g float64) float64 { return density(x, g) * math.Exp(-2-2*g) }), "up to a constant"},
		{"not cut", power(func(x, g float64) float64 { return (x - 1) * math.Exp((1+g)*(2-x)) }), "beyond x = 2"},
		{"drift", power(func(x, g float64) float64 { return idle(x) - g }), "the exponential of its integral"},
		{"one", power(func(x, g float64) float64 { return 1 }), "integrate"},
		{"not done", at(func(x float64) float64 { panic(Stub) }, density), "not done"},
	}.run(t)
}

func TestEx07Seen(t *testing.T) {
	at := func(f func(g float64) float64) func() error { return func() error { return Ex07Seen(f) } }
	over := func(to float64, w func(x, g float64) float64) func() error {
		return at(func(g float64) float64 {
			n := 40000 * (to - 1)
			sum, mean := 0.0, 0.0
			for i := range int(n) {
				x := 1 + (to-1)*(float64(i)+0.5)/n
				sum, mean = sum+w(x, g), mean+w(x, g)*x
			}
			return mean / sum
		})
	}
	seen := func(g float64) float64 { return ex07Seen(ex07Gap(g)) }
	answers{
		{"closed", at(seen), ""},
		{"integral", over(2, func(x, g float64) float64 { return (2 - x) * math.Exp(-(1+g)*x) }), ""},
		{"four digits", at(func(g float64) float64 { return math.Round(seen(g)*1000) / 1000 }), ""},
		{"three digits", at(func(g float64) float64 { return math.Round(seen(g)*100) / 100 }), "the mean of x"},
		{"not at 0", at(func(g float64) float64 { return seen(g) * g / g }), "g = 0 is asked for, too"},
		{"not beyond 3.2", at(func(g float64) float64 {
			if g > 3.2 {
				return 7
			}
			return seen(g)
		}), "want 1."},
		{"not below 0.05", at(func(g float64) float64 {
			if g < 0.05 {
				return 7
			}
			return seen(g)
		}), "g = 0.0"},
		{"excess", at(func(g float64) float64 { return seen(g) - 1 }), "the mean of x - 1"},
		{"no g", at(func(g float64) float64 { return 4 - math.E }), "the value at g = 0"},
		{"sign", at(func(g float64) float64 { return seen(-g) }), "sign of g"},
		{"only g", at(func(g float64) float64 { return seen(g - 1) }), "its own"},
		{"not weighted", over(2, func(x, g float64) float64 { return (x - 1) * math.Exp(-(1+g)*x) }), "on 1 < x < 2"},
		{"over time", at(func(g float64) float64 { // E X = E[X; X < 2] + E[X; X > 2] of the whole density
			in, far, mean := 0.0, math.Exp(-2*g)/g, math.Exp(-2*g)/g*(2+1/g)
			const n = 40000
			for i := range n {
				x := 1 + (float64(i)+0.5)/n
				w := (x - 1) * math.Exp(2-(1+g)*x) / n
				in, mean = in+w, mean+w*x
			}
			return mean / (in + far)
		}), "over time"},
		{"fraction", over(2, func(x, g float64) float64 { return (2 - x) * (x - 1) * math.Exp(-(1+g)*x) }), "only the fraction"},
		{"not divided", at(func(g float64) float64 { return seen(g) * 0.3 }), "not its integral"},
		{"not done", at(func(g float64) float64 { panic(Stub) }), "not done"},
	}.run(t)
	for g, want := range map[float64]float64{0: 4 - math.E, 1: 1 + 2/(math.E*math.E+1)} {
		if got := seen(g); !agrees(got, want, 1e-9) {
			t.Errorf("seen(%g) = %.9f, want %.9f", g, got, want)
		}
	}
}

// The idle servers and what an unused service sees, in a simulation of the
// continuous-time queues with N = 800 and lambda = 1 - 1/N. Both are
// limits for N to infinity: 5 % allows for N.
func TestEx07Measured(t *testing.T) {
	const n, g = 800, 1.0
	steps := 60_000_000
	if testing.Short() {
		steps /= 3
	}
	r := rand.New(rand.NewPCG(7, 1))
	at := make([]int, 1000)
	at[1], at[2] = n/2, n/2
	low, q := 1, 3*n/2
	var i1, iq, idle, time float64
	for range steps {
		i := float64(at[0])
		i1, iq = i1+i, iq+i*float64(q)
		if x := float64(q) / n; math.Abs(x-1.5) < 0.05 {
			idle, time = idle+i, time+1
		}
		if r.Float64()*(2-g/n) < 1-g/n {
			for at[low] == 0 {
				low++
			}
			at[low]--
			at[low+1]++
			q++
			continue
		}
		u, h := r.IntN(n), 0
		for ; u >= at[h]; h++ {
			u -= at[h]
		}
		if h > 0 {
			at[h]--
			at[h-1]++
			q--
			low = min(low, h-1)
		}
	}
	if err := number("E[I Q]/(N E I)", iq/i1/n, ex07Seen(g), 0.05); err != nil {
		t.Error(err)
	}
	if err := number("idle servers at x = 1.5", idle/time, ex07Place{x: 1.5}.idle(), 0.05); err != nil {
		t.Error(err)
	}
}

func TestEx07Factor(t *testing.T) {
	at := func(f func(d ex07Three) float64) func() error {
		return func() error {
			return Ex07Factor(func(n int, k, alpha float64, w [3]float64) float64 { return f(ex07Three{n, k, alpha, w}) })
		}
	}
	on := func(f func(y [3]float64) float64) func() error {
		return at(func(d ex07Three) float64 { return f(d.scaled()) })
	}
	chord := func(d ex07Three, from int) float64 {
		s := math.Log(d.w[2]/d.w[from]) / math.Log(math.Pow(4, float64(2-from)))
		return d.w[2] / math.Pow(16*float64(d.n), s)
	}
	answers{
		{"weights", at(ex07Three.factor), ""},
		{"elimination", on(func(y [3]float64) float64 { // with h = N^(-1/2) as the unit, Cramer's rule for C
			rows, det := [3][3]float64{{1, 1, 1}, {1, 0.5, 0.25}, {1, 0.25, 0.0625}}, func(a [3][3]float64) float64 {
				return a[0][0]*(a[1][1]*a[2][2]-a[1][2]*a[2][1]) - a[0][1]*(a[1][0]*a[2][2]-a[1][2]*a[2][0]) + a[0][2]*(a[1][0]*a[2][1]-a[1][1]*a[2][0])
			}
			top := rows
			for i := range top {
				top[i][0] = y[i]
			}
			return det(top) / det(rows)
		}), ""},
		{"last value", on(func(y [3]float64) float64 { return y[2] }), "value at 16N"},
		{"one term", on(func(y [3]float64) float64 { return 2*y[2] - y[1] }), "use all three"},
		{"the other term", on(func(y [3]float64) float64 { return (4*y[2] - y[1]) / 3 }), "the larger one"},
		{"1/N and its square", on(func(y [3]float64) float64 {
			u, v := (4*y[1]-y[0])/3, (4*y[2]-y[1])/3
			return (16*v - u) / 15
		}), "1/N²"},
		{"Aitken", on(func(y [3]float64) float64 { return (y[0]*y[2] - y[1]*y[1]) / (y[2] - 2*y[1] + y[0]) }), "Aitken"},
		{"chord", at(func(d ex07Three) float64 { return chord(d, 0) }), "slope over these N"},
		{"local slope", at(func(d ex07Three) float64 { return chord(d, 1) }), "last local slope"},
		{"wrong way", at(func(d ex07Three) float64 { return ex07Three{d.n, d.alpha, d.k, d.w}.factor() }), "not by N^(k-α)"},
		{"not scaled", at(func(d ex07Three) float64 { return ex07Three{d.n, 0, 0, d.w}.factor() }), "limit of W1 itself"},
		{"mean", on(func(y [3]float64) float64 { return (y[0] + y[1] + y[2]) / 3 }), "three unknowns"},
		{"not done", at(func(d ex07Three) float64 { panic(Stub) }), "not done"},
	}.run(t)
}

func TestEx07Break(t *testing.T) {
	at := func(f func(n int) int) func() error { return func() error { return Ex07Break(f) } }
	answers{
		{"root", at(func(n int) int { return int(math.Sqrt(float64(n))) }), ""},
		{"twice the root", at(func(n int) int { return 2 * int(math.Sqrt(float64(n))) }), ""},
		{"power 0.6", at(func(n int) int { return int(math.Pow(float64(n), 0.6)) }), ""},
		{"power 3/4", at(func(n int) int { return int(math.Pow(float64(n), 0.75)) }), ""},
		{"third root", at(func(n int) int { return int(math.Round(math.Cbrt(float64(n)))) }), ""},
		{"job by job", at(func(n int) int { return 1 }), "job by job"},
		{"whole batches", at(func(n int) int { return 2 * n }), "whole batches"},
		{"power 0.8", at(func(n int) int { return int(math.Pow(float64(n), 0.8)) }), ""},
		{"power 0.85", at(func(n int) int { return int(math.Pow(float64(n), 0.85)) }), ""},
		{"power 1/4", at(func(n int) int { return int(math.Pow(float64(n), 0.25)) }), ""},
		{"power 0.2", at(func(n int) int { return int(math.Ceil(math.Pow(float64(n), 0.2))) }), ""},
		{"half the root", at(func(n int) int { return int(math.Sqrt(float64(n))) / 2 }), ""},
		{"five roots", at(func(n int) int { return 5 * int(math.Sqrt(float64(n))) }), ""},
		{"root, counted", at(func(n int) int {
			b := 1
			for (b+1)*(b+1) <= n {
				b++
			}
			return b
		}), ""},
		{"root times logarithm", at(func(n int) int { return int(math.Sqrt(float64(n)) * math.Log(float64(n))) }), ""},
		{"half batches", at(func(n int) int { return n / 2 }), "nearly like N"},
		{"n over logarithm", at(func(n int) int { return int(float64(n) / math.Log(float64(n))) }), "does not change the onset"},
		{"square of a logarithm", at(func(n int) int { return int(math.Pow(math.Log(float64(n)), 2)) }), "hardly grow"},
		{"square of a binary logarithm", at(func(n int) int { return int(math.Pow(math.Log2(float64(n)), 2)) }), "hardly grow"},
		{"fourth power of a logarithm", at(func(n int) int { return min(n, int(math.Pow(math.Log(float64(n)), 4))) }), "no power that lasts"},
		{"two sizes", at(func(n int) int {
			if n > 64 {
				return 16
			}
			return 8
		}), "fixed size"},
		{"table", at(func(n int) int { return map[int]int{64: 8, 256: 16}[n] }), "batch(65536) = 0: want from 1 to 131072 jobs in a batch, for every n"},
		{"power too small", at(func(n int) int { return int(3 * math.Pow(float64(n), 0.1)) }), "hardly grow"},
		{"factor too large", at(func(n int) int { return min(2*n, 16*int(math.Pow(float64(n), 0.7))) }), "smaller factor"},
		{"factor too small", at(func(n int) int { return max(1, int(0.25*math.Pow(float64(n), 0.3))) }), "larger factor"},
		{"n jobs", at(func(n int) int { return n }), "nearly like N"},
		{"fixed", at(func(n int) int { return 8 }), "fixed size"},
		{"logarithm", at(func(n int) int { return int(math.Log2(float64(n))) }), "larger batches"},
		{"downwards", at(func(n int) int { return max(1, min(8, 1<<34/n)) }), "smaller as N grows"},
		{"a jump", at(func(n int) int { return max(1, (n-60)*2) }), "nearly like N"},
		{"none", at(func(n int) int { return 0 }), "want from 1 to 128"},
		{"too many", at(func(n int) int { return n * n }), "want from 1 to 128"},
		{"not done", at(func(n int) int { panic(Stub) }), "not done"},
	}.some().run(t)
}

// The simulation against what the boundary estimator of the companion measured:
// E Q~ by the job at N = 64, 256, and with whole batches at N = 16, 32, with half
// a job for the other convention of a loss (E[U^2]/(2 E U) in place of E[J]).
func TestEx07Excess(t *testing.T) {
	for _, c := range []struct {
		n, b int
		want float64
	}{{64, 1, 64*0.799 + 0.5}, {256, 1, 256*0.8985 + 0.5}, {16, 32, 256 * 0.515}, {32, 64, 1024 * 0.526}} {
		got := ex07Excess(c.n, c.b, max(8, min(c.n, c.b)/2), 12000, rand.New(rand.NewPCG(7, 2)))
		if err := number("E Q~", got, c.want, 0.03); err != nil {
			t.Errorf("N = %d, b = %d: %v", c.n, c.b, err)
		}
	}
}
