package study

import (
	"errors"
	"io/fs"
	"jsqlab/jsqlib"
	"jsqlab/jsqlib/record"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// The table holds every bit of the rows.
func TestCSV(t *testing.T) {
	dir := t.TempDir()
	sweep(t, dir, quick(), Options{Version: "1.2, \"beta\""})
	sweep(t, dir, Grid{Model: jsqlib.CT, Policy: "pod:2", Servers: []int{2, 5}, Alpha: []float64{1.7}, RelError: 0.1, Seed: math.MaxUint64}, Options{Version: "1.2, \"beta\""})
	rows, err := Merge(dir)
	if err != nil {
		t.Fatal(err)
	}
	rows[3].Warnings = []string{"one, with a comma", "two"}
	file := filepath.Join(dir, "t.csv")
	if err := WriteCSV(file, rows); err != nil {
		t.Fatal(err)
	}
	back, err := ReadCSV(file)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, rows) {
		t.Errorf("read\n%+v\nwrote\n%+v", back, rows)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.SplitN(string(text), "\n", 2)[0]; got != strings.Join(record.Keys("table"), ",") {
		t.Errorf("header %s", got)
	}
	if strings.Contains(string(text), "NaN") || strings.Contains(string(text), "Inf") {
		t.Errorf("not finite:\n%s", text)
	}
	// the columns that the command line promises
	for _, name := range strings.Fields(`model servers alpha gap policy routing mean_total mean_unused boundary_mean boundary_second qtilde_mean
		limit_mean wasserstein wasserstein_low wasserstein_high certificate_low certificate_high slots ceiling ceiling_shift_in_sigma seed version warnings`) {
		if !strings.Contains(","+strings.Join(record.Keys("table"), ",")+",", ","+name+",") {
			t.Errorf("no column %s", name)
		}
	}
}

func TestReadCSVRefused(t *testing.T) {
	const head = "model,servers,alpha,wasserstein,wasserstein_low,wasserstein_high\n"
	file := filepath.Join(t.TempDir(), "t.csv")
	read := func(text string) ([]Row, error) {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return ReadCSV(file)
	}
	rows, err := read(head + "dt,8,3,0.5,0.4,0.6\n")
	if err != nil || len(rows) != 1 || rows[0].Servers != 8 || rows[0].Wasserstein.High != 0.6 {
		t.Errorf("%+v, %v", rows, err)
	}
	for text, want := range map[string]string{
		"":                                      "no header",
		"a,b\n1,2\n":                            "no column model",
		head:                                    "no rows",
		head + "dt,8,3,0.5,0.4\n":               "wrong number of fields",
		head + "dt,8,3,0.5,0.4,x\n":             `line 2, wasserstein_high = "x"`,
		head + "dt,8,3,0.5,0.4,0.6\ndt,8.5,3\n": "wrong number of fields",
		head + "dt,8.5,3,0.5,0.4,0.6\n":         `line 2, servers = "8.5"`,
		head + "dt,8,3,NaN,0.4,0.6\n":           `wasserstein = "NaN"`,
		head + "dt,8,3,0.5,-Inf,0.6\n":          `wasserstein_low = "-Inf"`,
		head + "dt,8,3,0.5,,0.6\n":              `wasserstein_low = ""`,
		head + "dt,8,3,0.5_0,0.4,0.6\n":         `wasserstein = "0.5_0"`,
		head + "dt,1_0,3,0.5,0.4,0.6\n":         `servers = "1_0"`,
		head + strings.Repeat(",", 2<<20):       "a row of more than 1 MiB",
		strings.Repeat(",", 2<<20):              "a row of more than 1 MiB",
		head + "\"dt,8":                         "line 2",
		"model," + head + "dt,dt,8,3,1,1,1\n":   `column "model" twice`,
		"\x00\x01\x02":                          "no column model",
	} {
		_, err := read(text)
		var bad *FileError
		if !errors.As(err, &bad) || !errors.Is(err, ErrTable) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := ReadCSV(file + ".none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
