package bound

import (
	"fmt"
	"math"
	"slices"

	"jsqlab/jsqlib"
	"jsqlab/jsqlib/internal/num"
	"jsqlab/jsqlib/law"
)

// Lipschitz is a piecewise linear function h on x >= 0 with |h'| <= 1, h(0) not specified:
// h' = Slopes[0] below Breaks[0], Slopes[i] between Breaks[i-1] and Breaks[i] and the last slope beyond
// the last break. Breaks are positive and increase; there is one slope more than there are breaks.
type Lipschitz struct {
	Name   string
	Breaks []float64
	Slopes []float64
}

// Identity returns h(x) = x. Its error is the bias of the mean.
func Identity() Lipschitz { return Lipschitz{Name: "x", Slopes: []float64{1}} }

// Distance returns h(x) = |x - a|.
func Distance(a float64) Lipschitz {
	return kink(fmt.Sprintf("|x - %g|", a), a, -1, 1, 1)
}

// Capped returns h(x) = min(x, a).
func Capped(a float64) Lipschitz {
	return kink(fmt.Sprintf("min(x, %g)", a), a, 1, 0, 0)
}

func kink(name string, a, before, after, alone float64) Lipschitz {
	if a <= 0 {
		return Lipschitz{Name: name, Slopes: []float64{alone}}
	}
	return Lipschitz{Name: name, Breaks: []float64{a}, Slopes: []float64{before, after}}
}

func (h Lipschitz) check() error {
	if len(h.Slopes) != len(h.Breaks)+1 {
		return jsqlib.Refuse("bound", "h", fmt.Sprintf("%d slopes and %d breaks", len(h.Slopes), len(h.Breaks)), "one slope more than breaks")
	}
	for i, d := range h.Slopes {
		if !(math.Abs(d) <= 1) {
			return jsqlib.Refuse("bound", "h", fmt.Sprintf("slope %v", d), "slopes in [-1, 1]")
		}
		if i < len(h.Breaks) {
			b := h.Breaks[i]
			if !(b > 0) || math.IsInf(b, 1) || i > 0 && b <= h.Breaks[i-1] {
				return jsqlib.Refuse("bound", "h", fmt.Sprintf("break %v", b), "positive finite breaks that increase")
			}
		}
	}
	return nil
}

// maxWitnessCells bounds the cells of the tail that Witness looks into.
const maxWitnessCells = 1 << 16

// Witness returns the h that attains W1(Z, Exp(m_N)) = E h(Z) - E h(Exp(m_N)), Z = c Q: h' = sign(P(Z >
// x) - e^(-x/m_N)). P(Z > x) is constant on the cell [cn, c(n+1)), and the exponential may cross it
// once in each.
//
// In the geometric tail the crossings are followed over 65536 cells; from there on h' is the sign of
// the integral over the cell. Cells of the tail are crossed only where E Q~ is below about 1/2, as for
// two servers. Then h falls short of W1 when c is below about 1e-3 m, by 1 % at N = 2. Otherwise h
// attains W1 to rounding.
func Witness(t *law.Total) (Lipschitz, error) {
	if t == nil || t.Scale() == 0 {
		return Lipschitz{}, jsqlib.Refuse("bound", "t", "nil or Total{}", "the law of the total")
	}
	c, m := t.Scale(), t.MeanN()
	step := c / m
	h := Lipschitz{Name: "witness of W1"}
	add := func(from, slope float64) { // the slope from there on
		k := len(h.Slopes)
		switch {
		case k == 0 || from <= 0:
			h.Slopes = append(h.Slopes[:0], slope)
			h.Breaks = h.Breaks[:0]
		case h.Slopes[k-1] == slope:
		case k > 1 && from <= h.Breaks[k-2]: // the piece before is empty
			h.Slopes[k-1] = slope
		default:
			h.Breaks = append(h.Breaks, from)
			h.Slopes = append(h.Slopes, slope)
		}
	}
	from := float64(t.TailStart() + maxWitnessCells + 1)
	end := 745 / step // beyond, e^(-x/m) underflows
	for n := 0.0; n < from && n <= end; n++ {
		switch above := t.LogRatio(n); {
		case above >= 0:
			add(c*n, 1)
		case above <= -step:
			add(c*n, -1)
		default: // the exponential is above until it has fallen by the same factor
			add(c*n, -1)
			add(c*n-m*above, 1)
		}
	}
	// beyond, the sign of a line
	if from <= end {
		first, last := t.LogRatio(from)+step/2, t.LogRatio(end)+step/2
		sign := func(x float64) float64 {
			if x >= 0 {
				return 1
			}
			return -1
		}
		add(c*from, sign(first))
		if sign(first) != sign(last) {
			add(c*(from+(end-from)*first/(first-last)), sign(last))
		}
	}
	return h, h.check()
}

// Stein is the solution f of Stein's equation for Exp(m),
//
//	m f'' - f' = h - E h(Exp(m)),   f'(0) = 0,
//
// extended to x < 0 as a parabola with the second derivative that it has at 0. Derived:
//
//	f''(x) = -(1/m) e^(x/m) int_x^inf h'(y) e^(-y/m) dy,   m f''' = f'' + h',
//	|f''| <= 1,   |f'''| <= 2/m,
//
// and both constants are the best possible. For piecewise linear h each piece is in closed form, and no
// value is a difference of larger ones. All values of Stein{} are NaN.
type Stein struct {
	mean   float64
	breaks []float64 // of h
	slopes []float64
	second []float64 // f'' at 0 and at the breaks
	prime  []float64 // f' there
}

// NewStein returns the solution for h and the mean m > 0. It fails with [*jsqlib.Invalid] for a mean
// that is not positive and finite, and an h that is not of the form [Lipschitz] describes.
func NewStein(mean float64, h Lipschitz) (*Stein, error) {
	if !(mean > 0) || math.IsInf(mean, 1) {
		return nil, jsqlib.Refuse("bound", "mean", mean, "0 < mean < Inf")
	}
	if err := h.check(); err != nil {
		return nil, err
	}
	k := len(h.Breaks)
	f := &Stein{
		mean: mean, breaks: slices.Clone(h.Breaks), slopes: slices.Clone(h.Slopes),
		second: make([]float64, k+1), prime: make([]float64, k+1),
	}
	for i := k; i >= 0; i-- { // f'' at the left end of piece i from that at its right end
		f.second[i] = f.secondIn(i, f.start(i))
	}
	for i := 1; i <= k; i++ {
		f.prime[i] = f.prime[i-1] + f.primeStep(i-1, f.start(i-1), f.start(i))
	}
	return f, nil
}

// start is the left end of piece i.
func (f *Stein) start(i int) float64 {
	if i == 0 {
		return 0
	}
	return f.breaks[i-1]
}

// piece returns the piece that holds x >= 0.
func (f *Stein) piece(x float64) int {
	i, found := slices.BinarySearch(f.breaks, x)
	if found {
		i++
	}
	return i
}

// lift describes piece i with right end b and slope d: there
//
//	f''(x) = -d + lift e^(-(b-x)/m),   lift = d + f''(b),
//
// and the last piece has lift 0.
func (f *Stein) lift(i int) (lift, b float64) {
	if i == len(f.breaks) {
		return 0, math.Inf(1)
	}
	return f.slopes[i] + f.second[i+1], f.breaks[i]
}

func (f *Stein) secondIn(i int, x float64) float64 {
	lift, b := f.lift(i)
	if lift == 0 {
		return 0 - f.slopes[i] // no -0
	}
	u := (x - b) / f.mean
	// -d + (d + f''(b)) e^u
	return f.second[i+1]*math.Exp(u) + f.slopes[i]*math.Expm1(u)
}

// primeStep is f'(y) - f'(x) for x, y in piece i.
func (f *Stein) primeStep(i int, x, y float64) float64 {
	lift, b := f.lift(i)
	v := -f.slopes[i] * (y - x)
	if lift != 0 {
		v += lift * f.mean * math.Exp((x-b)/f.mean) * math.Expm1((y-x)/f.mean)
	}
	return v
}

// Second returns the second derivative of f at x, in [-1, 1].
func (f *Stein) Second(x float64) float64 {
	if len(f.slopes) == 0 {
		return math.NaN()
	}
	if x <= 0 {
		return f.second[0]
	}
	return f.secondIn(f.piece(x), x)
}

// Third returns the third derivative of f at x from the right, in [-2/m, 2/m], and 0 for x < 0.
func (f *Stein) Third(x float64) float64 {
	if len(f.slopes) == 0 {
		return math.NaN()
	}
	if x < 0 {
		return 0
	}
	i := f.piece(x)
	return (f.Second(x) + f.slopes[i]) / f.mean
}

// Prime returns f'(x), |f'(x)| <= |x|.
func (f *Stein) Prime(x float64) float64 {
	if len(f.slopes) == 0 {
		return math.NaN()
	}
	if x <= 0 {
		return f.second[0] * x
	}
	i := f.piece(x)
	return f.prime[i] + f.primeStep(i, f.start(i), x)
}

// Increment returns f(y) - f(x), accurate in relative terms for y close to x.
func (f *Stein) Increment(x, y float64) float64 {
	switch {
	case len(f.slopes) == 0 || math.IsNaN(x) || math.IsNaN(y):
		return math.NaN()
	case y < x:
		return -f.Increment(y, x)
	}
	sum := 0.0
	if x < 0 {
		z := math.Min(y, 0)
		sum = f.second[0] * (z - x) * (z + x) / 2
		x = z
	}
	for x < y {
		i := f.piece(x)
		z := y
		if i < len(f.breaks) {
			z = math.Min(y, f.breaks[i])
		}
		// int_x^z f' with f' = f'(x) - d (s-x) + lift m e^((x-b)/m) (e^((s-x)/m) - 1)
		d := z - x
		lift, b := f.lift(i)
		part := f.Prime(x)*d - f.slopes[i]*d*d/2
		if lift != 0 {
			part += lift * math.Exp((x-b)/f.mean) * d * d * num.Tail2(d/f.mean)
		}
		sum += part
		x = z
	}
	return sum
}
