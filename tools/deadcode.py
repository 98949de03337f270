"""Lists the functions that no program, notebook or page reaches, but at most tests: part of make vet. Exit status 1 if there is one.

deadcode knows programs. The cells of each notebook are written as one, under build/_notebooks, a folder that ./... leaves out;
and the explorer of the site is a program for browsers, asked for on its own.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "build" / "_notebooks"
NOTEBOOKS = [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("notebooks/exercises/solutions/*.ipynb")]
BROWSER = {"GOOS": "js", "GOARCH": "wasm"}

# What is kept although no program reaches it, and why: places as path:name, of any characters where a * stands.
KEPT = {
    "jsqlib/internal/near/*": "compares numbers in tests",
    "jsqlib/internal/hostile/*": "calls the library with bad values in tests",
    "jsqlib/wasserstein/*:Wp": "for other orders than 1",
    "jsqlib/wasserstein/*:couple": "as Wp, which needs it",
}


def go(*args, **env):
    """The lines that a command of Go prints."""
    done = subprocess.run(args, cwd=ROOT, env=os.environ | env, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"deadcode: {args[0]} failed")
    return done.stdout.splitlines()


def program(notebook):
    """The Go program that a notebook is: GoNB runs what follows %% in a cell, and the tests that a %test cell declares."""
    imports, cells, run = [], [], []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        source = re.sub(r"(?ms)^import (\(.*?^\)|\S.*?$)", lambda m: imports.append(m[0]) or "", "".join(cell["source"]))
        declared, body, statements = re.sub(r"(?m)^(%\w|!).*", "", source).partition("%%\n")
        if body:
            run.append(f"cell{len(run)}()")
            declared += f"func {run[-1]} {{\n{statements}\n}}\n"
        run += [f"{name}(nil)" for name in re.findall(r"(?m)^func (Test\w+)\(", declared)]
        cells.append(declared)
    return "\n".join(["package main", *imports, *cells, "func main() {", *run, "}"])


def main():
    shutil.rmtree(PROGRAMS, ignore_errors=True)
    folders = [PROGRAMS / str(number) for number in range(len(NOTEBOOKS))]
    for folder, notebook in zip(folders, NOTEBOOKS):
        folder.mkdir(parents=True)
        (folder / "main.go").write_text(program(notebook), encoding="utf-8")
    go("go", "tool", "goimports", "-w", str(PROGRAMS))  # an import that no cell uses is fine for GoNB
    (deadcode,) = go("go", "tool", "-n", "deadcode")
    dead = go(deadcode, "-filter", "^jsqlab/(?:[^b]|bench)", "./...", *folders)
    page = "./site/explorer/wasm"
    used = {os.path.relpath(d, ROOT) for d in go("go", "list", "-deps", "-f", "{{.Dir}}", page, **BROWSER)}
    browser = set(go(deadcode, page, **BROWSER))
    dead = [line for line in dead if os.path.dirname(line) not in used or line in browser]
    found = [line for line in dead if not any(fnmatch(f"{line.split(':')[0]}:{line.split()[-1]}", place) for place in KEPT)]
    for line in found:
        print(line.replace("unreachable func", "nothing but tests reaches"))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
