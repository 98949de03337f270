package jsqlib

import (
	"fmt"
	"math"
)

const (
	// MaxServers bounds N: the law of a slot's arrivals is tabulated on {0, ..., N A_max}.
	MaxServers = 100_000
	// MinGap is the smallest gap accepted: e^2, which the second-order terms need, must still be a
	// normal float64.
	MinGap = 1e-150
	// MinLoad is the smallest load 1 - e accepted. Everything is computed from the gap. A float64 gap
	// near 1 carries a load of 1e-9 to seven digits, and a load of 1e-16 to none.
	MinLoad = 1e-9
)

// Model describes a system in discrete or in continuous time. Exactly one of Alpha and Gap is set: Gap
// = e = 1 - load, Alpha gives e = N^(-Alpha). The zero values of the other fields are the reference
// system: discrete time, Binomial(2, 1/2) arrivals and services, batch routing, JSQ.
//
// In continuous time jobs arrive one by one in a Poisson process of total rate N (1 - e), services are
// exponential of rate 1, and Arrivals, Service and Routing are not used and must be zero.
type Model struct {
	Continuous bool    // continuous time; the zero value is discrete time
	Servers    int     // N >= 1
	Alpha      float64 // alpha > 0, or 0 to give Gap
	Gap        float64 // e in (0, 1), or 0 to give Alpha
	Arrivals   PMF     // base law of a_j before thinning, mean 1; nil: Binomial(2)
	Service    PMF     // law of s_i, mean 1; nil: Binomial(2)
	Routing    Routing
	Policy     Policy
}

// gapOf checks N, alpha and gap and returns alpha and e = N^(-alpha). For N = 1 the returned alpha is
// 0, because 1^(-alpha) says nothing about the gap.
func gapOf(servers int, alpha, gap float64) (float64, float64, error) {
	if servers < 1 || servers > MaxServers {
		return 0, 0, Refuse("jsqlib", "servers", servers, fmt.Sprintf("1 <= servers <= %d", MaxServers))
	}
	switch {
	case math.IsNaN(alpha) || math.IsInf(alpha, 0) || alpha < 0:
		return 0, 0, Refuse("jsqlib", "alpha", alpha, "alpha > 0")
	case math.IsNaN(gap) || gap < 0 || gap >= 1:
		return 0, 0, Refuse("jsqlib", "gap", gap, "0 < gap < 1")
	case alpha == 0 && gap == 0:
		return 0, 0, Refuse("jsqlib", "gap", "0 and alpha = 0", "exactly one of alpha > 0 and 0 < gap < 1")
	case alpha > 0 && gap > 0:
		return 0, 0, Refuse("jsqlib", "gap", fmt.Sprintf("%v and alpha = %v", gap, alpha), "exactly one of alpha and gap")
	case alpha > 0 && servers == 1:
		return 0, 0, Refuse("jsqlib", "alpha", fmt.Sprintf("%v with servers = 1", alpha), "gap instead (1^(-alpha) = 1 is no gap)")
	case alpha > 0:
		gap = math.Pow(float64(servers), -alpha)
		if gap < MinGap {
			return 0, 0, Refuse("jsqlib", "alpha", alpha, fmt.Sprintf("N^(-alpha) >= %g, which float64 can carry (got %.3g)", MinGap, gap))
		}
		if gap > 1-MinLoad {
			return 0, 0, Refuse("jsqlib", "alpha", alpha, fmt.Sprintf("1 - N^(-alpha) >= %g, the smallest load (got %.3g)", MinLoad, 1-gap))
		}
	case gap < MinGap:
		return 0, 0, Refuse("jsqlib", "gap", gap, fmt.Sprintf("gap >= %g, which float64 can carry", MinGap))
	case gap > 1-MinLoad:
		return 0, 0, Refuse("jsqlib", "gap", gap, fmt.Sprintf("1 - gap >= %g, the smallest load", MinLoad))
	case servers > 1:
		alpha = -math.Log(gap) / math.Log(float64(servers))
	}
	return alpha, gap, nil
}

// Constants are the numbers derived from a [Model], in the symbols of the companion. Rates are per
// slot; in continuous time per mean service, and the variances are those of the arrivals and of the
// services of one server in a unit of time.
type Constants struct {
	N          int
	Alpha      float64 // alpha = -log e / log N (0 for N = 1)
	Gap        float64 // e = N^(-alpha); also the scale c of Z = N^(-alpha) Q
	Load       float64 // lambda = 1 - e
	Eps        float64 // eps = N e = N^(1-alpha) = -E X; E U, and E I in continuous time
	Lambda     float64 // lam = E a = N (1 - e)
	ArrivalVar float64 // s_a^2, variance of one thinned a_j; 1 - e in continuous time
	ServiceVar float64 // s_s^2; 1 in continuous time
	V          float64 // v = Var X = N (s_a^2 + s_s^2)
	LimitMean  float64 // m = (sigma_a^2 + sigma_s^2)/2 with the variances at e = 0
	MeanN      float64 // m_N = v/(2N)
	MeanShift  float64 // m_N - m, computed without cancellation
	AMax       int     // largest a_j; 0 in continuous time
	SMax       int     // largest s_i; 0 in continuous time
	Arrivals   PMF     // law of one a_j after thinning; nil in continuous time
	Service    PMF     // law of one s_i; nil in continuous time
}

// Continuous reports whether the constants are those of a model in continuous time.
func (c Constants) Continuous() bool { return c.Arrivals == nil }

// Constants checks the description and derives its constants. The error, if any, wraps an [*Invalid].
// Source: the model of arXiv:2004.04826v3; with a base of variance b^2 thinning gives s_a^2 = (1-e)^2
// b^2 + e (1-e).
func (m Model) Constants() (Constants, error) {
	alpha, e, err := gapOf(m.Servers, m.Alpha, m.Gap)
	if err != nil {
		return Constants{}, err
	}
	if err := m.Policy.validate(m.Servers); err != nil {
		return Constants{}, err
	}
	n := float64(m.Servers)
	c := Constants{N: m.Servers, Alpha: alpha, Gap: e, Load: 1 - e, Eps: n * e, Lambda: n * (1 - e)}
	if m.Continuous {
		if m.Arrivals != nil || m.Service != nil || m.Routing != Batch {
			return Constants{}, Refuse("jsqlib", "model", "continuous time with a law or routing of slots",
				"no arrivals, service and routing (continuous time has Poisson arrivals, exponential services and single jobs)")
		}
		c.ArrivalVar, c.ServiceVar = 1-e, 1
		c.V = n * (2 - e)
		c.LimitMean, c.MeanN, c.MeanShift = 1, 1-e/2, -e/2
		return c, nil
	}
	base, service := m.Arrivals, m.Service
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
	if m.Routing != Batch && m.Routing != Job {
		return Constants{}, Refuse("jsqlib", "routing", int(m.Routing), "batch or job")
	}
	b2 := base.Variance()
	c.ArrivalVar, c.ServiceVar = (1-e)*(1-e)*b2+e*(1-e), service.Variance()
	c.AMax, c.SMax = base.Max(), service.Max()
	c.Arrivals, c.Service = base.Thin(e), service[:service.Max()+1]
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

// JSQ reports whether the model joins the shortest of all its queues.
func (m Model) JSQ() bool { return m.Policy.jsq(m.Servers) }

// Relaxation returns the time between two nearly independent samples of Q, in slots (mean services in
// continuous time). A reflected Brownian motion with the drift -eps and the variance v of the total has
// the relaxation time
//
//	2 v/eps^2,
//
// which is of order N^(2 alpha - 1).
func (c Constants) Relaxation() float64 { return 2 * c.V / (c.Eps * c.Eps) }
