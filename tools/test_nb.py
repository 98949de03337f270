"""Tests of the notebook runner: every canary in tools/canaries must be found by the very command that make reproduce uses."""

import contextlib
import copy
import io
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
from pathlib import Path

import nb
import nbformat
import yaml

CANARIES = Path(__file__).parent / "canaries"

# What the runner must say of each canary, and the number of lines it says.
EXPECTED = {
    "compile-error": ["cell 3: error: ./main.go", "cell 4: did not run"],
    "exit": ["cell 3: error: exit status 1", "cell 3: stderr: exit status 1", "cell 4: did not run"],
    "failing-test": ["cell 3: error: exit status 1", "cell 3: stderr: exit status 1", "cell 4: did not run"],
    "hang": ["took more than 5 s", "cell 4: did not run"],
    "healthy": [],
    "no-assertion": ["no code cell with the tag 'assertion'"],
    "not-run": ["cell 3: did not run"],
    "panic": ["cell 3: error: exit status 2", "cell 3: stderr: panic: boom", "cell 4: did not run"],
    "stderr": ["cell 3: stderr: exit status 3"],
    "stderr-panic": ["cell 3: stderr: panic: recovered"],
}


def run(*args):
    """The runner's exit status and its lines on stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = nb.main(["run", *map(str, args)])
    return status, out.getvalue().splitlines(), err.getvalue().splitlines()


def alive(pid):
    """Whether the process runs; one that waits to be reaped does not."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # either gone by now, or a system without /proc
        return not Path("/proc/self").exists()


def wait(what, condition):
    deadline = time.monotonic() + 60
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"still waiting for {what}")
        time.sleep(0.05)


class Runner(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tmp = Path(folder.name, "with a space")
        self.tmp.mkdir()
        os.environ["JSQLAB_PID"] = str(self.tmp / "pids")

    def test_canaries(self):
        self.assertEqual(set(EXPECTED), {path.stem for path in nb.find([CANARIES])})
        for name, expected in EXPECTED.items():
            with self.subTest(name):
                path = CANARIES / f"{name}.ipynb"
                before = path.read_bytes()
                status, out, err = run("--timeout", 5 if name == "hang" else 300, "--out", self.tmp, path)
                self.assertEqual(status, 1 if expected else 0, out)
                self.assertTrue(out[0].startswith("FAIL" if expected else "ok"), out)
                self.assertTrue(out[-1].startswith("FAIL" if expected else "ok"), out)
                findings = [line.strip() for line in out[1:-1]]
                if name == "hang":  # the interrupted cell may or may not get to say so before its kernel is gone
                    findings = [line for line in findings if "error: signal: interrupt" not in line]
                self.assertEqual(len(findings), len(expected), out)
                for finding, want in zip(findings, expected):
                    self.assertTrue(finding.startswith(want), out)
                self.assertEqual(err, [])
                self.assertEqual(path.read_bytes(), before)
                for made in (f"notebooks/tools/canaries/{name}.ipynb", f"html/tools/canaries/{name}.html"):
                    self.assertTrue((self.tmp / made).is_file(), made)

    def test_every_notebook_is_tried(self):
        status, out, _ = run("--out", self.tmp, CANARIES / "exit.ipynb", CANARIES / "healthy.ipynb")
        self.assertEqual((status, out[-1]), (1, "FAIL\t1 of 2 notebooks"))
        self.assertTrue(any(line.startswith("ok") for line in out), out)

    def test_no_notebook(self):
        for path in (self.tmp, self.tmp / "missing.ipynb"):
            status, out, err = run("--out", self.tmp, path)
            self.assertEqual((status, out, err), (2, [], [f"jsqlab: no notebook in {path}"]))

    def test_not_a_notebook(self):
        path = self.tmp / "broken.ipynb"
        path.write_text("{")
        self.assertEqual(run("--out", self.tmp, path), (1, [f"FAIL\t{path}\tnot a notebook", "FAIL\t1 of 1 notebooks"], []))

    def test_no_kernel(self):
        with unittest.mock.patch.dict(nb.KERNELSPEC, name="none"):
            got = run("--out", self.tmp, CANARIES / "healthy.ipynb")
        self.assertEqual(got, (2, [], ["jsqlab: the Go kernel does not start: No such kernel named none"]))

    def test_inplace_then_compare(self):
        path = self.tmp / "healthy.ipynb"
        path.write_bytes((CANARIES / "healthy.ipynb").read_bytes())
        status, out, _ = run("--compare", "--out", self.tmp / "out", path)
        self.assertEqual(status, 1, out)  # the canary carries no outputs
        self.assertEqual(run("--inplace", "--out", self.tmp / "out", path)[0], 0)
        first = path.read_bytes()
        self.assertEqual(run("--inplace", "--out", self.tmp / "out", path)[0], 0)
        self.assertEqual(path.read_bytes(), first)
        status, out, _ = run("--compare", "--out", self.tmp / "out", path)
        self.assertEqual(status, 0, out)
        path.write_bytes(first.replace(b"6\\n", b"7\\n"))
        status, out, _ = run("--compare", "--out", self.tmp / "out", path)
        self.assertEqual((status, out[1].strip()), (1, "cell 3: stdout: got '6', committed '7'"))

    def test_inplace_keeps_a_failing_notebook(self):
        path = self.tmp / "exit.ipynb"
        path.write_bytes((CANARIES / "exit.ipynb").read_bytes())
        self.assertEqual(run("--inplace", "--out", self.tmp / "out", path)[0], 1)
        self.assertEqual(path.read_bytes(), (CANARIES / "exit.ipynb").read_bytes())

    def test_signals_stop_the_kernel(self):
        for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signum):
                pids = self.tmp / "pids"
                pids.unlink(missing_ok=True)
                command = [sys.executable, nb.__file__, "run", "--out", self.tmp, CANARIES / "hang.ipynb", CANARIES / "healthy.ipynb"]
                with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
                    wait("the cell", lambda: pids.exists() and pids.read_text().endswith("\n"))
                    process.send_signal(signum)
                    out, err = process.communicate(timeout=60)
                self.assertEqual((process.returncode, out, err), (130, "", "jsqlab: interrupted\n"))
                for pid in map(int, pids.read_text().split()):
                    wait(f"the end of process {pid}", lambda: not alive(pid))


def code(source="x", count=1, tags=(), outputs=()):
    return nbformat.v4.new_code_cell(source, execution_count=count, metadata={"tags": list(tags)}, outputs=list(outputs))


def text(name, text):
    return nbformat.v4.new_output("stream", name=name, text=text)


def notebook(*cells):
    return nbformat.v4.new_notebook(cells=list(cells))


class Checks(unittest.TestCase):
    good = notebook(nbformat.v4.new_markdown_cell("# Title"), code(), code("", None), code(tags=["assertion"]))

    def test_check(self):
        self.assertEqual(nb.check(self.good), [])
        self.assertEqual(nb.check(notebook(code(count=None, tags=["assertion"]))), ["cell 1: did not run"])
        self.assertEqual(nb.check(notebook(code())), ["no code cell with the tag 'assertion'"])
        self.assertEqual(nb.check(notebook(code(), code("", None, ["assertion"]))), ["no code cell with the tag 'assertion'"])

    def test_check_finds_control_characters(self):
        for char in "\a\b\f\r\v\x7f":
            book = notebook(nbformat.v4.new_markdown_cell(f"a\tb\n${char}lpha$"), code(tags=["assertion"]))
            self.assertEqual(nb.check(book), [f"cell 1: control character {char!r} in the source"])
        self.assertEqual(nb.check(notebook(nbformat.v4.new_markdown_cell("a\tb\n"), code("x\ty\n", tags=["assertion"]))), [])

    def test_check_joins_pieces_of_stderr(self):
        pieces = [text("stderr", "exit sta"), text("stdout", "out"), text("stderr", "tus 1")]
        self.assertEqual(nb.check(notebook(code(tags=["assertion"], outputs=pieces))), ["cell 1: stderr: exit status 1"])
        self.assertEqual(nb.check(notebook(code(tags=["assertion"], outputs=[text("stdout", "exit status 1")]))), [])

    def test_compare(self):
        def shown(**data):
            mime = {key.replace("_", "/"): value for key, value in data.items()}
            return notebook(code(outputs=[text("stdout", "a\nb\n"), nbformat.v4.new_output("display_data", mime)]))

        old = shown(text_plain="figure", image_png="AAAA")
        self.assertEqual(nb.compare(copy.deepcopy(old), old), [])
        self.assertEqual(nb.compare(shown(text_plain="figure", image_png="BBBB"), old), [])
        self.assertEqual(nb.compare(shown(text_plain="other", image_png="AAAA"), old),
                         ["cell 1: text: got 'other', committed 'figure'"])
        self.assertEqual(nb.compare(shown(text_plain="figure"), old),
                         ["cell 1: kinds of output: got ['text/plain'], committed ['image/png', 'text/plain']"])
        self.assertEqual(nb.compare(shown(text_markdown="| 1 |"), shown(text_markdown="| 2 |")),
                         ["cell 1: text: got '| 1 |', committed '| 2 |'"])
        less = copy.deepcopy(old)
        less.cells[0].outputs[0].text = "a\n"
        self.assertEqual(nb.compare(less, old), ["cell 1: stdout: got None, committed 'b'"])

    def test_normalise(self):
        book = copy.deepcopy(self.good)
        book.metadata = nbformat.from_dict({"title": "kept", "language_info": {"name": "go", "version": "go1.26.8"}})
        book.cells[1].metadata["execution"] = {"iopub.status.idle": "now"}
        nb.normalise(book)
        self.assertEqual(book.metadata, {"title": "kept", "kernelspec": nb.KERNELSPEC, "language_info": nb.LANGUAGE})
        self.assertNotIn("execution", book.cells[1].metadata)
        nbformat.validate(book)  # among others: no two cells have the same id
        again = copy.deepcopy(book)
        nb.normalise(again)
        self.assertEqual(again, book)

    def test_machine_paths(self):
        self.assertEqual(nb.machine_paths(self.good, "/scratch"), [])
        book = notebook(code(outputs=[text("stdout", "/scratch/x")]))
        self.assertEqual(nb.machine_paths(book, "/scratch"), ["an output names the folder /scratch"])


class Citation(unittest.TestCase):
    def test_citation(self):
        cff = yaml.safe_load((nb.ROOT / "CITATION.cff").read_text())
        self.assertEqual(cff["cff-version"], "1.2.0")
        self.assertEqual(cff["authors"], [{"name": "The jsqlab authors"}])
        self.assertTrue(cff["message"] and cff["title"] and cff["version"] and cff["license"] == "MIT")
        self.assertIn("arXiv:2004.04826v3", [i["value"] for i in cff["references"][0]["identifiers"]])


if __name__ == "__main__":
    unittest.main()
