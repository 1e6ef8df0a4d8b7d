"""NaiveBayes: a classifier of rows, as a scikit-learn estimator."""
from __future__ import annotations

import json
import os
import tempfile
from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional, Union

from . import _core
from ._matrix import (RowClassifier, arrays as _arrays, check_classes, classes_from as _classes_from,
                      example_weights as _weights, stacked, validated as _validated)
from ._parameters import NaiveBayesParameters
from .estimator import warn_if_interrupted
from .model import Model
from ._params import warn

if TYPE_CHECKING:
    import numpy

PathLike = Union[str, "os.PathLike[str]"]

EVENTS = ("multinomial", "bernoulli", "complement", "gaussian", "categorical")
_COUNTS = ("multinomial", "complement", "categorical")


class NaiveBayes(NaiveBayesParameters, RowClassifier):
    """Naive Bayes: given its label, the numbers of a row are independent of each other.

        log p(x, y) = log p(y) + sum_d log p(x_d | y)

    ``X`` is a matrix [N, D], a numpy array or a scipy sparse matrix, and ``y`` has N labels, str or numbers.

    Attributes
    ----------
    classes_ : array [L]
    class_count_, class_log_prior_ : array [L]
    n_features_in_, feature_names_in_
    feature_count_, feature_log_prob_ : array [L, D] with event multinomial, bernoulli and complement; of
        categorical, feature_log_prob_ and category_count_ are lists with an array [L, categories] for each column
    theta_, var_, epsilon_ : arrays [L, D] of means and variances, and what was added to these; with gaussian
    objective_ : list, what EM minimises, as each iteration finds it: minus the log-likelihood of rows and known
        labels, minus that of the smoothing, alpha times the sum of the smoothed log-probabilities
        (feature_log_prob_; of bernoulli, log 1 - p, too).  It never increases; empty without X_unlabelled
    holdout_ : dict or None, the token_accuracy of the rows that were held out
    calibration_ : dict or None, of a model file that ``croft calibrate`` wrote: predict, predict_proba and
        predict_log_proba apply it, until the next fit; predict_joint_log_proba does not
    """

    _LEARNT = "_table"

    # Training.

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, X_unlabelled: Any = None) -> NaiveBayes:
        """Counts, and so learns; returns self.

        sample_weight : [N], 0 or more
        X_unlabelled : [M, D] rows whose label is not known: EM weighs each label by its posterior

        Time O(numbers that are not 0 + L D).
        """
        X, y = self._labelled(X, y, reset=True)
        import numpy
        self.classes_, codes = numpy.unique(y, return_inverse=True)
        more = None if X_unlabelled is None else self._checked(X_unlabelled)
        return self._count(self._new_table(), X, codes, sample_weight, more)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> NaiveBayes:
        """Adds rows to those that were counted: the same as one fit to all of them.

        classes : labels of all rows that will come; needed in the first call, where y has not all of them
        """
        import numpy
        if isinstance(self.class_weight, str):
            raise ValueError(f"class_weight is {self.class_weight!r}, and partial_fit sees a part of the rows; "
                             "give a dict")
        check_classes(classes, "classes")
        first = not hasattr(self, "_table")
        X, y = self._labelled(X, y, reset=first)
        if first:
            self.classes_ = numpy.unique(y if classes is None else classes)
        elif classes is not None and not numpy.array_equal(numpy.unique(classes), numpy.unique(self.classes_)):
            raise ValueError(f"classes={classes!r} is not what it was in the first call of partial_fit, "
                             f"{self.classes_!r}")
        unknown = ~numpy.isin(y, self.classes_)
        if unknown.any():
            raise ValueError(f"The label {y[unknown][0]!r} in y is not among classes={self.classes_!r}; name all "
                             "that will come in the first call of partial_fit")
        calibrated = not first and self.calibration_ is not None
        order = numpy.argsort(self.classes_)  # those of a file are in its order
        table = self._new_table() if first else self._table.copy()
        self._count(table, X, order[numpy.searchsorted(self.classes_, y, sorter=order)], sample_weight, None)
        if calibrated:
            warn("the calibration was that of the model before, and is gone; calibrate the new one")
        return self

    def _count(self, table: _core.NaiveBayesTable, X: Any, codes: Any, sample_weight: Any, more: Any) -> NaiveBayes:
        """A table that is there is never changed: other threads may predict with it, and the fit may fail."""
        import numpy
        for name in ("early_stop", "checkpoint"):
            if more is None and getattr(self, name):
                raise ValueError(f"{name} is of EM: give X_unlabelled, or leave it out")
        weight = _weights(self.class_weight, self.classes_, codes, sample_weight)
        events = self._events()
        if "categorical" in events or table.takes_zeros:  # 0 is a category, or not a missing number
            X, more = _dense(X), None if more is None else _dense(more)
        for name, matrix in (("X", X), ("X_unlabelled", more)):
            if matrix is not None:
                self._check_numbers(name, matrix, events)
                self._reserve(table, matrix, events)
        if more is not None:
            X = stacked(X, more)
            codes = numpy.concatenate([codes, numpy.full(more.shape[0], -1)])
            if weight is not None:
                weight = numpy.concatenate([weight, numpy.ones(more.shape[0])])
        option, prior = self._prior()
        found = table.fit(*_arrays(X), numpy.ascontiguousarray(codes, numpy.int64), weight,
                          len(self.classes_), {**self._given(), **option}, prior)
        self._table = table
        self.objective_ = found["objectives"]
        self.holdout_ = found["holdout"]
        warn_if_interrupted(found)
        ended = found["converged"] or found["interrupted"] or len(found["objectives"]) < self.em_iterations
        if not ended and more is not None and self.em_iterations > 0:
            warn(f"EM went on to gain more than em_tolerance={self.em_tolerance} after em_iterations="
                 f"{self.em_iterations} iterations")
        return self

    def _prior(self) -> tuple[dict[str, Any], Optional[list[float]]]:
        """p(y) as an option, or its numbers."""
        import numpy
        if self.priors is None or (isinstance(self.priors, str) and self.priors == "uniform"):
            return {"prior_probabilities": self.priors}, None
        if isinstance(self.priors, str):
            raise ValueError(f"priors is {self.priors!r}; give None, 'uniform' or an array")
        prior = [float(p) for p in numpy.asarray(self.priors, float).ravel()]
        if len(prior) != len(self.classes_):
            raise ValueError(f"priors has {len(prior)} numbers, and there are {len(self.classes_)} classes")
        return {}, prior

    def _events(self) -> list[str]:
        """What each column is; one name: what all are."""
        events = [self.event] if isinstance(self.event, str) else list(self.event)
        for event in events:
            if event not in EVENTS:
                raise ValueError(f"event is {event!r}; choose among {', '.join(EVENTS)}")
        if len(events) != self.n_features_in_ and not isinstance(self.event, str):
            raise ValueError(f"event has {len(events)} names, and X {self.n_features_in_} columns")
        return events

    def _new_table(self) -> _core.NaiveBayesTable:
        return _core.NaiveBayesTable(self.n_features_in_, self._named_columns(), self._events())

    def _check_numbers(self, name: str, X: Any, events: list[str]) -> None:
        import numpy
        of = numpy.resize(numpy.array(events), self.n_features_in_)
        for where, values in _columns_of(X, numpy.isin(of, _COUNTS), lambda x: x < 0):
            if (values < 0).any():
                raise ValueError(f"Negative values in data passed to NaiveBayes (input {name}), in column {where}; "
                                 f"event {of[where]} takes numbers from 0 on")
        for where, values in _columns_of(X, of == "categorical", lambda x: x != numpy.floor(x)):
            if (values != numpy.floor(values)).any():
                raise ValueError(f"{name} has a number in column {where} that is no category; event categorical "
                                 "takes 0, 1, 2, ...")

    def _reserve(self, table: _core.NaiveBayesTable, X: Any, events: list[str]) -> None:
        """Makes room for the categories of the columns."""
        import numpy
        least = numpy.broadcast_to(numpy.asarray(0 if self.min_categories is None else self.min_categories),
                                   (self.n_features_in_,))
        for d in numpy.flatnonzero(numpy.resize(numpy.array(events), self.n_features_in_) == "categorical"):
            largest = X[:, d].max() if X.shape[0] else -1
            if largest > 1e15:
                raise ValueError(f"column {d} has the number {largest:g}, which is too large for a category")
            table.reserve_categories(int(d), max(int(largest) + 1, int(least[d])))

    # Prediction.

    def predict_joint_log_proba(self, X: Any) -> numpy.ndarray:
        """log p(x, y = j), before any calibration: an array [N, L], columns as in classes_.  Time O(numbers that
        are not 0 * L), with gaussian columns O(N D L)."""
        import numpy
        self._check_fitted()
        X = self._checked(X)
        if self._table.takes_zeros:  # 0 is a category, or a number of a table that has missing ones, too
            X = _dense(X)
        out = numpy.empty((X.shape[0], len(self.classes_)))
        self._table.joint(*_arrays(X), out)
        return out

    def predict_log_proba(self, X: Any) -> numpy.ndarray:
        """log p(y = j | x): an array [N, L]."""
        import numpy
        joint = self.predict_joint_log_proba(X)
        largest = joint.max(axis=1, keepdims=True, initial=-numpy.inf)
        if not numpy.isfinite(largest).all():
            row = int(numpy.flatnonzero(~numpy.isfinite(largest))[0])
            raise ValueError(f"X[{row}] has probability 0 under every label, or numbers that are too large; with "
                             "alpha above 0 no count is 0")
        self._table.calibrate(joint)
        joint -= joint.max(axis=1, keepdims=True, initial=-numpy.inf)
        joint -= numpy.log(numpy.exp(joint).sum(axis=1, keepdims=True))
        return joint

    def predict(self, X: Any) -> numpy.ndarray:
        """The most probable label of each row."""
        joint = self.predict_joint_log_proba(X)
        self._table.calibrate(joint)
        return self.classes_[joint.argmax(axis=1)]

    # What was learnt.

    @property
    def calibration_(self) -> Optional[dict[str, Any]]:
        self._check_fitted()
        found: Optional[dict[str, Any]] = json.loads(self._table.calibration)
        return found

    @property
    def class_count_(self) -> numpy.ndarray:
        import numpy
        self._check_fitted()
        return numpy.array(self._table.class_weight)

    @property
    def class_log_prior_(self) -> numpy.ndarray:
        import numpy
        option, prior = self._prior()
        if prior is not None:
            return numpy.log(prior)
        count = self.class_count_
        if option["prior_probabilities"] == "uniform":
            return numpy.full(len(count), -numpy.log(len(count)))
        with numpy.errstate(divide="ignore"):
            return numpy.log(count) - numpy.log(count.sum())

    def _one_event(self, attribute: str, *events: str) -> str:
        """The event model of all columns, where it has the attribute."""
        self._check_fitted()
        found = {event for _, event, _ in self._table.columns}
        if len(found) == 1 and found <= set(events):
            return found.pop()
        raise AttributeError(f"{attribute} is there with event {' or '.join(events)} alone")

    def _rows(self, what: str, part: int = 0) -> numpy.ndarray:
        """[L, A]"""
        import numpy
        attributes = sum(len(places) for _, _, places in self._table.columns)
        out = numpy.empty((attributes, len(self.classes_)))
        self._table.rows(what, part, out)
        return out.T

    def _by_column(self, what: str) -> list[numpy.ndarray]:
        rows = self._rows(what)
        return [rows[:, places] for _, _, places in self._table.columns]

    @property
    def feature_count_(self) -> numpy.ndarray:
        self._one_event("feature_count_", "multinomial", "bernoulli", "complement")
        return self._rows("counts")

    @property
    def feature_log_prob_(self) -> Any:
        import numpy
        event = self._one_event("feature_log_prob_", "multinomial", "bernoulli", "complement", "categorical")
        if event == "categorical":
            return self._by_column("rows")
        rows = self._rows("rows")
        return -numpy.logaddexp(0, -rows) if event == "bernoulli" else rows  # bernoulli: log-odds

    @property
    def category_count_(self) -> list[numpy.ndarray]:
        self._one_event("category_count_", "categorical")
        return self._by_column("counts")

    @property
    def theta_(self) -> numpy.ndarray:
        self._one_event("theta_", "gaussian")
        return self._rows("rows")

    @property
    def var_(self) -> numpy.ndarray:
        self._one_event("var_", "gaussian")
        return self._rows("rows", 1)

    @property
    def epsilon_(self) -> float:
        self._one_event("epsilon_", "gaussian")
        return self.var_smoothing * (self._table.largest_variance or 1.0)

    # Files.

    @property
    def model_(self) -> Model:
        """The model, with what it does to files and mixtures; as `save` writes it."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.croft")
            self.save(path)
            with open(path, "rb") as file:
                return Model.from_bytes(file.read())

    def save(self, path: PathLike) -> None:
        """Writes a model file, which ``croft predict`` and NaiveBayes.load read; labels become text in it.  Its
        format is ``attributes``, whatever file a loaded model was trained on: lines LABEL TAB COLUMN:VALUE ..."""
        self._check_fitted()
        self._table.save(os.fspath(path), *self._record())

    @classmethod
    def load(cls, path: PathLike) -> NaiveBayes:
        """The estimator that was saved; or of a model that ``croft train --model naive-bayes`` wrote, whose
        attributes are columns (feature_names_in_): of csv in the order of the table, of svmlight in that of
        the indices, otherwise in the order of their names."""
        return cls()._restore(_core.NaiveBayesTable.open(os.fspath(path)))

    def _record(self) -> tuple[list[str], str]:
        params = {name: value.tolist() if hasattr(value, "tolist") else value
                  for name, value in self.get_params(deep=False).items()}
        record = {"rows": sum(self._table.class_weight), "classes": self.classes_.dtype.kind,
                  "named": hasattr(self, "feature_names_in_"), "parameters": params}
        return [str(label) for label in self.classes_], json.dumps(record)

    def _restore(self, found: tuple[Any, list[bytes], str, str]) -> NaiveBayes:
        import numpy
        table, labels, record, options = found
        said = json.loads(record)
        if "parameters" in said:
            if not (isinstance(said["parameters"], dict)
                    and set(said["parameters"]) <= set(self.get_params(deep=False))):
                raise _core.Error("training.parameters of the model are damaged")
            self.set_params(**said["parameters"])
        else:
            known = json.loads(options)
            events = [event for _, event, _ in table.columns]
            self.set_params(event=events[0] if len(set(events)) == 1 else events, alpha=known["alpha"],
                            binarize=known["binarize"], norm=known["norm"],
                            var_smoothing=known["variance_floor"],
                            priors={"learnt": None, "uniform": "uniform"}.get(
                                known["prior"], known["given_prior"]))
        self._table = table
        names = [name.decode("utf-8", "surrogateescape") for name, _, _ in table.columns]
        self.n_features_in_ = len(names)
        if said.get("named", True):
            self.feature_names_in_ = numpy.array(names, dtype=object)
        text = [label.decode("utf-8", "surrogateescape") for label in labels]
        self.classes_ = _classes_from(text, said.get("classes", "U"))
        self.objective_ = []
        return self

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if "_table" in state:
            state["_table"] = self._table.to_bytes(*self._record())
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if isinstance(state.get("_table"), bytes):
            self._table = _core.NaiveBayesTable.from_bytes(state["_table"])[0]

    # What is handed in.

    def _checked(self, X: Any) -> Any:
        return _validated(self, X, None, False)

    def _more_tags(self) -> dict[str, Any]:  # of scikit-learn before 1.6
        events = {self.event} if isinstance(self.event, str) else set(self.event)
        types = ["categorical"] if "categorical" in events else ["2darray", "sparse"]
        return {"requires_y": True, "requires_positive_X": bool(events & set(_COUNTS)), "X_types": types,
                "poor_score": events != {"gaussian"}}

    def __sklearn_tags__(self) -> Any:  # from 1.6 on
        tags = super().__sklearn_tags__()
        said = self._more_tags()
        tags.target_tags.required = True
        tags.input_tags.sparse = "sparse" in said["X_types"]
        tags.input_tags.categorical = "categorical" in said["X_types"]
        tags.input_tags.positive_only = said["requires_positive_X"]
        tags.classifier_tags.poor_score = said["poor_score"]
        return tags


def _columns_of(X: Any, chosen: Any, wrong: Callable[[Any], Any]) -> Iterator[tuple[int, Any]]:
    """(column, its numbers) of those that are chosen, where any number of X is wrong; of a sparse matrix the
    stored ones."""
    import numpy
    if not chosen.any() or not wrong(X.data if hasattr(X, "indptr") else X).any():
        return
    if hasattr(X, "indptr"):
        X = _whole(X).tocsc()
    for d in numpy.flatnonzero(chosen):
        yield int(d), X.data[X.indptr[d]:X.indptr[d + 1]] if hasattr(X, "indptr") else X[:, d]


def _dense(X: Any) -> Any:
    return _whole(X).toarray() if hasattr(X, "toarray") else X


def _whole(X: Any) -> Any:
    """A sparse matrix whose parts fit together, which methods of scipy take for granted."""
    X.check_format(full_check=True)
    return X
