"""The nearest of documents that have been read, for stores that cannot tell by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from entracte.core import paths
from entracte.core.vector import Vector
from entracte.ports.store import Near

MAX_COMPARED = 5_000
"""Documents that are compared at most, by path: more are for a store with an index."""


def nearest(near: Near, documents: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Paths of those whose field holds a vector of the same length, nearest first."""
    wanted = len(near.vector.values)
    likeness: dict[str, float] = {}
    for path in sorted(documents, key=paths.order)[:MAX_COMPARED]:
        found = documents[path].get(near.field)
        if isinstance(found, Vector) and len(found.values) == wanted:
            likeness[path] = near.vector.likeness(found)
    return sorted(likeness, key=lambda path: -likeness[path])
