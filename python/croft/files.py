"""What the program does with files of models and data: calibrate, stack, cluster, suggest."""
from __future__ import annotations

import json
import os
import tempfile
from contextlib import contextmanager
from typing import Any, Iterator, NamedTuple, Optional, Sequence, Union

from . import _core
from ._warnings import warn
from .model import Model, PathLike, _check_count, model_of

Paths = Union[PathLike, Sequence[PathLike]]


class Calibration(NamedTuple):
    """A calibrated model, and the report of ``croft calibrate --json`` about it."""
    model: Model
    report: dict[str, Any]  # method, temperature, before and after: log_loss, brier, expected_calibration_error, …


def calibrate(model: Any, data: Paths, output: Optional[PathLike] = None, *, method: str = "temperature",
              threads: int = 0) -> Calibration:
    """The same model with probabilities that mean what they say, fitted to held-out data (docs/evaluation.md).

    model   : a Model, a fitted estimator, or the path of a model file
    data    : file or files of labelled data that the model was not trained on
    output  : the model file to write; None: the model is in memory alone
    method  : temperature, of any kind of model; platt and isotonic, of kinds maxent and naive-bayes
    threads : 0: one a processor; the answer does not depend on it

    Few data, or a figure that gets worse, is a UserWarning.  Raises croft.Error for bad data and for a method that
    the model does not go with.
    """
    _check_threads(threads)
    with _file_of(model) as path, tempfile.TemporaryDirectory() as folder:
        written = os.path.join(folder, "calibrated.croft") if output is None else os.fspath(output)
        report: dict[str, Any] = json.loads(_core.calibrate(path, _paths(data), written, method, threads))
        with open(written, "rb") as file:
            calibrated = Model.load(written) if output is not None else Model.from_bytes(file.read())
    for warning in report["warnings"]:
        warn(warning)
    return Calibration(calibrated, report)


def stack(model: Any, data: Paths, output: Optional[PathLike] = None, *, jackknife: Optional[int] = None,
          template: Optional[PathLike] = None, kit: Optional[PathLike] = None, threads: int = 0) -> Optional[str]:
    """Attribute lines of the data with a model's label probabilities among them, for another model (docs/hmm.md).

    model     : a Model, a fitted estimator, or the path of a model file
    data      : file or files in the model's format
    output    : the file to write; None: the lines are returned
    jackknife : of an HMM and the data that it was trained on: label each of so many parts by a model of the others
    template  : of the other attributes; None: the default features for words; kit: further features
    threads   : 0: one a processor; the answer does not depend on it
    """
    _check_threads(threads)
    if jackknife is not None:
        _check_count("jackknife", jackknife)
        if jackknife < 2:
            raise ValueError("jackknife is 1; it must be the number of parts, 2 or more")
    with _file_of(model) as path:
        made = _core.stack(path, _paths(data), jackknife or 0, _optional(template), _optional(kit), threads)
    return _hand_over(made, output)


def cluster(data: Paths, output: PathLike, *, clusters: int = 1000, min_count: int = 1, format: str = "text",
            column: int = 0, fold_case: bool = False) -> dict[str, Any]:
    """Brown clusters of the words of raw text, as a file for feature kits: PATH TAB WORD TAB COUNT (docs/features.md).

    data      : file or files; format: text (a sentence a line) or columns, whose tokens are in ``column``, from 0 on
    clusters  : how many; min_count: occurrences a word needs to have a cluster
    fold_case : take tokens in lower case

    Returns tokens, words, kept (words with a cluster), clusters and mutual_information (nats, of neighbours).
    Ctrl-C ends it, and nothing is written.
    """
    _check_count("clusters", clusters)
    _check_count("min_count", min_count)
    if format not in ("text", "columns"):
        raise ValueError(f"format is {format!r}; choose one of: text, columns")
    if isinstance(column, bool) or not hasattr(column, "__index__") or column < 0:
        raise ValueError(f"column is {column!r}; it must be a whole number from 0 on")
    if column != 0 and format == "text":
        raise ValueError("column is of format columns, and the format is text")
    found: dict[str, Any] = _core.cluster(_paths(data), os.fspath(output), clusters, min_count, format == "columns",
                                          column, bool(fold_case))
    return found


def suggest(model: Any, path: PathLike, *, by: Optional[str] = None, top: int = 10,
            density: float = 0.0) -> list[dict[str, Any]]:
    """The sequences of a file that are most worth labelling, the best first (docs/predict.md, "What to label next").

    A dict each: score, sequence (its number, from 0), line, labels, rows or text; with a density, that too.

    model   : a Model or a fitted estimator; a list of two or more: a committee
    by      : margin, entropy or errors; of a committee vote-entropy or divergence; None: margin, or vote-entropy
    top     : how many
    density : beta, 0 or more: the score times the mean similarity to the other sequences, to this power
    """
    models = list(model) if isinstance(model, (list, tuple)) else [model]
    _check_count("top", top)
    if by is None:
        by = "margin" if len(models) == 1 else "vote-entropy"
    text = _core.suggest([model_of(each)._native for each in models], os.fspath(path), by, top, float(density))
    return [json.loads(line) for line in text.splitlines()]


def _hand_over(made: bytes, output: Optional[PathLike]) -> Optional[str]:
    if output is None:
        return made.decode("utf-8", "surrogateescape")
    _core.write_file(os.fspath(output), made)
    return None


def _paths(data: Paths) -> list[str]:
    return [os.fspath(data)] if isinstance(data, (str, os.PathLike)) else [os.fspath(path) for path in data]


def _optional(path: Optional[PathLike]) -> str:
    return "" if path is None else os.fspath(path)


def _check_threads(threads: int) -> None:
    if isinstance(threads, bool) or not hasattr(threads, "__index__") or not 0 <= threads <= 1024:
        raise ValueError(f"threads is {threads!r}; it must be a whole number from 0 to 1024")


@contextmanager
def _file_of(model: Any) -> Iterator[str]:
    """The path of a model file, for as long as it is needed."""
    if isinstance(model, (str, os.PathLike)):
        yield os.fspath(model)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.croft")
        model_of(model).save(path)
        yield path
