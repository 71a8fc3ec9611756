"""Chat completions: HTTP with JSON, or with server-sent events where the request asks for a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from entracte.adapters.models.openai.model import OpenAIModel
from entracte.ports.model import Model
from entracte.testing.model_server import Answer, Asked, ModelServer, completion, completion_stream, events, failure
from entracte.testing.wires.http_turns import http_answer
from entracte.testing.wires.turn import SERVED, Says, Turn, in_two

_FINISHES = {"length": "length", "safety": "content_filter", "blocked_prompt": "content_filter", "unknown": "tired"}


class OpenAIWire:
    """A server compatible with OpenAI's."""

    tells_thinking = True

    @contextmanager
    def serve(self, *turns: Turn, max_retries: int = 0) -> Iterator[tuple[Model, list[Any]]]:
        """Serve the turns in order."""
        with ModelServer(*(http_answer(turn, _worded, _failed) for turn in turns)) as server:
            yield OpenAIModel("m-1", base_url=server.base_url, max_retries=max_retries), server.requests


def _failed(status: int, message: str, retry_after_s: int | None) -> Answer:
    return failure(status, message, headers={} if retry_after_s is None else {"Retry-After": str(retry_after_s)})


def _worded(says: Says, asked: Asked) -> Answer:
    usage = {
        "prompt_tokens": says.usage.prompt_tokens,
        "completion_tokens": says.usage.output_tokens + says.usage.thinking_tokens,
        "prompt_tokens_details": {"cached_tokens": says.usage.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": says.usage.thinking_tokens},
    }
    streamed = asked.body.get("stream") is True
    if not says.candidates:
        body = {"model": SERVED, "choices": [], "usage": usage}
        return events(body, last="[DONE]") if streamed else Answer(body=body)
    content, finish = _content(says), _FINISHES.get(says.finish, "stop")
    fields: dict[str, Any] = {}
    if says.finish == "malformed_call":
        calls = [{"index": 0, "id": "c", "function": {"name": "crm__get_customer", "arguments": '{"id": '}}]
        content, fields = "", {"tool_calls": calls}
    if says.thought and not says.request.tools:
        fields["reasoning_content"] = says.thought
    if streamed:
        return completion_stream(*in_two(content), finish=finish, model=SERVED, usage=usage, **fields)
    return completion(content or None, finish=finish, model=SERVED, usage=usage, **fields)


def _content(says: Says) -> str:
    """The message's text: with tools, the JSON that the request forces."""
    if says.calls:
        calls = [{"tool": tool, "args": arguments} for tool, arguments in says.wire_calls]
        text = json.dumps({"thought": says.thought, "calls": calls})
        return text[:-3] if says.finish == "length" else text
    if says.value is not None:
        return json.dumps({"thought": "", "answer": says.value} if says.request.tools else says.value)
    if says.request.tools and says.text and says.request.schema is None:
        return json.dumps({"thought": says.thought, "answer": says.text})
    return says.text
