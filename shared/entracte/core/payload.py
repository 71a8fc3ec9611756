"""Free-form JSON as text, so that every store gives back exactly what it was given.

Firestore's own types cannot hold all of JSON (no list inside a list, integers up to 64 bits, keys without rules of
their own), so arguments, results and the like travel as canonical JSON text with its hash and size.
"""

from __future__ import annotations

import hashlib
import math
from typing import Any

from msgspec import Struct
from msgspec.json import Encoder, decode

from entracte.core.evolving import Evolving
from entracte.errors import CorruptDocument, InvalidInput

MAX_DEPTH = 100
"""Lists and objects inside each other. Deeper values are refused, in every store alike."""

MAX_BYTES = 4 * 1024 * 1024
"""UTF-8 bytes of one payload."""

INLINE_BYTES = 200 * 1024
"""Larger payloads are kept in chunk documents beside the document that refers to them."""

_MAX_INT_BITS = 12_900  # below the 4,300 digits that CPython converts to and from text by default

_POINTER_CHARS = 300  # keys may be of any length, and what is said of them has to fit into a document

_SMALL = 2**63  # integers up to here need not be measured


class Payload(Evolving, frozen=True, kw_only=True):
    """One JSON value.

    Attributes:
        text: Canonical JSON: sorted keys, no white space, UTF-8. Empty while the text lies in chunks.
        sha256: Hex digest of the text.
        size_bytes: Length of the text in UTF-8.
        chunks: Number of chunk documents that hold the text; 0 when it is inline.
    """

    text: str
    sha256: str
    size_bytes: int
    chunks: int = 0

    @classmethod
    def of(cls, value: Any) -> Payload:
        """Encode a value.

        Raises:
            InvalidInput: Not JSON, too deep or too large; `pointer` names the place.
        """
        _check(value, [], set())
        return cls._written(_ENCODER.encode(value))

    @classmethod
    def of_struct(cls, value: Struct) -> Payload:
        """Encode a Struct whose texts and numbers documents hold already.

        Raises:
            InvalidInput: Too large.
        """
        return cls._written(_ENCODER.encode(value))

    @classmethod
    def _written(cls, raw: bytes) -> Payload:
        if len(raw) > MAX_BYTES:
            raise InvalidInput(
                f"The value has {len(raw):,} bytes as JSON; at most {MAX_BYTES:,} can be kept.", code="too_large"
            )
        return cls(text=raw.decode(), sha256=hashlib.sha256(raw).hexdigest(), size_bytes=len(raw))

    @property
    def value(self) -> Any:
        """The value that was encoded, equal in every type.

        Raises:
            CorruptDocument: Somebody has edited the text.
        """
        try:
            return decode(self.text)
        except ValueError as error:
            raise CorruptDocument(f"The payload {self.sha256[:12]}… is not JSON: {error}.") from None


def canonical(value: Any) -> str:
    """JSON text with sorted keys and no white space; the order of lists is kept.

    Raises:
        InvalidInput: The value is not JSON; `pointer` names the first place that is not.
    """
    _check(value, [], set())
    return _ENCODER.encode(value).decode()


def digest(value: Any) -> str:
    """``sha256:…`` of a value as people compare values: 1 equals 1.0, null differs from absent, keys have no order.

    Raises:
        InvalidInput: The value is not JSON; `pointer` names the first place that is not.
    """
    _check(value, [], set())
    return "sha256:" + hashlib.sha256(_ENCODER.encode(_same_numbers(value))).hexdigest()


def _same_numbers(value: Any) -> Any:
    match value:
        case float() if value.is_integer():
            return int(value)
        case dict():
            return {key: _same_numbers(item) for key, item in value.items()}
        case list():
            return [_same_numbers(item) for item in value]
        case _:
            return value


def _base(value: Any) -> str | int | float:
    """A value of somebody's own kind of text or number as what it is a kind of."""
    if isinstance(value, str):
        return str.__str__(value)
    return int(value) if isinstance(value, int) else float(value)


_ENCODER = Encoder(enc_hook=_base, order="sorted")


def readable(text: str, chars: int) -> str:
    """A text as every store can keep it: lone surrogates (a file name in odd bytes) written out, cut to a length."""
    return text[:chars].encode(errors="backslashreplace").decode()[:chars]


def error_text(error: str) -> str:
    """An error in words as documents keep it: the beginning says what is wrong."""
    return readable(error, 2000)


def _check(value: Any, trail: list[str], open_ids: set[int]) -> None:
    """Refuse what JSON text could not give back unchanged, and say where it is."""
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, str):
        _check_text(value, trail)
    elif type(value) in (dict, list):
        _check_inside(value, trail, open_ids)
    elif isinstance(value, int):
        if value.bit_length() > _MAX_INT_BITS:
            raise _refused(f"an integer of more than {_MAX_INT_BITS:,} bits", trail)
    elif not isinstance(value, float):
        raise _refused(f"a value of type {type(value).__qualname__}", trail)
    elif not math.isfinite(value):
        raise _refused(f"{value}, which JSON does not have", trail)


def _check_inside(value: dict[Any, Any] | list[Any], trail: list[str], open_ids: set[int]) -> None:
    if id(value) in open_ids:
        raise _refused("a value that contains itself", trail)
    if len(trail) >= MAX_DEPTH:
        raise _refused(f"more than {MAX_DEPTH} levels of lists and objects", trail)
    open_ids.add(id(value))
    if isinstance(value, dict):
        for key in value:
            if type(key) is not str:
                raise _refused(f"a key of type {type(key).__name__}; keys must be strings", trail)
            _check_text(key, trail)
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        of = type(item)
        if (of is str and item.isascii()) or item is None or (of is int and -_SMALL < item < _SMALL):
            continue  # most items are what needs no further look
        trail.append(str(key))
        _check(item, trail, open_ids)
        trail.pop()
    open_ids.discard(id(value))


def _check_text(text: str, trail: list[str]) -> None:
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise _refused(f"the lone surrogate U+{ord(text[error.start]):04X}, which is no character", trail) from None


def _refused(what: str, trail: list[str]) -> InvalidInput:
    pointer = readable("".join("/" + part.replace("~", "~0").replace("/", "~1") for part in trail), _POINTER_CHARS)
    return InvalidInput(f"Not a JSON value: {what}, at {pointer or 'the top'}.", pointer=pointer, code="not_json")
