// Package record is the one home of the parts of a result. A [Record] is made of a run or of an exact
// solution. The tags of its fields give each value a name, a unit and a sentence. [Columns] makes JSON,
// tables, CSV, help and the descriptions of columns from the tags.
//
// The package also drives the runs that end in a law. [Distance] simulates the boundary and holds at
// any gap. [FromDirect] and [MeasuredDirect] take a plain simulation, where a plain simulation is
// possible.
package record

import (
	"math"
	"slices"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/exact"
	"jsqlab/jsqlib/law"
	"jsqlab/jsqlib/sim"
)

// Asked is the question that a result answers: a system in words, and for a task of a sweep the
// accuracy, the budget and the seeds. Alpha is NaN for one server, which has a gap only.
type Asked struct {
	Key      string  `key:"key" unique:"true" text:"Names the system: model, rule, laws, N and alpha"`
	Model    string  `key:"model" name:"model" enum:"dt,ct" text:"dt: discrete time in slots; ct: continuous time"`
	Routing  string  `key:"routing" name:"routing unit" only:"dt" enum:"batch,job" text:"What joins a queue: batch, all arrivals of a slot, or job. Empty in ct"`
	Policy   string  `key:"policy" name:"policy" text:"jsq: join the shortest queue, ties uniformly at random; pod:D: the shortest of D servers drawn at random"`
	Arrivals string  `key:"arrivals" name:"arrivals" only:"dt" text:"Base law of one server's share of the arrivals of a slot. Empty in ct"`
	Service  string  `key:"service" name:"service" only:"dt" text:"Law of the service that one server offers in a slot. Empty in ct"`
	Servers  int     `key:"servers" name:"servers" symbol:"N" unit:"servers" table.min:"2" text:"Number N of servers"`
	Alpha    float64 `key:"alpha" name:"exponent of the gap" symbol:"alpha" unit:"1" min:"0" text:"Exponent alpha of the gap e = N^(-alpha)"`
	RelError float64 `key:"rel_error" unit:"1" min:"0" text:"Wanted 95 % half width of W1 as a share of W1"`
	MaxSlots int64   `key:"max_slots" unit:"slots" min:"0" text:"Budget of the task (ct: steps of the uniformised chain); 0: 1e11"`
	Seed     uint64  `key:"seed" min:"0" text:"Seed of the random streams" table.text:"Seed of the sweep"`
	TaskSeed uint64  `key:"task_seed" min:"0" text:"Seed of the task, a hash of seed and key; --seed of jsq distance for this row alone"`
}

// Record is one result. What it has depends on where it is from: see [Columns]. The tags of a field:
//
//	key           its name in every output
//	name, symbol  the line of a table; "; ct: " parts discrete from continuous time
//	unit, text    its unit and its sentence, without the full stop
//	only          the model that has it, if one only
//	min, max, enum, unique   what holds for its cells in a table
//
// A tag that begins with the name of an output is for that output alone.
type Record struct {
	Command string `key:"command" text:"Command that gives this result again"`
	Version string `key:"version" text:"Version of the program"`
	Asked
	Gap       float64 `key:"gap" name:"gap, 1 - load" symbol:"e" unit:"1" min:"0" max:"1" text:"Gap e = N^(-alpha) between capacity and load, 1 - lambda in ct"`
	LimitMean float64 `key:"limit_mean" name:"mean of the limit exponential" symbol:"m" unit:"unit of Z" min:"0" text:"Mean m of the limit exponential"`

	Wasserstein      jsqlib.Estimate `key:"wasserstein" name:"distance to the limit exponential" symbol:"W1(N^(-alpha) Q, Exp(m)); ct: W1((1 - lambda) Q, Exp(1))" unit:"unit of Z" min:"0" text:"W1 between Z = N^(-alpha) Q (ct: (1 - lambda) Q) and the exponential of mean m"`
	WassersteinNoise float64         `key:"wasserstein_noise" name:"what noise alone gives" unit:"unit of Z" text:"Distance of a sample of this size to its own law, by noise alone"`
	CertificateLow   float64         `key:"certificate_low" name:"certificate: at least" unit:"unit of Z" min:"0" text:"W1 is at least this, by the means alone; lower end of its 95 % interval" exact.text:"W1 is at least this, by the means alone; lower end of its interval"`
	CertificateHigh  float64         `key:"certificate_high" name:"certificate: at most" unit:"unit of Z" min:"0" text:"W1 is at most this, by Stein's method; upper end of its 95 % interval" exact.text:"W1 is at most this, by Stein's method; upper end of its interval"`

	MeanTotal         jsqlib.Estimate   `key:"mean_total" name:"mean total" symbol:"E Q" unit:"jobs" min:"0" text:"Stationary mean E Q of the total queue length, jobs in service included"`
	SecondMomentTotal jsqlib.Estimate   `key:"second_moment_total" name:"second moment of the total" symbol:"E Q^2" unit:"jobs^2" text:"Stationary second moment E Q^2 of the total queue length"`
	MeanUnused        jsqlib.Estimate   `key:"mean_unused" name:"unused service; ct: idle servers" symbol:"E U; ct: E I" unit:"jobs per slot" min:"0" text:"E U = N e, unused service of a slot (ct: idle servers, E I); exact" simulate.text:"E U, unused service of a slot (ct: idle servers, E I), as it was seen"`
	MeanUnusedExact   float64           `key:"mean_unused_exact" name:"which should be" symbol:"eps; ct: N (1 - lambda)" exact.name:"" exact.symbol:"" unit:"jobs per slot" text:"N e, which mean_unused should be" exact.text:"The same"`
	MeanUnusedError   float64           `key:"mean_unused_error" name:"which the solution misses by a relative" unit:"1" text:"Relative error of mean_unused in the solution: a check"`
	BoundaryMean      jsqlib.Estimate   `key:"boundary_mean" name:"total seen by an unused service; ct: total seen by an idle server" symbol:"E[U Q+]/E U; ct: E[I Q]/E I" unit:"jobs" min:"0" text:"E[U Q^+]/E U (ct: E[I Q]/E I), with Q^+ the total and U the unused service of a slot (ct: Q and the number I of idle servers)"`
	BoundarySecond    jsqlib.Estimate   `key:"boundary_second" name:"size-biased unused service" symbol:"E[U^2]/E U" only:"dt" unit:"jobs" min:"0" text:"E[U^2]/E U; empty in ct"`
	QtildeMean        jsqlib.Estimate   `key:"qtilde_mean" name:"boundary part of the total" symbol:"E Q~" unit:"jobs" text:"E Q~, mean of the total as an unused service sees it: Q = kernel + Q~"`
	PerpSecondMoment  jsqlib.Estimate   `key:"perp_second_moment" name:"distance from equal queues" symbol:"E ||q_perp||^2" unit:"jobs^2" text:"E ||q_perp||^2, squared distance of the queues from their mean"`
	EqualProbability  jsqlib.Estimate   `key:"equal_probability" name:"all queues equal" symbol:"P(q_1 = ... = q_N)" unit:"1" text:"P(q_1 = ... = q_N), all queues equal"`
	PMF               []jsqlib.Estimate `key:"pmf" symbol:"P(Q = %d)" unit:"1" text:"List of P(Q = 0), ..., P(Q = 15)"`

	Slots               int64   `key:"slots" name:"slots counted; ct: steps counted" unit:"slots" min:"1" text:"Slots behind the answer (ct: steps)" simulate.text:"Slots counted (ct: steps)"`
	TotalSlots          int64   `key:"total_slots" name:"slots of the whole run; ct: steps of the whole run" unit:"slots" min:"1" text:"Slots of the whole run: warm-up, shorter runs and lower ceilings included (ct: steps)"`
	WarmUpSlots         int64   `key:"warm_up_slots" name:"slots of warm-up; ct: steps of warm-up" unit:"slots" text:"Slots of the warm-up (ct: steps)"`
	Relaxation          float64 `key:"relaxation" name:"relaxation time, slots; ct: relaxation time, steps" symbol:"2 v/eps^2" unit:"slots" text:"Relaxation time 2 v/eps^2 of the total (ct: in steps)"`
	Estimator           string  `key:"estimator" name:"estimator" enum:"balance,climb" text:"Estimator of the boundary law: balance makes many short runs at the totals at which service goes unused, climb waits in long runs for the total to come there"`
	Ceiling             int64   `key:"ceiling" name:"ceiling" symbol:"L" unit:"jobs" min:"1" text:"Ceiling L. Balance: queues lose a job when the total comes to L N; with batches runs start from least queues below L. Climb: L is taken off every queue when the least exceeds 2 L" exact.name:"highest level of min q" exact.symbol:"" exact.text:"Highest level of min q in the chain"`
	CeilingShiftInSigma float64 `key:"ceiling_shift_in_sigma" name:"shift of E Q~ at the check, in standard errors" unit:"1" text:"Check of the answer: the shift of E Q~, over its standard error, from earlier slots of the runs (balance) or from half the ceiling (climb)"` // NaN if not checked
	Replications        int     `key:"replications" name:"replications" unit:"runs" min:"1" text:"Independent replications"`
	States              int     `key:"states" name:"states" unit:"states" text:"States of the chain"`
	Residual            float64 `key:"residual" name:"residual" symbol:"||pi P - pi||_1" unit:"1" text:"||pi P - pi||_1 of the solution pi"`

	// the bounds of package bound, by the order asked for and by the best one
	R                   int     `key:"r" name:"order of the moment" symbol:"r" unit:"1" text:"Order r of the moment of ||q_perp||"`
	DriftKPerp          float64 `key:"drift_k_perp" name:"drift bound K/(2L) - slope" symbol:"K" unit:"jobs^2 per slot" text:"K of the drift bound"`
	DriftSlope          float64 `key:"drift_slope" symbol:"slope" unit:"jobs per slot" text:"slope of the drift bound, lam/sqrt(N(N-1))"`
	DriftEta            float64 `key:"drift_eta" name:"drift at most -eta" symbol:"eta" unit:"jobs per slot" text:"eta: the drift is at most -eta where L is above kappa"`
	DriftKappa          float64 `key:"drift_kappa" name:"for ||q_perp|| beyond" symbol:"kappa" unit:"jobs" text:"kappa = K/(2 (slope - eta))"`
	JumpBound           float64 `key:"jump_bound" name:"change of ||q_perp|| in a slot, at most" symbol:"D" unit:"jobs" text:"D, the largest change of ||q_perp|| in a slot"`
	MomentRoot          float64 `key:"moment_root" name:"(E ||q_perp||^r)^(1/r), at most" symbol:"M_r" unit:"jobs" text:"M_r by the tail sum"`
	MomentRootClosed    float64 `key:"moment_root_closed" name:"the same by the closed form" unit:"jobs" text:"M_r by the closed form"`
	HoelderBoundary     float64 `key:"hoelder_boundary" name:"total seen by an unused service, at most" symbol:"E[U Q+]/E U" unit:"jobs" text:"Bound on E[U Q+]/E U by Hölder's inequality"`
	SteinBound          float64 `key:"stein_bound" name:"distance to the limit exponential, at most" symbol:"W1(N^(-alpha) Q, Exp(m))" unit:"unit of Z" text:"Bound on W1 between Z = N^(-alpha) Q and the exponential of mean m by Stein's method"`
	BestR               int     `key:"best_r" name:"with the best order" symbol:"r" unit:"1" text:"Order r that makes stein_bound smallest"`
	BestEta             float64 `key:"best_eta" name:"and the best eta" symbol:"eta" unit:"jobs per slot" text:"eta that makes stein_bound smallest"`
	BestMomentRoot      float64 `key:"best_moment_root" symbol:"M_r" unit:"jobs" text:"moment_root with best_r and best_eta"`
	BestHoelderBoundary float64 `key:"best_hoelder_boundary" symbol:"E[U Q+]/E U" unit:"jobs" text:"hoelder_boundary with best_r and best_eta"`
	BestSteinBound      float64 `key:"best_stein_bound" symbol:"W1(N^(-alpha) Q, Exp(m))" unit:"unit of Z" text:"stein_bound with best_r and best_eta"`

	Warnings []string `key:"warnings" text:"List of the self-checks that did not hold" table.text:"Self-checks that did not hold, separated by \" | \"; empty when all do"`
}

// New returns the record of a system before it is simulated or solved. The caller adds the words of the
// laws.
func New(m jsqlib.Model, c jsqlib.Constants) *Record {
	r := &Record{Gap: c.Gap, LimitMean: c.LimitMean, MeanUnused: within(c.Eps, c.Eps, c.Eps), MeanUnusedExact: c.Eps}
	r.Model, r.Policy, r.Servers, r.Alpha = jsqlib.DT, m.Policy.String(), c.N, c.Alpha
	if m.Continuous {
		r.Model = jsqlib.CT
	} else {
		r.Routing = m.Routing.String()
	}
	if c.N == 1 { // 1^(-alpha) is no gap
		r.Alpha = math.NaN()
	}
	return r
}

// SetBoundary adds the result of a boundary estimation.
func (r *Record) SetBoundary(d *DistanceResult) {
	b, k := d.Boundary, d.Total.Kernel()
	r.Wasserstein, r.CertificateLow, r.CertificateHigh = d.W1, d.CertificateLow, d.CertificateHigh
	r.MeanTotal, r.SecondMomentTotal = d.MeanTotal, d.SecondMoment
	r.BoundaryMean, r.BoundarySecond, r.QtildeMean = b.BoundaryMean, b.BoundarySecond, b.QtildeMean
	// P(Q = n) is linear in the law of Q~, in units of the gap so that squares of errors do not
	// underflow
	gap, values := d.Total.Scale(), make([]float64, len(b.P))
	r.setPMF(func(n int) jsqlib.Estimate {
		for i := range values {
			values[i] = k.At(n-b.Min-i) / gap
		}
		e, value := b.Average(values), d.Total.PMF(n)
		h := e.HalfWidth() * gap
		return jsqlib.Estimate{Value: value, StdErr: e.StdErr * gap, Low: value - h, High: value + h}
	})
	r.Slots, r.TotalSlots, r.Ceiling, r.Replications = b.Slots, b.TotalSlots, b.Ceiling, b.Replications
	r.Estimator, r.CeilingShiftInSigma = b.Estimator, b.ShiftInSigma
	if !(b.ShiftInSigma > 0) && len(b.Warnings) > 0 { // not checked
		r.CeilingShiftInSigma = math.NaN()
	}
	r.Warnings = append([]string{}, b.Warnings...)
}

// SetDirect adds the result of a direct simulation. Errors are those of [FromDirect].
func (r *Record) SetDirect(st *sim.Stationary) (err error) {
	r.MeanTotal, r.SecondMomentTotal, r.MeanUnused = st.MeanTotal, st.SecondMoment, st.MeanUnused
	r.BoundaryMean, r.BoundarySecond, r.QtildeMean, r.PerpSecondMoment = st.BoundaryMean, st.BoundarySecond, st.QtildeMean, st.PerpSecondMoment
	r.Wasserstein, r.WassersteinNoise, err = FromDirect(st, r.Gap, r.LimitMean)
	r.setPMF(func(n int) jsqlib.Estimate {
		return st.Average(func(q int) float64 {
			if q == n {
				return 1
			}
			return 0
		})
	})
	r.Slots, r.WarmUpSlots, r.Relaxation, r.Replications = st.Slots, st.WarmUp, st.Relaxation, st.Replications
	r.Warnings = append([]string{}, st.Warnings...)
	return err
}

// SetExact adds a numerically exact solution. Intervals hold its numerical error.
func (r *Record) SetExact(k *law.Kernel, x exact.Result) error {
	const (
		distance = iota
		least
		most
		second
		boundaryMean
		boundarySecond
		pmf // and the next ones
	)
	numbers := func(x exact.Result) ([]float64, error) {
		total, err := k.Total(law.Boundary{Min: x.Boundary.Min, P: x.Boundary.P})
		if err != nil {
			return nil, err
		}
		w, err := total.W1ToLimit()
		if err != nil {
			return nil, err
		}
		c, err := k.Certificate(x.BoundaryMean, x.BoundarySecond)
		if err != nil {
			return nil, err
		}
		v := []float64{w, c.LimitLow, c.LimitHigh, total.SecondMoment(), x.BoundaryMean, x.BoundarySecond}
		for n := range pmfLength {
			v = append(v, max(total.PMF(n), 0))
		}
		return v, nil
	}
	values, err := numbers(x)
	if err != nil {
		return err
	}
	intervals := x.Intervals(func(x exact.Result) []float64 {
		v, err := numbers(x)
		if err != nil { // no interval then
			v = slices.Repeat([]float64{math.NaN()}, len(values))
		}
		return v
	})
	positive := func(value float64, i exact.Interval) jsqlib.Estimate { // of what is not negative
		return within(value, max(i.Low, 0), i.High)
	}
	of := func(i int) jsqlib.Estimate { return positive(values[i], intervals[i]) }
	// the lower one is a difference of terms as large as the upper one
	r.Wasserstein, r.CertificateLow, r.CertificateHigh = of(distance), max(intervals[least].Low-1e-15*values[most], 0), intervals[most].High
	shift := x.MeanTotal - x.QtildeMean
	r.MeanTotal = positive(x.MeanTotal, exact.Interval{Low: x.Qtilde.Low + shift, High: x.Qtilde.High + shift})
	r.SecondMomentTotal, r.BoundaryMean, r.BoundarySecond = of(second), of(boundaryMean), of(boundarySecond)
	r.MeanUnused, r.MeanUnusedExact = within(x.MeanUnusedExact, x.MeanUnusedExact, x.MeanUnusedExact), x.MeanUnusedExact
	r.MeanUnusedError = math.Abs(x.MeanUnused/x.MeanUnusedExact - 1)
	r.QtildeMean = within(x.QtildeMean, x.Qtilde.Low, x.Qtilde.High)
	r.PerpSecondMoment = positive(x.PerpSecondMoment, x.Perp)
	r.EqualProbability = within(x.EqualProbability, max(x.Equal.Low, 0), min(x.Equal.High, 1))
	// P(Q = n) may move less than its neighbours by chance, and its rounding is relative to itself and
	// to the kernel, of the order of eps
	moved := 0.0
	for n, i := range intervals[pmf:] {
		moved = max(moved, (i.High-i.Low)/2-1e-13*values[pmf+n])
	}
	r.setPMF(func(n int) jsqlib.Estimate {
		p := values[pmf+n]
		half := moved + 1e-13*p + 1e-15*x.MeanUnusedExact
		return within(p, p-half, p+half)
	})
	r.Ceiling, r.States, r.Residual = int64(x.Ceiling), x.States, x.Residual
	r.Warnings = append([]string{}, x.Warnings...)
	return nil
}

func within(value, low, high float64) jsqlib.Estimate {
	return jsqlib.Estimate{Value: value, Low: low, High: high}
}

// pmfLength is how many of P(Q = n) a record has.
const pmfLength = 16

// setPMF sets P(Q = n) for n < pmfLength, with what noise takes out of [0, 1] put back.
func (r *Record) setPMF(at func(n int) jsqlib.Estimate) {
	r.PMF = make([]jsqlib.Estimate, pmfLength)
	for n := range r.PMF {
		e := at(n)
		e.Value = min(max(e.Value, 0), 1)
		r.PMF[n] = e
	}
}
