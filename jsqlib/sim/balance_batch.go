package sim

import (
	"math"
	"math/rand/v2"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/reps"
)

// With batches the differences of the queues do not mix given the total: the phases q_i + t modulo N
// move by independent noise, of variance s_s^2 a slot and N s_a^2 every N slots, so that their slowest mode
// relaxes in about N^2/(2 pi^2 (s_a^2 + s_s^2)) slots (heuristic), a time in which the total moves as
// well. So the runs start near stationarity instead: the saturated law of the differences, phases that
// are independent and uniform, and the flat law of the least queue under the ceiling. The answer is
// the mean of the totals over the unused services.

// placed is an engine that starts from any queues.
type placed interface{ put(q []int64) }

// relaxation returns the slots in which the slowest mode of the phases relaxes, and a batch is served.
func relaxation(ch *chain) float64 {
	n := float64(ch.n)
	return n + n*n*n/(2*math.Pi*math.Pi*ch.v)
}

// startBias is how far the first answer of such runs is too low, relative. It falls off like e^(-t/relaxation).
// 0.3/sqrt N is measured, N = 16 to 1000.
func startBias(ch *chain) float64 { return 0.3 / math.Sqrt(float64(ch.n)) }

// levels chooses the law of the least queue m at the start of a run. Far from the boundary the total has
// the law of the free walk, e^(-theta n) with E e^(theta X) = 1, theta about 2 E U/v. A run that starts
// high seldom comes down to where service goes unused, by a chance like that of a normal law over the standard
// deviation s of its least queue. Starts follow the product of that law and e^(-m^2/2 s^2), and have the
// weight e^(m^2/2 s^2): of such exponents the variance of the mean hardly depends on which (measured).
func (b *balancer) levels() {
	s2 := b.ch.v * balanceTaus * float64(b.tau) / float64(b.n*b.n)
	decay := 2 * b.ch.drift / b.ch.v * float64(b.n)
	size := int(4.5*math.Sqrt(s2)) + 2 // from above, 1e-6 of the unused service
	b.weight, b.starts = make([]float64, size), make([]float64, size)
	for i := range size {
		m := float64(i)
		b.weight[i] = math.Exp(-decay * m)
		b.starts[i] = b.weight[i] * math.Exp(-m*m/(2*s2))
	}
	b.ceiling = int64(size)
	b.index()
}

// phases draws the queues at the start of a run whose least queue is about low.
func (b *balancer) phases(low int, rng *rand.PCG) []int64 {
	r := rand.New(rng)
	q, level := make([]int64, b.n), float64(low)+r.Float64()
	for i := range q {
		q[i] = int64(level + float64(b.n)*r.Float64())
	}
	return q
}

// lossMean is the mean over the unused services. The law of Q~ is in cells of a quarter of the standard
// deviation of a slot, of which no distance sees the inside.
type lossMean struct {
	step int64
	bias float64 // of its means, relative: what is left of the start
}

// lossLedger holds sums of U, U^2 and U Q^+, and counts of Q~ by the cell.
type lossLedger struct {
	step                      int64
	unused, squares, products float64
	min                       int64 // cell of the first count
	cells                     []float64
}

func (m *lossMean) ledger() ledger { return &lossLedger{step: m.step} }

func (l *lossLedger) add(t *tally, weight float64) {
	l.unused += weight * float64(t.unused)
	l.squares += weight * float64(t.unused2)
	l.products += weight * t.unusedQ
	for i, k := range t.boundary {
		if k > 0 {
			*l.at(floorDiv(t.boundaryMin+int64(i), l.step)) += weight * float64(k)
		}
	}
}

func floorDiv(a, b int64) int64 {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}

// at returns the count of a cell, with room around it.
func (l *lossLedger) at(cell int64) *float64 {
	if l.cells == nil {
		l.min = cell
	}
	if room := int64(len(l.cells))/2 + 16; cell < l.min {
		l.cells = append(make([]float64, l.min-cell+room), l.cells...)
		l.min = cell - room
	} else if cell >= l.min+int64(len(l.cells)) {
		l.cells = append(l.cells, make([]float64, cell-l.min-int64(len(l.cells))+room)...)
	}
	return &l.cells[cell-l.min]
}

func (m *lossMean) solve(books []ledger) *balanced {
	all := &lossLedger{step: m.step}
	for _, b := range books {
		l := b.(*lossLedger)
		all.unused += l.unused
		for i, x := range l.cells {
			if x > 0 {
				*all.at(l.min + int64(i)) += x
			}
		}
	}
	if all.unused == 0 {
		return nil
	}
	s := &balanced{zero: all.min * m.step, step: m.step, weight: all.cells, bias: m.bias}
	s.find()
	saw := make([]float64, len(books))
	for r, b := range books {
		saw[r] = b.(*lossLedger).unused
	}
	most := reps.Effective(saw)
	s.rough = most < min(12, 0.375*float64(len(books)))
	if most > 2 {
		s.stretch = reps.Quantile(most-1) / reps.Quantile(float64(len(books)-1))
	}
	deviations := func(books []ledger, theta float64, f func(l *lossLedger) float64) []float64 {
		x := make([]float64, len(books))
		for r, b := range books {
			l := b.(*lossLedger)
			x[r] = (f(l) - theta*l.unused) / all.unused
		}
		return x
	}
	s.deviations = func(books []ledger, values []float64, theta float64) []float64 {
		return deviations(books, theta, func(l *lossLedger) float64 {
			v := 0.0
			for i, x := range l.cells {
				if x > 0 {
					v += x * values[l.min+int64(i)-all.min] / float64(m.step)
				}
			}
			return v
		})
	}
	ratio := func(num, den []float64) jsqlib.Estimate {
		return s.doubt(reps.Ratio(num, den))
	}
	s.moments = func(books []ledger, b *BoundaryLaw) {
		u, uq, uu := make([]float64, len(books)), make([]float64, len(books)), make([]float64, len(books))
		qt := make([]float64, len(books))
		for r, b := range books {
			l := b.(*lossLedger)
			u[r], uq[r], uu[r] = l.unused, l.products, l.squares
			qt[r] = l.products - (l.squares-l.unused)/2
		}
		b.BoundaryMean, b.BoundarySecond, b.QtildeMean = ratio(uq, u), ratio(uu, u), ratio(qt, u)
	}
	return s
}
