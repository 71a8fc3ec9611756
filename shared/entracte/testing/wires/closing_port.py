"""A port whose every connection ends as soon as something has been said on it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any


@contextmanager
def closing_port() -> Iterator[tuple[int, list[Any]]]:
    """The port, and what was received on it so far."""
    received: list[Any] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:  # the listening socket was shut down
                    return
                with connection, suppress(OSError):
                    received.append(connection.recv(4096))

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listening.getsockname()[1], received
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()
