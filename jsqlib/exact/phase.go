package exact

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"jsqlab/jsqlib/internal/memory"
)

// edge is a transition: the level rises by rise, the phase becomes to.
type edge struct {
	to   int32
	rise int32
	p    float64
}

// spent is an outcome that leaves service unused, with the total after it.
type spent struct {
	total, unused int32
	p             float64
}

// arc is a transition seen from its target.
type arc struct {
	from int32
	p    float64
}

// phases holds every phase met: those in use, which carry the chain, and those
// beyond, which are only the ends of transitions.
type phases struct {
	*model
	limit  int // of phases in use
	levels int // of the chain
	steps  int // transitions of the phases in use, from levels >= bottom

	index  map[string]int32
	diff   []uint16 // diff[p*n:(p+1)*n] = the phase p
	excess []int    // w = sum of the differences
	used   []bool
	out    [][][]edge  // out[min(level, bottom)][p], nil if not computed
	idle   [][][]spent // idle[level][p], level < bottom, along with out
	slot   []int32     // scratch: 1 + place of an edge to each phase
	home   []edge      // of a phase not in use: where closed takes it, to < 0 if not known

	// The free chain: the phases under transitions tilted by e^(tQ), t = log z*.
	// Its stationary law is the one far above the boundary.
	list  []int32 // phases in use
	in    [][]arc // arcs into each phase met, from the phases in use
	leave []float64
	mass  []float64 // its stationary law, roughly

	chain *chain // the full one, on the phases in use when it was made

	queues, sorted []int
	key            []byte
}

// errStates and errMemory say that more states or bytes are needed than the limit.
var (
	errStates = errors.New("states")
	errMemory = errors.New("bytes")
)

// bytes estimates what the chain takes. A transition has an edge at each of the levels 0..bottom,
// an arc in a list that grows, and its places in the full chain and in the free one, twice while
// they are joined. A phase has its lists. There are two laws.
func (ph *phases) bytes() float64 {
	b, n := float64(ph.bottom), float64(ph.n)
	return float64(ph.steps)*(28*(b+1)+44) + float64(len(ph.used))*(4*n+48*b+150) + 24*float64(len(ph.list)*ph.levels)
}

func newPhases(m *model) *phases {
	return &phases{
		model: m, index: map[string]int32{}, out: make([][][]edge, m.bottom+1), idle: make([][][]spent, m.bottom),
		queues: make([]int, m.n), sorted: make([]int, m.n), key: make([]byte, 2*m.n),
	}
}

// intern returns the level and the phase of queues in any order.
func (ph *phases) intern(q []int) (level int, phase int32) {
	s := ph.sorted
	copy(s, q)
	slices.Sort(s)
	level = s[0]
	for i, x := range s {
		d := x - level
		ph.key[2*i], ph.key[2*i+1] = byte(d), byte(d>>8)
	}
	if p, ok := ph.index[string(ph.key)]; ok {
		return level, p
	}
	phase = int32(len(ph.excess))
	ph.index[string(ph.key)] = phase
	w := 0
	for _, x := range s {
		ph.diff = append(ph.diff, uint16(x-level))
		w += x - level
	}
	ph.excess = append(ph.excess, w)
	ph.used = append(ph.used, false)
	ph.in = append(ph.in, nil)
	ph.leave = append(ph.leave, 0)
	ph.mass = append(ph.mass, 0)
	ph.slot = append(ph.slot, 0)
	for k := range ph.out {
		ph.out[k] = append(ph.out[k], nil)
	}
	for k := range ph.idle {
		ph.idle[k] = append(ph.idle[k], nil)
	}
	return level, phase
}

// at fills ph.queues with the queues of a phase at a level and returns it.
func (ph *phases) at(phase int32, level int) []int {
	n := ph.n
	for i, d := range ph.diff[int(phase)*n : (int(phase)+1)*n] {
		ph.queues[i] = level + int(d)
	}
	return ph.queues
}

// edges returns the transitions out of a phase at level min(level, bottom).
func (ph *phases) edges(kind int, phase int32) []edge {
	if es := ph.out[kind][phase]; es != nil {
		return es
	}
	var es []edge
	var idle []spent
	q := ph.at(phase, kind)
	ph.move.each(q, func(next []int, unused int, p float64) {
		if p == 0 {
			return
		}
		l, to := ph.intern(next)
		rise := int32(l - kind)
		if i := ph.slot[to]; i > 0 && es[i-1].rise == rise {
			es[i-1].p += p
		} else {
			es = append(es, edge{to, rise, p})
			ph.slot[to] = int32(len(es))
		}
		if unused > 0 {
			idle = addSpent(idle, spent{int32(ph.n*l + ph.excess[to]), int32(unused), p})
		}
	})
	for _, e := range es {
		ph.slot[e.to] = 0
	}
	ph.out[kind][phase] = slices.Clone(es)
	if kind < ph.bottom {
		if ph.continuous { // the state itself is what counts
			total, zeros := ph.n*kind+ph.excess[phase], 0
			for _, x := range ph.at(phase, kind) {
				if x == 0 {
					zeros++
				}
			}
			idle = []spent{{int32(total), int32(zeros), 1}}
		}
		ph.idle[kind][phase] = slices.Clone(idle)
	}
	return ph.out[kind][phase]
}

// addSpent adds an outcome to the like one in the list, or at its end.
func addSpent(list []spent, o spent) []spent {
	for i := range list {
		if list[i].total == o.total && list[i].unused == o.unused {
			list[i].p += o.p
			return list
		}
	}
	return append(list, o)
}

// tilted returns e^(tx) P for an edge of the free chain, x the rise of Q.
func (ph *phases) tilted(phase int32, e edge) float64 {
	x := ph.n*int(e.rise) + ph.excess[e.to] - ph.excess[phase]
	return e.p * math.Exp(ph.tilt*float64(x))
}

// use takes a phase into use, with a first guess of its mass.
func (ph *phases) use(phase int32, mass float64) {
	if ph.used[phase] {
		return
	}
	ph.used[phase] = true
	ph.home = ph.home[:0]
	ph.list = append(ph.list, phase)
	es := ph.edges(ph.bottom, phase)
	ph.steps += len(es)
	for _, e := range es {
		if e.to == phase {
			continue
		}
		p := ph.tilted(phase, e)
		ph.in[e.to] = append(ph.in[e.to], arc{phase, p})
		ph.leave[phase] += p
	}
	ph.mass[phase] = mass
	if ph.leave[phase] > 0 {
		ph.mass[phase] /= ph.leave[phase]
	}
}

func (ph *phases) inflow(phase int32) float64 {
	v := 0.0
	for _, a := range ph.in[phase] {
		v += ph.mass[a.from] * a.p
	}
	return v
}

// grow takes into use the phases that the free chain enters with a frequency above prune, and
// always those with differences of at most one. A coarser pruning may have gone before. It fails
// with errStates, errMemory or the error of ctx.
func (ph *phases) grow(ctx context.Context, prune float64) error {
	if len(ph.list) == 0 {
		for k := range ph.n {
			q := make([]int, ph.n)
			for i := range k {
				q[i] = 1
			}
			_, p := ph.intern(q)
			ph.use(p, 1)
		}
	}
	for sweeps := 20; ; sweeps = 2 {
		slices.SortFunc(ph.list, func(a, b int32) int {
			return cmp.Or(ph.excess[a]-ph.excess[b], int(a-b))
		})
		for range sweeps {
			if err := ctx.Err(); err != nil {
				return err
			}
			ph.relax()
		}
		before, met := len(ph.list), len(ph.used)
		for p := range int32(met) {
			if ph.used[p] || len(ph.in[p]) == 0 {
				continue
			}
			if v := ph.inflow(p); v > prune {
				if len(ph.list) >= ph.limit {
					return errStates
				}
				if !memory.Fits(ph.bytes()) {
					return errMemory
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				ph.use(p, v)
			}
		}
		if len(ph.list) == before {
			return nil
		}
	}
}

// relax makes one symmetric Gauss-Seidel sweep over the free chain and scales
// its mass to 1. What leaves for phases not in use is lost.
func (ph *phases) relax() {
	for _, p := range ph.list {
		if ph.leave[p] > 0 {
			ph.mass[p] = ph.inflow(p) / ph.leave[p]
		}
	}
	total := 0.0
	for _, p := range slices.Backward(ph.list) {
		if ph.leave[p] > 0 {
			ph.mass[p] = ph.inflow(p) / ph.leave[p]
		}
		total += ph.mass[p]
	}
	for _, p := range ph.list {
		ph.mass[p] /= total
	}
}

// closed returns the edge of the pruned chain for an edge. If the edge leaves the phases in use,
// jobs move one by one from a longest to a shortest queue, which keeps the total, until the phase
// is in use (threshold jockeying).
func (ph *phases) closed(e edge) edge {
	if ph.used[e.to] {
		return e
	}
	for len(ph.home) < len(ph.used) {
		ph.home = append(ph.home, edge{to: -1})
	}
	h := &ph.home[e.to]
	if h.to < 0 {
		q := ph.at(e.to, 0)
		q[0]++
		q[len(q)-1]--
		l, to := ph.intern(q)
		next := ph.closed(edge{to: to, rise: int32(l)})
		h = &ph.home[e.to] // may have moved
		*h = next
	}
	e.to, e.rise = h.to, e.rise+h.rise
	return e
}

// perp returns ||q_perp||^2 of a phase.
func (ph *phases) perp(phase int32) float64 {
	s2, n := 0.0, ph.n
	for _, d := range ph.diff[int(phase)*n : (int(phase)+1)*n] {
		s2 += float64(d) * float64(d)
	}
	w := float64(ph.excess[phase])
	return max(s2-w*w/float64(n), 0)
}
