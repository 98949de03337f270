// Package exact computes stationary laws of systems with few servers by
// solving their Markov chain, to a stated number of digits and at any gap
// 1 - load, however small.
//
// # What is solved
//
// By symmetry a state is (level, phase): level = min q, phase = the sorted
// differences q - min q. All that heavy traffic needs from the chain is its
// boundary law, the law of Q~ (see [Result]); the law of the total Q follows
// from it in closed form, and so do E Q and everything that grows with
// 1/(1 - load).
//
// The chain is cut in two directions.
//
// Ceiling. Above the boundary, where no service is unused, the transitions do
// not depend on the level. There the law tends to the product form
//
//	pi(level, phase) = c z*^(-N level) v(phase),   E z*^X = 1, z* > 1
//
// (z* = 1/lambda in continuous time), where v(phase) z*^w, w the sum of the
// differences, is the stationary law of the phases under the law of the chain
// tilted by z*^Q, for which the total is a martingale (derived). What rises
// above the ceiling comes back distributed as the product form has it, so that
// the error falls off with the square of what the differences remember of a
// climb to the ceiling, on a scale that does not depend on the gap. Ceilings
// are raised until the next one does not matter. Once the differences are
// bounded the product form is exact to rounding above a finite level (measured;
// compare Adan, Wessels and Zijm, Operations Research Letters 13, 1993, on the
// shortest queue with threshold jockeying).
//
// Pruning. Phases that are entered less often than a threshold are left out. A
// step that leads to one of them is followed by moves of single jobs from a
// longest to a shortest queue until the phase is one that is kept: threshold
// jockeying with a state-dependent threshold. It keeps the total, conserves
// work, and lowers E Q in continuous time under JSQ (Adan, van Houtum and van
// der Wal, Annals of Operations Research 48, 1994, for a threshold on the largest
// difference; measured for this one). To first order the error is the flow of moved jobs times
// the effect of one move; the latter is read from two thresholds, and the
// threshold is lowered until the error left is within the tolerance.
//
// The linear system is solved by aggregation-disaggregation with Gauss-Seidel
// sweeps and state reduction (Grassmann, Taksar and Heyman 1985), all in sums
// of positive terms.
//
// # What the digits rest on
//
// [Result.Qtilde] holds E Q~: from below by what the next ceiling and the next
// sweep change, with a margin; from above by that and four times the error left
// by pruning. Without the bound of jockeying (discrete time, power of d) the
// latter counts on both sides. [Result.Residual] is the residual of the
// solved chain and [Result.Truncation] how often jobs were moved.
// [Result.MeanUnused] is an independent check: the law below the ceiling and
// the product form above it, summed to one, must give E U = eps (E I = N e).
package exact
