"""python-crfsuite's ``Trainer``, ``Tagger`` and ``ItemSequence``, over Croft.

    from croft.compat import pycrfsuite

    trainer = pycrfsuite.Trainer(verbose=False)
    for xseq, yseq in zip(X, y):
        trainer.append(xseq, yseq)
    trainer.set_params({"c1": 0.1, "c2": 0.01, "max_iterations": 50})
    trainer.train("tagger.crfsuite")

    tagger = pycrfsuite.Tagger()
    tagger.open("tagger.crfsuite")
    tagger.tag(xseq)

The file is one that CRFsuite reads, and Croft's own where its name ends in ".croft".
docs/python_migration.md lists what differs.
"""
from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import struct
import sys
import time
from typing import Any, Iterable, Iterator, Mapping, Optional, Sequence, TextIO, Union

from .. import _core
from .._params import a_type, warn
from ..features import FeatureFunction
from ..model import Model
from . import _parameters, _transitions
from ._log import LabelScore, TrainingLog, iteration_text, scores_text

__all__ = ["BaseTrainer", "CRFSUITE_VERSION", "CRFSuiteError", "ItemSequence", "LabelScore",
           "ParsedDump", "Tagger", "Trainer"]

CRFSUITE_VERSION = "0.12"  # whose files and parameters these are
CRFSuiteError = _core.Error
PathLike = Union[str, "os.PathLike[str]"]

_MAGIC = b"lCRF"  # of CRFsuite's files
_CLOSED = "the tagger has no model; call open first"


class ItemSequence(_core.Items):
    """The attributes of a sequence, read once to be used often.

    pyseq : a list with the attributes of each position: a dict (str -> number, bool, str, or a
        dict, list or set of these, whose names are joined with ":"), or a list or set of str

    ``len`` is the number of positions; ``items()`` the attributes as dicts str -> float.
    """

    def __init__(self, pyseq: Any) -> None:
        super().__init__(pyseq)

    def __repr__(self) -> str:
        return f"<ItemSequence of size {len(self)}>"


class BaseTrainer:
    """Collects labelled sequences and trains a model on them.

    algorithm : "lbfgs" (also what None means), "l2sgd", "ap", "pa" or "arow"
    params : dict, see ``set``
    verbose : whether messages are printed

    ``model_`` is the ``croft.Model`` of the last training, ``logparser`` what it reported.
    """

    logparser: Optional[TrainingLog] = None
    model_: Optional[Model] = None
    verbose = False  # of a class that does not call __init__, as it need not
    _event: Optional[tuple[str, tuple[Any, ...]]] = None  # that the message under way ends

    def __new__(cls, *args: Any, **kwargs: Any) -> BaseTrainer:
        trainer = super().__new__(cls)
        trainer.clear()
        BaseTrainer.select(trainer, "lbfgs")
        return trainer

    def __init__(self, algorithm: Optional[str] = None, params: Optional[Mapping[str, Any]] = None,
                 verbose: bool = True) -> None:
        self.verbose = verbose
        if algorithm is not None:
            self.select(algorithm)
        if params is not None:
            self.set_params(params)

    # Data.

    def append(self, xseq: Any, yseq: Iterable[str], group: int = 0) -> None:
        """Adds a sequence: attributes as for ``ItemSequence``, or one; a label for each position;
        the number of a group, by which ``train`` can hold it out.  Copies the attributes."""
        items = xseq if isinstance(xseq, _core.Items) else _core.Items(xseq)
        labels = _labels(yseq, "yseq")
        if len(labels) != len(items):
            raise ValueError(f"xseq has {len(items)} positions and yseq {len(labels)} labels")
        self._X.append(items)
        self._y.append(labels)
        self._group.append(group)

    def clear(self) -> None:
        """Forgets all sequences."""
        self._X: list[Any] = []
        self._y: list[list[str]] = []
        self._group: list[int] = []

    # Parameters.

    def select(self, algorithm: str, type: str = "crf1d") -> None:
        """Chooses the algorithm; parameters get its defaults."""
        self._algorithm = _parameters.check_algorithm(algorithm)
        if type not in ("crf1d", "1d"):
            raise ValueError(f"type is {type!r}; the only one is 'crf1d'")
        self._values = {name: about.default
                        for name, about in _parameters.PARAMETERS[self._algorithm].items()}

    def params(self) -> list[str]:
        """The names of the algorithm's parameters."""
        return list(self._values)

    def set(self, name: str, value: Any) -> None:
        """Sets a parameter, by a value of its type or the text of one."""
        self._values[name] = _parameters.cast(self._algorithm, name, value)

    def set_params(self, params: Mapping[str, Any]) -> None:
        """Sets each parameter of a dict."""
        for name, value in params.items():
            self.set(name, value)

    def get(self, name: str) -> Any:
        """The value of a parameter."""
        _parameters.parameter(self._algorithm, name)
        return self._values[name]

    def get_params(self) -> dict[str, Any]:
        """name -> value of all parameters."""
        return dict(self._values)

    def help(self, name: str) -> str:
        """What a parameter does."""
        return _parameters.parameter(self._algorithm, name).help

    # Training.

    def train(self, model: PathLike, holdout: int = -1) -> None:
        """Trains on what was appended and writes the model's file: Croft's own where its name ends
        in ".croft", else CRFsuite's; an empty name writes none.

        holdout : the group that is not trained on but scored after each iteration; -1: none

        Ctrl-C stops after the iteration under way, writes its model and warns.
        """
        path = os.fspath(model)
        folder = os.path.dirname(path) or "."
        if path and not os.path.isdir(folder):
            raise FileNotFoundError(f"model is {path!r}, and there is no folder {folder!r}")
        out = [n for n, group in enumerate(self._group) if group == holdout != -1]
        if holdout != -1 and not out:
            raise ValueError(f"holdout is {holdout}, and no sequence was appended with that group")
        options = _parameters.croft_options(self._algorithm, self._values, len(self._X) - len(out))
        self.logparser = log = TrainingLog(self._algorithm == "lbfgs")
        start = time.monotonic()
        self._tell("start", f"Training on {len(self._X) - len(out)} sequences"
                            + (f", scoring on {len(out)}" if out else "") + "\n\n")
        self.model_, result = self._fit(out, options, log)
        log.training_seconds = time.monotonic() - start
        log.featgen_num_features = result["weights"]
        if out:
            y_pred = Model._quiet(self.model_._native).predict([self._X[n] for n in out], threads=_threads())
            log.add_scores(self.model_.labels, [self._y[n] for n in out], y_pred)
        self._tell("optimization_end", _ending(self._title(), result, log))
        self._store(path, log)

    def message(self, message: str) -> None:
        """Receives the log, line by line; prints it if verbose.  To be overridden."""
        if self.verbose:
            print(message, end="")

    def _tell(self, event: str, text: str, *figures: Any) -> None:
        assert self.logparser is not None
        self.logparser.add(event, text)
        *before, last = text.splitlines(keepends=True) or [""]
        self._event = None
        for line in before:
            self.message(line)
        self._event = event, figures
        self.message(last)

    def _fit(self, out: list[int], options: dict[str, Any],
             log: TrainingLog) -> tuple[Model, dict[str, Any]]:
        """The model without the sequences `out`, which are scored."""
        held = set(out)
        inside = [n for n in range(len(self._X)) if n not in held]
        X, y = [self._X[n] for n in inside], [self._y[n] for n in inside]
        dev = [self._X[n] for n in out], [self._y[n] for n in out]
        positions = sum(map(len, dev[1]))
        # Labels of the hold-out alone are labels of the model, as CRFsuite has it: each comes once, alone, without an
        # attribute and with a weight that changes no sum; one of weight 0 would not be there.
        weights = None
        seen = set(_transitions.labels_of(y))
        new = [label for label in _transitions.labels_of(dev[1]) if label not in seen]
        if new:
            weights = [1.0] * len(y) + [sys.float_info.min] * len(new)
            X, y = X + [_core.Items([[]])] * len(new), y + [[label] for label in new]

        def see(event: dict[str, Any]) -> None:
            if event["event"] == "data":
                self._tell_data({**event, "sequences": event["sequences"] - len(new),
                                 "positions": event["positions"] - len(new)}, log)
                return
            now = log.add_iteration(event, positions)
            if now is not None:
                self._tell("iteration", iteration_text(now), now)

        try:
            with self._features(y, options) as init:
                native, result = _core.train("chain", X, y, weights, dev[0] or None, dev[1] or None,
                                             options, {} if init is None else {"init": init}, see)
        except _core.Error as error:
            if not log.iterations:
                self._tell("prepare_error", f"Training failed: {error}\n")
            raise
        if result["reason"] == "interrupted":
            from ..estimator import TrainingInterrupted
            warn(f"training was interrupted after iteration {result['iterations']}; the model of that iteration is "
                 "kept", TrainingInterrupted)
        return Model(native), result

    @contextlib.contextmanager
    def _features(self, y: list[list[str]],
                  options: dict[str, Any]) -> Iterator[Optional[_core.Model]]:
        """Completes the options by the features that there are; yields a model to start from."""
        options["threads"] = _threads()
        states = self._values["feature.possible_states"]
        transitions = self._values["feature.possible_transitions"]
        with contextlib.ExitStack() as files:
            init = None
            if transitions and not states:
                init = _transitions.start_with_all(y)
            elif states and not transitions:
                path = files.enter_context(_transitions.only_seen(y))
                options["transition_groups"] = path or None
            yield init

    def _tell_data(self, event: dict[str, Any], log: TrainingLog) -> None:
        log.featgen_percent = 100
        log.featgen_seconds = event.get("seconds")
        self._tell("featgen_progress", "", 100)
        names = ("sequences", "positions", "attributes", "labels")
        counts = "".join(f"Number of {name}: {event[name]}\n" for name in names)
        self._tell("featgen_end", f"Feature generation\ntype: CRF1d\n{counts}\n")
        self._tell("prepared", f"{self._title()}\n"
                   + "".join(f"{name}: {value}\n" for name, value in self._values.items()) + "\n")

    def _title(self) -> str:
        return _parameters.TITLES[self._algorithm]

    def _store(self, path: str, log: TrainingLog) -> None:
        start = time.monotonic()
        assert self.model_ is not None
        if path:
            self.model_.save(path, "croft" if path.endswith(".croft") else "crfsuite")
        log.storing_seconds = time.monotonic() - start
        self._tell("end", f"Storing the model: {os.path.getsize(path)} bytes in {path}\n" if path else
                   "The model is not stored\n")


class Trainer(BaseTrainer):
    """A trainer whose messages are events: where ``verbose``, each calls a method ``on_...`` that
    prints its part of the log and can be overridden."""

    def message(self, message: str) -> None:
        """Hands a part of the log to the method of its event when it ends, if verbose."""
        if self.verbose and self._event is not None and self.logparser is not None:
            event, figures = self._event
            getattr(self, "on_" + event)(self.logparser.last_log, *figures)

    def on_start(self, log: str) -> None:
        """Before the data is read."""
        print(log, end="")

    def on_featgen_progress(self, log: str, percent: int) -> None:
        """Once, with 100: the data has been read."""
        print(log, end="")

    def on_featgen_end(self, log: str) -> None:
        """With the numbers of the data."""
        print(log, end="")

    def on_prepared(self, log: str) -> None:
        """Before the first iteration, with the parameters."""
        print(log, end="")

    def on_prepare_error(self, log: str) -> None:
        """When training could not begin."""
        print(log, end="")

    def on_iteration(self, log: str, info: dict[str, Any]) -> None:
        """After each iteration, with its entry of ``logparser.iterations``."""
        print(log, end="")

    def on_optimization_end(self, log: str) -> None:
        """With the reason for the end, and the scores on the hold-out."""
        print(log, end="")

    def on_end(self, log: str) -> None:
        """When the file is written."""
        print(log, end="")


class ParsedDump:
    """What is in a model.

    transitions : dict (from, to) -> weight;  state_features : dict (attribute, label) -> weight
    labels, attributes : dict name -> its number, as a str
    header : dict of str: of a file of CRFsuite's what it begins with (magic, size, type, version,
        num_features, which its writer leaves at 0, num_labels, num_attrs, off_...); else type,
        size (bytes), num_features, num_labels, num_attrs
    """

    def __init__(self, model: Model, file: bytes = b"") -> None:
        attributes = _core.crfsuite_attributes(file) if file else model.attributes
        number = {name: n for n, name in enumerate(attributes)}
        self.transitions = model.transition_features
        self.state_features = dict(sorted(model.state_features.items(),
                                          key=lambda feature: number[feature[0][0]]))
        self.labels = {name: str(n) for n, name in enumerate(model.labels)}
        self.attributes = {name: str(n) for name, n in number.items()}
        self.header = _header(file) if file else {
            "type": "chain", "size": str(model.size),
            "num_features": str(len(self.transitions) + len(self.state_features)),
            "num_labels": str(len(self.labels)), "num_attrs": str(len(self.attributes))}


class Tagger:
    """Labels sequences with a model.  The current sequence is the one that ``set`` or ``tag`` was
    last given; its marginals are computed once."""

    def __init__(self) -> None:
        self._model: Optional[Model] = None
        self.close()

    @classmethod
    def of(cls, model: Model) -> Tagger:
        """A tagger for a model that is open."""
        tagger = cls()
        return tagger._use(model, "the model")

    def open(self, name: PathLike) -> contextlib.closing[Tagger]:
        """Opens a model file.  The result is for a with-statement, which closes the tagger."""
        path = os.fspath(name)
        with open(path, "rb") as file:
            begin = file.read(len(_MAGIC))
            data = begin + file.read() if begin == _MAGIC else b""
        model = Model(_core.Model.from_bytes(data, path)) if data else Model.load(path)
        return contextlib.closing(self._use(model, path, data))

    def open_inmemory(self, value: bytes) -> contextlib.closing[Tagger]:
        """The same of what a model file holds."""
        model = Model.from_bytes(value)
        return contextlib.closing(self._use(model, "value", value if value[:4] == _MAGIC else b""))

    def close(self) -> None:
        """Lets the model go."""
        self._model = None
        self._file = b""  # of CRFsuite's, as it is there
        self._current: Optional[_core.Items] = None
        self._marginals: Optional[list[dict[str, float]]] = None

    def labels(self) -> list[str]:
        """The model's labels."""
        return self._opened().labels

    def set(self, xseq: Any) -> None:
        """Makes a sequence the current one."""
        self._opened()
        self._current = xseq if isinstance(xseq, _core.Items) else _core.Items(xseq)
        self._marginals = None

    def tag(self, xseq: Any = None) -> list[str]:
        """The best labelling of xseq, or of the current sequence."""
        if xseq is not None:
            self.set(xseq)
        return self._opened().predict_single(self._sequence())

    def tag_many(self, xseqs: Iterable[Any], threads: int = 1,
                 features: Optional[FeatureFunction] = None) -> list[list[str]]:
        """The best labelling of each of xseqs, which does not change the current sequence: as ``Model.tag_many``."""
        return self._opened().tag_many(xseqs, threads, features)

    def probability(self, yseq: Iterable[str]) -> float:
        """p(yseq | x) of the current sequence."""
        model, sequence = self._opened(), self._sequence()
        if len(sequence) == 0:
            return 0.0  # as CRFsuite has it
        labels = _labels(yseq, "yseq")
        for label in labels:
            self._check_label(label, "yseq")
        if len(labels) != len(sequence):
            raise ValueError(f"yseq has {len(labels)} labels and the sequence {len(sequence)} "
                             "positions")
        return math.exp(model.log_likelihood([sequence], [labels], threads=1)[0])

    def marginal(self, y: str, pos: int) -> float:
        """p(y_pos = y | x) of the current sequence."""
        model, sequence = self._opened(), self._sequence()
        self._check_label(y, "y")
        if len(sequence) == 0:
            return 0.0  # as CRFsuite has it
        if not 0 <= pos < len(sequence):
            raise ValueError(f"pos is {pos}, and the sequence has {len(sequence)} positions")
        if self._marginals is None:
            self._marginals = model.predict_marginals_single(sequence)
        return self._marginals[pos][y]

    def info(self) -> ParsedDump:
        """What is in the model.  Cost: all weights."""
        if self._model is None:
            raise RuntimeError(_CLOSED)  # the peer's kind of error, here and nowhere else
        return ParsedDump(self._model, self._file)

    def dump(self, filename: Optional[PathLike] = None) -> None:
        """Writes the model as text, to a file or to standard output."""
        info = self.info()
        if filename is None:
            _write_dump(info, sys.stdout)
            return
        with open(os.fspath(filename), "w", encoding="utf-8", errors="surrogateescape") as out:
            _write_dump(info, out)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_current": None, "_marginals": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._model is not None:
            self._model = Model._quiet(self._model._native)

    def _use(self, model: Model, name: str, file: bytes = b"") -> Tagger:
        if model.rows:
            raise CRFSuiteError(f"{name} labels rows of columns, not attributes; use croft.load")
        self.close()
        self._model = Model._quiet(model._native)  # CRFsuite says nothing of unknown attributes
        self._file = file
        return self

    def _opened(self) -> Model:
        if self._model is None:
            raise ValueError(_CLOSED)
        return self._model

    def _sequence(self) -> _core.Items:
        if self._current is None:
            raise ValueError("there is no current sequence; give xseq, or call set first")
        return self._current

    def _check_label(self, label: str, name: str) -> None:
        if label not in self._opened().labels:
            raise _UnknownLabel(f"{name} has the label {label!r}, which the model does not have")


class _UnknownLabel(ValueError, RuntimeError):
    """A label that the model does not have: a RuntimeError for python-crfsuite."""


def _labels(labels: Iterable[str], name: str) -> list[str]:
    """A list of str; anything else is refused, as croft takes it for partial knowledge."""
    if isinstance(labels, (str, bytes)):
        raise TypeError(f"{name} is {a_type(labels)}, and a list with a label for each "
                        "position was expected")
    found = list(labels)
    for t, label in enumerate(found):
        if not isinstance(label, str):
            raise TypeError(f"{name}[{t}] is {label!r}, and a str was expected; croft.ChainCRF "
                            "takes labels that are not known")
    return found


def _header(file: bytes) -> dict[str, str]:
    magic, size, kind, *numbers = struct.unpack_from("<4sI4s9I", file)
    names = ("version", "num_features", "num_labels", "num_attrs", "off_features", "off_labels",
             "off_attrs", "off_labelrefs", "off_attrrefs")
    shown = {name: f"0x{n:X}" if name.startswith("off") else str(n)
             for name, n in zip(names, numbers)}
    return {"magic": magic.decode(), "size": str(size), "type": kind.decode(), **shown}


def _threads() -> int:
    """All processors (0), but one in a worker of joblib or multiprocessing: they are many."""
    return 0 if multiprocessing.current_process().name == "MainProcess" else 1


def _ending(title: str, result: dict[str, Any], log: TrainingLog) -> str:
    scores = scores_text(log.iterations[-1]) if log.iterations else ""
    return (scores + f"{title} ended: {result['message']}\n"
            f"Number of features: {result['weights']}\n"
            f"Number of active features: {result['nonzero_weights']}\n"
            f"Total seconds required for training: {log.training_seconds:.3f}\n\n")


def _write_dump(info: ParsedDump, out: TextIO) -> None:
    sections: Sequence[tuple[str, Iterable[str]]] = (
        ("FILEHEADER", (f"  {name}: {value}" for name, value in info.header.items())),
        ("LABELS", (f"  {int(n):5}: {name}" for name, n in info.labels.items())),
        ("ATTRIBUTES", (f"  {int(n):5}: {name}" for name, n in info.attributes.items())),
        ("TRANSITIONS", (f"  (1) {a} --> {b}: {w:.6f}"
                         for (a, b), w in info.transitions.items())),
        ("STATE_FEATURES", (f"  (0) {a} --> {b}: {w:.6f}"
                            for (a, b), w in info.state_features.items())),
    )
    for name, lines in sections:
        out.write(f"{name} = {{\n")
        for line in lines:
            out.write(line + "\n")
        out.write("}\n\n")
