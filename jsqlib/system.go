package jsqlib

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Routing is the unit that joins a shortest queue.
type Routing int

const (
	// Batch sends all arrivals of a slot to one queue.
	Batch Routing = iota
	// Job sends each job of a slot, one after the other, to the then shortest
	// queue.
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

// Policy is the dispatching rule. The zero value is JSQ over all N servers;
// Choices = d > 0 is power of d (pod): d servers are sampled uniformly and the
// shortest of those is joined.
//
// The servers sampled are distinct, so that Choices = N is JSQ again, unless
// Replacement is set: then each of the d is drawn from all N, which is the rule
// of the mean-field literature. The two differ by O(1/N), and not at all for
// Choices = 1, random routing.
type Policy struct {
	Choices     int
	Replacement bool
}

const replacement = ":replacement"

// String returns "jsq", "pod:d" or "pod:d:replacement".
func (p Policy) String() string {
	s := "jsq"
	if p.Choices != 0 {
		s = fmt.Sprintf("pod:%d", p.Choices)
	}
	if p.Replacement {
		s += replacement
	}
	return s
}

// ParsePolicy reads what [Policy.String] writes. The error is a [*FieldError];
// that D is at most N is for the system to say.
func ParsePolicy(text string) (Policy, error) {
	name, with := strings.CutSuffix(text, replacement)
	d, pod := strings.CutPrefix(name, "pod:")
	p := Policy{Replacement: with}
	if pod {
		p.Choices, _ = strconv.Atoi(d) // what is no number is not written so
	}
	if p.Choices < 0 || p.String() != text || with && !pod {
		return Policy{}, fieldErr("policy", strconv.Quote(text), "jsq, pod:D or pod:D:replacement with 1 <= D <= servers")
	}
	return p, nil
}

// Ranks returns the probability that a job joins the queue of each rank 0, 1,
// ..., in increasing order of the N queues. With d = Choices, rank k or above
// is joined if all servers sampled have such ranks:
//
//	P(rank >= k) = C(N-k, d)/C(N, d),   with replacement ((N-k)/N)^d.
//
// Ties do not matter, as equal queues are of one length. Ranks of probability 0
// at the end are left out: JSQ has rank 0 alone.
func (p Policy) Ranks(servers int) []float64 {
	n, d := servers, p.Choices
	if p.jsq(n) {
		return []float64{1}
	}
	last := n - d
	if p.Replacement {
		last = n - 1
	}
	rank := make([]float64, last+1)
	above := 1.0 // P(rank >= k)
	for k := range rank {
		if p.Replacement {
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
	if p.Choices < 0 || p.Choices > servers || p.Choices == 0 && p.Replacement {
		return fieldErr("policy", p, fmt.Sprintf("jsq, pod:D or pod:D:replacement with 1 <= D <= servers = %d", servers))
	}
	return nil
}

// jsq reports whether the policy joins the shortest of all servers.
func (p Policy) jsq(servers int) bool {
	return p.Choices == 0 || p.Choices == servers && (!p.Replacement || servers == 1)
}

const (
	// MaxServers bounds N: the law of a slot's arrivals is tabulated on
	// {0, ..., N A_max}.
	MaxServers = 100_000
	// MinGap is the smallest gap accepted: e^2, which the second-order terms
	// need, must still be a normal float64.
	MinGap = 1e-150
	// MinLoad is the smallest load 1 - e accepted. All is computed from the gap,
	// and a float64 near 1 carries a load of 1e-9 to seven digits, one of 1e-16
	// to none.
	MinLoad = 1e-9
)

// System describes the discrete-time model. Exactly one of Alpha and Gap is
// set: Gap = e = 1 - load, Alpha gives e = N^(-Alpha). The zero values of the
// other fields are the reference system: Binomial(2, 1/2) arrivals and
// services, batch routing, JSQ.
type System struct {
	Servers  int     // N >= 1
	Alpha    float64 // alpha > 0, or 0 to give Gap
	Gap      float64 // e in (0, 1), or 0 to give Alpha
	Arrivals PMF     // base law of a_j before thinning, mean 1; nil: Binomial(2)
	Service  PMF     // law of s_i, mean 1; nil: Binomial(2)
	Routing  Routing
	Policy   Policy
}

// CT describes the continuous-time twin: Poisson arrivals of total rate
// N (1 - e), N exponential servers of rate 1, each job joins a shortest queue
// (or the shortest of d sampled ones). Alpha and Gap are as in [System].
type CT struct {
	Servers int
	Alpha   float64
	Gap     float64
	Policy  Policy
}

// gapOf checks N, alpha and gap and returns alpha and e = N^(-alpha). For
// N = 1 alpha is returned as 0, as it says nothing.
func gapOf(servers int, alpha, gap float64) (float64, float64, error) {
	if servers < 1 || servers > MaxServers {
		return 0, 0, fieldErr("servers", servers, fmt.Sprintf("1 <= servers <= %d", MaxServers))
	}
	switch {
	case math.IsNaN(alpha) || math.IsInf(alpha, 0) || alpha < 0:
		return 0, 0, fieldErr("alpha", alpha, "alpha > 0")
	case math.IsNaN(gap) || gap < 0 || gap >= 1:
		return 0, 0, fieldErr("gap", gap, "0 < gap < 1")
	case alpha == 0 && gap == 0:
		return 0, 0, fieldErr("gap", "0 and alpha = 0", "exactly one of alpha > 0 and 0 < gap < 1")
	case alpha > 0 && gap > 0:
		return 0, 0, fieldErr("gap", fmt.Sprintf("%v and alpha = %v", gap, alpha), "exactly one of alpha and gap")
	case alpha > 0 && servers == 1:
		return 0, 0, fieldErr("alpha", fmt.Sprintf("%v with servers = 1", alpha), "gap instead (1^(-alpha) = 1 is no gap)")
	case alpha > 0:
		gap = math.Pow(float64(servers), -alpha)
		if gap < MinGap {
			return 0, 0, fieldErr("alpha", alpha, fmt.Sprintf("N^(-alpha) >= %g, which float64 can carry (got %.3g)", MinGap, gap))
		}
		if gap > 1-MinLoad {
			return 0, 0, fieldErr("alpha", alpha, fmt.Sprintf("1 - N^(-alpha) >= %g, the smallest load (got %.3g)", MinLoad, 1-gap))
		}
	case gap < MinGap:
		return 0, 0, fieldErr("gap", gap, fmt.Sprintf("gap >= %g, which float64 can carry", MinGap))
	case gap > 1-MinLoad:
		return 0, 0, fieldErr("gap", gap, fmt.Sprintf("1 - gap >= %g, the smallest load", MinLoad))
	case servers > 1:
		alpha = -math.Log(gap) / math.Log(float64(servers))
	}
	return alpha, gap, nil
}

// Constants are the numbers derived from a [System], in the symbols of the
// companion. Rates are in jobs per slot.
type Constants struct {
	N          int
	Alpha      float64 // alpha = -log e / log N (0 for N = 1)
	Gap        float64 // e = N^(-alpha); also the scale c of Z = N^(-alpha) Q
	Eps        float64 // eps = N e = N^(1-alpha) = -E X
	Lambda     float64 // lam = E a = N (1 - e)
	ArrivalVar float64 // s_a^2, variance of one thinned a_j
	ServiceVar float64 // s_s^2
	V          float64 // v = Var X = N (s_a^2 + s_s^2)
	LimitMean  float64 // m = (sigma_a^2 + sigma_s^2)/2 with the variances at e = 0
	MeanN      float64 // m_N = v / (2N)
	MeanShift  float64 // m_N - m, computed without cancellation
	AMax       int     // largest a_j
	SMax       int     // largest s_i
	Arrivals   PMF     // law of one a_j after thinning
	Service    PMF     // law of one s_i
}

// Constants checks the description and derives its constants. The error, if
// any, is a [*FieldError]. Source: the model of arXiv:2004.04826v3; with a base
// of variance b^2 thinning gives s_a^2 = (1-e)^2 b^2 + e (1-e).
func (s System) Constants() (Constants, error) {
	alpha, e, err := gapOf(s.Servers, s.Alpha, s.Gap)
	if err != nil {
		return Constants{}, err
	}
	base, service := s.Arrivals, s.Service
	if base == nil {
		base = Binomial(2)
	}
	if service == nil {
		service = Binomial(2)
	}
	if err := base.validate("arrivals"); err != nil {
		return Constants{}, err
	}
	if err := service.validate("service"); err != nil {
		return Constants{}, err
	}
	if s.Routing != Batch && s.Routing != Job {
		return Constants{}, fieldErr("routing", int(s.Routing), "batch or job")
	}
	if err := s.Policy.validate(s.Servers); err != nil {
		return Constants{}, err
	}
	n := float64(s.Servers)
	b2 := base.Variance()
	c := Constants{
		N: s.Servers, Alpha: alpha, Gap: e, Eps: n * e, Lambda: n * (1 - e),
		ArrivalVar: (1-e)*(1-e)*b2 + e*(1-e),
		ServiceVar: service.Variance(),
		AMax:       base.Max(), SMax: service.Max(),
		Arrivals: base.Thin(e), Service: service[:service.Max()+1],
	}
	c.V = n * (c.ArrivalVar + c.ServiceVar)
	c.LimitMean = (b2 + c.ServiceVar) / 2
	c.MeanN = (c.ArrivalVar + c.ServiceVar) / 2
	// not e (1 - e - b^2 (2-e))/2, which cancels at b^2 = 1/2, the reference system
	c.MeanShift = e * (1 - 2*b2 - e*(1-b2)) / 2
	if err := checkLimitMean(c.LimitMean, "deterministic", "deterministic"); err != nil {
		return Constants{}, err
	}
	return c, nil
}

// JSQ reports whether the system joins the shortest of all its queues.
func (s System) JSQ() bool { return s.Policy.jsq(s.Servers) }

// Relaxation returns 2 v / eps^2, the relaxation time in slots of a reflected
// Brownian motion with the drift -eps and variance v of the total: the order
// N^(2 alpha - 1) of slots between two nearly independent samples of Q.
func (c Constants) Relaxation() float64 { return 2 * c.V / (c.Eps * c.Eps) }

// CTConstants are the numbers derived from a [CT]. Rates are per mean service.
type CTConstants struct {
	N         int
	Alpha     float64
	Gap       float64 // e = 1 - lambda
	Load      float64 // lambda
	LimitMean float64 // 1
}

// Constants checks the description and derives its constants. The error, if
// any, is a [*FieldError].
func (s CT) Constants() (CTConstants, error) {
	alpha, e, err := gapOf(s.Servers, s.Alpha, s.Gap)
	if err != nil {
		return CTConstants{}, err
	}
	if err := s.Policy.validate(s.Servers); err != nil {
		return CTConstants{}, err
	}
	return CTConstants{N: s.Servers, Alpha: alpha, Gap: e, Load: 1 - e, LimitMean: 1}, nil
}

// JSQ reports whether the system joins the shortest of all its queues.
func (s CT) JSQ() bool { return s.Policy.jsq(s.Servers) }

// Relaxation returns 4 / (N e^2), the relaxation time of the total in units of
// a mean service: drift -N e, variance about 2 N per unit of time, and
// 2 v / eps^2 as in discrete time.
func (c CTConstants) Relaxation() float64 {
	return 4 / (float64(c.N) * c.Gap * c.Gap)
}
