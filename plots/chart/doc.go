// Package chart is the machinery below the figures of package plots: [Lines], [Stack], [Heatmap] and [Spans] check their input, choose axes
// and looks, and return a [Figure], which knows its files and the notebook.
//
// # Text
//
// Titles, names and labels may hold mathematics between dollar signs, in a small part of TeX: ^ and _ with one symbol or
// a {group}, Greek letters and a few symbols by name (\alpha, \perp, \|, \le, \infty ...), any other \name set upright
// (\log, \Exp), and \mathrm{...}. Letters are slanted, a hyphen becomes a minus sign. Unicode works as well, inside and outside of
// dollar signs: "$N^{-\alpha} Q$" and "N⁻ᵅ Q" differ only in the slant. A character that the fonts cannot draw is an error.
//
// # Theme
//
// Series colours are from the palette of Okabe and Ito, chosen to be told apart under the common colour vision
// deficiencies; every series also has its own marker and dash pattern, so that a black-and-white print can be read. Theory and limit laws are
// dark grey. The colour map of heat maps is viridis, whose lightness rises evenly. Legends and labels of
// reference lines are outside of the data area.
package chart
