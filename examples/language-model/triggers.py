#!/usr/bin/env python3
"""Trigger lines for joint templates: words whose occurrence makes another word likelier, or less likely.

    triggers.py TRAIN WINDOW COUNT

TRAIN has lines WORD CLASS WORD and empty ones between sequences.  Two events at a position are: a word has occurred in
the last WINDOW words, and the next word is this other one.  Their mutual information says how much the first tells of
the second.  COUNT lines are written, for the words with the best such pair, the best first.  A word does not trigger
itself: that is what `%y in %x[...]` is for.
"""
import collections
import math
import sys


def sequences(path):
    with open(path, encoding="utf-8") as file:
        return [[line.split()[0] for line in block.splitlines()] for block in file.read().strip().split("\n\n")]


def counts(texts, window):
    """Positions; of each word, of each word in the window, and of both together."""
    total, count, fired, joint = 0, collections.Counter(), collections.Counter(), collections.Counter()
    for words in texts:
        for t, word in enumerate(words):
            total += 1
            count[word] += 1
            inside = set(words[max(0, t - window):t])
            fired.update(inside)
            joint.update((seen, word) for seen in inside)
    return total, count, fired, joint


def information(total, one, other, both):
    """Of two events that happen so often, in nats a position."""
    def part(here, row, column):
        return here / total * math.log(here * total / (row * column)) if here else 0.0

    return (part(both, one, other) + part(one - both, one, total - other)
            + part(other - both, total - one, other) + part(total - one - other + both, total - one, total - other))


def main():
    path, window, number = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    total, count, fired, joint = counts(sequences(path), window)
    told = collections.Counter()
    for (seen, word), both in joint.items():
        if seen != word:
            told[seen] = max(told[seen], information(total, fired[seen], count[word], both))
    for word, _ in sorted(told.items(), key=lambda item: (-item[1], item[0]))[:number]:
        print(f'any %x[-{window}..-1,0] = "{word}" * %y')


if __name__ == "__main__":
    main()
