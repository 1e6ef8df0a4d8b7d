"""Scores of labellings: scikit-learn's of all positions together, and of whole sequences.

y_true and y_pred are lists with a list of labels for each sequence; keyword arguments go to
scikit-learn's function of the same name.  All but ``sequence_accuracy_score`` need scikit-learn.
"""
from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

from .utils import flatten

Labels = Sequence[Sequence[str]]


def flat_accuracy_score(y_true: Labels, y_pred: Labels) -> float:
    """The share of positions whose label is right."""
    return _flat("accuracy_score", y_true, y_pred)


def flat_precision_score(y_true: Labels, y_pred: Labels, **kwargs: Any) -> Any:
    """Precision of labels."""
    return _flat("precision_score", y_true, y_pred, **kwargs)


def flat_recall_score(y_true: Labels, y_pred: Labels, **kwargs: Any) -> Any:
    """Recall of labels."""
    return _flat("recall_score", y_true, y_pred, **kwargs)


def flat_f1_score(y_true: Labels, y_pred: Labels, **kwargs: Any) -> Any:
    """F1 of labels."""
    return _flat("f1_score", y_true, y_pred, **kwargs)


def flat_fbeta_score(y_true: Labels, y_pred: Labels, beta: float, **kwargs: Any) -> Any:
    """F-beta of labels."""
    return _flat("fbeta_score", y_true, y_pred, beta=beta, **kwargs)


def flat_classification_report(y_true: Labels, y_pred: Labels,
                               labels: Optional[Sequence[str]] = None, **kwargs: Any) -> Any:
    """A table of all labels, as text."""
    return _flat("classification_report", y_true, y_pred, labels=labels, **kwargs)


def sequence_accuracy_score(y_true: Labels, y_pred: Labels) -> float:
    """The share of sequences all of whose labels are right; 0 without sequences."""
    _check(y_true, y_pred)
    right = sum(list(gold) == list(found) for gold, found in zip(y_true, y_pred))
    return right / len(y_true) if len(y_true) else 0.0


def _check(y_true: Labels, y_pred: Labels) -> None:
    if len(y_true) != len(y_pred):
        raise ValueError(f"y_true has {len(y_true)} sequences and y_pred {len(y_pred)}")
    for name, labels in (("y_true", y_true), ("y_pred", y_pred)):
        for n, sequence in enumerate(labels):
            if isinstance(sequence, (str, bytes)):  # whose elements would be its characters
                raise TypeError(f"{name}[{n}] is a {type(sequence).__name__}, and a list with a label for each position"
                                " was expected")


def _flat(name: str, y_true: Labels, y_pred: Labels, **kwargs: Any) -> Any:
    _check(y_true, y_pred)
    for n, (gold, found) in enumerate(zip(y_true, y_pred)):
        if len(gold) != len(found):
            raise ValueError(f"y_true[{n}] has {len(gold)} labels and y_pred[{n}] has {len(found)}")
    try:
        import sklearn.metrics
    except ImportError:
        raise ImportError(f"flat_{name} needs scikit-learn; install it, or use croft.evaluate"
                          ) from None
    function: Callable[..., Any] = getattr(sklearn.metrics, name)
    return function(flatten(y_true), flatten(y_pred), **kwargs)
