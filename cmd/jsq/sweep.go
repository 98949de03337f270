package main

import (
	"errors"
	"fmt"
	"math"
	"os"
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
		setup: func(f *flags) func() (*report, error) {
			var (
				g    study.Grid
				s    jsqlib.Spec
				dir  string
				part study.Shard
			)
			f.word(&s.Model, "model", jsqlib.DT, modelUsage)
			add(f, &g.Servers, "servers", "", "numbers `N,N,...` of servers, at least 2",
				fmt.Sprintf("whole numbers 2 <= N <= %d, separated by commas", jsqlib.MaxServers), list(integer(2, jsqlib.MaxServers)))
			add(f, &g.Alpha, "alpha", "", "exponents `A,A,...` > 0: the gap is N^(-A)", "numbers alpha > 0, separated by commas", list(number(0, math.Inf(1))))
			f.word(&s.Arrivals, "arrivals", "binomial:2", "dt: base `LAW` of one server's share of the arrivals of a slot, as in jsq distance")
			f.word(&s.Service, "service", "binomial:2", "dt: `LAW` of the service that a server offers in a slot, mean 1")
			f.word(&s.Policy, "policy", "jsq", "`RULE`: jsq, or pod:D or pod:D:replacement with D >= 2")
			f.word(&s.Routing, "routing", "batch", routingUsage)
			o := declareRun(f, "1e11")
			f.word(&dir, "out", "", "directory `DIR` of the results; made if there is none")
			f.declare("shard", "0/1", "do the `I/N`-th part of the tasks only, 0 <= I < N", func(text string) (err error) {
				part, err = study.ParseShard(text)
				return err
			})
			return func() (*report, error) {
				if err := f.laws(&s); err != nil {
					return nil, err
				}
				g.Model, g.Routing, g.Policy, g.Arrivals, g.Service = s.Model, s.Routing, s.Policy, s.Arrivals, s.Service
				g.Seed, g.RelError, g.MaxSlots = o.Seed, o.RelError, o.MaxSlots
				return sweep(f, g, dir, study.Options{Version: version, Workers: o.Workers, Shard: part, Progress: f.progress.sweep()})
			}
		},
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

func sweep(f *flags, g study.Grid, dir string, o study.Options) (*report, error) {
	if dir == "" {
		return nil, invalid("out", "nothing", "a directory for the results")
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, invalid("out", quote(dir), "a directory")
	}
	tasks, err := g.Tasks()
	for i := 0; err == nil && i < len(tasks); i++ {
		err = tasks[i].CheckBudget()
	}
	if err != nil {
		return nil, err
	}
	sum, err := study.Sweep(f.ctx, dir, g, o)
	if err != nil && sum.Planned == 0 {
		return nil, err
	}
	r := newReport(f)
	r.key("version", version)
	r.text("model", "model", "", f.text("model"))
	r.key("servers", g.Servers)
	r.key("alpha", g.Alpha)
	r.row("servers", "N", f.text("servers"))
	r.row("exponents of the gap", "alpha", f.text("alpha"))
	if f.text("model") == jsqlib.DT {
		r.text("arrivals", "arrivals", "", f.text("arrivals"))
		r.text("service", "service", "", f.text("service"))
		r.text("routing", "routing unit", "", f.text("routing"))
	}
	r.text("policy", "policy", "", f.text("policy"))
	r.text("seed", "seed", "", g.Seed)
	r.key("rel_error", g.RelError)
	r.row("relative error", "", fmt.Sprintf("%.5g", g.RelError))
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
	case f.ctx.Err() != nil:
		r.warn("interrupted: %d tasks are not done; the same command goes on with them", sum.Left())
	}
	return r, err
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
