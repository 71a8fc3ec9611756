"""What tools are told of their calls. Part of the composition; see compose.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entracte.adapters.python.context import ToolContext
from entracte.agents.data_folder import data_beside
from entracte.agents.network import Network
from entracte.core.addresses import frame_path, session_path
from entracte.core.asking.shown_state import state_json
from entracte.core.calls import Call
from entracte.core.documents.action import Action
from entracte.core.modelling import ModelReply, Question, Usage
from entracte.core.situation import Docs
from entracte.ports.secrets import Secrets
from entracte.ports.shelf import Shelf
from entracte.runtime.engine import queries
from entracte.runtime.engine.repository import Repository
from entracte.runtime.once import once
from entracte.runtime.services.page import all_of

if TYPE_CHECKING:
    from entracte.runtime.services.memories import StoredMemories

OpenShelf = Callable[[str, str], Shelf]
"""Gives the artifacts that a session of an owner sees."""

OpenMemories = Callable[[str], "StoredMemories"]
"""Gives what is remembered of an owner."""


def tool_contexts(
    network: Network,
    repository: Repository,
    secrets_port: Secrets,
    open_shelf: OpenShelf,
    open_memories: OpenMemories,
    report: Callable[[Call, str], bool],
    ask: Callable[[Call, Question, Usage], ModelReply],
    folder: Path | None = None,
) -> Callable[[Call], ToolContext[Any]]:
    """Gives the context of a call. What tools share is opened with the first.

    Args:
        folder: Where tools of this machine keep what they change.
    """

    @once
    def deps() -> Any:
        with data_beside(folder):
            return network.deps() if network.deps is not None else None

    def read_state(call: Call) -> Mapping[str, Any]:
        docs = Docs(repository.load((session_path(call.session), frame_path(call.run, call.frame))).documents)
        session, frame = docs.session(call.session), docs.frame(call.run, call.frame)
        return state_json(session, frame) if session is not None and frame is not None else {}

    def shelf(call: Call) -> Shelf:
        return open_shelf(call.session, call.user)

    def read_actions(call: Call) -> Sequence[Action]:
        return tuple(all_of(repository, lambda after: queries.actions_of(call.run, limit=500, after=after), Action))

    return lambda call: ToolContext(
        call,
        deps=deps,
        read_state=read_state,
        secret=secrets_port.get,
        shelf=shelf,
        memories=lambda call: open_memories(call.user),
        report=report,
        ask=ask,
        read_actions=read_actions,
    )
