// Package limit holds the limit laws of the scaled total queue length Z = N^(-alpha) Q, each with its
// distribution function, survival function, quantiles and partial means.
//
//   - [Exponential]: the heavy-traffic limit, of mean m = (sigma_a^2 + sigma_s^2)/2 in discrete time
//     (Hurtado-Lange and Maguluri, arXiv:2004.04826v3, alpha > 4) and of mean 1 in the continuous-time
//     twin.
//   - [Gamma]: Gamma(2, 1) is the limit of N^(-alpha) (Q - N) for 1/2 < alpha < 1 in continuous time
//     (Zhao, Banerjee and Mukherjee, 2021).
//   - [NDS]: the limit of Q/N for 1 - lambda = g/N in continuous time (Gupta and Walton, 2019).
//   - [Boundary]: the limit of Q~/N for alpha > 1 in continuous time, Q~ being the part of the total
//     that idle servers see (derived heuristically).
//
// At alpha = 1/2 (Halfin-Whitt) the limit of N^(-1/2) (Q - N) is that of a diffusion (Eschenfeldt and
// Gamarnik, 2018), whose stationary law has no closed form: there the laws at increasing N are compared
// with one another.
//
// [Law] is what a Wasserstein distance needs to know of a law. Arguments are in the unit of the law,
// probabilities in [0, 1]; the methods are pure functions, safe for concurrent use, and follow NaN
// arguments with NaN.
package limit
