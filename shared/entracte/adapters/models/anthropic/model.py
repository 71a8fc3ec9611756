"""Claude through the Messages API: Anthropic's own with a key, or Vertex AI's with Google's credentials.

Plain HTTP instead of the vendor's package; infra/decisions/0012 says why.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from entracte.adapters.models.anthropic.messages import messages_body, messages_reply
from entracte.adapters.models.anthropic.stream import MessageStream
from entracte.adapters.models.google.cloud import Cloud, VertexAddress
from entracte.adapters.models.google.errors import google_errors_named
from entracte.adapters.models.keys import checked_key
from entracte.adapters.models.refusals import shown
from entracte.adapters.models.service import Service
from entracte.core.modelling import ModelReply, ModelRequest, OnDelta
from entracte.errors import ConfigurationError, ModelUnavailable

ADDRESS = "https://api.anthropic.com"
VERSION = "2023-06-01"
VERTEX_VERSION = "vertex-2023-10-16"


class AnthropicModel:
    """One Claude behind Anthropic's address, or another that speaks the same.

    Args:
        name: The service's name for the model, without the provider.
        api_key: Gives the key when it is needed.
        base_url: Address before ``/v1/messages``; Anthropic's own by default.
        max_retries: Tries after the first.
    """

    def __init__(
        self, name: str, *, api_key: Callable[[], str] | None, base_url: str = "", max_retries: int = 3
    ) -> None:
        if api_key is None:
            raise ConfigurationError(f"anthropic/{name} has no api_key.", remedy="Give Model(…, api_key=Secret(NAME)).")
        base = (base_url or ADDRESS).rstrip("/").removesuffix("/v1")
        self._name = name
        self._api_key = api_key
        self._service = Service(f"{base}/v1/messages", model=f"anthropic/{name}", max_retries=max_retries)

    def __repr__(self) -> str:
        return f"AnthropicModel({self._name!r}, host={self._service.host!r})"

    def generate(self, request: ModelRequest, *, deadline_s: float, on_delta: OnDelta | None = None) -> ModelReply:
        """Ask once, as the model port says."""
        key = checked_key(self._api_key, model=f"anthropic/{self._name}")
        headers = {"x-api-key": key, "anthropic-version": VERSION}
        asking = _Asking(self._service, request, deadline_s, on_delta)
        return asking.ask({"model": self._name}, headers=headers, secret=key)


class VertexClaude:
    """One Claude on Vertex AI.

    Args:
        name: Vertex AI's name for the model, such as ``claude-opus-4-5@20251101``.
        cloud: Project and location that it is asked in.
        base_url: Instead of the location's own address.
        max_retries: Tries after the first.
    """

    def __init__(self, name: str, *, cloud: Cloud, base_url: str = "", max_retries: int = 3) -> None:
        self._name = name
        self._address = VertexAddress(cloud, model=f"vertex/{name}", base_url=base_url)
        self._service = Service(self._address.url, model=f"vertex/{name}", max_retries=max_retries)

    def __repr__(self) -> str:
        return f"VertexClaude({self._name!r}, location={self._address.location!r}, host={self._address.host!r})"

    def generate(self, request: ModelRequest, *, deadline_s: float, on_delta: OnDelta | None = None) -> ModelReply:
        """Ask once, as the model port says."""
        with google_errors_named(self._service.about):
            path, token = self._address.model_path(self._name, "anthropic"), self._address.token()
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        method = "rawPredict" if on_delta is None else "streamRawPredict"
        asking = _Asking(self._service, request, deadline_s, on_delta)
        url = f"{self._address.url}/v1/{path}:{method}"
        return asking.ask({"anthropic_version": VERTEX_VERSION}, headers=headers, secret=token, url=url)


class _Asking:
    """One question, whichever way it travels."""

    def __init__(self, service: Service, request: ModelRequest, deadline_s: float, on_delta: OnDelta | None) -> None:
        self._service = service
        self._request = request
        self._deadline_s = deadline_s
        self._stream = MessageStream(request, on_delta) if on_delta is not None else None

    def ask(self, named: dict[str, str], *, headers: dict[str, str], secret: str, url: str = "") -> ModelReply:
        answer = self._service.ask(
            named | messages_body(self._request, stream=self._stream is not None),
            headers=headers,
            secret=secret,
            deadline_s=self._deadline_s,
            url=url,
            on_event=self._stream.hear if self._stream is not None else None,
        )
        if answer is None and self._stream is not None:
            answer = self._stream.answer
        if (reply := messages_reply(self._request, answer)) is None:
            said = shown(json.dumps(answer, ensure_ascii=False), secret)
            raise ModelUnavailable(f"{self._service.about} gave no message but {said}.")
        return reply
