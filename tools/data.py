"""The reference tables in data/: describe them, or compute them again and compare.

    data.py describe
    data.py timings
    data.py check [--seed S] [--out DIR]

`describe` writes data/datapackage.json from the tables that are there: columns, units, hashes, and the commands of TABLES below.
What a column is, jsqlib/record says.
`timings` does so after make bench, whose table alone is new. Timings are never checked: each machine has its own.
`check` runs the commands that data/datapackage.json records, below DIR (build/data), and says whether every number agrees with data/:
with the same seed and on the same platform bit for bit, and within its error bar otherwise. It goes on where an earlier one
was stopped; results are kept by the hash of the program that computed them. --seed S asks for other random streams.
Exit status: 0 every number agrees, 1 one does not or the work failed, 2 unusable arguments, 130 interrupted.
"""

import csv
import hashlib
import io
import json
import math
import shlex
import subprocess
import time

import program
from program import ROOT

DATA = ROOT / "data"
PACKAGE = "datapackage.json"

# How far two independent estimates of one number may be apart, in combined 95 % half widths: about five standard errors, which none of
# the few thousand comparisons exceeds by chance.
APART = 2.5

ALPHA = "1,1.25,1.5,1.75,2,2.25,2.5,2.75,3,3.25,3.5,3.75,4,4.25,4.5,4.75,5,5.25,5.5,5.75,6"
ALPHA_CT = "1,1.25,1.5,1.75,2,2.5,3,3.5,4,4.5,5,6"

# name: (title, what is in it, grids of jsq sweep).
TABLES = {
    "dt-batch": (
        "Discrete time, routing by the batch",
        "All arrivals of a slot join one shortest queue. Arrivals and service Binomial(2, 1/2) for each server, thinned to the load.",
        [f"--model dt --routing batch --servers 4,6,8,12,16,24,32,48,64,96,128,192,256 --alpha {ALPHA} --rel-error 0.002"],
    ),
    "dt-batch-fine": (
        "Discrete time, routing by the batch, within 0.1 %",
        "As dt-batch at one alpha, with smaller error bars, for the approach of E Q~/N^2 to its limit.",
        ["--model dt --routing batch --servers 16,36,64,100,144,256,400,576 --alpha 4.5 --rel-error 0.001"],
    ),
    "dt-job": (
        "Discrete time, routing by the job",
        "Each job of a slot joins the then shortest queue. Arrivals and service as in dt-batch.",
        [f"--model dt --routing job --servers 4,8,16,32,64,128,256,512,1024 --alpha {ALPHA} --rel-error 0.002"],
    ),
    "ct": (
        "Continuous time",
        "Poisson arrivals, exponential services of rate 1, each job joins a shortest queue.",
        [f"--model ct --servers 4,8,16,32,64,125,250,500,1000 --alpha {ALPHA_CT} --rel-error 0.002"],
    ),
    "large": (
        "Many servers",
        "The three models at alpha = 4.5 with up to 10^4 servers by the batch, and 10^5 by the job and in continuous time.",
        ["--model dt --routing batch --servers 1000,2000 --alpha 4.5 --rel-error 0.002",
         "--model dt --routing batch --servers 5000,10000 --alpha 4.5 --rel-error 0.01",
         "--model dt --routing job --servers 4096,16384,100000 --alpha 4.5 --rel-error 0.0005",
         "--model ct --servers 30,100,300,1000,3000 --alpha 4.5 --rel-error 0.0002",
         "--model ct --servers 10000,100000 --alpha 4.5 --rel-error 0.0005"],
    ),
    "power-of-d": (
        "Power of d choices",
        "As ct at alpha = 4.5, where a job joins the shortest of d sampled queues: d = 2, and d = N^beta with beta = 0.4, 0.5 and 0.75.",
        ["--model ct --policy pod:2 --servers 16,64 --alpha 4.5 --rel-error 0.002",
         *(f"--model ct --policy pod:{d} --servers {n} --alpha 4.5 --rel-error 0.002"
           for d, n in ((4, 32), (9, 243), (16, 1024), (4, 16), (8, 64), (16, 256), (32, 1024), (8, 16), (64, 256), (512, 4096)))],
    ),
}
SEED = 1

EXACT = ["servers", "alpha", "gap", "limit_mean", "mean_unused"]  # known without simulation: 12 digits anywhere

BENCH = "bench"  # the table of make bench
PER = "1/s, or the unit alone for an exponent"
OPTIONAL = {"required": False}
# name, type, unit, description, constraints other than required.
BENCH_COLUMNS = [
    ("group", "string", None, "What is compared.", {}),
    ("case", "string", None, "The system or size.", {}),
    ("tool", "string", None, "Program that did the work.", {}),
    ("version", "string", None, "Its version.", {}),
    ("repeats", "integer", "runs", "Runs behind the medians; points behind a fit.", {"minimum": 1}),
    ("work", "number", "see unit", "Work of one run, median; empty for a fit.", {"minimum": 0, **OPTIONAL}),
    ("unit", "string", None, "What work counts.", {}),
    *[(f"seconds_{end}", "number", "s", f"Time of one run, {text}: CPU time, user and system; in the groups workers and commands by the clock on the wall.",
       {"minimum": 0, **OPTIONAL}) for end, text in (("median", "median"), ("low", "least"), ("high", "greatest"))],
    *[(f"rate_{end}", "number", PER, f"Work over time, {text}; for a fit the exponent and its 95 % interval.", OPTIONAL)
      for end, text in (("median", "median"), ("low", "least"), ("high", "greatest"))],
    *[(f"ratio_{end}", "number", "1", f"Rate of jsqlib over that of this program, runs in pairs, {text}; in W1 to 1 %, slots of this over those of the "
       "boundary estimator; in workers, speed-up over one worker.", {"minimum": 0, **OPTIONAL})
      for end, text in (("median", "median"), ("low", "least"), ("high", "greatest"))],
    ("memory_mb", "number", "MB", "Largest resident set of the process; empty where not measured.", {"minimum": 0, **OPTIONAL}),
    ("machine", "string", None, "Processor, number of cores and system.", {}),
    ("note", "string", None, "How it was done, and the answer that the program gave.", OPTIONAL),
]


def read(path):
    """The rows of a table as dictionaries of text, by key."""
    with open(path, newline="", encoding="utf-8") as f:
        return {row["key"]: row for row in csv.DictReader(f)}


def columns():
    """The fields of the tables of jsq merge, as jsqlib/record says them."""
    done = subprocess.run(["go", "run", "-buildvcs=false", "./tools/columns"], cwd=ROOT, stdout=subprocess.PIPE)
    if done.returncode:
        raise program.Failed("go run ./tools/columns failed")
    return json.loads(done.stdout)


def estimates(row):
    """The columns of a row that have an interval."""
    return [name for name in row if f"{name}_low" in row]


def bench_fields():
    out = []
    for name, kind, unit, text, constraints in BENCH_COLUMNS:
        field = {"name": name, "type": kind, "description": text}
        if unit:
            field["unit"] = unit
        field["constraints"] = {"required": True, **constraints}
        out.append(field)
    return out


def describe(folder, platform):
    """The data package of the tables in folder, made on platform."""
    resources, fields = [], columns()
    for name, (title, text, grids) in TABLES.items():
        content = (folder / f"{name}.csv").read_bytes()
        rows = read(folder / f"{name}.csv").values()
        versions = sorted({row["version"] for row in rows})
        resources.append({
            "name": name, "path": f"{name}.csv", "profile": "tabular-data-resource", "title": title, "description": text,
            "format": "csv", "mediatype": "text/csv", "encoding": "utf-8", "bytes": len(content), "hash": "sha256:" + hashlib.sha256(content).hexdigest(),
            "rows": len(rows), "seed": SEED, "version": ", ".join(versions), "platform": platform,
            "commands": [f"jsq sweep {grid} --seed {SEED} --out {name}" for grid in grids] + [f"jsq merge {name} --out {name}.csv"],
            "dialect": {"delimiter": ",", "header": True, "lineTerminator": "\n"},
            "schema": {"fields": fields, "primaryKey": "key", "missingValues": [""]},
        })
    if (folder / f"{BENCH}.csv").exists():
        resources.append(timings(folder))
    return {
        "profile": "tabular-data-package",
        "name": "jsqlab-reference",
        "title": "Wasserstein distances between JSQ systems and their exponential limit",
        "description": "Distance of the scaled stationary total queue length under Join the Shortest Queue with N servers and load 1 - N^(-alpha) to the "
                       "exponential law, over N and alpha, by simulation of the boundary law. All values are measured; intervals are 95 %.",
        "licenses": [{"name": "MIT", "path": "https://opensource.org/license/mit", "title": "MIT License"}],
        "sources": [
            {"title": "D. Hurtado-Lange and S. T. Maguluri, Load balancing system under Join the Shortest Queue: Many-Server-Heavy-Traffic "
                      "Asymptotics, arXiv:2004.04826v3: the model, its scaling and its limit", "path": "https://arxiv.org/abs/2004.04826v3"},
            {"title": "jsqlab, cmd/jsq: every number, by the commands that each resource records"},
        ],
        "resources": resources,
    }


def timings(folder):
    """The description of the table of make bench."""
    content = (folder / f"{BENCH}.csv").read_bytes()
    return {
        "name": BENCH, "path": f"{BENCH}.csv", "profile": "tabular-data-resource", "title": "Speed beside other programs",
        "description": "Times of jsqlib and of other programs for the same work on one machine, by turns. bench/README.md says how.",
        "format": "csv", "mediatype": "text/csv", "encoding": "utf-8", "bytes": len(content), "hash": "sha256:" + hashlib.sha256(content).hexdigest(),
        "rows": len(list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline="")))), "commands": ["make bench"],
        "dialect": {"delimiter": ",", "header": True, "lineTerminator": "\n"},
        "schema": {"fields": bench_fields(), "primaryKey": ["group", "case", "tool"], "missingValues": [""]},
    }


def computed(package):
    """The resources that check computes again: all but timings."""
    return [resource for resource in package["resources"] if resource["name"] != BENCH]


def dumps(package):
    return json.dumps(package, indent=2, ensure_ascii=False) + "\n"


def close(a, b, tolerance):
    return math.isfinite(a) and math.isfinite(b) and abs(a - b) <= tolerance


def disagreement(got, want, bits):
    """Why two rows of one system disagree, or None; bits: they must be the same bits."""
    for name in got.keys() ^ want.keys():
        return f"{name} is in one table only"
    if bits:
        for name in want:
            if name != "version" and got[name] != want[name]:
                return f"{name} = {got[name]}, data/ has {want[name]}, want the same bits"
        return None
    for name in EXACT:
        a, b = float(got[name]), float(want[name])
        if not close(a, b, 1e-12 * abs(b)):
            return f"{name} = {a}, data/ has {b}, want 12 digits"
    for name in estimates(want):
        if got[name] == want[name]:  # also where both are empty
            continue
        (a, ha), (b, hb) = ((float(r[name]), (float(r[name + "_high"]) - float(r[name + "_low"])) / 2) for r in (got, want))
        tolerance = APART * math.hypot(ha, hb)
        if not close(a, b, tolerance):
            return f"{name} = {a} +- {ha}, data/ has {b} +- {hb}, want a difference of at most {tolerance:.3g}"
    low, high = (f(float(r["certificate_" + end]) for r in (got, want)) for f, end in ((max, "low"), (min, "high")))
    return None if low <= high else f"certificates [{got['certificate_low']}, {got['certificate_high']}] and data/ are disjoint"


def compare(got, want, same_platform):
    """Number of rows that are the same bits, number that agree within error bars, and findings."""
    same, near, findings = 0, 0, []
    for key in sorted(got.keys() | want.keys()):
        if key not in got or key not in want:
            findings.append(f"{key}: in {'data/' if key in want else 'the new table'} only")
            continue
        g, w = got[key], want[key]
        found = disagreement(g, w, same_platform and g["task_seed"] == w["task_seed"])
        if found:
            findings.append(f"{key}: {found}")
        elif all(g[name] == w[name] for name in w if name != "version"):
            same += 1
        else:
            near += 1
    return same, near, findings


def command(text, jsq, seed):
    """A recorded command as arguments, with jsq by its path and another seed if one is asked for."""
    words = shlex.split(text)
    if seed is not None and "--seed" in words:
        words[words.index("--seed") + 1] = str(seed)
    return [str(jsq), *words[1:]]


def run(args, folder):
    """Run one command in folder; its table is not shown, its progress is."""
    status = subprocess.run(args, cwd=folder, stdout=subprocess.DEVNULL).returncode
    if status == 130 or status < 0:
        raise KeyboardInterrupt
    if status:
        raise program.Failed(f"{shlex.join(['jsq', *args[1:]])}: exit status {status}")


def build(folder):
    """The path of jsq, built from this tree, and the platform it is for."""
    folder.mkdir(parents=True, exist_ok=True)
    jsq = folder / "jsq"
    args = ["go", "build", "-trimpath", "-buildvcs=false", "-o", str(jsq), "./cmd/jsq"]
    if subprocess.run(args, cwd=ROOT).returncode:
        raise program.Failed("go build ./cmd/jsq failed")
    said = subprocess.run([jsq, "version", "--json"], capture_output=True, check=True, text=True).stdout
    return jsq, json.loads(said)["go_version"]


def check(out, seed):
    """Compute every table again and compare. Returns the exit status."""
    package = json.loads((DATA / PACKAGE).read_text(encoding="utf-8"))
    jsq, platform = build(out)
    # Results of another program, though of the same version, are not taken for those of this one.
    folder = out / (hashlib.sha256(jsq.read_bytes()).hexdigest()[:12] + ("" if seed is None else f"-seed{seed}"))
    folder.mkdir(exist_ok=True)
    bad = 0
    for resource in computed(package):
        start = time.monotonic()
        for text in resource["commands"]:
            run(command(text, jsq, seed), folder)
        same, near, findings = compare(read(folder / resource["path"]), read(DATA / resource["path"]), platform == resource["platform"])
        bad += len(findings)
        print("FAIL" if findings else "ok  ", f"data/{resource['path']}", f"{time.monotonic() - start:.1f}s",
              f"{same} rows bit for bit, {near} within error bars, {len(findings)} not", sep="\t", flush=True)
        for finding in findings[:20]:
            print(f"    {finding}", flush=True)
    print(f"FAIL\t{bad} rows disagree" if bad else "ok  \tevery number agrees with data/", flush=True)
    return 1 if bad else 0


@program.ends(then="; the same command goes on from here")
def main(argv):
    parser = program.Parser(prog="data.py")
    parser.add_argument("command", choices=["describe", "timings", "check"])
    parser.add_argument("--seed", type=program.whole, help="other random streams than those of data/")
    parser.add_argument("--out", type=program.folder, default=ROOT / "build" / "data", metavar="DIR", help="where check computes (build/data)")
    args = parser.parse_args(argv)
    if args.command == "check":
        return check(args.out.resolve(), args.seed)
    if args.command == "describe":
        _, platform = build(args.out)
    else:
        platform = computed(json.loads((DATA / PACKAGE).read_text(encoding="utf-8")))[0]["platform"]
    program.write(DATA / PACKAGE, dumps(describe(DATA, platform)))
    return 0


if __name__ == "__main__":
    program.start(main)
