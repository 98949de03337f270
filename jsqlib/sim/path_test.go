package sim

import (
	"errors"
	"math"
	"slices"
	"testing"

	"jsqlab/jsqlib"
)

func TestSamplePath(t *testing.T) {
	s := jsqlib.Model{Servers: 3, Gap: 0.2, Routing: jsqlib.Job, Service: skewed}
	start := []int64{4, 0, 9}
	p, err := SamplePath(s, PathOptions{Seed: 1, Start: start, Steps: 500})
	if err != nil {
		t.Fatal(err)
	}
	shape(t, p, 3, 501)
	if !slices.Equal(start, []int64{4, 0, 9}) {
		t.Errorf("Start became %v", start)
	}
	unused := int64(0)
	for k := range p.Time {
		if p.Time[k] != float64(k) {
			t.Fatalf("time %v at point %d", p.Time[k], k)
		}
		if k > 0 && (p.Unused[k] < 0 || p.Unused[k] > 9) {
			t.Fatalf("U = %d", p.Unused[k])
		}
		unused += p.Unused[k]
		for i := range start {
			if k == 0 && p.Queues[i][0] != start[i] {
				t.Errorf("starts from %d, want %d", p.Queues[i][0], start[i])
			}
			if k > 0 && p.Queues[i][k] < p.Queues[i][k-1]-3 {
				t.Fatalf("queue %d lost more than S_max jobs in slot %d", i, k)
			}
		}
	}
	// fewer points of the same path
	few, err := SamplePath(s, PathOptions{Seed: 1, Start: start, Steps: 50, Every: 10})
	if err != nil {
		t.Fatal(err)
	}
	shape(t, few, 3, 51)
	for k := range few.Time {
		u := int64(0)
		for j := max(10*k-9, 0); j <= 10*k; j++ {
			u += p.Unused[j]
		}
		if few.Time[k] != float64(10*k) || few.Total[k] != p.Total[10*k] || few.Unused[k] != u {
			t.Fatalf("point %d of every tenth: time %v, Q = %d, U = %d, want Q = %d, U = %d", k, few.Time[k], few.Total[k], few.Unused[k], p.Total[10*k], u)
		}
	}
	// seeds
	same, err1 := SamplePath(s, PathOptions{Seed: 1, Start: start, Steps: 500})
	other, err2 := SamplePath(s, PathOptions{Seed: 2, Start: start, Steps: 500})
	if err1 != nil || err2 != nil || !slices.Equal(same.Total, p.Total) || slices.Equal(other.Total, p.Total) {
		t.Errorf("seeds: %v, %v", err1, err2)
	}
	// defaults
	p, err = SamplePath(s, PathOptions{})
	if err != nil || p.Total[0] != 0 {
		t.Fatal(err)
	}
	shape(t, p, 3, 1001)
}

func shape(t *testing.T, p *Path, servers, points int) {
	t.Helper()
	if len(p.Queues) != servers || len(p.Time) != points || len(p.Total) != points || len(p.Unused) != points {
		t.Fatalf("%d queues, %d times, %d totals, %d unused: want %d queues and %d points", len(p.Queues), len(p.Time), len(p.Total), len(p.Unused), servers, points)
	}
	for k := range p.Time {
		q := int64(0)
		for i := range p.Queues {
			if len(p.Queues[i]) != points || p.Queues[i][k] < 0 {
				t.Fatalf("queue %d: %d points, %d at point %d", i, len(p.Queues[i]), p.Queues[i][k], k)
			}
			q += p.Queues[i][k]
		}
		if q != p.Total[k] {
			t.Fatalf("queues sum to %d at point %d, Q = %d", q, k, p.Total[k])
		}
	}
}

func TestSamplePathCT(t *testing.T) {
	s := jsqlib.Model{Continuous: true, Servers: 4, Gap: 0.2}
	p, err := SamplePath(s, PathOptions{Seed: 3, Steps: 4000})
	if err != nil {
		t.Fatal(err)
	}
	shape(t, p, 4, 4001)
	mean, square := 0.0, 0.0
	for k := range p.Time {
		idle := int64(0)
		for i := range p.Queues {
			if p.Queues[i][k] == 0 {
				idle++
			}
		}
		if p.Unused[k] != idle {
			t.Fatalf("I = %d at point %d, %d queues are empty", p.Unused[k], k, idle)
		}
		if k == 0 {
			continue
		}
		if d := p.Total[k] - p.Total[k-1]; d < -1 || d > 1 {
			t.Fatalf("Q moves by %d in one transition", d)
		}
		dt := (p.Time[k] - p.Time[k-1]) * 4 * 1.8 // exponential of mean 1
		if !(dt > 0) {
			t.Fatalf("the clock stands at point %d", k)
		}
		mean += dt / 4000
		square += dt * dt / 4000
	}
	if math.Abs(mean-1) > 4.5/math.Sqrt(4000) || math.Abs(square-2) > 4.5*math.Sqrt(20.0/4000) {
		t.Errorf("times between transitions: mean %v, mean square %v, want 1 and 2", mean, square)
	}
	few, err := SamplePath(s, PathOptions{Seed: 3, Steps: 400, Every: 10})
	if err != nil || few.Total[400] != p.Total[4000] || few.Time[400] != p.Time[4000] || few.Unused[7] != p.Unused[70] {
		t.Errorf("every tenth transition is another path: %v", err)
	}
}

func TestPathErrors(t *testing.T) {
	for _, c := range []struct {
		o    PathOptions
		want string
	}{
		{PathOptions{Steps: -1}, "sim: steps = -1: want steps >= 0 and servers * steps <= 50 million"},
		{PathOptions{Steps: maxPathPoints/2 + 1}, "sim: steps = 25000001: want steps >= 0 and servers * steps <= 50 million"},
		{PathOptions{Every: -2}, "sim: every = -2: want every >= 0"},
		{PathOptions{Start: []int64{1}}, "sim: start = 1: want one queue for each server"},
		{PathOptions{Start: []int64{}}, "sim: start = 0: want one queue for each server"},
		{PathOptions{Start: []int64{1, -1}}, "sim: start = -1: want queues >= 0"},
	} {
		_, err1 := SamplePath(jsqlib.Model{Servers: 2, Gap: 0.1}, c.o)
		_, err2 := SamplePath(jsqlib.Model{Continuous: true, Servers: 2, Gap: 0.1}, c.o)
		for _, err := range []error{err1, err2} {
			var oe *jsqlib.Invalid
			if !errors.As(err, &oe) || err.Error() != c.want {
				t.Errorf("%v, want %q", err, c.want)
			}
		}
	}
}
