package jsqlib

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// MinTrace is the least number of slots, after pooling, that a pmf is estimated from.
const MinTrace = 100

// traceLags is how many autocorrelations a report holds, and traceWindows how many
// windows its largest window leaves.
const (
	traceLags    = 10
	traceWindows = 64
)

// traceLevel is the level of each of the three tests of a trace; an i.i.d. trace gets a
// warning with about three times this probability.
const traceLevel = 0.001

// Dispersion is the variability of the sums of a trace over windows of one size.
type Dispersion struct {
	Window   int     // w, slots
	Variance float64 // Var(sum over w slots)/w, per slot
	StdErr   float64 // of Variance, for windows that are independent
	Index    float64 // index of dispersion for counts, Var(sum)/E(sum)
}

// TraceReport says what became of a trace of counts and what an i.i.d. model loses of
// it. Moments are in counts per slot of the trace, unless they are of the law.
type TraceReport struct {
	Slots          int     // n
	Mean           float64 // of the counts
	MeanStdErr     float64 // if the counts were i.i.d.
	Variance       float64
	VarianceStdErr float64 // if the counts were i.i.d.

	Pool    int     // k: slots summed into one slot of the law
	Dropped int     // slots at the end that did not fill one
	Keep    float64 // probability with which each unit of a pooled count is kept

	Autocorrelation       []float64 // at lags 1, 2, ...; at most 10
	AutocorrelationStdErr float64   // n^(-1/2), of each for white noise
	WhitePValue           float64   // of the Ljung-Box statistic of these lags

	Dispersion []Dispersion // windows 1, 2, 4, ...; at least 64 windows in the largest
	// DispersionPValue is that of the variance in the largest window against w times
	// the marginal variance, two-sided.
	DispersionPValue float64

	FirstMean, SecondMean float64 // of the first and the second half
	TrendPValue           float64 // of their difference, with the error of the largest window

	LawVariance     float64 // of the law returned
	LongRunVariance float64 // per slot of the law, from the largest window
}

// LimitMeanShift returns by how much the limit mean m = (sigma_a^2 + sigma_s^2)/2 that
// the long-run variance suggests is above that of the i.i.d. law: in heavy traffic
// the total sees sums over many slots, whose variance per slot is the long-run one.
func (r TraceReport) LimitMeanShift() float64 { return (r.LongRunVariance - r.LawVariance) / 2 }

// FromTrace estimates the law of counts per slot that are measured in consecutive
// slots, for use as a base law of arrivals or as the law of service. The model wants
// independent, identically distributed counts of mean 1: its unit of time is one mean
// service. So as few slots k as reach a mean of 1 are pooled, and each unit
// of a pooled count is kept with the probability that makes the mean exactly 1
// ([PMF.Thin]); a trace of mean 1 is taken as it is. Thinning is what the model itself
// does to set the load; a trace whose slots are one mean service long needs little of it.
//
// The law of a sample is as good as its size: its mean is exact by construction, and
// VarianceStdErr is the error of the variance. What i.i.d. counts cannot have, the
// report measures, and [TraceReport.Warnings] says.
//
// It fails with a [*FieldError] of the given field for counts below 0 or above
// [MaxSupport], before or after pooling, for a mean of 0, and for fewer than
// [MinTrace] slots after pooling. counts is not changed.
func FromTrace(field string, counts []int) (PMF, TraceReport, error) {
	r := TraceReport{Slots: len(counts)}
	fail := func(got, want string) (PMF, TraceReport, error) { return nil, r, fieldErr(field, got, want) }
	if len(counts) < MinTrace {
		return fail(fmt.Sprintf("a trace of %d slots", len(counts)), fmt.Sprintf("at least %d", MinTrace))
	}
	sum := 0
	for i, c := range counts {
		if c < 0 || c > MaxSupport {
			return fail(fmt.Sprintf("a trace with count %d in slot %d", c, i+1), fmt.Sprintf("0 <= count <= %d", MaxSupport))
		}
		sum += c
	}
	if sum == 0 {
		return fail("a trace of mean 0", "counts above 0")
	}
	n := float64(len(counts))
	r.moments(counts)

	// pooled counts of mean at least 1, up to the slots dropped at the end
	var pooled []int
	total := 0
	for k := max(1, int(math.Ceil(1/r.Mean))); ; k++ {
		if len(counts)/k < MinTrace {
			return fail(fmt.Sprintf("a trace of %d slots of mean %.4g", len(counts), r.Mean),
				fmt.Sprintf("at least %d slots once pooled to a mean of 1", MinTrace))
		}
		pooled = windowSums(counts, k)
		if total = sumOf(pooled); total >= len(pooled) {
			r.Pool, r.Dropped = k, len(counts)-k*len(pooled)
			break
		}
	}
	top := 0
	for _, c := range pooled {
		top = max(top, c)
	}
	if top > MaxSupport {
		return fail(fmt.Sprintf("a trace with %d in %d pooled slots", top, r.Pool), fmt.Sprintf("at most %d", MaxSupport))
	}
	p := make(PMF, top+1)
	for _, c := range pooled {
		p[c]++
	}
	for k := range p {
		p[k] /= float64(len(pooled))
	}
	mean := float64(total) / float64(len(pooled))
	r.Keep = 1 / mean
	if total > len(pooled) {
		p = p.Thin(float64(total-len(pooled)) / float64(total))
	}
	r.LawVariance = p.Variance()

	r.correlations(counts)
	longRun, freedom := r.dispersion(counts)
	// thinning of the sums: Var = keep^2 Var(sum) + keep (1 - keep) E(sum)
	r.LongRunVariance = r.Keep*r.Keep*float64(r.Pool)*longRun + r.Keep*(1-r.Keep)*mean
	half := len(counts) / 2
	r.FirstMean = float64(sumOf(counts[:half])) / float64(half)
	r.SecondMean = float64(sumOf(counts[half:])) / float64(len(counts)-half)
	r.TrendPValue = 1
	if d := math.Abs(r.FirstMean - r.SecondMean); d > 0 && longRun > 0 {
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}
		r.TrendPValue = 2 * t.CDF(-d/math.Sqrt(4*longRun/n))
	} else if d > 0 {
		r.TrendPValue = 0
	}
	return p, r, p.validate(field)
}

// moments sets the mean and the variance with the errors that i.i.d. counts have.
func (r *TraceReport) moments(counts []int) {
	n := float64(len(counts))
	r.Mean = float64(sumOf(counts)) / n
	var second, fourth float64
	for _, c := range counts {
		d := float64(c) - r.Mean
		second += d * d
		fourth += d * d * d * d
	}
	r.Variance = second / n
	r.MeanStdErr = math.Sqrt(r.Variance / n)
	r.VarianceStdErr = math.Sqrt(math.Max(fourth/n-r.Variance*r.Variance, 0) / n)
}

// correlations sets the autocorrelations and the Ljung-Box test that all are 0,
//
//	n (n + 2) sum_h r_h^2/(n - h) ~ chi^2,
//
// (G. M. Ljung and G. E. P. Box, 1978). A constant trace has none.
func (r *TraceReport) correlations(counts []int) {
	n := float64(len(counts))
	r.AutocorrelationStdErr = 1 / math.Sqrt(n)
	r.Autocorrelation = make([]float64, traceLags)
	r.WhitePValue = 1
	if r.Variance == 0 {
		return
	}
	statistic := 0.0
	for h := 1; h <= traceLags; h++ {
		var c float64
		for i := h; i < len(counts); i++ {
			c += (float64(counts[i]) - r.Mean) * (float64(counts[i-h]) - r.Mean)
		}
		rho := c / n / r.Variance
		r.Autocorrelation[h-1] = rho
		statistic += rho * rho / (n - float64(h))
	}
	r.WhitePValue = distuv.ChiSquared{K: traceLags}.Survival(n * (n + 2) * statistic)
}

// dispersion sets the variances of the sums over windows and returns that of the
// largest per slot, with its degrees of freedom. Derived: the variance of B
// window sums of excess kurtosis kurt/w has relative variance 2/(B-1) + kurt/(w B), so
// that it is about chi^2 with twice the inverse of this as degrees of freedom.
func (r *TraceReport) dispersion(counts []int) (longRun, freedom float64) {
	r.DispersionPValue = 1
	kurtosis := 0.0
	if r.Variance > 0 {
		e := r.VarianceStdErr / r.Variance
		kurtosis = e*e*float64(len(counts)) - 2
	}
	for w := 1; w == 1 || len(counts)/w >= traceWindows; w *= 2 {
		sums := windowSums(counts, w)
		b := float64(len(sums))
		mean := float64(sumOf(sums)) / b
		ss := 0.0
		for _, s := range sums {
			ss += (float64(s) - mean) * (float64(s) - mean)
		}
		d := Dispersion{Window: w, Variance: ss / (b - 1) / float64(w)}
		relative := 2/(b-1) + math.Max(kurtosis, -1)/(float64(w)*b)
		d.StdErr = d.Variance * math.Sqrt(relative)
		d.Index = d.Variance / r.Mean
		r.Dispersion = append(r.Dispersion, d)
		longRun, freedom = d.Variance, 2/relative
	}
	if r.Variance > 0 && len(r.Dispersion) > 1 {
		chi := distuv.ChiSquared{K: freedom}
		x := freedom * longRun / r.Variance
		r.DispersionPValue = math.Min(1, 2*math.Min(chi.CDF(x), chi.Survival(x)))
	}
	return longRun, freedom
}

// Warnings says in one line each what was done to the trace and what an i.i.d. law does
// not carry of it; it is empty for a trace of mean 1 that passes all tests, each at
// the level 0.001, with a standard error of its variance below 10 %.
func (r TraceReport) Warnings() []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if r.Pool > 1 || r.Keep < 1 {
		add("mean %.6g per slot made 1 (the unit of time is one mean service): %d slots pooled, each unit kept with probability %.6g; variance %.4g per slot became %.4g",
			r.Mean, r.Pool, r.Keep, r.Variance, r.LawVariance)
	}
	if r.Variance > 0 && r.VarianceStdErr > 0.1*r.Variance {
		add("%d slots are few: mean %.4g +- %.2g, variance %.4g +- %.2g (standard errors)", r.Slots, r.Mean, r.MeanStdErr, r.Variance, r.VarianceStdErr)
	}
	if r.WhitePValue < traceLevel {
		lag := 0
		for h, x := range r.Autocorrelation {
			if math.Abs(x) > math.Abs(r.Autocorrelation[lag]) {
				lag = h
			}
		}
		add("counts of different slots are correlated, which an i.i.d. law loses: %.3g at lag 1, %.3g at lag %d, +- %.2g for white noise",
			r.Autocorrelation[0], r.Autocorrelation[lag], lag+1, r.AutocorrelationStdErr)
	}
	if r.DispersionPValue < traceLevel {
		last := r.Dispersion[len(r.Dispersion)-1]
		add("the variance per slot over windows of %d slots is %.4g +- %.2g, not %.4g; heavy traffic sees the long-run one: the limit mean m would move by %+.3g from that of the i.i.d. law",
			last.Window, last.Variance, last.StdErr, r.Variance, r.LimitMeanShift())
	}
	if r.TrendPValue < traceLevel {
		add("the mean is not steady: %.4g in the first half, %.4g in the second", r.FirstMean, r.SecondMean)
	}
	return out
}

// windowSums returns the sums over consecutive windows of w counts, without a last
// window that is not full.
func windowSums(counts []int, w int) []int {
	sums := make([]int, len(counts)/w)
	for i := range sums {
		sums[i] = sumOf(counts[i*w : (i+1)*w])
	}
	return sums
}

func sumOf(counts []int) int {
	s := 0
	for _, c := range counts {
		s += c
	}
	return s
}
