"""A memory as JSON, for tools, people and undo; and as the line that an agent is shown."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from entracte.core.documents.memory_item import MemoryItem
from entracte.core.memory.naming import is_id
from entracte.errors import InvalidInput


def record_of(item: MemoryItem) -> dict[str, Any]:
    """All that people see of it: its embedding says the same once more."""
    return {
        "id": item.id,
        "text": item.text,
        "category": item.category,
        "tags": list(item.tags),
        "date": item.day,
        "persona": item.persona,
        "run": item.run,
        "created": item.created.astimezone(UTC).isoformat(timespec="milliseconds"),
    }


def from_record(record: Mapping[str, Any], *, owner: str) -> MemoryItem:
    """The memory that a record was made of, but for its embedding.

    Raises:
        InvalidInput: No record of a memory.
    """
    try:
        if not is_id(str(record["id"])):
            raise ValueError(f"{record['id']!r} is no id")
        return MemoryItem.of(
            id=str(record["id"]),
            owner=owner,
            persona=str(record["persona"]),
            text=record["text"],
            category=record["category"],
            tags=record["tags"],
            day=record["date"],
            run=str(record["run"]),
            created=datetime.fromisoformat(record["created"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidInput(f"No record of a memory: {type(error).__name__}: {error}.") from None


def line_of(item: MemoryItem) -> str:
    """As an agent is shown it."""
    tags = f"; {', '.join(item.tags)}" if item.tags else ""
    return f"{item.id} ({item.category}, {item.day}{tags}): {' '.join(item.text.split())}"
