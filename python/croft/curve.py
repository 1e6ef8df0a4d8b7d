"""croft.learning_curve: how an estimator gets better with more data."""
from __future__ import annotations

import json
import math
from typing import Any, NamedTuple, Optional, Sequence

from . import _core
from ._params import check_count, check_seed
from .halving import Callback, Given, Metric, score_of
from .tables import table


class CurvePoint(NamedTuple):
    """Trainings on one share of the data."""
    share: float
    sequences: int  # of the first draw
    mean: float  # of scores
    standard_error: Optional[float]  # of the mean; None of one draw
    scores: list[float]  # of each draw: on the test data
    training_scores: list[float]  # likewise: on the data that it was trained on


class LearningCurve:
    """What `learning_curve` found; ``print`` shows its table, a notebook its picture.

    points : list of CurvePoint, by their shares
    metric : of the scores; svg : the picture
    """

    def __init__(self, document: dict[str, Any], text: str, csv: str, svg: str) -> None:
        self.metric: str = document["metric"]
        self.points = [CurvePoint(each["share"], each["sequences"], _number(each["mean"]),
                                  _number(each["standard_error"]) if "standard_error" in each else None,
                                  [_number(one) for one in each["scores"]],
                                  [_number(one) for one in each["training_scores"]]) for each in document["points"]]
        self.svg = svg
        self._text = text.rstrip("\n")
        self._csv = csv

    def table(self) -> Any:
        """A row for each share: share, sequences, draws, the score, its standard error, and the score on the data
        that was trained on (a DataFrame, where pandas is)."""
        head, *lines = (line.split(",") for line in self._csv.splitlines())
        return table(head, [[float(share), int(sequences), int(draws), *(float(one) if one else None for one in rest)]
                            for share, sequences, draws, *rest in lines])

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<croft.LearningCurve: {self.metric} of {len(self.points)} shares>"

    def _repr_svg_(self) -> str:  # of IPython
        return self.svg


def learning_curve(estimator: Any, X: Sequence[Any], y: Sequence[Any], X_test: Sequence[Any], y_test: Sequence[Any], *,
                   shares: Sequence[float] = (0.05, 0.1, 0.2, 0.4, 0.7, 1), repeats: int = 3,
                   metric: Metric = "accuracy", groups: Optional[Sequence[Any]] = None, contiguous: bool = False,
                   seed: int = 1, callback: Optional[Callback] = None) -> LearningCurve:
    """Says whether more data would help, as ``croft learning-curve`` does: trains on growing shares of X, and scores
    each model on X_test (docs/search.md, "Would more data help?").

    Each draw puts the sequences in an order of its own, and every share is its beginning, so a larger share has all
    that a smaller one has.  The standard error is over draws.  Of the same data the numbers are the command line's.

    estimator : with fit, predict, get_params and set_params; it is copied, never fitted
    X, y : as its fit takes them: lists, arrays or sparse matrices of N sequences (or rows)
    X_test, y_test : labelled data on which models are scored
    shares : of the data, increasing, above 0 and at most 1
    repeats : draws of each share but the whole
    metric : "accuracy" (of tokens), "chunk-f1", "log-loss" per token (the less the better), or a function
        (fitted estimator, X, y) -> score
    groups : what each sequence belongs to (its document, its customer): N values, and no share divides what has the
        same value
    contiguous : a share is a run of neighbours, and not drawn singly
    seed : of what is drawn
    callback : called with a dict after each training: done, all

    Raises ValueError (croft.Error) for what does not go together.
    """
    given = Given(estimator, X, y, {}, metric)
    given.score_on(X_test, y_test, names=("X_test", "y_test"))
    if given.dev is None:
        raise ValueError("X_test and y_test are None; give labelled data on which models are scored")
    if given.size == 0:
        raise ValueError("X is empty: there is nothing to train on")
    check_count("repeats", repeats, 1, 1000)
    check_seed(seed)

    def scores(which: list[int]) -> tuple[float, float]:
        crf = given.copy({})
        given.fit(crf, which)
        some, labels = given.some(which)
        found = score_of(crf, X_test, y_test, metric), score_of(crf, some, labels, metric)
        if any(map(math.isnan, found)):
            raise ValueError("metric gives no number (nan)")
        return found

    def tell(done: int, of_all: int) -> None:
        if callback is not None:
            callback({"done": done, "all": of_all})

    document, text, csv, svg = _core.learning_curve(_shares(shares), repeats,
                                                    metric if isinstance(metric, str) else "score", seed,
                                                    given.groups(groups), given.size, contiguous, scores, tell)
    return LearningCurve(json.loads(document), text, csv, svg)


def _shares(shares: Any) -> list[float]:
    found = [float(share) for share in shares]
    if not found or not all(low < high <= 1 for low, high in zip([0.0, *found], found)):
        raise ValueError(f"shares is {shares!r}; shares are above 0, at most 1, and each is above the one before")
    return found


def _number(found: Optional[float]) -> float:
    """JSON has no infinity."""
    return math.inf if found is None else found
