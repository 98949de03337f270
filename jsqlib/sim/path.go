package sim

import (
	"math"
	"math/rand/v2"

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

// MaxPathPoints bounds servers times points of a path: pictures need few.
const MaxPathPoints = 50_000_000

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
	if o.Steps == 0 {
		o.Steps = 1000
	}
	if o.Every == 0 {
		o.Every = 1
	}
	if o.Steps < 0 || o.Steps > MaxPathPoints/n {
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

func newPath(n, points int) *Path {
	p := &Path{Queues: make([][]int64, n)}
	for i := range p.Queues {
		p.Queues[i] = make([]int64, 0, points)
	}
	return p
}

func (p *Path) add(time float64, q []int64, unused int64) {
	p.Time = append(p.Time, time)
	for i, x := range q {
		p.Queues[i] = append(p.Queues[i], x)
	}
	p.Total = append(p.Total, jsqlib.Total(q))
	p.Unused = append(p.Unused, unused)
}

// SamplePath simulates the model by the reference recursion. In discrete time the identities of every
// slot are checked. In continuous time the points are transitions of the uniformised chain, at the
// points of a Poisson process of rate N (1 + lambda).
func SamplePath(m jsqlib.Model, o PathOptions) (*Path, error) {
	c, err := m.Constants()
	if err != nil {
		return nil, err
	}
	if o, err = o.withDefaults(c.N); err != nil {
		return nil, err
	}
	p := newPath(c.N, o.Steps+1)
	q := append([]int64(nil), o.Start...)
	if m.Continuous {
		r := rand.New(reps.Stream("jsqlab", o.Seed, "path ct", 0))
		time, rate := 0.0, float64(c.N)*(1+c.Load)
		p.add(0, q, idle(q))
		for range o.Steps {
			for range o.Every {
				q, _, _ = m.Tick(c, q, r)
				time -= math.Log(1-r.Float64()) / rate
			}
			p.add(time, q, idle(q))
		}
		return p, nil
	}
	r := rand.New(reps.Stream("jsqlab", o.Seed, "path dt", 0))
	p.add(0, q, 0)
	for k := range o.Steps {
		u := int64(0)
		for range o.Every {
			slot := m.Step(c, q, r)
			if err := slot.Check(); err != nil {
				return nil, err
			}
			q = slot.After
			u += jsqlib.Total(slot.Unused)
		}
		p.add(float64((k+1)*o.Every), q, u)
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
