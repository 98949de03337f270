// Package jsqlib is the model of the companion. N parallel servers are fed by the
// Join-the-Shortest-Queue rule (JSQ) in the many-server heavy-traffic regime of D. Hurtado-Lange and S.
// T. Maguluri, "Load balancing system under Join the Shortest Queue: Many-Server-Heavy-Traffic
// Asymptotics", arXiv:2004.04826v3.
//
// A [Model] is a small value. Its zero fields have useful defaults. [Model.Constants] checks the model
// and derives the constants that every other package uses. [Spec] is the same model in words.
//
// # Discrete time
//
// The model has N servers, each with its own infinite queue. In slot k
//
//	q_i(k+1) = q_i(k) + a_i(k) - s_i(k) + u_i(k).
//
// The a(k) jobs that arrive in the slot have mean N (1 - e). The offered services s_i(k) are
// independent with mean 1. The unused service u_i(k) keeps the queue at or above zero. The gap e =
// N^(-alpha) leaves eps = N e = N^(1-alpha) of the total service rate unused on average.
//
// The caller chooses the routing unit. With [Batch] routing, the default, all arrivals of a slot join
// one shortest queue. The discrete-time drift-method literature has this convention, and we read the
// paper in the same way. With [Job] routing each job, one after the other, joins the then shortest
// queue.
//
// # Continuous time
//
// With Continuous set, jobs arrive in a Poisson process of total rate N (1 - e), services are
// exponential of rate 1, and each job joins a shortest queue on arrival.
//
// # The gap
//
// All formulas take the gap as their parameter, never 1 - gap, so that a gap of 10^-15 does not cancel.
package jsqlib
