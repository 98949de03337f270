package sim

import (
	"math/bits"
	"math/rand/v2"

	"jsqlab/jsqlib"
)

// alias draws from a pmf on {min, ..., min+len-1} with one random word and one table entry (Walker
// 1977, in Vose's form).
type alias struct {
	min   int64
	slots []aliasSlot
}

type aliasSlot struct {
	cut   uint64 // below it the slot's own value, else other
	other int64
}

func newAlias(min int64, p []float64) alias {
	n := len(p)
	a := alias{min: min, slots: make([]aliasSlot, n)}
	sum := 0.0
	for _, x := range p {
		sum += x
	}
	scaled := make([]float64, n)
	var small, large []int
	for i, x := range p {
		scaled[i] = x / sum * float64(n)
		a.slots[i] = aliasSlot{cut: ^uint64(0), other: int64(i)}
		if scaled[i] < 1 {
			small = append(small, i)
		} else {
			large = append(large, i)
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		a.slots[s] = aliasSlot{cut: uint64(scaled[s] * (1 << 32) * (1 << 32)), other: int64(l)}
		if scaled[l] -= 1 - scaled[s]; scaled[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	return a
}

// draw maps a uniform word to a value: the high half of w * len picks the slot, the low half, uniform
// given the slot, picks the value.
func (a *alias) draw(w uint64) int64 {
	hi, lo := bits.Mul64(w, uint64(len(a.slots)))
	s := &a.slots[hi]
	v := int64(hi)
	if lo >= s.cut {
		v = s.other
	}
	return a.min + v
}

// sampler draws the d servers of one routing decision.
type sampler struct {
	again   bool // with replacement
	servers int
	picked  []int32
	drawn   []int64 // by server: the last sample that holds it
	sample  int64
}

func newSampler(p jsqlib.Policy, servers int) *sampler {
	s := &sampler{again: p.Rule == jsqlib.PodReplacement, servers: servers, picked: make([]int32, p.Choices)}
	if !s.again {
		s.drawn = make([]int64, servers)
	}
	return s
}

// draw returns the servers of a new sample, good until the next one.
func (s *sampler) draw(rng *rand.PCG) []int32 {
	if s.again {
		for j := range s.picked {
			s.picked[j] = int32(below(s.servers, rng))
		}
		return s.picked
	}
	s.sample++
	for j := range s.picked { // Floyd's sampling of d distinct servers
		top := s.servers - len(s.picked) + j
		i := below(top+1, rng)
		if s.drawn[i] == s.sample {
			i = top
		}
		s.drawn[i] = s.sample
		s.picked[j] = int32(i)
	}
	return s.picked
}

// below returns a uniform integer in [0, n); its bias, at most n 2^-64, is beyond any run.
func below(n int, rng *rand.PCG) int {
	hi, _ := bits.Mul64(rng.Uint64(), uint64(n))
	return int(hi)
}

// trimmed cuts the ends of p, of mass at most 1e-21 each: less than a random word resolves. It returns
// the index of the first entry kept.
func trimmed(p []float64) (int, []float64) {
	const negligible = 1e-21
	lo, hi := 0, len(p)
	for t := p[0]; lo < hi-1 && t <= negligible; t += p[lo] {
		lo++
	}
	for t := p[hi-1]; hi-1 > lo && t <= negligible; t += p[hi-1] {
		hi--
	}
	return lo, p[lo:hi]
}

// service draws sums of independent services of one server: s(1) + ... + s(k) in O(log k) work.
// Binomial(2, 1/2) services are counted in random bits.
type service struct {
	max   int64
	bits  bool    // Binomial(2, 1/2)
	fixed bool    // s = 1 always
	pow   []alias // pow[j]: the sum of 2^j services, as far as asked for

	// of the last of them: law[k] = P(sum = low + k)
	law []float64
	low int64
}

const (
	maxPower = 15 // the largest tabulated sum is of 2^maxPower services
	wordRuns = 32 // services of Binomial(2, 1/2) in one random word
)

func newService(c *jsqlib.Constants) *service {
	s := &service{max: int64(c.SMax)}
	p := []float64(c.Service)
	s.bits = len(p) == 3 && p[0] == 0.25 && p[1] == 0.5 && p[2] == 0.25
	s.fixed = len(p) == 2 && p[0] == 0
	if s.fixed {
		return s
	}
	s.law = p
	s.power(0)
	return s
}

// power returns the table of the sum of 2^j services. A table is made when first asked for: the long
// sums take most of the time to tabulate, and most engines never need them.
func (s *service) power(j int) *alias {
	for len(s.pow) <= j {
		if len(s.pow) > 0 {
			s.law = jsqlib.PMF(s.law).Convolve(s.law)
			s.low *= 2
		}
		lo, q := trimmed(s.law)
		s.low, s.law = s.low+int64(lo), q
		s.pow = append(s.pow, newAlias(s.low, q))
	}
	return &s.pow[j]
}

// one draws a single service.
func (s *service) one(rng *rand.PCG) int64 {
	switch {
	case s.bits:
		return int64(bits.OnesCount64(rng.Uint64() >> 62))
	case s.fixed:
		return 1
	}
	return s.pow[0].draw(rng.Uint64())
}

// sum draws the sum of k >= 0 services.
func (s *service) sum(k int64, rng *rand.PCG) int64 {
	if s.bits && k <= wordRuns {
		return int64(bits.OnesCount64(rng.Uint64() >> (64 - 2*uint(k))))
	}
	return s.longSum(k, rng)
}

func (s *service) longSum(k int64, rng *rand.PCG) int64 {
	if s.fixed {
		return k
	}
	t := int64(0)
	if s.bits { // k mod 64 services by counting bits, the rest by table
		for r := k & 63; r > 0; r -= wordRuns {
			t += int64(bits.OnesCount64(rng.Uint64() >> (64 - 2*uint(min(r, wordRuns)))))
		}
		k &^= 63
	}
	for j := 0; k != 0 && j < maxPower; j++ {
		if k>>j&1 == 1 {
			t += s.power(j).draw(rng.Uint64())
			k &^= 1 << j
		}
	}
	for ; k > 0; k -= 1 << maxPower {
		t += s.power(maxPower).draw(rng.Uint64())
	}
	return t
}

// batches returns the alias table of a slot's arrivals, the sum of N thinned a_j.
func batches(c *jsqlib.Constants) alias {
	lo, p := trimmedPower(c.Arrivals, c.N)
	return newAlias(int64(lo), p)
}

// trimmedPower is PMF.Power with the negligible ends cut at each squaring. The cost then follows the
// spread of the sum, so that N = 10^5 is cheap.
func trimmedPower(p jsqlib.PMF, n int) (int, []float64) {
	lo, out := 0, []float64{1}
	bLo, base := 0, []float64(p)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			d, q := trimmed(jsqlib.PMF(out).Convolve(base))
			lo, out = lo+bLo+d, q
		}
		if n > 1 {
			d, q := trimmed(jsqlib.PMF(base).Convolve(base))
			bLo, base = 2*bLo+d, q
		}
	}
	return lo, out
}
