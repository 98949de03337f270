package wasserstein

import (
	"math"
	"slices"
)

// radixThreshold is the length from which a radix sort beats slices.Sort.
const radixThreshold = 1024

// sortedCopy returns the points in ascending order.
func sortedCopy(x []float64) []float64 {
	if len(x) < radixThreshold {
		x = slices.Clone(x)
		slices.Sort(x)
		return x
	}
	x, _ = radixSort(x, nil)
	return x
}

// sortKey maps finite float64 values to integers of the same order, -0 before 0.
func sortKey(v float64) uint64 {
	b := math.Float64bits(v)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// radixSort returns sorted copies of the points and of their weights, if any, by a
// least-significant-digit radix sort of eight bytes. A byte that all points share costs nothing.
func radixSort(x, weights []float64) (sorted, sortedWeights []float64) {
	const digits, radix = 8, 256
	var counts [digits][radix]int
	for _, v := range x {
		k := sortKey(v)
		for d := range digits {
			counts[d][byte(k>>(8*d))]++
		}
	}
	from, fromWeights := x, weights
	var to, toWeights []float64
	for d := range digits {
		count := &counts[d]
		shift := 8 * d
		if count[byte(sortKey(x[0])>>shift)] == len(x) {
			continue
		}
		next := 0
		for b, c := range count {
			count[b] = next
			next += c
		}
		if to == nil {
			to = make([]float64, len(x))
			if weights != nil {
				toWeights = make([]float64, len(x))
			}
		}
		if weights == nil {
			for _, v := range from {
				b := byte(sortKey(v) >> shift)
				to[count[b]] = v
				count[b]++
			}
		} else {
			for i, v := range from {
				b := byte(sortKey(v) >> shift)
				j := count[b]
				count[b]++
				to[j], toWeights[j] = v, fromWeights[i]
			}
		}
		if &from[0] == &x[0] {
			// The caller's slices are read once and not written to.
			from, to = to, nil
			fromWeights, toWeights = toWeights, nil
			continue
		}
		from, to = to, from
		fromWeights, toWeights = toWeights, fromWeights
	}
	return from, fromWeights
}
