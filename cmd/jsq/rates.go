package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/study"
)

func init() {
	register(command{
		name:    "rates",
		summary: "rates of the distance in N, from a table of jsq merge",
		args:    "FILE.csv [flags]",
		operand: "in",
		help:    ratesHelp,
		setup: func(f *flags) func() (*report, error) {
			var file string
			f.word(&file, "in", "", "or `FILE.csv` this way: a table of jsq merge")
			return func() (*report, error) { return rates(f, file) }
		},
	})
}

const ratesHelp = `
Rows that differ in N only are a series. log W1 over log N is fitted by weighted
least squares with error bars from the 95 % intervals of the rows (delta method).
Intervals of coefficients are 95 %: Student's t with the degrees of freedom that
the error bars support together (Welch-Satterthwaite). Where chi^2 exceeds the
degrees of freedom, standard errors are multiplied by the square root of their
ratio, scale, and the points may not lie on a line: see local.

JSON keys: command, version, file, series, warnings. Each of series has model,
routing (dt), policy, arrivals, service (dt), alpha, servers (list); slope with
slope_low and slope_high, intercept, chi_squared, freedom, scale: the line over
all points; top: the same over the top half of N, with from, its smallest N;
local: slopes between neighbours, with from and to; lines: 2-alpha, 3-alpha and
4-alpha (and 1-alpha where E Q~ is of order N) to compare with; order k and
constant, the limit of W1 N^(alpha-k) as N grows by the fit a + b N^(-1/2) + c/N
over the top half of N but at least four points, with from, value, low, high,
chi_squared, freedom and scale; boundary_constant, the same for E Q~/N^k; both only
with four points or more. k = 2 for batches and 1 otherwise
is measured, not proved. Errors of fits are of the data only: a fit does not know
how far its series is from its limit.
`

type coefficientJSON struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

type fitJSON struct {
	ChiSquared float64 `json:"chi_squared"`
	Freedom    int     `json:"freedom"`
	Scale      float64 `json:"scale"`
}

type rateJSON struct {
	From      int     `json:"from,omitempty"`
	Slope     float64 `json:"slope"`
	SlopeLow  float64 `json:"slope_low"`
	SlopeHigh float64 `json:"slope_high"`
	Intercept float64 `json:"intercept"`
	fitJSON
}

type localJSON struct {
	From      int     `json:"from"`
	To        int     `json:"to"`
	Slope     float64 `json:"slope"`
	SlopeLow  float64 `json:"slope_low"`
	SlopeHigh float64 `json:"slope_high"`
}

type constantJSON struct {
	From int `json:"from"`
	coefficientJSON
	fitJSON
}

type seriesJSON struct {
	Model    string  `json:"model"`
	Routing  string  `json:"routing,omitempty"`
	Policy   string  `json:"policy"`
	Arrivals string  `json:"arrivals,omitempty"`
	Service  string  `json:"service,omitempty"`
	Alpha    float64 `json:"alpha"`
	Servers  []int   `json:"servers"`
	*rateJSON
	Top              *rateJSON          `json:"top,omitempty"`
	Local            []localJSON        `json:"local"`
	Lines            map[string]float64 `json:"lines"`
	Order            int                `json:"order"`
	Constant         *constantJSON      `json:"constant,omitempty"`
	BoundaryConstant *constantJSON      `json:"boundary_constant,omitempty"`
}

func fitOf(f study.Fit) fitJSON { return fitJSON{f.ChiSquared, f.Freedom, f.Scale} }

func rateOf(from int, r study.Rate) *rateJSON {
	return &rateJSON{from, r.Slope.Value, r.Slope.Low, r.Slope.High, r.Intercept.Value, fitOf(r.Fit)}
}

func constantOf(from int, e *study.Extrapolation) *constantJSON {
	if e == nil {
		return nil
	}
	return &constantJSON{from, coefficientJSON{e.Limit.Value, e.Limit.Low, e.Limit.High}, fitOf(e.Fit)}
}

func rates(f *flags, file string) (*report, error) {
	if file == "" {
		return nil, invalid("no file", "", "jsq rates FILE.csv")
	}
	list, err := await(f.ctx, func() ([]study.Series, error) {
		rows, err := study.ReadCSV(file)
		if err != nil {
			return nil, err
		}
		return study.Rates(rows)
	})
	var bad *study.FileError
	var points *jsqlib.Invalid
	switch {
	case errors.As(err, &bad):
		return nil, invalid("file "+quote(file)+": "+bad.Got, "", bad.Want)
	case errors.Is(err, fs.ErrNotExist):
		return nil, invalid("file "+quote(file), "", "a table of jsq merge (there is no such file)")
	case errors.As(err, &points):
		return nil, invalid("file "+quote(file)+": "+points.What, points.Got, points.Want)
	case err != nil:
		return nil, err
	}
	r := newReport(f)
	r.key("version", version)
	r.text("file", "table", "", file)
	var out []seriesJSON
	for _, s := range list {
		out = append(out, ratesSeries(r, s))
	}
	r.key("series", out)
	return r, nil
}

// ratesSeries adds one series to the table and returns its JSON.
func ratesSeries(r *report, s study.Series) seriesJSON {
	v := seriesJSON{Model: s.Model, Routing: s.Routing, Policy: s.Policy, Arrivals: s.Arrivals, Service: s.Service,
		Alpha: s.Alpha, Local: []localJSON{}, Lines: map[string]float64{}, Order: s.Order,
		Constant: constantOf(s.LimitFrom, s.Constant), BoundaryConstant: constantOf(s.LimitFrom, s.Boundary)}
	for _, p := range s.Points {
		v.Servers = append(v.Servers, p.N)
	}
	first, last := v.Servers[0], v.Servers[len(v.Servers)-1]
	name := strings.Join(strings.Fields(s.Model+" "+s.Routing+" "+s.Policy), " ")
	r.row("", "", "")
	r.row(fmt.Sprintf("%s, alpha = %g", name, s.Alpha), "", fmt.Sprintf("arrivals %s, service %s", s.Arrivals, s.Service))
	if s.Model == jsqlib.CT {
		r.rows[len(r.rows)-1].value = ""
	}
	for _, l := range s.Lines {
		v.Lines[strings.ReplaceAll(l.Name, " ", "")] = l.Slope
	}
	if len(s.Points) >= 2 {
		slope := func(what string, from, to int, e jsqlib.Estimate) {
			r.row("  "+what, fmt.Sprintf("N = %d..%d", from, to), plusMinus(e.Value, e.HalfWidth()))
		}
		v.rateJSON = rateOf(0, s.Rate)
		v.Top = rateOf(s.TopFrom, s.Top)
		slope("slope of log W1", first, last, s.Rate.Slope)
		slope("slope, top half of N", s.TopFrom, last, s.Top.Slope)
		for _, l := range s.Local {
			v.Local = append(v.Local, localJSON{l.From, l.To, l.Slope.Value, l.Slope.Low, l.Slope.High})
			slope("local slope", l.From, l.To, l.Slope)
		}
		var lines []string
		for _, l := range s.Lines {
			lines = append(lines, fmt.Sprintf("%s = %.4g", l.Name, l.Slope))
		}
		r.row("  to compare with", "", strings.Join(lines, ", "))
	}
	limit := func(name, symbol string, e *study.Extrapolation) {
		if e != nil {
			r.row(fmt.Sprintf("  %s, extrapolated, N >= %d", name, s.LimitFrom), fmt.Sprintf(symbol, s.Order), plusMinus(e.Limit.Value, e.Limit.HalfWidth()))
		}
	}
	limit("constant", "W1 N^(alpha - %d)", s.Constant)
	limit("boundary constant", "E Q~/N^%d", s.Boundary)
	for _, w := range s.Warnings {
		r.warn("%s, alpha = %g: %s", name, s.Alpha, w)
	}
	return v
}
