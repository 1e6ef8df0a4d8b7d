"""Data of other programs: read into lists, converted from one format to another."""
from __future__ import annotations

import json
import os
from typing import Any, Optional, Sequence

from . import _core
from ._warnings import warn
from .files import _hand_over


def read(path: str | os.PathLike[str], format: str, *, tokenizer: str = "words", misaligned: str = "refuse",
         text_column: Optional[str] = None, label_column: Optional[str] = None, cells: Sequence[str] = (),
         ignore_lines: Optional[str] = None, label_names: Sequence[str] = (),
         unlabelled: bool = False) -> list[dict[str, Any]]:
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

    Raises FileNotFoundError for a file that is not there, croft.Error for bad data.
    """
    text = _core.read_texts(os.fspath(path), format, tokenizer, misaligned, text_column or "",
                            "" if label_column is None else str(label_column), list(cells), ignore_lines or "",
                            list(label_names), unlabelled)
    found: list[dict[str, Any]] = json.loads(text)
    return found


def convert(path: str | os.PathLike[str], to: str, output: Optional[str | os.PathLike[str]] = None, *,
            format: Optional[str] = None, label_scheme: str = "auto", tokenizer: str = "words",
            misaligned: str = "refuse", text_column: Optional[str] = None, label_column: Optional[str] = None,
            cells: Sequence[str] = (), ignore_lines: Optional[str] = None, label_names: Sequence[str] = (),
            unlabelled: bool = False) -> Optional[str]:
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
    if not os.path.exists(name):
        raise FileNotFoundError(2, "No such file or directory", name)
    if format is None and not _core.is_data_format(to):
        if output is None:
            raise ValueError(f"to is {to!r}, of models: name the file to write, as output")
        _core.convert_model(name, to, os.fspath(output))
        return None
    if output is not None and os.path.exists(output) and os.path.samefile(name, output):
        raise ValueError(f"output {os.fspath(output)!r} would replace the input; give another name")
    made, changed = _core.convert_data(name, format or "", to, label_scheme, name, tokenizer, misaligned,
                                       text_column or "", "" if label_column is None else str(label_column),
                                       list(cells), ignore_lines or "", list(label_names), unlabelled)
    if changed:
        warn(f"{changed} spans began or ended inside of a token, and were "
             f"{'dropped' if misaligned == 'drop' else 'widened'}")
    return _hand_over(made, output)
