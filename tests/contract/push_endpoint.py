"""An HTTP server that takes what push subscriptions post, as a function would."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_WAIT_S = 20


class PushEndpoint:
    """Keeps the body of every push.

    Attributes:
        url: Where to push.
    """

    def __init__(self) -> None:
        self._bodies: list[bytes] = []
        self._arrival = threading.Condition()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                endpoint._take(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Stay silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://{}:{}/".format(*self._server.server_address)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def bodies(self, count: int) -> list[bytes]:
        """All bodies so far, once there are that many different ones or 20 s have passed."""
        with self._arrival:
            self._arrival.wait_for(lambda: len(set(self._bodies)) >= count, timeout=_WAIT_S)
            return list(self._bodies)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _take(self, body: bytes) -> None:
        with self._arrival:
            self._bodies.append(body)
            self._arrival.notify_all()
