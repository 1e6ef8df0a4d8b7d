"""What a perceptron has learned after each of some passes, by the search that it learns with.

    python3 passes.py CROFT FOLDER SEARCH PASS,PASS,... [TEST_FOLDER]

Mistakes are graphs that are labelled wrong by the weights after that pass: by the search that was
trained with, and by exact search.
"""
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent


def run(*command):
    return subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8").stdout


def tables(folder):
    return ["--database", folder / "spin.csv", "--database", folder / "pair.csv"]


def mistakes(croft, model, folder, search):
    result = json.loads(run(croft, "evaluate", "--json", "-m", model, *tables(folder),
                            "--search", search))["instances"]
    return result["count"] - result["correct"]


def weights(croft, model):
    found = {"evidence": 0.0, "coupling": 0.0}
    for line in run(croft, "inspect", "-m", model, "--weights").splitlines():
        cells = line.split("\t")
        found[cells[2]] = float(cells[4])
    return found["evidence"], found["coupling"]


def main():
    croft, folder, search, passes = sys.argv[1], pathlib.Path(sys.argv[2]), *sys.argv[3:5]
    model, log = folder / f"{search}.croft", folder / f"{search}.log"
    print(f"{search}:\npass   weights of evidence, coupling   wrong by {search}, by exact search")
    for end in map(int, passes.split(",")):
        run(croft, "train", "--quiet", "--model", "graph", "--spec", HERE / "spins.toml",
            *tables(folder), "--objective", "perceptron", "--optimizer", "perceptron",
            "--search", search, "--max-iterations", end, "--log", log, "-o", model)
        done = json.loads(log.read_text("utf-8").splitlines()[-1])
        evidence, coupling = weights(croft, model)
        print(f"{done['iterations']:4}   {evidence:8.0f} {coupling:8.0f}"
              f"   {mistakes(croft, model, folder, search):12}"
              f" {mistakes(croft, model, folder, 'junction-tree'):8}")
        if done["reason"] != "max_iterations":
            print("       no mistake in this pass: it has learned")
            break
    if len(sys.argv) > 5:
        test = pathlib.Path(sys.argv[5])
        print(f"       exact search on {test.name}: "
              f"{mistakes(croft, model, test, 'junction-tree')} wrong")


main()
