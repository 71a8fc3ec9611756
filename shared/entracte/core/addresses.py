"""Where documents live, and the ids that a retry derives again instead of inventing new ones."""

from __future__ import annotations

import hashlib
import re

from entracte.core.documents.action import Action
from entracte.core.documents.artifact import Artifact
from entracte.core.documents.base import Document
from entracte.core.documents.frame import Frame
from entracte.core.documents.gate import Gate
from entracte.core.documents.journal import Entry
from entracte.core.documents.latest_call import LatestCall
from entracte.core.documents.letter import Letter
from entracte.core.documents.live import Live
from entracte.core.documents.memory_item import MemoryIndex, MemoryItem
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session, Turn
from entracte.core.documents.spending import Spending

KINDS: dict[str, type[Document]] = {
    "runs": Run,
    "frames": Frame,
    "actions": Action,
    "journal": Entry,
    "live": Live,
    "sessions": Session,
    "turns": Turn,
    "artifacts": Artifact,
    "gates": Gate,
    "latest_calls": LatestCall,
    "spending": Spending,
    "memories": MemoryIndex,
    "items": MemoryItem,
    "letters": Letter,
}
"""Document class of each collection."""


_ID = re.compile(r"(?!__.*__$)[A-Za-z0-9_-]{1,64}")


def is_id(text: str) -> bool:
    """Whether it can be the id of a run or a session: asked of whatever callers name before it is part of a path.

    Firestore keeps ids such as ``__x__`` for itself
    (https://cloud.google.com/firestore/quotas#collections_documents_and_fields).
    """
    return _ID.fullmatch(text) is not None


def run_path(run: str) -> str:
    """Path of a run."""
    return f"runs/{run}"


def frame_path(run: str, frame: str) -> str:
    """Path of a frame."""
    return f"runs/{run}/frames/{frame}"


def action_path(run: str, action: str) -> str:
    """Path of an action."""
    return f"runs/{run}/actions/{action}"


def entry_path(run: str, move: str) -> str:
    """Path of a journal entry."""
    return f"runs/{run}/journal/{move}"


def live_path(run: str, frame: str) -> str:
    """Path of what is being written in a frame."""
    return f"runs/{run}/live/{frame}"


def gate_path(gate: str) -> str:
    """Path of a gate."""
    return f"gates/{gate}"


def spending_path(owner: str) -> str:
    """Path of what an owner spends. Names may be anything; ids of documents may not."""
    return f"spending/{hashlib.sha256(owner.encode()).hexdigest()[:32]}"


def memory_index_path(owner: str) -> str:
    """Path of how much is remembered of an owner; below it lies what. A name may be any text, hence the hash."""
    return f"memories/{hashlib.sha256(owner.encode()).hexdigest()[:32]}"


def memory_path(owner: str, memory: str) -> str:
    """Path of one memory."""
    return f"{memory_index_path(owner)}/items/{memory}"


def latest_call_path(key: str) -> str:
    """Path of the latest call of a key."""
    return f"latest_calls/{key}"


def letter_path(sha256: str) -> str:
    """Path of a message that nobody could read, by the hash of its body."""
    return f"letters/{sha256}"


def session_path(session: str) -> str:
    """Path of a session."""
    return f"sessions/{session}"


def turn_path(session: str, number: int) -> str:
    """Path of a turn."""
    return f"sessions/{session}/turns/{number:06d}"


def shelf_path(owner: str) -> str:
    """Where the artifacts lie that all sessions of an owner share. An owner's name may be any text, hence the hash."""
    return f"shelves/{hashlib.sha256(owner.encode()).hexdigest()[:32]}"


def vault_path(owner: str) -> str:
    """Where the true values lie that an owner's documents hold placeholders of."""
    return f"vaults/{hashlib.sha256(owner.encode()).hexdigest()[:32]}"


def sealed_path(owner: str, name: str) -> str:
    """Where one of them lies."""
    return f"{vault_path(owner)}/sealed/{name}"


def artifact_path(shelf: str, artifact: str) -> str:
    """Path of an artifact.

    Args:
        shelf: Path of the session, or of the owner's shelf.
    """
    return f"{shelf}/artifacts/{artifact}"


def chunk_path(owner_path: str, sha256: str, number: int) -> str:
    """Where a chunk of a payload lies: under the run or session whose document refers to it."""
    root = "/".join(owner_path.split("/")[:2])
    return f"{root}/chunks/{sha256}-{number}"


def kind_of(path: str) -> type[Document]:
    """Document class of a path."""
    return KINDS[path.rsplit("/", 2)[-2]]


def action_id(frame: str, step: int, index: int) -> str:
    """Id of the call of that index, from 0, in a step of a frame. A sub-agent call's frame has the same id."""
    return f"{frame}.{step}.{index}"


def step_actions(frame: str, step: int, calls: int) -> tuple[str, ...]:
    """Ids of all actions of a step."""
    return tuple(action_id(frame, step, index) for index in range(calls))


def run_of(id: str) -> str:
    """Run of a frame, action or gate."""
    return id.partition(".")[0]


def action_of_gate(gate: str) -> str:
    """Action that a gate decides."""
    return gate.rpartition(".")[0]


def frames_around(action: str) -> tuple[str, ...]:
    """Frames that an action lies in, outermost first."""
    parts = action.split(".")
    return tuple(".".join(parts[:length]) for length in range(1, len(parts), 2))


def frame_of_action(action: str) -> str:
    """Frame that an action belongs to."""
    return action.rsplit(".", 2)[0]
