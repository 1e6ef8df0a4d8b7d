"""BUGS models: a program of JAGS' dialect, data, and draws from the posterior."""
from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Optional, Sequence, Union

from . import _core
from ._params import check_count, check_run, warn

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

Path = Union[str, "os.PathLike[str]"]
Arrays = Mapping[str, Any]
_Native = dict[str, tuple[list[int], list[float]]]
_ELEMENT = re.compile(r"^(.+)\[(\d+(?:,\d+)*)\]$")


@dataclass
class Deviance:
    """Of D = -2 log p(observed | parents): the mean, the effective number of parameters, DIC.

    None: not known, for one chain or where unobserved nodes decide which values an observed one can have."""

    mean: float
    pd: Optional[float]
    dic: Optional[float]


def _shape(value: Any) -> list[int]:
    """Of nested lists; rows of one length."""
    if not isinstance(value, (list, tuple)):
        return []
    inner = [_shape(each) for each in value]
    if any(each != inner[0] for each in inner):
        raise ValueError("rows of different lengths")
    return [len(value), *(inner[0] if inner else [])]


def _flat(value: Any, at: Sequence[int]) -> float:
    for k in at:
        value = value[k]
    return float("nan") if value is None else float(value)


def _places(shape: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All places of an array; the first subscript runs fastest."""
    if not shape:
        yield ()
        return
    for rest in _places(shape[1:]):
        for k in range(shape[0]):
            yield (k, *rest)


def _array(name: str, value: Any) -> tuple[list[int], list[float]]:
    """Numbers, nested lists, numpy arrays, columns of pandas; None and NaN are missing."""
    if hasattr(value, "to_numpy"):
        value = value.to_numpy(dtype=float, na_value=float("nan"))
    if hasattr(value, "filled"):  # a masked array
        value = value.astype(float).filled(float("nan"))
    try:
        if hasattr(value, "ndim") and hasattr(value, "flatten"):
            return ([int(each) for each in value.shape] or [1], value.astype(float).flatten(order="F").tolist())
        shape = _shape(value)
        values = [_flat(value, at) for at in _places(shape)]
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: numbers are expected, in lists of one length: {error}") from None
    return (shape or [1], values)


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def _read(paths: Sequence[Path], notes: list[str]) -> list[_Native]:
    out = []
    for path in paths:
        sets, note = _core.read_bugs_arrays(os.fspath(path))
        out.extend(sets)
        notes.extend([note] if note else [])
    return out


def _data(data: Union[Arrays, Path, Sequence[Path], None], notes: list[str]) -> _Native:
    if data is None:
        return {}
    if isinstance(data, Mapping):
        return {name: _array(name, value) for name, value in data.items()}
    out: _Native = {}
    for each in _read([data] if _is_path(data) else list(data), notes):  # type: ignore[list-item, arg-type]
        out.update(each)
    return out


def _inits(inits: Union[Arrays, Path, Sequence[Union[Arrays, Path]], None], notes: list[str]) -> list[_Native]:
    if inits is None:
        return []
    if isinstance(inits, Mapping) or _is_path(inits):
        inits = [inits]  # type: ignore[list-item]
    out: list[_Native] = []
    for each in inits:  # type: ignore[union-attr]
        out.extend([_data(each, notes)] if isinstance(each, Mapping) else _read([each], notes))
    return out


class BugsResult:
    """What :meth:`Bugs.sample` drew: ``result["theta[1]"]`` is an array [chains, draws]."""

    def __init__(self, native: _core.BugsResult, title: str) -> None:
        self._native = native
        self._title = title
        self._names = native.names()
        self._document: dict[str, Any] = json.loads(native.json())

    def __repr__(self) -> str:
        return self._native.table()

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._names:
            raise KeyError(name)
        return self._native.draws(self._names.index(name))

    @property
    def names(self) -> list[str]:
        """Of the numbers that were drawn, such as theta[2]."""
        return list(self._names)

    def summary(self) -> pd.DataFrame:
        """A row for each number: mean, sd, mcse, quantiles, hpd_low, hpd_high, ess, ess_tail, r_hat."""
        import pandas
        rows = []
        for node in self._document["nodes"]:
            rows.append({"mean": node["mean"], "sd": node["sd"], "mcse": node.get("mcse"), **node["quantiles"],
                         "hpd_low": node["hpd"]["low"], "hpd_high": node["hpd"]["high"],
                         "ess": node.get("effective_samples"), "ess_tail": node.get("tail_effective_samples"),
                         "r_hat": node.get("r_hat")})
        index = pandas.Index([node["name"] for node in self._document["nodes"]], name="node")
        return pandas.DataFrame(rows, index=index).astype(float)

    def to_dict(self) -> dict[str, np.ndarray]:
        """{name: array [chains, draws, dimensions]}, as ``arviz.from_dict`` and xarray have it.

        Elements that do not fill an array have entries of their own: {"Y[1,2]": [chains, draws]}."""
        import numpy
        groups: dict[str, dict[tuple[int, ...], int]] = {}
        for k, name in enumerate(self._names):
            found = _ELEMENT.match(name)
            base, place = (found[1], tuple(int(each) for each in found[2].split(","))) if found else (name, ())
            groups.setdefault(base, {})[place] = k
        out: dict[str, np.ndarray] = {}
        for base, places in groups.items():
            ranks = {len(each) for each in places}
            shape = [max(each[d] for each in places) for d in range(min(ranks))]
            size = 1
            for each in shape:
                size *= each
            draws = [self._native.draws(k) for k in places.values()]
            if len(ranks) > 1 or size != len(places) or len({each.shape for each in draws}) > 1:
                for place, array in zip(places, draws):
                    out[f"{base}[{','.join(map(str, place))}]" if place else base] = array
                continue
            whole = numpy.empty([*draws[0].shape, *shape])
            for place, array in zip(places, draws):
                whole[(slice(None), slice(None), *(each - 1 for each in place))] = array
            out[base] = whole
        return out

    @property
    def deviance(self) -> Optional[Deviance]:
        """None where nothing is observed, or the answer is exact."""
        found = self._document.get("deviance")
        return None if found is None else Deviance(found["mean"], found["pd"], found["dic"])

    @property
    def exact(self) -> dict[str, dict[Optional[float], float]]:
        """{name: {value: probability}} of a model that a junction tree answers; else empty.

        None as a value: no number (NaN), such as the logarithm of a negative number."""
        return {node["name"]: dict(zip([None if each is None else float(each) for each in node["values"]],
                                       node["probabilities"]))
                for node in self._document["nodes"] if "probabilities" in node}

    @property
    def log_evidence(self) -> Optional[float]:
        """log p(data), where the answer is exact."""
        return self._document.get("log_evidence")

    @property
    def samplers(self) -> list[tuple[str, list[str]]]:
        """What drew which nodes: [("conjugate gamma", ["tau"]), …]."""
        return [(each["sampler"], each["nodes"]) for each in self._document["samplers"]]

    @property
    def stopped(self) -> bool:
        """Whether `progress` ended it early."""
        return bool(self._document.get("stopped", False))

    @property
    def iterations(self) -> int:
        """Of each chain, with the burn-in."""
        return int(self._document.get("iterations", 0))

    @property
    def warnings(self) -> list[str]:
        return self._document["warnings"]

    def plots(self, path: Path, *, title: Optional[str] = None) -> None:
        """Traces, densities and autocorrelations: a page (.html) or a drawing (.svg)."""
        name = os.fspath(path)
        if not name.endswith((".html", ".svg")):
            raise ValueError(f"{name}: a page or a drawing ends in .html or .svg")
        with open(name, "w", encoding="utf-8") as file:
            file.write(self._native.plots(name.endswith(".html"), title or self._title))

    def coda(self, stem: Path) -> None:
        """CODA files, which R's coda reads: STEMindex.txt, STEMchain1.txt, …"""
        self._native.coda(os.fspath(stem))


class Bugs:
    """A BUGS program (JAGS' dialect), from its text or a file; `croft bugs` in Python.

        line = croft.Bugs("model { for (i in 1:N) { y[i] ~ dnorm(a + b * x[i], tau) } … }")
        result = line.sample({"x": x, "y": y, "N": len(x)}, monitor=["a", "b"])
        result.summary()
    """

    def __init__(self, program: Path) -> None:
        text = os.fspath(program)
        if isinstance(program, str) and ("{" in text or "\n" in text):
            self._name = "program"
        else:
            self._name = os.path.basename(text)
            with open(text, encoding="utf-8") as file:
                text = file.read()
        self._native = _core.Bugs(text, self._name)

    @property
    def text(self) -> str:
        """The program, with the parentheses that it needs."""
        return self._native.text

    def picture(self, path: Optional[Path] = None, *, data: Union[Arrays, Sequence[str]] = ()) -> str:
        """The model as a graph with plates: SVG, also to a file; `data`, or its names, are grey."""
        svg = self._native.picture(list(data))
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(svg)
        return svg

    def sample(self, data: Union[Arrays, Path, Sequence[Path], None] = None, *,
               inits: Union[Arrays, Path, Sequence[Union[Arrays, Path]], None] = None, chains: int = 4,
               burn_in: int = 1000, samples: int = 10000, thin: int = 1, monitor: Union[str, Sequence[str]] = (),
               until: Optional[Mapping[str, float]] = None, method: str = "auto", seed: int = 1, threads: int = 0,
               checkpoint: Optional[Path] = None, resume: bool = False,
               progress: Optional[Callable[[dict[str, Any]], Optional[bool]]] = None) -> BugsResult:
        """Draws from the posterior given `data`.

        data: {name: number, nested lists, array or column}; None and NaN are missing; or files, as for `croft bugs`.
        inits: the same, for all chains, or a list with a set for each.
        until: {"rhat": 1.01, "ess": 400}: stop then, or after `samples` iterations.
        method: "auto" answers a model of finite nodes exactly where that fits; "sampling" never.
        progress: called with {"iteration", "of", "r_hat", "effective_samples"}; False stops, and keeps what is there.
        threads: 0 is one for each processor; the draws do not depend on it."""
        conditions = dict(until or {})
        r_hat, effective = conditions.pop("rhat", None), conditions.pop("ess", None)
        if conditions:
            raise ValueError(f"until has rhat and ess, not {', '.join(conditions)}")
        if method not in ("auto", "sampling"):
            raise ValueError(f"method is {method!r}; it is \"auto\" or \"sampling\"")
        for name, value in (("chains", chains), ("burn_in", burn_in), ("samples", samples), ("thin", thin)):
            check_count(name, value, 0)
        check_run(seed, threads)
        notes: list[str] = []  # of what files have by rows; said once
        values, starts = _data(data, notes), _inits(inits, notes)
        if notes:
            warn(notes[0])
        native = self._native.sample(values, starts, chains, burn_in, samples, thin,
                                     [monitor] if isinstance(monitor, str) else list(monitor), r_hat,
                                     effective, method == "auto", seed, threads,
                                     "" if checkpoint is None else os.fspath(checkpoint), resume, progress)
        return BugsResult(native, self._name)
