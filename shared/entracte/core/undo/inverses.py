"""The inverse call of an action as an undo makes it."""

from __future__ import annotations

from typing import Any

from entracte.core.documents.action import Action, Inverse
from entracte.core.payload import Payload
from entracte.core.policy.calling import inverse_of
from entracte.core.policy.rule import Rule
from entracte.core.reference import Reference
from entracte.core.template import Text
from entracte.core.undo.drift import changed_fields


def is_in_doubt(action: Action) -> bool:
    """Whether nobody knows if it was made: its end is not known, or it was to be made once more when its run closed."""
    return action.status in ("unknown", "started") or (action.status in ("gated", "approved") and action.attempt > 0)


def inverse_for(action: Action, rule: Rule, *, replan: bool) -> Inverse | None:
    """What takes the action back; None when nothing does.

    Args:
        rule: As it is today.
        replan: Resolve the inverse again under it, from stored arguments, snapshot and result.
    """
    inverse = action.inverse
    if replan or (inverse is None and is_in_doubt(action)):
        result = action.result.value if action.result is not None else None
        inverse = inverse_of(rule, action.called_with.value, action.snapshot, result)
    if inverse is None or inverse.arguments is None:
        return inverse
    return inverse.evolve(arguments=Payload.of(_merged(action, rule, inverse.arguments.value)))


def puts_back(action: Action, rule: Rule) -> bool:
    """Whether its inverse changes anything: one that restores only changed fields may have none of them to restore."""
    fields = changed_fields(action, rule)
    if fields is None or rule.inverse is None or not isinstance(rule.inverse.args.node, dict):
        return True
    return any(_snapshot_field(node) in fields for node in rule.inverse.args.node.values())


def _merged(action: Action, rule: Rule, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments without those that would put a field back which the call did not change."""
    fields = changed_fields(action, rule)
    if fields is None or rule.inverse is None or not isinstance(rule.inverse.args.node, dict):
        return arguments
    kept = {}
    for name, value in arguments.items():
        restores = _snapshot_field(rule.inverse.args.node.get(name))
        if restores is None or restores in fields:
            kept[name] = value
    return kept


def _snapshot_field(node: Any) -> str | None:
    """Field of the snapshot that a template node is one reference to; None for any other node."""
    match node:
        case Text((Reference(root="$snapshot", steps=(str(field), *_)),)):
            return field
        case _:
            return None
