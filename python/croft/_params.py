"""What estimators have in common: parameters, and what they need of scikit-learn where it is not installed."""
from __future__ import annotations

import inspect
from typing import Any, NoReturn


def raise_not_fitted(estimator: Any) -> NoReturn:
    """Scikit-learn's error for that, which is a ValueError, too."""
    message = f"this {type(estimator).__name__} is not fitted yet; call fit first"
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        raise ValueError(message) from None
    raise NotFittedError(message)


class Parameters:
    """Base of the classes in _parameters.py: keyword arguments that are options of the library."""

    _KIND: str  # of model
    _RENAMED: dict[str, str] = {}  # options whose parameter has another name
    _OWN: tuple[str, ...] = ()  # parameters that are no options, or are not handed on as they are
    _ALWAYS: tuple[str, ...] = ()  # those whose default is not the library's

    def __init_subclass__(cls, **how: Any) -> None:
        """What is said of the parameters becomes part of the documentation of the estimator."""
        super().__init_subclass__(**how)
        made = next((base for base in cls.__bases__ if Parameters in base.__bases__), None)
        if made is None or not cls.__dict__.get("__doc__") or not made.__doc__:
            return
        intro, heading, attributes = inspect.cleandoc(cls.__doc__ or "").partition("\nAttributes\n")
        cls.__doc__ = f"{intro.rstrip()}\n\n{inspect.cleandoc(made.__doc__)}\n{heading}{attributes}"

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
