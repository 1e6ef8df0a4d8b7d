"""Warnings that point at the line of the program that called this package, however deep it went in."""
from __future__ import annotations

import os
import sys
import warnings
from types import FrameType
from typing import Optional

_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    level = 2  # the caller; this function is 1
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None and os.path.abspath(frame.f_code.co_filename).startswith(_FOLDER):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)
