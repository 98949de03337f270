package main

import (
	"fmt"
	"strconv"

	"jsqlab/jsqlib"
)

// head adds what describes the system.
func (m *model) head(r *report) {
	r.key("version", version)
	r.text("model", "model", "", m.text("model"))
	n, alpha, gap := m.dtc.N, m.dtc.Alpha, m.dtc.Gap
	if m.isCT {
		n, alpha, gap = m.ctc.N, m.ctc.Alpha, m.ctc.Gap
	}
	r.text("servers", "servers", "N", n)
	if n > 1 { // 1^(-alpha) is no gap
		r.key("alpha", alpha)
		r.row("exponent of the gap", "alpha", strconv.FormatFloat(alpha, 'g', 10, 64))
	}
	r.key("gap", gap)
	r.row("gap, 1 - load", "e", strconv.FormatFloat(gap, 'g', 10, 64))
	policy := m.dt.Policy
	if m.isCT {
		policy = m.ct.Policy
	}
	if !m.isCT {
		r.text("arrivals", "arrivals", "", m.text("arrivals"))
		r.text("service", "service", "", m.text("service"))
		r.text("routing", "routing unit", "", m.dt.Routing.String())
	}
	r.text("policy", "policy", "", policy.String())
}

// limitMean returns the mean of the limit exponential.
func (m *model) limitMean() float64 {
	if m.isCT {
		return m.ctc.LimitMean
	}
	return m.dtc.LimitMean
}

func (m *model) gapValue() float64 {
	if m.isCT {
		return m.ctc.Gap
	}
	return m.dtc.Gap
}

// slots is the unit of time of a simulation.
func (m *model) slots() string {
	if m.isCT {
		return "steps"
	}
	return "slots"
}

// boundaryRows adds the three means that make up the boundary term.
func (m *model) boundaryRows(r *report, mean, second, qtilde jsqlib.Estimate) {
	if m.isCT {
		r.estimate("boundary_mean", "total seen by an idle server", "E[I Q]/E I", mean)
	} else {
		r.estimate("boundary_mean", "total seen by an unused service", "E[U Q+]/E U", mean)
		r.estimate("boundary_second", "size-biased unused service", "E[U^2]/E U", second)
	}
	r.estimate("qtilde_mean", "boundary part of the total", "E Q~", qtilde)
}

// gapFlag is the flag that gave the gap.
func (m *model) gapFlag() string {
	for _, name := range []string{"alpha", "gap", "load"} {
		if m.given(name) {
			return name
		}
	}
	return "alpha"
}

// recurrent reports whether the differences of the queues are positive
// recurrent while nobody idles, so that jsq distance takes the system.
func (m *model) recurrent() bool {
	servers, choices := m.dt.Servers, m.dt.Policy.Choices
	if m.isCT {
		servers, choices = m.ct.Servers, m.ct.Policy.Choices
	}
	return servers == 1 || choices != 1
}

// meanUnused returns E U = eps, and E I = N (1 - lambda) in continuous time.
func (m *model) meanUnused() float64 {
	if m.isCT {
		return float64(m.ctc.N) * m.ctc.Gap
	}
	return m.dtc.Eps
}

func (m *model) distanceSymbol() string {
	if m.isCT {
		return "W1((1 - lambda) Q, Exp(1))"
	}
	return "W1(N^(-alpha) Q, Exp(m))"
}

// pmfLength is how many of P(Q = n) a report gives.
const pmfLength = 16

// pmf adds P(Q = n) for n < pmfLength, with what noise takes out of [0, 1] put
// back.
func pmf(r *report, at func(n int) jsqlib.Estimate) {
	p := make([]float64, pmfLength)
	for n := range p {
		e := at(n)
		p[n] = min(max(e.Value, 0), 1)
		value := plusMinus(p[n], e.HalfWidth())
		if p[n] == 0 && !(e.HalfWidth() > 0) {
			value = "0 (not seen)"
		}
		r.row("", fmt.Sprintf("P(Q = %d)", n), value)
	}
	r.key("pmf", p)
}
