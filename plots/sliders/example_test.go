package sliders_test

import (
	"fmt"

	"jsqlab/jsqlib"
	"jsqlab/plots/sliders"
)

func ExampleRun() {
	if err := sliders.Run(jsqlib.Model{Servers: 32, Alpha: 4.5}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// N = 32, α = 4.5, batch routing, jsq
	// W1 = (9.1 ± 0.2)e-05, certificate from 8.91e-05 to 9.40e-05
}
