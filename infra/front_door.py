"""Stands in for what stands before a phase in Google Cloud: Pub/Sub's sign-in, and Cloud Run's check of it.

The emulators push without a token. A door gives each request one as a function sees it there: with the claims that a
push subscription's token has, and without its signature.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ports import LOOPBACK

ACCOUNT = "push@demo.iam.gserviceaccount.com"
"""In whose name the stack's subscriptions push."""

_TIMEOUT_S = 600
_HOP_BY_HOP = {"connection", "content-length", "host", "transfer-encoding", "authorization"}


def stripped_token(address: str, account: str = ACCOUNT, **claims: object) -> str:
    """A token for a function at ``host:port``, without its signature.

    Args:
        claims: In place of those that a true one has.
    """
    now_s = int(time.time())
    said = {
        "aud": f"https://{address}",
        "email": account,
        "email_verified": True,
        "exp": now_s + 3600,
        "iat": now_s,
        "iss": "https://accounts.google.com",
        "sub": "1",
    } | claims
    parts = ({"alg": "RS256", "kid": "1", "typ": "JWT"}, said)
    encoded = (urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
    return ".".join((*encoded, "SIGNATURE_REMOVED_BY_GOOGLE"))


@contextmanager
def front_door(address: str) -> Iterator[str]:
    """``host:port`` of a door before a function at ``host:port``, until the end of the block."""

    class Door(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP_BY_HOP}
            headers["Authorization"] = f"Bearer {stripped_token(address)}"
            status, answer = _passed_on(address, self.path, body, headers)
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: the function does."""

    with ThreadingHTTPServer((LOOPBACK, 0), Door) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, name=f"door to {address}", daemon=True).start()
        try:
            yield f"{LOOPBACK}:{server.server_port}"
        finally:
            server.shutdown()


def _passed_on(address: str, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(address, timeout=_TIMEOUT_S)
    try:
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        return answer.status, b"" if answer.status == 204 else answer.read()
    except OSError:
        return 503, b""  # it has not started yet, or not any more: the message comes again
    finally:
        connection.close()
