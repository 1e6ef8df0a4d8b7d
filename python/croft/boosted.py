"""BoostedCRF: gradient tree boosting of a chain's potentials, as a scikit-learn estimator."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Union

from . import _core
from .estimator import Callback, ChainCRF, PathLike
from .model import Inspection, Model
from .segment import SegmentCRF

try:
    from sklearn.base import BaseEstimator
except ImportError:
    from ._params import BaseEstimator  # type: ignore[assignment]

_SHARED = ("template", "template_language", "format", "boundaries", "holdout", "early_stop",
           "checkpoint", "resume", "checkpoint_interval", "seed", "threads")
_SEGMENTS = ("segment_template", "gazetteers", "max_length", "text", "label_scheme")
_BOOSTING = ("rounds", "shrinkage", "depth", "leaves", "l2", "min_child_weight", "min_child_count",
             "min_gain", "row_share", "feature_share", "trim", "bins", "trees", "pair_trees",
             "tolerance")


class BoostedCRF(BaseEstimator):  # type: ignore[misc]
    """A conditional random field whose scores are sums of regression trees,

        F_y(x, t) = b_y + shrinkage sum_m tree_ym(x_t),    transitions learnt beside them,

    each round's trees being fitted to the gradient of the log-likelihood by these scores (Friedman 2001;
    Dietterich, Hao & Ashenfelter 2008; docs/boosting.md).  Trees find conjunctions of attributes, thresholds of
    numbers, and the way that positions without an attribute go.

    ``X`` and ``y`` are those of ``ChainCRF``: labels that are not known may be None, or a set.

    Parameters
    ----------
    kind : "chain", "maxent" or "segment"
        With transitions, each position by itself, or segments, which have trees of their own.
    rounds : int
        Each has a tree for every label.
    shrinkage : float, above 0 and not above 1
        The share of each tree that is added.
    depth, leaves : int
        Tests on the way to a leaf, and leaves of a tree, at most.
    l2 : float
        Of the values of leaves: v = -G / (H + l2).
    min_child_weight, min_child_count, min_gain : float, int, float
        Sum of second derivatives and number of positions that a leaf has at least, and what a test must gain.
    row_share, feature_share : float, above 0 and not above 1
        Of the sequences (drawn anew for each round) and the attributes (for each tree).
    trim : float, 0 or more and below 1
        Trees are grown without the positions of the smallest gradients, which together have this share of
        the sum of all.
    bins : int, 2 to 256
        Of a numeric attribute at most.
    trees : "label" or "shared"
        A tree for each label a round, or one whose leaves have a value for each.
    pair_trees : bool
        Trees also for each pair of neighbouring labels that y has.
    tolerance : float
        Stop where a round gains less than this share of the objective; 0: never.
    segment_template, gazetteers, max_length, text, label_scheme
        As of SegmentCRF, with kind "segment"; without a segment_template trees see the length.
    template, template_language, format, boundaries, holdout, early_stop, checkpoint, resume, checkpoint_interval,
    decode, seed, threads, progress
        As of ChainCRF; early_stop counts rounds, and the best ones are kept.

    Attributes
    ----------
    model_ : Model
    classes_ : list of str, the labels in the order of their numbers
    feature_importances_ : dict attribute -> share of the gain of all tests, largest first
    training_log_ : TrainingLog, an entry for each round
    size_ : int, bytes of the model
    """

    def __init__(self, *, kind: str = "chain", rounds: int = 100, shrinkage: float = 0.3, depth: int = 20,
                 leaves: int = 31, l2: float = 1.0, min_child_weight: float = 1.0, min_child_count: int = 1,
                 min_gain: float = 0.0, row_share: float = 1.0, feature_share: float = 1.0, trim: float = 0.1,
                 bins: int = 255, trees: str = "label", pair_trees: bool = False,
                 tolerance: float = 0.0, segment_template: Optional[PathLike] = None,
                 gazetteers: Optional[Mapping[str, Sequence[str]]] = None,
                 max_length: Union[int, Mapping[str, int], None] = None, text: Optional[str] = None,
                 label_scheme: str = "auto", template: Optional[PathLike] = None,
                 template_language: str = "auto", format: Optional[str] = None, boundaries: bool = False,
                 holdout: Optional[float] = None, early_stop: int = 0,
                 checkpoint: Optional[PathLike] = None, resume: bool = False,
                 checkpoint_interval: float = 30.0, decode: str = "viterbi", seed: int = 1,
                 threads: int = 0, progress: Optional[bool] = None) -> None:
        self.kind = kind
        self.rounds = rounds
        self.shrinkage = shrinkage
        self.depth = depth
        self.leaves = leaves
        self.l2 = l2
        self.min_child_weight = min_child_weight
        self.min_child_count = min_child_count
        self.min_gain = min_gain
        self.row_share = row_share
        self.feature_share = feature_share
        self.trim = trim
        self.bins = bins
        self.trees = trees
        self.pair_trees = pair_trees
        self.tolerance = tolerance
        self.segment_template = segment_template
        self.gazetteers = gazetteers
        self.max_length = max_length
        self.text = text
        self.label_scheme = label_scheme
        self.template = template
        self.template_language = template_language
        self.format = format
        self.boundaries = boundaries
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
            callback: Optional[Callback] = None) -> BoostedCRF:
        """Trains; returns self.  Arguments as of ChainCRF.fit; an iteration is a round."""
        ChainCRF._train(self, X, y, sample_weight, X_dev, y_dev, callback, None)  # type: ignore[arg-type]
        return self

    def _fit_native(self, X: Any, y: Any, sample_weight: Any, X_dev: Any, y_dev: Any, init: Optional[Model],
                    prior: Optional[Model], see: Callback) -> tuple[_core.Model, dict[str, Any]]:
        if self.kind not in ("chain", "maxent", "segment"):
            raise ValueError(f"kind is {self.kind!r}; choose one of: chain, maxent, segment")
        given = [name for name in _SEGMENTS if getattr(self, name) not in (None, "auto")]
        if self.kind != "segment" and given:
            raise ValueError(f"{given[0]} goes with kind='segment'")
        segments = SegmentCRF._segments(self) if self.kind == "segment" else None  # type: ignore[arg-type]
        options = {name: value for name, value in ChainCRF._options(self).items()  # type: ignore[arg-type]
                   if name in _SHARED}
        boosting = {name: getattr(self, name) for name in _BOOSTING}
        return _core.train_boosted("boosted-" + self.kind, X, y, sample_weight, X_dev, y_dev, options,
                                   boosting, segments, see)

    _KIND = None
    _fitted = ChainCRF._fitted
    _how = ChainCRF._how

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
    def feature_importances_(self) -> dict[str, float]:
        """attribute -> its tests' share of the gain of all, the largest first; strings of segments start with
        "segment "."""
        gains = {name: gain for name, (gain, _) in self._fitted()._native.importance().items()}
        total = sum(gains.values())
        return {name: gain / total for name, gain in gains.items()}

    @property
    def size_(self) -> int:
        """Bytes of the model."""
        return self._fitted().size

    def inspect(self, top: int = 10) -> Inspection:
        """What the model is, how it was trained, its most important attributes and first trees."""
        return self._fitted().inspect(top)

    def _more_tags(self) -> dict[str, Any]:  # of scikit-learn before 1.6
        return {"X_types": ["sequences"], "requires_y": True, "no_validation": True}
