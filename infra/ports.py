"""Loopback ports: finding a free one, refusing one that is taken."""

from __future__ import annotations

import http.client
import random
import socket

LOOPBACK = "127.0.0.1"

# Below the range from which Linux and macOS take the ports of outgoing connections: a port found free here stays free
# until its server binds it, however many connections are opened meanwhile.
_CANDIDATES = range(20_000, 30_000)
_TRIES = 100
_ANSWER_TIMEOUT_S = 2.0


class PortInUse(Exception):
    """Another process listens on the port."""


def is_free(port: int) -> bool:
    """Whether a server could listen on the port now."""
    with socket.socket() as probe:
        # Ignores connections of a server that has just ended, as servers themselves do.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def free_port() -> int:
    """A port that nothing listens on."""
    for port in random.sample(_CANDIDATES, _TRIES):
        if is_free(port):
            return port
    raise PortInUse(f"None of {_TRIES} ports tried between {_CANDIDATES.start} and {_CANDIDATES.stop} is free.")


def claim(port: int, *, purpose: str, remedy: str) -> int:
    """The port itself, or a free one for 0.

    Raises:
        PortInUse: Another process listens on it; names port and purpose.
    """
    if port == 0:
        return free_port()
    if not is_free(port):
        raise PortInUse(f"Port {port} ({purpose}) is in use by another process. {remedy}")
    return port


def answers(address: str, path: str = "/") -> bool:
    """Whether an HTTP server at ``host:port`` answers a GET at all, whatever the status."""
    connection = http.client.HTTPConnection(address, timeout=_ANSWER_TIMEOUT_S)
    try:
        connection.request("GET", path)
        connection.getresponse()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True
