"""SegmentCRF: a semi-Markov conditional random field, as a scikit-learn estimator."""
from __future__ import annotations

import itertools
import os
from typing import Any, Mapping, Optional, Sequence, Union

from . import _core
from .estimator import Callback, ChainCRF, PathLike, Prior
from .model import Model

Spans = list[tuple[int, int, str]]


def _are_spans(X: Any, y: Any) -> bool:
    """Whether labels are given as spans: an item that is no text, or nothing at all of what is not empty."""
    if not all(isinstance(one, (tuple, list)) for one in y):
        return False
    first = next((item for one in y for item in one), None)
    return isinstance(first, (tuple, list)) or (first is None and any(len(x) > 0 for x in X))


class SegmentCRF(ChainCRF):
    """A conditional random field over segmentations: a sequence is cut into segments (begin, end, label), and

        p(s | x) = exp(sum_k theta(s_k; x) + sum_k w[y_{k-1}, y_k]) / Z(x)

    where theta has what a chain has of each position of the segment, and features of the segment as a whole: its
    length, its words, whether a list has them (Sarawagi & Cohen 2004; docs/segments.md).

    ``X`` and ``y`` are those of ``ChainCRF``; labels spell segments (B-X, I-X, O, and other schemes), or each run
    of a label is one.  Or ``y`` has for each sequence a list of spans (start, end, label), half open, without
    overlap, which become labels by label_scheme ("auto": "bio").  Predictions are labels in the same spelling;
    ``predict_spans`` gives them as spans, ``spans`` with their probabilities.

    Parameters are ChainCRF's but for those of orders, constraints and kernels, and

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

    With a prior, and with warm_start and partial_fit, templates, gazetteers and max_length that are not given
    are those of the model that there is.

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
                 gradient_tolerance: Optional[float] = None, gap: Optional[float] = None,
                 history: Optional[int] = None, sgd_passes: Optional[int] = None, step: Optional[float] = None,
                 schedule: Optional[str] = None, decay: Optional[float] = None, batch: Optional[int] = None,
                 average_from: Optional[int] = None, aggressiveness: Optional[float] = None,
                 variance: Optional[float] = None, gamma: Optional[float] = None, precision: str = "auto",
                 holdout: Optional[float] = None, early_stop: int = 0, checkpoint: Optional[PathLike] = None,
                 resume: bool = False, checkpoint_interval: float = 30.0, prior: Optional[Prior] = None,
                 variances: Optional[PathLike] = None, decode: str = "viterbi", warm_start: bool = False,
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
        self.gap = gap
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
        self.prior = prior
        self.variances = variances
        self.decode = decode
        self.warm_start = warm_start
        self.seed = seed
        self.threads = threads
        self.progress = progress

    def fit(self, X: Sequence[Any], y: Sequence[Any], sample_weight: Optional[Sequence[float]] = None,
            X_dev: Optional[Sequence[Any]] = None, y_dev: Optional[Sequence[Any]] = None, *,
            callback: Optional[Callback] = None) -> SegmentCRF:
        """Trains; returns self.  Arguments as of ChainCRF.fit; y and y_dev may be spans."""
        init = self.model_ if self.warm_start and hasattr(self, "model_") else None
        self._train(X, self._labels(X, y), sample_weight, X_dev, self._labels(X_dev, y_dev), callback, init)
        return self

    def partial_fit(self, X: Sequence[Any], y: Sequence[Any], classes: Optional[Sequence[str]] = None,
                    sample_weight: Optional[Sequence[float]] = None, *,
                    callback: Optional[Callback] = None) -> SegmentCRF:
        """As ChainCRF.partial_fit: trains on new data, from the model that is there; y may be spans."""
        self._train(X, self._labels(X, y), sample_weight, None, None, callback, getattr(self, "model_", None))
        return self

    def predict_spans(self, X: Sequence[Any], **how: Any) -> list[Spans]:
        """The segments of each predicted segmentation, as (start, end, label), without those of O."""
        found = self.predict(X, **how)
        scheme = self._scheme()
        if scheme != "none":
            return [_core.spans_of_labels(labels, scheme) for labels in found]
        return [[(run[0][0], run[-1][0] + 1, label)
                 for label, each in itertools.groupby(enumerate(labels), lambda item: item[1])
                 for run in [list(each)] if label != "O"] for labels in found]

    def score(self, X: Sequence[Any], y: Sequence[Any],
              sample_weight: Optional[Sequence[float]] = None) -> float:
        """The share of positions whose label is predicted right; y may be spans."""
        return super().score(X, self._labels(X, y), sample_weight)

    def _scheme(self) -> str:
        if self.label_scheme != "auto":
            return self.label_scheme
        return _core.span_scheme(list(self._fitted().labels))

    def _labels(self, X: Any, y: Any) -> Any:
        # Labels as they are; spans as labels.
        if y is None or X is None or len(X) != len(y) or not _are_spans(X, y):
            return y
        scheme = "bio" if self.label_scheme == "auto" else self.label_scheme
        if scheme in ("raw", "none"):
            raise ValueError(f"label_scheme {scheme!r} cannot spell a span; choose one of: bio, bio1, ioe, bioes")
        labels = []
        for n, (x, spans) in enumerate(zip(X, y)):
            try:
                labels.append(_core.labels_of_spans([(b, e, label) for b, e, label in spans], len(x), scheme))
            except (TypeError, ValueError) as error:
                raise ValueError(f"y[{n}] is no list of spans (start, end, label) of the {len(x)} positions of "
                                 f"X[{n}]: {str(error).splitlines()[0]}") from None
        return labels

    def _fit_native(self, X: Any, y: Any, sample_weight: Any, X_dev: Any, y_dev: Any, init: Optional[Model],
                    prior: Optional[Model], see: Callback) -> tuple[_core.Model, dict[str, Any]]:
        return _core.train_segment(X, y, sample_weight, X_dev, y_dev, self._options(), self._segments(),
                                   None if init is None else init._native,
                                   None if prior is None else prior._native, see)

    def _segments(self) -> dict[str, Any]:
        longest = self.max_length
        return {
            "segment_template": None if self.segment_template is None else os.fspath(self.segment_template),
            "gazetteers": None if self.gazetteers is None else
            {name: list(entries) for name, entries in self.gazetteers.items()},
            "max_length": None if longest is None else
            [f"{label}={n}" for label, n in longest.items()] if isinstance(longest, Mapping) else [str(longest)],
            "text_attribute": None if self.text is None else self.text + ":",
            "label_scheme": self.label_scheme}
