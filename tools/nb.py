"""Run the notebooks through the real GoNB kernel, check what came out, and compare or render it.

    nb.py run [--compare | --inplace] [--out DIR] [--timeout S] [--jobs N] PATH...
    nb.py lab [JUPYTERLAB OPTION...]

`run` executes a copy of every notebook in PATH (files, or folders with all below them but the exercises that wait for their
answers), checks the copy, and writes it to
DIR/notebooks and as HTML to DIR/html. --compare also holds it against the outputs in the notebook; --inplace writes it back
into the notebook. N notebooks run side by side, by default one a core; what is printed stays in order. Exit status: 0 all is
well, 1 a notebook failed, 2 unusable arguments, a file that is no notebook, or no kernel, 130 interrupted.

A notebook fails when a cell raised an error, when a cell wrote `exit status` or `panic:` to stderr (GoNB lets a failing
shell line pass) or has a command that GoNB does not know, when a code cell did not run, or not to its last line, when the
source of a cell has a control character (a formula whose `\\alpha` was taken for an escape), and when no code cell carries
the tag `assertion`: the cell that fails when the notebook's claim no longer holds.
"""

import asyncio
import copy
import hashlib
import itertools
import json
import os
import re
import signal
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import program
from program import ROOT, write

SIGNALS = [s for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if signal.getsignal(s) != signal.SIG_IGN]  # nohup ignores one
if __name__ == "__main__" and signal.SIGINT in SIGNALS:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a Ctrl-C during the imports below ends this in silence

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
BAD_STDERR = re.compile(r".*(exit status|signal: |panic:|unknown or not implemented|no tests to run).*")
LIMIT = 5 * 10**6  # characters of output of a notebook, ten times what the largest has

# Go runs a cell as a program, and one that leaves early by os.Exit(0) looks like one that came to its end. So the runner lets the
# program of a cell say that it is there. The program of a %test cell says so itself: Go prints PASS after the last test.
END = "jsqlab: the end of the cell\n"
PRINT = f"print({json.dumps(END)})"
BODY = re.compile(r"^(?:%main|%%(?:[ \t]|$))", re.M)
MAIN = re.compile(r"^func main\(\)\s*{", re.M)
TEST = re.compile(r"^%test\b", re.M)

# How a kernel is started. The runner holds the other end of its standard input: once that is closed, and it is when the runner is
# killed, the kernel and all that it started are killed, and their folder $1 is removed.
GUARDED = 'exec 3<&0; (read _ <&3; kill -9 $$; rm -rf "$1"; kill -9 0) & shift; exec "$@" 3<&- </dev/null'


class SetupError(program.Unusable):
    """The kernel cannot be started: nothing is wrong with the notebook."""


class BadNotebook(Exception):
    """The file is no notebook; the text says why, in a line."""


def find(paths):
    """The notebooks in paths, sorted. In a folder named exercises are those that wait for their answers: below it are the solutions."""
    found = set()
    for path in map(Path, paths):
        below = [p for p in path.rglob("*.ipynb") if p.parent.name != "exercises"] if path.is_dir() else [path]
        found.update(p for p in below if ".ipynb_checkpoints" not in p.parts)
    return sorted({p.resolve(): p for p in found}.values())


def read(path):
    """The notebook in a file."""
    invalid = {}
    try:
        nb = nbformat.read(path, as_version=4, capture_validation_error=invalid)
    except (OSError, ValueError, LookupError, AttributeError, TypeError, RecursionError, nbformat.ValidationError) as err:  # nbformat's ways
        raise BadNotebook(f"not a notebook: {' '.join(str(err).split())[:200]}") from err
    for err in invalid.values():
        raise BadNotebook(f"not a notebook: {err.message[:200]}")
    return nb


def code_cells(nb):
    """Pairs (number of the cell in the notebook, cell), for code cells that are not empty."""
    return [(n, c) for n, c in enumerate(nb.cells, 1) if c.cell_type == "code" and c.source.strip()]


def stream(cell, name):
    """All that the cell wrote to stdout or stderr."""
    return "".join(o.text for o in cell.outputs if o.output_type == "stream" and o.name == name)


class Client(NotebookClient):
    """Runs cells, and knows what they wrote and whether they came to their end."""

    def __init__(self, nb, **options):
        super().__init__(nb, **options)
        self.written = 0
        self.flood = asyncio.get_running_loop().create_future()  # the number of the cell that wrote too much
        self.findings = []

    def process_message(self, msg, cell, cell_index):
        self.written += max(1000, len(str(msg["content"])))  # a small piece costs time, too
        if self.written > LIMIT and not self.flood.done():
            self.flood.set_result(cell_index + 1)
        return super().process_message(msg, cell, cell_index)

    async def async_start_new_kernel_client(self):
        await super().async_start_new_kernel_client()
        channel = self.kc.iopub_channel
        receive = channel.get_msg

        async def get_msg(timeout=None):
            await asyncio.sleep(0)  # messages that are there already would be taken without a pause: no deadline, no signal
            return await receive(timeout)

        channel.get_msg = get_msg
        return self.kc

    async def run_cell(self, n, cell):
        """Run the cell, the n-th of the notebook."""
        source = cell.source
        cell.source = f"{source}\n{PRINT}" if BODY.search(source) else MAIN.sub(lambda main: f"{main[0]} defer {PRINT};", source)
        marked = cell.source != source
        try:
            await self.async_execute_cell(cell, n - 1)
        finally:
            cell.source = source
            said = {name: stream(cell, name) for name in ("stdout", "stderr")}  # in one piece, also when the cell was left
            ended = END in said["stderr"]
            said["stderr"] = said["stderr"].replace(END, "")
            pieces = [nbformat.v4.new_output("stream", name=name, text=text) for name, text in said.items() if text]
            cell.outputs = pieces + [out for out in cell.outputs if out.output_type != "stream"]
        if marked and not ended and cell.execution_count:
            self.findings.append(f"cell {n}: ended before its last line")
        elif ASSERTION in cell.metadata.get("tags", []) and not marked and not TEST.search(source):
            self.findings.append(f"cell {n}: an assertion without %%, func main or %test checks nothing")


async def execute(nb, folder, timeout, scratch):
    """Run all cells of nb in place, in a fresh kernel in folder. Returns what went wrong, if anything."""
    connection = Path(scratch, "k")
    client = Client(
        nb,
        kernel_name=KERNELSPEC["name"],
        resources={"metadata": {"path": str(folder)}},
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
    stdin, guard = os.pipe()

    async def cells():
        with open(connection.with_name("log"), "w") as log:
            try:
                client.km.kernel_spec.argv[:0] = ["sh", "-c", GUARDED, "sh", scratch]
                await client.async_start_new_kernel(stdin=stdin, stdout=log, stderr=log, env={**os.environ, "TMPDIR": scratch})
                await client.async_start_new_kernel_client()
            except Exception as err:
                text = Path(log.name).read_text(errors="replace")
                said = re.search(r"^go: .+", text, re.M) or re.search(r"Failed .+", text)
                raise SetupError(f"the Go kernel does not start: {said.group() if said else err}") from err
        for n, cell in code_cells(nb):
            await client.run_cell(n, cell)

    # The cells are a task of their own: it can be left at any moment.
    task = asyncio.ensure_future(cells())
    try:
        await asyncio.wait({task, client.flood}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        if client.flood.done():
            return [f"cell {client.flood.result()}: too much output"]
        if not task.done():
            return [f"took more than {timeout:g} s"]
        task.result()
    except CellExecutionError:
        pass  # check finds it in the cell's outputs
    except CellTimeoutError:
        return ["output of a cell was lost"]
    except DeadKernelError:
        return ["the kernel died"]
    finally:
        task.cancel()
        os.close(stdin)
        os.close(guard)
        if client.km.has_kernel:
            await client.km.shutdown_kernel(now=True)
        if client.kc:
            client.kc.stop_channels()
        await asyncio.gather(task, return_exceptions=True)
    return client.findings


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
        said = stream(cell, "stdout")
        if TEST.search(cell.source) and cell.execution_count and "error" not in [out.output_type for out in cell.outputs]:
            if not said.endswith("PASS\n"):
                findings.append(f"cell {n}: not all of its tests have run")
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


def shown(path):
    """The path as a reader of the output wants it: relative to the repository, where it is inside."""
    path = path.resolve()
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


async def try_one(path, args):
    """Execute, check and write one notebook. Returns where its page is, and what was found."""
    committed = read(path)
    nb = copy.deepcopy(committed)
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    with tempfile.TemporaryDirectory(prefix="jsqlab-", ignore_cleanup_errors=True) as scratch:
        findings = await execute(nb, path.resolve().parent, args.timeout, scratch)
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
    text = nbformat.writes(nb) + "\n"
    write(args.out / "notebooks" / name, text)
    # In another thread, since what a kernel sends meanwhile must be taken, or it is lost.
    page, _ = await asyncio.to_thread(HTMLExporter().from_notebook_node, nb, {"metadata": {"name": path.stem}})
    write(html, page)
    if args.inplace and not findings:
        write(path, text)
    return html, findings


async def run_one(path, args, slots):
    """Try one notebook when there is a slot. Returns its exit status and what to print: one line, and one for each finding."""
    async with slots:
        start = time.monotonic()
        try:
            html, findings = await try_one(path, args)
        except BadNotebook as err:
            return 2, f"FAIL\t{shown(path)}\t{err}"
        except SetupError:
            raise
        except Exception as err:  # whatever it is, the others go on
            return 1, f"FAIL\t{shown(path)}\t{type(err).__name__}: {' '.join(str(err).split())}"
    line = "\t".join(["FAIL" if findings else "ok  ", str(shown(path)), f"{time.monotonic() - start:.1f}s", str(shown(html))])
    return (1 if findings else 0), "\n    ".join([line, *findings])


async def run(args):
    for signum in SIGNALS:
        asyncio.get_running_loop().add_signal_handler(signum, asyncio.current_task().cancel)
    notebooks = find(args.paths)
    missing = [p for p in notebooks if not p.is_file()]
    if missing or not notebooks:
        raise program.Unusable(f"no notebook in {(missing or args.paths)[0]}")
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    slots = asyncio.Semaphore(args.jobs)
    tasks = [asyncio.ensure_future(run_one(path, args, slots)) for path in notebooks]
    statuses = []
    try:
        for task in tasks:
            status, text = await task
            print(text, flush=True)
            statuses.append(status)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    failed = sum(map(bool, statuses))
    print(f"FAIL\t{failed} of {len(notebooks)} notebooks" if failed else f"ok  \t{len(notebooks)} notebooks", flush=True)
    return max(statuses)


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


@program.ends()
def main(argv):
    if argv[:1] == ["lab"]:
        return lab(argv[1:])
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    parser = program.Parser(prog="nb.py")
    parser.add_argument("command", choices=["run", "lab"])
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--out", type=program.folder, default=ROOT / "build", metavar="DIR", help="where to write (build)")
    parser.add_argument("--timeout", type=program.seconds, default=300, metavar="S", help="seconds for one notebook (%(default)s)")
    parser.add_argument("--jobs", type=program.count, default=cores, metavar="N", help="notebooks side by side (one a core)")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--compare", action="store_true", help="hold the outputs against those in the notebook")
    mode.add_argument("--inplace", action="store_true", help="write the outputs back into the notebook")
    return asyncio.run(run(parser.parse_args(argv)))


if __name__ == "__main__":
    program.start(main)
