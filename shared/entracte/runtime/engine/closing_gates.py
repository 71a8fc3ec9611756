"""Gates of a run that was closed while they waited: each is told, so that nobody is asked any more."""

from __future__ import annotations

from msgspec.structs import replace

from entracte.core.documents.gate import Gate
from entracte.core.messages import Message
from entracte.errors import TerminalError
from entracte.runtime.engine import queries
from entracte.runtime.engine.repository import Repository

_PAGE = 200


def closing_messages(repository: Repository, run_id: str) -> tuple[Message, ...]:
    """One for each gate of the run that waits. Approve closes it. Gates that cannot be read are passed over."""
    messages: list[Message] = []
    query = queries.gates_of_run(run_id, limit=_PAGE)
    unreadable: list[TerminalError] = []
    while True:
        page = repository.query(query, unreadable=unreadable, whole=False)
        waiting = (gate for gate in page.documents.values() if isinstance(gate, Gate) and gate.waiting)
        messages += (Message(kind="approve", run=run_id, gate=gate.id) for gate in waiting)
        if page.end is None:
            return tuple(messages)
        query = replace(query, after=page.end)
