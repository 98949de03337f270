"""Tests of the exercises: the two versions of each agree, and nbgrader grades them as intended.

What each check says to right and to wrong answers is tested in notebooks/exercises/check, and the grader that runs apart
from the kernel in notebooks/exercises/grade.
"""

import copy
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import nb  # first: it keeps Jupyter inside the virtual environment
import exercises
import helper
import nbformat
import program
from nbgrader.api import Gradebook

NAME = "01-the-model"


def source():
    return nbformat.read(exercises.SOLUTIONS / f"{NAME}.ipynb", as_version=4)


def cell(book, grade_id):
    return next(c for c in book.cells if c.metadata.get("nbgrader", {}).get("grade_id") == grade_id)


def replaced(book, old, new):
    """A copy of book in which one cell holds new in the place of old."""
    book = copy.deepcopy(book)
    [found] = [c for c in book.cells if old in c.source]
    found.source = found.source.replace(old, new)
    return book


class Versions(unittest.TestCase):
    def test_agree(self):
        status, out, _ = helper.said(exercises.main, "check")
        self.assertEqual(status, 0, out)

    def test_student_version(self):
        for path in exercises.EXERCISES.glob("*.ipynb"):
            with self.subTest(path.stem):
                made = nbformat.read(path, as_version=4)
                self.assertEqual(exercises.leaks(nbformat.read(exercises.SOLUTIONS / path.name, as_version=4), made), [])
                answers = [c for c in made.cells if c.metadata.get("nbgrader", {}).get("solution")]
                self.assertGreaterEqual(len(answers), 4)
                for answer in answers:
                    self.assertIn('panic("YOUR CODE HERE")', answer.source)

    def test_run_all_goes_on(self):
        def tagged(folder):
            for path in folder.glob("*.ipynb"):
                for c in nbformat.read(path, as_version=4).cells:
                    yield c, exercises.RAISES in c.metadata.get("tags", [])

        for c, tag in tagged(exercises.EXERCISES):
            self.assertEqual(tag, c.cell_type == "code" and c.source.startswith(("%test", "%%")), c.source)
        for c, tag in tagged(exercises.SOLUTIONS):
            self.assertFalse(tag, c.source)

    def test_runner_runs_all_and_does_not_pass(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, nb.__file__, "run", "--out", folder, exercises.EXERCISES / f"{NAME}.ipynb"],
                                  capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            [made] = Path(folder).rglob("*.ipynb")
            for c in nbformat.read(made, as_version=4).cells:
                if c.source.startswith("%test"):
                    self.assertIn("this task is not done", nb.stream(c, "stdout"), c.source)

    def test_runner_skips_student_versions(self):
        found = nb.find([nb.ROOT / "notebooks"])
        self.assertNotIn(exercises.EXERCISES / f"{NAME}.ipynb", found)
        self.assertIn(exercises.SOLUTIONS / f"{NAME}.ipynb", found)

    def test_kinds(self):
        for path in exercises.SOLUTIONS.glob("*.ipynb"):
            text = "\n".join(c.source for c in nbformat.read(path, as_version=4).cells)
            self.assertEqual({kind for _, kind, _, _ in exercises.HEADING.findall(text)}, set(exercises.KINDS), path.stem)

    def test_complete_finds(self):
        good = source()
        self.assertEqual(exercises.complete(copy.deepcopy(good)), [])
        self.assertEqual(exercises.complete(copy.deepcopy(good)), [], "again")
        for old, new, want in [
            ("## Task 2 · compute: one", "## Task 2 · guess: one", "want one heading"),
            ("## Task 2 · compute: one", "## Task 3 · compute: one", "two headings of task 3"),
            ("*About 10 minutes, 2 points.*", "*About 10 minutes, 3 points.*", "differ"),
            ("*About 10 minutes, 2 points.*", "*About 11 minutes, 2 points.*", "the first cell does not say"),
            ("func TestTask2(t *testing.T) { // 2 points", "func TestTask2(t *testing.T) { // 1 point", "differ"),
            ("%test -test.run=Task2", "%test", "not of the form"),
            ("%test -test.run=Task2", "%test -test.run=Task3", "not of the form"),
            ("%test -test.run=Task2 -test.paniconexit0", "%test -test.run=Task2", "not of the form"),
            ("%noautoget", "%autoget", "at the top"),
            ("func counterexample()", "var counterexample = func()", "in a function"),
            ("### BEGIN SOLUTION\n\treturn 0.5, jsqlib", "return 0.5, jsqlib", "the markers of solutions are END"),
            ("// ### BEGIN SOLUTION\n\treturn 2*after", "// ### END SOLUTION\n// ### BEGIN SOLUTION\n\treturn 2*after", "the markers of solutions are END, BEGIN"),
        ]:
            with self.subTest(new):
                self.assertTrue(any(want in finding for finding in exercises.complete(replaced(good, old, new))), want)
        for c in (c for c in good.cells if "<details>" in c.source):
            c.source = c.source.replace("<details>", "")
        self.assertEqual(exercises.complete(good), ["fewer hints that unfold than tasks"])

    def test_unusable_solutions(self):
        made = '{{"cells": [{}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5}}'.format
        for text, want in [
            (b"hello", "not a notebook"),
            (b"", "not a notebook"),
            (b"[]", "not a notebook"),
            (b"\xff\xfe", "not a notebook"),
            (made("").encode(), "0 cells"),
            (made('{"cell_type": "markdown", "id": "a", "metadata": {}, "source": "x"}').encode(), "1 cells"),
            (made('{"cell_type": "code", "id": "a", "metadata": {}}').encode(), "not a notebook"),
        ]:
            for command in ("check", "make"):
                with self.subTest(text=text, command=command), tempfile.TemporaryDirectory() as folder:
                    Path(folder, "solutions").mkdir()
                    Path(folder, "solutions", "01.ipynb").write_bytes(text)
                    status, out = self.run_in(folder, command)
                    self.assertEqual(status, 1)
                    self.assertIn(want, out)
                    self.assertEqual(len(out.splitlines()), 2, out)

    def test_student_version_is_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "solutions").mkdir()
            shutil.copy(exercises.SOLUTIONS / f"{NAME}.ipynb", Path(folder, "solutions"))
            Path(folder, f"{NAME}.ipynb").mkdir()
            status, out = self.run_in(folder, "make")
            self.assertEqual(status, 1)
            self.assertIn("is not a file", out)

    def run_in(self, folder, *args):
        with (unittest.mock.patch.object(logging.getLogger("traitlets"), "disabled", True),
              unittest.mock.patch.multiple(exercises, EXERCISES=Path(folder), SOLUTIONS=Path(folder, "solutions"))):
            return helper.said(exercises.main, *args)[:2]

    def test_leaks(self):
        book = source()
        made = exercises.student(book)
        self.assertEqual(exercises.leaks(book, made), [])
        self.assertEqual(exercises.leaks(book, replaced(made, "## Task 2", "\treturn after, unused\n## Task 2")),
                         ["the student version holds the line of a solution 'return after, unused'"])
        self.assertEqual(exercises.leaks(book, replaced(made, "## Task 2", "// ### END SOLUTION\n## Task 2")),
                         ["the student version holds a solution's marker"])
        made.cells[1].execution_count = 1
        self.assertEqual(exercises.leaks(book, made), ["the student version holds outputs"])


# Submissions of exercise 01: what is put into answer cells, and the points of tasks 1 to 6. Everything else stays as it was given.
SUBMISSIONS = {
    "right": ({}, [1, 2, 2, 2, 2, 1]),  # filled in from the solution
    "empty": (None, [0, 0, 0, 0, 0, 0]),
    "wrong": ({
        "answer-predict": "func predict() (unusedBatch, unusedJob, low, high float64) {\n\treturn 4, 4, 32, 64\n}",
        "answer-serve": "func serve(q, a, s []int64) (after, unused []int64) {\n\treturn undefined\n}",
        "answer-routeJobs": "func routeJobs(q []int64, a int64, r *rand.Rand) []int64 {\n"
                            "\treturn jsqlib.Model{Servers: 2, Alpha: 1}.Route(q, a, r)\n}",
        "answer-remainder": "func remainder(after, unused int64) int64 { return unused / (after - after) }\n"
                            "func excess(servers int, alpha, boundaryMean, boundarySecond float64) float64 { return 0 }",
        # equal is right, but another one than in the solution
        "answer-drift": "func drift(q1, q2 int, load float64) float64 {\n\td := -2 * load\n\tif q1 == q2 {\n\t\td = 2 * load\n"
                        "\t\tif q1 > 0 {\n\t\t\td += 2\n\t\t}\n\t} else if q1*q2 == 0 {\n\t\td--\n\t}\n\treturn d\n}\n"
                        "func equal(load float64) float64 {\n\treturn 0.5 / (0.5 + load)\n}",
        # what is given comes back when it is graded
        "task-6": "%test -test.run=Task6 -test.paniconexit0\nfunc TestTask6(t *testing.T) {}",
        "answer-counterexample": "func counterexample() (gap float64, service jsqlib.PMF) {\n\treturn 0.5, jsqlib.PMF{0, 1}\n}",
    }, [0, 0, 0, 0, 2, 0]),
    # a process that ends with 0 has not passed its test
    "exits": ({
        "answer-predict": 'import "os"\n\nfunc predict() (unusedBatch, unusedJob, low, high float64) {\n\tos.Exit(0)\n\treturn\n}',
        "answer-serve": "func serve(q, a, s []int64) (after, unused []int64) {\n\tdefer os.Exit(0)\n\treturn nil, nil\n}",
        "answer-counterexample": "func counterexample() (gap float64, service jsqlib.PMF) {\n\tgo os.Exit(0)\n\tselect {}\n}",
    }, [0, 0, 2, 2, 2, 0]),
}
SAYS = ["a negative power", "undefined", "as in batch routing", "your code panics", "correct", "at most one job a slot"]


class Nbgrader(unittest.TestCase):
    def setUp(self):  # as in an activated environment: nbgrader looks for alembic on the path
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        patch = unittest.mock.patch.dict(os.environ, PATH=path)
        patch.start()
        self.addCleanup(patch.stop)

    def nbgrader(self, *args):
        done = subprocess.run([sys.executable, "-m", "nbgrader", *args], cwd=self.course, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @helper.long
    def test_from_assignment_to_scores(self):
        self.course = helper.folder(self) / "course"
        self.assertEqual(exercises.main(["course", str(self.course)]), 0)
        self.nbgrader("generate_assignment", NAME)
        released = nbformat.read(self.course / "release" / NAME / f"{NAME}.ipynb", as_version=4)
        committed = nbformat.read(exercises.EXERCISES / f"{NAME}.ipynb", as_version=4)
        self.assertEqual([c.source for c in released.cells], [c.source for c in committed.cells])
        self.assertEqual([c.metadata for c in released.cells], [c.metadata for c in committed.cells])

        for student, (answers, _) in SUBMISSIONS.items():
            book = copy.deepcopy(released)
            if answers is not None:
                for c in source().cells:
                    grade_id = c.metadata.get("nbgrader", {}).get("grade_id", "")
                    if grade_id.startswith("answer-"):
                        cell(book, grade_id).source = c.source
                for grade_id, text in answers.items():
                    cell(book, grade_id).source = text
            path = self.course / "submitted" / student / NAME / f"{NAME}.ipynb"
            path.parent.mkdir(parents=True)
            nbformat.write(book, path)
        self.nbgrader("autograde", NAME)

        with Gradebook(f"sqlite:///{self.course}/gradebook.db", "jsqlab") as gradebook:
            for student, (_, points) in SUBMISSIONS.items():
                grades = {g.name: (g.auto_score, g.max_score) for g in gradebook.find_submission_notebook(NAME, NAME, student).grades}
                most = dict(enumerate(SUBMISSIONS["right"][1], 1))
                self.assertEqual(grades, {f"task-{k}": (p, most[k]) for k, p in enumerate(points, 1)}, student)

        graded = nbformat.read(self.course / "autograded" / "wrong" / NAME / f"{NAME}.ipynb", as_version=4)
        for k, want in enumerate(SAYS, 1):
            c = cell(graded, f"task-{k}")
            self.assertIn(want, "".join(str(o.get("text", o.get("evalue"))) for o in c.outputs), c.source)
        exits = nbformat.read(self.course / "autograded" / "exits" / NAME / f"{NAME}.ipynb", as_version=4)
        for k in (1, 2, 6):
            self.assertIn("unexpected call to os.Exit(0)", "".join(str(o.get("text", o.get("evalue"))) for o in cell(exits, f"task-{k}").outputs))
        empty = nbformat.read(self.course / "autograded" / "empty" / NAME / f"{NAME}.ipynb", as_version=4)
        self.assertIn("this task is not done", nb.stream(cell(empty, "task-2"), "stdout"))

    def test_course_keeps_a_folder_in_use(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "gradebook.db").touch()
            status, says = self.course_says(folder)
            self.assertEqual(status, 2)
            self.assertIn("want a new or empty folder", says)
            self.assertEqual([p.name for p in Path(folder).iterdir()], ["gradebook.db"])

    def course_says(self, folder):
        return helper.said(exercises.main, "course", folder)[::2]

    def test_course_goes_on_where_it_was_killed(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [0]

            def killed(path, text):
                files[0] += 1
                path.parent.mkdir(parents=True, exist_ok=True)
                if files[0] == 3:
                    path.with_name(path.name + ".part").write_text(text[:3000])
                    raise KeyboardInterrupt
                path.write_text(text)

            with unittest.mock.patch.object(program, "write", killed):
                self.assertEqual(self.course_says(folder), (130, "jsqlab: interrupted\n"))
            self.assertEqual(self.course_says(folder), (0, ""))
            made = sorted(p.relative_to(folder) for p in Path(folder).rglob("*") if p.is_file())
            want = [Path("source", p.stem, p.name) for p in exercises.SOLUTIONS.glob("*.ipynb")]
            self.assertEqual(made, sorted([Path("nbgrader_config.py"), *want]))
            edited = Path(folder, "source", NAME, f"{NAME}.ipynb")
            edited.write_text("{}")
            self.assertEqual(self.course_says(folder)[0], 2)
            self.assertEqual(edited.read_text(), "{}")

    def test_course_refuses(self):
        with tempfile.TemporaryDirectory() as folder:
            file, dangling = Path(folder, "file"), Path(folder, "dangling")
            file.touch()
            dangling.symlink_to("nowhere")
            for path in (file, file / "below", dangling, Path(folder, "a" * 300)):
                with self.subTest(path.name[:20]):
                    status, says = self.course_says(path)
                    self.assertEqual(status, 2)
                    self.assertEqual(len(says.splitlines()), 1, says)
            new = Path(folder, "new")
            with unittest.mock.patch.object(exercises, "SOLUTIONS", Path(folder, "none")):
                status, says = self.course_says(new)
                self.assertEqual((status, new.exists()), (1, False))
                self.assertIn("no solutions", says)
            with unittest.mock.patch.object(exercises, "CONFIG", Path(folder, "none.py")):
                status, says = self.course_says(new)
                self.assertEqual((status, new.exists()), (1, False))
                self.assertIn("none.py: no such file", says)


if __name__ == "__main__":
    unittest.main()
