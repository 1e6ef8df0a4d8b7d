"""SegmentCRF: a semi-Markov conditional random field, as a scikit-learn estimator."""
from __future__ import annotations

import itertools
from typing import Any, Optional, Sequence

from . import _core
from ._parameters import SegmentCRFParameters
from ._params import mapping
from .estimator import Callback, ChainCRF

Spans = list[tuple[int, int, str]]


def _are_spans(X: Any, y: Any) -> bool:
    """Whether labels are given as spans: an item that is no text, or nothing at all of what is not empty."""
    if not all(isinstance(one, (tuple, list)) for one in y):
        return False
    first = next((item for one in y for item in one if item is not None), None)
    return isinstance(first, (tuple, list)) or (first is None and any(len(x) > 0 for x in X))


class SegmentCRF(SegmentCRFParameters, ChainCRF):
    """A conditional random field over segmentations: a sequence is cut into segments (begin, end, label), and

        p(s | x) = exp(sum_k theta(s_k; x) + sum_k w[y_{k-1}, y_k]) / Z(x)

    where theta has what a chain has of each position of the segment, and features of the segment as a whole: its
    length, its words, whether a list has them (Sarawagi & Cohen 2004; docs/segments.md).

    ``X`` and ``y`` are those of ``ChainCRF``; labels spell segments (B-X, I-X, O, and other schemes), or each run
    of a label is one.  Or ``y`` has for each sequence a list of spans (start, end, label), half open, without
    overlap, which become labels by label_scheme ("auto": "bio").  Predictions are labels in the same spelling;
    ``predict_spans`` gives them as spans, ``spans`` with their probabilities.

    With a prior, and with warm_start and partial_fit, templates, gazetteers and max_length that are not given
    are those of the model that there is.

    Cost of an evaluation: O(T (cells + L^2)) a sequence, cells the sum of the labels' longest segments.
    """

    def fit(self, X: Sequence[Any], y: Sequence[Any],
            sample_weight: Optional[Sequence[float]] = None,
            X_dev: Optional[Sequence[Any]] = None, y_dev: Optional[Sequence[Any]] = None, *,
            X_unlabelled: Optional[Sequence[Any]] = None, callback: Optional[Callback] = None,
            comm: Optional[Any] = None) -> SegmentCRF:
        """Trains; returns self.  Arguments as of ChainCRF.fit; y and y_dev may be spans."""
        init = self.model_ if self.warm_start and hasattr(self, "model_") else None
        self._train(X, self._labels(X, y), sample_weight, X_dev, self._labels(X_dev, y_dev), callback, init,
                    X_unlabelled, comm)
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

    def _options(self) -> dict[str, Any]:
        return {**super()._options(), **of_segments(self)}


def of_segments(parameters: Any) -> dict[str, Any]:
    """Options that are not what the parameters are."""
    options: dict[str, Any] = {}
    if parameters.gazetteers is not None:
        options["gazetteers"] = {name: list(entries) for name, entries in
                                 mapping("gazetteers", parameters.gazetteers).items()}
    if parameters.text is not None:
        options["text_attribute"] = parameters.text + ":"
    return options
