// Command jsqbench does one piece of work by the public functions of jsqlib
// and prints what it took as one line of JSON; bench.py runs it beside other
// programs.
//
//	jsqbench ct       --servers N --load RHO --steps K [--time T --reps R]
//	jsqbench dt       --servers N --gap E --slots K
//	jsqbench dt       --servers N --alpha A --rel-error R
//	jsqbench distance --servers N --alpha A --rel-error R [--model ct] [--workers W]
//	jsqbench answers  --servers N --alpha A --rel-error R --want W --of w1|qtilde --estimator balance|climb|direct [--model ct] [--routing job]
//	jsqbench exact    --servers N --load RHO --reps R
//	jsqbench w1       --x FILE --y FILE --reps R
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"syscall"
	"time"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/exact"
	"jsqlab/jsqlib/record"
	"jsqlab/jsqlib/sim"
	"jsqlab/jsqlib/wasserstein"
)

// result is the line that jsqbench prints.
type result struct {
	Work    float64 `json:"work"`             // events, slots, solutions or points done in CPU seconds
	CPU     float64 `json:"cpu"`              // user and system, s
	Wall    float64 `json:"wall"`             // s
	Value   float64 `json:"value"`            // the answer, to compare with that of others
	StdErr  float64 `json:"stderr,omitempty"` // of Value, over replications
	W1      float64 `json:"w1,omitempty"`
	Counted float64 `json:"counted,omitempty"` // of Work, after the warm-up
	Law     float64 `json:"law,omitempty"`     // slots that direct simulation takes by its diffusion limit
	Memory  float64 `json:"memory"`            // largest resident set of the process, MB
}

type work struct {
	model, x, y            string
	estimator, of, routing string
	servers, workers, reps int
	load, gap, alpha       float64
	rel, want, horizon     float64
	amount                 int64 // steps or slots
	seed                   uint64
}

var kinds = map[string]func(work) (result, error){
	"ct": directCT, "dt": directDT, "distance": distance, "answers": answers, "exact": solve, "w1": w1,
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "jsqbench:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 || kinds[args[0]] == nil {
		return errors.New("want one of ct, dt, distance, answers, exact, w1")
	}
	var w work
	f := flag.NewFlagSet(args[0], flag.ContinueOnError)
	f.StringVar(&w.model, "model", "dt", "dt or ct")
	f.StringVar(&w.routing, "routing", "batch", "batch or job")
	f.StringVar(&w.estimator, "estimator", "", "balance, climb or direct")
	f.StringVar(&w.of, "of", "w1", "w1 or qtilde")
	f.Float64Var(&w.want, "want", 0.01, "95 % half width over value of what counts as one answer")
	f.StringVar(&w.x, "x", "", "sample, little-endian float64")
	f.StringVar(&w.y, "y", "", "sample, little-endian float64")
	f.IntVar(&w.servers, "servers", 10, "N")
	f.IntVar(&w.workers, "workers", 1, "goroutines")
	f.IntVar(&w.reps, "reps", 1, "how often the same is done")
	f.Float64Var(&w.load, "load", 0.9, "arrivals over services")
	f.Float64Var(&w.gap, "gap", 0, "1 - load")
	f.Float64Var(&w.alpha, "alpha", 0, "gap = N^(-alpha)")
	f.Float64Var(&w.rel, "rel-error", 0.01, "95 % half width over value")
	f.Float64Var(&w.horizon, "time", 0, "answer with the mean over [0, time] from empty queues, over reps paths")
	f.Int64Var(&w.amount, "steps", 0, "about how many steps")
	f.Int64Var(&w.amount, "slots", 0, "about how many slots")
	f.Uint64Var(&w.seed, "seed", 1, "seed")
	if err := f.Parse(args[1:]); err != nil {
		return err
	}
	begin, wall := cpu(), time.Now()
	r, err := kinds[args[0]](w)
	if err != nil {
		return err
	}
	if r.CPU == 0 { // the whole of it was the work
		r.CPU, r.Wall = cpu()-begin, time.Since(wall).Seconds()
	}
	if r.Memory == 0 {
		r.Memory = memory()
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// cpu returns the processor time of this process, s.
func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return math.NaN()
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + 1e-6*float64(u.Utime.Usec+u.Stime.Usec)
}

// memory returns the largest resident set of this process, MB. On Linux
// getrusage would count what the process that started this one had, too.
func memory() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err == nil {
		for line := range strings.Lines(string(status)) {
			var kb float64
			if _, err := fmt.Sscanf(line, "VmHWM: %g kB", &kb); err == nil {
				return kb * 1024 / 1e6
			}
		}
	}
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return math.NaN()
	}
	return float64(u.Maxrss) / 1e6 // bytes on systems without /proc/self/status
}

// relErrorFor returns the relative error at which a direct estimation takes
// about this many slots.
func relErrorFor(amount int64, length func(sim.Options) (relaxation, slots float64, err error)) (float64, error) {
	low, high := 1e-6, 0.99
	for range 60 {
		rel := math.Sqrt(low * high)
		_, slots, err := length(sim.Options{RelError: rel})
		if err != nil {
			return 0, err
		}
		if slots > float64(amount) {
			low = rel
		} else {
			high = rel
		}
	}
	return high, nil
}

// directCT counts as events the arrivals and departures that its steps stand
// for: a share 2 load/(1 + load) of them; the others are services offered to
// idle servers.
func directCT(w work) (result, error) {
	s := jsqlib.Model{Continuous: true, Servers: w.servers, Gap: 1 - w.load}
	rel, err := relErrorFor(w.amount, func(o sim.Options) (float64, float64, error) { return sim.DirectLength(s, o) })
	if err != nil {
		return result{}, err
	}
	begin, wall := cpu(), time.Now()
	d, err := sim.Direct(context.Background(), s, sim.Options{Seed: w.seed, RelError: rel, Workers: 1})
	if err != nil {
		return result{}, err
	}
	r := result{
		Work: float64(d.Slots+d.WarmUp) * 2 * w.load / (1 + w.load), CPU: cpu() - begin, Wall: time.Since(wall).Seconds(),
		Value: d.MeanTotal.Value, StdErr: d.MeanTotal.StdErr, Memory: memory(),
	}
	if w.horizon > 0 {
		r.Value, r.StdErr, err = path(w)
	}
	return r, err
}

// path averages the total over [0, T] from empty queues, with its standard
// error.
func path(w work) (mean, stderr float64, err error) {
	var sum, squares float64
	for r := range w.reps {
		steps := int(w.horizon*float64(w.servers)*(1+w.load)*1.2) + 100
		p, err := sim.SamplePath(jsqlib.Model{Continuous: true, Servers: w.servers, Gap: 1 - w.load}, sim.PathOptions{Seed: w.seed + uint64(r)<<32, Steps: steps})
		if err != nil {
			return 0, 0, err
		}
		if p.Time[len(p.Time)-1] < w.horizon {
			return 0, 0, fmt.Errorf("path ends at %g: want %g", p.Time[len(p.Time)-1], w.horizon)
		}
		area := 0.0
		for k := 0; k+1 < len(p.Time) && p.Time[k] < w.horizon; k++ {
			area += float64(p.Total[k]) * (min(p.Time[k+1], w.horizon) - p.Time[k])
		}
		sum += area / w.horizon
		squares += area / w.horizon * area / w.horizon
	}
	n := float64(w.reps)
	return sum / n, math.Sqrt(max(squares/n-sum/n*sum/n, 0) / max(n-1, 1)), nil
}

// directDT runs for about so many slots, or until the mean total has the
// relative error; Work is all slots, warm-up included.
func directDT(w work) (result, error) {
	s := jsqlib.Model{Servers: w.servers, Gap: w.gap, Alpha: w.alpha}
	c, err := s.Constants()
	if err != nil {
		return result{}, err
	}
	rel := w.rel
	if w.amount > 0 {
		rel, err = relErrorFor(w.amount, func(o sim.Options) (float64, float64, error) { return sim.DirectLength(s, o) })
		if err != nil {
			return result{}, err
		}
	}
	d, err := sim.Direct(context.Background(), s, sim.Options{Seed: w.seed, RelError: rel, Workers: w.workers})
	if err != nil {
		return result{}, err
	}
	// time average of a reflected Brownian motion of drift -eps and variance v: its
	// asymptotic variance is v^3/(2 eps^4)
	half := rel * d.MeanTotal.Value
	z := 1.959963984540054
	return result{
		Work: float64(d.Slots + d.WarmUp), Counted: float64(d.Slots), Value: d.MeanTotal.Value, StdErr: d.MeanTotal.StdErr,
		Law: z * z * math.Pow(c.V, 3) / (2 * math.Pow(c.Eps, 4) * half * half),
	}, nil
}

// distance estimates W1 to the relative error. Law is the number of slots that
// direct simulation takes to know E Z, and no more, to the same width.
func distance(w work) (result, error) {
	o := sim.BoundaryOptions{Options: sim.Options{Seed: w.seed, RelError: w.rel, Workers: w.workers}}
	var d *record.DistanceResult
	var v, eps, scale float64
	var err error
	if w.model == "ct" {
		d, err = record.Distance(context.Background(), jsqlib.Model{Continuous: true, Servers: w.servers, Alpha: w.alpha}, o)
	} else {
		s := jsqlib.Model{Servers: w.servers, Alpha: w.alpha}
		c, cerr := s.Constants()
		if cerr != nil {
			return result{}, cerr
		}
		v, eps, scale = c.V, c.Eps, math.Pow(float64(w.servers), w.alpha)
		d, err = record.Distance(context.Background(), s, o)
	}
	if err != nil {
		return result{}, err
	}
	r := result{Work: float64(d.Boundary.TotalSlots), Value: d.W1.Value, StdErr: d.W1.StdErr, W1: d.W1.Value}
	if w.model != "ct" {
		half := w.rel * d.W1.Value * scale
		r.Law = 3.841458820694124 * math.Pow(v, 3) / (2 * math.Pow(eps, 4) * half * half)
	}
	return r, nil
}

// answers counts how often a result answers the question: a half width a times as wide as wanted is 1/a^2
// of an answer. So work over time compares variance times time, whatever error each run ended at.
func answers(w work) (result, error) {
	m := jsqlib.Model{Continuous: w.model == "ct", Servers: w.servers, Alpha: w.alpha}
	if w.routing == "job" {
		m.Routing = jsqlib.Job
	}
	o := sim.BoundaryOptions{Options: sim.Options{Seed: w.seed, RelError: w.rel, Workers: w.workers}, Estimator: w.estimator}
	var e jsqlib.Estimate
	switch {
	case w.estimator == "direct":
		d, err := sim.Direct(context.Background(), m, o.Options)
		if err != nil {
			return result{}, err
		}
		e = d.BoundaryMean
		if !m.Continuous { // Q~ is what a single unit of unused service finds
			e.Value -= (d.BoundarySecond.Value - 1) / 2
		}
	case w.of == "qtilde":
		b, err := sim.Boundary(context.Background(), m, o)
		if err != nil {
			return result{}, err
		}
		e = b.QtildeMean
	default:
		d, err := record.Distance(context.Background(), m, o)
		if err != nil {
			return result{}, err
		}
		e = d.W1
	}
	reached := 1.959963984540054 * e.StdErr / e.Value
	return result{Work: (w.want / reached) * (w.want / reached), Value: e.Value, StdErr: e.StdErr}, nil
}

// solve computes the stationary law, to 9 digits of E Q~.
func solve(w work) (result, error) {
	var r exact.Result
	for range w.reps {
		var err error
		if r, err = exact.Solve(context.Background(), jsqlib.Model{Continuous: true, Servers: w.servers, Gap: 1 - w.load}, exact.Options{}); err != nil {
			return result{}, err
		}
	}
	return result{Work: float64(w.reps), Value: r.MeanTotal}, nil
}

func w1(w work) (result, error) {
	x, err := read(w.x)
	if err != nil {
		return result{}, err
	}
	y, err := read(w.y)
	if err != nil {
		return result{}, err
	}
	a, b := wasserstein.Sample{Points: x}, wasserstein.Sample{Points: y}
	if w.reps > 1 { // to warm up
		if _, err := wasserstein.W1(a, b); err != nil {
			return result{}, err
		}
	}
	begin, wall := cpu(), time.Now()
	var r result
	for range w.reps {
		if r.Value, err = wasserstein.W1(a, b); err != nil {
			return result{}, err
		}
	}
	r.CPU, r.Wall = cpu()-begin, time.Since(wall).Seconds()
	r.Work = float64(w.reps) * float64(len(x)+len(y))
	return r, nil
}

func read(name string) ([]float64, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	x := make([]float64, len(data)/8)
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return x, nil
}
