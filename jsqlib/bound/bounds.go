package bound

import (
	"jsqlab/jsqlib"
	"jsqlab/jsqlib/law"
)

// Argument is the chain drift, moments, Hölder, Stein for one system. The methods do not change it and
// are safe for concurrent use.
type Argument struct {
	Constants jsqlib.Constants
	Drift     Drift // with the textbook Eta
	kernel    *law.Kernel
}

// New prepares the argument for a system with N >= 2 under JSQ. It fails as [NewDrift] and
// [law.NewKernel] do; the kernel gives E|X|^3 and is nearly all of the cost, 0.5 ms for N = 256.
func New(s jsqlib.Model) (*Argument, error) {
	c, err := s.Constants()
	if err != nil {
		return nil, err
	}
	d, err := newDrift(s, c)
	if err != nil {
		return nil, err
	}
	k, err := law.NewKernel(c)
	if err != nil {
		return nil, err
	}
	return &Argument{Constants: c, Drift: d, kernel: k}, nil
}

// Bounds are the bounds that follow from the description of the system alone, with nothing measured.
// Lengths are in jobs, Stein bounds in the unit of Z = N^(-alpha) Q.
type Bounds struct {
	R               int     // order of the moment used
	Drift           Drift   // with the Eta used
	MomentRoot      float64 // M_r >= (E ||q_perp||^r)^(1/r)
	HoelderBoundary float64 // >= E[U Q^+]/E U
	BoundarySecond  float64 // N S_max >= E[U^2]/E U, as U <= N S_max
	Stein           float64 // >= W1(Z, Exp(m_N))
	LimitStein      float64 // >= W1(Z, Exp(m)), m the limit mean
	LimitMean       float64 // m
}

// Vacuous reports whether the Stein bound is above m. Such a bound says nothing: the point mass at 0
// satisfies it too, as W1(0, Exp(m)) = m.
func (b Bounds) Vacuous() bool { return b.LimitStein > b.LimitMean }

// At returns the bounds with the moment of order r >= 2 and the Eta of d, which is [Argument.Drift] or
// comes from it by [Drift.WithEta] or [Drift.Optimised]:
//
//	W1(Z, Exp(m_N)) <= c ( H + N S_max/2 + eps/2 ) + c^2 E|X|^3/(3 m_N eps),
//	H = N M_r sqrt(S_max) eps^(-1/r),
//
// derived: the upper line of [law.Kernel.Certificate] with its two boundary terms replaced by bounds.
// It fails with [*jsqlib.Invalid] for r out of range, and for an a or a d that is not of a system.
func (a *Argument) At(r int, d Drift) (Bounds, error) {
	if err := checkHoelder(r); err != nil {
		return Bounds{}, err
	}
	if a.kernel == nil {
		return Bounds{}, jsqlib.Refuse("bound", "a", "an Argument without a system", "one of New")
	}
	root, err := d.MomentRoot(r)
	if err != nil {
		return Bounds{}, err
	}
	h, err := Hoelder(a.Constants, root, r)
	if err != nil {
		return Bounds{}, err
	}
	second := float64(a.Constants.N) * float64(a.Constants.SMax)
	w, err := a.kernel.Certificate(h, second)
	if err != nil {
		return Bounds{}, err
	}
	return Bounds{
		R: r, Drift: d, MomentRoot: root, HoelderBoundary: h, BoundarySecond: second,
		Stein: w.High, LimitStein: w.LimitHigh, LimitMean: a.Constants.LimitMean,
	}, nil
}

// Paper returns the bounds with r = ceil(alpha-1) ceil(log N), see [PaperR], and the textbook Eta. It
// fails where the rule gives r < 2.
func (a *Argument) Paper() (Bounds, error) {
	r, err := PaperR(a.Constants.N, a.Constants.Alpha)
	if err != nil {
		return Bounds{}, err
	}
	return a.At(r, a.Drift)
}

// Best returns the smallest bounds of the argument, over r >= 2 and Eta.
func (a *Argument) Best() (Bounds, error) {
	r, d, err := BestR(a.Constants, a.Drift, true)
	if err != nil {
		return Bounds{}, err
	}
	return a.At(r, d)
}
