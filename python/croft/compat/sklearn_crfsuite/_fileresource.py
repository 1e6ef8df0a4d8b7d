"""The file of a model, as ``CRF.modelfile``."""
from __future__ import annotations

import os
import tempfile
import weakref
from typing import Any, Optional


class FileResource:
    """The model file of that name; without a name a temporary one of CRFsuite's format, which is
    written when its name is first asked for and removed with this object.

    auto : whether it is a temporary file
    data : what a temporary file holds; None before a fit
    """

    def __init__(self, filename: Optional[str] = None, keep_tempfiles: bool = False,
                 data: Optional[bytes] = None) -> None:
        self.auto = filename is None
        self.keep_tempfiles = keep_tempfiles
        self.data = data
        self._name = filename

    @property
    def name(self) -> Optional[str]:
        """Path of the file; None before a fit."""
        if self._name is None and self.data is not None:
            number, self._name = tempfile.mkstemp(".crfsuite", "model")
            with open(number, "wb") as file:
                file.write(self.data)
            if not self.keep_tempfiles:
                weakref.finalize(self, _remove, self._name)
        return self._name

    # A pickle has the file, in the form of sklearn-crfsuite's.

    def __getstate__(self) -> dict[str, Any]:
        return {"name": None if self.auto else self._name, "auto": self.auto,
                "keep_tempfiles": self.keep_tempfiles, _DATA: self.data}

    def __setstate__(self, state: dict[str, Any]) -> None:
        FileResource.__init__(self, state["name"], state["keep_tempfiles"], state.get(_DATA))


_DATA = "__FILE_RESOURCE_DATA__"


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
