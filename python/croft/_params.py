"""What an estimator needs of scikit-learn's BaseEstimator, for where scikit-learn is not installed."""
from __future__ import annotations

import inspect
from typing import Any


class BaseEstimator:
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
