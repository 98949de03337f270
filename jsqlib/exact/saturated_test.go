package exact_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/exact"
	"jsqlab/jsqlib/internal/near"
)

// refused fails the test unless err refuses the argument in one line that holds text.
func refused(t *testing.T, err error, argument, text string) {
	t.Helper()
	var a *jsqlib.Invalid
	if !errors.As(err, &a) || a.What != argument || !strings.Contains(err.Error(), text) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v: want %s refused with %q", err, argument, text)
	}
}

func TestMeanDriftErrors(t *testing.T) {
	_, err := exact.MeanDrift(jsqlib.Model{Servers: 2, Gap: 0.1}, []int64{1})
	refused(t, err, "q", "want one queue")
	_, err = exact.MeanDrift(jsqlib.Model{Servers: 2, Gap: 0.1}, []int64{1, -1})
	refused(t, err, "q", "want queues of 0")
	_, err = exact.MeanDrift(jsqlib.Model{Servers: 64, Gap: 0.1}, make([]int64, 64))
	refused(t, err, "servers", "outcomes")
	_, err = exact.MeanDrift(jsqlib.Model{Servers: 2, Gap: 0.1, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 1}}, make([]int64, 2))
	refused(t, err, "policy", "want jsq")
	if _, err = exact.MeanDrift(jsqlib.Model{Servers: 2}, make([]int64, 2)); err == nil {
		t.Error("no gap: no error")
	}
}

// Two saturated servers with services of 0 or 2 and arrivals of one job each, at a gap
// of 1e-100: the longer queue less the shorter, D, moves to |D - 2 - s_1 + s_2|.
func TestSaturatedClosedForm(t *testing.T) {
	s := jsqlib.Model{Servers: 2, Gap: 1e-100, Arrivals: jsqlib.PMF{0, 1}, Service: jsqlib.PMF{0.5, 0, 0.5}}
	x, err := exact.NewSaturated(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	// K = D/2 moves to |K - 1 + x|, x = -1, 0, 1 with 1/4, 1/2, 1/4, and stays in {0, 1, 2}:
	// pi_2 = pi_0/4 + pi_2/4 and pi_1 = pi_0/2 + pi_1/2 + pi_2/2.
	pi0, pi1, pi2 := 3.0/8, 4.0/8, 1.0/8
	for _, c := range []struct{ above, want float64 }{
		{0, 1 - pi0}, {2 / math.Sqrt2, pi2}, {4 / math.Sqrt2, 0},
	} {
		if got := x.Tail(c.above + 1e-9); math.Abs(got-c.want) > 1e-10 {
			t.Errorf("P(L > %g) = %.12g, want %.12g", c.above, got, c.want)
		}
	}
	want := math.Sqrt((pi1*4 + pi2*16) / 2)
	got, err := x.MomentRoot(2)
	if err != nil {
		t.Fatal(err)
	}
	near.Rel(t, "root of E L^2", got, want, 1e-10)
}

// Two saturated servers with services of 0 or 20: far out the difference D moves by
// -a - s_1 + s_2, so that P(D > x) falls like e^(-theta x), E e^(theta (-a - s_1 + s_2)) = 1.
func TestSaturatedTail(t *testing.T) {
	rare := make(jsqlib.PMF, 21)
	rare[0], rare[20] = 0.95, 0.05
	x, err := exact.NewSaturated(context.Background(), jsqlib.Model{Servers: 2, Gap: 0.01, Arrivals: jsqlib.PMF{0, 1}, Service: rare})
	if err != nil {
		t.Fatal(err)
	}
	mean := func(theta float64) float64 {
		return math.Pow(0.01+0.99*math.Exp(-theta), 2) *
			(0.95 + 0.05*math.Exp(20*theta)) * (0.95 + 0.05*math.Exp(-20*theta))
	}
	low, high := 1e-3, 0.5 // mean < 1 below the root
	for range 60 {
		if mid := (low + high) / 2; mean(mid) < 1 {
			low = mid
		} else {
			high = mid
		}
	}
	ratio := x.Tail(240.5/math.Sqrt2) / x.Tail(160.5/math.Sqrt2)
	near.Rel(t, "ratio of tails", ratio, math.Exp(-80*low), 1e-3)
}

func TestSaturatedErrors(t *testing.T) {
	ctx := context.Background()
	_, err := exact.NewSaturated(ctx, jsqlib.Model{Servers: 4, Gap: 0.1})
	refused(t, err, "servers", "2 or 3")
	_, err = exact.NewSaturated(ctx, jsqlib.Model{Servers: 3, Gap: 0.1, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 2}})
	refused(t, err, "policy", "jsq")
	wide := make(jsqlib.PMF, 101)
	wide[0], wide[100] = 0.99, 0.01
	_, err = exact.NewSaturated(ctx, jsqlib.Model{Servers: 3, Gap: 0.1, Arrivals: wide, Service: wide})
	refused(t, err, "arrivals", "outcomes")
	if _, err = exact.NewSaturated(ctx, jsqlib.Model{Servers: 3}); err == nil {
		t.Error("no gap: no error")
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, err = exact.NewSaturated(stopped, jsqlib.Model{Servers: 3, Gap: 0.1}); err != context.Canceled {
		t.Errorf("stopped: %v", err)
	}
	// thinning breaks the parity of the difference, once in 10^12 slots
	_, err = exact.NewSaturated(ctx, jsqlib.Model{Servers: 2, Gap: 1e-12, Arrivals: jsqlib.PMF{0, 1}, Service: jsqlib.PMF{0.5, 0, 0.5}})
	refused(t, err, "arrivals", "parity")
	x, err := exact.NewSaturated(ctx, jsqlib.Model{Servers: 2, Gap: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	_, err = x.MomentRoot(0)
	refused(t, err, "r", "r = 0")
}
