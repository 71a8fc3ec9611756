"""A proxy that cuts connections in the middle of what comes back."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import urlsplit


class CuttingProxy:
    """Passes bytes on, and hangs up after as many as it is told, once for each number; then never again.

    Attributes:
        url: Where it is.
        cuts: How many connections it has cut so far.
    """

    def __init__(self, to: str, after_bytes: Sequence[int]) -> None:
        parts = urlsplit(to)
        self._to = (str(parts.hostname), int(parts.port or 80))
        self._after = list(after_bytes)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = "http://{}:{}".format(*self._listening.getsockname())
        self.cuts = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                inside, _ = self._listening.accept()
                threading.Thread(target=self._pass_on, args=(inside,), daemon=True).start()

    def _pass_on(self, inside: socket.socket) -> None:
        with inside, socket.create_connection(self._to) as outside:
            threading.Thread(target=_pump, args=(inside, outside), daemon=True).start()
            left = self._after.pop(0) if self._after else None
            with contextlib.suppress(OSError):
                while data := outside.recv(4096 if left is None else max(1, min(4096, left))):
                    inside.sendall(data)
                    if left is not None and (left := left - len(data)) <= 0:
                        self.cuts += 1
                        inside.shutdown(socket.SHUT_RDWR)
                        return

    def close(self) -> None:
        self._listening.close()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(4096):
            target.sendall(data)


@contextmanager
def cutting_proxy(to: str, after_bytes: Sequence[int]) -> Iterator[CuttingProxy]:
    """The proxy, until the end of the block."""
    proxy = CuttingProxy(to, after_bytes)
    try:
        yield proxy
    finally:
        proxy.close()
