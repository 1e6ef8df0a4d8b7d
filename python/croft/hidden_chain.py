"""HiddenChainCRF: a chain whose labels have hidden states, as a scikit-learn estimator."""
from __future__ import annotations

from ._parameters import HiddenChainCRFParameters
from .estimator import ChainKind


class HiddenChainCRF(HiddenChainCRFParameters, ChainKind):
    """A latent-dynamic conditional random field (Morency et al. 2007): each label has hidden states,

        p(y | x) = sum over the paths of states that stand for y of exp score(path) / Z,

    of which the training data says the labels alone.  The likelihood is not convex: training starts at
    random weights, and the best of several starts is kept.  X and y are ChainCRF's, labels known in part too.

    Attributes
    ----------
    model_ : Model
    classes_ : list of str, the labels in the order of their numbers
    training_log_ : TrainingLog
    size_ : int, bytes of the model
    """

    _DECODES = ("marginal", "viterbi", "labelling", "risk")
