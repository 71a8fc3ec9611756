"""Artifacts in the store: what tools do through their context, and people through HTTP and the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from entracte.core.addresses import artifact_path, session_path, shelf_path
from entracte.core.artifacts.naming import absent, artifact_id, find, is_id
from entracte.core.artifacts.record import from_record
from entracte.core.documents.artifact import Artifact
from entracte.core.outcome import Put
from entracte.errors import Conflict, NotFound, TerminalError
from entracte.ports.clock import Clock
from entracte.ports.shelf import Change
from entracte.runtime.engine import queries
from entracte.runtime.engine.repository import Loaded, Repository
from entracte.runtime.services.racing import raced

MAX_LISTED = 300
"""Artifacts of one shelf that are listed, and looked through for a title: those changed last."""


class StoredShelf:
    """The artifacts of one session, and of the shelf that its owner's sessions share.

    Args:
        pause: Waits a little after so many lost races.
    """

    def __init__(
        self, repository: Repository, clock: Clock, pause: Callable[[int], object], *, session: str, owner: str
    ) -> None:
        self._repository = repository
        self._clock = clock
        self._pause = pause
        self._session = session
        self._owner = owner
        self._shelves = (session_path(session), shelf_path(owner))

    def list(self, *, tag: str = "", active: bool | None = None) -> tuple[Artifact, ...]:
        unreadable: list[TerminalError] = []
        found = [
            doc
            for shelf in self._shelves
            for doc in self._repository.query(
                queries.artifacts_of(shelf, limit=MAX_LISTED), unreadable=unreadable, whole=False
            ).documents.values()
        ]
        kept = (
            a for a in found if isinstance(a, Artifact) and (not tag or tag in a.tags) and active in (None, a.active)
        )
        return tuple(sorted(kept, key=lambda a: (a.updated, a.id), reverse=True))

    def get(self, reference: str) -> Artifact:
        return self._read(reference)[1]

    def create(self, *, key: str, title: str, text: str, shared: bool = False, **fields: Any) -> Artifact:
        made = Artifact.of(
            id=artifact_id(key),
            owner=self._owner,
            session="" if shared else self._session,
            title=title,
            text=text,
            now=self._clock.now(),
            written_by=key,
            **fields,
        )
        path = artifact_path(self._shelves[shared], made.id)

        def attempt(unclear: bool) -> Artifact:
            loaded = self._repository.load((path,))
            if isinstance(there := loaded.documents.get(path), Artifact):
                return there  # its id is this key's: it was made by an earlier try
            self._repository.commit(loaded, (Put(path, made),))
            return made

        return raced(attempt, path, self._pause)

    def change(self, reference: str, change: Change, *, key: str, version: str = "") -> Artifact:
        def attempt(unclear: bool) -> Artifact:
            loaded, before, path = self._read(reference)
            if before.written_by == key:
                return before  # by an earlier try
            check_version(before, version)
            after = change(before).evolve(updated=self._clock.now(), written_by=key)
            self._repository.commit(loaded, (Put(path, after),))
            return after

        return raced(attempt, reference, self._pause)

    def delete(self, reference: str, *, version: str = "") -> Artifact:
        found: list[Artifact] = []

        def attempt(unclear: bool) -> Artifact:
            try:
                loaded, before, path = self._read(reference)
            except NotFound:
                if unclear:
                    return found[-1]
                raise
            check_version(before, version)
            found.append(before)
            self._repository.delete([path], unchanged={path: loaded.versions[path]})
            return before

        return raced(attempt, reference, self._pause)

    def put_back(self, record: Mapping[str, Any]) -> Artifact:
        was = from_record(record, owner=self._owner, session=self._session)
        path = artifact_path(self._shelves[was.shared], was.id)

        def attempt(unclear: bool) -> Artifact:
            self._repository.commit(self._repository.load((path,)), (Put(path, was),))
            return was

        return raced(attempt, path, self._pause)

    def _read(self, reference: str) -> tuple[Loaded, Artifact, str]:
        """The artifact, whole, with what its next write needs, and its path."""
        id = reference if is_id(reference) else find(reference, self.list()).id
        paths = [artifact_path(shelf, id) for shelf in self._shelves]
        loaded = self._repository.load(paths)
        for path in paths:
            found = loaded.documents.get(path)
            if isinstance(found, Artifact):
                return loaded, found, path
        raise absent(reference) if is_id(reference) else NotFound(f"{reference!r} has just been deleted.")


def check_version(artifact: Artifact, version: str) -> None:
    """Refuse a change of an artifact that is another one by now.

    Raises:
        Conflict: It has another version than this, if this is not empty.
    """
    if version and artifact.version != version:
        raise Conflict(
            f"The artifact {artifact.title!r} has changed: its version is {artifact.version}, not {version}.",
            remedy="Read it again.",
            code="artifact_changed",
        )
