// Package limit holds the limit laws of the scaled total queue length. Each has its distribution
// function, survival function, quantiles and partial means.
//
//   - [Exponential]: the heavy-traffic limit of N^(-alpha) Q. Its mean is m = (sigma_a^2 + sigma_s^2)/2
//     in discrete time (Hurtado-Lange and Maguluri, arXiv:2004.04826v3, alpha > 4) and 1 in continuous
//     time.
//   - [Gamma]: Gamma(2, 1) is the limit of N^(-alpha) (Q - N) for 1/2 < alpha < 1 in continuous time
//     (Zhao, Banerjee and Mukherjee, 2021).
//   - [NDS]: the limit of Q/N for 1 - lambda = g/N in continuous time (Gupta and Walton, 2019).
//   - [Boundary]: the limit of Q~/N for alpha > 1 in continuous time, Q~ being the part of the total
//     that idle servers see (derived heuristically).
//
// At alpha = 1/2 (Halfin-Whitt) the limit of N^(-1/2) (Q - N) is the stationary law of a diffusion
// (Eschenfeldt and Gamarnik, 2018). It has no closed form: compare the laws at increasing N with one
// another.
//
// A Wasserstein distance takes any [Law]. Arguments are in the unit of the law, probabilities in [0,
// 1]. The methods are pure functions, safe for concurrent use. A NaN argument gives NaN.
package limit
