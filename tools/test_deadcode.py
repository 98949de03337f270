"""Test of how tools/deadcode.py reads a notebook."""

import json
import tempfile
import unittest
from pathlib import Path

import deadcode

CELLS = [
    ("code", "%noautoget"),
    ("code", 'import (\n\t"fmt"\n)\nimport "math"'),
    ("markdown", "%%\nno code"),
    ("code", "func area(r float64) float64 { return math.Pi * r * r }\n\n%%\nfmt.Println(area(1))"),
    ("code", "!ls\n%%\nfmt.Println(2)"),
    ("code", "%test -test.run=Task1\nfunc TestTask1(t *testing.T) { area(2) }"),
]
PROGRAM = """package main import ( "fmt" ) import "math" func area(r float64) float64 { return math.Pi * r * r }
func cell0() { fmt.Println(area(1)) } func cell1() { fmt.Println(2) } func TestTask1(t *testing.T) { area(2) }
func main() { cell0() cell1() TestTask1(nil) }"""


class Program(unittest.TestCase):
    def test_all_that_the_notebook_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            notebook = Path(folder, "x.ipynb")
            cells = [{"cell_type": kind, "source": source.splitlines(keepends=True)} for kind, source in CELLS]
            notebook.write_text(json.dumps({"cells": cells}), encoding="utf-8")
            self.assertEqual(deadcode.program(notebook).split(), PROGRAM.split())


if __name__ == "__main__":
    unittest.main()
