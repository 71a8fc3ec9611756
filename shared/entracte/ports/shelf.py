"""The shelf port: the artifacts that one session sees, its own and those that its owner's sessions share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from entracte.core.documents.artifact import Artifact

Change = Callable[[Artifact], Artifact]
"""What becomes of an artifact. May be called more than once; raises to refuse."""


class Shelf(Protocol):
    """Reads and writes artifacts. Each write is made once for a key, however often it is asked for.

    A reference is an id or a title; or the beginning of one, if it is the only one that begins so.
    """

    def list(self, *, tag: str = "", active: bool | None = None) -> Sequence[Artifact]:
        """The artifacts, the one changed last first, without contents that are large. At most a few hundred."""
        ...

    def get(self, reference: str) -> Artifact:
        """One artifact, whole.

        Raises:
            NotFound: None of that name, or several; names the candidates.
        """
        ...

    def create(self, *, key: str, title: str, text: str, shared: bool = False, **fields: Any) -> Artifact:
        """Make one.

        Raises:
            InvalidInput: A field that is not acceptable; `pointer` names it.
        """
        ...

    def change(self, reference: str, change: Change, *, key: str, version: str = "") -> Artifact:
        """Change one, and give it as it is then.

        Args:
            version: That it must still have; empty for any.

        Raises:
            NotFound: As `get` does.
            Conflict: It has another version by now (code ``artifact_changed``).
            InvalidInput: What it would become is not acceptable.
        """
        ...

    def delete(self, reference: str, *, version: str = "") -> Artifact:
        """Remove one, and give it as it was.

        Raises:
            NotFound, Conflict: As `change` does.
        """
        ...

    def put_back(self, record: Mapping[str, Any]) -> Artifact:
        """Make an artifact what it was, whatever it is now and whether it is there or not.

        Args:
            record: As `entracte.core.artifacts.record.record_of` gave it.
        """
        ...
