// Package plots draws the figures of jsqlab: one function per figure, one theme.
//
// Every function takes plain slices and small structs and returns a [Figure], which is shown in a notebook cell by [MustShow], saved by its
// method Save (.png, .svg or .pdf) or taken as bytes:
//
//	plots.MustShow(plots.DistanceVsN([]plots.Rate{{Alpha: 2.5, N: n, W1: w}}, plots.DistanceOptions{}))
//
// # Figures
//
//   - [QueuePaths]: sample paths of some queues q_i(k), and of the total Q(k)
//   - [TotalCDF]: distribution function or survival function of Z = N^(-alpha) Q against the limit law
//   - [DistanceVsN]: W1 against N with intervals, certificate bands and the slopes k - alpha
//   - [AlphaMap]: log10 W1 over alpha and log N
//   - [Lines], [Heatmap] and [Spans]: the general forms, for everything else
//
// Package chart below has the machinery: axes, series, theme, the mathematics in texts, and the formats of files. A new figure is one
// function here that fills a [Chart] or a [Map].
//
// # Errors
//
// Empty or mismatched slices, NaN, infinities and values a logarithmic axis cannot hold give an [*InputError] of one line; nothing
// panics but [MustShow]. The same input gives the same bytes on the same platform.
package plots
