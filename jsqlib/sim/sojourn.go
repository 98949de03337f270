package sim

import "jsqlab/jsqlib"

// sojourn tabulates the expected stay of a job of the discrete-time model. Take a job that is the n-th
// in its queue (itself and the job in service counted) when its slot's services begin. It leaves in the
// first slot in which the services since then add up to n, and Q counts it at the end of h(n) - 1
// slots, where
//
//	h(n) = 1 + sum_s P(s) h(n - s),   h(n) = 0 for n <= 0,
//
// is the renewal first-passage mean (first-come first-served). Little's law reads E Q = E[ sum over the
// jobs of a slot of (h(n) - 1) ].
type sojourn struct {
	service []float64
	sum     []float64 // sum[n] = sum_{i<=n} (h(i) - 1)
	h       []float64
}

func newSojourn(c *jsqlib.Constants) *sojourn {
	return &sojourn{service: c.Service, sum: []float64{0}, h: []float64{0}}
}

// upTo returns sum_{i=1}^n (h(i) - 1), growing the table when it must.
func (s *sojourn) upTo(n int64) float64 {
	if n >= int64(len(s.sum)) {
		s.grow(n)
	}
	return s.sum[n]
}

func (s *sojourn) grow(n int64) {
	for len(s.h) <= int(n+n/2+64) {
		x, i := 1.0, len(s.h)
		for k := 1; k < len(s.service) && k < i; k++ {
			x += s.service[k] * s.h[i-k]
		}
		x /= 1 - s.service[0]
		s.h = append(s.h, x)
		s.sum = append(s.sum, s.sum[i-1]+x-1)
	}
}
