"""Who sends a request, by what it carries: a token of an issuer that this deployment trusts, or an API key.

Knows headers and nothing else of HTTP, so that every door can ask: the API, links to gates, the MCP gateway.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence

from entracte.core.identity.claims import check_claims
from entracte.core.identity.identity import Identity, identity_of
from entracte.core.identity.issuers import Issuer
from entracte.core.identity.jwt import Jwt, looks_like_jwt, parse_jwt
from entracte.core.identity.keys import KeyHolder, holder_of, parse_keys
from entracte.core.identity.pushing import STRIPPED, bearer
from entracte.errors import ConfigurationError, Unauthenticated
from entracte.ports.clock import Clock
from entracte.ports.signatures import Signatures

log = logging.getLogger("entracte")

API_KEYS = "ENTRACTE_API_KEYS"
"""Secret that lists hashes of API keys; `entracte.core.identity.keys` says how."""

KEYS_KEPT_S = 60
"""A key that is taken off the list is refused after so many seconds at the latest, plus those of the secrets port."""


class SignIn:
    """Tells people and programs apart.

    Args:
        issuers: Those trusted, with what knows their keys.
        read_keys: Gives the list of API keys; None where none are taken.
        users: Who may come in with a token: names, or patterns such as ``*@example.com``.
        operators: Who may do what any owner may.
    """

    def __init__(
        self,
        issuers: Sequence[tuple[Issuer, Signatures]],
        *,
        clock: Clock,
        read_keys: Callable[[], str] | None = None,
        users: Sequence[str] = (),
        operators: Sequence[str] = (),
    ) -> None:
        self._issuers = issuers
        self._clock = clock
        self._read_keys = read_keys
        self._users, self._operators = users, operators
        self._lock = threading.Lock()
        self._holders: tuple[float, tuple[KeyHolder, ...]] | None = None

    def identify(self, headers: Mapping[str, str]) -> Identity:
        """Who sends a request.

        Raises:
            Unauthenticated: It does not prove it.
            Forbidden: It does, but this deployment is for others.
            RetryableError: It cannot be told now.
        """
        for issuer, signatures in self._issuers:
            if issuer.header != "authorization" and issuer.header in headers:
                return self._by_token(parse_jwt(headers[issuer.header]), [(issuer, signatures)])
        secret = bearer(headers.get("authorization", ""))
        if not looks_like_jwt(secret):
            return self._by_key(secret)
        ours = [(issuer, keys) for issuer, keys in self._issuers if issuer.header == "authorization"]
        return self._by_token(parse_jwt(secret), ours)

    def _by_token(self, token: Jwt, issuers: Sequence[tuple[Issuer, Signatures]]) -> Identity:
        if token.signature == STRIPPED:
            raise Unauthenticated(
                "Cloud Run has taken this token for its own, and its signature away.",
                remedy="Send the token for Cloud Run in X-Serverless-Authorization, and yours in Authorization.",
                code="token_stripped",
            )
        for issuer, signatures in issuers:
            if token.claims.get("iss") in issuer.names:
                signatures.check(token)  # first: before it, nothing that the token says is worth an answer
                now = self._clock.now()
                check_claims(token.claims, issuers=issuer.names, audiences=issuer.audiences, now=now)
                name = issuer.name_in(token.claims)
                return identity_of(name, users=self._users, operators=self._operators)
        raise Unauthenticated("The token comes from an issuer that is not trusted here.", code="wrong_issuer")

    def _by_key(self, key: str) -> Identity:
        holder = holder_of(key, self._listed())
        if holder is None:
            raise Unauthenticated(
                "The token is neither a JSON Web Token nor an API key of this deployment.", code="bad_token"
            )
        operators = (*self._operators, holder.name) if holder.operator else self._operators
        return identity_of(holder.name, users=(holder.name,), operators=operators)

    def _listed(self) -> tuple[KeyHolder, ...]:
        if self._read_keys is None:
            return ()
        with self._lock:
            now_s = self._clock.now().timestamp()
            if self._holders is None or now_s >= self._holders[0] + KEYS_KEPT_S:
                self._holders = now_s, self._read(self._read_keys)
            return self._holders[1]

    @staticmethod
    def _read(read_keys: Callable[[], str]) -> tuple[KeyHolder, ...]:
        try:
            text = read_keys()
        except ConfigurationError as missing:  # the secret has no value yet: nobody has a key
            log.warning("no_api_keys %s", missing)
            return ()
        return parse_keys(text)
