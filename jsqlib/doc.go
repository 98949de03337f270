// Package jsqlib is the model of the companion: N parallel servers fed by the
// Join-the-Shortest-Queue rule (JSQ) in the many-server heavy-traffic regime of
// D. Hurtado-Lange and S. T. Maguluri, "Load balancing system under Join the
// Shortest Queue: Many-Server-Heavy-Traffic Asymptotics", arXiv:2004.04826v3.
//
// # Discrete time
//
// A [System] has N servers, each with its own infinite queue. In slot k
//
//	q_i(k+1) = q_i(k) + a_i(k) - s_i(k) + u_i(k),
//
// where the a(k) jobs that arrive in the slot have mean N (1 - e), the offered
// services s_i(k) are independent with mean 1, and u_i(k), the unused service,
// keeps the queue at or above zero. The gap e = N^(-alpha) leaves
// eps = N e = N^(1-alpha) of total service rate unused on average.
//
// The routing unit is explicit. With [Batch] routing (the default, the
// convention of the discrete-time drift-method literature and our reading of
// the paper) all arrivals of a slot join one shortest queue; with [Job] routing
// each job, one after the other, joins the then shortest queue.
//
// # Continuous time
//
// [CT] is the twin with Poisson arrivals of total rate N (1 - e), exponential
// services of rate 1, and each job joining a shortest queue on arrival.
//
// Both are described by small value types whose zero fields have useful
// defaults; [System.Constants] and [CT.Constants] check the description and
// derive the constants every other package uses. The gap, never 1 - gap, is the
// parameter of all formulas, so that 10^-15 does not cancel.
package jsqlib
