"""From a rule's shape, which is coherent and has no malformed template, to the rule that phases read."""

from __future__ import annotations

from typing import Any

from entracte.core.policy.faults import Path
from entracte.core.policy.rule import Gate, InverseRule, Rule, SnapshotRule
from entracte.core.policy.text.shapes import CallShape, RuleShape
from entracte.core.policy.text.template_faults import ROOTS
from entracte.core.template import Template

_SECONDS = {"s": 1, "m": 60, "h": 60 * 60, "d": 24 * 60 * 60}


def rule_of(shape: RuleShape, path: Path) -> Rule:
    """The rule.

    Args:
        path: Where it stands in the manifest; empty for one that stands in none.
    """
    by_class: Gate = "always" if shape.class_ == "irreversible" else "never"
    return Rule(
        match=shape.match,
        tool_class=shape.class_,
        gate=shape.gate or by_class,
        snapshot=SnapshotRule(**_call(shape.snapshot)) if shape.snapshot is not None else None,
        inverse=InverseRule(**_call(shape.inverse)) if shape.inverse is not None else None,
        ignore=tuple(shape.ignore),
        merge_fields=shape.merge == "fields",
        idempotent=shape.idempotent,
        timeout_s=_seconds(shape.timeout) if shape.timeout is not None else None,
        approvers=tuple(approver.lower() for approver in shape.approvers),
        quorum=shape.quorum,
        four_eyes=shape.four_eyes,
        editable=shape.editable,
        expires_s=_seconds(shape.expires) if shape.expires != "never" else None,
        question=Template.parse(shape.question, ROOTS) if shape.question is not None else None,
        path=path,
    )


def _call(shape: CallShape) -> dict[str, Any]:
    return {
        "tool": shape.tool,
        "args": Template.parse(shape.args, ROOTS),
        "absent_when": shape.absent_when or "",
    }


def _seconds(duration: str) -> int:
    return int(duration[:-1]) * _SECONDS[duration[-1]]
