"""Messages that nobody can read: kept and counted, so that they are neither lost nor delivered for ever."""

from __future__ import annotations

import hashlib
import logging
from datetime import datetime

from entracte.core.addresses import letter_path
from entracte.core.documents.letter import MAX_CHARS, Letter
from entracte.core.frames.ending import RETENTION
from entracte.core.outcome import Docs, Put
from entracte.core.payload import readable
from entracte.errors import StaleWrite
from entracte.runtime.engine.repository import Repository

log = logging.getLogger("entracte")

_RACES = 5  # others count the same letter; a count that is one too low does no harm


def keep_letter(repository: Repository, now: datetime, *, source: str, body: bytes, reason: str) -> Letter | None:
    """Keep what was sent, once for all that are alike; None when others were counting it all the time.

    Raises:
        RetryableError: The store cannot be reached: the message has to come again.
    """
    path = letter_path(hashlib.sha256(body).hexdigest())
    for _ in range(_RACES):
        loaded = repository.load((path,))
        known = Docs(loaded.documents).find(path, Letter)
        letter = (
            known.evolve(count=known.count + 1, last=now, expires=now + RETENTION)
            if known is not None
            else Letter(
                source=source,
                reason=readable(reason, MAX_CHARS),
                body=readable(body.decode(errors="backslashreplace"), MAX_CHARS),
                size_bytes=len(body),
                first=now,
                last=now,
                expires=now + RETENTION,
            )
        )
        try:
            repository.commit(loaded, (Put(path, letter),))
        except StaleWrite:
            continue
        log.error("message_kept path=%s source=%s count=%s %s", path, source, letter.count, letter.reason)
        return letter
    return None
