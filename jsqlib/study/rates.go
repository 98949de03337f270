package study

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/reps"
)

// Point is an estimate at N servers. Freedom is the degrees of freedom behind its standard error, 0 if
// they are not known.
type Point struct {
	N       int
	Y       jsqlib.Estimate
	Freedom float64
}

// Fit says how well a model with few parameters goes through the points.
//
// A fitted coefficient comes with the standard error of weighted least squares from the error bars of
// the points, multiplied by Scale. Its 95 % interval uses Student's t with the degrees of freedom nu
// that the error bars support together,
//
//	nu = (sum v_i)^2 / sum v_i^2/nu_i,
//
// v_i the part of the variance that point i contributes (Welch 1947, Satterthwaite 1946).
type Fit struct {
	ChiSquared float64 // sum of squared residuals in standard errors
	Freedom    int     // points minus parameters
	// Scale is the factor by which the standard errors were widened: the square root of chi^2/freedom
	// where this root is above 1, and 1 elsewhere (the rule of the Particle Data Group). The rule is a
	// convention and no model of the misfit. Where Scale is well above 1, the points do not lie on the
	// curve. The interval then shows how far the points pull the coefficient, not where its limit is.
	Scale float64
}

// Rate is a line log W = Intercept + Slope log N.
type Rate struct {
	Slope, Intercept jsqlib.Estimate
	Fit
}

// FitRate fits the line log Y = Intercept + Slope log N by weighted least squares. The error of log Y
// is that of Y divided by Y (delta method). It needs two points with different N, each with Y > 0 and 0
// < standard error < Y/2, where the delta method is of use. Otherwise the error wraps a
// [*jsqlib.Invalid].
func FitRate(points []Point) (Rate, error) {
	logs, err := logPoints(points)
	if err != nil {
		return Rate{}, err
	}
	// centred, so that the two coefficients are nearly independent
	centre, weights := 0.0, 0.0
	for i, p := range points {
		w := 1 / (logs[i].Y.StdErr * logs[i].Y.StdErr)
		centre += w * math.Log(float64(p.N))
		weights += w
	}
	centre /= weights
	fit, c, err := leastSquares(logs, 2, func(n float64, row []float64) {
		row[0], row[1] = 1, math.Log(n)-centre
	}, [][]float64{{0, 1}, {1, -centre}})
	if err != nil {
		return Rate{}, err
	}
	return Rate{Slope: c[0], Intercept: c[1], Fit: fit}, nil
}

// LocalSlope is the slope of log Y over log N between two neighbours.
type LocalSlope struct {
	From, To int // N
	Slope    jsqlib.Estimate
}

// LocalSlopes returns the slopes between neighbours in N. The exponent is their limit as N grows.
// Neighbours share a point, so their errors are not independent. It fails as [FitRate] does.
func LocalSlopes(points []Point) ([]LocalSlope, error) {
	points = slices.Clone(points)
	slices.SortFunc(points, func(a, b Point) int { return cmp.Compare(a.N, b.N) })
	if len(points) < 2 {
		return nil, refusePoints(strconv.Itoa(len(points)), "at least 2")
	}
	var out []LocalSlope
	for i := 1; i < len(points); i++ {
		r, err := FitRate(points[i-1 : i+1])
		if err != nil {
			return nil, err
		}
		out = append(out, LocalSlope{points[i-1].N, points[i].N, r.Slope})
	}
	return out, nil
}

// Extrapolation is Y = Limit + b N^(-1/2) + c/N.
type Extrapolation struct {
	Limit jsqlib.Estimate
	Fit
}

// Extrapolate returns the limit of Y as N grows, if Y approaches its limit a as
//
//	Y = a + b N^(-1/2) + c/N.
//
// The fit is by weighted least squares. It needs four points with different N and positive standard
// errors. Otherwise the error wraps a [*jsqlib.Invalid].
func Extrapolate(points []Point) (Extrapolation, error) {
	if len(points) < 4 {
		return Extrapolation{}, refusePoints(strconv.Itoa(len(points)), "at least 4, for three parameters and a check")
	}
	fit, c, err := leastSquares(points, 3, func(n float64, row []float64) {
		row[0], row[1], row[2] = 1, 1/math.Sqrt(n), 1/n
	}, [][]float64{{1, 0, 0}})
	if err != nil {
		return Extrapolation{}, err
	}
	return Extrapolation{c[0], fit}, nil
}

// logPoints returns the points with log Y in the place of Y.
func logPoints(points []Point) ([]Point, error) {
	points = slices.Clone(points)
	for i, p := range points {
		y, se := p.Y.Value, p.Y.StdErr
		if !(y > 0 && se > 0 && se < y/2) || math.IsInf(y, 0) {
			return nil, refusePoints(fmt.Sprintf("%v with standard error %v at N = %d", y, se, p.N), "0 < standard error < value/2, to take the logarithm")
		}
		points[i].Y = jsqlib.Estimate{Value: math.Log(y), StdErr: se / y}
	}
	return points, nil
}

// leastSquares fits y = sum_j beta_j x_j(n), weighted by the standard errors, and returns the linear
// combinations of beta that are wanted.
func leastSquares(points []Point, parameters int, x func(n float64, row []float64), wanted [][]float64) (fit Fit, out []jsqlib.Estimate, err error) {
	if len(points) < parameters {
		return fit, nil, refusePoints(strconv.Itoa(len(points)), fmt.Sprintf("at least %d", parameters))
	}
	design := mat.NewDense(len(points), parameters, nil)
	y := mat.NewVecDense(len(points), nil)
	seen := map[int]bool{}
	for i, p := range points {
		value, se := p.Y.Value, p.Y.StdErr
		if weight := 1 / (se * se); p.N < 1 || !(se > 0 && weight > 0) || math.IsInf(weight, 0) || value-value != 0 {
			return fit, nil, refusePoints(fmt.Sprintf("%v with standard error %v at N = %d", value, se, p.N), "N >= 1, a finite value and a positive, finite standard error with a square that float64 holds")
		}
		if seen[p.N] {
			return fit, nil, jsqlib.Refuse("study", "N", fmt.Sprintf("%d twice", p.N), "each N once")
		}
		seen[p.N] = true
		row := design.RawRowView(i)
		x(float64(p.N), row)
		for j := range row {
			row[j] /= se
		}
		y.SetVec(i, value/se)
	}
	var qr mat.QR
	qr.Factorize(design)
	// gain[i][j] = d beta_j / d y_i, in units of the standard error of point i: the shortest solution
	// of design^T gain = 1, which takes as much as the design itself
	gain, unit := mat.NewDense(len(points), parameters, nil), mat.NewDense(parameters, parameters, nil)
	for j := range parameters {
		unit.Set(j, j, 1)
	}
	if err := qr.SolveTo(gain, true, unit); err != nil {
		return fit, nil, refusePoints("N that do not tell the parameters apart", "points further apart in N")
	}
	var beta, back mat.VecDense
	beta.MulVec(gain.T(), y)
	back.MulVec(design, &beta)
	back.SubVec(y, &back)
	fit = Fit{ChiSquared: mat.Dot(&back, &back), Freedom: len(points) - parameters, Scale: 1}
	if fit.Freedom == 0 {
		fit.ChiSquared = 0 // but for rounding
	} else {
		fit.Scale = math.Sqrt(max(1, fit.ChiSquared/float64(fit.Freedom)))
	}
	for _, c := range wanted {
		combination := mat.NewVecDense(parameters, c)
		value, variance, spread := mat.Dot(combination, &beta), 0.0, 0.0
		for i, p := range points {
			g := mat.Dot(combination, gain.RowView(i))
			v := g * g
			variance += v
			if p.Freedom > 0 {
				spread += v * v / p.Freedom
			}
		}
		nu := math.Inf(1)
		if spread > 0 {
			nu = variance * variance / spread
		}
		se := math.Sqrt(variance) * fit.Scale
		h := se * reps.Quantile(nu)
		out = append(out, jsqlib.Estimate{Value: value, StdErr: se, Low: value - h, High: value + h})
	}
	return fit, out, nil
}

// Line is a slope to compare a fit with.
type Line struct {
	Name  string
	Slope float64
}

// linesTo returns the slopes to compare a fit with: 2 - alpha, 3 - alpha and 4 - alpha, and 1 - alpha
// before them for models with order 1.
//
// The error term of arXiv:2004.04826v3 has the relative size N^(4 - alpha) as p -> 1. The Stein bound
// with Hölder's inequality and explicit collapse constants has N^(3 - alpha) log N (derived, package
// bound). W1 has N^(Order - alpha), from the size of E Q~ (measured).
func linesTo(order int, alpha float64) []Line {
	var out []Line
	for k := min(order, 2); k <= 4; k++ {
		out = append(out, Line{fmt.Sprintf("%d - alpha", k), float64(k) - alpha})
	}
	return out
}

// orderOf returns k with E Q~ of order N^k, so that W1 is of order N^(k - alpha) (measured). k is 2 where
// whole batches join one queue, and 1 in continuous time and where each job is routed by itself.
func orderOf(model, routing string) int {
	if model == jsqlib.CT || routing == jsqlib.Job.String() {
		return 1
	}
	return 2
}

// Series is the behaviour of W1 in a table as N grows at one alpha.
type Series struct {
	Model, Routing, Policy, Arrivals, Service string
	Alpha                                     float64
	Points                                    []Point // W1, by N
	Rate                                      Rate    // over all points
	// Top is the rate over the top half of N, the upper ceil(n/2) points but at least two; it is what
	// the exponent is read from.
	Top     Rate
	TopFrom int // smallest N of Top
	Local   []LocalSlope
	Lines   []Line
	Order   int // k, see orderOf
	// Constant and Boundary are the limits of W1 N^(alpha-k) and of E Q~/N^k by [Extrapolate] over the
	// top half of N but at least four points, as three terms do not hold down to small N; nil with
	// fewer than four points, and Boundary without E Q~.
	Constant, Boundary *Extrapolation
	LimitFrom          int // smallest N of Constant and Boundary
	Warnings           []string
}

// series names what the rows of one series share, except alpha.
func series(r Row) string {
	return strings.Join([]string{r.Model, r.Routing, r.Policy, r.Arrivals, r.Service}, "\x00")
}

// Rates fits each series of rows that differ in N only, in the order of [Merge]. A series of fewer than
// two points stays in the result: it has its Points, rates of zero and a warning. The rows are not
// changed. Rows of one system twice, and values that have no logarithm, are refused: the error wraps a
// [*jsqlib.Invalid] that names the series.
func Rates(rows []Row) ([]Series, error) {
	rows = slices.Clone(rows)
	sortRows(rows)
	var out []Series
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && series(rows[n]) == series(rows[0]) && rows[n].Alpha == rows[0].Alpha {
			n++
		}
		s, err := ratesOf(rows[:n])
		if err != nil {
			return nil, err
		}
		out = append(out, s)
		rows = rows[n:]
	}
	return out, nil
}

func ratesOf(rows []Row) (Series, error) {
	r := rows[0]
	s := Series{Model: r.Model, Routing: r.Routing, Policy: r.Policy, Arrivals: r.Arrivals, Service: r.Service,
		Alpha: r.Alpha, Order: orderOf(r.Model, r.Routing)}
	s.Lines = linesTo(s.Order, s.Alpha)
	var constant, boundary []Point
	for _, r := range rows {
		nu := max(float64(r.Replications-1), 0)
		n := float64(r.Servers)
		s.Points = append(s.Points, Point{r.Servers, r.Wasserstein, nu})
		constant = append(constant, Point{r.Servers, r.Wasserstein.Affine(math.Pow(n, s.Alpha-float64(s.Order)), 0), nu})
		if r.QtildeMean.High > r.QtildeMean.Low {
			boundary = append(boundary, Point{r.Servers, r.QtildeMean.Affine(math.Pow(n, -float64(s.Order)), 0), nu})
		}
		for _, w := range r.Warnings {
			s.Warnings = append(s.Warnings, fmt.Sprintf("N = %d: %s", r.Servers, w))
		}
	}
	name := func(err error) error {
		var bad *jsqlib.Invalid
		if !errors.As(err, &bad) {
			return err
		}
		what := fmt.Sprintf("%s, alpha = %g: %s", strings.Join(Task(r.Asked).rule(), " "), r.Alpha, bad.What)
		return jsqlib.Refuse("study", what, bad.Got, bad.Want)
	}
	if len(rows) < 2 {
		s.Warnings = append(s.Warnings, "one point only: no slope")
		return s, nil
	}
	var err error
	if s.Rate, err = FitRate(s.Points); err != nil {
		return s, name(err)
	}
	top := s.Points[min(len(rows)/2, len(rows)-2):]
	s.TopFrom = top[0].N
	if s.Top, err = FitRate(top); err != nil {
		return s, name(err)
	}
	if s.Local, err = LocalSlopes(s.Points); err != nil {
		return s, name(err)
	}
	s.warnMisfit("slope over all points", s.Rate.Fit)
	s.warnMisfit("slope over the top half", s.Top.Fit)
	if len(constant) < 4 {
		return s, nil
	}
	from := min(len(rows)/2, len(rows)-4)
	s.LimitFrom = rows[from].Servers
	limit := func(what string, points []Point) (*Extrapolation, error) {
		e, err := Extrapolate(points[from:])
		if err != nil {
			return nil, name(err)
		}
		s.warnMisfit(what, e.Fit)
		return &e, nil
	}
	if s.Constant, err = limit("constant", constant); err == nil && len(boundary) == len(rows) {
		s.Boundary, err = limit("boundary constant", boundary)
	}
	return s, err
}

// warnMisfit warns of a fit whose chi^2 chance exceeds once in a hundred times.
func (s *Series) warnMisfit(what string, f Fit) {
	if f.Freedom == 0 || (distuv.ChiSquared{K: float64(f.Freedom)}).Survival(f.ChiSquared) > 0.01 {
		return
	}
	s.Warnings = append(s.Warnings, fmt.Sprintf("%s: chi^2 = %.3g for %d degrees of freedom, interval widened by %.3g", what, f.ChiSquared, f.Freedom, f.Scale))
}
