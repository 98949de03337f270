package bound

import (
	"fmt"
	"testing"

	"jsqlab/jsqlib"
)

// All bounds for one (N, alpha): the drift and moment constants, the paper's choice of r and
// the best one.
func BenchmarkAllBounds(b *testing.B) {
	for _, n := range []int{8, 64, 256, 10000} {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			for b.Loop() {
				a, err := New(jsqlib.Model{Servers: n, Alpha: 4.5})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := a.Paper(); err != nil {
					b.Fatal(err)
				}
				if _, err := a.Best(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
