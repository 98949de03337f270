package sliders

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/record"
	"jsqlab/jsqlib/sim"
	"jsqlab/plots"
)

// RelError is the relative error of W1 that [Solve] asks for.
const RelError = 0.02

// Answer is what is shown for one system.
type Answer struct {
	System   jsqlib.Model
	Distance *record.DistanceResult // with seed 1
	Stopped  bool                   // by the context, before W1 had the relative error RelError
}

// Solve computes the law of the total and its distance to the exponential limit
// within [RelError]. When ctx ends first the answer is what there is by then, or the error
// of the context if that is nothing; errors are those of [record.Distance].
func Solve(ctx context.Context, s jsqlib.Model) (*Answer, error) {
	o := sim.BoundaryOptions{Options: sim.Options{Seed: 1, RelError: RelError}}
	d, err := record.Distance(ctx, s, o)
	stopped := err != nil && d != nil && ctx.Err() != nil
	if err != nil && !stopped {
		return nil, err
	}
	return &Answer{System: s, Distance: d, Stopped: stopped}, nil
}

// Text returns the answer in two or three lines: the system, W1 with its 95 % half width, and
// the certificate; and the warnings of the estimate. Bounds are rounded outwards.
func (a *Answer) Text() string {
	d := a.Distance
	if d == nil || d.Boundary == nil {
		return describe(a.System) + "\nnothing computed\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nW1 = %v, certificate from %s to %s\n", describe(a.System),
		d.W1, outward(d.CertificateLow, math.Floor), outward(d.CertificateHigh, math.Ceil))
	if a.Stopped {
		fmt.Fprintf(&b, "stopped early: the interval is wider than the %g %% asked for\n", 100*RelError)
	}
	for _, w := range d.Boundary.Warnings {
		b.WriteString("warning: " + w + "\n")
	}
	return b.String()
}

// lawPoints bounds the points of the law that are drawn.
const lawPoints = 800

// Figure draws the distribution function of Z = N^(-alpha) Q against that of the
// limit, and below it their difference, whose area is W1.
func (a *Answer) Figure() (*plots.Figure, error) {
	if a.Distance == nil || a.Distance.Total == nil {
		return nil, errors.New("sliders: answer without a law: want one of Solve")
	}
	t := a.Distance.Total
	c, m, z := t.Scale(), t.LimitMean(), t.Law()
	end := math.Ceil(6*m/c) + 1 // P(Exp(m) > 6 m) is 0.2 %
	step := math.Max(1, math.Floor(end/lawPoints))
	l := plots.Law{Name: "law of $Z$", Thinned: step > 1}
	for n := 0.0; n <= end; n += step {
		l.X = append(l.X, c*n)
		l.CDF = append(l.CDF, z.CDF(c*n))
	}
	return plots.TotalCDF([]plots.Law{l}, plots.Exp(m), plots.CDFOptions{
		Title: "The law of the scaled total and its limit", Note: describe(a.System), XMax: 6 * m, Difference: true})
}

// describe names the system, with what is not as in the reference system.
func describe(s jsqlib.Model) string {
	text := fmt.Sprintf("N = %d, α = %v, %v routing, %v", s.Servers, s.Alpha, s.Routing, s.Policy)
	for _, a := range arrivals {
		if a.law != nil && same(a.law, s.Arrivals) {
			return text + ", arrivals " + a.name
		}
	}
	return text
}

func same(p, q jsqlib.PMF) bool {
	if len(p) != len(q) {
		return false
	}
	for i := range p {
		if p[i] != q[i] {
			return false
		}
	}
	return true
}

// outward writes a bound with three digits, rounded by the function.
func outward(x float64, round func(float64) float64) string {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return fmt.Sprint(x)
	}
	unit := math.Pow10(int(math.Floor(math.Log10(math.Abs(x)))) - 2)
	return fmt.Sprintf("%#.3g", round(x/unit)*unit)
}
