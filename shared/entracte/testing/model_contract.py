"""What every model adapter must make of what its service says: one table, run over every wire, streamed and not.

Sources of the odd replies: https://ai.google.dev/api/generate-content#FinishReason,
https://docs.claude.com/en/api/handling-stop-reasons, https://platform.openai.com/docs/api-reference/chat/object.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from entracte.core.modelling import FaultKind, ModelReply, ModelRequest, Part, ToolSchema, Usage, WantedCall
from entracte.testing.wires.turn import SERVED, Says, Wire

SEARCH = ToolSchema(
    name="crm.search_customers",
    description="Find customers.",
    parameters={"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)
GET = ToolSchema(
    name="crm.get_customer",
    description="Read one customer.",
    parameters={
        "type": "object",
        "properties": {"id": {"$ref": "#/$defs/id"}, "years": {"type": "array", "items": {"type": "integer"}}},
        "required": ["id"],
        "$defs": {"id": {"type": "integer", "description": "Its number."}},
    },
)
PLAN: Mapping[str, Any] = {
    "type": "object",
    "properties": {"plan": {"enum": ["free", "pro"]}, "seats": {"type": "integer", "exclusiveMinimum": 0}},
    "required": ["plan"],
    "additionalProperties": False,
}


def a_request(**fields: Any) -> ModelRequest:
    """A plan of step 1."""
    named: dict[str, Any] = {"run": "r", "frame": "r", "agent": "desk", "model": "p/m", "purpose": "plan", "step": 1}
    parts = (Part("input", "Which plan is Ada on?"),)
    return ModelRequest(**named | {"system": "Help.", "parts": parts} | fields)


TEXT = a_request(max_output_tokens=100)
VALUE = a_request(schema=PLAN, max_output_tokens=100)
CHOICE = a_request(tools=(SEARCH, GET), max_calls=2, max_output_tokens=100)
REQUIRED = a_request(tools=(SEARCH, GET), tool_choice="required", max_calls=2, max_output_tokens=100)
REQUIRED_BEFORE_A_VALUE = replace(REQUIRED, schema=PLAN)
CHOICE_OF_VALUE = a_request(tools=(SEARCH, GET), schema=PLAN, max_output_tokens=100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What the service says, and what it means.

    Attributes:
        reply: What comes back, without usage and version.
        fault: Its fault's kind, where it has one; words may differ.
        told: Text and thought that a stream tells, whole; None where services differ.
    """

    says: Says
    reply: ModelReply = field(default_factory=ModelReply)
    fault: FaultKind | None = None
    told: tuple[str, str] | None = ("", "")


def _value(value: Any, thought: str = "") -> ModelReply:
    return ModelReply(value=value, thought=thought)


def _calls(*calls: tuple[str, dict[str, Any]], thought: str = "") -> ModelReply:
    return ModelReply(calls=tuple(WantedCall(*call) for call in calls), thought=thought)


_SEARCHING = ("crm.search_customers", {"query": "Ada"})
_GETTING = ("crm.get_customer", {"id": 7})
_EATEN = Usage(prompt_tokens=20, cached_tokens=8, thinking_tokens=100, output_tokens=0, model_calls=1)

CASES: Mapping[str, Case] = {
    "text": Case(says=Says(request=TEXT, text="Pro."), reply=_value("Pro."), told=("Pro.", "")),
    "text after a thought": Case(
        says=Says(request=TEXT, text="Pro.", thought="She paid."),
        reply=_value("Pro.", "She paid."),
        told=("Pro.", "She paid."),
    ),
    "text where tools might be called": Case(
        says=Says(request=CHOICE, text="Pro."), reply=_value("Pro."), told=("Pro.", "")
    ),
    "a value": Case(
        says=Says(request=VALUE, value={"plan": "pro", "seats": 3}), reply=_value({"plan": "pro", "seats": 3})
    ),
    "a value where tools might be called": Case(
        says=Says(request=CHOICE_OF_VALUE, value={"plan": "pro"}), reply=_value({"plan": "pro"})
    ),
    "a call": Case(says=Says(request=CHOICE, calls=(_GETTING,)), reply=_calls(_GETTING)),
    "a call where a value is wanted in the end": Case(
        says=Says(request=CHOICE_OF_VALUE, calls=(_GETTING,)), reply=_calls(_GETTING)
    ),
    "a call after a thought": Case(
        says=Says(request=CHOICE, calls=(_GETTING,), thought="Look."),
        reply=_calls(_GETTING, thought="Look."),
        told=("", "Look."),
    ),
    "parallel calls": Case(says=Says(request=CHOICE, calls=(_SEARCHING, _GETTING)), reply=_calls(_SEARCHING, _GETTING)),
    "calls too many, which the agent is told of": Case(
        says=Says(request=CHOICE, calls=(_GETTING,) * 4), reply=_calls(*(_GETTING,) * 4)
    ),
    "an unknown tool, which the agent is told of": Case(
        says=Says(request=CHOICE, calls=(("crm.fly", {}),)), reply=_calls(("crm__fly", {}))
    ),
    "a call where one is required": Case(says=Says(request=REQUIRED, calls=(_GETTING,)), reply=_calls(_GETTING)),
    "words where a call is required": Case(
        says=Says(request=REQUIRED, text="Pro."), fault="malformed", told=("Pro.", "")
    ),
    "a value where a call is required": Case(
        says=Says(request=REQUIRED_BEFORE_A_VALUE, value={"plan": "pro"}), fault="malformed"
    ),
    "nothing where a call is required": Case(says=Says(request=REQUIRED), fault="empty"),
    "floats for whole numbers": Case(
        says=Says(request=CHOICE, calls=(("crm.get_customer", {"id": 7.0, "years": [2024.0, 2025.5]}),)),
        reply=_calls(("crm.get_customer", {"id": 7, "years": [2024, 2025.5]})),
    ),
    "JSON in a code fence": Case(
        says=Says(request=VALUE, text='```json\n{"plan": "pro"}\n```'), reply=_value({"plan": "pro"})
    ),
    "text where JSON was asked": Case(says=Says(request=VALUE, text="She is on Pro."), fault="invalid_json"),
    "text where a value was asked and tools might be called": Case(
        says=Says(request=CHOICE_OF_VALUE, text="She is on Pro."), fault="invalid_json"
    ),
    "wrong types": Case(says=Says(request=VALUE, value={"plan": "pro", "seats": "many"}), fault="malformed"),
    "a value that the reduced schema allows": Case(
        says=Says(request=VALUE, value={"plan": "pro", "seats": 0}), fault="malformed"
    ),
    "nothing": Case(says=Says(request=TEXT), fault="empty"),
    "nothing where tools might be called": Case(says=Says(request=CHOICE), fault="empty"),
    "not even a candidate": Case(says=Says(request=TEXT, candidates=False), fault="empty"),
    "a prompt that is blocked": Case(says=Says(request=TEXT, finish="blocked_prompt"), fault="blocked"),
    "a safety stop": Case(says=Says(request=TEXT, text="She", finish="safety"), fault="blocked", told=("She", "")),
    "a safety stop before the first word": Case(says=Says(request=CHOICE, finish="safety"), fault="blocked"),
    "an unknown finish": Case(says=Says(request=TEXT, text="She", finish="unknown"), fault="stopped", told=("She", "")),
    "a malformed call with nothing else": Case(says=Says(request=CHOICE, finish="malformed_call"), fault="malformed"),
    "half a text": Case(says=Says(request=TEXT, text="She", finish="length"), fault="cut_off", told=("She", "")),
    "half a JSON": Case(says=Says(request=VALUE, text='{"plan": "p', finish="length"), fault="cut_off"),
    "calls of which the last may lack its end": Case(
        says=Says(request=CHOICE, calls=(_SEARCHING, _GETTING), finish="length"), fault="cut_off"
    ),
    "a whole value that is withheld": Case(
        says=Says(request=VALUE, text='{"plan": "pro"}', finish="safety"), fault="blocked"
    ),
    "the limit and no parts": Case(says=Says(request=CHOICE, finish="length"), fault="cut_off"),
    "thinking that ate the limit": Case(
        says=Says(request=TEXT, thought="Hm.", finish="length", usage=_EATEN), fault="cut_off", told=("", "Hm.")
    ),
}


def expected(case: Case, wire: Wire) -> ModelReply:
    """The reply that the case means, with the usage that the wire can tell. Its fault is compared by kind."""
    used = case.says.usage
    if not wire.tells_thinking:
        used = used.evolve(thinking_tokens=0, output_tokens=used.output_tokens + used.thinking_tokens)
    return replace(case.reply, usage=used, served=SERVED)


def check_reply(case: Case, wire: Wire, *, streamed: bool) -> None:
    """Ask, and compare the whole reply, and what the stream told."""
    told: dict[str, str] = {"text": "", "thought": ""}

    def tell(delta: Any) -> None:
        told[delta.kind] += delta.text

    with wire.serve(case.says) as (model, asked):
        reply = model.generate(case.says.request, deadline_s=30, on_delta=tell if streamed else None)
    assert (reply.fault.kind if reply.fault is not None else None) == case.fault, reply
    assert replace(reply, fault=None) == expected(case, wire)
    assert _as_json(reply) == _as_json(case.reply)  # 7 and 7.0 are equal, but only one of them is an integer
    assert len(asked) == 1
    if streamed:
        assert (told["text"], told["thought"]) == case.told


def _as_json(reply: ModelReply) -> str:
    return json.dumps([reply.value, [call.arguments for call in reply.calls]], sort_keys=True)
