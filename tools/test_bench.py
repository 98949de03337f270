"""Tests of make bench on tiny sizes: that the programs it compares, as many as are installed, give the same answers, and that it keeps its word about
what it writes. No test looks at a time."""

import contextlib
import csv
import io
import json
import os
import random
import signal
import sys
import unittest
import unittest.mock
from pathlib import Path

import helper
import program

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))
import bench  # noqa: E402
import peers  # noqa: E402

TINY = 0.002


class Answers(unittest.TestCase):
    """Small pieces of the measurement itself."""

    @classmethod
    def setUpClass(cls):
        patch = unittest.mock.patch.object(bench, "BUILD", helper.folder(cls))
        patch.start()
        cls.addClassCleanup(patch.stop)
        with contextlib.redirect_stderr(io.StringIO()):
            cls.machine = bench.Machine(quick=True)

    def measure(self, case, repeats=4):
        case.repeats, case.warm, bad = repeats, False, []
        with contextlib.redirect_stderr(io.StringIO()) as said:
            rows, results = bench.measure_case(self.machine, case, bench.Steps(repeats * len(case.tools)), bad)
        self.assertEqual(bad, [])
        self.assertIn(f"{case.group}, {case.name}: {case.tools[0].name}", said.getvalue())
        self.assertEqual([r["tool"] for r in rows], [t.name for t in case.tools if t.package in self.machine.versions])
        return {r["tool"]: r for r in rows}, results

    @helper.long
    def test_continuous_time(self):
        rows, _ = self.measure(bench.ct_cases(TINY)[0])
        self.assertIn("C, the same generator", rows)
        self.measure(bench.ct_cases(TINY)[-1], 2)

    @helper.long
    def test_discrete_time(self):
        rows, results = self.measure(bench.dt_cases(TINY)[0])
        self.assertIn("NumPy", rows)
        self.assertEqual(len(results["NumPy"]), 4)

    def test_stationary_law(self):
        rows, _ = self.measure(bench.exact_cases(TINY)[1], 1)
        self.assertIn("9 digits", rows["jsqlib"]["note"])

    @helper.long
    def test_w1(self):
        rows, _ = self.measure(bench.w1_cases(0.1)[0], 1)
        self.assertIn("SciPy", rows)

    def test_slots_of_the_boundary_estimator_and_of_plain_simulation(self):
        with contextlib.redirect_stderr(io.StringIO()):
            near, far = (bench.distance_rows(self.machine, 0.01, bench.Steps(4), [(8, alpha)]) for alpha in (1.25, 4.5))
        self.assertIn("slots measured", near[1]["note"])
        self.assertIn("law of the diffusion limit", far[1]["note"])
        # slots ~ N^(4 alpha - 4) N^(-1) at one N: 4.5 against 1.25 is 8^13 with W1 N^alpha about the same
        self.assertGreater(far[1]["ratio_median"], 1e6 * near[1]["ratio_median"])

    def test_estimators_agree(self):
        for case in bench.estimator_cases(TINY):
            rows, _ = self.measure(case, 2)
            self.assertIn("balance", rows["jsqlib"]["note"])
            self.assertTrue(all(row["work"] > 0 for row in rows.values()))

    def test_goes_on_where_it_was_stopped(self):
        case = bench.exact_cases(TINY)[0]
        first, _ = self.measure(case, 1)
        with contextlib.redirect_stderr(io.StringIO()):
            again = bench.Machine(quick=True)
        with unittest.mock.patch.object(bench, "run", side_effect=AssertionError("measured twice")), contextlib.redirect_stderr(io.StringIO()):
            rows, _ = bench.measure_case(again, case, bench.Steps(9), [])
        self.assertEqual(rows, list(first.values()))

    def test_pictures(self):
        rows = []
        for n in (10, 100):
            rows.append({"group": "continuous time", "case": f"N = {n}, load 0.95", "tool": "jsqlib", "rate_median": 2e8, "rate_low": 1e8, "rate_high": 3e8})
            for tool in ("jsqlib", "direct simulation"):
                rows.append({"group": "W1 to 1 %", "case": f"N = 8, alpha = {n}", "tool": tool, "work": 1e5 * n})
        table = bench.BUILD / "some.csv"
        program.write(table, bench.as_csv(rows))
        bench.run([bench.BUILD / "figure", table, bench.BUILD])
        for name in ("rates", "cost"):
            self.assertIn("<svg", (bench.BUILD / f"{name}.svg").read_text())


class Tables(unittest.TestCase):
    def test_answers_that_disagree_are_found(self):
        exact = bench.Tool("other", "cc", lambda repeat: [], sampled=False, tolerance=1e-6)
        self.assertTrue(bench.agreement(exact, [1 + 1e-7], [1.0])[1])
        self.assertFalse(bench.agreement(exact, [1.0, 1 + 1e-5], [1.0, 1.0])[1])
        sampled = bench.Tool("other", "cc", lambda repeat: [])
        reference = [9.0, 10.0, 11.0, 10.0]
        self.assertTrue(bench.agreement(sampled, [10.5, 11.5, 10.0, 11.0], reference)[1])
        self.assertFalse(bench.agreement(sampled, [15.0, 16.0, 15.5, 15.2], reference)[1])

    def test_fit(self):
        slope, half = bench.fit([0.0, 1.0, 2.0, 3.0], [1.0, 3.0, 5.0, 7.0])
        self.assertAlmostEqual(slope, 2)
        self.assertLess(half, 1e-12)
        slope, half = bench.fit([0.0, 1.0, 2.0], [0.0, 1.3, 2.0])  # residuals -0.1, 0.2, -0.1: squares 0.06 over sxx = 2
        self.assertAlmostEqual(slope, 1)
        self.assertAlmostEqual(half, 12.7 * (0.06 / 2) ** 0.5)

    def test_table_and_page_have_every_row(self):
        row = {"group": "cost", "case": "dt, N = 8", "tool": "jsqlib", "version": "1", "repeats": 3, "work": 1.5e9, "unit": "slots", "seconds_median": 2.0,
               "seconds_low": 1.0, "seconds_high": 3.0, "machine": "m", "note": "a, \"b\""}
        (got,) = csv.DictReader(io.StringIO(bench.as_csv([row])))
        self.assertEqual((got["note"], float(got["work"]), got["ratio_low"]), (row["note"], 1.5e9, ""))
        self.assertIn("| dt, N = 8 | jsqlib | 1.50e9 slots | 2 (1 ... 3) |", bench.as_markdown([row]))


class Peers(unittest.TestCase):
    def test_levels(self):
        rng, levels, lengths = random.Random(1), peers.Levels(7), [0] * 7
        for _ in range(2000):
            i = levels.shortest()
            self.assertEqual(lengths[i], min(lengths))
            busy = [k for k in range(7) if lengths[k]]
            if busy and rng.random() < 0.5:
                i, by = rng.choice(busy), -1
            else:
                by = 1
            lengths[i] += by
            levels.move(i, by)
            self.assertEqual(levels.length, lengths)

    def test_time_average(self):
        total = peers.Total(warm=2.0)
        for now, by in ((1.0, 1), (3.0, 1), (4.0, -1)):
            total.move(now, by)
        self.assertEqual((total.area, total.events), (1 * 1 + 2 * 1, 3))


class Interruption(unittest.TestCase):
    def test_ends_what_runs_and_keeps_what_is_measured(self):
        folder = helper.folder(self)
        code = f"import sys; from pathlib import Path; import bench; bench.BUILD = Path({str(folder)!r}); sys.exit(bench.main(sys.argv[1:]))"
        command = [sys.executable, "-c", code, "--quick", "--only", "ct", "--out", str(folder / "out")]
        with helper.start(command, env={**os.environ, "PYTHONPATH": str(bench.HERE)}) as process:
            helper.wait("the first measurement", lambda: list(folder.glob("measured-*.jsonl")) or process.poll() is not None)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (130, ""), err)
        self.assertIn("jsqlab: interrupted; the same command goes on from here\n", err)
        self.assertEqual(list((folder / "out").iterdir()), [])  # made at the start, with nothing in it
        (kept,) = folder.glob("measured-*.jsonl")
        self.assertGreaterEqual([json.loads(line)["result"]["work"] > 0 for line in kept.read_text().splitlines()].count(True), 1)


if __name__ == "__main__":
    unittest.main()
