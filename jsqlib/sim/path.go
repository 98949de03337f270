package sim

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/reps"
)

// Path is a sample path for pictures.
type Path struct {
	Time   []float64 // slots; units of a mean service in CT
	Queues [][]int64 // Queues[i][k]: queue i at Time[k]
	Total  []int64   // Q at Time[k]
	Unused []int64   // U since the time before; in CT the idle servers I at Time[k]
}

// maxPathPoints bounds servers times points of a path: pictures need few.
const maxPathPoints = 50_000_000

const (
	maxPathSlots = 1_000_000_000_000 // beyond, a path would take days
	maxStart     = 1 << 40           // so that totals of all servers do not overflow
)

// PathOptions steer a sample path.
type PathOptions struct {
	Seed  uint64
	Start []int64 // initial queues, of length N; nil: empty
	Steps int     // points after the first; 0: 1000
	Every int     // slots (CT: transitions of the uniformised chain) between points; 0: 1
}

func (o PathOptions) withDefaults(n int) (PathOptions, error) {
	o.Steps, o.Every = cmp.Or(o.Steps, 1000), cmp.Or(o.Every, 1)
	if o.Steps < 0 || o.Steps > maxPathPoints/n {
		return o, jsqlib.Refuse("sim", "steps", o.Steps, "steps >= 0 and servers * steps <= 50 million")
	}
	if o.Every < 0 {
		return o, jsqlib.Refuse("sim", "every", o.Every, "every >= 0")
	}
	if o.Every > maxPathSlots/o.Steps {
		return o, jsqlib.Refuse("sim", "every", o.Every, "steps * every <= 10^12")
	}
	if o.Start == nil {
		o.Start = make([]int64, n)
	}
	if len(o.Start) != n {
		return o, jsqlib.Refuse("sim", "start", len(o.Start), "one queue for each server")
	}
	for _, x := range o.Start {
		if x < 0 {
			return o, jsqlib.Refuse("sim", "start", x, "queues >= 0")
		}
		if x > maxStart {
			return o, jsqlib.Refuse("sim", "start", x, "queues <= 2^40")
		}
	}
	return o, nil
}

func (p *Path) add(time float64, q []int64, unused int64) {
	p.Time = append(p.Time, time)
	for i, x := range q {
		p.Queues[i] = append(p.Queues[i], x)
	}
	p.Total = append(p.Total, jsqlib.Total(q))
	p.Unused = append(p.Unused, unused)
}

// SamplePath returns a path of the model for a picture, simulated by the reference recursion. In
// discrete time the identities of every slot are checked. In continuous time the points are transitions
// of the uniformised chain, at the points of a Poisson process of rate N (1 + lambda).
func SamplePath(m jsqlib.Model, o PathOptions) (*Path, error) {
	c, err := m.Constants()
	if err != nil {
		return nil, err
	}
	if o, err = o.withDefaults(c.N); err != nil {
		return nil, err
	}
	p := &Path{Queues: make([][]int64, c.N)}
	for i := range p.Queues {
		p.Queues[i] = make([]int64, 0, o.Steps+1)
	}
	word := jsqlib.DT
	if m.Continuous {
		word = jsqlib.CT
	}
	r := rand.New(reps.Stream("jsqlab", o.Seed, "path "+word, 0))
	q, time, rate := slices.Clone(o.Start), 0.0, float64(c.N)*(1+c.Load)
	for k := range o.Steps + 1 {
		u := int64(0)
		for range min(k, 1) * o.Every { // the first point is the start
			if m.Continuous {
				q, _, _ = m.Tick(c, q, r)
				time -= math.Log(1-r.Float64()) / rate
				continue
			}
			slot := m.Step(c, q, r)
			if err := slot.Check(); err != nil {
				return nil, err
			}
			q = slot.After
			u += jsqlib.Total(slot.Unused)
			time++
		}
		if m.Continuous {
			u = idle(q)
		}
		p.add(time, q, u)
	}
	return p, nil
}

func idle(q []int64) int64 {
	n := int64(0)
	for _, x := range q {
		if x == 0 {
			n++
		}
	}
	return n
}
