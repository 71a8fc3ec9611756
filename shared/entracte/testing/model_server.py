"""A local HTTP server in place of a model's service, scripted answer by answer; its words are OpenAI's by default."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer of the server.

    Attributes:
        body: JSON value, or bytes as they are.
        cut_after: Close the connection after so many bytes of the body, which was announced whole; None sends it all.
        delay_s: Seconds before the answer; `math.inf` for none at all, until the server stops.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    cut_after: int | None = None
    delay_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Asked:
    """One request that the server received. Header names are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Any


def completion(content: str | None, *, finish: str = "stop", model: str = "served-1", **fields: Any) -> Answer:
    """An answer with status 200.

    Args:
        fields: Fields of the message besides its content; `usage` is the completion's.
    """
    usage = fields.pop("usage", {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25})
    message = {"role": "assistant", "content": content, **fields}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return Answer(body={"id": "c1", "object": "chat.completion", "model": model, "choices": [choice], "usage": usage})


def events(*data: Any, last: str = "") -> Answer:
    """A stream of server-sent events.

    Args:
        last: Data of a last event that is not JSON.
    """
    texts = [*(json.dumps(each) for each in data), *([last] if last else [])]
    return Answer(headers={"Content-Type": "text/event-stream"}, body="".join(f"data: {t}\n\n" for t in texts).encode())


def completion_stream(
    *contents: str, finish: str = "stop", model: str = "served-1", usage: Any = None, **fields: Any
) -> Answer:
    """A completion in pieces, as `completion` has it whole.

    Args:
        fields: Fields of the message besides its content, each sent at once and first.
    """
    usage = usage or {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}
    deltas = [{"role": "assistant", **fields}, *({"content": content} for content in contents)]
    chunks = [{"model": model, "choices": [{"index": 0, "delta": d, "finish_reason": None}]} for d in deltas]
    end = {"model": model, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}
    return events(*chunks, end, {"model": model, "choices": [], "usage": usage}, last="[DONE]")


def failure(status: int, message: str, *, headers: Mapping[str, str] | None = None) -> Answer:
    """An error as OpenAI words them."""
    return Answer(status=status, headers=headers or {}, body={"error": {"message": message, "type": "error"}})


class ModelServer:
    """Gives its answers in order, one a request; after the last it refuses with status 418.

    An answer may be a function of the request.

    Use it as a context manager: ``with ModelServer(completion("Hello.")) as server: … server.base_url``.

    Attributes:
        requests: What was asked so far.
    """

    def __init__(self, *answers: Answer | Callable[[Asked], Answer]) -> None:
        self.requests: list[Asked] = []
        self._answers = list(answers)
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = False  # so that closing waits for them
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _next(self, asked: Asked) -> Answer:
        with self._lock:
            self.requests.append(asked)
            answer = self._answers.pop(0) if self._answers else failure(418, "the test's server has no answer left")
        return answer(asked) if callable(answer) else answer

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length", 0)))
                asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, json.loads(raw))
                answer = server._next(asked)
                if answer.delay_s and server._stopping.wait(min(answer.delay_s, threading.TIMEOUT_MAX)):
                    return
                body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                self.send_response(answer.status)
                for name, value in {"Content-Type": "application/json", **answer.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                with suppress(ConnectionError):  # the client has heard enough
                    self.wfile.write(body[: answer.cut_after])

            def log_message(self, format: str, *args: object) -> None:
                """Stay quiet."""

        return Handler
