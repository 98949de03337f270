package exact

import (
	"context"
	"math"
	"slices"
)

const (
	maxGroups = 64
	maxBand   = 1.5e8 // products of one aggregation, some 0.1 s
	tiny      = 1e-250
)

// solution is the chain solved at one pruning and ceiling.
type solution struct {
	*solver
	list  []int32   // phases
	shape []float64 // far above: pi(ceiling+i, f) = scale ratio^i shape[f]
	scale float64
}

// solve solves the chain on the phases in use below a ceiling. It starts from a solution on
// fewer phases or a lower ceiling, if there is one. First comes the law far above, which closes
// the chain at the ceiling.
func (ph *phases) solve(ctx context.Context, ceiling int, goal float64, from *solution, progress func(int, float64)) (*solution, error) {
	group, groups := ph.groups(ceiling + 1)
	free, err := ph.free(ctx)
	if err != nil {
		return nil, err
	}
	far := newSolver(free, 1, group, groups)
	for f, p := range ph.list {
		far.x[f] = ph.mass[p]
	}
	far.aggregate()
	// An error of the far law is much smaller at the boundary.
	if err := far.solve(ctx, 100*goal, func(int, float64) {}); err != nil {
		return nil, err
	}
	shape := far.x
	for f, p := range ph.list {
		ph.mass[p] = shape[f]
		shape[f] *= math.Exp(-ph.tilt * float64(ph.excess[p]))
	}

	if ph.chain == nil || ph.chain.phases < len(ph.list) {
		ph.chain = nil
		if ph.chain, err = ph.full(ctx); err != nil {
			return nil, err
		}
	}
	copied := *ph.chain
	full := &copied
	full.levels = ceiling + 1
	logRatio := -ph.tilt * float64(ph.n)
	flow := full.returns(shape, logRatio)
	s := &solution{solver: newSolver(full, ph.model.relax, group, groups), list: slices.Clone(ph.list), shape: shape}
	for l := range full.levels {
		scale := math.Exp(logRatio * float64(l))
		for f, p := range shape {
			s.at(l)[f] = max(scale*p, tiny) // any positive start will do
		}
	}
	if from != nil {
		s.warm(ph, from)
	}
	s.aggregate()
	if err = s.solver.solve(ctx, goal, progress); err != nil {
		return nil, err
	}
	s.scale = s.overflow() / flow
	return s, nil
}

// release lets go of all but the law, which is what the next solution starts from.
func (s *solution) release() {
	s.chain, s.into, s.coarse = &chain{levels: s.levels, phases: s.phases}, nil, nil
}

// warm takes the law of an earlier solution for the states that the latter has, and scales the
// rest of each level to it.
func (s *solution) warm(ph *phases, from *solution) {
	pos := ph.positions()
	for l := range s.levels {
		x, mass, guess := s.at(l), 0.0, 0.0
		old := from.at(min(l, from.levels-1))
		for f, p := range from.list {
			mass += old[f]
			guess += x[pos[p]]
		}
		if mass > tiny {
			for f := range x {
				x[f] = max(x[f]*(mass/guess), tiny)
			}
		}
		if l < from.levels {
			for f, p := range from.list {
				x[pos[p]] = old[f]
			}
		}
	}
}

// highest returns the largest rise of the level in a step from the phases in use.
func (ph *phases) highest() int {
	up := int32(0)
	for _, p := range ph.list {
		for _, e := range ph.edges(ph.bottom, p) {
			up = max(up, e.rise)
		}
	}
	return int(up)
}

// groups numbers the coarse groups of phases. A group is a sum w of the differences, up to a
// limit, so that level and group tell the total Q. Large rises make the band of the coarse chain
// wide. Then the groups are fewer, and an aggregation takes at most maxBand products.
func (ph *phases) groups(levels int) (group []int32, groups int) {
	up, down := min(ph.highest()+1, levels), min(ph.bottom+1, levels)
	limit := min(max(int(math.Cbrt(maxBand/float64(levels*up*down))), 1), maxGroups)
	group = make([]int32, len(ph.list))
	for f, p := range ph.list {
		g := min(ph.excess[p], limit-1)
		group[f] = int32(g)
		groups = max(groups, g+1)
	}
	return group, groups
}
