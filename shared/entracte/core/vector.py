"""A vector: what an embedding model says a text means, as a value that stores keep and find the nearest of."""

from __future__ import annotations

import math
from collections.abc import Iterable

DIMENSIONS = 1024
"""Of every vector that is kept. Firestore's index has to know the number beforehand, and models differ."""


class Vector:
    """Numbers, of which only the direction counts. No Struct, which would be taken apart in a document."""

    __slots__ = ("values",)

    def __init__(self, values: tuple[float, ...]) -> None:
        self.values = values

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vector) and self.values == other.values

    def __hash__(self) -> int:
        return hash(self.values)

    def __repr__(self) -> str:
        shown = ", ".join(f"{value:g}" for value in self.values[:3])
        return f"Vector({shown}{', …' if len(self.values) > 3 else ''}; {len(self.values)})"

    @classmethod
    def fitted(cls, values: Iterable[float]) -> Vector | None:
        """The vector of a text in `DIMENSIONS`; None for one that points nowhere.

        Zeros at the end change no angle. What is longer is cut: models that give more are trained so that the
        beginning of a vector is a shorter vector of the text (https://arxiv.org/abs/2205.13147).
        """
        kept = [float(value) for value in values][:DIMENSIONS]
        length = math.sqrt(sum(value * value for value in kept))
        if not math.isfinite(length) or not length:
            return None
        return cls((*(value / length for value in kept), *(0.0,) * (DIMENSIONS - len(kept))))

    def likeness(self, other: Vector) -> float:
        """Cosine of the angle between the two: 1 for the same direction, 0 for a right angle or different lengths."""
        if len(self.values) != len(other.values):
            return 0.0
        product = sum(a * b for a, b in zip(self.values, other.values, strict=True))
        lengths = self.length * other.length
        return product / lengths if lengths else 0.0

    @property
    def length(self) -> float:
        return math.sqrt(sum(value * value for value in self.values))
