#!/usr/bin/env python3
"""Addresses labelled from Python, beside python-crfsuite: checks that the labels are the same, then prints the figures.

  PYTHONPATH=build/release/python python3 bench/python_tag_bench.py --usaddress DIR --python-crfsuite DIR
      --model usaddr.crfsuite ADDRESSES...

--usaddress        a checkout of usaddress: its tokeniser and its features of a token
--python-crfsuite  where the package pycrfsuite is built (python3 setup.py build_ext --inplace in its checkout, with
                   CRFsuite and libLBFGS in it); without it Croft alone is measured
--model            a model of usaddress, as CRFsuite writes it
ADDRESSES          text files with an address a line, csv files with the address in the first column, or training
                   files of usaddress (xml); each address is taken once, 5,000 of them at most

Each figure is the least of nine rounds of each program in turn.  Features are made anew for each round, before the
clock starts where they are not what is measured.
"""
import argparse
import csv
import importlib
import sys
import time
import types
from pathlib import Path
from xml.etree import ElementTree

import croft
from harness import check, machine, row

MOST, ROUNDS = 5000, 9


def lines(path):
    """The addresses of a file."""
    if path.suffix == '.csv':
        with open(path, newline='', encoding='utf-8') as file:
            return [each[0] for each in csv.reader(file)][1:]
    if path.suffix == '.xml':
        return [''.join(each.itertext()) for each in ElementTree.parse(path).getroot()]
    return path.read_text(encoding='utf-8').splitlines()


def usaddress_of(folder):
    """The module, without a model, python-crfsuite, or the package of its error."""
    sys.modules['pycrfsuite'] = croft.compat.pycrfsuite
    sys.modules.setdefault('probableparsing', types.SimpleNamespace(RepeatedLabelError=ValueError))
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module('usaddress')
    finally:
        del sys.path[0], sys.modules['pycrfsuite']


def function_of(usaddress):
    """usaddress.tokens2features as a function of a token."""
    return croft.FeatureFunction(usaddress.tokenFeatures, before=['previous'], after=['next'],
                                 first='address.start', last='address.end', marked=True)


def seconds(makers):
    """The least time of each of some programs: functions that make what is then called."""
    least = [float('inf')] * len(makers)
    for _ in range(ROUNDS):
        for k, make in enumerate(makers):
            call = make()
            start = time.perf_counter()
            call()
            least[k] = min(least[k], time.perf_counter() - start)
    return least


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--usaddress', type=Path, required=True)
    parser.add_argument('--python-crfsuite', type=Path)
    parser.add_argument('--model', type=Path, required=True)
    parser.add_argument('addresses', nargs='+', type=Path)
    given = parser.parse_args()

    usaddress = usaddress_of(given.usaddress)
    addresses = list(dict.fromkeys(line for path in given.addresses for line in lines(path)))[:MOST]
    addresses = [address for address in addresses if usaddress.tokenize(address)]
    tokens = [usaddress.tokenize(address) for address in addresses]
    model = croft.load(given.model)
    print(machine())
    print(f'{len(addresses)} addresses, {sum(map(len, tokens))} tokens, '
          f'{len({token for each in tokens for token in each})} different ones; one thread; seconds\n')

    def features():
        return [usaddress.tokens2features(each) for each in tokens]

    expected = model.predict(features(), threads=1)
    peer, ready = None, croft.compat.pycrfsuite.ItemSequence
    if given.python_crfsuite:
        sys.path.insert(0, str(given.python_crfsuite))
        pycrfsuite = importlib.import_module('pycrfsuite')
        peer, ready = pycrfsuite.Tagger(), pycrfsuite.ItemSequence
        peer.open(str(given.model))
        check([peer.tag(each) for each in features()] == expected, 'labels of python-crfsuite')
        check([peer.tag(ready(each)) for each in features()] == expected, 'labels of its ItemSequences')
    for threads in (1, 2):
        check(model.tag_many(features(), threads) == expected, f'labels on {threads} threads')
        check(model.tag_many(iter(tokens), threads, function_of(usaddress)) == expected, 'of a function')
    plain = function_of(usaddress)
    for ours, theirs in zip(map(plain, tokens), features()):
        found, wanted = (sorted((name, value) for position in croft.compat.pycrfsuite.ItemSequence(each).items()
                                for name, value in position.items() if value) for each in (ours, theirs))
        check(found == wanted, f'features {found} and not {wanted}')

    def compare(name, ours, theirs, goal=None):
        measured = seconds([ours, theirs] if peer else [ours])
        row(name, measured[0], measured[1] if peer else None, 's', 'pycrfsuite', goal)

    def whole():
        model.tag_many(map(usaddress.tokenize, addresses), features=function_of(usaddress))

    def whole_of_peer():
        for address in addresses:
            peer.tag(usaddress.tokens2features(usaddress.tokenize(address)))

    def whole_of_dicts():
        model.tag_many(usaddress.tokens2features(usaddress.tokenize(address)) for address in addresses)

    def each_by_peer(X):
        return lambda: [peer.tag(x) for x in X]

    warm = function_of(usaddress)
    compare('addresses: tokens, features, labels', lambda: whole, lambda: whole_of_peer, 3)
    compare('  features by the same Python on both sides', lambda: whole_of_dicts, lambda: whole_of_peer)

    def ours_of_dicts():
        X = features()
        return lambda: model.tag_many(X)

    def ours_one_by_one():
        X = features()
        return lambda: [model.predict_single(x) for x in X]

    compare('labels of dicts', ours_of_dicts, lambda: each_by_peer(features()), 10)
    compare('  one call for each address', ours_one_by_one, lambda: each_by_peer(features()))
    compare('  ItemSequences of its own on each side',
            lambda: (lambda X: lambda: model.tag_many(X))(list(map(croft.compat.pycrfsuite.ItemSequence, features()))),
            lambda: each_by_peer(list(map(ready, features()))))
    compare('  dicts beside its ItemSequences', ours_of_dicts, lambda: each_by_peer(list(map(ready, features()))))
    compare('  tokens, with a function that knows them', lambda: lambda: model.tag_many(tokens, features=warm),
            lambda: each_by_peer(features()))


if __name__ == '__main__':
    main()
