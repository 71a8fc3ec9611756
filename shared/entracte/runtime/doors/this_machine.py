"""Whether a request was sent on the machine that answers it."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit


def comes_from_here(headers: Mapping[str, str], sender: str) -> bool:
    """It comes from a loopback address, through no proxy, and to a name that only means this machine.

    A page on the web can point a name of its own at 127.0.0.1, but cannot have the browser say ``Host: localhost``.
    """
    proxied = "forwarded" in headers or "x-forwarded-for" in headers
    return not proxied and _is_loopback(sender) and _is_loopback(_name(headers.get("host", "")))


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
