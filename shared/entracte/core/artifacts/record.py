"""An artifact as JSON: what tools, snapshots, people and undo see of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, get_args

from entracte.core.artifacts.naming import is_id
from entracte.core.documents.artifact import Artifact, ArtifactType
from entracte.errors import InvalidInput


def summary_of(artifact: Artifact) -> dict[str, Any]:
    """All of it but the content."""
    return {
        "id": artifact.id,
        "type": artifact.type,
        "title": artifact.title,
        "tags": list(artifact.tags),
        "active": artifact.active,
        "shared": artifact.shared,
        "chars": artifact.chars,
        "version": artifact.version,
        "created": _time(artifact.created),
        "updated": _time(artifact.updated),
    }


def record_of(artifact: Artifact) -> dict[str, Any]:
    """All of it."""
    return {**summary_of(artifact), "content": artifact.text}


def from_record(record: Mapping[str, Any], *, owner: str, session: str) -> Artifact:
    """The artifact that a record was made of: equal in everything that people and agents see.

    Records come out of files, too, which anybody may have written.

    Raises:
        InvalidInput: No record of an artifact.
    """
    try:
        if not is_id(str(record["id"])):
            raise ValueError(f"{str(record['id'])[:80]!r} is no id")
        if record["type"] not in get_args(ArtifactType) or type(record["active"]) is not bool:
            raise ValueError("type or active is none")
        return Artifact.of(
            id=str(record["id"]),
            owner=owner,
            session="" if record["shared"] else session,
            type=record["type"],
            title=record["title"],
            tags=record["tags"],
            text=record["content"],
            active=record["active"],
            now=datetime.fromisoformat(record["created"]),
        ).evolve(updated=datetime.fromisoformat(record["updated"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidInput(f"No record of an artifact: {type(error).__name__}: {error}.") from None


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")
