"""The library for C: its own test, the examples in C and by ctypes, and the names that it shows.

    c_test.py CROFT LIBRARY TEST EXAMPLE WORK
"""
import ctypes
import importlib.util
import json
import os
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


def check_attributes_and_changes(croft, library, work):
    """A model of attributes labels an empty sequence, and fails where its file is written over."""
    model, data = work / "attributes.croft", work / "attributes.txt"
    data.write_text("".join(f"{'AB'[t % 2]}\t" + "\t".join(f"w{t}.{k}" for k in range(60)) + "\n\n"
                            for t in range(3000)))
    output(croft, "train", "--quiet", "--format", "attributes", "--max-iterations", "1", "-o", model, data)
    assert model.stat().st_size > 1 << 20  # a smaller one is copied
    spec = importlib.util.spec_from_file_location("label", SOURCE / "examples" / "c" / "label.py")
    label = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(label)
    calls = label.open_library(library)
    opened, tagger = ctypes.c_void_p(), ctypes.c_void_p()
    calls.croft_open(str(model).encode(), None, ctypes.byref(opened))
    calls.croft_tagger_new(opened, ctypes.byref(tagger))
    calls.croft_tag(tagger)
    assert calls.croft_length(tagger) == 0
    os.truncate(model, 100)
    try:
        calls.croft_tag(tagger)
        raise AssertionError("a model that was cut off labels")
    except RuntimeError as error:
        assert "changed while it was in use" in str(error), error
    calls.croft_tagger_free(tagger)
    calls.croft_model_free(opened)


def main(croft, library, test, example, work):
    work = pathlib.Path(work)
    work.mkdir(parents=True, exist_ok=True)
    model, data = work / "words.croft", work / "line.txt"
    output(croft, "train", "--quiet", "-o", model, SOURCE / "examples" / "ingredients" / "train.txt")
    data.write_text("\n".join(WORDS) + "\n\n")
    line = json.loads(output(croft, "predict", "-m", model, "--to", "json", "--marginals", data).splitlines()[0])
    expected = [f"{word}\t{label}\t{p:.6f}" for word, label, p in zip(WORDS, line["labels"], line["marginals"])]

    output(test, model)
    lines = output(example, model, *WORDS).splitlines()
    assert lines[:len(WORDS)] == expected, lines
    assert len(lines) == len(WORDS) + 3 and lines[len(WORDS)].split()[1:] == line["labels"], lines
    by_ctypes = output(sys.executable, SOURCE / "examples" / "c" / "label.py", library, model, *WORDS)
    assert by_ctypes.splitlines() == expected

    check_attributes_and_changes(croft, library, work)

    # Every name that the library shows is one of c.h, with a version.
    shown = [name.split()[-1] for name in output("nm", "-D", "--defined-only", library).splitlines()]
    functions = [name for name in shown if not name.startswith("CROFT_")]
    header = (SOURCE / "include" / "croft" / "c.h").read_text()
    assert functions and all(name.endswith("@@CROFT_0") for name in functions), shown
    assert all(name.split("@")[0] + "(" in header for name in functions), shown


if __name__ == "__main__":
    main(*sys.argv[1:])
