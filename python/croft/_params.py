"""What the package has in common: parameters, what they need of scikit-learn where it is not installed, warnings."""
from __future__ import annotations

import difflib
import functools
import inspect
import json
import os
import re
import sys
import textwrap
import warnings
from types import FrameType
from typing import Any, Callable, Mapping, NoReturn, Optional, Sequence

from . import _core

_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep
_TYPES = {"flag": "bool", "whole": "int", "number": "float", "file": "path"}  # of options; others: str


def a_type(value: Any) -> str:
    """Its type with an article, as messages name it: a list, an int."""
    name = type(value).__name__
    return ("an " if name[0].lower() in "aeiou" else "a ") + name


def raise_not_fitted(estimator: Any) -> NoReturn:
    """Scikit-learn's error for that, which is a ValueError, too."""
    raise_unfitted(f"this {type(estimator).__name__} is not fitted yet; call fit first")


def raise_unfitted(message: str) -> NoReturn:
    """The same in other words."""
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        raise ValueError(message) from None
    raise NotFittedError(message)


def keep(estimator: Any, arguments: dict[str, Any]) -> None:
    """Keeps the arguments of a constructor, its locals(), under their own names, where scikit-learn looks for them."""
    vars(estimator).update((name, value) for name, value in arguments.items() if name != "self")


def mapping(name: str, given: Any) -> Mapping[Any, Any]:
    """It, which must be a dict or the like."""
    if not isinstance(given, Mapping):
        raise TypeError(f"{name} is of type {type(given).__name__}; a dict was expected")
    return given


def check_count(name: str, value: Any, least: int = 1, most: int = 2**31) -> None:
    """ValueError for what is no whole number from least to most."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or not least <= value <= most:
        raise ValueError(f"{name} is {value!r}; it must be a whole number from {least} to {most}")


def check_seed(seed: Any) -> None:
    check_count("seed", seed, 0, 2**64 - 1)


def check_run(seed: Any, threads: Any, max_iterations: Any = None) -> None:
    """What each run of a method has; max_iterations: None is the method's own."""
    check_seed(seed)
    check_count("threads", threads, 0, 1024)
    if max_iterations is not None:
        check_count("max_iterations", max_iterations, 0)


def option_text(row: Mapping[str, Any], default: Any, names: Mapping[str, str], shown: Optional[str] = None,
                help: Optional[str] = None) -> str:
    """How an option of the library's table is documented, but for the parameter's name: its type and help.

    names : option -> parameter, of those that are called otherwise
    shown, help : in the place of what the table says
    """
    text = help or row["help"]
    if not help and default is None and "=" in row["shown"]:
        text += ".  None: " + row["shown"].split("=", 1)[1]
    if not shown:
        *choices, last = [f'"{each}"' for each in row["choices"]] or [_TYPES.get(row["type"], "str")]
        shown = f"{', '.join(choices)} or {last}" if choices else last
    if default is None and "None" not in shown:
        shown += " or None"
    text = re.sub(r"--([a-z][a-z0-9-]*)", lambda found: names.get(found[1], found[1].replace("-", "_")), text)
    text = re.sub(r"\bDATA\b", "X", text.replace("; may be given several times", "").replace("; see below", ""))
    return parameter_text(shown, text if text.endswith(".") else text + ".")


def parameter_text(shown: str, help: str) -> str:
    """The same of any parameter."""
    return shown + "\n" + textwrap.fill(help, 110, initial_indent="    ", subsequent_indent="    ",
                                        break_on_hyphens=False)


def texts_of(made: Any, known: Mapping[str, str]) -> dict[str, str]:
    """Parameter -> option_text(), of a class of _parameters.py: what it says itself, `known`, or the table."""
    rows = {row["name"]: row for row in _core.option_rows(made._KIND)}
    options = {name: option.replace("_", "-") for name, option in made._RENAMED.items()}
    names = {option: name for name, option in options.items()}
    said = dict(re.findall(r"^(\w+) : (.*(?:\n    .*)*)", inspect.cleandoc(made.__doc__ or ""), re.MULTILINE))
    for name, parameter in inspect.signature(made).parameters.items():
        if name not in said:
            said[name] = known.get(name) or option_text(rows[options.get(name, name.replace("_", "-"))],
                                                        parameter.default, names)
    return {name: said[name] for name in inspect.signature(made).parameters}


def counted(count: int, noun: str) -> str:
    """"1 row", "2 rows"."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def did_you_mean(name: str, names: list[str]) -> str:
    """The name that may be meant, to stand behind one that is not known; or nothing."""
    close = difflib.get_close_matches(name.lower(), names, 1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _in_own_names(method: Callable[..., Any], renamed: Mapping[str, str]) -> Callable[..., Any]:
    """The method, whose errors name an option as the parameter that it is."""
    @functools.wraps(method)
    def call(*given: Any, **named: Any) -> Any:
        try:
            return method(*given, **named)
        except (ValueError, TypeError) as fault:
            for own, option in renamed.items():
                if re.match(rf"{option}(:| is | \w)", str(fault)):
                    raise type(fault)(own + str(fault)[len(option):]) from None
            raise
    return call


class Parameters:
    """Base of the classes in _parameters.py: keyword arguments that are options of the library."""

    _KIND: str  # of model
    _RENAMED: dict[str, str] = {}  # options whose parameter has another name
    _OWN: tuple[str, ...] = ()  # parameters that are no options, or are not handed on as they are
    _ALWAYS: tuple[str, ...] = ()  # those whose default is not the library's

    def __new__(cls, *given: Any, **named: Any) -> Any:
        """Python's own message would name the class of _parameters.py."""
        known = [name for name in inspect.signature(cls.__init__).parameters if name != "self"]
        for name in named:
            if name not in known:
                raise TypeError(f"{cls.__name__} has no parameter {name!r}"
                                + (did_you_mean(name, known) or "; it has " + ", ".join(known)))
        positional = sum(parameter.kind is parameter.POSITIONAL_OR_KEYWORD
                         for parameter in inspect.signature(cls.__init__).parameters.values()) - 1
        if len(given) > positional:
            raise TypeError(f"{cls.__name__} takes its parameters by name, such as {cls.__name__}({known[-1]}=...)")
        return super().__new__(cls)

    def __init_subclass__(cls, **how: Any) -> None:
        """What is said of the parameters becomes part of the documentation of the estimator."""
        super().__init_subclass__(**how)
        made = next((base for base in cls.__bases__ if Parameters in base.__bases__), None)
        renamed: dict[str, str] = getattr(made, "_RENAMED", {})
        for name in ("fit", "partial_fit") if renamed else ():
            method = getattr(cls, name, None)
            if method is not None:
                setattr(cls, name, _in_own_names(method, renamed))
        if made is None or not cls.__dict__.get("__doc__"):
            return
        from ._parameters import ChainCRFParameters
        known = {} if made is ChainCRFParameters else texts_of(ChainCRFParameters, {})
        texts = texts_of(made, known)
        like = [name for name, text in texts.items() if known.get(name) == text]
        said = "\n".join(["Parameters", "----------", *(f"{name} : {text}" for name, text in texts.items()
                                                        if name not in like)])
        if like:
            said += "\n" + textwrap.fill(", ".join(like), 114) + "\n    As of ChainCRF."
        intro, heading, attributes = inspect.cleandoc(cls.__doc__ or "").partition("\nAttributes\n")
        cls.__doc__ = f"{intro.rstrip()}\n\n{said}\n{heading}{attributes}"

    def _given(self) -> dict[str, Any]:
        """The options whose parameters are not what they are by default, under the library's names."""
        made = next(base for base in type(self).__mro__ if Parameters in base.__bases__)
        options = {}
        for name, parameter in inspect.signature(made.__init__).parameters.items():  # type: ignore[misc]
            value = getattr(self, name, None)
            if name in self._OWN or value is None:
                continue
            changed = not isinstance(value, (bool, int, float, str)) or value != parameter.default
            if changed or name in self._ALWAYS:
                options[self._RENAMED.get(name, name)] = value
        return options


try:
    from sklearn.base import BaseEstimator as BaseEstimator  # for the estimators here
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


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Points at the line of the program that called this package, however deep it went in."""
    level = 2  # the caller; this function is 1
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None and os.path.abspath(frame.f_code.co_filename).startswith(_FOLDER):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


# --- what is asked of the labels of graphs, and why they are what they are

_GRAPH_OPTIONS = ("costs", "decode", "max_iterations", "memory", "method", "search", "seed", "threads", "thresholds")


def graph_question(how: dict[str, Any], *more: str) -> dict[str, Any]:
    """The options as the extension takes them.

    more  names of options that are handed on as they are
    """
    known = sorted({*_GRAPH_OPTIONS, *more})
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
