package explore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/law"
	"jsqlab/jsqlib/sim"
)

// MaxServers bounds N on the page. The command goes further.
const MaxServers = 1000

// request is what the page asks for. The words are those of the command line.
type request struct {
	Model    string  `json:"model"`
	Servers  float64 `json:"servers"`
	Alpha    float64 `json:"alpha"`
	Arrivals string  `json:"arrivals"`
	Service  string  `json:"service"`
	Policy   string  `json:"policy"`
	Routing  string  `json:"routing"`
	Seed     string  `json:"seed"`
	RelError float64 `json:"rel_error"`

	// of a path
	Start []int64 `json:"start"` // queues; none: empty
	Steps int     `json:"steps"`
	Every int     `json:"every"` // see Path
}

// system is the model that a request describes: dt, or ct if isCT.
type system struct {
	isCT      bool
	dt        jsqlib.System
	ct        jsqlib.CT
	seed      uint64
	servers   int
	alpha     float64
	gap       float64
	limitMean float64
	meanShift float64 // m_N - m
	unused    float64 // E U = eps, and E I in continuous time
	// relaxation time of the total in slots, in mean services in continuous time
	relaxation float64
}

func fieldErr(field string, got any, want string) error {
	return &jsqlib.FieldError{Field: field, Got: fmt.Sprint(got), Want: want}
}

func parse(text []byte) (*request, *system, error) {
	q := &request{Model: "dt", Arrivals: "binomial:2", Service: "binomial:2", Policy: "jsq", Routing: "batch", Seed: "1"}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(q); err != nil {
		return nil, nil, fmt.Errorf("the request cannot be read: %w", err)
	}
	s, err := q.system()
	return q, s, err
}

func (q *request) system() (*system, error) {
	if n := q.Servers; n != math.Trunc(n) || n < 2 || n > MaxServers {
		return nil, fieldErr("servers", n, fmt.Sprintf("a whole number from 2 to %d here", MaxServers))
	}
	if !(q.Alpha > 0) {
		return nil, fieldErr("alpha", q.Alpha, "alpha > 0")
	}
	seed, err := strconv.ParseUint(q.Seed, 10, 64)
	if err != nil {
		return nil, fieldErr("seed", strconv.Quote(q.Seed), "a whole number, 0 <= seed < 2^64")
	}
	policy, err := jsqlib.ParsePolicy(q.Policy)
	if err != nil {
		return nil, err
	}
	s := &system{servers: int(q.Servers), seed: seed}
	switch q.Model {
	case "ct":
		s.isCT = true
		s.ct = jsqlib.CT{Servers: s.servers, Alpha: q.Alpha, Policy: policy}
		c, err := s.ct.Constants()
		if err != nil {
			return nil, err
		}
		s.alpha, s.gap, s.limitMean, s.meanShift = c.Alpha, c.Gap, c.LimitMean, -c.Gap/2
		s.unused, s.relaxation = float64(c.N)*c.Gap, c.Relaxation()
		return s, nil
	case "dt":
	default:
		return nil, fieldErr("model", strconv.Quote(q.Model), "dt or ct")
	}
	s.dt = jsqlib.System{Servers: s.servers, Alpha: q.Alpha, Policy: policy}
	switch q.Routing {
	case "batch":
	case "job":
		s.dt.Routing = jsqlib.Job
	default:
		return nil, fieldErr("routing", strconv.Quote(q.Routing), "batch or job")
	}
	if s.dt.Arrivals, s.dt.Service, err = jsqlib.ParseLaws(q.Arrivals, q.Service); err != nil {
		return nil, err
	}
	c, err := s.dt.Constants()
	if err != nil {
		return nil, err
	}
	s.alpha, s.gap, s.limitMean, s.meanShift = c.Alpha, c.Gap, c.LimitMean, c.MeanShift
	s.unused, s.relaxation = c.Eps, c.Relaxation()
	return s, nil
}

// commandLine returns the command that gives the same numbers.
func (q *request) commandLine() string {
	line := "jsq distance"
	add := func(flag, value, usual string) {
		if value != usual {
			line += " --" + flag + " " + strings.ReplaceAll(value, " ", "")
		}
	}
	float := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	add("model", q.Model, "dt")
	add("servers", float(q.Servers), "")
	add("alpha", float(q.Alpha), "")
	if q.Model == "dt" {
		add("arrivals", q.Arrivals, "binomial:2")
		add("service", q.Service, "binomial:2")
	}
	add("policy", q.Policy, "jsq")
	if q.Model == "dt" {
		add("routing", q.Routing, "batch")
	}
	if q.RelError != 0 {
		add("rel-error", float(q.RelError), "0.01")
	}
	add("seed", q.Seed, "1")
	return line
}

// encode is the JSON of what has only finite numbers.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return failure(err)
	}
	return b
}

// failure is the JSON of an error: one line, in the words of the page.
func failure(err error) []byte {
	out := map[string]string{"error": err.Error()}
	var field *jsqlib.FieldError
	var option *sim.OptionError
	var drift *sim.NotRecurrentError
	switch {
	case errors.As(err, &field):
		out["field"] = field.Field
	case errors.As(err, &option):
		out["field"] = strings.ReplaceAll(option.Option, "-", "_")
	case errors.As(err, &drift):
		out["field"] = "policy"
	case errors.Is(err, law.ErrReach):
		out["field"] = "servers"
	case errors.Is(err, context.Canceled):
		out["error"] = "stopped before there was a result"
	}
	for _, prefix := range []string{"jsqlib: ", "sim: ", "law: "} {
		out["error"] = strings.TrimPrefix(out["error"], prefix)
	}
	b, _ := json.Marshal(out) // strings always encode
	return b
}
