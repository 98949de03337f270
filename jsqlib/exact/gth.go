package exact

// flows is a banded matrix of probability flows a_ij = x_i P_ij between coarse
// states, -lo <= j - i <= hi, with the masses x_i.
type flows struct {
	n, lo, hi int
	a         []float64
	mass      []float64 // x
	law       []float64 // the result of stationary
	out       []float64
}

func newFlows(n, lo, hi int) *flows {
	lo, hi = min(lo, n-1), min(hi, n-1)
	return &flows{
		n: n, lo: lo, hi: hi, a: make([]float64, n*(lo+hi+1)),
		mass: make([]float64, n), law: make([]float64, n), out: make([]float64, n),
	}
}

func (b *flows) reset() {
	clear(b.a)
	clear(b.mass)
}

// row returns r with r[j-i+lo] = a_ij.
func (b *flows) row(i int) []float64 {
	w := b.lo + b.hi + 1
	return b.a[i*w : (i+1)*w]
}

// stationary returns the stationary law of P_ij = a_ij/x_i by state reduction
// (Grassmann, Taksar, Heyman 1985): no subtraction, so that every entry has a
// small relative error. It overwrites the flows. Transient states get 0.
func (b *flows) stationary() []float64 {
	total := 0.0
	for _, x := range b.mass {
		total += x
	}
	root := 0
	for k := b.n - 1; k > 0; k-- {
		j0 := max(0, k-b.lo)
		left := b.row(k)[j0-k+b.lo : b.lo] // a_kj, j0 <= j < k
		s := 0.0
		for _, v := range left {
			s += v
		}
		b.out[k] = s
		if s == 0 {
			if b.mass[k] > 1e-100*total { // no way below: the recurrent class lies here
				root = k
				break
			}
			continue
		}
		for i := max(0, k-b.hi); i < k; i++ {
			r := b.row(i)
			v := r[k-i+b.lo] / s
			if v == 0 {
				continue
			}
			to := r[j0-i+b.lo : k-i+b.lo]
			for j, u := range left {
				to[j] += v * u
			}
		}
	}
	// law_k = y_k x_k with y_k out_k = sum_{i<k} y_i a_ik.
	y := b.law
	clear(y)
	y[root] = 1
	total = b.mass[root]
	for k := root + 1; k < b.n; k++ {
		if b.out[k] == 0 {
			continue
		}
		v := 0.0
		for i := max(root, k-b.hi); i < k; i++ {
			v += y[i] * b.row(i)[k-i+b.lo]
		}
		y[k] = v / b.out[k]
		total += y[k] * b.mass[k]
	}
	for k := range y {
		y[k] *= b.mass[k] / total
	}
	return y
}
