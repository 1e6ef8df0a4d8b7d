"""JointMaxent: maximum entropy with joint features of x and y, as a scikit-learn estimator."""
from __future__ import annotations

from typing import Any, Optional, Sequence

from ._parameters import JointMaxentParameters
from .estimator import Callback, ChainKind
from .model import Inspection


class JointMaxent(JointMaxentParameters, ChainKind):
    """Maximum entropy whose features look at the observations and at what the label is,

        p(y | x) = exp(sum_k w_k f_k(x, y)) / sum_j exp(sum_k w_k f_k(x, j)),

    each label by itself: "the word before, times the suffix of the label", "the label occurred earlier", "this word
    occurred in the last fifty, times the label".  ``joint_template`` says them (docs/templates.md, "Joint templates").

    ``X`` is a list of sequences, each a list of rows, each a list of str; ``y`` has a list of labels, any str, for each
    sequence.  Templates and windows look at the rows of the sequence, however long it is.

    Cost of an evaluation: the nonzero weights of each position, and O(L) for each part of the label.

    Attributes
    ----------
    model_ : Model
    classes_ : list of str, the labels in the order of their numbers
    training_log_ : TrainingLog
    size_ : int, bytes of the model
    """

    def fit(self, X: Sequence[Any], y: Sequence[Any], sample_weight: Optional[Sequence[float]] = None,
            X_dev: Optional[Sequence[Any]] = None, y_dev: Optional[Sequence[Any]] = None, *,
            callback: Optional[Callback] = None, comm: Optional[Any] = None) -> JointMaxent:
        """Trains; returns self.  Arguments as of ChainCRF.fit."""
        init = self.model_ if self.warm_start and hasattr(self, "model_") else None
        self._train(X, y, sample_weight, X_dev, y_dev, callback, init, comm=comm)
        return self

    def inspect(self, top: int = 10) -> Inspection:
        """What the model is, how it was trained, and its strongest features."""
        return self._fitted().inspect(top)

    def _options(self) -> dict[str, Any]:
        return {**self._given(), "format": "columns"}
