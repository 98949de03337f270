// Package study turns a grid of systems into a table of Wasserstein distances, on one machine or on
// many, and fits rates to it.
//
// # Sweeps
//
// A [Grid] is a product of numbers of servers and exponents alpha for one model. [Grid.Tasks] lists its
// points as independent tasks; [Sweep] does those of one [Shard] that are not done yet, and [Merge]
// collects all of them. A task's random stream is seeded by a hash of its key and the seed of the sweep
// alone, so that its result is the same bits whatever else is in the grid and wherever it runs (on
// processors of one kind).
//
// A directory holds one sweep:
//
//	plan-HASH.json       a grid that was asked for; one more for each later
//	                     grid that adds points to the same directory
//	dt-batch-jsq-N8-alpha2.5-HASH.json
//	                     one result, written whole or not at all
//	.NAME.RANDOM.part    what a process is writing, or what a killed one left:
//	                     never read, and removed by the next sweep
//
// Each .json file carries the SHA-256 of its contents. One that does not agree with it, is not of this
// sweep, or holds a task twice is named in an error of type [*FileError], never used and never removed.
//
// # Rates
//
// [Rates] fits log W1 against log N for each series of rows that differ in N only: a weighted line
// ([FitRate]), slopes between neighbours ([LocalSlopes]), the lines 2 - alpha, 3 - alpha and 4 - alpha
// to compare with, and the constant extrapolated in N ([Extrapolate]).
package study
