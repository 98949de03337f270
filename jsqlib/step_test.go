package jsqlib

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/combin"

	"jsqlab/jsqlib/internal/near"
)

// randomSystem draws N, gap, pmfs, routing and policy.
func randomSystem(r *rand.Rand) (Model, Constants) {
	for {
		s := Model{Servers: 1 + r.IntN(7), Gap: 0.01 + 0.9*r.Float64(), Routing: Routing(r.IntN(2)),
			Arrivals: randomPMF(r, 1+r.IntN(7)), Service: randomPMF(r, 1+r.IntN(5))}
		if s.Policy.Choices = r.IntN(s.Servers + 1); s.Policy.Choices > 0 {
			s.Policy.Rule = []Rule{PodReplacement, Pod}[r.IntN(2)]
		}
		if c, err := s.Constants(); err == nil {
			return s, c
		}
	}
}

// TestStep holds every slot of random systems against what is true for sure.
func TestStep(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 150 {
		s, c := randomSystem(r)
		q := make([]int64, s.Servers)
		for i := range q {
			q[i] = int64(r.IntN(6))
		}
		for range 200 {
			before := slices.Clone(q)
			slot := s.Step(c, q, r)
			if err := slot.Check(); err != nil {
				t.Fatalf("%+v from %v: %v", s, q, err)
			}
			if !slices.Equal(q, before) || !slices.Equal(slot.Before, before) {
				t.Fatalf("%+v: Step changed q = %v to %v (Before %v)", s, before, q, slot.Before)
			}
			dot := int64(0)
			for i := range q {
				dot += slot.After[i] * slot.Unused[i]
				if a, v := slot.Arrivals[i], slot.Service[i]; a < 0 || v < 0 || v > int64(c.SMax) || c.Service[v] == 0 {
					t.Fatalf("%+v: a = %v, s = %v", s, slot.Arrivals, slot.Service)
				}
			}
			if dot != 0 {
				t.Fatalf("%+v: <q^+, u> = %d", s, dot)
			}
			if Total(slot.After) != Total(q)+Total(slot.Arrivals)-Total(slot.Service)+Total(slot.Unused) {
				t.Fatalf("%+v: totals do not balance in %+v", s, slot)
			}
			if Total(slot.Arrivals) > int64(c.N*c.AMax) {
				t.Fatalf("%+v: %d arrivals", s, Total(slot.Arrivals))
			}
			routed(t, s, q, slot.Arrivals)
			q = slot.After
		}
	}
}

// routed fails unless the arrivals a went where the system sends them.
func routed(t *testing.T, s Model, q, a []int64) {
	t.Helper()
	joined := 0
	for _, k := range a {
		if k > 0 {
			joined++
		}
	}
	if s.Routing == Batch && joined > 1 {
		t.Fatalf("batch %v joined %d queues", a, joined)
	}
	if !s.JSQ() {
		return
	}
	after := make([]int64, len(q))
	for i := range q {
		after[i] = q[i] + a[i]
	}
	for i, k := range a {
		switch {
		case k == 0:
		case s.Routing == Batch && q[i] != slices.Min(q):
			t.Fatalf("batch %v joined a queue that is no minimum of %v", a, q)
		case s.Routing == Job && after[i] > slices.Min(after)+1:
			// the last job to join found the queue at after[i]-1, a minimum
			t.Fatalf("jobs %v to %v do not fill the lowest first", a, q)
		}
	}
}

// TestCheckFails: any entry of a slot that is off by one is found, and each of
// the four identities is found by its own slot.
func TestCheckFails(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	for range 300 {
		s, c := randomSystem(r)
		slot := s.Step(c, make([]int64, s.Servers), r)
		for _, x := range [][]int64{slot.Before, slot.Arrivals, slot.Service, slot.Unused, slot.After} {
			for _, d := range []int64{-1, 1} {
				i := r.IntN(len(x))
				x[i] += d
				if slot.Check() == nil {
					t.Fatalf("%+v passes", slot)
				}
				x[i] -= d
			}
		}
		if err := slot.Check(); err != nil {
			t.Fatal(err)
		}
	}
	v := func(x int64) []int64 { return []int64{2, x} }
	good := []int64{2, 2}
	for _, c := range []struct {
		before, arrivals, service, unused, after int64
		says                                     string
	}{
		{3, 1, 1, 0, 4, "jsqlib: slot: q^+ = q + a - s + u fails at server 1"},
		{3, 1, 2, 1, 3, "jsqlib: slot: q^+ u = 3 at server 1, want 0"},
		{3, 0, 2, -1, 0, "jsqlib: slot: u = -1 at server 1, want 0 <= u <= s = 2"},
		{0, -3, 2, 5, 0, "jsqlib: slot: u = 5 at server 1, want 0 <= u <= s = 2"},
		{0, 1, 2, 0, -1, "jsqlib: slot: q^+ = -1 at server 1, want >= 0"},
	} {
		slot := Slot{v(c.before), []int64{1, c.arrivals}, []int64{1, c.service}, []int64{0, c.unused}, v(c.after)}
		if err := slot.Check(); err == nil || err.Error() != c.says {
			t.Errorf("%+v: %v, want %q", slot, err, c.says)
		}
	}
	if err := (Slot{good, good, good, []int64{0, 0}, good}).Check(); err != nil {
		t.Error(err)
	}
}

// TestServe writes out the recursion.
func TestServe(t *testing.T) {
	q, a, s := []int64{3, 0, 1, 5}, []int64{0, 4, 0, 0}, []int64{1, 2, 2, 5}
	slot := Serve(q, a, s)
	if !slices.Equal(slot.After, []int64{2, 2, 0, 0}) || !slices.Equal(slot.Unused, []int64{0, 0, 1, 0}) {
		t.Errorf("Serve = %+v", slot)
	}
	if !slices.Equal(q, []int64{3, 0, 1, 5}) || !slices.Equal(a, []int64{0, 4, 0, 0}) || !slices.Equal(s, []int64{1, 2, 2, 5}) {
		t.Error("Serve changed its inputs")
	}
}

// TestRouteTies: ties are uniform, and where there is none no random word is
// spent.
func TestRouteTies(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	q := []int64{2, 1, 4, 1, 1, 3}
	for _, s := range []Model{{Servers: 6}, {Servers: 6, Policy: Policy{Rule: Pod, Choices: 6}}, {Servers: 6, Routing: Job}} {
		counts := make([]int, 6)
		for range 30_000 {
			a := int64(5)
			if s.Routing == Job {
				a = 1
			}
			in := s.Route(q, a, r)
			i := slices.IndexFunc(in, func(k int64) bool { return k > 0 })
			if Total(in) != a || in[i] != a {
				t.Fatalf("Route(%v, %d) = %v", q, a, in)
			}
			counts[i]++
		}
		if p := chiSquare(counts, []float64{0, 1. / 3, 0, 1. / 3, 1. / 3, 0}); p < unlikely {
			t.Errorf("%+v: ties went to %v, p-value %g", s, counts, p)
		}
	}
	if !slices.Equal(q, []int64{2, 1, 4, 1, 1, 3}) {
		t.Errorf("Route changed q to %v", q)
	}
	a, b := rand.New(rand.NewPCG(9, 9)), rand.New(rand.NewPCG(9, 9))
	Model{Servers: 3}.Route([]int64{2, 1, 3}, 7, a)
	if a.Uint64() != b.Uint64() {
		t.Error("a choice without a tie drew a random number")
	}
	if in := (Model{Servers: 2}).Route([]int64{1, 0}, 0, a); Total(in) != 0 || len(in) != 2 {
		t.Errorf("no arrivals were routed as %v", in)
	}
}

// TestRouteJobsFill: jobs one by one fill the queues like a vessel.
func TestRouteJobsFill(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	s := Model{Servers: 4, Routing: Job}
	for _, c := range []struct {
		q    []int64
		a    int64
		want []int64 // sorted q + a
	}{
		{[]int64{0, 0, 0, 0}, 9, []int64{2, 2, 2, 3}},
		{[]int64{5, 0, 0, 0}, 7, []int64{2, 2, 3, 5}},
		{[]int64{5, 1, 3, 0}, 3, []int64{2, 2, 3, 5}},
		{[]int64{9, 9, 9, 9}, 1, []int64{9, 9, 9, 10}},
		{[]int64{0, 3, 0, 3}, 100, []int64{26, 26, 27, 27}},
	} {
		in := s.Route(c.q, c.a, r)
		got := make([]int64, 4)
		for i := range got {
			got[i] = c.q[i] + in[i]
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%d jobs to %v: %v, want %v", c.a, c.q, got, c.want)
		}
	}
	// 2 jobs to 3 empty queues: each pair of queues is as likely
	counts := make([]int, 3)
	for range 30_000 {
		in := Model{Servers: 3, Routing: Job}.Route([]int64{0, 0, 0}, 2, r)
		counts[slices.Index(in, 0)]++
	}
	if p := chiSquare(counts, []float64{1. / 3, 1. / 3, 1. / 3}); p < unlikely {
		t.Errorf("the queue left out was %v, p-value %g", counts, p)
	}
}

// TestRoutePod: d distinct servers are sampled, so that the shortest of them
// has rank k with probability C(N-1-k, d-1)/C(N, d), and equal queues are
// joined uniformly.
func TestRoutePod(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	const n = 6
	q := []int64{3, 0, 5, 1, 4, 2} // the rank of each server
	for i := range 4 * n {
		d, routing, again := 1+i/4, Routing(i/2%2), i%2 == 1
		s := Model{Servers: n, Policy: Policy{Rule: []Rule{Pod, PodReplacement}[i%2], Choices: d}, Routing: routing}
		want, flat, counts, even := make([]float64, n), make([]float64, n), make([]int, n), make([]int, n)
		for k := range want {
			if again {
				want[k] = math.Pow(float64(n-k)/n, float64(d)) - math.Pow(float64(n-1-k)/n, float64(d))
			} else if n-1-k >= d-1 {
				want[k] = float64(combin.Binomial(n-1-k, d-1)) / float64(combin.Binomial(n, d))
			}
			flat[k] = 1. / n
		}
		for k, p := range s.Policy.Ranks(n) {
			if math.Abs(p-want[k]) > 1e-15 {
				t.Errorf("%v: rank %d has probability %v, want %v", s.Policy, k, p, want[k])
			}
		}
		for range 20_000 {
			counts[q[slices.Index(s.Route(q, 1, r), 1)]]++
			even[slices.Index(s.Route([]int64{7, 7, 7, 7, 7, 7}, 1, r), 1)]++
		}
		if p := chiSquare(counts, want); p < unlikely {
			t.Errorf("%v, %v: ranks %v, want %v, p-value %g", s.Policy, routing, counts, want, p)
		}
		if p := chiSquare(even, flat); p < unlikely {
			t.Errorf("%v, %v: equal queues were joined %v times, p-value %g", s.Policy, routing, even, p)
		}
	}
}

// TestStepMoments: mean and variance of X = A - S are -eps and v.
func TestStepMoments(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 6))
	for _, s := range []Model{
		{Servers: 3, Gap: 0.2},
		{Servers: 5, Gap: 0.4, Arrivals: PMF{0.3, 0.5, 0.1, 0.1}, Service: PMF{0, 1}, Routing: Job},
		{Servers: 2, Gap: 0.05, Arrivals: PMF{0.75, 0, 0, 0, 0.25}, Service: Binomial(5), Policy: Policy{Rule: Pod, Choices: 1}},
	} {
		c, err := s.Constants()
		if err != nil {
			t.Fatal(err)
		}
		const slots = 100_000
		m, m2 := 0.0, 0.0
		q := make([]int64, s.Servers)
		for range slots {
			slot := s.Step(c, q, r)
			x := float64(Total(slot.Arrivals) - Total(slot.Service))
			m += x / slots
			m2 += (x + c.Eps) * (x + c.Eps) / slots
		}
		if d := math.Abs(m+c.Eps) / math.Sqrt(c.V/slots); d > 4.5 {
			t.Errorf("%+v: E X = %v, want %v (%.1f standard errors)", s, m, -c.Eps, d)
		}
		// the variance of (X + eps)^2 is below 4 v^2 here (kurtosis below 5)
		if d := math.Abs(m2-c.V) / (2 * c.V / math.Sqrt(slots)); d > 4.5 {
			t.Errorf("%+v: Var X = %v, want %v", s, m2, c.V)
		}
	}
}

// TestCTStep counts the transitions from one state.
func TestTick(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 7))
	q := []int64{2, 0, 3, 0, 1}
	for _, c := range []struct {
		policy Policy
		join   []float64 // law of the server joined
	}{
		{Policy{}, []float64{0, 0.5, 0, 0.5, 0}},
		{Policy{Rule: Pod, Choices: 5}, []float64{0, 0.5, 0, 0.5, 0}},
		{Policy{Rule: Pod, Choices: 1}, []float64{0.2, 0.2, 0.2, 0.2, 0.2}},
		{Policy{Rule: PodReplacement, Choices: 1}, []float64{0.2, 0.2, 0.2, 0.2, 0.2}},
		// of 10 pairs: 7 hold a server of an empty queue, one of them both
		{Policy{Rule: Pod, Choices: 2}, []float64{0.1, 0.35, 0, 0.35, 0.2}},
		// of 25 draws: 16 hold one, 5 have one job as the least, 3 two
		{Policy{Rule: PodReplacement, Choices: 2}, []float64{0.12, 0.32, 0.04, 0.32, 0.2}},
	} {
		s := Model{Continuous: true, Servers: 5, Gap: 0.3, Policy: c.policy}
		k, err := s.Constants()
		if err != nil {
			t.Fatal(err)
		}
		counts, want := make([]int, 15), make([]float64, 15)
		for i := range q {
			want[5*int(Arrival)+i] = 0.7 / 1.7 * c.join[i]
			ev := Departure
			if q[i] == 0 {
				ev = Idle
			}
			want[5*int(ev)+i] = 1 / 1.7 / 5
		}
		for range 60_000 {
			next, ev, server := s.Tick(k, q, r)
			counts[5*int(ev)+server]++
			next[server] += map[Event]int64{Arrival: -1, Departure: 1, Idle: 0}[ev]
			if !slices.Equal(next, q) {
				t.Fatalf("event %d at server %d changed more than that: off by %v", ev, server, next)
			}
		}
		if p := chiSquare(counts, want); p < unlikely {
			t.Errorf("%v: transitions %v, want %v, p-value %g", c.policy, counts, want, p)
		}
	}
	if !slices.Equal(q, []int64{2, 0, 3, 0, 1}) {
		t.Errorf("Tick changed q to %v", q)
	}
}

func TestPerp(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	for range 500 {
		q := make([]int64, 1+r.IntN(9))
		level := []int64{0, 0, 1000, 1 << 40}[r.IntN(4)]
		sum, squares := 0.0, 0.0
		for i := range q {
			d := int64(r.IntN(50))
			q[i] = level + d
			sum += float64(d)
			squares += float64(d * d)
		}
		n := float64(len(q))
		before := slices.Clone(q)
		near.Rel(t, fmt.Sprintf("Parallel(%v)", q), Parallel(q), float64(level)+sum/n, 1e-15)
		p := Perp(q)
		dot, norm := 0.0, 0.0
		for i := range p {
			near.Abs(t, fmt.Sprintf("Perp(%v)[%d]", q, i), p[i], float64(q[i]-level)-sum/n, 1e-15*float64(level)+1e-12)
			dot += p[i]
			norm += p[i] * p[i]
		}
		near.Abs(t, fmt.Sprintf("<Perp(%v), 1>", q), dot, 0, 1e-14*n*float64(level)+1e-11)
		got := PerpNorm2(q)
		near.Abs(t, fmt.Sprintf("PerpNorm2(%v)", q), got, squares-sum*sum/n, 1e-12*squares)
		if level <= 1000 {
			near.Abs(t, fmt.Sprintf("PerpNorm2(%v) from Perp", q), got, norm, 1e-9)
		}
		if !slices.Equal(q, before) {
			t.Fatal("q changed")
		}
	}
}

// TestPerpNorm2HugeLevel: a common level leaves no trace, though its square is
// beyond int64.
func TestPerpNorm2HugeLevel(t *testing.T) {
	q := []int64{0, 7, 3, 3, 12}
	want := PerpNorm2(q)
	if want != 86 { // 0 + 49 + 9 + 9 + 144 - 25^2/5
		t.Fatalf("PerpNorm2(%v) = %v, want 86", q, want)
	}
	for _, level := range []int64{1, 1 << 33, 1 << 53, 1 << 61} {
		up := slices.Clone(q)
		for i := range up {
			up[i] += level
		}
		if got := PerpNorm2(up); got != want {
			t.Errorf("at level %d: %v, want %v", level, got, want)
		}
	}
	for _, level := range []int64{0, 1 << 61} {
		if got := PerpNorm2([]int64{level, level, level}); got != 0 {
			t.Errorf("equal queues at %d: %v, want 0", level, got)
		}
	}
}

// TestInvalidIsWhatItSays pins the form of the message.
func TestInvalidIsWhatItSays(t *testing.T) {
	e := &Invalid{What: "alpha", Got: "-1", Want: "alpha > 0"}
	if e.Error() != "alpha = -1: want alpha > 0" {
		t.Errorf("%q", e.Error())
	}
	if all := (&Invalid{What: "2 points", Want: "at least 3"}); all.Error() != "2 points: want at least 3" {
		t.Errorf("%q", all.Error())
	}
	_, err := Model{Servers: 3, Alpha: -1}.Constants()
	if wrapped := fmt.Errorf("study: %w", err); !strings.HasSuffix(wrapped.Error(), e.Error()) {
		t.Errorf("%q", wrapped)
	}
	oneLine(t, fmt.Errorf("%w", err), "alpha", "-1")
}

// Join makes the queues that Route makes, up to the order of servers.
func TestJoin(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 7))
	for range 2000 {
		s := Model{Servers: 1 + r.IntN(6), Routing: Routing(r.IntN(2))}
		q := make([]int64, s.Servers)
		for i := range q {
			q[i] = int64(r.IntN(7))
		}
		a := int64(r.IntN(20))
		x := append([]int64(nil), q...)
		s.Routing.Join(x, a)
		y := s.Route(q, a, r)
		for i := range y {
			y[i] += q[i]
		}
		if Total(x) != Total(y) || math.Abs(PerpNorm2(x)-PerpNorm2(y)) > 1e-9 {
			t.Fatalf("%v and %d jobs by %v: %v, Route gives %v", q, a, s.Routing, x, y)
		}
	}
}
