// Command bench times wasserstein.W1 on samples that scipy_w1.py has written:
//
//	bench REPS X Y [XWEIGHTS YWEIGHTS]
//
// The files hold little-endian float64 values. It prints the distance and the
// best of REPS times in seconds as JSON.
package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"time"

	"jsqlab/jsqlib/wasserstein"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 && len(args) != 5 {
		return fmt.Errorf("%d arguments: want REPS X Y [XWEIGHTS YWEIGHTS]", len(args))
	}
	reps, err := strconv.Atoi(args[0])
	if err != nil || reps < 1 {
		return fmt.Errorf("REPS = %q: want an integer >= 1", args[0])
	}
	var samples [4][]float64 // x, y, x weights, y weights
	for i, name := range args[1:] {
		if samples[i], err = read(name); err != nil {
			return err
		}
	}
	best := math.Inf(1)
	var value float64
	for range reps {
		start := time.Now()
		if value, err = wasserstein.W1(samples[0], samples[2], samples[1], samples[3]); err != nil {
			return err
		}
		best = math.Min(best, time.Since(start).Seconds())
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]float64{"w1": value, "seconds": best})
}

func read(name string) ([]float64, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	x := make([]float64, len(data)/8)
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return x, nil
}
