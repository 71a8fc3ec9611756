"""Final documents, without what may differ between two runs of the same thing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

MAY_DIFFER = {
    "token",
    "worker",
    "holder",
    "rev",
    "duration_ms",
    "attempt",
    "sweeps",
    "due",
    "usage",
    "share",
    "unspent",
    "window",
}
"""Times aside: who did it and how often it was tried."""


def comparable(documents: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The documents without times, attempts and usage, state as what it says whatever its ids, journal left out.

    The journal tells of every try; everything else must come out the same.
    """
    return {path: _plain(fields) for path, fields in documents.items() if "/journal/" not in path}


def _plain(value: Any) -> Any:
    match value:
        case {"items": list(items), "given": int(given)}:
            return sorted(item["text"] for item in items), given
        case dict():
            return {k: _plain(v) for k, v in value.items() if k not in MAY_DIFFER and not isinstance(v, datetime)}
        case list():
            return [_plain(item) for item in value]
        case _:
            return value
