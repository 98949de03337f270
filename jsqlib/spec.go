package jsqlib

import (
	"strconv"
	"strings"
)

// Names of the two kinds of time in a [Spec].
const (
	DT = "dt" // discrete time, in slots
	CT = "ct" // continuous time
)

// Spec is a [Model] in the words of the command line, of result files and of the explorer. Its zero
// fields mean the reference system. Arrivals, Service and Routing are for discrete time only.
type Spec struct {
	Model    string // dt or ct
	Servers  int
	Alpha    float64
	Gap      float64
	Arrivals string // see [ParsePMF]
	Service  string
	Routing  string // batch or job
	Policy   string // see [ParsePolicy]
}

// usual holds the words that zero fields stand for.
var usual = Spec{Model: DT, Arrivals: "binomial:2", Service: "binomial:2", Routing: Batch.String(), Policy: "jsq"}

// Filled returns the spec with the words that its zero fields stand for.
func (s Spec) Filled() Spec {
	fill := func(word *string, usual string) {
		if *word == "" {
			*word = usual
		}
	}
	fill(&s.Model, usual.Model)
	fill(&s.Policy, usual.Policy)
	if s.Model != CT {
		fill(&s.Arrivals, usual.Arrivals)
		fill(&s.Service, usual.Service)
		fill(&s.Routing, usual.Routing)
	}
	return s
}

// Parse returns the model and its constants. The error wraps an [*Invalid] that names the word.
func (s Spec) Parse() (Model, Constants, error) {
	s = s.Filled()
	m := Model{Continuous: s.Model == CT, Servers: s.Servers, Alpha: s.Alpha, Gap: s.Gap}
	fail := func(err error) (Model, Constants, error) { return Model{}, Constants{}, err }
	if s.Model != DT && s.Model != CT {
		return fail(Refuse("jsqlib", "model", strconv.Quote(s.Model), "dt or ct"))
	}
	var err error
	if m.Policy, err = ParsePolicy(s.Policy); err != nil {
		return fail(err)
	}
	if m.Continuous {
		for _, f := range []struct{ name, word string }{{"arrivals", s.Arrivals}, {"service", s.Service}, {"routing", s.Routing}} {
			if f.word != "" {
				return fail(Refuse("jsqlib", f.name, f.word, "it with --model dt only (ct has Poisson arrivals and exponential services)"))
			}
		}
	} else {
		switch s.Routing {
		case Batch.String():
		case Job.String():
			m.Routing = Job
		default:
			return fail(Refuse("jsqlib", "routing", strconv.Quote(s.Routing), "batch or job"))
		}
		if m.Arrivals, m.Service, err = parseLaws(s.Arrivals, s.Service); err != nil {
			return fail(err)
		}
	}
	c, err := m.Constants()
	return m, c, err
}

// Args returns the flags of the command line for the spec. Flags with the usual words are left out.
func (s Spec) Args() []string {
	s = s.Filled()
	var args []string
	add := func(flag, value, usual string) {
		if value != usual {
			args = append(args, "--"+flag, strings.ReplaceAll(value, " ", ""))
		}
	}
	float := func(x float64) string {
		if x == 0 {
			return ""
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	add("model", s.Model, usual.Model)
	add("servers", strconv.Itoa(s.Servers), "")
	add("alpha", float(s.Alpha), "")
	add("gap", float(s.Gap), "")
	if s.Model == DT {
		add("arrivals", s.Arrivals, usual.Arrivals)
		add("service", s.Service, usual.Service)
	}
	add("policy", s.Policy, usual.Policy)
	if s.Model == DT {
		add("routing", s.Routing, usual.Routing)
	}
	return args
}
