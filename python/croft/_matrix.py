"""What the estimators of rows share: matrices, labels and weights as they are handed in and on."""
from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any, Sequence

from ._data import check_label, is_frame
from ._params import BaseEstimator, mapping, raise_not_fitted

if TYPE_CHECKING:
    import numpy

try:
    from sklearn.base import ClassifierMixin
except ImportError:
    class ClassifierMixin:  # type: ignore[no-redef]
        """What an estimator needs of scikit-learn's, for where it is not installed."""

        _estimator_type = "classifier"

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            """The share of rows whose label is predicted right."""
            import numpy
            right = numpy.asarray(y) == self.predict(X)  # type: ignore[attr-defined]
            return float(numpy.average(right, weights=sample_weight))

__all__ = ["RowClassifier", "arrays", "check_classes", "classes_from", "example_weights", "row_weights", "validated"]


class RowClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What LogisticRegression and NaiveBayes share."""

    _LEARNT: str  # an attribute that fit sets

    def predict_proba(self, X: Any) -> numpy.ndarray:
        """p(y = j | x): an array [N, L]."""
        import numpy
        return numpy.exp(self.predict_log_proba(X))  # type: ignore[attr-defined]

    def _labelled(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        X, y = validated(self, X, y, reset)
        return X, y

    def _named_columns(self) -> list[str]:
        names = [str(name) for name in getattr(self, "feature_names_in_", [])]
        if len(set(names)) < len(names):
            raise ValueError("two columns of X have one name")
        return names

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise_not_fitted(self)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, self._LEARNT)


Matrix = tuple[Any, Any, Any]  # values, columns, begin of each row; the last two None where it is dense


def validated(estimator: Any, X: Any, y: Any, reset: bool) -> Any:
    """X as a float64 array or CSR matrix, and y, where it is given, as an array."""
    import numpy
    if getattr(X, "ndim", 1) == 1 and hasattr(X, "__len__") and not is_frame(X) and isinstance(next(iter(X), 0), str):
        raise TypeError(f"X is texts, and {type(estimator).__name__} takes a matrix of numbers: TextVectorizer makes "
                        "one, and the model of a file that was trained on texts is croft.load(path)")
    if y is not None:
        check_classes(y)
    try:
        from sklearn.utils.multiclass import check_classification_targets
    except ImportError:
        return _validated_alone(estimator, X, y, reset)
    how = {"accept_sparse": "csr", "dtype": numpy.float64, "reset": reset}
    if hasattr(estimator, "_validate_data"):  # before 1.6
        found = estimator._validate_data(X, **how) if y is None else estimator._validate_data(X, y, **how)
    else:
        from sklearn.utils.validation import validate_data
        found = validate_data(estimator, X, **how) if y is None else validate_data(estimator, X, y, **how)
    if y is not None:
        check_classification_targets(found[1])
    return found


def check_classes(y: Any, name: str = "y") -> None:
    """ValueError for what is no label, and for a label that would tear the lines of what the program writes."""
    known = getattr(getattr(y, "dtype", None), "kind", "O") in "iub" or not hasattr(y, "__iter__")
    for n, label in enumerate(() if known else y):
        if label is None or type(label).__name__ in ("NAType", "NaTType") or (
                isinstance(label, numbers.Real) and label != label):
            raise ValueError(f"{name}[{n}] is {label}: no label")
        if isinstance(label, str):
            check_label(label, f"{name}[{n}]")


def _validated_alone(estimator: Any, X: Any, y: Any, reset: bool) -> Any:
    """The same without scikit-learn."""
    import numpy
    X = X.tocsr().astype(numpy.float64) if hasattr(X, "tocsr") else numpy.asarray(X, numpy.float64)
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} axes, and 2 were expected: rows and columns")
    if not numpy.isfinite(X.data if hasattr(X, "indptr") else X).all():
        raise ValueError("X has numbers that are not finite")
    if reset:
        estimator.n_features_in_ = X.shape[1]
    elif X.shape[1] != estimator.n_features_in_:
        raise ValueError(f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting "
                         f"{estimator.n_features_in_} features as input")
    if y is None:
        return X
    y = numpy.asarray(y)
    if y.shape != (X.shape[0],):
        raise ValueError(f"y has the shape {y.shape}, and X {X.shape[0]} rows")
    return X, y


def row_weights(sample_weight: Any, rows: int) -> Any:
    """[rows], from such an array or one number."""
    import numpy
    weight = numpy.ascontiguousarray(sample_weight, numpy.float64)
    if weight.ndim == 0:
        weight = numpy.full(rows, float(weight))
    if weight.shape != (rows,):
        raise ValueError(f"sample_weight has the shape {weight.shape}, and X {rows} rows")
    if not ((weight >= 0) & numpy.isfinite(weight)).all():
        raise ValueError("sample_weight has numbers that are below 0 or not finite")
    return weight


def arrays(X: Any) -> Matrix:
    """As the extension takes a matrix."""
    import numpy
    if hasattr(X, "indptr"):
        return (numpy.ascontiguousarray(X.data, numpy.float64), numpy.ascontiguousarray(X.indices, numpy.int64),
                numpy.ascontiguousarray(X.indptr, numpy.int64))
    return numpy.ascontiguousarray(X, numpy.float64), None, None


def classes_from(labels: Sequence[str], kind: str) -> numpy.ndarray:
    """Labels of a model file, which are text, as an array of the kind (numpy's letter) that they had."""
    import numpy
    if kind == "b":
        return numpy.array([label == "True" for label in labels])
    if kind == "f":
        return numpy.array([float(label) for label in labels])
    if kind in ("i", "u"):
        return numpy.array([int(label) for label in labels]).astype(
            {"i": numpy.int64, "u": numpy.uint64}[kind])
    return numpy.array(labels, dtype=object if kind == "O" else None)


def example_weights(class_weight: Any, classes: Any, codes: Any, sample_weight: Any) -> Any:
    """[N], or None where all are 1: sample_weight times the weight of each row's label.

    codes : of the rows, numbers of classes
    """
    import numpy
    weight = None if sample_weight is None else row_weights(sample_weight, len(codes))
    if class_weight is None:
        return weight
    labels = list(classes)
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(f"class_weight is {class_weight!r}; give None, 'balanced' or a dict")
        of = len(codes) / (len(labels) * numpy.bincount(codes, minlength=len(labels)))
    else:
        unknown = [label for label in mapping("class_weight", class_weight) if label not in labels]
        if unknown:
            raise ValueError(f"class_weight has {unknown[0]!r}, which is no label of y")
        for label, factor in class_weight.items():
            if not 0 <= float(factor) < float("inf"):
                raise ValueError(f"class_weight has {factor!r} for {label!r}; it must be a number, 0 or more")
        of = numpy.array([class_weight.get(label, 1.0) for label in labels], float)
    return of[codes] if weight is None else weight * of[codes]


def stacked(X: Any, more: Any) -> Any:
    """Rows of both, as validated() gives them."""
    if hasattr(X, "indptr") or hasattr(more, "indptr"):
        import scipy.sparse
        return scipy.sparse.vstack([scipy.sparse.csr_matrix(X), scipy.sparse.csr_matrix(more)]).tocsr()
    import numpy
    return numpy.concatenate([X, more])
