// Package sliders puts the law of one system into a notebook, with sliders for
// its parameters where a browser is there to move them.
//
// [Run] shows the Wasserstein distance W1 of Z = N^(-alpha) Q to its exponential
// limit, the certificate that pins it from both sides, and the distribution
// function of Z against that of the limit, for the system it is given. Under
// JupyterLab as this repository starts it, which sets the environment variable
// [Switch], it then shows the controls, and computes and draws anew whenever one
// is moved, until the button "done" is pressed or the cell is interrupted.
// Everywhere else (a run without a browser, an editor, a JupyterLab behind a
// proxy, whose address the kernel does not know) the first picture is all there is,
// and the cell ends.
//
// The numbers are those of record.Distance, by the same seed: sliders compute nothing
// of their own.
package sliders
