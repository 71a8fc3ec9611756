"""OpenAI's chat completions as plain values: the body of a request, and what an answer says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from entracte.adapters.models.choice import reply_schema
from entracte.adapters.models.dialect import is_strict
from entracte.adapters.models.prompt import system_text, user_text
from entracte.adapters.models.reading import Finish, read_calls, read_reply, shortened, unless_too_soon
from entracte.core.modelling import ModelReply, ModelRequest, Usage

_FINISHES: Mapping[Any, Finish] = {
    "stop": "stop",
    "tool_calls": "stop",
    "function_call": "stop",
    "eos": "stop",  # some local servers
    None: "stop",  # others say nothing
    "length": "length",
    "content_filter": "blocked",
}


def chat_body(request: ModelRequest, model: str, *, official: bool, stream: bool = False) -> dict[str, Any]:
    """The body to post.

    Args:
        official: OpenAI's own service, which differs from compatible ones: `max_completion_tokens`, and schemas with
            an object at the root.
    """
    messages = [("system", system_text(request)), ("user", user_text(request, nested=official))]
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": role, "content": text} for role, text in messages if text],
        "max_completion_tokens" if official else "max_tokens": request.max_output_tokens,
    }
    if stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if (schema := reply_schema(request, nested=official)) is not None:
        strict = "properties" in schema and is_strict(schema)  # only an object may stand at the root
        json_schema = {"name": "reply", "schema": schema, "strict": strict}
        body["response_format"] = {"type": "json_schema", "json_schema": json_schema}
    return body


def chat_reply(request: ModelRequest, answer: Any) -> ModelReply | None:
    """What the answer says, or None when it is no chat completion."""
    match answer:
        case {"choices": [{"message": dict(message)} as choice, *_]}:
            pass
        case {"choices": [], "usage": dict()}:
            message, choice = {}, {}
        case _:
            return None
    reason = choice.get("finish_reason")
    finish = _FINISHES.get(reason, "unknown") if isinstance(reason, str | None) else "unknown"
    content, refusal = message.get("content"), message.get("refusal")
    words = f"It says {reason!r}." if finish == "unknown" else ""
    if isinstance(refusal, str) and refusal:
        content, finish = refusal, "blocked"
    wanted = _native_calls(message.get("tool_calls"))
    if wanted and finish == "stop":
        reply = read_calls(request, wanted)
    else:
        reply = unless_too_soon(
            request, read_reply(request, content if isinstance(content, str) else "", finish, words)
        )
    thought = "" if reply.fault is not None else reply.thought or shortened(_reasoning(message))
    return replace(reply, thought=thought, usage=_usage(answer), served=str(answer.get("model") or ""))


def _native_calls(calls: Any) -> list[dict[str, Any]]:
    """Calls in the service's own form. Nobody asked for them so, but some models insist."""
    found = []
    for call in calls if isinstance(calls, list) else ():
        match call:
            case {"function": {"name": str(name), "arguments": str(text)}}:
                try:
                    arguments = json.loads(text or "{}")
                except (ValueError, RecursionError):
                    arguments = text  # no object: told so when it is read
                found.append({"tool": name, "args": arguments})
            case _:
                pass
    return found


def _reasoning(message: Mapping[str, Any]) -> str:
    """What compatible services give of a model's thinking, under either name."""
    texts = (message.get(key) for key in ("reasoning_content", "reasoning"))
    return next((text.strip() for text in texts if isinstance(text, str)), "")


def _usage(answer: Mapping[str, Any]) -> Usage:
    """Tokens as the service counts them. It counts thinking as output; here they stand apart."""
    usage = answer.get("usage")
    thinking = _count(usage, "completion_tokens_details", "reasoning_tokens")
    return Usage(
        prompt_tokens=_count(usage, "prompt_tokens"),
        cached_tokens=_count(usage, "prompt_tokens_details", "cached_tokens"),
        thinking_tokens=thinking,
        output_tokens=max(0, _count(usage, "completion_tokens") - thinking),
        model_calls=1,
    )


def _count(value: Any, *path: str) -> int:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if type(value) is int and value > 0 else 0
