package memory

import (
	"math"
	"testing"
)

func TestCheck(t *testing.T) {
	square := func(n float64) float64 { return Word * n * n }
	for _, c := range []struct {
		n     int64
		bytes func(float64) float64
		want  string
	}{
		{16384, square, ""},
		{16385, square, "test: points = 16385, which takes about 2 GiB: want points <= 16384, which fits the limit of 2 GiB"},
		{100_000, square, "test: points = 100000, which takes about 74.5 GiB: want points <= 16384, which fits the limit of 2 GiB"},
		{1, func(float64) float64 { return math.Inf(1) }, "test: points = 1, which takes about +Inf GiB: want points <= 0, which fits the limit of 2 GiB"},
	} {
		got := ""
		if err := Check("test", "points", c.n, c.bytes); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%d points: %q, want %q", c.n, got, c.want)
		}
	}
	if Fits(math.NaN()) || Text(1<<20) != "1 MiB" {
		t.Errorf("NaN fits: %v; 2^20 bytes are %s", Fits(math.NaN()), Text(1<<20))
	}
}
