package exact

import (
	"context"
	"math"
)

// chain is a Markov chain on {0, ..., levels-1} x {0, ..., phases-1} whose
// transitions depend on the level only through kind = min(level, kinds-1).
// What rises above the top level comes back at once: at level levels-1-j in
// phase f with probability back[j][f].
type chain struct {
	levels, phases, kinds int
	down, up              int           // rises lie in -down..up
	in                    [][]pull      // in[kind][rise+down], without self-loops, but of the last kind
	top                   pull          // of the last kind: from counts from the first state of the level
	cut                   [][]int32     // cut[rise+down][f]: where the sources of a rise begin in top
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
	c.joinTop()
	return c, nil
}

// joinTop joins the lists of the last kind, in[kinds-1], into one for each phase, in which
// cut tells the rises apart: every level takes its part of it.
func (c *chain) joinTop() {
	in := c.in[c.kinds-1]
	edges := 0
	for _, l := range in {
		edges += len(l.from)
	}
	c.top = pull{from: make([]int32, 0, edges), p: make([]float64, 0, edges)}
	c.cut = make([][]int32, len(in)+1)
	for b := range c.cut {
		c.cut[b] = make([]int32, c.phases)
	}
	for f := range c.phases {
		for b, l := range in {
			c.cut[b][f] = int32(len(c.top.from))
			lo, hi := l.start[f], l.start[f+1]
			for _, a := range l.from[lo:hi] {
				c.top.from = append(c.top.from, a-int32((b-c.down)*c.phases))
			}
			c.top.p = append(c.top.p, l.p[lo:hi]...)
		}
		c.cut[len(in)][f] = int32(len(c.top.from))
	}
	c.in[c.kinds-1] = nil
}

// part is a part of a pull: the sources of phase f are from[start[f]:end[f]]. They are
// counted from the first state of the level at which they are, plus base.
type part struct {
	*pull
	start, end []int32
	base       int
}

// sources returns for each level the transitions into it from all levels, by rise. It copies
// none, because rises of up to ten would give ten levels copies of their own.
func (c *chain) sources() [][]part {
	into := make([][]part, c.levels)
	for m := range into {
		// from a = m - r, levels-1 >= a >= kinds-1
		lo, hi := max(-c.down, m-c.levels+1), min(c.up, m-c.kinds+1)
		if lo <= hi {
			into[m] = append(into[m], part{&c.top, c.cut[lo+c.down], c.cut[hi+1+c.down], 0})
		}
		for a := min(c.kinds-2, m+c.down, c.levels-1); a >= max(0, m-c.up); a-- {
			l := &c.in[a][m-a+c.down]
			into[m] = append(into[m], part{l, l.start[:c.phases], l.start[1:], (a - m) * c.phases})
		}
	}
	return into
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

// full returns the chain on the phases in use, still without levels and a way back. The chains
// of all ceilings share its transitions.
func (ph *phases) full(ctx context.Context) (*chain, error) {
	pos := ph.positions()
	return newChain(ctx, 0, len(ph.list), ph.bottom+1, func(k int, f int32, buf []edge) []edge {
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
	for fall := 1; fall <= c.down; fall++ {
		start, end := c.cut[c.down-fall], c.cut[c.down-fall+1]
		for i := 1; i <= fall; i++ {
			j := min(fall-i, c.levels-1)
			scale := math.Exp(logRatio * float64(i))
			for f := range c.phases {
				for e := start[f]; e < end[f]; e++ {
					v := scale * shape[int(c.top.from[e])-fall*c.phases] * c.top.p[e]
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
