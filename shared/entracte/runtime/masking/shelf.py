"""Artifacts of a network that masks: the store keeps them masked, and tools see them as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from entracte.core.documents.artifact import Artifact
from entracte.ports.shelf import Change, Shelf
from entracte.runtime.masking.masking import Masking
from entracte.runtime.services.shelf import check_version


class MaskedShelf:
    """Shelf port over another one, which masks what is written.

    Args:
        opens: What is read is opened, so that the edits of a tool fit what it was given. People read what is kept.
    """

    def __init__(self, shelf: Shelf, masking: Masking, *, owner: str, opens: bool) -> None:
        self._shelf = shelf
        self._masking = masking
        self._owner = owner
        self._opens = opens

    def list(self, *, tag: str = "", active: bool | None = None) -> Sequence[Artifact]:
        return tuple(self._opened(artifact) for artifact in self._shelf.list(tag=self._mask(tag), active=active))

    def get(self, reference: str) -> Artifact:
        return self._opened(self._shelf.get(self._mask(reference)))

    def create(self, *, key: str, title: str, text: str, shared: bool = False, **fields: Any) -> Artifact:
        masked = fields | {"tags": [self._mask(tag) for tag in fields["tags"]]} if "tags" in fields else fields
        made = self._shelf.create(
            key=key, title=self._mask(title), text=self._closed_text(text), shared=shared, **masked
        )
        return self._opened(made)

    def change(self, reference: str, change: Change, *, key: str, version: str = "") -> Artifact:
        def masked(before: Artifact) -> Artifact:
            opened = self._opened(before)
            check_version(opened, version)  # of what the caller sees, which may not be what is kept
            return self._closed(change(opened))

        return self._opened(self._shelf.change(self._mask(reference), masked, key=key))

    def delete(self, reference: str, *, version: str = "") -> Artifact:
        kept = self._shelf.get(self._mask(reference))
        check_version(self._opened(kept), version)
        return self._opened(self._shelf.delete(kept.id, version=kept.version if version else ""))

    def put_back(self, record: Mapping[str, Any]) -> Artifact:
        masked = self._masking.mask(self._owner, {name: record[name] for name in ("title", "tags") if name in record})
        text = self._closed_text(str(record.get("content", "")))
        return self._opened(self._shelf.put_back({**record, **masked, "content": text}))

    def _mask(self, text: str) -> str:
        return self._masking.mask(self._owner, text)

    def _closed_text(self, text: str) -> str:
        return self._masking.mask_true(self._owner, text) if self._opens else self._mask(text)

    def _closed(self, artifact: Artifact) -> Artifact:
        tags = tuple(map(self._mask, artifact.tags))
        return artifact.changed(title=self._mask(artifact.title), tags=tags, text=self._closed_text(artifact.text))

    def _opened(self, artifact: Artifact) -> Artifact:
        if not self._opens:
            return artifact
        reveal = self._masking.reveal
        opened = artifact.evolve(
            title=str(reveal(self._owner, artifact.title)),
            tags=tuple(str(reveal(self._owner, tag)) for tag in artifact.tags),
            snippet=str(reveal(self._owner, artifact.snippet)),
        )
        return opened.changed(text=str(reveal(self._owner, artifact.text))) if artifact.is_whole else opened
