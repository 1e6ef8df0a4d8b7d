"""Which pairs of labels have a feature, chosen apart from attributes as CRFsuite does.

Croft's ``features`` decides for both: the pairs that occur, or all.  Here is what the two other
combinations need.
"""
from __future__ import annotations

import contextlib
import os
import tempfile
from typing import Iterator, Optional, Sequence

from .. import _core

Labels = Sequence[Sequence[str]]


def labels_of(y: Labels) -> list[str]:
    """The labels in the order of their first occurrence."""
    return list(dict.fromkeys(label for labels in y for label in labels))


def start_with_all(y: Labels) -> Optional[_core.Model]:
    """A model to start from whose only features are the transitions between all pairs of labels;
    None where no two positions are neighbours, so that such features would all be 0.

    Training keeps the features that it starts from.  The weights are 1e-10 or smaller, so that it
    is a start from 0 for all that matters; a weight of exactly 0 would not be in a model.  They are
    a step against the gradient at 0, so that none is on the side of 0 that OWL-QN does not want.
    """
    if all(len(each) < 2 for each in y):
        return None
    labels = labels_of(y)
    model = _small_step(y)
    if len(model.transition_features()) < len(labels) ** 2 and len(labels) > 1:
        model = _small_step([labels])  # some derivatives are 0: any weights will do
    return model


def _small_step(y: Labels) -> _core.Model:
    """Trained on labels without attributes, for a step that l2 keeps small."""
    X: list[list[list[str]]] = [[[]] * len(labels) for labels in y]
    weights = [1 / sum(map(len, y))] * len(y)
    options = {"format": "attributes", "features": "all", "l2": 1e10, "max_iterations": 1,
               "optimizer": "lbfgs", "precision": "double"}
    return _core.train("chain", X, y, weights, None, None, options, {}, None)[0]


@contextlib.contextmanager
def only_seen(y: Labels) -> Iterator[str]:
    """The path of a file by which unseen transitions get no feature; empty where all are seen."""
    labels = labels_of(y)
    seen = {pair for each in y for pair in zip(each, each[1:])}
    if len(seen) == len(labels) ** 2:
        yield ""
        return
    for label in labels:
        if "\t" in label or "\n" in label or "\r" in label:
            raise ValueError(f"the label {label!r} has a tab or a line break; all_possible_states "
                             "without all_possible_transitions does not go with it")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "groups")
        with open(path, "w", encoding="utf-8", newline="\n") as out:
            for before in labels:
                for after in labels:
                    if (before, after) not in seen:
                        out.write(f"{_pattern(before)}\t{_pattern(after)}\t-\n")
        yield path


def _pattern(label: str) -> str:
    return label.replace("\\", "\\\\").replace("*", "\\*")
