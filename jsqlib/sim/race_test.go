//go:build race

package sim

// raceEnabled cuts the long tests: the race detector is ten times slower, and
// looks for races, not for laws.
const raceEnabled = true
