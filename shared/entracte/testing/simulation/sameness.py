"""Final documents, without what may differ between two runs of the same thing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

MAY_DIFFER = frozenset(
    {
        "token",
        "worker",
        "holder",
        "rev",
        "duration_ms",
        "attempt",
        "order",
        "sweeps",
        "due",
        "usage",
        "share",
        "unspent",
        "window",
    }
)
"""Times aside: who did it and how often it was tried."""


def comparable(documents: Mapping[str, Mapping[str, Any]], also: frozenset[str] = frozenset()) -> dict[str, Any]:
    """The documents without times, attempts and usage, state as what it says whatever its ids, journal left out.

    The journal tells of every try; everything else must come out the same.

    Args:
        documents: Encoded fields by path.
        also: More names of fields that may differ.
    """
    may_differ = MAY_DIFFER | also
    return {path: _plain(fields, may_differ) for path, fields in documents.items() if "/journal/" not in path}


def _plain(value: Any, may_differ: frozenset[str]) -> Any:
    match value:
        case {"items": list(items), "given": int(given)}:
            return sorted(item["text"] for item in items), given
        case dict():
            return {
                k: _plain(v, may_differ)
                for k, v in value.items()
                if k not in may_differ and v is not None and not isinstance(v, datetime)
            }
        case list() | tuple():
            return [_plain(item, may_differ) for item in value]
        case _:
            return value
