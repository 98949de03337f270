package law

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/num"
)

// Kernel is the law-like sequence K of the split
//
//	P(Q = n) = sum_j P(Q~ = j) K(n - j),
//	sum_n K(n) z^n = eps (1 - 1/z) / (1 - M(z)),   M(z) = E z^X,
//
// with X = A - S the change of the total in a slot before unused service is added, and eps = -E X
// (derived: E z^Q (1 - M(z)) = E[z^(Q^+) (1 - z^(-U))] in steady state). Equivalently
// K(n) = eps (g(n) - g(n+1)) with the potential kernel g(x) = sum_k P(X_1 + ... + X_k = x) of the free
// walk. K sums to 1 and may be negative near 0.
//
// The kernel is held as
//
//	K(n) = C rho^n [n >= 0] + eps r(n),   rho = 1/z*, M(z*) = 1, z* > 1,
//
// where r is 0 outside a few tens of standard deviations of X around 0. Both C and eps r are of the
// order eps/v, so that every K(n) near 0 has the same relative accuracy at a gap of 1e-60 as at 0.5.
//
// In continuous time K(n) = (1 - lambda) lambda^n, n >= 0, and r = 0.
type Kernel struct {
	gap       float64 // e, the scale c of Z = e Q
	eps       float64
	n         float64 // N
	limitMean float64
	meanN     float64
	meanShift float64 // m_N - m

	rate    float64 // theta
	excess  float64 // theta - e/m_N
	slope   float64 // kappa'(theta)/eps - 1, kappa = log M
	corr    []float64
	corrMin int

	mean, second float64 // sum n K(n), sum n^2 K(n)
	thirdAbs     float64 // E|X|^3
	remainder    float64 // last term of the Stein bound
	support      int     // Q~ >= -support

	walk *num.Walk // nil in continuous time
}

const (
	// roundoff bounds, relative to the largest entry, what a correction that has died out may leave at
	// the ends of the transform.
	roundoff = 1e-12
	// maxLength bounds the length of the transform.
	maxLength = 1 << 22
)

// NewKernel returns the kernel of a system. In continuous time it is K(n) = (1 - lambda) lambda^n for
// n >= 0 (derived: the balance of z^Q gives E z^Q = E[I z^Q]/(N (1 - lambda z)), I the number of idle
// servers). The rest of this comment is about discrete time.
//
// The cost does not depend on the gap. It is O(sqrt(v) log v) while eps is below sqrt(v), a few
// milliseconds for N = 100 000 reference servers. NewKernel fails with [*jsqlib.Invalid], of What
// "system", for constants that are not of a system, and in two corners in which the correction r does
// not die out within reach:
//
//   - X is nearly confined to a sublattice. For example N = 2, deterministic arrivals and services on
//     {0, 2} at a tiny gap: X is even except in slots in which a job is thinned out. The law of Q then
//     remembers its parity over 1/sqrt(gap) states.
//   - eps^3/v, the scale on which steps of size eps blur into a density, is above 500 000: N = 10 000
//     at a gap of 0.5.
//
// Derived: K(z)/eps = (1 - 1/z)/(1 - M(z)) has a simple pole at z* = e^theta, with
// kappa(t) = log M(e^t) and kappa(theta) = 0. With that pole taken out,
//
//	r(z) = (1 - 1/z)/(1 - M(z)) - [ (1 - rho)/kappa'(theta) ] / (1 - rho z)
//
// is analytic in an annulus around |z| = 1 whose width is of the order 1/sqrt(v) whatever the gap (the
// next zeros of 1 - M(e^t) are near t = sqrt(4 pi i/v)). Its coefficients are found by a discrete
// Fourier transform over |z| = 1, whose length is doubled until they have died out at both ends;
// r(1) = 1/eps - 1/kappa'(theta) is a sum of third moments. No step subtracts numbers that agree.
func NewKernel(c jsqlib.Constants) (*Kernel, error) {
	if !(c.Gap > 0 && c.Gap < 1) || c.N < 1 || !c.Continuous() && (len(c.Arrivals) < 2 || len(c.Service) < 2) {
		return nil, refuse(fmt.Sprintf("N = %d, gap = %v", c.N, c.Gap), "that of Model.Constants")
	}
	if c.Continuous() {
		return ctKernel(c), nil
	}
	if !(c.LimitMean > 0 && c.MeanN > 0) || math.IsInf(c.LimitMean, 1) || math.IsInf(c.MeanN, 1) || c.MeanShift-c.MeanShift != 0 {
		return nil, refuse(fmt.Sprintf("limit mean = %v, mean = %v and shift %v", c.LimitMean, c.MeanN, c.MeanShift), "those of Model.Constants")
	}
	for _, p := range slices.Concat(c.Arrivals, c.Service) {
		if !(p >= 0 && p <= 1+sumTolerance) {
			return nil, refuse(fmt.Sprintf("a probability %v", p), "those of Model.Constants")
		}
	}
	s, err := num.NewWalk(c.Arrivals, c.Service, c.Gap)
	if err != nil {
		return nil, refuse("P(a > s) = 0 for one server", "arrivals that can exceed the service, or there is no queue")
	}
	n, e := float64(c.N), c.Gap
	v1 := s.Variance()
	k := &Kernel{
		gap: e, eps: n * e, n: n,
		limitMean: c.LimitMean, meanN: c.MeanN, meanShift: c.MeanShift,
		rate:    s.Root(),
		support: c.N*(len(c.Service)-1) - 1,
		walk:    s,
	}
	// theta from e = theta E Y^2 / 2 + theta^2 E[Y^3 num.Tail3(Y theta)].
	k.excess = -2 * (e*e*(e/v1) + k.rate*k.rate*s.Mean(3, k.rate, num.Tail3)) / s.Second
	// kappa'(theta)/N - e = phi' - e, less 2 (phi - 1)/theta = 0, is a sum of third moments: theta^2
	// E[Y^3 num.SlopeTail(Y theta)].
	ratio := k.rate / e
	third := s.Mean(3, k.rate, num.SlopeTail)
	k.slope = ratio * k.rate * third

	v := n * v1
	k.mean = v/(2*k.eps) + k.eps/2 - 0.5
	a := (v + k.eps*k.eps) / (2 * k.eps)
	m3 := n*s.ThirdCumulant() - 3*k.eps*v - k.eps*k.eps*k.eps // E X^3
	k.second = 2*a*a + m3/(3*k.eps) - a + 1./3

	if err := k.correct(ratio * ratio * third / (n * (1 + k.slope))); err != nil {
		return nil, err
	}
	k.remainder = e * k.thirdAbs / (3 * n * (v1 / 2))
	return k, nil
}

// refuse names the system, as no one of its parameters is at fault.
func refuse(got, want string) error { return jsqlib.Refuse("law", "system", got, want) }

// ctKernel is the kernel of continuous time: rho = lambda, C = 1 - lambda = e.
func ctKernel(c jsqlib.Constants) *Kernel {
	e := c.Gap
	k := &Kernel{
		gap: e, eps: e, n: float64(c.N),
		limitMean: c.LimitMean, meanN: c.MeanN, meanShift: c.MeanShift,
		rate:   -math.Log1p(-e),
		mean:   (1 - e) / e,
		second: (1 - e) * (2 - e) / (e * e),
		// Taylor remainder of the generator applied to f(e Q).
		remainder: 2 * e / 3,
	}
	// theta - e/(1 - e/2) = e^3/12 + ..., with s = e/2/(1 - e/2): log((1+s)/(1-s)) - 2s = 2 (s^3/3 +
	// s^5/5 + ...).
	x := e / 2 / (1 - e/2)
	if x < 0.1 {
		sum := 0.0
		for j := 21; j >= 3; j -= 2 {
			sum = 1/float64(j) + x*x*sum
		}
		k.excess = 2 * x * x * x * sum
	} else {
		k.excess = k.rate - e/k.meanN
	}
	return k
}

// correct finds r and E|X|^3, the latter from the law of X that the same transform gives; atOne is
// r(1).
func (k *Kernel) correct(atOne float64) error {
	r, x, level, err := k.dieOut(atOne)
	if err != nil {
		return err
	}
	k.keep(r, level)
	k.thirdAbs = k.absThird(x)
	return nil
}

// dieOut doubles the length of the transform until r, which lies on a circle
//
//	index  0 ............... 3/8 ...... 5/8 ................ length
//	r      r(0) r(1) r(2) ...   |  edge  |   ... r(-3) r(-2) r(-1)
//
// has died out at the edge, where its two ends meet. It returns r and the law of X, both on that
// circle, and the level above which r is more than rounding.
func (k *Kernel) dieOut(atOne float64) (r, x []float64, level float64, err error) {
	s := k.walk
	sigma := math.Sqrt(k.n * s.Variance())
	// Steps of size eps and spread sigma blur into a flat renewal density after (eps/sigma)^2 of them.
	blur := k.eps * (k.eps / sigma) * (k.eps / sigma)
	want := math.Max(math.Max(64*sigma, 8*blur), 4*float64(len(s.P)))
	if want > maxLength {
		return nil, nil, 0, k.outOfReach(maxLength, sigma)
	}
	first := 1 << bits.Len(uint(want))
	last := min(max(first<<8, 1<<16), maxLength)
	before := math.Inf(1)
	for length := first; ; length *= 2 {
		r, x = k.transform(length, atOne)
		top, edge := ends(r)
		top = math.Max(top, k.lead())
		// Doubling the length squares a part that has not died out. A part that stays as it was is
		// rounding.
		rounding := before <= roundoff*top && edge > before/8
		before = edge
		switch {
		case !rounding && edge > 4e-16*top && 2*length <= last: // go on
		case edge > roundoff*top:
			return nil, nil, 0, k.outOfReach(last, sigma)
		default:
			return r, x, math.Max(3*edge, 1e-17*top), nil
		}
	}
}

// keep holds r where it is above level, with the two terms that transform leaves out.
func (k *Kernel) keep(r []float64, level float64) {
	low, high := cut(r, level)
	low = min(low, -1)
	k.corrMin = low
	k.corr = make([]float64, high-low+1)
	for i := range k.corr {
		k.corr[i] = r[(low+i+len(r))%len(r)]
	}
	k.corr[0-low]++
	k.corr[-1-low]--
}

// absThird returns E|X|^3 from P(X = n) at index n mod len(x), over the support of X or a window around
// 0 if that is shorter.
func (k *Kernel) absThird(x []float64) float64 {
	s, length, sum := k.walk, len(x), 0.0
	start := -min(int(k.n)*-s.Min, length/2)
	end := min(start+length, int(k.n)*(s.Min+len(s.P)-1)+1)
	for j := start; j < end; j++ {
		a := math.Abs(float64(j))
		sum += a * a * a * x[(j+length)%length]
	}
	return sum
}

func (k *Kernel) outOfReach(length int, sigma float64) error {
	return refuse(fmt.Sprintf("N = %.0f, gap = %v, where the kernel's correction reaches beyond %d = %.0f standard deviations of X", k.n, k.gap, length/2, float64(length/2)/sigma),
		fmt.Sprintf("an X that is not nearly periodic, and eps^3/v = %.3g <= 500000", math.Pow(k.eps, 3)/(sigma*sigma)))
}

// transform returns r(n) and P(X = n) at index n mod length. r lacks the two terms of the walk's
// starting point, 1 at n = 0 and -1 at n = -1, by writing 1/(1 - M) = 1 + M/(1 - M). These terms exceed
// the others by a factor v, and so would their rounding errors.
func (k *Kernel) transform(length int, atOne float64) (r, x []float64) {
	s := k.walk
	seq := make([]float64, length)
	for i, c := range s.R {
		seq[(s.RMin+i+length)%length] += c
	}
	fft := fourier.NewFFT(length)
	coeff := fft.Coefficients(nil, seq) // R(z) at z = e^(-2 pi i j/length)
	clear(seq)
	for i, p := range s.P {
		seq[(s.Min+i+length)%length] = p
	}
	law := fft.Coefficients(nil, seq) // phi(z)
	r1 := real(coeff[0])
	lead := complex(k.lead(), 0)
	gapRho := complex(-math.Expm1(-k.rate), 0)
	coeff[0], law[0] = complex(atOne, 0), 1
	for j := 1; j < len(coeff); j++ {
		sin, cos := math.Sincos(math.Pi * float64(j) / float64(length))
		z1 := complex(-2*sin*sin, -2*sin*cos) // z - 1
		z := 1 + z1
		w := z1 * (complex(-s.Gap, 0) + z1*coeff[j])
		if 4*sin*sin*r1 > 1 { // away from z = 1 the sum itself is as good or better
			w = law[j] - 1
		}
		re, im := log1pComplex(w)
		m, m1 := expComplex(k.n*re, k.n*im) // M(z), M(z) - 1
		law[j] = m
		coeff[j] = -z1*m/(z*m1) - lead/(gapRho*z-z1)
	}
	scale := 1 / float64(length)
	r = fft.Sequence(nil, coeff)
	x = fft.Sequence(seq, law)
	for i := range r {
		r[i] *= scale
		x[i] *= scale
	}
	return r, x
}

// lead returns C/eps = (1 - rho)/kappa'(theta).
func (k *Kernel) lead() float64 { return -math.Expm1(-k.rate) / (k.eps * (1 + k.slope)) }

// ends returns the largest |r| and the largest |r| in the outer quarter of the range -len/2 <
// n <= len/2.
func ends(r []float64) (top, edge float64) {
	n := len(r)
	for i, v := range r {
		v = math.Abs(v)
		top = math.Max(top, v)
		if i > 3*n/8 && i < 5*n/8 {
			edge = math.Max(edge, v)
		}
	}
	return top, edge
}

// cut returns the range low..high of indices (mod len(r)) outside which |r| <= level.
func cut(r []float64, level float64) (low, high int) {
	n := len(r)
	for high = 3 * n / 8; high > 0 && !(math.Abs(r[high]) > level); high-- {
	}
	for low = -3 * n / 8; low < 0 && !(math.Abs(r[low+n]) > level); low++ {
	}
	return low, high
}

// At returns K(n). K(n) is 0 outside the reach of the correction for n < 0.
func (k *Kernel) At(n int) float64 {
	value := 0.0
	if i := n - k.corrMin; i >= 0 && i < len(k.corr) {
		value = k.eps * k.corr[i]
	}
	if n >= 0 {
		value += k.amplitude() * math.Exp(-k.rate*float64(n))
	}
	return value
}

// tailGap returns 1 - rho, accurate in relative terms.
func (k *Kernel) tailGap() float64 { return -math.Expm1(-k.rate) }

// amplitude returns C, the amplitude of the geometric part C rho^n: C = eps (1 - rho)/kappa'(theta),
// and e in continuous time.
func (k *Kernel) amplitude() float64 { return k.eps * k.lead() }

// AbsThirdMoment returns E|X|^3, with a relative accuracy of about 1e-10; 0 in continuous time.
func (k *Kernel) AbsThirdMoment() float64 { return k.thirdAbs }
