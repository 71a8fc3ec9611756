"""Merging items of state that has outgrown its room: the model proposes by id, code checks and applies.

Never a rewrite: what is merged is a diff like any other, item by item, applied at commit to what is there then, and
journaled with the items that went. A merge that would lose a name or a number is refused. State that nothing can be
merged in stays over its room, visibly; nothing is ever cut.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from entracte.core.addresses import frame_path
from entracte.core.asking import prompts
from entracte.core.asking.reply_notes import fault_in
from entracte.core.asking.reply_schemas import closed_object
from entracte.core.asking.roles import ROLE_OF, model_for
from entracte.core.asking.shown_state import state_json, state_tokens
from entracte.core.documents.frame import Frame
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session
from entracte.core.effects import AskModel
from entracte.core.entry import frame_entry
from entracte.core.frames.asking import ask
from entracte.core.frames.budget_check import affordable
from entracte.core.frames.changing_state import change_state
from entracte.core.frames.moving import moved
from entracte.core.frames.spending import charge, exhausted
from entracte.core.modelling import ModelReply, ModelRequest, Part
from entracte.core.outcome import Outcome, Put
from entracte.core.situation import Situation
from entracte.core.state import Drawer, Refused
from entracte.core.tidying.loss_check import lost_by
from entracte.errors import TerminalError

MAX_MERGES, MAX_MERGED, MAX_CHARS = 20, 100, 6000
"""Merges of one reply, items of one merge, length of its text."""


class _Merging(Struct):
    """What of a reply is applied.

    Attributes:
        went: Id of the item that each merged id went into.
    """

    diff: dict[str, list[dict[str, str]]] = {}
    went: dict[str, str] = {}
    refused: list[Refused] = []


def tidy(s: Situation, run: Run, frame: Frame, session: Session) -> AskModel | None:
    """Ask for merges; None where there is no budget for it, and the step goes on as it is."""
    if exhausted(s, run, frame):
        return None
    request = affordable(s, run, frame, merge_request(s, run, frame, session))
    return None if isinstance(request, str) else ask(s, run, request)


def merge_request(s: Situation, run: Run, frame: Frame, session: Session) -> ModelRequest:
    """Which items read as well as one."""
    agent = s.blueprint.agents[frame.agent]
    room = s.blueprint.state_tokens
    size = state_tokens(session, frame)
    return ModelRequest(
        purpose="merge",
        run=run.id,
        frame=frame.id,
        agent=frame.agent,
        step=frame.cursor.step,
        model=model_for(ROLE_OF["merge"], s.blueprint, agent, run.models),
        system=prompts.MERGE,
        parts=(
            Part("room", f"State takes about {size:,} tokens; {room:,} are its room."),
            Part("state", json.dumps(state_json(session, frame), ensure_ascii=False)),
        ),
        schema=_reply_schema([*s.blueprint.state]),
        max_output_tokens=agent.max_output_tokens,
        temperature=agent.temperature,
    )


def tidied(
    s: Situation, run: Run, frame: Frame, session: Session, asked: ModelRequest, result: ModelReply | TerminalError
) -> Outcome:
    """The merges that lose nothing are made; the step goes on either way."""
    reply = result if isinstance(result, ModelReply) else ModelReply()
    fault = str(result) if isinstance(result, TerminalError) else fault_in(asked, result)
    merging = _checked(session, frame, [] if fault else reply.value["merges"])
    before = state_tokens(session, frame)
    changed = change_state(
        s.blueprint,
        session,
        charge(frame, reply.usage),
        [merging.diff | _renamed(session, frame, merging)] if merging.diff else [],
        why=f"State took {before:,} tokens of {s.blueprint.state_tokens:,}: items were merged.",
        also_refused=[*merging.refused, *([Refused("merges", fault)] if fault else [])],
    )
    after = moved(
        s,
        changed.frame,
        tidied=state_tokens(changed.session, changed.frame),
    )
    entry = frame_entry(
        s,
        frame,
        f"{frame.cursor.step}.tidied.{frame.rev}",  # a step may need it again: other agents write into the session
        phase="plan",
        events=changed.events,
        usage=reply.usage,
        served=reply.served,
    )
    return Outcome(puts=(Put(frame_path(run.id, frame.id), after), *changed.session_puts), entry=entry, more=True)


def _checked(session: Session, frame: Frame, merges: list[dict[str, Any]]) -> _Merging:
    """Those merges that are of known items, lose nothing and save something."""
    merging = _Merging()
    texts = {name: {item.id: item.text for item in drawer.items} for name, drawer in _drawers(session, frame).items()}
    for merge in merges:
        key, ids, text = merge["key"], list(dict.fromkeys(merge["ids"])), merge["text"].strip()
        items = texts.get(key, {})
        if why := _why_not(items, ids, text, merging):
            merging.refused.append(Refused(merge, why))
            continue
        kept, *gone = ids
        changes = [*({"id": id, "text": ""} for id in gone), {"id": kept, "text": text}]  # first room is made
        merging.diff[key] = [*merging.diff.get(key, ()), *changes]
        merging.went |= dict.fromkeys(ids, kept)
    return merging


def _why_not(items: Mapping[str, str], ids: list[str], text: str, merging: _Merging) -> str:
    if unknown := [id for id in ids if id not in items]:
        return f"there is no item {unknown[0]!r}"
    if len(ids) < 2:
        return "one item is no merge"
    if twice := [id for id in ids if id in merging.went]:
        return f"{twice[0]} was merged already"
    originals = [items[id] for id in ids]
    if len(text) >= sum(map(len, originals)):
        return "it would not be shorter"
    return lost_by(originals, text)


def _renamed(session: Session, frame: Frame, merging: _Merging) -> dict[str, Any]:
    """The diff's keys, with items that name a merged id changed to name the one that it went into."""
    gone = {id: kept for id, kept in merging.went.items() if id != kept}
    if not gone:
        return {}
    naming = re.compile(rf"\b({'|'.join(map(re.escape, gone))})\b")

    def told(text: str) -> str:
        return naming.sub(lambda found: gone[found[1]], text)

    diff: dict[str, Any] = {
        key: [change | {"text": told(change["text"])} for change in changes] for key, changes in merging.diff.items()
    }
    for key, id, text in _items(session, frame):
        if id not in merging.went and (after := told(text)) != text:
            diff[key] = [*diff.get(key, ()), {"id": id, "text": after}]
    return diff


def _items(session: Session, frame: Frame) -> Iterator[tuple[str, str, str]]:
    for key, drawer in _drawers(session, frame).items():
        yield from ((key, item.id, item.text) for item in drawer.items)


def _drawers(session: Session, frame: Frame) -> dict[str, Drawer]:
    return {**session.state, **frame.local}


def _reply_schema(keys: list[str]) -> dict[str, Any]:
    merge = {
        "key": {"enum": keys},
        "ids": {"type": "array", "items": {"type": "string", "maxLength": 20}, "minItems": 2, "maxItems": MAX_MERGED},
        "text": {"type": "string", "minLength": 1, "maxLength": MAX_CHARS},
    }
    merges = {"type": "array", "maxItems": MAX_MERGES, "items": closed_object(merge)}
    return closed_object({"merges": merges})
