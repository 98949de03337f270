// Package law computes the stationary law of the total queue length Q at any gap from the boundary law
// alone, to the same relative accuracy at a gap of 1e-60 as at 0.5 and at a cost that does not depend
// on the gap.
//
// # The split
//
// Derived: let X = A - S be the change of the total in a slot but for unused service, M(z) = E z^X and
// eps = -E X. As unused service occurs only where a queue is empty, the balance of z^Q reads
//
//	E z^Q (1 - M(z)) = E[ z^(Q^+) (1 - z^(-U)) ],
//
// and dividing by 1 - M(z)
//
//	P(Q = n) = sum_j P(Q~ = j) K(n - j),   Q~ = Q^+ - J,
//
// with (Q^+, U) under the U-weighted stationary law, J uniform on {0, ..., U-1}, and a kernel K
// ([Kernel]) that depends on the law of X only. Q~ ([Boundary]) is the total as a unit of unused
// service sees it; it lives on a scale that does not grow as the gap closes, so that everything of the
// size 1/gap is in K, in closed form: K(n) is C rho^n but for a correction that dies out within a few
// standard deviations of X. The law of Q ([Total]) is therefore exactly geometric beyond the reach of b
// and the correction.
//
// In continuous time K(n) = (1 - lambda) lambda^n exactly, and Q~ has the law of Q seen by an idle
// server, P(Q~ = n) = E[I; Q = n]/E I. Neither split uses the dispatching rule: it enters through the
// boundary law.
//
// The package is pure: it runs nothing. What it needs of a run is one function, the average of f(Q~)
// over the replications; package record passes that of a simulation.
//
// # Other limits
//
// [Measured] is the law of Scale (Q - Shift) from either estimator: its distance, with an interval, to
// the limits of the regimes alpha <= 1 of continuous time, which are not exponential, and to another
// measured law.
//
// # Values
//
// Nobody needs the parameters of the geometric tail. [Total.LogRatio], [Total.LimitDifference],
// [Total.IntegratedDifference] and [Total.Tilted] give what is left when the law and its limit agree in
// all digits, and [Total.Law] the law as a limit.Law.
//
// # Accuracy
//
// Near 0 all probabilities are of the order of eps/v, in the tail log P(Q > n) is of the order of c
// n/m; each is computed on its own scale. The distance of Z = c Q, c = N^(-alpha), to an exponential
// law depends on theta - c/m, theta = -log rho, which is of second order in c: it comes from third
// moments, not from a subtraction. So do the differences of Laplace transforms.
package law
