package wasserstein

import "errors"

// Errors wrapped by this package; the message says what was wrong, what it was
// and what is wanted.
var (
	// ErrEmpty: a sample has no points.
	ErrEmpty = errors.New("empty sample")
	// ErrLength: points and weights differ in length.
	ErrLength = errors.New("length mismatch")
	// ErrValue: a point is NaN or infinite, or points are so far apart that
	// the distance overflows.
	ErrValue = errors.New("value out of range")
	// ErrWeight: a weight is NaN, infinite or negative, or the weights sum to
	// zero or beyond float64.
	ErrWeight = errors.New("weight out of range")
	// ErrLaw: a law is nil, has no positive finite mean, or returns NaN.
	ErrLaw = errors.New("unusable law")
	// ErrLattice: the parts of a Lattice are out of range or contradict one
	// another.
	ErrLattice = errors.New("unusable lattice law")
	// ErrOption: an order, a sample size or a count is out of range.
	ErrOption = errors.New("option out of range")
)
