"""Small helpers under the names that sklearn-crfsuite has."""
from __future__ import annotations

from itertools import chain
from typing import Iterable, TypeVar

T = TypeVar("T")


def flatten(sequences: Iterable[Iterable[T]]) -> list[T]:
    """The elements of all sequences, one after the other."""
    return list(chain.from_iterable(sequences))
