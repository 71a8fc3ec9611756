"""An OTLP receiver: takes spans over HTTP as collectors do, and shows what came."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


@dataclass(frozen=True)
class SpanSeen:
    """A span as it arrived."""

    service: str
    name: str
    trace: str
    id: str
    parent: str
    links: tuple[str, ...]
    failed: bool
    attributes: dict[str, Any] = field(default_factory=dict)


class Receiver:
    """What came so far.

    Attributes:
        raw: Bodies of the requests.
        status: What is answered.
    """

    def __init__(self) -> None:
        self.raw: list[bytes] = []
        self.status = 200
        self.address = ""

    @property
    def spans(self) -> list[SpanSeen]:
        """Every span, in the order of arrival."""
        return [span for body in self.raw for span in _spans(body)]


def _spans(body: bytes) -> Iterator[SpanSeen]:
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        service = next(a.value.string_value for a in resource.resource.attributes if a.key == "service.name")
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield SpanSeen(
                    service=service,
                    name=span.name,
                    trace=span.trace_id.hex(),
                    id=span.span_id.hex(),
                    parent=span.parent_span_id.hex(),
                    links=tuple(link.trace_id.hex() for link in span.links),
                    failed=span.status.code == span.status.STATUS_CODE_ERROR,
                    attributes={a.key: getattr(a.value, a.value.WhichOneof("value")) for a in span.attributes},
                )


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver on a port of this machine."""
    seen = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            if self.path == "/v1/traces" and seen.status == 200:
                seen.raw.append(body)
            self.send_response(seen.status)
            self.send_header("Content-Type", "application/x-protobuf")
            self.end_headers()
            self.wfile.write(ExportTraceServiceResponse().SerializeToString())

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    seen.address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
