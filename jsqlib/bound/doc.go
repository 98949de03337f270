// Package bound is the argument of the many-server heavy-traffic limit as code. Every inequality is a
// pure function with explicit constants, which a reader can compare with the truth.
//
// # The chain of inequalities
//
// For Join the Shortest Queue in discrete time, N >= 2, with c = e = N^(-alpha), eps = N e,
// q_perp = q - (Q/N) 1 and L = ||q_perp||_2:
//
//  1. Drift ([Drift]): E[L^+ - L | q] <= K_perp/(2L) - lam/sqrt(N(N-1)), and L moves by at most D in a
//     slot.
//  2. Moments ([Drift.LogMoment]): hence (E L^r)^(1/r) <= M_r, by the lemma of Bertsimas, Gamarnik and
//     Tsitsiklis (2001).
//  3. Hölder ([Hoelder]): hence E[U Q^+]/E U <= N M_r sqrt(S_max) eps^(-1/r).
//  4. Stein (law.Kernel.Certificate): hence a bound on W1(N^(-alpha) Q, Exp(m)), whose only unknown is
//     the boundary term E[U Q^+]/E U.
//
// [New] puts the four steps together. [Argument.Paper] makes the choices of Hurtado-Lange and Maguluri,
// arXiv:2004.04826v3; [Argument.Best] makes those with the smallest bound. Nothing is simulated or
// fitted. The constants of drift, Hölder and Stein are derived here; they are not those of the paper.
//
// # What the bounds are worth
//
// They hold at every N and alpha, but their constants are large. For the reference system the Hölder
// step gives E[U Q^+]/E U <= 20 r N^3 or so, r of the order (alpha-1) log N, where the truth is about
// N^2/2 (measured). Relative to m the Stein bound is of the order N^(3-alpha) log N. A bound above m is
// vacuous: it does not even tell Z from 0, as W1(0, Exp(m)) = m. [Bounds.Vacuous] reports this. The
// bound is vacuous for alpha <= 3. For a larger alpha it is vacuous until N is large enough: about 90
// at alpha = 4.5 with the choices of the paper. With the measured boundary term in place of the Hölder
// step the Stein bound is within 3 per cent of the distance for N >= 64 (measured).
//
// # What can be measured
//
// sim.MeasureCollapse simulates the drift of L given its size, and the moments and tail of L.
// exact.NewSaturated has moments and tail exactly for N = 2, 3. exact.MeanDrift is exact for each state
// of a small system: compare it with [Drift.Line]. [NewTerms] splits E h(Z) - E h(Exp(m)) into the
// three errors of Stein's method. [NewLaplace] splits the two sides of the proof by Laplace transforms.
// Both start from the boundary law and keep their digits at any alpha.
package bound
