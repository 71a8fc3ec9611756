"""The policy manifest, read and coherent."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from entracte.core.policy.matching import best
from entracte.core.policy.rule import Rule
from entracte.core.policy.server import Server
from entracte.core.policy.source import Source

UNMATCHED = Rule(match="", tool_class="irreversible", gate="always")
"""For a tool of which the manifest says nothing: a destructive call must never be forwarded silently."""

UNMATCHED_READONLY = Rule(match="", tool_class="readonly", gate="never")
"""For a tool in process of which only its author says something: that it changes nothing."""


class Manifest(Struct, frozen=True, kw_only=True):
    """What each tool may do to the world, how it is undone, and who has to agree.

    Attributes:
        servers: MCP servers by name.
        rules: In the order of the file.
        source: What it was read from, for the places of faults.
    """

    servers: Mapping[str, Server]
    rules: tuple[Rule, ...]
    source: Source

    def rule_for(self, tool: str, *, says_readonly: bool = False) -> Rule:
        """The rule that counts for a tool.

        Args:
            tool: Full name: ``server.tool``, or without a dot for a tool in process.
            says_readonly: The tool itself says that it changes nothing. Counts in process only, and only if no pattern
                matches: what a foreign server says of itself is not trusted.
        """
        if (rule := best(self.rules, tool)) is not None:
            return rule
        return UNMATCHED_READONLY if says_readonly and "." not in tool else UNMATCHED
