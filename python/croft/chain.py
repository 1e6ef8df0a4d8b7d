"""Exact inference in linear chains, on numpy arrays: a CRF layer for scores of your own.

    value, gradient = croft.chain.log_likelihood(state, transition, labels, grad=True)
    labels, score = croft.chain.viterbi(state, transition)

A labelling y of a sequence of T positions has the score

    score(y) = start[y_0] + end[y_{T-1}] + sum_t state[t, y_t] + sum_{t>=1} transition[y_{t-1}, y_t]

and the probability p(y | x) = exp(score(y) - log Z).  Scores are natural logarithms, in nats; -inf
forbids.  All functions take the same scores:

state : its shape is the layout of the batch; whatever else has positions follows it:
    [T, L]                           one sequence
    [N, T, L]                        N sequences; with lengths [N], the first lengths[n] positions
    [sum of lengths, L] and lengths  one sequence after the other
    list of N arrays [T_n, L]
transition : [L, L], from row to column, the same at all positions; None: all 0
start, end : [L], added at the first and at the last position
edge : as state, with [L, L] at each position: added to the edge from t-1 to t.  No edge leads to
    the first position of a sequence: its entry is not read, and has the derivative 0
allowed : bool, as state: False forbids a label at a position
constraint : a ``Constraint``: which labels may start, end and follow each other
threads : 0 for one a processor (default); no bit of a result depends on it

Arrays are float32 or float64, all of a call the same, with any strides; they are read where they
lie.  float32 is computed in float32 where that is safe, and answered in float32; log Z, log p and
scores of labellings are always float64.  A sequence of length 0 has one labelling, the empty one,
with the score 0.  What stands behind the length of a padded sequence is never read.  Python's lock
is released during computation: do not change the arrays meanwhile.

Errors: a wrong shape or dtype, NaN, +inf or a number of absurd size (above 1e30 in float32, 1e300
in float64), a length that does not fit, a label out of range are a ValueError that names the
argument and the place.  Where no labelling is allowed, log Z and log p are -inf; whatever would
need a labelling, gradients too, raises a ValueError that names the sequence.

Cost: O(T L^2) for a sequence.  docs/python_chain.md has figures, docs/math/chain.md the formulas.
"""
from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Optional, Sequence, Union, overload

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._params import a_type

__all__ = ["ChainGradient", "Constraint", "Labelling", "k_best", "log_likelihood", "log_partition",
           "marginals", "sample", "viterbi"]

Array = NDArray[Any]
Batch = Union[Array, Sequence[Array]]               # in one of the layouts above
Values = Union[np.float64, NDArray[np.float64]]     # a number of one sequence, [N] of several

_native: Any = _core


@dataclass(frozen=True)
class ChainGradient:
    """Derivatives with the shapes (and dtype) of the scores; None for scores that were not given.

    state and edge are 0 where nothing was read (padding, the first edge) and where a score is -inf.
    """
    state: Any  # in the layout of state
    transition: Optional[Array] = None  # [L, L]
    start: Optional[Array] = None       # [L]
    end: Optional[Array] = None         # [L]
    edge: Any = None                    # in the layout of state, [L, L] at each position


class Labelling(NamedTuple):
    """One labelling of a sequence."""
    labels: NDArray[np.int64]  # [T]
    log_probability: float     # log p(labels | x), nats


class Constraint:
    """Which labels may start a sequence, end it, and follow each other.

    start, end : bool [L];  edge : bool [L, L], whether column may follow row.  None allows all.
    Raises ValueError where shapes or dtypes are others.
    """

    def __init__(self, start: Optional[Array] = None, end: Optional[Array] = None,
                 edge: Optional[Array] = None) -> None:
        self.start = _flags("start", start, 1)
        self.end = _flags("end", end, 1)
        self.edge = _flags("edge", edge, 2)

    @classmethod
    def bio(cls, labels: Sequence[str]) -> Constraint:
        """I-X only after B-X or I-X.  Raises croft.Error (a ValueError) when no label is a B."""
        return cls._named("bio", labels)

    @classmethod
    def bioes(cls, labels: Sequence[str]) -> Constraint:
        """B-X, any I-X, and E-X in this order, or S-X alone (L for E, U for S, M for I as well).

        Raises croft.Error (a ValueError) when no label ends a chunk.
        """
        return cls._named("bioes", labels)

    @classmethod
    def _named(cls, scheme: str, labels: Sequence[str]) -> Constraint:
        names = list(labels)
        start, end, edge = (np.frombuffer(flags, dtype=np.bool_)
                            for flags in _native.chain_constraint(scheme, names))
        return cls(start, end, edge.reshape(len(names), len(names)))

    def __repr__(self) -> str:
        parts = (f"{name}={array!r}" for name, array in self._arrays() if array is not None)
        return f"Constraint({', '.join(parts)})"

    def _arrays(self) -> list[tuple[str, Optional[Array]]]:
        return [("start", self.start), ("end", self.end), ("edge", self.edge)]


@overload
def log_partition(state: Batch, transition: Optional[Array] = ..., *, start: Optional[Array] = ...,
                  end: Optional[Array] = ..., edge: Optional[Batch] = ...,
                  lengths: Optional[Any] = ..., allowed: Optional[Batch] = ...,
                  constraint: Optional[Constraint] = ..., weight: Optional[Any] = ...,
                  grad: Literal[False] = ..., threads: int = ...) -> Values: ...
@overload
def log_partition(state: Batch, transition: Optional[Array] = ..., *, start: Optional[Array] = ...,
                  end: Optional[Array] = ..., edge: Optional[Batch] = ...,
                  lengths: Optional[Any] = ..., allowed: Optional[Batch] = ...,
                  constraint: Optional[Constraint] = ..., weight: Optional[Any] = ...,
                  grad: Literal[True], threads: int = ...) -> tuple[Values, ChainGradient]: ...


def log_partition(state: Batch, transition: Optional[Array] = None, *,
                  start: Optional[Array] = None, end: Optional[Array] = None,
                  edge: Optional[Batch] = None, lengths: Optional[Any] = None,
                  allowed: Optional[Batch] = None, constraint: Optional[Constraint] = None,
                  weight: Optional[Any] = None, grad: bool = False, threads: int = 0) -> Any:
    """log Z, nats: a number for one sequence, [N] for several.

    With ``grad=True`` (value, ChainGradient), the gradient being that of sum_n weight_n log Z_n.
    weight : [N] (or a number for all), finite, of any sign; 1 by default.  It is of the gradient:
        the value is not weighted.
    """
    given = _Given(state, transition, start, end, edge, lengths, allowed, constraint, threads)
    return given.value(None, weight, grad)


@overload
def log_likelihood(state: Batch, transition: Optional[Array], labels: Batch, *,
                   start: Optional[Array] = ..., end: Optional[Array] = ...,
                   edge: Optional[Batch] = ..., lengths: Optional[Any] = ...,
                   allowed: Optional[Batch] = ..., constraint: Optional[Constraint] = ...,
                   weight: Optional[Any] = ..., grad: Literal[False] = ...,
                   threads: int = ...) -> Values: ...
@overload
def log_likelihood(state: Batch, transition: Optional[Array], labels: Batch, *,
                   start: Optional[Array] = ..., end: Optional[Array] = ...,
                   edge: Optional[Batch] = ..., lengths: Optional[Any] = ...,
                   allowed: Optional[Batch] = ..., constraint: Optional[Constraint] = ...,
                   weight: Optional[Any] = ..., grad: Literal[True],
                   threads: int = ...) -> tuple[Values, ChainGradient]: ...


def log_likelihood(state: Batch, transition: Optional[Array], labels: Batch, *,
                   start: Optional[Array] = None, end: Optional[Array] = None,
                   edge: Optional[Batch] = None, lengths: Optional[Any] = None,
                   allowed: Optional[Batch] = None, constraint: Optional[Constraint] = None,
                   weight: Optional[Any] = None, grad: bool = False, threads: int = 0) -> Any:
    """log p(labels | x), nats, at most 0: a number for one sequence, [N] for several.

    labels : integers in the layout of state, without its last axis: 0 to L-1, or -1 for unknown;
        lists of int will do.
        With unknown ones it is the log of the probability of all labellings that fit: log Z
        restricted to them, less log Z.
    With ``grad=True`` (value, ChainGradient), the gradient being that of sum_n weight_n log p_n:
    step along it, or give weight=-1 for the gradient of a loss.  For complete labels it is
    weight (1[y] - marginals).  weight : as in log_partition.
    """
    given = _Given(state, transition, start, end, edge, lengths, allowed, constraint, threads)
    return given.value(given.integers("labels", labels), weight, grad)


@overload
def marginals(state: Batch, transition: Optional[Array] = ..., *, start: Optional[Array] = ...,
              end: Optional[Array] = ..., edge: Optional[Batch] = ..., lengths: Optional[Any] = ...,
              allowed: Optional[Batch] = ..., constraint: Optional[Constraint] = ...,
              edges: Literal[False] = ..., threads: int = ...) -> Any: ...
@overload
def marginals(state: Batch, transition: Optional[Array] = ..., *, start: Optional[Array] = ...,
              end: Optional[Array] = ..., edge: Optional[Batch] = ..., lengths: Optional[Any] = ...,
              allowed: Optional[Batch] = ..., constraint: Optional[Constraint] = ...,
              edges: Literal[True], threads: int = ...) -> tuple[Any, Any]: ...


def marginals(state: Batch, transition: Optional[Array] = None, *,
              start: Optional[Array] = None, end: Optional[Array] = None,
              edge: Optional[Batch] = None, lengths: Optional[Any] = None,
              allowed: Optional[Batch] = None, constraint: Optional[Constraint] = None,
              edges: bool = False, threads: int = 0) -> Any:
    """p(y_t = j | x), in the layout and dtype of state; padding is 0.

    With ``edges=True`` (marginals, pairs), where pairs has [L, L] at each position:
    p(y_{t-1} = i, y_t = j | x) for t >= 1, and 0 at the first.
    """
    given = _Given(state, transition, start, end, edge, lengths, allowed, constraint, threads)
    layout, labels, dtype = given.layout, given.labels, given.dtype
    out = layout.empty((labels,), dtype)
    if not edges:
        given.differentiate(None, None, state=out)
        return out
    pairs = layout.empty((labels, labels), dtype)
    given.native.edge_marginals(out, pairs, given.threads)
    return out, pairs


def viterbi(state: Batch, transition: Optional[Array] = None, *,
            start: Optional[Array] = None, end: Optional[Array] = None,
            edge: Optional[Batch] = None, lengths: Optional[Any] = None,
            allowed: Optional[Batch] = None, constraint: Optional[Constraint] = None,
            threads: int = 0) -> tuple[Any, Values]:
    """The best labelling and its score: (int64 in the layout of state, float64).

    Padding is -1.  Among equals the smaller label wins at the last position where they differ.
    """
    given = _Given(state, transition, start, end, edge, lengths, allowed, constraint, threads)
    labels = given.layout.empty((), np.dtype(np.int64), -1)
    score = np.empty(given.layout.size)
    given.native.viterbi(labels, score, given.threads)
    return labels, given.layout.values(score)


def k_best(state: Batch, transition: Optional[Array] = None, k: int = 1, *,
           start: Optional[Array] = None, end: Optional[Array] = None,
           edge: Optional[Batch] = None, lengths: Optional[Any] = None,
           allowed: Optional[Batch] = None, constraint: Optional[Constraint] = None,
           threads: int = 0) -> Any:
    """The k most probable labellings, best first; all of them where there are fewer.

    Returns a list of ``Labelling`` for one sequence, a list of such lists for several.  Computed in
    float64.  Cost: that of viterbi, O(T) and some O(L) for each further labelling.
    """
    given = _Given(state, transition, start, end, edge, lengths, allowed, constraint, threads)
    answers = given.native.k_best(_whole("k", k, 1), given.threads)
    lists = [[Labelling(*each) for each in zip(
        np.frombuffer(labels, dtype=np.int64).reshape(len(log_p), -1), log_p)]
        for labels, log_p in answers]
    return lists[0] if given.layout.kind == "single" else lists


def sample(state: Batch, transition: Optional[Array] = None, n: int = 1, *, seed: int = 1,
           start: Optional[Array] = None, end: Optional[Array] = None,
           edge: Optional[Batch] = None, lengths: Optional[Any] = None,
           allowed: Optional[Batch] = None, constraint: Optional[Constraint] = None,
           threads: int = 0) -> Any:
    """n exact draws from p(y | x): int64, [n] before the layout of state; padding is -1.

    [n, T], [n, N, T], [n, sum of lengths], or a list of [n, T_n].  Those of a sequence depend on
    its scores, on ``seed`` (0 to 2^64 - 1) and on its index in the batch, and on nothing else.
    Cost O(T L) a draw, after O(T L^2).
    """
    given = _Given(state, transition, start, end, edge, lengths, allowed, constraint, threads)
    _whole("seed", seed, 0, 2**64 - 1)
    labels = given.layout.empty((), np.dtype(np.int64), -1, draws=_whole("n", n, 1))
    last = [np.moveaxis(each, 0, -1) for each in labels] if isinstance(labels, list) else \
        np.moveaxis(labels, 0, -1)
    given.native.sample(last, n, seed, given.threads)
    return labels


# --- Arguments ------------------------------------------------------------------------------------


class _Layout:
    """Where the positions of a batch are (see the module), and arrays of the same layout."""

    kind: str                     # "single", "padded", "flat", "list"
    labels: int                   # L
    width: int                    # of the axis of positions; lists have none
    lengths: NDArray[np.int64]    # [N]
    size: int                     # N

    def __init__(self, state: Any, lengths: Optional[Any]) -> None:
        if isinstance(state, np.ndarray):
            self._of_array(state, lengths)
        else:
            self._of_list(state, lengths)
        self.size = len(self.lengths)

    def _of_array(self, state: Array, lengths: Optional[Any]) -> None:
        if state.ndim not in (2, 3):
            raise ValueError(f"state has {state.ndim} axes; [T, L] or [N, T, L] was expected")
        self.kind = "padded" if state.ndim == 3 else "single" if lengths is None else "flat"
        self.width, self.labels = state.shape[-2:]
        if lengths is None:
            count = state.shape[0] if self.kind == "padded" else 1
            self.lengths = np.full(count, self.width, np.int64)
            return
        self.lengths = _lengths(lengths, self.width)
        if self.kind == "padded" and len(self.lengths) != state.shape[0]:
            raise ValueError(f"lengths has {len(self.lengths)} entries for {len(state)} sequences")
        if self.kind == "flat" and self.lengths.sum() != self.width:
            raise ValueError(f"lengths add up to {self.lengths.sum()}, and state has {self.width} "
                             "positions")

    def _of_list(self, state: Any, lengths: Optional[Any]) -> None:
        if not isinstance(state, (list, tuple)):
            raise ValueError(f"state is {a_type(state)}; an array or a list of arrays was "
                             "expected")
        if lengths is not None:
            raise ValueError("lengths goes with an array; each array of a list has its own")
        if not state:
            raise ValueError("state is an empty list, which has no labels and no dtype; an empty "
                             "batch is an array of shape [0, T, L]")
        for n, each in enumerate(state):
            if not isinstance(each, np.ndarray):
                raise ValueError(f"state[{n}] is {a_type(each)}; an array was expected")
            if each.ndim != 2:
                raise ValueError(f"state[{n}] has {each.ndim} axes; [T, L] was expected")
        self.kind, self.width, self.labels = "list", 0, state[0].shape[1]
        self.lengths = np.array([len(each) for each in state], dtype=np.int64)

    def empty(self, tail: tuple[int, ...], dtype: np.dtype[Any], padding: int = 0,
              draws: Optional[int] = None) -> Any:
        """An array (or list) for an answer: [draws] before the positions, ``tail`` behind them."""
        front = () if draws is None else (draws,)
        if self.kind == "list":
            return [_empty((*front, length, *tail), dtype) for length in self.lengths]
        if self.kind != "padded":
            return _empty((*front, self.width, *tail), dtype)
        out = _empty((*front, self.size, self.width, *tail), dtype)
        if (self.lengths < self.width).any():
            out.fill(padding)
        return out

    def values(self, values: NDArray[np.float64]) -> Values:
        """[N], or the number of a single sequence."""
        return values[0] if self.kind == "single" else values


class _Given:
    """What a function was given, checked, and the native object that reads it."""

    def __init__(self, state: Any, transition: Optional[Array], start: Optional[Array],
                 end: Optional[Array], edge: Any, lengths: Optional[Any], allowed: Any,
                 constraint: Optional[Constraint], threads: int) -> None:
        self.layout = _Layout(state, lengths)
        self.labels = self.layout.labels
        self.dtype = (state[0] if self.layout.kind == "list" else state).dtype
        self.threads = _whole("threads", threads, 0)
        if self.dtype not in (np.float32, np.float64):
            name = "state[0]" if self.layout.kind == "list" else "state"
            raise ValueError(f"{name} is of dtype {self.dtype}; float32 or float64 was expected")
        if self.labels == 0:
            raise ValueError("state has no labels: its last axis is of length 0")
        self.arrays = {"state": self._scores("state", state)}
        optional = {"transition": transition, "start": start, "end": end, "edge": edge}
        for name, value in optional.items():
            if value is not None:
                self.arrays[name] = self._scores(name, value)
        if allowed is not None:
            self.arrays["allowed"] = _each("allowed", allowed, _check_bool)
        if constraint is not None:
            self._limit(constraint)
        native = _native.ChainArrays32 if self.dtype == np.float32 else _native.ChainArrays64
        self.native = native(self.layout.kind, self.layout.lengths.tolist(), self.layout.width,
                             self.labels, self.arrays)

    def _scores(self, name: str, value: Any) -> Any:
        def check(place: str, array: Array) -> Array:
            if array.dtype != self.dtype:
                raise ValueError(f"{place} is of dtype {array.dtype}, and state of {self.dtype}: "
                                 "all must be float32, or all float64")
            return array if array.flags.aligned else array.copy()
        return _each(name, value, check)

    def _limit(self, constraint: Constraint) -> None:
        if not isinstance(constraint, Constraint):
            raise ValueError(f"constraint is {a_type(constraint)}; a Constraint of "
                             "croft.chain was expected")
        for _, array in constraint._arrays():
            if array is not None and len(array) != self.labels:
                raise ValueError(f"constraint is for {len(array)} labels, and state has "
                                 f"{self.labels}")
        self.arrays.update(may_start=constraint.start, may_end=constraint.end,
                           may_follow=constraint.edge)

    def integers(self, name: str, value: Any) -> Any:
        """Labels as int64."""
        def convert(place: str, array: Array) -> Array:
            if array.dtype.kind not in "iu":
                raise ValueError(f"{place} is of dtype {array.dtype}; integers were expected")
            if array.dtype == np.uint64 and array.size and array.max() >= 2**63:
                raise ValueError(f"{place} has the label {array.max()}; there are {self.labels}")
            out = array.astype(np.int64, copy=False)
            return out if out.flags.aligned else out.copy()
        return _each(name, _as_arrays(value), convert)

    def value(self, labels: Any, weight: Optional[Any], grad: bool) -> Any:
        """log Z, or log p where there are labels; with its gradient where that is asked."""
        value = np.empty(self.layout.size)
        if not grad:
            if weight is not None:
                raise ValueError("weight is of the gradient: it needs grad=True")
            self.native.log_values(labels, value, self.threads)
            return self.layout.values(value)
        out: dict[str, Any] = {name: np.empty(np.shape(self.arrays[name]), self.dtype)
                               for name in ("transition", "start", "end") if name in self.arrays}
        out["state"] = self.layout.empty((self.labels,), self.dtype)
        if "edge" in self.arrays:
            out["edge"] = self.layout.empty((self.labels, self.labels), self.dtype)
        self.differentiate(labels, weight, value=value, **out)
        return self.layout.values(value), ChainGradient(**out)

    def differentiate(self, labels: Any, weight: Optional[Any], **out: Any) -> None:
        arrays = {**dict.fromkeys(("value", "transition", "start", "end", "edge")), **out}
        arrays["weight"] = self._weights(weight)
        self.native.differentiate(labels, arrays, self.threads)

    def _weights(self, weight: Optional[Any]) -> list[float]:
        size = self.layout.size
        if weight is None:
            return [1.0] * size
        numbers = np.asarray(weight)
        if numbers.dtype.kind not in "iuf":
            raise ValueError(f"weight is of dtype {numbers.dtype}; numbers were expected")
        if numbers.shape not in ((), (size,)):
            raise ValueError(f"weight has shape {list(numbers.shape)}; [{size}] or one number was "
                             "expected")
        if not np.isfinite(numbers).all():
            raise ValueError("weight has a number that is not finite")
        out: list[float] = np.broadcast_to(numbers.astype(np.float64), (size,)).tolist()
        return out


_ALIGNMENT = 64  # bytes: rows of a multiple of 8 labels are then written in place


def _empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """As np.empty, beginning at a cache line."""
    size = dtype.itemsize
    for axis in shape:
        size *= int(axis)
    raw = np.empty(size + _ALIGNMENT, np.uint8)
    skip = -raw.__array_interface__["data"][0] % _ALIGNMENT
    return raw[skip:skip + size].view(dtype).reshape(shape)


def _as_arrays(labels: Any) -> Any:
    """Lists of integers, and lists of these, as arrays; anything else as it is."""
    def is_list(value: Any) -> bool:
        return isinstance(value, (list, tuple)) and all(
            isinstance(each, (int, np.integer)) and not isinstance(each, bool) for each in value)
    if is_list(labels) and len(labels):
        return np.array(labels)
    if isinstance(labels, (list, tuple)):
        return [np.array(each, dtype=None if len(each) else np.int64) if is_list(each) else each
                for each in labels]
    return labels


def _each(name: str, value: Any, check: Any) -> Any:
    """check(place, array) of an array, or of each of a list."""
    if isinstance(value, np.ma.MaskedArray):
        raise ValueError(f"{name} is a masked array, whose mask would be lost; give its data, and allowed")
    if isinstance(value, np.ndarray):
        return check(name, value)
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"{name} is {a_type(value)}; an array was expected")
    out = []
    for n, each in enumerate(value):
        if not isinstance(each, np.ndarray):
            raise ValueError(f"{name}[{n}] is {a_type(each)}; an array was expected")
        out.append(check(f"{name}[{n}]", each))
    return out


def _check_bool(place: str, array: Array) -> Array:
    if array.dtype != np.bool_:
        raise ValueError(f"{place} is of dtype {array.dtype}; bool was expected")
    return array


def _flags(name: str, value: Optional[Any], axes: int) -> Optional[Array]:
    if value is None:
        return None
    array = np.asarray(value)
    if array.dtype != np.bool_ or array.ndim != axes or len(set(array.shape)) > 1:
        raise ValueError(f"{name} has shape {list(array.shape)} and dtype {array.dtype}; "
                         f"bool {'[L]' if axes == 1 else '[L, L]'} was expected")
    return array.copy()


def _lengths(value: Any, width: int) -> NDArray[np.int64]:
    lengths = np.asarray(value)
    if lengths.ndim != 1 or (lengths.size and lengths.dtype.kind not in "iu"):
        raise ValueError(f"lengths has shape {list(lengths.shape)} and dtype {lengths.dtype}; "
                         "integers [N] were expected")
    wrong = np.flatnonzero((lengths < 0) | (lengths > width))
    if wrong.size:
        n = wrong[0]
        raise ValueError(f"lengths[{n}] is {lengths[n]}; a length from 0 to {width} was expected")
    return lengths.astype(np.int64)


def _whole(name: str, value: Any, least: int, most: int = 2**31) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or not least <= number <= most:
        limit = f"{least} or more" if most == 2**31 else f"from {least} to {most}"
        raise ValueError(f"{name} is {value!r}; it must be a whole number, {limit}")
    return number
