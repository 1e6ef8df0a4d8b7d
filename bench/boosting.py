#!/usr/bin/env python3
"""Boosted trees on a table beside scikit-learn: checks the answers first, then prints CPU seconds of one thread.

  CROFT=build/release/croft bench/boosting.py [--runs N] [--json]

20,000 rows of make_classification with 20 numbers, 15 % of them missing, two labels of 6 clusters each; 10,000 rows to
test.  200 rounds of 31 leaves, shrinkage 0.1, 20 rows a leaf, 255 bins, no penalty beside l2 = 1 on both sides.
Croft's seconds are those of the whole program, with reading the CSV file and writing the model; scikit-learn's are
those of fit() alone.  The least of N runs of each, turn by turn.
"""
import argparse
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

for name in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS'):
    os.environ[name] = '1'

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier

from harness import ROOT, Run, check

ROUNDS = ('--rounds', 200, '--shrinkage', 0.1, '--leaves', 31, '--min-child-count', 20, '--min-child-weight', 0.001)


def table():
    X, y = make_classification(n_samples=30000, n_features=20, n_informative=12, n_redundant=4, n_clusters_per_class=6,
                               random_state=1)
    X[np.random.default_rng(1).random(X.shape) < 0.15] = np.nan
    return np.round(X, 6), y


def write(path, X, y):
    with open(path, 'w', encoding='utf-8') as out:
        out.write('label,' + ','.join(f'x{k}' for k in range(X.shape[1])) + '\n')
        for row, label in zip(X, y):
            cells = ('' if np.isnan(value) else f'{value:.6f}' for value in row)
            out.write(f'{"yes" if label else "no"},{",".join(cells)}\n')


def cpu_of(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    Run(command)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--runs', type=int, default=3)
    parser.add_argument('--json', action='store_true')
    args = parser.parse_args()
    croft = os.environ.get('CROFT', ROOT / 'build/release/croft')
    X, y = table()
    theirs = HistGradientBoostingClassifier(max_iter=200, learning_rate=0.1, max_leaf_nodes=31, min_samples_leaf=20,
                                            l2_regularization=1.0, max_bins=255, early_stopping=False, random_state=1)
    rows = {'trim 0': ('--trim', 0), 'trim 0.1': ('--trim', 0.1)}
    seconds = {name: [] for name in (*rows, 'scikit-learn')}
    accuracy = {}
    with tempfile.TemporaryDirectory() as folder:
        train, test, model = (Path(folder) / name for name in ('train.csv', 'test.csv', 'm.croft'))
        write(train, X[:20000], y[:20000])
        write(test, X[20000:], y[20000:])
        for _ in range(args.runs):
            for name, options in rows.items():
                seconds[name].append(cpu_of([croft, 'train', '--model', 'boosted-maxent', '--format', 'csv',
                                             '--label', 'label', '--threads', 1, '--quiet', *ROUNDS, *options,
                                             '-o', model, train]))
                document = json.loads(Run([croft, 'evaluate', '-m', model, '--json', test]).out)
                accuracy[name] = document['tokens']['accuracy']
            start = time.process_time()
            theirs.fit(X[:20000], y[:20000])
            seconds['scikit-learn'].append(time.process_time() - start)
        accuracy['scikit-learn'] = theirs.score(X[20000:], y[20000:])
    for name in rows:
        check(abs(accuracy[name] - accuracy['scikit-learn']) < 0.01,
              f'accuracy of {name} is {accuracy[name]:.4f}, scikit-learn has {accuracy["scikit-learn"]:.4f}')
    if args.json:
        json.dump({name: {'cpu_seconds': min(seconds[name]), 'accuracy': accuracy[name]} for name in seconds},
                  sys.stdout)
        return
    print(f'{"":<16}{"CPU s":>8}{"accuracy":>12}')
    for name in seconds:
        print(f'{name:<16}{min(seconds[name]):>8.2f}{100 * accuracy[name]:>10.2f} %')


if __name__ == '__main__':
    main()
