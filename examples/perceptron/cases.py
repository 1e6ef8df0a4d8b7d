"""Graphs whose labels are the best ones by certain weights, so that exact search can learn them.

    python3 cases.py FOLDER [SEED]     of the grids; 2 without

triangles        two triangles that a perceptron with max-product never learns
grids            30 grids of 3 x 4, couplings and evidence drawn at random; grids-test: 100 others

Each is a folder with spin.csv (id, graph, label, evidence) and pair.csv (first, second, coupling).
"""
import csv
import itertools
import pathlib
import random
import sys

TRIANGLE = [(0, 1), (1, 2), (0, 2)]
GRID = ([(4 * r + c, 4 * r + c + 1) for r in range(3) for c in range(3)] +
        [(4 * r + c, 4 * r + c + 4) for r in range(2) for c in range(4)])


def score(weights, graph, up):
    evidence, pairs, couplings = graph
    return (weights[0] * sum(itertools.compress(evidence, up)) +
            weights[1] * sum(c for c, (a, b) in zip(couplings, pairs) if up[a] == up[b]))


# The best labelling, by looking at all of them; none where two are as good.
def best(weights, graph):
    ranked = sorted(((score(weights, graph, up), up)
                     for up in itertools.product((0, 1), repeat=len(graph[0]))), reverse=True)
    return ranked[0][1] if ranked[0][0] > ranked[1][0] else None


def write(folder, weights, graphs):
    folder.mkdir(parents=True, exist_ok=True)
    spins, rows, first = [], [], 0
    for number, (evidence, pairs, couplings) in enumerate(graphs):
        up = best(weights, (evidence, pairs, couplings))
        spins += [(first + v, number, ("down", "up")[up[v]], x) for v, x in enumerate(evidence)]
        rows += [(first + a, first + b, c) for c, (a, b) in zip(couplings, pairs)]
        first += len(evidence)
    for name, header, table in (("spin", ("id", "graph", "label", "evidence"), spins),
                                ("pair", ("first", "second", "coupling"), rows)):
        with open(folder / f"{name}.csv", "w", encoding="utf-8", newline="") as out:
            csv.writer(out, lineterminator="\n").writerows([header, *table])


def grids(weights, seed, count):
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        graph = ([rng.randint(-10, 10) for _ in range(12)], GRID,
                 [rng.choice((-1, 1)) for _ in GRID])
        if best(weights, graph):
            found.append(graph)
    return found


def main():
    folder = pathlib.Path(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    write(folder / "triangles", (1, 8), [([-5, 4, 1], TRIANGLE, [1, -1, 1]),
                                         ([-8, 3, 8], TRIANGLE, [1, 1, 1])])
    write(folder / "grids", (1, 12), grids((1, 12), seed, 30))
    write(folder / "grids-test", (1, 12), grids((1, 12), 1000 + seed, 100))


if __name__ == "__main__":
    main()
