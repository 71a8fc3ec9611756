"""A model's text as a reply: calls, a value, or a fault that says what to do about it."""

from __future__ import annotations

from typing import Any, Literal

from entracte.adapters.models.dialect import wire_name
from entracte.adapters.models.embedded_json import embedded_json
from entracte.core.modelling import Fault, FaultKind, ModelReply, ModelRequest, WantedCall
from entracte.core.payload import canonical
from entracte.core.validation import explain
from entracte.errors import InvalidInput

MAX_CALLS = 64
"""More in one reply is a model that has lost its way; fewer are cut to the request's limit by the plan phase."""

Finish = Literal["stop", "length", "blocked"]
"""Why a service stopped writing: it was done, it met the limit, it would not go on."""


def read_reply(request: ModelRequest, text: str, finish: Finish) -> ModelReply:
    """What the text says. Usage and version are the adapter's to add."""
    text = text.strip()
    cut_off = _fault("cut_off", f"The reply was cut off after {request.max_output_tokens} tokens. Write less.")
    if finish == "blocked":
        return _fault("blocked", f"The model's service withheld the reply. {text[:300]}".strip())
    if not text:
        return cut_off if finish == "length" else _EMPTY
    if not request.tools and request.schema is None:
        return cut_off if finish == "length" else read_value(request, text)
    is_list = not request.tools and request.schema is not None and request.schema.get("type") == "array"
    try:
        value = embedded_json(text, "[" if is_list else "{")
    except ValueError as error:
        return (
            cut_off
            if finish == "length"
            else _fault("invalid_json", f"The reply is not JSON: {error}. Send JSON alone.")
        )
    return _read_choice(request, value) if request.tools else read_value(request, value)


def read_value(request: ModelRequest, value: Any, thought: str = "", *, at: str = "") -> ModelReply:
    """A final value, checked against what the request asks for.

    Args:
        at: JSON Pointer of the value in the reply, for the fault.
    """
    try:
        canonical(value)
    except InvalidInput as error:
        return _malformed(f"{at}{error.pointer}", error.message)
    if request.schema is not None:
        wrong = explain(value, request.schema)
        return _malformed(at, wrong) if wrong else ModelReply(value=value, thought=thought)
    if not isinstance(value, str):
        return _malformed(at, "expected a text")
    return ModelReply(value=value.strip(), thought=thought) if value.strip() else _EMPTY


def _read_choice(request: ModelRequest, value: Any) -> ModelReply:
    if not isinstance(value, dict):
        return _malformed("", "expected an object with calls or answer")
    if isinstance(value.get("next"), dict):
        value = value | value["next"]
    thought = value["thought"].strip() if isinstance(value.get("thought"), str) else ""
    if calls := value.get("calls"):
        if value.get("answer"):
            return _malformed("", "it has both calls and answer; send one of them")
        return read_calls(request, calls, thought)
    if "answer" not in value:
        return _malformed("", f"expected calls or answer, found {', '.join(value) or 'nothing'}")
    return read_value(request, value["answer"], thought, at="/answer")


def read_calls(request: ModelRequest, calls: Any, thought: str = "") -> ModelReply:
    """The calls, ``[{"tool": wire name, "args": object}]``.

    What they ask for is checked where it is known: arguments by the tools port, names and number by the plan phase,
    which tells the agent. Only what no model means is refused here.
    """
    names = {wire_name(tool.name): tool.name for tool in request.tools}
    if not isinstance(calls, list):
        return _malformed("/calls", "expected a list")
    if len(calls) > MAX_CALLS:
        return _malformed("/calls", f"at most {request.max_calls} calls at once, found {len(calls)}")
    wanted = []
    for index, call in enumerate(calls):
        match call:
            case {"tool": str(tool), "args": dict(arguments)}:
                wanted.append(WantedCall(names.get(tool, tool), arguments))
            case {"tool": str(tool)} if "args" not in call:
                wanted.append(WantedCall(names.get(tool, tool), {}))
            case _:
                return _malformed(f"/calls/{index}", 'expected {"tool": name, "args": object}')
    try:
        canonical(calls)
    except InvalidInput as error:
        return _malformed(f"/calls{error.pointer}", error.message)
    return ModelReply(calls=tuple(wanted), thought=thought)


def _malformed(at: str, what: str) -> ModelReply:
    return _fault("malformed", f"The reply does not have the shape asked for: {at + ': ' if at else ''}{what}.")


def _fault(kind: FaultKind, message: str) -> ModelReply:
    return ModelReply(fault=Fault(kind, message))


_EMPTY = _fault("empty", "The reply was empty.")
