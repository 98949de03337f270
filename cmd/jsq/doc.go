// Command jsq computes stationary quantities of N parallel servers under Join the Shortest Queue in the
// many-server heavy-traffic regime. It takes flags and prints a table or JSON.
//
//	jsq exact    --model ct --servers 3 --load 0.9 --json
//	jsq simulate --model dt --servers 8 --alpha 1.2 --rel-error 0.01 --json
//	jsq distance --model dt --servers 100 --alpha 4.5 --rel-error 0.01 --json
//	jsq bound    --servers 100 --alpha 4.5 --json
//	jsq sweep    --servers 8,16,32 --alpha 2.5,3,4.5 --rel-error 0.02 --out DIR [--shard I/N]
//	jsq merge    DIR --out FILE.csv
//	jsq rates    FILE.csv --json
//	jsq version
//
// jsq help lists the commands, jsq help COMMAND describes one.
//
// # Output
//
// A command prints one result on standard output: a table, or with --json one JSON object. JSON numbers
// have full float64 precision and are never NaN or infinite: a key without a value is left out, with a
// warning. An estimated quantity KEY comes with KEY_low and KEY_high, the ends of its 95 % confidence
// interval. The table shows the quantity with half of this interval, rounded to the digits that the
// error supports. warnings lists every self-check that failed. An empty list is what you want. The same
// command and seed give the same bytes for any number of workers. Progress and errors go to standard
// error.
//
// # Exit status
//
//	0  done
//	1  the work failed, or was interrupted: what there is so far is printed,
//	   with the warning "interrupted"
//	2  unusable arguments, with one line that names the flag, what it got and
//	   what it wants. A direct simulation that cannot end within --max-slots is
//	   one of these, and so is a --max-slots that ends in the warm-up
//
// # Files
//
// Each command is one file: it registers a [command] in its init function.
package main
