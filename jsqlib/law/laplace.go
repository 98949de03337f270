package law

import (
	"math"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/num"
)

// Laplace returns E e^(-theta Z), Z = c Q, for theta >= 0, by
//
//	E e^(-theta Z) (1 - M(e^t)) = E[ e^(t Q^+) (1 - e^(-t U)) ],   t = -theta c,
//
// solved for the transform (derived); the right side divided by eps (1 - e^(-t)) is E e^(t Q~). It
// fails with [*jsqlib.Invalid] for a negative, infinite or NaN theta.
func (t *Total) Laplace(theta float64) (float64, error) {
	if err := checkTheta(theta); err != nil {
		return 0, err
	}
	return t.transform(-theta * t.kernel.gap), nil
}

// transform returns E e^(x Q) for x <= 0, the product of the kernel's and the boundary law's
// transforms. Where e^(x Q~) overflows for Q~ < 0, the value is the sum of P(Q = n) e^(x n), whose
// first terms are all that matter there.
func (t *Total) transform(x float64) float64 {
	if y := t.kernel.transformAt(x) * (1 + t.boundaryTransform(x)); !math.IsNaN(y) && !math.IsInf(y, 0) {
		return y
	}
	return t.Tilted(t.kernel.gap/x, 0, 0, math.Inf(1))
}

// LaplaceError returns E e^(-theta Z) - 1/(1 + m theta), m the limit mean, without cancellation: its
// size is c E Q~ times a number below 1, 1e-10 and far less. It fails as [Total.Laplace] does.
//
// Derived: with E e^(t Q~) = 1 + beta, (1 - e^(-t))/t = 1 + nu and (1 - M(e^t))/(eps t) = 1 + m theta +
// delta, it is
//
//	[ (nu + beta + nu beta) (1 + m theta) - delta ] / [ (1 + m theta + delta) (1 + m theta) ],
//
// and each of nu, beta and delta is a sum of remainders of an exponential or a logarithm after its
// first terms.
func (t *Total) LaplaceError(theta float64) (float64, error) {
	if err := checkTheta(theta); err != nil {
		return 0, err
	}
	k := &t.kernel
	x := -theta * k.gap
	limit := 1 + k.limitMean*theta
	if -x > directLaplace { // the two are far apart
		return t.transform(x) - 1/limit, nil
	}
	nu, delta := k.laplaceParts(theta)
	beta := t.boundaryTransform(x)
	return ((nu+beta+nu*beta)*limit - delta) / ((limit + delta) * limit), nil
}

// directLaplace is the value of theta c above which LaplaceError subtracts.
const directLaplace = 0.1

func checkTheta(theta float64) error {
	if !(theta >= 0) || math.IsInf(theta, 1) {
		return jsqlib.Refuse("law", "theta", theta, "0 <= theta < Inf")
	}
	return nil
}

// boundaryTransform returns E e^(x Q~) - 1.
func (t *Total) boundaryTransform(x float64) float64 {
	var sum num.Sum
	for i, p := range t.b {
		sum.Add(p * math.Expm1(x*float64(t.min+i)))
	}
	return sum.Value()
}

// transformAt returns sum K(n) e^(x n) for x <= 0.
func (k *Kernel) transformAt(x float64) float64 {
	if x == 0 {
		return 1
	}
	if k.walk == nil {
		return k.gap / (k.gap - (1-k.gap)*math.Expm1(x))
	}
	// eps (1 - e^(-x)) / (1 - M(e^x)), both factors negative
	top := k.eps * math.Expm1(-x)
	bottom := math.Expm1(k.n * math.Log1p(k.walk.Transform(x)))
	if math.IsInf(bottom, 1) {
		return 0
	}
	return top / bottom
}

// laplaceParts returns nu and delta of LaplaceError.
func (k *Kernel) laplaceParts(theta float64) (nu, delta float64) {
	e := k.gap
	x := -theta * e
	if k.walk == nil {
		// (e - (1-e)(e^x - 1))/e = 1 + theta + delta
		return 0, x - (1-e)*theta*theta*e*num.Tail2(x)
	}
	s := k.walk
	nu = -x * num.Tail2(-x)
	if x == 0 {
		return nu, 0
	}
	// With w = phi(e^x) - 1 = -e x + s2 x^2/2 + x^3 T3 and kappa = N log(1+w)
	//
	//	1 - M(e^x) = -kappa - kappa^2 Tail2(kappa)
	//	           = eps x - v x^2/2 - N e^2 x^2/2 - N x^3 T3 + N w^2 LogTail2(w) - kappa^2 Tail2(kappa),
	//
	// and -v x^2/2 = eps x m_N theta.
	wx := -e + x*s.Mean(2, x, num.Tail2) // w/x
	w := x * wx
	kappaX := k.n * wx * (1 - w*num.LogTail2(w)) // kappa/x
	kappa := x * kappaX
	delta = -e*x/2 + x*theta*s.Mean(3, x, num.Tail3) +
		(w/e)*wx*num.LogTail2(w) - (kappa/k.eps)*kappaX*num.Tail2(kappa)
	return nu, k.meanShift*theta + delta
}
