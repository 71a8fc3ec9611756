"""Connections to addresses that were checked, with an end to the time that they may take.

The check is made where the connection is opened, on the very address that it goes to: a name that is resolved twice can
mean something else the second time. The certificate is still checked against the name.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable
from typing import Any

import httpcore

from entracte.outbound.addresses import resolve

MAX_ADDRESSES = 4
"""Of one name, that are tried one after the other."""


class CheckedConnections(httpcore.NetworkBackend):
    """Opens connections for one request.

    Args:
        ends: When it all has to be over, by `time.monotonic`.
        public, loopback: Which kinds of addresses they may go to.
    """

    def __init__(self, *, ends: float, public: bool, loopback: bool) -> None:
        self._ends = ends
        self._public, self._loopback = public, loopback
        self._real = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first of the host's addresses that takes it.

        Raises:
            TerminalError, RetryableError: As `resolve` does.
            httpcore.ConnectError, httpcore.ConnectTimeout: None took it.
        """
        failure: Exception = httpcore.ConnectError("no address")
        for address in resolve(host, port, public=self._public, loopback=self._loopback)[:MAX_ADDRESSES]:
            try:
                stream = self._real.connect_tcp(address, port, _left(self._ends), local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                return _Bounded(stream, self._ends)
        raise failure


class _Bounded(httpcore.NetworkStream):
    """A connection on which nothing lasts beyond the end: whoever answers byte by byte gains no time."""

    def __init__(self, stream: httpcore.NetworkStream, ends: float) -> None:
        self._stream = stream
        self._ends = ends

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(self._ends))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left(self._ends))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Bounded(self._stream.start_tls(ssl_context, server_hostname, _left(self._ends)), self._ends)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _left(ends: float) -> float:
    """Seconds until the end.

    Raises:
        httpcore.ReadTimeout: There are none.
    """
    if (left := ends - time.monotonic()) <= 0:
        raise httpcore.ReadTimeout("the time is over")
    return left
