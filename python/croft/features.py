"""FeatureFunction: the features of a token, told once."""
from __future__ import annotations

import numbers
import weakref
from collections import Counter
from collections.abc import Mapping
from typing import Any, Callable, Iterable, Iterator, Optional, Sequence, Union

from . import _core
from ._params import a_type

Neighbours = Union[int, Sequence[str]]


class FeatureFunction:
    """Attributes of the positions of a sequence, from what is said of each token by itself.

    ``Model.tag_many(sequences, features=function)`` labels sequences of tokens.  What the function says of a
    token is asked once and kept, with the numbers that it stands for in the model: a token that was seen before
    costs no call, no dict and no look-up of names.  ``function(tokens)`` gives the same attributes as a list of
    dicts, for training.

    f : function of a token; it gives what a position may be: a dict of attributes (str -> bool, number, str, or
        dict, list or set of these), or a list or set of str.  The same token must always give the same.
    before, after : the neighbours that a position sees too: how many (their names are then "-1", "-2", ... and
        "+1", "+2", ...), or their names, the nearest first: ``before=["previous"]``.  The attribute ``a`` of a
        neighbour is ``previous:a``.
    neighbour : function of a token as f, for what its neighbours see of it; None: f
    first, last : attributes of the first and of the last token: "BOS", or whatever f may give
    marked : whether neighbours see these as well (``previous:BOS``)

    The values of an attribute that comes twice at a position are added up.

    Tokens are any objects.  What is said of a str, or of a tuple of str, is kept, of 65,536 tokens and 64 MB
    at most; of other objects it is asked each time.  Models of attributes whose labels have sums of weights for
    scores (the usual ones) take tokens so; for others each sequence is made as ``function(tokens)`` makes it.

    Share it between threads.  An exception of f is that of the call, with a note that says which token it was
    (from Python 3.11 on).  Cost of a sequence: some 20 ns a token and neighbour, and its labelling.
    """

    def __init__(self, f: Callable[[Any], Any], *, before: Neighbours = 0, after: Neighbours = 0,
                 neighbour: Optional[Callable[[Any], Any]] = None, first: Any = None, last: Any = None,
                 marked: bool = False) -> None:
        self.f = _function("f", f)
        self.neighbour = f if neighbour is None else _function("neighbour", neighbour)
        self.before = _names("before", before, "-")
        self.after = _names("after", after, "+")
        self.first, self.last = _mark(first), _mark(last)
        self.marked = bool(marked)
        self._forget()

    @classmethod
    def of_sequence(cls, f: Callable[[Any], Sequence[Any]]) -> FeatureFunction:
        """Of a function that gives all positions of a sequence, in any form that the model takes.

        It is called for each sequence, beside the labelling of the sequences before it where there are threads.
        """
        return _OfSequence(f)

    def __call__(self, tokens: Iterable[Any]) -> list[dict[str, Any]]:
        """The attributes of each token as a dict."""
        given = list(tokens)
        own = [_attributes(self.f(token)) for token in given]
        seen = own if self.neighbour is self.f else [_attributes(self.neighbour(token)) for token in given]
        marks: list[dict[str, Any]] = [{} for _ in given]
        for t, mark in ((0, self.first), (-1, self.last)):
            if given and mark is not None:
                _add(marks[t], _attributes(mark).items())
        positions = []
        for t, attributes in enumerate(own):
            position = dict(attributes)
            _add(position, marks[t].items())
            neighbours = [*((name, t - d) for d, name in enumerate(self.before, 1)),
                          *((name, t + d) for d, name in enumerate(self.after, 1))]
            for name, k in neighbours:
                if 0 <= k < len(given):
                    _add(position, ((_joined(name, key), value) for key, value in seen[k].items()))
                    if self.marked:
                        _add(position, ((_joined(name, key), value) for key, value in marks[k].items()))
            positions.append(position)
        return positions

    def _for(self, model: _core.Model) -> Any:
        """What the extension takes for the tokens of a model."""
        if not model.sums_given_attributes:
            return self
        told = self._told.get(model)
        if told is None:
            told = _core.TokenFeatures(model, self.before, self.after, self.first, self.last, self.marked)
            self._told[model] = told
        return told, self.f, self.neighbour

    def _forget(self) -> None:
        self._told: weakref.WeakKeyDictionary[_core.Model, _core.TokenFeatures] = weakref.WeakKeyDictionary()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_told"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()


class _OfSequence(FeatureFunction):
    """What of_sequence() gives."""

    def __init__(self, f: Callable[[Any], Sequence[Any]]) -> None:
        super().__init__(f)

    def __call__(self, tokens: Iterable[Any]) -> Any:
        return self.f(tokens)

    def _for(self, model: _core.Model) -> Any:
        return self._positions

    def _positions(self, tokens: Any) -> Any:
        positions = self.f(tokens)
        if isinstance(tokens, (list, tuple)) and hasattr(positions, "__len__") and len(positions) != len(tokens):
            raise ValueError(f"the feature function gave {len(positions)} positions for {len(tokens)} tokens")
        return positions


def _function(name: str, f: Any) -> Callable[[Any], Any]:
    if not callable(f):
        raise TypeError(f"{name} is {a_type(f)}, and a function was expected")
    function: Callable[[Any], Any] = f
    return function


def _names(argument: str, neighbours: Neighbours, sign: str) -> list[str]:
    """What the names of the neighbours' attributes begin with."""
    if isinstance(neighbours, int) and not isinstance(neighbours, bool):
        if not 0 <= neighbours <= 100:
            raise ValueError(f"{argument} is {neighbours}; it must be a whole number from 0 to 100, or a list of "
                             "names")
        return [f"{sign}{d}" for d in range(1, neighbours + 1)]
    names = list(neighbours) if isinstance(neighbours, Sequence) and not isinstance(neighbours, str) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise TypeError(f"{argument} is {neighbours!r}; give the number of neighbours, or a list of names for them")
    return names


def _mark(mark: Any) -> Any:
    """As a position may be: a str alone is one attribute."""
    return [mark] if isinstance(mark, (str, bytes)) else mark


def _attributes(said: Any) -> dict[Any, Any]:
    """What a function may give, as a dict: of a list how often each attribute is there."""
    if isinstance(said, Mapping):
        return dict(said)
    if isinstance(said, (str, bytes)):
        raise TypeError(f"a feature function gave {said!r}, and a dict or a list of attributes was expected")
    return dict(Counter(said))


def _add(position: dict[Any, Any], more: Iterable[tuple[Any, Any]]) -> None:
    """Attributes beside others; where a name is there already, what both stand for is added up."""
    for key, value in more:
        if key not in position:
            position[key] = value
            continue
        before = position.pop(key)
        for name, number in (*_told_apart(key, before), *_told_apart(key, value)):
            if isinstance(position.get(name, 0), numbers.Number):
                position[name] = position.get(name, 0) + number
            else:
                _add(position, [(name, number)])


def _told_apart(name: Any, value: Any) -> Iterator[tuple[Any, Any]]:
    """The attributes that a value stands for, with their numbers."""
    if isinstance(value, (str, bytes)):
        yield _joined(name, value), 1
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _told_apart(_joined(name, key), inner)
    elif isinstance(value, numbers.Number) or hasattr(value, "__float__"):
        yield name, value + 0  # type: ignore[operator]
    else:
        for each in value:
            yield from _told_apart(name, each)


def _joined(name: Any, key: Any) -> Any:
    if isinstance(name, bytes) or isinstance(key, bytes):
        return _bytes(name) + b":" + _bytes(key)
    return f"{name}:{key}"


def _bytes(text: Any) -> bytes:
    return text if isinstance(text, bytes) else str(text).encode()
