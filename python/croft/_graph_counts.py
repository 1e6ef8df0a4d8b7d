"""Factors of a FactorGraph that count how many of their variables are in certain states."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Hashable, Mapping, Optional, Sequence, Union

if TYPE_CHECKING:
    from .graph import Name

    States = Union[Name, Sequence[Name], Mapping[Name, Union[Name, Sequence[Name]]]]

_INFINITY = float("inf")


class CountingFactors:
    """What FactorGraph has of such factors; docs/python_graphs.md.

    `state` says which states count: one (by default 1, of variables with two), a list of them, or
    {variable: one or a list}.  `penalty` is what breaking a rule costs; by default nothing may break it.
    """

    _native: Any
    _variable: Callable[[Any], int]
    _state: Callable[[int, Any], int]
    _add: Callable[[list[int], Hashable, Callable[[], int]], int]

    def add_parity(self, scope: Sequence[Name], odd: bool = False, *, state: Optional[States] = None) -> int:
        """An even (or odd) number of the variables are in a state that counts, else -inf."""
        numbers, counted = self._counted(scope, state)
        return self._add(numbers, ("parity", bool(odd), counted), lambda: self._native.add_parity(bool(odd), counted))

    def add_cardinality(self, scope: Sequence[Name], scores: Sequence[float], *,
                        state: Optional[States] = None) -> int:
        """scores[k] where k of the variables are in a state that counts, k = 0 to all."""
        numbers, counted = self._counted(scope, state)
        scores = [float(score) for score in scores]
        key = ("cardinality", counted, *scores)
        return self._add(numbers, key, lambda: self._native.add_cardinality(scores, counted))

    def add_at_most(self, scope: Sequence[Name], most: int, *, state: Optional[States] = None,
                    penalty: float = _INFINITY) -> int:
        """At most so many of the variables are in a state that counts."""
        return self._add_between(self._counted(scope, state), 0, _count(most), penalty)

    def add_at_least(self, scope: Sequence[Name], least: int, *, state: Optional[States] = None,
                     penalty: float = _INFINITY) -> int:
        """At least so many of the variables are in a state that counts."""
        return self._add_between(self._counted(scope, state), _count(least), None, penalty)

    def add_exactly(self, scope: Sequence[Name], count: int = 1, *, state: Optional[States] = None,
                    penalty: float = _INFINITY) -> int:
        """Exactly so many of the variables are in a state that counts."""
        return self._add_between(self._counted(scope, state), _count(count), count, penalty)

    def add_all(self, scope: Sequence[Name], *, state: Optional[States] = None, penalty: float = _INFINITY) -> int:
        """All of the variables are in a state that counts."""
        return self._add_between(self._counted(scope, state, opposite=scope), 0, 0, penalty)

    def add_any(self, scope: Sequence[Name], *, state: Optional[States] = None, penalty: float = _INFINITY) -> int:
        """Some of the variables is in a state that counts."""
        return self._add_between(self._counted(scope, state), 1, None, penalty)

    def add_implies(self, premises: Sequence[Name], conclusion: Name, *, state: Optional[States] = None,
                    penalty: float = _INFINITY) -> int:
        """Where all premises are in a state that counts, the conclusion is, too."""
        counted = self._counted([*premises, conclusion], state, opposite=premises)
        return self._add_between(counted, 1, None, penalty)

    def _counted(self, scope: Sequence[Name], state: Optional[States],
                 opposite: Sequence[Name] = ()) -> tuple[list[int], bytes]:
        """The variables' numbers, and a byte for each of their states; empty: state 1 of two."""
        numbers = [self._variable(each) for each in scope]
        turned = {self._variable(each) for each in opposite}
        if state is None and not turned:
            return numbers, b""
        marks = bytearray()
        for name, v in zip(scope, numbers):
            own: Any = 1 if state is None else state
            if isinstance(own, Mapping):
                if name not in own:
                    raise ValueError(f"state says nothing of variable {name!r}")
                own = own[name]
            elif state is None and self._native.states(v) > 2:
                raise ValueError(f"variable {name!r} has more than two states: state= must say which count")
            one = isinstance(own, str) or not isinstance(own, (Sequence, set, frozenset))
            chosen = {self._state(v, each) for each in ([own] if one else own)}
            marks.extend((s in chosen) != (v in turned) for s in range(self._native.states(v)))
        return numbers, bytes(marks)

    def _add_between(self, of: tuple[list[int], bytes], least: int, most: Optional[int], penalty: float) -> int:
        numbers, counted = of
        broken = -float(penalty)
        if not broken <= 0:
            raise ValueError(f"penalty is {penalty!r}; it must be a number >= 0, or infinity")
        return self._add(numbers, ("between", least, most, broken, counted),
                         lambda: self._native.add_between(least, most, broken, counted))


def _count(number: int) -> int:
    if isinstance(number, bool) or not hasattr(number, "__index__") or number < 0:
        raise ValueError(f"the count of variables is {number!r}; it must be a whole number, 0 or more")
    return int(number)
