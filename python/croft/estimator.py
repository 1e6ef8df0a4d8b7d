"""ChainCRF: a conditional random field over sequences, as a scikit-learn estimator."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, TypeVar, Union

from . import _core
from ._data import check_training, label_lists
from ._parameters import ChainCRFParameters, Prior
from ._params import BaseEstimator, a_type, raise_not_fitted, warn
from .model import Explanation, Inspection, Labelling, Labels, Model, Span
from .progress import Progress
from .tables import table

if TYPE_CHECKING:
    import numpy

Callback = Callable[[dict[str, Any]], Optional[bool]]
Self = TypeVar("Self", bound="ChainKind")


class TrainingInterrupted(UserWarning):
    """Ctrl-C stopped the training; the model of the last iteration is kept."""


def warn_if_interrupted(result: Mapping[str, Any]) -> None:
    if result["interrupted"]:
        warn(f"training was interrupted after iteration {result['iterations']}; the model of that iteration is kept",
             TrainingInterrupted)


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

    def watching(self, callback: Optional[Callback], progress: Optional[Progress] = None) -> Callback:
        """What the library calls with each event: the log takes it, and `callback` iterations."""
        def see(event: dict[str, Any]) -> Optional[bool]:
            event = dict(event)
            what = event.pop("event")
            if what == "data":
                self.data = event
                if progress is not None:
                    progress.data(event)
            elif what == "features":
                self.rounds.append(event)
            else:
                self.append(event)
                if progress is not None:
                    progress.iteration(event)
                return callback(event) if callback is not None else None
            return None
        return see

    def table(self) -> Any:
        """The iterations as a table: a pandas DataFrame where pandas is installed."""
        names = ["iteration", "objective", "gradient_norm", "active_features", "seconds"]
        if any("gap" in each for each in self):
            names.insert(2, "gap")
        scores = sorted({name for each in self for name in each.get("holdout", {})})
        return table((*names, *(f"holdout_{name}" for name in scores)),
                     ([each.get(name) for name in names] + [each["holdout"][name] for name in scores]
                      for each in self))


class SequenceEstimator(BaseEstimator):  # type: ignore[misc]
    """An estimator whose model labels sequences: predictions are Model's, with the estimator's decode and threads."""

    _DECODES: tuple[str, ...] = ("viterbi", "marginal", "risk")
    if TYPE_CHECKING:
        decode: str
        threads: int
        model_: Model

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

    def k_best(self, X: Sequence[Any], k: int, **how: Any) -> list[list[Labelling]]:
        """The k most probable labellings of each sequence with log p(y | x), best first."""
        return self._fitted().k_best(X, k, **self._how(how))

    def sample(self, X: Sequence[Any], n: int = 1, *, seed: int = 1, **how: Any) -> list[list[Labels]]:
        """n exact draws from p(y | x) for each sequence."""
        return self._fitted().sample(X, n, seed=seed, **self._how(how))

    def score(self, X: Sequence[Any], y: Sequence[Sequence[str]],
              sample_weight: Optional[Sequence[float]] = None) -> float:
        """The share of positions whose label is predicted right; sample_weight [N] weighs sequences."""
        right = total = 0.0
        predicted, y = self.predict(X), label_lists(y, "y")
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

    @property
    def size_(self) -> int:
        """Bytes of the model."""
        return self._fitted().size

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the model's file."""
        self._fitted().save(path)

    def _check(self, callback: Optional[Callback]) -> None:
        if self.decode not in self._DECODES:
            raise ValueError(f"decode is {self.decode!r}; choose one of: {', '.join(self._DECODES)}")
        if callback is not None and not callable(callback):
            raise TypeError(f"callback is {a_type(callback)}, and a function was expected")

    def _fitted(self) -> Model:
        model: Optional[Model] = getattr(self, "model_", None)
        if model is None:
            raise_not_fitted(self)
        return model

    def _how(self, how: Mapping[str, Any]) -> dict[str, Any]:
        return {"decode": self.decode, "threads": self.threads, **how}

    def _more_tags(self) -> dict[str, Any]:  # of scikit-learn before 1.6
        return {"X_types": ["sequences"], "requires_y": True, "no_validation": True}


class ChainKind(SequenceEstimator):
    """What ChainCRF shares with HiddenChainCRF, PoolCRF, ErrorCorrectingCRF and BoostedCRF."""

    if TYPE_CHECKING:
        _KIND: str

        def __getattr__(self, name: str) -> Any: ...  # parameters

    def fit(self: Self, X: Sequence[Any], y: Sequence[Any], sample_weight: Optional[Sequence[float]] = None,
            X_dev: Optional[Sequence[Any]] = None, y_dev: Optional[Sequence[Any]] = None, *,
            callback: Optional[Callback] = None, comm: Optional[Any] = None) -> Self:
        """Trains; returns self.  Arguments as of ChainCRF.fit."""
        self._train(X, y, sample_weight, X_dev, y_dev, callback, comm=comm)
        return self

    def _train(self, X: Sequence[Any], y: Sequence[Any], sample_weight: Optional[Sequence[float]],
               X_dev: Optional[Sequence[Any]], y_dev: Optional[Sequence[Any]],
               callback: Optional[Callback], init: Optional[Model] = None,
               X_unlabelled: Optional[Sequence[Any]] = None, comm: Optional[Any] = None) -> None:
        if y is None:
            raise ValueError("y is None; fit needs the labels of each sequence")
        self._check(callback)
        if sample_weight is not None and X_dev is not None and y_dev is None:
            raise TypeError("fit takes X, y and sample_weight in this order: name the others, X_dev=... and y_dev=...")
        if (X_dev is None) != (y_dev is None):
            raise ValueError("X_dev and y_dev go together: give both or neither")
        check_training(X, y, X_dev, y_dev)
        if sample_weight is not None and not hasattr(sample_weight, "__getitem__"):
            sample_weight = _listed(sample_weight)
        prior = _prior_model(getattr(self, "prior", None))
        log = TrainingLog()
        with Progress(self.progress if comm is None or comm.Get_rank() == 0 else False) as progress:
            native, log.result = self._fit_native(X, y, sample_weight, X_dev, y_dev, init, prior,
                                                  log.watching(callback, progress), X_unlabelled, comm)
            progress.done(log.result)
        self.model_ = Model(native)
        self.classes_ = self.model_.labels
        self.training_log_ = log
        warn_if_interrupted(log.result)

    def _fit_native(self, X: Any, y: Any, sample_weight: Any, X_dev: Any, y_dev: Any, init: Optional[Model],
                    prior: Optional[Model], see: Callback,
                    X_unlabelled: Any = None, comm: Any = None) -> tuple[_core.Model, dict[str, Any]]:
        models = {name: model._native for name, model in (("init", init), ("prior", prior)) if model is not None}
        return _core.train(self._KIND, X, y, sample_weight, X_dev, y_dev, self._options(), models, see, X_unlabelled,
                           comm)

    def _options(self) -> dict[str, Any]:
        options = self._given()
        options["format"] = self.format or ("columns" if self.template is not None else "attributes")
        if "select" in options:
            options["select"] = f"l1:{options['select']}"
        return options

    def predict_marginals_single(self, x: Any, **how: Any) -> list[dict[str, float]]:
        """The same of one sequence."""
        return self._fitted().predict_marginals_single(x, **{"decode": self.decode, **how})

    def spans(self, X: Sequence[Any], **how: Any) -> list[list[Span]]:
        """The chunks of each predicted labelling with their probabilities."""
        return self._fitted().spans(X, **self._how(how))


class ChainCRF(ChainCRFParameters, ChainKind):
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

    Attributes
    ----------
    model_ : Model
    classes_ : list of str, the labels in the order of their numbers
    state_features_, transition_features_ : dict of weights
    training_log_ : TrainingLog
    size_ : int, bytes of the model
    """

    def fit(self, X: Sequence[Any], y: Sequence[Any], sample_weight: Optional[Sequence[float]] = None,
            X_dev: Optional[Sequence[Any]] = None, y_dev: Optional[Sequence[Any]] = None, *,
            X_unlabelled: Optional[Sequence[Any]] = None, callback: Optional[Callback] = None,
            comm: Optional[Any] = None) -> ChainCRF:
        """Trains; returns self.

        sample_weight : [N] weight of each sequence, >= 0; those of 0 are left out
        X_dev, y_dev : labelled sequences for a score after each iteration (see early_stop)
        X_unlabelled : sequences without labels, for entropy, expectations or self_training
        callback : called with a dict after each iteration (the entries of training_log_); False stops
        comm : a communicator of mpi4py; each of its processes gives a part of the data, in the order of
            ranks, and all get the model that one process makes of all of it (docs/distributed)

        Ctrl-C stops cleanly after the iteration under way, keeps its model and warns (TrainingInterrupted);
        before the first iteration it raises KeyboardInterrupt.
        Memory: the encoded data and the optimiser; X itself is not kept.
        """
        init = self.model_ if self.warm_start and hasattr(self, "model_") else None
        self._train(X, y, sample_weight, X_dev, y_dev, callback, init, X_unlabelled, comm)
        return self

    def partial_fit(self, X: Sequence[Any], y: Sequence[Any],
                    classes: Optional[Sequence[str]] = None,
                    sample_weight: Optional[Sequence[float]] = None, *,
                    callback: Optional[Callback] = None) -> ChainCRF:
        """Trains on new data, from the model that is there: its labels and features are kept and new
        ones added.  The objective is that of the new data alone.  classes: not needed, as labels may
        appear later."""
        self._train(X, y, sample_weight, None, None, callback, getattr(self, "model_", None))
        return self

    @property
    def state_features_(self) -> dict[tuple[str, str], float]:
        """(attribute, label) -> weight, those that are not 0."""
        return self._fitted().state_features

    @property
    def transition_features_(self) -> dict[tuple[str, str], float]:
        """(from, to) -> weight."""
        return self._fitted().transition_features

    def inspect(self, top: int = 10) -> Inspection:
        """What the model is, how it was trained, and its strongest features."""
        return self._fitted().inspect(top)

    def explain(self, x: Any, **how: Any) -> Explanation:
        """Why a sequence gets its labels: see Model.explain."""
        return self._fitted().explain(x, **how)


def _prior_model(prior: Optional[Prior], name: str = "prior") -> Optional[Model]:
    """The model that the parameter stands for."""
    if prior is None or isinstance(prior, Model):
        return prior
    if isinstance(prior, BaseEstimator):
        model: Optional[Model] = getattr(prior, "model_", None)
        if model is None:
            raise ValueError(f"{name} is {a_type(prior)} that is not fitted (scikit-learn's clone copies "
                             f"estimators without what they learnt); give {'prior=' * (name == 'prior')}"
                             "fitted.model_")
        return model
    if isinstance(prior, (str, os.PathLike)):
        model = Model.load(prior)
        model.verify()  # training would carry damage on into a model that looks sound
        return model
    raise TypeError(f"{name} is {a_type(prior)}; give a Model, a fitted estimator or a path")


def _listed(weights: Any) -> list[float]:
    """What can be made a list: an iterable, or something that numpy reads."""
    if hasattr(weights, "__array__"):
        weights = weights.__array__()
    try:
        return list(weights)
    except TypeError:
        raise TypeError(f"sample_weight is {a_type(weights)}, and a list of numbers was expected"
                        ) from None
