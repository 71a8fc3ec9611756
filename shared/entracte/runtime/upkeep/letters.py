"""Messages that nobody can read: kept and counted, so that they are neither lost nor delivered for ever."""

from __future__ import annotations

import hashlib
import logging
import re
from datetime import datetime
from typing import Any

from msgspec import to_builtins

from entracte.core.addresses import letter_path
from entracte.core.documents.letter import MAX_CHARS, Letter
from entracte.core.outcome import Put
from entracte.core.payload import readable
from entracte.core.situation import Docs
from entracte.errors import NotFound, StaleWrite
from entracte.runtime.engine import queries
from entracte.runtime.engine.repository import Repository
from entracte.runtime.services.page import Page

log = logging.getLogger("entracte")

_FIELDS = ("source", "reason", "size_bytes", "count", "first", "last")
_ID = re.compile(r"[0-9a-f]{64}")

_RACES = 5  # others count the same letter; a count that is one too low does no harm


def keep_letter(
    repository: Repository,
    now: datetime,
    *,
    source: str,
    body: bytes,
    reason: str,
    kept_until: datetime | None = None,
) -> Letter | None:
    """Keep what was sent, once for all that are alike; None when others were counting it all the time.

    Args:
        kept_until: When retention deletes it; None for never.

    Raises:
        RetryableError: The store cannot be reached: the message has to come again.
    """
    path = letter_path(hashlib.sha256(body).hexdigest())
    for _ in range(_RACES):
        loaded = repository.load((path,))
        known = Docs(loaded.documents).find(path, Letter)
        letter = (
            known.evolve(count=known.count + 1, last=now, expires=kept_until)
            if known is not None
            else Letter(
                source=source,
                reason=readable(reason, MAX_CHARS),
                body=readable(body.decode(errors="backslashreplace"), MAX_CHARS),
                size_bytes=len(body),
                first=now,
                last=now,
                expires=kept_until,
            )
        )
        try:
            repository.commit(loaded, (Put(path, letter),))
        except StaleWrite:
            continue
        log.error("message_kept path=%s source=%s count=%s %s", path, source, letter.count, letter.reason)
        return letter
    return None


def list_letters(repository: Repository, *, limit: int, after: tuple[Any, str] | None = None) -> Page[dict[str, Any]]:
    """Letters as they are shown, the one that came last first."""
    found = repository.query(queries.letters(limit=limit, after=after), unreadable=[])
    letters = ((path, letter) for path, letter in found.documents.items() if isinstance(letter, Letter))
    return Page(tuple(_shown(path, letter) for path, letter in letters), found.end)


def drop_letter(repository: Repository, id: str) -> dict[str, Any]:
    """Remove a letter, and give what is shown of it.

    Raises:
        NotFound: There is none of that id.
    """
    path = letter_path(id)
    letter = repository.load((path,)).documents.get(path) if _ID.fullmatch(id) else None
    if not isinstance(letter, Letter):
        raise NotFound(f"There is no letter {id[:80]!r}.", code="letter_not_found")
    repository.remove(path)
    return _shown(path, letter)


def _shown(path: str, letter: Letter) -> dict[str, Any]:
    """What is shown of a letter. Its body is for whoever may read the database: nobody knows what is in it."""
    return {"id": path.rpartition("/")[2], **{name: to_builtins(getattr(letter, name)) for name in _FIELDS}}
