package sim

import (
	"context"
	"fmt"
	"math"
	"syscall"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/reps"
)

func benchDT(b *testing.B, s jsqlib.Model, dense bool, p plan) {
	c, err := s.Constants()
	if err != nil {
		b.Fatal(err)
	}
	var e engine
	switch {
	case dense:
		e = newDense(&s, &c, reps.Stream("jsqlab", 1, b.Name(), 0), p)
	case s.Routing == jsqlib.Batch && !s.JSQ():
		e = newSampled(&s, &c, reps.Stream("jsqlab", 1, b.Name(), 0), p)
	case s.Routing == jsqlib.Job:
		e = newOccupancy(&s, &c, reps.Stream("jsqlab", 1, b.Name(), 0), p)
	case packable(&c, newService(&c)):
		e = newPacked(&c, reps.Stream("jsqlab", 1, b.Name(), 0), p)
	default:
		e = newLazy(&c, reps.Stream("jsqlab", 1, b.Name(), 0), p)
	}
	t := &tally{boundaryMin: -int64(c.N * c.SMax)}
	e.run(int64(min(1_000_000, 30_000_000/c.N)), t)
	b.ReportAllocs()
	b.ResetTimer()
	begin := cpuSeconds()
	e.run(int64(b.N), t)
	sec := cpuSeconds() - begin
	b.ReportMetric(float64(b.N)/sec/1e6, "Mslots/cpu-s")
	b.ReportMetric(float64(b.N)*float64(c.N)/sec/1e9, "Gserver-slots/cpu-s")
}

// BenchmarkDirectDTBatch is the lazy engine as Direct runs it, load 0.99.
func BenchmarkDirectDTBatch(b *testing.B) {
	for _, n := range []int{8, 32, 128, 1000} {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			benchDT(b, jsqlib.Model{Servers: n, Gap: 0.01}, false, plan{stride: int64(n)})
		})
	}
}

// BenchmarkDenseDTBatch touches every server in every slot, load 0.99.
func BenchmarkDenseDTBatch(b *testing.B) {
	for _, n := range []int{8, 32} {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			benchDT(b, jsqlib.Model{Servers: n, Gap: 0.01}, true, plan{stride: int64(n)})
		})
	}
}

// BenchmarkBoundaryDTBatch is the lazy engine under a ceiling of 16 jobs.
func BenchmarkBoundaryDTBatch(b *testing.B) {
	for _, n := range []int{8, 32, 100, 1000} {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			benchDT(b, jsqlib.Model{Servers: n, Gap: 1e-12}, false, plan{ceiling: 16, law: true})
		})
	}
}

// BenchmarkDirectDTJob is the occupancy engine, load 0.99.
func BenchmarkDirectDTJob(b *testing.B) {
	for _, n := range []int{8, 32, 1000} {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			benchDT(b, jsqlib.Model{Servers: n, Gap: 0.01, Routing: jsqlib.Job}, false, plan{stride: 1})
		})
	}
}

// BenchmarkDirectCT is the continuous-time engine, one step an event of the
// uniformised chain, load 0.99.
func BenchmarkDirectCT(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			s := jsqlib.Model{Continuous: true, Servers: n, Gap: 0.01}
			c, err := s.Constants()
			if err != nil {
				b.Fatal(err)
			}
			e := newCT(&s, &c, reps.Stream("jsqlab", 1, b.Name(), 0), plan{stride: 1})
			t := &tally{}
			e.run(1_000_000, t)
			b.ReportAllocs()
			b.ResetTimer()
			e.run(int64(b.N), t)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Msteps/s")
		})
	}
}

// BenchmarkDirectDTPod is power of d in discrete time, load 0.9.
func BenchmarkDirectDTPod(b *testing.B) {
	for _, routing := range []jsqlib.Routing{jsqlib.Batch, jsqlib.Job} {
		for _, n := range []int{32, 1000} {
			for _, d := range []int{2, n / 2} {
				s := jsqlib.Model{Servers: n, Gap: 0.1, Policy: pod(d), Routing: routing}
				b.Run(fmt.Sprintf("%v,N=%d,d=%d", routing, n, d), func(b *testing.B) {
					benchDT(b, s, false, plan{stride: int64(n)})
				})
			}
		}
	}
}

// BenchmarkDirectCTPod is power of two in continuous time, load 0.9.
func BenchmarkDirectCTPod(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		for _, p := range []jsqlib.Policy{pod(2), again(2)} {
			b.Run(fmt.Sprintf("N=%d,%v", n, p), func(b *testing.B) {
				s := jsqlib.Model{Continuous: true, Servers: n, Gap: 0.1, Policy: p}
				e, t := newCT(&s, constantsCT(b, s), reps.Stream("jsqlab", 1, b.Name(), 0), plan{stride: 1}), &tally{}
				e.run(1_000_000, t)
				b.ReportAllocs()
				b.ResetTimer()
				begin := cpuSeconds()
				e.run(int64(b.N), t)
				b.ReportMetric(float64(b.N)/(cpuSeconds()-begin)/1e6, "Msteps/cpu-s")
			})
		}
	}
}

// cpuSeconds returns the processor time of this process: on a busy machine it
// compares better than the clock on the wall.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return math.NaN()
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + 1e-6*float64(u.Utime.Usec+u.Stime.Usec)
}

// One million slots of the differences of 32 queues.
func BenchmarkCollapseMillionSlots(b *testing.B) {
	for _, routing := range []jsqlib.Routing{jsqlib.Batch, jsqlib.Job} {
		b.Run(routing.String(), func(b *testing.B) {
			for b.Loop() {
				_, err := MeasureCollapse(context.Background(), jsqlib.Model{Servers: 32, Alpha: 4.5, Routing: routing},
					CollapseOptions{Slots: 1_000_000, Saturated: true, Workers: 1})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkBalanceAgainstClimb is E Q~ by both estimators at one relative error: half width, CPU
// seconds, and the product of the relative variance and the CPU seconds, which does not depend on
// where a run stops.
func BenchmarkBalanceAgainstClimb(b *testing.B) {
	for _, c := range []struct {
		name string
		m    jsqlib.Model
		rel  float64 // of Balance; Climb is asked for ten times that, at most 2 %
	}{
		{"ct,N=100", jsqlib.Model{Continuous: true, Servers: 100, Alpha: 4.5}, 0.0005},
		{"ct,N=1000", jsqlib.Model{Continuous: true, Servers: 1000, Alpha: 4.5}, 0.0005},
		{"ct,N=10000", jsqlib.Model{Continuous: true, Servers: 10_000, Alpha: 4.5}, 0.0005},
		{"job,N=1000", jsqlib.Model{Servers: 1000, Alpha: 4.5, Routing: jsqlib.Job}, 0.0005},
		{"batch,N=100", jsqlib.Model{Servers: 100, Alpha: 4.5}, 0.003},
		{"batch,N=400", jsqlib.Model{Servers: 400, Alpha: 4.5}, 0.003},
		{"batch,N=1000", jsqlib.Model{Servers: 1000, Alpha: 4.5}, 0.003},
	} {
		for _, f := range []struct {
			name string
			rel  float64
		}{{Balance, c.rel}, {Climb, min(10*c.rel, 0.02)}} {
			if f.name == Climb && c.m.Continuous && c.m.Servers > 1000 {
				continue // hours
			}
			b.Run(c.name+"/"+f.name, func(b *testing.B) {
				unit := float64(c.m.Servers)
				if !c.m.Continuous && c.m.Routing == jsqlib.Batch {
					unit *= unit
				}
				begin := cpuSeconds()
				for i := range b.N {
					l, err := Boundary(context.Background(), c.m, BoundaryOptions{Estimator: f.name, Options: Options{Seed: uint64(i + 1), RelError: f.rel, Workers: 1}})
					if err != nil {
						b.Fatal(err)
					}
					sec := (cpuSeconds() - begin) / float64(i+1)
					b.ReportMetric(l.QtildeMean.Value/unit, "EQ/unit")
					b.ReportMetric(l.QtildeMean.HalfWidth()/unit, "half-width")
					b.ReportMetric(sec, "cpu-s")
					b.ReportMetric(float64(l.TotalSlots), "slots")
					b.ReportMetric(math.Pow(l.QtildeMean.StdErr/l.QtildeMean.Value, 2)*sec*1e6, "ppm*s")
				}
			})
		}
	}
}
