package exact

import (
	"context"
	"math"
)

// solver finds the stationary law x of a chain by iterative
// aggregation-disaggregation (Koury, McAllister, Stewart 1984): symmetric
// Gauss-Seidel sweeps in the order of the levels, and every few of them the
// exact law of the chain aggregated to (level, group), which rescales x. If
// every phase is a group of its own, this is the exact solution at once.
// Only the over-relaxation subtracts, and it stays positive.
type solver struct {
	*chain
	relax  float64   // over-relaxation factor, 1 <= relax < 2
	x      []float64 // x[level*phases+f]
	group  []int32   // group[f]
	groups int
	row    []int32 // row[state] = level*groups + group: its coarse state
	coarse *flows
	into   [][]part // of each level
	backTo [][]float64
}

// newSolver returns a solver that shares the transitions of the chain.
func newSolver(c *chain, relax float64, group []int32, groups int) *solver {
	s := &solver{
		chain: c, relax: relax, x: make([]float64, c.levels*c.phases),
		group: group, groups: groups, into: c.sources(), row: make([]int32, 0, c.levels*c.phases),
		coarse: newFlows(c.levels*groups, (c.down+1)*groups, (c.up+1)*groups),
	}
	for m := range c.levels {
		for _, h := range group {
			s.row = append(s.row, int32(m*groups)+h)
		}
	}
	for _, b := range c.back {
		g := make([]float64, groups)
		for f, p := range b {
			g[group[f]] += p
		}
		s.backTo = append(s.backTo, g)
	}
	return s
}

// at returns the law at a level.
func (s *solver) at(level int) []float64 {
	return s.x[level*s.phases : (level+1)*s.phases]
}

// leaving calls do with the flows that leave through the top.
func (s *solver) leaving(do func(level, f int, flow float64)) {
	for m := max(0, s.levels-s.up); m < s.levels; m++ {
		x := s.at(m)
		for r := s.levels - m; r <= s.up; r++ {
			for f, p := range s.rise[s.kind(m)][r+s.down] {
				do(m, f, x[f]*p)
			}
		}
	}
}

// overflow returns the flow that leaves through the top.
func (s *solver) overflow() float64 {
	over := 0.0
	s.leaving(func(_, _ int, flow float64) { over += flow })
	return over
}

// backAt returns the way back to a level, nil if none.
func (s *solver) backAt(level int) []float64 {
	if j := s.levels - 1 - level; j < len(s.back) {
		return s.back[j]
	}
	return nil
}

// inflow returns the flow into phase f of the level with first state base, with its part of
// what comes back of the overflow.
func inflow(into []part, x []float64, base, f int, over float64, back []float64) float64 {
	v := 0.0
	for i := range into {
		l := &into[i]
		lo, hi := l.start[f], l.end[f]
		from, p, first := l.from[lo:hi], l.p[lo:hi], base+l.base
		for j, a := range from {
			v += x[first+int(a)] * p[j]
		}
	}
	if back != nil {
		v += over * back[f]
	}
	return v
}

// sweep makes one symmetric Gauss-Seidel sweep and returns the sum of the
// changes, each times the probability to leave the state: about
// ||x P - x||_1.
func (s *solver) sweep(ctx context.Context) (change float64, err error) {
	for _, upwards := range []bool{true, false} {
		change = 0
		over := s.overflow()
		for i := range s.levels {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			level, f, step := i, 0, 1
			if !upwards {
				level, f, step = s.levels-1-i, s.phases-1, -1
			}
			x, leave := s.at(level), s.leave[s.kind(level)]
			into, base, back := s.into[level], level*s.phases, s.backAt(level)
			for ; f >= 0 && f < len(x); f += step {
				if leave[f] == 0 {
					continue
				}
				v := inflow(into, s.x, base, f, over, back)
				change += math.Abs(v - leave[f]*x[f])
				y := v / leave[f]
				x[f] = max(x[f]+s.relax*(y-x[f]), y/8)
			}
		}
	}
	return change, nil
}

// aggregate replaces the masses of all (level, group) by the exact stationary
// law of the chain aggregated with the present conditional laws.
func (s *solver) aggregate() {
	g, c := s.groups, s.coarse
	width := c.lo + c.hi + 1
	c.reset()
	for m := range s.levels {
		x := s.at(m)
		mass := c.mass[m*g : (m+1)*g]
		for f, h := range s.group {
			mass[h] += x[f]
		}
		for f, h := range s.group {
			col := m*g + int(h) + c.lo
			for _, l := range s.into[m] {
				base := m*s.phases + l.base
				for j := l.start[f]; j < l.end[f]; j++ {
					a := base + int(l.from[j])
					row := int(s.row[a])
					c.a[row*width+col-row] += s.x[a] * l.p[j]
				}
			}
		}
	}
	over := make([]float64, c.n)
	s.leaving(func(m, f int, flow float64) { over[m*g+int(s.group[f])] += flow })
	for from, v := range over {
		if v == 0 {
			continue
		}
		for j, b := range s.backTo {
			for k, p := range b {
				if to := (s.levels-1-j)*g + k; v*p > 0 {
					c.row(from)[to-from+c.lo] += v * p
				}
			}
		}
	}
	law := c.stationary()
	for m := range s.levels {
		x := s.at(m)
		for f, h := range s.group {
			if i := m*g + int(h); c.mass[i] > 0 {
				x[f] *= law[i] / c.mass[i]
			}
		}
	}
}

// residual returns ||x P - x||_1.
func (s *solver) residual() float64 {
	over, sum := s.overflow(), 0.0
	for m := range s.levels {
		x, leave, back := s.at(m), s.leave[s.kind(m)], s.backAt(m)
		for f := range x {
			sum += math.Abs(inflow(s.into[m], s.x, m*s.phases, f, over, back) - leave[f]*x[f])
		}
	}
	return sum
}

// solve iterates from the present x > 0 until the changes are at most goal or
// do not fall any more.
func (s *solver) solve(ctx context.Context, goal float64, progress func(sweeps int, change float64)) error {
	best, idle := math.Inf(1), 0
	for sweeps := 0; sweeps < maxSweeps && idle < 8; sweeps++ {
		change, err := s.sweep(ctx)
		if err != nil {
			return err
		}
		if sweeps%aggregateEvery == 0 {
			s.aggregate()
		}
		progress(sweeps+1, change)
		if change <= goal {
			break
		}
		if idle++; change < 0.99*best {
			best, idle = change, 0
		}
	}
	return nil
}

const (
	maxSweeps = 5000
	// aggregateEvery is how many sweeps go by before the next aggregation,
	// which costs as much as two of them (measured best).
	aggregateEvery = 4
)
