// Package bound is the argument of the many-server heavy-traffic limit as code: every inequality is a
// pure function with explicit constants, so that it can be held against the truth.
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
//  4. Stein (law.Kernel.Certificate): hence W1(N^(-alpha) Q, Exp(m)), as the boundary term E[U Q^+]/E U
//     is all that matters in it.
//
// [New] puts them together: [Argument.Paper] with the choices of Hurtado-Lange and Maguluri,
// arXiv:2004.04826v3, [Argument.Best] with those that make the bound smallest. Nothing in it is
// simulated or fitted. Drift, Hölder and Stein constants are derived here and not those of the paper.
//
// # What the bounds are worth
//
// They hold at every N and alpha, but their constants are large. For the reference system the Hölder
// step gives E[U Q^+]/E U <= 20 r N^3 or so, r of the order (alpha-1) log N, where the truth is about
// N^2/2 (measured). Relative to m the Stein bound is of the order N^(3-alpha) log N, and it is vacuous,
// above m, for alpha <= 3 and, for a larger alpha, until N is large enough: about 90 at alpha = 4.5
// with the choices of the paper. A bound above m does not even tell Z from 0, as W1(0, Exp(m)) = m;
// [Bounds.Vacuous] says so. With the measured boundary term in place of the Hölder step the Stein bound
// is within 3 per cent of the distance for N >= 64 (measured).
//
// # What can be measured
//
// [MeasureCollapse] simulates the drift of L given its size, and its moments and tail; [NewSaturated]
// has the last two exactly for N = 2, 3, and [Drift.Line] is held against [MeanDrift], exact for each
// state of a small system. [NewTerms] splits E h(Z) - E h(Exp(m)) into the three errors of Stein's
// method and [NewLaplace] does so for the proof by Laplace transforms, both from the boundary law, so
// that they hold digits at any alpha.
package bound
