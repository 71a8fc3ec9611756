"""A session's artifacts as JSON: in this process, or behind an API, where `entracte.session_artifacts` has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

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
