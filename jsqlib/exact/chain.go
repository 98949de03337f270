package exact

import (
	"context"
	"fmt"
	"math"
)

// chain is a Markov chain on {0, ..., levels-1} x {0, ..., phases-1} whose
// transitions depend on the level only through kind = min(level, kinds-1).
// What rises above the top level comes back at once: at level levels-1-j in
// phase f with probability back[j][f].
type chain struct {
	levels, phases, kinds int
	down, up              int           // rises lie in -down..up
	in                    [][]pull      // in[kind][rise+down], without self-loops
	leave                 [][]float64   // leave[kind][f]: probability to leave the state
	rise                  [][][]float64 // rise[kind][r+down][f]: probability of a rise by r > 0
	back                  [][]float64
}

// pull lists the sources of each phase: from[start[f]:start[f+1]].
type pull struct {
	start []int32
	from  []int32
	p     []float64
}

// kind returns the kind of a level.
func (c *chain) kind(level int) int { return min(level, c.kinds-1) }

// newChain builds a chain from edges(kind, f), which appends the edges of
// phase f to buf; back is left empty.
func newChain(ctx context.Context, levels, phases, kinds int, edges func(kind int, f int32, buf []edge) []edge) (*chain, error) {
	c := &chain{levels: levels, phases: phases, kinds: kinds}
	var buf []edge
	all := func(do func(k, f int, e edge)) error {
		for k := range kinds {
			for f := range phases {
				if err := ctx.Err(); err != nil {
					return err
				}
				buf = edges(k, int32(f), buf[:0])
				for _, e := range buf {
					if e.rise != 0 || int(e.to) != f {
						do(k, f, e)
					}
				}
			}
		}
		return nil
	}
	if err := all(func(_, _ int, e edge) {
		c.down, c.up = max(c.down, int(-e.rise)), max(c.up, int(e.rise))
	}); err != nil {
		return nil, err
	}
	rises := c.down + c.up + 1
	for range kinds {
		in, rise := make([]pull, rises), make([][]float64, rises)
		for b := range in {
			in[b].start = make([]int32, phases+1)
			if b > c.down {
				rise[b] = make([]float64, phases)
			}
		}
		c.in, c.rise = append(c.in, in), append(c.rise, rise)
		c.leave = append(c.leave, make([]float64, phases))
	}
	if err := all(func(k, f int, e edge) {
		b := int(e.rise) + c.down
		c.in[k][b].start[e.to+1]++
		c.leave[k][f] += e.p
		if e.rise > 0 {
			c.rise[k][b][f] += e.p
		}
	}); err != nil {
		return nil, err
	}
	for _, in := range c.in {
		for b := range in {
			s := in[b].start
			for f := range phases {
				s[f+1] += s[f]
			}
			in[b].from = make([]int32, s[phases])
			in[b].p = make([]float64, s[phases])
		}
	}
	// Filling moves each start to the end of its list; shift them back after.
	if err := all(func(k, f int, e edge) {
		l := &c.in[k][int(e.rise)+c.down]
		i := l.start[e.to]
		l.start[e.to]++
		l.from[i], l.p[i] = int32(f), e.p
	}); err != nil {
		return nil, err
	}
	for _, in := range c.in {
		for b := range in {
			s := in[b].start
			copy(s[1:], s[:phases])
			s[0] = 0
		}
	}
	return c, nil
}

// sources returns for each level the transitions into it from all levels, as one
// list for each phase. A source is counted from the first state of the level, so
// that levels with neighbours of the same kinds share one.
func (c *chain) sources() []*pull {
	into := make([]*pull, c.levels)
	shared := map[string]*pull{}
	var lists []pull
	var offsets []int32
	for m := range into {
		lists, offsets = lists[:0], offsets[:0]
		var kinds []byte
		for r := -c.down; r <= c.up; r++ {
			if a := m - r; a >= 0 && a < c.levels {
				kinds = fmt.Appendf(kinds, "%d:%d ", r, c.kind(a))
				lists = append(lists, c.in[c.kind(a)][r+c.down])
				offsets = append(offsets, int32(-r*c.phases))
			}
		}
		if into[m] = shared[string(kinds)]; into[m] == nil {
			into[m] = merge(lists, offsets)
			shared[string(kinds)] = into[m]
		}
	}
	return into
}

// merge joins the lists of each phase, with an offset added to the sources of
// each.
func merge(lists []pull, offsets []int32) *pull {
	edges := 0
	for _, l := range lists {
		edges += len(l.from)
	}
	phases := len(lists[0].start) - 1
	all := &pull{start: make([]int32, 1, phases+1), from: make([]int32, 0, edges), p: make([]float64, 0, edges)}
	for f := range phases {
		for i, l := range lists {
			lo, hi := l.start[f], l.start[f+1]
			for _, a := range l.from[lo:hi] {
				all.from = append(all.from, a+offsets[i])
			}
			all.p = append(all.p, l.p[lo:hi]...)
		}
		all.start = append(all.start, int32(len(all.from)))
	}
	return all
}

// free returns the free chain on the phases in use, one level, under the
// tilted law.
func (ph *phases) free(ctx context.Context) (*chain, error) {
	pos := ph.positions()
	return newChain(ctx, 1, len(ph.list), 1, func(_ int, f int32, buf []edge) []edge {
		p := ph.list[f]
		for _, e := range ph.edges(ph.bottom, p) {
			w := ph.tilted(p, e)
			buf = append(buf, edge{to: pos[ph.closed(e).to], p: w})
		}
		return buf
	})
}

// full returns the chain on levels 0..ceiling, still without a way back.
func (ph *phases) full(ctx context.Context, ceiling int) (*chain, error) {
	pos := ph.positions()
	return newChain(ctx, ceiling+1, len(ph.list), ph.bottom+1, func(k int, f int32, buf []edge) []edge {
		for _, e := range ph.edges(k, ph.list[f]) {
			e = ph.closed(e)
			e.to = pos[e.to]
			buf = append(buf, e)
		}
		return buf
	})
}

// positions returns where each phase stands in ph.list; phases met later are
// not in use.
func (ph *phases) positions() []int32 {
	pos := make([]int32, len(ph.used))
	for f, p := range ph.list {
		pos[p] = int32(f)
	}
	return pos
}

// returns sets the way back of a full chain from the law above it,
// pi(ceiling+i, f) = c ratio^i shape(f), and returns the flow down through the
// ceiling of that law for c = 1.
func (c *chain) returns(shape []float64, logRatio float64) float64 {
	flow := 0.0
	c.back = make([][]float64, min(c.down, c.levels))
	for j := range c.back {
		c.back[j] = make([]float64, c.phases)
	}
	in := c.in[c.kinds-1]
	for fall := 1; fall <= c.down; fall++ {
		l := in[c.down-fall]
		for i := 1; i <= fall; i++ {
			j := min(fall-i, c.levels-1)
			scale := math.Exp(logRatio * float64(i))
			for f := range c.phases {
				for e := l.start[f]; e < l.start[f+1]; e++ {
					v := scale * shape[l.from[e]] * l.p[e]
					c.back[j][f] += v
					flow += v
				}
			}
		}
	}
	for _, b := range c.back {
		for f := range b {
			b[f] /= flow
		}
	}
	return flow
}
