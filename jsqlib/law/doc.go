// Package law computes the stationary law of the total queue length Q at any gap, and its distances. It
// needs the boundary law alone. Accuracy and cost do not depend on the gap: a gap of 1e-60 is as good
// as 0.5.
//
// # The split
//
// Derived: let X = A - S be the change of the total in a slot before unused service is added,
// M(z) = E z^X and eps = -E X. Service is unused only where a queue is empty. The balance of z^Q
// therefore reads
//
//	E z^Q (1 - M(z)) = E[ z^(Q^+) (1 - z^(-U)) ],
//
// and dividing by 1 - M(z)
//
//	P(Q = n) = sum_j P(Q~ = j) K(n - j),   Q~ = Q^+ - J,
//
// with (Q^+, U) under the U-weighted stationary law, J uniform on {0, ..., U-1}, and a kernel K
// ([Kernel]) that depends on the law of X only. Q~ ([Boundary]) is the total that a typical unused
// service sees. The scale of Q~ does not grow as the gap closes. Everything of the size 1/gap is in K,
// in closed form: K(n) is C rho^n plus a correction, and the correction dies out within a few standard
// deviations of X. Beyond the reach of the boundary law and the correction, the law of Q ([Total]) is
// exactly geometric.
//
// In continuous time K(n) = (1 - lambda) lambda^n exactly, and Q~ has the law of Q seen by an idle
// server, P(Q~ = n) = E[I; Q = n]/E I. Neither split uses the dispatching rule: the rule enters through
// the boundary law.
//
// The package is pure: it runs nothing. For an interval the caller passes one function, the average of
// f(Q~) over the replications of a run. Package record passes the average of a simulation.
//
// # Other limits
//
// [Measured] is the law of Scale (Q - Shift) from either estimator. It has distances, with intervals,
// to another measured law and to limits that are not exponential: the regimes alpha <= 1 of continuous
// time.
//
// # Values
//
// Ask for values, not for the parameters of the geometric tail. [Total.LogRatio],
// [Total.LimitDifference], [Total.IntegratedDifference] and [Total.Tilted] give differences between the
// law and its limit, even where the two agree in all digits. [Total.Law] is the law as a limit.Law.
//
// # Accuracy
//
// Each quantity is computed on its own scale: probabilities near 0 are of the order of eps/v, and
// log P(Q > n) in the tail is of the order of c n/m. The distance of Z = c Q, c = N^(-alpha), to an
// exponential law depends on theta - c/m, theta = -log rho. This difference is of second order in c. It
// comes from third moments, not from a subtraction. So do the differences of Laplace transforms.
package law
