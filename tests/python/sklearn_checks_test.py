"""scikit-learn's own checks of estimators.

They come with tables of numbers, one label a row.  `Tables` reads each row as a sequence of one
position, so that whatever they say of parameters, state, weights, copies and repetition is said of ChainCRF and MEMM.
"""
import warnings

import numpy
import pytest
from sklearn.base import ClassifierMixin
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y

import croft

# scikit-learn runs none of its checks on an estimator whose input is neither tables nor text, which is what
# ChainCRF says of itself; docs/python.md lists those that cannot hold for sequences.
NOT_FOR_SEQUENCES = {"X_types": ["sequences"], "requires_y": True, "no_validation": True}


class Tables(ClassifierMixin):
    """Rows of a table as sequences of one position, for an estimator of sequences."""

    def fit(self, X, y, sample_weight=None):
        return self._learn(super().fit, X, y, sample_weight)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        if hasattr(self, "n_features_in_"):
            self._rows(X)
        return self._learn(super().partial_fit, X, y, sample_weight)

    def _learn(self, learn, X, y, sample_weight):
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        X, y = check_X_y(X, y)
        check_classification_targets(y)
        names, numbers = numpy.unique(y, return_inverse=True)
        labels = [[str(number)] for number in numbers]
        learn(list(X[:, None, :]), labels, sample_weight=sample_weight)
        self.names_ = names
        self.classes_ = names
        self.n_features_in_ = X.shape[1]
        return self

    def _rows(self, X):
        check_is_fitted(self)
        X = check_array(X)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features, but {type(self).__name__} is expecting "
                             f"{self.n_features_in_} features as input")
        return list(X[:, None, :])

    def predict(self, X):
        predicted = super().predict(self._rows(X))
        return self.names_[[int(labels[0]) for labels in predicted]]

    def predict_proba(self, X):
        rows = super().predict_proba(self._rows(X))
        columns = [self.model_.labels.index(str(k)) for k in range(len(self.names_))]
        return numpy.concatenate(rows)[:, columns]

    def score(self, X, y, sample_weight=None):
        return ClassifierMixin.score(self, X, y, sample_weight)

    def _more_tags(self):
        return {"X_types": ["2darray"], "no_validation": False, "requires_y": True, "poor_score": False}


class TableClassifier(Tables, croft.ChainCRF):
    """Of ChainCRF."""


class TableMemm(Tables, croft.MEMM):
    """Of MEMM."""


# One check wants the same probabilities to 1e-7 from rows in another order, by which the passes of SGD
# that training begins with by default go.
CHECKS = [each for estimator in (TableClassifier(optimizer="lbfgs"), TableMemm())
          for each in check_estimator(estimator, generate_only=True)]


@pytest.mark.parametrize("estimator, check", CHECKS, ids=[
    f"{type(estimator).__name__}-{check.func.__name__}" for estimator, check in CHECKS])
def test_the_check_holds(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def test_most_checks_are_run():
    assert len(CHECKS) > 70


def test_sequences_say_that_they_are_no_table():
    for estimator in (croft.ChainCRF(), croft.MEMM()):
        assert estimator._get_tags() | NOT_FOR_SEQUENCES == estimator._get_tags()
