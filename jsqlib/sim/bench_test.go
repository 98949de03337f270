package sim

import (
	"fmt"
	"testing"

	"jsqlab/jsqlib"
)

func benchDT(b *testing.B, s jsqlib.System, dense bool, p plan) {
	c, err := s.Constants()
	if err != nil {
		b.Fatal(err)
	}
	var e engine
	switch {
	case dense:
		e = newDense(&s, &c, stream(1, b.Name(), 0), p)
	case s.Routing == jsqlib.Job:
		e = newOccupancy(&c, stream(1, b.Name(), 0), p)
	default:
		e = newLazy(&c, stream(1, b.Name(), 0), p)
	}
	t := &tally{boundaryMin: -int64(c.N * c.SMax)}
	e.run(1_000_000, t)
	b.ReportAllocs()
	b.ResetTimer()
	e.run(int64(b.N), t)
	sec := b.Elapsed().Seconds()
	b.ReportMetric(float64(b.N)/sec/1e6, "Mslots/s")
	b.ReportMetric(float64(b.N)*float64(c.N)/sec/1e9, "Gserver-slots/s")
}

// BenchmarkDirectDTBatch is the lazy engine as Direct runs it, load 0.99.
func BenchmarkDirectDTBatch(b *testing.B) {
	for _, n := range []int{8, 32, 128, 1000} {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			benchDT(b, jsqlib.System{Servers: n, Gap: 0.01}, false, plan{stride: int64(n)})
		})
	}
}

// BenchmarkDenseDTBatch touches every server in every slot, load 0.99.
func BenchmarkDenseDTBatch(b *testing.B) {
	for _, n := range []int{8, 32} {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			benchDT(b, jsqlib.System{Servers: n, Gap: 0.01}, true, plan{stride: int64(n)})
		})
	}
}

// BenchmarkBoundaryDTBatch is the lazy engine under a ceiling of 16 jobs.
func BenchmarkBoundaryDTBatch(b *testing.B) {
	for _, n := range []int{8, 32, 100, 1000} {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			benchDT(b, jsqlib.System{Servers: n, Gap: 1e-12}, false, plan{ceiling: 16, law: true})
		})
	}
}

// BenchmarkDirectDTJob is the occupancy engine, load 0.99.
func BenchmarkDirectDTJob(b *testing.B) {
	for _, n := range []int{8, 32, 1000} {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			benchDT(b, jsqlib.System{Servers: n, Gap: 0.01, Routing: jsqlib.Job}, false, plan{stride: 1})
		})
	}
}

// BenchmarkDirectCT is the continuous-time engine, one step an event of the
// uniformised chain, load 0.99.
func BenchmarkDirectCT(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			s := jsqlib.CT{Servers: n, Gap: 0.01}
			c, err := s.Constants()
			if err != nil {
				b.Fatal(err)
			}
			e := newCT(&s, &c, stream(1, b.Name(), 0), plan{stride: 1})
			t := &tally{}
			e.run(1_000_000, t)
			b.ReportAllocs()
			b.ResetTimer()
			e.run(int64(b.N), t)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Msteps/s")
		})
	}
}
