"""The signatures port."""

from __future__ import annotations

from typing import Protocol

from entracte.core.identity.jwt import Jwt


class Signatures(Protocol):
    """Knows an issuer's public keys."""

    def check(self, token: Jwt) -> None:
        """Return if the issuer has signed a token.

        Raises:
            Unauthenticated: It has not.
            RetryableError: Its keys cannot be had now.
        """
        ...
