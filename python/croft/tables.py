"""Tables for people: a pandas DataFrame where pandas is installed, otherwise a list of rows."""
from __future__ import annotations

from typing import Any, Iterable, Sequence


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Any:
    """A DataFrame with these columns; without pandas, a ``Table``."""
    try:
        import pandas
    except ImportError:
        return Table(columns, rows)
    return pandas.DataFrame(list(rows), columns=list(columns))


class Table(list[Any]):
    """Rows as tuples, with the names of their columns; prints as a table."""

    def __init__(self, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        super().__init__(tuple(row) for row in rows)
        self.columns = list(columns)

    def __repr__(self) -> str:
        cells = [[_text(cell) for cell in row] for row in [self.columns, *self]]
        widths = [max(map(len, column)) for column in zip(*cells)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
                         for row in cells)


def _text(cell: Any) -> str:
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)
