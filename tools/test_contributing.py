"""Test that the table of CONTRIBUTING.md speaks of what is there."""

import re
import unittest

from program import ROOT

TABLE = re.compile(r"^\| (.+) \| (.+) \| (.+) \|$", re.M)


def stale(row):
    """What a row of the table names and is not there: paths, and words of the code that occur in none of its files."""
    named = re.findall(r"`([^`]+)`", row)
    paths = {name: ROOT / name for name in named if "/" in name and " " not in name or (ROOT / name).exists()}
    files = [file for path in paths.values() for file in (path.glob("*.go") if path.is_dir() else [path]) if file.is_file()]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    words = [name for name in named if name not in paths and not name.startswith(("make ", "go "))]
    return [name for name, path in paths.items() if not path.exists()] + [word for word in words if not re.search(rf"\b{re.escape(word)}\b", text)]


class Contributing(unittest.TestCase):
    def test_table(self):
        rows = [match[0] for match in TABLE.finditer((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")) if match[1] != "to add"]
        self.assertEqual(len(rows), 8)
        for row in rows:
            self.assertEqual(stale(row), [], row)

    def test_finds(self):
        self.assertEqual(stale("| a rule | `jsqlib/rules.go` | |"), ["jsqlib/rules.go"])
        self.assertEqual(stale("| a rule | `jsqlib/policy.go`: its `Rule`, its `Roule` | `make data` |"), ["Roule"])


if __name__ == "__main__":
    unittest.main()
