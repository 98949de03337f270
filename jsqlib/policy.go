package jsqlib

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Routing is the unit that joins a shortest queue.
type Routing int

const (
	// Batch sends all arrivals of a slot to one queue.
	Batch Routing = iota
	// Job sends each job of a slot, one after the other, to the then shortest queue.
	Job
)

// String returns "batch" or "job".
func (r Routing) String() string {
	switch r {
	case Batch:
		return "batch"
	case Job:
		return "job"
	}
	return fmt.Sprintf("Routing(%d)", int(r))
}

// Rule is the kind of a dispatching rule. Engines and solvers refuse a kind that they do not know, by
// [Policy.Among].
type Rule int

const (
	// JSQ joins the shortest of all N queues.
	JSQ Rule = iota
	// Pod is power of d: the shortest of d distinct servers, sampled uniformly.
	Pod
	// PodReplacement is power of d with each of the d servers drawn from all N, which may look at one
	// server twice: the rule of the mean-field literature.
	PodReplacement
)

// Policy is the dispatching rule. The zero value is JSQ. Pod and PodReplacement sample Choices = d
// servers, 1 <= d <= N, and join the shortest of their queues. The two rules differ by O(1/N); for d =
// 1, random routing, they are the same. Pod with d = N is JSQ again.
type Policy struct {
	Rule    Rule
	Choices int
}

const replacement = ":replacement"

// String returns "jsq", "pod:d" or "pod:d:replacement".
func (p Policy) String() string {
	switch p.Rule {
	case JSQ:
		return "jsq"
	case Pod:
		return fmt.Sprintf("pod:%d", p.Choices)
	case PodReplacement:
		return fmt.Sprintf("pod:%d%s", p.Choices, replacement)
	}
	return fmt.Sprintf("Rule(%d)", int(p.Rule))
}

// ParsePolicy reads the notation of [Policy.String]. The error is an [*Invalid]. The model checks that
// D is at most N.
func ParsePolicy(text string) (Policy, error) {
	var p Policy
	if d, pod := strings.CutPrefix(text, "pod:"); pod {
		d, again := strings.CutSuffix(d, replacement)
		p.Rule = Pod
		if again {
			p.Rule = PodReplacement
		}
		p.Choices, _ = strconv.Atoi(d) // a malformed number leaves 0, which is refused below
	}
	if p.String() != text || p.Rule != JSQ && p.Choices < 1 {
		return Policy{}, Refuse("jsqlib", "policy", strconv.Quote(text), "jsq, pod:D or pod:D:replacement with 1 <= D <= servers")
	}
	return p, nil
}

// Ranks returns the probability that a job joins the queue of each rank 0, 1, ..., in increasing order
// of the N queues. A job joins rank k or above if all d = Choices sampled servers have such ranks:
//
//	P(rank >= k) = C(N-k, d)/C(N, d),   with replacement ((N-k)/N)^d.
//
// Ties do not matter, because equal queues have one length. Ranks of probability 0 at the end are left
// out: JSQ has rank 0 alone. Ranks returns nil for a policy that N servers cannot have, and unless 1 <=
// N <= [MaxServers].
func (p Policy) Ranks(servers int) []float64 {
	if servers < 1 || servers > MaxServers || p.validate(servers) != nil {
		return nil
	}
	n, d := servers, p.Choices
	if p.jsq(n) {
		return []float64{1}
	}
	last := n - d
	if p.Rule == PodReplacement {
		last = n - 1
	}
	rank := make([]float64, last+1)
	above := 1.0 // P(rank >= k)
	for k := range rank {
		if p.Rule == PodReplacement {
			x := float64(n - k)
			rank[k] = -math.Pow(x/float64(n), float64(d)) * math.Expm1(float64(d)*math.Log1p(-1/x))
			continue
		}
		rank[k] = above * float64(d) / float64(n-k)
		above *= 1 - float64(d)/float64(n-k)
	}
	return rank
}

func (p Policy) validate(servers int) error {
	sampling := p.Rule == Pod || p.Rule == PodReplacement
	if p.Rule != JSQ && !sampling || p.Rule == JSQ && p.Choices != 0 || sampling && (p.Choices < 1 || p.Choices > servers) {
		got := p.String()
		if p.Rule == JSQ {
			got = fmt.Sprintf("jsq with %d choices", p.Choices)
		}
		return Refuse("jsqlib", "policy", got, fmt.Sprintf("jsq, pod:D or pod:D:replacement with 1 <= D <= servers = %d", servers))
	}
	return nil
}

// jsq reports whether the policy joins the shortest of all servers.
func (p Policy) jsq(servers int) bool {
	return p.Rule == JSQ || servers == 1 || p.Rule == Pod && p.Choices == servers
}

// Among refuses, in the name of a package that knows these rules only, a policy of another rule. A new
// rule stays refused that way until each engine and each solver has learnt it. The error is an [*Invalid].
func (p Policy) Among(where string, rules ...Rule) error {
	if slices.Contains(rules, p.Rule) {
		return nil
	}
	return Refuse(where, "policy", p, "a rule that "+where+" knows")
}

// Recurrent decides whether the boundary law exists: it returns nil if the differences of the queues
// are positive recurrent while no server idles. The states near the boundary then have a law that does
// not depend on the gap. With one random choice the differences drift apart without bound, and the
// error is an [*Invalid].
func (p Policy) Recurrent(servers int) error {
	if p.jsq(servers) || p.Choices >= 2 {
		return nil
	}
	return Refuse("jsqlib", "policy", p, "a rule under which the differences of the queues are positive recurrent while nobody idles: jsq, or pod:D or pod:D:replacement with D >= 2")
}
