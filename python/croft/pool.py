"""PoolCRF: a logarithmic opinion pool of chains, as a scikit-learn estimator."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Union

from . import _core
from ._chain_kind import ChainKind
from .estimator import Callback, ChainCRF, PathLike, _prior_model
from .model import Inspection, Model

Expert = Union[str, ChainCRF, Model, PathLike]


class PoolCRF(ChainKind):
    """A logarithmic opinion pool (Smith, Cohn & Osborne 2005): a product of chains, each to a power,

        p(y | x) proportional to prod_i p_i(y | x) ** a_i,

    which is one chain, whose weights are the weighted sums of its experts'.

    Parameters
    ----------
    experts : list
        Experts to train: "all" (every feature), "random:N" (features dealt to N experts),
        "random:N:FRACTION", "position" (past, present, future, by offsets in the attributes' names or the
        template), "labels" (one for each chunk type or label); or chains that are trained already.
    weights : "free", "dirichlet", "uniform" or "unit"
        The powers: any numbers, or on the simplex with a Dirichlet prior, both learnt on the hold-out or,
        without one, on X; or 1 / N each, or 1 each.
    dirichlet : float
        Of the prior: above 1 it draws to equal weights, below to few experts.
    label_classes : dict or None
        label -> class, for "labels".
    l2 : float or None
        Of each expert's training; None: 0.  The pool is what keeps experts from saying too much.
    holdout : float or None
        A fraction of X that the weights are learnt on; or give X_dev and y_dev to fit.
    optimizer, l1, features, min_count, template, template_language, format, boundaries, constrain, max_iterations,
    tolerance, gradient_tolerance, history, precision, checkpoint, resume, checkpoint_interval, decode, seed, threads,
    progress
        As of ChainCRF, for each expert.

    Attributes
    ----------
    model_ : Model
    classes_ : list of str, the labels in the order of their numbers
    experts_ : list of dict: name, weight, divergence (KL of the pool from it, a sequence), features
    state_features_, transition_features_ : dict of weights, of the pool
    training_log_ : TrainingLog, of all experts one after the other, then of the weights
    size_ : int, bytes of the model
    """

    def __init__(self, *, experts: Sequence[Expert] = ("all", "random:4"), weights: str = "free",
                 dirichlet: float = 1.0, label_classes: Optional[Mapping[str, str]] = None,
                 optimizer: Optional[str] = None, l1: float = 0.0, l2: Optional[float] = None,
                 features: Optional[str] = None, min_count: int = 1, template: Optional[PathLike] = None,
                 template_language: str = "auto", format: Optional[str] = None, boundaries: bool = False,
                 constrain: Optional[PathLike] = None, max_iterations: Optional[int] = None,
                 tolerance: Optional[float] = None, gradient_tolerance: Optional[float] = None,
                 history: Optional[int] = None, precision: str = "auto", holdout: Optional[float] = None,
                 checkpoint: Optional[PathLike] = None, resume: bool = False,
                 checkpoint_interval: float = 30.0, decode: str = "viterbi", seed: int = 1, threads: int = 0,
                 progress: Optional[bool] = None) -> None:
        self.experts = experts
        self.weights = weights
        self.dirichlet = dirichlet
        self.label_classes = label_classes
        self.optimizer = optimizer
        self.l1 = l1
        self.l2 = l2
        self.features = features
        self.min_count = min_count
        self.template = template
        self.template_language = template_language
        self.format = format
        self.boundaries = boundaries
        self.constrain = constrain
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.gradient_tolerance = gradient_tolerance
        self.history = history
        self.precision = precision
        self.holdout = holdout
        self.checkpoint = checkpoint
        self.resume = resume
        self.checkpoint_interval = checkpoint_interval
        self.decode = decode
        self.seed = seed
        self.threads = threads
        self.progress = progress

    def _fit_native(self, X: Any, y: Any, sample_weight: Any, X_dev: Any, y_dev: Any, init: Optional[Model],
                    prior: Optional[Model], see: Callback) -> tuple[_core.Model, dict[str, Any]]:
        if isinstance(self.experts, str):
            raise TypeError("experts is a str, and a list was expected: of kinds of experts, and of models")
        kinds = [each for each in self.experts if isinstance(each, str)]
        models = [_prior_model(each) for each in self.experts if not isinstance(each, str)]
        own = {"experts": kinds, "pool_weights": self.weights, "dirichlet": self.dirichlet,
               "label_classes": None if self.label_classes is None else dict(self.label_classes)}
        return _core.train_pool(X, y, sample_weight, X_dev, y_dev, dict(self._shared_options()), own,
                                [model._native for model in models if model is not None], see)

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
