"""Gemini's generateContent as plain values, in the JSON form that Vertex AI and the Gemini API share.

Sources: https://ai.google.dev/api/generate-content,
https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from entracte.adapters.models.dialect import for_gemini, reduced
from entracte.adapters.models.native import Declared, Said, declared, has_to_call, read_said, user_message
from entracte.adapters.models.reading import Finish
from entracte.core.modelling import ModelReply, ModelRequest, Usage

_FINISHES: Mapping[str, Finish] = {
    "STOP": "stop",
    "FINISH_REASON_UNSPECIFIED": "stop",
    "": "stop",
    "MAX_TOKENS": "length",
    "MALFORMED_FUNCTION_CALL": "malformed_call",
    "UNEXPECTED_TOOL_CALL": "malformed_call",
    "TOO_MANY_TOOL_CALLS": "malformed_call",
    **dict.fromkeys(
        ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR", "LANGUAGE"), "blocked"
    ),
}


def gemini_body(request: ModelRequest, model: str) -> dict[str, Any]:
    """The body to post, without the model's name in it."""
    config: dict[str, Any] = {"maxOutputTokens": request.max_output_tokens}
    if request.temperature is not None:
        config["temperature"] = request.temperature
    if model.startswith("gemini-"):  # Gemma and tuned models of old do not think, and refuse to be asked
        config["thinkingConfig"] = {"includeThoughts": True}
    if request.schema is not None and not request.tools:
        schema = for_gemini(reduced(request.schema))
        config |= {"responseMimeType": "application/json", "responseJsonSchema": schema}
    body: dict[str, Any] = {
        "contents": [{"role": "user", "parts": [{"text": user_message(request)}]}],
        "generationConfig": config,
    }
    if request.system:
        body["systemInstruction"] = {"parts": [{"text": request.system}]}
    if request.tools:
        mode = "ANY" if has_to_call(request) else "AUTO"
        body["tools"] = [{"functionDeclarations": [_declaration(tool) for tool in declared(request)]}]
        body["toolConfig"] = {"functionCallingConfig": {"mode": mode}}
    return body


def gemini_reply(request: ModelRequest, answer: Mapping[str, Any]) -> ModelReply:
    """What the answer says. Google's clients have made sure that it is one, be it empty."""
    reply = read_said(request, _said(answer))
    return replace(reply, usage=_usage(answer.get("usageMetadata")), served=str(answer.get("modelVersion") or ""))


def _declaration(tool: Declared) -> dict[str, Any]:
    schema = for_gemini(tool.parameters)
    return {"name": tool.name, "description": tool.description, "parametersJsonSchema": schema}


def _said(answer: Mapping[str, Any]) -> Said:
    match answer:
        case {"promptFeedback": {"blockReason": reason, **feedback}} if not answer.get("candidates"):
            return Said(finish="prompt_blocked", words=str(feedback.get("blockReasonMessage") or f"It says {reason}."))
        case {"candidates": [dict(candidate), *_]}:
            pass
        case _:
            return Said()
    content = candidate.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    texts: dict[bool, list[str]] = {True: [], False: []}
    calls = []
    for part in parts if isinstance(parts, list) else ():
        match part:
            case {"functionCall": {"name": str(name), **call}}:
                calls.append({"tool": name, "args": call.get("args") or {}})
            case {"text": str(text)}:
                texts[part.get("thought") is True].append(text)
            case _:
                pass
    reason = str(candidate.get("finishReason") or "")
    finish = _FINISHES.get(reason, "unknown")
    words = candidate.get("finishMessage") or (f"It says {reason!r}." if finish not in ("stop", "length") else "")
    return Said(text="".join(texts[False]), thought="".join(texts[True]), calls=calls, finish=finish, words=str(words))


def _usage(usage: Any) -> Usage:
    """Tokens as the service counts them: cached ones within the prompt's, thoughts beside the output."""

    def count(name: str) -> int:
        value = usage.get(name) if isinstance(usage, dict) else None
        return value if type(value) is int and value > 0 else 0

    return Usage(
        prompt_tokens=count("promptTokenCount"),
        cached_tokens=count("cachedContentTokenCount"),
        thinking_tokens=count("thoughtsTokenCount"),
        output_tokens=count("candidatesTokenCount"),
        model_calls=1,
    )
