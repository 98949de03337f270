package check

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"jsqlab/jsqlib"
)

// Ex02Predict checks four predicted factors, within 5 %, for many servers with
// batch routing and alpha > 4: by how much the root mean square of L =
// ||q_perp|| grows when N is doubled (truth: 2^(3/2), as E L^2 is about N^3/12);
// kappa when N is doubled (proved: 4, as kappa is about N^2); kappa when alpha is
// doubled (heavier: 1); and, under random routing from long equal queues, the
// root mean square of L when the time is four times as long (random: 2, as E L^2
// grows by K_perp in each slot).
func Ex02Predict(predict func() (truth, proved, heavier, random float64)) error {
	return call(func(*rand.Rand) error {
		truth, proved, heavier, random := predict()
		return errors.Join(
			ex02Factor("truth", truth, math.Pow(2, 1.5), "pow(2, 3/2)", "the power of N is another one: N queues, evenly spread over 0 to about N, and L² is the sum of N squares",
				ex02Guess{8, "that is the factor of E L²: its root is asked for"},
				ex02Guess{4, "so grows what is proved; the queues are evenly spread over 0 to about N, which is not the worst shape"},
				ex02Guess{2, "so grows the distance of one queue from the average; L² is the sum of N such squares"},
				ex02Guess{math.Sqrt2, "that is for job routing; with batches a single queue is of the order N from the average"},
				ex02Guess{1, "collapse is not that L does not grow with N, but that it does not grow with Q"}),
			ex02Factor("proved", proved, 4, "4", "what are the powers of N in E a², λ and √(N(N-1))?",
				ex02Guess{math.Pow(2, 1.5), "so grows the truth; the bound allows for the worst shape and loses a factor √(3N)"},
				ex02Guess{2, "K_⊥ alone is of the order N², as E a² is the square of a whole batch; what is it divided by?"},
				ex02Guess{8, "K_⊥ is of the order N² and the slope tends to 1"},
				ex02Guess{16, "K_⊥ is of the order N² and the slope tends to 1"},
				ex02Guess{1, "K_⊥ has the square of a batch of N jobs in it"}),
			ex02Factor("heavier", heavier, 1, "1", "α enters κ through λ = N(1-N^(-α)) only",
				ex02Guess{2, "α enters κ through λ = N(1-N^(-α)) only"}),
			ex02Factor("random", random, 2, "pow(4, 1/2)", "when nothing pulls, each slot adds the same to E L²",
				ex02Guess{4, "each slot adds the same to E L², not to L: increments without a pull add up like a random walk"},
				ex02Guess{1, "that would be collapse, but a job that does not look at the queues does not pull them together"},
				ex02Guess{16, "each slot adds the same to E L²"}),
		)
	})
}

// ex02Guess is a predicted factor and the mistake that leads to it.
type ex02Guess struct {
	gives float64
	says  string
}

// ex02Factor compares a predicted factor with what is wanted, which may be spelled so.
func ex02Factor(name string, got, want float64, spelled, otherwise string, guesses ...ex02Guess) error {
	const tol = 0.05 // of a factor that is the limit N → infinity
	if agrees(got, want, tol) {
		return nil
	}
	for _, g := range guesses {
		if agrees(got, g.gives, tol) {
			return fmt.Errorf("%s = %.4g: %s", name, got, both(g.says, divided(got, spelled)))
		}
	}
	side := "too large"
	switch {
	case !(got > 0) || math.IsInf(got, 0):
		side = "not a factor"
	case got < want:
		side = "too small"
	}
	return fmt.Errorf("%s = %.4g is %s: %s", name, got, side, otherwise)
}

// Ex02Split checks q = parallel 1 + perp with perp orthogonal to 1, and l =
// ||perp||, jobs, also for queues of up to 3e8 jobs that differ by a few.
func Ex02Split(split func(q []int64) (parallel float64, perp []float64, l float64)) error {
	return trials(300, func(r *rand.Rand) error {
		n := 4 + r.IntN(5)
		q, high := ints(r, n, 999), int64(1) // few small numbers agree by chance
		long := r.IntN(2) == 0
		if long {
			high = r.Int64N(300_000_000)
		}
		for i := range q {
			q[i] += high
		}
		before := slices.Clone(q)
		parallel, perp, l := split(q)
		if err := kept("q", q, before); err != nil {
			return err
		}
		if len(perp) != n {
			return fmt.Errorf("q = %v: perp has length %d, want one entry for each of %d queues%s", q, len(perp), n, grown(len(perp), n))
		}
		if err := ex02Part(q, parallel, perp, l, long); err != nil {
			return fmt.Errorf("q = %v: %w", q, err)
		}
		return nil
	})
}

func ex02Part(q []int64, parallel float64, perp []float64, l float64, long bool) error {
	n, total := len(q), jsqlib.Total(q)
	if want := float64(total) / float64(n); !agrees(parallel, want, 1e-12) {
		err := fmt.Errorf("parallel = %s", versus(parallel, want))
		switch {
		case parallel == float64(total):
			return fmt.Errorf("%w: the point of the line has the average queue in each entry, not the total", err)
		case parallel == math.Floor(want):
			return fmt.Errorf("%w: %s", err, slipDivision)
		case agrees(parallel, float64(total)/math.Sqrt(float64(n)), 1e-12):
			return fmt.Errorf("%w: that is the length ‖q_∥‖, each entry of q_∥ is asked for", err)
		case parallel == float64(n-1)/2:
			return fmt.Errorf("%w: %s", err, slipPlace)
		case agrees(parallel, float64(total-q[0])/float64(n), 1e-12):
			return fmt.Errorf("%w: %s", err, slipFirst)
		case agrees(parallel, float64(total-q[n-1])/float64(n), 1e-12):
			return fmt.Errorf("%w: %s", err, slipLast)
		case parallel == 0:
			return fmt.Errorf("%w: %s", err, slipZero)
		}
		return fmt.Errorf("%w: that is not the average queue", err)
	}
	want := jsqlib.Perp(q)
	for i := range want {
		if math.Abs(perp[i]-want[i]) <= 1e-6 {
			continue
		}
		err := fmt.Errorf("perp[%d] = %s", i, versus(perp[i], want[i]))
		switch {
		case math.Abs(perp[i]+want[i]) < 1e-6:
			return fmt.Errorf("%w: the sign is wrong, q = q_∥ + q_⊥", err)
		case math.Abs(perp[i]-float64(q[i]-slices.Min(q))) < 1e-6:
			return fmt.Errorf("%w: the part perpendicular to the line is what exceeds the average, not the minimum; its entries add up to zero", err)
		}
		average := total / int64(n)
		switch {
		case perp[i] == float64(q[i]-average):
			return fmt.Errorf("%w: %s", err, slipDivision)
		case perp[i] == math.Trunc(want[i]):
			return fmt.Errorf("%w: %s", err, slipInt)
		case math.Abs(perp[i]-float64(i)+parallel) < 1e-6:
			return fmt.Errorf("%w: %s", err, slipPlace)
		case perp[i] == 0:
			return fmt.Errorf("%w: is this entry ever set? With for _, x := range perp you change a copy; write perp[i]", err)
		}
		return fmt.Errorf("%w: subtract the average", err)
	}
	right := math.Sqrt(jsqlib.PerpNorm2(q))
	if math.Abs(l-right) <= 1e-6 {
		return nil
	}
	err := fmt.Errorf("l = %s", versus(l, right))
	sum, most, m := 0.0, 0.0, float64(n)
	for _, x := range want {
		sum += math.Abs(x)
		most = max(most, math.Abs(x))
	}
	switch {
	case l == 0:
		return fmt.Errorf("%w: %s", err, slipZero)
	case l == math.Trunc(right):
		return fmt.Errorf("%w: %s", err, slipInt)
	case agrees(l, 1, 1e-12): // math.Pow(x, 1/2)
		return fmt.Errorf("%w: %s", err, slipDivision)
	case math.Abs(l-math.Sqrt(right*right-want[n-1]*want[n-1])) < 1e-6:
		return fmt.Errorf("%w: %s", err, slipLast)
	case math.Abs(l-math.Sqrt(right*right-want[0]*want[0])) < 1e-6:
		return fmt.Errorf("%w: %s", err, slipFirst)
	case agrees(l, right*right, 1e-6):
		return fmt.Errorf("%w: that is the square of the length", err)
	case agrees(l, right/math.Sqrt(m), 1e-6) || n > 1 && agrees(l, right/math.Sqrt(m-1), 1e-6):
		return fmt.Errorf("%w: that is a standard deviation, the length has the sum of the squares and not their mean", err)
	case agrees(l, sum, 1e-6):
		return fmt.Errorf("%w: that is the sum of absolute values, the length is Euclidean", err)
	case agrees(l, most, 1e-6):
		return fmt.Errorf("%w: that is the largest entry, the length is Euclidean", err)
	case long:
		return fmt.Errorf("%w: with long queues Σq² - Q²/N is the difference of two numbers that agree in nearly all digits: subtract before you square", err)
	}
	return fmt.Errorf("%w: the length of q_⊥ is Euclidean", err)
}

// ex02Slot is one slot in jobs: the free slot w = q + a - s, u and q^+ = w + u.
type ex02Slot struct{ free, unused, after []int64 }

func (s ex02Slot) String() string {
	return fmt.Sprintf("w = %v, u = %v, q⁺ = %v", s.free, s.unused, s.after)
}

func (s ex02Slot) perp() float64 { return jsqlib.PerpNorm2(s.unused) }
func (s ex02Slot) mixed() float64 {
	return float64(jsqlib.Total(s.after)*jsqlib.Total(s.unused)) / float64(len(s.after))
}
func (s ex02Slot) squares() (sum float64) {
	for _, u := range s.unused {
		sum += float64(u * u)
	}
	return sum
}

func drawEx02Slot(r *rand.Rand) ex02Slot {
	n := 2 + r.IntN(4)
	q, a := ints(r, n, 2), make([]int64, n)
	a[r.IntN(n)] = r.Int64N(4)
	slot := jsqlib.Serve(q, a, ints(r, n, 3))
	w := slices.Clone(slot.After)
	for i := range w {
		w[i] -= slot.Unused[i]
	}
	return ex02Slot{w, slot.Unused, slot.After}
}

// Ex02Lost checks the missing term of ||w_perp||^2 = ||q_perp^+||^2 + lost(q^+, u), w =
// q + a - s, jobs^2, on random slots: lost = ||u_perp||^2 + (2/N) Q^+ U.
func Ex02Lost(lost func(after, unused []int64) float64) error {
	type step = mistake[ex02Slot]
	of := func(s ex02Slot) map[string]float64 {
		return map[string]float64{"n": float64(len(s.after)), "q": float64(jsqlib.Total(s.after)), "u": float64(jsqlib.Total(s.unused)), "squares": s.squares()}
	}
	xored := func(s ex02Slot) map[string]float64 { // with u^2
		v := of(s)
		v["squares"] = 0
		for _, u := range s.unused {
			v["squares"] += float64(u ^ 2)
		}
		return v
	}
	right := func(s ex02Slot) float64 { return s.perp() + 2*s.mixed() }
	return function(300, drawEx02Slot, "‖w_⊥‖² - ‖q_⊥⁺‖²",
		func(s ex02Slot) float64 { return lost(slices.Clone(s.after), slices.Clone(s.unused)) },
		func(s ex02Slot) float64 { return jsqlib.PerpNorm2(s.free) - jsqlib.PerpNorm2(s.after) }, 1e-6,
		slips("n q u squares", of, "squares - sq(u)/n + 2*q*u/n", "squares + (2*q - u)*u/n"),
		step{func(s ex02Slot) float64 { v := xored(s); return v["squares"] + (2*v["q"]-v["u"])*v["u"]/v["n"] }, slipXor},
		looped(right, places, func(s ex02Slot, f func([]int64) []int64) ex02Slot {
			s.after, s.unused = f(s.after), f(s.unused)
			return s
		}),
		looped(right, places, func(s ex02Slot, f func([]int64) []int64) ex02Slot { s.unused = f(s.unused); return s }),
		looped(right, places, func(s ex02Slot, f func([]int64) []int64) ex02Slot { s.after = f(s.after); return s }),
		step{func(s ex02Slot) float64 { return -s.perp() - 2*s.mixed() }, "which of the two is larger? The term is added to ‖q_⊥⁺‖²"},
		step{func(s ex02Slot) float64 { return s.perp() - 2*s.mixed() }, "the inner product of q_⊥⁺ and u_⊥ is negative, and the square of a difference takes it with a minus"},
		step{ex02Slot.perp, "⟨q⁺,u⟩ = 0, but the parts along the line have an inner product, too, so that ⟨q_⊥⁺,u_⊥⟩ is not 0"},
		step{func(s ex02Slot) float64 { return 2 * s.mixed() }, "the square of u_⊥ is missing"},
		step{func(s ex02Slot) float64 { return s.perp() + s.mixed() }, "the mixed term of a square comes twice"},
		step{func(s ex02Slot) float64 { return s.squares() + 2*s.mixed() }, "u has a part along the line, which does not count: ‖u_⊥‖², not ‖u‖²"},
		step{ex02Slot.squares, "project first: ‖u_⊥‖² is not ‖u‖², and ⟨q_⊥⁺,u_⊥⟩ is not 0"},
		step{func(s ex02Slot) float64 { return s.perp() + 2*s.mixed()*float64(len(s.after)) }, "⟨q_∥⁺,u_∥⟩ is a sum over N entries, each the product of two averages"},
		step{func(s ex02Slot) float64 { return s.perp() + 2*s.mixed()/float64(len(s.after)) }, "⟨q_∥⁺,u_∥⟩ is a sum over N equal terms"},
		step{func(ex02Slot) float64 { return 0 }, "lost service does move the queues: towards each other"},
		step{says: "put w_⊥ = q_⊥⁺ - u_⊥, multiply out, and split ⟨q⁺,u⟩ = 0 into the parts along the line and off it"},
	)
}

// ex02Law is what K_perp depends on: a is the whole batch of a slot.
type ex02Law struct {
	servers                    int
	mean, variance, serviceVar float64
}

func (l ex02Law) String() string {
	return fmt.Sprintf("N = %d, E a = %.3f, Var a = %.3f, σ_s² = %.3f", l.servers, l.mean, l.variance, l.serviceVar)
}
func (l ex02Law) n() float64      { return float64(l.servers) }
func (l ex02Law) off() float64    { return 1 - 1/l.n() }
func (l ex02Law) second() float64 { return l.variance + l.mean*l.mean }

// ex02Pull is what kappa depends on.
type ex02Pull struct {
	servers            int
	kPerp, lambda, eta float64
}

func (p ex02Pull) String() string {
	return fmt.Sprintf("N = %d, K_⊥ = %.3f, λ = %.3f, η = %.3f", p.servers, p.kPerp, p.lambda, p.eta)
}
func (p ex02Pull) slope() float64 {
	return p.lambda / math.Sqrt(float64(p.servers)*float64(p.servers-1))
}

// ex02Largest is what D depends on.
type ex02Largest struct{ servers, arrivals, service int }

func (l ex02Largest) String() string {
	return fmt.Sprintf("N = %d, A_max = %d, S_max = %d", l.servers, l.arrivals, l.service)
}
func (l ex02Largest) n() float64     { return float64(l.servers) }
func (l ex02Largest) batch() float64 { return float64(l.arrivals) * math.Sqrt(l.n()*(l.n()-1)) }
func (l ex02Largest) served() float64 {
	return float64(l.service) * math.Sqrt(l.n()) / 2
}

// Ex02Constants checks the three constants of the drift argument: K_perp = (1 -
// 1/N)(E a^2 + N sigma_s^2) from the mean and variance of the whole batch a;
// kappa = K_perp/(2 (lambda/sqrt(N(N-1)) - eta)); and D = A_max sqrt(N(N-1)) +
// S_max sqrt(N)/2, for even N, where the second term is the smallest bound on
// ||(s - u)_perp||.
func Ex02Constants(
	kPerp func(servers int, mean, variance, serviceVar float64) float64,
	kappa func(servers int, kPerp, lambda, eta float64) float64,
	jump func(servers, arrivalMax, serviceMax int) float64,
) error {
	type constant = mistake[ex02Law]
	err := function(50,
		func(r *rand.Rand) ex02Law {
			n := 2 + r.IntN(20)
			return ex02Law{n, float64(n) * (0.3 + 0.7*r.Float64()), float64(n) * r.Float64(), r.Float64()}
		}, "K_⊥",
		func(l ex02Law) float64 { return kPerp(l.servers, l.mean, l.variance, l.serviceVar) },
		func(l ex02Law) float64 { return l.off() * (l.second() + l.n()*l.serviceVar) }, 1e-6,
		slips("n", func(l ex02Law) map[string]float64 {
			return map[string]float64{"n": l.n(), "mean": l.mean, "variance": l.variance, "serviceVar": l.serviceVar}
		}, "(1 - 1/n)*(variance + mean*mean + n*serviceVar)", "(n - 1)/n*(variance + mean*mean + n*serviceVar)"),
		constant{func(l ex02Law) float64 { return l.off() * (l.variance + l.n()*l.serviceVar) }, "E a² has the square of the mean in it, and that is nearly all of it: all jobs of a slot go to one queue"},
		constant{func(l ex02Law) float64 { return l.off() * (l.mean*l.mean + l.n()*l.serviceVar) }, "E a² is the square of the mean, and the variance"},
		constant{func(l ex02Law) float64 { return l.second() + l.n()*l.serviceVar }, "a part of a and of s is along the line: ‖a_⊥‖² = a² - a²/N"},
		constant{func(l ex02Law) float64 { return l.second() + (l.n()-1)*l.serviceVar }, "a part of the batch, too, is along the line: ‖a_⊥‖² = a² - a²/N"},
		constant{func(l ex02Law) float64 { return l.off()*l.second() + l.n()*l.serviceVar }, "a part of the services, too, is along the line: N-1 directions of N are off it"},
		constant{func(l ex02Law) float64 { return l.off() * (l.second() + l.serviceVar) }, "there are N servers, each with its own noise"},
		constant{func(l ex02Law) float64 { return l.off() * l.second() }, "the services have noise, too"},
		constant{func(l ex02Law) float64 { return l.off() * (l.second() + l.n()*(l.serviceVar+1)) }, "E s is on the line: only the variance of the services counts"},
		constant{func(l ex02Law) float64 { return l.off() * (l.n()*l.second() + l.n()*l.serviceVar) }, "mean and variance are those of the whole batch, not of one of N sources"},
		constant{func(l ex02Law) float64 { return l.off() * (l.second() - l.n()*l.serviceVar) }, "noise of arrivals and services adds up, whatever its sign in q + a - s"},
		constant{says: "K_⊥ = E‖a_⊥‖² + E‖s_⊥‖²; a has a single entry that is not zero, the s_i are independent"},
	)
	if err != nil {
		return err
	}
	type pull = mistake[ex02Pull]
	err = function(50,
		func(r *rand.Rand) ex02Pull {
			p := ex02Pull{servers: 2 + r.IntN(20), kPerp: 1 + 100*r.Float64()}
			p.lambda = float64(p.servers) * (0.5 + 0.5*r.Float64())
			p.eta = p.slope() * (0.1 + 0.8*r.Float64())
			return p
		}, "κ",
		func(p ex02Pull) float64 { return kappa(p.servers, p.kPerp, p.lambda, p.eta) },
		func(p ex02Pull) float64 { return p.kPerp / (2 * (p.slope() - p.eta)) }, 1e-6,
		slips("n", func(p ex02Pull) map[string]float64 {
			return map[string]float64{"n": float64(p.servers), "kPerp": p.kPerp, "lambda": p.lambda, "eta": p.eta}
		}, "kPerp/(2*(lambda/sqrt(n*(n - 1)) - eta))", "kPerp/(2*(lambda/sqrt(sq(n) - n) - eta))", "kPerp/2/(lambda/sqrt(n*(n - 1)) - eta)"),
		pull{func(p ex02Pull) float64 { return p.kPerp / (2 * p.slope()) }, "there the line is at 0: η is not used, and κ is where it is at -η"},
		pull{func(p ex02Pull) float64 { return p.kPerp / p.slope() }, "that is right for η half the slope only: solve for any η"},
		pull{func(p ex02Pull) float64 { return p.kPerp / (2 * (p.slope() + p.eta)) }, "κ is where the line is at -η, not at η"},
		pull{func(p ex02Pull) float64 { return p.kPerp / (p.slope() - p.eta) }, "the line has K_⊥/(2L)"},
		pull{func(p ex02Pull) float64 { return p.kPerp / (2 * p.eta) }, "the slope is missing"},
		pull{func(p ex02Pull) float64 { return p.kPerp / (2 * (p.lambda - p.eta)) }, "the slope is λ/√(N(N-1)): the batch pulls by the gap to the shortest queue, and that is only a part of L"},
		pull{func(p ex02Pull) float64 { return p.kPerp / (2 * (p.lambda/float64(p.servers) - p.eta)) }, "the slope is λ/√(N(N-1)), not λ/N"},
		pull{says: "solve K_⊥/(2L) - λ/√(N(N-1)) = -η for L"},
	)
	if err != nil {
		return err
	}
	type largest = mistake[ex02Largest]
	return function(50,
		func(r *rand.Rand) ex02Largest { return ex02Largest{2 + 2*r.IntN(10), 1 + r.IntN(4), 1 + r.IntN(4)} },
		"D",
		func(l ex02Largest) float64 { return jump(l.servers, l.arrivals, l.service) },
		func(l ex02Largest) float64 { return l.batch() + l.served() }, 1e-6,
		slips("n a s", func(l ex02Largest) map[string]float64 {
			return map[string]float64{"n": l.n(), "a": float64(l.arrivals), "s": float64(l.service)}
		}, "a*sqrt(n*(n - 1)) + s*sqrt(n)/2", "a*sqrt(sq(n) - n) + s*sqrt(n)/2", "a*sqrt(n*(n - 1)) + sqrt(n*sq(s)/4)", "a*sqrt(n*(n - 1)) + s*sqrt(n/4)", "a*n*sqrt(1 - 1/n) + s*sqrt(n)/2"),
		largest{ex02Largest.batch, "the services move the queues, too"},
		largest{ex02Largest.served, "the batch moves the queues, too"},
		largest{func(l ex02Largest) float64 { return l.batch() + 2*l.served() }, "s - u is in a cube: no point of it is further from the line than from the centre, ½S_max in each entry"},
		largest{func(l ex02Largest) float64 { return l.batch() + l.served()/math.Sqrt(l.n()) }, "that is the most for one entry: sum the squares over N of them"},
		largest{func(l ex02Largest) float64 { return l.batch()/l.n() + l.served() }, "A_max is for one source: the batch of all N sources goes to one queue"},
		largest{func(l ex02Largest) float64 { return float64(l.arrivals)*l.n() + l.served() }, "project the batch: ‖a_⊥‖ = a √(1-1/N)"},
		largest{func(l ex02Largest) float64 { return l.batch() - l.served() }, "a bound on a sum is the sum of the bounds: the services may move the queues the same way as the batch"},
		largest{says: "D = max ‖a_⊥‖ + max ‖(s-u)_⊥‖: a batch of N A_max jobs in one entry, and a vector in [0, S_max]^N"},
	)
}

// ex02Lemma is what the tail bound depends on; x is the length in P(L > x).
type ex02Lemma struct{ x, kappa, jump, eta float64 }

func (l ex02Lemma) String() string {
	return fmt.Sprintf("x = %.3f, κ = %.3f, D = %.3f, η = %.3f", l.x, l.kappa, l.jump, l.eta)
}
func (l ex02Lemma) beta() float64 { return l.jump / (l.jump + l.eta) }
func (l ex02Lemma) steps() float64 {
	return (l.x - l.kappa) / (2 * l.jump)
}

// bound is base^exponent from kappa on and 1 below.
func (l ex02Lemma) bound(base, exponent float64) float64 {
	if l.x < l.kappa {
		return 1
	}
	return math.Pow(base, exponent)
}

// ex02Mean is what the bound on the mean depends on.
type ex02Mean ex02Lemma

func (m ex02Mean) String() string {
	return fmt.Sprintf("κ = %.3f, D = %.3f, η = %.3f", m.kappa, m.jump, m.eta)
}

func drawEx02Lemma(r *rand.Rand) ex02Lemma {
	l := ex02Lemma{kappa: 5 + 20*r.Float64(), jump: 1 + 5*r.Float64(), eta: 0.1 + 0.8*r.Float64()}
	switch r.IntN(8) {
	case 0: // the inequality holds at kappa itself; both ends of the other steps are left to rounding
		l.x = l.kappa
	case 1, 2:
		l.x = l.kappa * 0.99 * r.Float64()
	default: // away from the ends of the steps, where rounding decides
		l.x = l.kappa + 2*l.jump*(float64(r.IntN(6))+0.05+0.9*r.Float64())
	}
	return l
}

// Ex02Tail checks what follows from eta t(x) <= D (t(x - 2D) - t(x)) for x >= kappa, t(x) =
// P(L > x): tail = beta^(j+1), beta = D/(D + eta), for x in [kappa + 2Dj, kappa +
// 2D(j+1)) and 1 below kappa; and mean = kappa + 2D^2/eta, its sum, which bounds E L.
func Ex02Tail(
	tail func(x, kappa, jump, eta float64) float64,
	mean func(kappa, jump, eta float64) float64,
) error {
	type step = mistake[ex02Lemma]
	err := function(300, drawEx02Lemma, "the bound on P(L > x)",
		func(l ex02Lemma) float64 { return tail(l.x, l.kappa, l.jump, l.eta) },
		func(l ex02Lemma) float64 { return l.bound(l.beta(), math.Floor(l.steps())+1) }, 1e-6,
		slips("", func(l ex02Lemma) map[string]float64 {
			return map[string]float64{"x": l.x, "kappa": l.kappa, "jump": l.jump, "eta": l.eta}
		}, "iff(x < kappa, 1, pow(jump/(jump + eta), floor((x - kappa)/(2*jump)) + 1))", "iff(x < kappa, 1, pow(1/(1 + eta/jump), trunc((x - kappa)/2/jump) + 1))"),
		step{func(l ex02Lemma) float64 {
			if l.x == l.kappa {
				return 1
			}
			return l.bound(l.beta(), math.Floor(l.steps())+1)
		}, "at x = κ the inequality can be used already: it is for all x ≥ κ"},
		step{func(l ex02Lemma) float64 { return l.bound(l.beta(), math.Floor(l.steps())) }, "true, but a step is left out: at x = κ, too, the inequality can be used, and it reaches back to κ-2D"},
		step{func(l ex02Lemma) float64 { return l.bound(l.beta(), l.steps()) }, "true, but weaker than what you can have: at x = κ, too, the inequality can be used"},
		step{func(l ex02Lemma) float64 { return l.bound(l.beta(), l.steps()+1) }, "between two steps this claims more than is proved: only whole steps of 2D can be taken"},
		step{func(l ex02Lemma) float64 { return l.bound(l.beta(), math.Ceil(l.steps())+1) }, "one step more than is proved: the last one may begin at κ, not below"},
		step{func(l ex02Lemma) float64 { return l.bound(l.beta(), math.Floor(2*l.steps())+1) }, "each use of the inequality goes back by 2D, not by D"},
		step{func(l ex02Lemma) float64 { return l.bound(1-l.eta/l.jump, math.Floor(l.steps())+1) }, "solve η t(x) ≤ D (t(x-2D) - t(x)) for t(x), which is on both sides"},
		step{func(l ex02Lemma) float64 { return l.bound(1-l.beta(), math.Floor(l.steps())+1) }, "solve η t(x) ≤ D (t(x-2D) - t(x)) for t(x): the factor is near 1 when η is small"},
		step{func(l ex02Lemma) float64 { return math.Pow(l.beta(), max(math.Floor(l.steps()), 0)+1) }, "for x < κ nothing is proved, and a probability is at most 1"},
		step{func(l ex02Lemma) float64 { return math.Pow(l.beta(), math.Floor(l.steps())+1) }, "for x < κ nothing is proved, and a probability is at most 1"},
		step{func(l ex02Lemma) float64 { return math.Pow(l.beta(), math.Trunc(l.steps())+1) }, "for x < κ nothing is proved, and a probability is at most 1"},
		step{says: "solve the inequality for t(x), then use it at x, x-2D, x-4D, … as long as this is not below κ"},
	)
	if err != nil {
		return err
	}
	type sum = mistake[ex02Mean]
	return function(50,
		func(r *rand.Rand) ex02Mean { return ex02Mean(drawEx02Lemma(r)) },
		"the bound on E L",
		func(m ex02Mean) float64 { return mean(m.kappa, m.jump, m.eta) },
		func(m ex02Mean) float64 { return m.kappa + 2*m.jump*m.jump/m.eta }, 1e-6,
		slips("", func(m ex02Mean) map[string]float64 {
			return map[string]float64{"kappa": m.kappa, "jump": m.jump, "eta": m.eta}
		}, "kappa + 2*jump*jump/eta", "kappa + 2*jump*(jump/(jump + eta))/(1 - jump/(jump + eta))"),
		sum{func(m ex02Mean) float64 { return 2 * m.jump * m.jump / m.eta }, "below κ the bound on the tail is 1, and that counts"},
		sum{func(m ex02Mean) float64 { return m.kappa + m.jump*m.jump/m.eta }, "each step of the tail is 2D long"},
		sum{func(m ex02Mean) float64 { return m.kappa + m.jump/m.eta }, "each step of the tail is 2D long"},
		sum{func(m ex02Mean) float64 { return m.kappa + 2*m.jump*(m.jump+m.eta)/m.eta }, "the first step beyond κ has the height β, not 1"},
		sum{func(m ex02Mean) float64 { return m.kappa + 2*m.jump*m.jump/(m.jump+m.eta) }, "that is the first step only: sum over all of them"},
		sum{func(m ex02Mean) float64 { return m.kappa + 2*m.jump }, "the tail does not end there: sum over all its steps"},
		sum{func(m ex02Mean) float64 { return m.kappa }, "the tail beyond κ counts, too"},
		sum{says: "E L is the integral of P(L > x) over x ≥ 0: one rectangle up to κ, then a geometric series of rectangles 2D wide"},
	)
}

// Ex02Break checks a counterexample to the claim that the drift line holds for
// every policy that compares two queues or more: a policy with Choices >= 2 and
// a state of 2 to 5 queues, reference system, alpha = 2, in which E[L^+ - L | q] >
// K_perp/(2L) - lambda/sqrt(N(N-1)). The mean is exact.
func Ex02Break(counterexample func() (policy jsqlib.Policy, q []int64)) error {
	return call(func(*rand.Rand) error {
		policy, q := counterexample()
		n := len(q)
		switch {
		case n < 2 || n > 5:
			return fmt.Errorf("q = %v has %d queues: want 2 to 5", q, n)
		case slices.Min(q) < 0 || slices.Max(q) > 1_000_000:
			return fmt.Errorf("q = %v: want queues of 0 to 1 000 000 jobs", q)
		case jsqlib.PerpNorm2(q) == 0:
			return fmt.Errorf("q = %v: the queues are equal, so L = 0, and the line is about L > 0", q)
		}
		s := jsqlib.Model{Servers: n, Alpha: 2, Policy: policy}
		c, err := s.Constants()
		switch {
		case err != nil:
			return err
		case policy.Choices == 1:
			return errors.New("random routing does not compare queues at all, and nothing pulls them together; the claim is about policies with Choices >= 2, can you break that?")
		case s.JSQ():
			return errors.New("that is JSQ, for which the line is proved: which other policies compare two queues or more?")
		}
		drift, line := ex02Drift(c, policy, q), ex02Line(c, q)
		if drift > line+1e-9 {
			return nil
		}
		err = fmt.Errorf("q = %v, %v: the drift is %.4f and the line %.4f, so the claim holds there", q, policy, drift, line)
		switch {
		case policy.Rule != jsqlib.PodReplacement:
			return fmt.Errorf("%w. For two different queues the pull is half the mean of |q_i - q_j|, which even in the worst shape is as much as the line needs: can the queues that are compared be fewer than two?", err)
		case line > 0:
			return fmt.Errorf("%w. The line is still positive at this L: go further out, where K_⊥/(2L) is small", err)
		}
		if slices.Min(q) < int64(c.SMax) {
			return fmt.Errorf("%w. A queue that runs empty is lifted by its lost service, which helps the claim: start with all queues longer", err)
		}
		return fmt.Errorf("%w. Is this shape one where the inequality of step three is wasteful? Take the worst shape, and go further out", err)
	})
}

func ex02Line(c jsqlib.Constants, q []int64) float64 {
	n := float64(c.N)
	k := (1 - 1/n) * (n*c.ArrivalVar + c.Lambda*c.Lambda + n*c.ServiceVar)
	return k/(2*math.Sqrt(jsqlib.PerpNorm2(q))) - c.Lambda/math.Sqrt(n*(n-1))
}

// ex02Drift is E[L^+ - L | q] with whole batches, by all outcomes of a slot. Equal
// queues may have their ranks in any order, as the law of L^+ is the same.
func ex02Drift(c jsqlib.Constants, policy jsqlib.Policy, q []int64) (drift float64) {
	sorted := slices.Sorted(slices.Values(q))
	after, l := make([]int64, c.N), math.Sqrt(jsqlib.PerpNorm2(q))
	var serve func(w []int64, i int, p float64)
	serve = func(w []int64, i int, p float64) {
		if i == c.N {
			drift += p * (math.Sqrt(jsqlib.PerpNorm2(after)) - l)
			return
		}
		for k, pk := range c.Service {
			after[i] = max(w[i]-int64(k), 0)
			serve(w, i+1, p*pk)
		}
	}
	for rank, pr := range policy.Ranks(c.N) {
		for a, pa := range c.Arrivals.Power(c.N) {
			w := slices.Clone(sorted)
			w[rank] += int64(a)
			serve(w, 0, pr*pa)
		}
	}
	return drift
}
