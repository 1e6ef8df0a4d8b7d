#!/usr/bin/env python3
"""Smoothed, interpolated trigram models, and their perplexity.

  examples/language-model/trigram.py FOLDER

Two smoothings, both interpolated down to the uniform distribution over the vocabulary:
  modified Kneser-Ney: three discounts an order, from the counts of counts
  Jelinek-Mercer: weights of the orders by EM on held.txt, by how often the history was seen
"""
import collections
import math
import os
import sys


def read(path):
    """The words of each section, two <s> before them."""
    sections = [["<s>", "<s>"]]
    for line in open(path, encoding="utf-8"):
        if line.strip():
            sections[-1].append(line.split()[0])
        else:
            sections.append(["<s>", "<s>"])
    return [s for s in sections if len(s) > 2]


def trigrams(sections):
    for words in sections:
        for t in range(2, len(words)):
            yield words[t - 2], words[t - 1], words[t]


def perplexity(probability, sections):
    logs = [math.log(probability(*each)) for each in trigrams(sections)]
    return math.exp(-sum(logs) / len(logs))


class KneserNey:
    """p(w|uv) = (c(uvw) - D) / c(uv) + gamma(uv) p(w|v); lower orders count different histories."""

    def __init__(self, train, vocabulary):
        self.uniform = 1 / len(vocabulary)
        counts = collections.Counter(trigrams(train))
        self.orders = []
        for _ in range(3):
            self.orders.append((counts, self.discounts(counts), self.histories(counts)))
            counts = collections.Counter(gram[1:] for gram in counts)

    @staticmethod
    def discounts(counts):
        n = collections.Counter(min(c, 5) for c in counts.values())
        y = n[1] / (n[1] + 2 * n[2])
        return [0] + [k - (k + 1) * y * n[k + 1] / n[k] for k in (1, 2, 3)]

    @staticmethod
    def histories(counts):
        """Of each history its total, and how many words follow it once, twice, more often."""
        of = collections.defaultdict(lambda: [0, 0, 0, 0])
        for gram, count in counts.items():
            of[gram[:-1]][0] += count
            of[gram[:-1]][min(count, 3)] += 1
        return of

    def __call__(self, *gram):
        p = self.uniform
        for order in (2, 1, 0):
            counts, discount, histories = self.orders[order]
            part = gram[order:]
            if part[:-1] not in histories:
                continue
            total, *followers = histories[part[:-1]]
            count = counts[part]
            gamma = sum(d * n for d, n in zip(discount[1:], followers)) / total
            p = max(count - discount[min(count, 3)], 0) / total + gamma * p
        return p


class JelinekMercer:
    """p(w|uv) = sum of l_k p_k(w|...) over trigram, bigram, unigram and uniform; l by c(uv)."""

    def __init__(self, train, vocabulary, held):
        self.uniform = 1 / len(vocabulary)
        self.grams = [collections.Counter() for _ in range(3)]
        self.totals = [collections.Counter() for _ in range(3)]
        for gram in trigrams(train):
            for order in range(3):
                self.grams[order][gram[order:]] += 1
                self.totals[order][gram[order:-1]] += 1
        self.weights = collections.defaultdict(lambda: [0.25] * 4)
        for _ in range(30):
            self.step(held)

    def bucket(self, gram):
        count = self.totals[0][gram[:2]]
        return min(int(math.log2(count + 1)), 6), self.totals[1][gram[1:2]] > 5

    def parts(self, gram):
        each = [self.grams[k][gram[k:]] / max(self.totals[k][gram[k:-1]], 1) for k in range(3)]
        return each + [self.uniform]

    def step(self, held):
        expected = collections.defaultdict(lambda: [1e-3] * 4)
        for gram in trigrams(held):
            terms = [l * p for l, p in zip(self.weights[self.bucket(gram)], self.parts(gram))]
            counts = expected[self.bucket(gram)]
            for k, term in enumerate(terms):
                counts[k] += term / sum(terms)
        for bucket, counts in expected.items():
            self.weights[bucket] = [c / sum(counts) for c in counts]

    def __call__(self, *gram):
        weights = self.weights[self.bucket(gram)]
        # A history that was never seen says nothing: the lower orders have its share.
        parts = self.parts(gram)
        seen = [self.totals[k][gram[k:-1]] > 0 for k in range(3)] + [True]
        total = sum(l for l, s in zip(weights, seen) if s)
        return sum(l * p for l, p, s in zip(weights, parts, seen) if s) / total


def main(folder):
    train, held, test = (read(os.path.join(folder, n + ".txt")) for n in ("train", "held", "test"))
    vocabulary = {line.split("\t")[0] for line in open(os.path.join(folder, "classes.tsv"))}
    for name, model in (("modified Kneser-Ney", KneserNey(train, vocabulary)),
                        ("Jelinek-Mercer", JelinekMercer(train, vocabulary, held))):
        for history in (("<s>", "<s>"), (train[0][2], train[0][3]), ("<unk>", "never")):
            total = sum(model(*history, w) for w in vocabulary)
            assert abs(total - 1) < 1e-9, (name, history, total)
        print(f"trigram, {name}: perplexity {perplexity(model, test):.2f}")


main(*sys.argv[1:])
