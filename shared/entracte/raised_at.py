"""Whose fault an exception is: the place in an author's code that raised it, or none for a fault of Entracte."""

from __future__ import annotations

import traceback
from pathlib import Path

_OURS = str(Path(__file__).parent)
_STANDARD = str(Path(traceback.__file__).parent)
_INSTALLED = {"site-packages", "dist-packages"}


def raised_at(error: BaseException, *, innermost: bool = False) -> str:
    """`` (shop.py:12)``, the last line of an author's code on the way to where it was raised; empty if there is none.

    Args:
        innermost: Only if no code of Entracte ran after that line. What libraries and Python do is their caller's.
    """
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        file = frame.f_code.co_filename
        if file.startswith(_OURS):
            if innermost:
                return ""
        elif not (file.startswith((_STANDARD, "<")) or _INSTALLED.intersection(Path(file).parts)):
            return f" ({Path(file).name}:{line})"
    return ""
