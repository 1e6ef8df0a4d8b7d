"""What the estimators of HiddenChainCRF, PoolCRF and ErrorCorrectingCRF share with ChainCRF."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence, TypeVar

from .estimator import Callback, ChainCRF

try:
    from sklearn.base import BaseEstimator
except ImportError:
    from ._params import BaseEstimator  # type: ignore[assignment]

if TYPE_CHECKING:
    from .model import Model

Self = TypeVar("Self", bound="ChainKind")


class ChainKind(BaseEstimator):  # type: ignore[misc]
    """An estimator of sequences whose training is its own, and whose predictions are a ChainCRF's."""

    decode: str
    threads: int
    _DECODES: tuple[str, ...] = ("viterbi", "marginal", "risk")

    def fit(self: Self, X: Sequence[Any], y: Sequence[Any], sample_weight: Optional[Sequence[float]] = None,
            X_dev: Optional[Sequence[Any]] = None, y_dev: Optional[Sequence[Any]] = None, *,
            callback: Optional[Callback] = None) -> Self:
        """Trains; returns self.  Arguments as of ChainCRF.fit."""
        ChainCRF._train(self, X, y, sample_weight, X_dev, y_dev, callback, None)  # type: ignore[arg-type]
        return self

    _options = ChainCRF._options
    _fitted = ChainCRF._fitted
    _how = ChainCRF._how
    _more_tags = ChainCRF._more_tags

    predict = ChainCRF.predict
    predict_single = ChainCRF.predict_single
    predict_proba = ChainCRF.predict_proba
    predict_marginals = ChainCRF.predict_marginals
    predict_marginals_single = ChainCRF.predict_marginals_single
    k_best = ChainCRF.k_best
    spans = ChainCRF.spans
    sample = ChainCRF.sample
    score = ChainCRF.score
    save = ChainCRF.save

    @property
    def size_(self) -> int:
        """Bytes of the model."""
        return self._fitted().size

    if TYPE_CHECKING:
        model_: Model
