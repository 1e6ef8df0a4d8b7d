"""Sequences in memory as the files of data that a function reads."""
from __future__ import annotations

import bisect
import json
import os
import re
import tempfile
from contextlib import contextmanager
from typing import Any, Iterable, Iterator, Mapping, Optional, Sequence, Union

from . import _core
from ._params import a_type
from .tables import Table, table

PathLike = Union[str, "os.PathLike[str]"]


def is_path(data: Any) -> bool:
    return isinstance(data, (str, os.PathLike))


def are_paths(data: Any) -> bool:
    """Whether it is a path or a list of paths."""
    return is_path(data) or (isinstance(data, (list, tuple)) and len(data) > 0 and all(map(is_path, data)))


def is_frame(given: Any) -> bool:
    """Whether it is a DataFrame, or one of another library: iterating over it gives names of columns."""
    return hasattr(given, "columns") and not isinstance(given, list)


def check_order(given: Any, name: str, elements: bool = True) -> None:
    """Raises TypeError if it, or an element of a list, is a set, which has no order, or a table, which gives names."""
    if isinstance(given, (set, frozenset)):
        raise TypeError(f"{name} is {a_type(given)}, which has no order; give a list")
    if isinstance(given, Mapping) or is_frame(given):
        raise TypeError(f"{name} is {a_type(given)}, and a list was expected: its elements are names of columns; "
                        f"give one column, such as {name}[{next(iter(given), 'text')!r}]")
    for n, each in enumerate(given if elements and isinstance(given, (list, tuple)) else ()):
        if isinstance(each, (set, frozenset)):
            check_order(each, f"{name}[{n}]")
        elif is_frame(each):
            raise TypeError(f"{name}[{n}] is {a_type(each)}, and a list was expected: its elements are names of "
                            f"columns; give {name}[{n}].values.tolist()")
        elif isinstance(each, Mapping):
            of = "the attributes of" if name.startswith("X") else "a label for"
            raise TypeError(f"{name}[{n}] is {a_type(each)}, and a list with {of} each position was expected")


def label_lists(given: Any, name: str) -> list[Any]:
    """Lists of labels, one for each sequence; TypeError for what is none."""
    check_order(given, name)
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        raise TypeError(f"{name} is {a_type(given)}, and a list with the labels of each sequence was expected, such as "
                        "y or model.predict(X)")
    return list(given)


def check_training(X: Any, y: Any, X_dev: Any = None, y_dev: Any = None) -> None:
    """Raises TypeError for data without an order, ValueError for labels that would tear what the program writes."""
    for given, name in ((X, "X"), (y, "y"), (X_dev, "X_dev"), (y_dev, "y_dev")):
        check_order(given, name)
    sound: set[str] = set()
    for labels, name in ((y, "y"), (y_dev, "y_dev")):
        for n, of_sequence in enumerate(labels if hasattr(labels, "__iter__") else ()):
            for t, label in enumerate(of_sequence if hasattr(of_sequence, "__iter__") else ()):
                if isinstance(label, str) and label in sound:
                    continue
                for each in label if isinstance(label, (set, frozenset)) else [label]:
                    if isinstance(each, str):
                        check_label(each, f"{name}[{n}][{t}]")
                        sound.add(each)


def check_label(label: str, name: str) -> None:
    if not label or "\n" in label or "\t" in label or "\r" in label:
        raise ValueError(f"{name} is {label!r}; a label must not be empty, and must have no TAB and no line end")


class DataFile:
    """A file of sequences, which is there as long as the folder that it is in.

    starts : the line of each sequence, from 1 on; empty: a file of the caller's
    name   : of the sequences in Python
    """

    def __init__(self, path: str, starts: Sequence[int] = (), name: str = "") -> None:
        self.path = path
        self.starts = starts
        self.name = name

    def place(self, line: int) -> dict[str, int]:
        """The sequence and the position of a line, from 0 on."""
        number = bisect.bisect_right(self.starts, line) - 1
        return {"sequence": number, "position": line - self.starts[number]}

    def message(self, fault: ValueError) -> str:
        """What it says, where a place in the file is a sequence of Python."""
        return re.sub(rf"{re.escape(self.path)}(?::(\d+))?(?::\d+)?", lambda found: self.name + (
            f"[{self.place(int(found[1]))['sequence']}]" if found[1] else ""), str(fault))


@contextmanager
def file_of(X: Any, y: Any, format: str, name: str = "X", labels: str = "y") -> Iterator[DataFile]:
    """The file of a path, or of sequences; errors in it name the sequence.

    y : the labels of sequences; None: a path, or they have none; format : columns, attributes or text
    name, labels : of X and y in messages
    """
    if is_path(X):
        if y is not None:
            raise ValueError(f"{labels} is the labels of sequences, and {name} is the path of a file: leave it out")
        yield DataFile(os.fspath(X))
        return
    if format not in _WRITERS:
        raise ValueError(f"{name} is sequences, and data of format {format} is read from a file: give its path")
    check_order(X, name)
    sequences = list(X)
    if not sequences:
        raise ValueError(f"{name} is empty: there is no data")
    of_each = [None] * len(sequences) if y is None else label_lists(y, labels)
    if len(of_each) != len(sequences):
        raise ValueError(f"{name} has {len(sequences)} sequences, and {labels} the labels of {len(of_each)}")
    lines: list[str] = []
    starts = []
    for n, sequence in enumerate(sequences):
        starts.append(len(lines) + 1)
        lines += _WRITERS[format](sequence, _UNLABELLED if y is None else of_each[n], f"{name}[{n}]", f"{labels}[{n}]")
    with tempfile.TemporaryDirectory() as folder:
        file = DataFile(os.path.join(folder, "X"), starts, name)
        with open(file.path, "w", encoding="utf-8", newline="") as written:
            written.writelines(line + "\n" for line in lines)
        try:
            yield file
        except _core.Error as fault:
            raise type(fault)(file.message(fault)) from None


_UNLABELLED = object()


def format_of(model: Any) -> str:
    """How the data of a Model is written."""
    return str(json.loads(model._native.meta())["extraction"]["format"])


def format_of_sequences(X: Any) -> str:
    """The same of sequences, by the first of them."""
    first = next(iter(X), None)
    if isinstance(first, str):
        return "text"
    position = next(iter(first), None) if isinstance(first, (list, tuple)) else None
    return "columns" if isinstance(position, (str, list, tuple)) else "attributes"


def _labels_of(sequence: Sequence[Any], labels: Any, name: str, of: str) -> list[Optional[str]]:
    if not sequence:
        raise ValueError(f"{name} is empty; leave it out")
    if labels is _UNLABELLED:
        return [None] * len(sequence)
    if isinstance(labels, str) or not hasattr(labels, "__iter__"):
        raise TypeError(f"{of} is {a_type(labels)}, and a list with a label for each position was expected")
    found = list(labels)
    if len(found) != len(sequence):
        raise ValueError(f"{name} has {len(sequence)} positions, and {of} {len(found)} labels")
    return [_label(each, f"{of}[{t}]") for t, each in enumerate(found)]


def _label(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} is {a_type(value)}, and a label was expected: a str")
    check_label(value, name)
    return value


def _text(value: Any, name: str, blanks: bool) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} is {a_type(value)}, and a str was expected")
    if not value or any(character in ("\n\t\r" if blanks else " \n\t\r") for character in value):
        raise ValueError(f"{name} has {value!r}, which must not be empty, and must have no "
                         f"{'' if blanks else 'blank, '}TAB or line end")
    return value


def _rows(sequence: Any, labels: Any, name: str, of: str) -> list[str]:
    rows = [[row] if isinstance(row, str) else row for row in sequence]
    lines = []
    for t, (row, label) in enumerate(zip(rows, _labels_of(rows, labels, name, of))):
        cells = [_text(cell, f"{name}[{t}]", False) for cell in row]
        lines.append("\t".join(cells if label is None else [*cells, label]))
    return [*lines, ""]


def _attributes(sequence: Any, labels: Any, name: str, of: str) -> list[str]:
    try:
        positions = _core.Items(sequence).items()
    except (TypeError, ValueError) as fault:
        raise type(fault)(re.sub("^sequence", lambda found: name, str(fault))) from None
    lines = []
    for t, (attributes, label) in enumerate(zip(positions, _labels_of(positions, labels, name, of))):
        names = [(_escaped(_text(each, f"{name}[{t}]", True)), value) for each, value in attributes.items()]
        lines.append("\t".join([_escaped(label or ""), *(f"{each}:{value!r}" for each, value in names)]))
    return [*lines, ""]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace(":", "\\:")


def _document(text: Any, label: Any, name: str, of: str) -> list[str]:
    if isinstance(label, (list, tuple)) and len(label) == 1:
        label = label[0]
    own = [] if label is _UNLABELLED else [_label(label, of)]
    if not isinstance(text, str):
        raise TypeError(f"{name} is {a_type(text)}, and a str was expected")
    return ["\t".join([*own, re.sub("[\n\r]", "\t", text)])]  # a TAB ends words, too


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
        return f"{self._heading}\n{Table(self._columns, self._rows)}" if self._rows else self._heading

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # of IPython
        printer.text(str(self))


class Listing(list[Any]):
    """A list of dicts, which prints as a table.

    columns : the keys that are shown, where the first dict has them
    """

    def __init__(self, dicts: Iterable[dict[str, Any]], columns: Sequence[str]) -> None:
        super().__init__(dicts)
        self._columns = columns

    def __str__(self) -> str:
        columns = [name for name in self._columns if self and name in self[0]]
        return str(Table(columns, [[_cell(each.get(name, "")) for name in columns] for each in self]))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # of IPython
        printer.text(str(self))


def _cell(value: Any) -> Any:
    """A list as its first words, a number as it is."""
    if isinstance(value, list):
        value = " ".join(map(str, value))
    return value[:39] + "…" if isinstance(value, str) and len(value) > 40 else value
