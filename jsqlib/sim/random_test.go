package sim

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/reps"
)

func TestAlias(t *testing.T) {
	alone(t)
	rng := rand.NewPCG(6, 1)
	r := rand.New(rng)
	long := make([]float64, 300)
	for i := range long {
		long[i] = r.ExpFloat64()
	}
	for _, c := range []struct {
		min int64
		p   []float64
	}{
		{0, []float64{1}}, {5, []float64{0.25, 0.5, 0.25}}, {-3, []float64{0.5, 0, 0, 0.5}},
		{0, []float64{1e-12, 1 - 1e-12}}, {0, []float64{0, 1, 0}}, {0, []float64{0.3, 0.5, 0.1, 0.1}},
		{7, []float64{2, 3, 5}}, // weights
		{0, long},
	} {
		a := newAlias(c.min, c.p)
		sum := 0.0
		for _, x := range c.p {
			sum += x
		}
		// the tables give back the probabilities: P(v) = sum over slots
		n := float64(len(a.slots))
		back := make([]float64, len(c.p))
		for i, s := range a.slots {
			own := math.Ldexp(float64(s.cut), -64)
			back[i] += own / n
			back[s.other] += (1 - own) / n
		}
		for i, x := range c.p {
			if math.Abs(back[i]-x/sum) > 1e-14 {
				t.Errorf("%v: the tables give P(%d) = %v, want %v", c.p, i, back[i], x/sum)
			}
		}
		counts := make([]int, len(c.p))
		for range draws(100_000) {
			counts[a.draw(rng.Uint64())-c.min]++
		}
		for i := range back {
			back[i] = c.p[i] / sum
		}
		if v := fits(counts, back); v < unlikely {
			t.Errorf("%v: counts %v, p-value %g", c.p, counts, v)
		}
	}
}

func TestTrimmed(t *testing.T) {
	alone(t)
	lo, p := trimmed([]float64{1e-30, 1e-22, 0.5, 0, 0.5, 1e-22, 5e-22, 1e-30})
	if lo != 2 || len(p) != 3 {
		t.Errorf("trimmed to %d entries from %d on, want 3 from 2 on", len(p), lo)
	}
	if lo, p = trimmed([]float64{1}); lo != 0 || len(p) != 1 {
		t.Errorf("a point mass trimmed to %v from %d on", p, lo)
	}
	for _, base := range []jsqlib.PMF{jsqlib.Binomial(2), skewed, bursts, fixed} {
		for _, n := range []int{1, 2, 7, 100, 600} {
			lo, got := trimmedPower(base, n)
			want := base.Power(n)
			sum := 0.0
			for k, x := range want {
				y := 0.0
				if k >= lo && k < lo+len(got) {
					y = got[k-lo]
				}
				if math.Abs(x-y) > 1e-12*x+1e-18 {
					t.Fatalf("%v^%d at %d: %v, want %v", base, n, k, y, x)
				}
				sum += y
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Errorf("%v^%d sums to %v", base, n, sum)
			}
		}
	}
}

// TestServiceSum holds sums of services against their law, at the numbers of
// services where the way they are drawn changes.
func TestServiceSum(t *testing.T) {
	alone(t)
	for _, base := range []jsqlib.PMF{jsqlib.Binomial(2), skewed, two, jsqlib.Binomial(5), fixed} {
		svc := newService(constants(t, jsqlib.Model{Servers: 2, Gap: 0.1, Service: base}))
		v := base.Variance()
		for _, k := range []int64{0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 100, 127, 1000, 1 << maxPower, 70_000} {
			rng := reps.Stream("jsqlab", 6, fmt.Sprint("sum of ", base, k), 0)
			lo, p := trimmedPower(base, int(k))
			n := draws(30_000)
			counts, mean, square := make([]int, len(p)), 0.0, 0.0
			for range n {
				x := svc.sum(k, rng)
				d := float64(x - k)
				mean += d / float64(n)
				square += d * d / float64(n)
				if at := int(x) - lo; at >= 0 && at < len(p) {
					counts[at]++
				} else {
					t.Fatalf("the sum of %d services of %v is %d", k, base, x)
				}
			}
			if pv := fits(counts, p); pv < unlikely {
				t.Errorf("sum of %d services of %v: p-value %g", k, base, pv)
			}
			sd := math.Sqrt(float64(k) * v)
			if math.Abs(mean) > 4.5*sd/math.Sqrt(float64(n)) {
				t.Errorf("sum of %d services of %v: mean %v off by %v", k, base, k, mean)
			}
			// the relative error of a variance is sqrt((kurtosis - 1)/n), kurtosis < 6
			if math.Abs(square-sd*sd) > 4.5*sd*sd*math.Sqrt(5/float64(n)) {
				t.Errorf("sum of %d services of %v: variance %v, want %v", k, base, square, sd*sd)
			}
		}
		one := make([]int, len(base))
		rng := reps.Stream("jsqlab", 6, "one", 0)
		for range draws(50_000) {
			one[svc.one(rng)]++
		}
		if pv := fits(one, base); pv < unlikely {
			t.Errorf("single services of %v: %v, p-value %g", base, one, pv)
		}
	}
	// the tables of trimmedPower, held against another source
	lo, p := trimmedPower(jsqlib.Binomial(2), 70_000)
	b := distuv.Binomial{N: 140_000, P: 0.5}
	for i := 0; i < len(p); i += 97 {
		if want := b.Prob(float64(lo + i)); math.Abs(p[i]-want) > 1e-8*want+1e-18 {
			t.Fatalf("Binomial(140000, 1/2) at %d: %v, want %v", lo+i, p[i], want)
		}
	}
}

// TestBatches: the arrivals of a slot are the sum of N thinned a_j.
func TestBatches(t *testing.T) {
	alone(t)
	for _, s := range []jsqlib.Model{
		{Servers: 1, Gap: 0.3}, {Servers: 5, Gap: 0.2, Arrivals: bursts}, {Servers: 200, Gap: 1e-3, Arrivals: skewed}, {Servers: 100_000, Alpha: 1.5},
	} {
		c := constants(t, s)
		a, rng := batches(c), reps.Stream("jsqlab", 6, "batches", s.Servers)
		n := draws(100_000)
		mean, square := 0.0, 0.0
		counts := make([]int, 0, c.N*c.AMax+1)
		if c.N < 1000 {
			counts = counts[:cap(counts)]
		}
		for range n {
			x := a.draw(rng.Uint64())
			d := float64(x) - c.Lambda
			mean += d / float64(n)
			square += d * d / float64(n)
			if len(counts) > 0 {
				counts[x]++
			}
		}
		v := float64(c.N) * c.ArrivalVar
		if math.Abs(mean) > 4.5*math.Sqrt(v/float64(n)) || math.Abs(square-v) > 4.5*v*math.Sqrt(5/float64(n)) {
			t.Errorf("N = %d: mean off by %v, variance %v, want %v", c.N, mean, square, v)
		}
		if len(counts) > 0 {
			if pv := fits(counts, c.Arrivals.Power(c.N)); pv < unlikely {
				t.Errorf("N = %d: p-value %g", c.N, pv)
			}
		}
	}
}

// TestSojourn: a job n-th in its queue is there for h(n) = sum_{m>=0}
// P(s(1) + ... + s(m) < n) slots.
func TestSojourn(t *testing.T) {
	alone(t)
	for _, base := range []jsqlib.PMF{jsqlib.Binomial(2), skewed, two, fixed, rare} {
		s := newSojourn(constants(t, jsqlib.Model{Servers: 2, Gap: 0.1, Service: base, Arrivals: bursts}))
		sum := 0.0
		for n := 1; n <= 25; n++ {
			h, power := 0.0, jsqlib.PMF{1}
			for range 1500 {
				below := 0.0
				for k := 0; k < n && k < len(power); k++ {
					below += power[k]
				}
				if h += below; below < 1e-18 {
					break
				}
				power = power.Convolve(base)
				power = power[:min(len(power), n)]
			}
			sum += h - 1
			if got := s.upTo(int64(n)); math.Abs(got-sum) > 1e-11*(1+sum) {
				t.Fatalf("service %v: sum to %d of h - 1 = %v, want %v", base, n, got, sum)
			}
		}
	}
	// the sum at passage is n + s_s^2/2 + o(1) on average, and by Wald's identity
	// so is h(n); the table grows as far as it is asked
	s := newSojourn(constants(t, jsqlib.Model{Servers: 2, Gap: 0.1, Service: skewed}))
	if h := s.upTo(100_000) - s.upTo(99_999) + 1; math.Abs(h-(100_000+0.8/2)) > 1e-5 {
		t.Errorf("h(100000) = %v", h)
	}
}

// TestStreams: streams differ by seed, task and replication, and by nothing
// else.
func TestStreams(t *testing.T) {
	alone(t)
	first := map[uint64]string{}
	for seed := range uint64(3) {
		for _, task := range []string{"a", "a/1", "b"} {
			for r := range 3 {
				name := fmt.Sprint(seed, task, r)
				x := reps.Stream("jsqlab", seed, task, r).Uint64()
				if y := reps.Stream("jsqlab", seed, task, r).Uint64(); x != y {
					t.Errorf("%s starts with %d, then with %d", name, x, y)
				}
				if other, ok := first[x]; ok {
					t.Errorf("%s and %s are one stream", name, other)
				}
				first[x] = name
			}
		}
	}
}

// TestDecide: 32 bits decide a step of continuous time as any 64 more would, and
// where they do not, the event is that of all 96 bits.
func TestDecide(t *testing.T) {
	alone(t)
	rng := rand.New(rand.NewPCG(3, 1))
	exact := func(u, v, servers, cut uint64) int64 {
		x := new(big.Int).Lsh(new(big.Int).SetUint64(u), 64)
		x.Mul(x.Add(x, new(big.Int).SetUint64(v)), new(big.Int).SetUint64(servers))
		server := new(big.Int).Rsh(x, 96)
		// x/2^96 - server < cut/2^64
		if x.Sub(x, new(big.Int).Lsh(server, 96)).Cmp(new(big.Int).Lsh(new(big.Int).SetUint64(cut), 32)) < 0 {
			return arrival
		}
		return server.Int64()
	}
	unsure := 0
	for range 200_000 {
		servers := uint64(1 + rng.IntN(1<<rng.IntN(31)))
		cut := rng.Uint64() >> (1 + rng.IntN(40))
		u := uint64(rng.Uint32())
		// half of the numbers near the cut of a server, or near the next server
		if k := uint64(rng.Int64N(int64(servers))); rng.IntN(2) == 0 {
			u = (k<<32 + cut>>32*uint64(rng.IntN(2))) / servers
			u = (u + uint64(rng.IntN(5)) - 2) & math.MaxUint32
		}
		event, sure := decide(u, servers, uint32(cut>>32))
		if !sure {
			unsure++
		}
		for _, v := range []uint64{0, rng.Uint64(), math.MaxUint64} {
			want := exact(u, v, servers, cut)
			if got := decideLong(u, v, servers, cut); got != want {
				t.Fatalf("u = %d, v = %d, N = %d, cut = %d: event %d, want %d", u, v, servers, cut, got, want)
			}
			if sure && event != want {
				t.Fatalf("u = %d, N = %d, cut = %d: event %d, but %d if %d follows", u, servers, cut, event, want, v)
			}
		}
	}
	if unsure < 10_000 || unsure > 150_000 {
		t.Errorf("%d numbers of 200000 did not decide", unsure)
	}
}
