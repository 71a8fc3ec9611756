"""A session's artifacts as JSON: on this machine, or behind an API, where `entracte.session_artifacts` has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

from entracte.core.artifacts.record import record_of, summary_of

if TYPE_CHECKING:
    from entracte.ports.shelf import Shelf

Json = Mapping[str, Any]


class Desk(Protocol):
    """Reads and writes artifacts. A reference is an id, a title, or the only beginning of one.

    Raises NotFound, Conflict and InvalidInput as `entracte.ports.shelf` says.
    """

    def list(self, *, tag: str = "") -> tuple[Json, ...]:
        """Without contents, the one changed last first."""
        ...

    def get(self, reference: str) -> Json:
        """One, with its content."""
        ...

    def create(self, *, title: str, content: str, **fields: Any) -> Json:
        """Make one."""
        ...

    def change(self, reference: str, *, version: str = "", **changes: Any) -> Json:
        """Change its title, tags, content or active."""
        ...

    def delete(self, reference: str) -> Json:
        """Remove one, and give it as it was."""
        ...


class LocalDesk:
    """Artifacts in a store of this machine."""

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
