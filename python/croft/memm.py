"""MEMM: a maximum-entropy Markov model over sequences, as a scikit-learn estimator."""
from __future__ import annotations

from typing import Optional

from .estimator import ChainCRF, PathLike, Prior


class MEMM(ChainCRF):
    """A maximum-entropy Markov model: each label given the one before, by multinomial logistic regression,

        p(y | x) = prod_t p(y_t | y_{t-1}, x),    F(w) = -sum_n weight_n log p(y_n | x_n) + l1 |w|_1 + (l2 / 2) |w|_2^2

    It has the features of a ``ChainCRF``, whose sequences, labels, methods and attributes are its own; only what
    is normalised is another (docs/math/single.md section 4).  Training needs no sums over labellings; as each
    label is normalised by itself, the labels after it cannot correct it (docs/math/label-bias.md).

    Parameters are ChainCRF's but for those of other objectives, orders and transitions that share weights, and

    intercept : "none", "penalised" or "unpenalised"
        An attribute ``(intercept)`` of every position: a weight for each label whatever x says.
    """

    _KIND = "memm"

    def __init__(self, *, optimizer: Optional[str] = None, l1: float = 0.0, l2: Optional[float] = None,
                 intercept: str = "none", prior: Optional[Prior] = None,
                 variances: Optional[PathLike] = None, features: Optional[str] = None,
                 min_count: int = 1, template: Optional[PathLike] = None,
                 template_language: str = "auto", format: Optional[str] = None,
                 boundaries: bool = False, constrain: Optional[PathLike] = None,
                 max_iterations: Optional[int] = None, tolerance: Optional[float] = None,
                 window: Optional[int] = None, gradient_tolerance: Optional[float] = None,
                 history: Optional[int] = None, sgd_passes: Optional[int] = None, step: Optional[float] = None,
                 schedule: Optional[str] = None, decay: Optional[float] = None,
                 batch: Optional[int] = None, average_from: Optional[int] = None,
                 precision: str = "auto", holdout: Optional[float] = None, early_stop: int = 0,
                 checkpoint: Optional[PathLike] = None, resume: bool = False,
                 checkpoint_interval: float = 30.0, induce: bool = False,
                 induce_size: Optional[int] = None, induce_batch: Optional[int] = None,
                 induce_rounds: Optional[int] = None, induce_iterations: Optional[int] = None,
                 induce_gain: Optional[float] = None, induce_count: Optional[int] = None,
                 induce_from: Optional[str] = None, unsupported: Optional[float] = None,
                 unsupported_after: Optional[int] = None, select_l1: Optional[float] = None,
                 decode: str = "viterbi",
                 warm_start: bool = False, seed: int = 1, threads: int = 0,
                 progress: Optional[bool] = None) -> None:
        self.optimizer = optimizer
        self.l1 = l1
        self.l2 = l2
        self.intercept = intercept
        self.prior = prior
        self.variances = variances
        self.features = features
        self.min_count = min_count
        self.template = template
        self.template_language = template_language
        self.format = format
        self.boundaries = boundaries
        self.constrain = constrain
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.window = window
        self.gradient_tolerance = gradient_tolerance
        self.history = history
        self.sgd_passes = sgd_passes
        self.step = step
        self.schedule = schedule
        self.decay = decay
        self.batch = batch
        self.average_from = average_from
        self.precision = precision
        self.holdout = holdout
        self.early_stop = early_stop
        self.checkpoint = checkpoint
        self.resume = resume
        self.checkpoint_interval = checkpoint_interval
        self.induce = induce
        self.induce_size = induce_size
        self.induce_batch = induce_batch
        self.induce_rounds = induce_rounds
        self.induce_iterations = induce_iterations
        self.induce_gain = induce_gain
        self.induce_count = induce_count
        self.induce_from = induce_from
        self.unsupported = unsupported
        self.unsupported_after = unsupported_after
        self.select_l1 = select_l1
        self.decode = decode
        self.warm_start = warm_start
        self.seed = seed
        self.threads = threads
        self.progress = progress
