"""The peers' own names, ``pycrfsuite`` and ``sklearn_crfsuite``, for programs and pickles that use them.

``import croft.compat`` puts a finder at the end of ``sys.meta_path``, where it is asked for a module only
if nothing else has it.  So a pickle that sklearn-crfsuite made opens where sklearn-crfsuite is not
installed, and stays the original's where it is.  The packages of python/alias, which are found
before an original, are filled in the same way.
"""
from __future__ import annotations

import importlib
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Optional

# The peers' modules that programs import or pickles name, and the modules here.
_MODULES = {
    "pycrfsuite": "pycrfsuite", "pycrfsuite._pycrfsuite": "pycrfsuite",
    "pycrfsuite._dumpparser": "pycrfsuite", "pycrfsuite._logparser": "_log",
    **{name: name for name in (
        "sklearn_crfsuite", "sklearn_crfsuite._fileresource", "sklearn_crfsuite.estimator",
        "sklearn_crfsuite.metrics", "sklearn_crfsuite.scorers", "sklearn_crfsuite.trainer",
        "sklearn_crfsuite.utils")},
}


class _Finder(MetaPathFinder, Loader):
    def find_spec(self, fullname: str, path: Any = None,
                  target: Optional[ModuleType] = None) -> Optional[ModuleSpec]:
        if fullname not in _MODULES or path:  # a path: the package is another one
            return None
        return ModuleSpec(fullname, self, is_package="." not in fullname)

    def exec_module(self, module: ModuleType) -> None:
        fill(module.__name__)


def fill(name: str) -> None:
    """Makes ``sys.modules[name]``, one of the peers' modules, what is here instead of it."""
    layer = importlib.import_module("croft.compat." + _MODULES[name])
    if "." in name:
        sys.modules[name] = layer
        return
    package = sys.modules[name]
    package.__dict__.update({key: value for key, value in vars(layer).items()
                             if key in ("__doc__", "__all__") or not key.startswith("__")})
    package.__path__ = []  # its modules are the finder's


def install() -> None:
    """Puts the finder behind all others."""
    sys.meta_path.append(_Finder())
