#!/usr/bin/env python3
"""Factor graphs beside their peers: checks the answer first, then prints the figures.

  bench/graphs.py [--croft build/release/croft] [--peers DIR] [--data DIR] [--only PART …] [--long] [--json FILE]

Seconds are those of the processor, user and system together, and the least of some runs that
alternate with the peer's; memory is the peak of the whole process.  Parts:

exact        junction-tree: croft is the whole process with reading the file and the search for an
             order, libDAI building and calibrating alone; the last column has what croft took for
             that, the search included (elapsed, "seconds" of its --json)
propagation  loopy belief propagation to 1e-9, from a read graph to its beliefs, with the default
             schedule; libDAI with the fastest of its schedules that converges
gibbs        10,000 sweeps of a 20 x 20 Ising grid, and of 1024 x 1024; JAGS less its compilation
messages     TRW-S against SRMP, as many iterations
cuts         graph cuts of the segmentations and of a 1024 x 1024 grid

--peers  a folder with
           libdai GRAPH EVIDENCE|- ALGORITHM[properties]
             reads UAI, prints one JSON object: log_partition, residual, iterations, and cpu, the
             seconds of the processor from the graph to the end of run()
           srmp   SRMP's example program
         jags is taken from the PATH.  What is not there is skipped with a message.
--data   the folder with graphs (default: CROFT_DATA, or ../shared/data beside the checkout)
--long   also what takes libDAI 40 seconds or more, and 10 GB
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from graph_instances import EXACT, EXACT_LONG, PROPAGATION, log_partition, files
from harness import ROOT, check, machine

JUNCTION_TREE = 'JTREE[updates=HUGIN,heuristic=MINFILL,verbose=0]'
LIBDAI_SCHEDULES = ('SEQMAX', 'SEQFIX', 'SEQRND', 'PARALL')
COUPLINGS = (0.1, 0.3, 0.5, 1, 2, 4)
results = []


class Process:
    """A finished process: output, seconds of the processor, elapsed seconds, peak memory in MB."""

    def __init__(self, command):
        command = [str(part) for part in command]
        # GNU time forks from a small process: the peak of a child counts what it had before exec.
        with (tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err,
              tempfile.NamedTemporaryFile('r') as memory):
            start = time.perf_counter()
            child = subprocess.Popen(['/usr/bin/time', '-f', '%M', '-o', memory.name, *command],
                                     stdin=subprocess.DEVNULL, stdout=out, stderr=err)
            _, status, use = os.wait4(child.pid, 0)
            self.elapsed = time.perf_counter() - start
            child.returncode = self.status = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            self.out, self.err = out.read().decode(), err.read().decode(errors='replace')
            self.megabytes = int(memory.read().split()[-1]) / 1024
        self.seconds = use.ru_utime + use.ru_stime
        self.command = ' '.join(command)

    def must(self):
        if self.status != 0:
            sys.exit(f'failed ({self.status}): {self.command}\n{self.err[-2000:]}')
        return self


def near(a, b, tolerance=1e-6):
    return abs(a - b) <= tolerance * max(1, abs(a), abs(b))


class Table:
    """A markdown table that grows row by row; the ratio is the peer's figure over Croft's."""

    def __init__(self, title, unit, peer, goal):
        print(f'\n### {title}\n\n| | Croft, {unit} | {peer}, {unit} | ratio | goal | memory, MB | {peer}, MB | |')
        print('|---|---|---|---|---|---|---|---|', flush=True)
        self.title, self.peer, self.goal = title, peer, goal

    def row(self, name, ours, theirs=None, goal=None, ours_mb=None, theirs_mb=None, note=''):
        def text(x, form='{:,.4g}'):
            return '' if x is None else form.format(x)
        ratio = theirs / ours if theirs and ours else None
        print(f'| {name} | {text(ours)} | {text(theirs)} | {text(ratio, "{:.1f} x")} | {goal or ""} | '
              f'{text(ours_mb, "{:.0f}")} | {text(theirs_mb, "{:.0f}")} | {note} |', flush=True)
        results.append({'part': self.title, 'name': name, 'croft': ours, 'peer': theirs, 'ratio': ratio,
                        'goal': goal, 'croft_mb': ours_mb, 'peer_mb': theirs_mb, 'note': note})


class Bench:
    def __init__(self, args, folder):
        self.croft = Path(args.croft).resolve()
        self.program = self.croft.parent / 'bench/graph_bench'
        self.data = Path(args.data) / 'graphs'
        self.folder = Path(folder)
        self.long = args.long
        self.runs = args.runs
        peers = Path(args.peers).resolve() if args.peers else None
        self.libdai = self.peer(peers and peers / 'libdai')
        self.srmp = self.peer(peers and peers / 'srmp')
        self.jags = self.peer(shutil.which('jags'), 'jags')

    @staticmethod
    def peer(path, name=None):
        if path and Path(path).exists():
            return Path(path)
        print(f'no {name or (path and Path(path).name) or "peers"}: its columns stay empty', file=sys.stderr)
        return None

    def instance(self, name):
        """The graph and its evidence; None, with a message, where the data is not there."""
        graph, evidence = files(self.data, name)
        if not graph.exists():
            print(f'skipped: no {graph}', file=sys.stderr)
            return None
        return graph, evidence

    def figures(self, *arguments):
        return [float(x) for x in Process([self.program, *arguments]).must().out.split()]

    def ask_libdai(self, graph, evidence, algorithm):
        """None where libDAI gives up: it throws where numbers become 0."""
        run = Process([self.libdai, graph, evidence or '-', algorithm])
        if run.status != 0:
            return None
        return json.loads(run.out) | {'megabytes': run.megabytes}

    # --- the parts ---------------------------------------------------------------------------------
    def exact(self):
        table = Table('Junction tree: all marginals', 's', 'libDAI', 10)
        for name in EXACT + (EXACT_LONG if self.long else ()):
            if (found := self.instance(name)) is None:
                continue
            graph, evidence = found
            options = ['--evidence', evidence] if evidence else []
            ours, theirs, inside = [], [], []
            for _ in range(1 if name in EXACT_LONG else self.runs):
                run = Process([self.croft, 'infer', graph, *options, '--task', 'marginals', '--method',
                               'junction-tree', '--json', '--quiet']).must()
                answer = json.loads(run.out)
                log_z = answer['log_partition']
                inside.append(answer['seconds'])
                check(near(log_z, log_partition(name)), f'{name}: {log_z}, not {log_partition(name)}')
                ours.append(run)
                if self.libdai:
                    peer = self.ask_libdai(graph, evidence, JUNCTION_TREE)
                    check(peer and near(peer['log_partition'], log_z), f'libDAI on {name}: {peer}')
                    theirs.append(peer)
            seconds = min(run.seconds for run in ours)
            memory = min(run.megabytes for run in ours)
            peer = min((p['cpu'] for p in theirs), default=None)
            peer_memory = min((p['megabytes'] for p in theirs), default=None)
            timed = peer is None or peer > 0.3
            goal = '10 x, memory 3 x' if timed else ''
            note = f'{min(inside):.4f} s alone' + (f', {peer / min(inside):.1f} x' if peer else '')
            table.row(name, seconds, peer, goal, memory, peer_memory, note)

    def propagation(self):
        table = Table('Belief propagation to 1e-9', 'ms', 'libDAI', 5)
        for name in PROPAGATION:
            if (found := self.instance(name)) is None:
                continue
            graph, evidence = found
            ours, best = [], None
            for _ in range(self.runs):
                ours.append(self.figures('belief-propagation', graph, evidence or '-', 'auto', 1e-9))
                for schedule in LIBDAI_SCHEDULES if self.libdai else ():
                    run = self.ask_libdai(graph, evidence, f'BP[inference=SUMPROD,updates={schedule},'
                                          'logdomain=0,tol=1e-9,maxiter=2000,verbose=0]')
                    if run and 0 <= run['residual'] <= 1e-9 and (not best or run['cpu'] < best[0]):
                        best = run['cpu'], schedule, run['log_partition']
            seconds, converged, iterations, log_z = min(ours)
            if not converged:
                table.row(name, None if not best else 1e3 * seconds, note='did not converge')
                continue
            note = f'{iterations:.0f} iterations'
            if best:
                note += f'; {best[1]}'
                if not near(best[2], log_z):
                    note += f'; another fixed point: log Z {log_z:.4f}, libDAI {best[2]:.4f}'
            goal = '5 x' if best and best[0] > 0.005 else ''
            table.row(name, 1e3 * seconds, best and 1e3 * best[0], goal, note=note)

    def gibbs(self):
        table = Table('Gibbs sampling', 's', 'JAGS', None)
        graph = self.data / 'ising20_J0.3.uai'
        if graph.exists():
            runs = [self.figures('gibbs', graph, '-', 10000) for _ in range(self.runs)]
            seconds, away, effective = min(runs)
            check(away < 6 * 0.5 / effective ** 0.5, f'a marginal is {away} from 1/2')
            table.row('20 x 20 Ising, 10,000 sweeps', seconds, self.jags_seconds(), 'at most 0.05 s')
        sweeps, side = 100, 1024
        seconds, *_ = min(self.figures('grid-gibbs', side, sweeps) for _ in range(self.runs))
        rate = sweeps * side * side / seconds
        table.row('1024 x 1024, 100 sweeps', seconds, goal='100 million a second',
                  note=f'{rate / 1e6:.0f} million site updates a second')

    def jags_seconds(self):
        """10,000 sweeps and no compilation, of the pairs' factors as observed coins."""
        if not self.jags:
            return None
        side, edges = 20, []
        for v in range(side * side):
            edges += [(v + 1, v + 2)] * ((v + 1) % side != 0)
            edges += [(v + 1, v + side + 1)] * (v + side < side * side)
        (self.folder / 'model').write_text(
            'model {\n for (i in 1:N) { x[i] ~ dbern(0.5) }\n for (e in 1:M) {\n'
            '  one[e] ~ dbern(exp(0.6 * (equals(x[a[e]], x[b[e]]) - 1)))\n }\n}\n')
        columns = [','.join(str(edge[k]) for edge in edges) for k in (0, 1)]
        (self.folder / 'data').write_text(
            f'N <- {side * side}\nM <- {len(edges)}\na <- c({columns[0]})\nb <- c({columns[1]})\n'
            f'one <- c({",".join("1" for _ in edges)})\n')

        def seconds(sweeps):
            script = self.folder / f'script{sweeps}'
            script.write_text(f'model in "{self.folder}/model"\ndata in "{self.folder}/data"\n'
                              f'compile\ninitialize\nupdate {sweeps}\nexit\n')
            return min(Process([self.jags, script]).must().seconds for _ in range(2))
        return seconds(10001) - seconds(1)

    def messages(self):
        table = Table('TRW-S: an iteration, forward and backward', 'ms', 'SRMP', 1)
        for name, iterations in (('map Segmentation_11', 200), ('map ImageAlignment_12', 200), ('map wcsp_11', 100),
                                 ('map ObjectDetection_11', 100), ('map Grids_21', 300)):
            if (found := self.instance(name)) is None:
                continue
            graph, evidence = found
            peer = self.ask_srmp(graph, evidence, iterations)
            if peer:
                iterations = peer[2]
            runs = [self.figures('trw-s', graph, evidence or '-', count) for count in (1, iterations)
                    for _ in range(self.runs)]
            one, (seconds, done, bound, _) = min(runs[:self.runs])[0], min(runs[self.runs:])
            note = f'{done:.0f} iterations, bound {bound:.4f}' + (f', SRMP {peer[1]:.4f}' if peer else '')
            table.row(name, 1e3 * max(seconds - one, 0) / max(done - 1, 1), peer and 1e3 * peer[0], '1 x', note=note)

    def ask_srmp(self, graph, evidence, iterations):
        """Seconds for each iteration, the bound as a score, iterations; None where it gives up."""
        if not self.srmp:
            return None
        own = self.folder / 'own.LG'
        Process([self.croft, 'infer', graph, *(['--evidence', evidence] if evidence else []), '--save', own,
                 '--quiet']).must()

        def run(count):  # it ends earlier where the bound does not rise
            process = Process([self.srmp, '-SRMP', '-BLP', f'-iter={count}', '-eps=0', own])
            found = re.findall(r'iter (\d+) .*lower bound=(-?[\d.e+]+)', process.out)
            return (process.seconds, int(found[-1][0]), -float(found[-1][1])) if found else None
        runs = [(run(1), run(iterations)) for _ in range(self.runs)]
        if not all(one and many for one, many in runs):
            return None
        done, bound = runs[0][1][1:]
        one, many = (min(pair[k][0] for pair in runs) for k in (0, 1))
        return max(many - one, 0) / max(done - 1, 1), bound, done

    def cuts(self):
        table = Table('Graph cuts', 's', 'peer', None)
        for number, score in ((12, -51.150653), (13, -49.858745), (14, -92.333556)):
            if (found := self.instance(f'map Segmentation_{number}')) is None:
                continue
            graph, evidence = found
            seconds, reached = min(self.figures('graph-cut', graph, evidence or '-') for _ in range(self.runs))
            check(near(reached, score), f'Segmentation_{number}: {reached}, not {score}')
            table.row(f'Segmentation_{number}', seconds, goal='milliseconds', note='optimal')
        for coupling in COUPLINGS:
            seconds, _ = min(self.figures('grid-cut', 1024, coupling) for _ in range(self.runs))
            table.row(f'1024 x 1024, Potts {coupling}', seconds, goal='at most 1 s')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parts = ('exact', 'propagation', 'gibbs', 'messages', 'cuts')
    parser.add_argument('--croft', default=ROOT / 'build/release/croft')
    parser.add_argument('--peers', default=os.environ.get('PEERS') or None)
    parser.add_argument('--data', default=os.environ.get('CROFT_DATA', ROOT.parent / 'shared/data'))
    parser.add_argument('--only', nargs='*', choices=parts, default=parts)
    parser.add_argument('--runs', type=int, default=3, help='of each program, the least counts (3)')
    parser.add_argument('--long', action='store_true')
    parser.add_argument('--json')
    args = parser.parse_args()
    print(f'{machine()}; load {os.getloadavg()[0]:.1f}')
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(args, folder)
        for part in args.only:
            getattr(bench, part)()
    if args.json:
        Path(args.json).write_text(json.dumps({'machine': machine(), 'rows': results}, indent=1))


if __name__ == '__main__':
    main()
