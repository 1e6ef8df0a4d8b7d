#!/usr/bin/env python3
"""The best assignment of public factor graphs: `croft infer --task map` beside toulbar2.

  bench/graph_map.py [--croft build/release/croft] [--toulbar2 PATH] [--data DIR] [--seconds 15]
                     [--method NAME | --methods] [NAME ...]

--toulbar2  the program (default: on the PATH; Debian's package toulbar2).
--data      the folder with graphs (default: CROFT_DATA, or ../shared/data beside the checkout).
--methods   instead: what each of Croft's methods finds on some instances, and in which time.
NAME        only instances with this in their path, such as uai-map/Promedas_24.

Both get the same time and the same evidence.  Scores are natural logarithms, added up here from
the file of the graph for the assignments that the programs write down; what one proves and the
other exceeds is an error.  toulbar2 rounds scores to 1e-7 for each factor.  Where the assignment that it
writes down has another score than the optimum that it prints, the table has the assignment's and
the printed one, and nothing is compared.
"""
import argparse
import json
import math
import os
import re
import resource
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from harness import ROOT, check, machine

FOLDERS = ('uai-map', 'uai-mar', 'uai-pr', 'bnlearn', 'libdai', '.')
OPTIMUM = re.compile(r'^Optimum: \S+ energy: (\S+) .* and (\d+) nodes', re.MULTILINE)


class Graph:
    """Sizes, scopes and log tables of a .uai file."""

    def __init__(self, path):
        words = iter(path.read_text().split())
        next(words)
        self.sizes = [int(next(words)) for _ in range(int(next(words)))]
        self.scopes = [[int(next(words)) for _ in range(int(next(words)))]
                       for _ in range(int(next(words)))]
        self.tables = []
        for _ in self.scopes:
            numbers = [float(next(words)) for _ in range(int(next(words)))]
            self.tables.append([math.log(p) if p > 0 else -math.inf for p in numbers])

    def score(self, states):
        each = []
        for scope, table in zip(self.scopes, self.tables):
            at = 0
            for variable in scope:
                at = at * self.sizes[variable] + states[variable]
            each.append(table[at])
        return math.fsum(each) if -math.inf not in each else -math.inf


def observed(path):
    """Pairs of an evidence file of either dialect: `n v s ...`, or `1` and then that."""
    numbers = [int(word) for word in path.read_text().split()] if path else []
    if len(numbers) % 2 == 0 and numbers:
        numbers = numbers[1:]
    return list(zip(numbers[1::2], numbers[2::2]))


def instances(data, names):
    """(name, graph, evidence or None): with and without evidence where there is a second file."""
    for folder in FOLDERS:
        for graph in sorted([*(data / folder).glob('*.uai'), *(data / folder).glob('*.fg')]):
            name = f'{folder}/{graph.stem}'.removeprefix('./')
            first, second = (Path(f'{graph}.{end}') for end in ('evid', 'evid2'))
            cases = [(name, graph, first if first.exists() and observed(first) else None)]
            if second.exists():
                cases.append((f'{name} with evidence', graph, second))
            yield from (case for case in cases if not names or any(n in case[0] for n in names))


def timed(command, folder, limit):
    """Output, seconds of the processor, whether it ended by itself."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        run = subprocess.run([str(c) for c in command], cwd=folder, timeout=limit,
                             stdin=subprocess.DEVNULL, capture_output=True, text=True)
        out, status = run.stdout, run.returncode
    except subprocess.TimeoutExpired as late:
        out, status = (late.stdout or b'').decode(errors='replace'), None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return out, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, status


def run_toulbar2(program, graph, evidence, folder, seconds):
    name = Path(folder) / 'toulbar2.uai'
    shutil.copy(graph, name)
    command = [program, name.name]
    if evidence:
        text = ' '.join(str(n) for pair in observed(evidence) for n in pair)
        (Path(folder) / 'toulbar2.evid').write_text(f'{len(observed(evidence))} {text}\n')
        command.append('toulbar2.evid')
    solution = Path(folder) / 'solution'
    solution.unlink(missing_ok=True)
    out, took, _ = timed([*command, f'-timer={seconds}', '-w=solution'], folder, 4 * seconds + 60)
    proved = OPTIMUM.search(out)
    states = None
    if solution.exists() and solution.read_text().split():
        states = [int(s) for s in solution.read_text().split('\n')[0].split()]
    return states, proved, took


def run_croft(program, method, graph, evidence, seconds):
    command = [program, 'infer', graph, '--task', 'map', '--time', seconds, '--json',
               '--method', method]
    if evidence:
        command += ['--evidence', evidence]
    begin = time.perf_counter()
    out, took, status = timed(command, None, 4 * seconds + 60)
    if status != 0:
        return None, {'method': '-'}, took, time.perf_counter() - begin
    answer = json.loads(out)
    return answer['assignment'], answer, took, time.perf_counter() - begin


def shown(score):
    return '-' if score is None else f'{score:.6g}' if abs(score) < 1000 else f'{score:.3f}'


def compare(name, graph, evidence, args, folder):
    uai = graph
    if graph.suffix != '.uai':
        uai = Path(folder) / 'converted.uai'
        subprocess.run([args.croft, 'infer', graph, '--save', uai], check=True, capture_output=True)
    theirs, proved, their_seconds = run_toulbar2(args.toulbar2, uai, evidence, folder, args.seconds)
    ours, answer, our_seconds, wall = run_croft(args.croft, args.method, uai, evidence,
                                                args.seconds)
    model = Graph(uai)
    their_score = None if theirs is None else model.score(theirs)
    our_score = None if ours is None else model.score(ours)
    nodes = proved.group(2) if proved else ''
    printed = -float(proved.group(1)) if proved else their_score
    mark, doubtful = ' =' if proved else '', False
    if proved and their_score is not None and not abs(their_score - printed) <= 2e-3:
        mark, doubtful = f' (prints {printed:.6g})', True
    our_proof = answer.get('kind') == 'exact'
    rounding = 2e-7 * len(model.scopes) + 1e-9 * abs(our_score or 0)
    for states in (theirs, ours):
        check(states is None or all(states[v] == s for v, s in observed(evidence)),
              f'{name}: an assignment that contradicts the evidence')
    if None not in (their_score, our_score) and not doubtful:
        check(abs(our_score - answer['log_score']) <= 1e-9 * max(1, abs(our_score)),
              f'{name}: log_score is {answer["log_score"]}, and its assignment has {our_score}')
        check(not our_proof or their_score <= our_score + 1e-8 * max(1, abs(our_score)),
              f'{name}: toulbar2 finds {their_score}, and Croft says that {our_score} is best')
        check(answer.get('bound') is None or
              max(their_score, our_score) <= answer['bound'] + 1e-8 * max(1, abs(our_score)),
              f'{name}: {max(their_score, our_score)} is above the bound {answer.get("bound")}')
        check(not proved or our_score <= their_score + rounding,
              f'{name}: Croft finds {our_score}, and toulbar2 says that {their_score} is best')
    bound = '=' if our_proof else shown(answer.get('bound'))
    print(f'| {name} | {shown(their_score)}{mark} | {their_seconds:.2f} '
          f'| {nodes} | {answer["method"]} | {shown(our_score)} | {bound} '
          f'| {our_seconds:.2f} ({wall:.2f}) |', flush=True)
    return bool(proved) and not doubtful, our_proof


# Of every method, with what it needs to come to an end.
METHODS = {
    'junction-tree': ('--time', '10'), 'branch-and-bound': ('--time', '10'), 'graph-cut': (),
    'qpbo': (),
    'alpha-expansion': (), 'alpha-beta-swap': (), 'max-product': ('--set', 'damping=0.5'),
    'trw-s': (), 'mplp': (), 'dual-decomposition': (), 'icm': (), 'lazy-flipper': (),
    'annealing': (),
}
SHOWN = ('Segmentation_12', 'Segmentation_11', 'ProteinFolding_15', 'ImageAlignment_12',
         'Promedas_43', 'Promedas_24', 'Grids_30', 'Grids_26', 'Grids_21', 'wcsp_11', 'wcsp_15',
         'ObjectDetection_11')


def find_by(method, graph, args):
    """`score = seconds`, `score (bound) seconds`, or a dash where the method does not take the
    graph, or has no answer in its time."""
    best = None
    for _ in range(3):  # the quickest, where that is worth the time
        run = subprocess.run([args.croft, 'infer', graph, '--evidence', f'{graph}.evid', '--task',
                              'map', '--method', method, *METHODS[method], '--json', '--quiet'],
                             capture_output=True, text=True)
        if run.returncode != 0:
            return 'none found' if 'has found no' in run.stderr else '–'
        answer = json.loads(run.stdout)
        if best is None or answer['seconds'] < best['seconds']:
            best = answer
        if answer['seconds'] > 0.3:
            break
    bound = f' ({shown(best["bound"])})' if 'bound' in best else ''
    worth = ' =' if best['kind'] == 'exact' else bound
    return f'{shown(best["log_score"])}{worth} {best["seconds"]:.2g} s'


def show_methods(data, args):
    names = [name for name in SHOWN if not args.names or name in args.names]
    print(machine())
    print(f'\n| method | {" | ".join(names)} |\n|{"---|" * (len(names) + 1)}')
    for method, options in METHODS.items():
        cells = [find_by(method, data / 'uai-map' / f'{name}.uai', args) for name in names]
        print(f'| `{" ".join((method, *options))}` | {" | ".join(cells)} |', flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--croft', type=lambda p: Path(p).resolve(),
                        default=ROOT / 'build/release/croft')
    parser.add_argument('--toulbar2', default=shutil.which('toulbar2'))
    parser.add_argument('--data', type=Path,
                        default=Path(os.environ.get('CROFT_DATA', ROOT.parent / 'shared/data')))
    parser.add_argument('--seconds', type=int, default=15)
    parser.add_argument('--method', default='auto')
    parser.add_argument('--methods', action='store_true')
    parser.add_argument('names', nargs='*', metavar='NAME')
    args = parser.parse_args()
    data = args.data.resolve() / 'graphs'
    if not data.is_dir():
        print(f'skipped: no graphs in {args.data}; set CROFT_DATA to a folder that holds them')
        return
    if args.methods:
        show_methods(data, args)
        return
    if not args.toulbar2:
        print('skipped: no toulbar2 on the PATH (apt-get install toulbar2, or --toulbar2 PATH)')
        return
    print(machine())
    print(f'\n{args.seconds} s each; seconds of the processor (of the clock); =: proved\n\n'
          '| instance | toulbar2 | s | nodes | method | croft | bound | s |\n'
          '|---|---|---|---|---|---|---|---|', flush=True)
    with tempfile.TemporaryDirectory() as folder:
        proofs = [(case[0], *compare(*case, args, folder))
                  for case in instances(data, args.names)]
    check(proofs, f'no instance is named {", ".join(args.names)}')
    short = [name for name, theirs, ours in proofs if theirs and not ours]
    print(f'\n{len(proofs)} instances; proved by toulbar2: {sum(p[1] for p in proofs)}, by Croft: '
          f'{sum(p[2] for p in proofs)}; by toulbar2 alone: {", ".join(short) or "none"}')


if __name__ == '__main__':
    main()
