"""Tests of the reference tables in data/ against their description, and of the comparison that make data makes."""

import csv
import hashlib
import io
import json
import math
import shlex
import signal
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import data
import helper
import program


def problems(resource, folder):
    """Where a table does not agree with its description: the hash and the table schema, by the standard library alone."""
    content = (folder / resource["path"]).read_bytes()
    found = []
    if resource["hash"] != "sha256:" + hashlib.sha256(content).hexdigest() or resource["bytes"] != len(content):
        found.append("hash")
    header, *rows = csv.reader(io.StringIO(content.decode("utf-8"), newline=""))
    fields = resource["schema"]["fields"]
    if header != [f["name"] for f in fields]:
        return found + ["header"]
    if len(rows) != resource["rows"]:
        found.append("rows")
    for field, cells in zip(fields, zip(*rows)):
        rule, name = field["constraints"], field["name"]
        full = [c for c in cells if c]
        if rule["required"] and len(full) < len(cells):
            found.append(f"{name}: empty cell")
        if "enum" in rule and not set(full) <= set(rule["enum"]):
            found.append(f"{name}: not one of {rule['enum']}")
        if rule.get("unique") and len(set(full)) < len(full):
            found.append(f"{name}: twice")
        if field["type"] in ("integer", "number"):
            numbers = list(map(int if field["type"] == "integer" else float, full))
            if any(x - x != 0 or x < rule.get("minimum", x) or x > rule.get("maximum", x) for x in numbers):
                found.append(f"{name}: out of range")
    return found


class Tables(unittest.TestCase):
    package = json.loads((data.DATA / data.PACKAGE).read_text(encoding="utf-8"))

    def test_described_as_they_are(self):
        for resource in self.package["resources"]:
            with self.subTest(resource["name"]):
                self.assertEqual(problems(resource, data.DATA), [])

    def test_description_is_generated(self):
        platform = self.package["resources"][0]["platform"]
        text = (data.DATA / data.PACKAGE).read_text(encoding="utf-8")
        self.assertEqual(text, data.dumps(data.describe(data.DATA, platform)))

    def test_every_point_of_the_commands_is_there(self):
        for resource in data.computed(self.package):
            with self.subTest(resource["name"]):
                want = set()
                for text in resource["commands"][:-1]:
                    words = shlex.split(text)
                    flags = dict(zip(words[2::2], words[3::2]))
                    self.assertEqual(int(flags["--seed"]), resource["seed"])
                    want |= {(int(n), float(a), float(flags["--rel-error"]), flags["--model"], flags.get("--routing", ""), flags.get("--policy", "jsq"))
                             for n in flags["--servers"].split(",") for a in flags["--alpha"].split(",")}
                rows = data.read(data.DATA / resource["path"]).values()
                got = {(int(r["servers"]), float(r["alpha"]), float(r["rel_error"]), r["model"], r["routing"], r["policy"]) for r in rows}
                self.assertEqual(got, want)
                self.assertEqual(len(rows), len(want))
                self.assertEqual({(r["seed"], r["version"]) for r in rows}, {(str(resource["seed"]), resource["version"])})

    def test_intervals_and_certificates(self):
        for resource in data.computed(self.package):
            for key, row in data.read(data.DATA / resource["path"]).items():
                for name in data.estimates(row):
                    if row[name]:
                        low, value, high = (float(row[name + end]) for end in ("_low", "", "_high"))
                        self.assertTrue(low <= value <= high, (key, name))
                low, value, high = (float(row[k]) for k in ("certificate_low", "wasserstein", "certificate_high"))
                self.assertTrue(low <= value <= high, key)

    def test_many_servers(self):
        """What is known of E Q~ as N grows, within the error bars: sigma is half a half width."""
        rows = [(r, int(r["servers"]), float(r["qtilde_mean"]), (float(r["qtilde_mean_high"]) - float(r["qtilde_mean_low"])) / 4)
                for r in data.read(data.DATA / "large.csv").values()]
        # continuous time: N (4 - e - E Q~/N) as measured by another program, and (1 + e/2) log N + O(1)
        ct = {n: (n * (4 - math.e) - q, s) for r, n, q, s in rows if r["model"] == "ct"}
        for n, want, error in ((30, 3.889, 0.005), (100, 5.752, 0.02), (300, 7.757, 0.07), (1000, 10.20, 0.17)):
            self.assertLess(abs(ct[n][0] - want), 4 * math.hypot(ct[n][1], error / 2), n)
        for n, (gap, s) in ct.items():
            if n >= 1000:
                self.assertLess(abs(gap - (1 + math.e / 2) * math.log(n) + 6.2), 4 * s + 0.5, n)
        # by the job: N (1 - 1.580 N^(-1/2)); by the batch: N^2/2, and above
        for r, n, q, s in rows:
            if r["routing"] == "job":
                self.assertLess(abs(q / n - (1 - 1.580 / math.sqrt(n))), 4 * s / n + 2 / n, n)
            elif r["routing"] == "batch":
                self.assertLess(abs((q / n**2 - 0.5) * math.sqrt(n) - 0.41), 4 * s / n**1.5 + 0.05, n)

    def test_power_of_d(self):
        """d = N^beta: E Q~/N grows beyond log N/log d = 1/beta, towards the next integer; d = 2: it grows like log N/log 2."""
        means = {(r["policy"], int(r["servers"])): float(r["qtilde_mean"]) / int(r["servers"]) for r in data.read(data.DATA / "power-of-d.csv").values()}
        for limit, beta, points in ((3, 0.4, ((4, 32), (9, 243), (16, 1024))), (2, 0.75, ((8, 16), (64, 256), (512, 4096)))):
            got = [means[f"pod:{d}", n] for d, n in points]
            self.assertEqual(got, sorted(got))
            self.assertTrue(1 / beta < got[-1] < limit, got)
        self.assertLess(abs(means["pod:2", 64] - means["pod:2", 16] - 2), 0.3)

    def test_damage_is_found(self):
        resource = data.computed(self.package)[-1]
        content = (data.DATA / resource["path"]).read_bytes()
        damages = {
            "hash": content.replace(b"0.1.0", b"0.1.1", 1),
            "rows": content[:content.rstrip().rfind(b"\n") + 1],
            "model: not one of ['dt', 'ct']": content.replace(b",ct,", b",cd,", 1),
            "header": content.replace(b"wasserstein,", b"distance,", 1),
        }
        for want, damaged in damages.items():
            with self.subTest(want), tempfile.TemporaryDirectory() as folder:
                self.assertNotEqual(damaged, content)
                Path(folder, resource["path"]).write_bytes(damaged)
                self.assertIn(want, problems(resource, Path(folder)))
                self.assertIn("hash", problems(resource, Path(folder)))


class Comparison(unittest.TestCase):
    def setUp(self):
        self.want = dict(list(data.read(data.DATA / "dt-batch.csv").items())[:3])
        self.got = {key: dict(row) for key, row in self.want.items()}
        self.row = self.got[next(iter(self.got))]

    def shift(self, name, halves):
        """Move one estimate by that many half widths, its interval with it."""
        half = (float(self.row[name + "_high"]) - float(self.row[name + "_low"])) / 2
        for end in ("", "_low", "_high"):
            self.row[name + end] = repr(float(self.row[name + end]) + halves * half)

    def compare(self, same_platform=True):
        same, near, findings = data.compare(self.got, self.want, same_platform)
        return same, near, len(findings)

    def test_same_bits(self):
        self.assertEqual(self.compare(), (3, 0, 0))
        self.row["version"] = "9"  # another program that computes the same
        self.assertEqual(self.compare(), (3, 0, 0))

    def test_same_seed_wants_the_same_bits(self):
        self.shift("qtilde_mean", 1e-9)
        self.assertEqual(self.compare(), (2, 0, 1))
        self.assertEqual(self.compare(same_platform=False), (2, 1, 0))

    def test_other_seed_wants_error_bars(self):
        self.row["task_seed"] = "1"
        self.row["slots"] = "12345"
        for name in data.estimates(self.row):
            with self.subTest(name):
                self.shift(name, 2)
                self.assertEqual(self.compare(), (2, 1, 0))
                self.shift(name, 2)  # four half widths away; the limit is 2.5 of both together, 3.54
                self.assertEqual(self.compare(), (2, 0, 1))
                self.shift(name, -4)

    def test_exact_numbers_want_digits(self):
        self.row["task_seed"] = "1"
        for name in data.EXACT:
            with self.subTest(name), unittest.mock.patch.dict(self.row, {name: repr(float(self.row[name]) * (1 + 1e-9))}):
                self.assertEqual(self.compare(), (2, 0, 1))
        for text in ("nan", "inf"):
            with self.subTest(text), unittest.mock.patch.dict(self.row, {"wasserstein": text}):
                self.assertEqual(self.compare(), (2, 0, 1))

    def test_disjoint_certificates(self):
        self.row["task_seed"] = "1"
        self.row["certificate_low"] = repr(2 * float(self.row["certificate_high"]))
        self.assertEqual(self.compare(), (2, 0, 1))

    def test_a_column_that_data_does_not_have(self):
        self.row["new"] = "1"
        for platform in (True, False):
            self.assertEqual(self.compare(platform), (2, 0, 1))

    def test_missing_and_foreign_rows(self):
        key = next(iter(self.got))
        self.got["another"] = self.got.pop(key)
        self.assertEqual(self.compare(), (2, 0, 2))


class Check(unittest.TestCase):
    """The whole of make data on a table of two rows."""

    def setUp(self):
        self.tmp = helper.folder(self)
        tables = {"dt-batch": ("title", "text", ["--model dt --routing batch --servers 4,8 --alpha 2 --rel-error 0.2"])}
        for patch in (unittest.mock.patch.object(data, "TABLES", tables), unittest.mock.patch.object(data, "DATA", self.tmp)):
            patch.start()
            self.addCleanup(patch.stop)
        jsq, platform = data.build(self.tmp / "out")
        for text in data.TABLES["dt-batch"][2]:
            data.run(data.command(f"jsq sweep {text} --seed 1 --out sweep", jsq, None), self.tmp)
        data.run(data.command("jsq merge sweep --out dt-batch.csv", jsq, None), self.tmp)
        program.write(self.tmp / data.PACKAGE, data.dumps(data.describe(self.tmp, platform)))

    def check(self, *args):
        return helper.said(data.main, "check", "--out", self.tmp / "out", *args)[:2]

    def test_check(self):
        status, out = self.check()
        self.assertIn("2 rows bit for bit, 0 within error bars, 0 not", out)
        self.assertEqual(status, 0)
        status, out = self.check("--seed", "2")
        self.assertIn("0 rows bit for bit, 2 within error bars, 0 not", out)
        self.assertEqual(status, 0)

    def test_check_finds_a_changed_number(self):
        path = self.tmp / "dt-batch.csv"
        rows = data.read(path)
        value = next(iter(rows.values()))["wasserstein"]
        path.write_text(path.read_text().replace(value, value[:-1] + ("1" if value[-1] != "1" else "2")))
        status, out = self.check()
        self.assertIn("1 rows bit for bit, 0 within error bars, 1 not", out)
        self.assertIn("want the same bits", out)
        self.assertEqual(status, 1)

    def test_signal_ends_what_runs(self):
        out = self.tmp / "all"
        command = [sys.executable, data.__file__, "check", "--out", str(out)]
        with helper.start(command) as process:
            helper.wait("the sweep", lambda: list(out.glob("*/dt-batch/plan-*.json")))
            process.send_signal(signal.SIGTERM)
            # ends only when the sweep has, too: it holds the other end of stderr
            stdout, stderr = process.communicate(timeout=60)
        self.assertEqual((process.returncode, stdout), (130, ""))
        self.assertIn("jsqlab: interrupted; the same command goes on from here\n", stderr)


if __name__ == "__main__":
    unittest.main()
