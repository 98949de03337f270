package exact

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"jsqlab/jsqlib"
)

func modelOf(t *testing.T, sys jsqlib.Model) *model {
	t.Helper()
	c, err := sys.Constants()
	if err != nil {
		t.Fatal(err)
	}
	m, err := newModel(sys, c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func solveAt(t *testing.T, m *model, prune float64, ceiling int) (*phases, *solution) {
	t.Helper()
	ph := newPhases(m)
	ph.limit = 1_000_000
	if err := ph.grow(context.Background(), prune); err != nil {
		t.Fatal(err)
	}
	s, err := ph.solve(context.Background(), ceiling, residualGoal, nil, func(int, float64) {})
	if err != nil {
		t.Fatal(err)
	}
	return ph, s
}

// The residual of the solver against one computed by pushing the law through
// the model's own transitions; what comes back through the ceiling is the far
// law of the levels above, pushed down.
func TestResidual(t *testing.T) {
	for name, m := range map[string]*model{
		"CT 5":                    modelOf(t, jsqlib.Model{Continuous: true, Servers: 5, Gap: 0.01}),
		"DT 3":                    modelOf(t, jsqlib.Model{Servers: 3, Gap: 0.1}),
		"DT 3, job":               modelOf(t, jsqlib.Model{Servers: 3, Gap: 0.1, Routing: jsqlib.Job}),
		"DT 3, pod:2":             modelOf(t, jsqlib.Model{Servers: 3, Gap: 0.1, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 2}}),
		"DT 3, pod:3:replacement": modelOf(t, jsqlib.Model{Servers: 3, Gap: 0.1, Policy: jsqlib.Policy{Rule: jsqlib.PodReplacement, Choices: 3}}),
	} {
		const ceiling = 5
		ph, s := solveAt(t, m, 1e-8, ceiling)
		next := make([]float64, len(s.x))
		at := ph.positions()
		total, up, down := 0.0, 0.0, 0.0
		push := func(level, f int, x float64) {
			for _, e := range ph.edges(min(level, m.bottom), ph.list[f]) {
				e = ph.closed(e)
				to := level + int(e.rise)
				switch {
				case level <= ceiling && to > ceiling:
					up += x * e.p
				case to <= ceiling:
					next[to*s.phases+int(at[e.to])] += x * e.p
					if level > ceiling {
						down += x * e.p
					}
				}
			}
		}
		for l := range ceiling + 1 {
			for f, x := range s.at(l) {
				total += x
				push(l, f, x)
			}
		}
		for i := 1; i <= m.bottom; i++ {
			for f, v := range s.shape {
				push(ceiling+i, f, s.scale*math.Exp(-m.tilt*float64(m.n*i))*v)
			}
		}
		residual := 0.0
		for i, x := range s.x {
			residual += math.Abs(next[i] - x)
		}
		if math.Abs(total-1) > 1e-12 {
			t.Errorf("%s: the law sums to %.15g", name, total)
		}
		if math.Abs(up-down) > 1e-14 {
			t.Errorf("%s: flow up %g, flow down %g", name, up, down)
		}
		if residual > 2e-14 || s.residual() > 1e-14 {
			t.Errorf("%s: residual %.2g, reported %.2g", name, residual, s.residual())
		}
	}
}

// Two ceilings: the change falls geometrically, whatever the gap, until the
// differences fit below the ceiling and the product form is exact.
func TestCeilings(t *testing.T) {
	for _, gap := range []float64{0.1, 1e-6, 1e-100} {
		m := modelOf(t, jsqlib.Model{Continuous: true, Servers: 3, Gap: gap})
		var q []float64
		for ceiling := 3; ceiling <= 9; ceiling++ {
			ph, s := solveAt(t, m, 1e-13, ceiling)
			q = append(q, ph.measure(s).QtildeMean)
		}
		for i := 2; i < len(q); i++ {
			if now, before := math.Abs(q[i]-q[i-1]), math.Abs(q[i-1]-q[i-2]); now > before/10 {
				t.Errorf("gap %g: change %.2g to ceiling %d after %.2g", gap, now, i+3, before)
			}
		}
		if d := math.Abs(q[len(q)-1] - q[len(q)-2]); d > 1e-10 {
			t.Errorf("gap %g: the last two ceilings differ by %.2g", gap, d)
		}
	}
	m := modelOf(t, jsqlib.Model{Continuous: true, Servers: 4, Gap: 0.01})
	a, b := Result{}, Result{}
	for ceiling, r := range map[int]*Result{7: &a, 12: &b} {
		ph, s := solveAt(t, m, 1e-4, ceiling)
		if ph.spread() > 7 {
			t.Fatalf("differences up to %d", ph.spread())
		}
		*r = ph.measure(s)
	}
	if math.Abs(a.QtildeMean-b.QtildeMean) > 1e-12 || math.Abs(a.PerpSecondMoment-b.PerpSecondMoment) > 1e-12 || a.missed() > 1e-12 {
		t.Errorf("bounded differences: E Q~ %.15g and %.15g, E ||q_perp||^2 %.15g and %.15g, unused misses by %.2g",
			a.QtildeMean, b.QtildeMean, a.PerpSecondMoment, b.PerpSecondMoment, a.missed())
	}
}

// Pruning finer raises E Q~ in continuous time: jockeying is a lower bound.
func TestJockeyingIsLower(t *testing.T) {
	for _, gap := range []float64{0.5, 0.01} {
		m := modelOf(t, jsqlib.Model{Continuous: true, Servers: 4, Gap: gap})
		last := 0.0
		for _, prune := range []float64{1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8} {
			ph, s := solveAt(t, m, prune, 9)
			q := ph.measure(s).QtildeMean
			if !(q > last) {
				t.Errorf("gap %g: E Q~ = %.12g at pruning %g, %.12g before", gap, q, prune, last)
			}
			last = q
		}
	}
}

func TestStateReduction(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ n, lo, hi int }{{2, 1, 1}, {7, 6, 6}, {40, 3, 5}, {60, 7, 2}} {
		b := newFlows(c.n, c.lo, c.hi)
		a := mat.NewDense(c.n, c.n, nil)
		for i := range c.n {
			b.mass[i] = r.Float64() + 0.1
			out := 0.0
			for j := max(0, i-c.lo); j <= min(c.n-1, i+c.hi); j++ {
				if i != j {
					p := r.Float64() / float64(c.n)
					b.row(i)[j-i+b.lo] = p * b.mass[i]
					a.Set(j, i, p)
					out += p
				}
			}
			a.Set(i, i, -out)
		}
		for j := range c.n {
			a.Set(0, j, 1)
		}
		rhs := mat.NewVecDense(c.n, nil)
		rhs.SetVec(0, 1)
		var want mat.VecDense
		if err := want.SolveVec(a, rhs); err != nil {
			t.Fatal(err)
		}
		for i, x := range b.stationary() {
			if math.Abs(x-want.AtVec(i)) > 1e-13 {
				t.Errorf("n = %d: law(%d) = %.15g, want %.15g", c.n, i, x, want.AtVec(i))
			}
		}
	}
	// 0 -> 1 <-> 2: state 0 is transient.
	b := newFlows(3, 2, 2)
	copy(b.mass, []float64{1, 1, 1})
	b.row(0)[1+b.lo] = 0.5
	b.row(1)[1+b.lo] = 0.25
	b.row(2)[-1+b.lo] = 0.75
	if got := fmt.Sprintf("%.12f", b.stationary()); got != "[0.000000000000 0.750000000000 0.250000000000]" {
		t.Errorf("with a transient state: %s", got)
	}
	// A chain with rates over 200 orders of magnitude keeps its relative digits.
	const n = 21
	b = newFlows(n, 1, 1)
	for i := range n {
		b.mass[i] = 1
		if i+1 < n {
			b.row(i)[1+b.lo] = 1e-10
		}
		if i > 0 {
			b.row(i)[-1+b.lo] = 1
		}
	}
	for i, x := range b.stationary() {
		if want := math.Pow(1e-10, float64(i)) * (1 - 1e-10); math.Abs(x/want-1) > 1e-13 {
			t.Errorf("birth and death: law(%d) = %g, want %g", i, x, want)
		}
	}
}

// Every mover is a probability law with the drift of the model.
func TestMovers(t *testing.T) {
	sys := jsqlib.Model{Servers: 4, Gap: 0.2}
	c, err := sys.Constants()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []jsqlib.Policy{{}, {Rule: jsqlib.Pod, Choices: 2}, {Rule: jsqlib.Pod, Choices: 3}, {Rule: jsqlib.PodReplacement, Choices: 2}, {Rule: jsqlib.PodReplacement, Choices: 4}} {
		join := p.Ranks(4)
		for name, m := range map[string]mover{
			"events": newEvents(4, 0.8, join),
			"batch":  newSlots(4, c.Arrivals.Power(4), c.Service, join, false),
			"job":    newSlots(4, c.Arrivals.Power(4), c.Service, join, true),
		} {
			for _, q := range [][]int{{0, 0, 0, 0}, {0, 1, 1, 5}, {3, 3, 4, 9}} {
				total := 0
				for _, x := range q {
					total += x
				}
				sum, drift := 0.0, 0.0
				m.each(append([]int(nil), q...), func(next []int, unused int, p float64) {
					x := -total - unused
					for _, v := range next {
						x += v
						if v < 0 {
							t.Errorf("%s: %v after %v", name, next, q)
						}
					}
					sum += p
					drift += p * float64(x)
				})
				want := -c.Eps
				if name == "events" {
					busy := 0
					for _, x := range q {
						if x > 0 {
							busy++
						}
					}
					want = (0.8*4 - float64(busy)) / (1.8 * 4)
				}
				if math.Abs(sum-1) > 1e-10 || math.Abs(drift-want) > 1e-10 { // of 5 million paths
					t.Errorf("%s, %v, q = %v: probabilities sum to %.15g, drift %.15g, want %.15g", name, p, q, sum, drift, want)
				}
			}
		}
	}
}

// spread returns the largest difference within a phase in use.
func (ph *phases) spread() int {
	d := 0
	for _, p := range ph.list {
		d = max(d, int(ph.diff[(int(p)+1)*ph.n-1]))
	}
	return d
}

// TestMemory: two solutions on the same phases take what is estimated, as their chains are
// one, and more than fits is refused.
func TestMemory(t *testing.T) {
	m := modelOf(t, jsqlib.Model{Servers: 3, Gap: 0.1, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 2}})
	heap := func() float64 {
		var s runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&s)
		return float64(s.HeapAlloc)
	}
	before := heap()
	ph, low := solveAt(t, m, 1e-12, 4)
	high, err := ph.solve(t.Context(), 5, 1e-6, low, func(int, float64) {})
	if err != nil {
		t.Fatal(err)
	}
	ph.levels = 6
	got, want := heap()-before, ph.bytes()
	runtime.KeepAlive(low)
	if got > want || got < want/4 {
		t.Errorf("%.0f bytes in use with %d transitions, estimated %.0f", got, ph.steps, want)
	}
	if &low.top.p[0] != &high.top.p[0] {
		t.Error("two ceilings have transitions of their own")
	}

	ph.steps = 1 << 24
	if err := ph.grow(t.Context(), 1e-13); !errors.Is(err, errMemory) {
		t.Errorf("2^24 transitions of 128 bytes: %v, want %v", err, errMemory)
	}
}

// TestUnknownRule: a rule that the model takes and the solver does not know is refused.
func TestUnknownRule(t *testing.T) {
	_, err := policy(3, jsqlib.Policy{Rule: 7, Choices: 2})
	if err == nil || err.Error() != "exact: policy = Rule(7): want a rule that exact knows" {
		t.Errorf("%v", err)
	}
}
