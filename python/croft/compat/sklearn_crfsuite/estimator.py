"""CRF: sklearn-crfsuite's estimator, with its arguments, methods and attributes, over Croft."""
from __future__ import annotations

import os
from typing import Any, Iterable, Optional, Sequence, Union

from ... import _params
from ..._params import BaseEstimator
from ...model import Model, PerSequence
from .. import _parameters
from .._log import TrainingLog
from ..pycrfsuite import BaseTrainer, ParsedDump, Tagger, _threads
from ._fileresource import FileResource
from .trainer import LinePerIterationTrainer

# The arguments that are parameters of CRFsuite's, and their names there.
_PARAMETERS = {
    "min_freq": "feature.minfreq", "all_possible_states": "feature.possible_states",
    "all_possible_transitions": "feature.possible_transitions", "c1": "c1", "c2": "c2",
    "max_iterations": "max_iterations", "num_memories": "num_memories", "epsilon": "epsilon",
    "period": "period", "delta": "delta", "linesearch": "linesearch",
    "max_linesearch": "max_linesearch", "calibration_eta": "calibration.eta",
    "calibration_rate": "calibration.rate", "calibration_samples": "calibration.samples",
    "calibration_candidates": "calibration.candidates",
    "calibration_max_trials": "calibration.max_trials", "pa_type": "type", "c": "c",
    "error_sensitive": "error_sensitive", "averaging": "averaging", "variance": "variance",
    "gamma": "gamma",
}


class CRF(BaseEstimator):  # type: ignore[misc]
    """A chain CRF that minimises -sum log p(y | x) + c1 |w|_1 + c2 |w|_2^2, or corrects mistakes.

    Parameters (None is CRFsuite's default; one of another algorithm is an error)
    ----------
    algorithm : "lbfgs", "l2sgd" (stochastic gradient descent), "ap" (averaged perceptron), "pa"
        (passive-aggressive) or "arow"
    min_freq : occurrences that a feature needs
    all_possible_states, all_possible_transitions : features for all pairs of attribute and label,
        and for all pairs of labels, seen or not
    c1, c2 : weights of the penalties, 0 and 1; c1 of lbfgs, c2 of lbfgs and l2sgd
    max_iterations : of lbfgs no limit; passes over the data, of l2sgd 1000, of the others 100
    num_memories : of lbfgs: pairs of steps that are remembered, 6
    epsilon : of lbfgs: stop where |gradient| <= epsilon max(1, |w|), 1e-5; of pa and arow: where
        the mean loss of a pass is not more, 0; of ap it changes nothing
    period, delta : of lbfgs and l2sgd: stop where the objective fell by less than the share delta
        in period iterations; 10, and 1e-5 or 1e-6
    pa_type, c : of pa: 0, 1 (default) or 2, and the aggressiveness of 1 and 2, 1
    variance, gamma : of arow: of every weight at first, 1; the larger the smaller the steps, 1
    linesearch, max_linesearch, calibration_eta, calibration_rate, calibration_samples,
    calibration_candidates, calibration_max_trials, error_sensitive, averaging : change nothing;
        other values than CRFsuite's defaults warn (``croft.compat.DifferenceWarning``)
    verbose : print a line for each iteration
    model_filename : where fit writes the model, as ``pycrfsuite.Trainer.train`` does; before a fit,
        the model to predict with
    keep_tempfiles : whether the file that ``modelfile`` makes stays
    trainer_cls : a class derived from ``croft.compat.pycrfsuite.BaseTrainer``

    X is a list of sequences, each a list with the attributes of each position: a dict (str
    -> number, bool, str, or a dict, list or set of these) or a list of str.  y is a list with a
    list of labels for each.
    """

    def __init__(self, algorithm: Optional[str] = None, min_freq: Optional[float] = None,
                 all_possible_states: Optional[bool] = None,
                 all_possible_transitions: Optional[bool] = None,
                 c1: Optional[float] = None, c2: Optional[float] = None,
                 max_iterations: Optional[int] = None, num_memories: Optional[int] = None,
                 epsilon: Optional[float] = None, period: Optional[int] = None,
                 delta: Optional[float] = None, linesearch: Optional[str] = None,
                 max_linesearch: Optional[int] = None, calibration_eta: Optional[float] = None,
                 calibration_rate: Optional[float] = None,
                 calibration_samples: Optional[float] = None,
                 calibration_candidates: Optional[int] = None,
                 calibration_max_trials: Optional[int] = None, pa_type: Optional[int] = None,
                 c: Optional[float] = None, error_sensitive: Optional[bool] = None,
                 averaging: Optional[bool] = None, variance: Optional[float] = None,
                 gamma: Optional[float] = None, verbose: bool = False,
                 model_filename: Union[str, os.PathLike[str], None] = None,
                 keep_tempfiles: bool = False,
                 trainer_cls: Optional[type[BaseTrainer]] = None) -> None:
        _params.keep(self, locals())

    # Of a fit.
    _tagger: Optional[Tagger] = None
    _info_cached: Optional[ParsedDump] = None
    _modelfile: Optional[FileResource] = None
    _training_log: Optional[TrainingLog] = None

    # Training.

    def fit(self, X: Iterable[Any], y: Iterable[Any], X_dev: Optional[Iterable[Any]] = None,
            y_dev: Optional[Iterable[Any]] = None) -> CRF:
        """Trains; returns self.  X_dev, y_dev: labelled sequences to score after each iteration."""
        if (X_dev is None) != (y_dev is None):
            raise ValueError("X_dev and y_dev go together: give both or neither")
        trainer = self._trainer()
        _append(trainer, X, y, 0, "X", "y")
        if X_dev is not None and y_dev is not None:
            _append(trainer, X_dev, y_dev, 1, "X_dev", "y_dev")
        trainer.train(self.model_filename or "", holdout=-1 if X_dev is None else 1)
        assert trainer.model_ is not None
        self._tagger = Tagger.of(trainer.model_)
        self._modelfile = self._info_cached = None
        self._training_log = trainer.logparser
        return self

    def _trainer(self) -> BaseTrainer:
        algorithm = _parameters.check_algorithm(
            "lbfgs" if self.algorithm is None else self.algorithm)
        params = {}
        for argument, name in _PARAMETERS.items():
            value = getattr(self, argument)
            if value is not None:
                params[name] = _parameters.cast(algorithm, name, value, argument)
        kind = LinePerIterationTrainer if self.trainer_cls is None else self.trainer_cls
        if not (isinstance(kind, type) and issubclass(kind, BaseTrainer)):
            raise TypeError(f"trainer_cls is {kind!r}; it must be derived from "
                            "croft.compat.pycrfsuite.BaseTrainer")
        return kind(algorithm=algorithm, params=params, verbose=self.verbose)

    # Prediction.

    def predict(self, X: Iterable[Any]) -> list[list[str]]:
        """The labelling of each sequence."""
        return PerSequence(self._fitted().predict(_listed(X), threads=_threads()))

    def predict_single(self, xseq: Any) -> list[str]:
        """The labelling of one sequence."""
        return self._fitted().predict_single(xseq)

    def predict_marginals(self, X: Iterable[Any]) -> list[list[dict[str, float]]]:
        """p(label | x) of each position of each sequence, as a dict label -> probability."""
        return PerSequence(self._fitted().predict_marginals(_listed(X), threads=_threads()))

    def predict_marginals_single(self, xseq: Any) -> list[dict[str, float]]:
        """The same of one sequence."""
        return self._fitted().predict_marginals_single(xseq)

    def score(self, X: Iterable[Any], y: Iterable[Any]) -> float:
        """The share of positions whose label is predicted right."""
        found, gold = self.predict(X), _listed(y)
        if len(gold) != len(found):
            raise ValueError(f"X has {len(found)} sequences and y the labels of {len(gold)}")
        for n, (a, b) in enumerate(zip(gold, found)):
            if len(a) != len(b):
                raise ValueError(f"y[{n}] has {len(a)} labels and X[{n}] has {len(b)} positions")
        pairs = [(p, q) for a, b in zip(gold, found) for p, q in zip(a, b)]
        return sum(p == q for p, q in pairs) / len(pairs) if pairs else 0.0

    # What was learnt; before a fit all but model_ is None.

    @property
    def model_(self) -> Model:
        """The ``croft.Model``: k-best, spans, constraints, samples and more."""
        return self._fitted()

    @property
    def tagger_(self) -> Optional[Tagger]:
        """A ``Tagger`` of the model."""
        if self._tagger is None and self.model_filename and os.path.exists(self.model_filename):
            self._tagger = Tagger()
            self._tagger.open(self.model_filename)
        return self._tagger

    @property
    def modelfile(self) -> FileResource:
        """The file of the model, a temporary one where there is no ``model_filename``."""
        if self._modelfile is None:
            data = None
            if self.model_filename is None and self._tagger is not None:
                data = self._tagger._file or self._fitted().to_bytes("crfsuite")
            self._modelfile = FileResource(self.model_filename, self.keep_tempfiles, data)
        return self._modelfile

    @property
    def classes_(self) -> Optional[list[str]]:
        """The labels."""
        return None if self.tagger_ is None else self.tagger_.labels()

    @property
    def size_(self) -> Optional[int]:
        """Bytes of the model."""
        return None if self.tagger_ is None else len(self.tagger_._file) or self.model_.size

    @property
    def num_attributes_(self) -> Optional[int]:
        """How many attributes have a weight."""
        return None if self._info is None else len(self._info.attributes)

    @property
    def attributes_(self) -> Optional[list[str]]:
        """The attributes with a weight."""
        return None if self._info is None else list(self._info.attributes)

    @property
    def state_features_(self) -> Optional[dict[tuple[str, str], float]]:
        """(attribute, label) -> weight."""
        return None if self._info is None else self._info.state_features

    @property
    def transition_features_(self) -> Optional[dict[tuple[str, str], float]]:
        """(from, to) -> weight."""
        return None if self._info is None else self._info.transitions

    @property
    def training_log_(self) -> Optional[TrainingLog]:
        """What the last training reported."""
        return self._training_log

    @property
    def _info(self) -> Optional[ParsedDump]:
        if self._info_cached is None and self.tagger_ is not None:
            self._info_cached = self.tagger_.info()
        return self._info_cached

    def _fitted(self) -> Model:
        if self.tagger_ is not None:
            return self.tagger_._opened()
        message = "this CRF is not fitted yet; call fit first"
        if self.model_filename is not None:
            message += f" (and there is no file {os.fspath(self.model_filename)!r})"
        _params.raise_unfitted(message)

    def __sklearn_is_fitted__(self) -> bool:
        return self.tagger_ is not None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_modelfile": None, "_info_cached": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Of a pickle from here, or of sklearn-crfsuite's, which has the bytes of a model file."""
        CRF.__init__(self)  # for what other versions do not have
        file = state.get("modelfile")
        if file is not None:
            own = {"modelfile", "training_log_", "_tagger", "_info_cached"}
            state = {"model_filename": None if file.auto else file.name,
                     "keep_tempfiles": file.keep_tempfiles,
                     **{name: value for name, value in state.items() if name not in own},
                     "_training_log": state.get("training_log_")}
            if file.data is not None:
                self._tagger = Tagger()
                self._tagger.open_inmemory(file.data)
        self.__dict__.update(state)

    def _more_tags(self) -> dict[str, Any]:  # of scikit-learn before 1.6
        return {"X_types": ["sequences"], "requires_y": True, "no_validation": True}


def _listed(X: Iterable[Any]) -> Sequence[Any]:
    return X if isinstance(X, (list, tuple)) else list(X)


def _append(trainer: BaseTrainer, X: Iterable[Any], y: Iterable[Any], group: int, x_name: str,
            y_name: str) -> None:
    X, y = _listed(X), _listed(y)
    if len(X) != len(y):
        raise ValueError(f"{x_name} has {len(X)} sequences and {y_name} the labels of {len(y)}")
    for n, (xseq, yseq) in enumerate(zip(X, y)):
        try:
            trainer.append(xseq, yseq, group)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"{x_name}[{n}], {y_name}[{n}]: {error}") from None
