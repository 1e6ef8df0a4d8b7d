#!/usr/bin/env python3
"""croft.chain on arrays: ns a position, beside a recursion in plain numpy; checks the answers first.

  PYTHONPATH=build/release/python /usr/bin/python3 bench/python_chain_bench.py

numpy's is the log-domain forward-backward for one sequence that the package's tests use as their oracle.
A workload is a batch of sequences of 20 to 40 positions; one thread, the median of a few rounds.
"""
import sys
import time
from pathlib import Path

import numpy as np

import croft
from croft import chain
from harness import check, machine

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / 'tests' / 'python'))
from chain_test import forward_backward  # noqa: E402

POSITIONS = 6000


def seconds(function, rounds=7, least=0.02):
    """The median of a few rounds, each of at least so many seconds."""
    function()
    begin = time.perf_counter()
    function()
    repeat = max(1, int(least / max(time.perf_counter() - begin, 1e-7)))
    found = []
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(repeat):
            function()
        found.append((time.perf_counter() - begin) / repeat)
    return sorted(found)[rounds // 2]


def workload(labels, dtype):
    generator = np.random.default_rng(1)
    lengths = []
    while sum(lengths) < POSITIONS:
        lengths.append(int(generator.integers(20, 41)))
    state = generator.normal(0, 2, (sum(lengths), labels)).astype(dtype)
    transition = generator.normal(0, 1, (labels, labels)).astype(dtype)
    return {'state': state, 'transition': transition, 'lengths': np.array(lengths)}


def check_answers(given, labels, dtype):
    """Against numpy's recursion, on the first sequences."""
    log_z, mu = chain.log_partition(**given), chain.marginals(**given)
    begin = 0
    for n, length in enumerate(given['lengths'][:5]):
        part = given['state'][begin:begin + length].astype(np.float64)
        expected, marginals = forward_backward(part, given['transition'].astype(np.float64))
        check(abs(log_z[n] - expected) < 1e-5 * abs(expected), f'log Z, {labels} labels')
        check(np.allclose(mu[begin:begin + length], marginals, atol=2e-5), f'marginals, {labels} labels')
        begin += length


def run_numpy(given):
    ends = np.cumsum(given['lengths'])
    for part in np.split(given['state'], ends[:-1]):
        forward_backward(part, given['transition'])


def main():
    print(machine())
    print(f'croft {croft.__version__}, numpy {np.__version__}; ns a position, one thread\n')
    print(f'{"labels":>6} {"dtype":<8}{"log Z":>9}{"gradient":>10}{"+ labels":>10}{"Viterbi":>9}'
          f'{"numpy":>10}{"ratio":>8}{"2 threads":>11}')
    for labels in (5, 9, 24, 50, 128):
        for dtype in (np.float32, np.float64):
            given = workload(labels, dtype)
            check_answers(given, labels, dtype)
            positions = len(given['state'])
            gold = np.random.default_rng(2).integers(0, labels, positions)

            def ns(function):
                return seconds(function) / positions * 1e9
            log_z = ns(lambda: chain.log_partition(**given, threads=1))
            gradient = ns(lambda: chain.log_partition(**given, threads=1, grad=True))
            likelihood = ns(lambda: chain.log_likelihood(**given, labels=gold, threads=1, grad=True))
            best = ns(lambda: chain.viterbi(**given, threads=1))
            two = ns(lambda: chain.log_partition(**given, threads=2, grad=True))
            begin = time.perf_counter()
            run_numpy(given)
            numpy_ns = (time.perf_counter() - begin) / positions * 1e9
            print(f'{labels:>6} {np.dtype(dtype).name:<8}{log_z:>9.0f}{gradient:>10.0f}{likelihood:>10.0f}'
                  f'{best:>9.0f}{numpy_ns:>10.0f}{numpy_ns / gradient:>7.0f}x{gradient / two:>10.2f}x',
                  flush=True)
    layouts()


def layouts():
    """What reading costs: the same batch in each layout, and strided."""
    given = workload(24, np.float32)
    lengths, state = given['lengths'], given['state']
    parts = np.split(state, np.cumsum(lengths)[:-1])
    padded = np.zeros((len(lengths), max(lengths), 24), np.float32)
    for n, part in enumerate(parts):
        padded[n, :len(part)] = part
    print('\nlog Z and gradient of 24 labels in float32, ns a position, by layout:')
    strided = np.asfortranarray(state)
    for name, call in (('flat', {'state': state, 'lengths': lengths}),
                       ('flat, columns contiguous', {'state': strided, 'lengths': lengths}),
                       ('padded', {'state': padded, 'lengths': lengths}), ('list', {'state': parts}),
                       ('one call a sequence', None)):
        def run():
            if call is not None:
                return chain.log_partition(transition=given['transition'], grad=True, threads=1, **call)
            return [chain.log_partition(part, given['transition'], grad=True, threads=1) for part in parts]
        print(f'  {name:<26}{seconds(run) / len(state) * 1e9:>7.0f}')
    print(f'  {"(numpy copies the scores)":<26}{seconds(state.copy) / len(state) * 1e9:>7.0f}')


if __name__ == '__main__':
    main()
