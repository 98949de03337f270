package law

import (
	"math/bits"

	"gonum.org/v1/gonum/dsp/fourier"
)

// directLimit is the number of products up to which a convolution is summed directly.
const directLimit = 1 << 21

// convolve returns (a * b)(n) = sum_j a(j) b(n-j), n = 0, ..., len(a)+len(b)-2. Long factors are
// convolved in blocks of the order of the shorter one. The rounding error of an entry is then relative
// to its neighbourhood, not to the largest entry of all.
//
// The caller may leave out the first skip entries of a, a multiple of blockOf(len(b)), and with them
// the first skip results. The other results keep their bits. Only the first len(b)-1 of them change:
// they miss the products of the entries left out.
func convolve(skip int, a, b []float64) []float64 {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	if skip == 0 && len(a) < len(b) {
		a, b = b, a
	}
	out := make([]float64, len(a)+len(b)-1)
	if (skip+len(a))*len(b) <= directLimit {
		for j, y := range b {
			if y == 0 {
				continue
			}
			row := out[j : j+len(a)]
			for i, x := range a {
				row[i] += x * y
			}
		}
		return out
	}
	block := blockOf(len(b))
	length := block + len(b) - 1
	fft := fourier.NewFFT(length)
	seq := make([]float64, length)
	copy(seq, b)
	factor := fft.Coefficients(nil, seq)
	for i := range factor {
		factor[i] /= complex(float64(length), 0)
	}
	coeff := make([]complex128, len(factor))
	for start := 0; start < len(a); start += block {
		n := copy(seq, a[start:min(start+block, len(a))])
		clear(seq[n:])
		fft.Coefficients(coeff, seq)
		for i, f := range factor {
			coeff[i] *= f
		}
		fft.Sequence(seq, coeff)
		for i, x := range seq[:n+len(b)-1] {
			out[start+i] += x
		}
	}
	return out
}

// blockOf returns how many entries a block has when the shorter factor has n: with it they fill a
// transform of a power of 2.
func blockOf(n int) int { return 1<<bits.Len(uint(4*n)) - n + 1 }
