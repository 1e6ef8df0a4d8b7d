#!/usr/bin/env python3
"""Calls the Python package with what no caller should hand over, for some seconds or a number of cases.

    PYTHONPATH=build/release/python python3 fuzz/python/fuzz_python.py --seconds 60 --jobs 2
    PYTHONPATH=build/release/python python3 fuzz/python/fuzz_python.py --case matrices:1:17

Wrong are: a signal, a case that does not end, memory without end, an exception that is not a documented one
(ValueError, TypeError, croft.Error, ...), and answers that contradict themselves.  Cases run in processes of their
own; what a case does depends on its name, KIND:SEED:NUMBER, alone.  Exit status 1 where one failed, with its name
and its calls.
"""
from __future__ import annotations

import argparse
import collections
import contextlib
import faulthandler
import importlib
import os
import resource
import selectors
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from typing import Any


class Worker:
    """A process that runs every jobs-th case, and what it said last."""

    def __init__(self, options: argparse.Namespace, first: int, folder: str) -> None:
        self.log = os.path.join(folder, f"case{first % options.jobs}")
        self.at = first
        self.began = time.monotonic()
        self.ready = False
        arguments = [
            sys.executable,
            __file__,
            "--worker",
            self.log,
            "--first",
            str(first),
            "--seed",
            options.seed,
            "--jobs",
            str(options.jobs),
            "--memory",
            str(options.memory),
            *(["--only", *options.only] if options.only else []),
        ]
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE)
        self.pipe = self.process.stdout
        assert self.pipe is not None
        os.set_blocking(self.pipe.fileno(), False)

    def calls(self) -> str:
        with contextlib.suppress(OSError), open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()
        return ""

    def end(self) -> int:
        self.process.kill()
        assert self.pipe is not None
        self.pipe.close()
        return self.process.wait()


class Campaign:
    """Workers, and what became of their cases."""

    def __init__(self, options: argparse.Namespace, folder: str) -> None:
        self.options, self.folder = options, folder
        self.done: collections.Counter[str] = collections.Counter()
        self.refused: collections.Counter[str] = collections.Counter()
        self.failed: list[tuple[str, str, str]] = []
        self.until = time.monotonic() + options.seconds if options.seconds else float("inf")
        self.selector = selectors.DefaultSelector()

    def run(self) -> None:
        for first in range(self.options.jobs):
            self._start(first)
        while self.selector.get_map() and time.monotonic() < self.until and len(self.failed) < self.options.most:
            for key, _ in self.selector.select(timeout=1):
                self._read(key.data)
            for key in list(self.selector.get_map().values()):
                if time.monotonic() - key.data.began > self.options.case_seconds * (1 if key.data.ready else 5):
                    self._stop(key.data, f"does not end in {self.options.case_seconds} s")
        for key in list(self.selector.get_map().values()):
            self.selector.unregister(key.fileobj)
            key.data.end()

    def _start(self, first: int) -> None:
        if self.options.cases and first >= self.options.cases:
            return
        worker = Worker(self.options, first, self.folder)
        self.selector.register(worker.pipe, selectors.EVENT_READ, worker)

    def _read(self, worker: Worker) -> None:
        assert worker.pipe is not None
        data = worker.pipe.read()
        if not data:
            self._stop(worker, "")
            return
        for line in data.decode().splitlines():
            number, kind, outcome = line.split(" ", 2)
            if kind == "begin":
                worker.ready = True
                worker.began = time.monotonic()
                worker.at = int(number)
                if self.options.cases and worker.at >= self.options.cases:
                    self.selector.unregister(worker.pipe)
                    worker.end()
                    return
                continue
            self.done[kind] += 1
            self.refused[kind] += outcome == "refused"

    def _stop(self, worker: Worker, why: str) -> None:
        self.selector.unregister(worker.pipe)
        status = worker.end() if why else worker.process.wait()
        calls = worker.calls()
        why = why or (signal.Signals(-status).name if status < 0 else calls.strip().split("\n")[-1])
        self._fail(worker.at, why, calls)
        if worker.ready:
            self._start(worker.at + self.options.jobs)

    def _fail(self, number: int, why: str, calls: str) -> None:
        name = case_name(self.options, number)
        self.failed.append((name, why, calls))
        print(f"== {name}: {why}\n{calls}", flush=True)


def case_name(options: argparse.Namespace, number: int) -> str:
    kinds = options.only or options.kinds
    return f"{kinds[number % len(kinds)]}:{options.seed}:{number}"


def run_case(name: str, log: Any) -> str:
    """What became of it: refused (some call was), answered (none was), or failed: the log ends with why."""
    from hostile import ENTRIES, REFUSALS, REFUSED, Hostile

    refused = []

    class Recorded(Hostile):
        def call(self, *args: Any, **kwargs: Any) -> Any:
            answer = super().call(*args, **kwargs)
            if answer is REFUSED:
                refused.append(1)
            return answer

    def say(text: str) -> None:
        os.write(log, (text + "\n").encode("utf-8", "backslashreplace"))

    h = Recorded(name, say)
    unraisable: list[Any] = []
    sys.unraisablehook = unraisable.append
    try:
        ENTRIES[name.split(":")[0]](h)
    except REFUSALS if h.rate and h.liars else () as error:  # of the fuzzer's own use of what hostile objects gave
        say(f"ends: {error!r}")
    except BaseException:
        say(traceback.format_exc())
        return "failed"
    if unraisable and not h.liars:
        say(f"unraisable {unraisable[0].exc_value!r}")
        return "failed"
    return "refused" if refused else "answered"


def work(options: argparse.Namespace) -> None:
    """Runs cases until it is killed."""
    out = os.dup(1)
    sys.stdout = open(os.devnull, "w")
    log = os.open(options.worker, os.O_CREAT | os.O_RDWR | os.O_APPEND)
    os.dup2(log, 2)  # what a sanitizer says
    faulthandler.enable(log)
    warnings.simplefilter("ignore")
    number = options.first
    from states import pickles

    pickles()
    limit_memory(options.memory)
    while True:
        name = case_name(options, number)
        os.ftruncate(log, 0)
        os.write(out, f"{number} begin x\n".encode())
        outcome = run_case(name, log)
        if outcome == "failed":
            os._exit(1)
        os.write(out, f"{number} {name.split(':')[0]} {outcome}\n".encode())
        number += options.jobs


def limit_memory(megabytes: int) -> None:
    """So much more than there is now; 0: as much as there is."""
    if megabytes:
        with open("/proc/self/statm") as file:
            now = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + (megabytes << 20),) * 2)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=float, help="for so long")
    parser.add_argument("--cases", type=int, help="so many cases")
    parser.add_argument("--seed", default="1", help="any text")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--only", nargs="+", metavar="KIND", help="of these kinds")
    parser.add_argument("--case", metavar="KIND:SEED:NUMBER", help="this one, in this process")
    parser.add_argument(
        "--memory", type=int, default=1500, help="megabytes of a process, above those of its start; 0: no limit"
    )
    parser.add_argument("--case-seconds", type=float, default=20, help="of one case")
    parser.add_argument("--most", type=int, default=20, help="stop after so many failures")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")
    from hostile import ENTRIES

    for module in ("sequences", "feature_functions", "arrays", "graphs", "states", "extension"):
        importlib.import_module(module)
    options.kinds = list(ENTRIES)
    for kind in options.only or ():
        if kind not in ENTRIES:
            parser.error(f"there is no kind {kind}; there are {', '.join(ENTRIES)}")
    if options.worker:
        work(options)
    if options.case:
        faulthandler.enable()
        warnings.simplefilter("ignore")
        print(run_case(options.case, 2))
        return 0
    if not (options.seconds or options.cases):
        parser.error("give --seconds or --cases")
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(options, folder)
        began = time.monotonic()
        campaign.run()
    for kind in options.only or ENTRIES:
        print(f"{kind:12} {campaign.done[kind]:8} cases, {campaign.refused[kind]:8} with a call that was refused")
    print(f"{sum(campaign.done.values())} cases in {time.monotonic() - began:.0f} s, {len(campaign.failed)} failed")
    for name, why, _ in campaign.failed:
        print(f"  --case {name}: {why}")
    return 1 if campaign.failed else 0


if __name__ == "__main__":
    sys.exit(main())
