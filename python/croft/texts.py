"""Data of other programs: read into lists, converted from one format to another."""
from __future__ import annotations

import json
import os
from typing import Any, Optional, Sequence

from . import _core


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
