"""Recorded runs as files: every document in the order of its commit, one a line, and the world around them."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from entracte.adapters.memory.store import MemoryStore
from entracte.core.addresses import KINDS
from entracte.ports.store import Create, Query, Store

FOLDER = Path(__file__).with_name("recorded")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A world at the moment when it was recorded.

    Attributes:
        run: The run that the story is about.
        at: Time of the clock.
        before: Records of the shop before the story.
        records: Records of the shop now.
        documents: ``(version, path, fields)``, oldest commit first: the order of commits is the order of effects.
    """

    story: str
    run: str
    at: datetime
    before: dict[int, Any]
    records: dict[int, Any]
    documents: tuple[tuple[int, str, dict[str, Any]], ...]

    def store(self, **changed: Any) -> MemoryStore:
        """A store that holds the documents, committed in their order.

        Args:
            changed: Fields that every document has instead.
        """
        store = MemoryStore()
        for _, together in groupby(self.documents, key=lambda document: document[0]):
            store.commit([Create(path, fields | changed) for _, path, fields in together])
        return store

    def write(self, path: Path) -> None:
        """One line for the world, then one a document, so that a change shows as a change of few lines."""
        world = {
            "story": self.story,
            "run": self.run,
            "at": self.at.isoformat(),
            "before": self.before,
            "records": self.records,
        }
        lines = [_line(world), *(_line([version, at, _plain(fields)]) for version, at, fields in self.documents)]
        path.write_text("[\n" + ",\n".join(lines) + "\n]\n")

    @classmethod
    def read(cls, path: Path) -> Recording:
        """What `write` has written."""
        world, *documents = json.loads(path.read_text())
        return cls(
            story=world["story"],
            run=world["run"],
            at=datetime.fromisoformat(world["at"]),
            before={int(id): record for id, record in world["before"].items()},
            records={int(id): record for id, record in world["records"].items()},
            documents=tuple((version, at, _typed(fields)) for version, at, fields in documents),
        )


def documents_of(store: Store) -> tuple[tuple[int, str, dict[str, Any]], ...]:
    """Every document of a store, in the order of commits."""
    found = [doc for kind in [*KINDS, "chunks"] for doc in store.query(Query(collection=kind, limit=1000))]
    return tuple(sorted((doc.version, doc.path, dict(doc.fields)) for doc in found))


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _plain(value: Any) -> Any:
    match value:
        case datetime():
            return {"$time": value.isoformat()}
        case bytes():
            return {"$bytes": base64.b64encode(value).decode()}
        case dict():
            return {name: _plain(item) for name, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case _:
            return value


def _typed(value: Any) -> Any:
    match value:
        case {"$time": str(text), **rest} if not rest:
            return datetime.fromisoformat(text)
        case {"$bytes": str(text), **rest} if not rest:
            return base64.b64decode(text)
        case dict():
            return {name: _typed(item) for name, item in value.items()}
        case list():
            return [_typed(item) for item in value]
        case _:
            return value
