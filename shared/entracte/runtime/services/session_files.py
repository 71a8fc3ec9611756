"""Sessions as files: everything that a conversation holds, taken out of one store and put into another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from msgspec import ValidationError, convert, to_builtins

from entracte.core.addresses import is_id, session_path, turn_path
from entracte.core.artifacts.record import record_of
from entracte.core.documents.session import Session, Turn
from entracte.core.outcome import Put
from entracte.errors import Conflict, InvalidInput, StaleWrite
from entracte.ports.shelf import Shelf
from entracte.runtime.engine import queries
from entracte.runtime.engine.repository import Repository
from entracte.runtime.services.page import all_of

FORMAT = "entracte.session/1"

MAX_TURNS = 10_000
"""Turns that a file holds at most, the first ones."""

_PAGE = 100
_COMMIT_BYTES = 1_500_000
_KEPT = ("state", "turns", "window", "opening", "summary", "created")

_OF_ITS_PLACE = ("session", "rev", "schema_version")


def exported(repository: Repository, session: Session, shelf: Shelf, *, max_bytes: float = math.inf) -> dict[str, Any]:
    """State, messages, summary and artifacts of a session as JSON. Runs and their journals stay where they are.

    Raises:
        Conflict: Its messages and artifacts have more bytes than that.
    """
    own = [artifact for artifact in shelf.list() if not artifact.shared]
    size_bytes = sum(artifact.content.size_bytes for artifact in own)
    found = all_of(repository, lambda after: queries.turns_of(session.id, limit=_PAGE, after=after), Turn)
    turns: list[dict[str, Any]] = []
    for turn in islice(found, MAX_TURNS):
        size_bytes += len(turn.text.encode())
        if size_bytes > max_bytes:
            break
        turns.append({name: value for name, value in to_builtins(turn).items() if name not in _OF_ITS_PLACE})
    if size_bytes > max_bytes:
        raise Conflict(
            f"The session's messages and artifacts have more than {max_bytes:,} bytes.",
            remedy="Read them one by one, and delete the artifacts that are not needed.",
            code="session_too_large",
        )
    return {
        "format": FORMAT,
        "session": {name: to_builtins(getattr(session, name)) for name in _KEPT},
        "turns": turns,
        "artifacts": [record_of(shelf.get(artifact.id)) for artifact in own],
    }


def put_in(
    repository: Repository, data: Mapping[str, Any], shelf: Shelf, *, id: str, owner: str, now: datetime
) -> Session:
    """Make a session of what `exported` gave. It comes last, so that half of one is never seen.

    Args:
        shelf: That of the new session.
        id: Of the new session.

    Raises:
        InvalidInput: It is no such file.
        Conflict: There is a session of that id.
    """
    if not is_id(id):
        raise InvalidInput("A session id has 1 to 64 letters, digits, _ and -.", pointer="/session")
    if data.get("format") != FORMAT:
        raise InvalidInput(f"Its format is {str(data.get('format'))[:40]!r}; expected {FORMAT!r}.", code="no_session")
    try:
        session = convert({**data["session"], "id": id, "owner": owner, "updated": now}, Session)
        turns = [convert({**turn, "session": id}, Turn) for turn in data["turns"][:MAX_TURNS]]
        artifacts = [dict(record) for record in data["artifacts"]]
    except (KeyError, TypeError, ValueError, ValidationError) as error:
        raise InvalidInput(f"No exported session: {type(error).__name__}: {error}", code="no_session") from None
    place = session_path(id)
    if place in repository.load((place,)).documents:
        raise Conflict(f"There is a session {id!r} already.", remedy="Give another id.", code="session_exists")
    for puts in _commits(turns):
        repository.commit(repository.load([put.path for put in puts]), puts)
    for record in artifacts:
        shelf.put_back({**record, "shared": False})
    try:
        repository.commit(repository.load((place,)), (Put(place, session),))
    except StaleWrite:
        raise Conflict(f"There is a session {id!r} by now.", code="session_exists") from None
    return session


def _commits(turns: Sequence[Turn]) -> Iterator[list[Put]]:
    """The turns, as many at a time as a commit takes."""
    puts: list[Put] = []
    size_bytes = 0
    for turn in turns:
        size_bytes += len(turn.text.encode())
        if puts and (size_bytes > _COMMIT_BYTES or len(puts) == _PAGE):
            yield puts
            puts, size_bytes = [], len(turn.text.encode())
        puts.append(Put(turn_path(turn.session, turn.number), turn))
    if puts:
        yield puts
