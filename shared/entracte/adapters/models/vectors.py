"""What every embedding service's answer has to be: as many vectors as texts, finite and all of one length."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from entracte.errors import ModelUnavailable

Vector = tuple[float, ...]


def batches(texts: Sequence[str], size: int) -> Iterator[list[str]]:
    """The texts, so many at a time."""
    for start in range(0, len(texts), size):
        yield list(texts[start : start + size])


def checked_vectors(found: Sequence[Any], wanted: int, about: str) -> list[Vector]:
    """The vectors as they are stored.

    Raises:
        ModelUnavailable: They are not what was asked for.
    """
    vectors = [_vector(each) for each in found]
    if len(vectors) != wanted or len(set(map(len, vectors))) > 1 or not all(vectors):
        raise ModelUnavailable(f"{about} gave no vector for each of {wanted} texts.")
    return vectors


def _vector(value: Any) -> Vector:
    """The numbers of a vector; none where it is not one."""
    numbers = value if isinstance(value, list | tuple) else []
    if not all(type(number) in (int, float) and math.isfinite(number) for number in numbers):
        return ()
    return tuple(map(float, numbers))
