package sim

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"jsqlab/jsqlib"
)

// The same bits for any number of workers, and others for another seed.
func TestCollapseWorkers(t *testing.T) {
	run := func(seed uint64, workers int) *Collapse {
		done, total := int64(0), int64(0)
		x, err := MeasureCollapse(context.Background(), jsqlib.Model{Servers: 5, Gap: 0.2}, CollapseOptions{
			Seed: seed, Workers: workers, Slots: 1 << 15, Progress: func(d, n int64) { done, total = d, n },
		})
		if err != nil {
			t.Fatal(err)
		}
		if done != total || total != x.Slots+x.WarmUp {
			t.Errorf("progress ends at %d of %d, slots %d + %d", done, total, x.Slots, x.WarmUp)
		}
		return x
	}
	one := run(1, 1)
	for _, w := range []int{2, 7} {
		if !reflect.DeepEqual(one, run(1, w)) {
			t.Errorf("another result with %d workers", w)
		}
	}
	if reflect.DeepEqual(one, run(2, 1)) {
		t.Error("the same result with another seed")
	}
}

func TestCollapseErrors(t *testing.T) {
	ctx := context.Background()
	s := jsqlib.Model{Servers: 4, Gap: 0.3}
	for _, c := range []struct {
		s              jsqlib.Model
		o              CollapseOptions
		argument, text string
	}{
		{jsqlib.Model{Servers: 1, Gap: 0.3}, CollapseOptions{}, "servers", "want 2 <= servers"},
		{jsqlib.Model{Servers: 10001, Gap: 0.3}, CollapseOptions{}, "servers", "servers <= 10000"},
		{jsqlib.Model{Servers: 4, Gap: 0.3, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 3}}, CollapseOptions{}, "policy", "jsq"},
		{jsqlib.Model{Servers: 8, Alpha: 4.5}, CollapseOptions{}, "gap", "want Saturated"},
		{jsqlib.Model{Servers: 8, Gap: 1e-100}, CollapseOptions{}, "gap", "want Saturated"},
		{s, CollapseOptions{Workers: -1}, "Workers", "Workers >= 0"},
		{s, CollapseOptions{Replications: 1}, "Replications", "2 <="},
		{s, CollapseOptions{Slots: 3}, "Slots", "for each replication"},
		{s, CollapseOptions{Slots: -3}, "Slots", "for each replication"},
		{s, CollapseOptions{Bins: -1}, "Bins", "1 <="},
		{s, CollapseOptions{Bins: 1 << 20, Replications: 1 << 16}, "Bins", "want Bins <= 1023, which fits the limit of 2 GiB"},
		{s, CollapseOptions{Orders: []int{2, 0}}, "r", "r = 0"},
		{s, CollapseOptions{Start: []int64{1}}, "Start", "one for each server"},
		{s, CollapseOptions{Start: []int64{0, 0, -1, 0}}, "Start", "a queue of -1"},
	} {
		_, err := MeasureCollapse(ctx, c.s, c.o)
		var a *jsqlib.Invalid
		if !errors.As(err, &a) || a.What != c.argument || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v: want %s refused with %q", err, c.argument, c.text)
		}
	}
	if _, err := MeasureCollapse(ctx, jsqlib.Model{Servers: 4}, CollapseOptions{}); err == nil {
		t.Error("no gap: no error")
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, err := MeasureCollapse(stopped, s, CollapseOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	// neither the law of a slot's arrivals nor the pilot run keeps a large system from its end
	s = jsqlib.Model{Servers: maxCollapseServers, Gap: 0.1, Arrivals: slices.Repeat(jsqlib.PMF{1. / 256}, 256).Thin(1 - 1/127.5)}
	if _, err := MeasureCollapse(stopped, s, CollapseOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped, with many arrivals: %v", err)
	}
}

func TestInverse(t *testing.T) {
	c := *constants(t, jsqlib.Model{Servers: 2, Gap: 0.1})
	p := &collapsePlan{o: CollapseOptions{Saturated: true}, c: c}
	rng := p.walker("inverse", 0).rng
	for _, law := range []jsqlib.PMF{{0, 1}, {0.25, 0.5, 0.25}, {0, 0, 0.5, 0, 0.5}, c.Arrivals.Power(2)} {
		v := newInverse(law)
		const n = 100000
		counts := make([]float64, len(law))
		for range n {
			counts[v.draw(rng)]++
		}
		for k, q := range law {
			if se := math.Sqrt(n * q * (1 - q)); math.Abs(counts[k]-n*q) > 5*se {
				t.Errorf("%v: %g of %d draws are %d, want %g +- %g", law, counts[k], n, k, n*q, se)
			}
		}
	}
}
