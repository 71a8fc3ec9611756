"""What a model makes of a step's results, or what the agent is told where none could be made to judge them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from entracte.core.addresses import action_path
from entracte.core.asking.context import label_of
from entracte.core.asking.reply_notes import thought_events
from entracte.core.documents.action import Action
from entracte.core.documents.journal import EventRecord
from entracte.core.frames.best_answer import UNJUDGED
from entracte.core.frames.repairing import fault_event
from entracte.core.modelling import ModelReply
from entracte.core.outcome import Put

UNJUDGED_CHARS = 2000
"""How much of each result the agent is told directly when no model could be made to judge it."""


class Judgement(Struct, frozen=True, kw_only=True):
    """A step's judgement.

    Attributes:
        said: The evaluation as the model wrote it; empty where there is none.
        puts: The actions with their verdicts.
        told: What the agent is told of the results, with its next plan.
        events: For the journal: thoughts, or why the reply could not be used.
        reply: What it was read from; an empty one where no model was asked.
    """

    said: Mapping[str, Any] = {}
    puts: tuple[Put, ...] = ()
    told: tuple[str, ...] = ()
    events: tuple[EventRecord, ...] = ()
    reply: ModelReply = ModelReply()

    @property
    def diffs(self) -> tuple[Any, ...]:
        """What it adds to state."""
        return (self.said["state"],) if self.said.get("state") else ()


def judgement_of(reply: ModelReply, actions: tuple[Action, ...]) -> Judgement:
    """The judgement that a fitting reply holds."""
    said: Mapping[str, Any] = reply.value
    by_label = {verdict["call"]: verdict for verdict in said["verdicts"]}
    judged = [(action, by_label[label_of(action)]) for action in actions if label_of(action) in by_label]
    return Judgement(
        said=said,
        puts=tuple(
            Put(
                action_path(action.run, action.id),
                action.evolve(verdict=verdict["verdict"], verdict_note=verdict["note"]),
            )
            for action, verdict in judged
        ),
        told=(
            *(f"{a.tool}: {v['verdict']}. {v['note']}" for a, v in judged if v["verdict"] != "ok"),
            *((str(said["note"]),) if said.get("note") else ()),
        ),
        events=thought_events(reply),
        reply=reply,
    )


def no_judgement(actions: tuple[Action, ...], reply: ModelReply | None = None, fault: str = "") -> Judgement:
    """Nobody could judge the results: the agent is told them as they are.

    Args:
        reply, fault: The last reply, and why it could not be used; None if no model was asked.
    """
    told = unjudged(actions)
    return (
        Judgement(told=told)
        if reply is None
        else Judgement(told=told, events=(fault_event(reply, fault),), reply=reply)
    )


def unjudged(actions: tuple[Action, ...]) -> tuple[str, ...]:
    """The results as the agent is told them."""
    return tuple(f"{a.tool} {UNJUDGED} {a.result.text[:UNJUDGED_CHARS]}" for a in actions if a.result is not None)
