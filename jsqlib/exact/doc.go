// Package exact computes stationary laws of systems with few servers, to a stated number of
// digits and at any gap 1 - load, however small. It solves their Markov chain.
//
// # What is solved
//
// By symmetry a state is (level, phase): level = min q, phase = the sorted differences q - min q.
// Heavy traffic needs only one thing of the chain: its boundary law, the law of Q~ (see
// [Result]). The law of the total Q follows from it in closed form. So do E Q and everything
// else that grows with 1/(1 - load).
//
// The chain is cut in two directions:
//
//	  level
//	    ^
//	    |  product form: pi(level, phase) = c z*^(-N level) v(phase)
//	    |
//	ceiling - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -
//	    |                                           :
//	    |  solved: the transitions do not depend    :  pruned: entered
//	    |  on the level                             :  too rarely. Jobs
//	    |                                           :  are moved until
//	bottom  - - - - - - - - - - - - - - - - - - - - :  the phase is one
//	    |                                           :  to the left
//	    |  solved: here service may be unused,      :
//	    |  which makes the boundary law             :
//	  0 +-------------------------------------------+----------------> phase
//	    equal queues                                  large differences
//
// Ceiling. Above the boundary no service is unused, and the transitions do not depend on the
// level. There the law tends to the product form of the picture, where E z*^X = 1, z* > 1 (z* =
// 1/lambda in continuous time). Let w be the sum of the differences. Then v(phase) z*^w is the
// stationary law of the phases in the chain tilted by z*^Q, for which the total is a martingale
// (derived). A path that leaves through the ceiling re-enters with the product-form law. The
// error is the square of the dependence that is left after one climb, and its scale does not
// depend on the gap. The ceiling is raised until the next one does not matter. Once the
// differences are bounded, the product form is exact to rounding above a finite level (measured;
// compare Adan, Wessels and Zijm, Operations Research Letters 13, 1993, on the shortest queue
// with threshold jockeying).
//
// Pruning. Phases that are entered less often than a threshold, the pruning, are left out. A
// step that leads to one of them is followed by moves of single jobs, from a longest to a
// shortest queue, until the phase is one that is kept. This is threshold jockeying with a
// threshold that depends on the state. It keeps the total and conserves work. In continuous time
// under JSQ it lowers E Q (Adan, van Houtum and van der Wal, Annals of Operations Research 48,
// 1994, for a threshold on the largest difference; measured for this one). To first order the
// error is the flow of moved jobs times the effect of one move. Two prunings tell the effect.
// The pruning is lowered until the error left is within the tolerance.
//
// The linear system is solved by aggregation-disaggregation with Gauss-Seidel sweeps and state
// reduction (Grassmann, Taksar and Heyman 1985). All sums have positive terms.
//
// # What the digits rest on
//
// [Result.Qtilde] is an interval for E Q~. Below, its width is what the next ceiling and the next
// sweep change, with a margin. Above, four times the error left by pruning is added. In discrete
// time and under power of d jockeying gives no bound, and that error counts on both sides.
//
// [Result.Residual] is the residual of the solved chain, and [Result.Truncation] is how often jobs
// were moved. [Result.MeanUnused] is an independent check: the law below the ceiling and the
// product form above it, summed to one, must give E U = eps (E I = N e).
package exact
