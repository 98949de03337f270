package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/study"
)

func init() {
	register(command{
		name:    "sweep",
		summary: "distances over a grid of N and alpha, on one machine or many",
		args:    "--servers N,N,... --alpha A,A,... --out DIR [flags]",
		help:    sweepHelp,
		flags: func(f *flags) {
			f.declare("model", "dt", "`MODEL`: dt, discrete time in slots; or ct, continuous time, Poisson arrivals and\nexponential services")
			f.declare("servers", "", "numbers `N,N,...` of servers, at least 2")
			f.declare("alpha", "", "exponents `A,A,...` > 0: the gap is N^(-A)")
			f.declare("arrivals", "binomial:2", "dt: base `LAW` of one server's share of the arrivals of a slot, as in jsq distance")
			f.declare("service", "binomial:2", "dt: `LAW` of the service that a server offers in a slot, mean 1")
			f.declare("policy", "jsq", "`RULE`: jsq, or pod:D or pod:D:replacement with D >= 2")
			f.declare("routing", "batch", "dt: `UNIT` that joins a queue: batch, all arrivals of a slot; or job, each in its turn")
			declareRun(f, "1e11")
			f.declare("out", "", "directory `DIR` of the results; made if there is none")
			f.declare("shard", "0/1", "do the `I/N`-th part of the tasks only, 0 <= I < N")
		},
		run: runSweep,
	})
}

const sweepHelp = `
Every pair of N and alpha is a task: one jsq distance, with the seed task_seed,
a hash of --seed and of the system. Results are the same bits for any number of
workers and shards and any order. Each is one file in DIR, written whole or not
at all. The same command goes on where an earlier one was stopped, by whatever
means, and leaves what is done alone; a command with more N or alpha adds points
to DIR. --rel-error, --max-slots, --seed and the version must be those of the
results that are there for the same points. --max-slots is a budget for each
task. Other processes may work on the same DIR at the same time.

A .json file in DIR that is damaged, belongs to no plan there or holds a task
twice is named, and nothing is computed (exit status 1). Other files are left
alone, but for unfinished ones of killed processes (.NAME.RANDOM.part). A lost
plan-*.json is made again by the command that made it. The first result that
cannot be written, on a full disk, ends the sweep (exit status 1). Shards are taken modulo N: 0/N ... N-1/N are all of them, and so are
1/N ... N/N. jsq merge makes a table of DIR.

JSON keys: command, version, model, servers and alpha (lists), arrivals, service,
routing (dt), policy, seed, rel_error; tasks (of the grid), shard_tasks, done_before
(results that were there, verified), done_now, tasks_left, out, warnings.
`

func runSweep(c *call) (*report, error) {
	g, err := c.grid()
	if err != nil {
		return nil, err
	}
	dir := c.text("out")
	if dir == "" {
		return nil, flagError("out", "nothing", "a directory for the results")
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, flagError("out", quote(dir), "a directory")
	}
	o := study.Options{Version: version, Progress: c.progress.sweep()}
	if _, o.Workers, err = c.streams(); err != nil {
		return nil, err
	}
	if o.Shard, err = study.ParseShard(c.text("shard")); err != nil {
		return nil, c.translate(err)
	}
	tasks, err := g.Tasks()
	for i := 0; err == nil && i < len(tasks); i++ {
		err = tasks[i].CheckBudget()
	}
	if err != nil {
		return nil, c.translate(err)
	}
	sum, err := study.Sweep(c.ctx, dir, g, o)
	if err != nil && sum.Planned == 0 {
		return nil, c.translate(err)
	}
	r := newReport(c.flags)
	r.key("version", version)
	r.text("model", "model", "", c.text("model"))
	r.key("servers", g.Servers)
	r.key("alpha", g.Alpha)
	r.row("servers", "N", c.text("servers"))
	r.row("exponents of the gap", "alpha", c.text("alpha"))
	if g.Model == jsqlib.DT {
		r.text("arrivals", "arrivals", "", c.text("arrivals"))
		r.text("service", "service", "", c.text("service"))
		r.text("routing", "routing unit", "", c.text("routing"))
	}
	r.text("policy", "policy", "", c.text("policy"))
	r.text("seed", "seed", "", g.Seed)
	r.number("rel_error", "relative error", "", g.RelError)
	r.text("tasks", "tasks", "", sum.Planned)
	r.text("shard_tasks", "in this shard", "", sum.Shard)
	r.text("done_before", "done before", "", sum.Before)
	r.text("done_now", "done now", "", sum.Now)
	r.text("tasks_left", "left", "", sum.Left())
	r.text("out", "results in", "", dir)
	switch {
	case sum.Left() == 0:
	case errors.Is(err, study.ErrStore):
		r.warn("stopped: %d tasks are not done; the same command goes on with them when there is room for their results", sum.Left())
	case c.ctx.Err() != nil:
		r.warn("interrupted: %d tasks are not done; the same command goes on with them", sum.Left())
	}
	return r, err
}

// grid reads the flags of a sweep.
func (f *flags) grid() (g study.Grid, err error) {
	s, err := f.spec()
	if err != nil {
		return g, err
	}
	g = study.Grid{Model: s.Model, Routing: s.Routing, Policy: s.Policy, Arrivals: s.Arrivals, Service: s.Service}
	wantServers := fmt.Sprintf("whole numbers 2 <= N <= %d, separated by commas", jsqlib.MaxServers)
	for _, word := range f.list("servers") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 2 || n > jsqlib.MaxServers {
			return g, flagError("servers", quote(f.text("servers")), wantServers)
		}
		g.Servers = append(g.Servers, n)
	}
	for _, word := range f.list("alpha") {
		a, err := jsqlib.ParseFloat(word)
		if err != nil || !(a > 0) || math.IsInf(a, 0) {
			return g, flagError("alpha", quote(f.text("alpha")), "numbers alpha > 0, separated by commas")
		}
		g.Alpha = append(g.Alpha, a)
	}
	o, err := f.simOptions()
	g.Seed, g.RelError, g.MaxSlots = o.Seed, o.RelError, o.MaxSlots
	return g, err
}

// list splits the value of a flag at its commas.
func (f *flags) list(name string) []string {
	if !f.given(name) {
		return nil
	}
	words := strings.Split(f.text(name), ",")
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
	}
	return words
}

// sweep is the callback of package study.
func (p *progress) sweep() func(study.Progress) {
	return func(s study.Progress) {
		p.show(func() string {
			const width = 20
			full := width * s.Done / max(s.Total, 1)
			line := fmt.Sprintf("[%s%s] %d of %d", strings.Repeat("#", full), strings.Repeat(".", width-full), s.Done, s.Total)
			if s.Left > 0 {
				line += fmt.Sprintf(", about %v left", s.Left.Round(time.Second))
			}
			if s.Running != "" {
				line += "; " + s.Running
			}
			return line
		})
	}
}
