// Package sim estimates the law of the total of the N queues by simulation, in discrete and in
// continuous time, with an interval for each number.
//
//   - [SamplePath] gives paths for pictures.
//   - [Direct] estimates stationary means by plain simulation, with warm-up, 95 % intervals over
//     independent replications, a stop at a relative error, and self-checks. One independent sample of
//     the total takes 2 v/eps^2 ~ N^(2 alpha - 1) slots, so a large alpha is out of reach.
//   - [Boundary] estimates the boundary law under a shifted ceiling. Package law needs nothing else to
//     find the law of the total. The cost does not depend on alpha.
//   - [Balance] estimates the same law from the service that goes unused at each total, by many short
//     runs: for large N at a small part of the cost.
//   - [MeasureCollapse] measures the drift, the moments and the tail of ||q_perp||.
//
// # Engines
//
// The engines differ in what a slot costs. All of them give the law of the reference recursion
// jsqlib.Model.Step exactly.
//
//   - Discrete time, batch routing, JSQ: a queue far above the minimum cannot matter for a while. Its
//     missed services are drawn later as one sum, at O(log N) work a slot.
//   - Discrete time, batch routing, power of d: no queue matters until it is sampled or nears 0. A slot
//     takes O(d + log N) work.
//   - Discrete time, job routing: occupancy counts, with one random word and O(1) work a job for power
//     of d.
//   - Continuous time: occupancy counts, with O(1) work and half a random word a step. Power of d takes
//     one random word a step, and two for arrivals.
//   - Random routing job by job: every server in every slot.
//
// # Reproducibility
//
// Every replication has its own PCG stream, seeded by a hash of (seed, task, replication). Replications
// are combined in a fixed order, and stopping rules look only at complete rounds. Results are the same
// bits for any number of workers.
package sim
