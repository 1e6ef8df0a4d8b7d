#!/usr/bin/env python3
"""How near structures that are learnt from samples of public networks are to these networks.

  PYTHONPATH=build/release/python bench/network_structure.py [--data DIR] [--cases 500,5000,50000] [--seconds 120]
                                                             [--bnlearn DIR] [NAME ...]

--data     the folder with graphs/bnlearn (default: CROFT_DATA, or ../shared/data beside the checkout).
--seconds  methods that took longer on fewer cases are left out.
--bnlearn  a library of R that has the package bnlearn, which learns from the same cases.
NAME       only networks with this in their name.

A row a network, method and number of cases: the structural Hamming distance between the classes of equivalent
networks, in missing, extra and turned edges, and seconds on one thread.
"""
import argparse
import csv
import os
import subprocess
import tempfile
import time
from pathlib import Path

import croft

ROOT = Path(__file__).resolve().parents[1]
METHODS = {"hill-climbing bic": {"learn_structure": "hill-climbing"},
           "hill-climbing bdeu": {"learn_structure": "hill-climbing", "network_score": "bdeu"},
           "exact bic": {"learn_structure": "exact"},
           "pc 0.01": {"learn_structure": "pc"}}
MOST_EXACT = 20  # variables
# Arguments: cases as CSV, edges as lines "parent child"; a line a method.
PEER = """
library(bnlearn)
given <- commandArgs(trailingOnly = TRUE)
cases <- read.csv(given[1], colClasses = "factor", check.names = FALSE)
states <- read.csv(given[2], colClasses = "character", header = FALSE, check.names = FALSE)
for (k in seq_along(cases)) cases[[k]] <- factor(cases[[k]], levels = strsplit(states[k, 1], " ")[[1]])
truth <- empty.graph(names(cases))
arcs(truth) <- as.matrix(read.table(given[3], colClasses = "character", col.names = c("from", "to")))
learn <- list("hc bic" = function() hc(cases, score = "bic"),
              "tabu bic" = function() tabu(cases, score = "bic"),
              "hc bdeu" = function() hc(cases, score = "bde", iss = 1),
              "tabu bdeu" = function() tabu(cases, score = "bde", iss = 1),
              "pc.stable 0.01" = function() pc.stable(cases, test = "x2", alpha = 0.01))
for (method in names(learn)) {
  seconds <- system.time(found <- suppressWarnings(learn[[method]]()))[["user.self"]]
  distance <- tryCatch(shd(found, truth), error = function(e) NA)
  cat(sprintf("%s,%s,%.1f\\n", method, distance, seconds))
}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    data = Path(os.environ.get("CROFT_DATA", ROOT / ".." / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=data)
    parser.add_argument("--cases", default="500,5000,50000")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--bnlearn", metavar="DIR")
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    print("| network | variables | edges | method | cases | missing | extra | turned | distance | seconds |")
    print("|---|---:|---:|---|---:|---:|---:|---:|---:|---:|")
    for path in sorted((arguments.data / "graphs" / "bnlearn").glob("*.uai")):
        if arguments.names and not any(name in path.name for name in arguments.names):
            continue
        compare(path, [int(n) for n in arguments.cases.split(",")], arguments.seconds, arguments.bnlearn)


def compare(path, counts, most_seconds, library):
    truth = croft.BayesNet.read(path)
    names = [str(name) for name in truth.graph.variables]
    states = {name: [str(s) for s in truth.graph.states(name)] for name in names}
    X = truth.infer("sample", samples=max(counts), seed=1).samples
    slow = set()
    for count in counts:
        for method, options in METHODS.items():
            if method in slow or (method.startswith("exact") and len(names) > MOST_EXACT):
                continue
            net = croft.BayesNet(states)
            began = time.process_time()
            net.fit(X[:count], smoothing=1, **options)
            seconds = time.process_time() - began
            if seconds > most_seconds:
                slow.add(method)
            d = net.structural_distance(truth)
            print(f"| {path.stem} | {len(names)} | {len(truth.edges)} | {method} | {count} | {d['missing']} | "
                  f"{d['extra']} | {d['turned']} | {d['total']} | {seconds:.1f} |", flush=True)
        if library:
            for method, distance, seconds in bnlearn(library, truth, states, X[:count]):
                print(f"| {path.stem} | {len(names)} | {len(truth.edges)} | bnlearn {method} | {count} | | | | "
                      f"{distance} | {seconds} |", flush=True)


def bnlearn(library, truth, states, cases):
    """(method, distance, seconds) of each of the package's methods."""
    numbers = {name: f"v{k}" for k, name in enumerate(states)}
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in ("cases.csv", "states.csv", "edges", "learn.R")]
        with open(files[0], "w", newline="") as out:
            rows = csv.writer(out)
            rows.writerow(numbers.values())
            rows.writerows([case[name] for name in states] for case in cases)
        Path(files[1]).write_text("".join(" ".join(each) + "\n" for each in states.values()))
        Path(files[2]).write_text("".join(f"{numbers[a]} {numbers[b]}\n" for a, b in truth.edges))
        Path(files[3]).write_text(PEER)
        done = subprocess.run(["Rscript", files[3], *files[:3]], env={**os.environ, "R_LIBS": library}, check=True,
                              capture_output=True, text=True)
    return [line.split(",") for line in done.stdout.splitlines()]


if __name__ == "__main__":
    main()
