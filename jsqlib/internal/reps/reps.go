// Package reps is the home of replications: the random stream of each, the pool that runs them, and the
// estimates over them.
//
// A replication depends on its name only, never on the worker that runs it or on the order of the work,
// so that results are the same bits for any number of workers.
package reps

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/stat/distuv"

	"jsqlab/jsqlib"
)

// Context refuses a nil context, with which a worker would panic. where is the package that refuses.
func Context(where string, ctx context.Context) error {
	if ctx == nil {
		return jsqlib.Refuse(where, "ctx", "nil", "a context, such as context.Background()")
	}
	return nil
}

// Stream returns the random stream of one replication. Its seed is a hash of the four words.
func Stream(program string, seed uint64, task string, replication int) *rand.PCG {
	h := sha256.Sum256(fmt.Appendf(nil, "%s/%d/%s/%d", program, seed, task, replication))
	s := new(ownLine)
	s.Seed(binary.LittleEndian.Uint64(h[:8]), binary.LittleEndian.Uint64(h[8:16]))
	return &s.PCG
}

// ownLine keeps a generator, which is written to at each draw, off the cache lines of those that other
// workers draw from.
type ownLine struct {
	rand.PCG
	_ [128 - 16]byte
}

// Workers returns the number of workers that an option asks for: 0 means one for each core.
func Workers(n int) int {
	if n == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}

// Pool calls f(0), ..., f(n-1), each once, from the given number of goroutines, which take the indices
// in order. Pool returns when all calls have returned. A task that must not start any more has to look
// at its context itself.
func Pool(workers, n int, f func(i int)) {
	var wg sync.WaitGroup
	var next atomic.Int64
	for range min(workers, n) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				f(int(i))
			}
		})
	}
	wg.Wait()
}

// Quantile returns the 97.5 % point of Student's t with nu degrees of freedom. It is that of the normal
// law where nu is infinite or not known (nu < 1).
func Quantile(nu float64) float64 {
	if nu < 1 || math.IsInf(nu, 1) {
		return distuv.UnitNormal.Quantile(0.975)
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: nu}.Quantile(0.975)
}

// Mean estimates E X from independent, identically distributed replications.
func Mean(x []float64) jsqlib.Estimate {
	n := float64(len(x))
	m := Total(x) / n
	ss := 0.0
	for _, v := range x {
		ss += (v - m) * (v - m)
	}
	return interval(m, math.Sqrt(ss/(n-1)/n), len(x))
}

// Ratio estimates E X/E Y from replications (x_r, y_r) by the ratio of sums, with the delta-method
// error from the residuals x_r - ratio y_r.
func Ratio(x, y []float64) jsqlib.Estimate {
	n := float64(len(x))
	sy := Total(y)
	if sy == 0 {
		return jsqlib.Estimate{Value: math.NaN(), StdErr: math.Inf(1), Low: math.Inf(-1), High: math.Inf(1)}
	}
	ratio := Total(x) / sy
	ss := 0.0
	for i := range x {
		d := x[i] - ratio*y[i]
		ss += d * d
	}
	return interval(ratio, math.Sqrt(ss*n/(n-1))/sy, len(x))
}

// Effective returns (sum x)^2/sum x^2: how many replications share the sum.
func Effective(x []float64) float64 {
	s := Total(x)
	s2 := 0.0
	for _, v := range x {
		s2 += v * v
	}
	if s2 == 0 {
		return 0
	}
	return s * s / s2
}

// Total returns the sum of x, in its order.
func Total(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

func interval(m, se float64, n int) jsqlib.Estimate {
	h := se * Quantile(float64(n-1))
	return jsqlib.Estimate{Value: m, StdErr: se, Low: m - h, High: m + h}
}
