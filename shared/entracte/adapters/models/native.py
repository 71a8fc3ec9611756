"""Native tool calling, as Gemini and Claude have it: what is declared, and what a reply with calls means.

An answer with a schema is given by a call as well, of a tool that we add: so the service enforces its shape, and a
model that has tools cannot answer with something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from entracte.adapters.models.dialect import Schema, reduced, wire_name
from entracte.adapters.models.prompt import parts_text
from entracte.adapters.models.reading import (
    Finish,
    read_calls,
    read_reply,
    read_value,
    shortened,
    stopped_early,
    unless_too_soon,
)
from entracte.core.modelling import Fault, ModelReply, ModelRequest

_CALL_HINT = "Call a tool: there is nothing to answer with yet."
_ANSWER_HINT = "Call tools while something is missing. When nothing is missing, call {answer}."
_TEXT_HINT = "Call tools while something is missing. When nothing is missing, answer in words."


class Declared(Struct, frozen=True, kw_only=True):
    """A tool as a service is told of it; its parameters are reduced."""

    name: str
    description: str
    parameters: Schema


class Said(Struct, frozen=True, kw_only=True):
    """What a service's reply holds, before it is known what it means.

    Attributes:
        calls: ``{"tool": wire name, "args": object}`` each.
        words: The service's own about why it stopped.
    """

    text: str = ""
    thought: str = ""
    calls: Sequence[dict[str, Any]] = ()
    finish: Finish = "stop"
    words: str = ""


def user_message(request: ModelRequest) -> str:
    """What to look at, and last how to go on."""
    if not request.tools:
        return parts_text(request)
    return f"{parts_text(request)}\n\n{_hint(request)}".strip()


def _hint(request: ModelRequest) -> str:
    if request.must_call:
        return _CALL_HINT
    return _TEXT_HINT if request.schema is None else _ANSWER_HINT.format(answer=answer_name(request))


def answer_name(request: ModelRequest) -> str:
    """Name of the tool that gives the answer; no other tool's."""
    taken = {wire_name(tool.name) for tool in request.tools}
    name = "give_answer"
    while name in taken:
        name += "_"
    return name


def declared(request: ModelRequest) -> tuple[Declared, ...]:
    """The tools that may be called, ours for the answer last where an answer will do."""
    tools = [
        Declared(name=wire_name(tool.name), description=tool.description, parameters=reduced(tool.parameters))
        for tool in request.tools
    ]
    may_answer = tools and request.schema is not None and not request.must_call
    return (*tools, answer_tool(request)) if may_answer else tuple(tools)


def has_to_call(request: ModelRequest) -> bool:
    """Whether the service is told that words alone will not do: an answer with a schema is a call as well."""
    return request.must_call or request.schema is not None


def answer_tool(request: ModelRequest) -> Declared:
    """The tool whose call is the value."""
    answer = reduced(request.schema or {})
    parameters = {"type": "object", "properties": {"answer": answer}, "required": ["answer"]}
    return Declared(name=answer_name(request), description="Give the final answer.", parameters=parameters)


def read_said(request: ModelRequest, said: Said) -> ModelReply:
    """What the reply means. Usage and version are the adapter's to add."""
    reply = unless_too_soon(request, _read(request, said))
    text = said.text.strip()
    thought = said.thought.strip() or (text if reply.calls else "")
    return replace(reply, thought=shortened(thought)) if thought and reply.fault is None else reply


def _read(request: ModelRequest, said: Said) -> ModelReply:
    if not said.calls:  # text where an answer was to be given by a call may hold it all the same
        return read_reply(replace(request, tools=()), said.text, said.finish, said.words)
    if (early := stopped_early(request, said.finish, said.words)) is not None and said.finish != "unknown":
        return early  # the last call may lack its end
    name = answer_name(request)
    answers = [call for call in said.calls if call["tool"] == name and request.schema is not None]
    if not answers:
        return read_calls(request, list(said.calls))
    if len(said.calls) > 1:
        return ModelReply(fault=Fault("malformed", f"Call {name} alone, or other tools without it."))
    match answers[0]["args"]:
        case {"answer": answer}:
            return read_value(request, answer, at="/answer")
        case arguments:  # some models leave the wrapping away
            return read_value(request, arguments)
