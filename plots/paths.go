package plots

import (
	"fmt"
	"jsqlab/plots/chart"
	"jsqlab/plots/internal/input"
)

// Number is what sample paths are made of.
type Number interface {
	~int | ~int32 | ~int64 | ~float64
}

// PathOptions are the options of [QueuePaths].
type PathOptions struct {
	Title, Note string
	Names       []string  // of the queues; nil: q_1, q_2, ...
	First       float64   // slot of the first sample
	Every       float64   // slots from one sample to the next; 0: 1
	Times       []float64 // times of the samples where they are not evenly spaced; then First and Every are not used
	TimeLabel   string    // empty: "slot k"
}

// QueuePaths draws sample paths: queues[i][k] = q_i at sample k, in jobs with the one in service, as step lines; and below
// it, over the same time, total[k] = Q = q_1 + ... + q_N of all N queues, shown or not. total may be nil: no second panel.
// All paths are of one length.
func QueuePaths[T Number](queues [][]T, total []T, o PathOptions) (*Figure, error) {
	if len(queues) == 0 {
		return nil, input.Refuse("len(queues)", 0, "at least one queue")
	}
	if o.Names != nil {
		if err := input.Len("Names", len(o.Names), len(queues), "queues"); err != nil {
			return nil, err
		}
	}
	n := len(queues[0])
	times := o.Times
	if times == nil {
		every := o.Every
		if every == 0 {
			every = 1
		}
		if !(every > 0) {
			return nil, input.Refuse("Every", every, "more than 0 slots")
		}
		times = make([]float64, n)
		for k := range times {
			times[k] = o.First + every*float64(k)
		}
	}
	label := o.TimeLabel
	if label == "" {
		label = "slot $k$"
	}
	top := Chart{Title: o.Title, Note: o.Note, Y: Axis{Label: "queue $q_i$ (jobs)"}}
	for i, q := range queues {
		name := fmt.Sprintf("$q_{%d}$", i+1)
		if o.Names != nil {
			name = o.Names[i]
		}
		path, err := toFloats(fmt.Sprintf("queues[%d]", i), q, len(times))
		if err != nil {
			return nil, err
		}
		top.Series = append(top.Series, Series{Name: name, X: times, Y: path, Mark: Steps})
	}
	if total == nil {
		top.X.Label = label
		return chart.Lines(top)
	}
	path, err := toFloats("total", total, len(times))
	if err != nil {
		return nil, err
	}
	return chart.Stack(top, Chart{
		X: Axis{Label: label}, Y: Axis{Label: "total $Q$ (jobs)"},
		Series: []Series{{X: times, Y: path, Mark: Steps, Ink: true}},
	}, 0.55)
}

// toFloats converts one path and refuses any but n samples.
func toFloats[T Number](what string, v []T, n int) ([]float64, error) {
	if err := input.Len(what, len(v), n, "the other paths and of the times"); err != nil {
		return nil, err
	}
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
		if out[i] < 0 {
			return nil, input.Refuse(fmt.Sprintf("%s[%d]", what, i), x, "0 jobs or more")
		}
	}
	return out, nil
}
