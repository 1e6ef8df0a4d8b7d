"""MEMM: a maximum-entropy Markov model over sequences, as a scikit-learn estimator."""
from __future__ import annotations

from ._parameters import MEMMParameters
from .estimator import ChainCRF


class MEMM(MEMMParameters, ChainCRF):
    """A maximum-entropy Markov model: each label given the one before, by multinomial logistic regression,

        p(y | x) = prod_t p(y_t | y_{t-1}, x),    F(w) = -sum_n weight_n log p(y_n | x_n) + l1 |w|_1 + (l2 / 2) |w|_2^2

    It has the features of a ``ChainCRF``, whose sequences, labels, methods and attributes are its own; only what
    is normalised is another (docs/math/single.md section 4).  Training needs no sums over labellings; as each
    label is normalised by itself, the labels after it cannot correct it (docs/math/single.md section 5).  Other
    objectives
    and orders are refused.
    """
