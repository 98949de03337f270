package check

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"
)

// Stub is what a task's code panics with until it is written.
const Stub = "YOUR CODE HERE"

// limit is the time one check may take.
const limit = 20 * time.Second

// seed gives the random streams of the checks: new ones in every run, so that
// no answer can be made for known inputs. Tests fix it.
var seed = rand.Uint64

// Report prints "correct", or what is wrong, in which case it fails the test.
// t is a *testing.T.
func Report(t interface{ FailNow() }, err error) {
	if err == nil {
		fmt.Println("correct")
		return
	}
	fmt.Println("not yet:", err)
	t.FailNow()
}

// call runs f on a stream of its own. A panic becomes an error, and so does a
// run that takes more than the limit.
func call(f func(r *rand.Rand) error) error {
	return callWithin(limit, f)
}

func callWithin(limit time.Duration, f func(r *rand.Rand) error) error {
	r := rand.New(rand.NewPCG(seed(), seed()))
	done := make(chan error, 1)
	go func() {
		err := errors.New("your code ended the goroutine it ran in: let it return")
		defer func() {
			switch p := recover(); p {
			case nil:
			case Stub:
				err = fmt.Errorf("this task is not done: replace panic(%q) by your code and run that cell", Stub)
			default:
				err = fmt.Errorf("your code panics: %v", p)
			}
			done <- err
		}()
		err = f(r)
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(limit):
		return fmt.Errorf("your code takes more than %v: is there a loop that does not end?", limit)
	}
}

// trials calls f up to n times on one stream, until it returns an error.
func trials(n int, f func(r *rand.Rand) error) error {
	return call(func(r *rand.Rand) error {
		for range n {
			if err := f(r); err != nil {
				return err
			}
		}
		return nil
	})
}

// agrees reports whether got is want within the relative tolerance tol (absolute
// where |want| < 1e-9).
func agrees(got, want, tol float64) bool {
	scale := math.Abs(want)
	if scale < 1e-9 {
		scale = 1
	}
	return got == want || !math.IsInf(want, 0) && math.Abs(got-want) <= tol*scale
}

// versus shows two numbers with as many digits as it takes to see a difference.
func versus(got, want float64) string {
	for digits := 6; ; digits++ {
		g, w := strconv.FormatFloat(got, 'g', digits, 64), strconv.FormatFloat(want, 'g', digits, 64)
		if g != w || digits == 17 {
			return g + ", want " + w
		}
	}
}

// ratio says how a wrong number got goes with want, where that helps.
func ratio(got, want, tol float64) string {
	switch r := got / want; {
	case math.IsNaN(got):
		return ": is there a division by zero, or the logarithm or the root of a negative number?"
	case math.IsInf(got, 0):
		return ": is there a division by zero, or a number on the way that is larger than a float64 can be, 1.8e308?"
	case agrees(r, -1, tol):
		return ": the sign is wrong"
	case r > 0.995 && r < 1.005:
		return fmt.Sprintf(": off by %.2g %%", 100*math.Abs(r-1))
	case r > 1 && !math.IsInf(r, 0):
		return fmt.Sprintf(": too large by the factor %.4g", r)
	case r > 0 && r < 1:
		return fmt.Sprintf(": too small by the factor %.4g", 1/r)
	}
	return ""
}

// mistake is a known wrong way to compute a number from In, and what to say
// to a student who took it. Without does, it is said to whoever took none of
// the others.
type mistake[In any] struct {
	does func(In) float64
	says any // a string, or a slip of Go
}

// known is one mistake, or several.
type known[In any] interface{ list() []mistake[In] }

type mistakes[In any] []mistake[In]

func (m mistake[In]) list() []mistake[In]  { return mistakes[In]{m} }
func (m mistakes[In]) list() []mistake[In] { return m }

// function compares f with right on n inputs of draw, within the relative
// tolerance tol. When they differ somewhere, the error shows the first such
// input, and the first of the mistakes that gives what f gives on all inputs
// is named: on a single one, numbers may agree by chance. A slip of Go is named
// where no other mistake is, or next to one, where it hides a term. Where there is
// none, a constant factor is named. what is the name of the number; an input is
// shown by its String method.
func function[In fmt.Stringer](n int, draw func(r *rand.Rand) In, what string, f, right func(In) float64, tol float64, of ...known[In]) error {
	return call(func(r *rand.Rand) error {
		inputs, got, want := make([]In, n), make([]float64, n), make([]float64, n)
		first := -1
		for k := range inputs {
			inputs[k] = draw(r)
			got[k], want[k] = f(inputs[k]), right(inputs[k])
			if first < 0 && !agrees(got[k], want[k], tol) {
				first = k
			}
		}
		if first < 0 {
			return nil
		}
		err := fmt.Errorf("%v: %s = %s", inputs[first], what, versus(got[first], want[first]))
		always := func(does func(k int) float64) bool {
			for k := range inputs {
				if d := does(k); !agrees(got[k], d, tol) && !(math.IsNaN(got[k]) && math.IsNaN(d)) {
					return false
				}
			}
			return true
		}
		factor := got[first] / want[first]
		if math.IsNaN(factor) || math.IsInf(factor, 0) || always(func(k int) float64 { return factor * want[k] }) {
			if hint := ratio(got[first], want[first], tol); hint != "" {
				err = fmt.Errorf("%w%s", err, hint)
			}
		}
		var idea, other string
		var hint slip
		var all []mistake[In]
		for _, k := range of {
			all = append(all, k.list()...)
		}
		for _, m := range all {
			says, isSlip := m.says.(slip)
			switch {
			case m.does == nil:
				other = m.says.(string)
			case isSlip && hint != "" || !isSlip && idea != "":
			case !always(func(k int) float64 { return m.does(inputs[k]) }):
			case isSlip:
				hint = says
			default:
				idea = m.says.(string)
			}
		}
		sure := hint != "" && !hint.vanishes() && slices.ContainsFunc(got, func(x float64) bool { return x != got[0] })
		if p := plain(got, want); hint == "" || p == slipZero {
			hint, sure = p, false
		}
		switch {
		case idea != "" && hint.vanishes():
			idea = both(idea, hint)
		case idea != "":
		case sure || other == "":
			idea = string(hint)
		default:
			idea = both(other, hint)
		}
		if idea == "" {
			return err
		}
		return fmt.Errorf("%w: %s", err, idea)
	})
}

// kept says which of the arguments your function changed, if it did.
func kept(what string, now, before []int64) error {
	if slices.Equal(now, before) {
		return nil
	}
	return fmt.Errorf("your function changes its argument %s from %v to %v: make a new slice", what, before, now)
}

// own returns a generator to hand to a student's function. It is not r itself:
// a function that reseeds its generator must not choose the next inputs.
func own(r *rand.Rand) *rand.Rand { return rand.New(rand.NewPCG(r.Uint64(), r.Uint64())) }

// ints draws n whole numbers from 0 to most.
func ints(r *rand.Rand, n int, most int64) []int64 {
	x := make([]int64, n)
	for i := range x {
		x[i] = r.Int64N(most + 1)
	}
	return x
}
