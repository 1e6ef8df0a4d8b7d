"""Accuracy of the ways to label papers that cite each other, over several seeds.

    python3 compare.py CROFT FOLDER [--seeds 10] [--papers 1000]

Each seed makes a training graph and a test graph of its own, twice: once none of the test graph's
labels is known, once those of some papers (column `known`), which are not counted then.
"""
import argparse
import pathlib
import sqlite3
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
ROWS = ["content only", "iterative classification",
        "pseudo-likelihood, Gibbs", "pseudo-likelihood, belief propagation",
        "piecewise, Gibbs", "piecewise, belief propagation"]


def run(*command):
    return subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8").stdout


# {row: share of the test papers that are labelled right}
def accuracies(croft, folder, seed, papers, use_known):
    train, test = folder / "train.sqlite", folder / "test.sqlite"
    run(sys.executable, "-B", HERE / "database.py", train, "--papers", papers, "--seed", seed)
    run(sys.executable, "-B", HERE / "database.py", test, "--papers", papers,
        "--seed", 1000 + seed)
    found = {}

    def keep(row, text):
        found[row] = dict(line.split("\t")[:2] for line in text.splitlines())

    run(sys.executable, "-B", HERE / "iterative.py", croft, train, test, folder,
        *(["--use-known"] if use_known else []))
    keep("content only", (folder / "content.tsv").read_text("utf-8"))
    keep("iterative classification", (folder / "iterative.tsv").read_text("utf-8"))
    known = ["--use-known", "--spec", HERE / "known.toml"] if use_known else []
    for name, objective in (("pseudo-likelihood", "pseudolikelihood"), ("piecewise", "piecewise")):
        model = folder / f"{objective}.croft"
        run(croft, "train", "--quiet", "--model", "graph", "--spec", HERE / "citations.toml",
            "--database", train, "--objective", objective, "-o", model)
        predict = [croft, "predict", "-m", model, "--database", test, "--decode", "marginal"]
        keep(f"{name}, Gibbs", run(*predict, *known, "--method", "gibbs",
                                   "--inference-iterations", 1000))
        keep(f"{name}, belief propagation", run(*predict, *known, "--method",
                                                "belief-propagation"))

    gold = {str(paper): field for paper, field, is_known in
            sqlite3.connect(test).execute("select id, field, known from paper")
            if not (use_known and is_known)}
    return {row: sum(found[row][p] == field for p, field in gold.items()) / len(gold)
            for row in ROWS}


def table(title, results):
    print(title)
    print(f"{'':40}accuracy         beside content only    beside iterative")
    for row in ROWS:
        cells = [f"{row:38}{spread([100 * each[row] for each in results])} %"]
        for other in ROWS[:2]:
            less = [100 * (each[row] - each[other]) for each in results]
            wins = sum(d > 0 for d in less)
            cells.append(f"{spread(less, '+')}, {wins} of {len(less)}" if row != other else "")
        print("   ".join(f"{cell:18}" for cell in cells).rstrip())
    print()


def spread(numbers, sign=""):
    return f"{statistics.mean(numbers):{sign}6.2f} ± {statistics.stdev(numbers):.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("croft")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--papers", type=int, default=1000)
    options = parser.parse_args()
    if options.seeds < 2:
        parser.error("--seeds: 2 or more, for a spread")
    options.folder.mkdir(parents=True, exist_ok=True)
    for use_known in (False, True):
        results = [accuracies(options.croft, options.folder, seed, options.papers, use_known)
                   for seed in range(1, options.seeds + 1)]
        table("30 % of the test labels known, the others counted:" if use_known
              else "No test label known:", results)


main()
