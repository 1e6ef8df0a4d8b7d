"""How estimators have their parameters, and what they need of scikit-learn where it is not installed."""
from __future__ import annotations

import inspect
import re
import textwrap
from typing import TYPE_CHECKING, Any, Iterator, Mapping, NamedTuple, NoReturn, Optional, Sequence

from . import _core

__all__ = ["As", "BaseEstimator", "Estimator", "Parameter", "Parameters", "raise_not_fitted"]

_TYPES = {"flag": "bool", "whole": "int", "number": "float", "choice": "str", "words": "str", "file": "PathLike",
          "size": "str", "letter": "str"}
_WIDTH = 110  # of documentation


def raise_not_fitted(estimator: Any) -> NoReturn:
    """Scikit-learn's error for that, which is a ValueError, too."""
    message = f"this {type(estimator).__name__} is not fitted yet; call fit first"
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        raise ValueError(message) from None
    raise NotFittedError(message)


class As(NamedTuple):
    """How Python has an option; what is None is as the table says it."""
    type: Optional[str] = None
    default: Any = ...
    shown: Optional[str] = None  # the type, in documentation
    help: Optional[str] = None
    name: Optional[str] = None  # of the parameter
    own: bool = False  # the estimator hands it on by itself
    always: bool = False  # its default is not the table's


class Parameter(NamedTuple):
    name: str
    type: str
    default: Any
    shown: str
    help: str
    option: Optional[str] = None  # that it is
    always: bool = False


class Estimator(NamedTuple):
    kinds: tuple[str, ...]
    own: tuple[Parameter, ...] = ()  # no options, before these
    last: tuple[Parameter, ...] = ()  # behind them
    like: Mapping[str, As] = {}
    without: Mapping[str, str] = {}  # option: why

    def parameters(self) -> Iterator[Parameter]:
        rows = {row["name"]: row for kind in self.kinds for row in _core.option_rows(kind)}
        like = {name: self.like.get(name, As()) for name in rows}
        names = {name: like[name].name or name.replace("-", "_") for name in rows}
        yield from self.own
        for name, row in rows.items():
            if name not in self.without and name != "no-intercept":  # intercept="none" is that
                yield _of_row(row, names, like[name])
        yield from self.last


def _of_row(row: Mapping[str, Any], names: Mapping[str, str], like: As) -> Parameter:
    default, kind = like.default, _TYPES[row["type"]]
    if default is ...:
        initial = None if not row["initial"] or row["needs"] else row["initial"]
        default = False if row["type"] == "flag" else initial
        if initial and row["type"] in ("whole", "number"):
            default = int(initial) if row["type"] == "whole" else float(initial)
    choices = [f'"{each}"' for each in row["choices"]]
    shown = like.shown or (f"{', '.join(choices[:-1])} or {choices[-1]}" if choices else kind.replace("PathLike", "path"))
    if default is None and "None" not in shown:
        shown += " or None"
    text = like.help or row["help"]
    if not like.help and default is None and "=" in row["shown"]:
        text += ".  None: " + row["shown"].split("=", 1)[1]
    text = re.sub(r"--([a-z][a-z0-9-]*)", lambda found: names.get(found[1], found[1].replace("-", "_")), text)
    text = re.sub(r"\bDATA\b", "X", text.replace("; may be given several times", "").replace("; see below", ""))
    return Parameter(names[row["name"]], like.type or (kind if default is not None else f"Optional[{kind}]"), default,
                     shown, text if text.endswith(".") else text + ".", None if like.own else row["name"], like.always)


def _documentation(of: Sequence[Parameter]) -> str:
    text, like = ["Parameters", "----------"], []
    for each in of:
        if _OF_CHAINS.get(each.name) == (each.shown, each.help):
            like.append(each.name)
            continue
        text.append(f"{each.name} : {each.shown}")
        text += textwrap.wrap(each.help, _WIDTH, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)
    if like:
        text += textwrap.wrap(", ".join(like), _WIDTH + 4, break_on_hyphens=False) + ["    As of ChainCRF."]
    return "\n".join(text)


_OF_CHAINS: dict[str, tuple[str, str]] = {}  # what ChainCRF says of a parameter, to which the others refer


class Parameters:
    """Base of the classes in _parameters.py: keyword arguments that are options of the library."""

    _OF: Estimator
    _KIND: str  # of model
    _RENAMED: dict[str, str]  # options whose parameter has another name
    _OWN: tuple[str, ...]  # parameters that are no options, or are not handed on as they are
    _ALWAYS: tuple[str, ...]  # those whose default is not the library's

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any: ...  # each parameter

    def __init_subclass__(cls, of: Optional[Estimator] = None, **how: Any) -> None:
        """What is said of the parameters becomes part of the documentation of the estimator."""
        super().__init_subclass__(**how)
        if of is not None:
            return cls._compose(of)
        made = next((base for base in cls.__bases__ if Parameters in base.__bases__), None)
        if made is not None and cls.__dict__.get("__doc__"):
            intro, heading, attributes = inspect.cleandoc(cls.__doc__ or "").partition("\nAttributes\n")
            cls.__doc__ = f"{intro.rstrip()}\n\n{made.__doc__}\n{heading}{attributes}"

    @classmethod
    def _compose(cls, of: Estimator) -> None:
        found = list(of.parameters())
        first = inspect.signature(cls.__init__).parameters  # type: ignore[misc]
        kinds = [inspect.Parameter.POSITIONAL_OR_KEYWORD if each.name in first else inspect.Parameter.KEYWORD_ONLY
                 for each in found]
        cls.__init__.__signature__ = inspect.Signature([first["self"], *(  # type: ignore[misc, attr-defined]
            inspect.Parameter(each.name, kind, default=each.default, annotation=each.type)
            for each, kind in zip(found, kinds))], return_annotation="None")
        cls.__doc__ = _documentation(found)
        if not _OF_CHAINS:
            _OF_CHAINS.update((each.name, (each.shown, each.help)) for each in found)
        cls._OF, cls._KIND = of, of.kinds[0]
        options = {each.name: each.option.replace("-", "_") for each in found if each.option}
        cls._RENAMED = {name: option for name, option in options.items() if name != option}
        cls._OWN = tuple(each.name for each in found if not each.option)
        cls._ALWAYS = tuple(each.name for each in found if each.always)

    def _set(self, **given: Any) -> None:
        made = _made(type(self))
        for name, parameter in inspect.signature(made.__init__).parameters.items():  # type: ignore[misc]
            if name != "self":
                setattr(self, name, given.pop(name, parameter.default))
        for name in given:
            raise TypeError(f"{made.__qualname__}.__init__() got an unexpected keyword argument {name!r}")

    def _given(self) -> dict[str, Any]:
        """The options whose parameters are not what they are by default, under the library's names."""
        options = {}
        for name, parameter in inspect.signature(_made(type(self)).__init__).parameters.items():  # type: ignore[misc]
            value = getattr(self, name, None)
            if name in self._OWN or value is None:
                continue
            changed = not isinstance(value, (bool, int, float, str)) or value != parameter.default
            if changed or name in self._ALWAYS:
                options[self._RENAMED.get(name, name)] = value
        return options


def _made(estimator: type[Parameters]) -> type[Parameters]:
    """The class of _parameters.py that it is derived from."""
    return next(base for base in estimator.__mro__ if Parameters in base.__bases__)


try:
    from sklearn.base import BaseEstimator
except ImportError:
    class BaseEstimator:  # type: ignore[no-redef]
        """Parameters are the keyword arguments of the constructor, kept under their own names."""

        @classmethod
        def _names(cls) -> list[str]:
            return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """name -> value."""
            return {name: getattr(self, name) for name in self._names()}

        def set_params(self, **params: Any) -> Any:
            """Sets parameters; a name that is none is a ValueError."""
            for name, value in params.items():
                if name not in self._names():
                    raise ValueError(f"{type(self).__name__} has no parameter {name!r}; it has "
                                     f"{', '.join(self._names())}")
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            defaults = inspect.signature(type(self).__init__).parameters
            changed = (f"{name}={getattr(self, name)!r}" for name in self._names()
                       if getattr(self, name) != defaults[name].default)
            return f"{type(self).__name__}({', '.join(changed)})"
