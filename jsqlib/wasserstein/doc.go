// Package wasserstein computes Wasserstein distances between laws on the line:
//
//	W1(mu, nu) = int |F(x) - G(x)| dx,
//
// piecewise and in closed form on each piece, with no binning and no
// numerical quadrature of |F - G|.
//
//   - [W1] and [Wp]: two weighted samples.
//   - [W1Law]: a weighted sample against a law with known partial means,
//     such as the limit Exp(m) or Gamma(2, b).
//   - [Lattice.W1]: a law on {0, c, 2c, ...} with a geometric tail against
//     Exp(m), the scaled total queue Z = N^(-alpha) Q against its limit. The
//     relative accuracy does not depend on how small c or the distance is, and
//     the cost does not depend on c.
//   - [Lattice.W1Law]: such a law, shifted and scaled at will, against any law with
//     known partial means, such as Gamma(2, 1) or the NDS law; or, through
//     [Lattice.Law], against another lattice law.
//   - [Null]: the law of W1 between an i.i.d. sample and the law it is drawn
//     from. A sample of size n has a positive expected distance to its own law,
//     sqrt(pi/2) m n^(-1/2) for Exp(m) ([NoiseFloor]); report it next to every
//     distance that comes from a sample, lest noise be read as a rate.
//
// # Samples
//
// A sample is a slice of points with a slice of weights of the same length; nil
// weights are equal weights, and only the ratios of weights matter. Points need
// not be sorted, and ties and zero weights are fine. Empty samples, NaN,
// infinities and negative or all-zero weights are errors. Arguments are never
// changed. Distances are in the unit of the points.
//
// Every function is safe for concurrent use.
package wasserstein
