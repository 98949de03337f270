// Package sim simulates the total of the N queues, in discrete and in
// continuous time, and says how sure it is.
//
//   - [SamplePath] and [SamplePathCT] give paths for pictures.
//   - [Direct] and [Direct] estimate stationary means by plain simulation,
//     with warm-up, 95 % intervals over independent replications, a stop at a
//     relative error, and self-checks. One independent sample of the total
//     takes 2 v/eps^2 ~ N^(2 alpha - 1) slots, so they end where alpha is large.
//   - [Boundary] and [Boundary] estimate the boundary law, which is all that
//     the law of the total needs (package law), under a shifted ceiling: their
//     cost does not depend on alpha.
//   - [Balance] estimates the same law in continuous time from the mean number of idle servers at
//     each total, by many short runs: for large N at a small part of the cost.
//
// # Engines
//
// Discrete time, batch routing: a queue far above the minimum cannot matter
// for a while; its missed services are drawn later as one sum, at O(log N) work
// a slot; with power of d no queue matters until it is sampled or nears 0, at
// O(d + log N) work a slot. Discrete time, job routing: occupancy counts, with
// one random word and O(1) work a job for power of d. Continuous time: occupancy
// counts, O(1) and half a random word a step (under power of d one, and two for
// arrivals). Random routing job by job: every server in every slot. All of them
// give the law of the reference recursion jsqlib.Model.Step exactly.
//
// # Reproducibility
//
// Every replication has its own PCG stream, seeded by a hash of (seed, task,
// replication); replications are combined in a fixed order and stopping rules
// look only at complete rounds. Results are the same bits for any number of
// workers.
package sim
