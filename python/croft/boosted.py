"""BoostedCRF: gradient tree boosting of a chain's potentials, as a scikit-learn estimator."""
from __future__ import annotations

from typing import Any, Optional, Sequence

from . import _core
from ._parameters import BoostedCRFParameters
from .estimator import Callback, ChainKind
from .model import Inspection, Model
from .segment import of_segments


class BoostedCRF(BoostedCRFParameters, ChainKind):
    """A conditional random field whose scores are sums of regression trees,

        F_y(x, t) = b_y + shrinkage sum_m tree_ym(x_t),    transitions learnt beside them,

    each round's trees being fitted to the gradient of the log-likelihood by these scores (Friedman 2001;
    Dietterich, Hao & Ashenfelter 2008; docs/boosting.md).  Trees find conjunctions of attributes, thresholds of
    numbers, and the way that positions without an attribute go.

    ``X`` and ``y`` are those of ``ChainCRF``: labels that are not known may be None, or a set.

    Attributes
    ----------
    model_ : Model
    classes_ : list of str, the labels in the order of their numbers
    feature_importances_ : dict attribute -> share of the gain of all tests, largest first
    training_log_ : TrainingLog, an entry for each round
    size_ : int, bytes of the model
    """

    def fit(self, X: Sequence[Any], y: Sequence[Any], sample_weight: Optional[Sequence[float]] = None,
            X_dev: Optional[Sequence[Any]] = None, y_dev: Optional[Sequence[Any]] = None, *,
            callback: Optional[Callback] = None, comm: Optional[Any] = None) -> BoostedCRF:
        """Trains; returns self.  Arguments as of ChainCRF.fit; an iteration is a round."""
        self._train(X, y, sample_weight, X_dev, y_dev, callback, comm=comm)
        return self

    def _fit_native(self, X: Any, y: Any, sample_weight: Any, X_dev: Any, y_dev: Any, init: Optional[Model],
                    prior: Optional[Model], see: Callback,
                    X_unlabelled: Any = None, comm: Any = None) -> tuple[_core.Model, dict[str, Any]]:
        if self.kind not in ("chain", "maxent", "segment"):
            raise ValueError(f"kind is {self.kind!r}; choose one of: chain, maxent, segment")
        return _core.train("boosted-" + self.kind, X, y, sample_weight, X_dev, y_dev, self._options(), {}, see,
                           X_unlabelled, comm)

    def _options(self) -> dict[str, Any]:
        return {**super()._options(), **of_segments(self)}

    @property
    def feature_importances_(self) -> dict[str, float]:
        """attribute -> its tests' share of the gain of all, the largest first; strings of segments start with
        "segment "."""
        gains = {name: gain for name, (gain, _) in self._fitted()._native.importance().items()}
        total = sum(gains.values())
        return {name: gain / total for name, gain in gains.items()}

    def inspect(self, top: int = 10) -> Inspection:
        """What the model is, how it was trained, its most important attributes and first trees."""
        return self._fitted().inspect(top)
