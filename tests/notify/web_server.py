"""A web server on this machine that keeps what is posted to it, and answers as it is told."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any


@dataclass(frozen=True, slots=True)
class Posted:
    """One request."""

    path: str
    headers: Mapping[str, str]
    body: bytes


class WebServer(ThreadingHTTPServer):
    """Listens on 127.0.0.1.

    Attributes:
        status: What it answers.
        location: Where it sends whoever asks; for redirects.
        trickle: It says without end that an answer will come.
    """

    daemon_threads = True

    def __init__(self, status: int = 200, *, location: str = "", tls: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status, self.location, self.trickle = status, location, False
        self.received: list[Posted] = []
        self.scheme = "https" if tls is not None else "http"
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True)

    @property
    def url(self) -> str:
        return f"{self.scheme}://localhost:{self.server_address[1]}/hook"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are none of the test's business."""

    def __enter__(self) -> WebServer:
        Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: WebServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.received.append(Posted(self.path, dict(self.headers), body))
        if self.server.trickle:
            while True:  # until the other end hangs up
                self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        self.send_response(self.server.status)
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""
