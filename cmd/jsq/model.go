package main

import "jsqlab/jsqlib/record"

// record is the record of the system, with the words of the command line.
func (m *model) record() *record.Record {
	x := record.New(m.Model, m.c)
	x.Version, x.Arrivals, x.Service = version, m.text("arrivals"), m.text("service")
	return x
}

// slots is the unit of time of a simulation.
func (m *model) slots() string {
	if m.Continuous {
		return "steps"
	}
	return "slots"
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
