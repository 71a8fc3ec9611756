"""Anthropic's Messages API as plain values: the body of a request, and what an answer says.

Source: https://docs.claude.com/en/api/messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from entracte.adapters.models.native import Declared, Said, answer_tool, declared, has_to_call, read_said, user_message
from entracte.adapters.models.reading import Finish
from entracte.core.modelling import ModelReply, ModelRequest, Usage

_FINISHES: Mapping[Any, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "blocked",
}


def messages_body(request: ModelRequest, *, stream: bool) -> dict[str, Any]:
    """The body to post, without model and version, which stand elsewhere on Vertex AI."""
    body: dict[str, Any] = {
        "max_tokens": request.max_output_tokens,
        "messages": [{"role": "user", "content": user_message(request) or "Go on."}],
    }
    if request.system:
        body["system"] = request.system
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.tools:
        body["tools"] = [_tool(tool) for tool in declared(request)]
        body["tool_choice"] = {"type": "any" if has_to_call(request) else "auto"}
    elif request.schema is not None:
        # A forced call instead of `output_config`: every Claude has it, and Vertex AI too.
        answer = answer_tool(request)
        body["tools"], body["tool_choice"] = [_tool(answer)], {"type": "tool", "name": answer.name}
    return body | ({"stream": True} if stream else {})


def messages_reply(request: ModelRequest, answer: Any) -> ModelReply | None:
    """What the answer says, or None when it is no message."""
    match answer:
        case {"content": list(blocks)}:
            pass
        case _:
            return None
    texts: dict[str, list[str]] = {"text": [], "thinking": []}
    calls = []
    for block in blocks:
        match block:
            case {"type": "tool_use", "name": str(name)}:
                calls.append({"tool": name, "args": block.get("input") or {}})
            case {"type": "text" | "thinking" as kind} if isinstance(text := block.get(kind), str):
                texts[kind].append(text)
            case _:
                pass
    reason = answer.get("stop_reason")
    finish = _FINISHES.get(reason, "unknown") if isinstance(reason, str) else "unknown"
    text = "".join(texts["text"])
    words = {"unknown": f"It says {reason!r}.", "blocked": text}.get(finish, "")
    said = Said(text=text, thought="".join(texts["thinking"]), calls=calls, finish=finish, words=words)
    usage = _usage(answer.get("usage"))
    return replace(read_said(request, said), usage=usage, served=str(answer.get("model") or ""))


def _tool(tool: Declared) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}


def _usage(usage: Any) -> Usage:
    """Tokens as ours: the service counts what it read from its cache and wrote to it beside the rest of the prompt.

    It counts thinking as output and does not say how much it was.
    """

    def count(name: str) -> int:
        value = usage.get(name) if isinstance(usage, dict) else None
        return value if type(value) is int and value > 0 else 0

    cached = count("cache_read_input_tokens")
    return Usage(
        prompt_tokens=count("input_tokens") + count("cache_creation_input_tokens") + cached,
        cached_tokens=cached,
        output_tokens=count("output_tokens"),
        model_calls=1,
    )
