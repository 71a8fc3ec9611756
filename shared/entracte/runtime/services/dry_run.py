"""A dry run of an undo: what would be put back. It reads, and writes nothing."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from entracte.core.actions.recording import call_of
from entracte.core.addresses import action_path
from entracte.core.calls import Record
from entracte.core.documents.action import Action
from entracte.core.documents.run import Run
from entracte.core.effects import ReadRecord
from entracte.core.payload import digest
from entracte.core.policy.rule import Rule, SnapshotRule
from entracte.core.situation import Docs, Situation
from entracte.core.undo.drift import can_be_read_back, expected_after_undo
from entracte.core.undo.moves import Already, Doubt, Move, Permanent, Read, Revert, Skip, Stop, compare, look, rule_of
from entracte.errors import Conflict, InvalidInput, NotFound
from entracte.runtime.engine.engine import Engine
from entracte.runtime.engine.repository import Loaded
from entracte.runtime.engine.surveying import survey

Fate = Literal["revert", "unverified", "already", "permanent", "stop", "kept"]
"""What an undo would do with an action: take it back (verified or not), find it taken back already, step over it,
stop at it, or not reach it."""


class Step(Struct, frozen=True, kw_only=True):
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

    Raises:
        NotFound: `to` is no effect of the run.
        Conflict: It could not all be read in the time that a delivery has.
    """
    ends = engine.clock.now() + engine.process.timeout
    actions = list(reversed(survey(engine.repository, run.id).actions))
    if to and to not in [action.id for action in actions]:
        raise NotFound(
            f"Run {run.id} has no effect {to[:200]!r}.", remedy="A dry run names them.", code="action_not_found"
        )
    rehearsal = _Rehearsal(engine, run, replan=replan)
    steps: list[Step] = []
    reached = True
    for seen in actions:
        path = action_path(run.id, seen.id)
        action = Docs(engine.repository.load((path,)).documents).find(path, Action) or seen
        if action.status != "reverted":
            if reached and engine.clock.now() >= ends:
                raise Conflict(
                    f"Only {len(steps)} of {len(actions)} effects could be read in time.",
                    remedy="Look at the newest alone: name the action at which the undo would end.",
                    code="dry_run_too_long",
                )
            step = rehearsal.step(action) if reached else Step(action=action, fate="kept")
            steps.append(step)
            reached = reached and step.fate != "stop"
        reached = reached and action.id != to
    return steps


class _Rehearsal:
    """Goes by the table of undo without following it.

    Records are overlaid with what the inverses before would have put back, so that two edits of one record do not look
    like drift.
    """

    def __init__(self, engine: Engine, run: Run, *, replan: bool) -> None:
        self._engine = engine
        self._run = run
        self._replan = replan
        self._situation: Situation = engine.situation(Loaded(), delivery="dry-run")
        self._overlay: dict[str, Record] = {}

    def step(self, action: Action) -> Step:
        """What the undo would do with the action that is next."""
        rule = rule_of(action, self._situation.blueprint)
        move = look(action, self._situation.blueprint, replan=self._replan)
        found = None
        if isinstance(move, Read):
            assert rule is not None
            found = self._record(action, move.snapshot)
            move = compare(action, rule, found, replan=self._replan)
        if isinstance(move, Revert) and rule is not None:
            self._put_back(action, rule, found)
        return _told(action, rule, move)

    def _record(self, action: Action, snapshot: SnapshotRule) -> Record:
        overlaid = self._overlay.get(_record_key(action, snapshot))
        if overlaid is not None:
            return overlaid
        call = call_of(self._situation, self._run, action, attempt=1)
        effect = ReadRecord(replace(call, idempotency_key=f"{action.id}.undo.dry"), snapshot)
        result = self._engine.perform(effect, 60)
        assert isinstance(result, Record)
        return result

    def _put_back(self, action: Action, rule: Rule, found: Record | None) -> None:
        if rule.snapshot is not None and action.snapshot is not None and (key := _record_key(action, rule.snapshot)):
            self._overlay[key] = expected_after_undo(action, rule, found)


def _told(action: Action, rule: Rule | None, move: Move) -> Step:
    match move:
        case Revert(inverse):
            assert inverse.arguments is not None
            fate: Fate = "revert" if can_be_read_back(action, rule) else "unverified"
            return Step(action=action, fate=fate, tool=inverse.tool, arguments=inverse.arguments.value)
        case Already():
            return Step(action=action, fate="already", note="it is as before")
        case Skip(note):
            return Step(action=action, fate="already", note=note)
        case Permanent(note):
            return Step(action=action, fate="permanent", note=note)
        case Stop(reason, shown):
            return Step(action=action, fate="stop", note=reason, shown=shown)
        case Doubt(reason):
            return Step(action=action, fate="stop", note=reason)


def _record_key(action: Action, snapshot: SnapshotRule) -> str:
    """Which record a snapshot reads: the tool and what it is asked with. Empty where the action does not fit it."""
    try:
        return digest([snapshot.tool, snapshot.args.resolve({"$": action.called_with.value})])
    except InvalidInput:
        return ""
