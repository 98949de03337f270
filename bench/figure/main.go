// Command figure draws the pictures of the benchmark page from its table:
//
//	figure TABLE DIR
//
// DIR/rates.svg has the events a second of plain simulation, DIR/cost.svg the
// slots to W1 within 1 %.
package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"jsqlab/plots"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "figure:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("want TABLE DIR")
	}
	rows, err := read(args[0])
	if err != nil {
		return err
	}
	rates, err := ratesChart(rows)
	if err != nil {
		return err
	}
	if err := save(rates, filepath.Join(args[1], "rates.svg")); err != nil {
		return err
	}
	cost, err := costChart(rows)
	if err != nil {
		return err
	}
	return save(cost, filepath.Join(args[1], "cost.svg"))
}

func save(c plots.Chart, path string) error {
	f, err := plots.Lines(c)
	if err != nil {
		return err
	}
	return f.Save(path)
}

func read(path string) ([]map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) < 2 {
		return nil, fmt.Errorf("%s: no rows", path)
	}
	var rows []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[name] = record[i]
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// gather adds a point, with an interval where there is one, to the series of
// that name, which it makes if need be.
func gather(series []plots.Series, name string, x float64, row map[string]string, y, low, high string) ([]plots.Series, error) {
	values := make([]float64, 3)
	for i, column := range []string{y, low, high} {
		if column == "" || row[column] == "" {
			values[i] = values[0]
			continue
		}
		var err error
		if values[i], err = strconv.ParseFloat(row[column], 64); err != nil {
			return nil, err
		}
	}
	at := -1
	for i := range series {
		if series[i].Name == name {
			at = i
		}
	}
	if at < 0 {
		at = len(series)
		series = append(series, plots.Series{Name: name})
	}
	s := &series[at]
	s.X, s.Y = append(s.X, x), append(s.Y, values[0])
	s.Low, s.High = append(s.Low, values[1]), append(s.High, values[2])
	return series, nil
}

func ratesChart(rows []map[string]string) (plots.Chart, error) {
	c := plots.Chart{
		Title: "Plain simulation in continuous time, load 0.95",
		X:     plots.Axis{Label: "servers $N$", Log: true},
		Y:     plots.Axis{Label: "events per CPU second", Log: true},
	}
	for _, row := range rows {
		var n, load float64
		if _, err := fmt.Sscanf(row["case"], "N = %g, load %g", &n, &load); err != nil {
			continue
		}
		fromEmpty := strings.HasSuffix(row["case"], "from empty")
		if row["group"] != "continuous time" || fromEmpty && row["tool"] == "jsqlib" {
			continue // jsqlib is there twice
		}
		var err error
		if c.Series, err = gather(c.Series, row["tool"], n, row, "rate_median", "rate_low", "rate_high"); err != nil {
			return c, err
		}
	}
	return c, nil
}

func costChart(rows []map[string]string) (plots.Chart, error) {
	c := plots.Chart{
		Title: "Slots to know $W_1$ within 1 %",
		Note:  "plain simulation: measured at small $\\alpha$, then by its law",
		X:     plots.Axis{Label: `$\alpha$`, Range: [2]float64{1, 5}},
		Y:     plots.Axis{Label: "slots", Log: true},
	}
	for _, row := range rows {
		var n, alpha float64
		if row["group"] != "W1 to 1 %" {
			continue
		}
		if _, err := fmt.Sscanf(row["case"], "N = %g, alpha = %g", &n, &alpha); err != nil {
			return c, err
		}
		name := fmt.Sprintf("boundary estimator, N = %g", n)
		if row["tool"] == "direct simulation" {
			name = fmt.Sprintf("plain simulation, N = %g", n)
		}
		var err error
		if c.Series, err = gather(c.Series, name, alpha, row, "work", "", ""); err != nil {
			return c, err
		}
	}
	for i := range c.Series { // the work is one number
		c.Series[i].Low, c.Series[i].High = nil, nil
	}
	for i, s := range c.Series {
		for k := range s.Y {
			c.Series[i].Y[k] = math.Max(s.Y[k], 1)
		}
	}
	return c, nil
}
