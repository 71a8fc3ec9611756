"""State as requests and tools see it, and whether it has room there."""

from __future__ import annotations

import json
from collections.abc import Mapping

from entracte.core.asking.measuring import BYTES_PER_TOKEN
from entracte.core.blueprint import Blueprint
from entracte.core.documents.frame import Frame
from entracte.core.documents.session import Session
from entracte.core.state import Drawer

GROWTH = 8
"""State that could not be tidied into its room is tidied again once it has grown by an eighth."""


def state_json(session: Session, frame: Frame) -> dict[str, list[dict[str, str]]]:
    """Global and local state as key → items."""
    both: Mapping[str, Drawer] = {**session.state, **frame.local}
    return {
        name: [{"id": item.id, "text": item.text} for item in drawer.items]
        for name, drawer in both.items()
        if drawer.items
    }


def state_tokens(session: Session, frame: Frame) -> int:
    """Tokens of state, guessed as those of a whole request are."""
    shown = json.dumps(state_json(session, frame), ensure_ascii=False)
    return -(-len(shown.encode()) // BYTES_PER_TOKEN)


def is_full(blueprint: Blueprint, session: Session, frame: Frame) -> bool:
    """Whether state has outgrown its room, and by more than the last tidying left of it."""
    room = blueprint.state_tokens
    if not room or frame.agent not in blueprint.agents or blueprint.agents[frame.agent].light:
        return False
    return state_tokens(session, frame) > max(room, frame.tidied + frame.tidied // GROWTH)
