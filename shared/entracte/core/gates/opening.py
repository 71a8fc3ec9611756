"""Opening a gate: the action waits, a document asks, and a message has it announced."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from msgspec import Struct

from entracte.core.addresses import action_path, gate_path
from entracte.core.documents.action import Action, ActionStatus
from entracte.core.documents.gate import WORDS, Gate, GateFacts, GateKind
from entracte.core.documents.journal import EventRecord
from entracte.core.due import PHASE_DUE
from entracte.core.events import record
from entracte.core.messages import Message
from entracte.core.outcome import Put
from entracte.core.payload import digest
from entracte.core.situation import Situation

REMIND_AT = 0.8
"""Part of a gate's time after which a reminder goes out."""


class Asking(Struct, frozen=True, kw_only=True):
    """What a gate asks and of whom.

    Attributes:
        why: Why a person is needed, in words.
        preview: What the call would do, one line each.
        approvers: Who may decide; empty for the run's owner.
        lasts: Time after which silence counts as a denial; None for ever.
    """

    kind: GateKind
    question: str
    why: str
    preview: Sequence[str] = ()
    approvers: tuple[str, ...] = ()
    quorum: int = 1
    four_eyes: bool = False
    editable: bool = False
    lasts: timedelta | None = None


class Opened(Struct, frozen=True):
    """What opening a gate writes and sends."""

    action: Action
    gate: Gate
    puts: tuple[Put, ...]
    events: tuple[EventRecord, ...]
    messages: tuple[Message, ...]


def open_gate(s: Situation, action: Action, asking: Asking, *, status: ActionStatus = "gated") -> Opened:
    """The next gate of an action. At most one is open, since it is the action that names it.

    Args:
        action: With its effective arguments.
        status: What the action is while it waits: `gated`, or `unknown` for a gate in doubt.
    """
    number = action.gates + 1
    arguments = action.called_with
    expires = s.now + asking.lasts if asking.lasts is not None else None
    remind = s.now + asking.lasts * REMIND_AT if asking.lasts is not None else None
    waiting = action.evolve(
        status=status,
        gate=f"{action.id}.{number}",
        gates=number,
        digest=digest(arguments.value),
        lease=None,
        due=None,
    )
    gate = Gate(
        how_to=_how_to(asking),
        preview=tuple(asking.preview)[:60],
        question=asking.question,
        why=asking.why,
        asked_by=f"agent {action.agent}, for {action.owner}",
        run=action.run,
        z=GateFacts(
            kind=asking.kind,
            action=action.id,
            frame=action.frame,
            session=action.session,
            owner=action.owner,
            agent=action.agent,
            tool=action.tool,
            number=number,
            digest=waiting.digest,
            arguments=arguments,
            approvers=asking.approvers,
            quorum=asking.quorum,
            four_eyes=asking.four_eyes,
            editable=asking.editable,
            expires=expires,
            remind=remind,
        ),
        created=s.now,
        due=min(remind or s.now + PHASE_DUE, s.now + PHASE_DUE),  # until it has been announced
    )
    opened = record(
        "gate.opened",
        gate=waiting.gate,
        kind=asking.kind,
        action=action.id,
        tool=action.tool,
        question=asking.question,
        why=asking.why,
        preview=list(gate.preview),
        digest=waiting.digest,
    )
    return Opened(
        action=waiting,
        gate=gate,
        puts=(Put(action_path(action.run, action.id), waiting), Put(gate_path(waiting.gate), gate)),
        events=(opened,),
        messages=(Message(kind="approve", run=action.run, session=action.session, gate=waiting.gate),),
    )


def _how_to(asking: Asking) -> str:
    words = WORDS[asking.kind]
    if not words:
        return "Write your answer into decision."
    edits = " To change the arguments, write them as JSON into edited_arguments first." if asking.editable else ""
    return f"Write decision_reason first if you want one, then decision: {' or '.join(words)}.{edits}"
