package jsqlib

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Slot is one slot of the discrete-time model, all vectors of length N:
//
//	After = Before + Arrivals - Service + Unused.
type Slot struct {
	Before   []int64 // q
	Arrivals []int64 // a_i, as routed
	Service  []int64 // s_i, offered
	Unused   []int64 // u_i
	After    []int64 // q^+
}

// Total returns the sum of x.
func Total(x []int64) int64 {
	t := int64(0)
	for _, v := range x {
		t += v
	}
	return t
}

// Route returns how many of a jobs that arrive together join each of the queues q, under the routing
// unit and the policy of the model. It uses r only to sample servers (pod) and to break ties uniformly.
// q is not changed. The result is nil for no queues, and for a policy or a routing unit that the queues
// cannot have.
func (s Model) Route(q []int64, a int64, r *rand.Rand) []int64 {
	if len(q) == 0 || s.Policy.validate(len(q)) != nil || s.Routing != Batch && s.Routing != Job {
		return nil
	}
	in := make([]int64, len(q))
	if s.Routing == Batch {
		if a > 0 {
			in[s.choose(q, in, r)] = a
		}
		return in
	}
	for ; a > 0; a-- {
		in[s.choose(q, in, r)]++
	}
	return in
}

// choose returns a server to join when queue i holds q[i] + in[i] jobs.
func (s Model) choose(q, in []int64, r *rand.Rand) int {
	candidates := make([]int, len(q))
	for i := range candidates {
		candidates[i] = i
	}
	switch {
	case s.Policy.jsq(len(q)):
	case s.Policy.Rule == PodReplacement:
		candidates = candidates[:s.Policy.Choices]
		for i := range candidates {
			candidates[i] = r.IntN(len(q))
		}
	default:
		for i := range s.Policy.Choices { // the first d of a partial shuffle
			j := i + r.IntN(len(q)-i)
			candidates[i], candidates[j] = candidates[j], candidates[i]
		}
		candidates = candidates[:s.Policy.Choices]
	}
	var best []int
	for _, i := range candidates {
		switch {
		case len(best) == 0 || q[i]+in[i] < q[best[0]]+in[best[0]]:
			best = append(best[:0], i)
		case q[i]+in[i] == q[best[0]]+in[best[0]]:
			best = append(best, i)
		}
	}
	if len(best) == 1 {
		return best[0]
	}
	return best[r.IntN(len(best))]
}

// Join adds a jobs to q in place under JSQ: all of them to a shortest queue, or each of them to the
// then shortest. Ties go to the first queue. Where servers are alike, ties do not change the law of any
// symmetric function of the queues. Queues may be negative.
func (r Routing) Join(q []int64, a int64) {
	if len(q) == 0 {
		return
	}
	if r == Batch {
		best := 0
		for i, x := range q {
			if x < q[best] {
				best = i
			}
		}
		q[best] += a
		return
	}
	for a > 0 { // raise the shortest queues to the next level, or by what there is
		low, next, count := q[0], int64(math.MaxInt64/2), int64(0)
		for _, x := range q {
			switch {
			case x < low:
				low, next, count = x, low, 1
			case x == low:
				count++
			case x < next:
				next = x
			}
		}
		rise := min(next-low, a/count)
		a -= rise * count
		extra := int64(0) // one more job each for the first few
		if rise < next-low {
			extra, a = a, 0
		}
		for i, x := range q {
			if x == low {
				q[i] += rise
				if extra > 0 {
					q[i]++
					extra--
				}
			}
		}
	}
}

// Serve returns the slot in which the queues q take the routed arrivals a and the offered services s:
//
//	q^+ = max(q + a - s, 0),   u = q^+ - (q + a - s).
//
// The slices are not changed and must have the same length. With other lengths Unused and After are
// nil, and [Slot.Check] reports the fault.
func Serve(q, a, s []int64) Slot {
	out := Slot{Before: q, Arrivals: a, Service: s}
	if len(a) != len(q) || len(s) != len(q) {
		return out
	}
	out.Unused, out.After = make([]int64, len(q)), make([]int64, len(q))
	for i := range q {
		x := q[i] + a[i] - s[i]
		out.After[i] = max(x, 0)
		out.Unused[i] = out.After[i] - x
	}
	return out
}

// Step draws one slot from state q: the pure reference implementation of the recursion, against which
// the fast simulators are held. The system must be valid ([Model.Constants] gives c); q is not changed.
func (s Model) Step(c Constants, q []int64, r *rand.Rand) Slot {
	a := int64(0)
	for range q {
		a += int64(c.Arrivals.Sample(r))
	}
	service := make([]int64, len(q))
	for i := range service {
		service[i] = int64(c.Service.Sample(r))
	}
	return Serve(q, s.Route(q, a, r), service)
}

// Check holds the slot against the identities that are true for sure: q^+ = q + a - s + u, q_i^+ u_i =
// 0 (hence <q^+, u> = 0), 0 <= u_i <= s_i and q^+ >= 0. The error names the first one that fails.
func (s Slot) Check() error {
	n := len(s.Before)
	for _, x := range [][]int64{s.Arrivals, s.Service, s.Unused, s.After} {
		if len(x) != n {
			return fmt.Errorf("jsqlib: slot: a vector of length %d, want %d as of the queues before", len(x), n)
		}
	}
	for i := range s.Before {
		switch {
		case s.After[i] != s.Before[i]+s.Arrivals[i]-s.Service[i]+s.Unused[i]:
			return fmt.Errorf("jsqlib: slot: q^+ = q + a - s + u fails at server %d", i)
		case s.After[i]*s.Unused[i] != 0:
			return fmt.Errorf("jsqlib: slot: q^+ u = %d at server %d, want 0", s.After[i]*s.Unused[i], i)
		case s.Unused[i] < 0 || s.Unused[i] > s.Service[i]:
			return fmt.Errorf("jsqlib: slot: u = %d at server %d, want 0 <= u <= s = %d", s.Unused[i], i, s.Service[i])
		case s.After[i] < 0:
			return fmt.Errorf("jsqlib: slot: q^+ = %d at server %d, want >= 0", s.After[i], i)
		}
	}
	return nil
}

// Event is one transition of the uniformised chain of continuous time.
type Event int

const (
	// Arrival: a job joined a queue.
	Arrival Event = iota
	// Departure: a busy server completed a job.
	Departure
	// Idle: a service completion fell on an idle server; nothing changes.
	Idle
)

// Tick draws one transition of the uniformised chain of continuous time. It returns the event and its
// server, and changes a copy of q. The clock ticks at rate N (1 + lambda) in every state, so the
// fraction of ticks in a state is its stationary probability. A tick is an arrival with probability
//
//	lambda/(1 + lambda),
//
// and else a completion at a uniformly chosen server. For no queues, and for a policy that the queues
// cannot have, the event is Idle at server -1.
func (s Model) Tick(c Constants, q []int64, r *rand.Rand) (next []int64, ev Event, server int) {
	next = append([]int64(nil), q...)
	if len(q) == 0 || s.Policy.validate(len(q)) != nil {
		return next, Idle, -1
	}
	if r.Float64()*(1+c.Load) < c.Load {
		server = s.choose(q, make([]int64, len(q)), r)
		next[server]++
		return next, Arrival, server
	}
	server = r.IntN(len(q))
	if q[server] == 0 {
		return next, Idle, server
	}
	next[server]--
	return next, Departure, server
}

// Parallel returns q_par = (Q/N) 1, the projection of q on the line where all queues are equal, as its
// common entry Q/N; 0 for no queues.
func Parallel(q []int64) float64 { return float64(Total(q)) / float64(max(len(q), 1)) }

// Perp returns q_perp = q - q_par.
func Perp(q []int64) []float64 {
	m := Parallel(q)
	p := make([]float64, len(q))
	for i, v := range q {
		p[i] = float64(v) - m
	}
	return p
}

// PerpNorm2 returns ||q_perp||^2 = sum (q_i - Q/N)^2. It sums distances from q_0, so that a common
// level of any height does not cancel.
func PerpNorm2(q []int64) float64 {
	s1, s2 := 0.0, 0.0
	for _, v := range q {
		d := float64(v - q[0])
		s1 += d
		s2 += d * d
	}
	return max(s2-s1*s1/float64(max(len(q), 1)), 0)
}
