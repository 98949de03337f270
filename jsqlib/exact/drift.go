package exact

import (
	"math"

	"jsqlab/jsqlib"
)

// maxDriftOutcomes bounds the outcomes of a slot that MeanDrift goes through.
const maxDriftOutcomes = 20_000_000

// MeanDrift returns how much closer to equal the queues q get in a slot on average:
// E[L^+ - L | q], L = ||q_perp||_2, in jobs, below 0 when they get closer. It is exact, as it
// goes through all arrivals and services of a slot.
//
// It is for N = 2, 3 above all. It fails with [*jsqlib.Invalid] for more than 20 million outcomes
// (N A_max + 1) (S_max + 1)^N, for a q that is not a state of the system, for continuous time and
// for a policy other than JSQ, and as [jsqlib.Model.Constants] does.
func MeanDrift(s jsqlib.Model, q []int64) (float64, error) {
	c, err := slotsOfJSQ(s)
	if err != nil {
		return 0, err
	}
	if len(q) != c.N {
		return 0, jsqlib.Refuse("exact", "q", q, "one queue for each of the servers")
	}
	for _, x := range q {
		if x < 0 || x > maxQueue {
			return 0, jsqlib.Refuse("exact", "q", q, "queues of 0 to 2^52 jobs")
		}
	}
	outcomes := float64(c.N*c.AMax+1) * math.Pow(float64(c.SMax+1), float64(c.N))
	if outcomes > maxDriftOutcomes {
		return 0, jsqlib.Refuse("exact", "servers", c.N, "few enough servers for 2e7 outcomes of a slot (sim.MeasureCollapse takes more)")
	}
	l := math.Sqrt(jsqlib.PerpNorm2(q))
	after := make([]int64, c.N)
	drift := 0.0
	for a, p := range c.Arrivals.Power(c.N) {
		if p == 0 {
			continue
		}
		// ties do not matter for L^+, so that no chance is in the routing
		copy(after, q)
		s.Routing.Join(after, int64(a))
		drift += p * meanAfter(after, c.Service, 0, l)
	}
	return drift, nil
}

// slotsOfJSQ returns the constants of a model in discrete time under JSQ, and refuses others.
func slotsOfJSQ(s jsqlib.Model) (jsqlib.Constants, error) {
	c, err := s.Constants()
	switch {
	case err != nil:
	case s.Continuous:
		err = jsqlib.Refuse("exact", "model", jsqlib.CT, "dt")
	case !s.JSQ():
		err = jsqlib.Refuse("exact", "policy", s.Policy, "jsq")
	}
	return c, err
}

// maxQueue keeps differences of queues exact as float64.
const maxQueue = 1 << 52

// meanAfter returns E L^+ - l when servers i, i+1, ... are still to serve.
func meanAfter(q []int64, service jsqlib.PMF, i int, l float64) float64 {
	if i == len(q) {
		return math.Sqrt(jsqlib.PerpNorm2(q)) - l
	}
	sum, before := 0.0, q[i]
	for s, p := range service {
		if p > 0 {
			q[i] = max(before-int64(s), 0)
			sum += p * meanAfter(q, service, i+1, l)
		}
	}
	q[i] = before
	return sum
}
