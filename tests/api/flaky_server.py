"""A server that hangs up before it answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class FlakyServer:
    """Hangs up on the first requests, then gives one answer to all.

    Attributes:
        url: Where it is.
        failures: Requests that it still hangs up on.
        seen: Method, Idempotency-Key and body of each request.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.failures = 0
        self.status = 200
        self.content_type = "application/json"
        self.body = json.dumps({"id": "r", "status": "queued"})
        self.seen: list[tuple[str, str | None, str]] = []


@contextmanager
def flaky_server() -> Iterator[FlakyServer]:
    """The server, until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
            server.seen.append((self.command, self.headers.get("idempotency-key"), body))
            if server.failures:
                server.failures -= 1
                self.close_connection = True
                return
            self.send_response(server.status)
            self.send_header("Content-Type", server.content_type)
            self.send_header("Content-Length", str(len(server.body)))
            self.end_headers()
            self.wfile.write(server.body.encode())

        do_GET = do_POST = do_PATCH = do_DELETE = answer  # noqa: N815 - names that the base class looks for

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        server = FlakyServer("http://{}:{}".format(*listening.server_address))
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            listening.shutdown()
            thread.join(10)
