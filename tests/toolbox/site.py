"""A web server on this machine that answers each path as a test says, in bytes if it must."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any

Reply = tuple[int, Mapping[str, str], bytes | Callable[[], Iterator[bytes]]]


class Site(ThreadingHTTPServer):
    """Listens on 127.0.0.1, or another address of this machine.

    Attributes:
        pages: What it answers: status, headers and body; a body that is called may go on without end.
        asked: Path and headers of each request.
        bodies: What was posted.
        answers: Said before any of the pages, one after the other.
        sent_bytes: Of bodies that go on.
    """

    daemon_threads = True

    def __init__(self, pages: Mapping[str, Reply], *, address: str = "127.0.0.1") -> None:
        super().__init__((address, 0), _Handler)
        self.pages = dict(pages)
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.answers: Iterator[Reply] = iter(())
        self.bodies: list[bytes] = []
        self.sent_bytes = 0

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.server_address[1]}{path}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are none of the test's business."""

    def __enter__(self) -> Site:
        Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        self.server.asked.append((self.path, dict(self.headers)))
        if (answer := next(self.server.answers, None)) is not None:
            self._answer(*answer)
            return
        self._answer(*self.server.pages.get(self.path, (404, {}, b"Nothing here.")))

    def do_POST(self) -> None:
        self.server.bodies.append(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        self.do_GET()

    def _answer(self, status: int, headers: Mapping[str, str], body: bytes | Callable[[], Iterator[bytes]]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if isinstance(body, bytes):
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        self.end_headers()
        for piece in body():
            self.wfile.write(piece)
            self.server.sent_bytes += len(piece)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""
