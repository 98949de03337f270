"""Tests of what site/build.py takes for a folder that it may replace, and for a notebook that it may show. The pages themselves are tested in a
browser: make test-browser."""

import argparse
import importlib.util
import json
import tempfile
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
spec = importlib.util.spec_from_file_location("site_build", ROOT / "site" / "build.py")
build = importlib.util.module_from_spec(spec)
spec.loader.exec_module(build)


class Target(unittest.TestCase):
    def test_replaces_sites_only(self):
        with tempfile.TemporaryDirectory() as folder:
            top = Path(folder)
            site, empty, other = top / "site", top / "empty", top / "other"
            for made in (site, empty, other):
                made.mkdir()
            (site / build.MARK).touch()
            (site / "index.html").touch()
            (other / "thesis.tex").touch()
            (top / "link").symlink_to(site)
            (top / "dangling").symlink_to(top / "nothing")
            for out in (site, empty, top / "new"):
                self.assertEqual(build.target(str(out)), out)
            for out in (other, other / "thesis.tex", top / "link", top / "dangling", top, Path("/"), ROOT, ROOT / "site"):
                with self.subTest(out), self.assertRaises(argparse.ArgumentTypeError):
                    build.target(str(out))
            self.assertTrue((other / "thesis.tex").exists())


class Notebooks(unittest.TestCase):
    def test_shows_what_has_run_to_its_end(self):
        solution, student = f"{build.SOLUTIONS}/01-the-model.ipynb", "notebooks/exercises/01-the-model.ipynb"
        good = (ROOT / solution).read_text(encoding="utf-8")
        half = json.loads(good)
        for cell in half["cells"][-6:]:
            cell.update({"outputs": [], "execution_count": None} if cell["cell_type"] == "code" else {})
        for path, text, wrong in [
            (solution, good, None), (student, (ROOT / student).read_text(encoding="utf-8"), None),
            (solution, json.dumps(half), "did not run: run `make notebooks`"), (student, json.dumps(half), "did not run: run `make notebooks`"),
            (solution, (ROOT / student).read_text(encoding="utf-8"), "did not run: run `make notebooks`"),
            (solution, good.replace('"PASS\\n"', '"PAS\\n"'), "not all of its tests have run"),
            (solution, "[]", "not a notebook"), (solution, '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}', "no cells"),
        ]:
            with self.subTest(wrong), tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(build, "ROOT", Path(folder)):
                (Path(folder) / path).parent.mkdir(parents=True)
                (Path(folder) / path).write_text(text, encoding="utf-8")
                if wrong:
                    self.assertRaisesRegex(build.Wrong, wrong, build.whole, path)
                else:
                    self.assertTrue(build.whole(path).cells)


if __name__ == "__main__":
    unittest.main()
