"""Fields as JSON text.

Times and bytes, which JSON lacks, are maps with one reserved key, which no stored map can have (``__…__`` is refused):
``{"__time__": "2026-11-30T14:00:00.000Z"}`` and ``{"__bytes__": "00ff"}``. In this form they sort as they do natively.
A vector is ``{"__vector__": "…"}``, its numbers as hexadecimal eight-byte floats, little end first.
"""

from __future__ import annotations

import struct
from datetime import UTC, datetime
from typing import Any

from msgspec.json import Encoder, decode

from entracte.core.vector import Vector


def to_json(value: Any) -> str:
    """JSON text of stored fields, or of one value."""
    return _ENCODER.encode(value if type(value) in _JSON else _tagged(value)).decode()


def from_json(text: str) -> Any:
    """What `to_json` was given."""
    value = decode(text)
    return _untagged(value) if '"__' in text else value


def _tagged(value: Any) -> Any:
    match value:
        case dict():
            return {key: item if type(item) in _JSON else _tagged(item) for key, item in value.items()}
        case list():
            return [item if type(item) in _JSON else _tagged(item) for item in value]
        case datetime():
            text = value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds")
            return {"__time__": f"{text}Z"}
        case bytes():
            return {"__bytes__": value.hex()}
        case Vector():
            return {"__vector__": struct.pack(f"<{len(value.values)}d", *value.values).hex()}
        case _:
            raise TypeError(f"{type(value).__name__} is not a stored value")


def _untagged(value: Any) -> Any:
    """The value with what was tagged put back, changed in place."""
    if type(value) is list:
        for index, item in enumerate(value):
            if type(item) in _NESTING:
                value[index] = _untagged(item)
        return value
    if len(value) == 1:
        if time := value.get("__time__"):
            return datetime.fromisoformat(time)
        if (digits := value.get("__bytes__")) is not None:
            return bytes.fromhex(digits)
        if (digits := value.get("__vector__")) is not None:
            return Vector(struct.unpack(f"<{len(digits) // 16}d", bytes.fromhex(digits)))
    for key, item in value.items():
        if type(item) in _NESTING:
            value[key] = _untagged(item)
    return value


_JSON = frozenset({str, int, float, bool, type(None)})
"""Types that JSON has as they are."""

_NESTING = (dict, list)

_ENCODER = Encoder()
