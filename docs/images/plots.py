"""Draws the pictures of docs/python_plots.md: plots.py TRAIN DEV, files of CoNLL-2000's layout."""
from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import croft  # noqa: E402

Rows = list[list[str]]
SENTENCE = ("The/DT old/JJ gardener/NN who/WP reads/VBZ maps/NNS plans/VBZ to/TO plant/VB twenty/CD "
            "so-called/JJ winter/NN roses/NNS along/IN that/DT wall/NN ./.")


def read(path: str, count: int) -> list[Rows]:
    """The first sentences of a file: rows of word, tag, label."""
    with open(path, encoding="utf-8") as lines:
        blocks = lines.read().split("\n\n")
    return [[row.split() for row in block.splitlines()] for block in blocks[:count] if block]


def items(sentence: Rows) -> list[dict[str, object]]:
    """Attributes of each word and its neighbours."""
    found = []
    for t, (word, tag, _) in enumerate(sentence):
        item: dict[str, object] = {"word": word.lower(), "tag": tag, "ends": word[-3:],
                                   "capital": word[0].isupper()}
        for step in (-2, -1, 1, 2):
            if 0 <= t + step < len(sentence):
                word, tag, _ = sentence[t + step]
                item[f"{step:+}"] = {"word": word.lower(), "tag": tag}
        found.append(item)
    return found


def save(axes: object, name: str) -> None:
    """A small file beside this one."""
    figure = axes[0].figure if isinstance(axes, list) else axes.figure  # type: ignore[attr-defined]
    figure.savefig(Path(__file__).parent / f"{name}.png", dpi=72)


def main() -> None:
    train, dev = read(sys.argv[1], 4000), read(sys.argv[2], 600)
    labels = [[row[2] for row in sentence] for sentence in train]
    dev_labels = [[row[2] for row in sentence] for sentence in dev]
    crf = croft.ChainCRF(l2=1, max_iterations=60, early_stop=8)
    crf.fit([items(s) for s in train], labels, X_dev=[items(s) for s in dev], y_dev=dev_labels)
    sentence = [[*pair.split("/"), ""] for pair in SENTENCE.split()]
    words = [row[0] for row in sentence]
    save(croft.plot.marginals(crf, items(sentence), tokens=words), "marginals")
    save(croft.plot.training_curve(crf), "training_curve")
    common = sorted({label for each in labels for label in each},
                    key=lambda label: -sum(each.count(label) for each in labels))[:11]
    save(croft.plot.transitions(crf, labels=sorted(common)), "transitions")
    save(croft.plot.reliability(crf, [items(s) for s in dev], dev_labels), "reliability")
    save(croft.plot.top_features(crf, ["B-NP", "B-VP", "B-PP"]), "top_features")


if __name__ == "__main__":
    main()
