"""A request as the two messages that every service has: standing instructions, and what to look at.

What stays the same from step to step comes first, so that services can reuse what they have read before. The form of
the reply comes last, where a small model still remembers it.
"""

from __future__ import annotations

import re

from entracte.adapters.models.dialect import reduced, wire_name
from entracte.adapters.models.notation import notation
from entracte.core.modelling import ModelRequest, Part, ToolSchema

# Tried on Qwen2.5-Coder 1.5B (infra/decisions/0004): a tool's real name in the example is copied, an answer that stands
# first is preferred to looking things up, and "on one line" makes it invent data.
_CHOICE = """\
Reply with one JSON object, in one of two forms.
To call tools, while something that a tool can find or do is missing: {calls}
To finish, when nothing is missing: {answer}"""

_CALLS = '"calls": [{"tool": "name of the tool", "args": {…}}]'

_WHY = "why, in one short sentence"

# Asked for its reasons, it says that nothing was found before it has looked at what was.
_SAID = "what the results say about it"

# "why" has it write down what it remembers of the answer, and look for that.
_REQUIRED = f"""\
Reply with one JSON object that calls tools: {{"thought": "what has to be looked up or done first", {_CALLS}}}"""


def system_text(request: ModelRequest) -> str:
    """Standing instructions and the tools."""
    tools = [_tool(tool) for tool in request.tools]
    return "\n\n".join([request.system, *(["# Tools", *tools] if tools else [])]).strip()


def parts_text(request: ModelRequest) -> str:
    """The parts, each between tags with its title."""
    return "\n\n".join(map(_part, request.parts))


def user_text(request: ModelRequest, *, nested: bool = False) -> str:
    """The parts, each between tags with its title, then the form of the reply (as in `choice.reply_schema`)."""
    form = _choice_form(request, nested) if request.tools else _value_form(request)
    return f"{parts_text(request)}\n\n{form}".strip()


def _part(part: Part) -> str:
    tag = re.sub(r"\W+", "_", part.title)
    return f"<{tag}>\n{part.text}\n</{tag}>"


def _tool(tool: ToolSchema) -> str:
    parameters = reduced(tool.parameters)
    fields = parameters.get("properties", {})
    about = [f"- {name}: {field['description']}" for name, field in fields.items() if "description" in field]
    return "\n".join([f"## {wire_name(tool.name)}", tool.description, f"args: {notation(parameters)}", *about])


def _choice_form(request: ModelRequest, nested: bool) -> str:
    if request.must_call:
        return _REQUIRED
    thought = f'{{"thought": "{_WHY if request.step <= 1 else _SAID}", '
    value = '"a full sentence to the user"' if request.schema is None else notation(reduced(request.schema))
    either = [f'"next": {{{inner}}}' if nested else inner for inner in (_CALLS, f'"answer": {value}')]
    calls, answer = (f"{thought}{inner}}}" for inner in either)
    return _CHOICE.format(calls=calls, answer=answer)


def _value_form(request: ModelRequest) -> str:
    return "" if request.schema is None else f"Reply with JSON of this form: {notation(reduced(request.schema))}"
