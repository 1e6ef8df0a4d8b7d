"""Drop-in layers: code written for another package runs after a change of its import.

    from croft.compat import sklearn_crfsuite        # sklearn_crfsuite.CRF, .metrics, .scorers
    from croft.compat import pycrfsuite              # Trainer, Tagger, ItemSequence

docs/python_migration.md says, argument by argument, what is the same and what is not.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _names
from ._parameters import DifferenceWarning

if TYPE_CHECKING:
    from . import pycrfsuite, sklearn_crfsuite

__all__ = ["DifferenceWarning", "pycrfsuite", "sklearn_crfsuite"]

_PARTS = {"pycrfsuite", "sklearn_crfsuite"}

_names.install()


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__doc__"])
