"""A model's text as a reply: calls, a value, or a fault that says what to do about it."""

from __future__ import annotations

from typing import Any, Literal

from entracte.adapters.models.dialect import wire_name
from entracte.adapters.models.embedded_json import embedded_json
from entracte.core.modelling import Fault, FaultKind, ModelReply, ModelRequest, WantedCall
from entracte.core.payload import canonical
from entracte.core.validation import explain
from entracte.errors import InvalidInput

MAX_THOUGHT_CHARS = 4_000

MAX_CALLS = 64
"""More in one reply is a model that has lost its way; fewer are cut to the request's limit by the plan phase."""

Finish = Literal["stop", "length", "blocked", "prompt_blocked", "malformed_call", "unknown"]
"""Why a service stopped writing: it was done; it met the limit; it would not go on, or would not even read the request;
what it wrote as a call was none; or for a reason that nobody here knows."""


def read_reply(request: ModelRequest, text: str, finish: Finish, words: str = "") -> ModelReply:
    """What the text says. Usage and version are the adapter's to add.

    Args:
        words: The service's own about why it stopped, where it has any.
    """
    text = text.strip()
    early = stopped_early(request, finish, words or text)
    if early is not None and finish not in _MAYBE_WHOLE:
        return early
    if not text:
        return early or _EMPTY
    if not request.tools and request.schema is None:
        return early or read_value(request, text)
    is_list = not request.tools and request.schema is not None and request.schema.get("type") == "array"
    try:
        value = embedded_json(text, "[" if is_list else "{")
    except ValueError as error:
        return early or _fault("invalid_json", f"The reply is not JSON: {error}. Send JSON alone.")
    return _read_choice(request, value) if request.tools else read_value(request, value)


_MAYBE_WHOLE = ("length", "unknown")
"""JSON that is whole in spite of them counts."""


def stopped_early(request: ModelRequest, finish: Finish, words: str) -> ModelReply | None:
    """The fault of a reply that did not come to its end; None of one that did."""
    words = words[:300].strip()
    match finish:
        case "stop":
            return None
        case "length":
            return _fault("cut_off", f"The reply was cut off after {request.max_output_tokens} tokens. Write less.")
        case "blocked":
            return _fault("blocked", f"The model's service withheld the reply. {words}".strip())
        case "prompt_blocked":
            return _fault("blocked", f"The model's service would not read the request. {words}".strip())
        case "malformed_call":
            return _fault("malformed", f"The call was not written as one. {words}".strip())
        case "unknown":
            return _fault("stopped", f"The model stopped for a reason that is not known here. {words}".strip())


def unless_too_soon(request: ModelRequest, reply: ModelReply) -> ModelReply:
    """The reply; a fault in place of an answer where something has to be called first."""
    if not request.must_call or reply.calls or reply.fault is not None:
        return reply
    return _malformed("", "it answers, but a tool has to be called first")


def shortened(thought: str) -> str:
    """A thought as it is kept: models that think at length need not fill the journal."""
    thought = thought.strip()
    return thought if len(thought) <= MAX_THOUGHT_CHARS else f"{thought[:MAX_THOUGHT_CHARS]} …"


def whole_numbers(value: Any) -> Any:
    """The value with 7 in place of 7.0, which is what some services make of every number; JSON tells no difference.

    Values whose schema wants fractions take whole numbers too, so that no schema has to be looked at.
    """
    match value:
        case float() if value.is_integer() and abs(value) < 2**53:
            return int(value)
        case dict():
            return {key: whole_numbers(each) for key, each in value.items()}
        case list():
            return [whole_numbers(each) for each in value]
        case _:
            return value


def read_value(request: ModelRequest, value: Any, thought: str = "", *, at: str = "") -> ModelReply:
    """A final value, checked against what the request asks for.

    Args:
        at: JSON Pointer of the value in the reply, for the fault.
    """
    try:
        canonical(value)
    except InvalidInput as error:
        return _malformed(f"{at}{error.pointer}", error.message)
    value = whole_numbers(value)
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
    wanted: list[tuple[str, dict[str, Any]]] = []
    for index, call in enumerate(calls):
        match call:
            case {"tool": str(tool), "args": dict(arguments)}:
                wanted.append((tool, arguments))
            case {"tool": str(tool)} if "args" not in call:
                wanted.append((tool, {}))
            case _:
                return _malformed(f"/calls/{index}", 'expected {"tool": name, "args": object}')
    try:
        canonical(calls)
    except InvalidInput as error:
        return _malformed(f"/calls{error.pointer}", error.message)
    called = tuple(WantedCall(names.get(tool, tool), whole_numbers(arguments)) for tool, arguments in wanted)
    return ModelReply(calls=called, thought=thought)


def _malformed(at: str, what: str) -> ModelReply:
    return _fault("malformed", f"The reply does not have the shape asked for: {at + ': ' if at else ''}{what}.")


def _fault(kind: FaultKind, message: str) -> ModelReply:
    return ModelReply(fault=Fault(kind, message))


_EMPTY = _fault("empty", "The reply was empty.")
