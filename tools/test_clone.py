"""Tests that a clone has the bytes that were committed, also where Git is told to write CRLF (core.autocrlf=true, as on Windows)."""

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@unittest.skipUnless((ROOT / ".git").exists(), "no git repository: this is an archive of the source, which has no clones")
@unittest.skipUnless(shutil.which("git"), "no git on the path")
class Clone(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        home = tempfile.TemporaryDirectory()
        cls.addClassCleanup(home.cleanup)
        # what git for Windows asks for by default; the owner of this folder may be another user, as in a container
        Path(home.name, ".gitconfig").write_text("[core]\n\tautocrlf = true\n[safe]\n\tdirectory = *\n", encoding="utf-8")
        cls.env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") and k != "XDG_CONFIG_HOME"}
        cls.env |= {"HOME": home.name, "GIT_CONFIG_NOSYSTEM": "1"}
        cls.clone = Path(home.name, "clone")
        cls.git("clone", "--quiet", ROOT, cls.clone)

    @classmethod
    def git(cls, *args, cwd=ROOT):
        done = subprocess.run(["git", *args], cwd=cwd, env=cls.env, capture_output=True)
        if done.returncode:
            raise AssertionError(f"git {args[0]}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def test_no_file_needs_crlf(self):
        lines = self.git("ls-files", "--eol").decode().splitlines()
        self.assertGreater(len(lines), 100)
        for line in lines:
            (committed, _, *attributes), path = line.split("\t")[0].split(), line.split("\t")[1]
            with self.subTest(path):
                self.assertIn(committed, ("i/lf", "i/none", "i/-text", "i/"))  # no CRLF, none at all, binary, a link
                self.assertIn(" ".join(attributes), ("attr/text=auto eol=lf", "attr/-text"))

    def test_clone_has_the_bytes_that_were_committed(self):
        entries = [line.split(maxsplit=3) for line in self.git("ls-tree", "-r", "HEAD", cwd=self.clone).decode().splitlines()]
        files = {path: blob for mode, _, blob, path in entries if mode != "120000"}
        for path, blob in files.items():
            content = (self.clone / path).read_bytes()
            with self.subTest(path):
                self.assertEqual(hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest(), blob)
        named = ["tools/setup.sh", "bench/setup.sh", "cluster/slurm/sweep.sbatch", "docker/Dockerfile", "data/datapackage.json", "Makefile"]
        self.assertEqual(set(named) - set(files), set())
        for path in named:
            self.assertNotIn(b"\r", (self.clone / path).read_bytes(), path)
        self.assertEqual(self.git("status", "--porcelain", cwd=self.clone), b"")

    def test_clone_works(self):
        for path in ("tools/setup.sh", "cluster/slurm/sweep.sbatch"):
            if shell := shutil.which("sh" if path.endswith(".sh") else "bash"):
                self.assertEqual(subprocess.run([shell, "-n", self.clone / path], capture_output=True).stderr, b"", path)
        for resource in json.loads((self.clone / "data" / "datapackage.json").read_text(encoding="utf-8"))["resources"]:
            content = (self.clone / "data" / resource["path"]).read_bytes()
            self.assertEqual("sha256:" + hashlib.sha256(content).hexdigest(), resource["hash"], resource["path"])


if __name__ == "__main__":
    unittest.main()
