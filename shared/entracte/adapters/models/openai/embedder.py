"""Embeddings of OpenAI and of every service that speaks the same: Ollama, llama.cpp, vLLM."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from entracte.adapters.models.keys import checked_key
from entracte.adapters.models.openai.model import OFFICIAL_HOST
from entracte.adapters.models.service import Service
from entracte.adapters.models.vectors import Vector, batches, checked_vectors
from entracte.errors import ConfigurationError

BATCH = 256
"""Texts in one request: OpenAI takes 2,048, local servers fewer."""


class OpenAIEmbedder:
    """One embedding model behind an OpenAI-compatible address.

    Args:
        name: The service's name for the model, without the provider.
        base_url: Address before ``/embeddings``; OpenAI's own by default.
        api_key: Gives the key when it is needed; None for services that want none.
        max_retries: Tries after the first.
    """

    def __init__(
        self, name: str, *, base_url: str = "", api_key: Callable[[], str] | None = None, max_retries: int = 3
    ) -> None:
        base = (base_url or f"https://{OFFICIAL_HOST}/v1").rstrip("/")
        self._service = Service(f"{base}/embeddings", model=f"openai/{name}", max_retries=max_retries)
        if self._service.host == OFFICIAL_HOST and api_key is None:
            raise ConfigurationError(f"openai/{name} has no api_key.", remedy="Give Model(…, api_key=Secret(NAME)).")
        self._name = name
        self._api_key = api_key

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self._name!r}, host={self._service.host!r})"

    def embed(self, texts: Sequence[str], *, deadline_s: float) -> list[Vector]:
        """A vector for each text, as the embedder port says."""
        key = checked_key(self._api_key, model=f"openai/{self._name}")
        ends = time.monotonic() + deadline_s
        found: list[Any] = []
        for batch in batches(texts, BATCH):
            answer = self._service.ask(
                {"model": self._name, "input": batch},
                headers={"Authorization": f"Bearer {key}"} if key else {},
                secret=key,
                deadline_s=max(0.001, ends - time.monotonic()),
            )
            found += _in_order(answer)
        return checked_vectors(found, len(texts), self._service.about)


def _in_order(answer: Any) -> list[Any]:
    match answer:
        case {"data": list(rows)} if all(isinstance(row, dict) for row in rows):
            if all(type(row.get("index")) is int for row in rows):
                rows.sort(key=lambda row: row["index"])
            return [row.get("embedding") for row in rows]
        case _:
            return [None]
