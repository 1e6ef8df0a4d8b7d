#!/usr/bin/env python3
"""The Python package on CoNLL-2000 chunking as lists of dicts: checks the answers, then prints the figures.

  PYTHONPATH=build/release/python bench/python_bench.py [--data DIR] [--json]

DIR holds conll2000/{train,test}.txt and the template conll2000/chunking.crfpp.template.
"""
import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

CRFSUITE_OBJECTIVE = 9118.89  # of CRFsuite's features and c2 = 0.5


def resident():
    """Megabytes in memory now."""
    return int(Path('/proc/self/statm').read_text().split()[1]) * os.sysconf('SC_PAGE_SIZE') / 1e6


def peak():
    """Megabytes in memory at most so far."""
    lines = Path('/proc/self/status').read_text().splitlines()
    return next(int(line.split()[1]) / 1e3 for line in lines if line.startswith('VmHWM'))


def read(path):
    """Rows [word, tag] of each sentence, and their labels."""
    X, y = [], []
    for block in path.read_text().strip().split('\n\n'):
        rows = [line.split(' ') for line in block.split('\n')]
        X.append([row[:-1] for row in rows])
        y.append([row[-1] for row in rows])
    return X, y


def features(rows):
    """The usual features of a chunker as a dict for each position: some 19 of them."""
    items = []
    for t in range(len(rows)):
        word = {k: rows[t + k][0] for k in range(-2, 3) if 0 <= t + k < len(rows)}
        tag = {k: rows[t + k][1] for k in range(-2, 3) if 0 <= t + k < len(rows)}
        item = {f'w[{k}]': value for k, value in word.items()}
        item.update({f'p[{k}]': value for k, value in tag.items()})
        for k in (-1, 0):
            if k in word and k + 1 in word:
                item[f'w[{k}]|w[{k + 1}]'] = word[k] + '|' + word[k + 1]
        for size in (2, 3):
            for k in range(-2, 4 - size):
                if all(k + i in tag for i in range(size)):
                    item['|'.join(f'p[{k + i}]' for i in range(size))] = '|'.join(
                        tag[k + i] for i in range(size))
        if t == 0:
            item['BOS'] = True
        if t == len(rows) - 1:
            item['EOS'] = True
        items.append(item)
    return items


def import_seconds():
    """Of a new interpreter, the best of five."""
    code = 'import time; t = time.perf_counter(); import croft; print(time.perf_counter() - t)'
    return min(float(subprocess.run([sys.executable, '-c', code], check=True, capture_output=True,
                                    text=True).stdout) for _ in range(5))


def rate(model, X, repeats=3):
    """Positions a second on one thread, the best of some."""
    best = float('inf')
    for _ in range(repeats):
        start = time.perf_counter()
        model.predict(X, threads=1)
        best = min(best, time.perf_counter() - start)
    return sum(map(len, X)) / best


def measure(data):
    import croft
    rows, y = read(data / 'train.txt')
    X = [features(sentence) for sentence in rows]
    test_rows, test_y = read(data / 'test.txt')
    test = [features(sentence) for sentence in test_rows]
    positions = sum(map(len, X))

    before = resident()
    start = time.perf_counter()
    crf = croft.ChainCRF(threads=1).fit(X, y)
    fit = time.perf_counter() - start
    memory = peak() - before
    result = crf.training_log_.result
    accuracy = crf.score(test, test_y)
    if result['objective'] > CRFSUITE_OBJECTIVE * 1.0001 or accuracy < 0.955:
        sys.exit(f'wrong answer, so no figure: objective {result["objective"]}, accuracy {accuracy}')

    template = (data / 'chunking.crfpp.template').read_text()
    chunker = croft.ChainCRF(template=template, features='observed', max_iterations=60).fit(rows, y)
    return {
        'import croft, s (at most 0.15)': import_seconds(),
        '  features a token': sum(len(item) for x in X for item in x) / positions,
        'conversion, tokens/s (150,000)': positions / crf.training_log_.data['seconds'],
        'fit, one thread, s (at most 20)': fit,
        '  objective': result['objective'],
        '  memory beyond the data, MB (300)': memory,
        'predict, dicts, tokens/s (120,000)': rate(crf, test),
        'predict, rows, tokens/s (400,000)': rate(chunker, test_rows),
        '  token accuracy': accuracy,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    root = Path(__file__).resolve().parent.parent
    parser.add_argument('--data', type=Path, default=root.parent / 'shared' / 'data')
    parser.add_argument('--json', action='store_true')
    arguments = parser.parse_args()
    if not (arguments.data / 'conll2000').is_dir():
        sys.exit(f'{arguments.data / "conll2000"} is not there; --data names the folder of the data')
    figures = measure(arguments.data / 'conll2000')
    if arguments.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f'{name:<54}{value:>14,.4g}')


if __name__ == '__main__':
    main()
