"""Who is calling. The one place that decides it: every route asks here, through `Caller`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from fastapi import Request

from entracte.core.identity.identity import Identity
from entracte.errors import Forbidden
from entracte.runtime.signing_in import SignIn

Identify = Callable[[Request], Identity]
"""Says who makes a request; raises Forbidden for nobody that is let in. Runs in a thread."""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Takes a request for its sender's if it carries a proof of who that is."""

    sign_in: SignIn

    def __call__(self, request: Request) -> Identity:
        """The sender.

        Raises:
            Unauthenticated: There is no proof, or none that holds.
            Forbidden: This deployment is not for them.
        """
        return self.sign_in.identify(request.headers)


@dataclass(frozen=True, slots=True)
class LoopbackUser:
    """Takes every request from this machine for the same person's, and refuses all others.

    A request counts as such when it comes from a loopback address, through no proxy, and to a name that only means
    this machine: a page on the web can point a name of its own at 127.0.0.1, but cannot have the browser say
    ``Host: localhost``.
    """

    user: str

    def __call__(self, request: Request) -> Identity:
        """The user.

        Raises:
            Forbidden: The request may come from elsewhere.
        """
        proxied = "forwarded" in request.headers or "x-forwarded-for" in request.headers
        sender = request.client.host if request.client is not None else ""
        if proxied or not _is_loopback(sender) or not _is_loopback(_name(request.headers.get("host", ""))):
            raise Forbidden(
                "Only requests from the machine that this API runs on are answered.",
                remedy="Call it as http://127.0.0.1:PORT or http://localhost:PORT on that machine.",
                code="not_loopback",
            )
        return Identity(self.user)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _name(host: str) -> str:
    """Name or address of a Host header, without the port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
