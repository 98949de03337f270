// Package wasserstein computes Wasserstein distances of samples on the line:
//
//	W1(mu, nu) = int |F(x) - G(x)| dx,
//
// piecewise and in closed form on each piece, with no binning and no numerical quadrature of |F - G|.
//
//   - [W1] and [Wp]: two weighted samples.
//   - [W1Law]: a weighted sample against a law with known partial means, such as the limit Exp(m) or
//     Gamma(2, b).
//   - [Null]: the law of W1 between an i.i.d. sample and the law it is drawn from. A sample of size n
//     has a positive expected distance to its own law, sqrt(pi/2) m n^(-1/2) for Exp(m) ([NoiseFloor]).
//     Report this floor next to every distance of a sample: a reader may otherwise take noise for a
//     rate.
//
// # Samples
//
// A [Sample] is points with weights. It is a type of its own: values cannot be passed where weights are
// wanted. Empty samples, NaN, infinities and negative or all-zero weights are errors. Arguments are
// never changed. Distances are in the unit of the points.
//
// Laws on a lattice with a geometric tail, such as the law of the total, are in package law.
//
// Every function is safe for concurrent use.
package wasserstein
