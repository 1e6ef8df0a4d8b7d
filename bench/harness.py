"""What the benchmarks share: running a program, checking an answer, printing a comparison."""
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
rows = []


class Run:
    """A finished process: its output, seconds and peak memory."""

    def __init__(self, command, env=None, stdin=None, stdout=None, accept=(0,)):
        start = time.perf_counter()
        process = subprocess.Popen([str(c) for c in command], env={**os.environ, **(env or {})},
                                   stdin=stdin or subprocess.DEVNULL,
                                   stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE)
        out, err = process.communicate()
        self.seconds = time.perf_counter() - start
        self.out = (out or b'').decode(errors='replace')
        self.err = err.decode(errors='replace')
        self.status = process.returncode
        if self.status not in accept:
            sys.exit(f'failed ({process.returncode}): {" ".join(map(str, command))}\n{self.err[-2000:]}')


def timed(command, **kwargs):
    """As Run, and with the peak memory in MB, by GNU time."""
    with tempfile.NamedTemporaryFile('r') as report:
        run = Run(['/usr/bin/time', '-f', '%M', '-o', report.name, *command], **kwargs)
        run.megabytes = int(report.read().split()[-1]) / 1024
    return run


def row(name, ours, theirs, unit, peer, target=None, higher_is_better=False, published=False):
    """Prints and keeps one comparison; the ratio says how many times better Croft is."""
    ratio = None
    if theirs:
        ratio = ours / theirs if higher_is_better else theirs / ours
    mark = '*' if published else ''
    theirs_text = f'{theirs:,.4g}{mark}' if theirs else '-'
    ratio_text = f'{ratio:.1f} x{mark}' if ratio else '-'
    goal = f'{target} x' if target else ''
    print(f'{name:<44}{ours:>12,.4g}{theirs_text:>12} {unit:<9}{peer:<10}{ratio_text:>9} {goal:>7}',
          flush=True)
    rows.append({'name': name, 'croft': ours, 'peer': theirs, 'unit': unit, 'peer_name': peer,
                 'ratio': ratio, 'target': target, 'published_peer': published})


def check(condition, what):
    if not condition:
        sys.exit(f'wrong answer, so no figure: {what}')


def machine():
    name = re.search(r'model name\s*:\s*(.*)', Path('/proc/cpuinfo').read_text())
    commit = subprocess.run(['git', '-C', ROOT, 'describe', '--always', '--dirty'],
                            capture_output=True, text=True).stdout.strip()
    return f'{name.group(1) if name else platform.processor()}, {os.cpu_count()} processors; ' \
           f'commit {commit or "unknown"}'
