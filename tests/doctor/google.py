"""Google's administrative APIs as far as doctor asks them: JSON over HTTP, by path, and refusals."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SERVICES = ("firestore", "pubsub", "run", "eventarc", "cloudscheduler", "secretmanager", "cloudresourcemanager")


@dataclass
class Google:
    """Answers by path; what has none is 404.

    Attributes:
        hidden: Paths that are refused with 403.
        asked: Methods that were used: doctor only looks.
    """

    address: str = ""
    answers: dict[str, Any] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)

    @property
    def addresses(self) -> dict[str, str]:
        """The address of each service."""
        return {service: f"{self.address}/{service}" for service in SERVICES}


@contextmanager
def google() -> Iterator[Google]:
    """A server on this machine."""
    it = Google()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0].lstrip("/")
            it.asked.add(f"GET {self.headers['Authorization']}")
            if path in it.hidden:
                self._say(403, {"error": {"code": 403, "message": f"Permission denied on {path}"}})
            elif path in it.answers:
                self._say(200, it.answers[path])
            else:
                self._say(404, {"error": {"code": 404, "message": "Not found."}})

        def _say(self, status: int, body: Any) -> None:
            raw = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *args: Any) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    it.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield it
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
