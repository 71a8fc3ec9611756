"""A session's artifacts as JSON, in this process: see `entracte.desk`."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from entracte.core.artifacts.record import record_of, summary_of
from entracte.desk import Json
from entracte.ports.shelf import Shelf


class LocalDesk:
    """Artifacts on a shelf."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def list(self, *, tag: str = "") -> tuple[Json, ...]:
        return tuple(map(summary_of, self._shelf.list(tag=tag)))

    def get(self, reference: str) -> Json:
        return record_of(self._shelf.get(reference))

    def create(self, *, title: str, content: str, **fields: Any) -> Json:
        return record_of(self._shelf.create(key=uuid4().hex, title=title, text=content, **fields))

    def change(self, reference: str, *, version: str = "", **changes: Any) -> Json:
        text = changes.pop("content", None)
        changed = self._shelf.change(
            reference, lambda before: before.changed(text=text, **changes), key=uuid4().hex, version=version
        )
        return record_of(changed)

    def delete(self, reference: str) -> Json:
        return record_of(self._shelf.delete(reference))
