package main

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/record"
	"jsqlab/jsqlib/sim"
)

// model is the system that the common flags describe. The flags fill the spec, and read computes the
// other fields from the spec.
type model struct {
	*flags
	spec jsqlib.Spec
	jsqlib.Model
	c jsqlib.Constants
}

const (
	modelArgs = "--servers N (--alpha A | --gap E | --load RHO) [flags]"
	wantOneOf = "exactly one of --alpha, --gap and --load"
)

var wantServers = fmt.Sprintf("1 <= servers <= %d", jsqlib.MaxServers)

// declareModel adds the common flags of the model.
func declareModel(f *flags) *model {
	m := &model{flags: f}
	f.oneOf = []string{"alpha", "gap", "load"}
	f.word(&m.spec.Model, "model", jsqlib.DT, modelUsage)
	add(f, &m.spec.Servers, "servers", "", "number `N` of servers, at least 1", wantServers, integer(1, jsqlib.MaxServers))
	add(f, &m.spec.Alpha, "alpha", "", "`A` > 0: the gap is N^(-A)", "alpha > 0", number(0, math.Inf(1)))
	add(f, &m.spec.Gap, "gap", "", "or the gap `E` itself, 0 < E < 1: the share of the service that is left unused", "0 < gap < 1", number(0, 1))
	f.declare("load", "", "or the load `RHO` = 1 - gap; the decimal is subtracted from 1 exactly", func(text string) (err error) {
		m.spec.Gap, err = gapOf(text)
		return err
	})
	f.word(&m.spec.Arrivals, "arrivals", "binomial:2", "dt: base `LAW` of one server's share of the arrivals of a slot, mean 1; each job is\n"+
		"kept with probability 1 - gap. "+lawUsage)
	f.word(&m.spec.Service, "service", "binomial:2", "dt: `LAW` of the service that a server offers in a slot, mean 1; as for --arrivals")
	f.word(&m.spec.Policy, "policy", "jsq", "`RULE`: jsq; pod:D, the shortest of D distinct servers drawn at random; or\n"+
		"pod:D:replacement, of D servers each drawn from all")
	f.word(&m.spec.Routing, "routing", "batch", routingUsage)
	return m
}

const (
	modelUsage   = "`MODEL`: dt, discrete time in slots; or ct, continuous time, Poisson arrivals and\nexponential services"
	routingUsage = "dt: `UNIT` that joins a queue: batch, all arrivals of a slot; or job, each in its turn"
)

// declareRun adds the common flags of a simulation; budget is the default of --max-slots in words.
func declareRun(f *flags, budget string) *sim.Options {
	o := new(sim.Options)
	add(f, &o.RelError, "rel-error", "0.01", "stop when the 95 % half width is at most this share `X` of the value", "0 < rel-error < 1", number(0, 1))
	add(f, &o.MaxSlots, "max-slots", "0", "budget `K` of slots (ct: steps of the uniformised chain) over all replications;\n0: "+budget,
		"a whole number, max-slots >= 0 (0: the default)", integer(int64(0), math.MaxInt64))
	declareStreams(f, o)
	return o
}

// declareStreams adds the flags of random streams and workers.
func declareStreams(f *flags, o *sim.Options) {
	add(f, &o.Seed, "seed", "1", "seed `S` of the random streams, 0 <= S < 2^64", "a whole number, 0 <= seed < 2^64", func(text string) (uint64, bool) {
		seed, err := strconv.ParseUint(text, 10, 64)
		return seed, err == nil
	})
	add(f, &o.Workers, "workers", "0", "number `W` of goroutines, no matter for the result; 0: one for each core",
		"workers >= 0 (0: one for each core)", integer(0, 1<<20))
}

// gapOf returns 1 - load. It takes the decimal exactly as it was typed and rounds the difference once.
func gapOf(text string) (float64, error) {
	fail := func(want string) (float64, error) { return 0, invalid("load", quote(text), want) }
	// a syntax check, and a bound on the exponent of the exact number
	if _, err := jsqlib.ParseFloat(text); err != nil {
		return fail("0 < load < 1")
	}
	load, ok := new(big.Rat).SetString(text)
	one := big.NewRat(1, 1)
	if !ok || load.Sign() <= 0 || load.Cmp(one) >= 0 {
		return fail("0 < load < 1")
	}
	gap, _ := new(big.Rat).Sub(one, load).Float64()
	switch gap {
	case 0:
		return fail("0 < load < 1, with a gap 1 - load that float64 can tell from 0")
	case 1:
		return fail(fmt.Sprintf("load >= %g, the smallest load", jsqlib.MinLoad))
	}
	return gap, nil
}

// read makes the model from the words of the flags.
func (m *model) read() (err error) {
	if !m.given("servers") {
		return invalid("servers", "nothing", wantServers)
	}
	if len(m.givenOf(m.oneOf)) == 0 {
		return invalid("alpha", "nothing", wantOneOf)
	}
	if err := m.laws(&m.spec); err != nil {
		return err
	}
	m.Model, m.c, err = m.spec.Parse()
	return err
}

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
func (m *model) gapFlag() string { return m.givenOf(m.oneOf)[0] }
