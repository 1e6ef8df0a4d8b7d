"""ErrorCorrectingCRF: binary chains of the bits of a code, as a scikit-learn estimator."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Union

from . import _core
from ._chain_kind import ChainKind
from .estimator import Callback, PathLike
from .model import Model


class ErrorCorrectingCRF(ChainKind):
    """An error-correcting conditional random field (Cohn, Smith & Osborne 2005): a code gives each label a word
    of bits, and each bit has a chain over 0 and 1 of its own.  Training costs grow with the bits, not with the
    square of the number of labels.

    Parameters
    ----------
    code : str or dict
        "one-vs-rest", "all-pairs", "random[:BITS]", "minimum-loss[:BITS[:CANDIDATES]]", or a dict label -> word
        of 0, 1 and - (a bit that does not matter).
    decoder : "product", "marginal", "distance" or "bits"
        How the chains' answers make a label: their product, a chain over labels; the label whose bits are most
        probable; the one whose word is nearest to the bits' probabilities, or to their best values.  The last
        two have no probabilities.
    holdout : float or None
        A fraction of X that "minimum-loss" chooses its bits by; or give X_dev and y_dev to fit.
    optimizer, l1, l2, features, min_count, template, template_language, format, boundaries, max_iterations,
    tolerance, gradient_tolerance, history, precision, checkpoint, resume, checkpoint_interval, decode, seed, threads,
    progress
        As of ChainCRF, for each bit's chain; threads chains are trained at a time.

    Attributes
    ----------
    model_ : Model
    classes_ : list of str, the labels in the order of their numbers
    training_log_ : TrainingLog, an entry for each bit
    size_ : int, bytes of the model
    """

    def __init__(self, *, code: Union[str, Mapping[str, str]] = "one-vs-rest", decoder: str = "product",
                 optimizer: Optional[str] = None, l1: float = 0.0, l2: Optional[float] = None,
                 features: Optional[str] = None, min_count: int = 1, template: Optional[PathLike] = None,
                 template_language: str = "auto", format: Optional[str] = None, boundaries: bool = False,
                 max_iterations: Optional[int] = None, tolerance: Optional[float] = None,
                 gradient_tolerance: Optional[float] = None, history: Optional[int] = None,
                 precision: str = "auto", holdout: Optional[float] = None, checkpoint: Optional[PathLike] = None,
                 resume: bool = False, checkpoint_interval: float = 30.0, decode: str = "viterbi",
                 seed: int = 1, threads: int = 0, progress: Optional[bool] = None) -> None:
        self.code = code
        self.decoder = decoder
        self.optimizer = optimizer
        self.l1 = l1
        self.l2 = l2
        self.features = features
        self.min_count = min_count
        self.template = template
        self.template_language = template_language
        self.format = format
        self.boundaries = boundaries
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
        own: dict[str, Any] = {"decoder": self.decoder}
        own["words" if isinstance(self.code, Mapping) else "code"] = (
            dict(self.code) if isinstance(self.code, Mapping) else self.code)
        return _core.train_error_correcting(X, y, sample_weight, X_dev, y_dev, dict(self._shared_options()), own, see)
