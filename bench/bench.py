#!/usr/bin/env python3
"""Croft beside its peers: checks the answer first, then prints the figure.

  bench/bench.py --croft build/release/croft [--peers DIR] [--data DIR] [--quick] [--only NAME …] [--json FILE]

--peers  a folder with crfsuite, wapiti, crf_learn and crf_test; each is run beside Croft on the same data, so
         that the ratio is one of the same machine in the same minute.  Without it the peers' figures are
         those published in docs/performance.md, from another machine: they are marked with *.
--data   the folder with conll2000, models and tools (default: CROFT_DATA, or ../shared/data beside the checkout).
--quick  skips what takes minutes (whole trainings of the peers; brown).
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bugs_models import BugsModels
from harness import ROOT, Run, check, machine, row, rows, timed
from many_labels import ManyLabels
from other_programs import OtherPrograms

# Published figures, used without --peers: seconds or tokens a second, on a 2-core Intel machine.
PUBLISHED = {
    'evaluation, observed': 0.354, 'train to the peer\'s objective': 69.0, 'train, l1 = 1': 358.0,
    'evaluation, all (CRF++)': 6.9, 'evaluation, all (Wapiti)': 2.7, 'predict columns': 102000,
    'predict attributes': 120000}
CRFSUITE_OBJECTIVE = 9118.90    # l2 = 1, observed features
CRFSUITE_L1 = (16889.46, 9685)  # l1 = 1: objective, weights that are not 0


class Bench(BugsModels, ManyLabels, OtherPrograms):
    def __init__(self, args, folder):
        self.args, self.folder = args, Path(folder)
        self.croft = Path(args.croft).resolve()
        self.data = Path(args.data)
        self.peers = Path(args.peers).resolve() if args.peers else None
        self.conll = self.data / 'conll2000'
        self.train_columns, self.test_columns = self.conll / 'train.txt', self.conll / 'test.txt'
        self.template = self.conll / 'chunking.crfpp.template'
        self.pattern = self.conll / 'chunking.wapiti.pattern'
        self.train_attributes = self.folder / 'train.attributes'
        self.test_attributes = self.folder / 'test.attributes'
        for source, target in ((self.train_columns, self.train_attributes),
                               (self.test_columns, self.test_attributes)):
            with open(source) as i, open(target, 'w') as o:
                subprocess.run([sys.executable, self.data / 'tools/chunking_attributes.py'], stdin=i,
                               stdout=o, check=True)

    # --- Croft -------------------------------------------------------------------------------------
    def train(self, model, *options, threads=1, simd=None):
        """Trains and returns the run, with .log (its JSON lines)."""
        log = self.folder / 'log.jsonl'
        run = timed([self.croft, 'train', '--quiet', '-o', self.folder / model, '--log', log,
                     '--threads', threads, *options], env={'CROFT_SIMD': simd} if simd else None)
        run.log = [json.loads(line) for line in log.read_text().splitlines()]
        return run

    def gradient_seconds(self, features='observed', threads=1, simd=None, data=None):
        """Seconds of an evaluation of f and its gradient alone; the program checks f at w = 0."""
        out = Run([self.croft.parent / 'bench/gradient_bench', data or self.train_attributes, features,
                   threads],
                  env={'CROFT_SIMD': simd} if simd else None).out
        return float(out.split()[0])

    @staticmethod
    def iteration_seconds(run):
        """Seconds for each evaluation of a training, the optimiser's own work included."""
        steps = [e for e in run.log if e['event'] == 'iteration']
        first, last = steps[0], steps[-1]
        return (last['seconds'] - first['seconds']) / (last['evaluations'] - first['evaluations'])

    def f1(self, model, data):
        return json.loads(Run([self.croft, 'evaluate', '--json', '-m', self.folder / model,
                               data]).out)['chunk']['f1']

    # --- the comparisons ---------------------------------------------------------------------------
    def observed(self):
        options = ['--format', 'attributes', self.train_attributes]
        peer, published = PUBLISHED['evaluation, observed'], True
        if self.peers:
            out = Run([self.peers / 'crfsuite', 'learn', '-a', 'lbfgs', '-p', 'c2=0.5', '-p',
                       'max_iterations=20', self.train_attributes]).out
            seconds = [float(s) for s in re.findall(r'Seconds required for this iteration: ([\d.]+)', out)]
            trials = [int(s) for s in re.findall(r'Line search trials: (\d+)', out)]
            peer, published = sum(seconds[1:]) / sum(trials[1:]), False
        one = self.gradient_seconds()
        row('evaluation, observed features', one, peer, 's', 'CRFsuite', 4.5, published=published)
        if Run([self.croft, 'inspect', '--help'], env={'CROFT_SIMD': 'AVX2'}, accept=(0, 2)).status == 0:
            row('  with AVX2', self.gradient_seconds(simd='AVX2'), peer, 's', 'CRFsuite', 3,
                published=published)
        row('  with two threads, against one', self.gradient_seconds(threads=2), one, 's', 'Croft', 1.8)
        run = self.train('e.croft', '--max-iterations', 30, '--tolerance', 0, *options)
        row('  an evaluation in training', self.iteration_seconds(run), peer, 's', 'CRFsuite',
            published=published)

    def whole(self):
        options = ['--format', 'attributes', self.train_attributes]
        peer, published, objective = PUBLISHED["train to the peer's objective"], True, CRFSUITE_OBJECTIVE
        memory = 204
        if self.peers and not self.args.quick:
            run = timed([self.peers / 'crfsuite', 'learn', '-a', 'lbfgs', '-p', 'c2=0.5',
                         self.train_attributes])
            objective = float(re.findall(r'Loss: ([\d.]+)', run.out)[-1])
            peer, published, memory = run.seconds, False, run.megabytes
        for threads, target in ((1, 20), (2, 32)):
            run = self.train('o.croft', '--target', objective, '--gap', 1e-6, *options,
                             threads=threads)
            check(run.log[-1]['objective'] <= objective * (1 + 1e-6),
                  f'objective {run.log[-1]["objective"]} > {objective}')
            f1 = self.f1('o.croft', self.test_attributes)
            check(f1 >= 0.936, f'F1 {f1}')
            row(f'train to objective {objective:.2f}, {threads} thread(s)', run.seconds, peer, 's',
                'CRFsuite', target, published=published)
            if threads == 1:
                row('  peak memory', run.megabytes, memory, 'MB', 'CRFsuite', 1, published=published)
                size = (self.folder / 'o.croft').stat().st_size / 1e6
                row('  model file (at most 8 MB)', size, 30, 'MB', 'CRFsuite', published=True)
                milliseconds = self.load_milliseconds('o.croft')
                row('  loading it (at most 5 ms)', milliseconds, None, 'ms', '')

    def load_milliseconds(self, model):
        program = self.croft.parent / 'bench/model_load_bench'
        return float(Run([program, self.folder / model]).out.split()[0])

    def l1(self):
        peer, published, (objective, weights) = PUBLISHED['train, l1 = 1'], True, CRFSUITE_L1
        if self.peers and not self.args.quick:
            run = Run([self.peers / 'crfsuite', 'learn', '-a', 'lbfgs', '-p', 'c1=1', '-p', 'c2=0',
                       self.train_attributes])
            objective = float(re.findall(r'Loss: ([\d.]+)', run.out)[-1])
            weights = int(re.findall(r'Active features: (\d+)', run.out)[-1])
            peer, published = run.seconds, False
        # The same objective within 1e-4, with at most 1.05 times the weights.
        run = self.train('l1.croft', '--format', 'attributes', '--l1', 1, '--l2', 0, '--target',
                         objective * (1 + 1e-4), '--tolerance', 0, self.train_attributes)
        done = run.log[-1]
        check(done['objective'] <= objective * (1 + 1e-4), f'objective {done["objective"]} > {objective}')
        check(done['active_features'] <= 1.05 * weights, f'{done["active_features"]} weights')
        f1 = self.f1('l1.croft', self.test_attributes)
        check(f1 >= 0.9355, f'F1 {f1}')
        row(f'train, l1 = 1 (objective {done["objective"]:.1f}, {done["active_features"]} weights)',
            run.seconds, peer, 's', 'CRFsuite', 10, published=published)

    def all_features(self):
        ours = self.iteration_seconds(self.train('a.croft', '--template', self.template, '--optimizer', 'lbfgs',
                                                 '--max-iterations', 12, '--tolerance', 0, self.train_columns))
        run = self.train('a.croft', '--template', self.template, self.train_columns)
        alone = self.gradient_seconds('all')
        crfpp, wapiti, published = (PUBLISHED['evaluation, all (CRF++)'],
                                    PUBLISHED['evaluation, all (Wapiti)'], True)
        if self.peers:
            start = time.perf_counter()
            Run([self.peers / 'crf_learn', '-a', 'CRF-L2', '-c', 1, '-f', 1, '-p', 1, '-m', 1, self.template,
                 self.train_columns, self.folder / 'crfpp'])
            one = time.perf_counter() - start
            start = time.perf_counter()
            Run([self.peers / 'crf_learn', '-a', 'CRF-L2', '-c', 1, '-f', 1, '-p', 1, '-m', 4, self.template,
                 self.train_columns, self.folder / 'crfpp'])
            crfpp = (time.perf_counter() - start - one) / 3
            out = Run([self.peers / 'wapiti', 'train', '-a', 'l-bfgs', '--rho1', 0, '--rho2', 1, '-t', 1,
                       '-i', 4, '-p', self.pattern, self.train_columns, self.folder / 'wapiti']).err
            steps = [float(s) for s in re.findall(r'time=([\d.]+)s', out)]
            wapiti, published = sum(steps[1:]) / len(steps[1:]), False
        row('evaluation, all features (7.4 M weights)', alone, crfpp, 's', 'CRF++', 40, published=published)
        row('', alone, wapiti, 's', 'Wapiti', 14, published=published)
        row('  an evaluation in training', ours, crfpp, 's', 'CRF++', published=published)
        row('', ours, wapiti, 's', 'Wapiti', published=published)
        row('  whole training, one thread', run.seconds, None, 's', '')
        row('  peak memory (at most 700 MB)', run.megabytes, 1000, 'MB', 'CRF++', published=True)

    def predict(self):
        repeat = 10
        columns, attributes = self.folder / 'columns', self.folder / 'attributes'
        columns.write_bytes(self.test_columns.read_bytes() * repeat)
        attributes.write_bytes(self.test_attributes.read_bytes() * repeat)
        tokens = 47377 * repeat

        def rate(command):
            runs = []
            for _ in range(3):
                with open(self.folder / 'out', 'wb') as out:
                    runs.append(Run(command, stdout=out).seconds)
            return tokens / sorted(runs)[1]

        self.train('p.croft', '--template', self.template, '--max-iterations', 30, self.train_columns)
        self.train('q.croft', '--format', 'attributes', '--max-iterations', 60, self.train_attributes)
        check(self.f1('p.croft', self.test_columns) > 0.92, 'F1 of the model used to predict')
        crfpp, crfsuite, published = PUBLISHED['predict columns'], PUBLISHED['predict attributes'], True
        if self.peers:
            Run([self.peers / 'crf_learn', '-a', 'CRF-L2', '-c', 1, '-f', 1, '-m', 5, self.template,
                 self.train_columns, self.folder / 'crfpp'])
            crfpp = rate([self.peers / 'crf_test', '-m', self.folder / 'crfpp', columns])
            Run([self.peers / 'crfsuite', 'learn', '-a', 'lbfgs', '-p', 'c2=0.5', '-p', 'max_iterations=60',
                 '-m', self.folder / 'crfsuite', self.train_attributes])
            crfsuite = rate([self.peers / 'crfsuite', 'tag', '-m', self.folder / 'crfsuite', attributes])
            published = False
        row('predict, columns and template', rate([self.croft, 'predict', '-m', self.folder / 'p.croft',
                                                   columns]), crfpp, 'tokens/s', 'crf_test', 5,
            higher_is_better=True, published=published)
        row('predict, attributes', rate([self.croft, 'predict', '-m', self.folder / 'q.croft', attributes]),
            crfsuite, 'tokens/s', 'crfsuite', 5, higher_is_better=True, published=published)

    def python(self):
        """The Python package; the goals stand in its names."""
        python = os.environ.get('PYTHON') or ('/usr/bin/python3' if Path('/usr/bin/python3').exists()
                                              else sys.executable)
        out = json.loads(Run([python, ROOT / 'bench/python_bench.py', '--data', self.data, '--json'],
                             env={'PYTHONPATH': str(self.croft.parent / 'python')}).out)
        for name, value in out.items():
            row(f'Python: {name}', value, None, '', '')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--croft', default=ROOT / 'build/release/croft')
    parser.add_argument('--peers', default=os.environ.get('PEERS') or None)
    parser.add_argument('--data', default=os.environ.get('CROFT_DATA', ROOT.parent / 'shared/data'))
    parser.add_argument('--quick', action='store_true')
    parser.add_argument('--only', nargs='*')
    parser.add_argument('--json')
    args = parser.parse_args()
    if not (Path(args.data) / 'conll2000').is_dir():
        sys.exit(f'no data in {args.data}: set CROFT_DATA to a folder that holds conll2000 and tools')
    print(machine())
    if not args.peers:
        print('no --peers: figures marked with * are published ones, from another machine')
    print(f'{"":<44}{"Croft":>12}{"peer":>12} {"":<9}{"":<10}{"ratio":>9} {"goal":>7}')
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(args, folder)
        for name in args.only or ['observed', 'whole', 'l1', 'all_features', 'predict', 'other_programs',
                                  'questions', 'label_sets', 'cltt', 'brown', 'python', 'bugs']:
            getattr(bench, name)()
    if args.json:
        Path(args.json).write_text(json.dumps({'machine': machine(), 'rows': rows}, indent=1))


if __name__ == '__main__':
    main()
