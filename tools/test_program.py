"""Tests of what the programs do alike."""

import asyncio
import errno
import sys
import unittest
import unittest.mock

import nb  # first: it keeps Jupyter inside the virtual environment
import data
import exercises
import helper
import program
from test_site import build

sys.path.insert(0, str(program.ROOT / "bench"))
import bench  # noqa: E402


class Program(unittest.TestCase):
    def test_unusable_arguments_are_one_line(self):
        for main, args, want in [
            (data.main, ["nothing"], "argument command: invalid choice: 'nothing'"),
            (data.main, ["check", "--out", "/dev/null/x"], "argument --out: got /dev/null/x, want a folder: Not a directory"),
            (bench.main, ["--quic"], "unrecognized arguments: --quic"),
            (bench.main, ["--only", "speed"], "--only speed: want some of ct, dt"),
            (bench.main, ["--out", "/dev/null/x"], "argument --out: got /dev/null/x, want a folder: Not a directory"),
            (exercises.main, ["mak"], "argument command: invalid choice: 'mak'"),
            (nb.main, ["run", "--job", "2", "notebooks"], "unrecognized arguments: --job"),
            (build.main, ["/dev/null"], "argument OUTDIR: /dev/null is there and is not a site"),
        ]:
            with self.subTest(args), unittest.mock.patch.object(bench, "Machine", side_effect=AssertionError("work was begun")):
                status, out, err = helper.said(main, *args)
                self.assertEqual((status, out, err.count("\n")), (2, "", 1), err)
                self.assertIn(f"jsqlab: {want}", err)

    def test_ends(self):
        for raised, want in [
            (KeyboardInterrupt(), (130, "", "jsqlab: interrupted; again\n")), (asyncio.CancelledError(), (130, "", "jsqlab: interrupted; again\n")),
            (program.Failed("why"), (1, "", "jsqlab: why\n")), (program.Unusable("why"), (2, "", "jsqlab: why\n")),
            (nb.SetupError("why"), (2, "", "jsqlab: why\n")), (OSError(errno.ENOSPC, "full", "a"), (1, "", "jsqlab: [Errno 28] full: 'a'\n")),
        ]:
            with self.subTest(raised):
                main = unittest.mock.Mock(side_effect=raised, __name__="main")
                self.assertEqual(helper.said(program.ends(then="; again")(main)), want)

    def test_written_whole_or_not_at_all(self):
        path = helper.folder(self) / "below" / "table.csv"
        program.write(path, "old")
        with unittest.mock.patch.object(program.os, "replace", side_effect=OSError("full")), self.assertRaises(OSError):
            program.write(path, "new")
        self.assertEqual(path.read_text(), "old")
        program.write(path, "new")
        self.assertEqual(path.read_text(), "new")


if __name__ == "__main__":
    unittest.main()
