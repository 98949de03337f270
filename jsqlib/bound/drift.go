package bound

import (
	"cmp"
	"fmt"
	"math"

	"jsqlab/jsqlib"
)

// Drift bounds the motion of L = ||q_perp||_2 in one slot under Join the Shortest Queue:
//
//	E[L^+ - L | q] <= Line(L) = KPerp/(2L) - Slope,   |L^+ - L| <= Jump,
//	E[L^+ - L | q] <= -Eta   for L >= Kappa = KPerp / (2 (Slope - Eta)),
//
// with lengths in jobs, KPerp = (1 - 1/N)(E a^2 + N sigma_s^2), a the arrivals of a slot,
// Slope = lam/sqrt(N(N-1)) and Jump = D = A_max sqrt(N(N-1)) + S_max sqrt(N)/2. All but Eta is given by
// the system; Eta is any number in (0, Slope).
//
// Derived. From <q^+, u> = 0, with W = Q + A - S = Q^+ - U,
//
//	||q_perp^+||^2 = ||(q + a - s)_perp||^2 - ||u||^2 + U^2/N - 2 Q^+ U/N
//	              <= ||(q + a - s)_perp||^2,
//
// as U^2 <= N ||u||^2. The right side has mean L^2 + KPerp - 2 lam (Q/N - q_min) when the whole batch
// joins a shortest queue. Of n entries with sum 0 and minimum -g the largest norm is g sqrt(N(N-1)),
// hence Q/N - q_min >= L/sqrt(N(N-1)); and L^+ - L <= (L^+^2 - L^2)/(2L). For L^+ - L itself,
// ||a_perp|| <= A_max sqrt(N(N-1)), and s - u in [0, S_max]^N is within S_max sqrt(N)/2 of the line of
// equal queues.
//
// All of it holds for job by job routing too: sending each job to the then shortest queue makes ||q +
// a||^2 smallest among all ways to place the jobs.
type Drift struct {
	Servers int
	KPerp   float64 // jobs^2
	Slope   float64 // jobs per slot
	Jump    float64 // D, jobs
	Eta     float64 // jobs per slot
	Kappa   float64 // jobs
}

// NewDrift returns the drift bound of the system with the textbook choice of Eta, half the slope, which
// makes Kappa = KPerp/Slope. It fails with [*jsqlib.Invalid] for N = 1, where nothing can collapse, for
// continuous time, for policies other than JSQ, and as [jsqlib.Model.Constants] does.
func NewDrift(s jsqlib.Model) (Drift, error) {
	c, err := s.Constants()
	if err != nil {
		return Drift{}, err
	}
	return newDrift(s, c)
}

// check refuses a d that is no drift bound, such as the zero value.
func (d Drift) check() error {
	for _, x := range []float64{d.KPerp, d.Slope, d.Jump, d.Eta, d.Kappa} {
		if !(x > 0) || math.IsInf(x, 1) {
			return jsqlib.Refuse("bound", "d", fmt.Sprintf("%+v", d), "a drift bound of NewDrift")
		}
	}
	return nil
}

func newDrift(s jsqlib.Model, c jsqlib.Constants) (Drift, error) {
	if s.Continuous {
		return Drift{}, jsqlib.Refuse("bound", "model", jsqlib.CT, "dt (the drift bounds are those of slots)")
	}
	if c.N < 2 {
		return Drift{}, jsqlib.Refuse("bound", "servers", c.N, "servers >= 2 (q_perp = 0 for one server)")
	}
	if !s.JSQ() {
		return Drift{}, jsqlib.Refuse("bound", "policy", s.Policy, "jsq (the drift of other rules has another bound)")
	}
	n := float64(c.N)
	root := math.Sqrt(n) * math.Sqrt(n-1)
	d := Drift{
		Servers: c.N,
		KPerp:   (1 - 1/n) * (n*c.ArrivalVar + c.Lambda*c.Lambda + n*c.ServiceVar),
		Slope:   c.Lambda / root,
		Jump:    float64(c.AMax)*root + float64(c.SMax)*math.Sqrt(n)/2,
	}
	return d.withEta(d.Slope / 2), nil
}

// WithEta returns the bound with another choice of Eta, and Kappa as it follows. It fails with
// [*jsqlib.Invalid] unless 0 < eta < Slope.
func (d Drift) WithEta(eta float64) (Drift, error) {
	if !(eta > 0 && eta < d.Slope) {
		return Drift{}, jsqlib.Refuse("bound", "eta", eta, "0 < eta < lam/sqrt(N(N-1))")
	}
	return d.withEta(eta), nil
}

func (d Drift) withEta(eta float64) Drift {
	d.Eta = eta
	d.Kappa = d.KPerp / (2 * (d.Slope - eta))
	return d
}

// Line returns KPerp/(2l) - Slope, the bound on E[L^+ - L | q] at L = l, in jobs per slot; +Inf at
// l = 0. It is positive for l < KPerp/(2 Slope).
func (d Drift) Line(l float64) float64 { return d.KPerp/(2*l) - d.Slope }

// Optimised returns the bound with the Eta that makes [Drift.LogMoment] of order r smallest, and so
// every bound that follows from it at that r. It fails with [*jsqlib.Invalid] for an r that
// [Drift.LogMoment] refuses.
//
// The search is by golden sections on Eta/Slope in (0, 1), to 1e-6, without derivatives. The moment
// bound falls and then rises in Eta.
func (d Drift) Optimised(r int) (Drift, error) {
	if err := cmp.Or(checkOrder(r), d.withEta(d.Slope/2).check()); err != nil {
		return Drift{}, err
	}
	var buffer []float64
	x := golden(1e-6, 1-1e-6, 1e-6, func(t float64) float64 {
		x := d.withEta(t * d.Slope)
		var log float64
		log, buffer = x.logMoment(r, buffer)
		return log
	})
	return d.withEta(x * d.Slope), nil
}

// golden returns where f, falling and then rising on [a, b], is smallest, to within tol, with one value
// of f a step.
func golden(a, b, tol float64, f func(float64) float64) float64 {
	const ratio = 0.6180339887498949 // (sqrt(5) - 1)/2
	x, y := b-ratio*(b-a), a+ratio*(b-a)
	fx, fy := f(x), f(y)
	for b-a > tol {
		if fx <= fy {
			b, y, fy = y, x, fx
			x = b - ratio*(b-a)
			fx = f(x)
		} else {
			a, x, fx = x, y, fy
			y = a + ratio*(b-a)
			fy = f(y)
		}
	}
	return (a + b) / 2
}
