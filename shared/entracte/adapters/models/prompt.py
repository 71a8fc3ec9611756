"""A request as the two messages that every service has: standing instructions, and what to look at.

What stays the same from step to step comes first, so that services can reuse what they have read before. The form of
the reply comes last, where a small model still remembers it.
"""

from __future__ import annotations

import re

from entracte.adapters.models.dialect import reduced, wire_name
from entracte.adapters.models.notation import notation
from entracte.core.modelling import ModelRequest, Part, ToolSchema

_CHOICE = """\
Reply with one JSON object, in one of two forms.
To call tools: {{"thought": "why, in one short sentence", "calls": [{{"tool": "{tool}", "args": {{…}}}}]}}
To finish: {{"thought": "why, in one short sentence", "answer": {answer}}}"""

_VALUE = """\
Reply with one JSON object: {answer}"""


def system_text(request: ModelRequest) -> str:
    """Standing instructions and the tools."""
    tools = [_tool(tool) for tool in request.tools]
    return "\n\n".join([request.system, *(["# Tools", *tools] if tools else [])]).strip()


def user_text(request: ModelRequest) -> str:
    """The parts, each between tags with its title, then the form of the reply."""
    return "\n\n".join([*map(_part, request.parts), _form(request)]).strip()


def _part(part: Part) -> str:
    tag = re.sub(r"\W+", "_", part.title)
    return f"<{tag}>\n{part.text}\n</{tag}>"


def _tool(tool: ToolSchema) -> str:
    parameters = reduced(tool.parameters)
    fields = parameters.get("properties", {})
    about = [f"- {name}: {field['description']}" for name, field in fields.items() if "description" in field]
    return "\n".join([f"## {wire_name(tool.name)}", tool.description, f"args: {notation(parameters)}", *about])


def _form(request: ModelRequest) -> str:
    if request.tools:
        answer = '"what you tell the user"' if request.schema is None else notation(reduced(request.schema))
        return _CHOICE.format(tool=wire_name(request.tools[0].name), answer=answer)
    return "" if request.schema is None else _VALUE.format(answer=notation(reduced(request.schema)))
