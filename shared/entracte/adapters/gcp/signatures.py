"""Signatures of Google's issuers, by the public keys that they publish: PEM by key id, in a JSON object."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping

from entracte.core.identity.jwt import Jwt, decode_base64url
from entracte.errors import StoreUnavailable, Unauthenticated

MIN_KEPT_S, MAX_KEPT_S = 60, 24 * 3600
"""Bounds of the time for which keys are kept, whatever their server says (``Cache-Control: max-age``)."""

ASK_AGAIN_S = 60
"""An unknown key id has the keys fetched at most once in so many seconds: anybody can make one up."""

RETRY_S = 5
"""So long after a failure, requests are refused without trying again: they would queue for an answer."""

MAX_KEYS, MAX_BYTES, TIMEOUT_S = 50, 200_000, 5.0

Fetch = Callable[[str], tuple[Mapping[str, str], str]]
"""Gives the keys at an address, and the Cache-Control header that came with them."""


class PublishedKeys:
    """Signatures port. Safe to use from several threads.

    Args:
        url: Where the keys are.
        algorithm: The only one that is accepted: what a token says of itself decides nothing.
        now_s: Seconds of a clock that never goes back.
    """

    def __init__(
        self,
        url: str,
        algorithm: str,
        *,
        fetch: Fetch | None = None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url, self._algorithm = url, algorithm
        self._fetch = fetch or _fetched
        self._now_s = now_s
        self._lock = threading.Lock()
        self._keys: Mapping[str, str] = {}
        self._asked_s, self._failed_s, self._good_until_s = _NEVER, _NEVER, _NEVER

    def check(self, token: Jwt) -> None:
        from google.auth.crypt import RSAVerifier, verify_signature
        from google.auth.crypt.es256 import ES256Verifier

        if token.algorithm != self._algorithm:
            raise Unauthenticated(f"The token is not signed with {self._algorithm}.", code="bad_token")
        key = self._key(token.key_id)
        verifier = RSAVerifier if self._algorithm == "RS256" else ES256Verifier
        try:
            signed = key is not None and verify_signature(
                token.signed, decode_base64url(token.signature), [key.encode()], verifier
            )
        except ValueError:
            signed = False
        if not signed:
            raise Unauthenticated("The token was not signed by its issuer.", code="bad_signature")

    def _key(self, key_id: str) -> str | None:
        with self._lock:
            now_s = self._now_s()
            if now_s >= self._good_until_s or (key_id not in self._keys and now_s >= self._asked_s + ASK_AGAIN_S):
                self._ask(now_s)
            return self._keys.get(key_id)

    def _ask(self, now_s: float) -> None:
        if now_s < self._failed_s + RETRY_S:
            raise StoreUnavailable(f"The issuer's keys at {self._url} could not be had.", code="keys_unavailable")
        try:
            self._keys, control = self._fetch(self._url)
        except StoreUnavailable:
            self._failed_s = now_s
            raise
        self._asked_s, self._good_until_s = now_s, now_s + _kept_s(control)


_NEVER = float("-inf")


def _kept_s(control: str) -> int:
    found = re.search(r"max-age=([0-9]{1,9})", control)
    return min(max(int(found[1]) if found else 0, MIN_KEPT_S), MAX_KEPT_S)


def _fetched(url: str) -> tuple[Mapping[str, str], str]:
    """The keys at an address.

    Raises:
        StoreUnavailable: There was no answer, or none that holds keys.
    """
    import httpx

    try:
        answer = httpx.get(url, timeout=TIMEOUT_S, follow_redirects=False)
        keys = answer.raise_for_status().json() if len(answer.content) <= MAX_BYTES else None
    except (httpx.HTTPError, ValueError) as error:
        raise StoreUnavailable(f"The issuer's keys at {url} cannot be had: {error}.", code="keys_unavailable") from None
    if not isinstance(keys, dict) or len(keys) > MAX_KEYS or not all(isinstance(key, str) for key in keys.values()):
        raise StoreUnavailable(f"What is at {url} are no keys.", code="keys_unavailable")
    return keys, answer.headers.get("cache-control", "")
