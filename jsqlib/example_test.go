package jsqlib_test

import (
	"fmt"
	"math/rand/v2"

	"jsqlab/jsqlib"
)

// The reference system at the paper's regime alpha > 4: Binomial(2, 1/2)
// arrivals and services, whole batches to the shortest queue.
func Example() {
	s := jsqlib.Model{Servers: 32, Alpha: 4.5}
	c, err := s.Constants()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("gap e = %.3e, eps = %.3e\n", c.Gap, c.Eps)
	fmt.Printf("v = %.6f, limit mean m = %g\n", c.V, c.LimitMean)
	fmt.Printf("m_N - m = %.3e\n", c.MeanShift)
	fmt.Printf("relaxation: %.1e slots\n", c.Relaxation())
	// Output:
	// gap e = 1.686e-07, eps = 5.395e-06
	// v = 32.000000, limit mean m = 0.5
	// m_N - m = -7.105e-15
	// relaxation: 2.2e+12 slots
}

func ExampleModel_Constants() {
	_, err := jsqlib.Model{Servers: 8, Alpha: -1}.Constants()
	fmt.Println(err)
	_, err = jsqlib.Model{Servers: 8, Gap: 0.1, Policy: jsqlib.Policy{Rule: jsqlib.Pod, Choices: 9}}.Constants()
	fmt.Println(err)
	// Output:
	// jsqlib: alpha = -1: want alpha > 0
	// jsqlib: policy = pod:9: want jsq, pod:D or pod:D:replacement with 1 <= D <= servers = 8
}

// One slot, with the identities that hold for sure.
func ExampleModel_Step() {
	s := jsqlib.Model{Servers: 3, Gap: 0.1}
	c, err := s.Constants()
	if err != nil {
		fmt.Println(err)
		return
	}
	r := rand.New(rand.NewPCG(1, 6))
	slot := s.Step(c, []int64{2, 0, 1}, r)
	fmt.Println("q ", slot.Before)
	fmt.Println("a ", slot.Arrivals)
	fmt.Println("s ", slot.Service)
	fmt.Println("u ", slot.Unused)
	fmt.Println("q+", slot.After, slot.Check())
	// Output:
	// q  [2 0 1]
	// a  [0 3 0]
	// s  [1 1 2]
	// u  [0 0 1]
	// q+ [1 2 0] <nil>
}

// The unit of routing: a batch of 4 against 4 jobs.
func ExampleModel_Route() {
	q := []int64{5, 1, 3}
	r := rand.New(rand.NewPCG(1, 1))
	fmt.Println(jsqlib.Model{Servers: 3}.Route(q, 4, r))
	fmt.Println(jsqlib.Model{Servers: 3, Routing: jsqlib.Job}.Route([]int64{9, 1, 3}, 2, r))
	// Output:
	// [0 4 0]
	// [0 2 0]
}

func ExampleServe() {
	slot := jsqlib.Serve([]int64{3, 0}, []int64{0, 1}, []int64{1, 2})
	fmt.Println(slot.After, slot.Unused)
	// Output:
	// [2 0] [0 1]
}

func ExampleSlot_Check() {
	slot := jsqlib.Serve([]int64{3, 0}, []int64{0, 1}, []int64{1, 2})
	slot.After[0]++
	fmt.Println(slot.Check())
	// Output:
	// jsqlib: slot: q^+ = q + a - s + u fails at server 0
}

func ExampleParsePMF() {
	p, err := jsqlib.ParsePMF("arrivals", "pmf:0.3,0.5,0.1,0.1")
	fmt.Println(p, err)
	_, err = jsqlib.ParsePMF("arrivals", "pmf:0.5,0.5")
	fmt.Println(err)
	// Output:
	// [0.3 0.5 0.1 0.1] <nil>
	// jsqlib: arrivals = a pmf of mean 0.5: want mean 1 (jobs per slot and server; the unit of time is one mean service, so choose slots in which a server completes one job on average)
}

func ExamplePMF_Thin() {
	y := jsqlib.Binomial(2).Thin(0.2)
	fmt.Printf("%.2f, mean %.2f\n", y, y.Mean())
	// Output:
	// [0.36 0.48 0.16], mean 0.80
}

func ExamplePMF_Power() {
	fmt.Println(jsqlib.Binomial(2).Power(2))
	// Output:
	// [0.0625 0.25 0.375 0.25 0.0625]
}

func ExampleModel_Constants_continuous() {
	c, err := jsqlib.Model{Continuous: true, Servers: 10, Alpha: 3}.Constants()
	fmt.Printf("load %.3f, %v\n", c.Load, err)
	// Output:
	// load 0.999, <nil>
}

func ExampleModel_Tick() {
	s := jsqlib.Model{Continuous: true, Servers: 2, Gap: 0.1}
	c, err := s.Constants()
	if err != nil {
		fmt.Println(err)
		return
	}
	r := rand.New(rand.NewPCG(1, 4))
	q := []int64{1, 0}
	for range 5 {
		next, ev, _ := s.Tick(c, q, r)
		fmt.Println(q, map[jsqlib.Event]string{jsqlib.Arrival: "arrival", jsqlib.Departure: "departure", jsqlib.Idle: "idle"}[ev])
		q = next
	}
	// Output:
	// [1 0] idle
	// [1 0] arrival
	// [1 1] departure
	// [0 1] departure
	// [0 0] arrival
}

func ExamplePerp() {
	q := []int64{4, 1, 1}
	fmt.Println(jsqlib.Parallel(q), jsqlib.Perp(q), jsqlib.PerpNorm2(q))
	// Output:
	// 2 [2 -1 -1] 6
}
