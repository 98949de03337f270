package jsqlib

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"jsqlab/jsqlib/internal/near"
)

func TestConstantsRefuse(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	one := PMF{0, 1}
	for _, c := range []struct {
		s               Model
		field, fragment string
	}{
		{Model{Gap: 0.1}, "servers", "servers = 0: want 1 <= servers <= 100000"},
		{Model{Servers: -4, Gap: 0.1}, "servers", "servers = -4: want 1 <= servers"},
		{Model{Servers: MaxServers + 1, Gap: 0.1}, "servers", "servers = 100001: want 1 <= servers <= 100000"},
		{Model{Servers: math.MaxInt, Gap: 0.1}, "servers", "<= 100000"},
		{Model{Servers: 4, Alpha: -1}, "alpha", "alpha = -1: want alpha > 0"},
		{Model{Servers: 4, Alpha: nan}, "alpha", "alpha = NaN: want alpha > 0"},
		{Model{Servers: 4, Alpha: inf}, "alpha", "alpha = +Inf: want alpha > 0"},
		{Model{Servers: 4, Alpha: -inf}, "alpha", "alpha = -Inf: want alpha > 0"},
		{Model{Servers: 4, Alpha: 1e-18}, "alpha", "alpha = 1e-18: want 1 - N^(-alpha) >= 1e-09, the smallest load (got 0)"},
		{Model{Servers: 4}, "gap", "want exactly one of alpha > 0 and 0 < gap < 1"},
		{Model{Servers: 4, Gap: 1}, "gap", "gap = 1: want 0 < gap < 1"},
		{Model{Servers: 4, Gap: 1.5}, "gap", "gap = 1.5: want 0 < gap < 1"},
		{Model{Servers: 4, Gap: -0.1}, "gap", "gap = -0.1: want 0 < gap < 1"},
		{Model{Servers: 4, Gap: nan}, "gap", "gap = NaN: want 0 < gap < 1"},
		{Model{Servers: 4, Gap: inf}, "gap", "gap = +Inf: want 0 < gap < 1"},
		{Model{Servers: 4, Gap: 1e-151}, "gap", "gap = 1e-151: want gap >= 1e-150"},
		{Model{Servers: 4, Gap: 5e-324}, "gap", "want gap >= 1e-150"},
		{Model{Servers: 10, Alpha: 151}, "alpha", "alpha = 151: want N^(-alpha) >= 1e-150"},
		{Model{Servers: 10, Alpha: 1e300}, "alpha", "want N^(-alpha) >= 1e-150"},
		{Model{Servers: 4, Alpha: 2, Gap: 0.1}, "gap", "gap = 0.1 and alpha = 2: want exactly one of alpha and gap"},
		{Model{Servers: 1, Alpha: 2}, "alpha", "alpha = 2 with servers = 1: want gap instead"},
		{Model{Servers: 4, Alpha: 1e-12}, "alpha", "alpha = 1e-12: want 1 - N^(-alpha) >= 1e-09, the smallest load (got 1.39e-12)"},
		{Model{Servers: 4, Gap: 1 - 1e-10}, "gap", "gap = 0.9999999999: want 1 - gap >= 1e-09, the smallest load"},
		{Model{Servers: 1, Gap: 1 - 0x1p-53}, "gap", "gap = 0.9999999999999999: want 1 - gap >= 1e-09, the smallest load"},
		{Model{Servers: 4, Gap: 0.1, Routing: 2}, "routing", "routing = 2: want batch or job"},
		{Model{Servers: 4, Gap: 0.1, Routing: -1}, "routing", "routing = -1: want batch or job"},
		{Model{Servers: 4, Gap: 0.1, Policy: Policy{Rule: Pod, Choices: 5}}, "policy", "policy = pod:5: want jsq, pod:D or pod:D:replacement with 1 <= D <= servers = 4"},
		{Model{Servers: 4, Gap: 0.1, Policy: Policy{Rule: Pod, Choices: -1}}, "policy", "policy = pod:-1: want jsq, pod:D"},
		{Model{Servers: 4, Gap: 0.1, Policy: Policy{Rule: PodReplacement, Choices: 5}}, "policy", "policy = pod:5:replacement: want jsq, pod:D"},
		{Model{Servers: 4, Gap: 0.1, Policy: Policy{Choices: 2}}, "policy", "policy = jsq with 2 choices: want jsq, pod:D"},
		{Model{Servers: 4, Gap: 0.1, Policy: Policy{Rule: 7, Choices: 2}}, "policy", "policy = Rule(7): want jsq, pod:D"},
		{Model{Servers: 4, Gap: 0.1, Policy: Policy{Rule: Pod}}, "policy", "policy = pod:0: want jsq, pod:D"},
		{Model{Continuous: true, Servers: 4, Gap: 0.1, Routing: Job}, "model", "continuous time"},
		{Model{Continuous: true, Servers: 4, Gap: 0.1, Service: Binomial(2)}, "model", "continuous time"},
		{Model{Servers: 4, Gap: 0.1, Arrivals: one, Service: one}, "service", "deterministic, with deterministic arrivals: want variance"},
		{Model{Servers: 1, Gap: 0.1, Arrivals: one, Service: PMF{0, 1, 0}}, "service", "want variance"},
	} {
		_, err := c.s.Constants()
		oneLine(t, err, c.field, c.fragment)
		if c.s.Routing == Batch && c.s.Service == nil { // continuous time says the same
			c.s.Continuous = true
			_, err = c.s.Constants()
			oneLine(t, err, c.field, c.fragment)
		}
	}
}

func TestConstantsAccept(t *testing.T) {
	for _, s := range []Model{
		{Servers: 1, Gap: 0.5},
		{Servers: 1, Gap: MinGap},
		{Servers: MaxServers, Alpha: 20},
		{Servers: 2, Alpha: 0.01},
		{Servers: 4, Gap: 1 - MinLoad},
		{Servers: 1, Gap: 1 - MinLoad},
		{Servers: 4, Gap: 0.1, Policy: Policy{Rule: Pod, Choices: 1}},
		{Servers: 4, Gap: 0.1, Policy: Policy{Rule: Pod, Choices: 4}, Routing: Job},
		{Servers: 4, Gap: 0.1, Policy: Policy{Rule: PodReplacement, Choices: 4}},
		{Servers: 1, Gap: 0.1, Policy: Policy{Rule: PodReplacement, Choices: 1}},
		{Servers: 4, Gap: 0.1, Arrivals: PMF{0, 1}},
		{Servers: 4, Gap: 0.1, Service: PMF{0, 1}},
	} {
		if _, err := s.Constants(); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
		if _, err := (Model{Continuous: true, Servers: s.Servers, Alpha: s.Alpha, Gap: s.Gap, Policy: s.Policy}).Constants(); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// TestConstants holds the constants against their definitions.
func TestConstants(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range 300 {
		s := Model{Servers: 2 + r.IntN(40), Gap: math.Exp(-40 * r.Float64()),
			Arrivals: randomPMF(r, 1+r.IntN(6)), Service: append(randomPMF(r, 1+r.IntN(6)), 0)}
		c, err := s.Constants()
		if err != nil { // both deterministic
			if s.Arrivals.Variance()+s.Service.Variance() > 1e-9 {
				t.Errorf("%+v: %v", s, err)
			}
			continue
		}
		n, e := float64(s.Servers), s.Gap
		b2, ss := s.Arrivals.Variance(), s.Service.Variance()
		sa := s.Arrivals.Thin(e).Variance()
		m := (b2 + ss) / 2
		for _, x := range []struct {
			name      string
			got, want float64
		}{
			{"Gap", c.Gap, e},
			{"Eps", c.Eps, n * e},
			{"Lambda", c.Lambda, n * s.Arrivals.Thin(e).Mean()},
			{"Lambda + Eps", c.Lambda + c.Eps, n},
			{"N^(-Alpha)", math.Pow(n, -c.Alpha), e},
			{"ArrivalVar", c.ArrivalVar, sa},
			{"ServiceVar", c.ServiceVar, ss},
			{"V", c.V, n * (sa + ss)},
			{"LimitMean", c.LimitMean, m},
			{"MeanN", c.MeanN, c.V / (2 * n)},
			{"MeanN - MeanShift", c.MeanN - c.MeanShift, m},
			{"Relaxation", c.Relaxation(), 2 * n * (sa + ss) / (n * e * n * e)},
		} {
			near.Abs(t, fmt.Sprintf("%+v: %s", s, x.name), x.got, x.want, 1e-12*math.Abs(x.want)+1e-15)
		}
		if c.N != s.Servers || c.AMax != s.Arrivals.Max() || c.SMax != s.Service.Max() {
			t.Errorf("%+v: N, AMax, SMax = %d, %d, %d", s, c.N, c.AMax, c.SMax)
		}
		if !slices.Equal(c.Arrivals, s.Arrivals.Thin(e)) || !slices.Equal(c.Service, s.Service[:c.SMax+1]) {
			t.Errorf("%+v: laws %v and %v", s, c.Arrivals, c.Service)
		}
	}
}

// TestMeanShift holds m_N - m against 1200-digit arithmetic: gaps at which the
// difference of the two float64 is 0 must still give all digits, and at
// b^2 = 1/2, where the term of first order in e vanishes, those of -e^2/4.
func TestMeanShift(t *testing.T) {
	num := func(x float64) *big.Float { return new(big.Float).SetPrec(4000).SetFloat64(x) }
	op := func(f func(z, x, y *big.Float) *big.Float, x, y *big.Float) *big.Float {
		return f(new(big.Float).SetPrec(4000), x, y)
	}
	mul, add, sub := (*big.Float).Mul, (*big.Float).Add, (*big.Float).Sub
	for _, base := range []PMF{nil, {0, 1}, Binomial(9), {0.5, 0, 0.5}, {0.3, 0.5, 0.1, 0.1}} {
		for _, e := range []float64{0.9, 0.25, 1e-3, 1e-15, 1e-60, 1e-149} {
			c, err := Model{Servers: 7, Gap: e, Arrivals: base}.Constants()
			if err != nil {
				t.Fatal(err)
			}
			b2 := Binomial(2).Variance()
			if base != nil {
				b2 = base.Variance()
			}
			// ((1-e)^2 b^2 + e (1-e) - b^2)/2
			one, x := num(1), num(e)
			keep := op(sub, one, x)
			want := op(sub, op(add, op(mul, op(mul, keep, keep), num(b2)), op(mul, x, keep)), num(b2))
			want = op(mul, want, num(0.5))
			w, _ := want.Float64()
			near.Abs(t, fmt.Sprintf("base %v, e = %g: MeanShift", base, e), c.MeanShift, w, 4e-16*(e*math.Abs(1-2*b2)+e*e))
		}
	}
}

// TestReferenceSystem writes out the constants of the zero fields.
func TestReferenceSystem(t *testing.T) {
	c, err := Model{Servers: 100, Alpha: 2}.Constants()
	if err != nil {
		t.Fatal(err)
	}
	// e = 10^-4: s_a^2 = (1-e)^2/2 + e(1-e) = (1-e^2)/2
	for _, x := range []struct {
		name      string
		got, want float64
	}{
		{"Gap", c.Gap, 1e-4}, {"Eps", c.Eps, 1e-2}, {"Lambda", c.Lambda, 99.99}, {"ArrivalVar", c.ArrivalVar, (1 - 1e-8) / 2},
		{"ServiceVar", c.ServiceVar, 0.5}, {"LimitMean", c.LimitMean, 0.5}, {"V", c.V, 100 * (1 - 0.5e-8)},
		{"MeanN", c.MeanN, 0.5 - 0.25e-8}, {"MeanShift", c.MeanShift, -0.25e-8}, {"Alpha", c.Alpha, 2},
	} {
		near.Rel(t, x.name, x.got, x.want, 1e-14)
	}
	if c.AMax != 2 || c.SMax != 2 || c.N != 100 {
		t.Errorf("AMax, SMax, N = %d, %d, %d", c.AMax, c.SMax, c.N)
	}
	// Alpha and Gap say the same
	d, err := Model{Servers: 100, Gap: 1e-4}.Constants()
	if err != nil {
		t.Fatal(err)
	}
	near.Abs(t, "Alpha by gap", d.Alpha, 2, 1e-14)
	near.Abs(t, "MeanShift by gap", d.MeanShift, c.MeanShift, 1e-14*1e-8)
	// alpha says nothing for one server
	if d, err = (Model{Servers: 1, Gap: 0.5}).Constants(); err != nil || d.Alpha != 0 || d.Eps != 0.5 {
		t.Errorf("N = 1: %+v, %v", d, err)
	}
}

func TestCTConstants(t *testing.T) {
	c, err := Model{Continuous: true, Servers: 10, Alpha: 3}.Constants()
	if err != nil {
		t.Fatal(err)
	}
	if c.N != 10 || c.LimitMean != 1 || c.Alpha != 3 {
		t.Errorf("%+v", c)
	}
	near.Abs(t, "Gap", c.Gap, 1e-3, 1e-18)
	near.Abs(t, "Load", c.Load, 0.999, 1e-15)
	near.Abs(t, "Relaxation", c.Relaxation(), 2*1.999/10/1e-6, 1e-6)
	near.Abs(t, "V", c.V, 10*(c.ArrivalVar+c.ServiceVar), 1e-14)
	near.Abs(t, "MeanN", c.MeanN, c.V/20, 1e-15)
}

// TestConstantsKeepInputs: a Model is a value, and its pmfs are read only.
func TestConstantsKeepInputs(t *testing.T) {
	s := Model{Servers: 3, Gap: 0.2, Arrivals: PMF{0.5, 0, 0.5, 0}, Service: PMF{0.25, 0.5, 0.25, 0}}
	a, v := slices.Clone(s.Arrivals), slices.Clone(s.Service)
	c, err := s.Constants()
	if err != nil {
		t.Fatal(err)
	}
	s.Step(c, []int64{1, 2, 3}, rand.New(rand.NewPCG(1, 1)))
	if !slices.Equal(a, s.Arrivals) || !slices.Equal(v, s.Service) {
		t.Errorf("inputs became %v and %v", s.Arrivals, s.Service)
	}
}

func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		Batch.String(): "batch", Job.String(): "job", Routing(7).String(): "Routing(7)",
		Policy{}.String(): "jsq", Policy{Rule: Pod, Choices: 2}.String(): "pod:2",
		Policy{Rule: PodReplacement, Choices: 12}.String(): "pod:12:replacement",
	} {
		if got != want {
			t.Errorf("name %q, want %q", got, want)
		}
	}
	for _, c := range []struct {
		servers int
		policy  string
		jsq     bool
	}{
		{4, "jsq", true}, {4, "pod:1", false}, {4, "pod:3", false}, {4, "pod:4", true},
		{4, "pod:4:replacement", false}, {4, "pod:1:replacement", false}, {1, "pod:1:replacement", true},
	} {
		p, err := ParsePolicy(c.policy)
		if err != nil || p.String() != c.policy {
			t.Errorf("%s is read as %v, %v", c.policy, p, err)
		}
		if (Model{Servers: c.servers, Policy: p}).JSQ() != c.jsq || (Model{Continuous: true, Servers: c.servers, Policy: p}).JSQ() != c.jsq {
			t.Errorf("JSQ with %v of %d is not %v", p, c.servers, c.jsq)
		}
	}
	for _, text := range []string{"", "JSQ", "pod", "pod:", "pod:0", "pod:-1", "pod:+2", "pod:02", "pod:2.0", "pod:x", "pod:2:",
		"pod:2:Replacement", "pod:2:replacement:replacement", "pod:99999999999999999999", "jsq:replacement", ":replacement", " pod:2"} {
		p, err := ParsePolicy(text)
		oneLine(t, err, "policy", strconv.Quote(text)+": want jsq, pod:D or pod:D:replacement")
		if p != (Policy{}) {
			t.Errorf("%q is read as %v", text, p)
		}
	}
}

// TestRanks: the ranks are a law, however many servers, and more choices join
// shorter queues.
func TestRanks(t *testing.T) {
	for _, n := range []int{1, 2, 7, 1000, MaxServers} {
		for _, again := range []bool{false, true} {
			before := math.Inf(1)
			for _, d := range []int{1, 2, 3, n - n/4, n} {
				if d > n {
					continue
				}
				p := Policy{Rule: Pod, Choices: d}
				if again {
					p.Rule = PodReplacement
				}
				sum, mean := 0.0, 0.0
				for k, x := range p.Ranks(n) {
					if x < 0 || math.IsNaN(x) {
						t.Fatalf("N = %d, %v: P(rank %d) = %v", n, p, k, x)
					}
					sum += x
					mean += float64(k) * x
				}
				if math.Abs(sum-1) > 1e-10 {
					t.Errorf("N = %d, %v: the ranks sum to %v", n, p, sum)
				}
				if mean > before {
					t.Errorf("N = %d, %v: mean rank %v, but %v with fewer choices", n, p, mean, before)
				}
				if before = mean; !again { // the least of d distinct of N ranks
					if want := float64(n-d) / float64(d+1); math.Abs(mean-want) > 1e-9*float64(n) {
						t.Errorf("N = %d, %v: mean rank %v, want %v", n, p, mean, want)
					}
				}
			}
		}
	}
}
