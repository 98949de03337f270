package bound

import (
	"math"

	"jsqlab/jsqlib"
)

// PaperExponent returns 4 - 2 alpha + (1 - alpha)/p: the error term of arXiv:2004.04826v3 is
// O(N^PaperExponent), for 1/p + 1/r = 1 with r the moment of ||q_perp|| used. It is o(N^(1-2alpha)),
// the size of the leading term, as p -> 1 exactly when alpha > 4. It fails with [*jsqlib.Invalid]
// unless alpha > 0 and p >= 1.
func PaperExponent(alpha, p float64) (float64, error) {
	if !(alpha > 0) || math.IsInf(alpha, 1) {
		return 0, jsqlib.Refuse("bound", "alpha", alpha, "alpha > 0")
	}
	if !(p >= 1) {
		return 0, jsqlib.Refuse("bound", "p", p, "p >= 1")
	}
	return 4 - 2*alpha + (1-alpha)/p, nil
}

// PaperRelativeExponent returns [PaperExponent] less 1 - 2 alpha, the exponent of the leading term: 3 +
// (1 - alpha)/p, which tends to 4 - alpha as p -> 1. The bound of this package is of the relative size
// N^(3-alpha) log N (derived). It fails as [PaperExponent] does.
func PaperRelativeExponent(alpha, p float64) (float64, error) {
	x, err := PaperExponent(alpha, p)
	if err != nil {
		return 0, err
	}
	return x - (1 - 2*alpha), nil
}

// Conjugate returns p with 1/p + 1/r = 1: r/(r-1) for r > 1, and NaN otherwise.
func Conjugate(r float64) float64 {
	if !(r > 1) {
		return math.NaN()
	}
	if math.IsInf(r, 1) {
		return 1
	}
	return r / (r - 1)
}
