"""Importing without looking for garbage: imports drop little, and an eighth of a start went into the search."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quick_start() -> Iterator[None]:
    """Imports in this block are collected never, and looked at by no later collection."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
