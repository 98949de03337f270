package check

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The random streams of the checks are fixed in tests.
func TestMain(m *testing.M) {
	seed = rand.New(rand.NewPCG(2021, 5)).Uint64
	os.Exit(m.Run())
}

// answers are right answers, whose says is empty, and wrong ones, each with a
// piece of the message it must get.
type answers []struct {
	name  string
	check func() error
	says  string
}

func (list answers) run(t *testing.T) {
	t.Helper()
	for _, a := range list {
		t.Run(a.name, func(t *testing.T) {
			err := a.check()
			switch {
			case a.says == "" && err != nil:
				t.Errorf("a right answer fails: %v", err)
			case a.says != "" && err == nil:
				t.Error("a wrong answer passes")
			case a.says != "" && !strings.Contains(err.Error(), a.says):
				t.Errorf("got %q, want it to say %q", err, a.says)
			case err != nil:
				t.Log(err)
			}
		})
	}
}

func TestCall(t *testing.T) {
	answers{
		{"nil", func() error { return call(func(*rand.Rand) error { return nil }) }, ""},
		{"error", func() error { return call(func(*rand.Rand) error { return errors.New("no") }) }, "no"},
		{"stub", func() error { return call(func(*rand.Rand) error { panic(Stub) }) }, "this task is not done"},
		{"panic", func() error { return call(func(*rand.Rand) error { panic(fmt.Errorf("boom")) }) }, "your code panics: boom"},
		{"panic(nil)", func() error { return call(func(*rand.Rand) error { panic(nil) }) }, "your code panics"},
		{"goexit", func() error { return call(func(*rand.Rand) error { runtime.Goexit(); return nil }) }, "ended the goroutine"},
		{"endless", func() error {
			return callWithin(time.Millisecond, func(*rand.Rand) error { select {} })
		}, "a loop that does not end"},
	}.run(t)
}

type stopped bool

func (s *stopped) FailNow() { *s = true }

func TestReport(t *testing.T) {
	var s stopped
	if Report(&s, nil); s {
		t.Error("a right answer fails the test")
	}
	if Report(&s, errors.New("no")); !s {
		t.Error("a wrong answer does not fail the test")
	}
}

func TestNumber(t *testing.T) {
	n := func(got, want float64) func() error {
		return func() error { return number("x", got, want, 0.01) }
	}
	answers{
		{"equal", n(1, 1), ""},
		{"within", n(1.009, 1), ""},
		{"zero", n(0.001, 0), ""},
		{"outside", n(1.02, 1), "x = 1.02, want 1: too large by the factor 1.02"},
		{"small", n(-0.5, -1), "too small by the factor 2"},
		{"a little", func() error { return number("x", 1.0000001, 1, 1e-9) }, "x = 1.0000001, want 1: off by 1e-05 %"},
		{"sign", n(-1, 1), "the sign is wrong"},
		{"not zero", n(1, 0), "x = 1, want 0"},
		{"infinite", n(math.Inf(1), 1), "division by zero"},
		{"not a number", n(math.NaN(), 1), "division by zero"},
	}.run(t)
}

// some are every fourth of the answers in a short run, for checks that simulate.
func (list answers) some() answers {
	if !testing.Short() {
		return list
	}
	var few answers
	for k := 0; k < len(list); k += 4 {
		few = append(few, list[k])
	}
	return few
}

type side float64

func (x side) String() string { return fmt.Sprintf("x = %.2f", float64(x)) }

func TestFunction(t *testing.T) {
	f := func(f func(x side) float64) func() error {
		return func() error {
			draw := func(r *rand.Rand) side { return side(1 + float64(r.IntN(3))) }
			square := func(x side) float64 { return float64(x * x) }
			return function(20, draw, "x²", f, square, 0.01,
				mistake[side]{func(x side) float64 { return float64(x) }, "square it"},
				mistake[side]{func(x side) float64 { return float64(2 * x) }, "not double"},
				mistake[side]{says: "think again"})
		}
	}
	answers{
		{"right", f(func(x side) float64 { return float64(x) * float64(x) }), ""},
		{"first mistake", f(func(x side) float64 { return float64(x) }), "square it"},
		{"second mistake", f(func(x side) float64 { return float64(x + x) }), "not double"},
		{"a mistake on some inputs only is not named", f(func(x side) float64 { return max(float64(x), 2) }), "think again"},
		{"a constant factor", f(func(x side) float64 { return 3 * float64(x*x) }), "too large by the factor 3: think again"},
		{"infinite", f(func(x side) float64 { return 1 / (float64(x) - float64(x)) }), "division by zero"},
		{"too large", f(func(x side) float64 { return math.Exp(1000 * float64(x)) }), "larger than a float64"},
	}.run(t)
}

// number compares one number with what is wanted, within the relative tolerance
// tol.
func number(what string, got, want, tol float64) error {
	if agrees(got, want, tol) {
		return nil
	}
	return fmt.Errorf("%s = %s%s", what, versus(got, want), ratio(got, want, tol))
}
