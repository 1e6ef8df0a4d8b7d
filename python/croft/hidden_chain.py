"""HiddenChainCRF: a chain whose labels have hidden states, as a scikit-learn estimator."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Union

from . import _core
from ._chain_kind import ChainKind
from .estimator import Callback, PathLike
from .model import Model


class HiddenChainCRF(ChainKind):
    """A latent-dynamic conditional random field (Morency et al. 2007): each label has hidden states,

        p(y | x) = sum over the paths of states that stand for y of exp score(path) / Z,

    of which the training data says the labels alone.  The likelihood is not convex: training starts at
    random weights, and the best of several starts is kept.  X and y are ChainCRF's, labels known in part too.

    Parameters
    ----------
    hidden_states : int or dict
        States of each label; a dict label -> states has those of some, and 1 for the others.
    starts : int
        Random starts, of which the best objective is kept.
    start_deviation : float
        Standard deviation of the weights that training starts from.
    em_iterations : int or None
        Train by EM, so many E steps at most; None: by the gradient.
    decode : "marginal", "viterbi", "labelling" or "risk"
        Each position's most probable label; the best path of states; the most probable labelling, by a
        search; under constraints, the fewest errors expected.
    optimizer, l1, l2, features, min_count, template, template_language, format, boundaries, constrain,
    max_iterations, tolerance, gradient_tolerance, history, precision, holdout, early_stop, checkpoint, resume,
    checkpoint_interval, seed, threads, progress
        As of ChainCRF; optimizer None is "lbfgs", or with l1 "owlqn".

    Attributes
    ----------
    model_ : Model
    classes_ : list of str, the labels in the order of their numbers
    training_log_ : TrainingLog
    size_ : int, bytes of the model
    """

    _DECODES = ("marginal", "viterbi", "labelling", "risk")

    def __init__(self, *, hidden_states: Union[int, Mapping[str, int]] = 2, starts: int = 1,
                 start_deviation: float = 0.1, em_iterations: Optional[int] = None,
                 decode: str = "marginal", optimizer: Optional[str] = None, l1: float = 0.0,
                 l2: Optional[float] = None, features: Optional[str] = None, min_count: int = 1,
                 template: Optional[PathLike] = None, template_language: str = "auto",
                 format: Optional[str] = None, boundaries: bool = False,
                 constrain: Optional[PathLike] = None, max_iterations: Optional[int] = None,
                 tolerance: Optional[float] = None, gradient_tolerance: Optional[float] = None,
                 history: Optional[int] = None, precision: str = "auto",
                 holdout: Optional[float] = None, early_stop: int = 0,
                 checkpoint: Optional[PathLike] = None, resume: bool = False,
                 checkpoint_interval: float = 30.0, seed: int = 1, threads: int = 0,
                 progress: Optional[bool] = None) -> None:
        self.hidden_states = hidden_states
        self.starts = starts
        self.start_deviation = start_deviation
        self.em_iterations = em_iterations
        self.decode = decode
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
        self.early_stop = early_stop
        self.checkpoint = checkpoint
        self.resume = resume
        self.checkpoint_interval = checkpoint_interval
        self.seed = seed
        self.threads = threads
        self.progress = progress

    def _fit_native(self, X: Any, y: Any, sample_weight: Any, X_dev: Any, y_dev: Any, init: Optional[Model],
                    prior: Optional[Model], see: Callback) -> tuple[_core.Model, dict[str, Any]]:
        if self.em_iterations is not None and self.max_iterations is not None:
            raise ValueError("em_iterations and max_iterations are both of EM: leave out one")
        own: dict[str, Any] = {"starts": self.starts, "start_deviation": self.start_deviation,
                               "em_iterations": self.em_iterations}
        if isinstance(self.hidden_states, Mapping):
            own.update(states=1, states_of=dict(self.hidden_states))
        else:
            own["states"] = self.hidden_states
        return _core.train_hidden_chain(X, y, sample_weight, X_dev, y_dev, dict(self._shared_options()), own, see)
