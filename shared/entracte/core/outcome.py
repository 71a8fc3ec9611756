"""What phases give back: writes, what they rely on, and messages."""

from __future__ import annotations

from msgspec import Struct

from entracte.core.documents.base import Document
from entracte.core.documents.journal import Entry
from entracte.core.messages import Message


class Put(Struct, frozen=True):
    """Create the document, or bring the loaded one to this state."""

    path: str
    document: Document


class Outcome(Struct, frozen=True, kw_only=True):
    """What one turn does to the documents, all of it or nothing, and what it sends afterwards.

    Attributes:
        puts: Documents to write.
        verifies: Paths that must not have changed since they were loaded.
        entry: Journal entry of the move; None when nothing is written.
        messages: Published after the commit.
        more: The same subject has another turn in this delivery.
        note: Why nothing was done; for the log.
    """

    puts: tuple[Put, ...] = ()
    verifies: tuple[str, ...] = ()
    entry: Entry | None = None
    messages: tuple[Message, ...] = ()
    more: bool = False
    note: str = ""


def nothing(note: str) -> Outcome:
    """The subject has moved on, or never was: acknowledge and change nothing."""
    return Outcome(note=note)
