"""Calls of an MCP client that nobody makes: the client has gone, or has not used what was approved."""

from __future__ import annotations

from datetime import datetime

from entracte.core.actions.unmade import unmade
from entracte.core.addresses import action_path, gate_path
from entracte.core.client_calls.client import GRANT_LASTS
from entracte.core.documents.action import Action
from entracte.core.documents.gate import Gate
from entracte.core.effects import Fetch
from entracte.core.entry import action_entry
from entracte.core.events import record
from entracte.core.outcome import Outcome, Put, nothing
from entracte.core.situation import Situation

LAPSED = "It was approved, but the client did not ask again within an hour: the approval has lapsed."


def abandoned(s: Situation, action: Action) -> Outcome:
    """Proposed, and its client waits no more: a call that nobody awaits is not made."""
    ended = action.evolve(status="cancelled", error="The client went away before this call was made.", ended=s.now)
    event = record("tool.result", action=action.id, tool=action.tool, status="cancelled", error=ended.error)
    return Outcome(
        puts=(Put(action_path(action.run, action.id), ended),), entry=action_entry(s, action, "ended", events=(event,))
    )


def unclaimed(s: Situation, action: Action) -> Fetch | Outcome | None:
    """What becomes of an approved call: it lapses, or it waits for its client; None when its client is there."""
    if unread := s.docs.unread((gate_path(action.gate),)):
        return Fetch(unread)
    gate = s.docs.gate(action.gate)
    if gate is not None and (at := lapses(gate)) is not None and at <= s.now:
        return lapse(s, action, gate)
    return None if s.attended else nothing("it waits for its client to ask again")


def lapses(gate: Gate) -> datetime | None:
    """When what the gate has approved lapses; None for one that has approved nothing."""
    counted = [vote.at for vote in gate.votes if not vote.refused and vote.decision in ("approve", "retry")]
    return counted[-1] + GRANT_LASTS if counted and not gate.waiting else None


def lapse(s: Situation, action: Action, gate: Gate) -> Outcome:
    """The approval is over. A call that may have happened before stays one of which nobody knows."""
    ended = unmade(s, action, "lapsed", LAPSED)
    event = record("tool.result", action=action.id, tool=action.tool, status=ended.status, error=ended.error)
    return Outcome(
        puts=(
            Put(action_path(action.run, action.id), ended),
            Put(gate_path(gate.id), gate.evolve(status="lapsed", due=None)),
        ),
        entry=action_entry(s, action, "lapsed", events=(event,)),
    )
