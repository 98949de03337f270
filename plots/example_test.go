package plots_test

import (
	"fmt"
	"os"
	"path/filepath"

	"jsqlab/plots"
)

func ExampleDistanceVsN() {
	fig, err := plots.DistanceVsN([]plots.Rate{
		{Alpha: 2.5, N: []int{8, 16, 32}, W1: []float64{0.17, 0.12, 0.088}},
		{Alpha: 4.5, N: []int{8, 16, 32}, W1: []float64{2.7e-3, 4.9e-4, 8.6e-5}},
	}, plots.DistanceOptions{Title: "Distance to the exponential limit"})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := fig.Show(); err != nil { // in a notebook; elsewhere it does nothing
		fmt.Println(err)
	}
	fmt.Println(fig.AltText())
	// Output:
	// Distance to the exponential limit; W_1(N^(−α) Q, limit) against servers N; α = 2.5, α = 4.5, slope 2 − α, slope 3 − α, slope 4 − α
}

func ExampleLines() {
	fig, err := plots.Lines(plots.Chart{
		X: plots.Axis{Label: `$\theta$`, Log: true},
		Y: plots.Axis{Label: "error", Log: true},
		Series: []plots.Series{
			{Name: "measured", X: []float64{0.1, 1, 10}, Y: []float64{2e-9, 9e-9, 3e-9}, Low: []float64{1e-9, 8e-9, 2e-9}, High: []float64{3e-9, 1e-8, 4e-9}},
			{Name: "bound", X: []float64{0.1, 1, 10}, Y: []float64{5e-9, 2e-8, 9e-9}, Mark: plots.Theory},
		},
		Down: []plots.Ref{{At: 2, Label: "$1/m$"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fig.Width, fig.Height = 12, 8 // centimetres
	svg, err := fig.SVG()
	fmt.Println(len(svg) > 1000, err)
	// Output: true <nil>
}

func ExampleLines_error() {
	_, err := plots.Lines(plots.Chart{
		Y:      plots.Axis{Log: true},
		Series: []plots.Series{{Name: "exact", X: []float64{1, 2}, Y: []float64{0.5, 0}}},
	})
	fmt.Println(err)
	// Output: plots: series "exact": Y[1] = 0: want more than 0 on a logarithmic axis
}

func ExampleQueuePaths() {
	queues := [][]int{{0, 2, 1, 1}, {1, 0, 0, 2}}
	total := []int{1, 2, 1, 3}
	fig, err := plots.QueuePaths(queues, total, plots.PathOptions{First: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(fig.AltText())
	// Output: queue q_i (jobs) against slot k; total Q (jobs) against slot k; q_1, q_2
}

func ExampleTotalCDF() {
	law := plots.Law{Name: "$N = 2$", X: []float64{0, 0.5, 1, 1.5}, CDF: []float64{0.5, 0.75, 0.875, 1}}
	fig, err := plots.TotalCDF([]plots.Law{law}, plots.Exp(1), plots.CDFOptions{Difference: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(fig.AltText())
	// Output: P(Z ≤ x) against scaled total Z = N^(−α) Q; difference to limit against scaled total Z = N^(−α) Q; N = 2, limit Exp(1)
}

func ExampleAlphaMap() {
	alpha, servers := []float64{2, 3, 4}, []int{8, 64}
	w1 := [][]float64{{0.5, 0.06, 0.008}, {0.5, 0.008, 1e-4}} // w1[i][j] at servers[i], alpha[j]
	fig, err := plots.AlphaMap(alpha, servers, w1, plots.AlphaMapOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "plots")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	fmt.Println(fig.Save(filepath.Join(dir, "map.pdf")))
	// Output: <nil>
}
