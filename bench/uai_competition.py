#!/usr/bin/env python3
"""`croft infer` by the rules of the UAI 2022 inference competition, beside its published solvers.

  bench/uai_competition.py --instances DIR [--published DIR] [--references DIR] [--best FILE]
                           [--tasks PR,MAR,MPE,MMAP] [--every N] [--only TEXT] [--seconds 20]
  bench/uai_competition.py --instances DIR --make-references SECONDS --references DIR [--only TEXT]

--instances   a folder of `.uai` files with `.evid` and, for MMAP, `.query` beside them, in subfolders
              (or zip archives in them) that are named by tasks: PR or PE; MAR; MPE or MAP; MMAP, whose
              models serve MPE, too, where it has none: such as a checkout of dechterlab/uai-competitions.
--references  a folder with NAME.uai.PR (log10 Z) and NAME.uai.MAR, beside those next to the models.
--best        a file with lines `MPE NAME LOG10` and `MMAP NAME LOG10`: the best assignments known.
--published   a folder with the tables TASK-scores-comparison.md of the competition's web pages, such as
              _pages/root/results/current-leader-board/solver-scores of uaicompetition/uci-2022.
--make-references  instead: writes the answers of junction trees that take at most these seconds each.

Each task gets --seconds, one thread, and 8 GB. An instance scores max(0, 100 (1 - error / worst)), where the error
of PR is |ln Z - reference|, of MAR the mean Hellinger distance over the unobserved variables, of MPE and MMAP
ln(best / found); the worst is the error of a trivial solver. For MAR that is the uniform distribution. For the
others it follows from published scores below 100; where there are none, PR takes the bound by each factor's
maximum times the number of states, and MPE and MMAP count only whether the best is reached. Assignments are
scored here: by the tables, or, with variables summed out, by a junction tree given the assignment. An answer of
kind `exact` is its own reference where there is no other; a reference of log Z that it contradicts does not count.
"""
import argparse
import json
import math
import re
import subprocess
import tempfile
import time
import zipfile
from pathlib import Path

from graph_map import Graph, observed
from harness import ROOT, check, machine

FOLDERS = {'PR': ('PR', 'PE'), 'MAR': ('MAR',), 'MPE': ('MPE', 'MAP'), 'MMAP': ('MMAP',)}
QUESTIONS = {'PR': 'partition', 'MAR': 'marginals', 'MPE': 'map', 'MMAP': 'marginal-map'}
# Published references that two exact engines contradict, with log10 Z as those have it.
CORRECTED = {'relational_2': 6242.661595, 'relational_3': 376.716566, 'relational_5': 4371.588438}
LN10 = math.log(10)


def unpacked(folder, into):
    """Folders of models: those under `folder` that a task names, archives in them unpacked."""
    found = {}
    for task, names in FOLDERS.items():
        for place in [p for p in [folder, *sorted(folder.rglob('*'))] if p.is_dir() and p.name in names]:
            found.setdefault(task, []).append(place)
            for archive in sorted(place.glob('*.zip')):
                target = Path(into) / task / archive.stem
                zipfile.ZipFile(archive).extractall(target)
                found[task].append(target)
    found.setdefault('MPE', found.get('MMAP', []))
    return found


def models(places):
    paths = {path.stem: path for place in places for path in sorted(place.glob('*.uai'))}
    return [paths[name] for name in sorted(paths, key=lambda n: [int(w) if w.isdigit() else w
                                                                 for w in re.split(r'(\d+)', n)])]


def published(folder, task, seconds):
    """{instance: {solver: (score, log10 or None)}} in `seconds`, and the pairs of all time limits."""
    path = folder / f'{task}-scores-comparison.md' if folder else None
    table, pairs, solvers, limit = {}, {}, [], ''
    for line in path.read_text().splitlines() if path and path.exists() else ():
        cells = [cell.strip() for cell in line.strip().strip('|').split('|')]
        if line.startswith('#'):
            limit = line.strip('# ')
        elif line.startswith('|') and cells[0] == 'Problem':
            solvers = cells[1:]
        elif line.startswith('|') and not cells[0].startswith('-'):
            each = [re.fullmatch(r'(\S+?)(?: \((\S+)\))?', cell) for cell in cells[1:]]
            row = [(float(m[1]), float(m[2]) if m[2] else math.nan) for m in each]
            pairs.setdefault(cells[0], []).extend(pair for pair in row if math.isfinite(pair[1]))
            if limit == f'{seconds}sec':
                table[cells[0]] = dict(zip(solvers, row))
    return table, pairs


def worst_error(pairs, best):
    """The trivial solver's error in log10, from the published pair that has most digits of it."""
    far = [(abs(value - best), score) for score, value in pairs if 0 < score < 99.95]
    error, score = max(far, default=(0, 0))
    return error / (1 - score / 100) if error >= 0.5 else None


def reference(path, ending, folder):
    for place in [path.parent, *([folder] if folder else [])]:
        file = place / f'{path.name}.{ending}'
        if file.exists():
            words = file.read_text().split()
            return [float(word) for word in (words[1:] if words[0] == ending else words)]
    return None


def marginals_of(numbers):
    """Rows of the format `n k p … k p …`."""
    rows, at = [], 1
    for _ in range(int(numbers[0])):
        count = int(numbers[at])
        rows.append(numbers[at + 1:at + 1 + count])
        at += 1 + count
    return rows


def hellinger(p, q):
    return math.sqrt(max(0.0, sum((math.sqrt(max(a, 0)) - math.sqrt(max(b, 0))) ** 2 for a, b in zip(p, q)) / 2))


def croft(program, path, task, seconds, more=()):
    command = [program, 'infer', path, '--task', task, '--time', seconds, '--threads', 1, '--memory', '8G', '--json',
               '--quiet', *more]
    evidence = path.with_name(path.name + '.evid')
    if evidence.exists() and observed(evidence):
        command += ['--evidence', evidence]
    begin = time.perf_counter()
    run = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    answer = json.loads(run.stdout) if run.returncode == 0 else {'method': run.stderr.strip()[-60:], 'kind': 'none'}
    return answer, time.perf_counter() - begin


def seen(path):
    evidence = path.with_name(path.name + '.evid')
    return dict(observed(evidence)) if evidence.exists() else {}


def loose_bound(path):
    """log10 of each factor's maximum times the number of states, given what is observed."""
    graph, given = Graph(path), seen(path)
    return (sum(max(table) for table in graph.tables) +
            sum(math.log(k) for v, k in enumerate(graph.sizes) if v not in given)) / LN10


class Scorer:
    """Scores of one task; each returns (score or None, what was found, the reference, both as text)."""

    def __init__(self, args, task):
        self.args, self.task = args, task
        self.table, self.pairs = published(args.published, task, args.seconds)
        self.best = {}
        for line in args.best.read_text().splitlines() if args.best else ():
            of, name, value = line.split()
            if of == task:
                self.best[name] = float(value)

    def run(self, path):
        more = ()
        if self.task == 'MMAP':
            query = [int(w) for w in path.with_name(path.name + '.query').read_text().split()][1:]
            more = ('--over', ','.join(str(v) for v in query if v not in seen(path)))
        answer, wall = croft(self.args.croft, path, QUESTIONS[self.task], self.args.seconds, more)
        score, text = getattr(self, self.task.lower())(path, answer, more)
        return answer, wall, score, text

    def pr(self, path, answer, _):
        known = reference(path, 'PR', self.args.references)
        truth = CORRECTED.get(path.stem, known[0] if known else None)
        found = answer.get('log10_partition')
        exact = answer['kind'] == 'exact'
        right = [value for score, value in self.pairs.get(path.stem, []) if score == 100]
        if truth is None and exact:
            truth = found
        elif truth is None and right and found is not None:  # published with one digit
            truth = min(max(found, right[-1] - 0.05), right[-1] + 0.05)
        if truth is None:
            return None, f'{found} (no reference)'
        text = f'{found} for {truth:.6g}'
        if exact and (found is None or abs(found - truth) > 2e-4 * max(1, abs(truth))):
            return None, f'{text}, which an exact answer contradicts'
        if found is None:
            return 0.0, text
        worst = worst_error(self.pairs.get(path.stem, []), truth)
        if worst is None:
            worst = max(loose_bound(path) - truth, 1e-9)
        return max(0.0, 100 * (1 - abs(found - truth) / worst)) if not exact else 100.0, text

    def mar(self, path, answer, _):
        known = reference(path, 'MAR', self.args.references)
        exact, given = answer['kind'] == 'exact', seen(path)
        if known is None:
            return (100.0, 'exact') if exact else (None, 'no reference')
        truth, found = marginals_of(known), answer.get('marginals')
        if not found:
            return 0.0, 'no answer'
        open_ = [v for v in range(len(truth)) if v not in given]
        error = sum(hellinger(truth[v], found[v]) for v in open_) / len(open_)
        worst = sum(hellinger(truth[v], [1 / len(truth[v])] * len(truth[v])) for v in open_) / len(open_)
        return max(0.0, 100 * (1 - error / worst)) if worst > 0 else 100.0, f'error {error:.4f} of {worst:.4f}'

    def of_assignment(self, name, found, proved):
        best = max([self.best.get(name, -math.inf), *(value for _, value in self.pairs.get(name, ()))])
        if proved or best == -math.inf:
            other = ', and another query was published' if best - found > 0.06 and self.task == 'MMAP' else ''
            check(not proved or best - found <= 0.06 or other, f'{name}: {best} is known, and {found} is called best')
            return (100.0 if proved else None), f'{found:.3f}{other}'
        if name not in self.best:  # published with one digit
            best = max(best - 0.05, found)
        best, worst = max(best, found), worst_error(self.pairs.get(name, []), best)
        text = f'{found:.3f} for {best:.3f}'
        if worst is None:
            return (100.0 if best - found < 0.05 else 0.0), text
        return max(0.0, 100 * (1 - (best - found) / worst)), text

    def mpe(self, path, answer, _):
        states = answer.get('assignment')
        if not states:
            return 0.0, 'no assignment'
        check(all(states[v] == s for v, s in seen(path).items()), f'{path.stem}: the evidence is contradicted')
        return self.of_assignment(path.stem, Graph(path).score(states) / LN10, answer['kind'] == 'exact')

    def mmap(self, path, answer, more):
        states = answer.get('assignment')
        if not states:
            return 0.0, 'no assignment'
        given = [f'--observe={v}={s}' for v, s in zip(more[1].split(','), states)]
        value, _ = croft(self.args.croft, path, 'partition', 60, given)
        found = value['log10_partition'] if value['kind'] == 'exact' else answer['log_score'] / LN10
        return self.of_assignment(path.stem, -math.inf if found is None else found, answer['kind'] == 'exact')


def compare(task, paths, args):
    scorer = Scorer(args, task)
    print(f'\n{task}\n| instance | method | kind | s | found | score | '
          f'published: {", ".join(next(iter(scorer.table.values()), {}))} |\n|---|---|---|---|---|---|---|', flush=True)
    ours, theirs, overtime = [], {}, 0
    for path in paths:
        answer, wall, score, text = scorer.run(path)
        row = scorer.table.get(path.stem, {})
        overtime += wall > args.seconds + 1
        print(f'| {path.stem} | {answer["method"]} | {answer["kind"]} | {wall:.1f} | {text} '
              f'| {"-" if score is None else f"{score:.1f}"} | {", ".join(f"{s:g}" for s, _ in row.values())} |',
              flush=True)
        if score is None:
            continue
        ours.append((score, bool(row)))
        for solver, (points, _) in row.items():
            theirs.setdefault(solver, []).append(points)
    if not ours:
        return f'| {task} | 0 | - | - | |'
    shared = [score for score, listed in ours if listed]
    others = ', '.join(f'{solver} {sum(points) / len(points):.1f}' for solver, points in
                       sorted(theirs.items(), key=lambda item: -sum(item[1])))
    print(f'{overtime} took over a second longer than {args.seconds} s')
    return (f'| {task} | {len(ours)} | {sum(score for score, _ in ours) / len(ours):.2f} '
            f'| {len(shared)}: {sum(shared) / max(len(shared), 1):.2f} | {others} |')


def make_references(paths, args):
    args.references.mkdir(parents=True, exist_ok=True)
    for path in paths:
        if reference(path, 'MAR', args.references):
            continue
        answer, wall = croft(args.croft, path, 'marginals', args.make_references, ('--method', 'junction-tree'))
        print(f'{path.stem}: {answer["kind"]} {wall:.1f} s', flush=True)
        if answer['kind'] != 'exact' or not answer.get('marginals'):
            continue
        (args.references / f'{path.name}.PR').write_text(f'{answer["log10_partition"]}\n')
        rows = ' '.join(f'{len(row)} {" ".join(repr(p) for p in row)}' for row in answer['marginals'])
        (args.references / f'{path.name}.MAR').write_text(f'{len(answer["marginals"])} {rows}\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--instances', type=Path, required=True)
    parser.add_argument('--published', type=Path)
    parser.add_argument('--references', type=Path)
    parser.add_argument('--best', type=Path)
    parser.add_argument('--tasks', default='PR,MAR,MPE,MMAP')
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--only', action='append', default=[])
    parser.add_argument('--seconds', type=int, default=20)
    parser.add_argument('--make-references', type=float, metavar='SECONDS')
    parser.add_argument('--croft', type=lambda p: Path(p).resolve(), default=ROOT / 'build/release/croft')
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        places, totals = unpacked(args.instances, folder), []
        for task in args.tasks.split(','):
            paths = [p for p in models(places.get(task, [])) if not args.only or any(n in p.stem for n in args.only)]
            if args.make_references:
                make_references(paths[::args.every], args)
            elif paths:
                totals.append(compare(task, paths[::args.every], args))
    if not args.make_references:
        check(totals, f'no instances under {args.instances}')
        print(f'\n{machine()}\n\n| task | instances | croft | of those published | published, {args.seconds} s |\n'
              '|---|---|---|---|---|', *totals, sep='\n')


if __name__ == '__main__':
    main()
