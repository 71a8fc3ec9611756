"""Gemini on Vertex AI, through the generated client of its PredictionService.

v1beta1, where what is new arrives first; v1 still drops the ids of calls. Never through `google.cloud.aiplatform` or
`vertexai` themselves, which take twice as long to import.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from entracte.adapters.models.google.cloud import Cloud, VertexAddress
from entracte.adapters.models.google.content import gemini_body, gemini_reply
from entracte.adapters.models.google.errors import google_errors_named
from entracte.adapters.models.google.stream import GeminiStream
from entracte.adapters.models.retrying import ask_again
from entracte.core.modelling import ModelReply, ModelRequest, OnDelta
from entracte.errors import ModelUnavailable

if TYPE_CHECKING:
    from google.cloud.aiplatform_v1beta1.services.prediction_service import PredictionServiceClient


class VertexModel:
    """One of Google's models on Vertex AI.

    Args:
        name: ``gemini-…``, or the full resource name of a tuned model's endpoint, ``projects/…/endpoints/…``.
        cloud: Project and location that it is asked in.
        base_url: Instead of the location's own address.
        max_retries: Tries after the first. The client itself makes none.
    """

    def __init__(self, name: str, *, cloud: Cloud, base_url: str = "", max_retries: int = 3) -> None:
        self._name = name
        self._address = VertexAddress(cloud, model=f"vertex/{name}", base_url=base_url)
        self._max_retries = max_retries
        self._about = f"vertex/{name} at {self._address.host}"

    def __repr__(self) -> str:
        return f"VertexModel({self._name!r}, location={self._address.location!r}, host={self._address.host!r})"

    def generate(self, request: ModelRequest, *, deadline_s: float, on_delta: OnDelta | None = None) -> ModelReply:
        """Ask once, as the model port says."""
        with google_errors_named(self._about):
            client, wire = self._address.prediction_client, self._wire(request)

        def ask(ends: float) -> dict[str, Any]:
            timeout_s = max(0.001, ends - time.monotonic())
            if on_delta is None:
                with google_errors_named(self._about):
                    return _plain(client.generate_content(wire, retry=None, timeout=timeout_s))
            stream = GeminiStream(request, on_delta)
            with stream.told_once():
                self._hear(client, wire, stream, timeout_s)
            return stream.answer

        return gemini_reply(request, ask_again(ask, deadline_s=deadline_s, max_retries=self._max_retries))

    def _hear(self, client: PredictionServiceClient, wire: Any, stream: GeminiStream, timeout_s: float) -> None:
        ends = time.monotonic() + timeout_s
        with google_errors_named(self._about):
            chunks = iter(client.stream_generate_content(wire, retry=None, timeout=timeout_s))
        try:
            while True:
                with google_errors_named(self._about):
                    chunk = next(chunks, None)
                if chunk is None:
                    return
                if time.monotonic() > ends:  # the REST transport bounds the silence between two chunks only
                    raise ModelUnavailable(f"{self._about} did not finish its answer in time.")
                stream.hear(_plain(chunk))
        finally:
            _cancel(chunks)

    def _wire(self, request: ModelRequest) -> Any:
        from google.cloud.aiplatform_v1beta1.types.prediction_service import GenerateContentRequest
        from google.protobuf.json_format import ParseDict

        wire = GenerateContentRequest()
        ParseDict(gemini_body(request, self._name), GenerateContentRequest.pb(wire))
        wire.model = self._address.model_path(self._name, "google")
        return wire


def _plain(message: Any) -> dict[str, Any]:
    """A protobuf message in its JSON form."""
    from google.protobuf.json_format import MessageToDict

    plain: dict[str, Any] = MessageToDict(type(message).pb(message))
    return plain


def _cancel(chunks: Any) -> None:
    """Tell the service that nobody listens any more; no harm when it has ended."""
    if hasattr(chunks, "cancel"):
        chunks.cancel()
    elif (response := getattr(chunks, "_response", None)) is not None:  # of the REST transport, which offers no cancel
        response.close()
