"""Machines that fail: each verb, with one call of the C library that does not do what it should.

    faults.py --croft PATH --library PATH [calls] [descriptors] [signals] [--every N] [--only NAME]

calls        memory, threads, open, read, write, sync, rename and map fail at their n-th call: for each n to --first
             (200), then for some more
descriptors  standard input, output and error closed, in all combinations
signals      SIGINT and SIGTERM after random times

What must hold: the exit status is 0 with the output of an undisturbed run, or 1 (130 after a signal) with one
message; a file that was there is whole, the old one or the new one; nothing else is left behind.
"""

import argparse
import hashlib
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "golden"))

import data  # noqa: E402  (of the golden files: small, the same on every machine)

KINDS = ("memory", "thread", "open", "read", "write", "sync", "rename", "map")

# Models that the commands below need, and the commands: NAME -> arguments. OUT is a file that is there before.
MODELS = {
    "chain": "train --quiet --max-iterations 4 -o chain.croft train.txt",
    "segment": "train --quiet --model segment --max-iterations 4 -o segment.croft chunks.txt",
    "graph": "train --quiet --model graph --spec graph.toml --database token.csv --max-iterations 4 -o graph.croft",
    "hmm": "train --quiet --model hmm -o hmm.croft gestures.txt",
    "text": "train --quiet --model maxent --format text --max-iterations 4 -o text.croft train.tsv",
}
COMMANDS = {
    "train": "train --threads 2 --max-iterations 3 --checkpoint state --checkpoint-interval 0 --log log.json "
             "-o OUT train.txt",
    "train-kinds": "train --quiet --threads 2 --model segment --max-iterations 2 -o OUT chunks.txt",
    "train-graph": "train --quiet --model graph --spec graph.toml --database new.sqlite --max-iterations 2 -o OUT",
    "train-bayes": "train --quiet --model naive-bayes --format text -o OUT train.tsv",
    "predict": "predict --threads 2 --to json --marginals -m chain.croft test.txt",
    "predict-segment": "predict -m segment.croft chunks-test.txt",
    "predict-graph": "predict -m graph.croft --database new/token.csv",
    "evaluate": "evaluate --json -m chain.croft test.txt",
    "inspect": "inspect --top 3 -m chain.croft",
    "explain": "explain --positions 0-1 -m chain.croft words.txt",
    "convert": "convert hmm.croft -o OUT",
    "stack": "stack -m hmm.croft gestures-test.txt",
    "infer": "infer grid.uai --quiet --task marginals",
    "maximum-entropy": "maximum-entropy die.csv --constraint 'low = 0.5'",
    "calibrate": "calibrate -m text.croft held.tsv -o OUT --json",
    "search": "search --quiet --format text --model maxent --values l2=0.1,1 --max-iterations 3 -o OUT train.tsv",
    "cluster": "cluster --quiet --clusters 3 -o OUT sentences.txt",
}
OLD = b"what was here before\n"
MAY_STAY = {"state", "log.json", "OUT.search", "grid.uai.search"}


def timeless(out):
    return re.sub(rb"(?m)^seconds .*$", b"", out)


class Run:
    """A folder of data, and what is in it before a command."""

    def __init__(self, croft, library):
        self.croft, self.library = croft, library
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="croft-faults-"))
        data.write(self)
        for name, command in MODELS.items():
            done = self.plain(command)
            if done.returncode:
                sys.exit(f"{name}: {done.stderr}")
        self.before = self.listing()
        self.failures = []

    def run(self, command):
        """The finished process, its output as text; data.write() asks."""
        done = self.plain(command)
        return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())

    def plain(self, command):
        return subprocess.run([self.croft, *shlex.split(command)], cwd=self.folder, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True)

    def listing(self):
        return {str(path.relative_to(self.folder)): path.stat().st_size
                for path in sorted(self.folder.rglob("*")) if path.is_file()}

    def clean(self):
        for name in MAY_STAY:
            path = self.folder / name
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        for name in set(self.listing()) - set(self.before):
            (self.folder / name).unlink()
        (self.folder / "OUT").write_bytes(OLD)

    def start(self, command, environment=None, **options):
        return subprocess.Popen([self.croft, *shlex.split(command)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                env={**os.environ, **(environment or {})}, **options)

    def output(self):
        path = self.folder / "OUT"
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else "none"

    def reference(self, command):
        """What an undisturbed run prints and writes."""
        self.clean()
        done = self.plain(command)
        if done.returncode:
            sys.exit(f"croft {command}: {done.stderr.decode()}")
        return timeless(done.stdout), self.output()

    def check(self, what, status, allowed, out, err, reference):
        """Whether the run ended as it must."""
        old = hashlib.sha256(OLD).hexdigest()
        messages = [line for line in err.decode("utf-8", "replace").splitlines() if line.startswith("croft: ")]
        problems = []
        if status not in allowed:
            problems.append(f"exit status {status}")
        if status == 0 and (timeless(out), self.output()) != reference:
            problems.append("status 0 with another result")
        if status == 1 and (len(messages) != 1 or "fault of the program" in messages[0]):
            problems.append(f"{len(messages)} messages")
        if self.output() not in (old, reference[1]):
            problems.append("the output is neither the old nor the new one")
        left = [name for name in set(self.listing()) - set(self.before) - {"OUT"}
                if name.split("/")[0] not in MAY_STAY]
        if left or [name for name in self.listing() if name.startswith("state/checkpoint.")]:
            problems.append(f"left behind: {sorted(left)}")
        changed = {name: size for name, size in self.listing().items() if self.before.get(name, size) != size}
        if changed:
            problems.append(f"changed: {changed}")
        if problems:
            self.failures.append(f"{what}: {'; '.join(problems)}; stderr: {err.decode('utf-8', 'replace')[-400:]}")
            print(self.failures[-1], flush=True)


def calls(run, name, command, first, step):
    """Returns how often a call failed."""
    reference, count = run.reference(command), 0
    for kind in KINDS:
        n, happened = 1, True
        while happened:
            run.clean()
            reading, writing = os.pipe()
            environment = {"LD_PRELOAD": run.library, "CROFT_FAIL": kind, "CROFT_FAIL_AT": str(n),
                           "CROFT_FAIL_TELL": str(writing)}
            process = run.start(command, environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                pass_fds=[writing])
            os.close(writing)
            try:
                out, err = process.communicate(timeout=120)
                status = process.returncode
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
                status = "none: it hangs"
            happened = bool(os.read(reading, 1))
            os.close(reading)
            if happened:
                count += 1
                run.check(f"{name}: {kind} {n}", status, (0, 1), out, err, reference)
            n += 1 if n < first else max(1, n // step)
    return count


def descriptors(run, name, command):
    reference = run.reference(command)
    for closed in range(1, 8):
        run.clean()
        shell = "exec " + " ".join(shlex.quote(word) for word in [run.croft, *shlex.split(command)])
        shell += "".join(f" {fd}>&-" for fd in range(3) if closed >> fd & 1)
        done = subprocess.run(["bash", "-c", shell], cwd=run.folder, check=False, capture_output=True)
        lost = closed & 2 and reference[0]
        what = f"{name}: closed {[fd for fd in range(3) if closed >> fd & 1]}"
        err = done.stderr if not closed & 4 else b"croft: unseen"
        run.check(what, done.returncode, (1,) if lost else (0,), done.stdout, err,
                  (b"" if closed & 2 else reference[0], reference[1]))
    return 7


def signals(run, name, command, times, draw):
    began = time.monotonic()
    reference = run.reference(command)
    most = time.monotonic() - began
    for _ in range(times):
        run.clean()
        sent = draw.choice([signal.SIGINT, signal.SIGTERM])
        process = run.start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(draw.uniform(0, most))
        process.send_signal(sent)
        out, err = process.communicate(timeout=120)
        status = process.returncode
        if status == 130 and run.output() not in (hashlib.sha256(OLD).hexdigest(), reference[1]):
            # A training that is stopped keeps its model, which no other run makes.
            model = run.plain("inspect -m OUT").returncode == 0
            reference = (reference[0], run.output()) if model else reference
        run.check(f"{name}: {sent.name}", status, (0, 130, -sent), out, err, reference)
        reference = run.reference(command)
    return times


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--croft", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--first", type=int, default=200)
    parser.add_argument("--step", type=int, default=20, help="after them, n grows by n / STEP")
    parser.add_argument("--times", type=int, default=20, help="signals of a verb")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("parts", nargs="*", default=["calls", "descriptors", "signals"])
    asked = parser.parse_args()
    run = Run(str(pathlib.Path(asked.croft).resolve()), str(pathlib.Path(asked.library).resolve()))
    draw = random.Random(asked.seed)
    counts = {}
    try:
        for name, command in COMMANDS.items():
            if asked.only not in name:
                continue
            for part in asked.parts:
                tried = {"calls": lambda: calls(run, name, command, asked.first, asked.step),
                         "descriptors": lambda: descriptors(run, name, command),
                         "signals": lambda: signals(run, name, command, asked.times, draw)}[part]()
                counts[part] = counts.get(part, 0) + tried
    finally:
        shutil.rmtree(run.folder)
    print(", ".join(f"{part}: {count} runs" for part, count in counts.items()), f"{len(run.failures)} failures")
    return 1 if run.failures else 0


if __name__ == "__main__":
    sys.exit(main())
