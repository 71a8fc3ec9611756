"""Embedding models on Vertex AI, through the generated client of its PredictionService."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

from entracte.adapters.models.google.cloud import Cloud, VertexAddress
from entracte.adapters.models.google.errors import google_errors_named
from entracte.adapters.models.retrying import ask_again
from entracte.adapters.models.vectors import Vector, batches, checked_vectors

BATCH = 100
"""Texts in one request: Vertex AI takes 250, and 20,000 tokens in all.

Source: https://cloud.google.com/vertex-ai/generative-ai/docs/embeddings/get-text-embeddings.
"""

GEMINI_BATCH = 1
"""Gemini's embedding models take one."""


class VertexEmbedder:
    """One of Google's embedding models on Vertex AI.

    Args:
        name: Such as ``gemini-embedding-001``.
        cloud: Project and location that it is asked in.
        base_url: Instead of the location's own address.
        max_retries: Tries after the first. The client itself makes none.
    """

    def __init__(self, name: str, *, cloud: Cloud, base_url: str = "", max_retries: int = 3) -> None:
        self._name = name
        self._address = VertexAddress(cloud, model=f"vertex/{name}", base_url=base_url)
        self._batch = GEMINI_BATCH if name.startswith("gemini-") else BATCH
        self._max_retries = max_retries
        self._about = f"vertex/{name} at {self._address.host}"

    def __repr__(self) -> str:
        return f"VertexEmbedder({self._name!r}, location={self._address.location!r}, host={self._address.host!r})"

    def embed(self, texts: Sequence[str], *, deadline_s: float) -> list[Vector]:
        """A vector for each text, as the embedder port says."""
        ends = time.monotonic() + deadline_s
        found: list[Any] = []
        for batch in batches(texts, self._batch):
            ask = partial(self._ask, batch)
            remaining_s = max(0.001, ends - time.monotonic())
            found += ask_again(ask, deadline_s=remaining_s, max_retries=self._max_retries)
        return checked_vectors(found, len(texts), self._about)

    def _ask(self, texts: Sequence[str], ends: float) -> list[Any]:
        from google.cloud.aiplatform_v1beta1.types.prediction_service import PredictRequest
        from google.protobuf.json_format import MessageToDict, ParseDict

        wire = PredictRequest()
        ParseDict({"instances": [{"content": text} for text in texts]}, PredictRequest.pb(wire))
        with google_errors_named(self._about):
            wire.endpoint = self._address.model_path(self._name, "google")
            client = self._address.prediction_client
            answer = client.predict(wire, retry=None, timeout=max(0.001, ends - time.monotonic()))
        plain = MessageToDict(type(answer).pb(answer))
        return [_values(prediction) for prediction in plain.get("predictions", [])]


def _values(prediction: Any) -> Any:
    match prediction:
        case {"embeddings": {"values": list(values)}}:
            return values
        case _:
            return None
