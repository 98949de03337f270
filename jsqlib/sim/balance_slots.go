package sim

import (
	"math"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/reps"
)

// slotFlow balances the total in discrete time. The free total Y = Q + X, X = A - S, is the total
// after a slot but for the unused service, Q^+ = Y + U. As X does not depend on the queues, the
// next free total is Y + U + X with an independent X. So the law of Y is stationary for
// the chain of totals
//
//	P(y, z) = sum_u P(U = u | Y = y) P(X = z - y - u),
//
// whatever else the queues hold (derived), and one function of two numbers, the law of U given Y, gives
// P(Q~ = j) = sum_{y<j} P(Y = y) P(U >= j - y | Y = y) / E U. Given Y, the differences mix fast.
//
// For many servers totals are on a lattice of a sixteenth of the standard deviation of X. A total between
// two points counts for both in linear proportion, which keeps the mean and adds at most
// 1/1000 to the variance of a step. The range ends where no service goes unused any more: a path that
// leaves there comes back with the same law.
type slotFlow struct {
	low, step int64
	rows      int
	down      int       // X = (k - down) step
	x         []float64 // P(X = .)
}

// slotLedger holds, by the free total, how often it was seen, sums of U^2, and how often
// U was k steps, k > 0.
type slotLedger struct {
	f       *slotFlow
	visits  []float64
	squares []float64
	unused  [][]float64 // [row][k-1]
}

// lattice steps are the standard deviation of X over slotSteps.
const slotSteps = 16

func newSlotFlow(c jsqlib.Constants, top int64) *slotFlow {
	return latticeOf(c, top, max(int64(math.Sqrt(c.V)/slotSteps), 1))
}

func latticeOf(c jsqlib.Constants, top, step int64) *slotFlow {
	f := &slotFlow{step: step}
	f.low = -int64(c.N*c.SMax)/f.step*f.step - f.step
	f.rows = int((top-f.low-1)/f.step) + 1
	back := make(jsqlib.PMF, c.SMax+1)
	for k, p := range c.Service {
		back[c.SMax-k] = p
	}
	lo, p := trimmedPower(c.Arrivals.Convolve(back), c.N)
	min := int64(lo) - int64(c.N*c.SMax) // of X
	f.down = int(-min/f.step) + 1
	f.x = make([]float64, int(int64(len(p))/f.step)+4)
	for k, q := range p {
		at, share := f.split(min + int64(k) + int64(f.down)*f.step)
		f.x[at] += q * (1 - share)
		f.x[at+1] += q * share
	}
	for len(f.x) > 1 && f.x[len(f.x)-1] == 0 {
		f.x = f.x[:len(f.x)-1]
	}
	return f
}

// split returns the point of the lattice at d >= 0 or below, and how far d is towards the next.
func (f *slotFlow) split(d int64) (int, float64) {
	return int(d / f.step), float64(d%f.step) / float64(f.step)
}

func (f *slotFlow) ledger() ledger { return f.empty() }

func (f *slotFlow) empty() *slotLedger {
	return &slotLedger{f, make([]float64, f.rows), make([]float64, f.rows), make([][]float64, f.rows)}
}

func (l *slotLedger) add(t *tally, weight float64) {
	for _, s := range t.seen {
		k, share := l.f.split(s.free - l.f.low)
		if share < 1 {
			l.count(k, s.unused, weight*(1-share))
		}
		if share > 0 {
			l.count(k+1, s.unused, weight*share)
		}
	}
}

func (l *slotLedger) count(k int, u int64, weight float64) {
	if k >= l.f.rows {
		return
	}
	l.visits[k] += weight
	if u == 0 {
		return
	}
	l.squares[k] += weight * float64(u*u)
	at, share := l.f.split(u)
	for len(l.unused[k]) < at+1 {
		l.unused[k] = append(l.unused[k], 0)
	}
	if at > 0 {
		l.unused[k][at-1] += weight * (1 - share)
	}
	if share > 0 {
		l.unused[k][at] += weight * share
	}
}

func (f *slotFlow) solve(books []ledger) *balanced {
	all := f.empty()
	first, last, most := f.rows, -1, 0 // rows seen; the last with unused service, the most steps of it
	for _, b := range books {
		l := b.(*slotLedger)
		for k, x := range l.visits {
			if x == 0 {
				continue
			}
			first = min(first, k)
			all.visits[k] += x
			all.squares[k] += l.squares[k]
			for len(all.unused[k]) < len(l.unused[k]) {
				all.unused[k] = append(all.unused[k], 0)
			}
			for d, y := range l.unused[k] {
				all.unused[k][d] += y
			}
			if n := len(l.unused[k]); n > 0 {
				last, most = max(last, k), max(most, n)
			}
		}
	}
	if last < 0 {
		return nil
	}
	// a total that no run came to has the unused service of the one above
	for k := last - 1; k > first; k-- {
		if all.visits[k] == 0 {
			all.visits[k], all.squares[k], all.unused[k] = all.visits[k+1], all.squares[k+1], all.unused[k+1]
		}
	}
	// and below all of them what is missing goes unused as well, as where most servers idle
	if seen := first; last > first {
		// as far as a slot may come: a potential from where next to no path comes would be all rounding.
		// Row 0 is below all totals
		for tail, k := 1.0, f.down; first > 1 && k >= 0 && tail > 1e-5; k-- {
			first--
			tail = reps.Total(f.x[:k])
		}
		for k := first; k < seen; k++ {
			all.visits[k] = all.visits[seen]
			all.unused[k] = append(make([]float64, seen-k), all.unused[seen]...)
			all.unused[k][seen-k-1] = max(all.visits[seen]-reps.Total(all.unused[seen]), 0)
			for d, y := range all.unused[k] {
				all.squares[k] += y * float64(d+1) * float64(d+1) * float64(f.step*f.step)
			}
			most = max(most, len(all.unused[k]))
		}
	}
	// beyond, a walk forgets where it came from
	rows := min(last+most+2*len(f.x), f.rows) - first
	g := &gth{rows: rows, down: f.down, up: most + len(f.x) - 1 - f.down}
	g.p = make([]float64, rows*(g.down+g.up+1))
	for k := range rows {
		u, visits := all.unused[first+k], all.visits[first+k]
		stay := 1.0
		for d, y := range u {
			stay -= y / visits
			f.spread(g, k, k+d+1, y/visits)
		}
		f.spread(g, k, k, max(stay, 0)) // rounding may leave less than 0
	}
	mu := g.solve()

	s := &balanced{zero: f.low + 1, step: f.step, first: first, pi: make([]float64, f.rows), weight: make([]float64, f.rows)}
	for k, m := range mu {
		u, visits := all.unused[first+k], all.visits[first+k]
		above := 0.0 // P(U > d)
		for d := len(u) - 1; d >= 0; d-- {
			p := u[d] / visits
			above += p
			if at := first + k + d; at < f.rows {
				s.weight[at] += m * above
			}
			if at := first + k + d + 1; at < f.rows {
				s.pi[at] += m * p
			}
		}
		s.pi[first+k] += m * max(1-above, 0)
	}
	// no queue holds less than no job
	for k := range s.pi {
		if f.low+int64(k)*f.step <= -f.step {
			s.pi[k] = 0
		}
	}
	s.find()

	// deviations of a ratio of sums over slots to E U: reward(l, k) is the sum in the slots of row k,
	// and theta the ratio
	deviations := func(books []ledger, reward func(l *slotLedger, k int) float64, theta float64) []float64 {
		r := make([]float64, rows)
		for k := range r {
			if v := all.visits[first+k]; v > 0 {
				r[k] = (reward(all, first+k) - theta*all.sum(first+k)) / v
			}
		}
		h := g.potential(r)
		// what follows a slot that ends at a total
		next := make([]float64, rows+most+1)
		for j := range next {
			for i, p := range f.x {
				next[j] += p * h[min(max(j+i-f.down, 0), rows-1)]
			}
		}
		gain := func(l *slotLedger, k int) float64 {
			v := reward(l, first+k) - theta*l.sum(first+k) + l.visits[first+k]*next[k]
			for d, y := range l.unused[first+k] {
				v += y * (next[k+d+1] - next[k])
			}
			return v
		}
		x := make([]float64, len(books))
		for k := range rows {
			visits := all.visits[first+k]
			if visits == 0 {
				continue
			}
			mean := gain(all, k) / visits
			for i, b := range books {
				if l := b.(*slotLedger); l.visits[first+k] > 0 {
					x[i] += mu[k] / visits * (gain(l, k) - l.visits[first+k]*mean)
				}
			}
		}
		for i := range x {
			x[i] /= s.sum * float64(f.step)
		}
		return x
	}
	s.deviations = func(books []ledger, values []float64, theta float64) []float64 {
		upTo := make([]float64, f.rows+most+2)
		for k := range upTo[1:] {
			upTo[k+1] = upTo[k]
			if k < len(values) {
				upTo[k+1] += values[k]
			}
		}
		return deviations(books, func(l *slotLedger, k int) float64 {
			v := 0.0
			for d, y := range l.unused[k] {
				v += y * (upTo[k+d+1] - upTo[k])
			}
			return v
		}, theta)
	}
	s.moments = func(books []ledger, b *BoundaryLaw) {
		theta := 0.0
		for k, m := range mu {
			if v := all.visits[first+k]; v > 0 {
				theta += m * all.squares[first+k] / v
			}
		}
		theta /= s.sum * float64(f.step)
		x := deviations(books, func(l *slotLedger, k int) float64 { return l.squares[k] }, theta)
		widest := float64(most) * float64(f.step) // U
		b.BoundarySecond = unseen(spreadOf(theta, x), widest, b.Slots)
		// E[U Q^+]/E U = E Q~ + (E[U^2]/E U - 1)/2
		for i, y := range s.deviations(books, s.totals(), b.QtildeMean.Value) {
			x[i] = y + x[i]/2
		}
		b.BoundaryMean = unseen(spreadOf(b.QtildeMean.Value+(theta-1)/2, x), widest, b.Slots)
	}
	return s
}

// sum returns the sum of U in the slots of row k.
func (l *slotLedger) sum(k int) float64 {
	v := 0.0
	for d, y := range l.unused[k] {
		v += y * float64(d+1)
	}
	return v * float64(l.f.step)
}

// spread adds a step X from point j to the row k of the chain.
func (f *slotFlow) spread(g *gth, k, j int, p float64) {
	for i, q := range f.x {
		*g.at(k, min(max(j+i-f.down, 0), g.rows-1)) += p * q
	}
}

// gth solves a chain of banded transition probabilities by taking out its states from the top, in the form of
// Grassmann, Taksar and Heyman (1985) without a subtraction.
type gth struct {
	rows, down, up int
	p              []float64
	out            []float64 // probability of a state to fall, when those above are taken out
	base           int       // the chain does not come below
}

func (g *gth) at(i, j int) *float64 { return &g.p[i*(g.down+g.up+1)+j-i+g.down] }

// solve returns the stationary law, in proportion, with a maximum of 1.
func (g *gth) solve() []float64 {
	g.out = make([]float64, g.rows)
	for s := g.rows - 1; s > 0; s-- {
		low := max(s-g.down, 0)
		fall := g.p[s*(g.down+g.up+1)+low-s+g.down:][:s-low]
		if g.out[s] = reps.Total(fall); g.out[s] == 0 {
			g.base = s
			break
		}
		for i := max(s-g.up, 0); i < s; i++ {
			c := *g.at(i, s)
			if c == 0 {
				continue
			}
			c /= g.out[s]
			row := g.p[i*(g.down+g.up+1)+low-i+g.down:][:len(fall)]
			for j, q := range fall {
				row[j] += c * q
			}
		}
	}
	mu := make([]float64, g.rows)
	mu[g.base] = 1
	for s := g.base + 1; s < g.rows; s++ {
		for i := max(s-g.up, g.base); i < s; i++ {
			mu[s] += mu[i] * *g.at(i, s)
		}
		mu[s] /= g.out[s]
		if mu[s] > 1e100 { // of totals that are never seen below
			for i := range mu[:s+1] {
				mu[i] *= 1e-100
			}
		}
	}
	most := 0.0
	for _, m := range mu {
		most = max(most, m)
	}
	for i := range mu {
		mu[i] /= most
	}
	return mu
}

// potential returns h with h = r + P h and h[base] = 0, for an r of mean 0 under the stationary law. It comes after
// solve.
func (g *gth) potential(r []float64) []float64 {
	r = append([]float64(nil), r...)
	for s := g.rows - 1; s > g.base; s-- {
		for i := max(s-g.up, g.base); i < s; i++ {
			r[i] += *g.at(i, s) / g.out[s] * r[s]
		}
	}
	h := make([]float64, g.rows)
	for s := g.base + 1; s < g.rows; s++ {
		h[s] = r[s]
		for j := max(s-g.down, g.base); j < s; j++ {
			h[s] += *g.at(s, j) * h[j]
		}
		h[s] /= g.out[s]
	}
	return h
}
