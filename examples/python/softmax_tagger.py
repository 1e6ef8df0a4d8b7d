#!/usr/bin/env python3
"""A small neural tagger in plain numpy, with and without a CRF as its last layer.

    PYTHONPATH=build/release/python /usr/bin/python3 examples/python/softmax_tagger.py

Words become vectors (an embedding), each position sees its own and its neighbours' (a window), a
hidden layer and a linear one turn them into scores [T, L].  What comes after is the difference:

    softmax   each position on its own:  p(y | x) = prod_t softmax(state[t])[y_t]
    CRF       a score for each pair of neighbouring labels as well: croft.chain

The first is the second without transitions, so that one function trains both.  croft.chain gives
the derivative of log p by the scores; the rest of the backward pass is a few lines of numpy.

The data is made here: chunks of two types among other words.  A word hints at the type of its
chunk and says nothing of B or I, and most words occur everywhere now and then: what comes before
and after has to decide.
"""
import time

import numpy as np

import croft

LABELS = ["O", "B-X", "I-X", "B-Y", "I-Y"]
WORDS, EMBEDDING, HIDDEN = 300, 16, 32
# p(next label | label): chunks of X have two words, those of Y come after them and are long.
FOLLOWS = np.array([[0.70, 0.30, 0.00, 0.00, 0.00],
                    [0.00, 0.00, 1.00, 0.00, 0.00],
                    [0.40, 0.00, 0.00, 0.60, 0.00],
                    [0.10, 0.00, 0.00, 0.00, 0.90],
                    [0.20, 0.00, 0.00, 0.00, 0.80]])


def make_data(sentences, generator, word_given_label):
    """Words and labels, each a list of integer arrays [T_n]."""
    words, labels = [], []
    for _ in range(sentences):
        y = [0]
        for _ in range(generator.integers(5, 30)):
            y.append(generator.choice(len(LABELS), p=FOLLOWS[y[-1]]))
        labels.append(np.array(y[1:]))
        words.append(np.array([generator.choice(WORDS, p=word_given_label[j]) for j in y[1:]]))
    return words, labels


class Tagger:
    """theta = { embedding, W1, b1, W2, b2 } and, with the CRF, { transition, start, end }."""

    def __init__(self, crf, generator):
        count = len(LABELS)
        self.theta = {"embedding": generator.normal(0, 0.3, (WORDS + 1, EMBEDDING)),
                      "W1": generator.normal(0, 0.2, (3 * EMBEDDING, HIDDEN)),
                      "b1": np.zeros(HIDDEN),
                      "W2": generator.normal(0, 0.2, (HIDDEN, count)), "b2": np.zeros(count)}
        self.tied = []  # scores that all positions share
        if crf:
            self.tied = ["transition", "start", "end"]
            self.theta["transition"] = np.zeros((count, count))
            self.theta["start"], self.theta["end"] = np.zeros(count), np.zeros(count)
        self.mean = {name: np.zeros_like(w) for name, w in self.theta.items()}
        self.square = {name: np.zeros_like(w) for name, w in self.theta.items()}
        self.steps = 0

    def scores(self, words):
        """State scores [sum of T_n, L] of several sentences, and what the backward pass wants."""
        w = self.theta
        edge = np.array([WORDS])  # stands before the first word and after the last
        window = np.concatenate([np.stack([np.r_[edge, x[:-1]], x, np.r_[x[1:], edge]], axis=1)
                                 for x in words])
        inputs = w["embedding"][window].reshape(len(window), -1)
        hidden = np.tanh(inputs @ w["W1"] + w["b1"])
        return hidden @ w["W2"] + w["b2"], (window, inputs, hidden)

    def chain(self, words):
        """The arguments of croft.chain: the state scores, and the tied ones there are."""
        state, _ = self.scores(words)
        return {"state": state, "transition": None, "lengths": [len(x) for x in words],
                **{name: self.theta[name] for name in self.tied}}

    def step(self, words, labels, rate):
        """One step of Adam along the gradient of log p; returns -log p, nats a word."""
        state, (window, inputs, hidden) = self.scores(words)
        w, positions = self.theta, len(state)
        given = {"transition": None, **{name: w[name] for name in self.tied}}
        log_p, slope = croft.chain.log_likelihood(
            state, labels=np.concatenate(labels), lengths=[len(x) for x in words],
            weight=1 / positions, grad=True, **given)
        d_state = slope.state                                   # [positions, L]: 1[y] - marginals
        d_hidden = d_state @ w["W2"].T * (1 - hidden ** 2)
        d_inputs = d_hidden @ w["W1"].T
        d_embedding = np.zeros_like(w["embedding"])
        np.add.at(d_embedding, window.reshape(-1), d_inputs.reshape(-1, EMBEDDING))
        gradient = {"embedding": d_embedding, "W1": inputs.T @ d_hidden, "b1": d_hidden.sum(axis=0),
                    "W2": hidden.T @ d_state, "b2": d_state.sum(axis=0),
                    **{name: getattr(slope, name) for name in self.tied}}
        self.steps += 1
        for name, g in gradient.items():
            self.mean[name] = 0.9 * self.mean[name] + 0.1 * g
            self.square[name] = 0.999 * self.square[name] + 0.001 * g * g
            mean = self.mean[name] / (1 - 0.9 ** self.steps)
            square = self.square[name] / (1 - 0.999 ** self.steps)
            w[name] += rate * mean / (np.sqrt(square) + 1e-8)
        return -log_p.sum() / positions


def train(crf, words, labels, epochs=9, batch=32, rate=0.01):
    generator = np.random.default_rng(1)
    tagger = Tagger(crf, generator)
    start = time.perf_counter()
    for epoch in range(epochs):
        order, loss = generator.permutation(len(words)), []
        for first in range(0, len(order), batch):
            chosen = order[first:first + batch]
            loss.append(tagger.step([words[n] for n in chosen], [labels[n] for n in chosen], rate))
        if epoch % 3 == 2:
            print(f"  epoch {epoch + 1:2}: -log p {np.mean(loss):.4f} nats a word, "
                  f"{time.perf_counter() - start:.1f} s", flush=True)
    return tagger


def evaluate(name, found, labels):
    """Accuracy of labels, precision and recall of chunks."""
    y = np.concatenate(labels)
    ends = np.cumsum([len(x) for x in labels])
    names = [[[LABELS[j] for j in each] for each in np.split(flat, ends[:-1])]
             for flat in (y, found)]
    chunk = croft.evaluate(*names)["chunk"]
    print(f"{name:<38} accuracy {np.mean(found == y):.4f}   chunk F1 {chunk['f1']:.4f}")


def main():
    generator = np.random.default_rng(7)
    word_given_type = generator.dirichlet(np.full(WORDS, 0.1), size=3)  # O, X, Y
    word_given_type = 0.7 * word_given_type + 0.3 / WORDS
    word_given_label = word_given_type[[0, 1, 1, 2, 2]]
    words, labels = make_data(1500, generator, word_given_label)
    new_words, new_labels = make_data(300, generator, word_given_label)
    taggers = {}
    for name in ("softmax", "CRF"):
        print(name)
        taggers[name] = train(name == "CRF", words, labels)
    print()
    bio = croft.chain.Constraint.bio(LABELS)
    for name, tagger in taggers.items():
        given = tagger.chain(new_words)
        found, _ = croft.chain.viterbi(**given)
        evaluate(name, found, new_labels)
        found, _ = croft.chain.viterbi(**given, constraint=bio)
        evaluate(f"{name}, constrained to valid chunks", found, new_labels)


if __name__ == "__main__":
    main()
