"""The parts of a JSON Web Token. Nothing here says that they are true.

Format: https://www.rfc-editor.org/rfc/rfc7519, in the compact form of https://www.rfc-editor.org/rfc/rfc7515
"""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from entracte.errors import Unauthenticated

MAX_CHARS = 8192
"""Google's tokens have about 1,000."""

_COMPACT = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)")


class Jwt(Struct, frozen=True):
    """A token, taken apart.

    Attributes:
        algorithm, key_id: What it says that it was signed with.
        claims: What it says.
        signed: The bytes that the signature is of.
        signature: As written, in base64.
    """

    algorithm: str
    key_id: str
    claims: Mapping[str, Any]
    signed: bytes
    signature: str

    def __repr__(self) -> str:
        return "Jwt(…)"


def looks_like_jwt(token: str) -> bool:
    """Three parts with points between, as no API key has."""
    return token.count(".") == 2


def parse_jwt(token: str) -> Jwt:
    """The parts of a token.

    Raises:
        Unauthenticated: It is none.
    """
    parts = _COMPACT.fullmatch(token) if len(token) <= MAX_CHARS else None
    if parts is None:
        raise Unauthenticated("The token is no JSON Web Token.", code="bad_token")
    header, claims = _json(parts[1]), _json(parts[2])
    algorithm, key_id = header.get("alg"), header.get("kid")
    if not isinstance(algorithm, str) or not isinstance(key_id, str) or "crit" in header:
        raise Unauthenticated("The token's header names no algorithm and key, or asks for more.", code="bad_token")
    signed = f"{parts[1]}.{parts[2]}".encode()
    return Jwt(algorithm=algorithm, key_id=key_id, claims=claims, signed=signed, signature=parts[3])


def decode_base64url(text: str) -> bytes:
    """The bytes of unpadded base64.

    Raises:
        ValueError: It is none.
    """
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _json(part: str) -> dict[str, Any]:
    try:
        value = json.loads(decode_base64url(part))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Unauthenticated("A part of the token is no JSON object.", code="bad_token")
    return value
