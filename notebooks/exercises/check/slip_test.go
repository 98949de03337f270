package check

//lint:file-ignore SA4000,SA4025 wrong answers divide whole numbers

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"jsqlab/jsqlib"
)

// What the slips are told, each by a piece of its message.
var slipPieces = map[string]slip{
	"division": slipDivision, "zero": slipZero, "xor": slipXor, "int": slipInt, "order": slipOrder, "pow": slipPow,
	"log": slipLog, "place": slipPlace, "first": slipFirst, "last": slipLast, "grown": slipGrown, "whole": slipWhole,
}

// Slips of Go in every task that is answered by code: the idea is right, and Go computes something else.
// Each has to get its name; the pieces are separated by | where two names are as good.
func TestSlips(t *testing.T) {
	type one struct {
		name  string
		check func() error
		says  string
	}
	serve := func(f serveFunc) func() error { return func() error { return Ex01Serve(f) } }
	route := func(f routeFunc) func() error { return func() error { return Ex01RouteJobs(f) } }
	remainder := func(f func(q, u int64) int64) func() error { return func() error { return Ex01Square(f, ex01Excess) } }
	excess := func(f func(n int, alpha, mean, second float64) float64) func() error {
		return func() error { return Ex01Square(ex01Remainder, f) }
	}
	equal := func(f func(load float64) float64) func() error {
		return func() error { return Ex01TwoQueues(ex01Drift, f) }
	}
	drift := func(f func(q1, q2 int, load float64) float64) func() error {
		return func() error { return Ex01TwoQueues(f, ex01Equal) }
	}
	split := func(f func(q []int64) (float64, []float64, float64)) func() error {
		return func() error { return Ex02Split(f) }
	}
	lost := func(f func(after, u []int64) float64) func() error { return func() error { return Ex02Lost(f) } }
	kPerp := func(f func(n int, mean, variance, serviceVar float64) float64) func() error {
		return func() error { return Ex02Constants(f, ex02Kappa, ex02Jump) }
	}
	kappa := func(f func(n int, k, lambda, eta float64) float64) func() error {
		return func() error { return Ex02Constants(ex02KPerp, f, ex02Jump) }
	}
	jump := func(f func(n, a, s int) float64) func() error {
		return func() error { return Ex02Constants(ex02KPerp, ex02Kappa, f) }
	}
	tail := func(f func(x, kappa, jump, eta float64) float64) func() error {
		return func() error { return Ex02Tail(f, ex02MeanOf) }
	}
	mean := func(f func(kappa, jump, eta float64) float64) func() error {
		return func() error { return Ex02Tail(ex02TailOf, f) }
	}
	moment := func(f func(r int, kappa, jump, eta float64) float64) func() error {
		return func() error { return Ex03Moment(f) }
	}
	product := func(f func(n, sMax, r int, moment, eps float64) float64) func() error {
		return func() error { return Ex03Hoelder(f, ex03Rare) }
	}
	rare := func(f func(n int, alpha float64, r int) float64) func() error {
		return func() error { return Ex03Hoelder(ex03Product, f) }
	}
	least := func(n int, alpha, kappa, jump, eta float64) int {
		return int(ex03Size{n, alpha, ex03Moment{kappa: kappa, jump: jump, eta: eta}}.best(2, alpha-1))
	}
	paper := func(n int, alpha float64) int { return int(math.Ceil(alpha-1) * math.Ceil(math.Log(float64(n)))) }
	order := func(f func(n int, alpha float64) int) func() error {
		return func() error { return Ex03Order(f, least) }
	}
	best := func(price func(n int, alpha float64, r int) float64) func() error {
		return func() error {
			return Ex03Order(paper, func(n int, alpha, kappa, jump, eta float64) int {
				at, smallest := 0, math.Inf(1)
				for r := 2; r <= 100; r++ {
					m := ex03Moment{r, kappa, jump, eta}
					if h := m.log(2, 4, m.factorial()) + price(n, alpha, r); h < smallest {
						at, smallest = r, h
					}
				}
				return at
			})
		}
	}
	rest := func(f func(after, u []int64, s float64) float64) func() error {
		return func() error { return Ex04Rest(f) }
	}
	vanish := func(f func(a, s []float64, n int, x float64) float64) func() error {
		return func() error { return Ex04Vanish(f) }
	}
	second := func(f func(eps, v float64) float64) func() error {
		return func() error {
			return Ex04Denominator(func(eps, v float64) (float64, float64) { return eps, f(eps, v) }, func(int, float64, float64, float64) float64 { return 0 })
		}
	}
	denominator := func(f func(n int, c, v, theta float64) float64) func() error {
		return func() error {
			return Ex04Denominator(func(eps, v float64) (float64, float64) { return eps, (v + eps*eps) / 2 }, f)
		}
	}
	secondOf := func(m, b, x float64) float64 { return ex05Point{m, b, x}.second() }
	firstOf := func(m, b, x float64) float64 { return ex05Point{m, b, x}.first() }
	kink := func(f func(m, b, x float64) float64) func() error {
		return func() error { return Ex05Stein(firstOf, f) }
	}
	prime := func(f func(m, b, x float64) float64) func() error {
		return func() error { return Ex05Stein(f, secondOf) }
	}
	third := func(f func(m, second, slope float64) float64) func() error {
		return func() error { return Ex05Third(f) }
	}
	type side = func(c, eps, m, mean, second, cube float64) float64
	lowOf := func(c, eps, m, mean, second, cube float64) float64 {
		return ex05Terms{c, eps, m, mean, second, cube}.low()
	}
	highOf := func(c, eps, m, mean, second, cube float64) float64 {
		return ex05Terms{c, eps, m, mean, second, cube}.high()
	}
	low := func(f side) func() error { return func() error { return Ex05Certificate(f, highOf) } }
	high := func(f side) func() error { return func() error { return Ex05Certificate(lowOf, f) } }
	rung := func(f func(n, sMax int, c, eps, meanN, m, boundary, cube float64) float64) func() error {
		return func() error { return Ex05Rung(f, func(w, m float64) bool { return w < m }) }
	}
	distance := func(tail func(i, n int) float64) func() error {
		return func() error {
			return Ex06Distance(func(x []float64, m float64) float64 {
				slices.Sort(x)
				return ex06Steps(ex06Sample{x, m}, x, func(i int) float64 { return tail(i, len(x)) })
			})
		}
	}
	whole := func(f func(x []float64, m float64) float64) func() error {
		return func() error { return Ex06Distance(f) }
	}
	pointOf := func(c, m float64) float64 { return c - m + 2*m*math.Exp(-c/m) }
	point := func(f func(c, m float64) float64) func() error {
		return func() error { return Ex06Closed(f, func(rho float64) float64 { return 1 - rho }) }
	}
	queue := func(f func(rho float64) float64) func() error { return func() error { return Ex06Closed(pointOf, f) } }
	fit := func(f func(d ex06Data) (float64, float64)) func() error {
		return func() error {
			return Ex06Fit(func(n, w, se []float64) (float64, float64) { return f(ex06Data{n, w, se}) })
		}
	}
	total := func(f func(n, b int) float64) func() error {
		return func() error {
			return Ex07Even(func(n, b int) (float64, float64) { return f(n, b), ex07Spread{n, b}.square() })
		}
	}
	square := func(f func(n, b int) float64) func() error {
		return func() error {
			return Ex07Even(func(n, b int) (float64, float64) { return ex07Spread{n, b}.total(), f(n, b) })
		}
	}
	idleOf := func(x float64) float64 { return (2 - x) / (x - 1) }
	idle := func(f func(x float64) float64) func() error {
		return func() error { return Ex07Boundary(f, func(x, g float64) float64 { return 0 }) }
	}
	density := func(f func(x, g float64) float64) func() error {
		return func() error { return Ex07Boundary(idleOf, f) }
	}
	seen := func(f func(g float64) float64) func() error { return func() error { return Ex07Seen(f) } }
	factor := func(f func(n int, k, alpha float64, w [3]float64) float64) func() error {
		return func() error { return Ex07Factor(f) }
	}
	batch := func(f func(n int) int) func() error { return func() error { return Ex07Break(f) } }

	list := []one{
		{"serve to n-1, with make", serve(func(q, a, s []int64) ([]int64, []int64) {
			after, u := make([]int64, len(q)), make([]int64, len(q))
			for i := 0; i < len(q)-1; i++ {
				x := q[i] + a[i] - s[i]
				after[i], u[i] = max(x, 0), max(-x, 0)
			}
			return after, u
		}), "last"},
		{"serve from 1 on", serve(func(q, a, s []int64) ([]int64, []int64) {
			after, u := slices.Clone(q), make([]int64, len(q))
			for i := 1; i < len(q); i++ {
				x := q[i] + a[i] - s[i]
				after[i], u[i] = max(x, 0), max(-x, 0)
			}
			return after, u
		}), "first"},
		{"serve to n-1, u only", serve(func(q, a, s []int64) ([]int64, []int64) {
			after, u := make([]int64, len(q)), make([]int64, len(q))
			for i := range q {
				after[i] = max(q[i]+a[i]-s[i], 0)
			}
			for i := 0; i < len(q)-1; i++ {
				u[i] = max(s[i]-q[i]-a[i], 0)
			}
			return after, u
		}), "last"},
		{"serve, appended to make", serve(func(q, a, s []int64) ([]int64, []int64) {
			after, u := make([]int64, len(q)), make([]int64, len(q))
			for i := range q {
				x := q[i] + a[i] - s[i]
				after, u = append(after, max(x, 0)), append(u, max(-x, 0))
			}
			return after, u
		}), "grown"},
		{"route, appended to make", route(func(q []int64, a int64, r *rand.Rand) []int64 {
			return append(make([]int64, len(q)), make([]int64, len(q))...)
		}), "grown"},
		{"route to n-1", route(oneByOne(func(q, in []int64, r *rand.Rand) int {
			x := lengths(q, in)
			return shortest(x[:max(len(x)-1, 1)], r)
		})), "last"},
		{"route from 1 on", route(oneByOne(func(q, in []int64, r *rand.Rand) int {
			x := lengths(q, in)
			if len(x) == 1 {
				return 0
			}
			return 1 + shortest(x[1:], r)
		})), "first"},

		{"E U as 1/4", func() error { return Ex01Predict(func() (a, b, c, d float64) { return 1 / 4, 1 / 4, 32, 64 }) }, "division"},
		{"E U with -1/2", func() error {
			return Ex01Predict(func() (a, b, c, d float64) { x := math.Pow(16, -1/2); return x, x, 32, 64 })
		}, "division"},
		{"remainder, u^2", remainder(func(q, u int64) int64 { return 2*q*u - u ^ 2 }), "xor"},
		{"remainder, (u^2)", remainder(func(q, u int64) int64 { return 2*q*u - (u ^ 2) }), "xor"},
		{"remainder, difference of squares", remainder(func(q, u int64) int64 { return q ^ 2 - (q - u) ^ 2 }), "xor"},
		{"remainder, difference of (squares)", remainder(func(q, u int64) int64 { return (q ^ 2) - ((q - u) ^ 2) }), "xor"},
		{"remainder, parentheses", remainder(func(q, u int64) int64 { return u*2*q - u }), "order"},
		{"excess, 1/2*(...)", excess(func(n int, alpha, mean, second float64) float64 {
			gap := math.Pow(float64(n), -alpha)
			return gap * (mean - 1/2*(second-float64(n)*gap))
		}), "division"},
		{"excess, 1/2 once", excess(func(n int, alpha, mean, second float64) float64 {
			gap := math.Pow(float64(n), -alpha)
			return gap * (mean - second/2 + 1/2*float64(n)*gap)
		}), "division"},
		{"excess, 1/2 in front", excess(func(n int, alpha, mean, second float64) float64 {
			gap := math.Pow(float64(n), -alpha)
			return 1 / 2 * gap * (2*mean - second + float64(n)*gap)
		}), "zero"},
		{"excess, parentheses", excess(func(n int, alpha, mean, second float64) float64 {
			gap := math.Pow(float64(n), -alpha)
			return gap*mean - second/2 + float64(n)*gap/2
		}), "order"},
		{"excess, math.Pow the other way round", excess(func(n int, alpha, mean, second float64) float64 {
			gap := math.Pow(-alpha, float64(n))
			return gap * (mean - second/2 + float64(n)*gap/2)
		}), "pow"},
		{"excess, closed early", excess(func(n int, alpha, mean, second float64) float64 {
			gap := math.Pow(float64(n), -alpha)
			return gap*(mean-second/2) + float64(n)*gap/2
		}), "order"},
		{"excess, int(alpha)", excess(func(n int, alpha, mean, second float64) float64 {
			gap := math.Pow(float64(n), -float64(int(alpha)))
			return gap * (mean - second/2 + float64(n)*gap/2)
		}), "int"},
		{"drift, int", drift(func(q1, q2 int, load float64) float64 { return float64(int(ex01Drift(q1, q2, load))) }), "int"},
		{"drift, 1/2", drift(func(q1, q2 int, load float64) float64 { return 1 / 2 * (2 * ex01Drift(q1, q2, load)) }), "zero"},
		{"drift, int(load)", drift(func(q1, q2 int, load float64) float64 { return ex01Drift(q1, q2, float64(int(load))) }), "int|whole"},
		{"equal, parentheses", equal(func(load float64) float64 { return 1/1 + 2*load }), "order"},
		{"equal, 1/2", equal(func(load float64) float64 { return 1 / 2 / (1/2 + load) }), "zero"},
		{"equal, int", equal(func(load float64) float64 { return float64(int(1 / (1 + 2*load))) }), "zero"},
		{"equal, 1/2 below", equal(func(load float64) float64 { return 0.5 / (1/2 + load) }), "division"},
		{"equal, int(load)", equal(func(load float64) float64 { return 1 / (1 + 2*float64(int(load))) }), "int"},
		{"a law of 1/2", func() error {
			return Ex01Break(func() (float64, jsqlib.PMF) { return 0.5, jsqlib.PMF{1 / 2, 0, 1 / 2} })
		}, "division"},

		{"truth with 3/2", func() error {
			return Ex02Predict(func() (a, b, c, d float64) { return math.Pow(2, 3/2), 4, 1, 2 })
		}, "division"},
		{"random with 1/2", func() error {
			return Ex02Predict(func() (a, b, c, d float64) { return math.Pow(2, 1.5), 4, 1, math.Pow(4, 1/2) })
		}, "division"},
		{"average of whole numbers", split(func(q []int64) (float64, []float64, float64) {
			return float64(jsqlib.Total(q) / int64(len(q))), jsqlib.Perp(q), math.Sqrt(jsqlib.PerpNorm2(q))
		}), "division"},
		{"average of places", split(func(q []int64) (float64, []float64, float64) {
			sum := 0
			for i := range q {
				sum += i
			}
			return float64(sum) / float64(len(q)), jsqlib.Perp(q), math.Sqrt(jsqlib.PerpNorm2(q))
		}), "place"},
		{"average to n-1", split(func(q []int64) (float64, []float64, float64) {
			sum := jsqlib.Total(q[:len(q)-1])
			return float64(sum) / float64(len(q)), jsqlib.Perp(q), math.Sqrt(jsqlib.PerpNorm2(q))
		}), "last"},
		{"average, shadowed", split(func(q []int64) (parallel float64, perp []float64, l float64) {
			for range q {
				parallel := jsqlib.Parallel(q)
				_ = parallel
			}
			return parallel, jsqlib.Perp(q), math.Sqrt(jsqlib.PerpNorm2(q))
		}), "zero"},
		{"whole average taken off", split(func(q []int64) (float64, []float64, float64) {
			perp := make([]float64, len(q))
			for i := range q {
				perp[i] = float64(q[i] - jsqlib.Total(q)/int64(len(q)))
			}
			return jsqlib.Parallel(q), perp, math.Sqrt(jsqlib.PerpNorm2(q))
		}), "division"},
		{"perp, int", split(func(q []int64) (float64, []float64, float64) {
			perp := jsqlib.Perp(q)
			for i, x := range perp {
				perp[i] = float64(int(x))
			}
			return jsqlib.Parallel(q), perp, math.Sqrt(jsqlib.PerpNorm2(q))
		}), "int|division"},
		{"perp, appended to make", split(func(q []int64) (float64, []float64, float64) {
			return jsqlib.Parallel(q), append(make([]float64, len(q)), jsqlib.Perp(q)...), math.Sqrt(jsqlib.PerpNorm2(q))
		}), "grown"},
		{"length with 1/2", split(func(q []int64) (float64, []float64, float64) {
			return jsqlib.Parallel(q), jsqlib.Perp(q), math.Pow(jsqlib.PerpNorm2(q), 1/2)
		}), "division"},
		{"length to n-1", split(func(q []int64) (float64, []float64, float64) {
			perp, sum := jsqlib.Perp(q), 0.0
			for _, x := range perp[:len(perp)-1] {
				sum += x * x
			}
			return jsqlib.Parallel(q), perp, math.Sqrt(sum)
		}), "last"},
		{"length, int", split(func(q []int64) (float64, []float64, float64) {
			return jsqlib.Parallel(q), jsqlib.Perp(q), float64(int(math.Sqrt(jsqlib.PerpNorm2(q))))
		}), "int"},
		{"lost, whole division", lost(func(after, u []int64) float64 {
			n, q, total, squares := int64(len(u)), jsqlib.Total(after), jsqlib.Total(u), sumSquares(u)
			return float64(squares - total*total/n + 2*q*total/n)
		}), "division"},
		{"lost, u^2", lost(func(after, u []int64) float64 {
			n, q, total, squares := float64(len(u)), float64(jsqlib.Total(after)), float64(jsqlib.Total(u)), 0.0
			for _, x := range u {
				squares += float64(x ^ 2)
			}
			return squares - total*total/n + 2*q*total/n
		}), "xor"},
		{"lost, 2/n", lost(func(after, u []int64) float64 {
			return jsqlib.PerpNorm2(u) + float64(2/len(u)*int(jsqlib.Total(after)*jsqlib.Total(u)))
		}), "division"},
		{"lost, total^2", lost(func(after, u []int64) float64 {
			n, q, total, squares := float64(len(u)), jsqlib.Total(after), jsqlib.Total(u), sumSquares(u)
			return float64(squares) - float64(total^2)/n + float64(2*q*total)/n
		}), "xor"},
		{"lost, places of u", lost(func(after, u []int64) float64 {
			n, total, squares := float64(len(u)), 0.0, 0.0
			for i := range u {
				total, squares = total+float64(i), squares+float64(i*i)
			}
			return squares - total*total/n + 2*float64(jsqlib.Total(after))*total/n
		}), "place"},
		{"lost, from 1 on", lost(func(after, u []int64) float64 {
			n := float64(len(u))
			q, total, squares := float64(jsqlib.Total(after[1:])), float64(jsqlib.Total(u[1:])), float64(sumSquares(u[1:]))
			return squares - total*total/n + 2*q*total/n
		}), "first"},
		{"lost, parentheses", lost(func(after, u []int64) float64 {
			n, q, total, squares := float64(len(u)), float64(jsqlib.Total(after)), float64(jsqlib.Total(u)), float64(sumSquares(u))
			return squares + 2*q - total*total/n
		}), "order"},
		{"K, 1/n", kPerp(func(n int, mean, variance, s float64) float64 {
			return float64(1-1/n) * (variance + mean*mean + float64(n)*s)
		}), "division"},
		{"K, (n-1)/n", kPerp(func(n int, mean, variance, s float64) float64 {
			return float64((n-1)/n) * (variance + mean*mean + float64(n)*s)
		}), "zero"},
		{"K, parentheses", kPerp(func(n int, mean, variance, s float64) float64 {
			return (1-1/float64(n))*variance + mean*mean + float64(n)*s
		}), "order"},
		{"K, int(mean)", kPerp(func(n int, mean, variance, s float64) float64 {
			m := int(mean)
			return (1 - 1/float64(n)) * (variance + float64(m*m) + float64(n)*s)
		}), "int"},
		{"kappa, 1/2", kappa(func(n int, k, lambda, eta float64) float64 {
			return 1 / 2 * k / (lambda/math.Sqrt(float64(n*(n-1))) - eta)
		}), "zero"},
		{"kappa, parentheses", kappa(func(n int, k, lambda, eta float64) float64 {
			return k / 2 * (lambda/math.Sqrt(float64(n*(n-1))) - eta)
		}), "order"},
		{"kappa, no parentheses", kappa(func(n int, k, lambda, eta float64) float64 {
			return k/2*lambda/math.Sqrt(float64(n*(n-1))) - eta
		}), "order"},
		{"kappa, n^2", kappa(func(n int, k, lambda, eta float64) float64 {
			return k / (2 * (lambda/math.Sqrt(float64(n^2-n)) - eta))
		}), "xor"},
		{"kappa, root with 1/2", kappa(func(n int, k, lambda, eta float64) float64 {
			return k / (2 * (lambda/math.Pow(float64(n*(n-1)), 1/2) - eta))
		}), "division"},
		{"kappa, int of the root", kappa(func(n int, k, lambda, eta float64) float64 {
			return k / (2 * (lambda/float64(int(math.Sqrt(float64(n*(n-1))))) - eta))
		}), "int"},
		{"D, s/2", jump(func(n, a, s int) float64 {
			return float64(a)*math.Sqrt(float64(n*(n-1))) + float64(s/2)*math.Sqrt(float64(n))
		}), "division"},
		{"D, 1/2", jump(func(n, a, s int) float64 {
			return float64(a)*math.Sqrt(float64(n*(n-1))) + float64(1/2*s)*math.Sqrt(float64(n))
		}), "division"},
		{"D, n^2", jump(func(n, a, s int) float64 {
			return float64(a)*math.Sqrt(float64(n^2-n)) + float64(s)*math.Sqrt(float64(n))/2
		}), "xor"},
		{"D, int of the roots", jump(func(n, a, s int) float64 {
			return float64(a*int(math.Sqrt(float64(n*(n-1))))) + float64(s)*math.Sqrt(float64(n))/2
		}), "int"},
		{"D, n*s*s/4", jump(func(n, a, s int) float64 {
			return float64(a)*math.Sqrt(float64(n*(n-1))) + math.Sqrt(float64(n*s*s/4))
		}), "division"},
		{"D, n/4", jump(func(n, a, s int) float64 {
			return float64(a)*math.Sqrt(float64(n*(n-1))) + float64(s)*math.Sqrt(float64(n/4))
		}), "division"},
		{"tail, D/D+eta", tail(func(x, kappa, jump, eta float64) float64 {
			if x < kappa {
				return 1
			}
			return math.Pow(jump/jump+eta, math.Floor((x-kappa)/(2*jump))+1)
		}), "order"},
		{"tail, /2*D", tail(func(x, kappa, jump, eta float64) float64 {
			if x < kappa {
				return 1
			}
			return math.Pow(jump/(jump+eta), math.Floor((x-kappa)/2*jump)+1)
		}), "order"},
		{"tail, math.Pow the other way round", tail(func(x, kappa, jump, eta float64) float64 {
			if x < kappa {
				return 1
			}
			return math.Pow(math.Floor((x-kappa)/(2*jump))+1, jump/(jump+eta))
		}), "pow"},
		{"mean, parentheses", mean(func(kappa, jump, eta float64) float64 {
			beta := jump / (jump + eta)
			return kappa + 2*jump*beta/1 - beta
		}), "order"},
		{"mean, int", mean(func(kappa, jump, eta float64) float64 { return kappa + float64(int(2*jump*jump/eta)) }), "int"},

		{"fixed with 19/4", func() error { return Ex03Predict(func() (a, b, c, d float64) { return 2, 2, 19 / 4, 3 }) }, "division"},
		{"fixed with 7/4", func() error { return Ex03Predict(func() (a, b, c, d float64) { return 2, 2, 1 + 2 + 7/4, 3 }) }, "division"},
		{"log M, 1/r", moment(func(r int, kappa, jump, eta float64) float64 {
			return math.Log(math.Pow(math.Exp(float64(r)*ex03Moment{r, kappa, jump, eta}.log(2, 4, 0)), float64(1/r)))
		}), "zero"},
		{"log M, log10", moment(func(r int, kappa, jump, eta float64) float64 {
			f, _ := math.Lgamma(float64(r) + 1)
			a, b := float64(r)*math.Log10(2*kappa), float64(r)*math.Log10(4*jump*(jump+eta)/eta)+f
			return (max(a, b) + math.Log1p(math.Exp(-math.Abs(a-b)))) / float64(r)
		}), "log"},
		{"log M, Log2 throughout", moment(func(r int, kappa, jump, eta float64) float64 {
			x := float64(r)
			return math.Log2(math.Pow(2*kappa, x)+math.Pow(4*jump*(jump+eta)/eta, x)*math.Gamma(x+1)) / x
		}), "log"},
		{"log M, parentheses at D", moment(func(r int, kappa, jump, eta float64) float64 {
			f, _ := math.Lgamma(float64(r) + 1)
			a, b := float64(r)*math.Log(2*kappa), float64(r)*math.Log(4*jump*jump+eta/eta)+f
			return (max(a, b) + math.Log1p(math.Exp(-math.Abs(a-b)))) / float64(r)
		}), "order"},
		{"log M, parentheses at 1/r", moment(func(r int, kappa, jump, eta float64) float64 {
			f, _ := math.Lgamma(float64(r) + 1)
			a, b := float64(r)*math.Log(2*kappa), float64(r)*math.Log(4*jump*(jump+eta)/eta)+f
			return max(a, b) + math.Log1p(math.Exp(-math.Abs(a-b)))/float64(r)
		}), "order"},
		{"log M, int(kappa)", moment(func(r int, kappa, jump, eta float64) float64 {
			f, _ := math.Lgamma(float64(r) + 1)
			a, b := float64(r)*math.Log(float64(2*int(kappa))), float64(r)*math.Log(4*jump*(jump+eta)/eta)+f
			return (max(a, b) + math.Log1p(math.Exp(-math.Abs(a-b)))) / float64(r)
		}), "int"},
		{"product, 1/r", product(func(n, sMax, r int, moment, eps float64) float64 {
			return float64(n) * moment * math.Sqrt(float64(sMax)) * math.Pow(eps, float64(1-1/r))
		}), "division"},
		{"product, (r-1)/r", product(func(n, sMax, r int, moment, eps float64) float64 {
			return float64(n) * moment * math.Sqrt(float64(sMax)) * math.Pow(eps, float64((r-1)/r))
		}), "division"},
		{"product, r/(r-1)", product(func(n, sMax, r int, moment, eps float64) float64 {
			p := r / (r - 1)
			return float64(n) * moment * math.Sqrt(float64(sMax)) * math.Pow(eps, float64(1/p))
		}), "division"},
		{"product, root with 1/2", product(func(n, sMax, r int, moment, eps float64) float64 {
			return float64(n) * moment * math.Pow(float64(sMax), 1/2) * math.Pow(eps, 1-1/float64(r))
		}), "division"},
		{"product, parentheses", product(func(n, sMax, r int, moment, eps float64) float64 {
			return float64(n) * moment * math.Sqrt(float64(sMax)) * math.Pow(eps, float64(r)-1/float64(r))
		}), "order"},
		{"product, math.Pow the other way round", product(func(n, sMax, r int, moment, eps float64) float64 {
			return float64(n) * moment * math.Sqrt(float64(sMax)) * math.Pow(1-1/float64(r), eps)
		}), "pow"},
		{"rare, 1/r", rare(func(n int, alpha float64, r int) float64 {
			return math.Pow(math.Pow(float64(n), alpha-1), float64(1/r))
		}), "division"},
		{"rare, parentheses", rare(func(n int, alpha float64, r int) float64 { return math.Pow(float64(n), alpha-1/float64(r)) }), "order"},
		{"rare, parentheses and 1/r", rare(func(n int, alpha float64, r int) float64 { return math.Pow(float64(n), alpha-float64(1/r)) }), "order"},
		{"rare, int(alpha)", rare(func(n int, alpha float64, r int) float64 {
			return math.Pow(float64(n), float64(int(alpha)-1)/float64(r))
		}), "int"},
		{"rare, all whole", rare(func(n int, alpha float64, r int) float64 { return math.Pow(float64(n), float64((int(alpha)-1)/r)) }), "int|division"},
		{"order, Log10", order(func(n int, alpha float64) int { return int(math.Ceil(alpha-1) * math.Ceil(math.Log10(float64(n)))) }), "the natural one"},
		{"order, int(alpha)", order(func(n int, alpha float64) int { return int(alpha-1) * int(math.Ceil(math.Log(float64(n)))) }), "int"},
		{"order, int(log)", order(func(n int, alpha float64) int { return int(math.Ceil(alpha-1)) * int(math.Log(float64(n))) }), "int"},
		{"best, 1/r", best(func(n int, alpha float64, r int) float64 { return (alpha - 1) * float64(1/r) * math.Log(float64(n)) }), "division"},
		{"best, int(alpha)", best(func(n int, alpha float64, r int) float64 {
			return float64(int(alpha-1)) / float64(r) * math.Log(float64(n))
		}), "int"},
		{"best, Log10", best(func(n int, alpha float64, r int) float64 { return (alpha - 1) / float64(r) * math.Log10(float64(n)) }), "log"},

		{"limit of whole numbers", func() error { return Ex04Predict(func() (a, b, c float64) { return 1 / (1 + 2*3/4), -3, -9 }) }, "division"},
		{"limit with 3/4", func() error { return Ex04Predict(func() (a, b, c float64) { return 1 / (1 + 2.0*(3/4)), -3, -9 }) }, "division"},
		{"limit as 2/5", func() error { return Ex04Predict(func() (a, b, c float64) { return 2 / 5, -3, -9 }) }, "division"},
		{"rest, parentheses", rest(func(after, u []int64, s float64) float64 {
			q, t := float64(jsqlib.Total(after)), float64(jsqlib.Total(u))
			return 1 - math.Exp(-s*q)*(math.Exp(s*t)-1)
		}), "order"},
		{"rest, int(s)", rest(func(after, u []int64, s float64) float64 {
			q, t := jsqlib.Total(after), jsqlib.Total(u)
			return (1 - math.Exp(float64(-int64(s)*q))) * (math.Exp(float64(int64(s)*t)) - 1)
		}), "zero"},
		{"rest, places", rest(func(after, u []int64, s float64) float64 {
			q, t := 0, 0
			for i := range after {
				q, t = q+i, t+i
			}
			return -math.Expm1(-s*float64(q)) * math.Expm1(s*float64(t))
		}), "place"},
		{"rest, to n-1", rest(func(after, u []int64, s float64) float64 {
			q, t := 0.0, 0.0
			for i := 0; i < len(u)-1; i++ {
				q, t = q+float64(after[i]), t+float64(u[i])
			}
			return -math.Expm1(-s*q) * math.Expm1(s*t)
		}), "last"},
		{"rest, from 1 on, u only", rest(func(after, u []int64, s float64) float64 {
			return -math.Expm1(-s*float64(jsqlib.Total(after))) * math.Expm1(s*float64(jsqlib.Total(u[1:])))
		}), "first"},
		{"vanish, from 1 on", vanish(func(a, s []float64, n int, x float64) float64 { return vanishOf(a, s, n, x, 1, 0) }), "first"},
		{"vanish, to n-1", vanish(func(a, s []float64, n int, x float64) float64 { return vanishOf(a, s, n, x, 0, 1) }), "last"},
		{"vanish, parentheses", vanish(func(a, s []float64, n int, x float64) float64 {
			w := 0.0
			for k, p := range a {
				for l, q := range s {
					w += p * q * math.Expm1(-x*float64(k-l))
				}
			}
			return 1 - math.Pow(float64(n), 1+w)
		}), "pow"},
		{"second, 1/2", second(func(eps, v float64) float64 { return 1 / 2 * (v + eps*eps) }), "zero"},
		{"second, parentheses", second(func(eps, v float64) float64 { return v + eps*eps/2 }), "order"},
		{"second, 1/2 of one", second(func(eps, v float64) float64 { return v/2 + 1/2*eps*eps }), "division"},
		{"denominator, 1/(2n)", denominator(func(n int, c, v, theta float64) float64 {
			return 1 + theta*v*float64(1/(2*n)) + theta*c*c*float64(n)/2
		}), "division"},
		{"denominator, parentheses", denominator(func(n int, c, v, theta float64) float64 {
			return 1 + theta*v/2*float64(n) + theta*c*c*float64(n)/2
		}), "order"},
		{"denominator, n/2", denominator(func(n int, c, v, theta float64) float64 {
			return 1 + theta*v/(2*float64(n)) + theta*c*c*float64(n/2)
		}), "division"},
		{"denominator, 1/2", denominator(func(n int, c, v, theta float64) float64 {
			return 1 + 1/2*theta*v/float64(n) + 1/2*theta*c*c*float64(n)
		}), "division"},
		{"alpha as 1/2", func() error { return Ex04Break(func() (float64, float64) { return 1 / 2, 1 }) }, "division"},

		{"exponent as -5/2", func() error { return Ex05Predict(func() (a, b, c float64) { return -1, 0, -5 / 2 }) }, "division"},
		{"exponent with 9/2", func() error { return Ex05Predict(func() (a, b, c float64) { return -1, 0, 2 - 9/2 }) }, "division"},
		{"f'', parentheses", kink(func(m, b, x float64) float64 {
			if x >= b {
				return -1
			}
			return 1 - 2*math.Exp(x-b/m)
		}), "order"},
		{"f'', parentheses in min", kink(func(m, b, x float64) float64 { return 1 - 2*math.Exp(min(x-b/m, 0)) }), "order"},
		{"f'', closed early", kink(func(m, b, x float64) float64 { return 1 - 2*math.Exp(min(x-b, 0))/m }), "order"},
		{"f'', int", kink(func(m, b, x float64) float64 { return 1 - 2*math.Exp(float64(int(min(x-b, 0)))/m) }), "int"},
		{"f', lost parentheses", prime(func(m, b, x float64) float64 {
			return m*1 - 2*math.Exp(min(x-b, 0)/m) - math.Abs(x-b) + b - m + 2*m*math.Exp(-b/m)
		}), "order"},
		{"f''', parentheses", third(func(m, s, h float64) float64 { return s + h/m }), "order"},
		{"f''', 1/m of int", third(func(m, s, h float64) float64 { return float64(int(1/m)) * (s + h) }), "int"},
		{"f''', int", third(func(m, s, h float64) float64 { return float64(int((s + h) / m)) }), "int"},
		{"low, 1/2*(...)", low(func(c, eps, m, mean, second, cube float64) float64 { return c * math.Abs(mean-1/2*(second-eps)) }), "division"},
		{"low, 1/2 in front", low(func(c, eps, m, mean, second, cube float64) float64 { return 1 / 2 * c * math.Abs(2*mean-second+eps) }), "zero"},
		{"low, parentheses", low(func(c, eps, m, mean, second, cube float64) float64 { return c * math.Abs(mean-second-eps/2) }), "order"},
		{"high, 1/3", high(func(c, eps, m, mean, second, cube float64) float64 {
			return c*(mean+second/2+eps/2) + 1/3*c*c*cube/(m*eps)
		}), "division"},
		{"high, parentheses", high(func(c, eps, m, mean, second, cube float64) float64 {
			return c*(mean+second/2+eps/2) + c*c*cube/3*m*eps
		}), "order"},
		{"high, 1/2*(...)", high(func(c, eps, m, mean, second, cube float64) float64 {
			return c*(mean+1/2*(second+eps)) + c*c*cube/(3*m*eps)
		}), "division"},
		{"high, 2/6", high(func(c, eps, m, mean, second, cube float64) float64 {
			return c*(mean+second/2+eps/2) + 2/6*c*c*cube/(m*eps)
		}), "division"},
		{"rung, 1/2*n*s", rung(func(n, sMax int, c, eps, meanN, m, h, cube float64) float64 {
			return c*(h+float64(1/2*n*sMax)+eps/2) + c*c*cube/(3*meanN*eps) + math.Abs(meanN-m)
		}), "division"},
		{"rung, n*s/2", rung(func(n, sMax int, c, eps, meanN, m, h, cube float64) float64 {
			return c*(h+float64(n*sMax/2)+eps/2) + c*c*cube/(3*meanN*eps) + math.Abs(meanN-m)
		}), "division"},
		{"rung, n*(s/2)", rung(func(n, sMax int, c, eps, meanN, m, h, cube float64) float64 {
			return c*(h+float64(n*(sMax/2))+eps/2) + c*c*cube/(3*meanN*eps) + math.Abs(meanN-m)
		}), "division"},
		{"rung, parentheses", rung(func(n, sMax int, c, eps, meanN, m, h, cube float64) float64 {
			return c*(h+float64(n*sMax)/2+eps/2) + c*c*cube/3*meanN*eps + math.Abs(meanN-m)
		}), "order"},

		{"floor with 1/100", func() error {
			return Ex06Predict(func() (float64, float64) { return 1 / 100 * 0.5 * math.Sqrt(math.Pi/2), 0 })
		}, "division"},
		{"distance, i/n", distance(func(i, n int) float64 { return 1 - float64(i/n) }), "division"},
		{"distance, i+1", distance(func(i, n int) float64 { return 1 - float64(i+1)/float64(n) }), "not i+1"},
		{"distance, places", whole(func(x []float64, m float64) float64 {
			y := make([]float64, 0, len(x))
			for v := range x {
				y = append(y, float64(v))
			}
			return ex06W1(ex06Sample{y, m})
		}), "place"},
		{"distance, appended to make", whole(func(x []float64, m float64) float64 {
			return ex06W1(ex06Sample{append(make([]float64, len(x)), x...), m})
		}), "grown"},
		{"distance, from 1 on", whole(func(x []float64, m float64) float64 {
			slices.Sort(x)
			return ex06W1(ex06Sample{x[1:], m})
		}), "first"},
		{"point, parentheses", point(func(c, m float64) float64 { return c - m*1 - math.Exp(-c/m) + m*math.Exp(-c/m) }), "order"},
		{"point, closed early", point(func(c, m float64) float64 { return c - m + 2*m*math.Exp(-c)/m }), "order"},
		{"point, int", point(func(c, m float64) float64 { return float64(int(pointOf(c, m))) }), "int"},
		{"queue, int", queue(func(rho float64) float64 { return float64(int(1 - rho)) }), "zero"},
		{"queue, parentheses", queue(func(rho float64) float64 { return 1 - (1-rho)*rho/1 - rho }), "order"},
		{"rate, one Log10", fit(func(d ex06Data) (float64, float64) {
			u, v, s := d.logs()
			for i := range u {
				u[i] /= math.Ln10
			}
			return ex06Fit(u, v, s)
		}), "log"},
		{"both Log10", fit(func(d ex06Data) (float64, float64) {
			u, v, s := d.logs()
			for i := range u {
				u[i], v[i] = u[i]/math.Ln10, v[i]/math.Ln10
			}
			return ex06Fit(u, v, s)
		}), "log"},
		{"fit to n-1", fit(func(d ex06Data) (float64, float64) {
			return ex06Fit(ex06Data{d.n[:5], d.w[:5], d.se[:5]}.logs())
		}), "last"},
		{"half width with 1/2", fit(func(d ex06Data) (float64, float64) {
			rate, half := ex06Fit(d.logs())
			return rate, 1.96 * math.Pow(half, 1/2)
		}), "division"},
		{"half width of 196/100", fit(func(d ex06Data) (float64, float64) {
			rate, half := ex06Fit(d.logs())
			return rate, 196 / 100 * half / 1.96
		}), "division"},
		{"sample, appended to make", func() error {
			return Ex06Break(func(n int, r *rand.Rand) []float64 {
				x := make([]float64, n)
				for range n {
					x = append(x, r.ExpFloat64())
				}
				return x
			})
		}, "grown"},

		{"factor with -1/2", func() error { return Ex07Predict(func() (a, b, c, d float64) { return 2, 1, math.Pow(4, -1/2), 2.5 }) }, "division"},
		{"factor as 1/2", func() error { return Ex07Predict(func() (a, b, c, d float64) { return 2, 1, 1 / 2, 2.5 }) }, "division"},
		{"proved as 5/2", func() error { return Ex07Predict(func() (a, b, c, d float64) { return 2, 1, 0.5, 5 / 2 }) }, "division"},
		{"proved with 1/2", func() error { return Ex07Predict(func() (a, b, c, d float64) { return 2, 1, 0.5, 3 - 1/2 }) }, "division"},
		{"total, n/2", total(func(n, b int) float64 { return float64(n / 2 * (b - 1)) }), "division"},
		{"total, 1/2 of 1", total(func(n, b int) float64 { return float64(n*b - 1/2) }), "order"},
		{"total, (b-1)/2", total(func(n, b int) float64 { return float64(n * ((b - 1) / 2)) }), "division"},
		{"total, 1/2", total(func(n, b int) float64 { return float64(1 / 2 * n * (b - 1)) }), "division"},
		{"total, parentheses", total(func(n, b int) float64 { return float64(n)*float64(b) - 1/2.0 }), "order"},
		{"square, b^2", square(func(n, b int) float64 { return float64(n*(b^2-1)) / 12 }), "xor"},
		{"square, b^2 whole", square(func(n, b int) float64 { return float64(n * (b ^ 2 - 1) / 12) }), "xor"},
		{"square, (b^2-1)/12", square(func(n, b int) float64 { return float64(n * ((b*b - 1) / 12)) }), "division"},
		{"square, 1/12", square(func(n, b int) float64 { return 1 / 12 * float64(n) * float64(b*b-1) }), "zero"},
		{"square, n/12", square(func(n, b int) float64 { return float64(n/12) * float64(b*b-1) }), "division"},
		{"square, parentheses", square(func(n, b int) float64 { return float64(n*b*b-1) / 12 }), "order"},
		{"idle, parentheses", idle(func(x float64) float64 { return 2 - x/(x-1) }), "order"},
		{"idle, parentheses below", idle(func(x float64) float64 { return (2-x)/x - 1 }), "order"},
		{"idle, int", idle(func(x float64) float64 { return float64(int((2 - x) / (x - 1))) }), "int"},
		{"density, parentheses", density(func(x, g float64) float64 {
			if x >= 2 {
				return math.Exp(-g * (x - 2))
			}
			return (x - 1) * math.Exp((1+g)*2-x)
		}), "order"},
		{"density, parentheses at 2", density(func(x, g float64) float64 {
			if x >= 2 {
				return math.Exp(-g*x - 2)
			}
			return (x - 1) * math.Exp((1+g)*(2-x))
		}), "order"},
		{"density, Log10", density(func(x, g float64) float64 {
			if x >= 2 {
				return math.Exp(-g * (x - 2))
			}
			return math.Exp(math.Log10(x-1) - (1+g)*(x-2))
		}), "log"},
		{"density, int(g)", density(func(x, g float64) float64 {
			g = float64(int(g))
			if x >= 2 {
				return math.Exp(-g * (x - 2))
			}
			return (x - 1) * math.Exp((1+g)*(2-x))
		}), "int"},
		{"seen, i/n", seen(func(g float64) float64 { return seenOf(g, func(i, n int) float64 { return float64(1 + i/n) }) }), "division"},
		{"seen, 1/n", seen(func(g float64) float64 {
			return seenOf(g, func(i, n int) float64 { return 1 + float64(i)*float64(1/n) })
		}), "division"},
		{"seen, int(g)", seen(func(g float64) float64 { return ex07Seen(ex07Gap(float64(int(g)))) }), "int"},
		{"C, 1/3", factor(func(n int, k, alpha float64, w [3]float64) float64 {
			y := ex07Three{n, k, alpha, w}.scaled()
			return 1 / 3 * (y[0] - 6*y[1] + 8*y[2])
		}), "zero"},
		{"C, 8/3 and 1/3", factor(func(n int, k, alpha float64, w [3]float64) float64 {
			y := ex07Three{n, k, alpha, w}.scaled()
			return 8/3*y[2] - 2*y[1] + 1/3*y[0]
		}), "division"},
		{"C, parentheses", factor(func(n int, k, alpha float64, w [3]float64) float64 {
			y := ex07Three{n, k, alpha, w}.scaled()
			return y[0] - 6*y[1] + 8*y[2]/3
		}), "order"},
		{"C, 4^i", factor(func(n int, k, alpha float64, w [3]float64) float64 {
			var y [3]float64
			for i := range w {
				y[i] = w[i] * math.Pow(float64(n*(4^i)), alpha-k)
			}
			return (y[0] - 6*y[1] + 8*y[2]) / 3
		}), "xor"},
		{"C, n*4^i", factor(func(n int, k, alpha float64, w [3]float64) float64 {
			var y [3]float64
			for i := range w {
				y[i] = w[i] * math.Pow(float64(n*4^i), alpha-k)
			}
			return (y[0] - 6*y[1] + 8*y[2]) / 3
		}), "xor"},
		{"C, int(alpha-k)", factor(func(n int, k, alpha float64, w [3]float64) float64 {
			y := ex07Three{n, k, alpha, w}.scaled()
			for i := range y {
				y[i] *= math.Pow(float64(n)*math.Pow(4, float64(i)), float64(int(alpha-k))-(alpha-k))
			}
			return (y[0] - 6*y[1] + 8*y[2]) / 3
		}), "int"},
		{"batch, 1/2", batch(func(n int) int { return int(math.Pow(float64(n), 1/2)) }), "division"},
		{"batch, n^(1/2)", batch(func(n int) int { return n ^ (1 / 2) }), "xor"},
	}
	named := 0
	for _, s := range list {
		err := s.check()
		if err == nil {
			t.Errorf("%s: passes", s.name)
			continue
		}
		ok := false
		for _, piece := range strings.Split(s.says, "|") {
			if says := string(slipPieces[piece]); says != "" {
				piece = says
			}
			ok = ok || strings.Contains(err.Error(), piece)
		}
		if ok {
			named++
		} else {
			t.Errorf("%s: %v", s.name, err)
		}
	}
	t.Logf("%d of %d slips are named", named, len(list))
}

func sumSquares(u []int64) (sum int64) {
	for _, x := range u {
		sum += x * x
	}
	return sum
}

func ex01Drift(q1, q2 int, load float64) float64 {
	s := ex01State{q1, q2, load}
	return s.arrivals() + s.services()
}

// vanishOf leaves out the first or last entries of both laws.
func vanishOf(a, s []float64, n int, x float64, first, last int) float64 {
	w := 0.0
	for k := first; k < len(a)-last; k++ {
		for l := first; l < len(s)-last; l++ {
			w += a[k] * s[l] * math.Expm1(-x*float64(k-l))
		}
	}
	return -math.Expm1(float64(n) * math.Log1p(w))
}

func seenOf(g float64, place func(i, n int) float64) float64 {
	const n = 1000
	sum, mean := 0.0, 0.0
	for i := range n {
		x := place(i, n)
		w := (2 - x) * math.Exp(-(1+g)*x)
		sum, mean = sum+w, mean+w*x
	}
	return mean / sum
}
