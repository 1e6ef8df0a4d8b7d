#!/usr/bin/env python3
"""croft.chain on arrays: ns a position, beside plain numpy; checks the answers first.

  PYTHONPATH=build/release/python /usr/bin/python3 bench/python_chain_bench.py

numpy's columns are log Z and marginals by a forward-backward in the log domain: one sequence after
the other (as the package's tests do it for an oracle), and all sequences of the batch at once.  A
workload is a batch of sequences of 20 to 40 positions, 6000 in all; one thread unless stated, the
median of seven rounds.
"""
import sys
import time
from pathlib import Path

import numpy as np

import croft
from croft import chain
from harness import check, machine

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / 'tests' / 'python'))
from chain_test import forward_backward, log_sum_exp  # noqa: E402

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
    together, of_all = all_at_once(padded(given), given['transition'], given['lengths'])
    check(np.allclose(together, log_z, rtol=1e-4), f'log Z of a batch, {labels} labels')
    inside = np.arange(of_all.shape[1]) < given['lengths'][:, None]
    check(np.allclose(of_all[inside], mu, atol=1e-3), f'marginals of a batch, {labels} labels')
    begin = 0
    for n, length in enumerate(given['lengths'][:5]):
        part = given['state'][begin:begin + length].astype(np.float64)
        expected, marginals = forward_backward(part, given['transition'].astype(np.float64))
        check(abs(log_z[n] - expected) < 1e-5 * abs(expected), f'log Z, {labels} labels')
        found = mu[begin:begin + length]
        check(np.allclose(found, marginals, atol=2e-5), f'marginals, {labels} labels')
        begin += length


def one_by_one(given):
    ends = np.cumsum(given['lengths'])
    for part in np.split(given['state'], ends[:-1]):
        forward_backward(part, given['transition'])


def padded(given):
    """[N, T, L] from the flat scores."""
    lengths = given['lengths']
    out = np.zeros((len(lengths), max(lengths), given['state'].shape[1]), given['state'].dtype)
    out[np.arange(max(lengths)) < lengths[:, None]] = given['state']
    return out


def all_at_once(state, transition, lengths):
    """log Z [N] and marginals [N, T, L] of padded scores, in numpy."""
    alpha, beta = np.empty_like(state), np.zeros_like(state)
    alpha[:, 0] = state[:, 0]
    width = state.shape[1]
    for t in range(1, width):
        alpha[:, t] = state[:, t] + log_sum_exp(alpha[:, t - 1, :, None] + transition, axis=1)
    for t in range(width - 2, -1, -1):
        following = (state[:, t + 1] + beta[:, t + 1])[:, None, :]
        inside = (t + 1 < lengths)[:, None]
        beta[:, t] = np.where(inside, log_sum_exp(transition + following, axis=2), 0)
    log_z = log_sum_exp(alpha[np.arange(len(state)), lengths - 1], axis=1)
    inside = np.arange(width) < lengths[:, None]
    log_mu = alpha + beta - log_z[:, None, None]
    return log_z, np.exp(np.where(inside[:, :, None], log_mu, -np.inf))


def main():
    print(machine())
    print(f'croft {croft.__version__}, numpy {np.__version__}; ns a position, one thread\n')
    print(f'{"labels":>6} {"dtype":<8}{"log Z":>9}{"gradient":>10}{"+ labels":>10}{"Viterbi":>9}'
          f'{"numpy":>9}{"batch":>8}{"ratio":>8}{"2 threads":>11}')
    for labels in (5, 9, 24, 50, 128):
        for dtype in (np.float32, np.float64):
            given = workload(labels, dtype)
            check_answers(given, labels, dtype)
            positions = len(given['state'])
            gold = np.random.default_rng(2).integers(0, labels, positions)
            of_gold = {'labels': gold, 'grad': True}

            def ns(function):
                return seconds(function) / positions * 1e9
            log_z = ns(lambda: chain.log_partition(**given, threads=1))
            gradient = ns(lambda: chain.log_partition(**given, threads=1, grad=True))
            likelihood = ns(lambda: chain.log_likelihood(**given, **of_gold, threads=1))
            best = ns(lambda: chain.viterbi(**given, threads=1))
            two = ns(lambda: chain.log_partition(**given, threads=2, grad=True))
            begin = time.perf_counter()
            one_by_one(given)
            numpy_ns = (time.perf_counter() - begin) / positions * 1e9
            state = padded(given)
            begin = time.perf_counter()
            all_at_once(state, given['transition'], given['lengths'])
            batch_ns = (time.perf_counter() - begin) / positions * 1e9
            print(f'{labels:>6} {np.dtype(dtype).name:<8}{log_z:>9.0f}{gradient:>10.0f}'
                  f'{likelihood:>10.0f}{best:>9.0f}{numpy_ns:>9.0f}{batch_ns:>8.0f}'
                  f'{batch_ns / gradient:>7.0f}x{gradient / two:>10.2f}x', flush=True)
    layouts()


def layouts():
    """What reading costs: the same batch in each layout, and strided."""
    given = workload(24, np.float32)
    lengths, state = given['lengths'], given['state']
    parts = np.split(state, np.cumsum(lengths)[:-1])
    print('\nlog Z and gradient of 24 labels in float32, ns a position, by layout:')
    strided = np.asfortranarray(state)
    for name, call in (('flat', {'state': state, 'lengths': lengths}),
                       ('flat, columns contiguous', {'state': strided, 'lengths': lengths}),
                       ('padded', {'state': padded(given), 'lengths': lengths}),
                       ('list', {'state': parts}), ('one call a sequence', None)):
        def run():
            tied = {'transition': given['transition'], 'grad': True, 'threads': 1}
            if call is not None:
                return chain.log_partition(**call, **tied)
            return [chain.log_partition(part, **tied) for part in parts]
        print(f'  {name:<26}{seconds(run) / len(state) * 1e9:>7.0f}')
    print(f'  {"(numpy copies the scores)":<26}{seconds(state.copy) / len(state) * 1e9:>7.0f}')


if __name__ == '__main__':
    main()
