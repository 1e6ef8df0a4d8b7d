"""An Ising model, its samples as tables, and what was recovered from them.  The standard library alone.

    ising.py make FOLDER SIDE SEED     truth.uai and truth.json: a SIDE x SIDE grid with random parameters
    ising.py tables FOLDER             samples.json (of croft infer) to spin.csv, edge.csv and, in pairs/, all pairs
    ising.py compare FOLDER WEIGHTS    weights (croft inspect --weights) against the truth, with errors
    ising.py select FOLDER WEIGHTS     the edges that have a weight, to found/edge.csv
    ising.py significant FOLDER WEIGHTS  those whose weight is more than 3.5 standard errors
"""

import csv
import itertools
import json
import math
import pathlib
import random
import sys


def read(folder, name):
    return json.loads((folder / name).read_text("utf-8"))


def make(folder, side, seed):
    chance = random.Random(seed)
    sites = range(side * side)
    edges = [(i, i + 1) for i in sites if i % side + 1 < side]
    edges += [(i, i + side) for i in sites if i + side < side * side]
    u = [round(chance.gauss(0, 0.3), 3) for _ in sites]
    w = [round(chance.choice((-1, 1)) * chance.uniform(0.3, 0.6), 3) for _ in edges]
    tables = [(1, (math.exp(-x), math.exp(x)), (i,)) for i, x in enumerate(u)]
    tables += [(2, (math.exp(x), math.exp(-x), math.exp(-x), math.exp(x)), e)
               for e, x in zip(edges, w)]
    lines = ["MARKOV", str(len(u)), " ".join("2" for _ in u), str(len(tables))]
    lines += [" ".join(map(str, (size, *scope))) for size, _, scope in tables]
    for _, numbers, _ in tables:
        lines += [str(len(numbers)), " ".join(map(repr, numbers))]
    (folder / "truth.uai").write_text("\n".join(lines) + "\n")
    (folder / "truth.json").write_text(json.dumps({"u": u, "edges": edges, "w": w}))


def spins(folder):
    """Samples as lists of -1 and 1."""
    return [[2 * state - 1 for state in row] for row in read(folder, "samples.json")["samples"]]


def write(path, header, rows):
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def tables(folder):
    truth = read(folder, "truth.json")
    samples = spins(folder)
    sites = len(truth["u"])
    write(folder / "spin.csv", ["id", "sample", "site", "value"],
          ((n * sites + i, n, i, x) for n, row in enumerate(samples) for i, x in enumerate(row)))
    header = ["edge", "a", "b"]
    write(folder / "edge.csv", header, ((f"{a}-{b}", a, b) for a, b in truth["edges"]))
    write(folder / "pairs" / "edge.csv", header,
          ((f"{a}-{b}", a, b) for a, b in itertools.combinations(range(sites), 2)))
    print(f"{len(samples)} samples of {sites} sites, {len(truth['edges'])} edges")


def weights(path):
    """u by site and w by pair, from the lines of croft inspect --weights; others are 0."""
    found = {"field": {}, "edge": {}}
    for line in path.read_text("utf-8").splitlines():
        _, template, feature, _, weight = line.split("\t")
        found[template][feature.split("|")[0].split("=")[1]] = float(weight) / 2
    u = {int(site): x for site, x in found["field"].items()}
    w = {tuple(map(int, edge.split("-"))): x for edge, x in found["edge"].items()}
    return u, w


def inverse(a):
    """By Gauss and Jordan, with pivots."""
    n = len(a)
    a = [row[:] + [float(i == j) for j in range(n)] for i, row in enumerate(a)]
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(a[i][k]))
        a[k], a[best] = a[best], a[k]
        pivot = a[k][k]
        a[k] = [x / pivot for x in a[k]]
        for i in range(n):
            if i != k and a[i][k] != 0:
                times = a[i][k]
                a[i] = [x - times * y for x, y in zip(a[i], a[k])]
    return [row[n:] for row in a]


def standard_errors(samples, edges, u, w):
    """Of the maximum of the pseudo-likelihood: roots of the diagonal of H^-1 V H^-1 / N (LG.4).

    log p(x_i | others) = -log(1 + exp(-2 x_i h_i)) with h_i = u_i + sum_j w_ij x_j, so that with
    t_i = tanh h_i the gradient has (x_i - t_i) d h_i, and the Hessian (1 - t_i^2) d h_i d h_i'.
    """
    size = len(u) + len(edges)
    beside = [[] for _ in u]  # of each site: (parameter, neighbour)
    for k, (a, b) in enumerate(edges):
        beside[a].append((len(u) + k, b))
        beside[b].append((len(u) + k, a))
    hessian = [[0.0] * size for _ in range(size)]
    variance = [[0.0] * size for _ in range(size)]
    for x in samples:
        gradient = {}
        for i, neighbours in enumerate(beside):
            slope = [(i, 1)] + [(k, x[j]) for k, j in neighbours]
            t = math.tanh(u[i] + sum(w[k - len(u)] * s for k, s in slope[1:]))
            for k, s in slope:
                gradient[k] = gradient.get(k, 0) + (x[i] - t) * s
                row = hessian[k]
                for m, r in slope:
                    row[m] += (1 - t * t) * s * r
        for k, g in gradient.items():
            row = variance[k]
            for m, h in gradient.items():
                row[m] += g * h
    bread = inverse(hessian)
    half = [[sum(b * v for b, v in zip(row, column)) for column in variance] for row in bread]
    return [math.sqrt(sum(h * b for h, b in zip(half[k], bread[k]))) for k in range(size)]


def compare(folder, model):
    truth = read(folder, "truth.json")
    edges = [tuple(e) for e in truth["edges"]]
    u, w = weights(model)
    sites = range(len(truth["u"]))
    found = [u.get(i, 0) for i in sites] + [w.get(e, 0) for e in edges]
    errors = standard_errors(spins(folder), edges, found[:len(sites)], found[len(sites):])
    names = [f"u {i}" for i in sites] + [f"w {a}-{b}" for a, b in edges]
    z = [(f - t) / e for f, t, e in zip(found, truth["u"] + truth["w"], errors)]
    print("parameter   truth   found   error      z")
    for name, t, f, e, each in list(zip(names, truth["u"] + truth["w"], found, errors, z))[::7]:
        print(f"{name:<9} {t:7.3f} {f:7.3f} {e:7.3f} {each:6.2f}")
    within = [sum(abs(x) < k for x in z) / len(z) for k in (1, 2)]
    print(f"{len(z)} parameters: {within[0]:.0%} within one standard error, {within[1]:.0%} within "
          f"two; mean of z^2 {sum(x * x for x in z) / len(z):.2f}, largest |z| "
          f"{max(map(abs, z)):.2f}")


def report(folder, found):
    truth = {tuple(e) for e in read(folder, "truth.json")["edges"]}
    print(f"{len(found)} edges, {len(truth & found)} of the {len(truth)} true ones; "
          f"{len(found - truth)} that are none")


def select(folder, model):
    found = {e for e, weight in weights(model)[1].items() if weight != 0}
    report(folder, found)
    write(folder / "found" / "edge.csv", ["edge", "a", "b"],
          ((f"{a}-{b}", a, b) for a, b in sorted(found)))


def significant(folder, model):
    u, w = weights(model)
    names = sorted(w)
    u = [u.get(i, 0) for i in range(len(read(folder, "truth.json")["u"]))]
    errors = standard_errors(spins(folder), names, u, [w[e] for e in names])[len(u):]
    report(folder, {e for e, error in zip(names, errors) if abs(w[e]) > 3.5 * error})


def main(verb, folder, *arguments):
    folder = pathlib.Path(folder)
    if verb == "make":
        folder.mkdir(parents=True, exist_ok=True)
        make(folder, int(arguments[0]), int(arguments[1]))
    elif verb == "tables":
        tables(folder)
    elif verb == "compare":
        compare(folder, pathlib.Path(arguments[0]))
    elif verb == "select":
        select(folder, pathlib.Path(arguments[0]))
    elif verb == "significant":
        significant(folder, pathlib.Path(arguments[0]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
