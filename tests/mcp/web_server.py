"""An MCP server over streamable HTTP, by hand, that answers calls as the test says."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

TOKEN = "Bearer t0ken"


class WebServer:
    """It listens on this machine until it is closed.

    Attributes:
        answers: What it does with the next calls: a result, an HTTP status, or one of the words below. After that, the
            arguments come back.
        received: Method and session of each message that came with the token.
        stateless: It gives no sessions.
    """

    def __init__(self) -> None:
        self.answers: list = []
        self.received: list = []
        self.stateless = False
        self.sessions: set = set()
        self._ids = count(1)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"web": self}))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/mcp"

    @property
    def calls(self) -> int:
        """How many calls came."""
        return [method for method, _ in self.received].count("tools/call")

    def new_session(self) -> str:
        session = f"session-{next(self._ids)}"
        self.sessions.add(session)
        return session

    def forget_sessions(self) -> None:
        """As a restart would."""
        self.sessions.clear()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    web: WebServer

    def log_message(self, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self._say(405, b"")

    def do_DELETE(self) -> None:
        self._say(200, b"")

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        session, method = self.headers.get("mcp-session-id", ""), message["method"]
        if self.headers.get("authorization") != TOKEN:
            self._say(401, b"who are you?")
            return
        self.web.received.append((method, session))
        if method == "initialize":
            info = {"name": "web", "version": "1"}
            version = message["params"]["protocolVersion"]
            headers = {} if self.web.stateless else {"mcp-session-id": self.web.new_session()}
            result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
            self._tell(message, result, headers)
        elif session and session not in self.web.sessions:
            self._say(404, b"")
        elif "id" not in message:
            self._say(202, b"")
        else:
            self._answer(message)

    def _answer(self, message: dict) -> None:
        arguments = message.get("params", {}).get("arguments", {})
        echoed = {"content": [], "structuredContent": arguments}
        match self.web.answers.pop(0) if self.web.answers else echoed:
            case int(status):
                self._say(status, b"<h1>no</h1>", {"content-type": "text/html"})
            case "cut":
                self.close_connection = True
            case "cut in the middle":
                self._head(200, {"content-type": "application/json", "content-length": "1000"})
                self.wfile.write(b'{"jsonrpc"')
                self.close_connection = True
            case "events":
                progress = {"progressToken": message["params"]["_meta"]["progressToken"], "progress": 1, "total": 4}
                told = [
                    {"method": "notifications/progress", "params": progress},
                    {"id": message["id"], "result": echoed},
                ]
                body = "".join(f"data: {json.dumps({'jsonrpc': '2.0', **each})}\n\n" for each in told).encode()
                self._say(200, body, {"content-type": "text/event-stream"})
            case "huge":
                self._tell(message, {"content": [{"type": "text", "text": "x" * 9_000_000}]})
            case "text":
                self._say(200, b"all fine", {"content-type": "text/plain"})
            case result:
                self._tell(message, result)

    def _tell(self, message: dict, result: dict, headers: dict | None = None) -> None:
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
        self._say(200, body, {"content-type": "application/json", **(headers or {})})

    def _say(self, status: int, body: bytes, headers: dict | None = None) -> None:
        self._head(status, {**(headers or {}), "content-length": str(len(body))})
        self.wfile.write(body)

    def _head(self, status: int, headers: dict) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
