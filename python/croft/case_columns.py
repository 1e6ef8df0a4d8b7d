"""Tables of cases as columns: DataFrames, dicts of columns, arrays."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence


def columns_of(X: Any, names: Sequence[str]) -> Optional[dict[str, Sequence[Any]]]:
    """{variable: column}; None for what is a sequence of cases.

    names  of the columns of an array
    """
    if isinstance(X, Mapping) or hasattr(X, "columns"):
        columns: dict[str, Sequence[Any]] = {}
        for name in (X if isinstance(X, Mapping) else X.columns):
            if not isinstance(name, str):
                raise TypeError(f"{name!r} names a column, and a str was expected")
            if name in columns:
                raise ValueError(f"there are two columns {name!r}")
            columns[name] = list(X[name])
        lengths = {name: len(column) for name, column in columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"columns have different lengths: {lengths}")
        return columns
    shape = getattr(X, "shape", None)
    if shape is None:
        return None
    if len(shape) != 2 or shape[1] != len(names):
        raise ValueError(f"an array of cases has shape (cases, {len(names)}), a column for each variable, not "
                         f"{tuple(shape)}")
    return {name: list(X[:, v]) for v, name in enumerate(names)}


def is_missing(value: Any) -> bool:
    """None, NaN, and pandas' NA and NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return False


def state_text(value: Any) -> str:
    """The name of a state that is given as a number: 1 and 1.0 are "1"."""
    if hasattr(value, "is_integer") and value.is_integer():
        value = int(value)
    return str(value)
