"""The policy that a network runs under."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from entracte.core.policy.listing import Listing
from entracte.core.policy.manifest import UNMATCHED, UNMATCHED_READONLY, Manifest
from entracte.core.policy.matching import best
from entracte.core.policy.rule import Gate, Rule
from entracte.core.tool_spec import ToolSpec


class Policy(Struct, frozen=True):
    """A manifest applied to tools.

    Attributes:
        manifest: None when the network has none: then nothing is known of any tool, but what it says of itself.
        gate: For changing tools of a network without a manifest. A destructive call must never pass silently, so
            "never" is for those who said so (`UNGATED`); it silences the gates of tools' own rules too.
        listing: What the manifest's servers offer, as far as it is known.
    """

    manifest: Manifest | None = None
    gate: Gate = "always"
    listing: Listing = {}

    def declared_rule(self, tool: ToolSpec) -> Rule:
        """The rule as it was written: what the manifest says of a tool counts, then what the tool brings along."""
        if self.manifest is not None and (rule := best(self.manifest.rules, tool.name)) is not None:
            return rule
        if tool.rule is not None:
            return tool.rule if self.gate != "never" else replace(tool.rule, gate="never")
        if self.manifest is not None:
            return self.manifest.rule_for(tool.name, says_readonly=tool.readonly)
        return UNMATCHED_READONLY if tool.readonly else replace(UNMATCHED, gate=self.gate)

    def rule_for(self, tool: ToolSpec) -> Rule:
        """The rule that counts for a tool, with nothing left open: what it does not say, the tool does."""
        rule = self.declared_rule(tool)
        return replace(
            rule,
            idempotent=tool.idempotent if rule.idempotent is None else rule.idempotent,
            timeout_s=tool.timeout_s if rule.timeout_s is None else rule.timeout_s,
        )

    def governed(self, tool: ToolSpec) -> ToolSpec:
        """The tool as the policy has it: its effect, timeout and idempotency are those of its rule."""
        rule = self.rule_for(tool)
        assert rule.idempotent is not None and rule.timeout_s is not None
        return replace(
            tool,
            effect="readonly" if rule.is_readonly or tool.asks else "changing",
            idempotent=rule.idempotent,
            timeout_s=rule.timeout_s,
        )


def asks_first(rule: Rule, arguments: Mapping[str, Any]) -> bool:
    """Whether a call is held until a person approves.

    Args:
        arguments: Effective arguments: as they are after the hooks.
    """
    match rule.gate:
        case "always":
            return True
        case "never":
            return False
        case "on_write":
            from entracte.core.policy.sql import only_reads  # its parser takes a tenth of a second to load

            return not only_reads(arguments)
