"""SegmentCRF: a semi-Markov conditional random field, as a scikit-learn estimator."""
from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Sequence, Union

from . import _core
from .estimator import Callback, ChainCRF, PathLike
from .model import Model


class SegmentCRF(ChainCRF):
    """A conditional random field over segmentations: a sequence is cut into segments (begin, end, label), and

        p(s | x) = exp(sum_k theta(s_k; x) + sum_k w[y_{k-1}, y_k]) / Z(x)

    where theta has what a chain has of each position of the segment, and features of the segment as a whole: its
    length, its words, whether a list has them (Sarawagi & Cohen 2004; docs/segments.md).

    ``X`` and ``y`` are those of ``ChainCRF``; labels spell segments (B-X, I-X, O, and other schemes), or each run
    of a label is one.  Predictions are labels in the same spelling; ``spans`` gives the segments.

    Parameters are ChainCRF's but for those of orders, constraints, priors and dual optimizers, and

    segment_template : path, text, "none" or None
        Lines such as ``U1:%length`` or ``U2:%lower`` (docs/segments.md); None: the length.
    gazetteers : dict name -> list of names, or None
        For %gazetteer in the template; a name is its tokens with spaces between.
    max_length : int, dict label -> int, or None
        Positions that a segment may have; None: as the longest in y.
    text : str or None
        With attributes, the key of a position's word: ``{"word": "Rome"}`` and text="word".  Rows have cells.
    label_scheme : "auto", "bio", "bio1", "ioe", "bioes", "raw" or "none"
        How labels spell segments.

    Cost of an evaluation: O(T (cells + L^2)) a sequence, cells the sum of the labels' longest segments.
    """

    _KIND = "chain"  # the options that are asked for are a chain's

    def __init__(self, *, segment_template: Optional[PathLike] = None,
                 gazetteers: Optional[Mapping[str, Sequence[str]]] = None,
                 max_length: Union[int, Mapping[str, int], None] = None, text: Optional[str] = None,
                 label_scheme: str = "auto", objective: str = "likelihood", optimizer: Optional[str] = None,
                 l1: float = 0.0, l2: Optional[float] = None, cost: Union[float, PathLike, None] = None,
                 block: Optional[int] = None, features: Optional[str] = None, min_count: int = 1,
                 template: Optional[PathLike] = None, template_language: str = "auto",
                 format: Optional[str] = None, boundaries: bool = False, max_iterations: Optional[int] = None,
                 tolerance: Optional[float] = None, window: Optional[int] = None,
                 gradient_tolerance: Optional[float] = None, history: Optional[int] = None,
                 sgd_passes: Optional[int] = None, step: Optional[float] = None,
                 schedule: Optional[str] = None, decay: Optional[float] = None, batch: Optional[int] = None,
                 average_from: Optional[int] = None, aggressiveness: Optional[float] = None,
                 variance: Optional[float] = None, gamma: Optional[float] = None, precision: str = "auto",
                 holdout: Optional[float] = None, early_stop: int = 0, checkpoint: Optional[PathLike] = None,
                 resume: bool = False, checkpoint_interval: float = 30.0, decode: str = "viterbi",
                 seed: int = 1, threads: int = 0, progress: Optional[bool] = None) -> None:
        self.segment_template = segment_template
        self.gazetteers = gazetteers
        self.max_length = max_length
        self.text = text
        self.label_scheme = label_scheme
        self.objective = objective
        self.optimizer = optimizer
        self.l1 = l1
        self.l2 = l2
        self.cost = cost
        self.block = block
        self.features = features
        self.min_count = min_count
        self.template = template
        self.template_language = template_language
        self.format = format
        self.boundaries = boundaries
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
        self.aggressiveness = aggressiveness
        self.variance = variance
        self.gamma = gamma
        self.precision = precision
        self.holdout = holdout
        self.early_stop = early_stop
        self.checkpoint = checkpoint
        self.resume = resume
        self.checkpoint_interval = checkpoint_interval
        self.decode = decode
        self.seed = seed
        self.threads = threads
        self.progress = progress

    def fit(self, X: Sequence[Any], y: Sequence[Any], sample_weight: Optional[Sequence[float]] = None,
            X_dev: Optional[Sequence[Any]] = None, y_dev: Optional[Sequence[Any]] = None, *,
            callback: Optional[Callback] = None) -> SegmentCRF:
        """Trains; returns self.  Arguments as of ChainCRF.fit."""
        self._train(X, y, sample_weight, X_dev, y_dev, callback, None)
        return self

    def partial_fit(self, *_: Any, **__: Any) -> SegmentCRF:
        """Not to be had: training of segments starts from nothing."""
        raise AttributeError("a SegmentCRF does not go on from a model; fit on all data")

    def _fit_native(self, X: Any, y: Any, sample_weight: Any, X_dev: Any, y_dev: Any, init: Optional[Model],
                    prior: Optional[Model], see: Callback) -> tuple[_core.Model, dict[str, Any]]:
        longest = self.max_length
        segments = {
            "segment_template": None if self.segment_template is None else os.fspath(self.segment_template),
            "gazetteers": None if self.gazetteers is None else
            {name: list(entries) for name, entries in self.gazetteers.items()},
            "max_length": None if longest is None else
            [f"{label}={n}" for label, n in longest.items()] if isinstance(longest, Mapping) else [str(longest)],
            "text_attribute": None if self.text is None else self.text + ":",
            "label_scheme": self.label_scheme}
        return _core.train_segment(X, y, sample_weight, X_dev, y_dev, self._options(), segments, see)
