"""A dry run of an undo: what would be put back. It reads, and writes nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from entracte.core.actions.recording import call_of
from entracte.core.calls import Record
from entracte.core.documents.action import Action, Reading
from entracte.core.documents.run import Run
from entracte.core.outcome import ReadRecord, Situation
from entracte.core.payload import digest
from entracte.core.policy.rule import Rule
from entracte.core.undo.drift import same
from entracte.core.undo.inverses import inverse_for
from entracte.errors import InvalidInput, NotFound
from entracte.runtime.engine import Engine
from entracte.runtime.repository import Loaded
from entracte.runtime.surveying import survey

Fate = Literal["revert", "unverified", "already", "permanent", "stop", "kept"]
"""What an undo would do with an action: take it back (verified or not), find it taken back already, step over it,
stop at it, or not reach it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What an undo would do with one action.

    Attributes:
        tool, arguments: The inverse call; empty where there is none.
        note: Why.
        shown: Values before, expected and found, where they differ.
    """

    action: Action
    fate: Fate
    tool: str = ""
    arguments: Any = None
    note: str = ""
    shown: dict[str, Any] | None = None


def dry_run(engine: Engine, run: Run, *, to: str = "", replan: bool = False) -> list[Step]:
    """What an undo would do, newest effect first.

    Live values are overlaid with what the inverses before would have put back, so that two edits of one record do not
    look like drift.

    Raises:
        NotFound: `to` is no effect of the run.
    """
    actions = list(reversed(survey(engine.repository, run.id).actions))
    if to and to not in [action.id for action in actions]:
        raise NotFound(f"Run {run.id} has no effect {to[:200]!r}.", code="action_not_found")
    s = engine.situation(Loaded(), delivery="dry-run")
    overlay: dict[str, Reading] = {}
    steps: list[Step] = []
    reached = True
    for action in actions:
        if action.status != "reverted":
            step = (
                _step(engine, s, run, action, overlay, replan=replan) if reached else Step(action=action, fate="kept")
            )
            steps.append(step)
            reached = reached and step.fate != "stop"
        reached = reached and action.id != to
    return steps


def _step(engine: Engine, s: Situation, run: Run, action: Action, overlay: dict[str, Reading], *, replan: bool) -> Step:
    tool = s.blueprint.tools.get(action.tool)
    rule = s.blueprint.policy.rule_for(tool) if tool is not None else None
    if action.status == "unrecoverable" and not replan:
        return Step(
            action=action,
            fate="stop",
            note=action.reversal.note if action.reversal else "An earlier undo stopped here.",
        )
    inverse = inverse_for(action, rule, replan=replan) if rule is not None else action.inverse
    doubtful = action.status in ("unknown", "started", "reverting")
    if not doubtful and (inverse is None or inverse.arguments is None):
        return Step(
            action=action, fate="permanent", note=inverse.unresolved if inverse else "the policy has no inverse for it"
        )
    call = {"tool": inverse.tool, "arguments": inverse.arguments.value} if inverse and inverse.arguments else {}
    if rule is None or rule.snapshot is None or (action.after is None and action.snapshot is None):
        if doubtful:
            return Step(
                action=action,
                fate="stop",
                note="Nobody knows whether it happened, and nothing can be read to find out.",
            )
        return Step(action=action, fate="unverified", **call)
    return _compared(engine, s, run, action, rule, overlay, call)


def _compared(
    engine: Engine,
    s: Situation,
    run: Run,
    action: Action,
    rule: Rule,
    overlay: dict[str, Reading],
    call: dict[str, Any],
) -> Step:
    arguments = (action.effective or action.arguments).value
    try:
        key = _record_key(rule, arguments)
    except InvalidInput as error:
        return Step(action=action, fate="stop", note=f"What it changed cannot be read: {error}")
    record = _overlaid(overlay[key]) if key in overlay else _read(engine, s, run, action, rule)
    if record.error:
        return Step(action=action, fate="stop", note=f"What it changed cannot be read: {record.error}")
    if action.snapshot is not None and same(action.snapshot, record, action, rule):
        overlay[key] = action.snapshot
        return Step(action=action, fate="already", note="as before already")
    if action.after is not None and not same(action.after, record, action, rule):
        found = record.value if record.present else None
        shown = {"before": _value(action.snapshot), "expected": _value(action.after), "found": found}
        return Step(action=action, fate="stop", note="Somebody has changed it since.", shown=shown)
    if action.snapshot is None:
        return Step(action=action, fate="unverified", **call)
    overlay[key] = action.snapshot
    return Step(action=action, fate="revert", **call)


def _read(engine: Engine, s: Situation, run: Run, action: Action, rule: Rule) -> Record:
    assert rule.snapshot is not None
    call = replace(call_of(s, run, action, attempt=1), idempotency_key=f"{action.id}.undo.dry")
    result = engine.perform(ReadRecord(call, rule.snapshot), 60)
    assert isinstance(result, Record)
    return result


def _record_key(rule: Rule, arguments: dict[str, Any]) -> str:
    """Which record a snapshot reads: the tool and what it is asked with."""
    assert rule.snapshot is not None
    return digest([rule.snapshot.tool, rule.snapshot.args.resolve({"$": arguments})])


def _overlaid(reading: Reading) -> Record:
    return Record(present=reading.present, value=_value(reading))


def _value(reading: Reading | None) -> Any:
    return reading.value.value if reading is not None and reading.value is not None else None
