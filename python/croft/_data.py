"""Sequences in memory as the files of data that a function reads."""
from __future__ import annotations

import bisect
import json
import os
import tempfile
from contextlib import contextmanager
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

from . import _core
from ._params import a_type
from .tables import table

PathLike = Union[str, "os.PathLike[str]"]


def is_path(data: Any) -> bool:
    return isinstance(data, (str, os.PathLike))


def are_paths(data: Any) -> bool:
    """Whether it is a path or a list of paths."""
    return is_path(data) or (isinstance(data, (list, tuple)) and all(map(is_path, data)))


class DataFile:
    """A file of sequences, which is there as long as the folder that it is in.

    starts : the line of each sequence, from 1 on; empty: a file of the caller's
    """

    def __init__(self, path: str, starts: Sequence[int] = ()) -> None:
        self.path = path
        self.starts = starts

    def place(self, line: int) -> dict[str, int]:
        """The sequence and the position of a line, from 0 on."""
        number = bisect.bisect_right(self.starts, line) - 1
        return {"sequence": number, "position": line - self.starts[number]}


@contextmanager
def file_of(X: Any, y: Any, format: str, name: str = "X") -> Iterator[DataFile]:
    """The file of a path, or of sequences.

    y : the labels of sequences; None: a path, or they have none; format : columns, attributes or text
    """
    if is_path(X):
        if y is not None:
            raise ValueError(f"y is the labels of sequences, and {name} is the path of a file: leave it out")
        yield DataFile(os.fspath(X))
        return
    if format not in _WRITERS:
        raise ValueError(f"{name} is sequences, and data of format {format} is read from a file: give its path")
    sequences = list(X)
    labels = None if y is None else list(y)
    if labels is not None and len(labels) != len(sequences):
        raise ValueError(f"{name} has {len(sequences)} sequences, and y the labels of {len(labels)}")
    lines: list[str] = []
    starts = []
    for n, sequence in enumerate(sequences):
        starts.append(len(lines) + 1)
        lines += _WRITERS[format](sequence, None if labels is None else labels[n], f"{name}[{n}]")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.writelines(line + "\n" for line in lines)
        yield DataFile(path, starts)


def format_of(model: Any) -> str:
    """How the data of a Model is written."""
    return str(json.loads(model._native.meta())["extraction"]["format"])


def format_of_sequences(X: Any) -> str:
    """The same of sequences, by the first of them."""
    first = next(iter(X), None)
    if isinstance(first, str):
        return "text"
    position = next(iter(first), None) if isinstance(first, (list, tuple)) else None
    return "columns" if isinstance(position, (list, tuple)) else "attributes"


def _labels_of(sequence: Sequence[Any], labels: Any, name: str) -> list[Optional[str]]:
    if not sequence:
        raise ValueError(f"{name} is empty; leave it out")
    if labels is None:
        return [None] * len(sequence)
    found = list(labels)
    if len(found) != len(sequence):
        raise ValueError(f"{name} has {len(sequence)} positions, and y {len(found)} labels for it")
    return [_text(each, "the label of " + name, "\n\t\r") for each in found]


def _text(value: Any, name: str, without: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} is {a_type(value)}, and a str was expected")
    if not value or any(character in without for character in value):
        raise ValueError(f"{name} is {value!r}: no line of a file of data can hold it")
    return value


def _rows(sequence: Any, labels: Any, name: str) -> list[str]:
    rows = list(sequence)
    lines = []
    for t, (row, label) in enumerate(zip(rows, _labels_of(rows, labels, name))):
        cells = [_text(cell, f"{name}[{t}]", " \n\t\r") for cell in row]
        lines.append("\t".join(cells if label is None else [*cells, label]))
    return [*lines, ""]


def _attributes(sequence: Any, labels: Any, name: str) -> list[str]:
    positions = _core.Items(sequence).items()
    lines = []
    for t, (attributes, label) in enumerate(zip(positions, _labels_of(positions, labels, name))):
        names = [(_escaped(_text(each, f"{name}[{t}]", "\n\t\r")), value) for each, value in attributes.items()]
        lines.append("\t".join([_escaped(label or ""), *(f"{each}:{value!r}" for each, value in names)]))
    return [*lines, ""]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace(":", "\\:")


def _document(text: Any, label: Any, name: str) -> list[str]:
    if isinstance(label, (list, tuple)) and len(label) == 1:
        label = label[0]
    own = [] if label is None else [_text(label, "the label of " + name, "\n\t\r")]
    return ["\t".join([*own, _text(text, name, "\n\t\r")])]


_WRITERS = {"columns": _rows, "attributes": _attributes, "text": _document}


class Report(dict[str, Any]):
    """Nested dicts, which print as a table, and are one by table() (pandas, where it is installed)."""

    def __init__(self, document: Mapping[str, Any], heading: str, columns: Sequence[str],
                 rows: Sequence[Sequence[Any]]) -> None:
        super().__init__(document)
        self._heading, self._columns, self._rows = heading, columns, rows

    def table(self) -> Any:
        return table(self._columns, self._rows)

    def __str__(self) -> str:
        return f"{self._heading}\n{self.table()}" if self._rows else self._heading

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # of IPython
        printer.text(str(self))
