"""ChainCRF: a conditional random field over sequences, as a scikit-learn estimator."""
from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, Union

from . import _core
from ._params import raise_not_fitted
from .model import Explanation, Inspection, Labelling, Labels, Model, Span
from .progress import Progress
from .tables import table

if TYPE_CHECKING:
    import numpy

try:
    from sklearn.base import BaseEstimator
except ImportError:
    from ._params import BaseEstimator  # type: ignore[assignment]

Callback = Callable[[dict[str, Any]], Optional[bool]]
PathLike = Union[str, "os.PathLike[str]"]
Prior = Union["ChainCRF", Model, PathLike]

# Parameters that are options of the trainer under the same name.
_OPTIONS = (
    "objective", "optimizer", "l1", "l2", "block", "features", "min_count", "template_language",
    "boundaries", "order", "histories", "max_iterations", "tolerance", "window",
    "gradient_tolerance", "gap", "history", "sgd_passes", "step", "schedule", "decay", "batch",
    "average_from", "aggressiveness", "best", "variance", "gamma", "kernel", "precision",
    "early_stop", "resume", "checkpoint_interval", "seed", "threads", "intercept", "induce", "induce_size",
    "induce_batch", "induce_rounds", "induce_iterations", "induce_gain", "induce_count", "induce_from",
    "induce_pairs", "unsupported", "unsupported_after", "select_l1")


class TrainingInterrupted(UserWarning):
    """Ctrl-C stopped the training; the model of the last iteration is kept."""


class TrainingLog(list[dict[str, Any]]):
    """What happened in training: a dict for each iteration, and the result.

    An iteration has iteration, evaluations, objective, gradient_norm, weight_norm, active_features,
    step, max_iterations and seconds (since the start); with optimizers on the dual gap, relative to
    the objective; with a hold-out holdout.

    data : sequences, positions, labels, attributes of the training data
    rounds : where features change as training goes on (induce, unsupported, select_l1), a dict for each
        round: what, round, iteration, objective, errors, added, dropped, features, conjunctions, best_gain,
        least_gain, holdout, seconds
    result : reason, message, converged, iterations, evaluations, objective, gradient_norm, weights,
        nonzero_weights, holdout, best_iteration
    """

    def __init__(self) -> None:
        super().__init__()
        self.data: dict[str, Any] = {}
        self.rounds: list[dict[str, Any]] = []
        self.result: dict[str, Any] = {}

    def table(self) -> Any:
        """The iterations as a table: a pandas DataFrame where pandas is installed."""
        names = ["iteration", "objective", "gradient_norm", "active_features", "seconds"]
        if any("gap" in each for each in self):
            names.insert(2, "gap")
        scores = sorted({name for each in self for name in each.get("holdout", {})})
        return table((*names, *(f"holdout_{name}" for name in scores)),
                     ([each.get(name) for name in names] + [each["holdout"][name] for name in scores]
                      for each in self))


class ChainCRF(BaseEstimator):  # type: ignore[misc]
    """A linear-chain conditional random field, trained by penalised maximum likelihood:

        F(w) = -sum_n weight_n log p(y_n | x_n; w) + l1 |w|_1 + (l2 / 2) |w|_2^2

    or with another objective in place of -log p, and by any optimizer that goes with it.

    ``X`` is a list of sequences.  A sequence is one of:

    * a list with the attributes of each position: a dict (``{"word": "the", "length": 3, "upper": False}``;
      a str value ``v`` under the key ``k`` is the attribute ``k:v``; dicts, lists and sets nest), or a list or
      set of str;
    * with ``template``, or ``format="columns"``: a list of rows, each a list of str (word, tag, ...);
    * a scipy sparse matrix [T, F], a float array [T, D], or a tuple of them.

    ``y`` is a list with a list of labels, any str, for each sequence.  None stands for a label that is not
    known, a set of str for one of several: training then sums over the labellings that fit.

    Parameters
    ----------
    objective : str
        "likelihood"; "pseudolikelihood", "per-edge", "composite", "marginal", "piecewise",
        "softmax-margin", "max-margin", "perceptron", "passive-aggressive" or "arow"
        (docs/training.md).  The last three minimise no F: they correct mistakes, pass by pass.
    optimizer : str or None
        How: "sgd-lbfgs", "lbfgs", "owlqn", "sgd", "frank-wolfe", ...; None: what suits the
        objective.  A pair that does not go together is a ValueError that lists those that do.
    l1, l2 : float, l2 or None
        Weights of the penalties, 0 or more.  l2 None: 1, and 0 for perceptron, passive-aggressive and
        arow, which have no penalty.  CRFsuite's c1 is l1, its c2 is l2 / 2; Wapiti's rho2 is l2; CRF++'s C
        is 1 / l2.
    prior : ChainCRF (fitted), Model, path or None
        The l2 penalty is of the distance from this model's weights, where training starts; its labels
        and features are kept.  To adapt a model without forgetting it.
    variances : path or None
        Lines PATTERN VARIANCE: weights of features whose name fits are penalised by l2 / VARIANCE.
    cost : float, path or None
        What a mistake costs (softmax-margin, max-margin, passive-aggressive, arow); None: 1.
    block : int or None
        Labels in a block of the composite objective; None: 3.
    features : "observed", "all" or None
        Pairs of attribute and label that occur, or all pairs.  None: "all" with a template.
    min_count : int
        Occurrences that a feature needs.
    template, template_language : str
        A template file's path, or its text (CRF++'s or Wapiti's language), for rows.
    kit : str or path, None
        A file that declares further features (gazetteers, word clusters, embeddings, ...), of rows and
        of attributes; the model keeps what it read.  docs/features.md
    format : "attributes", "columns" or None
        What a sequence is; None: "columns" with a template, otherwise "attributes".
    boundaries : bool
        START and STOP are labels of their own before the first and after the last position.
    order, histories : int, "seen" or "allowed"
        How many labels back scores look, and from 2 on which runs of labels are possible.
    constrain : "bio", "bioes" or a path
        The labellings that the model is normalised over (docs/constraints.md).
    transition_groups : path
        Transitions that share a weight.
    max_iterations : int or None
        Iterations, or passes over the data; None: 1000, of perceptron and the like 100.
    tolerance, window, gradient_tolerance : float or None, int or None, float or None
        Stop where F changes by less than this share in `window` iterations (None: 10), or where |gradient| <=
        gradient_tolerance max(1, |w|); 0: not.  None: 1e-5 (with l1 5e-6) and 1e-5; of perceptron and
        the like 0.
    gap : float or None
        Of optimizers on the dual: stop at this duality gap, relative to F; None: 1e-4.
    history, ..., kernel : None or a value
        Of some optimizers, an error with the others; None is the optimizer's default:

        history : int, pairs of vectors that L-BFGS keeps (12, or 6)
        sgd_passes : int, of sgd-lbfgs: passes before L-BFGS
        step : float, the first step of stochastic optimizers (tried out on some sequences)
        schedule : "bottou", "inverse", "inverse_sqrt" or "constant", of sgd: how steps shrink
        decay : float, with "constant": factor of the step in each pass (0.9)
        batch : int, sequences a step (1, of smd 8)
        average_from : int, of averaged-sgd: the first pass that is averaged (2)
        aggressiveness : float, C of pa-1, pa-2 and mira (1)
        best : int, of mira: labellings of a sequence to get right at once (5)
        variance, gamma : float, of arow: of each weight at first (1); smaller steps (1)
        kernel : "linear", "poly:DEGREE" or "rbf:GAMMA", of smo: between the attributes of positions
    precision : "auto", "single" or "double"
        Of scores and recursions; "auto": double for less than 20,000 positions.
    holdout : float
        A fraction of X to set aside for a score as training goes on; or give X_dev and y_dev to fit.
    early_stop : int
        Stop after so many iterations without a better hold-out score, and keep the best weights; 0: never.
    checkpoint, resume, checkpoint_interval : path or None, bool, float
        A folder that fit keeps its state in, every so many seconds (0: after each iteration), and
        whether it goes on from there.  After a crash, fit with resume=True gives the model that it
        would have given.  A training that ends by itself deletes its state; after Ctrl-C, and where the
        callback stops it, it stays.
    induce : bool
        Find conjunctions of attributes that the model lacks, round by round (docs/feature_selection.md), with

        induce_size : int, attributes of a conjunction at most (2)
        induce_batch, induce_rounds : int, features that a round adds at most (1000); rounds at most (20)
        induce_iterations : int, of training in each round (15)
        induce_gain : float, nats that a feature must gain (2)
        induce_count : int, positions labelled wrongly that it must be at (3)
        induce_from : "attributes", or "nothing": single attributes have no features unless they are found
        induce_pairs : bool, features of two neighbouring labels, too
    unsupported, unsupported_after : float or None, int or None
        After so many iterations (10), add the features that the data does not show and that could correct a
        mistake made with a probability above this.
    select_l1 : float or None
        Train with this l1, then what has a weight again, with l2 alone.
    decode : "viterbi", "marginal" or "risk"
        How predict chooses a labelling.
    warm_start : bool
        fit goes on from the model that is there.
    seed, threads : int
        threads 0 is one a processor.  The same seed gives the same model, byte for byte, for any number
        of threads, and the same as the command line gives.
    progress : bool or None
        A bar in a terminal or a notebook; None: where there is one.

    Attributes
    ----------
    model_ : Model
    classes_ : list of str, the labels in the order of their numbers
    state_features_, transition_features_ : dict of weights
    training_log_ : TrainingLog
    size_ : int, bytes of the model
    """

    _KIND = "chain"  # of model

    def __init__(self, *, objective: str = "likelihood", optimizer: Optional[str] = None,
                 l1: float = 0.0, l2: Optional[float] = None, prior: Optional[Prior] = None,
                 variances: Optional[PathLike] = None, cost: Union[float, PathLike, None] = None,
                 block: Optional[int] = None, features: Optional[str] = None, min_count: int = 1,
                 template: Optional[PathLike] = None, template_language: str = "auto",
                 kit: Optional[PathLike] = None, format: Optional[str] = None,
                 boundaries: bool = False, order: int = 1,
                 histories: Optional[str] = None, constrain: Optional[PathLike] = None,
                 transition_groups: Optional[PathLike] = None, max_iterations: Optional[int] = None,
                 tolerance: Optional[float] = None, window: Optional[int] = None,
                 gradient_tolerance: Optional[float] = None, gap: Optional[float] = None,
                 history: Optional[int] = None, sgd_passes: Optional[int] = None,
                 step: Optional[float] = None, schedule: Optional[str] = None,
                 decay: Optional[float] = None, batch: Optional[int] = None,
                 average_from: Optional[int] = None, aggressiveness: Optional[float] = None,
                 best: Optional[int] = None, variance: Optional[float] = None,
                 gamma: Optional[float] = None, kernel: Optional[str] = None,
                 precision: str = "auto", holdout: Optional[float] = None, early_stop: int = 0,
                 checkpoint: Optional[PathLike] = None, resume: bool = False,
                 checkpoint_interval: float = 30.0, induce: bool = False,
                 induce_size: Optional[int] = None, induce_batch: Optional[int] = None,
                 induce_rounds: Optional[int] = None, induce_iterations: Optional[int] = None,
                 induce_gain: Optional[float] = None, induce_count: Optional[int] = None,
                 induce_from: Optional[str] = None, induce_pairs: Optional[bool] = None,
                 unsupported: Optional[float] = None, unsupported_after: Optional[int] = None,
                 select_l1: Optional[float] = None, decode: str = "viterbi",
                 warm_start: bool = False, seed: int = 1, threads: int = 0,
                 progress: Optional[bool] = None) -> None:
        self.objective = objective
        self.optimizer = optimizer
        self.l1 = l1
        self.l2 = l2
        self.prior = prior
        self.variances = variances
        self.cost = cost
        self.block = block
        self.features = features
        self.min_count = min_count
        self.template = template
        self.template_language = template_language
        self.kit = kit
        self.format = format
        self.boundaries = boundaries
        self.order = order
        self.histories = histories
        self.constrain = constrain
        self.transition_groups = transition_groups
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
        self.best = best
        self.variance = variance
        self.gamma = gamma
        self.kernel = kernel
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
        self.induce_pairs = induce_pairs
        self.unsupported = unsupported
        self.unsupported_after = unsupported_after
        self.select_l1 = select_l1
        self.decode = decode
        self.warm_start = warm_start
        self.seed = seed
        self.threads = threads
        self.progress = progress

    # Training.

    def fit(self, X: Sequence[Any], y: Sequence[Any], sample_weight: Optional[Sequence[float]] = None,
            X_dev: Optional[Sequence[Any]] = None, y_dev: Optional[Sequence[Any]] = None, *,
            callback: Optional[Callback] = None) -> ChainCRF:
        """Trains; returns self.

        sample_weight : [N] weight of each sequence, >= 0; those of 0 are left out
        X_dev, y_dev : labelled sequences for a score after each iteration (see early_stop)
        callback : called with a dict after each iteration (the entries of training_log_); False stops

        Ctrl-C stops cleanly after the iteration under way, keeps its model and warns (TrainingInterrupted);
        before the first iteration it raises KeyboardInterrupt.
        Memory: the encoded data and the optimiser; X itself is not kept.
        """
        init = self.model_ if self.warm_start and hasattr(self, "model_") else None
        return self._train(X, y, sample_weight, X_dev, y_dev, callback, init)

    def partial_fit(self, X: Sequence[Any], y: Sequence[Any],
                    classes: Optional[Sequence[str]] = None,
                    sample_weight: Optional[Sequence[float]] = None, *,
                    callback: Optional[Callback] = None) -> ChainCRF:
        """Trains on new data, from the model that is there: its labels and features are kept and new
        ones added.  The objective is that of the new data alone.  classes: not needed, as labels may
        appear later."""
        return self._train(X, y, sample_weight, None, None, callback, getattr(self, "model_", None))

    def _train(self, X: Sequence[Any], y: Sequence[Any], sample_weight: Optional[Sequence[float]],
               X_dev: Optional[Sequence[Any]], y_dev: Optional[Sequence[Any]],
               callback: Optional[Callback], init: Optional[Model]) -> ChainCRF:
        if y is None:
            raise ValueError("y is None; fit needs the labels of each sequence")
        decodes = getattr(self, "_DECODES", ("viterbi", "marginal", "risk"))
        if self.decode not in decodes:
            raise ValueError(f"decode is {self.decode!r}; choose one of: {', '.join(decodes)}")
        if callback is not None and not callable(callback):
            raise TypeError(f"callback is a {type(callback).__name__}, and a function was expected")
        if (X_dev is None) != (y_dev is None):
            raise ValueError("X_dev and y_dev go together: give both or neither")
        if sample_weight is not None and not hasattr(sample_weight, "__getitem__"):
            sample_weight = _listed(sample_weight)
        prior = _prior_model(getattr(self, "prior", None))
        log = TrainingLog()
        with Progress(self.progress) as progress:
            def see(event: dict[str, Any]) -> Optional[bool]:
                event = dict(event)
                what = event.pop("event")
                if what == "data":
                    log.data = event
                    progress.data(event)
                    return None
                if what == "features":
                    log.rounds.append(event)
                    return None
                log.append(event)
                progress.iteration(event)
                return callback(event) if callback is not None else None

            native, log.result = self._fit_native(X, y, sample_weight, X_dev, y_dev, init, prior, see)
            progress.done(log.result)
        self.model_ = Model(native)
        self.classes_ = self.model_.labels
        self.training_log_ = log
        if log.result["reason"] == "interrupted":
            warnings.warn(f"training was interrupted after iteration {log.result['iterations']}; the model "
                          "of that iteration is kept", TrainingInterrupted, stacklevel=3)
        return self

    def _fit_native(self, X: Any, y: Any, sample_weight: Any, X_dev: Any, y_dev: Any, init: Optional[Model],
                    prior: Optional[Model], see: Callback) -> tuple[_core.Model, dict[str, Any]]:
        return _core.train(X, y, sample_weight, X_dev, y_dev, self._options(),
                           None if init is None else init._native,
                           None if prior is None else prior._native, see)

    def _options(self) -> dict[str, Any]:
        # What an estimator has no parameter for is left to the trainer.
        options = {name: getattr(self, name, None) for name in _OPTIONS}
        options["model"] = self._KIND
        for name in ("template", "kit", "constrain", "transition_groups", "variances", "checkpoint"):
            value = getattr(self, name, None)
            options[name] = None if value is None else os.fspath(value)
        for name in ("cost", "holdout"):
            value = getattr(self, name, None)
            options[name] = None if value is None else str(value)
        options["format"] = self.format or ("columns" if self.template is not None else "attributes")
        return options

    # Prediction: as Model, with this estimator's decode and threads.

    def predict(self, X: Sequence[Any], **how: Any) -> list[Labels]:
        """The labelling of each sequence.  Keyword arguments: see Model."""
        return self._fitted().predict(X, **self._how(how))

    def predict_single(self, x: Any, **how: Any) -> Labels:
        """The labelling of one sequence."""
        return self._fitted().predict_single(x, **{"decode": self.decode, **how})

    def predict_proba(self, X: Sequence[Any], **how: Any) -> list[numpy.ndarray]:
        """p(y_t = j | x) for each sequence: an array [T, L], columns as in classes_."""
        return self._fitted().predict_proba(X, **self._how(how))

    def predict_marginals(self, X: Sequence[Any], **how: Any) -> list[list[dict[str, float]]]:
        """The same as a dict label -> probability for each position."""
        return self._fitted().predict_marginals(X, **self._how(how))

    def predict_marginals_single(self, x: Any, **how: Any) -> list[dict[str, float]]:
        """The same of one sequence."""
        return self._fitted().predict_marginals_single(x, **{"decode": self.decode, **how})

    def k_best(self, X: Sequence[Any], k: int, **how: Any) -> list[list[Labelling]]:
        """The k most probable labellings of each sequence with log p(y | x), best first."""
        return self._fitted().k_best(X, k, **self._how(how))

    def spans(self, X: Sequence[Any], **how: Any) -> list[list[Span]]:
        """The chunks of each predicted labelling with their probabilities."""
        return self._fitted().spans(X, **self._how(how))

    def sample(self, X: Sequence[Any], n: int = 1, *, seed: int = 1, **how: Any) -> list[list[Labels]]:
        """n exact draws from p(y | x) for each sequence."""
        return self._fitted().sample(X, n, seed=seed, **self._how(how))

    def score(self, X: Sequence[Any], y: Sequence[Sequence[str]],
              sample_weight: Optional[Sequence[float]] = None) -> float:
        """The share of positions whose label is predicted right; sample_weight [N] weighs sequences."""
        right = total = 0.0
        predicted = self.predict(X)
        weights = [1.0] * len(predicted) if sample_weight is None else list(sample_weight)
        if len(y) != len(predicted) or len(weights) != len(predicted):
            raise ValueError(f"X has {len(predicted)} sequences, y the labels of {len(y)}" + (
                "" if sample_weight is None else f", and sample_weight has {len(weights)} numbers"))
        for n, (gold, found, weight) in enumerate(zip(y, predicted, weights)):
            if not 0 <= weight < float("inf"):
                raise ValueError(f"sample_weight[{n}] is {weight}; weights must be finite, and not below 0")
            if len(gold) != len(found):
                raise ValueError(f"y[{n}] has {len(gold)} labels and X[{n}] has {len(found)} positions")
            right += weight * sum(a == b for a, b in zip(gold, found))
            total += weight * len(found)
        return right / total if total else 0.0

    # What was learnt.

    @property
    def state_features_(self) -> dict[tuple[str, str], float]:
        """(attribute, label) -> weight, those that are not 0."""
        return self._fitted().state_features

    @property
    def transition_features_(self) -> dict[tuple[str, str], float]:
        """(from, to) -> weight."""
        return self._fitted().transition_features

    @property
    def size_(self) -> int:
        """Bytes of the model."""
        return self._fitted().size

    def inspect(self, top: int = 10) -> Inspection:
        """What the model is, how it was trained, and its strongest features."""
        return self._fitted().inspect(top)

    def explain(self, x: Any, **how: Any) -> Explanation:
        """Why a sequence gets its labels: see Model.explain."""
        return self._fitted().explain(x, **how)

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the model's file."""
        self._fitted().save(path)

    def _fitted(self) -> Model:
        model: Optional[Model] = getattr(self, "model_", None)
        if model is None:
            raise_not_fitted(self)
        return model

    def _how(self, how: Mapping[str, Any]) -> dict[str, Any]:
        return {"decode": self.decode, "threads": self.threads, **how}

    def _more_tags(self) -> dict[str, Any]:  # of scikit-learn before 1.6
        return {"X_types": ["sequences"], "requires_y": True, "no_validation": True}


def _prior_model(prior: Optional[Prior]) -> Optional[Model]:
    """The model that the parameter stands for."""
    if prior is None or isinstance(prior, Model):
        return prior
    if isinstance(prior, ChainCRF):
        model: Optional[Model] = getattr(prior, "model_", None)
        if model is None:
            raise ValueError("prior is a ChainCRF that is not fitted (scikit-learn's clone copies "
                             "estimators without what they learnt); give prior=crf.model_")
        return model
    if isinstance(prior, (str, os.PathLike)):
        model = Model.load(prior)
        model.verify()  # training would carry damage on into a model that looks sound
        return model
    raise TypeError(f"prior is a {type(prior).__name__}; give a Model, a fitted ChainCRF or a path")


def _listed(weights: Any) -> list[float]:
    """What can be made a list: an iterable, or something that numpy reads."""
    if hasattr(weights, "__array__"):
        weights = weights.__array__()
    try:
        return list(weights)
    except TypeError:
        raise TypeError(f"sample_weight is a {type(weights).__name__}, and a list of numbers was expected"
                        ) from None
