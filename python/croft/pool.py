"""PoolCRF: a logarithmic opinion pool of chains, as a scikit-learn estimator."""
from __future__ import annotations

from typing import Any, Optional

from . import _core
from ._parameters import PoolCRFParameters
from .estimator import Callback, ChainCRF, ChainKind, _prior_model
from .model import Inspection, Model


class PoolCRF(PoolCRFParameters, ChainKind):
    """A logarithmic opinion pool (Smith, Cohn & Osborne 2005): a product of chains, each to a power,

        p(y | x) proportional to prod_i p_i(y | x) ** a_i,

    which is one chain, whose weights are the weighted sums of its experts'.

    Attributes
    ----------
    model_ : Model
    classes_ : list of str, the labels in the order of their numbers
    experts_ : list of dict: name, weight, divergence (KL of the pool from it, a sequence), features
    state_features_, transition_features_ : dict of weights, of the pool
    training_log_ : TrainingLog, of all experts one after the other, then of the weights
    size_ : int, bytes of the model
    """

    def _fit_native(self, X: Any, y: Any, sample_weight: Any, X_dev: Any, y_dev: Any, init: Optional[Model],
                    prior: Optional[Model], see: Callback,
                    X_unlabelled: Any = None, comm: Any = None) -> tuple[_core.Model, dict[str, Any]]:
        if isinstance(self.experts, str):
            raise TypeError("experts is a str, and a list was expected: of kinds of experts, and of models")
        kinds = [each for each in self.experts if isinstance(each, str)]
        models = [_prior_model(each) for each in self.experts if not isinstance(each, str)]
        experts = [model._native for model in models if model is not None]
        return _core.train("pool", X, y, sample_weight, X_dev, y_dev, {**self._options(), "experts": kinds},
                           {"experts": experts}, see, X_unlabelled, comm)

    state_features_ = ChainCRF.state_features_
    transition_features_ = ChainCRF.transition_features_

    @property
    def experts_(self) -> list[dict[str, Any]]:
        """The experts: name, weight, divergence, features."""
        experts: list[dict[str, Any]] = self.inspect(1)["training"]["experts"]
        return experts

    def inspect(self, top: int = 10) -> Inspection:
        """What the model is, how it was trained, and its strongest features."""
        return self._fitted().inspect(top)
