package record

import (
	"context"
	"math"
	"runtime"
	"strings"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/sim"
)

// loose is the relative error asked of an estimate: three times wider in short
// runs.
func loose(rel float64) float64 {
	if testing.Short() {
		return 3 * rel
	}
	return rel
}

// TestDistanceExact: closed forms and exact values, within four standard
// errors.
func TestDistanceExact(t *testing.T) {
	o := sim.BoundaryOptions{Options: sim.Options{Seed: 1, RelError: loose(0.004)}}
	for _, x := range []struct {
		servers int
		alpha   float64
		want    float64
	}{{2, 2, 0.1125284}, {3, 2, 0.089949558}, {3, 4.1, 0.012030762}} {
		d, err := Distance(context.Background(), jsqlib.Model{Continuous: true, Servers: x.servers, Alpha: x.alpha}, o)
		if err != nil {
			t.Fatal(err)
		}
		checkDistance(t, d)
		if d.W1.Deviation(x.want) > 4 {
			t.Errorf("CT N = %d, alpha = %g: W1 = %v, want %v", x.servers, x.alpha, d.W1, x.want)
		}
	}
	// M/M/1: W1((1 - rho) Q, Exp(1)) = 1 - rho, with no error at all
	d, err := Distance(context.Background(), jsqlib.Model{Continuous: true, Servers: 1, Gap: 1e-30}, o)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(d.W1.Value/1e-30-1) > 1e-12 || d.W1.HalfWidth() > 1e-42 {
		t.Errorf("M/M/1 at gap 1e-30: W1 = %v", d.W1)
	}
	for _, x := range []struct {
		servers int
		want    float64
	}{{2, 0.1445934554}, {3, 0.3407193289}} {
		d, err := Distance(context.Background(), jsqlib.Model{Servers: x.servers, Alpha: 1}, o)
		if err != nil {
			t.Fatal(err)
		}
		checkDistance(t, d)
		if d.W1.Deviation(x.want) > 4 {
			t.Errorf("DT N = %d, alpha = 1: W1 = %v, want %v", x.servers, d.W1, x.want)
		}
	}
}

func checkDistance(t *testing.T, d *DistanceResult) {
	t.Helper()
	if len(d.Boundary.Warnings) > 0 {
		t.Errorf("warnings: %v", d.Boundary.Warnings)
	}
	if got, want := d.MeanTotal.StdErr, d.Boundary.QtildeMean.StdErr; got != want {
		t.Errorf("standard error of E Q %v, of E Q~ %v: want them equal", got, want)
	}
	if !(d.CertificateLow <= d.W1.Value && d.W1.Value <= d.CertificateHigh) {
		t.Errorf("certificate %v <= %v <= %v fails", d.CertificateLow, d.W1.Value, d.CertificateHigh)
	}
}

// TestDistanceFromDirect: plain simulation and the boundary estimator agree
// where both can go.
func TestDistanceFromDirect(t *testing.T) {
	for _, s := range []jsqlib.Model{
		{Servers: 2, Alpha: 1}, {Servers: 4, Gap: 0.1}, {Servers: 4, Gap: 0.1, Routing: jsqlib.Job},
	} {
		c, err := s.Constants()
		if err != nil {
			t.Fatal(err)
		}
		st, err := sim.Direct(context.Background(), s, sim.Options{Seed: 5, RelError: loose(0.004)})
		if err != nil {
			t.Fatal(err)
		}
		w, noise, err := FromDirect(st, c.Gap, c.LimitMean)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Distance(context.Background(), s, sim.BoundaryOptions{Options: sim.Options{Seed: 6, RelError: loose(0.005)}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := math.Abs(w.Value - d.W1.Value); diff > 4*math.Hypot(w.StdErr, d.W1.StdErr) {
			t.Errorf("%+v: direct %v, boundary %v", s, w, d.W1)
		}
		if noise <= 0 || noise > 0.1*c.LimitMean {
			t.Errorf("noise floor %v", noise)
		}
		if diff := math.Abs(st.MeanTotal.Value - d.Total.Mean()); diff > 4*math.Hypot(st.MeanTotal.StdErr, d.Boundary.QtildeMean.StdErr) {
			t.Errorf("%+v: E Q direct %v, boundary %v", s, st.MeanTotal, d.Total.Mean())
		}
	}
}

// TestDistanceAnyAlpha: the slots spent do not depend on alpha, and the
// distance over c tends to that of the boundary.
func TestDistanceAnyAlpha(t *testing.T) {
	var slots, scaled [2]float64
	for i, alpha := range []float64{3, 20} {
		s := jsqlib.Model{Servers: 16, Alpha: alpha}
		c, err := s.Constants()
		if err != nil {
			t.Fatal(err)
		}
		d, err := Distance(context.Background(), s, sim.BoundaryOptions{Options: sim.Options{Seed: 1, RelError: loose(0.005)}})
		if err != nil {
			t.Fatal(err)
		}
		checkDistance(t, d)
		slots[i] = float64(d.Boundary.TotalSlots)
		scaled[i] = d.W1.Value / c.Gap
	}
	if r := slots[0] / slots[1]; r > 1.5 || r < 1/1.5 {
		t.Errorf("slots at alpha = 3 over alpha = 20: %v", r)
	}
	if math.Abs(scaled[0]/scaled[1]-1) > 0.05 {
		t.Errorf("W1/c = %v at alpha = 3, 20", scaled)
	}
}

// TestDistanceLightTail: where P(Q > n) rounds to 0 inside the boundary law, W1
// keeps its interval.
func TestDistanceLightTail(t *testing.T) {
	s := jsqlib.Model{Servers: 2, Gap: 0.5, Arrivals: jsqlib.Binomial(255)}
	d, err := Distance(context.Background(), s, sim.BoundaryOptions{Options: sim.Options{Seed: 1, RelError: 0.02}})
	if err != nil {
		t.Fatal(err)
	}
	checkDistance(t, d)
	if r := d.W1.RelError(); !(r > 0 && r <= 0.02) {
		t.Errorf("relative error %v, want at most 0.02", r)
	}
}

// W1, its certificate and the moments of a run are of one law, so that none contradicts another,
// also where most of the noise of the boundary law is in P(Q < 0).
func TestCertificateAgrees(t *testing.T) {
	type run func(seed uint64) (*DistanceResult, error)
	dt := func(s jsqlib.Model, rel float64) run {
		return func(seed uint64) (*DistanceResult, error) {
			return Distance(context.Background(), s, sim.BoundaryOptions{Options: sim.Options{Seed: seed, RelError: rel}})
		}
	}
	for name, f := range map[string]run{
		"light, alpha = 1e-4": dt(jsqlib.Model{Servers: 20, Alpha: 1e-4}, 0.01),
		"light, alpha = 1e-6": dt(jsqlib.Model{Servers: 20, Alpha: 1e-6}, 0.01),
		"job, load 1e-3":      dt(jsqlib.Model{Servers: 10, Gap: 0.999, Routing: jsqlib.Job}, 0.1),
		"alpha = 1":           dt(jsqlib.Model{Servers: 4, Alpha: 1}, 0.3),
		"ct": func(seed uint64) (*DistanceResult, error) {
			return Distance(context.Background(), jsqlib.Model{Continuous: true, Servers: 4, Gap: 0.99}, sim.BoundaryOptions{Options: sim.Options{Seed: seed}})
		},
	} {
		seeds := uint64(10)
		if strings.HasPrefix(name, "light") && !testing.Short() {
			seeds = 60
		}
		for seed := range seeds {
			d, err := f(seed)
			if err != nil {
				t.Fatal(err)
			}
			if !(0 <= d.CertificateLow && d.CertificateLow <= d.W1.Value && max(d.W1.Value, d.W1.Low) <= d.CertificateHigh) {
				t.Errorf("%s, seed %d: certificate %v <= %+v <= %v fails", name, seed, d.CertificateLow, d.W1, d.CertificateHigh)
			}
			for _, e := range []jsqlib.Estimate{d.MeanTotal, d.SecondMoment} {
				if !(0 <= e.Low && e.Low <= e.Value && e.Value <= e.High) {
					t.Errorf("%s, seed %d: moment %+v", name, seed, e)
				}
			}
		}
	}
}

// TestDistanceMemory: the memory follows the spread of the totals at the boundary, about
// N^1.5 of them, and not their size, N^2/2, which would take a gigabyte here.
func TestDistanceMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Distance(t.Context(), jsqlib.Model{Servers: 3000, Alpha: 2},
		sim.BoundaryOptions{Options: sim.Options{Seed: 1, Replications: 2, MaxSlots: 2_000_000}})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > 200 {
		t.Errorf("%d MiB allocated, want at most 200", got)
	}
}
