"""A call of which nobody knows whether it did something: a person is asked."""

from __future__ import annotations

from entracte.core.addresses import run_path
from entracte.core.calls import Record
from entracte.core.documents.action import Action
from entracte.core.entry import action_entry
from entracte.core.events import record
from entracte.core.gates.opening import Asking, open_gate
from entracte.core.outcome import Outcome
from entracte.core.payload import canonical, digest
from entracte.core.situation import Situation
from entracte.errors import InvalidInput

NEVER_RECORDED = "Nobody knows whether this call did anything: it was started and its end was never recorded."


def in_doubt(
    s: Situation, action: Action, found: Record | None, *, error: str = NEVER_RECORDED, move: str = ""
) -> Outcome:
    """Open the gate in doubt.

    A record that reads as before does not prove that nothing happened: a request may still be on its way.

    Args:
        found: The record as it is now, if it could be read.
        move: Name of the move in the journal.
    """
    tool = s.blueprint.tools.get(action.tool)
    rule = s.blueprint.policy.rule_for(tool) if tool is not None else None
    asking = Asking(
        kind="in_doubt",
        question=f"Did {action.tool} happen?",
        why=error,
        preview=(f"{action.tool} {action.called_with.text[:500]}", *_evidence(action, found)),
        approvers=rule.approvers if rule is not None else (),
        four_eyes=rule.four_eyes if rule is not None else False,
    )
    opened = open_gate(s, action.evolve(error=error), asking, status="unknown")
    event = record("tool.result", action=action.id, tool=action.tool, status="unknown", error=error)
    return Outcome(
        puts=opened.puts,
        verifies=(run_path(action.run),),
        entry=action_entry(s, action, move or f"{action.attempt}.unknown", events=(event, *opened.events)),
        messages=opened.messages,
        more=True,
    )


def _evidence(action: Action, found: Record | None) -> tuple[str, ...]:
    if found is None or action.snapshot is None:
        return ()
    if found.error:
        return (f"The record cannot be read now: {found.error[:200]}",)
    before = action.snapshot.value.value if action.snapshot.value is not None else None
    after = found.value if found.present else None
    same = digest(before) == digest(after)
    lines = [f"before: {_short(before)}", f"now:    {_short(after)}"]
    return (
        *lines,
        "The record is as it was before the call." if same else "The record has changed since the call was started.",
    )


def _short(value: object) -> str:
    try:
        return canonical(value)[:180] if value is not None else "not there"
    except InvalidInput:
        return "(not JSON)"
