"""Tokens of pushes, as functions see them that stand behind Cloud Run's IAM check. Pure.

Cloud Run verifies the token of a request, and then takes its signature away, so that nobody can use it elsewhere. What
is left to check are the claims, and only where Cloud Run is known to have checked the rest: anybody can write claims.
https://cloud.google.com/run/docs/securing/service-identity#identity_tokens
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from entracte.core.identity.claims import check_claims, verified_email
from entracte.core.identity.issuers import GOOGLE_ISSUERS
from entracte.core.identity.jwt import parse_jwt
from entracte.errors import Forbidden, Unauthenticated

STRIPPED = "SIGNATURE_REMOVED_BY_GOOGLE"
"""What stands in place of the signature."""


def bearer(authorization: str) -> str:
    """The token of an Authorization header.

    Raises:
        Unauthenticated: There is none.
    """
    scheme, _, token = authorization.strip().partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthenticated(
            "The request says nothing of who sends it.", remedy="Send Authorization: Bearer and a token."
        )
    return token.strip()


def check_push(authorization: str, *, host: str, account: str, now: datetime, audiences: Sequence[str] = ()) -> None:
    """Refuse a request that Cloud Run has not let through for our subscription.

    Args:
        host: What the request was sent to; the token has to be for the same.
        account: E-mail of the service account in whose name our subscriptions push.
        audiences: Others that the token may be for: further addresses of this function.

    Raises:
        Unauthenticated: No token, or none that was checked by Cloud Run and is for this function now.
        Forbidden: Somebody else's.
    """
    token = parse_jwt(bearer(authorization))
    if token.signature != STRIPPED:
        raise Unauthenticated(
            "The token still has a signature, which Cloud Run would have taken away.",
            remedy="Unset ENTRACTE_BEHIND_IAM where the function does not stand behind Cloud Run's IAM check.",
            code="not_behind_iam",
        )
    ours = (*audiences, *_if_for(host, token.claims))
    check_claims(token.claims, issuers=GOOGLE_ISSUERS, audiences=ours, now=now)
    if verified_email(token.claims) != account.lower():
        raise Forbidden(f"Only {account} calls this function.", code="wrong_account")


def _if_for(host: str, claims: Mapping[str, Any]) -> tuple[str, ...]:
    """The token's own audience if it is this host, with whatever path; else nothing."""
    audience = claims.get("aud")
    if not isinstance(audience, str) or not host:
        return ()
    try:
        parts = urlsplit(audience)
    except ValueError:
        return ()
    return (audience,) if (parts.scheme, parts.netloc) == ("https", host.lower()) else ()
