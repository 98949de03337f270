package study

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/hostile"
	"jsqlab/jsqlib/record"
)

func TestHostile(t *testing.T) {
	var none context.Context
	ctx, nan, inf := context.Background(), math.NaN(), math.Inf(1)
	dir := t.TempDir()
	at := func(n int, y, se float64) Point { return Point{N: n, Y: jsqlib.Estimate{Value: y, StdErr: se}} }
	many := func(y, se float64) []Point {
		return []Point{at(2, 1, 0.1), at(4, 1, 0.1), at(8, 1, 0.1), at(16, y, se)}
	}
	fit := func(p ...Point) func() any { return func() any { return hostile.Err(FitRate(p)) } }
	tasks := func(g Grid) func() any { return func() any { return hostile.Err(g.Tasks()) } }
	hostile.Run(t, hostile.Calls{
		{"Sweep without context", func() any {
			return hostile.Err(Sweep(none, dir, Grid{Servers: []int{2}, Alpha: []float64{1}}, Options{}))
		}, "ctx = nil: want a context"},
		{"Sweep of nothing", func() any { return hostile.Err(Sweep(ctx, dir, Grid{}, Options{})) }, "servers = nothing"},
		{"Sweep of a shard", func() any {
			return hostile.Err(Sweep(ctx, dir, Grid{Servers: []int{2}, Alpha: []float64{1}}, Options{Shard: Shard{-1, 2}}))
		}, "shard = -1/2"},
		{"Grid{}", tasks(Grid{}), "servers = nothing"},
		{"alpha NaN", tasks(Grid{Servers: []int{2}, Alpha: []float64{nan}}), "alpha = NaN"},
		{"alpha Inf", tasks(Grid{Servers: []int{2}, Alpha: []float64{inf}}), "alpha = +Inf"},
		{"relative error NaN", tasks(Grid{Servers: []int{2}, Alpha: []float64{1}, RelError: nan}), "rel-error = NaN"},
		{"no shard", func() any { return hostile.Err(ParseShard("")) }, `shard = ""`},
		{"no directory", func() any { return hostile.Err(Merge(filepath.Join(dir, "none"))) }, "none"},
		{"no table", func() any { return hostile.Err(ReadCSV(dir)) }, "directory"},
		{"rates of nothing", func() any { s, err := Rates(nil); return []any{len(s), err} }, "[0 <nil>]"},
		{"rates of Row{}", func() any { return hostile.Err(Rates([]Row{{}})) }, "<nil>"},
		{"rates of Row{} twice", func() any { return hostile.Err(Rates([]Row{{}, {}})) }, "want"},
		{"fit of nothing", fit(), "points = 0"},
		{"fit of N = 0", fit(at(0, 1, 0.1), at(2, 1, 0.1)), "N = 0"},
		{"fit of NaN", fit(at(2, nan, 0.1), at(4, 1, 0.1)), "NaN with standard error 0.1"},
		{"fit of an error of Inf", fit(at(2, 1, inf), at(4, 1, 0.1)), "1 with standard error +Inf"},
		{"fit of an error of 5e-324", fit(at(2, 1, 5e-324), at(4, 1, 0.1)), "standard error 5e-324"},
		{"slopes of nothing", func() any { return hostile.Err(LocalSlopes(nil)) }, "points = 0"},
		{"extrapolation of nothing", func() any { return hostile.Err(Extrapolate(nil)) }, "points = 0"},
		{"extrapolation of NaN", func() any { return hostile.Err(Extrapolate(many(nan, 0.1))) }, "NaN with standard error 0.1"},
		{"extrapolation of an error of NaN", func() any { return hostile.Err(Extrapolate(many(1, nan))) }, "1 with standard error NaN"},
		{"extrapolation of an error of 5e-324", func() any { return hostile.Err(Extrapolate(many(1, 5e-324))) }, "standard error 5e-324"},
		{"Lines of NaN", func() any { return len(linesTo(1, nan)) }, "4"},
		{"Order of nothing", func() any { return orderOf("", "") }, "2"},
		{"Row{}", func() any { return strings.Count(string(EncodeCSV([]Row{{}})), ",") / (len(record.Keys("table")) - 1) }, "2"},
		{"Summary{}", func() any { return Summary{}.Left() }, "0"},
		{"errors", func() any { return new(FileError) }, "want"},
	})
	if len(EncodeCSV(nil)) == 0 {
		t.Error("a table without rows: want its header")
	}
}
