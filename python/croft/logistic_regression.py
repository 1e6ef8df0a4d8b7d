"""LogisticRegression: a classifier of rows by weighted sums, as a scikit-learn estimator."""
from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

from . import _core
from ._matrix import RowClassifier, arrays, classes_from, example_weights, stacked, validated
from ._parameters import LogisticRegressionParameters
from .estimator import Callback, TrainingLog, _prior_model, warn_if_interrupted
from .model import Model
from ._params import a_type, warn

if TYPE_CHECKING:
    import numpy

try:
    from sklearn.exceptions import ConvergenceWarning
except ImportError:
    class ConvergenceWarning(UserWarning):  # type: ignore[no-redef]
        """Training ended before it converged."""

PathLike = Union[str, "os.PathLike[str]"]

_INTERCEPT = "(intercept)"
_OF_A_RUN = ("class_weight", "prior", "checkpoint", "resume")  # parameters that the model file does not keep


class LogisticRegression(LogisticRegressionParameters, RowClassifier):
    """Multinomial logistic regression, the maximum-entropy classifier:

        p(y = j | x) = exp(b_j + w_j x) / sum_k exp(b_k + w_k x)

    minimises  F(w, b) = -sum_n weight_n log p(y_n | x_n) + l1 |w|_1 + (l2 / 2) |w|_2^2.

    ``X`` is a matrix [N, D], a numpy array or a scipy sparse matrix, and ``y`` has N labels, str or numbers.

    scikit-learn's LogisticRegression(C=C) minimises C times F with l2 = 1 / C, l1 = 0 and b free of any penalty:
    ``LogisticRegression(l2=1/C)`` has its optimum.  With its ``penalty="elasticnet"``, l1 = l1_ratio / C and
    l2 = (1 - l1_ratio) / C.  liblinear penalises b as well: ``intercept="penalised"``.

    With two labels there is one vector, w = w_1 - w_0, and the penalty is that of w: the two that the model
    file has are w / 2 and -w / 2, which ``croft train`` finds with 2 l2 and the same l1.

    Attributes
    ----------
    classes_ : array [L]
    coef_ : array [L, D]; with two labels [1, D], the weights of classes_[1] less those of classes_[0]
    intercept_ : array [L]; with two labels [1].  Where it is unpenalised, a number added to all L changes nothing
    n_iter_ : int
    n_features_in_, feature_names_in_
    training_log_ : TrainingLog
    model_ : Model of rows as sequences of one position, attributes being x0, x1, ... or feature_names_in_
    calibration_ : dict or None, of a model file that ``croft calibrate`` wrote: predict, predict_proba and
        predict_log_proba apply it, until the next fit; decision_function and coef_ are as trained
    """

    _LEARNT = "coef_"

    # Training.

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, X_unlabelled: Any = None,
            callback: Optional[Callback] = None) -> LogisticRegression:
        """Trains; returns self.

        sample_weight : [N], 0 or more; a row with weight 2 is the row twice
        X_unlabelled : [M, D] rows whose label is not known, for entropy, expectations or self_training
        callback : called with a dict after each iteration (the entries of training_log_); False stops

        ConvergenceWarning where max_iterations end it.  Ctrl-C stops after the iteration under way, keeps its
        weights and warns (TrainingInterrupted).  An iteration costs O(numbers that are not 0 * L).
        """
        if callback is not None and not callable(callback):
            raise TypeError(f"callback is {a_type(callback)}, and a function was expected")
        import numpy
        X, y = self._labelled(X, y, True)
        self.classes_, codes = numpy.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y has one class, {self.classes_[0]!r}; two are needed at least")
        names = self._column_names()
        log = TrainingLog()
        found = numpy.zeros((X.shape[1] + 1, len(self.classes_)))
        labels = [str(label) for label in self.classes_]
        prior = _prior_model(self.prior)
        weight = example_weights(self.class_weight, self.classes_, codes, sample_weight)
        columns = X.shape[1]
        if X_unlabelled is not None:
            more = validated(self, X_unlabelled, None, False)
            X, codes = stacked(X, more), numpy.concatenate([codes, numpy.full(more.shape[0], -1)])
            weight = None if weight is None else numpy.concatenate([weight, numpy.ones(more.shape[0])])
        native, log.result = _core.train_matrix(
            columns, *arrays(X), numpy.ascontiguousarray(codes, numpy.int64), weight, names, labels, self._options(),
            prior._native if prior else None, json.dumps(self._record(), default=str), found,
            log.watching(callback))
        self.model_ = Model(native)
        if prior:  # the model has labels and columns in the order of the prior
            place = {name: d for d, name in enumerate(names or [f"x{d}" for d in range(X.shape[1])])}
            found = self._weights_of(self.model_, place, X.shape[1], labels)
        self._set_weights(found)
        self.training_log_ = log
        self.n_iter_ = log.result["iterations"]
        self._warn(log.result)
        return self

    def _options(self) -> dict[str, Any]:
        if self.intercept not in ("unpenalised", "penalised", "none"):
            raise ValueError(f"intercept is {self.intercept!r}; choose one of: unpenalised, penalised, none")
        options = {**self._given(), "format": "attributes"}
        if "select" in options:
            options["select"] = f"l1:{options['select']}"
        return options

    def _column_names(self) -> list[str]:
        names = self._named_columns()
        if _INTERCEPT in names and self.intercept != "none":
            raise ValueError(f"a column of X has the name of the intercept, {_INTERCEPT}; rename it, or give "
                             'intercept="none"')
        return names

    @staticmethod
    def _weights_of(model: Model, place: Mapping[str, int], columns: int, labels: Sequence[str]) -> Any:
        """[D + 1, L] of a model that has these labels and no others, the intercept's (or 0) last.

        place : the column of each attribute that has weights
        """
        import numpy
        if set(model.labels) != set(labels):
            odd = sorted(set(model.labels) ^ set(labels))[0]
            raise ValueError(f"the model has the label {odd!r}, and y has not" if odd in model.labels else
                             f"all rows of the label {odd!r} are held out; give a smaller holdout")
        rows = [*(name.encode("utf-8", "surrogateescape") for name in place), _INTERCEPT.encode()]
        weights = numpy.zeros((len(rows), len(labels)))
        _core.model_weights(model._native, rows, weights)
        found = numpy.zeros((columns + 1, len(labels)))
        found[[*place.values(), columns]] = weights
        return found[:, [model.labels.index(label) for label in labels]]

    def _set_weights(self, found: Any) -> None:
        """From [D + 1, L], the intercept's last."""
        if found.shape[1] == 2:
            found = found[:, 1:] - found[:, :1]
        self.coef_ = found[:-1].T  # its transpose is what scores are made from, row by row
        self.intercept_ = found[-1].copy()

    def _warn(self, result: Mapping[str, Any]) -> None:
        warn_if_interrupted(result)
        if result["reason"] == "max_iterations":
            warn(f"{result['message']}; give max_iterations, or scale the columns of X", ConvergenceWarning)

    # Prediction.

    def decision_function(self, X: Any) -> numpy.ndarray:
        """b_j + w_j x, before any calibration: an array [N, L]; with two labels [N], above 0 where it is
        classes_[1].

        Time O(numbers that are not 0 * L), on one thread.
        """
        import numpy
        self._check_fitted()
        X = validated(self, X, None, False)
        out = numpy.empty((X.shape[0], len(self.intercept_)))
        _core.linear_scores(X.shape[1], *arrays(X), numpy.ascontiguousarray(self.coef_.T, numpy.float64),
                            numpy.ascontiguousarray(self.intercept_, numpy.float64), out)
        return out.ravel() if out.shape[1] == 1 else out

    def predict_log_proba(self, X: Any) -> numpy.ndarray:
        """log p(y = j | x): an array [N, L]."""
        import numpy
        scores = self._scores(X)
        if scores.ndim == 1:  # the softmax of two scores is the sigmoid of their difference
            return numpy.stack([-numpy.logaddexp(0, scores), -numpy.logaddexp(0, -scores)], axis=1)
        scores -= scores.max(axis=1, keepdims=True)
        scores -= numpy.log(numpy.exp(scores).sum(axis=1, keepdims=True))
        return scores

    def predict(self, X: Any) -> numpy.ndarray:
        """The most probable label of each row."""
        scores = self._scores(X)
        best = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[best]

    def _scores(self, X: Any) -> numpy.ndarray:
        """Those of decision_function, or where the model is calibrated [N, L], whose softmax is p(y | x)."""
        import numpy
        scores = self.decision_function(X)
        if self.calibration_ is None:
            return scores
        if scores.ndim == 1:
            scores = numpy.stack([numpy.zeros(len(scores)), scores], axis=1)
        self.model_._native.calibrate(scores)
        return scores

    @property
    def calibration_(self) -> Optional[dict[str, Any]]:
        self._check_fitted()
        found: Optional[dict[str, Any]] = json.loads(self.model_._native.calibration)
        return found

    # Files.

    def save(self, path: PathLike) -> None:
        """Writes a model file, which ``croft predict``, croft.load and LogisticRegression.load read: weights as
        float32, labels as text.  Its format is ``attributes``: ``croft predict`` takes lines
        LABEL TAB COLUMN:VALUE ... (or without the label), not the csv that the matrix came from."""
        self._check_fitted()
        self.model_.save(path)

    @classmethod
    def load(cls, path: PathLike) -> LogisticRegression:
        """The estimator that was saved; or of a model that ``croft train --model maxent`` wrote.

        Its attributes are then the columns (feature_names_in_): of csv, whose columns have to be numbers, in the
        order of the table; of svmlight in that of their indices, those that the model knows; of attributes in
        the order of their names.  Other models, and those of words, are a ValueError.  l1, l2 and intercept are
        then those that find its optimum: with two labels half of the program's --l2.
        """
        import numpy
        model = Model.load(path)
        meta = json.loads(model._native.meta())
        if meta.get("kind") != "maxent":
            raise ValueError(f"{os.fspath(path)}: a model of kind {meta.get('kind')}, and LogisticRegression is of "
                             "kind maxent")
        record = meta.get("training", {})
        said = _matrix_record(record, path)
        self = cls(**said.get("parameters", {}))
        has_intercept = meta["extraction"].get("intercept", False)
        if not said:
            self.l1, l2 = (float(record.get(name, default)) for name, default in (("l1", 0.0), ("l2", 1.0)))
            self.l2 = l2 / (2 if len(model.labels) == 2 else 1)
            self.intercept = record.get("intercept", "none") if has_intercept else "none"
            self.features = record.get("features", "observed")
        self.classes_ = classes_from(model.labels, said.get("classes", "U"))
        columns = said.get("columns")
        if isinstance(columns, int):
            self.n_features_in_ = columns
            place = {name: int(name[1:]) for name in model.attributes
                     if re.fullmatch("x(0|[1-9][0-9]{0,9})", name) and int(name[1:]) < columns}
        else:
            names = columns or _core.column_names(model._native)
            self.feature_names_in_ = numpy.array(names, dtype=object)
            self.n_features_in_ = len(names)
            place = {name: d for d, name in enumerate(names)}
        self.model_ = model
        self._set_weights(self._weights_of(model, place, self.n_features_in_, model.labels))
        self.n_iter_ = meta.get("training", {}).get("iterations", 0)
        self.training_log_ = TrainingLog()
        return self

    def _record(self) -> dict[str, Any]:
        """What a model file says beside its weights."""
        named = hasattr(self, "feature_names_in_")
        params = {name: value.item() if hasattr(value, "item") else value
                  for name, value in self.get_params(deep=False).items() if name not in _OF_A_RUN}
        return {"classes": self.classes_.dtype.kind, "parameters": params,
                "columns": [str(name) for name in self.feature_names_in_] if named else self.n_features_in_}

    def _more_tags(self) -> dict[str, Any]:  # of scikit-learn before 1.6
        return {"requires_y": True, "X_types": ["2darray", "sparse"]}

    def __sklearn_tags__(self) -> Any:  # from 1.6 on
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


def _matrix_record(record: Mapping[str, Any], path: PathLike) -> dict[str, Any]:
    """What _record() gave; empty for a model of the program's."""
    said = record.get("matrix", {})
    columns = said.get("columns") if isinstance(said, dict) else None
    whole = isinstance(said, dict) and isinstance(said.get("parameters", {}), dict) and (
        columns is None or (isinstance(columns, list) and all(isinstance(name, str) for name in columns))
        or (isinstance(columns, int) and not isinstance(columns, bool) and 0 <= columns < 2**31))
    if not whole:
        raise _core.Error(f"{os.fspath(path)}: training.matrix is damaged")
    found: dict[str, Any] = said
    return found
