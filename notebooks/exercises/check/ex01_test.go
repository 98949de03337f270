package check

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/exact"
	"jsqlab/jsqlib/sim"
)

type serveFunc func(q, a, s []int64) (after, unused []int64)

// servers makes a serveFunc of what happens at one server.
func servers(one func(q, a, s int64) (after, unused int64)) serveFunc {
	return func(q, a, s []int64) (after, unused []int64) {
		for i := range q {
			x, u := one(q[i], a[i], s[i])
			after, unused = append(after, x), append(unused, u)
		}
		return after, unused
	}
}

func TestEx01Serve(t *testing.T) {
	at := func(one func(q, a, s int64) (after, unused int64)) func() error {
		return func() error { return Ex01Serve(servers(one)) }
	}
	answers{
		{"max", at(func(q, a, s int64) (int64, int64) { x := q + a - s; return max(x, 0), max(-x, 0) }), ""},
		{"job by job", at(func(q, a, s int64) (int64, int64) {
			q += a
			for ; s > 0 && q > 0; s-- {
				q--
			}
			return q, s
		}), ""},
		{"library", func() error {
			return Ex01Serve(func(q, a, s []int64) ([]int64, []int64) { x := jsqlib.Serve(q, a, s); return x.After, x.Unused })
		}, ""},

		{"no max", at(func(q, a, s int64) (int64, int64) { return q + a - s, 0 }), "a queue cannot be negative"},
		{"service before arrivals", at(func(q, a, s int64) (int64, int64) { return max(q-s, 0) + a, max(s-q, 0) }), "arrive before its service"},
		{"unused before arrivals", at(func(q, a, s int64) (int64, int64) { return max(q+a-s, 0), max(s-q, 0) }), "what arrives in the slot uses service"},
		{"no arrivals", at(func(q, a, s int64) (int64, int64) { return max(q-s, 0), max(s-q, 0) }), "the arrivals are missing"},
		{"no service", at(func(q, a, s int64) (int64, int64) { return q + a, 0 }), "the service is missing"},
		{"one service", at(func(q, a, s int64) (int64, int64) { x := q + a - min(s, 1); return max(x, 0), max(-x, 0) }), "more than one service"},
		{"two services", at(func(q, a, s int64) (int64, int64) { x := q + a - min(s, 2); return max(x, 0), max(-x, 0) }), "never below zero"},
		{"ten services", at(func(q, a, s int64) (int64, int64) { x := q + a - min(s, 10); return max(x, 0), max(-x, 0) }), "never below zero"},
		{"service used", at(func(q, a, s int64) (int64, int64) { return max(q+a-s, 0), min(q+a, s) }), "the service that was used"},
		{"nothing unused", at(func(q, a, s int64) (int64, int64) { return max(q+a-s, 0), 0 }), "what is then lost"},
		{"doubled", at(func(q, a, s int64) (int64, int64) { return max(2*q+a-s, 0), 0 }), "never below zero"},
		{"sign of u", at(func(q, a, s int64) (int64, int64) { x := q + a - s; return max(x, 0), min(x, 0) }), "the sign is wrong"},
		{"idle or not", at(func(q, a, s int64) (int64, int64) {
			x := q + a - s
			if x < 0 {
				return 0, 1
			}
			return x, 0
		}), "what makes q⁺ = q + a - s + u true"},
		{"all service lost", at(func(q, a, s int64) (int64, int64) {
			if x := q + a - s; x >= 0 {
				return x, 0
			}
			return 0, s
		}), "not all that it offered"},
		{"absolute value", at(func(q, a, s int64) (int64, int64) { x := q + a - s; return max(x, 0), max(x, -x) }), "only where the queue ends empty"},
		{"the server has a number", at(func(q, a, s int64) (int64, int64) { return q + a, 0 }), "(the first is 0): q = "},
		{"all but the last server", func() error {
			return Ex01Serve(func(q, a, s []int64) ([]int64, []int64) {
				after, unused := slices.Clone(q), make([]int64, len(q))
				for i := range len(q) - 1 {
					after[i], unused[i] = max(q[i]+a[i]-s[i], 0), max(s[i]-q[i]-a[i], 0)
				}
				return after, unused
			})
		}, "the last entry is left out"},
		{"n-1 entries", func() error {
			return Ex01Serve(func(q, a, s []int64) ([]int64, []int64) { return q[1:], q[1:] })
		}, "does your loop begin or end too early?"},
		{"changes q", func() error {
			return Ex01Serve(func(q, a, s []int64) ([]int64, []int64) {
				x := jsqlib.Serve(slices.Clone(q), a, s)
				copy(q, x.After)
				return q, x.Unused
			})
		}, "changes its argument q"},
		{"total u", func() error {
			return Ex01Serve(func(q, a, s []int64) ([]int64, []int64) {
				x := jsqlib.Serve(q, a, s)
				return x.After, []int64{jsqlib.Total(x.Unused)}
			})
		}, "one entry for each server"},
		{"not done", func() error {
			return Ex01Serve(func(q, a, s []int64) ([]int64, []int64) { panic(Stub) })
		}, "this task is not done"},
		{"out of range", func() error {
			return Ex01Serve(func(q, a, s []int64) ([]int64, []int64) { return q[:cap(q)+1], nil })
		}, "your code panics: runtime error"},
	}.run(t)
}

type routeFunc func(q []int64, a int64, r *rand.Rand) []int64

// oneByOne routes every job by choose, which sees the jobs routed so far.
func oneByOne(choose func(q, in []int64, r *rand.Rand) int) routeFunc {
	return func(q []int64, a int64, r *rand.Rand) []int64 {
		in := make([]int64, len(q))
		for range a {
			in[choose(q, in, r)]++
		}
		return in
	}
}

func lengths(q, in []int64) []int64 {
	x := make([]int64, len(q))
	for i := range q {
		x[i] = q[i] + in[i]
	}
	return x
}

// shortest returns a uniform choice among the smallest of x.
func shortest(x []int64, r *rand.Rand) int {
	best := -1
	for k, i := range r.Perm(len(x)) {
		if k == 0 || x[i] < x[best] {
			best = i
		}
	}
	return best
}

// firstUniform breaks ties uniformly for the first jobs of a slot, then by the number.
func firstUniform(jobs int64) routeFunc {
	return func(q []int64, a int64, r *rand.Rand) []int64 {
		in := make([]int64, len(q))
		for k := range a {
			tied := ex01Lowest(lengths(q, in))
			if k < jobs {
				in[tied[r.IntN(len(tied))]]++
			} else {
				in[tied[0]]++
			}
		}
		return in
	}
}

func TestEx01RouteJobs(t *testing.T) {
	route := func(f routeFunc) func() error { return func() error { return Ex01RouteJobs(f) } }
	right := oneByOne(func(q, in []int64, r *rand.Rand) int { return shortest(lengths(q, in), r) })
	answers{
		{"one by one", route(right), ""},
		{"library", route(jsqlib.Model{Servers: 2, Alpha: 1, Routing: jsqlib.Job}.Route), ""},
		{"fill to a level", route(func(q []int64, a int64, r *rand.Rand) []int64 {
			in := make([]int64, len(q))
			for a > 0 {
				x := lengths(q, in)
				low := slices.Min(x)
				for _, i := range r.Perm(len(q)) {
					if x[i] == low && a > 0 {
						in[i]++
						a--
					}
				}
			}
			return in
		}), ""},

		{"batch", route(jsqlib.Model{Servers: 2, Alpha: 1}.Route), "as in batch routing"},
		{"sets at once", route(func(q []int64, a int64, r *rand.Rand) []int64 {
			in := make([]int64, len(q))
			for a > 0 {
				tied := ex01Lowest(lengths(q, in))
				r.Shuffle(len(tied), func(i, j int) { tied[i], tied[j] = tied[j], tied[i] })
				for _, i := range tied[:min(a, int64(len(tied)))] {
					in[i]++
					a--
				}
			}
			return in
		}), ""},
		{"by keys", route(oneByOne(func(q, in []int64, r *rand.Rand) int {
			best, least := 0, math.Inf(1)
			for i, x := range lengths(q, in) {
				if key := float64(x) + r.Float64(); key < least {
					best, least = i, key
				}
			}
			return best
		})), ""},
		{"first job uniform, then cyclic", route(func(q []int64, a int64, r *rand.Rand) []int64 {
			in, last := make([]int64, len(q)), -1
			for range a {
				tied := ex01Lowest(lengths(q, in))
				next := slices.IndexFunc(tied, func(i int) bool { return i > last })
				if last < 0 {
					next = r.IntN(len(tied))
				}
				last = tied[max(next, 0)]
				in[last]++
			}
			return in
		}), "for each job anew"},
		{"first job uniform, then lowest", route(firstUniform(1)), "for each job anew"},
		{"first two jobs uniform, then lowest", route(firstUniform(2)), "for each job anew"},
		{"first three jobs uniform, then lowest", route(firstUniform(3)), "for each job anew"},
		{"uniform until a level is full", route(func(q []int64, a int64, r *rand.Rand) []int64 {
			in := make([]int64, len(q))
			for range a {
				x := lengths(q, in)
				tied := ex01Lowest(x)
				if slices.Min(x) > slices.Min(q) {
					in[tied[0]]++
				} else {
					in[tied[r.IntN(len(tied))]]++
				}
			}
			return in
		}), "for each job anew"},
		{"modulo", route(oneByOne(func(q, in []int64, r *rand.Rand) int {
			tied := ex01Lowest(lengths(q, in))
			return tied[r.IntN(len(q))%len(tied)]
		})), "ties are broken uniformly"},
		{"first of the shortest", route(oneByOne(func(q, in []int64, r *rand.Rand) int {
			x := lengths(q, in)
			return slices.Index(x, slices.Min(x))
		})), "ties are broken uniformly"},
		{"last of the shortest", route(oneByOne(func(q, in []int64, r *rand.Rand) int {
			x := lengths(q, in)
			slices.Reverse(x)
			return len(x) - 1 - slices.Index(x, slices.Min(x))
		})), "ties are broken uniformly"},
		{"next from a random place", route(oneByOne(func(q, in []int64, r *rand.Rand) int {
			x := lengths(q, in)
			low := slices.Min(x)
			for i := r.IntN(len(x)); ; i = (i + 1) % len(x) {
				if x[i] == low {
					return i
				}
			}
		})), "ties are broken uniformly"},
		{"each looks at q only", route(oneByOne(func(q, in []int64, r *rand.Rand) int { return shortest(q, r) })), "counts for those that come after"},
		{"longest", route(oneByOne(func(q, in []int64, r *rand.Rand) int {
			x := lengths(q, in)
			return slices.Index(x, slices.Max(x))
		})), "a job joins a shortest queue"},
		{"random", route(oneByOne(func(q, in []int64, r *rand.Rand) int { return r.IntN(len(q)) })), "another queue ends with"},
		{"two random", route(oneByOne(func(q, in []int64, r *rand.Rand) int {
			x, i, j := lengths(q, in), r.IntN(len(q)), r.IntN(len(q))
			if x[j] < x[i] {
				return j
			}
			return i
		})), "another queue ends with"},
		{"equal shares", route(func(q []int64, a int64, r *rand.Rand) []int64 {
			in := make([]int64, len(q))
			for i := range in {
				in[i] = a / int64(len(q))
			}
			return in
		}), "no job may be lost"},
		{"queues, not arrivals", route(func(q []int64, a int64, r *rand.Rand) []int64 { return lengths(q, right(q, a, r)) }), "return only those that arrive"},
		{"changes q", route(func(q []int64, a int64, r *rand.Rand) []int64 {
			in := make([]int64, len(q))
			for range a {
				i := shortest(q, r)
				q[i]++
				in[i]++
			}
			return in
		}), "changes its argument q"},
		{"generator that gives zeros", route(func(q []int64, a int64, r *rand.Rand) []int64 {
			*r = *rand.New(zeros{}) // if these were the numbers that inputs come from, all would be zero from here on
			return make([]int64, len(q))
		}), "no job may be lost"},
		{"not done", route(func([]int64, int64, *rand.Rand) []int64 { panic(Stub) }), "this task is not done"},
	}.run(t)
}

type zeros struct{}

func (zeros) Uint64() uint64 { return 0 }

func TestEx01Predict(t *testing.T) {
	say := func(batch, job, low, high float64) func() error {
		return func() error {
			return Ex01Predict(func() (float64, float64, float64, float64) { return batch, job, low, high })
		}
	}
	answers{
		{"the limits say 32", say(0.25, 0.25, 32, 64), ""},
		{"narrow", say(math.Pow(16, -0.5), 0.25, 40, 45), ""},
		{"below", say(0.25, 0.25, 25, 45), ""},

		{"job routing wastes less", say(0.25, 0.2, 32, 64), "where in its mean does the rule enter"},
		{"per server", say(1./64, 1./64, 32, 64), "for each server"},
		{"arrivals", say(15.75, 15.75, 32, 64), "that is what arrives"},
		{"all service", say(16, 16, 32, 64), "what is offered"},
		{"nothing", say(0, 0, 32, 64), "spare capacity"},
		{"power the wrong way", say(4, 4, 32, 64), "a negative power"},
		{"a guess", say(0.1, 0.1, 32, 64), "is not it"},
		{"a constant", say(0.25, 0.25, 1, 2), "it grows with N"},
		{"the ratio of the limits", say(0.25, 0.25, 30, 40), "N²/8 = 32, the ratio of the limits"},
		{"just the ratio of the limits", say(0.25, 0.25, 32, 32), "N²/8 = 32, the ratio of the limits"},
		{"a root", say(0.25, 0.25, 5, 9), "are you comparing ‖q_⊥‖"},
		{"a factor N", say(0.25, 0.25, 12, 20), "larger than 20"},
		{"N squared", say(0.25, 0.25, 200, 300), "smaller than 200"},
		{"anything", say(0.25, 0.25, 1, 1000), "says too little"},
		{"backwards", say(0.25, 0.25, 64, 32), "not an interval"},
		{"not a number", say(0.25, 0.25, math.NaN(), math.NaN()), "not an interval"},
	}.run(t)
}

// The contrast that predictions are held against is measured again.
func TestEx01Contrast(t *testing.T) {
	perp := func(alpha float64, unit jsqlib.Routing) jsqlib.Estimate {
		s := jsqlib.Model{Servers: 16, Alpha: alpha, Routing: unit}
		r, err := sim.Direct(context.Background(), s, sim.Options{Seed: 3, RelError: 0.25})
		if err != nil {
			t.Fatal(err)
		}
		return r.PerpSecondMoment
	}
	b, j := perp(2, jsqlib.Batch), perp(1.75, jsqlib.Job)
	ratio := b.Value / j.Value
	if off, sigma := math.Abs(ratio-ex01Contrast), ratio*math.Hypot(b.StdErr/b.Value, j.StdErr/j.Value); off > ex01ContrastError+4*sigma {
		t.Errorf("E||q_perp||^2, batch over job = %.2f +- %.2f, want %.2f", ratio, 2*sigma, ex01Contrast)
	}
}

func TestEx01Square(t *testing.T) {
	step := func(f func(after, unused int64) int64) func() error {
		return func() error { return Ex01Square(f, ex01Excess) }
	}
	excess := func(f func(gap, eps, mean, second float64) float64) func() error {
		return func() error {
			return Ex01Square(ex01Remainder, func(n int, alpha, mean, second float64) float64 {
				gap := math.Pow(float64(n), -alpha)
				return f(gap, float64(n)*gap, mean, second)
			})
		}
	}
	answers{
		{"as in the notebook", step(ex01Remainder), ""},
		{"difference of squares", step(func(after, u int64) int64 { return after*after - (after-u)*(after-u) }), ""},
		{"other order", excess(func(gap, eps, mean, second float64) float64 { return (2*mean - second + eps) * gap / 2 }), ""},

		{"sign", step(func(after, u int64) int64 { return u*u - 2*after*u }), "the sign is wrong"},
		{"plus", step(func(after, u int64) int64 { return 2*after*u + u*u }), "with a minus"},
		{"no square", step(func(after, u int64) int64 { return 2 * after * u }), "the square of U is missing"},
		{"once", step(func(after, u int64) int64 { return after*u - u*u }), "comes twice"},
		{"product taken as zero", step(func(after, u int64) int64 { return -u * u }), "the product of the totals, is not 0"},
		{"zero", step(func(after, u int64) int64 { return 0 }), "the product of the totals, is not 0"},
		{"half", step(func(after, u int64) int64 { return after*u - u*u/2 }), "multiply out"},
		{"not done", step(func(after, u int64) int64 { panic(Stub) }), "this task is not done"},

		{"in jobs", excess(func(gap, eps, mean, second float64) float64 { return mean - second/2 + eps/2 }), "that is in jobs"},
		{"scale of the average", excess(func(gap, eps, mean, second float64) float64 { return eps * (mean - second/2 + eps/2) }), "scales the average queue"},
		{"half missing", excess(func(gap, eps, mean, second float64) float64 { return gap * (mean - second + eps/2) }), "E[U²]/(2 E U)"},
		{"second term added", excess(func(gap, eps, mean, second float64) float64 { return gap * (mean + second/2 + eps/2) }), "has a minus"},
		{"no eps", excess(func(gap, eps, mean, second float64) float64 { return gap * (mean - second/2) }), "not v"},
		{"eps subtracted", excess(func(gap, eps, mean, second float64) float64 { return gap * (mean - second/2 - eps/2) }), "has a plus"},
		{"gap for eps", excess(func(gap, eps, mean, second float64) float64 { return gap * (mean - second/2 + gap/2) }), "of all servers"},
		{"boundary mean only", excess(func(gap, eps, mean, second float64) float64 { return gap * mean }), "small, not zero"},
		{"not done, second", excess(func(gap, eps, mean, second float64) float64 { panic(Stub) }), "this task is not done"},
	}.run(t)
}

func ex01Remainder(after, u int64) int64 { return 2*after*u - u*u }

func ex01Excess(n int, alpha, mean, second float64) float64 {
	gap := math.Pow(float64(n), -alpha)
	return gap * (mean - second/2 + float64(n)*gap/2)
}

func TestEx01TwoQueues(t *testing.T) {
	// drift puts the change of |q1 - q2| by an arrival and by services together.
	drift := func(arrivals, apart, together float64) func(q1, q2 int, load float64) float64 {
		return func(q1, q2 int, load float64) float64 {
			d := -arrivals * load
			switch {
			case q1 == q2 && q1 > 0:
				return apart - d
			case q1 == q2:
				return -d
			case min(q1, q2) == 0:
				return d + together
			}
			return d
		}
	}
	state := func(f func(q1, q2 int, load float64) float64) func() error {
		return func() error { return Ex01TwoQueues(f, ex01Equal) }
	}
	equal := func(f func(load float64) float64) func() error {
		return func() error { return Ex01TwoQueues(drift(2, 2, -1), f) }
	}
	abs := func(x int) float64 { return math.Abs(float64(x)) }
	answers{
		{"by cases", state(drift(2, 2, -1)), ""},
		{"by the generator", state(func(q1, q2 int, load float64) float64 {
			if q1 > q2 {
				q1, q2 = q2, q1
			}
			d := 2 * load * (abs(q1+1-q2) - abs(q1-q2))
			if q1 > 0 {
				d += abs(q1-1-q2) - abs(q1-q2)
			}
			if q2 > 0 {
				d += abs(q1-q2+1) - abs(q1-q2)
			}
			return d
		}), ""},
		{"solved", equal(func(load float64) float64 {
			r, err := exact.Solve(context.Background(), jsqlib.Model{Continuous: true, Servers: 2, Gap: 1 - load}, exact.Options{})
			if err != nil {
				t.Error(err)
			}
			return r.EqualProbability
		}), ""},

		{"rate λ", state(drift(1, 2, -1)), "rate 2λ, not λ"},
		{"no services", state(drift(2, 0, 0)), "services are missing"},
		{"one of two services", state(drift(2, 1, -1)), "either of two equal busy queues"},
		{"empty queue served", state(func(q1, q2 int, load float64) float64 {
			if q1 == q2 {
				return 2*load + 2
			}
			return -2 * load
		}), "an empty queue loses no job"},
		{"services apart", state(drift(2, -2, 1)), "equal queues drives them apart"},
		{"arrivals apart", state(drift(-2, 2, -1)), "joins the shorter queue"},
		{"signed", state(func(q1, q2 int, load float64) float64 { return -drift(2, 2, -1)(q1, q2, load) }), "the sign is wrong"},
		{"not done", state(func(int, int, float64) float64 { panic(Stub) }), "this task is not done"},
		{"empty server forgotten", state(drift(2, 2, 0)), "only while both are busy"},

		{"independent", equal(func(load float64) float64 { return (1 - load) / (1 + load) }), "independent queues"},
		{"limit", equal(func(float64) float64 { return 1. / 3 }), "the limit λ → 1"},
		{"rate λ again", equal(func(load float64) float64 { return 1 / (1 + load) }), "rate 2λ"},
		{"no services in the balance", equal(func(float64) float64 { return 0.5 }), "services change the difference"},
		{"complement", equal(func(load float64) float64 { return 2 * load / (1 + 2*load) }), "P(q₁ ≠ q₂)"},
		{"idle forgotten", equal(func(load float64) float64 { return load / (1 + 2*load) }), "E I = 2(1-λ)"},
		{"divided by zero", equal(func(load float64) float64 { return 0 / (load - load) }), "division by zero"},
	}.run(t)
}

func ex01Equal(load float64) float64 { return 1 / (1 + 2*load) }

func TestEx01Break(t *testing.T) {
	give := func(gap float64, service ...float64) func() error {
		return func() error { return Ex01Break(func() (float64, jsqlib.PMF) { return gap, service }) }
	}
	answers{
		{"nothing or two", give(0.5, 0.5, 0, 0.5), ""},
		{"nothing or four", give(0.3, 0.75, 0, 0, 0, 0.25), ""},
		{"thirds", give(0.8, 1./3, 1./3, 1./3), ""},

		{"one job", give(0.5, 0, 1), "at most one job a slot"},
		{"no law", give(0.5), "service is empty"},
		{"mean below 1", give(0.5, 0.5, 0.5), "not the mean"},
		{"mean above 1", give(0.5, 0, 0.5, 0.5), "not the mean"},
		{"not a law", give(0.5, 0.5, 0.5, 0.5), "adds up to 1.5"},
		{"sums to 0.9", give(0.5, 0.4, 0.1, 0.4), "adds up to 0.9: the probabilities of a law add up to 1"},
		{"negative", give(0.5, -0.5, 2, -0.5), "service"},
		{"gap zero", give(0, 0.5, 0, 0.5), "gap"},
		{"gap one", give(1, 0.5, 0, 0.5), "gap"},
		{"tiny gap", give(0.001, 0.5, 0, 0.5), "want 0.05 to 0.95"},
		{"small gap", give(0.05, 0.5, 0, 0.5), "want more than 10 %"},
		{"hardly two", give(0.3, 0.05, 0.9, 0.05), "want more than 10 %"},
		{"large service", give(0.5, append([]float64{0.95}, append(make([]float64, 19), 0.05)...)...), "at most 12"},
		{"not done", func() error { return Ex01Break(func() (float64, jsqlib.PMF) { panic(Stub) }) }, "this task is not done"},
	}.run(t)
}
