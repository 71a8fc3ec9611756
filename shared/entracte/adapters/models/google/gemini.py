"""Gemini through its own API with a key, by the `google-genai` package."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, cast

from entracte.adapters.models.google.content import gemini_body, gemini_reply
from entracte.adapters.models.google.stream import GeminiStream
from entracte.adapters.models.keys import checked_key
from entracte.adapters.models.refusals import Busy, refusal, retry_after_s, retry_delay_s, shown
from entracte.adapters.models.retrying import ask_again
from entracte.adapters.models.service import MAX_CONNECT_S, host_of, tls
from entracte.core.modelling import ModelReply, ModelRequest, OnDelta
from entracte.errors import ConfigurationError, ModelUnavailable

if TYPE_CHECKING:
    from google.genai.types import GenerateContentConfig, GenerateContentResponse

ADDRESS = "https://generativelanguage.googleapis.com"


class GeminiModel:
    """One model of the Gemini API.

    Args:
        name: The service's name for the model, without the provider.
        api_key: Gives the key when it is needed.
        base_url: Instead of Google's own address.
        max_retries: Tries after the first. The package itself makes none.
    """

    def __init__(
        self, name: str, *, api_key: Callable[[], str] | None, base_url: str = "", max_retries: int = 3
    ) -> None:
        if api_key is None:
            raise ConfigurationError(f"gemini/{name} has no api_key.", remedy="Give Model(…, api_key=Secret(NAME)).")
        self._name = name
        self._api_key = api_key
        self._base_url = base_url or ADDRESS
        self._max_retries = max_retries
        self._host = host_of(self._base_url)
        self._about = f"gemini/{name} at {self._host}"

    def __repr__(self) -> str:
        return f"GeminiModel({self._name!r}, host={self._host!r})"

    def generate(self, request: ModelRequest, *, deadline_s: float, on_delta: OnDelta | None = None) -> ModelReply:
        """Ask once, as the model port says."""
        key = checked_key(self._api_key, model=f"gemini/{self._name}")

        def ask(ends: float) -> dict[str, Any]:
            return self._ask(request, key, ends, on_delta)

        return gemini_reply(request, ask_again(ask, deadline_s=deadline_s, max_retries=self._max_retries))

    def _ask(self, request: ModelRequest, key: str, ends: float, on_delta: OnDelta | None) -> dict[str, Any]:
        import httpx
        from google.genai import Client
        from google.genai.types import HttpOptions

        remaining_s = max(0.001, ends - time.monotonic())
        timeout = httpx.Timeout(remaining_s, connect=min(MAX_CONNECT_S, remaining_s))
        body = gemini_body(request, self._name)
        with httpx.Client(timeout=timeout, verify=tls()) as http:
            options = HttpOptions(
                base_url=self._base_url,
                httpx_client=http,
                timeout=max(1, int(remaining_s * 1000)),
                client_args={"verify": tls()},  # for clients that it makes though it never asks them
                async_client_args={"verify": tls(), "ssl": tls()},
            )
            client = Client(api_key=key, vertexai=False, http_options=options)
            asked = {"model": self._name, "contents": body["contents"], "config": _config(body)}
            if on_delta is None:
                with self._errors_named(key):
                    return _plain(client.models.generate_content(**asked))
            stream = GeminiStream(request, on_delta)
            with self._errors_named(key):
                chunks = client.models.generate_content_stream(**asked)
            with stream.told_once(), closing(cast("Generator[GenerateContentResponse]", chunks)):  # which it is
                while True:
                    with self._errors_named(key):
                        chunk = next(chunks, None)
                    if chunk is None:
                        return stream.answer
                    if time.monotonic() > ends:
                        raise ModelUnavailable(f"{self._about} did not finish its answer in time.")
                    stream.hear(_plain(chunk))

    @contextmanager
    def _errors_named(self, key: str) -> Iterator[None]:
        import httpx
        from google.genai.errors import APIError, UnknownApiResponseError

        try:
            yield
        except APIError as error:
            headers = getattr(error.response, "headers", None) or {}
            delay = retry_after_s(headers)
            said = shown(str(error.message or ""), key).strip().rstrip(".")
            delay = retry_delay_s(error.details) if delay is None else delay
            raise refusal(self._about, int(error.code or 500), said, delay) from None
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise Busy(f"{self._about} cannot be reached ({str(error)[:200]}).") from None
        except httpx.TimeoutException:
            raise ModelUnavailable(f"{self._about} did not answer in time.") from None
        except (httpx.HTTPError, UnknownApiResponseError, json.JSONDecodeError) as error:
            raise ModelUnavailable(f"{self._about} cut the connection ({type(error).__name__}).") from None


def _config(body: dict[str, Any]) -> GenerateContentConfig:
    from google.genai.types import GenerateContentConfig

    named = {"system_instruction": "systemInstruction", "tools": "tools", "tool_config": "toolConfig"}
    given = {name: body[key] for name, key in named.items() if key in body}
    return GenerateContentConfig.model_validate(body["generationConfig"] | given)


def _plain(response: Any) -> dict[str, Any]:
    """A response in its JSON form."""
    plain: dict[str, Any] = response.model_dump(by_alias=True, mode="json", exclude_none=True)
    return plain
