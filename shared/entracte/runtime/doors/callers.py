"""Who is calling. The API and the MCP gateway ask the same."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from starlette.requests import HTTPConnection

from entracte.core.identity.identity import Identity, identity_of
from entracte.errors import Forbidden
from entracte.runtime.doors.signing_in import SignIn
from entracte.runtime.doors.this_machine import comes_from_here

Identify = Callable[[HTTPConnection], Identity]
"""Says who makes a request; raises Forbidden for nobody that is let in. Runs in a thread."""


class SignedIn(Struct, frozen=True):
    """Takes a request for its sender's if it carries a proof of who that is."""

    sign_in: SignIn

    def __call__(self, request: HTTPConnection) -> Identity:
        """The sender.

        Raises:
            Unauthenticated: There is no proof, or none that holds.
            Forbidden: This deployment is not for them.
        """
        return self.sign_in.identify(request.headers)


class LoopbackUser(Struct, frozen=True):
    """Takes every request from this machine for the same person's, and refuses all others.

    Attributes:
        operators: Names of operators, of whom this person may be one.
    """

    user: str
    operators: tuple[str, ...] = ()

    def __call__(self, request: HTTPConnection) -> Identity:
        """The user.

        Raises:
            Forbidden: The request may come from elsewhere.
        """
        if not comes_from_here(request.headers, request.client.host if request.client is not None else ""):
            raise Forbidden(
                "Only requests from the machine that answers them are taken.",
                remedy="Send them to http://127.0.0.1:PORT or http://localhost:PORT on that machine.",
                code="not_loopback",
            )
        return identity_of(self.user, users=("*",), operators=self.operators)
