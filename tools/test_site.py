"""Tests of what site/build.py takes for a folder that it may replace. The pages themselves are tested in a browser: make test-browser."""

import argparse
import importlib.util
import tempfile
import unittest
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


if __name__ == "__main__":
    unittest.main()
