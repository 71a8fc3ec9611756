"""The Messages API: HTTP with JSON, or with server-sent events; with a key, or as Vertex AI has it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from entracte.adapters.models.anthropic.model import AnthropicModel, VertexClaude
from entracte.adapters.models.google.cloud import Cloud
from entracte.adapters.models.native import answer_name
from entracte.ports.model import Model
from entracte.testing.model_server import Answer, Asked, ModelServer, events
from entracte.testing.wires.http_turns import http_answer
from entracte.testing.wires.turn import SERVED, Says, Turn, in_two

KEY = "sk-ant-4711"

_FINISHES = {"length": "max_tokens", "safety": "refusal", "blocked_prompt": "refusal", "unknown": "tired"}


class AnthropicWire:
    """Anthropic's own service."""

    tells_thinking = False

    @contextmanager
    def serve(self, *turns: Turn, max_retries: int = 0) -> Iterator[tuple[Model, list[Any]]]:
        """Serve the turns in order."""
        with ModelServer(*(http_answer(turn, _worded, _failed) for turn in turns)) as server:
            model = AnthropicModel("m-1", api_key=lambda: KEY, base_url=server.base_url, max_retries=max_retries)
            yield model, server.requests


class VertexClaudeWire:
    """The same model behind Vertex AI."""

    tells_thinking = False

    @contextmanager
    def serve(self, *turns: Turn, max_retries: int = 0) -> Iterator[tuple[Model, list[Any]]]:
        """Serve the turns in order."""
        cloud = Cloud(project="demo", location="eu")
        with ModelServer(*(http_answer(turn, _worded, _failed) for turn in turns)) as server:
            address = server.base_url.removesuffix("/v1")
            yield VertexClaude("claude-m-1", cloud=cloud, base_url=address, max_retries=max_retries), server.requests


def _failed(status: int, message: str, retry_after_s: int | None) -> Answer:
    body = {"type": "error", "error": {"type": "api_error", "message": message}}
    return Answer(
        status=status, body=body, headers={} if retry_after_s is None else {"Retry-After": str(retry_after_s)}
    )


def _worded(says: Says, asked: Asked) -> Answer:
    usage = {
        "input_tokens": says.usage.prompt_tokens - says.usage.cached_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": says.usage.cached_tokens,
        "output_tokens": says.usage.output_tokens + says.usage.thinking_tokens,
    }
    blocks = _blocks(says) if says.candidates else []
    reason = _FINISHES.get(says.finish, "tool_use" if any(b["type"] == "tool_use" for b in blocks) else "end_turn")
    message = {"id": "m", "type": "message", "role": "assistant", "model": SERVED}
    if asked.body.get("stream") is not True:
        return Answer(body=message | {"content": blocks, "stop_reason": reason, "usage": usage})
    start = {"type": "message_start", "message": message | {"content": [], "usage": usage | {"output_tokens": 1}}}
    end = {
        "type": "message_delta",
        "delta": {"stop_reason": reason},
        "usage": {"output_tokens": usage["output_tokens"]},
    }
    pieces = [event for index, block in enumerate(blocks) for event in _streamed(index, block)]
    return events(start, {"type": "ping"}, *pieces, end, {"type": "message_stop"})


def _blocks(says: Says) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    if says.thought:
        blocks.append({"type": "thinking", "thinking": says.thought, "signature": "s"})
    if says.finish == "malformed_call":
        return [*blocks, {"type": "tool_use", "id": "c", "name": "crm__get_customer", "input": '{"id": '}]
    if says.text:
        blocks.append({"type": "text", "text": says.text})
    calls = list(says.wire_calls)
    if says.value is not None:
        calls.append((answer_name(says.request), {"answer": says.value}))
    for number, (tool, arguments) in enumerate(calls):
        blocks.append({"type": "tool_use", "id": f"c{number}", "name": tool, "input": dict(arguments)})
    return blocks


def _streamed(index: int, block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    kinds = {"text": ("text_delta", "text"), "thinking": ("thinking_delta", "thinking")}
    if block["type"] == "tool_use":
        given = block["input"]
        text, (kind, key) = given if isinstance(given, str) else json.dumps(given), ("input_json_delta", "partial_json")
        empty: dict[str, Any] = {"input": {}}
    else:
        kind, key = kinds[block["type"]]
        text, empty = block[key], {key: ""}
    yield {"type": "content_block_start", "index": index, "content_block": block | empty}
    for piece in in_two(text):
        yield {"type": "content_block_delta", "index": index, "delta": {"type": kind, key: piece}}
    yield {"type": "content_block_stop", "index": index}
