"""Hold wasserstein.W1 against scipy.stats.wasserstein_distance on the same samples.

Run from the root of the module, with numpy and scipy and the go command:

    python jsqlib/wasserstein/bench/scipy_w1.py [--points 1000000] [--reps 5]

Prints the best time of each, their ratio, and the relative error of both
against the same sum in extended precision (numpy.longdouble); fails if that of
jsqlib exceeds 1e-12. With weights, scipy's own error is larger than that: it adds
a million weights one after the other without compensation.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy
import scipy
from scipy.stats import wasserstein_distance


def extended(x, y, xw=None, yw=None):
    """W1 with cumulative weights and the sum over intervals in extended precision."""
    points = numpy.sort(numpy.concatenate([x, y]))

    def cdf(values, weights):
        order = numpy.argsort(values)
        weights = numpy.ones(len(values)) if weights is None else weights[order]
        total = numpy.concatenate([[0], numpy.cumsum(weights.astype(numpy.longdouble))])
        return total[values[order].searchsorted(points[:-1], "right")] / total[-1]

    return numpy.sum(numpy.abs(cdf(x, xw) - cdf(y, yw)) * numpy.diff(points.astype(numpy.longdouble)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--reps", type=int, default=5)
    args = parser.parse_args()
    n = args.points
    rng = numpy.random.default_rng(20220506)
    x, y = rng.exponential(1.0, n), rng.exponential(1.01, n)
    xw, yw = rng.random(n), rng.random(n)
    cases = {
        "equal sizes": (x, y),
        "unequal sizes": (x, y[: n - n // 10]),
        "weighted": (x, y, xw, yw),
        "sorted": (numpy.sort(x), numpy.sort(y[: n - n // 10])),
    }
    print(f"numpy {numpy.__version__}, scipy {scipy.__version__}, {n} points, best of {args.reps}")
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        program = str(pathlib.Path(folder, "bench"))
        subprocess.run(["go", "build", "-o", program, "./jsqlib/wasserstein/bench"], check=True)
        for name, arrays in cases.items():
            files = []
            for i, array in enumerate(arrays):
                files.append(str(pathlib.Path(folder, f"{i}.f64")))
                array.astype("<f8").tofile(files[-1])
            ours = json.loads(subprocess.check_output([program, str(args.reps), *files]))
            best = float("inf")
            for _ in range(args.reps):
                start = time.perf_counter()
                value = wasserstein_distance(*arrays)
                best = min(best, time.perf_counter() - start)
            exact = extended(*arrays)
            error, scipy_error = (float(abs(w / exact - 1)) for w in (ours["w1"], value))
            worst = max(worst, error)
            print(
                f"{name:14} scipy {best:.3f} s, jsqlib {ours['seconds']:.3f} s, ratio {best / ours['seconds']:.1f}; "
                f"relative error scipy {scipy_error:.1e}, jsqlib {error:.1e}"
            )
    if not worst <= 1e-12:
        sys.exit(f"relative error {worst:.1e}: want <= 1e-12")


if __name__ == "__main__":
    main()
