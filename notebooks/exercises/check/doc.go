// Package check holds what the teaching exercises check answers with: one
// function for each task, named for the exercise and the task (Ex01Serve).
// It takes the student's function, calls it on random inputs, and returns nil
// or an error that says what is wrong and points to the idea that was missed.
//
// A check looks at behaviour only: whatever method gives right answers passes.
// Tolerances come from the error bars of what is compared, and are wide enough
// for a long simulation where a task can be solved by one; where a check is
// statistical, a right answer fails with a probability below 1e-6. The random
// inputs are new in every run.
//
// A feedback cell of a notebook is
//
//	%test -test.run=Task1 -test.paniconexit0
//	func TestTask1(t *testing.T) { // 2 points
//		check.Report(t, check.Ex01Serve(serve))
//	}
package check
