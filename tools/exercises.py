"""Make the student versions of the exercises from their solutions, and an nbgrader course of them.

    exercises.py make             complete the solutions' metadata, and write the student versions
    exercises.py check            say what `make` would change, and what is wrong
    exercises.py course DIR       set up an nbgrader course directory

Each notebook in notebooks/exercises/solutions is the one source of an exercise. What students get, the notebook of the same
name in notebooks/exercises, is what nbgrader's own preprocessors leave of it. notebooks/exercises/AUTHORS.md says how a
solution is written. Exit status: 0 all is well, 1 something is wrong or differs, 2 unusable arguments.
"""

import contextlib
import copy
import re
from pathlib import Path

import nb as runner  # first: it keeps Jupyter inside the virtual environment
import nbformat
import program
from nbgrader.preprocessors import CheckCellMetadata, ClearHiddenTests, ClearOutput, ClearSolutions, ComputeChecksums, LockCells
from traitlets.config.loader import PyFileConfigLoader

EXERCISES = program.ROOT / "notebooks" / "exercises"
SOLUTIONS = EXERCISES / "solutions"
CONFIG = EXERCISES / "nbgrader_config.py"
PREPROCESSORS = [LockCells, ClearSolutions, ClearOutput, CheckCellMetadata, ComputeChecksums, ClearHiddenTests]

KINDS = ["predict", "compute", "prove", "break"]
HEADING = re.compile(rf"^## Task (\d) · ({'|'.join(KINDS)}): .+\n\n\*About (\d+) minutes, (\d) points?\.\*$", re.M)
TOTAL = re.compile(r"^\*About (\d+) minutes, (\d+) points\.\*$", re.M)
RAISES = "raises-exception"  # "Run All" goes on behind a cell with this tag when it fails
HINT = re.compile(r"^<details><summary>.+</summary>\n\n", re.M)
FEEDBACK = re.compile(r"%test -test\.run=Task(\d) -test\.paniconexit0\nfunc TestTask(\d)\(t \*testing\.T\) \{ // (\d) points?\n\tcheck\.Report\(t, check\.\w+\(.+\)\)\n\}")
FUNC = re.compile(r"^func (\w+)", re.M)
MARKER = re.compile(r"### (BEGIN|END) SOLUTION")


def grader(kind, grade_id, points=0):
    """The nbgrader metadata of a cell: an answer, a feedback cell, or one that is given."""
    made = {"grade": kind == "feedback", "grade_id": grade_id, "locked": kind != "answer", "schema_version": 3,
            "solution": kind == "answer", "task": False}
    return {**made, "points": points} if kind == "feedback" else made


def complete(book):
    """Set the metadata of a solution from its text. Returns what is wrong with it."""
    if len(book.cells) < 2:
        return [f"{len(book.cells)} cells: want a text cell, one with %noautoget, and tasks"]
    wrong, points, answers, given, headings = [], {}, 0, 0, {}
    text = "\n".join(cell.source for cell in book.cells if cell.cell_type == "markdown")
    for number, kind, minutes, value in HEADING.findall(text):
        if number in headings:
            wrong.append(f"two headings of task {number}")
        headings[number] = (kind, int(minutes), int(value))
    for n, cell in enumerate(book.cells, 1):
        if cell.cell_type != "code":
            if "## Task" in cell.source and len(HEADING.findall(cell.source)) != 1:
                wrong.append(f"cell {n}: want one heading `## Task 1 · compute: name` and below it `*About 10 minutes, 2 points.*`")
            continue
        for key in ("nbgrader", "deletable", "editable"):
            cell.metadata.pop(key, None)
        cell.metadata["tags"] = []
        markers = MARKER.findall(cell.source)
        if markers != ["BEGIN", "END"] * (len(markers) // 2):
            wrong.append(f"cell {n}: the markers of solutions are {', '.join(markers)}: want each BEGIN before its END")
        if "BEGIN SOLUTION" in cell.source:
            names = FUNC.findall(cell.source)
            if not names or cell.source.startswith("%"):
                wrong.append(f"cell {n}: a solution is in a function of an answer cell")
            else:
                cell.metadata["nbgrader"] = grader("answer", f"answer-{names[0]}")
                answers += 1
        elif cell.source.startswith("%test"):
            match = FEEDBACK.fullmatch(cell.source)
            if not match or match[1] != match[2]:
                wrong.append(f"cell {n}: not of the form of a feedback cell")
                continue
            if match[1] in points:
                wrong.append(f"cell {n}: a second feedback cell of task {match[1]}")
            points[match[1]] = int(match[3])
            cell.metadata["nbgrader"] = grader("feedback", f"task-{match[1]}", points[match[1]])
            cell.metadata["tags"] = [runner.ASSERTION]
        elif not cell.source.startswith("%%"):
            given += 1
            cell.metadata["nbgrader"] = grader("given", f"given-{given}")
    if book.cells[0].cell_type != "markdown" or book.cells[1].source != "%noautoget":
        wrong.append("want a text cell and then one with %noautoget at the top")
    if not 4 <= len(headings) <= 6 or list(headings) != [str(k + 1) for k in range(len(headings))]:
        wrong.append(f"the tasks are {', '.join(headings) or 'none'}: want 1 to 4, 5 or 6 in order")
    if {number: value for number, (_, _, value) in headings.items()} != points:
        wrong.append(f"the points of the headings and of the feedback cells {points} differ")
    if answers < len(points):
        wrong.append(f"{answers} answer cells for {len(points)} tasks")
    total = [tuple(map(int, t)) for t in TOTAL.findall(book.cells[0].source)]
    sums = (sum(m for _, m, _ in headings.values()), sum(points.values()))
    if total != [sums]:
        wrong.append(f"the first cell does not say `*About {sums[0]} minutes, {sums[1]} points.*`")
    if len(HINT.findall(text)) < len(headings):
        wrong.append("fewer hints that unfold than tasks")
    return wrong


def configuration():
    return PyFileConfigLoader(CONFIG.name, str(CONFIG.parent)).load_config()


def source(book):
    """A completed solution as nbgrader takes it: the cells that fail while a task is not done are marked as such.

    The solutions themselves are not marked: there, a failure is one."""
    made = copy.deepcopy(book)
    for cell in made.cells:
        if cell.cell_type == "code" and cell.source.startswith(("%test", "%%")):
            cell.metadata["tags"] = [*cell.metadata["tags"], RAISES]
    return made


def student(book):
    """The student version of a completed solution."""
    made, resources = source(book), {}
    for preprocessor in PREPROCESSORS:
        made, resources = preprocessor(config=configuration()).preprocess(made, resources)
    return made


def leaks(book, made):
    """Lines of the solutions, or outputs, that are left in the student version."""
    found, secret = [], []
    for cell in book.cells:
        inside = False
        for line in cell.source.splitlines():
            if "END SOLUTION" in line:
                inside = False
            if inside and len(line.strip()) > 8 and not line.strip().startswith(("for ", "return nil")):
                secret.append(line.strip())
            inside |= "BEGIN SOLUTION" in line
    text = "\n".join(cell.source for cell in made.cells)
    found += [f"the student version holds the line of a solution {line!r}" for line in secret if line in text]
    found += ["the student version holds a solution's marker" for _ in re.findall("(BEGIN|END) SOLUTION", text)]
    for cell in made.cells:
        if cell.cell_type == "code" and (cell.outputs or cell.execution_count):
            found.append("the student version holds outputs")
    return found


def versions():
    """For each exercise: its name, what is wrong, and the texts of its two notebooks by their paths."""
    for path in sorted(SOLUTIONS.glob("*.ipynb")):
        texts = {}
        try:
            book = runner.read(path)
            wrong = complete(book)
        except runner.BadNotebook as err:
            wrong = [str(err)]
        if not wrong:
            runner.normalise(book)
            with contextlib.redirect_stderr(None):
                made = student(book)
            wrong = leaks(book, made)
            texts = {path: nbformat.writes(book) + "\n", EXERCISES / path.name: nbformat.writes(made) + "\n"}
        yield path.stem, wrong, texts


def make(write):
    status, names = 0, []
    for name, wrong, texts in versions():
        names.append(name)
        wrong = wrong + [f"{runner.shown(p)} is not a file" for p in texts if p.exists() and not p.is_file()]
        stale = [] if wrong else [p for p, text in texts.items() if not p.exists() or p.read_bytes() != text.encode()]
        if write:
            for path in stale:
                program.write(path, texts[path])
        elif stale:
            wrong = [f"{runner.shown(path)} is not what its solution makes: run `make exercises`" for path in stale]
        print("FAIL" if wrong else "ok  ", runner.shown(SOLUTIONS / f"{name}.ipynb"), sep="\t")
        for finding in wrong:
            print(f"    {finding}")
        status |= bool(wrong)
    for path in sorted(EXERCISES.glob("*.ipynb")):
        if path.stem not in names:
            print("FAIL", runner.shown(path), "has no solution", sep="\t")
            status = 1
    return status


def course(folder):
    """An nbgrader course directory: one assignment for each exercise, of its name."""
    solutions = sorted(SOLUTIONS.glob("*.ipynb"))
    if not solutions:
        raise program.Failed(f"{runner.shown(SOLUTIONS)}: no solutions are there")
    try:
        texts = {folder / "source" / p.stem / p.name: nbformat.writes(source(nbformat.read(p, as_version=4))) + "\n" for p in solutions}
        texts[folder / CONFIG.name] = CONFIG.read_text(encoding="utf-8")
        parts = {p.with_name(p.name + ".part") for p in texts}  # what a run that was killed has left goes on here
        for path in [p for p in folder.rglob("*") if not p.is_dir()] if folder.exists() else []:
            if path not in parts and (path not in texts or path.read_bytes() != texts[path].encode()):
                raise program.Unusable(f"course directory {folder}: want a new or empty folder")
        for path, text in texts.items():
            program.write(path, text)
    except OSError as err:
        raise program.Unusable(f"course directory {folder}: {err.strerror}: {err.filename}") from err
    return 0


@program.ends()
def main(argv):
    parser = program.Parser(prog="exercises.py")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("make", help="complete the solutions and write the student versions")
    commands.add_parser("check", help="say what make would change")
    commands.add_parser("course", help="set up an nbgrader course directory").add_argument("folder", type=Path, metavar="DIR")
    args = parser.parse_args(argv)
    if not CONFIG.is_file():
        raise program.Failed(f"{runner.shown(CONFIG)}: no such file")
    return course(args.folder) if args.command == "course" else make(args.command == "make")


if __name__ == "__main__":
    program.start(main)
