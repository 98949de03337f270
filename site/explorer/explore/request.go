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

// system is the model that a request describes.
type system struct {
	jsqlib.Model
	jsqlib.Constants
	seed uint64
}

func refuse(field string, got any, want string) error {
	return jsqlib.Refuse("explorer", field, got, want)
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
		return nil, refuse("servers", n, fmt.Sprintf("a whole number from 2 to %d here", MaxServers))
	}
	if !(q.Alpha > 0) {
		return nil, refuse("alpha", q.Alpha, "alpha > 0")
	}
	seed, err := strconv.ParseUint(q.Seed, 10, 64)
	if err != nil {
		return nil, refuse("seed", strconv.Quote(q.Seed), "a whole number, 0 <= seed < 2^64")
	}
	s := &system{seed: seed}
	s.Model, s.Constants, err = q.spec().Parse()
	return s, err
}

// spec holds the words of the request. Those of discrete time do not matter in continuous time.
func (q *request) spec() jsqlib.Spec {
	s := jsqlib.Spec{Model: q.Model, Servers: int(q.Servers), Alpha: q.Alpha, Policy: q.Policy}
	if q.Model != jsqlib.CT {
		s.Arrivals, s.Service, s.Routing = q.Arrivals, q.Service, q.Routing
	}
	return s
}

// commandLine returns the command that gives the same numbers.
func (q *request) commandLine() string {
	words := append([]string{"jsq", "distance"}, q.spec().Args()...)
	if q.RelError != 0 && q.RelError != 0.01 {
		words = append(words, "--rel-error", strconv.FormatFloat(q.RelError, 'g', -1, 64))
	}
	if q.Seed != "1" {
		words = append(words, "--seed", q.Seed)
	}
	return strings.Join(words, " ")
}

// encode is the JSON of a value with finite numbers only.
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
	var field *jsqlib.Invalid
	switch {
	case errors.As(err, &field):
		out["field"] = strings.ReplaceAll(field.What, "-", "_")
		out["error"] = field.Error()
		if field.What == "system" {
			out["field"] = "servers"
		}
	case errors.Is(err, context.Canceled):
		out["error"] = "stopped before there was a result"
	}
	b, _ := json.Marshal(out) // strings always encode
	return b
}
