#!/usr/bin/env python3
"""Writes python/croft/_options.pyi: the keyword arguments of the estimators, for type checkers.

    PYTHONPATH=build/release/python scripts/generate_parameters.py

The arguments themselves are in python/croft/_parameters.py, of the library's table of options.
"""
from __future__ import annotations

from pathlib import Path

from croft import _parameters

FILE = Path(__file__).resolve().parents[1] / "python" / "croft" / "_options.pyi"
WIDTH = 118

HEAD = '''"""Keyword arguments of the estimators.  scripts/generate_parameters.py makes this file of _parameters.py."""
from typing import Any, Mapping, Optional, Sequence, TypedDict, Union

from ._parameters import Expert, PathLike, Prior
from .graph_crf import GraphCRF as _Graphs, Template

'''
ESTIMATORS = {made.__name__.removesuffix("Parameters"): made._OF for made in _parameters.Parameters.__subclasses__()}


def filled(items: list[str], first: str, rest: str, end: str) -> str:
    """Items with commas between, in lines."""
    lines, line = [], first
    for k, item in enumerate(items):
        item += "," if k + 1 < len(items) else end
        if len(line) + len(item) + 1 > WIDTH and line not in (first, rest):
            lines.append(line.rstrip())
            line = rest
        line += item + " "
    return "\n".join([*lines, line.rstrip()])


def generate() -> str:
    """The text of the file: what the same estimators have stands there once."""
    having: dict[tuple[str, str], list[str]] = {}
    for name, estimator in ESTIMATORS.items():
        for each in estimator.parameters():
            if each.name == "unroll":  # by position, too: GraphCRF itself names it
                continue
            having.setdefault((each.name, each.type.replace("GraphCRF", "_Graphs")), []).append(name)
    groups: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for parameter, names in having.items():
        groups.setdefault(tuple(names), []).append(parameter)
    text, bases = HEAD, {name: [] for name in ESTIMATORS}
    for names, those in groups.items():
        group = "_" + "".join(word.title() for word in those[0][0].split("_"))
        group += "2" if f"{group} = " in text else ""
        items = [f'"{name}": {kind}' for name, kind in those]
        text += filled(items, f'{group} = TypedDict("{group}", {{', "    ", "}, total=False)") + "\n"
        for name in names:
            bases[name].append(group)
    for name in ESTIMATORS:
        text += "\n" + filled(bases[name], f"class {name}(", " " * (len(name) + 7), ", total=False): ...") + "\n"
    return text


if __name__ == "__main__":
    FILE.write_text(generate(), encoding="utf-8")
