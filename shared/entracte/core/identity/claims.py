"""What a token's claims must be, whoever has checked its signature. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from entracte.errors import Unauthenticated

LEEWAY_S = 30
"""Clocks differ."""

_LATEST_S = 10**11
"""Some three thousand years from now; what is above is no time in seconds."""

_EMAIL = re.compile(r"[^@\s/\x00-\x1f\x7f]{1,64}@[^@\s/\x00-\x1f\x7f]{1,255}")
_USER_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")


def check_claims(
    claims: Mapping[str, Any], *, issuers: Collection[str], audiences: Collection[str], now: datetime
) -> None:
    """Refuse a token that somebody else issued, that is for somebody else, or whose time is not now.

    Rules: https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation

    Raises:
        Unauthenticated: Says which.
    """
    if claims.get("iss") not in issuers:
        raise Unauthenticated("The token comes from another issuer.", code="wrong_issuer")
    if claims.get("aud") not in audiences:
        raise Unauthenticated(
            "The token is for another audience.",
            remedy="Ask for one whose audience is among ENTRACTE_AUDIENCE of this deployment.",
            code="wrong_audience",
        )
    issued, expires, now_s = _time(claims, "iat"), _time(claims, "exp"), now.timestamp()
    if issued is None or expires is None:
        raise Unauthenticated("The token does not say when it was issued and when it ends.", code="bad_token")
    if now_s >= expires + LEEWAY_S:
        raise Unauthenticated("The token has expired.", remedy="Ask for a new one.", code="token_expired")
    if now_s < issued - LEEWAY_S:
        raise Unauthenticated("The token was issued in the future.", remedy="Set your clock.", code="bad_token")


def verified_email(claims: Mapping[str, Any]) -> str:
    """The e-mail address in small letters, if its issuer vouches for it; else empty.

    Some letters beyond ASCII have the small letter of another one, so that two addresses would be one name: the Kelvin
    sign becomes a k.
    """
    email = claims.get("email")
    if claims.get("email_verified") is not True or not isinstance(email, str) or not _EMAIL.fullmatch(email):
        return ""
    return email.lower() if email.isascii() or email == email.lower() else ""


def user_id(claims: Mapping[str, Any]) -> str:
    """The user id; empty for one that could be taken for something else, such as an address or a path."""
    found = claims.get("sub")
    return found if isinstance(found, str) and _USER_ID.fullmatch(found) else ""


def _time(claims: Mapping[str, Any], name: str) -> float | None:
    value = claims.get(name)
    return float(value) if isinstance(value, (int, float)) and 0 < value < _LATEST_S else None
