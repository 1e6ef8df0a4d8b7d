"""The trainer behind ``CRF(verbose=True)``: a line for each iteration."""
from __future__ import annotations

from typing import Any

from ..pycrfsuite import Trainer


class LinePerIterationTrainer(Trainer):
    """Prints one line an iteration, and the scores on the hold-out when training has ended."""

    def on_iteration(self, log: str, info: dict[str, Any]) -> None:
        """The figures of an iteration."""
        line = (f"Iter {info['num']:<4} time={info['time']:<6.2f} loss={info['loss']:<10.2f} "
                f"active={info['active_features']:<8} feature_norm={info['feature_norm']:.2f}")
        if "item_accuracy_float" in info:
            line += f"  item_accuracy={info['item_accuracy_float']:.4f}"
        print(line)
