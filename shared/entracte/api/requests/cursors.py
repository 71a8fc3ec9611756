"""Cursors: where a list goes on, as text that means something to us only.

A cursor belongs to one list. Its checksum covers what the list is of, so that a cursor that was altered, or taken from
a list with other filters, is refused instead of skipping things in silence. It guards nothing: whoever forges one
reaches only places in a list of their own.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime
from hashlib import sha256
from typing import Any

from entracte.errors import InvalidInput

MAX_CHARS = 500

Place = tuple[Any, str]
"""Last item of a page: its value in the list's order (a time or a number), and its path."""


def encode_cursor(place: Place | None, *, of: str) -> str | None:
    """The cursor of the next page; None after the last.

    Args:
        of: What the list is of: whose, of what, with which filters.
    """
    if place is None:
        return None
    value, path = place
    text = json.dumps([value.isoformat() if isinstance(value, datetime) else value, path])
    return urlsafe_b64encode(_checksum(of, text) + text.encode()).decode().rstrip("=")


def decode_cursor(cursor: str | None, *, of: str) -> Place | None:
    """The place that a cursor names; None for no cursor.

    Raises:
        InvalidInput: This list never gave such a cursor.
    """
    if cursor is None:
        return None
    try:
        raw = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        checksum, text = raw[:_CHECKSUM_BYTES], raw[_CHECKSUM_BYTES:].decode()
        place = _place(text) if checksum == _checksum(of, text) else None
    except ValueError:
        place = None
    if place is None:
        raise InvalidInput(
            "The cursor is none that this list has given.",
            remedy="Send next_cursor of the page before as it is, with the same filters; without it the list begins.",
            code="bad_cursor",
        )
    return place


def _place(text: str) -> Place | None:
    """What a cursor says; None for what no list of ours says, whoever has made the checksum for it.

    Raises:
        ValueError: It is not even JSON, or no time.
    """
    match json.loads(text):
        case [str(value), str(path)] if (at := datetime.fromisoformat(value)).tzinfo is not None:
            return at, path
        case [int() | None as value, str(path)]:
            return value, path
        case _:
            return None


_CHECKSUM_BYTES = 9


def _checksum(of: str, text: str) -> bytes:
    return sha256(f"{of}\0{text}".encode()).digest()[:_CHECKSUM_BYTES]
