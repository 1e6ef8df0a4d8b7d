#!/usr/bin/env python3
"""One, four, twelve and thirty-two times the data: seconds and bytes a token may not grow by more than half from one
to the next.

  bench/scale.py --data DIR [--croft build/release/croft] [--sentences 1500] [--times 1 4 12 32] [--only NAME …]

DIR holds conll2000/train.txt.  Each copy of the sentences has a third of its words varied, so that attributes grow
with the data, as they do in real data. Graphs are documents of made-up names (examples/skip-chain). One thread; peak
memory by GNU time; the time of the smallest counts from half a second on.
"""
import argparse
import random
import re
import sys
import tempfile
from pathlib import Path

from harness import ROOT, Run, check, machine, timed

MOST = 1.5
SHORTEST = 0.5  # seconds: below, starting the program is a part of it
SKIP = ROOT / 'examples/skip-chain'

# Words from two before to two behind, tags and their pairs: what CoNLL-2000 is usually trained with.
TEMPLATE = [f'U{column}{at}:%x[{at},{column}]' for column in range(2) for at in range(-2, 3)] + [
    f'UP{at}:%x[{at},1]/%x[{at + 1},1]' for at in range(-2, 2)] + ['B']

# What is trained; the data is made by the function of that name.
KINDS = {
    'chain': ('columns', []),
    'order 2': ('columns', ['--order', '2']),
    'l1': ('columns', ['--l1', '1', '--l2', '0.1']),
    'segments': ('chunks', ['--model', 'segment']),
    'texts': ('texts', ['--model', 'maxent', '--format', 'text']),
    'naive bayes': ('texts', ['--model', 'naive-bayes', '--format', 'text']),
    'documents': ('documents', []),
}


def sentences_of(path, count):
    blocks = [block.split('\n') for block in path.read_text().strip().split('\n\n')[:count]]
    return [[line.split() for line in block] for block in blocks]


def copies(sentences, times):
    """The sentences again and again; a third of the words differ from copy to copy."""
    draw = random.Random(1)
    for copy in range(times):
        for sentence in sentences:
            yield [[f'{word}~{copy}' if draw.random() < 1 / 3 else word, tag, label] for word, tag, label in sentence]


def columns(sentences, times, folder):
    path, tokens = folder / 'data.txt', 0
    with path.open('w') as out:
        for sentence in copies(sentences, times):
            tokens += len(sentence)
            out.write('\n'.join('\t'.join(row) for row in sentence) + '\n\n')
    (folder / 'words.template').write_text('\n'.join(TEMPLATE) + '\n')
    return tokens, [path, '--template', folder / 'words.template']


def chunks(sentences, times, folder):
    tokens, command = columns(sentences, times, folder)
    return tokens, command[:1]


def texts(sentences, times, folder):
    """A sentence a line; its label is the chunk of its first word."""
    path, tokens = folder / 'data.txt', 0
    with path.open('w') as out:
        for sentence in copies(sentences, times):
            tokens += len(sentence)
            out.write(sentence[0][2] + '\t' + ' '.join(row[0] for row in sentence) + '\n')
    return tokens, [path]


def documents(sentences, times, folder):
    database = folder / 'data.sqlite'
    Run([sys.executable, SKIP / 'corpus.py', folder / 'data.txt', '--documents', 60 * times])
    Run([sys.executable, SKIP / 'database.py', database, '--group', 6, folder / 'data.txt'])
    return len(re.findall(r'^\S', (folder / 'data.txt').read_text(), re.M)), [
        '--model', 'graph', '--spec', SKIP / 'skip.toml', '--database', database, '--objective', 'pseudolikelihood']


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--data', type=Path, required=True)
    parser.add_argument('--croft', type=lambda p: Path(p).resolve(), default=ROOT / 'build/release/croft')
    parser.add_argument('--sentences', type=int, default=1500)
    parser.add_argument('--times', type=int, nargs='+', default=[1, 4, 12, 32])
    parser.add_argument('--only', nargs='+', default=[])
    args = parser.parse_args()
    sentences = sentences_of(args.data / 'conll2000/train.txt', args.sentences)
    check(sentences, f'no sentence in {args.data}')
    print('| | times | tokens | s | us a token | MB | bytes a token | steps | what decided |\n'
          '|---|---|---|---|---|---|---|---|---|')
    steep = []
    for name, (make, options) in KINDS.items():
        if args.only and name not in args.only:
            continue
        before = None
        for times in args.times:
            with tempfile.TemporaryDirectory() as made:
                folder = Path(made)
                tokens, command = globals()[make](sentences, times, folder)
                run = timed([args.croft, 'train', *command, *options, '--threads', '1', '-o', folder / 'm.croft'])
            said = re.search(r'^.*(?:dual-ascent|lbfgs|owlqn|sgd).*$', run.err, re.M)
            now = (run.seconds / tokens * 1e6, run.megabytes / tokens * 1e6)
            grown = [a / b for a, b in zip(now, before)] if before else []
            decided = said.group(0).strip()[:90] if said else ''
            print(f'| {name} | {times} | {tokens} | {run.seconds:.1f} | {now[0]:.1f} | {run.megabytes:.0f} '
                  f'| {now[1]:.0f} | {", ".join(f"{g:.2f}" for g in grown)} | {decided} |', flush=True)
            if any(g > MOST for g in grown):
                steep.append(f'{name} at {times}')
            before = now if run.seconds >= SHORTEST else None
    print(f'\n{machine()}')
    if steep:
        sys.exit(f'a step above {MOST}: {", ".join(steep)}')


if __name__ == '__main__':
    main()
