"""Measure jsqlib beside other programs on this machine, one after the other in turn, and write data/bench.csv and bench/results.md.

    bench.py [--quick] [--only GROUP,...] [--notebooks] [--out DIR]

Every measurement is a process of its own that does one piece of work and says how much CPU time it took. What is measured is kept in
build/bench, and an interrupted run goes on from there; the tables are written at the end, whole. --quick does a hundredth of the work, for
tests of this program. With --quick, --only or --out the tables go to DIR (build/bench/out). --notebooks times make reproduce's notebooks too.
Exit status: 0 done and all answers agree, 1 a measurement failed or answers disagree, 2 something is missing, 130 interrupted.
"""

import contextlib
import csv
import hashlib
import importlib.metadata
import io
import json
import math
import os
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
import program  # noqa: E402
from program import ROOT  # noqa: E402

BUILD = ROOT / "build" / "bench"
COLUMNS = [
    "group", "case", "tool", "version", "repeats", "work", "unit", "seconds_median", "seconds_low", "seconds_high", "rate_median", "rate_low", "rate_high",
    "ratio_median", "ratio_low", "ratio_high", "memory_mb", "machine", "note",
]
OURS = "jsqlib"
GROUPS = ["ct", "dt", "exact", "w1", "workers", "commands", "estimators", "distance", "cost"]
LOOPS = {"ct": "ct.c", "ct-pcg": "ct.c", "dt": "dt.c"}  # in C: program, source
# How many standard errors of both together two means may be apart: with the few repeats behind them, one comparison in some thousand exceeds it.
APART = 6
NORMAL95 = 1.959963984540054


@dataclass
class Tool:
    """A program in a case: the command that does the work, given the number of the repeat from 1 on."""

    name: str
    package: str  # whose version is shown
    command: Callable[[int], list]
    sampled: bool = True  # its answer is random: hold it against others by its spread
    tolerance: float = 0.0  # otherwise: how far relative to the answer of jsqlib it may be
    note: str = ""
    threads: int = 1
    env: dict = field(default_factory=dict)


@dataclass
class Case:
    group: str
    name: str
    unit: str
    tools: list
    repeats: int = 7
    warm: bool = True  # one more repeat before, which does not count
    clock: str = "cpu"  # or wall, where more than one thread works
    reference: str = OURS  # whose answer and speed the others are held against


def run(command, env=None):
    """Run a command to its end and return its standard output. It is killed, with all that it started, when this program is stopped."""
    command = list(map(str, command))
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                          start_new_session=True, env={**os.environ, **(env or {})}) as process:
        try:
            out, err = process.communicate()
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode:
        why = (err.strip().splitlines() or [f"exit status {process.returncode}"])[-1]
        raise program.Failed(f"{' '.join(command)}: {why}")
    return out


class Machine:
    """The programs, their versions, and the measurements kept from an interrupted run."""

    def __init__(self, quick):
        BUILD.mkdir(parents=True, exist_ok=True)
        self.cc = os.environ.get("CC", "cc")
        if not shutil.which(self.cc.split()[0]):
            raise program.Unusable(f"no C compiler found ({self.cc}): install gcc or set CC")
        say("building jsqbench, jsq and the C loops")
        for name, path in (("jsqbench", "./bench/jsqbench"), ("jsq", "./cmd/jsq"), ("figure", "./bench/figure")):
            run(["go", "build", "-trimpath", "-buildvcs=false", "-o", str(BUILD / name), path])
        for name, source in LOOPS.items():
            run([*self.cc.split(), "-O3", "-march=native", *(["-DPCG"] if name.endswith("pcg") else []), "-o", BUILD / name, HERE / source, "-lm"])
        self.versions = {
            OURS: json.loads(run([BUILD / "jsq", "version", "--json"]))["version"],
            "cc": run([*self.cc.split(), "--version"]).splitlines()[0].strip() + " -O3 -march=native",
        }
        for package in ("simpy", "ciw", "numpy", "scipy", "pot", "line-solver"):
            with contextlib.suppress(importlib.metadata.PackageNotFoundError):
                self.versions[package] = importlib.metadata.version(package)
        self.model = processor()
        parts = [(BUILD / name).read_bytes() for name in ("jsqbench", "jsq", *LOOPS)]
        parts += [(HERE / name).read_bytes() for name in ("bench.py", "peers.py")] + [json.dumps([self.versions, self.model, quick]).encode()]
        key = hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()[:12]
        self.store = BUILD / f"measured-{key}.jsonl"
        self.kept = {}
        if self.store.exists():
            for text in self.store.read_text().splitlines():
                with contextlib.suppress(json.JSONDecodeError):  # a line that was being written
                    line = json.loads(text)
                    self.kept[line["id"]] = line["result"]
            say(f"going on after {len(self.kept)} measurements that are there")

    def measure(self, case, tool, repeat):
        """One measurement, or the one kept from an interrupted run: work, seconds, value, memory and more."""
        name = f"{case.group} | {case.name} | {tool.name} | {repeat}"
        if name in self.kept:
            return self.kept[name]
        command = tool.command(repeat)
        env = {"GOMAXPROCS": str(tool.threads), **tool.env} if tool.threads else tool.env
        begin = time.monotonic()
        out = run(command, env)
        wall = time.monotonic() - begin
        if Path(command[0]).name in LOOPS:
            cpu, work, value, *_ = map(float, out.split())
            result = {"work": work, "cpu": cpu, "value": value, "memory": 0}
        elif case.group == "commands":
            result = {"work": 1, "cpu": wall, "value": 0, "memory": 0}
        else:
            result = json.loads(out)
        result.setdefault("wall", wall)
        if case.group == "commands":
            result["wall"] = wall
        self.kept[name] = result
        with open(self.store, "a") as f:
            f.write(json.dumps({"id": name, "result": result}) + "\n")
        return result

    def forget(self):
        self.store.unlink(missing_ok=True)


def processor():
    """What the processor calls itself, and how many there are."""
    name = ""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                name = line.split(":", 1)[1].strip()
                break
    if not name and sys.platform == "darwin":
        with contextlib.suppress(program.Failed, OSError):
            name = run(["sysctl", "-n", "machdep.cpu.brand_string"]).strip()
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{name or platform.machine()}, {count} core{'s' if count != 1 else ''}, {platform.system()}"


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def spread(values):
    """Median, least and greatest."""
    return statistics.median(values), min(values), max(values)


def mean(values):
    """Mean and its standard error."""
    return statistics.fmean(values), (statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0)


def agreement(tool, values, reference):
    """What the answers are and whether they agree with those of the reference: (text, agrees)."""
    if tool.sampled:
        value, error = mean(values)
        want, other = mean(reference)
        apart = abs(value - want) / math.hypot(error, other) if error or other else 0.0
        return f"answer {value:.5g} +- {NORMAL95 * error:.2g}, {apart:.1f} standard errors from jsqlib's", apart <= APART
    off = max(abs(value / want - 1) for value, want in zip(values, reference))
    return f"answer {values[0]:.10g}, {off:.0e} off jsqlib's", off <= tool.tolerance


def measure_case(machine, case, steps, bad):
    """All repeats of a case, its programs in turn; returns its rows and the results of every tool."""
    tools = [t for t in case.tools if t.package in machine.versions]
    results = {t.name: [] for t in tools}
    for repeat in range(0 if case.warm else 1, case.repeats + 1):
        for tool in tools:
            r = machine.measure(case, tool, repeat)
            steps.tick(f"{case.group}, {case.name}: {tool.name}" + (f", {r['work'] / r[case.clock]:.3g} {case.unit}/s" if r["work"] and r[case.clock] else ""))
            if repeat:
                results[tool.name].append(r)
    rows = []
    for tool in tools:
        mine, theirs = results[tool.name], results[case.reference]
        note = tool.note
        if tool.name != case.reference and any(r["value"] for r in theirs):
            text, agrees = agreement(tool, [r["value"] for r in mine], [r["value"] for r in theirs])
            note = "; ".join(filter(None, [note, text]))
            if not agrees:
                bad.append(f"{case.group}, {case.name}: {tool.name}: {text}")
        elif tool.name == case.reference and any(r["value"] for r in mine):
            value, error = mean([r["value"] for r in mine])
            note = "; ".join(filter(None, [note, f"answer {value:.5g} +- {NORMAL95 * error:.2g}" if tool.sampled else f"answer {mine[0]['value']:.10g}"]))
        row = {"group": case.group, "case": case.name, "tool": tool.name, "version": machine.versions[tool.package], "repeats": len(mine),
               "unit": case.unit, "machine": machine.model, "note": note}
        fill(row, [r["work"] for r in mine], [r[case.clock] for r in mine], mine)
        if tool.name != case.reference:
            rates = [[r["work"] / r[case.clock] for r in x] for x in (theirs, mine)]
            ratio = [a / b for a, b in zip(*rates)]
            if case.group == "workers":
                ratio = [1 / x for x in ratio]
            row.update(zip(("ratio_median", "ratio_low", "ratio_high"), spread(ratio)))
        rows.append(row)
    return rows, results


def fill(row, work, seconds, results):
    row["work"] = statistics.median(work)
    row.update(zip(("seconds_median", "seconds_low", "seconds_high"), spread(seconds)))
    row.update(zip(("rate_median", "rate_low", "rate_high"), spread([w / s for w, s in zip(work, seconds)])))
    if memory := [r["memory"] for r in results if r.get("memory")]:
        row["memory_mb"] = max(memory)


class Steps:
    """Progress lines, each with its place in the whole."""

    def __init__(self, count):
        self.count, self.done = count, 0

    def tick(self, text):
        self.done += 1
        say(f"[{self.done}/{self.count}] {text}")


def ours(kind, *args, seeded=True):
    return lambda repeat: [BUILD / "jsqbench", kind, *args, *(["--seed", 1 + repeat] if seeded else [])]


def peer(kind, *args, seeded=True):
    return lambda repeat: [sys.executable, HERE / "peers.py", kind, *args, *(["--seed", 101 + repeat] if seeded else [])]


def c(name, *args):
    return lambda repeat: [BUILD / name, *args, 201 + repeat]


def ct_cases(share):
    """(a) Continuous time: events a second of plain simulation."""
    load, cases = 0.95, []
    for n in (10, 100, 1000):
        warm = 8000 / n + 10  # five relaxation times of the total, 1600/N, and ten services
        events = 1.9 * n  # in a unit of time
        steps = int(1.5e8 * share)
        peers = [
            Tool(OURS, OURS, ours("ct", "--servers", n, "--load", load, "--steps", int(2e8 * share))),
            Tool("C, the same generator", "cc", c("ct-pcg", n, load, steps, steps // 5), note="O(1) and one random word a step, PCG-DXSM"),
            Tool("C, a faster generator", "cc", c("ct", n, load, steps, steps // 5), note="O(1) and one random word a step, xoshiro256++"),
            Tool("SimPy", "simpy", peer("simpy", "--servers", n, "--load", load, "--warm", warm, "--time", warm + 8e5 * share / events),
                 note="a process for each server"),
            Tool("SimPy, Resource", "simpy", peer("simpy-resource", "--servers", n, "--load", load, "--warm", warm, "--time", warm + 3e5 * share / events),
                 note="a process for each job, a Resource for each server"),
        ]
        if n < 1000:
            peers.append(Tool("Ciw", "ciw", peer("ciw", "--servers", n, "--load", load, "--warm", warm, "--time", warm + {10: 1.2e5, 100: 2e4}[n] * share / events),
                              note="LoadBalancing router"))
        cases.append(Case("continuous time", f"N = {n}, load {load}", "events", peers))
    # Ciw takes too long at N = 1000 to become stationary: the mean over a short time from empty queues is compared in its place
    horizon = 4 if share == 1 else 0.05
    cases.append(Case("continuous time", f"N = 1000, load {load}, from empty", "events", [
        Tool(OURS, OURS, ours("ct", "--servers", 1000, "--load", load, "--steps", int(2e8 * share), "--time", horizon, "--reps", 20),
             note=f"speed as above; the answer is the mean total over time 0 to {horizon} from empty queues, over paths"),
        Tool("Ciw", "ciw", peer("ciw", "--servers", 1000, "--load", load, "--time", horizon), note=f"LoadBalancing router, time 0 to {horizon}"),
    ], repeats=3, warm=False))
    return cases


def dt_cases(share):
    """(b) Discrete time, batch routing: slots a second of plain simulation."""
    gap, cases = 0.05, []
    sizes = {10: (1.2e8, 2e7, 1000, 6000), 32: (8e7, 2e7, 400, 6000), 100: (4e7, 1.6e7, 100, 9000), 1000: (5e6, 4e6, 10, 18000)}
    for n, (amount, slots, runs, length) in sizes.items():
        warm = 5 * (n + 10) + int(8000 / n)
        cases.append(Case("discrete time, batch", f"N = {n}, load {1 - gap}", "slots", [
            Tool(OURS, OURS, ours("dt", "--servers", n, "--gap", gap, "--slots", int(amount * share))),
            Tool("C", "cc", c("dt", n, gap, int(slots * share) + 2 * warm, warm), note="all N queues in every slot, vectorised by the compiler"),
            Tool("NumPy", "numpy", peer("numpy", "--servers", n, "--gap", gap, "--runs", runs, "--slots", warm + max(int(length * share), n + 1), "--warm", warm),
                 note=f"{runs} replications side by side"),
        ]))
    return cases


def exact_cases(share):
    """(c) Continuous time: the stationary law of a few servers, solved."""
    quick, cases = share < 1, []
    for n, load, top, wide, cutoff in ((2, 0.9, 110, 16, 60), (3, 0.7, 40, 12, 18), (4, 0.9, 55, 12, 0), (6, 0.9, 36, 8, 0), (8, 0.9, 26, 6, 0)):
        if quick and n > 3:
            continue
        reps = {2: 200, 3: 200, 4: 50, 6: 8, 8: 3}[n]
        tools = [Tool(OURS, OURS, ours("exact", "--servers", n, "--load", load, "--reps", 2 if quick else reps, seeded=False), sampled=False,
                      note="9 digits of E Q~")]
        for method, name, many in (("direct", "SciPy spsolve", {2: 50, 3: 20, 4: 5}.get(n, 1)), ("gmres", "SciPy GMRES", {2: 20, 3: 5, 4: 2}.get(n, 1))):
            tools.append(Tool(name, "scipy", peer("scipy", "--method", method, "--servers", n, "--load", load, "--top", top, "--spread", wide,
                                                  "--reps", 1 if quick else many, seeded=False), sampled=False, tolerance=1e-4,
                              note=f"shortest queue <= {top}, spread <= {wide}"))
        if cutoff:
            tools.append(Tool("LINE", "line-solver", peer("line", "--servers", n, "--load", load, "--top", 10 if quick else cutoff, seeded=False), sampled=False,
                              tolerance=0.6 if quick else 0.02, note=f"SolverCTMC, cutoff {10 if quick else cutoff}"))
        cases.append(Case("stationary law", f"N = {n}, load {load}", "solutions", tools, repeats=5))
    return cases


def w1_cases(share):
    """(d) W1 of two samples. Their files are written here: making them is not measured."""
    cases = []
    for n in (10**4, 10**5, 10**6, 10**7):
        if n * share < 1000:
            continue
        points = int(n * share)
        x, y = (BUILD / f"{name}-{points}.f64" for name in "xy")
        if not (x.exists() and y.exists()):
            run(peer("samples", "--slots", points, "--x", x, "--y", y, seeded=False)(1))
        reps = max(1, int(4e6 // n))
        files = ("--x", x, "--y", y)
        cases.append(Case("W1 of two samples", f"{points:.0e} points each".replace("e+0", "e"), "points", [
            Tool(OURS, OURS, ours("w1", *files, "--reps", 5 * reps if n < 10**7 else 1, seeded=False), sampled=False),
            *(Tool(name, package, peer("w1", "--method", method, *files, "--reps", reps, seeded=False), sampled=False, tolerance=1e-8, note=note)
              for name, package, method, note in (("SciPy", "scipy", "scipy", "scipy.stats.wasserstein_distance"), ("POT wasserstein_1d", "pot", "pot", ""),
                                                  ("POT emd2_1d", "pot", "emd", "")))
        ], repeats=5 if n < 10**7 else 3))
    return cases


def worker_cases(share):
    """Two workers against one, on the wall clock."""
    rel = 0.0025 if share == 1 else 0.05
    tools = [Tool(f"{k} worker{'s' if k > 1 else ''}", OURS, ours("distance", "--servers", 100, "--alpha", 4.5, "--rel-error", rel, "--workers", k), threads=k)
             for k in (1, 2)]
    for tool in tools:  # the same seeds: the same bits
        tool.sampled = False
    return [Case("workers", f"W1 at N = 100, alpha = 4.5, to {100 * rel:g} %", "slots", tools, repeats=7, clock="wall", reference="1 worker")]


def command_cases(share, notebooks):
    """Whole commands, on the wall clock and all cores."""
    jsq, cases = BUILD / "jsq", []
    table = [
        ("jsq distance --servers 100 --alpha 4.5 --rel-error 0.01", 5, 5), ("jsq exact --model ct --servers 12 --load 0.999", 5, 5),
        ("jsq distance --servers 1000 --alpha 4.5 --rel-error 0.01", 5, 3), ("jsq distance --model ct --servers 10000 --alpha 4.5 --rel-error 0.001", 10, 3),
        ("jsq distance --servers 10000 --alpha 4.5 --rel-error 0.01", 90, 1), ("jsq distance --model ct --servers 100000 --alpha 4.5 --rel-error 0.005", 60, 1),
    ]
    for text, target, repeats in table[: None if share == 1 else 1]:
        cases.append(Case("commands", text, "runs", [Tool(OURS, OURS, lambda _, text=text: [jsq, *text.split()[1:]], threads=0, note=f"want < {target} s")], repeats, False, "wall"))
    if notebooks:
        command = [ROOT / ".venv" / "bin" / "python", ROOT / "tools" / "nb.py", "run", "--out", BUILD / "notebooks", "notebooks"]
        cases.append(Case("commands", "all notebooks, run and rendered", "runs", [Tool(OURS, OURS, lambda _: command, threads=0, note="want < 240 s")], 1, False, "wall"))
    return cases


def estimator_cases(share):
    """The estimators of the boundary law, by turns: answers per CPU second, which is one over variance times time. Where an answer of the slower one
    would take minutes, the error it runs to is larger than the one wanted."""
    plan = [  # model, N, alpha, errors to which Climb and plain simulation run
        ("W1 to 1 %, estimators", "w1", 0.01, [
            ("ct", 32, 4.5, 0.01, 0), ("ct", 256, 4.5, 0.01, 0), ("ct", 1000, 4.5, 0.05, 0), ("batch", 64, 4.5, 0.01, 0), ("batch", 100, 4.5, 0.01, 0),
            ("batch", 300, 4.5, 0.02, 0), ("job", 128, 4.5, 0.01, 0)]),
        ("E Q~ to 0.1 %, estimators", "qtilde", 0.001, [
            ("ct", 32, 1.5, 0.01, 0.02), ("ct", 100, 4.5, 0.01, 0), ("ct", 1000, 4.5, 0.05, 0), ("batch", 100, 4.5, 0.01, 0), ("job", 256, 4.5, 0.01, 0)]),
    ]
    cases = []
    for group, of, want, points in plan:
        for kind, n, alpha, climb, direct in points:
            if share < 1 and n > 64:
                continue
            words = ("answers", "--servers", n, "--alpha", alpha, "--of", of, "--want", want, *(("--model", "ct") if kind == "ct" else ("--routing", kind)))
            errors = {"balance": want, "climb": climb, "direct": direct}
            tools = [Tool(OURS if name == "balance" else name, OURS, ours(*words, "--estimator", name, "--rel-error", max(error, 0.05) if share < 1 else error),
                          note=f"{name}, run to {100 * error:g} %" if name != "direct" else "direct simulation") for name, error in errors.items() if error]
            cases.append(Case(group, f"{kind}, N = {n}, alpha = {alpha}", "answers", tools, 3, False))
    return cases


def boundary(n, alpha, rel, model="dt"):
    return Tool(OURS, OURS, ours("distance", "--servers", n, "--alpha", alpha, "--rel-error", rel, "--model", model), note="boundary estimator")


def distance_rows(machine, share, steps, plan):
    """(e) The slots to W1 within 1 %: the boundary estimator against plain simulation, which is given E Z to the same width and no more."""
    rows = []
    for n, alpha in plan:
        rel = 0.01 if share == 1 else 0.05
        case = Case("W1 to 1 %", f"N = {n}, alpha = {alpha}", "slots", [boundary(n, alpha, rel)], 3, False)
        new, results = measure_case(machine, case, steps, [])
        mine = results[OURS]
        w1, law = (statistics.median(r[key] for r in mine) for key in ("w1", "law"))
        relative = rel * w1 / (0.5 + w1)  # of E Z = m + W1, nearly
        warm = 8 * 32 * 2 * float(n) ** (2 * alpha - 1)  # eight relaxation times of 32 replications
        if max(law, warm) <= 3e8 * share:
            how = "measured"
            args = ("--rel-error", relative)
        elif warm <= 3e8 * share:
            how = "from the variance of a shorter run"
            args = ("--slots", int(3e8 * share))
        else:
            how = "by the law of the diffusion limit"
            args = None
        if args:
            direct = Tool("direct simulation", OURS, ours("dt", "--servers", n, "--alpha", alpha, *args))
            r = machine.measure(case, direct, 1)
            rate = r["work"] / r["cpu"]
            slots = r["work"]
            half = relative * r["value"]
            if how != "measured":
                slots = max(r["counted"] * (NORMAL95 * r["stderr"] / half) ** 2, 1)
            note = f"slots {how}; the law of the diffusion limit has {law:.2g}; E Z = m + {r['value'] / n**alpha - 0.5:.4g} +- {NORMAL95 * r['stderr'] / n**alpha:.2g}"
        else:
            speed = Case("W1 to 1 %", f"speed at N = {n}", "slots", [], 1, False)
            r = machine.measure(speed, Tool("direct simulation", OURS, ours("dt", "--servers", n, "--gap", 0.05, "--slots", int(1e7 * share))), 1)
            rate, slots, note = r["work"] / r["cpu"], law, f"slots {how}"
        steps.tick(f"W1 to 1 %, N = {n}, alpha = {alpha}: direct simulation, {slots:.3g} slots {how}")
        new[0]["note"] = f"W1 = {w1:.4g}"
        ratio = [slots / r["work"] for r in mine]
        row = {"group": case.group, "case": case.name, "tool": "direct simulation", "version": machine.versions[OURS], "repeats": 1, "unit": "slots",
               "work": slots, "seconds_median": slots / rate, "rate_median": rate, "machine": machine.model, "note": note}
        row.update(zip(("ratio_median", "ratio_low", "ratio_high"), spread(ratio)))
        rows += [*new, row]
    return rows


def fit(x, y):
    """Slope of y over x by least squares, with its 95 % half width from the scatter about the line."""
    n, mx, my = len(x), statistics.fmean(x), statistics.fmean(y)
    sxx = sum((a - mx) ** 2 for a in x)
    slope = sum((a - mx) * (b - my) for a, b in zip(x, y)) / sxx
    left = sum((b - my - slope * (a - mx)) ** 2 for a, b in zip(x, y))
    student = {1: 12.7, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31}  # 0.975 quantiles of Student's t
    return slope, student[n - 2] * math.sqrt(left / (n - 2) / sxx)


def cost_rows(machine, share, steps, plan):
    """How the cost of W1 to 1 % grows with N and with alpha, and the exponents of that."""
    rows = []
    for (model, axis), points in plan.items():
        medians = []
        for n, alpha, repeats in points:
            rel = 0.01 if share == 1 else 0.05
            case = Case("cost", f"{model}, N = {n}, alpha = {alpha}", "slots" if model == "dt" else "steps", [boundary(n, alpha, rel, model)], repeats, False)
            new, results = measure_case(machine, case, steps, [])
            new[0]["note"] = f"W1 = {statistics.median(r['w1'] for r in results[OURS]):.4g}"
            rows += new
            medians.append((n, alpha, new[0]["work"], new[0]["seconds_median"]))
        if axis == "N":
            fitted = [m for m in medians if m[0] >= 32] if share == 1 else medians
            x = [math.log(m[0]) for m in fitted]
            what = f"~ N^p over N = {fitted[0][0]} ... {fitted[-1][0]}, alpha = {fitted[0][1]}"
        else:
            fitted = medians
            x = [m[1] for m in fitted]
            what = f"~ e^(p alpha) over alpha = {fitted[0][1]} ... {fitted[-1][1]}, N = {fitted[0][0]}"
        for column, quantity in ((2, "slots" if model == "dt" else "steps"), (3, "CPU seconds")):
            slope, half = fit(x, [math.log(m[column]) for m in fitted])
            rows.append({"group": "cost", "case": f"{model}, {quantity} {what}", "tool": OURS, "version": machine.versions[OURS], "repeats": len(fitted),
                         "unit": "exponent p", "rate_median": slope, "rate_low": slope - half, "rate_high": slope + half, "machine": machine.model,
                         "note": "least squares over the medians; interval 95 %"})
    return rows


def short(x, digits=3):
    """A number for people: 1234 as 1.23e3 from a million on, and no zeros behind."""
    if x in ("", None):
        return ""
    x = float(x)
    return f"{x:.{digits - 1}e}".replace("e+0", "e").replace("e+", "e") if abs(x) >= 1e6 else f"{x:.{digits}g}" if abs(x) < 1000 else f"{x:.0f}"


def three(row, name):
    """Median and range as text."""
    if row.get(name + "_median", "") == "":
        return ""
    text = short(row[name + "_median"])
    low, high = short(row.get(name + "_low")), short(row.get(name + "_high"))
    return text if not low or low == high == text else f"{text} ({low} ... {high})"


def as_csv(rows):
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()})
    return out.getvalue()


def as_markdown(rows):
    """The table for people, by group."""
    out = ["# Results", "", f"Machine: {rows[0]['machine']}. Made by `make bench` from [data/bench.csv](../data/bench.csv), which has all columns; what was measured and how:",
           "[README](README.md).", "", "Times are medians, with the least and the greatest of all repeats in parentheses; ratios too, each of two runs one after the other.", ""]
    for group in dict.fromkeys(row["group"] for row in rows):
        seconds = "seconds (wall)" if group in ("workers", "commands") else "CPU seconds"
        rate = "rate (1/s), or exponent p" if group == "cost" else "rate (1/s)"
        ratio = {"workers": "speed-up", "commands": "", "cost": "", "W1 to 1 %": "slots over those of jsqlib"}.get(group, "jsqlib is faster by")
        out += [f"## {group[0].upper()}{group[1:]}", "", f"| case | program | work | {seconds} | {rate} | {ratio} | MB | |", "|---|---|--:|--:|--:|--:|--:|---|"]
        for row in (r for r in rows if r["group"] == group):
            work = f"{short(row['work'])} {row['unit']}" if row.get("work", "") != "" else ""
            out.append(f"| {row['case']} | {row['tool']} | {work} | {three(row, 'seconds')} | {three(row, 'rate')} | {three(row, 'ratio')} | "
                       f"{short(row.get('memory_mb', ''), 2)} | {row['note']} |")
        out.append("")
    versions = {}
    for row in rows:
        if row["group"] not in ("workers", "W1 to 1 %"):
            versions.setdefault(row["tool"].split(",")[0].split()[0], row["version"])
    out += ["Versions: " + "; ".join(f"{tool} {version}" for tool, version in versions.items()) + f"; Python {platform.python_version()}.", ""]
    return "\n".join(out)


def bench(args):
    share = 0.01 if args.quick else 1
    wanted = args.only.split(",") if args.only else GROUPS
    if unknown := set(wanted) - set(GROUPS):
        raise program.Unusable(f"--only {', '.join(sorted(unknown))}: want some of {', '.join(GROUPS)}")
    machine = Machine(args.quick)
    plan_e = [(n, a) for n in (8, 32, 100) for a in (1.25, 1.5, 2.0, 2.5, 3.0, 4.5)] if not args.quick else [(8, 1.25), (8, 4.5)]
    plan_cost = {
        ("dt", "N"): [(n, 4.5, 3 if n <= 256 else 1) for n in (8, 16, 32, 64, 128, 256, 512, 1000)],
        ("dt", "alpha"): [(32, a, 3) for a in (1.5, 2.0, 3.0, 4.0, 5.0, 6.0)],
        ("ct", "N"): [(n, 4.5, 3 if n <= 256 else 1) for n in (8, 16, 32, 64, 128, 256, 512, 1000)],
    } if not args.quick else {("dt", "N"): [(4, 4.5, 1), (8, 4.5, 1), (16, 4.5, 1)], ("ct", "N"): [(4, 4.5, 1), (8, 4.5, 1), (16, 4.5, 1)]}
    groups = {
        "ct": ct_cases, "dt": dt_cases, "exact": exact_cases, "w1": w1_cases, "workers": worker_cases, "commands": lambda s: command_cases(s, args.notebooks),
        "estimators": estimator_cases,
    }
    cases = [case for name, make in groups.items() if name in wanted for case in make(share)]
    count = sum((case.repeats + case.warm) * sum(t.package in machine.versions for t in case.tools) for case in cases)
    count += sum(4 for _ in plan_e) * ("distance" in wanted) + sum(p[2] for points in plan_cost.values() for p in points) * ("cost" in wanted)
    steps, rows, bad = Steps(count), [], []
    for case in cases:
        rows += measure_case(machine, case, steps, bad)[0]
    if "distance" in wanted:
        rows += distance_rows(machine, share, steps, plan_e)
    if "cost" in wanted:
        rows += cost_rows(machine, share, steps, plan_cost)
    whole = not (args.quick or args.only or args.out)
    out = args.out or BUILD / "out"
    table, page = (ROOT / "data" / "bench.csv", HERE / "results.md") if whole else (out / "bench.csv", out / "results.md")
    program.write(table, as_csv(rows))
    program.write(page, as_markdown(rows))
    if whole:
        run([str(BUILD / "figure"), str(table), str(HERE)])
        run([sys.executable, str(ROOT / "tools" / "data.py"), "describe"])
    machine.forget()
    print(f"{table.relative_to(ROOT) if table.is_relative_to(ROOT) else table}: {len(rows)} rows", flush=True)
    for text in bad:
        print(f"bench: answers disagree: {text}", file=sys.stderr)
    return 1 if bad else 0


@program.ends(then="; the same command goes on from here")
def main(argv):
    parser = program.Parser(prog="bench.py")
    parser.add_argument("--quick", action="store_true", help="a hundredth of the work")
    parser.add_argument("--only", metavar="GROUP,...", help="some of ct, dt, exact, w1, workers, commands, estimators, distance, cost")
    parser.add_argument("--notebooks", action="store_true", help="time the notebooks, too")
    parser.add_argument("--out", type=program.folder, metavar="DIR", help="where to write the tables (build/bench/out)")
    return bench(parser.parse_args(argv))


if __name__ == "__main__":
    program.start(main)
