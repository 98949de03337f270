package wasserstein

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/memory"
	"jsqlab/jsqlib/internal/num"
	"jsqlab/jsqlib/internal/reps"
	"jsqlab/jsqlib/limit"
)

// NoiseFloor returns the distance from Exp(m) that a sample of n i.i.d. points has by chance, in the
// unit of m: sqrt(pi/2) m n^(-1/2), the leading term of E W1 as n grows. It is +Inf for n <= 0.
//
// Derived: sqrt(n) (F_n - F) tends to the Brownian bridge B(F), E |B(u)| = sqrt(2/pi) sqrt(u (1-u)),
// and with u = e^(-x/m)
//
//	int_0^inf sqrt(F (1-F)) dx = m int_0^1 u^(-1/2) (1-u)^(1/2) du = m B(1/2, 3/2) = m pi/2,
//
// so that sqrt(n) E W1 -> m sqrt(2/pi) pi/2 = m sqrt(pi/2).
func NoiseFloor(n int, mean float64) float64 {
	return math.Sqrt(math.Pi/2/math.Max(float64(n), 0)) * mean
}

// maxNull bounds the points of a sample, and the samples, of [Null].
const maxNull = 100_000_000

// NullOptions are the options of [Null]. The zero value draws 1000 samples on all processors.
type NullOptions struct {
	// Reps is the number of samples drawn; 0 means 1000.
	Reps int
	// Seed selects the random streams, one for each sample. The result is the same for any number of
	// workers.
	Seed uint64
	// Workers bounds the goroutines; 0 means one for each processor.
	Workers int
	// Progress, if not nil, is called after each sample, from one goroutine at a time.
	Progress func(done, total int)
}

// NullDistribution is the simulated distribution of W1 between a sample of Size i.i.d. points and the
// law it is drawn from.
type NullDistribution struct {
	Size   int       // points in a sample
	Mean   float64   // estimate of E W1, the bias of a sample of this size
	StdErr float64   // standard error of Mean
	Values []float64 // the simulated distances in ascending order
}

// Quantile returns the empirical p-quantile of the distance, the smallest value with at least a
// fraction p of the values at or below it, and NaN unless 0 <= p <= 1.
func (d *NullDistribution) Quantile(p float64) float64 {
	if !(p >= 0 && p <= 1) || len(d.Values) == 0 {
		return math.NaN()
	}
	i := int(math.Ceil(p*float64(len(d.Values)))) - 1
	return d.Values[max(i, 0)]
}

// PValue tests whether an i.i.d. sample at distance w comes from the law itself. It returns the Monte
// Carlo p-value (1 + k)/(1 + Reps), where k simulated distances are at least as large as w. It is NaN
// for a w that is NaN, and without simulated distances.
func (d *NullDistribution) PValue(w float64) float64 {
	if math.IsNaN(w) || len(d.Values) == 0 {
		return math.NaN()
	}
	below, _ := slices.BinarySearch(d.Values, w)
	return float64(1+len(d.Values)-below) / float64(1+len(d.Values))
}

// Null simulates the distribution of W1 between n i.i.d. points of a law and the law. Each sample costs
// O(n): the points are generated in ascending order, as quantiles of ordered uniforms.
//
// It fails with [*jsqlib.Invalid] for a nil ctx, for n outside 1 to 1e8, for more than 1e8 Reps, for a
// negative option and for a law as [W1Law] does; and with the error of the context.
func Null(ctx context.Context, n int, law limit.Law, opt NullOptions) (*NullDistribution, error) {
	if ctx == nil {
		return nil, jsqlib.Refuse("wasserstein", "ctx", "nil", "a context, such as context.Background()")
	}
	if n < 1 || n > maxNull {
		return nil, jsqlib.Refuse("wasserstein", "sample size", n, fmt.Sprintf("1 <= size <= %d", maxNull))
	}
	if opt.Reps < 0 || opt.Reps > maxNull {
		return nil, jsqlib.Refuse("wasserstein", "reps", opt.Reps, fmt.Sprintf("0 <= reps <= %d", maxNull))
	}
	if opt.Workers < 0 {
		return nil, jsqlib.Refuse("wasserstein", "workers", opt.Workers, ">= 0")
	}
	if _, err := lawMean(law); err != nil {
		return nil, err
	}
	count := opt.Reps
	if count == 0 {
		count = 1000
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	values := make([]float64, count)
	var mu sync.Mutex
	done := 0
	buffers := sync.Pool{New: func() any { s := make([]float64, n); return &s }}
	room := max(memory.Limit/memory.Word/n, 1) // for the points of so many samples at a time
	reps.Pool(min(reps.Workers(opt.Workers), room), count, func(r int) {
		if ctx.Err() != nil {
			return
		}
		points := buffers.Get().(*[]float64)
		defer buffers.Put(points)
		drawSorted(*points, law, rand.New(rand.NewPCG(stream(opt.Seed, uint64(r)))))
		w, err := W1Law(Sample{Points: *points}, law)
		if err != nil {
			cancel(err)
			return
		}
		values[r] = w
		mu.Lock()
		defer mu.Unlock()
		done++
		if opt.Progress != nil {
			opt.Progress(done, count)
		}
	})
	if done < count {
		return nil, fmt.Errorf("wasserstein: null distribution stopped after %d of %d samples: %w", done, count, context.Cause(ctx))
	}
	d := &NullDistribution{Size: n, Values: values}
	var sum, squares num.Sum
	for _, v := range values {
		sum.Add(v)
	}
	d.Mean = sum.Value() / float64(count)
	for _, v := range values {
		squares.Add((v - d.Mean) * (v - d.Mean))
	}
	d.StdErr = math.Sqrt(squares.Value() / float64(count) / math.Max(float64(count-1), 1))
	if count == 1 {
		d.StdErr = math.Inf(1)
	}
	slices.Sort(values)
	return d, nil
}

// drawSorted fills points with an i.i.d. sample of the law in ascending order: with i.i.d. Exp(1)
// variables E_k, the (E_1 + ... + E_k)/(E_1 + ... + E_(n+1)) are the order statistics of n uniforms. A
// uniform must not be rounded to 0 or 1, where the quantile may be infinite.
func drawSorted(points []float64, law limit.Law, rng *rand.Rand) {
	sum := 0.
	for i := range points {
		sum += rng.ExpFloat64()
		points[i] = sum
	}
	sum += rng.ExpFloat64()
	for i, s := range points {
		points[i] = law.Quantile(math.Min(math.Max(s/sum, 0x1p-1022), 1-0x1p-53))
	}
}

// stream returns the PCG seeds of one replication, by the finalizer of SplitMix64.
func stream(seed, rep uint64) (hi, lo uint64) {
	mix := func(z uint64) uint64 {
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	hi = mix(seed + 0x9e3779b97f4a7c15)
	return hi, mix(hi + (rep+1)*0x9e3779b97f4a7c15)
}
