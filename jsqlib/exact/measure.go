package exact

import "math"

// measure reads the result off a solution.
func (ph *phases) measure(s *solution) Result {
	r := Result{
		Ceiling: s.levels - 1, Residual: s.residual(), States: len(s.x),
		MeanUnusedExact: ph.unused,
	}
	unused := ph.measureBoundary(s, &r)
	ph.measureAll(s, unused, &r)
	return r
}

// measureBoundary sets the boundary law and its moments, all of which are ratios to E U. It
// returns E U of the solution, whose mass is not 1: the levels above the ceiling come on top.
func (ph *phases) measureBoundary(s *solution, r *Result) (u float64) {
	each := func(do func(o spent, w float64)) {
		for l := range ph.bottom {
			for f, x := range s.at(l) {
				for _, o := range ph.idle[l][s.list[f]] {
					do(o, x*o.p)
				}
			}
		}
	}
	lo, hi := 0, 0
	each(func(o spent, _ float64) {
		hi = max(hi, int(o.total))
		if !ph.continuous {
			lo = min(lo, int(o.total-o.unused)+1)
		}
	})
	law := make([]float64, hi-lo+1)
	var uq, uu float64 // E[U Q^+], E[U^2]
	each(func(o spent, w float64) {
		k := float64(o.unused)
		u += w * k
		uq += w * k * float64(o.total)
		uu += w * k * k
		if ph.continuous {
			law[int(o.total)-lo] += w * k
			return
		}
		for j := range int(o.unused) {
			law[int(o.total)-j-lo] += w
		}
	})
	for i := range law {
		law[i] /= u
	}
	r.Boundary = Law{lo, law}
	r.BoundaryMean, r.QtildeMean = uq/u, uq/u
	if !ph.continuous {
		r.BoundarySecond = uu / u
		r.QtildeMean = r.BoundaryMean - (r.BoundarySecond-1)/2
	}
	return u
}

// measureAll sets what all levels have a part in: those of the solution, and those above, which
// carry scale ratio^i shape, i = 1, 2, ... The law of the total is in the scale of the exact E U;
// unused is that of the solution.
func (ph *phases) measureAll(s *solution, unused float64, r *Result) {
	perp, carried := make([]float64, s.phases), make([]bool, len(ph.used))
	for f, p := range s.list {
		perp[f], carried[p] = ph.perp(p), true
	}
	var mass, perp2, equal, moved float64
	add := func(kind, f int, x float64) {
		mass += x
		perp2 += x * perp[f]
		if perp[f] == 0 {
			equal += x
		}
		for _, e := range ph.edges(kind, s.list[f]) {
			if !carried[e.to] {
				moved += x * e.p
			}
		}
	}
	r.TotalLaw = make([]float64, ph.n*s.levels)
	for l := range s.levels {
		for f, x := range s.at(l) {
			add(s.kind(l), f, x)
			if q := ph.n*l + ph.excess[s.list[f]]; q < len(r.TotalLaw) {
				r.TotalLaw[q] += x * ph.unused / unused
			}
		}
	}
	logRatio := -ph.tilt * float64(ph.n)
	above := s.scale * math.Exp(logRatio) / -math.Expm1(logRatio)
	for f, x := range s.shape {
		add(ph.bottom, f, above*x)
	}
	r.PerpSecondMoment = perp2 / mass
	r.EqualProbability = equal / mass
	r.Truncation = moved / mass
	r.MeanUnused = unused / mass
}
