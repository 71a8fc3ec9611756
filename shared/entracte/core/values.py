"""Values that every store keeps alike.

Firestore refuses some Python values and silently changes others (a naive datetime becomes UTC, a set an array), SQLite
and memory have other habits. So all stores pass what they are given through here first, and an application that works
with one works with all.

Limits: https://firebase.google.com/docs/firestore/quotas#collections_documents_and_fields
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final, NoReturn

from entracte.core.vector import Vector
from entracte.errors import InvalidInput

MAX_DOCUMENT_BYTES = 1024 * 1024
MAX_VALUE_BYTES = MAX_DOCUMENT_BYTES - 89
MAX_DEPTH = 20
MAX_DIMENSIONS = 2048
"""Numbers of one vector."""

MAX_FIELD_PATH_BYTES = 1500
"""Names of a field and of all keys above and in it, with the points between them."""

Scalar = str | int | float | bool | bytes | datetime | None
"""A single value: what can be compared."""

FIELD: Final = re.compile(r"(?!__.*__\Z)[A-Za-z_][A-Za-z0-9_]*")
"""Name of a top-level field."""

_RESERVED = re.compile(r"__.*__", re.DOTALL)


def plain_fields(path: str, fields: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """A document's fields as all stores keep them, sharing nothing with what was given, and their size in bytes.

    Tuples become lists, times become UTC cut to milliseconds; nothing else changes. The size is what the fields take
    in Firestore or in a request to it, whichever is more; it errs upwards.

    Raises:
        InvalidInput: A value that some store could not keep; `pointer` names the place.
    """
    kept = {}
    size = 0
    for name, value in fields.items():
        try:
            if type(name) is not str or not _is_field(name):
                raise _Refused(f"the field name {name!r}; names are letters, digits and _, and not __…__")
            kept[name], cost = _plain(value, 0, MAX_FIELD_PATH_BYTES - len(name))
        except _Refused as refused:
            raise refused.under(name).as_error(path) from None
        size += 2 * len(name) + _KEY + cost  # twice, since an update names it in its mask too
    return kept, size


def plain_scalar(place: str, value: Any) -> Scalar:
    """A single value as stores keep and compare it: anything but a list or map.

    Raises:
        InvalidInput: Not such a value; names the place.
    """
    try:
        if isinstance(value, (dict, list, tuple, Vector)):
            raise _Refused(f"a {type(value).__name__}, which is not a single value")
        plain: Scalar = _plain(value, 0, MAX_FIELD_PATH_BYTES)[0]
    except _Refused as refused:
        raise refused.as_error(place) from None
    return plain


def kind(value: Any) -> int:
    """What a value is comparable with: values of different kinds are never equal, and sort by kind, as in Firestore."""
    return _KINDS[type(value)]


_KINDS: Final[Mapping[type, int]] = {
    type(None): 0,
    bool: 1,
    int: 2,
    float: 2,
    datetime: 3,
    str: 4,
    bytes: 5,
    list: 6,
    Vector: 7,
    dict: 8,
}

_KEY, _ITEM, _LIST, _MAP = 13, 5, 10, 10  # bytes that a key, an item and their containers take beside their content


class _Refused(Exception):
    """Collects the place on its way out, so that good values pay nothing for it."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.trail: list[str] = []

    def under(self, key: object) -> _Refused:
        self.trail.insert(0, str(key))
        return self

    def as_error(self, path: str) -> InvalidInput:
        pointer = "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in self.trail)
        pointer = pointer.encode(errors="backslashreplace").decode()
        return InvalidInput(f"{path}{pointer} cannot be stored: {self.what}.", pointer=pointer, code="not_storable")


def _plain(value: Any, depth: int, room: int) -> tuple[Any, int]:
    """The value as it is kept, and its size. `room` is what is left of the bytes of a field path."""
    of = type(value)
    if of is str and value.isascii() and len(value) <= MAX_VALUE_BYTES:  # most values, spared a call or two
        return value, len(value) + 5
    if value is None or of is bool:
        return value, 2
    if keep := _KEEP.get(of):
        return keep(value, depth, room)
    if isinstance(value, datetime):
        return _time(value, depth, room)
    raise _Refused(f"a {type(value).__qualname__}, which no store keeps")


def _whole(value: int, depth: int, room: int) -> tuple[int, int]:
    if not -(2**63) <= value < 2**63:
        raise _Refused("an integer of more than 64 bits")
    return value, 11


def _float(value: float, depth: int, room: int) -> tuple[float, int]:
    if not math.isfinite(value):
        raise _Refused(f"{value}, which JSON does not have")
    return value, 9


def _text(value: str, depth: int, room: int) -> tuple[str, int]:
    return value, _small(_utf8_bytes(value)) + 5


def _bytes(value: bytes, depth: int, room: int) -> tuple[bytes, int]:
    return value, _small(len(value)) + 5


def _time(value: datetime, depth: int, room: int) -> tuple[datetime, int]:
    if value.utcoffset() is None:
        raise _Refused(f"the time {value.isoformat()} without a time zone")
    try:
        utc = value.astimezone(UTC)
    except OverflowError:
        raise _Refused(f"the time {value.isoformat()}, which is outside the years 1 to 9999 in UTC") from None
    cut = utc.microsecond // 1000 * 1000
    return datetime(utc.year, utc.month, utc.day, utc.hour, utc.minute, utc.second, cut, UTC), 20


def _list(value: list[Any] | tuple[Any, ...], depth: int, room: int) -> tuple[list[Any], int]:
    _check_depth(depth)
    kept = []
    size = _LIST
    for index, item in enumerate(value):
        try:
            if isinstance(item, (list, tuple)):
                raise _Refused("a list directly inside a list")
            item, cost = _plain(item, depth + 1, room)
        except _Refused as refused:
            raise refused.under(index) from None
        kept.append(item)
        size += cost + _ITEM
    return kept, size


def _vector(value: Vector, depth: int, room: int) -> tuple[Vector, int]:
    if not 1 <= len(value.values) <= MAX_DIMENSIONS:
        raise _Refused(f"a vector of {len(value.values):,} numbers; 1 to {MAX_DIMENSIONS:,} can be kept")
    for number in value.values:
        _float(number, depth, room)
    return value, 50 + len(value.values) * (9 + _ITEM)


def _map(value: dict[str, Any], depth: int, room: int) -> tuple[dict[str, Any], int]:
    _check_depth(depth)
    kept = {}
    size = _MAP
    for key, item in value.items():
        try:
            length = _text_key_bytes(key) if type(key) is str else _refuse_key(key)
            if length >= room:
                raise _Refused(f"keys of more than {MAX_FIELD_PATH_BYTES:,} bytes from the field to here")
            kept[key], cost = _plain(item, depth + 1, room - length - 1)
        except _Refused as refused:
            raise refused.under(key) from None
        size += length + _KEY + cost
    return kept, size


_KEEP: Final[Mapping[type, Callable[[Any, int, int], tuple[Any, int]]]] = {
    int: _whole,
    float: _float,
    str: _text,
    bytes: _bytes,
    datetime: _time,
    list: _list,
    tuple: _list,
    dict: _map,
    Vector: _vector,
}


def _check_depth(depth: int) -> None:
    if depth == MAX_DEPTH:
        raise _Refused(f"more than {MAX_DEPTH} lists and maps inside each other")


def _small(size: int) -> int:
    if size > MAX_VALUE_BYTES:
        raise _Refused(f"a value of {size:,} bytes; at most {MAX_VALUE_BYTES:,} can be kept")
    return size


@lru_cache(maxsize=4096)  # documents have the same few hundred names for ever
def _is_field(name: str) -> bool:
    return bool(FIELD.fullmatch(name)) and len(name) <= MAX_FIELD_PATH_BYTES


def _refuse_key(key: object) -> NoReturn:
    raise _Refused(f"the key {key!r} of type {type(key).__name__}; keys must be strings")


@lru_cache(maxsize=4096)
def _text_key_bytes(key: str) -> int:
    if not key or _RESERVED.fullmatch(key):
        raise _Refused("an empty key" if not key else f"the key {key!r}, which is reserved")
    return _utf8_bytes(key)


def _utf8_bytes(text: str) -> int:
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError as error:
        raise _Refused(f"the lone surrogate U+{ord(text[error.start]):04X}, which is no character") from None
