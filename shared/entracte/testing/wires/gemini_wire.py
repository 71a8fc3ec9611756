"""The Gemini API: HTTP with JSON, or with server-sent events, through the real `google-genai` package."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from entracte.adapters.models.google.gemini import GeminiModel
from entracte.adapters.models.native import answer_name
from entracte.ports.model import Model
from entracte.testing.model_server import Answer, Asked, ModelServer, events
from entracte.testing.wires.http_turns import http_answer
from entracte.testing.wires.turn import SERVED, Says, Turn, in_two

KEY = "AIza-4711"

_FINISHES: dict[str, str] = {
    "stop": "STOP",
    "length": "MAX_TOKENS",
    "safety": "SAFETY",
    "malformed_call": "MALFORMED_FUNCTION_CALL",
}


class GeminiWire:
    """Google's service for those with a key."""

    tells_thinking = True

    @contextmanager
    def serve(self, *turns: Turn, max_retries: int = 0) -> Iterator[tuple[Model, list[Any]]]:
        """Serve the turns in order."""
        with ModelServer(*(http_answer(turn, _worded, google_failure) for turn in turns)) as server:
            address = server.base_url.removesuffix("/v1")
            model = GeminiModel("gemini-m-1", api_key=lambda: KEY, base_url=address, max_retries=max_retries)
            yield model, server.requests


def google_failure(status: int, message: str, retry_after_s: int | None) -> Answer:
    """An error as Google's REST services word them."""
    error: dict[str, Any] = {"code": status, "message": message, "status": "AS_THE_TEST_HAS_IT"}
    if retry_after_s is not None:
        retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{retry_after_s}s"}
        error["details"] = [retry]
    return Answer(status=status, body={"error": error})


def _worded(says: Says, asked: Asked) -> Answer:
    chunks = gemini_chunks(says, "TIRED")
    return events(*chunks) if "streamGenerateContent" in asked.path else Answer(body=whole(chunks))


def whole(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    """What the chunks of a stream are at once."""
    answer = dict(chunks[-1])
    candidates = [chunk["candidates"][0] for chunk in chunks if chunk.get("candidates")]
    if candidates:
        parts = [part for candidate in candidates for part in candidate.get("content", {}).get("parts", [])]
        answer["candidates"] = [candidates[-1] | ({"content": {"role": "model", "parts": parts}} if parts else {})]
    return answer


def gemini_chunks(says: Says, unknown: str | int) -> list[dict[str, Any]]:
    """A reply as generateContent streams it.

    Args:
        unknown: A finish reason that nobody knows: a name where enumerations travel as names, else a number.
    """
    usage = {
        "promptTokenCount": says.usage.prompt_tokens,
        "cachedContentTokenCount": says.usage.cached_tokens,
        "thoughtsTokenCount": says.usage.thinking_tokens,
        "candidatesTokenCount": says.usage.output_tokens,
    }
    last: dict[str, Any] = {"usageMetadata": usage, "modelVersion": SERVED}
    if says.finish == "blocked_prompt":
        return [last | {"promptFeedback": {"blockReason": "SAFETY"}}]
    if not says.candidates:
        return [last]
    pieces = [[part] for part in _parts(says)]
    finish = _FINISHES.get(says.finish, unknown)
    end = last | {"candidates": [{"finishReason": finish, "index": 0}]}
    return [*({"candidates": [{"content": {"role": "model", "parts": parts}}]} for parts in pieces), end]


def _parts(says: Says) -> Iterator[dict[str, Any]]:
    if says.finish == "malformed_call":
        return
    yield from ({"text": piece, "thought": True} for piece in in_two(says.thought))
    text = says.text
    if says.value is not None and not says.request.tools:
        text = json.dumps(says.value)
    yield from ({"text": piece} for piece in in_two(text))
    calls = list(says.wire_calls)
    if says.value is not None and says.request.tools:
        calls.append((answer_name(says.request), {"answer": says.value}))
    yield from ({"functionCall": {"name": tool, "args": dict(arguments)}} for tool, arguments in calls)
