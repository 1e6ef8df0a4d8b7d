#!/usr/bin/env python3
"""One label beside scikit-learn, on 20 newsgroups: checks the answers first, then prints the figures.

  PYTHONPATH=build/release/python bench/one_label.py [--data DIR] [--quick] [--json]

DIR holds text/20news.train.tsv.xz.  Raw counts of words as scikit-learn's CountVectorizer makes them, one thread.
The logistic regression has l2 = 1 and an unpenalised intercept on both sides; its figure is the time until the
objective is within 1e-4 of the smallest that either has found.  --quick leaves out scikit-learn's, which takes minutes.
"""
import argparse
import json
import lzma
import os
import subprocess
import time
from pathlib import Path

for name in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS'):
    os.environ[name] = '1'

import numpy as np
from scipy.special import logsumexp
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB

import croft

ROOT = Path(__file__).resolve().parent.parent


def read(path):
    labels, texts = [], []
    opened = lzma.open(path, 'rt', encoding='utf-8') if path.suffix == '.xz' else open(path, encoding='utf-8')
    with opened as lines:
        for line in lines:
            label, _, text = line.rstrip('\n').partition('\t')
            labels.append(label)
            texts.append(text)
    return texts, labels


def seconds(call, times=1):
    """The least of so many runs, and the last answer."""
    least = float('inf')
    for _ in range(times):
        start = time.perf_counter()
        answer = call()
        least = min(least, time.perf_counter() - start)
    return least, answer


def objective(X, codes, weights, intercept):
    scores = X @ weights.T + intercept
    loss = logsumexp(scores, axis=1).sum() - scores[np.arange(len(codes)), codes].sum()
    return loss + 0.5 * (weights ** 2).sum()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--data', default=os.environ.get('CROFT_DATA', ROOT.parent / 'shared/data'))
    parser.add_argument('--quick', action='store_true')
    parser.add_argument('--json', action='store_true')
    args = parser.parse_args()
    folder = Path(args.data) / 'text'
    path = next(iter(sorted(folder.glob('20news.train.tsv*'))))
    texts, y = read(path)
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(texts).astype(float)
    names = sorted(set(y))
    codes = np.searchsorted(names, y)
    rows = []

    bayes, ours = seconds(lambda: croft.NaiveBayes(event='multinomial').fit(X, y), 5)
    theirs_bayes, theirs = seconds(lambda: MultinomialNB().fit(X, y), 5)
    difference = np.abs(ours.predict_log_proba(X[:200]) - theirs.predict_log_proba(X[:200])).max()
    assert difference < 1e-3, difference
    rows.append(('naive Bayes: fit, seconds', bayes, theirs_bayes))

    course = []
    start = time.perf_counter()

    def look(iteration):
        course.append((time.perf_counter() - start, iteration['objective']))
        return True

    model = croft.LogisticRegression(l2=1, threads=1)
    start = time.perf_counter()
    model.fit(X, y, callback=look)
    whole = time.perf_counter() - start
    own = objective(X, codes, model.coef_, model.intercept_)
    assert abs(own / course[-1][1] - 1) < 1e-5, (own, course[-1])
    best = croft.LogisticRegression(l2=1, threads=1, tolerance=1e-9, max_iterations=3000).fit(X, y)
    least = objective(X, codes, best.coef_, best.intercept_)
    reached = next(when for when, value in course if value <= least * (1 + 1e-4))
    if args.quick:
        theirs_seconds = None
    else:
        theirs_seconds, regression = seconds(lambda: LogisticRegression(max_iter=200).fit(X, y))
        found = objective(X, codes, regression.coef_, regression.intercept_)
        print(f'scikit-learn after 200 iterations: {found:.3f}; croft: {own:.3f}; least: {least:.3f}')
        assert own <= found * (1 + 1e-4)
    rows.append(('logistic regression to 1e-4, seconds', reached, theirs_seconds))
    rows.append(('logistic regression to its own end, seconds', whole, theirs_seconds))
    predicting, labels = seconds(lambda: model.predict(X), 5)
    theirs_predicting = None
    if not args.quick:
        theirs_predicting, _ = seconds(lambda: regression.predict(X), 5)
    assert (np.asarray(labels) == np.asarray(y)).mean() > 0.9
    count = X.shape[0]
    rows.append(('predict, documents a second', count / predicting,
                 theirs_predicting and count / theirs_predicting))

    commit = subprocess.run(['git', 'rev-parse', '--short', 'HEAD'], cwd=ROOT, capture_output=True, text=True)
    about = {'commit': commit.stdout.strip(), 'documents': count, 'attributes': X.shape[1],
             'numbers': int(X.nnz), 'load': os.getloadavg()[0]}
    if args.json:
        print(json.dumps(about | {name: {'croft': own, 'scikit-learn': other} for name, own, other in rows}))
        return
    print(', '.join(f'{name} {value}' for name, value in about.items()))
    print(f'{"":48}{"croft":>12}{"scikit-learn":>14}{"ratio":>8}')
    for name, own, other in rows:
        ratio = '' if other is None else f'{(max(own, other) / min(own, other)):.1f}'
        print(f'{name:48}{own:12.4g}{"-" if other is None else f"{other:.4g}":>14}{ratio:>8}')


if __name__ == '__main__':
    main()
