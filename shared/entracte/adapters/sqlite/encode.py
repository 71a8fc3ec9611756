"""Fields as JSON text.

Times and bytes, which JSON lacks, are maps with one reserved key, which no stored map can have (``__…__`` is refused):
``{"__time__": "2026-11-30T14:00:00.000Z"}`` and ``{"__bytes__": "00ff"}``. In this form they sort as they do natively.
A vector is ``{"__vector__": "…"}``, its numbers as hexadecimal eight-byte floats, little end first.
"""

from __future__ import annotations

import json
import struct
from datetime import UTC, datetime
from typing import Any

from entracte.core.vector import Vector


def to_json(value: Any) -> str:
    """JSON text of stored fields, or of one value."""
    return _ENCODER.encode(value)


def from_json(text: str) -> Any:
    """What `to_json` was given."""
    return _DECODER.decode(text)


def _tagged(value: Any) -> dict[str, str]:
    if isinstance(value, datetime):
        text = value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds")
        return {"__time__": f"{text}Z"}
    if isinstance(value, bytes):
        return {"__bytes__": value.hex()}
    if isinstance(value, Vector):
        return {"__vector__": struct.pack(f"<{len(value.values)}d", *value.values).hex()}
    raise TypeError(f"{type(value).__name__} is not a stored value")


def _untagged(pairs: dict[str, Any]) -> Any:
    if len(pairs) == 1:
        if time := pairs.get("__time__"):
            return datetime.fromisoformat(time)
        if (digits := pairs.get("__bytes__")) is not None:
            return bytes.fromhex(digits)
        if (digits := pairs.get("__vector__")) is not None:
            return Vector(struct.unpack(f"<{len(digits) // 16}d", bytes.fromhex(digits)))
    return pairs


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_tagged)
_DECODER = json.JSONDecoder(object_hook=_untagged)
