"""Embedding services as fakes: OpenAI's over HTTP, Vertex AI's over REST and gRPC through the real generated client."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from entracte.adapters.models.google.cloud import Cloud
from entracte.adapters.models.google.embedder import VertexEmbedder
from entracte.adapters.models.openai.embedder import OpenAIEmbedder
from entracte.ports.embedder import Embedder
from entracte.testing.model_server import Answer, Asked, ModelServer, failure
from entracte.testing.wires.gemini_wire import google_failure
from entracte.testing.wires.turn import Fails
from entracte.testing.wires.vertex_wire import grpc_status

Embed = Callable[[str], list[float]]
"""The vector of a text."""


class OpenAIEmbeddings:
    """A server compatible with OpenAI's. It answers out of order, which the protocol allows."""

    @contextmanager
    def serve(self, embed: Embed, *fails: Fails, max_retries: int = 0) -> Iterator[tuple[Embedder, list[Any]]]:
        """Fail so often, then answer."""

        def answer(asked: Asked) -> Answer:
            rows = [{"index": n, "embedding": embed(text)} for n, text in enumerate(asked.body["input"])]
            return Answer(body={"object": "list", "data": rows[::-1]})

        failing = [failure(fail.status, fail.message, headers=_retry_after(fail)) for fail in fails]
        with ModelServer(*failing, *[answer] * 50) as server:
            yield OpenAIEmbedder("m-1", base_url=server.base_url, max_retries=max_retries), server.requests


class VertexRestEmbeddings:
    """Vertex AI over REST."""

    @contextmanager
    def serve(self, embed: Embed, *fails: Fails, max_retries: int = 0) -> Iterator[tuple[Embedder, list[Any]]]:
        """Fail so often, then answer."""

        def answer(asked: Asked) -> Answer:
            return Answer(body=_predicted(embed, [instance["content"] for instance in asked.body["instances"]]))

        failing = [google_failure(fail.status, fail.message, fail.retry_after_s) for fail in fails]
        cloud = Cloud(project="demo", location="eu", transport="rest")
        with ModelServer(*failing, *[answer] * 50) as server:
            address = server.base_url.removesuffix("/v1")
            yield VertexEmbedder("m-1", cloud=cloud, base_url=address, max_retries=max_retries), server.requests


class VertexGrpcEmbeddings:
    """Vertex AI over gRPC."""

    @contextmanager
    def serve(self, embed: Embed, *fails: Fails, max_retries: int = 0) -> Iterator[tuple[Embedder, list[Any]]]:
        """Fail so often, then answer."""
        import grpc
        from google.cloud.aiplatform_v1beta1.types.prediction_service import PredictRequest, PredictResponse
        from google.protobuf.json_format import MessageToDict, Parse

        requests: list[Any] = []
        left = list(fails)

        def predict(request: Any, context: Any) -> Any:
            requests.append(request)
            if left:
                context.abort_with_status(grpc_status(left.pop(0)))
            texts = [instance["content"] for instance in MessageToDict(request)["instances"]]
            return Parse(json.dumps(_predicted(embed, texts)), PredictResponse.pb(PredictResponse()))

        read = PredictRequest.pb().FromString
        handler = grpc.unary_unary_rpc_method_handler(predict, read, lambda message: message.SerializeToString())
        service = "google.cloud.aiplatform.v1beta1.PredictionService"
        server = grpc.server(ThreadPoolExecutor(1))
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {"Predict": handler}),))
        address = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        server.start()
        try:
            cloud = Cloud(project="demo", location="eu")
            yield VertexEmbedder("gemini-m-1", cloud=cloud, base_url=address, max_retries=max_retries), requests
        finally:
            server.stop(None).wait()


def _predicted(embed: Embed, texts: Sequence[str]) -> dict[str, Any]:
    return {"predictions": [{"embeddings": {"values": embed(text), "statistics": {}}} for text in texts]}


def _retry_after(fail: Fails) -> dict[str, str]:
    return {} if fail.retry_after_s is None else {"Retry-After": str(fail.retry_after_s)}
