// Package memory holds the one limit in bytes of every allocation whose size an argument decides, and
// the words of its refusals.
package memory

import (
	"fmt"
	"sort"

	"jsqlab/jsqlib"
)

// Limit is the most that one computation may take, in bytes. An estimate is held against it before
// anything is allocated.
const Limit = 2 << 30

// Word is the size of a number in bytes.
const Word = 8

// Check refuses an argument what = n that takes more bytes than the limit, with the largest value that
// fits. Bytes grow with n.
func Check(where, what string, n int64, bytes func(n float64) float64) error {
	b := bytes(float64(n))
	if Fits(b) {
		return nil
	}
	most := sort.Search(int(n), func(i int) bool { return !Fits(bytes(float64(i + 1))) })
	return jsqlib.Refuse(where, what, fmt.Sprintf("%d, which takes about %s", n, Text(b)),
		fmt.Sprintf("%s <= %d, which fits the limit of %s", what, most, Text(Limit)))
}

// Fits reports whether bytes are within the limit; NaN is not.
func Fits(bytes float64) bool { return bytes <= Limit }

// Text writes bytes for a reader, "2 GiB".
func Text(bytes float64) string {
	if bytes < 1<<30 {
		return fmt.Sprintf("%.3g MiB", bytes/(1<<20))
	}
	return fmt.Sprintf("%.3g GiB", bytes/(1<<30))
}
