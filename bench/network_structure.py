#!/usr/bin/env python3
"""How near structures that are learnt from samples of public networks are to these networks.

  PYTHONPATH=build/release/python bench/network_structure.py [--data DIR] [--cases 500,5000,50000] [--seconds 120]
                                                             [NAME ...]

--data     the folder with graphs/bnlearn (default: CROFT_DATA, or ../shared/data beside the checkout).
--seconds  methods that took longer on fewer cases are left out.
NAME       only networks with this in their name.

A row a network, method and number of cases: the structural Hamming distance between the classes of equivalent
networks, in missing, extra and turned edges, and seconds on one thread.
"""
import argparse
import os
import time
from pathlib import Path

import croft

ROOT = Path(__file__).resolve().parents[1]
METHODS = {"hill-climbing bic": {"learn_structure": "hill-climbing"},
           "hill-climbing bdeu": {"learn_structure": "hill-climbing", "network_score": "bdeu"},
           "exact bic": {"learn_structure": "exact"},
           "pc 0.01": {"learn_structure": "pc"}}
MOST_EXACT = 20  # variables


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    data = Path(os.environ.get("CROFT_DATA", ROOT / ".." / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=data)
    parser.add_argument("--cases", default="500,5000,50000")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    print("| network | variables | edges | method | cases | missing | extra | turned | distance | seconds |")
    print("|---|---:|---:|---|---:|---:|---:|---:|---:|---:|")
    for path in sorted((arguments.data / "graphs" / "bnlearn").glob("*.uai")):
        if arguments.names and not any(name in path.name for name in arguments.names):
            continue
        compare(path, [int(n) for n in arguments.cases.split(",")], arguments.seconds)


def compare(path, counts, most_seconds):
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


if __name__ == "__main__":
    main()
