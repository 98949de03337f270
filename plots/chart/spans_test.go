package chart

import (
	"errors"
	"math"
	"testing"
)

// TestSpansInput: what cannot be drawn is refused by name.
func TestSpansInput(t *testing.T) {
	for _, c := range []struct {
		row  Span
		want string
	}{
		{Span{From: 2, To: 1}, "plots: rows[0].To = 1: want 2 or more, the value of From"},
		{Span{From: math.NaN(), To: 1}, "plots: rows[0].From = NaN: want a finite number"},
		{Span{From: 1, To: math.NaN()}, "plots: rows[0].To = NaN: want a finite number"},
		{Span{From: 1, To: 2, Group: 3}, "plots: rows[0].Group = 3: want 0 to 2, the kinds there are"},
		{Span{From: 1, To: 2, Group: -1}, "plots: rows[0].Group = -1: want 0 to 2, the kinds there are"},
	} {
		_, err := Spans([]Span{c.row}, SpanOptions{Kinds: []string{"a", "b"}})
		var e *InputError
		if !errors.As(err, &e) || err.Error() != c.want {
			t.Errorf("%+v: error %v: want %q", c.row, err, c.want)
		}
	}
	if _, err := Spans(nil, SpanOptions{}); err == nil {
		t.Error("no rows: want an error")
	}
}
