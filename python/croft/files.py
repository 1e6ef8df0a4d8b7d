"""What the program does with files of models and data: read, convert, calibrate, stack, cluster, suggest."""
from __future__ import annotations

import json
import os
import re
import tempfile
from contextlib import contextmanager
from typing import Any, Iterable, Iterator, NamedTuple, Optional, Sequence, Union

from . import _core
from ._data import Listing, are_paths, check_order, file_of, format_of, is_path
from ._params import a_type, check_count, counted, warn
from .model import Model, PathLike, as_predicted, model_of
from .tables import Table, table

Paths = Union[PathLike, Sequence[PathLike]]


def read(path: str | os.PathLike[str], format: str, *, tokenizer: str = "words", misaligned: str = "refuse",
         text_column: Optional[str] = None, label_column: Optional[str] = None, cells: Sequence[str] = (),
         ignore_lines: Optional[str] = None, label_names: Sequence[str] = (),
         unlabelled: bool = False, delimiter: Optional[str] = None) -> list[dict[str, Any]]:
    """The sequences of a file, a dict each (docs/formats.md, "From and to other programs").

    Under "tokens" texts, or lists of cells; where the format has them "text" and "offsets" (characters of each token
    in it), "spans" and "gold" ([begin, end, label], in tokens), "labels" (of each token), "label" (of the text), and
    all other keys that the data had.

    format       : raw, spans, columns, conllu, prodigy, doccano, huggingface, brat, segmented or csv
    tokenizer    : of texts: words, blanks, characters, regex:EXPRESSION, or model:FILE, a segmenter
    misaligned   : of a span that begins or ends inside of a token: refuse, widen or drop
    text_column  : of csv; label_column: of csv and conllu its name, of columns its number from 1 on
    cells        : of conllu the columns that a token keeps
    ignore_lines : of columns a regular expression: lines that match are skipped
    label_names  : of huggingface: what numbers stand for
    unlabelled   : of columns: the last one is no label
    delimiter    : of csv: comma, tab or semicolon; None: tab of a file ``….tsv``, else comma

    Raises FileNotFoundError for a file that is not there, croft.Error for bad data.
    """
    name = os.fspath(path)
    found: list[dict[str, Any]] = json.loads(_core.read_texts(name, format, _reading(
        delimiter, tokenizer, misaligned, text_column, label_column, cells, ignore_lines, label_names, unlabelled)))
    return found


def convert(path: str | os.PathLike[str], to: str, output: Optional[str | os.PathLike[str]] = None, *,
            format: Optional[str] = None, label_scheme: str = "auto", tokenizer: str = "words",
            misaligned: str = "refuse", text_column: Optional[str] = None, label_column: Optional[str] = None,
            cells: Sequence[str] = (), ignore_lines: Optional[str] = None, label_names: Sequence[str] = (),
            unlabelled: bool = False, delimiter: Optional[str] = None) -> Optional[str]:
    """A file of data in another format, or of a model in another kind or of another program; as ``croft convert``.

    path         : the file; to: spans, columns, text, doccano, prodigy, brat or html; of models a kind, or crfsuite,
                   wapiti or crfpp
    output       : the file to write; None, of data alone: the text is returned
    format       : of data what it is, as ``read`` has it; None: columns where spans are made, otherwise spans
    label_scheme : how labels spell spans: bio, bio1, ioe, bioes, raw; auto: as they look, to columns bio
    Others are those of ``read``.

    Spans that were widened or dropped are a UserWarning.  Raises FileNotFoundError for a file that is not there,
    croft.Error for bad data and for a conversion that there is not.
    """
    name = os.fspath(path)
    is_model = format is None and not _core.is_data_format(to)
    given = {"tokenizer": tokenizer != "words", "misaligned": misaligned != "refuse", "text_column": text_column,
             "label_column": label_column, "cells": cells, "ignore_lines": ignore_lines, "label_names": label_names,
             "delimiter": delimiter, "label_scheme": is_model and label_scheme != "auto",
             "unlabelled": is_model and unlabelled}
    for option in (each for each, is_given in given.items() if is_given and format is None):
        raise ValueError(f"{option} is of data, and to is {to!r}: leave it out" if is_model else
                         f"{option} goes with format, which says how the data is read")
    if is_model:
        if output is None:
            raise ValueError(f"to {to!r} is no format of data: of models name the file to write, as output")
        _core.convert_model(name, to, os.fspath(output))
        return None
    if output is not None and os.path.exists(output) and os.path.samefile(name, output):
        raise ValueError(f"output {os.fspath(output)!r} would replace the input; give another name")
    made, changed = _core.convert_data(name, format or "", to, label_scheme, name, _reading(
        delimiter, tokenizer, misaligned, text_column, label_column, cells, ignore_lines, label_names, unlabelled))
    if changed:
        warn(changed)
    return _hand_over(made, output)


def _reading(delimiter: Optional[str], tokenizer: str, misaligned: str, text_column: Optional[str],
             label_column: Optional[str], cells: Sequence[str], ignore_lines: Optional[str],
             label_names: Sequence[str], unlabelled: bool) -> _core.TextReading:
    return _core.TextReading(delimiter or "", tokenizer, misaligned, text_column or "",
                             "" if label_column is None else str(label_column), list(cells), ignore_lines or "",
                             list(label_names), unlabelled)


class Calibration(NamedTuple):
    """A calibrated model, and the report of ``croft calibrate --json`` about it."""
    model: Model
    report: dict[str, Any]  # method, temperature, before and after: log_loss, brier, expected_calibration_error, …

    def table(self) -> Any:
        """The figures before and after (pandas, where it is installed)."""
        return table(("", "before", "after"),
                     [(name, value, self.report["after"][name]) for name, value in self.report["before"].items()])

    def __str__(self) -> str:
        return f"{self.report['method']}, fitted to {counted(self.report['sequences'], 'sequence')}\n{self.table()}"


def calibrate(model: Any, data: Any, output: Optional[PathLike] = None, *, y: Optional[Sequence[Any]] = None,
              method: str = "temperature", threads: int = 0) -> Calibration:
    """The same model with probabilities that mean what they say, fitted to held-out data (docs/evaluation.md).

    model   : a Model, a fitted estimator, or the path of a model file
    data    : labelled data that the model was not trained on: file or files, or sequences, as predict has them, whose
        labels are y
    output  : the model file to write; None: the model is in memory alone
    method  : temperature, of any kind of model; platt and isotonic, of kinds maxent and naive-bayes
    threads : 0: one a processor; the answer does not depend on it

    Few data, or a figure that gets worse, is a UserWarning.  Raises croft.Error for bad data and for a method that
    the model does not go with.
    """
    check_count("threads", threads, 0, 1024)
    _check_output(output)
    with _file_of(model) as path, _files_of(model, data, y, True) as paths, tempfile.TemporaryDirectory() as folder:
        written = os.path.join(folder, "calibrated.croft") if output is None else os.fspath(output)
        found, warnings = _core.calibrate(path, paths, written, method, threads)
        with open(written, "rb") as file:
            calibrated = Model.load(written) if output is not None else Model.from_bytes(file.read())
    for warning in warnings:
        warn(warning)
    return Calibration(calibrated, json.loads(found))


class Stacked(NamedTuple):
    """What `stack` makes of data: sequences of attributes with their values, and where the data has them labels."""
    X: list[list[dict[str, float]]]
    y: Optional[list[list[str]]]
    weights: Optional[list[float]]

    def __str__(self) -> str:
        """The numbers, and the first positions with the last of their attributes, which are the probabilities."""
        positions = [(n, t) for n, sequence in enumerate(self.X) for t in range(len(sequence))]
        rows = [(n, t, *([self.y[n][t]] if self.y else []),
                 ", ".join(f"{name}: {value:g}" for name, value in list(self.X[n][t].items())[-3:]))
                for n, t in positions[:5]]
        columns = ["sequence", "position", *(["label"] if self.y else []), "last attributes"]
        return (f"{counted(len(self.X), 'sequence')}, {counted(len(positions), 'position')}"
                f"{'' if self.y else ', without labels'}\n{Table(columns, rows)}")

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # of IPython
        printer.text(str(self))


def stack(model: Any, data: Any, output: Optional[PathLike] = None, *, y: Optional[Sequence[Any]] = None,
          jackknife: int = 0, elsewhere: Optional[int] = None, group_by: str = "", template: Optional[PathLike] = None,
          kit: Optional[PathLike] = None, threads: int = 0, **options: Any) -> Optional[Stacked]:
    """Data with a model's probabilities of labels as attributes, for another model (docs/features.md).

    X and y are what `ChainCRF.fit` takes: the attributes that training would give the data of these files, KIND=LABEL
    with the probability as value, and with `elsewhere` what the model says of the same word elsewhere in its document.

    model     : a Model, a fitted estimator, or the path of a model file
    data      : file or files in the model's format, or sequences, as predict has them, whose labels are y; None: none
    output    : a file to write as attribute lines; None: they are returned
    jackknife : parts of the data, each labelled by a model of the others that is trained as this one was; 0: none
    elsewhere : the column of words, the first is 0; group_by : what makes sequences a document, as for croft stack
    template, kit : files, of the other attributes; options : of the trainings, where the model does not have them
    threads   : of the trainings; 0: one a processor; the answer does not depend on it

    Raises FileNotFoundError for a file that is not there, croft.Error for bad data and what cannot be stacked.
    """
    check_count("threads", threads, 0, 1024)
    if options and not jackknife:
        raise ValueError(f"{next(iter(options))} is for the models that jackknife trains, and there are none: leave "
                         "it out")
    check_count("jackknife", jackknife, 0)
    if elsewhere is not None:
        check_count("elsewhere", elsewhere, 0)
    if group_by and not jackknife and elsewhere is None:
        raise ValueError("group_by is for jackknife, whose parts divide no group, and elsewhere: leave it out")
    _check_output(output)
    if jackknife and y is None and not are_paths(data):
        raise ValueError("y is None, and jackknife trains models on data: give the labels as y")
    with _file_of(model) as path, _files_of(model, data, y, False) as paths:
        lines = _core.stack(path, paths, _optional(template), _optional(kit), jackknife, group_by, elsewhere,
                            threads, options, warn)
    text = _hand_over(lines, output)
    return None if text is None else _stacked(text)


def cluster(data: Paths, output: PathLike, *, clusters: int = 1000, min_count: int = 1, format: str = "text",
            column: int = 0, fold_case: bool = False) -> dict[str, Any]:
    """Brown clusters of the words of raw text, as a file for feature kits: PATH TAB WORD TAB COUNT (docs/features.md).

    data      : file or files; format: text (a sentence a line) or columns, whose tokens are in ``column``, from 0 on
    clusters  : how many; min_count: occurrences a word needs to have a cluster
    fold_case : take tokens in lower case

    Returns tokens, words, kept (words with a cluster), clusters and mutual_information (nats, of neighbours).
    Ctrl-C ends it, and nothing is written.
    """
    check_count("clusters", clusters)
    check_count("min_count", min_count)
    if format not in ("text", "columns"):
        raise ValueError(f"format is {format!r}; choose one of: text, columns")
    check_count("column", column, 0)
    if column != 0 and format == "text":
        raise ValueError("column is of format columns, and the format is text")
    found: dict[str, Any] = _core.cluster(_paths(data), os.fspath(output), clusters, min_count, format == "columns",
                                          column, bool(fold_case))
    return found


def suggest(model: Any, data: Union[PathLike, Iterable[Any]], *, by: Optional[str] = None, top: int = 10,
            density: float = 0.0, format: Optional[str] = None, tokenizer: Optional[str] = None,
            label_column: Optional[int | str] = None, ignore_lines: Optional[str] = None,
            text_column: Optional[str] = None, misaligned: Optional[str] = None) -> list[dict[str, Any]]:
    """The sequences that are most worth labelling, the best first (docs/predict.md, "What to label next").

    A dict each: score, sequence (its number, from 0), line, labels, rows or text; with a density, that too.
    Sequences that are in no file have no line.  Prints as a table.

    model   : a Model, a fitted estimator, or the path of a model file; a list of two or more: a committee
    data    : the path of a file, or sequences, as predict has them; a str is a path
    by      : margin, entropy or errors; of a committee vote-entropy or divergence; None: margin, or vote-entropy
    top     : how many
    density : beta, 0 or more: the score times the mean similarity to the other sequences, to this power
    format  : how a file is written, as ``croft suggest`` has it: columns, spans, raw, prodigy, …; None: as the model
        was trained
    tokenizer : of texts in a file: words, blanks, characters, regex:EXPRESSION, or model:FILE; None: the model's
    label_column, ignore_lines : of a file of columns, as ``croft.check`` has them; None: as in training
    text_column : of csv, for a model of texts, the column that has them; None: as in training
    misaligned : of prodigy, doccano and brat, as `read` has it; None: sequences whose spans do not fit have no labels
    """
    models = list(model) if isinstance(model, (list, tuple)) else [model]
    check_count("top", top)
    if by is None:
        by = "margin" if len(models) == 1 else "vote-entropy"
    if not isinstance(by, str):
        raise TypeError(f"by is {by!r}, and a str was expected")
    opened = [model_of(each)._native for each in models]
    check_order(data, "X")
    given: Union[str, list[Any]] = os.fspath(data) if isinstance(data, (str, os.PathLike)) else list(data)
    options = {"format": format, "tokenizer": tokenizer, "label_column": label_column, "ignore_lines": ignore_lines,
               "text_column": text_column, "misaligned": misaligned}
    for option in (name for name, value in options.items() if value is not None and not isinstance(given, str)):
        raise ValueError(f"{option} is of a file, and data is sequences: leave it out")
    text = _core.suggest(opened, given, by, top, float(density), options)
    return Listing(map(json.loads, text.splitlines()),
                   ("score", "density", "sequence", "line", "labels", "rows", "text"))


_ITEM = re.compile(r"((?:\\.|[^\\:])*)(?::(.*))?", re.S)


def _stacked(text: str) -> Stacked:
    """The sequences of attribute lines."""
    found = Stacked([], [], [])
    for block in text.split("\n\n")[:-1]:
        rows = block.split("\n")
        weight = 1.0
        if rows[0].startswith("@weight:"):
            weight = float(rows.pop(0)[len("@weight:"):])
        X, y = [], []
        for row in rows:
            label, *items = row.split("\t")
            y.append(re.sub(r"\\(.)", r"\1", label))
            attributes: dict[str, float] = {}
            for item in items:
                name, value = _ITEM.fullmatch(item).groups()  # type: ignore[union-attr]
                name = re.sub(r"\\(.)", r"\1", name)
                attributes[name] = attributes.get(name, 0.0) + float(value or 1)
            X.append(attributes)
        found.X.append(X)
        found.y.append(y)  # type: ignore[union-attr]
        found.weights.append(weight)  # type: ignore[union-attr]
    labelled = any(label for labels in found.y or [] for label in labels)
    weighted = any(weight != 1 for weight in found.weights or [])
    return Stacked(found.X, found.y if labelled else None, found.weights if weighted else None)


def _hand_over(made: bytes, output: Optional[PathLike]) -> Optional[str]:
    if output is None:
        return made.decode("utf-8", "surrogateescape")
    _core.write_file(os.fspath(output), made)
    return None


def _check_output(output: Any) -> None:
    if output is not None and not is_path(output):
        raise TypeError(f"output is {a_type(output)}; labels are y=..., and output is the path of a file")


def _paths(data: Paths) -> list[str]:
    return [os.fspath(data)] if isinstance(data, (str, os.PathLike)) else [os.fspath(path) for path in data]


@contextmanager
def _files_of(model: Any, data: Any, y: Any, labelled: bool) -> Iterator[list[str]]:
    """The files of data, or one of sequences in the form of the model."""
    if are_paths(data) and y is None:
        yield _paths(data)
        return
    if labelled and y is None:
        raise ValueError("y is None; data is sequences, whose labels it has")
    opened = model_of(model)
    with file_of(as_predicted(opened, data), y, format_of(opened)) as file:
        yield [file.path]


def _optional(path: Optional[PathLike]) -> str:
    return "" if path is None else os.fspath(path)


@contextmanager
def _file_of(model: Any) -> Iterator[str]:
    """The path of a model file, for as long as it is needed."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.fspath(model) if is_path(model) else os.path.join(folder, "model.croft")
        if not is_path(model):
            model_of(model).save(path)
        try:
            yield path
        except _core.Error as fault:
            said = str(fault) if is_path(model) else str(fault).replace(path, "the model")
            raise type(fault)(re.sub(r"(?<!\S)--(?=[a-z])", "", said)) from None
