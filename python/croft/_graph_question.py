"""What is asked of the labels of graphs, and why they are what they are."""
from __future__ import annotations

import json
from typing import Any, Sequence

from ._params import check_run

_KNOWN = ("costs", "decode", "max_iterations", "memory", "method", "search", "seed", "threads", "thresholds")


def graph_question(how: dict[str, Any], *more: str) -> dict[str, Any]:
    """The options as the extension takes them.

    more  names of options that are handed on as they are
    """
    known = sorted({*_KNOWN, *more})
    for name in how:
        if name not in known:
            raise TypeError(f"there is no option {name}; there are {', '.join(known)}")
    seed, threads = (0 if how.get(name) is None else how[name] for name in ("seed", "threads"))
    check_run(seed, threads, how.get("max_iterations"))
    how = dict(how)
    costs, thresholds = how.pop("costs", None), how.pop("thresholds", None)
    if costs and thresholds:
        raise ValueError("costs and thresholds both choose labels: give one of them")
    if (costs or thresholds) and how.get("decode") == "best":
        raise ValueError('costs and thresholds choose by marginals: leave out decode="best"')
    how["costs"] = [(*pair, float(cost)) for pair, cost in (costs or {}).items()]
    how["thresholds"] = [f"{label}={float(p)!r}" for label, p in (thresholds or {}).items()]
    return how


class VariableReasons(list[Any]):
    """Of each variable a dict, as croft explain --json has it; prints as text."""

    def __init__(self, found: Sequence[tuple[str, str]]) -> None:
        super().__init__(json.loads(document) for _, document in found)
        self.text = "".join(text for text, _ in found)

    def __repr__(self) -> str:
        return self.text
