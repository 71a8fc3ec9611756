"""What servers offer, as their listings have it, and as tools of a network. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from entracte.core.payload import readable
from entracte.core.tool_spec import ToolSpec

Listing = Mapping[str, Sequence[Mapping[str, Any]]]
"""Server → its tools, each as ``tools/list`` gives it: name, description, inputSchema, annotations, …"""

MAX_SUMMARY_CHARS = 500

_TIMEOUT_S = 60.0


def served_tools(listing: Listing) -> Iterator[ToolSpec]:
    """The tools that can be called, by their full names.

    What a server says of a tool's effect is not taken over: the policy decides (`Manifest.rule_for`). A tool whose name
    no model could be told is left out.
    """
    for server, tools in listing.items():
        for tool in tools:
            name = str(tool.get("name", ""))
            if name and all(c.isascii() and (c.isalnum() or c in "_-.") for c in name):
                yield _spec(f"{server}.{name}", tool)


def says_readonly(tool: Mapping[str, Any]) -> bool:
    """Whether a server says that a tool changes nothing. A hint: servers may be mistaken, or lie."""
    annotations = tool.get("annotations")
    return isinstance(annotations, Mapping) and annotations.get("readOnlyHint") is True


def _spec(name: str, tool: Mapping[str, Any]) -> ToolSpec:
    described = readable(str(tool.get("description") or tool.get("title") or ""), 20_000).strip()
    summary, _, instruction = described.partition("\n")
    schema = tool.get("inputSchema")
    return ToolSpec(
        name=name,
        summary=summary.strip()[:MAX_SUMMARY_CHARS] or name,
        instruction=instruction.strip(),
        parameters=schema if isinstance(schema, Mapping) else {"type": "object"},
        timeout_s=_TIMEOUT_S,
    )
