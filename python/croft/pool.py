"""Compositions of models as scikit-learn estimators: PoolCRF, a product of chains; Mixture, a weighted mean."""
from __future__ import annotations

from typing import Any, Optional, Sequence

from . import _core
from ._data import check_training
from ._parameters import MixtureParameters, PoolCRFParameters
from ._params import a_type
from .estimator import (Callback, ChainCRF, ChainKind, SequenceEstimator, TrainingLog, _listed, _prior_model,
                        warn_if_interrupted)
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
        models = [_prior_model(each, "an expert") for each in self.experts if not isinstance(each, str)]
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


class Mixture(MixtureParameters, SequenceEstimator):
    """A mixture of models of single labels that are trained already (docs/pools.md, "Mixtures"),

        p(y | x) = sum_k lambda_k p_k(y | x),      lambda_k >= 0,  sum_k lambda_k = 1

    whose weights lambda are learnt by EM.  ``fit`` takes data that the components have not seen: on their own training
    data the one that fits best is believed too much.  Sequences are those of the components.

    Cost of an iteration: O(K) a position, once the components have scored the data.

    Attributes
    ----------
    model_ : Model
    classes_ : list of str, the labels in the order of the first component
    weights_ : list of float, lambda
    training_log_ : TrainingLog
    size_ : int, bytes of the model, its components included
    """

    def fit(self, X: Sequence[Any], y: Sequence[Any], sample_weight: Optional[Sequence[float]] = None, *,
            callback: Optional[Callback] = None) -> Mixture:
        """Learns the weights; returns self.

        sample_weight : [N] weight of each sequence, >= 0; those of 0 are left out
        callback : called with each entry of training_log_; False stops

        Ctrl-C stops after the iteration under way, keeps its model and warns (TrainingInterrupted).
        """
        if y is None:
            raise ValueError("y is None; fit needs the labels of each sequence")
        self._check(callback)
        check_training(X, y)
        if sample_weight is not None and not hasattr(sample_weight, "__getitem__"):
            sample_weight = _listed(sample_weight)
        models = self._components()
        cells = any(model.rows for model in models)
        options = {**self._given(), "format": self.format or ("columns" if cells else "attributes")}
        log = TrainingLog()
        native, log.result = _core.train("mixture", X, y, sample_weight, None, None, options,
                                         {"experts": [model._native for model in models]}, log.watching(callback))
        self.model_ = Model(native)
        self.classes_ = self.model_.labels
        self.training_log_ = log
        warn_if_interrupted(log.result)
        return self

    def _components(self) -> list[Model]:
        if isinstance(self.experts, (str, bytes)) or not hasattr(self.experts, "__iter__"):
            raise TypeError(f"experts is {a_type(self.experts)}, and a list of models was expected")
        models = []
        for each in self.experts:
            model = _prior_model(each, "an expert")
            if model is None:
                raise TypeError("an expert is None, and a model was expected")
            models.append(model)
        return models

    @property
    def weights_(self) -> list[float]:
        """lambda, in the order of the experts."""
        return [each["weight"] for each in self.inspect(1)["components"]]

    def inspect(self, top: int = 10) -> Inspection:
        """What the model is, how it was trained, and the strongest features of its components."""
        return self._fitted().inspect(top)
