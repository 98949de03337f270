package bound

import (
	"cmp"
	"fmt"
	"math"

	"jsqlab/jsqlib"
)

// PaperR returns the order of the moment that arXiv:2004.04826v3 uses,
//
//	r = ceil(alpha - 1) ceil(log N),
//
// natural logarithm. It makes eps^(-1/r) = N^((alpha-1)/r) <= e while M_r grows like r. Where the rule
// gives r < 2, for which the Hölder step does not hold, it fails with [*jsqlib.Invalid]: for N = 1, for
// alpha <= 1 and for N = 2, alpha <= 2.
//
// An alpha - 1 within 1e-12 of a whole number is taken to be one: it may come from a gap by logarithms.
func PaperR(servers int, alpha float64) (int, error) {
	if servers < 2 || servers > jsqlib.MaxServers {
		return 0, jsqlib.Refuse("bound", "servers", servers, fmt.Sprintf("2 <= servers <= %d (ceil(log N) = 0 for one server)", jsqlib.MaxServers))
	}
	if !(alpha > 1) || math.IsInf(alpha, 1) {
		return 0, jsqlib.Refuse("bound", "alpha", alpha, "alpha > 1 for r = ceil(alpha-1) ceil(log N) (or an r >= 2 of your own)")
	}
	a, n := math.Ceil((alpha-1)*(1-1e-12)), math.Ceil(math.Log(float64(servers)))
	switch r := a * n; {
	case r < 2:
		return 0, jsqlib.Refuse("bound", "alpha", alpha, fmt.Sprintf("alpha > 2 at N = %d, where r = ceil(alpha-1) ceil(log N) = %g is below 2 (or an r >= 2 of your own)", servers, r))
	case r > MaxOrder:
		return 0, jsqlib.Refuse("bound", "alpha", alpha, fmt.Sprintf("alpha with r = ceil(alpha-1) ceil(log N) <= %d", MaxOrder))
	default:
		return int(r), nil
	}
}

// Hoelder returns the bound
//
//	E[U Q^+]/E U <= N M_r sqrt(S_max) eps^(-1/r)
//
// in jobs, with M_r = momentRoot a bound on (E ||q_perp||^r)^(1/r), r >= 2. It fails with
// [*jsqlib.Invalid] for r < 2, for a momentRoot that is not a number >= 0, and for constants that are
// not of a system.
//
// Derived: <q^+, u> = 0 gives Q^+ U/N = <q_par^+, u> = -<q_perp^+, u> <= ||q_perp^+|| ||u||, and with
// 1/p + 1/r = 1 Hölder's inequality
//
//	E[Q^+ U] <= N (E ||q_perp||^r)^(1/r) (E ||u||^p)^(1/p).
//
// As ||u||^2 <= S_max U, p <= 2 and U is a whole number, ||u||^p <= S_max^(p/2) U; and E U = eps.
func Hoelder(c jsqlib.Constants, momentRoot float64, r int) (float64, error) {
	if err := checkHoelder(r); err != nil {
		return 0, err
	}
	if err := checkConstants(c); err != nil {
		return 0, err
	}
	if !(momentRoot >= 0) || math.IsInf(momentRoot, 1) {
		return 0, jsqlib.Refuse("bound", "momentRoot", momentRoot, "momentRoot >= 0 and finite")
	}
	return float64(c.N) * momentRoot * math.Sqrt(float64(c.SMax)) * math.Exp(-math.Log(c.Eps)/float64(r)), nil
}

// checkConstants refuses constants that Model.Constants does not return, such as the zero value.
func checkConstants(c jsqlib.Constants) error {
	if c.N < 1 || !(c.Eps > 0) || math.IsInf(c.Eps, 1) {
		return jsqlib.Refuse("bound", "c", fmt.Sprintf("constants with N = %d, eps = %v", c.N, c.Eps), "those of Model.Constants")
	}
	return nil
}

func checkHoelder(r int) error {
	if r < 2 || r > MaxOrder {
		return jsqlib.Refuse("bound", "r", r, fmt.Sprintf("2 <= r <= %d (Hölder's p = r/(r-1) must not exceed 2)", MaxOrder))
	}
	return nil
}

// BestR returns the r >= 2 that makes the Hölder bound smallest, log M_r - (log eps)/r, by golden
// sections over the whole numbers. With optimise it uses the best Eta for each r, otherwise that of d,
// and it returns the drift bound used. Up to logarithms the minimiser is -log eps = (alpha-1) log N,
// which the rule of [PaperR] rounds up.
//
// The error, if any, is a [*jsqlib.Invalid]: d is not from [NewDrift].
func BestR(c jsqlib.Constants, d Drift, optimise bool) (int, Drift, error) {
	if err := cmp.Or(checkConstants(c), d.check()); err != nil {
		return 0, Drift{}, err
	}
	if d.Servers != c.N {
		return 0, Drift{}, jsqlib.Refuse("bound", "d", fmt.Sprintf("%+v", d), "the drift bound of NewDrift for the same system")
	}
	at := func(r int) (float64, Drift) {
		x := d
		if optimise {
			x, _ = d.Optimised(r) // r is in range
		}
		log, _ := x.logMoment(r, nil)
		return (log - math.Log(c.Eps)) / float64(r), x
	}
	value := func(r int) float64 { v, _ := at(r); return v }
	// doubled until it rises: the minimiser is in [high/4, high]
	high := 4
	for f, g := value(2), value(4); g < f && high < MaxOrder; {
		high = min(2*high, MaxOrder)
		f, g = g, value(high)
	}
	low := max(2, high/4)
	for high-low > 2 {
		x := low + (high-low)*3/8
		y := max(low+(high-low)*5/8, x+1)
		if value(x) <= value(y) {
			high = y
		} else {
			low = x
		}
	}
	best, bestValue := low, value(low)
	for r := low + 1; r <= high; r++ {
		if v := value(r); v < bestValue {
			best, bestValue = r, v
		}
	}
	_, x := at(best)
	return best, x, nil
}
