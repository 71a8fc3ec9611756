"""The artifact document: a paper on the desk, which people and agents of a session share.

It lies under its session; one that all of an owner's sessions share lies under ``shelves/{hash of the owner}``, so that
both are read by the same query and no owner's name has to fit into a path.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any, ClassVar, Literal, Self

from entracte.core.documents.base import AwareDatetime, Document
from entracte.core.payload import Payload, canonical
from entracte.errors import InvalidInput

ArtifactType = Literal["web_search", "project_data", "text", "file"]

SNIPPET_CHARS = 300
"""Beginning of the content that stands in the index."""

MAX_TITLE_CHARS = 200
MAX_TAGS, MAX_TAG_CHARS = 20, 50

MAX_CONTENT_BYTES = 1_500_000
"""UTF-8 bytes of a content. A change of it is kept with its action three times: as arguments, before, and after."""


class Artifact(Document, frozen=True, kw_only=True):
    """One artifact.

    Attributes:
        id: Derived from the idempotency key of the call that made it, so that a repeated call makes nothing new.
        owner: Whose it is.
        session: Conversation that it belongs to; empty for one that all of the owner's sessions share.
        type: What it is about; for readers, nothing depends on it.
        content: A text.
        chars, snippet: Length and beginning of the content, for lists that do not read it.
        active: It stands in the agents' context.
        written_by: Idempotency key of the last write: a repeated call finds that it has been made.
    """

    inline_bytes: ClassVar[int] = 8_000  # so that the index of a desk can be read without reading every paper

    id: str
    owner: str
    session: str = ""
    type: ArtifactType = "text"
    title: str
    tags: tuple[str, ...] = ()
    content: Payload
    chars: int = 0
    snippet: str = ""
    active: bool = True
    written_by: str = ""
    created: AwareDatetime
    updated: AwareDatetime

    @classmethod
    def of(cls, *, id: str, owner: str, title: str, text: str, now: datetime, **more: Any) -> Self:
        """A new artifact.

        Raises:
            InvalidInput: A title or tag that is none, or a content that is too large; `pointer` names which.
        """
        blank = cls(id=id, owner=owner, title="", content=Payload.of(""), created=now, updated=now)
        return blank.changed(title=title, text=text, **more)

    def changed(self, *, text: str | None = None, **changes: Any) -> Self:
        """The artifact with some of its fields, or its whole content, changed.

        Raises:
            InvalidInput: As `of` does.
        """
        if "title" in changes:
            changes["title"] = _title(changes["title"])
        if "tags" in changes:
            changes["tags"] = _tags(changes["tags"])
        if text is not None:
            changes |= {"content": _content(text), "chars": len(text), "snippet": text[:SNIPPET_CHARS]}
        return self.evolve(**changes)

    @property
    def text(self) -> str:
        """The content. Only of an artifact that was read whole."""
        return str(self.content.value)

    @property
    def is_whole(self) -> bool:
        """The content was read with it."""
        return not self.content.chunks

    @property
    def shared(self) -> bool:
        return not self.session

    @property
    def version(self) -> str:
        """Of what people and agents see: equal for equal artifacts, so that one put back has its version back."""
        seen = [self.type, self.title, list(self.tags), self.active, self.content.sha256]
        return hashlib.sha256(canonical(seen).encode()).hexdigest()[:12]


def _title(title: str) -> str:
    title = " ".join(title.split())
    if not 0 < len(title) <= MAX_TITLE_CHARS:
        raise InvalidInput(
            f"A title has 1 to {MAX_TITLE_CHARS} characters, and this one {len(title):,}.", pointer="/title"
        )
    return title


def _tags(tags: Any) -> tuple[str, ...]:
    kept = tuple(dict.fromkeys(" ".join(str(tag).split()) for tag in tags))
    if len(kept) > MAX_TAGS or not all(0 < len(tag) <= MAX_TAG_CHARS for tag in kept):
        raise InvalidInput(f"At most {MAX_TAGS} tags of 1 to {MAX_TAG_CHARS} characters each.", pointer="/tags")
    return kept


def _content(text: str) -> Payload:
    if len(text) > MAX_CONTENT_BYTES or (content := Payload.of(text)).size_bytes > MAX_CONTENT_BYTES:
        raise InvalidInput(
            f"A content has at most {MAX_CONTENT_BYTES:,} bytes, and this one {len(text):,} characters.",
            pointer="/content",
            code="too_large",
        )
    return content
