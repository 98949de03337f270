package nb

import (
	"errors"
	"fmt"
	"testing"

	"jsqlab/jsqlib"
)

func Example() {
	total := int64(0)
	for slot := range Slots(jsqlib.Model{Servers: 4, Alpha: 1.5}, 100, 1) {
		OK(slot.Check())
		total = jsqlib.Total(slot.After)
	}
	Check(total >= 0, "no queue is negative")
	fmt.Println(PM(5.261, 0.05))
	// Output:
	// holds: no queue is negative
	// 5.26 ± 0.05
}

// What fails stops the cell, and says what.
func TestStops(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		call func()
		want any
	}{
		"Must":  {func() { Must(0, broken) }, broken},
		"OK":    {func() { OK(broken) }, broken},
		"Check": {func() { Check(false, "1 = 2") }, "does not hold: 1 = 2"},
	} {
		func() {
			defer func() {
				if got := recover(); got != c.want {
					t.Errorf("%s: panic %v, want %v", name, got, c.want)
				}
			}()
			c.call()
		}()
	}
	if got := Must(1, nil); got != 1 {
		t.Errorf("Must(1, nil) = %v", got)
	}
}
