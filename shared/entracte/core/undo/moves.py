"""The table of an undo: what an action calls for, before and after what it changed has been read. Pure.

The undo phase and the dry run both go by it, so that the one does what the other has said.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from entracte.core.blueprint import Blueprint
from entracte.core.calls import Record
from entracte.core.documents.action import Action, Inverse, Reading
from entracte.core.policy.rule import Rule, SnapshotRule
from entracte.core.undo.drift import same
from entracte.core.undo.inverses import inverse_for, is_in_doubt, puts_back


class Skip(Struct, frozen=True):
    """It has changed nothing, so there is nothing to take back."""

    note: str


class Permanent(Struct, frozen=True):
    """It cannot be taken back, and is stepped over: stopping would not take it back either."""

    note: str


class Read(Struct, frozen=True):
    """What it changed has to be read and compared first."""

    snapshot: SnapshotRule


class Revert(Struct, frozen=True):
    """Its inverse is called."""

    inverse: Inverse


class Already(Struct, frozen=True):
    """The record is as it was before: somebody, or an inverse whose end was never recorded, has put it back."""


class Stop(Struct, frozen=True):
    """The undo ends here.

    Attributes:
        shown: Values before, expected and found, where they differ.
    """

    reason: str
    shown: dict[str, Any] | None = None


class Doubt(Struct, frozen=True):
    """Nobody knows whether its inverse happened: the undo ends here, and the action is unrecoverable."""

    reason: str


Move = Skip | Permanent | Already | Revert | Stop | Doubt
"""What an undo does with an action, once there is nothing more to read."""


def rule_of(action: Action, blueprint: Blueprint) -> Rule | None:
    """The rule of the action's tool as it is today; None for a tool that is no more."""
    tool = blueprint.tools.get(action.tool)
    return blueprint.policy.rule_for(tool) if tool is not None else None


def look(action: Action, blueprint: Blueprint, *, replan: bool) -> Read | Move:
    """What the action calls for, as far as its document and the policy of today tell.

    Args:
        replan: Resolve inverses again, and try again what an earlier undo has left as unrecoverable.
    """
    rule = rule_of(action, blueprint)
    match action.status:
        case "applied":
            return _applied(action, rule, replan=replan)
        case _ if is_in_doubt(action):
            return _unknown(action, rule)
        case "reverting":
            return _reverting(action, rule, blueprint)
        case "unrecoverable" if replan:
            return _applied(action, rule, replan=replan)
        case "unrecoverable":
            return Stop(action.reversal.note if action.reversal else "An earlier undo stopped here.")
        case _:
            return Skip(f"{action.status}: nothing to take back")


def compare(action: Action, rule: Rule, record: Record, *, replan: bool) -> Move:
    """What the action calls for once the record has been read.

    Args:
        record: As it is now.
        replan: As in `look`.
    """
    if record.error:
        return Stop(f"What it changed cannot be read: {record.error}")
    inverse = inverse_for(action, rule, replan=replan)
    if is_in_doubt(action):
        return _whether_it_happened(action, rule, record, inverse)
    return _drift(action, rule, record, inverse)


def _applied(action: Action, rule: Rule | None, *, replan: bool) -> Read | Move:
    inverse = inverse_for(action, rule, replan=replan) if rule is not None else action.inverse
    if inverse is None or inverse.arguments is None:
        return Permanent(inverse.unresolved if inverse is not None else "the policy has no inverse for it")
    if action.after is None:  # nothing to compare with: reading back afterwards may still verify it
        return Revert(inverse)
    if rule is None or rule.snapshot is None:
        return Stop("What it changed cannot be read any more: the policy names no snapshot for it now.")
    return Read(rule.snapshot)


def _unknown(action: Action, rule: Rule | None) -> Read | Move:
    if rule is None or rule.snapshot is None or action.snapshot is None:
        return Stop("Nobody knows whether it happened, and nothing can be read to find out.")
    return Read(rule.snapshot)


def _reverting(action: Action, rule: Rule | None, blueprint: Blueprint) -> Read | Move:
    """An inverse whose end was never recorded: only what is safe to repeat is repeated."""
    assert action.inverse is not None
    tool = blueprint.tools.get(action.inverse.tool)
    if (tool is not None and tool.idempotent) or action.inverse.absent_when:
        return Revert(action.inverse)
    if rule is not None and rule.snapshot is not None and action.after is not None:
        return Read(rule.snapshot)
    return Doubt("The inverse was called and its end was never recorded.")


def _whether_it_happened(action: Action, rule: Rule, record: Record, inverse: Inverse | None) -> Move:
    """A record that differs from before tells that the call of which nobody knew did happen."""
    if action.snapshot is not None and same(action.snapshot, record, action, rule):
        return Skip("the record is as it was before")
    if inverse is None or inverse.arguments is None:
        return Stop("It happened, but its inverse cannot be resolved.", _shown(action, record))
    return Revert(inverse)


def _drift(action: Action, rule: Rule, record: Record, inverse: Inverse | None) -> Move:
    """As the call left it, as it was before, or changed by somebody else.

    A record may read the same before and after: the policy has what the call changes among what is ignored, or reads
    something else. Then it does not tell that the change was taken back, and an inverse that was not called yet is.
    """
    as_left = action.after is None or same(action.after, record, action, rule)
    as_before = action.snapshot is not None and same(action.snapshot, record, action, rule)
    if as_before and not (as_left and action.status == "applied" and puts_back(action, rule)):
        return Already()
    if not as_left:
        return Stop("Somebody has changed it since.", _shown(action, record))
    if inverse is None or inverse.arguments is None:  # the policy has changed between the look and the reading
        return Stop("Its inverse cannot be resolved any more.", _shown(action, record))
    return Revert(inverse)


def _shown(action: Action, record: Record) -> dict[str, Any]:
    def value(reading: Reading | None) -> Any:
        return reading.value.value if reading is not None and reading.value is not None else None

    return {
        "before": value(action.snapshot),
        "expected": value(action.after),
        "found": record.value if record.present else None,
    }
