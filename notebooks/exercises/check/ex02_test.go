package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/bound"
	"jsqlab/jsqlib/exact"
)

func TestEx02Predict(t *testing.T) {
	say := func(truth, proved, heavier, random float64) func() error {
		return func() error {
			return Ex02Predict(func() (float64, float64, float64, float64) { return truth, proved, heavier, random })
		}
	}
	right := math.Pow(2, 1.5)
	kappa := func(n int, alpha float64) float64 {
		d, err := bound.NewDrift(jsqlib.Model{Servers: n, Alpha: alpha})
		if err != nil {
			t.Fatal(err)
		}
		return d.Kappa
	}
	answers{
		{"powers", say(right, 4, 1, 2), ""},
		{"constants of 64 servers", say(2.77, kappa(128, 4.5)/kappa(64, 4.5), kappa(64, 9)/kappa(64, 4.5), 2), ""},

		{"squared", say(8, 4, 1, 2), "its root is asked for"},
		{"truth as proved", say(4, 4, 1, 2), "not the worst shape"},
		{"one queue", say(2, 4, 1, 2), "the sum of N such squares"},
		{"job routing", say(math.Sqrt2, 4, 1, 2), "for job routing"},
		{"no growth", say(1, 4, 1, 2), "does not grow with Q"},
		{"a guess", say(3.2, 4, 1, 2), "truth = 3.2 is too large"},
		{"proved as truth", say(right, right, 1, 2), "loses a factor"},
		{"linear kappa", say(right, 2, 1, 2), "the square of a whole batch"},
		{"cubic kappa", say(right, 8, 1, 2), "the slope tends to 1"},
		{"alpha counts", say(right, 4, 2, 2), "through λ"},
		{"alpha helps", say(right, 4, 0.5, 2), "heavier = 0.5 is too small"},
		{"ballistic", say(right, 4, 1, 4), "like a random walk"},
		{"collapse at random", say(right, 4, 1, 1), "does not look at the queues"},
		{"not a number", say(right, 4, 1, math.NaN()), "not a factor"},
		{"negative", say(-1, 4, 1, 2), "not a factor"},
		{"not done", func() error {
			return Ex02Predict(func() (a, b, c, d float64) { panic(Stub) })
		}, "this task is not done"},
	}.run(t)
}

func TestEx02Split(t *testing.T) {
	type parts = func(q []int64) (float64, []float64, float64)
	give := func(f parts) func() error { return func() error { return Ex02Split(f) } }
	length := func(f func(perp []float64, n, l float64) float64) func() error {
		return give(func(q []int64) (float64, []float64, float64) {
			perp := jsqlib.Perp(q)
			return jsqlib.Parallel(q), perp, f(perp, float64(len(q)), math.Sqrt(jsqlib.PerpNorm2(q)))
		})
	}
	entries := func(parallel func(q []int64) float64, entry func(q []int64, i int) float64) func() error {
		return give(func(q []int64) (float64, []float64, float64) {
			perp := make([]float64, len(q))
			for i := range q {
				perp[i] = entry(q, i)
			}
			return parallel(q), perp, math.Sqrt(jsqlib.PerpNorm2(q))
		})
	}
	perp := func(q []int64, i int) float64 { return float64(q[i]) - jsqlib.Parallel(q) }
	answers{
		{"library", length(func(perp []float64, n, l float64) float64 { return l }), ""},
		{"whole numbers", give(func(q []int64) (float64, []float64, float64) {
			n, total, squares := int64(len(q)), jsqlib.Total(q), int64(0)
			p := make([]float64, n)
			for i, x := range q {
				squares += x * x
				p[i] = float64(n*x-total) / float64(n)
			}
			return float64(total) / float64(n), p, math.Sqrt(float64(n*squares-total*total) / float64(n))
		}), ""},
		{"pairs", give(func(q []int64) (float64, []float64, float64) {
			sum := 0.0
			for i := range q {
				for j := range i {
					sum += float64((q[i] - q[j]) * (q[i] - q[j]))
				}
			}
			return jsqlib.Parallel(q), jsqlib.Perp(q), math.Sqrt(sum / float64(len(q)))
		}), ""},

		{"total", entries(func(q []int64) float64 { return float64(jsqlib.Total(q)) }, perp), "not the total"},
		{"whole division", entries(func(q []int64) float64 { return float64(jsqlib.Total(q) / int64(len(q))) }, perp), "drops the rest"},
		{"length of the part", entries(func(q []int64) float64 { return float64(jsqlib.Total(q)) / math.Sqrt(float64(len(q))) }, perp), "each entry of q_∥"},
		{"sign", entries(jsqlib.Parallel, func(q []int64, i int) float64 { return -perp(q, i) }), "the sign is wrong"},
		{"above the minimum", entries(jsqlib.Parallel, func(q []int64, i int) float64 { return float64(q[i] - slices.Min(q)) }), "not the minimum"},
		{"the queue itself", entries(jsqlib.Parallel, func(q []int64, i int) float64 { return float64(q[i]) }), "subtract the average"},
		{"square", length(func(perp []float64, n, l float64) float64 { return l * l }), "the square of the length"},
		{"standard deviation", length(func(perp []float64, n, l float64) float64 { return l / math.Sqrt(n) }), "a standard deviation"},
		{"of a sample", length(func(perp []float64, n, l float64) float64 { return l / math.Sqrt(max(n-1, 1)) }), "a standard deviation"},
		{"sum", length(func(perp []float64, n, l float64) (sum float64) {
			for _, x := range perp {
				sum += math.Abs(x)
			}
			return sum
		}), "sum of absolute values"},
		{"largest", length(func(perp []float64, n, l float64) (most float64) {
			for _, x := range perp {
				most = max(most, math.Abs(x))
			}
			return most
		}), "the largest entry"},
		{"cancellation", give(func(q []int64) (float64, []float64, float64) {
			squares, total := 0.0, float64(jsqlib.Total(q))
			for _, x := range q {
				squares += float64(x) * float64(x)
			}
			return jsqlib.Parallel(q), jsqlib.Perp(q), math.Sqrt(max(squares-total*total/float64(len(q)), 0))
		}), "subtract before you square"},
		{"no entries", give(func(q []int64) (float64, []float64, float64) { return jsqlib.Parallel(q), nil, 0 }), "one entry for each"},
		{"sorts", give(func(q []int64) (float64, []float64, float64) {
			slices.Sort(q)
			return jsqlib.Parallel(q), jsqlib.Perp(q), math.Sqrt(jsqlib.PerpNorm2(q))
		}), "changes its argument q"},
		{"not done", give(func(q []int64) (float64, []float64, float64) { panic(Stub) }), "this task is not done"},
	}.run(t)
}

func TestEx02Lost(t *testing.T) {
	of := func(f func(perp, squares, mixed, n float64) float64) func() error {
		return func() error {
			return Ex02Lost(func(after, u []int64) float64 {
				n := float64(len(u))
				s := ex02Slot{after: after, unused: u}
				return f(s.perp(), s.squares(), s.mixed(), n)
			})
		}
	}
	answers{
		{"as in the notebook", of(func(perp, squares, mixed, n float64) float64 { return perp + 2*mixed }), ""},
		{"difference", func() error {
			return Ex02Lost(func(after, u []int64) float64 {
				w := slices.Clone(after)
				for i := range w {
					w[i] -= u[i]
				}
				return jsqlib.PerpNorm2(w) - jsqlib.PerpNorm2(after)
			})
		}, ""},
		{"by squares and totals", func() error {
			return Ex02Lost(func(after, u []int64) float64 {
				sum := 0.0
				for _, x := range u {
					sum += float64(x * x)
				}
				q, total := float64(jsqlib.Total(after)), float64(jsqlib.Total(u))
				return sum + (2*q*total-total*total)/float64(len(u))
			})
		}, ""},

		{"sign", of(func(perp, squares, mixed, n float64) float64 { return -perp - 2*mixed }), "which of the two is larger"},
		{"sign of the product", of(func(perp, squares, mixed, n float64) float64 { return perp - 2*mixed }), "the inner product of q_⊥⁺ and u_⊥ is negative"},
		{"no product", of(func(perp, squares, mixed, n float64) float64 { return perp }), "the parts along the line"},
		{"no square", of(func(perp, squares, mixed, n float64) float64 { return 2 * mixed }), "the square of u_⊥ is missing"},
		{"once", of(func(perp, squares, mixed, n float64) float64 { return perp + mixed }), "comes twice"},
		{"not projected", of(func(perp, squares, mixed, n float64) float64 { return squares + 2*mixed }), "not ‖u‖²"},
		{"not projected, no product", of(func(perp, squares, mixed, n float64) float64 { return squares }), "project first"},
		{"no 1/N", of(func(perp, squares, mixed, n float64) float64 { return perp + 2*mixed*n }), "the product of two averages"},
		{"1/N²", of(func(perp, squares, mixed, n float64) float64 { return perp + 2*mixed/n }), "N equal terms"},
		{"nothing", of(func(perp, squares, mixed, n float64) float64 { return 0 }), "towards each other"},
		{"something", of(func(perp, squares, mixed, n float64) float64 { return 1 + perp + 2*mixed }), "multiply out"},
		{"not done", of(func(perp, squares, mixed, n float64) float64 { panic(Stub) }), "this task is not done"},
	}.run(t)
}

func ex02KPerp(n int, mean, variance, serviceVar float64) float64 {
	return (1 - 1/float64(n)) * (variance + mean*mean + float64(n)*serviceVar)
}

func ex02Kappa(n int, kPerp, lambda, eta float64) float64 {
	return kPerp / (2 * (lambda/math.Sqrt(float64(n*(n-1))) - eta))
}

func ex02Jump(n, a, s int) float64 {
	return float64(a)*math.Sqrt(float64(n*(n-1))) + float64(s)*math.Sqrt(float64(n))/2
}

func TestEx02Constants(t *testing.T) {
	k := func(f func(n, mean, variance, serviceVar float64) float64) func() error {
		return func() error {
			return Ex02Constants(func(n int, mean, variance, serviceVar float64) float64 {
				return f(float64(n), mean, variance, serviceVar)
			}, ex02Kappa, ex02Jump)
		}
	}
	kappa := func(f func(slope, kPerp, eta, lambda, n float64) float64) func() error {
		return func() error {
			return Ex02Constants(ex02KPerp, func(n int, kPerp, lambda, eta float64) float64 {
				return f(lambda/math.Sqrt(float64(n*(n-1))), kPerp, eta, lambda, float64(n))
			}, ex02Jump)
		}
	}
	jump := func(f func(batch, served, n, a, s float64) float64) func() error {
		return func() error {
			return Ex02Constants(ex02KPerp, ex02Kappa, func(n, a, s int) float64 {
				x := float64(n)
				return f(float64(a)*math.Sqrt(x*(x-1)), float64(s)*math.Sqrt(x)/2, x, float64(a), float64(s))
			})
		}
	}
	answers{
		{"as in the notebook", func() error { return Ex02Constants(ex02KPerp, ex02Kappa, ex02Jump) }, ""},
		{"term by term", k(func(n, m, v, s float64) float64 { return v + m*m - (v+m*m)/n + (n-1)*s }), ""},
		{"by bisection", kappa(func(slope, k, eta, lambda, n float64) float64 {
			low, high := 1e-9, 1e9
			for range 200 {
				if l := math.Sqrt(low * high); k/(2*l)-slope > -eta {
					low = l
				} else {
					high = l
				}
			}
			return low
		}), ""},
		{"corner of the cube", jump(func(b, w, n, a, s float64) float64 { // half of the servers serve all they can
			return n*a*math.Sqrt(1-1/n) + math.Sqrt(n/2*s*s-n/4*s*s)
		}), ""},

		{"variance only", k(func(n, m, v, s float64) float64 { return (1 - 1/n) * (v + n*s) }), "all jobs of a slot go to one queue"},
		{"mean only", k(func(n, m, v, s float64) float64 { return (1 - 1/n) * (m*m + n*s) }), "and the variance"},
		{"not projected", k(func(n, m, v, s float64) float64 { return v + m*m + n*s }), "a part of a and of s"},
		{"batch not projected", k(func(n, m, v, s float64) float64 { return v + m*m + (n-1)*s }), "a part of the batch"},
		{"services not projected", k(func(n, m, v, s float64) float64 { return (1-1/n)*(v+m*m) + n*s }), "a part of the services"},
		{"one server", k(func(n, m, v, s float64) float64 { return (1 - 1/n) * (v + m*m + s) }), "there are N servers"},
		{"no services", k(func(n, m, v, s float64) float64 { return (1 - 1/n) * (v + m*m) }), "the services have noise"},
		{"second moment of services", k(func(n, m, v, s float64) float64 { return (1 - 1/n) * (v + m*m + n*(s+1)) }), "E s is on the line"},
		{"sources", k(func(n, m, v, s float64) float64 { return (1 - 1/n) * n * (v + m*m + s) }), "not of one of N sources"},
		{"noise subtracted", k(func(n, m, v, s float64) float64 { return (1 - 1/n) * (v + m*m - n*s) }), "adds up"},
		{"one", k(func(n, m, v, s float64) float64 { return 1 }), "single entry"},
		{"K not done", k(func(n, m, v, s float64) float64 { panic(Stub) }), "this task is not done"},

		{"zero of the line", kappa(func(slope, k, eta, lambda, n float64) float64 { return k / (2 * slope) }), "η is not used"},
		{"textbook", kappa(func(slope, k, eta, lambda, n float64) float64 { return k / slope }), "half the slope only"},
		{"sign of eta", kappa(func(slope, k, eta, lambda, n float64) float64 { return k / (2 * (slope + eta)) }), "at -η, not at η"},
		{"no 2", kappa(func(slope, k, eta, lambda, n float64) float64 { return k / (slope - eta) }), "K_⊥/(2L)"},
		{"no slope", kappa(func(slope, k, eta, lambda, n float64) float64 { return k / (2 * eta) }), "the slope is missing"},
		{"slope lambda", kappa(func(slope, k, eta, lambda, n float64) float64 { return k / (2 * (lambda - eta)) }), "only a part of L"},
		{"slope lambda/N", kappa(func(slope, k, eta, lambda, n float64) float64 { return k / (2 * (lambda/n - eta)) }), "not λ/N"},
		{"inverse", kappa(func(slope, k, eta, lambda, n float64) float64 { return 2 * (slope - eta) / k }), "solve"},
		{"kappa not done", kappa(func(slope, k, eta, lambda, n float64) float64 { panic(Stub) }), "this task is not done"},

		{"no services", jump(func(b, w, n, a, s float64) float64 { return b }), "the services move the queues"},
		{"no batch", jump(func(b, w, n, a, s float64) float64 { return w }), "the batch moves the queues"},
		{"from the corner", jump(func(b, w, n, a, s float64) float64 { return b + 2*w }), "from the centre"},
		{"one entry", jump(func(b, w, n, a, s float64) float64 { return b + s/2 }), "the most for one entry"},
		{"one source", jump(func(b, w, n, a, s float64) float64 { return b/n + w }), "for one source"},
		{"batch not projected", jump(func(b, w, n, a, s float64) float64 { return a*n + w }), "project the batch"},
		{"subtracted", jump(func(b, w, n, a, s float64) float64 { return b - w }), "the sum of the bounds"},
		{"all jobs", jump(func(b, w, n, a, s float64) float64 { return n * (a + s) }), "a vector in [0, S_max]^N"},
		{"jump not done", jump(func(b, w, n, a, s float64) float64 { panic(Stub) }), "this task is not done"},
	}.run(t)
}

// The constants are those of the library, and random routing adds K_perp to
// ||q_perp||^2 in the mean when no service is lost.
func TestEx02Drift(t *testing.T) {
	s := jsqlib.Model{Servers: 4, Alpha: 2}
	c, err := s.Constants()
	if err != nil {
		t.Fatal(err)
	}
	d, err := bound.NewDrift(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range [][2]float64{
		{ex02KPerp(4, c.Lambda, 4*c.ArrivalVar, c.ServiceVar), d.KPerp},
		{ex02Kappa(4, d.KPerp, c.Lambda, d.Eta), d.Kappa},
		{ex02Jump(4, c.AMax, c.SMax), d.Jump},
		{ex02Line(c, []int64{9, 1, 5, 5}), d.Line(math.Sqrt(32))},
	} {
		if !agrees(got[0], got[1], 1e-12) {
			t.Errorf("got %v, and the library has %v", got[0], got[1])
		}
	}
	r := rand.New(rand.NewPCG(2, 2))
	for range 20 {
		q := ints(r, 4, 12)
		want, err := exact.MeanDrift(s, q)
		if err != nil {
			t.Fatal(err)
		}
		if got := ex02Drift(c, jsqlib.Policy{}, q); math.Abs(got-want) > 1e-11 {
			t.Errorf("%v: drift %v, and the library has %v", q, got, want)
		}
	}
	q, sum, squares := []int64{50, 60, 70, 80}, 0.0, 0.0
	const slots = 40_000
	random := jsqlib.Model{Servers: 4, Alpha: 2, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 1}}
	for range slots {
		x := jsqlib.PerpNorm2(random.Step(c, q, r).After) - jsqlib.PerpNorm2(q)
		sum, squares = sum+x/slots, squares+x*x/slots
	}
	if sigma := math.Sqrt((squares - sum*sum) / slots); math.Abs(sum-d.KPerp) > 5*sigma {
		t.Errorf("random routing adds %v +- %v, want K_perp = %v", sum, sigma, d.KPerp)
	}
}

func ex02TailOf(x, kappa, jump, eta float64) float64 {
	return ex02Lemma{x, kappa, jump, eta}.bound(jump/(jump+eta), math.Floor((x-kappa)/(2*jump))+1)
}

func ex02MeanOf(kappa, jump, eta float64) float64 { return kappa + 2*jump*jump/eta }

func TestEx02Tail(t *testing.T) {
	tail := func(f func(x, kappa, jump, eta float64) float64) func() error {
		return func() error { return Ex02Tail(f, ex02MeanOf) }
	}
	power := func(f func(j, beta float64) float64) func() error {
		return tail(func(x, kappa, jump, eta float64) float64 {
			if x < kappa {
				return 1
			}
			return f((x-kappa)/(2*jump), jump/(jump+eta))
		})
	}
	mean := func(f func(kappa, jump, eta float64) float64) func() error {
		return func() error { return Ex02Tail(ex02TailOf, f) }
	}
	answers{
		{"closed form", func() error { return Ex02Tail(ex02TailOf, ex02MeanOf) }, ""},
		{"step by step", tail(func(x, kappa, jump, eta float64) float64 {
			p := 1.0
			for ; x >= kappa; x -= 2 * jump {
				p /= 1 + eta/jump
			}
			return p
		}), ""},
		{"library", tail(func(x, kappa, jump, eta float64) float64 {
			return bound.Drift{Servers: 2, Kappa: kappa, Jump: jump, Eta: eta}.Tail(x)
		}), ""},
		{"summed", mean(func(kappa, jump, eta float64) float64 {
			sum, p := kappa, 1.0
			for range 10_000 {
				p *= jump / (jump + eta)
				sum += 2 * jump * p
			}
			return sum
		}), ""},

		{"from above κ only", tail(func(x, kappa, jump, eta float64) float64 {
			p := 1.0
			for ; x > kappa; x -= 2 * jump {
				p *= jump / (jump + eta)
			}
			return p
		}), "at x = κ the inequality can be used already"},
		{"from above κ only, rounded up", power(func(j, beta float64) float64 { return math.Pow(beta, math.Ceil(j)) }), "at x = κ"},
		{"one step less", power(func(j, beta float64) float64 { return math.Pow(beta, math.Floor(j)) }), "a step is left out"},
		{"smooth", power(func(j, beta float64) float64 { return math.Pow(beta, j+1) }), "only whole steps"},
		{"smooth and weak", power(func(j, beta float64) float64 { return math.Pow(beta, j) }), "true, but weaker"},
		{"rounded up", power(func(j, beta float64) float64 { return math.Pow(beta, math.Ceil(j)+1) }), "more than is proved"},
		{"steps of D", power(func(j, beta float64) float64 { return math.Pow(beta, math.Floor(2*j)+1) }), "by 2D, not by D"},
		{"not solved", tail(func(x, kappa, jump, eta float64) float64 {
			if x < kappa {
				return 1
			}
			return math.Pow(1-eta/jump, math.Floor((x-kappa)/(2*jump))+1)
		}), "on both sides"},
		{"other factor", power(func(j, beta float64) float64 { return math.Pow(1-beta, math.Floor(j)+1) }), "near 1 when η is small"},
		{"below kappa", tail(func(x, kappa, jump, eta float64) float64 {
			return math.Pow(jump/(jump+eta), math.Floor((x-kappa)/(2*jump))+1)
		}), "at most 1"},
		{"below kappa, truncated", tail(func(x, kappa, jump, eta float64) float64 {
			return math.Pow(jump/(jump+eta), float64(int((x-kappa)/(2*jump)))+1)
		}), "at most 1"},
		{"exponential", power(func(j, beta float64) float64 { return math.Exp(-j) }), "solve the inequality"},
		{"tail not done", power(func(j, beta float64) float64 { panic(Stub) }), "this task is not done"},

		{"no kappa", mean(func(kappa, jump, eta float64) float64 { return 2 * jump * jump / eta }), "below κ"},
		{"half", mean(func(kappa, jump, eta float64) float64 { return kappa + jump*jump/eta }), "2D long"},
		{"steps of 1", mean(func(kappa, jump, eta float64) float64 { return kappa + jump/eta }), "2D long"},
		{"first height 1", mean(func(kappa, jump, eta float64) float64 { return kappa + 2*jump*(jump+eta)/eta }), "the height β"},
		{"one step", mean(func(kappa, jump, eta float64) float64 { return kappa + 2*jump*jump/(jump+eta) }), "the first step only"},
		{"one full step", mean(func(kappa, jump, eta float64) float64 { return kappa + 2*jump }), "does not end there"},
		{"kappa", mean(func(kappa, jump, eta float64) float64 { return kappa }), "beyond κ counts"},
		{"product", mean(func(kappa, jump, eta float64) float64 { return kappa * jump / eta }), "a geometric series"},
		{"mean not done", mean(func(kappa, jump, eta float64) float64 { panic(Stub) }), "this task is not done"},
	}.run(t)
}

func TestEx02Break(t *testing.T) {
	give := func(choices int, replacement bool, q ...int64) func() error {
		p := jsqlib.Policy{Choices: choices}
		switch {
		case replacement:
			p.Rule = jsqlib.PodReplacement
		case choices > 0:
			p.Rule = jsqlib.Pod
		}
		return func() error {
			return Ex02Break(func() (jsqlib.Policy, []int64) { return p, q })
		}
	}
	answers{
		{"two queues", give(2, true, 30, 0), ""},
		{"two long queues", give(2, true, 130, 100), ""},
		{"one long of four", give(2, true, 200, 100, 100, 100), ""},
		{"one short of three", give(2, true, 200, 200, 100), ""},
		{"three of five", give(3, true, 1100, 100, 100, 100, 100), ""},

		{"random", give(1, false, 100, 0, 0), "does not compare queues at all"},
		{"random with replacement", give(1, true, 100, 0, 0), "does not compare queues at all"},
		{"JSQ", give(0, false, 100, 0, 0), "that is JSQ"},
		{"all choices", give(3, false, 100, 0, 0), "that is JSQ"},
		{"two different", give(2, false, 1000, 0, 0, 0), "half the mean of |q_i - q_j|"},
		{"too near", give(2, true, 3, 2), "go further out"},
		{"empty queues", give(2, true, 100, 0, 0, 0), "helps the claim"},
		{"good shape", give(3, true, 100, 100, 50, 50), "worst shape"},
		{"equal", give(2, true, 5, 5, 5), "L > 0"},
		{"six", give(2, true, 1, 2, 3, 4, 5, 6), "want 2 to 5"},
		{"none", give(2, true), "want 2 to 5"},
		{"negative", give(2, true, -1, 5), "want queues of"},
		{"more choices than queues", give(4, true, 100, 0), "policy"},
		{"not done", func() error { return Ex02Break(func() (jsqlib.Policy, []int64) { panic(Stub) }) }, "this task is not done"},
	}.run(t)
}

// With different queues compared the line holds: half the mean of |q_i - q_j| is
// at least L/sqrt(N(N-1)), with equality for one queue apart from all others.
func TestEx02TwoChoices(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	for range 1000 {
		n := 2 + r.IntN(6)
		q := ints(r, n, 20)
		if r.IntN(3) == 0 {
			q = slices.Repeat([]int64{7}, n)
			q[r.IntN(n)] = r.Int64N(20)
		}
		sum, pairs := 0.0, float64(n*(n-1))
		for i := range q {
			for j := range i {
				sum += math.Abs(float64(q[i] - q[j]))
			}
		}
		if pull, least := sum/pairs, math.Sqrt(jsqlib.PerpNorm2(q)/pairs); pull < least-1e-12 {
			t.Fatalf("%v: pull %v, want at least %v", q, pull, least)
		}
		if n != 3 && n != 4 {
			continue
		}
		s := jsqlib.Model{Servers: n, Alpha: 2}
		c, err := s.Constants()
		if err != nil {
			t.Fatal(err)
		}
		for i := range q {
			q[i] *= 1 + r.Int64N(2)*40
		}
		if jsqlib.PerpNorm2(q) == 0 {
			continue
		}
		if drift, line := ex02Drift(c, jsqlib.Policy{Rule: jsqlib.Pod, Choices: 2}, q), ex02Line(c, q); drift > line+1e-9 {
			t.Fatalf("%v: drift %v above the line %v", q, drift, line)
		}
	}
}
