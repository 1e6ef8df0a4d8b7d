"""What an estimator needs of scikit-learn, for where it is not installed."""
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
