"""Tests of the notebook runner: every canary in tools/canaries must be found by the very command that make reproduce uses."""

import copy
import os
import signal
import subprocess
import sys
import unittest
import unittest.mock
from pathlib import Path

import helper
import nb
import nbformat
import yaml

CANARIES = Path(__file__).parent / "canaries"

# What the runner must say of each canary, and the number of lines it says.
EXPECTED = {
    "compile-error": ["cell 3: error: ./main.go", "cell 4: did not run"],
    "exit-0": ["cell 3: ended before its last line"],
    "exit-0-main": ["cell 3: ended before its last line"],
    "exit-0-test": ["cell 3: not all of its tests have run"],
    "exit": ["cell 3: error: exit status 1", "cell 3: stderr: exit status 1", "cell 4: did not run"],
    "failing-test": ["cell 3: error: exit status 1", "cell 3: stderr: exit status 1", "cell 4: did not run"],
    "flood": ["cell 3: too much output", "cell 4: did not run"],
    "hang": ["took more than 5 s", "cell 4: did not run"],
    "healthy": [],
    "no-assertion": ["no code cell with the tag 'assertion'"],
    "no-test": ["cell 3: stderr: testing: warning: no tests to run"],
    "not-run": ["cell 3: did not run"],
    "only-declares": ["cell 3: an assertion without %%, func main or %test checks nothing"],
    "panic": ["cell 3: error: exit status 2", "cell 3: stderr: panic: boom", "cell 4: did not run"],
    "stderr": ["cell 3: stderr: exit status 3"],
    "stderr-panic": ["cell 3: stderr: panic: recovered"],
    "unknown-command": ['cell 3: stderr: "%nosuchcommand" unknown'],
}


def run(*args):
    """The runner's exit status and its lines on stdout and stderr."""
    status, out, err = helper.said(nb.main, "run", *args)
    return status, out.splitlines(), err.splitlines()


def alive(pid):
    """Whether the process runs; one that waits to be reaped does not."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # either gone by now, or a system without /proc
        return not Path("/proc/self").exists()


class Runner(unittest.TestCase):
    def setUp(self):
        self.tmp = helper.folder(self) / "with a space"
        self.tmp.mkdir()
        os.environ["JSQLAB_PID"] = str(self.tmp / "pids")

    def test_canaries(self):
        paths = {path.stem: path for path in nb.find([CANARIES])}
        self.assertEqual(set(EXPECTED), set(paths))
        if helper.SHORT:
            paths = {name: paths[name] for name in ("exit-0", "failing-test", "hang", "healthy", "panic")}
        canaries = {name: EXPECTED[name] for name in paths}
        before = {path: path.read_bytes() for path in paths.values()}
        hang = paths.pop("hang")
        _, out, err = run("--timeout", 5, "--out", self.tmp, hang)
        _, others, more = run("--out", self.tmp, *paths.values())
        self.assertEqual(out.pop(), "FAIL\t1 of 1 notebooks")
        self.assertEqual(others.pop(), f"FAIL\t{len(canaries) - 2} of {len(canaries) - 1} notebooks")
        self.assertEqual(err + more, [])
        said = {}
        for line in out + others:
            if line.startswith("    "):
                said[name].append(line.strip())
            else:
                status, path, _, html = line.split("\t")
                name = Path(path).stem
                said[name] = []
                self.assertEqual(status, "FAIL" if EXPECTED[name] else "ok  ")
                self.assertTrue(Path(html).is_file(), html)
                self.assertTrue((self.tmp / f"notebooks/tools/canaries/{name}.ipynb").is_file(), name)
        self.assertEqual(list(said), ["hang", *sorted(paths, key=paths.get)], "in order")
        for name, expected in canaries.items():
            with self.subTest(name):
                # the interrupted cell may or may not get to say so before its kernel is gone
                findings = [line for line in said[name] if name != "hang" or "error: signal: interrupt" not in line]
                self.assertEqual(len(findings), len(expected), findings)
                for finding, want in zip(findings, expected):
                    self.assertTrue(finding.startswith(want), finding)
        for path, text in before.items():
            self.assertEqual(path.read_bytes(), text)

    @helper.long
    def test_deadline_while_a_cell_writes(self):
        book = nbformat.read(CANARIES / "flood.ipynb", as_version=4)
        book.cells[2].source = "%%\nfor range 2_000_000 {\n\tfmt.Println()\n}"
        path = self.tmp / "flood.ipynb"
        nbformat.write(book, path)
        with unittest.mock.patch.object(nb, "LIMIT", float("inf")):
            status, out, _ = run("--timeout", 4, "--out", self.tmp, path)
        self.assertEqual((status, out[1].strip()), (1, "took more than 4 s"))

    @helper.long
    def test_deadline_while_messages_are_always_there(self):
        start, taken = nb.NotebookClient.async_start_new_kernel_client, []

        async def started(client):
            await start(client)

            async def at_once(timeout=None):
                taken.append(1)
                if len(taken) > 3_000_000:
                    raise RuntimeError
                return {"parent_header": {}}

            client.kc.iopub_channel.get_msg = at_once

        with unittest.mock.patch.object(nb.NotebookClient, "async_start_new_kernel_client", started):
            _, out, _ = run("--timeout", 3, "--out", self.tmp, CANARIES / "healthy.ipynb")
        self.assertEqual(out[1].strip(), "took more than 3 s")
        self.assertLess(len(taken), 3_000_000, "the deadline has had no turn")

    def test_every_notebook_is_tried(self):
        status, out, _ = run("--out", self.tmp, CANARIES / "exit.ipynb", CANARIES / "healthy.ipynb")
        self.assertEqual((status, out[-1]), (1, "FAIL\t1 of 2 notebooks"))
        self.assertTrue(any(line.startswith("ok") for line in out), out)

    def test_no_notebook(self):
        for path in (self.tmp, self.tmp / "missing.ipynb"):
            status, out, err = run("--out", self.tmp, path)
            self.assertEqual((status, out, err), (2, [], [f"jsqlab: no notebook in {path}"]))

    def test_not_a_notebook(self):
        made = '{"cells": [%s], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
        bad = {
            "json": b"{", "list": b"[]", "binary": bytes(range(256)), "deep": b"[" * 100_000, "empty": b"",
            "keys": (made % "{}").encode(), "outputs": (made % '{"cell_type": "code", "id": "a", "metadata": {}, "source": "x"}').encode(),
        }
        for name, text in bad.items():
            (self.tmp / f"{name}.ipynb").write_bytes(text)
        (self.tmp / "healthy.ipynb").write_bytes((CANARIES / "healthy.ipynb").read_bytes())
        status, out, err = run("--out", self.tmp / "out", self.tmp)
        self.assertEqual((status, out[-1], err), (2, f"FAIL\t{len(bad)} of {len(bad) + 1} notebooks", []))
        for name, line in zip(sorted([*bad, "healthy"]), out[:-1], strict=True):
            want = f"ok  \t{self.tmp}/{name}.ipynb\t" if name == "healthy" else f"FAIL\t{self.tmp}/{name}.ipynb\tnot a notebook: "
            self.assertTrue(line.startswith(want), line)

    def test_what_cannot_be_written_does_not_end_the_others(self):
        (self.tmp / "html/tools/canaries/exit.html").mkdir(parents=True)
        status, out, err = run("--out", self.tmp, CANARIES / "exit.ipynb", CANARIES / "healthy.ipynb")
        self.assertEqual((status, err, len(out)), (1, [], 3), out)
        self.assertIn("IsADirectoryError", out[0])
        self.assertTrue(out[1].startswith("ok"), out)

    def test_unusable_arguments(self):
        (self.tmp / "file").touch()
        for args, want in [
            (["--timeout", "nan"], "argument --timeout: got nan, want a finite number above 0"),
            (["--timeout", "inf"], "argument --timeout: got inf, want a finite number above 0"),
            (["--timeout", "0"], "argument --timeout: got 0, want a finite number above 0"),
            (["--timeout", "-1"], "argument --timeout: got -1, want a finite number above 0"),
            (["--timeout", "soon"], "argument --timeout: got soon, want a finite number above 0"),
            (["--timeout", "1_0"], "argument --timeout: got 1_0, want a finite number above 0"),
            (["--timeout", "1e999"], "argument --timeout: got 1e999, want a finite number above 0"),
            (["--timeout", "\u0661"], "argument --timeout: got \u0661, want a finite number above 0"),
            (["--jobs", "0"], "argument --jobs: got 0, want a whole number above 0"),
            (["--jobs", "1.5"], "argument --jobs: got 1.5, want a whole number above 0"),
            (["--jobs", "1_0"], "argument --jobs: got 1_0, want a whole number above 0"),
            (["--out", "/dev/null"], "argument --out: got /dev/null, want a folder: File exists"),
            (["--out", self.tmp / "file" / "below"], f"argument --out: got {self.tmp}/file/below, want a folder: Not a directory"),
        ]:
            with self.subTest(want):
                self.assertEqual(run(*args, CANARIES / "healthy.ipynb"), (2, [], [f"jsqlab: {want}"]))

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
        cases = [
            (signal.SIGINT, 130, "jsqlab: interrupted\n"), (signal.SIGTERM, 130, "jsqlab: interrupted\n"),
            (signal.SIGHUP, 130, "jsqlab: interrupted\n"), (signal.SIGKILL, -signal.SIGKILL, ""),
        ]
        for signum, status, says in cases[::3] if helper.SHORT else cases:
            with self.subTest(signum):
                pids = self.tmp / "pids"
                pids.unlink(missing_ok=True)
                command = [sys.executable, nb.__file__, "run", "--out", self.tmp, CANARIES / "hang.ipynb", CANARIES / "healthy.ipynb"]
                with helper.start(command, env={**os.environ, "TMPDIR": str(self.tmp)}) as process:
                    helper.wait("the cell", lambda: pids.exists() and pids.read_text().endswith("\n"))
                    process.send_signal(signum)
                    out, err = process.communicate(timeout=60)
                self.assertEqual((process.returncode, out, err), (status, "", says))
                for pid in map(int, pids.read_text().split()):
                    helper.wait(f"the end of process {pid}", lambda: not alive(pid))
                helper.wait("the end of its folders", lambda: not list(self.tmp.glob("jsqlab-*")))


class Signals(unittest.TestCase):
    """A parent may ignore signals: nohup the hang-up, and a shell the Ctrl-C of what it runs in the background."""

    def setUp(self):
        for signum in (signal.SIGINT, signal.SIGHUP):
            self.addCleanup(signal.signal, signum, signal.signal(signum, signal.SIG_IGN))

    def test_tests_start_children_with_default_signals(self):
        with helper.start([sys.executable, "-c", "import time; print(flush=True); time.sleep(60)"]) as process:
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            self.assertIn("KeyboardInterrupt", process.communicate()[1])

    def test_tools_go_on_ignoring(self):
        code = "import signal, runpy, sys; sys.argv[1:] = ['--help']; sys.path[0] = {!r}\ntry: runpy.run_path({!r}, run_name='__main__')\n" \
               "except SystemExit: print([s.name for s in signal.Signals if signal.getsignal(s) == signal.SIG_IGN])"
        for tool in ("tools/nb.py", "tools/data.py", "tools/exercises.py", "bench/bench.py", "site/build.py"):
            with self.subTest(tool):
                said = subprocess.run([sys.executable, "-c", code.format(str((nb.ROOT / tool).parent), str(nb.ROOT / tool))], capture_output=True, text=True, check=True)
                self.assertTrue({"SIGINT", "SIGHUP"} <= set(eval(said.stdout.splitlines()[-1])), said.stdout)


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
