"""Error messages: every run of the tests of the command line that does not end well, and what it says.

    errors.py TEST LOG     runs a test with its runs of the program noted down in LOG, a JSON object a line
"""

import json
import os
import pathlib
import re
import runpy
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1] / "cli"
# They take minutes, need data sets or several processes, have ports in their messages, or time when a training is
# broken off.
LEFT_OUT = {"conll2000_test", "factorial_test", "horses_test", "infer_data_test", "infer_map_test", "checkpoint_test",
            "interrupts_test", "citations_test", "skip_chain_test", "patches_test", "ising_test",
            "language_model_test", "hidden_state_test", "page_test", "perceptron_example_test",
            "segment_example_test", "serve_test", "distributed_test", "shared_work_test"}
LONGEST = 400  # of a command


def normalised(text):
    """Without the folders of one run, its seconds, and what the machine has."""
    text = re.sub(re.escape(tempfile.gettempdir()) + r"/croft-[a-z0-9]+-\w{8}", "<TMP>", text)
    text = text.replace(str(TESTS.parents[1]), "<SOURCE>").replace(os.environ["CROFT"], "<CROFT>")
    text = re.sub(r"\b\d+\.\d GB are allowed", "<memory> are allowed", text)
    text = re.sub(r"(is not available here; choose one of )[^\n]*", r"\1<targets>", text)
    return re.sub(r"\b\d+\.\d+ s\b", "<seconds> s", text)


def shortened(argument):
    words = normalised(str(argument)).encode("unicode_escape").decode("ascii")
    return words if len(words) <= LONGEST else words[:LONGEST] + "..."


def noted(run, log):
    """subprocess.run that notes the runs of the program that do not end with status 0."""
    def replacement(command, *arguments, **options):
        done = run(command, *arguments, **options)
        if done.returncode and done.stderr and str(command[0]) == os.environ["CROFT"]:
            message = done.stderr if isinstance(done.stderr, str) else done.stderr.decode("utf-8", "replace")
            json.dump([" ".join(map(shortened, command[1:])), done.returncode, normalised(message)], log)
            log.write("\n")
        return done
    return replacement


def note(test, log):
    with open(log, "w", encoding="utf-8") as out:
        subprocess.run = noted(subprocess.run, out)
        sys.argv = [test]
        sys.path[:0] = [str(TESTS), str(pathlib.Path(test).parent)]
        runpy.run_path(test, run_name="__main__")


def messages(program, name):
    """The notes of a test, each once, in an order of their own."""
    log = program.folder / f"{name}.log"
    environment = {**os.environ, "CROFT": str(program.path), "CROFT_SIMD": program.simd, "LC_ALL": "C.UTF-8",
                   "CROFT_DATA": str(program.folder / "none")}
    test = next(TESTS.rglob(f"{name}.py"))
    done = subprocess.run([sys.executable, "-B", __file__, test, log], env=environment, check=False,
                          cwd=TESTS, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8")
    if done.returncode:
        print(f"{name} failed:\n{done.stderr[-2000:]}")
    runs = {tuple(json.loads(line)) for line in log.read_text("utf-8").splitlines()}
    return "".join(f"$ croft {command}\n{status}: {message.rstrip()}\n\n" for command, status, message in sorted(runs))


def files(program):
    names = sorted(path.stem for path in TESTS.rglob("*_test.py"))
    return {f"errors/{name}.txt": lambda name=name: messages(program, name) for name in names if name not in LEFT_OUT}


if __name__ == "__main__":
    note(sys.argv[1], sys.argv[2])
