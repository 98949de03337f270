package jsqlib

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// minTrace is the least number of slots, after pooling, that a pmf is estimated from.
const minTrace = 100

// traceLags is how many autocorrelations a report holds, and traceWindows how many windows its largest
// window leaves.
const (
	traceLags    = 10
	traceWindows = 64
)

// traceLevel is the level of each of the three tests of a trace. An i.i.d. trace gets a warning with
// about three times this probability.
const traceLevel = 0.001

// Dispersion is the variability of the sums of a trace over windows of one size.
type Dispersion struct {
	Window   int     // w, slots
	Variance float64 // Var(sum over w slots)/w, per slot
	StdErr   float64 // of Variance, for windows that are independent
	Index    float64 // index of dispersion for counts, Var(sum)/E(sum)
}

// TraceReport says how a trace of counts became a law, and which properties of the trace an i.i.d.
// model loses. Moments are in counts per slot of the trace, unless they are of the law.
type TraceReport struct {
	Slots          int     // n
	Mean           float64 // of the counts
	MeanStdErr     float64 // if the counts were i.i.d.
	Variance       float64
	VarianceStdErr float64 // if the counts were i.i.d.

	Pool  int     // k: slots summed into one slot of the law
	Extra float64 // probability of k + 1 slots instead
	Keep  float64 // probability with which each unit of a count is kept

	Autocorrelation       []float64 // at lags 1, 2, ...; at most 10
	AutocorrelationStdErr float64   // n^(-1/2), of each for white noise
	WhitePValue           float64   // of the Ljung-Box statistic of these lags

	Dispersion []Dispersion // windows 1, 2, 4, ...; at least 64 windows in the largest
	// DispersionPValue is that of the variance in the largest window against w times the marginal
	// variance, two-sided.
	DispersionPValue float64

	FirstMean, SecondMean float64 // of the first and the second half
	TrendPValue           float64 // of their difference, with the error of the largest window

	LawVariance     float64 // of the law returned
	LongRunVariance float64 // per slot of the law, from the largest window
}

// LimitMeanShift returns how far the long-run variance would move the limit mean m = (sigma_a^2 +
// sigma_s^2)/2 above the value of the i.i.d. law. In heavy traffic the total sees sums over many slots,
// and their variance per slot is the long-run variance.
func (r TraceReport) LimitMeanShift() float64 { return (r.LongRunVariance - r.LawVariance) / 2 }

// Count is a type of the counts of a trace.
type Count interface{ int | uint8 }

// FromTrace estimates the law of the counts of consecutive slots, for use as a base law of arrivals or
// as the law of service. The model wants independent, identically distributed counts of mean 1, because
// its unit of time is one mean service. FromTrace therefore gives the counts the mean 1 exactly. It
// changes their variance per unit of mean as little as integers allow:
//
//   - a mean below 1: k or k + 1 consecutive slots are pooled, k + 1 with the probability that makes
//     the mean 1 (independently of the counts);
//   - a mean above 1: each unit of a count is kept with probability 1/mean ([PMF.Thin]), as the model
//     itself does to set the load;
//   - a mean of 1: the counts are taken as they are.
//
// The mean of the law is exact by construction, and VarianceStdErr is the error of its variance. The
// report measures the properties that i.i.d. counts cannot have, and [TraceReport.Warnings] names them.
//
// It fails with a [*Invalid] of the given field for counts below 0 or above [MaxSupport], before or
// after pooling, for a mean of 0, and for fewer than 100 slots after pooling. counts is not
// changed and not copied. A byte a slot, []uint8, holds every count that is allowed.
func FromTrace[C Count](field string, counts []C) (PMF, TraceReport, error) {
	r := TraceReport{Slots: len(counts)}
	refuse := func(got, want string) error { return Refuse("jsqlib", field, got, want) }
	if len(counts) < minTrace {
		return nil, r, refuse(fmt.Sprintf("a trace of %d slots", len(counts)), fmt.Sprintf("at least %d", minTrace))
	}
	for i, c := range counts {
		if c < 0 || int(c) > MaxSupport {
			return nil, r, refuse(fmt.Sprintf("a trace with count %d in slot %d", c, i+1), fmt.Sprintf("0 <= count <= %d", MaxSupport))
		}
	}
	if sumOf(counts) == 0 {
		return nil, r, refuse("a trace of mean 0", "counts above 0")
	}
	n := float64(len(counts))
	moments(&r, counts)

	// law is that of the sum over k slots, with its mean
	law := func(k int) (PMF, float64, error) {
		windows, total := len(counts)/k, 0
		if windows < minTrace {
			return nil, 0, refuse(fmt.Sprintf("a trace of %d slots of mean %.4g", len(counts), r.Mean),
				fmt.Sprintf("at least %d slots once pooled to a mean of 1", minTrace))
		}
		p := make(PMF, MaxSupport+1)
		for w := range slices.Chunk(counts[:windows*k], k) {
			c := sumOf(w)
			if c > MaxSupport {
				return nil, 0, refuse(fmt.Sprintf("a trace with %d in %d pooled slots", c, k), fmt.Sprintf("at most %d", MaxSupport))
			}
			p[c]++
			total += c
		}
		for c := range p {
			p[c] /= float64(windows)
		}
		return p[:p.Max()+1], float64(total) / float64(windows), nil
	}
	r.Pool, r.Keep = max(1, int(1/r.Mean)), 1
	p, mean, err := law(r.Pool)
	for err == nil && mean > 1 && r.Pool > 1 { // slots that fill no window at the end
		r.Pool--
		p, mean, err = law(r.Pool)
	}
	if err != nil {
		return nil, r, err
	}
	if mean > 1 {
		r.Keep = 1 / mean
		p = p.Thin((mean - 1) / mean)
	}
	for mean < 1 {
		more, moreMean, err := law(r.Pool + 1)
		if err != nil {
			return nil, r, err
		}
		if moreMean < 1 {
			r.Pool++
			p, mean = more, moreMean
			continue
		}
		r.Extra = (1 - mean) / (moreMean - mean)
		mixed := make(PMF, max(len(p), len(more)))
		for k := range mixed {
			mixed[k] = (1-r.Extra)*p.at(k) + r.Extra*more.at(k)
		}
		p = mixed
		break
	}
	r.LawVariance = p.Variance()

	correlations(&r, counts)
	longRun, freedom := dispersion(&r, counts)
	// of a random number K of slots, E K Var + Var K E^2, and of thinned counts, keep^2 Var + keep (1 -
	// keep) E
	r.LongRunVariance = (float64(r.Pool)+r.Extra)*longRun + r.Extra*(1-r.Extra)*r.Mean*r.Mean
	if r.Keep < 1 {
		r.LongRunVariance = r.Keep*r.Keep*longRun + r.Keep*(1-r.Keep)*r.Mean
	}
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
func moments[C Count](r *TraceReport, counts []C) {
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
func correlations[C Count](r *TraceReport, counts []C) {
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

// dispersion sets the variances of the sums over windows and returns that of the largest per slot, with
// its degrees of freedom. Derived: the variance of B window sums of excess kurtosis kurt/w has relative
// variance 2/(B-1) + kurt/(w B), so that it is about chi^2 with twice the inverse of this as degrees of
// freedom.
func dispersion[C Count](r *TraceReport, counts []C) (longRun, freedom float64) {
	r.DispersionPValue = 1
	kurtosis := 0.0
	if r.Variance > 0 {
		e := r.VarianceStdErr / r.Variance
		kurtosis = e*e*float64(len(counts)) - 2
	}
	for w := 1; w == 1 || len(counts)/w >= traceWindows; w *= 2 {
		b := float64(len(counts) / w)
		full := counts[:len(counts)/w*w]
		mean, ss := float64(sumOf(full))/b, 0.0
		for window := range slices.Chunk(full, w) {
			d := float64(sumOf(window)) - mean
			ss += d * d
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

// Warnings lists in one line each what was done to the trace, and what an i.i.d. law does not carry of
// it. The list is empty for a trace of mean 1 that passes all tests, each at the level 0.001, and whose
// variance has a standard error below 10 %. It is also empty where there is no law.
func (r TraceReport) Warnings() []string {
	if len(r.Autocorrelation) == 0 || len(r.Dispersion) == 0 {
		return nil
	}
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	how := ""
	switch {
	case r.Keep < 1:
		how = fmt.Sprintf("each unit kept with probability %.6g", r.Keep)
	case r.Extra > 0:
		how = fmt.Sprintf("%d or %d slots pooled, %d with probability %.4g", r.Pool, r.Pool+1, r.Pool+1, r.Extra)
	case r.Pool > 1:
		how = fmt.Sprintf("%d slots pooled", r.Pool)
	}
	if how != "" {
		add("mean %.6g per slot made 1 (the unit of time is one mean service): %s; variance %.4g per slot became %.4g",
			r.Mean, how, r.Variance, r.LawVariance)
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
		most := ""
		if lag > 0 {
			most = fmt.Sprintf("%.3g at lag %d, ", r.Autocorrelation[lag], lag+1)
		}
		add("counts of different slots are correlated, which an i.i.d. law loses: %.3g at lag 1, %s+- %.2g for white noise",
			r.Autocorrelation[0], most, r.AutocorrelationStdErr)
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

func sumOf[C Count](counts []C) int {
	s := 0
	for _, c := range counts {
		s += int(c)
	}
	return s
}
