"""One piece of work by another program, and what it took as one line of JSON; bench.py runs it beside jsqbench.

    peers.py KIND [--servers N] [--load RHO] [--gap E] [--time T] [--warm T] [--slots K] [--seed S] [--x FILE] [--y FILE] ...

The line has work (events, slots, solutions or points), cpu (seconds, user and system, imports and reading of files left out), value (the
answer) and memory (largest resident set of the process, MB). Packages are imported by the kind that needs them.
"""

import argparse
import itertools
import json
import os
import resource
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # before NumPy is imported: one thread, as jsqbench


class Clock:
    """CPU seconds of what is inside: with Clock() as clock: ...; clock.seconds."""

    def __enter__(self):
        self.begin = time.process_time()
        return self

    def __exit__(self, *_):
        self.seconds = time.process_time() - self.begin


class Total:
    """Time average of the total number of jobs after the warm-up, and the number of events."""

    def __init__(self, warm):
        self.warm, self.total, self.last, self.area, self.events = warm, 0, 0.0, 0.0, 0

    def move(self, now, by):
        if now > self.warm:
            self.area += self.total * (now - max(self.last, self.warm))
        self.last = now
        self.total += by
        self.events += 1


class Levels:
    """Queue lengths of n servers with the servers of each length at hand: O(1) to find a shortest queue and to change one."""

    def __init__(self, n):
        self.length, self.place, self.at, self.low = [0] * n, list(range(n)), [list(range(n))], 0

    def shortest(self):
        while not self.at[self.low]:
            self.low += 1
        return self.at[self.low][-1]

    def move(self, i, by):
        old, hole = self.at[self.length[i]], self.place[i]
        last = old.pop()
        if last != i:
            old[hole] = last
            self.place[last] = hole
        level = self.length[i] = self.length[i] + by
        if level == len(self.at):
            self.at.append([])
        self.place[i] = len(self.at[level])
        self.at[level].append(i)
        self.low = min(self.low, level)


def simpy_lean(args):
    """One process for the arrivals and one for each server: as little as SimPy can be asked to do."""
    import random

    import simpy

    n, exponential = args.servers, random.Random(args.seed).expovariate
    env, seen, queues, idle = simpy.Environment(), Total(args.warm), Levels(args.servers), [None] * args.servers

    def arrivals():
        while True:
            yield env.timeout(exponential(n * args.load))
            seen.move(env.now, 1)
            i = queues.shortest()
            queues.move(i, 1)
            if queues.length[i] == 1:
                idle[i].succeed()

    def server(i):
        while True:
            if queues.length[i] == 0:
                idle[i] = env.event()
                yield idle[i]
            yield env.timeout(exponential(1.0))
            seen.move(env.now, -1)
            queues.move(i, -1)

    with Clock() as clock:
        for i in range(n):
            env.process(server(i))
        env.process(arrivals())
        env.run(until=args.time)
    return {"work": seen.events, "cpu": clock.seconds, "value": seen.area / (args.time - args.warm)}


def simpy_resource(args):
    """One process for each job and one Resource for each server: as the examples of SimPy's documentation are written."""
    import random

    import simpy

    n, exponential = args.servers, random.Random(args.seed).expovariate
    env, seen, queues = simpy.Environment(), Total(args.warm), Levels(args.servers)
    servers = [simpy.Resource(env) for _ in range(n)]

    def job():
        seen.move(env.now, 1)
        i = queues.shortest()
        queues.move(i, 1)
        with servers[i].request() as turn:
            yield turn
            yield env.timeout(exponential(1.0))
        seen.move(env.now, -1)
        queues.move(i, -1)

    def arrivals():
        while True:
            yield env.timeout(exponential(n * args.load))
            env.process(job())

    with Clock() as clock:
        env.process(arrivals())
        env.run(until=args.time)
    return {"work": seen.events, "cpu": clock.seconds, "value": seen.area / (args.time - args.warm)}


def ciw_balancing(args):
    """Ciw with its LoadBalancing router, which counts customers in service as well, on an entry node without delay, as its guide advises."""
    import ciw

    n = args.servers
    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Exponential(rate=n * args.load)] + [None] * n,
        service_distributions=[ciw.dists.Deterministic(value=0)] + [ciw.dists.Exponential(rate=1.0)] * n,
        number_of_servers=[float("inf")] + [1] * n,
        routing=ciw.routing.NetworkRouting(
            routers=[ciw.routing.LoadBalancing(destinations=list(range(2, n + 2)))] + [ciw.routing.Leave()] * n),
    )
    ciw.seed(args.seed)
    with Clock() as clock:
        simulation = ciw.Simulation(network)
        simulation.simulate_until_max_time(args.time)
    present = sum(node.number_of_individuals for node in simulation.transitive_nodes)
    done = [r for customer in simulation.nodes[-1].all_individuals for r in customer.data_records if r.node > 1]
    area = sum(max(r.exit_date - max(r.arrival_date, args.warm), 0) for r in done)
    for node in simulation.transitive_nodes[1:]:
        area += sum(args.time - max(customer.arrival_date, args.warm) for customer in node.all_individuals)
    return {"work": 2 * len(done) + present, "cpu": clock.seconds, "value": area / (args.time - args.warm)}


def numpy_dt(args):
    """Independent replications side by side as rows of an array; services from random bits by a table; totals every N-th slot."""
    import numpy as np

    n, runs = args.servers, args.runs
    rng = np.random.Generator(np.random.SFC64(args.seed))
    bits = np.arange(256)
    pairs = [(bits >> 2 * i & 1) + (bits >> 2 * i + 1 & 1) for i in range(4)]
    four = np.stack(pairs, axis=1).astype(np.uint8).view(np.uint32).ravel()  # services of four servers from eight bits
    words = (n * runs + 31) // 32
    q = np.zeros((runs, n), np.int16)
    q_flat, rows, block = q.reshape(-1), np.arange(runs) * n, 64
    total = looks = 0.0
    unused = unused2 = 0
    with Clock() as clock:
        for k in range(args.slots):
            if k % block == 0:
                arrivals = rng.binomial(2 * n, (1 - args.gap) / 2, size=(block, runs)).astype(np.int16)
            if k >= args.warm and (k - int(args.warm)) % n == 0:
                total += q.sum()
                looks += runs
            q_flat[rows + q.argmin(axis=1)] += arrivals[k % block]
            random = rng.integers(0, 2**64, size=words, dtype=np.uint64).view(np.uint8)
            q_flat -= four[random].view(np.uint8)[: n * runs]
            u = np.minimum(q, 0).sum(axis=1)
            unused -= u.sum()
            unused2 += u @ u
            np.maximum(q, 0, out=q)
    return {"work": args.slots * runs, "cpu": clock.seconds, "value": float(total / looks), "unused": float(unused) / (args.slots * runs)}


def sorted_states(n, top, spread):
    """All states q_1 >= ... >= q_n with q_n <= top and q_1 - q_n <= spread, one a row."""
    import numpy as np

    phases = np.array(list(itertools.combinations_with_replacement(range(spread, -1, -1), n - 1)), dtype=np.int64).reshape(-1, n - 1)
    phases = np.hstack([phases, np.zeros((len(phases), 1), np.int64)])
    return (phases[None] + np.arange(top + 1)[:, None, None]).reshape(-1, n)


def generator(n, load, top, spread):
    """The states and the generator of JSQ cut off at a shortest queue of top and a spread: what would leave them does not happen."""
    import numpy as np
    import scipy.sparse

    states = sorted_states(n, top, spread)
    weight = (top + spread + 2) ** np.arange(n, dtype=np.int64)[::-1]
    code = states @ weight
    order = np.argsort(code)
    ordered, here, entries = code[order], np.arange(len(states)), []

    def add(rows, codes, rate):
        at = np.minimum(np.searchsorted(ordered, codes), len(ordered) - 1)
        inside = ordered[at] == codes
        entries.append((rows[inside], order[at[inside]], np.full(inside.sum(), rate)))

    add(here, code + weight[np.argmax(states == states[:, -1:], axis=1)], n * load)
    for i in range(n):
        last = n - 1 - np.argmax((states == states[:, i : i + 1])[:, ::-1], axis=1)
        busy = states[:, i] > 0
        add(here[busy], (code - weight[last])[busy], 1.0)
    rows, columns, rates = (np.concatenate(part) for part in zip(*entries))
    off = scipy.sparse.coo_array((rates, (rows, columns)), shape=(len(states),) * 2).tocsc()
    return states, (off - scipy.sparse.diags_array(np.asarray(off.sum(axis=1)).ravel())).tocsc()


def scipy_ct(args):
    """Stationary law by one sparse solve with pi(first) = 1: spsolve, or GMRES with an incomplete factorisation."""
    import numpy as np
    from scipy.sparse.linalg import LinearOperator, gmres, spilu, spsolve

    with Clock() as clock:
        for _ in range(args.reps):
            states, q = generator(args.servers, args.load, args.top, args.spread)
            balance = q.T.tocsc()
            a, b = balance[1:, 1:].tocsc(), -balance[1:, [0]].toarray().ravel()
            if args.method == "direct":
                x = spsolve(a, b)
            else:
                factors = spilu(a, drop_tol=1e-5, fill_factor=30)
                x, status = gmres(a, b, M=LinearOperator(a.shape, factors.solve), rtol=1e-9, restart=30, maxiter=3)
            law = np.concatenate([[1.0], x])
            law /= law.sum()
            value = float(law @ states.sum(axis=1))
    return {"work": args.reps, "cpu": clock.seconds, "value": value, "states": len(states)}


def line_ct(args):
    """LINE's CTMC solver with its JSQ routing; top is its cutoff."""
    import warnings

    warnings.simplefilter("ignore")
    with open(os.devnull, "w") as null:
        out, sys.stdout = sys.stdout, null
        try:
            import line_solver as line

            with Clock() as clock:
                for _ in range(args.reps):
                    model = line.Network("JSQ")
                    source, router = line.Source(model, "Source"), line.Router(model, "Router")
                    queues = [line.Queue(model, f"Queue{i}", line.SchedStrategy.FCFS) for i in range(args.servers)]
                    sink = line.Sink(model, "Sink")
                    jobs = line.OpenClass(model, "Jobs")
                    source.setArrival(jobs, line.Exp(args.servers * args.load))
                    model.addLink(source, router)
                    for queue in queues:
                        queue.setService(jobs, line.Exp(1.0))
                        model.addLink(router, queue)
                        model.addLink(queue, sink)
                    router.setRouting(jobs, line.RoutingStrategy.JSQ)
                    value = float(line.SolverCTMC(model, cutoff=args.top, verbose=False).getAvgQLen().sum())
        finally:
            sys.stdout = out
    return {"work": args.reps, "cpu": clock.seconds, "value": value}


def samples(args):
    """Write two samples of size reps, exponential of means 1 and 1.01."""
    import numpy as np

    rng = np.random.default_rng(args.seed)
    with Clock() as clock:
        for name, mean in ((args.x, 1.0), (args.y, 1.01)):
            rng.exponential(mean, args.slots).astype("<f8").tofile(name)
    return {"work": 2 * args.slots, "cpu": clock.seconds, "value": 0.0}


def w1(args):
    import numpy as np

    if args.method == "scipy":
        from scipy.stats import wasserstein_distance as distance
    elif args.method == "pot":
        from ot import wasserstein_1d as distance
    else:
        from ot import emd2_1d

        def distance(x, y):
            return emd2_1d(x, y, metric="euclidean")

    x, y = np.fromfile(args.x, "<f8"), np.fromfile(args.y, "<f8")
    if args.reps > 1:
        distance(x, y)  # to warm up
    with Clock() as clock:
        for _ in range(args.reps):
            value = float(distance(x, y))
    return {"work": args.reps * (len(x) + len(y)), "cpu": clock.seconds, "value": value}


def memory():
    """Largest resident set of this process, MB. On Linux getrusage would count what the process that started this one had, too."""
    try:
        with open("/proc/self/status") as f:
            return next(float(line.split()[1]) for line in f if line.startswith("VmHWM")) * 1024 / 1e6
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6  # bytes on systems without it


KINDS = {
    "simpy": simpy_lean, "simpy-resource": simpy_resource, "ciw": ciw_balancing, "numpy": numpy_dt, "scipy": scipy_ct, "line": line_ct,
    "samples": samples, "w1": w1,
}


def main(argv):
    parser = argparse.ArgumentParser(prog="peers.py", allow_abbrev=False)
    parser.add_argument("kind", choices=KINDS)
    for name, kind, default in (
        ("servers", int, 10), ("load", float, 0.9), ("gap", float, 0.05), ("time", float, 100.0), ("warm", float, 0.0), ("slots", int, 1000),
        ("runs", int, 100), ("seed", int, 1), ("top", int, 40), ("spread", int, 8), ("reps", int, 1), ("method", str, ""), ("x", str, ""), ("y", str, ""),
    ):
        parser.add_argument("--" + name, type=kind, default=default)
    args = parser.parse_args(argv)
    result = KINDS[args.kind](args)
    print(json.dumps({**result, "memory": memory()}))


if __name__ == "__main__":
    main(sys.argv[1:])
