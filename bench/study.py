#!/usr/bin/env python3
"""Objectives and optimizers compared: the tables and charts of docs/study.md.

  bench/study.py --croft build/release/croft [--data DIR] [--peers DIR] [--only SECTION …]

--data   the folder with conll2000, ewt, ocr, …, tools (default: CROFT_DATA, or ../shared/data
         beside the checkout).
--peers  a folder with crfsuite, for its column in the textbook's table.
--only   these sections alone; the others' tables stay as they are.
--quick  a few seconds a run, to try the program; writes to build/study instead of docs/.
--stale  a run of an earlier build counts as well, where there is none of this one.

Every run ends at a time limit.  What has been run is kept in build/study/cache by its command and
croft's build, so that an interrupted study goes on where it was.
"""
import argparse
import json
import os
import shutil
import sys
import time
from pathlib import Path

from harness import ROOT, machine

try:
    from study import accuracy, chains, convergence, generative, next_word, recipes, textbook, unlabelled
except ModuleNotFoundError as error:
    sys.exit(f'{error}; the charts need matplotlib (Debian: python3-matplotlib, /usr/bin/python3)')
from study.data import Data
from study.runs import Runs
from study.tables import Page

SECTIONS = {'objectives': accuracy.objectives, 'variance': accuracy.variance,
            'dual': convergence.dual, 'small': convergence.small,
            'convergence': convergence.likelihood, 'l1': convergence.with_l1,
            'textbook': textbook.textbook, 'pieces': accuracy.pieces,
            'kernels': accuracy.kernels, 'online': accuracy.online,
            'generative': generative.generative, 'unlabelled': unlabelled.unlabelled,
            'next-word': next_word.next_word, 'triangle': chains.triangle, 'features': chains.features,
            'parallel': chains.parallel, 'growing': chains.growing, 'recursions': chains.recursions,
            'sampling': chains.sampling, 'recipes': recipes.recipes}


class Study:
    """What the sections share: data, runs, the page, and what failed."""

    def __init__(self, args):
        self.quick = args.quick
        self.folder = ROOT / 'build/study'
        self.bench = Path(args.croft).resolve().parent / 'bench'  # programs that measure
        self.peers = Path(args.peers).resolve() if args.peers else None
        self.machine = machine()
        self.data = Data(Path(args.data), self.folder / 'data')
        self.runs = Runs(Path(args.croft).resolve(), self.folder,
                         self.machine.split('commit ')[1], args.stale)
        self.out, page = ROOT / 'docs/study', ROOT / 'docs/study.md'
        if self.quick:
            self.out = self.folder / 'quick'
            shutil.copy(page, self.folder / 'quick.md')
            page = self.folder / 'quick.md'
        self.out.mkdir(parents=True, exist_ok=True)
        self.page = Page(page)
        self.failures = []

    def seconds(self, limit, quick):
        return quick if self.quick else limit

    def keep(self, name, numbers):
        """The numbers behind a table or a chart, as docs/study/NAME.json."""
        text = json.dumps(numbers, indent=1, ensure_ascii=False)
        (self.out / f'{name}.json').write_text(text + '\n')

    def remember(self, name, run):
        """run(), or what it gave before; JSON."""
        path = self.runs.cache / name
        if not path.exists():
            path.write_text(json.dumps(run()))
        return json.loads(path.read_text())

    def foot(self, threads=1):
        """Where the numbers above are from."""
        commits = ', '.join(sorted(self.runs.commits)) or 'unknown'
        self.runs.commits = set()
        where = self.machine.split('; commit')[0]
        return (f'\n\n*{where}; {threads} thread{"s" * (threads > 1)}; commit {commits}; '
                f'{time.strftime("%F")}.*')

    def check_optimizers(self, shown):
        of_chains = {name for name, text in self.runs.catalogue()[1].items()
                     if 'of --model maxent' not in text}
        missing = of_chains - set(shown)
        if missing:
            self.failures.append(f'no chart has {", ".join(sorted(missing))}')


def main():
    default = os.environ.get('CROFT_DATA') or ROOT.parent / 'shared/data'
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--croft', default=ROOT / 'build/release/croft')
    parser.add_argument('--data', default=default)
    parser.add_argument('--peers')
    parser.add_argument('--only', nargs='+', choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument('--quick', action='store_true')
    parser.add_argument('--stale', action='store_true')
    args = parser.parse_args()
    if not (Path(args.data) / 'tools').is_dir():
        sys.exit(f'{args.data}: no folder with the data; say --data DIR or set CROFT_DATA')
    study = Study(args)
    print(study.machine)
    for name, section in SECTIONS.items():
        if name not in args.only:
            continue
        print(name, flush=True)
        section(study)
    for failure in study.failures:
        print('FAILED:', failure)
    return 1 if study.failures else 0


if __name__ == '__main__':
    sys.exit(main())
