package exact_test

import (
	"context"
	"math"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/exact"
)

func bench(b *testing.B, sys jsqlib.Model, tol float64) {
	var r exact.Result
	for b.Loop() {
		var err error
		if r, err = exact.Solve(context.Background(), sys, exact.Options{Tolerance: tol}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(r.States), "states")
	b.ReportMetric(-math.Log10((r.Qtilde.High-r.Qtilde.Low)/2/r.QtildeMean), "digits")
}

func BenchmarkSolveCTServers2Gap1e60(b *testing.B) {
	bench(b, jsqlib.Model{Continuous: true, Servers: 2, Gap: 1e-60}, 1e-9)
}

func BenchmarkSolveCTServers8Load0_99NineDigits(b *testing.B) {
	bench(b, jsqlib.Model{Continuous: true, Servers: 8, Gap: 0.01}, 1e-9)
}

func BenchmarkSolveCTServers12Load0_999EightDigits(b *testing.B) {
	bench(b, jsqlib.Model{Continuous: true, Servers: 12, Gap: 0.001}, 1e-8)
}

func BenchmarkSolveBatchServers3Alpha1(b *testing.B) {
	bench(b, jsqlib.Model{Servers: 3, Alpha: 1}, 0)
}

func BenchmarkSolveBatchServers3Gap1e60(b *testing.B) {
	bench(b, jsqlib.Model{Servers: 3, Gap: 1e-60}, 0)
}

func BenchmarkSolveBatchServers4Gap1e60(b *testing.B) {
	bench(b, jsqlib.Model{Servers: 4, Gap: 1e-60}, 0)
}

func BenchmarkSolveJobServers4Gap1e60(b *testing.B) {
	bench(b, jsqlib.Model{Servers: 4, Gap: 1e-60, Routing: jsqlib.Job}, 0)
}
