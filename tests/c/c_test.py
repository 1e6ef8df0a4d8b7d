"""The library for C: its own test, the examples in C and by ctypes, and the names that it shows.

    c_test.py CROFT LIBRARY TEST EXAMPLE WORK
"""
import json
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
WORDS = ["2", "cups", "whole-wheat", "flour", ",", "sifted"]


def output(*command):
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def main(croft, library, test, example, work):
    work = pathlib.Path(work)
    work.mkdir(parents=True, exist_ok=True)
    model, data = work / "words.croft", work / "line.txt"
    output(croft, "train", "--quiet", "-o", model, SOURCE / "examples" / "ingredients" / "train.txt")
    data.write_text("\n".join(WORDS) + "\n\n")
    line = json.loads(output(croft, "predict", "-m", model, "--output", "json", "--marginals", data).splitlines()[0])
    expected = [f"{word}\t{label}\t{p:.6f}" for word, label, p in zip(WORDS, line["labels"], line["marginals"])]

    output(test, model)
    lines = output(example, model, *WORDS).splitlines()
    assert lines[:len(WORDS)] == expected, lines
    assert len(lines) == len(WORDS) + 3 and lines[len(WORDS)].split()[1:] == line["labels"], lines
    by_ctypes = output(sys.executable, SOURCE / "examples" / "c" / "label.py", library, model, *WORDS)
    assert by_ctypes.splitlines() == expected

    # Every name that the library shows is one of c.h, with a version.
    shown = [name.split()[-1] for name in output("nm", "-D", "--defined-only", library).splitlines()]
    functions = [name for name in shown if not name.startswith("CROFT_")]
    header = (SOURCE / "include" / "croft" / "c.h").read_text()
    assert functions and all(name.endswith("@@CROFT_0") for name in functions), shown
    assert all(name.split("@")[0] + "(" in header for name in functions), shown


if __name__ == "__main__":
    main(*sys.argv[1:])
