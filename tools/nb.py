"""Run the notebooks through the real GoNB kernel, check what came out, and compare or render it.

    nb.py run [--compare | --inplace] [--out DIR] [--timeout S] PATH...
    nb.py lab [JUPYTERLAB OPTION...]

`run` executes a copy of every notebook in PATH (files, or folders with all below them but the exercises that wait for their
answers), checks the copy, and writes it to
DIR/notebooks and as HTML to DIR/html. --compare also holds it against the outputs in the notebook; --inplace writes it back
into the notebook. Exit status: 0 all is well, 1 a notebook failed, 2 unusable arguments or no kernel, 130 interrupted.

A notebook fails when a cell raised an error, when a cell wrote `exit status` or `panic:` to stderr (GoNB lets a failing
shell line pass), when a code cell did not run, when the source of a cell has a control character (a formula whose
`\\alpha` was taken for an escape), and when no code cell carries the tag `assertion`: the cell that fails when the
notebook's claim no longer holds.
"""

import argparse
import asyncio
import copy
import hashlib
import itertools
import math
import os
import re
import signal
import sys
import tempfile
import time
from pathlib import Path

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a Ctrl-C during the imports below ends this in silence

ROOT = Path(__file__).resolve().parent.parent
JUPYTER = ROOT / ".venv" / "share" / "jupyter"

# Everything of Jupyter stays inside the virtual environment; nothing of the user's own Jupyter is read or written.
for name in [name for name in os.environ if name.startswith(("JUPYTER", "IPYTHON"))]:
    del os.environ[name]
os.environ.update(
    JUPYTER_DATA_DIR=str(JUPYTER),
    JUPYTER_CONFIG_DIR=str(ROOT / ".venv" / "etc" / "jupyter"),
    JUPYTER_RUNTIME_DIR=str(JUPYTER / "runtime"),
    IPYTHONDIR=str(ROOT / ".venv" / "etc" / "ipython"),
)

import nbformat  # noqa: E402
from nbclient import NotebookClient  # noqa: E402
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError  # noqa: E402
from nbconvert import HTMLExporter  # noqa: E402
from traitlets.config import Config  # noqa: E402

KERNELSPEC = {"display_name": "Go (gonb)", "language": "go", "name": "gonb"}
LANGUAGE = {"name": "go", "pygments_lexer": "go"}
ORDER = ["stdout", "stderr", "display_data", "execute_result", "error"]
ASSERTION = "assertion"
SLIDERS = "JSQLAB_SLIDERS"  # widgets wait for a browser: only lab switches them on, and a run never has them
os.environ.pop(SLIDERS, None)
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")  # all but tab and newline
BAD_STDERR = re.compile(r".*(exit status|panic:).*")


class SetupError(Exception):
    """The kernel cannot be started: nothing is wrong with the notebook."""


def find(paths):
    """The notebooks in paths, sorted. In a folder named exercises are those that wait for their answers: below it are the solutions."""
    found = set()
    for path in map(Path, paths):
        below = [p for p in path.rglob("*.ipynb") if p.parent.name != "exercises"] if path.is_dir() else [path]
        found.update(p for p in below if ".ipynb_checkpoints" not in p.parts)
    return sorted(found)


def code_cells(nb):
    """Pairs (number of the cell in the notebook, cell), for code cells that are not empty."""
    return [(n, c) for n, c in enumerate(nb.cells, 1) if c.cell_type == "code" and c.source.strip()]


def stream(cell, name):
    """All that the cell wrote to stdout or stderr."""
    return "".join(o.text for o in cell.outputs if o.output_type == "stream" and o.name == name)


class Stop:
    """Ends what runs, and all that would follow, on the first Ctrl-C, TERM or HUP."""

    def __init__(self):
        self.called = False
        self.task = None
        for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(signum, self)

    def __call__(self):
        self.called = True
        if self.task:
            self.task.cancel()

    async def check(self):
        await asyncio.sleep(0.001)  # lets a signal in
        if self.called:
            raise KeyboardInterrupt


async def execute(nb, folder, timeout, scratch, stop):
    """Run all cells of nb in place, in a fresh kernel in folder. Returns what went wrong, if anything."""
    deadline = time.monotonic() + timeout
    connection = Path(tempfile.mkdtemp(dir=scratch), "k")
    client = NotebookClient(
        nb,
        kernel_name=KERNELSPEC["name"],
        resources={"metadata": {"path": str(folder)}},
        timeout_func=lambda cell: max(1, math.ceil(deadline - time.monotonic())),
        iopub_timeout=30,
        raise_on_iopub_timeout=True,
        record_timing=False,
        coalesce_streams=True,  # how gonb's pipes are cut into messages is chance
        # Sockets in the scratch folder: no ports, so nothing to collide with and no network needed. Their paths must be short.
        config=Config(KernelManager={
            "transport": "ipc" if len(str(connection)) < 90 else "tcp", "connection_file": str(connection),
        }),
    )
    client.log.disabled = True  # what it logs, it also raises
    client.create_kernel_manager()

    async def cells():
        with open(connection.with_name("log"), "w") as log:
            try:
                await client.async_start_new_kernel(stdout=log, stderr=log, env={**os.environ, "TMPDIR": scratch})
                await client.async_start_new_kernel_client()
            except Exception as err:
                text = Path(log.name).read_text(errors="replace")
                said = re.search(r"^go: .+", text, re.M) or re.search(r"Failed .+", text)
                raise SetupError(f"the Go kernel does not start: {said.group() if said else err}") from err
        for index, cell in enumerate(nb.cells):
            await client.async_execute_cell(cell, index)

    # The cells are a task of their own: it can be cancelled at any moment, and the kernel is killed outside it.
    stop.task = asyncio.ensure_future(cells())
    try:
        await stop.task
    except CellExecutionError:
        pass  # check finds it in the cell's outputs
    except CellTimeoutError:
        return [f"took more than {timeout:g} s" if time.monotonic() >= deadline else "output of a cell was lost"]
    except (DeadKernelError, asyncio.CancelledError):
        await stop.check()
        return ["the kernel died"]
    finally:
        if client.km and client.km.has_kernel:
            await client.km.shutdown_kernel(now=True)
        if client.kc:
            client.kc.stop_channels()
    return []


def check(nb):
    """What is wrong with an executed notebook: one line each, empty when nothing is."""
    findings = []
    not_run = []
    for n, cell in enumerate(nb.cells, 1):
        bad = CONTROL.search(cell.source)
        if bad:
            findings.append(f"cell {n}: control character {bad.group()!r} in the source")
    for n, cell in code_cells(nb):
        if cell.execution_count is None:
            not_run.append(str(n))
        for out in cell.outputs:
            if out.output_type == "error":
                lines = [line for line in out.evalue.splitlines() if line.strip() and not line.startswith("# ")]
                findings.append(f"cell {n}: error: {lines[0] if lines else out.ename}")
        bad = BAD_STDERR.search(stream(cell, "stderr"))
        if bad:
            findings.append(f"cell {n}: stderr: {bad.group()}")
    if not_run:
        findings.append(f"cell {', '.join(not_run)}: did not run")
    if not any(ASSERTION in cell.metadata.get("tags", []) for _, cell in code_cells(nb)):
        findings.append(f"no code cell with the tag {ASSERTION!r}")
    return findings


def compare(nb, committed):
    """Where the outputs of nb differ from the committed ones: text exactly, other outputs by their kinds."""
    findings = []
    for (n, new), (_, old) in zip(code_cells(nb), code_cells(committed)):
        for what, view in VIEWS.items():
            got, want = view(new), view(old)
            if got != want:
                pairs = itertools.zip_longest(got, want, fillvalue=None)
                got, want = next((g, w) for g, w in pairs if g != w)
                findings.append(f"cell {n}: {what}: got {got!r}, committed {want!r}")
    return findings


def rich(cell):
    return [o.data for o in cell.outputs if o.output_type in ("display_data", "execute_result")]


TEXT = ["text/plain", "text/markdown", "text/latex"]
VIEWS = {
    "stdout": lambda cell: stream(cell, "stdout").splitlines(),
    "stderr": lambda cell: stream(cell, "stderr").splitlines(),
    "text": lambda cell: [data[mime] for data in rich(cell) for mime in TEXT if mime in data],
    "kinds of output": lambda cell: [sorted(data) for data in rich(cell)],
}


def normalise(nb):
    """Leave nothing in nb that depends on the machine, the time or the editor."""
    nb.nbformat, nb.nbformat_minor = 4, 5
    nb.metadata.update(kernelspec=KERNELSPEC, language_info=LANGUAGE)
    nb.metadata.pop("widgets", None)
    seen = set()
    for cell in nb.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":  # text and figures reach us by different ways: their order is chance
            cell.outputs.sort(key=lambda out: ORDER.index(out.get("name", out.output_type)))
        for salt in itertools.count():
            text = f"{cell.cell_type}\0{cell.source}\0{salt or ''}"
            cell.id = hashlib.sha256(text.encode()).hexdigest()[:8]
            if cell.id not in seen:
                break
        seen.add(cell.id)


def machine_paths(nb, scratch):
    """Outputs that name this machine's folders; these must not be committed."""
    text = nbformat.writes(nb)
    return [f"an output names the folder {path}" for path in (str(ROOT), scratch) if path in text]


def write(path, text):
    """Write the file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def shown(path):
    """The path as a reader of the output wants it: relative to the repository, where it is inside."""
    path = path.resolve()
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


async def run_one(path, args, scratch, stop):
    """Execute, check and write one notebook; print one line and what was found. Returns whether all is well."""
    start = time.monotonic()
    try:
        committed = nbformat.read(path, as_version=4)
    except nbformat.reader.NotJSONError:
        print("FAIL", shown(path), "not a notebook", sep="\t", flush=True)
        return False
    nb = copy.deepcopy(committed)
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    findings = await execute(nb, path.resolve().parent, args.timeout, scratch, stop)
    normalise(nb)
    findings += check(nb)
    if args.compare and not findings:
        findings = compare(nb, committed)
    if args.inplace and not findings:
        findings = machine_paths(nb, scratch)

    name = shown(path)
    if name.parts[0] in ("notebooks", "/"):
        name = Path(*name.parts[1:])
    html = args.out / "html" / name.with_suffix(".html")
    write(args.out / "notebooks" / name, nbformat.writes(nb) + "\n")
    write(html, HTMLExporter().from_notebook_node(nb, {"metadata": {"name": path.stem}})[0])
    if args.inplace and not findings:
        write(path, nbformat.writes(nb) + "\n")

    print("FAIL" if findings else "ok  ", shown(path), f"{time.monotonic() - start:.1f}s", shown(html), sep="\t", flush=True)
    for finding in findings:
        print(f"    {finding}", flush=True)
    await stop.check()
    return not findings


async def run(args):
    notebooks = find(args.paths)
    missing = [p for p in notebooks if not p.is_file()]
    if missing or not notebooks:
        print(f"jsqlab: no notebook in {(missing or args.paths)[0]}", file=sys.stderr)
        return 2
    stop = Stop()
    with tempfile.TemporaryDirectory(prefix="jsqlab-", ignore_cleanup_errors=True) as scratch:
        failed = [path for path in notebooks if not await run_one(path, args, scratch, stop)]
    print(f"FAIL\t{len(failed)} of {len(notebooks)} notebooks" if failed else f"ok  \t{len(notebooks)} notebooks", flush=True)
    return 1 if failed else 0


def lab(options):
    """Become JupyterLab on notebooks/, with the GoNB kernel only, silent towards the network, and with live sliders.

    It listens on loopback only, unless options say otherwise."""
    os.environ[SLIDERS] = "on"
    defaults = [
        "--ServerApp.ip=127.0.0.1", f"--ServerApp.root_dir={ROOT / 'notebooks'}",
        "--KernelSpecManager.allowed_kernelspecs=gonb", "--KernelSpecManager.ensure_native_kernel=False",
        "--MultiKernelManager.default_kernel_name=gonb", "--LabApp.extension_manager=readonly", "--LabApp.news_url=",
        "--LabApp.check_for_updates_class=jupyterlab.handlers.announcements.NeverCheckForUpdate",
        "--LanguageServerManager.autodetect=False",
    ]
    given = {option.partition("=")[0] for option in options}  # JupyterLab takes no option twice
    defaults = [option for option in defaults if option.partition("=")[0] not in given]
    os.execv(sys.executable, [sys.executable, "-m", "jupyterlab", *defaults, *options])


def main(argv):
    if argv[:1] == ["lab"]:
        return lab(argv[1:])
    parser = argparse.ArgumentParser(prog="nb.py", allow_abbrev=False)
    parser.add_argument("command", choices=["run", "lab"])
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--out", type=Path, default=ROOT / "build")
    parser.add_argument("--timeout", type=float, default=300, metavar="S", help="seconds for one notebook (%(default)s)")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--compare", action="store_true", help="hold the outputs against those in the notebook")
    mode.add_argument("--inplace", action="store_true", help="write the outputs back into the notebook")
    try:
        return asyncio.run(run(parser.parse_args(argv)))
    except SetupError as err:
        print(f"jsqlab: {err}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("jsqlab: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
