package sim

import (
	"math"
	"math/rand/v2"

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

// relaxation returns the slots in which the slowest mode of the phases relaxes.
func relaxation(ch *chain) float64 {
	n := float64(ch.n)
	return n * n * n / (2 * math.Pi * math.Pi * ch.v)
}

// batchCeiling is where the least queue comes back to.
func batchCeiling(ch *chain) int64 { return int64(math.Ceil(math.Sqrt(float64(ch.n)))) + 8 }

// phases draws the queues at the start of a run. The least queue has the law of a driftless walk under
// the ceiling, flat up to L and falling to 0 at 2L, at its quantile at.
func (b *balancer) phases(at float64, rng *rand.PCG) []int64 {
	l := float64(b.ceiling)
	low := 1.5 * l * at
	if at > 2./3 {
		low = l * (2 - math.Sqrt(3*(1-at)))
	}
	r := rand.New(rng)
	q := make([]int64, b.n)
	for i := range q {
		q[i] = int64(low + float64(b.n)*r.Float64())
	}
	return q
}

// lossMean is the mean over the unused services. The law of Q~ is in cells of a quarter of the standard
// deviation of a slot, of which no distance sees the inside.
type lossMean struct{ step int64 }

// lossLedger holds sums of U, U^2 and U Q^+, and counts of Q~ by the cell.
type lossLedger struct {
	step                      int64
	unused, squares, products float64
	min                       int64 // cell of the first count
	cells                     []float64
}

func (m *lossMean) ledger() ledger { return &lossLedger{step: m.step} }

func (l *lossLedger) add(t *tally, _ float64) {
	l.unused += float64(t.unused)
	l.squares += float64(t.unused2)
	l.products += t.unusedQ
	for i, k := range t.boundary {
		if k > 0 {
			*l.at(floorDiv(t.boundaryMin+int64(i), l.step)) += float64(k)
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
	s := &balanced{zero: all.min * m.step, step: m.step, weight: all.cells}
	s.find()
	saw := make([]float64, len(books))
	for r, b := range books {
		saw[r] = b.(*lossLedger).unused
	}
	s.rough = reps.Effective(saw) < float64(len(books))/2
	ratio := func(books []ledger, theta float64, f func(l *lossLedger) float64) []float64 {
		x := make([]float64, len(books))
		for r, b := range books {
			l := b.(*lossLedger)
			x[r] = (f(l) - theta*l.unused) / all.unused
		}
		return x
	}
	s.deviations = func(books []ledger, values []float64, theta float64) []float64 {
		return ratio(books, theta, func(l *lossLedger) float64 {
			v := 0.0
			for i, x := range l.cells {
				if x > 0 {
					v += x * values[l.min+int64(i)-all.min] / float64(m.step)
				}
			}
			return v
		})
	}
	s.moments = func(books []ledger, b *BoundaryLaw) {
		u, uq, uu := make([]float64, len(books)), make([]float64, len(books)), make([]float64, len(books))
		qt := make([]float64, len(books))
		for r, b := range books {
			l := b.(*lossLedger)
			u[r], uq[r], uu[r] = l.unused, l.products, l.squares
			qt[r] = l.products - (l.squares-l.unused)/2
		}
		b.BoundaryMean, b.BoundarySecond, b.QtildeMean = reps.Ratio(uq, u), reps.Ratio(uu, u), reps.Ratio(qt, u)
	}
	return s
}
