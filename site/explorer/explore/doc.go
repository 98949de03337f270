// Package explore answers the requests of the explorer page, JSON in and JSON out: a sample path
// ([Path]), and the law of the total with its distance to the limit ([Distance]). It computes nothing
// itself; the keys and the numbers are those of jsq distance --json for the same seed.
//
// What cannot be used comes back as {"error": "policy = pod:9: want ..."}, with the name of the field
// in "field" where there is one.
package explore
