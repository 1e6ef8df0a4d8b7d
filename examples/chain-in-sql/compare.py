"""The largest difference between the weights of a chain and those of the same chain declared in SQL.

    python3 compare.py CROFT CHAIN_MODEL GRAPH_MODEL
"""
import subprocess
import sys


def rows(croft, model):
    text = subprocess.run([croft, "inspect", "-m", model, "--weights"], check=True,
                          stdout=subprocess.PIPE, encoding="utf-8").stdout
    return [line.split("\t") for line in text.splitlines()]


def main():
    croft, chain, graph = sys.argv[1:]
    of_chain = {}
    for row in rows(croft, chain):
        if row[0] == "node":
            of_chain["word", row[1], row[2]] = float(row[3])
        else:
            assert row[0] == "transition", row
            of_chain["next", "(bias)", f"{row[2]}, {row[3]}"] = float(row[4])
    of_graph = {(row[1], row[2], row[3]): float(row[4]) for row in rows(croft, graph)}
    largest = max(abs(of_chain.get(name, 0) - of_graph.get(name, 0)) for name in of_chain.keys() | of_graph.keys())
    print(f"{len(of_chain)} weights of the chain, {len(of_graph)} of the graph; largest difference {largest:.1e}")
    return 0 if largest < 1e-6 else 1


sys.exit(main())
