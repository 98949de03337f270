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
	r.text("servers", "servers", "N", m.c.N)
	if m.c.N > 1 { // 1^(-alpha) is no gap
		r.key("alpha", m.c.Alpha)
		r.row("exponent of the gap", "alpha", strconv.FormatFloat(m.c.Alpha, 'g', 10, 64))
	}
	r.key("gap", m.c.Gap)
	r.row("gap, 1 - load", "e", strconv.FormatFloat(m.c.Gap, 'g', 10, 64))
	if !m.Continuous {
		r.text("arrivals", "arrivals", "", m.text("arrivals"))
		r.text("service", "service", "", m.text("service"))
		r.text("routing", "routing unit", "", m.Routing.String())
	}
	r.text("policy", "policy", "", m.Policy.String())
}

// slots is the unit of time of a simulation.
func (m *model) slots() string {
	if m.Continuous {
		return "steps"
	}
	return "slots"
}

// boundaryRows adds the three means that make up the boundary term.
func (m *model) boundaryRows(r *report, mean, second, qtilde jsqlib.Estimate) {
	if m.Continuous {
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

func (m *model) distanceSymbol() string {
	if m.Continuous {
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
