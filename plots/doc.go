// Package plots draws the figures of jsqlab: one function per figure, one theme.
//
// Every function takes plain slices and small structs of this package and returns a [Figure], which is
// shown in a notebook cell with [Figure.Show], saved with [Figure.Save] (.png, .svg or .pdf) or taken as bytes:
//
//	plots.MustShow(plots.DistanceVsN([]plots.Rate{{Alpha: 2.5, N: n, W1: w}}, plots.DistanceOptions{}))
//
// # Figures
//
//   - [QueuePaths]: sample paths of some queues q_i(k), and of the total Q(k)
//   - [TotalCDF]: distribution function or survival function of Z = N^(-alpha) Q against the limit law
//   - [TotalHistogram]: histogram density of Z against the limit density
//   - [DistanceVsN]: W1 against N with intervals, certificate bands and the slopes k - alpha
//   - [RoutingContrast]: E||q_perp||^2 against N for batch and job routing
//   - [AlphaMap]: log10 W1 over alpha and log N
//   - [Spans]: intervals of alpha, proved and measured, below one another
//   - [Lines] and [Heatmap]: the general forms, for everything else
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
//
// # Errors
//
// Empty or mismatched slices, NaN, infinities and values a logarithmic axis cannot hold give an [*InputError] of one line; nothing
// panics but [MustShow]. The same input gives the same bytes on the same platform.
package plots
