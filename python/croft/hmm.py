"""HMM: a hidden Markov model over sequences, as a scikit-learn estimator."""
from __future__ import annotations

from typing import Any, Optional, Sequence

from . import _core
from ._data import check_training
from ._parameters import HMMParameters
from .estimator import Callback, SequenceEstimator, TrainingLog, _listed, warn_if_interrupted
from .model import Inspection, Model


class HMM(HMMParameters, SequenceEstimator):
    """A hidden Markov model with several independent observations a position:

        p(x, y) = start(y_0) prod_t transition(y_{t-1}, y_t) prod_t prod_k p(x_tk | y_t)

    Labels that are known are counted; those that are not are found out by Baum-Welch.  Another
    ``objective`` than the likelihood is maximised by L-BFGS.

    ``X`` is a list of sequences, as ``ChainCRF`` has them:

    * a list of str, the words, or of rows, each a list of str (format "columns"): each column is an
      observation of its own;
    * a list with the attributes of each position: dicts (each key an observation of its own; a number
      counts occurrences), or lists of str, as in ``"w=the"`` (format "attributes").

    ``y`` is a list with a list of labels for each sequence; None in the place of a label, of a sequence's
    labels or of y is what is not known, a set of str is one of several labels.

    Attributes
    ----------
    model_ : Model
    classes_ : list of str, the labels in the order of their numbers
    start_, transitions_, ends_ : lists of probabilities: [L], [L][L], [L] or None
    training_log_ : TrainingLog; an entry for each iteration has start, iteration, objective (which never
        increases from one to the next of a start) and log_likelihood
    size_ : int, bytes of the model
    """

    def fit(self, X: Sequence[Any], y: Optional[Sequence[Any]] = None,
            sample_weight: Optional[Sequence[float]] = None, *,
            callback: Optional[Callback] = None) -> HMM:
        """Trains; returns self.

        sample_weight : [N] weight of each sequence, >= 0; those of 0 are left out
        callback : called with each entry of training_log_; False stops

        Ctrl-C stops after the iteration under way, keeps its model and warns (TrainingInterrupted).
        """
        self._check(callback)
        check_training(X, y)
        if sample_weight is not None and not hasattr(sample_weight, "__getitem__"):
            sample_weight = _listed(sample_weight)
        options = {**self._given(), "format": self._format(X)}
        log = TrainingLog()
        native, log.result = _core.train("hmm", X, y, sample_weight, None, None, options, {}, log.watching(callback))
        self.model_ = Model(native)
        self.classes_ = self.model_.labels
        self.start_, self.transitions_, self.ends_ = _core.hmm_transitions(native)
        self.training_log_ = log
        warn_if_interrupted(log.result)
        return self

    def _format(self, X: Sequence[Any]) -> str:
        if self.format is not None:
            return self.format
        for sequence in X:
            if isinstance(sequence, (list, tuple)) and sequence:
                return "columns" if isinstance(sequence[0], str) else "attributes"
        return "attributes"

    def log_likelihood(self, X: Sequence[Any], **how: Any) -> list[float]:
        """log p(x) of each sequence, nats, all unknown values of one class being one."""
        return self._fitted().log_partition(X, **self._how(how))

    def score(self, X: Sequence[Any], y: Optional[Sequence[Sequence[str]]] = None,
              sample_weight: Optional[Sequence[float]] = None) -> float:
        """The share of positions whose label is predicted right; without y the mean log p(x) of a position.
        sample_weight [N] weighs sequences."""
        if y is not None:
            return super().score(X, y, sample_weight)
        likelihoods = self.log_likelihood(X)
        weights = [1.0] * len(likelihoods) if sample_weight is None else _listed(sample_weight)
        if len(weights) != len(likelihoods):
            raise ValueError(f"X has {len(likelihoods)} sequences, and sample_weight {len(weights)} numbers")
        lengths = [len(each) for each in self.predict(X)]
        total = sum(weight * length for weight, length in zip(weights, lengths))
        return sum(map(lambda w, l: w * l, weights, likelihoods)) / total if total else 0.0

    def inspect(self, top: int = 10) -> Inspection:
        """What the model is, how it was trained, and what is likeliest in it."""
        return self._fitted().inspect(top)

    def _more_tags(self) -> dict[str, Any]:  # of scikit-learn before 1.6
        return {**super()._more_tags(), "requires_y": False}
