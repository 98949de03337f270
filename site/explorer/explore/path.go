package explore

import (
	"jsqlab/jsqlib/sim"
)

// pathWork bounds the work of one path, in server looks of the reference recursion: some tenths of a
// second.
const pathWork = 60_000_000

// pathResult is a sample path. Times are slots, mean services in continuous time.
type pathResult struct {
	Time   []float64 `json:"time"`
	Total  []int64   `json:"total"`  // Q
	Low    []int64   `json:"low"`    // shortest queue
	High   []int64   `json:"high"`   // longest queue
	Unused []int64   `json:"unused"` // U since the time before; I in continuous time
	Queues []int64   `json:"queues"` // the last ones
}

// Path answers with a sample path of steps points, or fewer where a point costs much. Points are
// "every" slots apart. In continuous time they are nearly "every" quarters of a mean service apart: the
// chain ticks N (1 + lambda) times a mean service.
func Path(text []byte) []byte {
	q, s, err := parse(text)
	if err != nil {
		return failure(err)
	}
	if q.Steps < 1 || q.Every < 1 || q.Every > 1000 {
		return failure(refuse("every", q.Every, "1 <= every <= 1000, and steps >= 1"))
	}
	n := s.N
	perStep := n * q.Every // looks
	o := sim.PathOptions{Seed: s.seed, Start: q.Start, Every: q.Every}
	switch {
	case s.Model.Continuous:
		o.Every = max(n*q.Every/2, 1)
		perStep = n * o.Every
	case q.Routing == "job":
		perStep *= n
	}
	o.Steps = max(min(q.Steps, pathWork/perStep), 1)
	p, err := sim.SamplePath(s.Model, o)
	if err != nil {
		return failure(err)
	}
	out := pathResult{Time: p.Time, Total: p.Total, Unused: p.Unused, Queues: make([]int64, n)}
	for k := range p.Time {
		low, high := p.Queues[0][k], p.Queues[0][k]
		for _, x := range p.Queues {
			low, high = min(low, x[k]), max(high, x[k])
		}
		out.Low, out.High = append(out.Low, low), append(out.High, high)
	}
	for i := range out.Queues {
		out.Queues[i] = p.Queues[i][len(p.Time)-1]
	}
	return encode(out)
}
