"""OpenAI's chat completions, and every service that speaks the same: Ollama, llama.cpp, vLLM, gateways.

Plain HTTP instead of the vendor's package; infra/decisions/0004 says why.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from entracte.adapters.models.keys import checked_key
from entracte.adapters.models.openai.completions import chat_body, chat_reply
from entracte.adapters.models.openai.stream import ChatStream
from entracte.adapters.models.refusals import shown
from entracte.adapters.models.service import Service
from entracte.core.modelling import ModelReply, ModelRequest, OnDelta
from entracte.errors import ConfigurationError, ModelUnavailable

OFFICIAL_HOST = "api.openai.com"


class OpenAIModel:
    """One model behind an OpenAI-compatible address.

    Args:
        name: The service's name for the model, without the provider.
        base_url: Address before ``/chat/completions``; OpenAI's own by default.
        api_key: Gives the key when it is needed; None for services that want none.
        max_retries: Tries after the first.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str = "",
        api_key: Callable[[], str] | None = None,
        max_retries: int = 3,
    ) -> None:
        base = (base_url or f"https://{OFFICIAL_HOST}/v1").rstrip("/")
        self._service = Service(f"{base}/chat/completions", model=f"openai/{name}", max_retries=max_retries)
        self._official = self._service.host == OFFICIAL_HOST
        if self._official and api_key is None:
            raise ConfigurationError(f"openai/{name} has no api_key.", remedy="Give Model(…, api_key=Secret(NAME)).")
        self._name = name
        self._api_key = api_key

    def __repr__(self) -> str:
        return f"OpenAIModel({self._name!r}, host={self._service.host!r})"

    def generate(self, request: ModelRequest, *, deadline_s: float, on_delta: OnDelta | None = None) -> ModelReply:
        """Ask once, as the model port says."""
        key = checked_key(self._api_key, model=f"openai/{self._name}")
        stream = ChatStream(request, on_delta) if on_delta is not None else None
        answer = self._service.ask(
            chat_body(request, self._name, official=self._official, stream=stream is not None),
            headers={"Authorization": f"Bearer {key}"} if key else {},
            secret=key,
            deadline_s=deadline_s,
            on_event=stream.hear if stream is not None else None,
        )
        if answer is None and stream is not None:
            answer = stream.answer
        if (reply := chat_reply(request, answer)) is None:  # some gateways report errors with status 200
            said = shown(json.dumps(answer, ensure_ascii=False), key)
            raise ModelUnavailable(f"{self._service.about} gave no chat completion but {said}.")
        return reply
