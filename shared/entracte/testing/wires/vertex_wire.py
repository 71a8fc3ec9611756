"""Vertex AI's PredictionService through the real generated client, over gRPC and over REST."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from entracte.adapters.models.google.cloud import Cloud
from entracte.adapters.models.google.vertex import VertexModel
from entracte.ports.model import Model
from entracte.testing.model_server import Answer, Asked, ModelServer
from entracte.testing.wires.closing_port import closing_port
from entracte.testing.wires.gemini_wire import gemini_chunks, google_failure, whole
from entracte.testing.wires.http_turns import http_answer
from entracte.testing.wires.turn import Fails, Says, Turn

UNKNOWN = 99
"""A finish reason that nobody knows. Both transports have enumerations travel as numbers."""

_CODES = {400: 3, 401: 16, 403: 7, 404: 5, 429: 8, 500: 13, 503: 14}
"""google.rpc.Code by HTTP status."""


class VertexRestWire:
    """REST: JSON, and an array of it for a stream."""

    tells_thinking = True

    @contextmanager
    def serve(self, *turns: Turn, max_retries: int = 0) -> Iterator[tuple[Model, list[Any]]]:
        """Serve the turns in order."""
        cloud = Cloud(project="demo", location="eu", transport="rest")
        with ModelServer(*(http_answer(turn, _worded, google_failure) for turn in turns)) as server:
            address = server.base_url.removesuffix("/v1")
            yield VertexModel("gemini-m-1", cloud=cloud, base_url=address, max_retries=max_retries), server.requests


def _worded(says: Says, asked: Asked) -> Answer:
    chunks = gemini_chunks(says, UNKNOWN)
    return Answer(body=chunks if "streamGenerateContent" in asked.path else whole(chunks))


class VertexGrpcWire:
    """GRPC."""

    tells_thinking = True

    @contextmanager
    def serve(self, *turns: Turn, max_retries: int = 0) -> Iterator[tuple[Model, list[Any]]]:
        """Serve the turns in order. With "cut" among them, every connection is cut."""
        opened = closing_port() if "cut" in turns else grpc_server(turns)
        cloud = Cloud(project="demo", location="eu")
        with opened as (port, requests):
            address = f"http://127.0.0.1:{port}"
            yield VertexModel("gemini-m-1", cloud=cloud, base_url=address, max_retries=max_retries), requests


@contextmanager
def grpc_server(turns: tuple[Turn, ...]) -> Iterator[tuple[int, list[Any]]]:
    """Port of a service that serves the turns in order, and what it was asked so far."""
    import grpc
    from google.cloud.aiplatform_v1beta1.types.prediction_service import GenerateContentRequest

    requests: list[Any] = []
    stopping = threading.Event()
    left = list(turns)

    def chunks(request: Any, context: Any) -> Iterator[Any]:
        requests.append(request)
        turn = left.pop(0) if left else Fails(status=400, message="the test's server has no answer left")
        match turn:
            case Says():
                return iter(gemini_chunks(turn, UNKNOWN))
            case Fails():
                context.abort_with_status(grpc_status(turn))
            case _:
                stopping.wait()
        return iter(())

    def at_once(request: Any, context: Any) -> Any:
        return _response(whole(list(chunks(request, context)) or [{}]))

    def streamed(request: Any, context: Any) -> Iterator[Any]:
        yield from map(_response, chunks(request, context))

    read = GenerateContentRequest.pb().FromString
    handlers = {
        "GenerateContent": grpc.unary_unary_rpc_method_handler(at_once, read, _serialized),
        "StreamGenerateContent": grpc.unary_stream_rpc_method_handler(streamed, read, _serialized),
    }
    service = "google.cloud.aiplatform.v1beta1.PredictionService"
    server = grpc.server(ThreadPoolExecutor(2))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield port, requests
    finally:
        stopping.set()
        server.stop(None).wait()


def _serialized(message: Any) -> bytes:
    raw: bytes = message.SerializeToString()
    return raw


def _response(body: dict[str, Any]) -> Any:
    from google.cloud.aiplatform_v1beta1.types.prediction_service import GenerateContentResponse
    from google.protobuf.json_format import Parse

    return Parse(json.dumps(body), GenerateContentResponse.pb(GenerateContentResponse()))


def grpc_status(turn: Fails) -> Any:
    """A status as gRPC carries it, with Google's details."""
    from google.protobuf.duration_pb2 import Duration
    from google.rpc.error_details_pb2 import RetryInfo
    from google.rpc.status_pb2 import Status
    from grpc_status import rpc_status

    status = Status(code=_CODES[turn.status], message=turn.message)
    if turn.retry_after_s is not None:
        status.details.add().Pack(RetryInfo(retry_delay=Duration(seconds=turn.retry_after_s)))
    return rpc_status.to_status(status)
