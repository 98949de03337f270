package law

import "errors"

// Errors wrapped by this package; the message says what was wrong, what it was
// and what is wanted.
var (
	// ErrConstants: the constants do not come from [jsqlib.Model.Constants], or the arrivals never exceed the services.
	ErrConstants = errors.New("unusable constants")
	// ErrReach: the correction of the kernel does not die out within reach,
	// because the one-slot change X is nearly confined to a lattice of span
	// larger than 1, or is nearly constant, E|X| being far above its standard
	// deviation.
	ErrReach = errors.New("correction out of reach")
	// ErrBoundary: the boundary law is empty, has a negative or non-finite
	// entry, does not sum to 1, or sits where Q~ cannot be.
	ErrBoundary = errors.New("unusable boundary law")
	// ErrArgument: an argument of a method is out of range.
	ErrArgument = errors.New("argument out of range")
)
