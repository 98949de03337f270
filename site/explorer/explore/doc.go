// Package explore answers the requests of the explorer page, JSON in and JSON out. [Path] answers with
// a sample path, and [Distance] with the law of the total and its distance to the limit. Keys and
// numbers are those of jsq distance --json for the same seed.
//
// A request that cannot be used is answered by {"error": "policy = pod:9: want ..."}, with the name of
// the field in "field" where one field is at fault.
package explore
