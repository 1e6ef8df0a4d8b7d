"""croft.search: settings of an estimator, chosen by cross-validation with successive halving."""
from __future__ import annotations

import hashlib
import json
import math
import numbers
import os
import pickle
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence, Union

from . import _core
from ._params import a_type, mapping, raise_not_fitted
from .model import evaluate, f1_of_chunks
from .tables import table

Metric = Union[str, Callable[[Any, Sequence[Any], Sequence[Any]], float]]
Callback = Callable[[dict[str, Any]], Any]
PathLike = Union[str, "os.PathLike[str]"]

_METRICS = ("accuracy", "chunk-f1", "log-loss")


class Range(NamedTuple):
    """Numbers from low to high to try: evenly, or on the scale "log", or whole numbers, "int"."""
    low: float
    high: float
    scale: str = "linear"


class Candidate(NamedTuple):
    """A setting that was tried."""
    params: dict[str, Any]
    scores: list[list[float]]  # [rungs that it was in][folds]

    @property
    def score(self) -> float:
        """Mean of the last rung that it was in."""
        return sum(self.scores[-1]) / len(self.scores[-1])


class SearchResult:
    """What a search found; ``print`` shows its table, a notebook its picture.

    candidates : list of Candidate, the best first
    rungs : list of dicts: share (of the data, or of iterations) and candidates
    best_params, best_score : of the first candidate, or of that which `prefer` chose
    best_estimator : fitted with it on all of the data; an AttributeError with refit=False
    """

    def __init__(self, document: dict[str, Any], candidates: list[Candidate], text: str, svg: str,
                 chosen: int = 0) -> None:
        self.metric: str = document["metric"]
        self.rungs: list[dict[str, Any]] = document["rungs"]
        self.candidates = candidates
        self.svg = svg
        self._best = candidates[chosen]
        self._text = text.rstrip("\n")

    @property
    def best_params(self) -> dict[str, Any]:
        """The setting that won."""
        return self._best.params

    @property
    def best_score(self) -> float:
        """Its mean over the folds, in the last rung: a little too good, having been chosen for it."""
        return self._best.score

    def table(self) -> Any:
        """A row for each candidate: its values, and its mean in each rung (a DataFrame, where pandas is)."""
        names = list(self.candidates[0].params)
        rungs = [f"rung {k + 1}" for k in range(len(self.rungs))]
        rows = []
        for each in self.candidates:
            means: list[Optional[float]] = [sum(folds) / len(folds) for folds in each.scores]
            rows.append([each.params[name] for name in names] + means + [None] * (len(rungs) - len(means)))
        return table((*names, *rungs), rows)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<croft.SearchResult: {len(self.candidates)} candidates, best {self.best_params}>"

    def _repr_svg_(self) -> str:  # of IPython
        return self.svg


def search(estimator: Any, X: Sequence[Any], y: Sequence[Any],
           parameters: Mapping[str, Union[Range, Sequence[Any]]], *, metric: Metric = "accuracy",
           folds: Optional[int] = None, groups: Optional[Sequence[Any]] = None, contiguous: bool = False,
           X_dev: Optional[Sequence[Any]] = None, y_dev: Optional[Sequence[Any]] = None,
           candidates: Optional[int] = None, eta: int = 3, smallest: float = 0.03, budget: Optional[float] = None,
           resource: str = "data", prefer: Optional[str] = None, state: Optional[PathLike] = None,
           resume: bool = False, refit: bool = True, seed: int = 1,
           callback: Optional[Callback] = None) -> SearchResult:
    """Tries settings of an estimator's parameters by cross-validation, as ``croft search`` does (docs/search.md).

    Many settings are trained on a little of the data, the best 1 / eta of them on eta times as much, and so
    on until the last few have all that is not in a fold.  The same data, settings and seed give the same
    table; of the same data it is the command line's.

    estimator : with fit, predict, get_params and set_params; it is copied, never fitted
    X, y : as its fit takes them: lists, arrays or sparse matrices of N sequences (or rows)
    parameters : name -> a list of values, or a Range; lists alone are tried in all combinations
    metric : "accuracy" (of tokens), "chunk-f1", "log-loss" per token (the less the better), or a function
        (fitted estimator, X, y) -> score, the more the better
    groups : what each sequence belongs to (its document, its customer): N values, and no fold has a part of
        what has the same value
    X_dev, y_dev : settings are trained on X alone and scored on these, and not on folds
    folds, contiguous, candidates, eta, smallest, budget, seed : as the options of ``croft search``; folds: None is 3
    resource : "data", or "iterations": what grows from rung to rung, up to the estimator's max_iterations
    prefer : a parameter: of the settings within one standard error of the best, that with its largest value is
        chosen; "NAME:smallest": with its smallest.  The simplest model that is as good
    state, resume : a file that keeps every score, and whether to go on from it; the table is then the
        very one of a search without a break.  A state of other data or settings is refused
    refit : fit the best setting on all of the data
    callback : called with a dict after each training: done, all, rung, candidate, fold, score

    Raises ValueError (croft.Error) for what does not go together, and where no score is finite.
    Cost: with 27 candidates and the defaults that of 4 cross-validations.
    """
    given = Given(estimator, X, y, parameters, metric)
    given.check_holdout()
    given.check_prefer(prefer)
    given.score_on(X_dev, y_dev, ("X_dev", "y_dev"))
    of_folds = {"folds": folds is not None, "groups": groups is not None, "contiguous": contiguous,
                "prefer": prefer is not None}
    for name in (each for each, is_given in of_folds.items() if is_given and given.dev is not None):
        raise ValueError(f"{name} is about folds, and with X_dev there are none: leave it out")
    options: dict[str, Any] = {
        "metric": metric if isinstance(metric, str) else None, "own_metric": callable(metric), "folds": folds,
        "elsewhere": given.dev is not None,
        "groups": given.groups(groups), "contiguous": contiguous, "candidates": candidates, "eta": eta,
        "smallest": smallest, "budget": budget, "resource": resource, "resume": resume, "seed": seed,
        "state": None if state is None else os.fspath(state)}
    if resource == "iterations":
        options["iterations"] = estimator.get_params().get("max_iterations")
        if options["iterations"] is None:
            raise ValueError("resource \"iterations\" needs an estimator with max_iterations: how many the last "
                             "rung has")
    document, text, svg, chosen = _core.search(given.as_text(), options, given.size, given.fingerprint(state),
                                               given.score, callback, prefer or "")
    if given.dev is not None:
        text = text.replace(" of a file,", " of X_dev,", 1)
    found = json.loads(document)
    tried = [Candidate(given.values([each["settings"][name] for name in given.parameters]),
                       [[math.inf if one is None else one for one in score["folds"]]
                        for score in each["scores"]]) for each in found["candidates"]]
    result = SearchResult(found, tried, text, svg, chosen)
    if refit:
        result.best_estimator = given.copy(result.best_params).fit(X, y)  # type: ignore[attr-defined]
    return result


class Given:
    """The arguments of a search, checked, and one training of it."""

    def __init__(self, estimator: Any, X: Any, y: Any, parameters: Mapping[str, Any], metric: Metric) -> None:
        for name in ("fit", "predict", "get_params", "set_params"):
            if not hasattr(estimator, name):
                raise TypeError(f"estimator is {a_type(estimator)}, which has no {name}")
        if isinstance(metric, str) and metric not in _METRICS:
            raise ValueError(f"metric is {metric!r}; choose one of: {', '.join(_METRICS)}, or give a function")
        self.estimator, self.X, self.y, self.metric = estimator, X, y, metric
        self.dev: Optional[tuple[Any, Any]] = None
        self.size = _size("X", X, "y", y)
        known = estimator.get_params()
        self.parameters: dict[str, Union[Range, list[Any]]] = {}
        for name, values in mapping("parameters", parameters).items():
            if name not in known:
                raise ValueError(f"{type(estimator).__name__} has no parameter {name!r} to search over; it has "
                                 f"{', '.join(known)}")
            self.parameters[name] = values if isinstance(values, Range) else _values(name, values)

    def check_holdout(self) -> None:
        """A hold-out that nothing asks for would be read, and ignored."""
        known = self.estimator.get_params()
        # The weights of a pool, and the words of a code, are fitted to it.
        fitted_to_it = getattr(self.estimator, "_KIND", "") in ("pool", "error-correcting")
        if (known.get("holdout") and "early_stop" in known and not known["early_stop"] and not fitted_to_it
                and "early_stop" not in self.parameters):
            raise ValueError(f"holdout is {known['holdout']!r}: a search scores settings on its folds, and not on a "
                             "hold-out: leave it out, or give early_stop, which stops each training by it")

    def check_prefer(self, prefer: Optional[str]) -> None:
        """Before the first training."""
        if prefer is None:
            return
        name, _, way = str(prefer).partition(":")
        if name not in self.parameters or prefer not in (name, name + ":smallest"):
            raise ValueError(f"prefer is {prefer!r}; give a parameter that is searched over "
                             f"({', '.join(self.parameters)}), or one with :smallest behind it")
        values = self.parameters[name]
        for value in () if isinstance(values, Range) else values:
            if isinstance(value, bool) or not isinstance(value, numbers.Real):
                raise ValueError(f"prefer is {prefer!r}, whose values are no numbers: {value!r}")

    def score_on(self, X: Any, y: Any, names: tuple[str, str]) -> None:
        """Models are scored on these, where they are given."""
        if (X is None) != (y is None):
            raise ValueError(f"{names[0]} and {names[1]} go together: give both or neither")
        if X is not None:
            _size(names[0], X, names[1], y)
            self.dev = X, y

    def groups(self, groups: Optional[Sequence[Any]]) -> list[int]:
        """The number of each sequence's group, in the order of the first of each."""
        if groups is None:
            return []
        if len(groups) != self.size:
            raise ValueError(f"X has {self.size} sequences and groups the values of {len(groups)}")
        known: dict[Any, int] = {}
        return [known.setdefault(each, len(known)) for each in groups]

    def as_text(self) -> dict[str, Union[str, list[str]]]:
        """Each parameter's values, or its range, as the command line has them."""
        return {name: _range(name, each) if isinstance(each, Range) else [str(value) for value in each]
                for name, each in self.parameters.items()}

    def values(self, text: Sequence[str]) -> dict[str, Any]:
        """The setting whose values have these texts."""
        setting: dict[str, Any] = {}
        for (name, each), one in zip(self.parameters.items(), text):
            if not isinstance(each, Range):
                setting[name] = each[[str(value) for value in each].index(one)]
            else:
                setting[name] = int(one) if each.scale == "int" else float(one)
        return setting

    def copy(self, setting: Mapping[str, Any]) -> Any:
        """An estimator of the same parameters, unfitted, with this setting."""
        try:
            from sklearn.base import clone
        except ImportError:
            copied = type(self.estimator)(**self.estimator.get_params())
        else:
            copied = clone(self.estimator)
        return copied.set_params(**setting)

    def score(self, task: Mapping[str, Any]) -> float:
        """Trains on some of the data, and scores on some of the rest."""
        crf = self.copy(self.values(task["values"]))
        if task["iterations"]:
            crf.set_params(max_iterations=task["iterations"])
        self.fit(crf, task["train"])
        X, y = self.dev or self.some(task["test"])
        score = score_of(crf, X, y, self.metric)
        if math.isnan(score):
            raise ValueError(f"metric gives no number (nan) for {self.values(task['values'])}")
        return score

    def some(self, which: list[int]) -> tuple[Any, Any]:
        """The sequences of these numbers, and their labels."""
        return _some(self.X, which), _some(self.y, which)

    def fit(self, crf: Any, which: list[int]) -> None:
        """Trains on them.  A model that Ctrl-C cut short is not scored."""
        crf.fit(*self.some(which))
        result = getattr(getattr(crf, "training_log_", None), "result", {})
        if result.get("reason") == "interrupted":
            raise KeyboardInterrupt

    def fingerprint(self, state: Optional[PathLike]) -> str:
        """Of data, estimator and metric; they are looked at only where there is a state."""
        if state is None:
            return ""
        metric = self.metric if isinstance(self.metric, str) else getattr(self.metric, "__qualname__", "")
        parts = [type(self.estimator).__name__, metric, sorted(
            (name, repr(value)) for name, value in self.estimator.get_params().items() if name != "progress")]
        digest = hashlib.sha256(repr(parts).encode())
        for each in (self.X, self.y, *(self.dev or ())):
            digest.update(pickle.dumps(each, protocol=4))
        return digest.hexdigest()


def _values(name: str, values: Any) -> list[Any]:
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise TypeError(f"parameters[{name!r}] is {values!r}; a list of values or a croft.Range was expected")
    listed = list(values)
    texts = [str(value) for value in listed]
    if not listed:
        raise ValueError(f"parameters[{name!r}] is empty; give values to try")
    for text in texts:
        if texts.count(text) > 1:
            raise ValueError(f"parameters[{name!r}] has {text} twice")
    return listed


def _range(name: str, given: Range) -> str:
    if given.scale not in ("linear", "log", "int"):
        raise ValueError(f"parameters[{name!r}] has the scale {given.scale!r}; choose one of: linear, log, int")
    ends = [repr(float(end)) for end in given[:2]]
    return ":".join(ends if given.scale == "linear" else [*ends, given.scale])


def _some(of: Any, which: list[int]) -> Any:
    if hasattr(of, "iloc"):
        return of.iloc[which]
    return of[which] if hasattr(of, "shape") else [of[n] for n in which]


def _size(X_name: str, X: Any, y_name: str, y: Any) -> int:
    """Of X, which must be that of y."""
    size: int = X.shape[0] if hasattr(X, "shape") else len(X)
    if len(y) != size:
        raise ValueError(f"{X_name} has {size} sequences and {y_name} the labels of {len(y)}")
    return size


def score_of(crf: Any, X: Any, y: Any, metric: Metric) -> float:
    """What a fitted estimator is good for on this data."""
    if callable(metric):
        return float(metric(crf, X, y))
    if metric == "accuracy":
        return float(crf.score(X, y))
    if metric == "log-loss":
        return _log_loss(crf, X, y)
    f1 = f1_of_chunks(evaluate(y, crf.predict(X)))
    if f1 is None:
        raise ValueError("metric \"chunk-f1\": the labels of this data are no chunk labels; take accuracy or log-loss")
    return f1


def _log_loss(crf: Any, X: Any, y: Any) -> float:
    """-log p(y | x) a token, nats."""
    if hasattr(crf, "predict_log_proba"):  # of rows
        columns = {label: k for k, label in enumerate(crf.classes_)}
        rows = crf.predict_log_proba(X)
        return -sum(float(row[columns[label]]) if label in columns else -math.inf
                    for row, label in zip(rows, y)) / len(y)
    model = getattr(crf, "model_", None)
    if model is None:
        raise_not_fitted(crf)
    loss = -sum(model.log_likelihood(X, y))
    return float(loss / max(1, sum(len(each) for each in y)))
