package jsqlib

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/combin"
)

// PMF is a probability mass function on {0, ..., len-1}: p[k] = P(X = k). Its methods never change it.
type PMF []float64

// pmfTolerance bounds |sum p - 1| and |mean - 1|. It allows for rounding of the entries; wrong tables
// are refused.
const pmfTolerance = 1e-9

// MaxSupport is the largest value a per-slot arrival or service may take.
const MaxSupport = 255

// Binomial returns the Binomial(n, 1/n) pmf, which has mean 1 and variance 1 - 1/n. It panics unless 1
// <= n <= MaxSupport.
func Binomial(n int) PMF {
	if n < 1 || n > MaxSupport {
		panic(fmt.Sprintf("jsqlib: Binomial(%d): want 1 <= n <= %d", n, MaxSupport))
	}
	p := make(PMF, n+1)
	if n == 1 {
		p[1] = 1
		return p
	}
	x := 1 / float64(n)
	for k := range p {
		p[k] = math.Exp(combin.LogGeneralizedBinomial(float64(n), float64(k)) +
			float64(k)*math.Log(x) + float64(n-k)*math.Log1p(-x))
	}
	if n == 2 { // exact in binary: the reference system
		p[0], p[1], p[2] = 0.25, 0.5, 0.25
	}
	return p
}

// ParseFloat reads a decimal number that a person wrote. It is [strconv.ParseFloat] without the
// underscores and the hexadecimal form of Go's literals, with which 1_0 would be 10 and 0x1p1 be 2.
func ParseFloat(text string) (float64, error) {
	if strings.ContainsAny(text, "_xX") {
		return 0, &strconv.NumError{Func: "ParseFloat", Num: text, Err: strconv.ErrSyntax}
	}
	return strconv.ParseFloat(text, 64)
}

// ParsePMF reads the notation of the command line:
//
//	binomial:n         Binomial(n, 1/n), 1 <= n <= 255
//	bernoulli          at most one job: the point mass at 1. As a base of
//	                   arrivals, thinning makes it Bernoulli(1 - e)
//	deterministic      the point mass at 1
//	pmf:p0,p1,...      P(0), P(1), ...
//	pmf:...;pmf:...    one for each server, which must be the same: [CommonPMF]
//
// The field names the flag in the error. The pmf must have mean 1.
func ParsePMF(field, text string) (PMF, error) {
	const want = "binomial:N, bernoulli, deterministic or pmf:p0,p1,... with mean 1"
	kind, arg, hasArg := strings.Cut(text, ":")
	switch {
	case text == "":
		return nil, Refuse("jsqlib", field, `""`, want)
	case (kind == "bernoulli" || kind == "deterministic") && !hasArg:
		return PMF{0, 1}, nil
	case kind == "binomial" && hasArg:
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 || n > MaxSupport {
			return nil, Refuse("jsqlib", field, text, fmt.Sprintf("binomial:N with 1 <= N <= %d", MaxSupport))
		}
		return Binomial(n), nil
	case kind == "pmf" && hasArg:
		var laws []PMF
		for _, one := range strings.Split(arg, ";pmf:") {
			var p PMF
			for _, w := range strings.Split(one, ",") {
				x, err := ParseFloat(strings.TrimSpace(w))
				if err != nil {
					return nil, Refuse("jsqlib", field, text, "numbers separated by commas after pmf:")
				}
				p = append(p, x)
			}
			laws = append(laws, p)
		}
		return CommonPMF(field, laws...)
	}
	return nil, Refuse("jsqlib", field, text, want)
}

// parseLaws reads the laws of arrivals and services as [ParsePMF] does. Two laws that leave nothing
// random are refused in the words that were given.
func parseLaws(arrivals, service string) (a, s PMF, err error) {
	if a, err = ParsePMF("arrivals", arrivals); err != nil {
		return nil, nil, err
	}
	if s, err = ParsePMF("service", service); err != nil {
		return nil, nil, err
	}
	return a, s, checkLimitMean((a.Variance()+s.Variance())/2, arrivals, service)
}

// checkLimitMean refuses two laws, named by words, whose limit law is the point mass at 0.
func checkLimitMean(m float64, arrivals, service string) error {
	if m < 1e-12 {
		return Refuse("jsqlib", "service", service+", with "+arrivals+" arrivals",
			"variance in the arrivals or in the service (the limit mean (sigma_a^2 + sigma_s^2)/2 is 0)")
	}
	return nil
}

// CommonPMF returns the one law of mean 1 that all servers share, for a description that lists a law
// for each server. Laws that differ are refused: the simulation and the exact chain take servers as
// exchangeable, and the theorem takes their services as i.i.d. (The split of the total into kernel and
// boundary would hold for different laws too.) The field names the flag in the error.
func CommonPMF(field string, laws ...PMF) (PMF, error) {
	if len(laws) == 0 {
		return nil, Refuse("jsqlib", field, "no pmf", "at least one")
	}
	for i, p := range laws {
		if err := p.validateMass(field); err != nil {
			return nil, err
		}
		if d := p.Mean() - laws[0].Mean(); math.Abs(d) > pmfTolerance {
			return nil, Refuse("jsqlib", field, fmt.Sprintf("laws of mean %.6g for server 1 and %.6g for server %d", laws[0].Mean(), p.Mean(), i+1),
				"one law of mean 1 for every server: servers are exchangeable here and the theorem takes i.i.d. services (with servers of different speed the shortest queue need not be the fastest)")
		}
		for k := range max(len(p), len(laws[0])) {
			if math.Abs(p.at(k)-laws[0].at(k)) > pmfTolerance {
				return nil, Refuse("jsqlib", field, fmt.Sprintf("P(%d) = %.6g for server 1 and %.6g for server %d", k, laws[0].at(k), p.at(k), i+1),
					"one law for every server: equal means are enough for the split of the total, but servers are exchangeable here and the theorem takes i.i.d. services")
			}
		}
	}
	return laws[0], laws[0].validate(field)
}

// at returns P(X = k).
func (p PMF) at(k int) float64 {
	if k < len(p) {
		return p[k]
	}
	return 0
}

// Text returns the notation pmf:p0,p1,... of [ParsePMF], with all digits.
func (p PMF) Text() string {
	words := make([]string, p.Max()+1)
	for k := range words {
		words[k] = strconv.FormatFloat(p.at(k), 'g', -1, 64)
	}
	return "pmf:" + strings.Join(words, ",")
}

// validate checks that p is a pmf of mean 1 on at most {0, ..., MaxSupport}.
func (p PMF) validate(field string) error {
	if err := p.validateMass(field); err != nil {
		return err
	}
	if m := p.Mean(); math.Abs(m-1) > pmfTolerance {
		return Refuse("jsqlib", field, fmt.Sprintf("a pmf of mean %.12g", m),
			"mean 1 (jobs per slot and server; the unit of time is one mean service, so choose slots in which a server completes one job on average)")
	}
	return nil
}

// validateMass checks that p is a pmf on at most {0, ..., MaxSupport}.
func (p PMF) validateMass(field string) error {
	if len(p) == 0 {
		return Refuse("jsqlib", field, "an empty pmf", "at least P(0) and P(1)")
	}
	if len(p) > MaxSupport+1 {
		return Refuse("jsqlib", field, fmt.Sprintf("a pmf of %d entries", len(p)), fmt.Sprintf("at most %d", MaxSupport+1))
	}
	sum := 0.0
	for k, x := range p {
		if !(x >= 0 && x <= 1+pmfTolerance) { // also refuses NaN
			return Refuse("jsqlib", field, fmt.Sprintf("a pmf with P(%d) = %v", k, x), "probabilities in [0, 1]")
		}
		sum += x
	}
	if math.Abs(sum-1) > pmfTolerance {
		return Refuse("jsqlib", field, fmt.Sprintf("a pmf that sums to %.12g", sum), "sum 1")
	}
	return nil
}

// Max returns the largest k with P(X = k) > 0.
func (p PMF) Max() int {
	for k := len(p) - 1; k > 0; k-- {
		if p[k] > 0 {
			return k
		}
	}
	return 0
}

// Mean returns E X.
func (p PMF) Mean() float64 {
	m := 0.0
	for k, x := range p {
		m += float64(k) * x
	}
	return m
}

// Variance returns Var X = E (X - E X)^2.
func (p PMF) Variance() float64 {
	m, v := p.Mean(), 0.0
	for k, x := range p {
		d := float64(k) - m
		v += d * d * x
	}
	return v
}

// Thin returns the law of the number of jobs left when each of X jobs is kept independently with
// probability 1 - e:
//
//	P(Y = k) = sum_j P(X = j) C(j, k) (1-e)^k e^(j-k).
//
// Its mean is (1 - e) E X.
func (p PMF) Thin(e float64) PMF {
	y := make(PMF, p.Max()+1)
	for j := range y {
		// terms C(j,k) (1-e)^k e^(j-k), from the end that does not underflow
		if e > 0.5 {
			c := p.at(j) * math.Pow(e, float64(j))
			for k := 0; k <= j; k++ {
				y[k] += c
				c *= float64(j-k) / float64(k+1) * (1 - e) / e
			}
			continue
		}
		c := p.at(j) * math.Pow(1-e, float64(j))
		for k := j; k >= 0; k-- {
			y[k] += c
			c *= float64(k) / float64(j-k+1) * e / (1 - e)
		}
	}
	return y
}

// Sample draws one value by inversion; it is meant for reference code, not for inner loops.
func (p PMF) Sample(r *rand.Rand) int {
	u, last := r.Float64(), 0
	for k, x := range p {
		if x > 0 {
			last = k
		}
		if u -= x; u < 0 {
			return k
		}
	}
	return last
}

// Convolve returns the law of X + Y for independent X ~ p and Y ~ q, nil where one of them is empty.
func (p PMF) Convolve(q PMF) PMF {
	if len(p) == 0 || len(q) == 0 {
		return nil
	}
	z := make(PMF, len(p)+len(q)-1)
	for i, x := range p {
		if x == 0 {
			continue
		}
		for j, y := range q {
			z[i+j] += x * y
		}
	}
	return z
}

// maxPower bounds the largest value of a sum in Power, whose time grows with its square: 10 seconds.
const maxPower = 1 << 18

// Power returns the law of the sum of n independent copies of X, n >= 0, by repeated squaring. All
// terms of the sums are positive, so each entry has a relative error of a few n ulps. It is nil where
// the sum can be more than 2^18.
func (p PMF) Power(n int) PMF {
	if most := p.Max(); most > 0 && n > maxPower/most {
		return nil
	}
	out, base := PMF{1}, p[:min(p.Max()+1, len(p))]
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			out = out.Convolve(base)
		}
		if n > 1 {
			base = base.Convolve(base)
		}
	}
	return out
}
